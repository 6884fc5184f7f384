"""Large tables for models that are fitted on codes: features stay on disk, targets and weights are in memory.

In: a `Source` whose columns are known, as for `reading.read_table`. Out: a table opened by `spinney.open_table`, and a
frame of the other columns. Text is parsed once, part by part, into Parquet files in a temporary folder; typed files are
read in place. The model is the same as for the table in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from spinney.tables.files import Source
from spinney.tables.kinds import Column
from spinney.tables.parts import parts_of
from spinney.tables.reading import BAD, find_bad_cell, scanning, selection

LARGE = 2**28  # bytes from which a table is not read into memory


def is_large(source: Source) -> bool:
    """Whether the table is too large to read into memory."""
    return sum(path.stat().st_size for path in (source.path, *source.others)) >= LARGE


def stream_table(
    source: Source,
    columns: Sequence[Column],
    missing: tuple[str, ...],
    target: Column,
    also: Sequence[str] = (),
    doubtful: Sequence[Column] = (),
) -> tuple[Any, pl.DataFrame]:
    """Open the features of the rows with a target; also return the target and other columns, as `read_table` does."""
    from spinney.data.files.open_table import open_table

    select = selection(source, columns, missing, target, also, doubtful)
    names = [name for column in columns for name in column.features]

    def tables() -> Iterator[pl.DataFrame]:
        for part in parts_of(source):
            with scanning(source):
                table = select(part).collect(engine="streaming")
            if table[BAD].any():
                raise find_bad_cell(source, doubtful, missing)
            if len(table):
                yield table

    if source.is_text:
        folder = tempfile.TemporaryDirectory(prefix="spinney-")
        beside = []
        for k, table in enumerate(tables()):
            table.select(names).write_parquet(Path(folder.name) / f"{k:06}.parquet", compression="lz4")
            beside.append(table.drop(names, BAD))
        opened: Any = open_table(folder.name) if beside else None
        if opened is not None:
            opened.folder = folder  # removed together with the table
    else:
        beside = [table.drop(names, BAD) for table in tables()]
        opened = open_table(lambda: (table.select(names) for table in tables())) if beside else None
    return opened, pl.concat(beside) if beside else pl.DataFrame({"": []})
