"""Parts of a table are the table."""

import csv
import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.tables import reading
from spinney.tables.files import open_source

CELL = st.sampled_from(["1", "two words", 'a "quote"', "two\nlines", "a,b", "é", "\r\nx", "0"])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=30), st.integers(1, 60))
def test_text_is_cut_between_rows(tmp_path_factory, rows, n_bytes):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("a", "b"), *rows])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    source = open_source(str(path))
    pieces = [one.collect() for one in reading.parts_of(source, n_bytes)]
    assert pl.concat(pieces).rows() == rows
    assert source.frame.collect().rows() == rows


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl"])
def test_other_tables(tmp_path, monkeypatch, suffix):
    table = pl.DataFrame({"a": range(100), "b": ["x", None] * 50})
    path = tmp_path / f"t.{suffix}"
    {"parquet": table.write_parquet, "arrow": table.write_ipc, "jsonl": table.write_ndjson}[suffix](path)
    monkeypatch.setattr(reading, "_ROWS", 7)
    pieces = [one.collect() for one in reading.parts_of(open_source(str(path)), 50)]
    assert len(pieces) > 10
    assert pl.concat(pieces).equals(table)
