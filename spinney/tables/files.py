"""Opens files: detects the format and prepares a scan of the rows.

In: a path, a pattern of paths, or `-` for standard input. Out: a `Source`, whose `frame` is a lazy polars frame. Only
the first lines are read. Columns of text files (CSV, TSV) are strings; those of Parquet, Arrow and JSON lines have
their types.

Formats and compression are recognised by the first bytes, text formats also by the name. Compressed files, encodings
other than UTF-8 and standard input are first copied to a temporary file, block by block, so that memory does not grow.
So are several text files that are one table (`spinney fit 'folder/*.csv'`), with the header of the first.
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
from glob import glob, has_magic
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from spinney._distribution import install_command
from spinney.io.layout import MAGIC
from spinney.tables.errors import TableError, suggestion, usage

_BLOCK = 2**20
_LOOKED_AT = 50  # lines from which the separator is detected
_HEAD = 2**18  # bytes from which the separator is detected
_COMPRESSED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_REFUSED = {
    b"PK\x03\x04": "is a zip archive or a damaged workbook; unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "is a file of an old Office program; save the table as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it first, or compress it with gzip",
    b"SQLite format 3": "is an SQLite database; write the table to CSV first",
    b"%PDF": "is a PDF document, not a table",
    MAGIC: "is a model file, not a table",
    b"\x80\x04": "is a pickle, not a table; write the table to CSV or Parquet",
    b"\x80\x05": "is a pickle, not a table; write the table to CSV or Parquet",
}
_IN_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # in the zip archives of workbooks
_HTML = (b"<!doctype html", b"<html")
_TYPED = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")  # Parquet, Arrow and Arrow streams: not text in any encoding
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_UNNAMED = re.compile(r"^__UNNAMED__\d+$")  # names of columns without a name
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
    """Options for a text file or a workbook; None: detected from the file."""

    separator: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | None = None


PLAIN = Dialect()  # no options


@dataclass(frozen=True)
class Source:
    """A table that can be scanned any number of times."""

    name: str  # shown to the user
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
        """Return a frame of some rows of a text file, given as bytes. The first block has the header."""
        frame = _scan(block, self.columns, self.separator, self.skip if first else 0)
        return _without_blanks(frame, len(self.columns))

    def open(self) -> BinaryIO:
        """Open the file for reading bytes."""
        return open(self.path, "rb") if self.content is None else io.BytesIO(self.content)

    def n_blank(self, n_rows: int) -> int:
        """Return the number of lines without any value, which are not rows."""
        if self.every_line is None:
            return 0
        return int(self.every_line.select(pl.len()).collect(engine="streaming").item()) - n_rows

    @property
    def described(self) -> str:
        """A description of the format."""
        return (
            f"{self.format}, {_SEPARATORS.get(self.separator, self.separator)}-separated"
            if self.is_text
            else self.format
        )


def open_source(given: str, dialect: Dialect = PLAIN, name: str = "") -> Source:
    """Detect the format of a file and prepare to scan it. `name` is shown in messages, by default the path."""
    if is_pattern(given):
        return open_pattern(given, dialect)
    if not given:
        raise usage("the name of the table is empty. Name a file, or - for standard input.")
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
        raise usage(f"--sheet is supported only for Excel workbooks, and {name} is not one.")
    kind = _format(head, suffix, name)
    if kind in ("CSV", "TSV"):
        return _open_text(name, path, kind, head, dialect)
    frame, schema = _scan_typed(kind, path, name)
    return Source(name, path, kind, frame, tuple(schema))


def is_pattern(given: str) -> bool:
    """Whether a name is a pattern of paths, such as `folder/*.csv`."""
    return has_magic(given) and not Path(given).exists()


def open_bytes(content: bytes, name: str) -> Source:
    """Like `open_source`, for bytes in memory. Text is UTF-8, UTF-16 or, if it is neither, Latin-1."""
    if content.startswith(b"PK\x03\x04") and _is_workbook(io.BytesIO(content), content, ""):
        return _open_workbook(name, content, PLAIN)
    if not content.startswith(_TYPED):
        content = _as_utf8(content)
    head = content[:_HEAD]
    if not head.strip():
        raise TableError(f"{name} is empty.")
    kind = _format(head, "", name)
    if kind in ("CSV", "TSV"):
        return replace(_open_text(name, content, kind, head, PLAIN), content=content)
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
        raise usage("there is nothing on standard input. Pipe a table into the command, or name a file.")
    return _spool(sys.stdin.buffer)


def _spool(stream: Any, encoding: str | None = None) -> Path:
    """Copy a stream to a temporary UTF-8 file, which is removed when the process ends."""
    name, target = _temporary()
    with target:
        if encoding is None:
            shutil.copyfileobj(stream, target, _BLOCK)
        else:
            decoder = codecs.getincrementaldecoder(encoding)()
            while block := stream.read(_BLOCK):
                target.write(decoder.decode(block).encode())
            target.write(decoder.decode(b"", final=True).encode())
    return Path(name)


def _temporary(suffix: str = "") -> tuple[str, BinaryIO]:
    """A new file, which is removed when the process ends."""
    handle, name = tempfile.mkstemp(prefix="spinney-", suffix=suffix)
    atexit.register(_remove, name)
    return name, os.fdopen(handle, "wb")


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def _head(path: Path, n: int = _HEAD) -> bytes:
    with open(path, "rb") as file:
        return file.read(n)


def _unpacked(path: Path, name: str, encoding: str | None) -> tuple[Path, str, str]:
    """Return an uncompressed UTF-8 file of the same content, the suffix without compression, and the encoding."""
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
            raise usage(f"--encoding {wanted}: unknown encoding. Try latin-1 or cp1252.") from None
        except UnicodeError:
            raise TableError(f"{name} is not {wanted} text. Name another --encoding.") from None
    return path, suffix, wanted


def _format(head: bytes, suffix: str, name: str) -> str:
    for magic, reason in _REFUSED.items():
        if head.startswith(magic):
            raise TableError(f"{name} {reason}.")
    if head.lstrip()[:20].lower().startswith(_HTML):
        raise TableError(f"{name} is an HTML page, not a table. It may be a login page that was saved instead.")
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
        raise TableError(f"{name} is one JSON document. Write one object per line instead (JSON lines).")
    if b"\x00" in head[:4096]:
        raise TableError(f"{name} is neither text nor Parquet, Arrow or JSON lines.")
    if SUFFIXES.get(suffix) in ("Parquet", "Arrow"):
        raise TableError(
            f"{name} is named {suffix}, but is not {'an Arrow' if SUFFIXES[suffix] == 'Arrow' else 'a Parquet'} file."
        )
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
    """Read a sheet of an Excel workbook, whose cells have types, as a whole."""
    if find_spec("fastexcel") is None:
        raise TableError(
            f"{name} is an Excel workbook, which needs fastexcel. Install with: {install_command('cli')}, or save the "
            "sheet as CSV."
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
        told = f"the workbook has {len(sheets)} sheets; the first, {wanted!r}, is used (--sheet selects another)"
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
        notes = (*notes, "the first line holds only numbers; if it is not a header, use --no-header")
    if 0 < (found := _cells_of_an_open_end(path, separator)) < len(columns):
        notes = (
            *notes,
            f"the last line has {found} of {len(columns)} cells and no line break; the file may be truncated",
        )
    skip = place + 1 if dialect.header else n_comments
    every_line = _scan(path, columns, separator, skip)
    frame = _without_blanks(every_line, len(columns))
    kind = "TSV" if separator == "\t" else "CSV"
    where = path if isinstance(path, Path) else Path()
    return Source(name, where, kind, frame, tuple(columns), separator, notes, every_line, skip)


def _comments(lines: list[str]) -> int:
    """Count the comment lines before the header. A header may begin with the same sign, as in `#id,name`."""
    n = next((k for k, line in enumerate(lines) if not line.startswith(_COMMENT)), len(lines))
    if n == len(lines):
        return 0
    last, first = (
        [len(next(csv.reader([line], delimiter=one), [])) for one in _SEPARATORS if one != " "]
        for line in (lines[n - 1], lines[n])
    )
    return n - (n > 0 and max(last) > 1 and last == first)


def _check_header(name: str, rows: list[list[str]], line: int) -> None:
    """Raise an error if the first line is a title."""
    widths = [len(cells) for cells in rows]
    if len(widths) > 2 and widths[0] == 1 and min(widths[-2:]) > 1:
        raise TableError(
            f"{name}: line {line}, {rows[0][0].strip()[:60]!r}, has one cell, but the lines below have {widths[-1]}. "
            "Remove the lines before the header."
        )


def _cells_of_an_open_end(path: Path | bytes, separator: str) -> int:
    """Count the cells of a last line without a line break; 0 if there is none."""
    with io.BytesIO(path) if isinstance(path, bytes) else open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _HEAD))
        last = file.read().rpartition(b"\n")[2].decode(errors="replace")
    return len(next(csv.reader([last], delimiter=separator), []))


def _scan(text: Path | bytes, columns: Iterable[str], separator: str, skip: int) -> pl.LazyFrame:
    """Scan text as a frame of strings."""
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
    """Return the first complete lines."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        raise TableError(_not_utf8(name, head[: error.start].count(b"\n") + 1, head[error.start])) from None
    lines = text.splitlines(keepends=True)
    return lines[:-1] if len(head) == _HEAD and len(lines) > 1 else lines


def _not_utf8(name: str, line: int, byte: int) -> str:
    return f"{name} is not UTF-8 text: byte {byte:#x} in line {line}. Name its encoding, such as --encoding latin-1."


def find_separator(lines: list[str]) -> str:
    """Return the character that splits the first lines into the same, and the largest, number of cells."""
    found = {}
    for separator in (",", ";", "\t", "|"):
        widths = [len(cells) for cells in csv.reader(lines[:_LOOKED_AT], delimiter=separator) if cells]
        if not widths or widths[0] == 1:
            continue
        common, times = Counter(widths).most_common(1)[0]
        found[separator] = (times / len(widths) if common == widths[0] else 0.0, common)
    return max(found, key=lambda one: found[one]) if found else ","


def _names(first: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return column names: stripped, filled in where there is none, and unique; also notes."""
    names: list[str] = []
    notes = []
    for place, cell in enumerate(first, start=1):
        name = wanted = cell.strip() or f"column_{place}"
        number = 2
        while name in names:
            name, number = f"{wanted} ({number})", number + 1
        if name != wanted:
            notes.append(f"column name {wanted!r} occurs more than once; column {place} is renamed {name!r}")
        names.append(name)
    return names, tuple(notes)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def explain_scan_failure(source: Source, error: BaseException) -> TableError:
    """Return the error of a file that could not be scanned, with the row if it is known."""
    if not source.is_text:
        return TableError(f"{source.name} cannot be read: {_first_line(error)}")
    try:
        with io.TextIOWrapper(source.open(), encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=source.separator, strict=True)
            for number, cells in enumerate(rows):
                if len(cells) > len(source.columns):
                    return TableError(
                        f"{source.name}, row {number}: {len(cells)} cells, but the header has {len(source.columns)}. "
                        "Put quotes around text that contains the separator."
                    )
    except UnicodeDecodeError:
        line, byte = _undecodable(source)
        return TableError(_not_utf8(source.name, line, byte))
    except csv.Error as trouble:
        return TableError(f"{source.name}, row {number + 1}: {trouble}. A quote may not be closed.")
    return TableError(f"{source.name} cannot be read: {_first_line(error)}")


def _undecodable(source: Source) -> tuple[int, int]:
    """Return (line, byte) of the first byte that is not UTF-8."""
    with source.open() as file:
        for number, line in enumerate(_lines(file), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return number, line[error.start]
    return 0, 0


def _lines(file: BinaryIO) -> Any:
    yield from file


# --- several files as one table ---------------------------------------------------------------------------------------


def open_pattern(given: str, dialect: Dialect) -> Source:
    """Open the files that match a pattern, in the order of their names."""
    paths = sorted(glob(given, recursive=True))
    if not paths:
        raise usage(f"no file matches {given}.")
    sources = [open_source(path, dialect) for path in paths]
    first = sources[0]
    for one in sources:
        if one.format != first.format:
            raise TableError(f"{given}: {first.name} is {first.format}, but {one.name} is {one.format}.")
        if set(one.columns) != set(first.columns):
            other = sorted(set(one.columns) ^ set(first.columns))[0]
            raise TableError(f"{given}: only one of {first.name} and {one.name} has a column {other!r}.")
        if first.is_text and one.columns != first.columns:
            raise TableError(f"{given}: the columns of {first.name} and {one.name} are in another order.")
    if first.is_text:
        return replace(
            open_source(str(_laid_end_to_end(sources)), replace(dialect, separator=first.separator)), name=given
        )
    frame = pl.concat([one.frame.select(first.columns) for one in sources])
    return replace(first, name=given, frame=frame, others=tuple(one.path for one in sources[1:]))


def _laid_end_to_end(sources: list[Source]) -> Path:
    name, target = _temporary(".csv")
    with target:
        for place, source in enumerate(sources):
            with open(source.path, "rb") as file:
                for _ in range(source.skip if place else 0):
                    file.readline()
                shutil.copyfileobj(file, target, 2**20)
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    target.write(b"\n")
    return Path(name)
