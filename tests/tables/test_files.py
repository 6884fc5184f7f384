"""What is in a file, whatever its name is."""

import bz2
import gzip
import io
import lzma

import polars as pl
import pytest

from spinney.tables.errors import TableError
from spinney.tables.files import Dialect, find_separator, open_source
from tests.cli.run import facts, process, refusal, run

ROWS = [(k % 7, "xyz"[k % 3], k % 2) for k in range(40)]
TEXT = "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in ROWS)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fitted(path, *more, **given):
    """The columns that fit finds: name, type and distinct values."""
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", "model.spinney", *more, **given)
    return [(one["name"], one["type"], one["distinct"]) for one in found["table"]["columns"]], found


@pytest.fixture(autouse=True)
def _somewhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def forms(tmp_path):
    """The same table in every form."""
    frame = pl.DataFrame(ROWS, schema=["a", "b", "y"], orient="row")
    stream = io.BytesIO()
    frame.write_ipc_stream(stream)
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    frame.write_ndjson(tmp_path / "t.jsonl")
    (tmp_path / "as-data").write_bytes((tmp_path / "t.parquet").read_bytes())
    tabs = TEXT.replace(",", "\t")
    return [
        write(tmp_path / "t.csv", TEXT),
        write(tmp_path / "windows.csv", TEXT.replace("\n", "\r\n")),
        write(tmp_path / "marked.csv", b"\xef\xbb\xbf" + TEXT.encode()),
        write(tmp_path / "t.tsv", tabs),
        write(tmp_path / "t.txt", TEXT.replace(",", "|")),
        write(tmp_path / "wide.txt", tabs.encode("utf-16")),
        write(tmp_path / "t.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        write(tmp_path / "not-called-gz.csv", gzip.compress(TEXT.encode(), mtime=0)),
        write(tmp_path / "t.csv.bz2", bz2.compress(TEXT.encode())),
        write(tmp_path / "t.csv.xz", lzma.compress(TEXT.encode())),
        tmp_path / "t.parquet",
        tmp_path / "as-data",
        tmp_path / "t.arrow",
        write(tmp_path / "stream.arrow", stream.getvalue()),
        tmp_path / "t.jsonl",
        write(tmp_path / "t.jsonl.gz", gzip.compress((tmp_path / "t.jsonl").read_bytes())),
    ]


def test_every_form_is_the_same_table_and_gives_the_same_model(tmp_path):
    answers = [fitted(path) for path in forms(tmp_path)]
    assert {str(columns) for columns, _ in answers} == {
        "[('a', 'number', 7), ('b', 'category', 3), ('y', 'number', 2)]"
    }
    assert len({found["fingerprint"] for _, found in answers}) == 1


def test_standard_input(tmp_path):
    """Of compressed bytes; text comes through a pipe in test_predict.py."""
    content = gzip.compress(TEXT.encode(), mtime=0)
    result = process("fit", "-", "-t", "y", "-m", "tree", "--cv", 0, input=content)
    assert result.returncode == 0, result.stderr
    assert b"standard input: 40 rows, 3 columns" in result.stdout
    assert b"Saved to model.spinney" in result.stdout
    assert (tmp_path / "model.spinney").exists()


def test_separators_are_told_from_the_first_lines():
    assert find_separator(["a;b;c\n", "1,5;2,5;3\n"]) == ";"
    assert find_separator(["a,b\n", '"x;y",2\n']) == ","
    assert find_separator(["a|b\n", "1|2\n"]) == "|"
    assert find_separator(["a\n", "1\n"]) == ","
    assert open_source(__file__, Dialect(separator="#")).separator == "#"


def test_odd_headers(tmp_path):
    path = write(tmp_path / "t.csv", "\n a ,a,,y\n" + "1,2,3,4\n5,6,7,8\n\n" * 20)
    columns, found = fitted(path)
    assert [name for name, *_ in columns] == ["a", "a (2)", "column_3", "y"]
    assert found["table"]["rows"] == 40
    assert found["warnings"][0] == "column name 'a' occurs more than once; column 2 is renamed 'a (2)'"


def test_no_header(tmp_path):
    path = write(tmp_path / "t.csv", TEXT.partition("\n")[2])
    found = facts("fit", path, "-t", "column_3", "--no-header", "-m", "tree", "--cv", 0)
    assert found["table"]["rows"] == 40
    numbers = write(tmp_path / "numbers.csv", "1,2\n" * 9)
    said = refusal("fit", numbers, "-t", "x", code=2)
    assert said.endswith("Perhaps the first line holds only numbers; if it is not a header, use --no-header.")


def test_another_encoding(tmp_path):
    path = write(tmp_path / "t.csv", TEXT.replace("x", "é").encode("latin-1"))
    said = refusal("fit", path, "-t", "y")
    assert said == f"{path} is not UTF-8 text: byte 0xe9 in line 2. Name its encoding, such as --encoding latin-1."
    columns, _ = fitted(path, "--encoding", "latin-1")
    assert columns[1] == ("b", "category", 3)
    assert "unknown encoding" in refusal("fit", path, "-t", "y", "--encoding", "klingon", code=2)
    assert "is not ascii text" in refusal("fit", path, "-t", "y", "--encoding", "ascii")
    late = write(tmp_path / "late.csv", b"a,y\n" + b"1,2\n" * 100_000 + b"\xe9,1\n")
    assert "byte 0xe9 in line 100002" in refusal("fit", late, "-t", "y")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"", "is empty."),
        ("t.csv", b"\n\n", "is empty."),
        ("t.csv", b"a,y\n", "has a header but no rows."),
        ("t.xlsx", b"PK\x03\x04....", "is a zip archive or a damaged workbook; unpack it, or save the sheet as CSV."),
        ("t.csv", b"\x28\xb5\x2f\xfd....", "is compressed with zstd; unpack it first, or compress it with gzip."),
        (
            "t.csv.gz",
            gzip.compress(TEXT.encode(), mtime=0)[:60],
            "is damaged: Compressed file ended before the end-of-stream ",
        ),
        ("t.json", b'[{"y": 1}]', "is one JSON document. Write one object per line instead (JSON lines)."),
        ("t.csv", b"a,y\x00\n1,2\n", "is neither text nor Parquet, Arrow or JSON lines."),
        ("t.parquet", b"a,y\n1,2\n", "is named .parquet, but is not a Parquet file."),
        ("t.parquet", b"PAR1" + b"x" * 50, "cannot be read as Parquet: "),
        ("t.jsonl", b'{"y": 1}\n{"y": \n', "cannot be read"),
    ],
)
def test_what_is_no_table(tmp_path, name, content, reason):
    path = write(tmp_path / name, content)
    assert refusal("fit", path, "-t", "y").startswith(f"{path} {reason}")


def test_rows_that_are_too_long_and_quotes_that_do_not_end(tmp_path):
    path = write(tmp_path / "t.csv", "a,y\n1,2\n1,2,3\n")
    said = f"{path}, row 2: 3 cells, but the header has 2. Put quotes around text that contains the separator."
    assert refusal("fit", path, "-t", "y") == said
    path = write(tmp_path / "quote.csv", 'a,y\n1,2\n"1,2\n3,4\n')
    assert refusal("fit", path, "-t", "y").startswith(f"{path}, row 2: ")


def test_files_that_are_not_there(tmp_path):
    assert refusal("fit", "nothing.csv", "-t", "y", code=2) == "nothing.csv does not exist."
    assert refusal("fit", tmp_path, "-t", "y") == f"{tmp_path} is a folder, not a table."
    path = write(tmp_path / "t.csv", TEXT)
    assert "must be one character" in refusal("fit", path, "-t", "y", "--separator", "ab", code=2)
    assert run("fit", path, "-t", "y", "--separator", "comma", "-m", "tree", "--cv", 0)[1] == ""


@pytest.mark.parametrize(
    ("text", "columns", "notes"),
    [
        ("# exported 2024\n# by x\na,b\n1,2\n", ("a", "b"), ("2 lines of comments before the header skipped",)),
        ("#id,b\n1,2\n", ("#id", "b"), ()),
        ("# of y\n#id\tb\n1\t2\n", ("#id", "b"), ("1 line of comments before the header skipped",)),
    ],
)
def test_comments_before_the_header(tmp_path, text, columns, notes):
    (tmp_path / "t.csv").write_text(text)
    source = open_source(str(tmp_path / "t.csv"))
    assert (source.columns, source.notes) == (columns, notes)
    assert source.frame.collect().rows() == [("1", "2")]


def test_what_is_no_header(tmp_path):
    (tmp_path / "t.csv").write_text("Sales of 2024\na,b\n1,2\n3,4\n")
    with pytest.raises(TableError, match=r"line 1, 'Sales of 2024', has one cell, but the lines below have 2\. Remove"):
        open_source(str(tmp_path / "t.csv"))
    (tmp_path / "t.csv").write_text("\n<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n")
    with pytest.raises(TableError, match=r"is an HTML page, not a table\. It may be a login page"):
        open_source(str(tmp_path / "t.csv"))
