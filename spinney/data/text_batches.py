"""CSV files in batches: blocks of whole lines, parsed by polars or pyarrow.

In: a file with a header. Out: frames whose columns are of one type in all of the file: whole numbers, numbers, Booleans
or strings. Types are what all cells agree on, found by one pass through the file, which also counts the rows; whole
numbers and others make numbers, but numbers and words in one column are an error that says in which lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spinney.data.batches import Batch, Waiting, here
from spinney.data.text_blocks import blocks_of

_BYTES = 2**25  # of text in a batch
NULLS = ("NA", "N/A", "NaN", "nan", "n/a", "NULL", "null", "None", "<NA>")  # and nothing at all
_KINDS = {"whole": "whole numbers", "number": "numbers", "boolean": "Booleans", "string": "strings"}
_GIVEN = {"number": "number", "category": "string"}  # what users may say that a column is


class TextReader:
    """Files of text."""

    picks_columns = False

    def __init__(self, separator: str, null_values: Sequence[str] = NULLS, dtypes: Mapping[str, str] | None = None):
        """Take what separates cells, what is missing besides empty cells, and what some columns are."""
        self.separator, self.nulls = separator, list(null_values)
        self._given = dict(dtypes or {})
        wrong = [kind for kind in self._given.values() if kind not in _GIVEN]
        if wrong:
            raise ValueError(f"dtypes must say 'number' or 'category' of a column, got {wrong[0]!r}.")
        self._types: dict[str, str] = {}  # of all files so far
        self._counted: dict[Path, int] = {}

    def names(self, path: Path) -> list[str]:
        """The first line."""
        with open(path, encoding="utf-8-sig", newline="") as file:
            found = next(csv.reader(file, delimiter=self.separator), [])
        twice = [name for name in found if found.count(name) > 1]
        if twice:
            raise ValueError(f"{path} has more than one column {twice[0]!r}: name columns differently.")
        return found

    def count_rows(self, path: Path) -> int:
        """The pass that finds out about types, too."""
        if path not in self._counted:
            for name, kind in self._given.items():
                self._types[name] = _GIVEN[kind]
            self._counted[path] = sum(len(batch.frame) for batch in self._pass(path, learns=True))
        return self._counted[path]

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[Waiting]:
        """Blocks of lines; all columns."""
        self.count_rows(path)
        return here(self._pass(path, learns=False))

    def _pass(self, path: Path, learns: bool) -> Iterator[Batch]:
        names, line = self.names(path), 2
        for number, block in enumerate(blocks_of(path, _BYTES, b'"')):
            if number == 0:
                block = _without_header(block)
            n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
            where = f"{path}, lines {line} to {line + n_lines - 1}"
            if block.strip():
                try:
                    frame = (
                        self._learn(block, names, where) if learns else self._parse(block, names, self._types, where)
                    )
                except ValueError:
                    self._refuse_long_lines(block, len(names), path, line)
                    raise
                yield Batch(frame, where)
            line += n_lines

    def _refuse_long_lines(self, block: bytes, n_cells: int, path: Path, first: int) -> None:
        """Say which line has more cells than the header, if one has."""
        rows = csv.reader(io.StringIO(block.decode("utf-8", errors="replace"), newline=""), delimiter=self.separator)
        for row in rows:
            if len(row) > n_cells:
                raise ValueError(
                    f"{path}, line {first + rows.line_num - 1}: {len(row)} cells, but the header has {n_cells}; put "
                    "quotes around text that holds the separator."
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
            f"{where}: column {name!r} holds {_KINDS[now]}, but {_KINDS[before]} in the lines before. Say "
            f"dtypes={{{name!r}: 'category'}} if these are categories, or name what is missing in null_values."
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

    def _parse(self, block: bytes, names: list[str], types: Mapping[str, str], where: str) -> Any:
        """A block as a frame, columns without a type by their cells."""
        from spinney.data.batch_files import reading

        parse = _by_polars if find_spec("polars") is not None else _by_arrow
        with reading(where):
            return parse(block, names, {n: types[n] for n in names if n in types}, self.separator, self.nulls)


def _without_header(block: bytes) -> bytes:
    """A file's first block less the header, which may hold line breaks in quotes."""
    text = io.StringIO(block[: 2**20].decode("utf-8-sig", errors="replace"), newline="")
    rows = csv.reader(text)
    next(rows, None)
    for _ in range(rows.line_num):
        block = block.partition(b"\n")[2]
    return block


def _word_of(dtype: str) -> str:
    name = dtype.lower()
    if name.startswith(("int", "uint")):
        return "whole"
    if name.startswith(("float", "double", "decimal")):
        return "number"
    return "boolean" if name.startswith("bool") else "string"


def _by_polars(block: bytes, names: list[str], types: dict[str, str], separator: str, nulls: list[str]) -> Any:
    import polars

    kinds = {"whole": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean, "string": polars.String}
    known = {name: kinds[kind] for name, kind in types.items()}
    how: dict[str, Any] = {"new_columns": names, "schema_overrides": known, "infer_schema_length": None}
    if len(known) == len(names):  # else polars would look at all cells twice
        how = {"schema": {name: known[name] for name in names}, "infer_schema_length": 0}
    return polars.read_csv(block, has_header=False, separator=separator, null_values=nulls, raise_if_empty=False, **how)


def _by_arrow(block: bytes, names: list[str], types: dict[str, str], separator: str, nulls: list[str]) -> Any:
    import pyarrow
    from pyarrow import csv as arrow

    kinds = {"whole": "int64", "number": "float64", "boolean": "bool", "string": "string"}
    frame = arrow.read_csv(
        pyarrow.BufferReader(block),
        arrow.ReadOptions(column_names=names),
        arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
        arrow.ConvertOptions(
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
