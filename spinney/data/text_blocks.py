"""Text cut into blocks of whole rows, so that memory does not grow with the file.

In: a file of lines. Out: its bytes, block by block, each cut where a line ends and as many quotes as were opened have
been closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def blocks_of(path: Path, n_bytes: int, quote: bytes) -> Iterator[bytes]:
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
