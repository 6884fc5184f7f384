"""Text divided into blocks of whole rows, so that memory does not grow with the file.

In: a file of lines. Out: its bytes, in blocks. Each ends at the end of a line where all quotes are closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


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
