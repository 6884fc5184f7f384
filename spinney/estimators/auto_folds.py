"""Folds of an automatic model: training rows and validation rows, the same for all families.

In:  an opened table with its target and weights, and the parameter `cv`. Out: (kept, held out) of each fold.

Unless a splitter or groups are given, row contents determine the folds: neither the order of the rows nor whether a row
is repeated or has a weight makes a difference.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from spinney.data.holdout import Part, parts_by_content
from spinney.data.schema import Schema
from spinney.data.shared import OpenedTable
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.estimators.base import make_team
from spinney.evaluate.folds import make_splits

Parts = list[tuple[Part, Part]]
_FEWEST = 10  # samples, below which nothing is held out
_MANY, _VERY_MANY = 50_000, 200_000  # samples above which there are fewer folds
_HELD_SHARE, _HELD_ROWS = 0.2, 100_000  # of one part: the share held out, and at most so many samples
_CELLS_PER_SECOND = 100_000  # of a time budget, below which one part is held out in place of folds
_BINS = 255  # as in boosting and forests, so that they need no others


class Sheet(NamedTuple):
    """A table that is read once, with its target."""

    opened: OpenedTable
    schema: Schema
    table: Table
    truth: np.ndarray  # class numbers, or numbers
    classes: np.ndarray | None
    weights: Weights

    @property
    def y(self) -> np.ndarray:
        """The target that models are fitted on: labels, or numbers."""
        return self.truth if self.classes is None else self.classes[self.truth]

    @property
    def n_samples(self) -> int:
        """Rows, each as often as it counts."""
        return self.weights.n_samples(len(self.truth))


def make_parts(
    sheet: Sheet, cv: Any, groups: Any, seed: int, n_jobs: int | None, time_budget: float | None = None
) -> Parts:
    """(rows to learn from, rows held out) of each fold; none where there are too few rows."""
    if groups is not None or not (cv is None or isinstance(cv, Integral)):
        splits = make_splits(cv, sheet.opened.origin, sheet.truth, groups, sheet.classes is not None)
        found = [(_part(one.train, sheet.weights), _part(one.test, sheet.weights)) for one in splits]
    else:
        n_folds = _how_many(sheet, time_budget) if cv is None else int(cv)  # type: ignore[call-overload]
        if not _can_be_parted(sheet):
            return []
        held = min(_HELD_SHARE, _HELD_ROWS / sheet.n_samples)
        shares = n_folds, 1.0 - held, held
        hashes = _row_hashes(sheet, seed, n_jobs)
        found = parts_by_content(hashes, sheet.truth, sheet.weights, sheet.classes is not None, *shares)
    return [pair for pair in found if len(pair[0].rows) and len(pair[1].rows)]


def _how_many(sheet: Sheet, time_budget: float | None) -> int:
    """Folds; 1: one part is held out."""
    n_samples, cells = sheet.n_samples, sheet.table.n_rows * sheet.table.n_columns
    if n_samples > _VERY_MANY or (time_budget is not None and cells > _CELLS_PER_SECOND * time_budget):
        return 1
    return 5 if n_samples <= _MANY else 3


def _can_be_parted(sheet: Sheet) -> bool:
    """Whether there are enough samples, and two classes in every part to learn from."""
    if sheet.n_samples < _FEWEST:
        return False
    if sheet.classes is None:
        return True
    return int((np.bincount(sheet.truth, weights=sheet.weights.counts) >= 2).sum()) >= 2


def _part(rows: np.ndarray, weights: Weights) -> Part:
    """Rows that a splitter has chosen, as often as they count."""
    if weights.counts is None:
        return Part(rows, None)
    rows = rows[weights.counts[rows] > 0]
    return Part(rows, weights.counts[rows])


def _row_hashes(sheet: Sheet, seed: int, n_jobs: int | None) -> np.ndarray:
    from spinney.data.binning import learn_bins
    from spinney.data.content import hashes_of_keys
    from spinney.data.dataset import encode_dataset, row_keys

    table = sheet.table
    with make_team("boosting", table.n_rows * table.n_columns, n_jobs) as team:
        bins = learn_bins(table, sheet.schema.is_categorical, sheet.weights.counts, _BINS, team)
        return hashes_of_keys(seed, row_keys(encode_dataset(table, bins, team), team), sheet.truth)
