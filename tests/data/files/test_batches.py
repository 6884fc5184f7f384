"""Batches from functions and iterators, row groups of files, and what they are refused for."""

import copy
import errno
import pickle
import threading
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from spinney import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
    open_table,
)
from spinney.data.files.batches import SpilledBatches, _together, reading

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(100, 4))
FEW = {"n_estimators": 3, "random_state": 0}


def test_threads_read_the_batches_of_an_iterator_side_by_side():
    wanted = [np.full((50, 3), k) for k in range(200)]
    source, wrong = SpilledBatches(iter(wanted)), []

    def read():
        try:
            found = [batch.frame for batch in source.batches()]
            wrong.extend(k for k in range(200) if not np.array_equal(found[k], wanted[k]))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    with pytest.raises(
        TypeError, match=r"opened from an iterator cannot be copied or sent to another process. Write it"
    ):
        pickle.dumps(open_table(iter([VALUES])))


def test_batches_of_other_columns_are_refused():
    frame = pd.DataFrame(VALUES, columns=list("abcd"))
    for batches in ([VALUES[:50, :3], VALUES[50:]], [frame[:50], frame[50:][["a", "b", "c"]]]):
        with pytest.raises(ValueError, match=r"batch 1 has the columns \[.*\], but the first batch has \["):
            GradientBoostingRegressor(**FEW).fit(open_table(lambda batches=batches: batches), VALUES[:, 0])
    for source, words in (
        (lambda: None, "the function of open_table must return batches, got NoneType"),
        ([[1, 2], [3, 4]], "batches must be tables of rows and columns, got an array of 1 dimensions"),
    ):
        with pytest.raises(TypeError, match=words):
            open_table(source)
    turned = [frame[:50], frame[50:][["d", "c", "b", "a"]]]
    model = GradientBoostingRegressor(**FEW).fit(open_table(lambda: turned, target="a"))
    assert model.fingerprint_ == GradientBoostingRegressor(**FEW).fit(frame[["b", "c", "d"]], frame["a"]).fingerprint_


def test_columns_called_by_numbers():
    parts = [pd.DataFrame(VALUES[:50]), pd.DataFrame(VALUES[50:])]
    own = GradientBoostingRegressor(**FEW).fit(VALUES[:, [0, 1, 3]], VALUES[:, 2])
    model = GradientBoostingRegressor(**FEW).fit(open_table(lambda: parts, target=2))
    assert model.fingerprint_ == own.fingerprint_
    assert np.array_equal(model.predict(open_table(lambda: parts, drop=[2])), own.predict(VALUES[:, [0, 1, 3]]))


@pytest.mark.parametrize("way", ["pandas", "parquet"])
def test_a_column_of_words_that_is_empty_at_first(tmp_path, way):
    words, y = RNG.choice(list("abc"), 60), RNG.normal(size=120)
    whole = pd.DataFrame({"x": [None] * 60 + list(words)})
    source = [pd.DataFrame({"x": whole["x"][at], "y": y[at]}) for at in (slice(0, 60), slice(60, 120))]
    if way == "parquet":
        pl.DataFrame({"x": [None] * 60, "y": y[:60]}).write_parquet(tmp_path / "0.parquet")
        pl.DataFrame({"x": words, "y": y[60:]}).write_parquet(tmp_path / "1.parquet")
    model = GradientBoostingRegressor(**FEW).fit(
        open_table(tmp_path if way == "parquet" else (lambda: source), target="y")
    )
    assert model.fingerprint_ == GradientBoostingRegressor(**FEW).fit(whole, y).fingerprint_


def test_classes_that_are_categories_of_numbers():
    frame = pd.DataFrame({"x": VALUES[:, 0], "y": pd.Categorical(RNG.integers(0, 3, 100))})
    model = GradientBoostingClassifier(n_estimators=2).fit(open_table(lambda: [frame[:50], frame[50:]], target="y"))
    assert model.classes_.tolist() == [0, 1, 2]


def test_decimals_are_the_same_from_every_library(tmp_path):
    frame = pl.DataFrame({"x": [Decimal(k) / 100 for k in range(3000)]})
    frame.write_ipc(tmp_path / "a.arrow")
    model, y = ExtraTreesRegressor(n_estimators=2, random_state=0), np.arange(3000.0)
    found = {model.fit(one, y).fingerprint_ for one in (frame, frame.to_arrow(), open_table(tmp_path / "a.arrow"))}
    assert len(found) == 1


def test_the_index_of_pandas_is_no_column(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}).sample(frac=1, random_state=1).to_parquet(tmp_path / "a.parquet")
    assert open_table(tmp_path / "a.parquet", target="y").columns == ["a"]


def test_small_row_groups_are_read_together(tmp_path):
    assert [group.numbers for group in _together([3, 0, 3, 5, 9, 1], 8)] == [[0, 2], [3], [4], [5]]
    assert [group.name for group in _together([3, 0, 3, 9], 8)] == ["row groups 0 to 2", "row group 3"]
    assert list(_together([0, 0], 8)) == []
    pa.parquet.write_table(pa.table({"a": VALUES[:, 0], "y": VALUES[:, 1]}), tmp_path / "a.parquet", row_group_size=1)
    table = open_table(tmp_path / "a.parquet", target="y")
    assert len(list(table.batches())) == 1
    model = GradientBoostingRegressor(**FEW).fit(table)
    assert model.fingerprint_ == GradientBoostingRegressor(**FEW).fit(table.collect(), VALUES[:, 1]).fingerprint_


def test_opened_files_can_be_copied_and_types_put_together(tmp_path):
    pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int32), "y": [0, 1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"a": [1.5, 2.5], "y": [0, 1]}).write_parquet(tmp_path / "b.parquet")
    table = open_table(tmp_path, target="y")
    assert table.collect()["a"].to_list() == [1.0, 2.0, 1.5, 2.5]
    for one in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert one.y.tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        table.y[:] = 0


def test_forests_that_need_values_say_what_needs_them(tmp_path):
    pl.DataFrame(VALUES, schema=list("abcd")).write_parquet(tmp_path / "a.parquet")
    for more in ({"max_leaf_nodes": 4}, {"criterion": "absolute_error"}):
        with pytest.raises(
            TypeError, match=r"grown from binned codes, and these settings need the values\. Leave out criterion"
        ):
            RandomForestRegressor(**more).fit(open_table(tmp_path, target="a"))


def test_files_that_are_not_read(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(ValueError, match=r"open_table reads Parquet, Arrow and CSV files, got .*a.jsonl"):
        open_table(tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match=r"open_table reads files of this machine, got 's3://bucket/a.parquet'"):
        open_table("s3://bucket/a.parquet")
    (tmp_path / "folder.parquet").mkdir()
    pl.DataFrame(VALUES).write_parquet(tmp_path / "folder.parquet" / "part-0.parquet")
    assert open_table(tmp_path / "*.parquet").shape == (100, 4)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("no room"),
        pa.ArrowMemoryError("malloc of size 64 failed"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        pl.exceptions.ComputeError("Cannot allocate memory (os error 12)"),
    ],
)
def test_a_lack_of_memory_is_not_the_files_fault(error):
    with pytest.raises(MemoryError) as caught, reading("a.parquet"):
        raise error
    assert "damaged" not in str(caught.value)


def test_other_errors_name_the_file():
    words = r"^a\.parquet cannot be read, the file may be damaged: not of this kind$"
    with pytest.raises(ValueError, match=words), reading("a.parquet"):
        raise OSError("not of this kind")
