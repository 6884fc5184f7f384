"""Large tables for models that learn from codes: features stay on the disk, targets and weights come into memory.

In: a `Source` whose columns are known, as for `reading.read_table`. Out: a table opened by `spinney.open_table`, and a
frame of what is beside the features. Text is parsed once, into Parquet files in a temporary folder, part by part; typed
files are read where they are. The model is that of the table in memory.
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

LARGE = 2**28  # bytes of a file from which on the table is not read into memory


def is_large(source: Source) -> bool:
    """Whether the table would take much memory."""
    return sum(path.stat().st_size for path in (source.path, *source.others)) >= LARGE


def stream_table(
    source: Source,
    columns: Sequence[Column],
    missing: tuple[str, ...],
    target: Column,
    also: Sequence[str] = (),
    doubtful: Sequence[Column] = (),
) -> tuple[Any, pl.DataFrame]:
    """The features of the rows where the target has a value, opened; and the target and others, as in `read_table`."""
    from spinney.data.file_table import open_table

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
            opened.folder = folder  # which goes when the table does
    else:
        beside = [table.drop(names, BAD) for table in tables()]
        opened = open_table(lambda: (table.select(names) for table in tables())) if beside else None
    return opened, pl.concat(beside) if beside else pl.DataFrame({"": []})
