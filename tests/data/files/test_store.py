"""Files of arrays: whole or not there; places beyond 2**31."""

import mmap
import os

import numpy as np
import pytest

from spinney._team import Team
from spinney.data import dataset
from spinney.data import encode as binning
from spinney.data.files.store import MappedArrays, Writing, checksum, keep
from spinney.data.tables import Panel, Table
from spinney.ensemble.forests import fit as forests

FAR = 2**31 + 5  # rows of a thin table


def in_turn(function, parts):
    return [function(part) for part in parts]


def test_arrays_come_back(tmp_path):
    arrays = {"a": np.arange(7), "b": np.arange(6, dtype=np.uint8).reshape(2, 3), "none": np.empty(0, np.float32)}
    keep(tmp_path / "x", arrays, {"what": "this"})
    kept = MappedArrays(tmp_path / "x")
    kept.check(in_turn)
    assert kept.header["about"] == {"what": "this"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(kept.arrays[name], array)
        assert kept.arrays[name].dtype == array.dtype
    assert kept.arrays["a"].flags.writeable  # for kernels, which are compiled for such; the file stays as it is
    kept.arrays["a"][0] = 9
    assert MappedArrays(tmp_path / "x").arrays["a"][0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_checksum_can_go_on():
    data = np.arange(100, dtype=np.uint8)
    assert checksum(data[40:], checksum(data[:40])) == checksum(data)


def test_nobody_sees_a_file_that_is_not_finished(tmp_path):
    with Writing(tmp_path / "x", {"a": (np.uint8, (2, 4))}, {}) as file:
        file.write_columns("a", 0, np.ones((2, 2), np.uint8))
        assert not (tmp_path / "x").exists()
    assert list(tmp_path.iterdir()) == []


def test_files_hold_more_than_two_thousand_million_rows(tmp_path, monkeypatch):
    """A sparse file takes no room on the disk."""
    monkeypatch.setattr("os.posix_fallocate", lambda handle, start, size: os.truncate(handle, size))
    with Writing(tmp_path / "x", {"codes": (np.uint8, (3, FAR))}, {}) as file:
        file.write_columns("codes", FAR - 2, np.array([[1, 2], [3, 4], [5, 6]], np.uint8))
        file.finish()
    codes = MappedArrays(tmp_path / "x").arrays["codes"]
    assert codes[:, -2:].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert codes.size > 2**32


@pytest.fixture
def far_codes(tmp_path):
    """(1, rows) uint8 of zeros, in a sparse file."""
    with open(tmp_path / "far", "w+b") as file:
        os.truncate(file.fileno(), FAR)
        yield np.frombuffer(mmap.mmap(file.fileno(), FAR), np.uint8).reshape(1, FAR)


def test_codes_beyond_two_thousand_million_rows(far_codes):
    bins = binning.Bins((np.array([0.5, 1.5]),), (np.empty(0, np.uint8),), np.array([3], np.int32), np.zeros(1, bool))
    values = np.array([[0.0], [1.0], [2.0], [np.nan]])
    with Team(1) as team:
        bins.encode_into(Table(4, 1, (Panel(values, (0,)),)), team, far_codes, FAR - 4, 0, 4)
    assert far_codes[0, -4:].tolist() == [0, 1, 2, 3]
    assert not far_codes[0, : 2**12].any()


def test_a_table_of_more_rows_than_row_numbers_is_refused():
    bins = binning.Bins((np.empty(0),), (np.empty(0, np.uint8),), np.array([1], np.int32), np.zeros(1, bool))
    with pytest.raises(ValueError, match=r"at most 2,147,483,647 rows .* got 2,147,483,653"):
        dataset.encode_dataset(Table(FAR, 1, ()), bins, None)
    with pytest.raises(ValueError, match=r"a forest supports at most 2,147,483,647 rows"):
        forests.open_table(Table(FAR, 1, ()), np.zeros(1, np.int64), None, None, 255, None)
