"""Training rows and held-out rows.

`hold_out` samples once by row number, within classes if each has enough rows. `parts_by_content` uses the row contents:
neither the row order nor the form of repetitions (rows or weights) makes a difference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from spinney.data.weights import Weights

_STRATA = 10  # parts of a numeric target that every part of the rows has equally many of


def hold_out(rows: np.ndarray, share: Any, seed: int, labels: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(rows to learn from, rows held out), both ascending. `labels`: the rows' class numbers, or None.

    `share` is a share of the rows or a number of them. Classes keep their shares, unless one has a single row.
    """
    counts = np.bincount(labels) if labels is not None else np.zeros(0, np.int64)
    strata = labels if labels is not None and counts[counts > 0].min() > 1 else None
    kept, held = train_test_split(rows, test_size=share, random_state=seed, stratify=strata)
    return np.sort(kept), np.sort(held)


class CountedRows(NamedTuple):
    """Some rows of a table, and how often each of them counts there; None: once."""

    rows: np.ndarray  # ascending
    counts: np.ndarray | None

    def weights(self, weights: Weights) -> Weights:
        """Those of these rows, from those of all."""
        return Weights(self.counts, weights.take(self.rows).importance)

    def counts_of_all(self, n_rows: int) -> np.ndarray | None:
        """How often each of all rows counts here; None: those that are here once."""
        if self.counts is None:
            return None
        counts = np.zeros(n_rows, np.int64)
        counts[self.rows] = self.counts
        return counts


def parts_by_content(
    hashes: np.ndarray,
    y: np.ndarray,
    weights: Weights,
    is_classes: bool,
    n_folds: int,
    kept_share: float,
    held_share: float,
) -> list[tuple[CountedRows, CountedRows]]:
    """(samples to learn from, samples held out) of each fold; classes, or tenths of numeric targets, keep their shares.

    `hashes` are those of rows, targets included; they say which samples are held out. Of rows that are alike, and of
    the repetitions of a row, some may be kept and some held out. With one fold the shares are those of samples kept
    and held out; with more, the folds are equal parts, and each is held out once.
    """
    counts, importance = weights
    strata = y.astype(np.int64) if is_classes else _tenths(y, counts)
    keys = [one for one in (counts, importance) if one is not None]  # trees count rows: which of equals is cut matters
    order = np.lexsort((*keys, hashes, strata))
    row = order if counts is None else np.repeat(order, counts[order])  # one entry per sample
    total = np.bincount(strata[row])
    begin = np.cumsum(total) - total
    place = (np.arange(len(row)) + 0.5 - begin[strata[row]]) / total[strata[row]]
    if n_folds == 1:
        if not (place < held_share).any():  # classes of very few rows each
            place = (np.arange(len(row)) + 0.5) / len(row)
        held = place < held_share
        return [(_part(row[~held & (place < held_share + kept_share)], counts), _part(row[held], counts))]
    fold = np.arange(len(row)) % n_folds
    return [(_part(row[fold != k], counts), _part(row[fold == k], counts)) for k in range(n_folds)]


def _part(samples: np.ndarray, counts: np.ndarray | None) -> CountedRows:
    if counts is None:
        return CountedRows(np.sort(samples), None)
    return CountedRows(*np.unique(samples, return_counts=True))


def _tenths(y: np.ndarray, counts: np.ndarray | None) -> np.ndarray:
    """Which tenth of all targets, in their order, a row's target begins in; equal targets share one."""
    values, group = np.unique(y, return_inverse=True)
    samples = np.bincount(group, weights=counts, minlength=len(values))
    before = np.cumsum(samples) - samples
    return (before * _STRATA // samples.sum()).astype(np.int64)[group]
