"""Hashes of row contents: which rows are duplicates, and whether a model was fitted on the rows of another table.

In: features of a model, and targets. Out: a hash per row, which does not depend on its position; duplicates; and a
sketch of the hashes, a few kilobytes that the model file stores.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl

_FEWEST, _MORE = (
    0.01,
    10.0,
)  # smallest fraction of duplicates that is reported; factor above the number expected by chance
_KEPT = 512  # hashes of a sketch
_MOST_CELLS = 2**28  # of tables whose rows are hashed
_SHIFT = np.uint64(32)  # 32 bits of a hash are kept


def hash_rows(X: pl.DataFrame, y: np.ndarray) -> np.ndarray | None:
    """Return a hash per row, including its target; None for tables so large that it would be slow."""
    from spinney.data.row_hash import hashes_of_keys

    if len(y) * (X.width + 1) > _MOST_CELLS:
        return None
    target = pl.Series(y.tolist() if y.dtype.kind in "OU" else y)
    columns = [_numbers(column) for column in (*X.get_columns(), target)]
    return hashes_of_keys(0, np.zeros(len(y), np.uint64), *columns)


def _numbers(column: pl.Series) -> np.ndarray:
    """Convert cells to float64; text to digests. Neither column types nor the order of categories matter."""
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        found = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return np.where(np.isnan(found), np.nan, found + 0.0)  # one NaN and one zero
    words = column.cast(pl.String).fill_null("\0")
    places = words.rank("dense").to_numpy().astype(np.int64) - 1
    digests = [blake2b(word.encode("utf-8", "replace"), digest_size=6).digest() for word in words.unique().sort()]
    return np.array([float(int.from_bytes(one, "big")) for one in digests])[places]


@dataclass(frozen=True)
class Copies:
    """Rows that are duplicates of others."""

    n: int  # rows that duplicate an earlier one
    of: np.ndarray  # per row, the number of its contents


def find_copies(X: pl.DataFrame, hashes: np.ndarray) -> Copies | None:
    """Find duplicates, if they are more than 1 % of the rows and many more than expected by chance."""
    _, of = np.unique(hashes, return_inverse=True)
    n, n_copies = len(of), len(of) - int(of.max()) - 1
    possible = sum(float(np.log(max(1, column.n_unique()))) for column in X.get_columns())  # different rows, at most
    by_chance = 2.0 * np.log(n) - np.log(2.0) - possible
    if n_copies < _FEWEST * n or np.log(n_copies) < np.log(_MORE) + by_chance:
        return None
    return Copies(n_copies, of)


@dataclass(frozen=True)
class Sketch:
    """The smallest hashes of the rows of a table: a sample of its distinct rows, independent of their order."""

    least: np.ndarray  # uint32, in order
    below: int  # all hashes below this are in the sample

    @classmethod
    def of(cls, hashes: np.ndarray) -> Sketch:
        """Return the sketch of rows."""
        every = np.unique((hashes >> _SHIFT).astype(np.uint32))
        return cls(every[:_KEPT], 2**32 if len(every) <= _KEPT else int(every[_KEPT]))

    def share_of(self, hashes: np.ndarray) -> float:
        """Estimate the fraction of other rows that are in the table; NaN if none is in the range of the sample."""
        short = (hashes >> _SHIFT).astype(np.uint32)
        asked = short[short < self.below]
        return float(np.isin(asked, self.least).mean()) if len(asked) else np.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the sketch in JSON types."""
        return {"least": b64encode(self.least.astype("<u4").tobytes()).decode("ascii"), "below": self.below}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Sketch:
        """Return the sketch that `to_dict` described."""
        return cls(np.frombuffer(b64decode(str(stored["least"])), "<u4"), int(stored["below"]))
