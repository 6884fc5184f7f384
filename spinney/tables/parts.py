"""Reads a table in parts, so that memory does not grow with it.

In: a `Source`. Out: lazy frames of some rows each, in order. Text is split at the ends of rows. (Batches from polars
would not limit memory: it reads ahead without a limit if they are used more slowly than they are scanned.)
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from spinney.data.files.csv import blocks_of
from spinney.tables.files import Source

_BYTES = 2**25  # of text in a part
_ROWS = 2**18  # of other tables


def parts_of(source: Source, n_bytes: int = _BYTES) -> Iterator[pl.LazyFrame]:
    """Yield all rows of a source, in parts."""
    if source.is_text:
        first = True
        for block in blocks_of(source.path, n_bytes, b'"'):
            yield source.text_frame(block, first)
            first = False
    elif source.format == "JSON lines":
        schema = source.frame.collect_schema()
        for block in blocks_of(source.path, n_bytes, b""):
            if block.strip():
                yield pl.read_ndjson(block, schema=schema).lazy()
    else:
        n_rows = int(source.frame.select(pl.len()).collect(engine="streaming").item())
        for start in range(0, n_rows, _ROWS):
            yield source.frame.slice(start, _ROWS)
