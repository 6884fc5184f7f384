"""A table that boosting with exact thresholds grows on: its values, and the same sorted column by column.

In: a `Table`. Out: `ExactDataset`, which stands where `Dataset` stands for bins: trees ask about values, so that what
rows are sent down trees by (`codes`) is the table itself. Numbers are sorted once (presort.py), at first need.
Categories have codes as in bins (binning.py): past the most frequent ones all rare categories share one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.data.binning import MAX_BINS, learn_bins
from spinney.data.dataset import Dataset, encode_dataset
from spinney.data.elsewhere import DatasetElsewhere, RowsElsewhere
from spinney.data.presort import Presorted, presort
from spinney.data.sparse import SparseTable
from spinney.data.sparse_codes import SparseDataset
from spinney.data.tables import Table


class ExactDataset:
    """A table with the codes of its categories. Build it with `open_exact`."""

    bins = None  # what a store of trees has for questions about values

    def __init__(self, table: Table, is_categorical: np.ndarray, category_codes: tuple[np.ndarray, ...]) -> None:
        self.codes, self.n_rows, self.n_columns = table, table.n_rows, table.n_columns
        self.is_categorical, self.category_codes = is_categorical, category_codes  # uint8 by category, per column
        self._presorted: Presorted | None = None

    @cached_property
    def values(self) -> Table:
        """The table in memory: a part of an opened one would be gathered again at every look."""
        return Table(self.n_rows, self.n_columns, self.codes.panels)

    def take(self, rows: np.ndarray) -> ExactDataset:
        """The same of some of the rows."""
        return ExactDataset(self.codes.take(rows), self.is_categorical, self.category_codes)

    def presorted(self, team: Team) -> Presorted:
        """Its columns in order. Nobody may write to them."""
        if self._presorted is None:
            self._presorted = presort(self.codes, self.is_categorical, team)
        return self._presorted


def open_dataset(
    table: Table, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int | None, team: Team
) -> Dataset | SparseDataset | ExactDataset | DatasetElsewhere:
    """A table as boosting wants it: in bins, learnt from rows that count so often, or with exact thresholds (None)."""
    if isinstance(table, RowsElsewhere):
        return table.open_dataset(is_categorical, counts, max_bins, team)
    if max_bins is None:
        return open_exact(table, is_categorical, counts, team)
    return encode_dataset(table, learn_bins(table, is_categorical, counts, max_bins, team), team)


def open_exact(table: Table, is_categorical: np.ndarray, counts: np.ndarray | None, team: Team) -> ExactDataset:
    """Open a table; `counts` says how often rows count when categories are given their codes."""
    if isinstance(table, SparseTable):
        raise ValueError(
            "max_bins=None supports only dense data in boosting, and X is sparse. Set max_bins=255, or fit on "
            "X.toarray()."
        )
    chosen = np.flatnonzero(is_categorical)
    codes: list[Any] = [np.empty(0, np.uint8)] * table.n_columns
    if len(chosen):
        whole = Table(table.n_rows, table.n_columns, table.panels)
        learnt = learn_bins(whole.take_columns(chosen), np.ones(len(chosen), bool), counts, MAX_BINS, team)
        for j, own in zip(chosen.tolist(), learnt.category_codes):
            codes[j] = own
    return ExactDataset(table, np.asarray(is_categorical, bool), tuple(codes))
