"""Files: what is in a file, whatever its name is, and a scan of its rows.

In: a path, a pattern of paths, or `-` for standard input. Out: a `Source`, whose `frame` is a lazy polars frame;
nothing is read as yet but the first lines. Text (CSV, TSV) comes as strings, column by column; Parquet, Arrow and JSON
lines with types of their own.

Formats and compression are told by the first bytes, text formats also by the name. What is compressed, in another
encoding than UTF-8, or comes from standard input is laid down in a temporary file first, block by block: memory does
not grow with it.
"""

from __future__ import annotations

import atexit
import bz2
import codecs
import contextlib
import csv
import gzip
import io
import lzma
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from glob import has_magic
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from spinney.io.layout import MAGIC
from spinney.tables.errors import TableError, suggestion, usage

_BLOCK = 2**20
_LOOKED_AT = 50  # lines of text that the separator is told from
_HEAD = 2**18  # bytes that the separator is told from
_COMPRESSED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_REFUSED = {
    b"PK\x03\x04": "is a zip archive or a damaged workbook: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "is a file of an old Office program: save the table as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd: unpack it first, or compress it by gzip",
    b"SQLite format 3": "is an SQLite database: write the table to CSV first",
    b"%PDF": "is a PDF document, not a table",
    MAGIC: "is a model file, not a table",
    b"\x80\x04": "is a pickle, not a table: write the table to CSV or Parquet",
    b"\x80\x05": "is a pickle, not a table: write the table to CSV or Parquet",
}
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_IN_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # of the archives that workbooks are
_HTML = (b"<!doctype html", b"<html")
_TYPED = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")  # Parquet, Arrow and its stream: no text in any encoding
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_UNNAMED = re.compile(r"^__UNNAMED__\d+$")  # as columns without a name come
_COMMENT = "#"
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
    ".txt": "CSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
}


@dataclass(frozen=True)
class Dialect:
    """What the user says of a text file, or of a workbook; None: to be told from the file."""

    separator: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | None = None


PLAIN = Dialect()  # nothing said


@dataclass(frozen=True)
class Source:
    """A table that can be scanned, from its first row to its last, as often as need be."""

    name: str  # as the user knows it
    path: Path
    format: str
    frame: pl.LazyFrame
    columns: tuple[str, ...]
    separator: str = ""
    notes: tuple[str, ...] = ()
    every_line: pl.LazyFrame | None = None  # of text: with blank lines, and others without any value
    skip: int = 0  # rows of text before the first that is data
    others: tuple[Path, ...] = ()  # further files of the same table
    content: bytes | None = None  # of a table that is not in a file

    @property
    def is_text(self) -> bool:
        """Whether cells are strings whose types have to be guessed."""
        return self.format in ("CSV", "TSV")

    def text_frame(self, block: bytes, first: bool) -> pl.LazyFrame:
        """Some rows of a text file, given as its bytes; the first of them have the header."""
        frame = _scan(block, self.columns, self.separator, self.skip if first else 0)
        return _without_blanks(frame, len(self.columns))

    def open(self) -> BinaryIO:
        """Its bytes."""
        return open(self.path, "rb") if self.content is None else io.BytesIO(self.content)

    def n_blank(self, n_rows: int) -> int:
        """How many lines of text are no rows, since they hold no value."""
        if self.every_line is None:
            return 0
        return int(self.every_line.select(pl.len()).collect(engine="streaming").item()) - n_rows

    @property
    def described(self) -> str:
        """The format in words."""
        return (
            f"{self.format}, {_SEPARATORS.get(self.separator, self.separator)}-separated"
            if self.is_text
            else self.format
        )


def open_source(given: str, dialect: Dialect = PLAIN, name: str = "") -> Source:
    """Find out what a file is and prepare to scan it; `name` is what messages call it, by default its path."""
    if has_magic(given) and not Path(given).exists():
        from spinney.tables.many_files import open_pattern

        return open_pattern(given, dialect)
    name = name or ("standard input" if given == "-" else given)
    path = _spool_input() if given == "-" else Path(given)
    if path.is_dir():
        raise TableError(f"{name} is a folder, not a table.")
    if not path.exists():
        raise usage(f"{name} does not exist.")
    if not path.is_file():  # a pipe, which can be read once only
        with open(path, "rb") as stream:
            path = _spool(stream)
    path, suffix, encoding = _unpacked(path, name, dialect.encoding)
    head = _head(path)
    if not head.strip():
        raise TableError(f"{name} is empty.")
    if _is_workbook(path, head, suffix):
        return _open_workbook(name, path, dialect)
    if dialect.sheet is not None:
        raise usage(f"--sheet is for Excel workbooks, and {name} is not one.")
    kind = _format(head, suffix, name)
    if kind in ("CSV", "TSV"):
        return _open_text(name, path, kind, head, dialect)
    frame, schema = _scan_typed(kind, path, name)
    return Source(name, path, kind, frame, tuple(schema))


def open_bytes(content: bytes, name: str, dialect: Dialect = PLAIN) -> Source:
    """The same of bytes in memory, which stay there; text in UTF-8, UTF-16 or, if it is neither, Latin-1."""
    if content.startswith(b"PK\x03\x04") and _is_workbook(io.BytesIO(content), content, ""):
        return _open_workbook(name, content, dialect)
    if not content.startswith(_TYPED):
        content = _as_utf8(content)
    head = content[:_HEAD]
    if not head.strip():
        raise TableError(f"{name} is empty.")
    kind = _format(head, "", name)
    if kind in ("CSV", "TSV"):
        return replace(_open_text(name, content, kind, head, dialect), content=content)
    frame, schema = _scan_typed(kind, io.BytesIO(content), name)
    return Source(name, Path(), kind, frame, tuple(schema))


def _as_utf8(content: bytes) -> bytes:
    mark = next((one for magic, one in _MARKS.items() if content.startswith(magic)), "utf-8")
    try:
        return content.decode(mark).encode()
    except UnicodeError:
        return content.decode("latin-1").encode()


def _spool_input() -> Path:
    if sys.stdin is None or sys.stdin.isatty():
        raise usage("there is nothing on standard input: pipe a table into the command, or name a file.")
    return _spool(sys.stdin.buffer)


def _spool(stream: Any, encoding: str | None = None) -> Path:
    """A temporary file with all that a stream holds, in UTF-8; removed when the process ends."""
    handle, name = tempfile.mkstemp(prefix="spinney-")
    atexit.register(_remove, name)
    with os.fdopen(handle, "wb") as target:
        if encoding is None:
            shutil.copyfileobj(stream, target, _BLOCK)
        else:
            decoder = codecs.getincrementaldecoder(encoding)()
            while block := stream.read(_BLOCK):
                target.write(decoder.decode(block).encode())
            target.write(decoder.decode(b"", final=True).encode())
    return Path(name)


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def _head(path: Path, n: int = _HEAD) -> bytes:
    with open(path, "rb") as file:
        return file.read(n)


def _unpacked(path: Path, name: str, encoding: str | None) -> tuple[Path, str, str]:
    """A plain UTF-8 file of the same content, the suffix without that of the compression, and the encoding it had."""
    head, suffixes = _head(path, 16), [one.lower() for one in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    for magic, opener in _COMPRESSED.items():
        if head.startswith(magic):
            try:
                with opener(path, "rb") as stream:
                    path = _spool(stream)
            except (EOFError, OSError, lzma.LZMAError) as error:
                raise TableError(f"{name} is damaged: {str(error).rstrip('.')}.") from None
            suffix = suffixes[-2] if len(suffixes) > 1 else ""
            break
    mark = next((one for magic, one in _MARKS.items() if _head(path, 4).startswith(magic)), "utf-8")
    if _head(path, 8).startswith(_TYPED):
        return path, suffix, "utf-8"
    if (wanted := encoding or mark) not in ("utf-8", "utf8", "utf-8-sig"):
        try:
            with open(path, "rb") as stream:
                path = _spool(stream, wanted)
        except LookupError:
            raise usage(f"--encoding {wanted}: there is no such encoding; try latin-1 or cp1252.") from None
        except UnicodeError:
            raise TableError(f"{name} is not {wanted} text: name another --encoding.") from None
    return path, suffix, wanted


def _format(head: bytes, suffix: str, name: str) -> str:
    for magic, reason in _REFUSED.items():
        if head.startswith(magic):
            raise TableError(f"{name} {reason}.")
    if head.lstrip()[:20].lower().startswith(_HTML):
        raise TableError(f"{name} is a page of HTML, not a table: it may be a login page that was saved in its place.")
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith(b"ARROW1"):
        return "Arrow"
    if head.startswith(b"\xff\xff\xff\xff"):
        return "Arrow stream"
    if suffix in (".jsonl", ".ndjson") or (suffix not in SUFFIXES and head.lstrip()[:1] == b"{"):
        return "JSON lines"
    if suffix == ".json":
        if head.lstrip()[:1] == b"{":
            return "JSON lines"
        raise TableError(f"{name} is one JSON document: write an object per line instead (JSON lines).")
    if b"\x00" in head[:4096]:
        raise TableError(f"{name} is neither text nor Parquet, Arrow or JSON lines.")
    if SUFFIXES.get(suffix) in ("Parquet", "Arrow"):
        raise TableError(f"{name} is called {suffix}, but is no {SUFFIXES[suffix]} file.")
    return SUFFIXES.get(suffix, "CSV")


def _scan_typed(kind: str, path: Path | BinaryIO, name: str) -> tuple[pl.LazyFrame, list[str]]:
    try:
        if kind == "Parquet":
            frame = pl.scan_parquet(path)
        elif kind == "Arrow":
            frame = pl.scan_ipc(path)
        elif kind == "Arrow stream":
            frame = pl.read_ipc_stream(path).lazy()
        else:
            frame = pl.scan_ndjson(path, infer_schema_length=None)
        return frame, frame.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise TableError(f"{name} cannot be read as {kind}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
    return f"{text}."


# --- workbooks -------------------------------------------------------------------------------------------------------


def _is_workbook(path: Path | BinaryIO, head: bytes, suffix: str) -> bool:
    if head.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(path) as archive:
                return any(one in archive.namelist() for one in _IN_WORKBOOKS)
        except zipfile.BadZipFile:
            return False
    return head.startswith(b"\xd0\xcf\x11\xe0") and suffix in ("", ".xls")


def _open_workbook(name: str, given: Path | bytes, dialect: Dialect) -> Source:
    """A sheet of an Excel workbook, read whole: cells have types there."""
    if find_spec("fastexcel") is None:
        raise TableError(
            f"{name} is an Excel workbook, and reading those needs fastexcel: pip install 'spinney-trees[cli]', or "
            "save the sheet as CSV."
        )
    import fastexcel

    try:
        sheets = fastexcel.read_excel(given if isinstance(given, bytes) else str(given)).sheet_names
        if dialect.sheet is not None and dialect.sheet not in sheets:
            raise usage(f"--sheet: {name} has no sheet {dialect.sheet!r}; {suggestion(dialect.sheet, sheets)}")
        wanted = dialect.sheet or sheets[0]
        frame = pl.read_excel(
            given, sheet_name=wanted, engine="calamine", has_header=dialect.header, infer_schema_length=None,
            drop_empty_cols=False,
        )  # fmt: skip
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as error:
        raise TableError(f"{name} cannot be read as an Excel workbook: {_first_line(error)}") from None
    columns, notes = _names([_UNNAMED.sub("", one) if dialect.header else "" for one in frame.columns])
    if len(sheets) > 1 and dialect.sheet is None:
        told = f"the workbook has {len(sheets)} sheets; this is the first, {wanted!r} (--sheet names another)"
        notes = (*notes, told)
    if not len(frame.columns):
        raise TableError(f"{name} is empty.")
    frame.columns = columns
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return Source(
        name, given if isinstance(given, Path) else Path(), "Excel", frame.lazy(), tuple(columns), notes=notes
    )


# --- text -------------------------------------------------------------------------------------------------------------


def _open_text(name: str, path: Path | bytes, kind: str, head: bytes, dialect: Dialect) -> Source:
    every = _text_of(head, name)
    n_comments = _comments(every)
    lines = every[n_comments:]
    separator = dialect.separator or ("\t" if kind == "TSV" else find_separator(lines))
    if len(separator) != 1:
        raise usage(f"--separator must be one character, or 'tab', got {separator!r}.")
    rows = [(k, cells) for k, cells in enumerate(csv.reader(lines[:_LOOKED_AT], delimiter=separator)) if cells]
    place, first = rows[0] if rows else (0, [])
    _check_header(name, [cells for _, cells in rows], n_comments + place + 1)
    place += n_comments
    columns, notes = _names(first) if dialect.header else ([f"column_{k + 1}" for k in range(len(first))], ())
    if n_comments:
        notes = (*notes, f"{n_comments} line{'s' * (n_comments > 1)} of comments before the header skipped")
    if dialect.header and len(first) > 1 and all(map(_is_number, first)):
        notes = (*notes, "the first line holds numbers only: if it is no header, say --no-header")
    if 0 < (found := _cells_of_an_open_end(path, separator)) < len(columns):
        notes = (*notes, f"the last line has {found} of {len(columns)} cells and no end: the file may have been cut")
    skip = place + 1 if dialect.header else n_comments
    every_line = _scan(path, columns, separator, skip)
    frame = _without_blanks(every_line, len(columns))
    kind = "TSV" if separator == "\t" else "CSV"
    where = path if isinstance(path, Path) else Path()
    return Source(name, where, kind, frame, tuple(columns), separator, notes, every_line, skip)


def _comments(lines: list[str]) -> int:
    """How many lines of comments stand before the header; a header may begin with the same sign, as in `#id,name`."""
    n = next((k for k, line in enumerate(lines) if not line.startswith(_COMMENT)), len(lines))
    if n == len(lines):
        return 0
    last, first = (
        [len(next(csv.reader([line], delimiter=one), [])) for one in _SEPARATORS if one != " "]
        for line in (lines[n - 1], lines[n])
    )
    return n - (n > 0 and max(last) > 1 and last == first)


def _check_header(name: str, rows: list[list[str]], line: int) -> None:
    """Refuse a first line that is a title."""
    widths = [len(cells) for cells in rows]
    if len(widths) > 2 and widths[0] == 1 and min(widths[-2:]) > 1:
        raise TableError(
            f"{name}: line {line}, {rows[0][0].strip()[:60]!r}, has one cell, and lines below have {widths[-1]}. It is "
            "not a header: remove what stands before the header."
        )


def _cells_of_an_open_end(path: Path | bytes, separator: str) -> int:
    """How many cells a last line without a line break has; 0 if there is none."""
    with io.BytesIO(path) if isinstance(path, bytes) else open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _HEAD))
        last = file.read().rpartition(b"\n")[2].decode(errors="replace")
    return len(next(csv.reader([last], delimiter=separator), []))


def _scan(text: Path | bytes, columns: Iterable[str], separator: str, skip: int) -> pl.LazyFrame:
    """Text as a frame of strings."""
    return pl.scan_csv(
        text,
        has_header=False,
        skip_rows=skip,
        raise_if_empty=False,
        separator=separator,
        schema={one: pl.String for one in columns},
        missing_columns="insert",  # rows may end early, even all rows of a block
        glob=False,
    )


def _without_blanks(frame: pl.LazyFrame, n_columns: int) -> pl.LazyFrame:
    return frame.filter(~pl.all_horizontal(pl.all().is_null())) if n_columns > 1 else frame


def _text_of(head: bytes, name: str) -> list[str]:
    """The first lines, whole."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        raise TableError(_not_utf8(name, head[: error.start].count(b"\n") + 1, head[error.start])) from None
    lines = text.splitlines(keepends=True)
    return lines[:-1] if len(head) == _HEAD and len(lines) > 1 else lines


def _not_utf8(name: str, line: int, byte: int) -> str:
    return f"{name} is not UTF-8 text: byte {byte:#x} in line {line}; name its encoding, such as --encoding latin-1."


def find_separator(lines: list[str]) -> str:
    """The character that cuts the first lines into the same number of cells, and into the most."""
    found = {}
    for separator in (",", ";", "\t", "|"):
        widths = [len(cells) for cells in csv.reader(lines[:_LOOKED_AT], delimiter=separator) if cells]
        if not widths or widths[0] == 1:
            continue
        common, times = Counter(widths).most_common(1)[0]
        found[separator] = (times / len(widths) if common == widths[0] else 0.0, common)
    return max(found, key=lambda one: found[one]) if found else ","


def _names(first: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Names of columns: stripped, one for those that have none, and different from each other."""
    names: list[str] = []
    notes = []
    for place, cell in enumerate(first, start=1):
        name = wanted = cell.strip() or f"column_{place}"
        number = 2
        while name in names:
            name, number = f"{wanted} ({number})", number + 1
        if name != wanted:
            notes.append(f"column {wanted!r} is there more than once; the one in place {place} is called {name!r}")
        names.append(name)
    return names, tuple(notes)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def explain_scan_failure(source: Source, error: BaseException) -> TableError:
    """What is wrong with a file that could not be scanned to its end, with the row where that can be told."""
    if not source.is_text:
        return TableError(f"{source.name} cannot be read: {_first_line(error)}")
    try:
        with io.TextIOWrapper(source.open(), encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=source.separator, strict=True)
            for number, cells in enumerate(rows):
                if len(cells) > len(source.columns):
                    return TableError(
                        f"{source.name}, row {number}: {len(cells)} cells, but the header has {len(source.columns)}; "
                        "put quotes around text that holds the separator."
                    )
    except UnicodeDecodeError:
        line, byte = _undecodable(source)
        return TableError(_not_utf8(source.name, line, byte))
    except csv.Error as trouble:
        return TableError(f"{source.name}, row {number + 1}: {trouble}; a quote may not be closed.")
    return TableError(f"{source.name} cannot be read: {_first_line(error)}")


def _undecodable(source: Source) -> tuple[int, int]:
    """(line, byte) of the first byte that is not UTF-8."""
    with source.open() as file:
        for number, line in enumerate(_lines(file), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return number, line[error.start]
    return 0, 0


def _lines(file: BinaryIO) -> Any:
    yield from file
