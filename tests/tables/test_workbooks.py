"""Excel workbooks: read as any other table; without the reader, a sentence."""

import pytest

from spinney.tables.errors import TableError
from spinney.tables.files import Dialect, open_source
from spinney.tables.kinds import MISSING
from spinney.tables.reading import check_names, read_table, survey
from tests.tables.workbook import write_workbook

ROWS = [[k % 7, k / 4, "ab"[k % 2], ("day", 45292 + k), f"${k},000" if k else None, k % 3 == 0] for k in range(40)]
HEAD = ["size", "weight", "kind", "when", "price", "late"]


@pytest.fixture
def book(tmp_path):
    """A workbook of two sheets."""
    return write_workbook(tmp_path / "t.xlsx", data=[HEAD, *ROWS], other=[["a", None], [1, 2], [None, None], [3, 4]])


def test_a_workbook_is_a_table(book):
    pytest.importorskip("fastexcel")
    source = open_source(str(book))
    found = survey(source, MISSING, {})
    kinds = {column.name: (column.kind, column.missing) for column in found.columns}
    assert kinds == {
        "size": ("number", 0),
        "weight": ("number", 0),
        "kind": ("category", 0),
        "when": ("date", 0),
        "price": ("number", 1),
        "late": ("boolean", 0),
    }
    assert source.notes == ("the workbook has 2 sheets; the first, 'data', is used (--sheet selects another)",)
    first = read_table(source, found.columns, MISSING).row(1, named=True)
    assert (first["size"], first["weight"], first["kind"], first["price"], first["late"]) == (1, 0.25, "b", 1000, False)
    assert (first["when"], first["when month"]) == (19724, 1)  # 2024-01-02


def test_sheets(book):
    pytest.importorskip("fastexcel")
    source = open_source(str(book), Dialect(sheet="other"))
    assert source.columns == ("a", "column_2")
    assert source.frame.collect().rows() == [(1.0, 2.0), (3.0, 4.0)]
    assert open_source(str(book), Dialect(sheet="other", header=False)).columns == ("column_1", "column_2")
    with pytest.raises(TableError, match="has no sheet 'Data'; did you mean 'data'"):
        open_source(str(book), Dialect(sheet="Data"))
    with pytest.raises(
        TableError, match=r"has no column 'b'; .* Note that the workbook has 2 sheets; the first, 'data'"
    ):
        check_names(open_source(str(book)), {"--target": ["b"]})


def test_damaged_workbooks(book):
    pytest.importorskip("fastexcel")
    whole = book.read_bytes()
    book.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match="is a zip archive or a damaged workbook"):
        open_source(str(book))


def test_without_the_reader(book, monkeypatch):
    monkeypatch.setattr("spinney.tables.files.find_spec", lambda name: None)
    with pytest.raises(TableError, match=r"is an Excel workbook, which needs fastexcel. Install with: pip install"):
        open_source(str(book))


def test_a_sheet_of_what_has_none(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="--sheet is supported only for Excel workbooks"):
        open_source(str(tmp_path / "t.csv"), Dialect(sheet="x"))
