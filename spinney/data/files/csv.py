"""CSV files in batches: blocks of whole lines, parsed by polars or pyarrow.

In: a file with a header. Out: frames whose columns have one type in the whole file: integers, numbers, Booleans or
strings. The types are those that fit all cells. One pass through the file finds them, counts the rows and divides the
file into blocks. Integers and other numbers make numbers; numbers and strings in one column raise an error that names
the lines. Later passes read their blocks in parallel, and parse only the columns needed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spinney.data.files.batches import Batch, PendingBatch

# ----------------------------------------------------------------------------------------------------------------------
# Text divided into blocks of whole rows, so that memory does not grow with the file.
#
# In: a file of lines. Out: its bytes, in blocks. Each ends at the end of a line where all quotes are closed.


def blocks_of(path: Path, n_bytes: int, quote: bytes, first: int | None = None) -> Iterator[bytes]:
    """The bytes of a file, cut after line feeds outside quotes, so many at a time (`first`: of the first block)."""
    place, wanted = 0, first or n_bytes
    with open(path, "rb", buffering=0) as file:
        while True:
            file.seek(place)
            block = file.read(wanted)
            end = _end_of_row(block, quote) if len(block) == wanted else len(block)
            if end:
                yield block[:end]
                place += end
                wanted = n_bytes
            elif block:  # no row is that short
                wanted *= 2
            else:
                return


def _end_of_row(block: bytes, quote: bytes) -> int:
    """Where the last whole row of a block ends; 0 if it has none."""
    place = block.rfind(b"\n")
    n_quotes = block.count(quote, 0, place) if quote and quote in block else 0
    while place >= 0 and n_quotes % 2:
        before = block.rfind(b"\n", 0, place)
        n_quotes -= block.count(quote, max(before, 0), place)
        place = before
    return place + 1


_BYTES = 2**24  # of text in a batch
_FIRST_BYTES = 2**20  # in a file's first, whose types have to be guessed: cells are looked at twice for that
# what is missing in text, for `open_table`, the command line and the lab; and nothing at all
NULLS = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "?")
_LINE_FEED = ord("\n")
_BLANK = re.compile(rb"\n(?:\r?\n)+")
_KINDS = {"whole": "integers", "number": "numbers", "boolean": "Booleans", "string": "strings"}
_GIVEN = {"number": "number", "category": "string"}  # what users may say that a column is


class LineBlock(NamedTuple):
    """Some lines of a file."""

    place: int  # of its first byte
    n_bytes: int
    n_rows: int
    has_blank_lines: bool
    where: str


class _Asked(NamedTuple):
    """How a block is to be parsed."""

    names: list[str]
    types: dict[str, str]
    columns: Sequence[str] | None
    separator: str
    nulls: list[str]


class TextReader:
    """Files of text."""

    def __init__(self, separator: str, null_values: Sequence[str] = NULLS, dtypes: Mapping[str, str] | None = None):
        """Take what separates cells, what is missing besides empty cells, and what some columns are."""
        if len(separator) != 1:
            raise ValueError(f"separator must be one character, got {separator!r}.")
        self.separator, self.nulls = separator, list(null_values)
        self._given = dict(dtypes or {})
        wrong = [kind for kind in self._given.values() if kind not in _GIVEN]
        if wrong:
            raise ValueError(f"dtypes must map columns to 'number' or 'category', got {wrong[0]!r}.")
        self._types: dict[str, str] = {}  # of all files so far
        self._blocks: dict[Path, list[LineBlock]] = {}

    def names(self, path: Path) -> list[str]:
        """The first line."""
        try:
            with open(path, encoding="utf-8-sig", newline="\n") as file:
                found = next(filter(None, csv.reader(file, delimiter=self.separator)), [])
        except UnicodeDecodeError:
            raise ValueError(_refusal(path)) from None
        others = [mark for mark in ";\t|" if mark in found[0]] if len(found) == 1 else []
        if others and self.separator not in others:
            raise ValueError(
                f"{path} has only one column, {found[0]!r}. Set separator={others[0]!r} if that separates its cells."
            )
        twice = [name for name in found if found.count(name) > 1]
        if twice:
            raise ValueError(f"{path} has more than one column {twice[0]!r}. Give the columns unique names.")
        return found

    def count_rows(self, path: Path) -> int:
        """By a pass through the file."""
        return sum(block.n_rows for block in self._find(path))

    def learn(self, path: Path) -> None:
        """Find out about types by a pass through the file; to be done of all files before any is read."""
        self._find(path)

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[PendingBatch]:
        """Blocks of lines."""
        from spinney.data.files.batches import PendingBatch

        blocks, names = self._find(path), self.names(path)
        types = {name: self._types.get(name, "number") for name in names}  # "number": nothing in all of the files
        for block in blocks:
            yield PendingBatch(block.n_rows * n_columns, partial(self._read, path, block, names, types, columns))

    def _read(self, path: Path, block: LineBlock, names: list[str], types: dict[str, str], columns: Any) -> Batch:
        from spinney.data.files.batches import Batch

        with open(path, "rb", buffering=0) as file:
            file.seek(block.place)
            text = file.read(block.n_bytes)
        text = _without_blank_lines(text) if block.has_blank_lines else text
        frame = self._parse(text, names, types, block.where, columns)
        if len(frame) != block.n_rows:
            raise ValueError(f"{block.where}: {len(frame)} rows in place of {block.n_rows}: the file has changed.")
        # polars leaves a column in pieces, which are put together when it is read: better here, in threads
        return Batch(frame.rechunk() if hasattr(frame, "rechunk") else frame, block.where)

    def _find(self, path: Path) -> list[LineBlock]:
        """Where the blocks of a file are; the pass that finds out about types, too."""
        if path not in self._blocks:
            names = self.names(path)
            for name, kind in self._given.items():
                if name not in names:
                    raise ValueError(f"{path} has no column {name!r}, which dtypes names; its columns are {names}.")
                self._types[name] = _GIVEN[kind]
            self._blocks[path] = list(self._learn_blocks(path))
        return self._blocks[path]

    def _learn_blocks(self, path: Path) -> Iterator[LineBlock]:
        names, line, place = self.names(path), 1, 0
        for text in blocks_of(path, _BYTES, b'"', min(_BYTES, _FIRST_BYTES)):
            after = place + len(text)
            if place == 0:
                whole, text = text, _without_header(text, self.separator)
                line = 1 + whole.count(b"\n", 0, len(whole) - len(text))
            ends = np.flatnonzero(np.frombuffer(text, np.uint8) == _LINE_FEED)
            n_lines = len(ends) + (not text.endswith(b"\n"))
            where = f"{path}, lines {line} to {line + n_lines - 1}"
            if text.strip(b"\r\n"):
                blank = bool(text[0] in b"\r\n" or (np.diff(ends) <= 2).any())  # some may be
                full = _without_blank_lines(text) if blank else text
                try:
                    n_rows = len(self._learn(full, names, where))
                except ValueError:
                    self._refuse_lines(text, len(names), path, line)
                    raise
                yield LineBlock(after - len(text), len(text), n_rows, blank, where)
            place, line = after, line + n_lines

    def _refuse_lines(self, block: bytes, n_cells: int, path: Path, first: int) -> None:
        """Of lines that cannot be parsed, say which has another number of cells than the header, if one has."""
        rows = csv.reader(io.StringIO(block.decode("utf-8", errors="replace"), newline=""), delimiter=self.separator)
        for row in rows:
            if row and len(row) != n_cells:
                how = "put quotes around text that holds the separator." if len(row) > n_cells else "is a quote open?"
                raise ValueError(
                    f"{path}, line {first + rows.line_num - 1}: {len(row)} cells, but the header has {n_cells}; {how}"
                ) from None

    def _learn(self, block: bytes, names: list[str], where: str) -> Any:
        """Parse a block by the types so far; where they do not do, change them."""
        if all(name in self._types for name in names):
            try:
                return self._parse(block, names, self._types, where)
            except ValueError:
                pass
        found = self._infer(block, names, where)
        for name, kind in found.items():
            self._types[name] = self._common(name, self._types.get(name), kind, where)
        return self._parse(block, names, self._types | {n: "string" for n in names if n not in self._types}, where)

    def _common(self, name: str, before: str | None, now: str, where: str) -> str:
        if before is None or before == now or name in self._given:
            return before or now
        if {before, now} == {"whole", "number"}:
            return "number"
        raise ValueError(
            f"{where}: column {name!r} holds {_KINDS[now]}, but {_KINDS[before]} in the lines before. Pass "
            f"dtypes={{{name!r}: 'category'}} if these are categories, or list the missing values in null_values."
        )

    def _infer(self, block: bytes, names: list[str], where: str) -> dict[str, str]:
        """The types of columns that hold anything, by all lines of a block."""
        given = {name: self._types[name] for name in self._given if name in names}
        frame = self._parse(block, names, given, where)
        if find_spec("polars") is not None:
            empty = {one.name for one in frame.null_count().iter_columns() if one[0] == len(frame)}
            return {name: _word_of(str(kind)) for name, kind in frame.schema.items() if name not in empty}
        columns = zip(frame.column_names, frame.columns)
        return {name: _word_of(str(one.type)) for name, one in columns if one.null_count < len(one)}

    def _parse(
        self, block: bytes, names: list[str], types: Mapping[str, str], where: str, columns: Sequence[str] | None = None
    ) -> Any:
        """A block as a frame, columns without a type by their cells; only some `columns`, if there are any."""
        from spinney.data.files.batches import reading

        parse = _by_polars if find_spec("polars") is not None else _by_arrow
        with reading(where):
            known = {name: types[name] for name in names if name in types}
            return parse(block, _Asked(names, known, columns, self.separator, self.nulls))


def _refusal(path: Path) -> str:
    """What is wrong with a file that is no text of ours, and what to do."""
    with open(path, "rb") as file:
        begin = file.read(6)
    if begin.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")):
        return f"{path} is compressed, and is read in several passes: decompress it first, or write it as Parquet."
    if begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{path} is UTF-16 text: save it as UTF-8, by `iconv -f UTF-16 -t UTF-8` for example."
    return f"{path} is not UTF-8 text: save it as UTF-8, by `iconv -f LATIN1 -t UTF-8` for example."


def _without_header(block: bytes, separator: str) -> bytes:
    """A file's first block less the header, which may hold line breaks in quotes."""
    text = io.StringIO(block[: 2**20].decode("utf-8-sig", errors="replace"), newline="\n")  # nothing else ends a line
    rows = csv.reader(text, delimiter=separator)
    next(filter(None, rows), None)
    for _ in range(rows.line_num):
        block = block.partition(b"\n")[2]
    return block


def _without_blank_lines(block: bytes) -> bytes:
    """A block less the lines that hold nothing, which polars would make rows of; those in quotes stay."""
    parts = block.lstrip(b"\r\n").split(b'"')
    parts[::2] = (_BLANK.sub(b"\n", part) for part in parts[::2])
    return b'"'.join(parts)


def _word_of(dtype: str) -> str:
    name = dtype.lower()
    if name.startswith(("int", "uint")) and name not in ("uint64", "int128", "uint128"):  # which int64 does not hold
        return "whole"
    if name.startswith(("float", "double", "decimal", "int", "uint")):
        return "number"
    return "boolean" if name.startswith("bool") else "string"


def _by_polars(block: bytes, asked: _Asked) -> Any:
    import polars

    names, types, columns, separator, nulls = asked
    kinds = {"whole": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean, "string": polars.String}
    known = {name: kinds[kind] for name, kind in types.items()}
    how: dict[str, Any] = {"new_columns": names, "schema_overrides": known, "infer_schema_length": None}
    if len(known) == len(names):  # else polars would look at all cells twice
        how = {"schema": {name: known[name] for name in names}, "infer_schema_length": 0}
    how["columns"] = None if columns is None else [names.index(name) for name in columns]
    return polars.read_csv(
        block, has_header=False, separator=separator, null_values=["", *nulls], raise_if_empty=False, **how
    )


def _by_arrow(block: bytes, asked: _Asked) -> Any:
    import pyarrow
    from pyarrow import csv as arrow

    names, types, columns, separator, nulls = asked
    kinds = {"whole": "int64", "number": "float64", "boolean": "bool", "string": "string"}
    frame = arrow.read_csv(
        pyarrow.BufferReader(block),
        arrow.ReadOptions(column_names=names),
        arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
        arrow.ConvertOptions(
            include_columns=columns,
            column_types={name: kinds[kind] for name, kind in types.items()},
            null_values=["", *nulls],
            strings_can_be_null=True,
            timestamp_parsers=[],
        ),
    )
    for place, field in enumerate(frame.schema):
        if pyarrow.types.is_temporal(field.type):
            frame = frame.set_column(place, field.name, frame.column(place).cast("string"))
    return frame
