"""Parts: a table one piece after the other, so that memory does not grow with it.

In: a `Source`. Out: lazy frames, each of some rows, in their order. (polars reads its own batches ahead without end
where whoever takes them is slower than its scan.) Text is cut at ends of rows: where a line ends and as many quotes as
were opened have been closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from spinney.cli.files import Source

_BYTES = 2**25  # of text in a part
_ROWS = 2**18  # of other tables


def parts_of(source: Source, n_bytes: int = _BYTES) -> Iterator[pl.LazyFrame]:
    """All rows of a source, in parts."""
    if source.is_text:
        first = True
        for block in _blocks(source.path, n_bytes, b'"'):
            yield source.text_frame(block, first)
            first = False
    elif source.format == "JSON lines":
        schema = source.frame.collect_schema()
        for block in _blocks(source.path, n_bytes, b""):
            if block.strip():
                yield pl.read_ndjson(block, schema=schema).lazy()
    else:
        n_rows = int(source.frame.select(pl.len()).collect(engine="streaming").item())
        for start in range(0, n_rows, _ROWS):
            yield source.frame.slice(start, _ROWS)


def _blocks(path: Path, n_bytes: int, quote: bytes) -> Iterator[bytes]:
    """The bytes of a file, cut after line feeds outside quotes."""
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(n_bytes):
            rest += block
            end = _end_of_row(rest, quote)
            if end:
                yield rest[:end]
                rest = rest[end:]
    if rest:
        yield rest


def _end_of_row(block: bytes, quote: bytes) -> int:
    """Where the last whole row of a block ends; 0 if it has none."""
    place = block.rfind(b"\n")
    n_quotes = block.count(quote, 0, place) if quote and place >= 0 else 0
    while place >= 0 and n_quotes % 2:
        before = block.rfind(b"\n", 0, place)
        n_quotes -= block.count(quote, max(before, 0), place)
        place = before
    return place + 1
