"""Text in blocks of whole rows."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.data.files.csv import blocks_of

CELLS = st.text(st.sampled_from('ab,"\n '), max_size=12)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("text") / "rows.csv"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=20), st.integers(1, 40), st.integers(1, 40), st.booleans())
def test_blocks_hold_whole_rows_and_are_the_file(path, rows, n_bytes, first, ended):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    whole = text.getvalue() if ended else text.getvalue().removesuffix("\n")
    path.write_bytes(whole.encode())
    blocks = [block.decode() for block in blocks_of(path, n_bytes, b'"', first)]
    assert "".join(blocks) == whole
    assert all(blocks)
    read = [tuple(row) for block in blocks for row in csv.reader(io.StringIO(block, newline=""))]
    assert read == [row for row in csv.reader(io.StringIO(whole, newline="")) for row in [tuple(row)]]


def test_rows_longer_than_a_block_are_not_cut(path):
    path.write_bytes(b"x" * 100 + b"\n" + b"y\n" * 3)
    assert list(blocks_of(path, 8, b'"')) == [b"x" * 100 + b"\n" + b"y\n" * 3]
    path.write_bytes(b"x" * 30 + b"\n" + b"y\n" * 40)
    blocks = list(blocks_of(path, 8, b'"'))
    assert b"".join(blocks) == path.read_bytes()
    assert len(blocks) > 5
