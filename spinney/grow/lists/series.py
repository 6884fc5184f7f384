"""Trees from one table, one after the other, with weights that change: the columns are sorted once.

Used by ensembles whose members see rows of one table (AdaBoost, bagging). A stump only looks at the lists. Any other
tree cuts them up and gets a copy, and so does a tree that leaves out rows or columns. A tree of very few of the rows
sorts these itself, which is quicker than to look for them in the lists. Stumps of two classes have a shorter way
(stumps.py).
"""

from __future__ import annotations

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import ENTROPY, ERROR, GINI
from spinney.data.bin_values import NO_MIDDLES, Middles
from spinney.data.presort import Presorted
from spinney.data.sparse_presort import SparseLists
from spinney.data.target import Target
from spinney.grow.lists.fit import Grown, Sorted, grow_sorted, sort_for_trees
from spinney.grow.lists.stump_series import StumpRounds, Stumps
from spinney.grow.settings import TreeSettings

_MANY_ROWS = 8192  # from which on blocks are worth their while
_FEW = 16  # rows that are less than one in so many are sorted anew


class Series:
    """Grows trees from sorted columns and leaves these as they are. All trees have the same target, but for weights."""

    def __init__(self, given: Sorted, team: Team) -> None:
        self._given, self._team = given, team
        self._room = np.empty(0, np.uint64)  # of a copy of the lists; this and the next are made when there is need
        self._stumps: Stumps | None = None
        dense = None if isinstance(given.presorted, SparseLists) else given.presorted
        self._n_others = 0 if dense is None else len(dense.lists) - dense.n_columns

    def grow(
        self, target: Target, settings: TreeSettings, rows: np.ndarray | None = None, columns: np.ndarray | None = None
    ) -> Grown:
        """Grow a tree from some of the rows (int64, ascending; None: all); `target` is theirs.

        If `columns` are given, the tree is that of a table of these; `settings` are for it.
        """
        given = self._given
        if isinstance(given.presorted, SparseLists):
            middles = given.middles if columns is None else _take_middles(given.middles, columns)
            some = given._replace(presorted=given.presorted.take(rows, columns), rows=rows, middles=middles)
            return grow_sorted(some, target, settings, self._team)
        if rows is not None and given.bins is None and _FEW * len(rows) < given.presorted.n_rows:
            table, n_categories = given.table, given.n_categories
            if columns is not None:
                table, n_categories = table.take_columns(columns), n_categories[columns]
            few = sort_for_trees(table, n_categories, settings, target, self._team, rows)
            return grow_sorted(few, target, settings, self._team)
        if columns is not None:
            return grow_sorted(self._take(rows, columns), target, settings, self._team)
        if rows is None and self._is_for_blocks(target, settings):
            return self._make_stumps(target).grow(target, settings)
        if rows is not None or settings.max_depth > 1:
            given = self._take(rows, None)
        return grow_sorted(given, target, settings, self._team)

    def rounds(
        self, target: Target, settings: TreeSettings, share: float, weights: np.ndarray, repeats: np.ndarray
    ) -> StumpRounds | None:
        """Stumps of the whole table whose weights change by leaf and class, or None where there is no such way.

        See `StumpRounds` for the last three.
        """
        if not self._is_for_blocks(target, settings):
            return None
        return StumpRounds(self._make_stumps(target), settings, share, weights, repeats)

    def _make_stumps(self, target: Target) -> Stumps:
        if self._stumps is None:
            assert target.labels is not None
            self._stumps = Stumps(self._given, target.labels[0], self._team)
        return self._stumps

    def _take(self, rows: np.ndarray | None, columns: np.ndarray | None) -> Sorted:
        """A copy of some of the lists."""
        given = self._given
        assert isinstance(given.presorted, Presorted)
        if not self._room.size:
            self._room = np.empty(given.presorted.lists.size, np.uint64)
        some = given.presorted.take(rows, self._team, self._n_others, self._room, columns)
        if columns is None:
            return given._replace(presorted=some, rows=rows)
        middles = _take_middles(given.middles, columns)
        table, n_categories = given.table.take_columns(columns), given.n_categories[columns]
        return Sorted(table, n_categories, rows, given.bins, some, middles)

    def _is_for_blocks(self, target: Target, settings: TreeSettings) -> bool:
        """Whether trees are stumps that stumps.py can grow."""
        presorted, weights = self._given.presorted, target.weights
        return (
            isinstance(presorted, Presorted)
            and settings.max_depth == 1
            and settings.max_leaves is None
            and presorted.n_rows >= _MANY_ROWS
            and target.n_classes == (2,)
            and settings.criterion in (GINI, ENTROPY, ERROR)
            and not (weights.counts is None and weights.importance is None)
            and settings.significance is None
            and not (settings.by_ratio or settings.random or settings.n_features < presorted.n_columns)
            and not (presorted.is_categorical.any() or settings.monotone.any())
        )


def _take_middles(middles: Middles, columns: np.ndarray) -> Middles:
    return middles if middles is NO_MIDDLES else Middles(*(part[columns] for part in middles))
