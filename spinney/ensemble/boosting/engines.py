"""Engines of boosting on this machine's cores: scores, derivatives, and the memory that trees are grown in.

In: an `Opening`. Out: per tree, its extremes of derivatives, the number of its nodes, the tree, and scores with it.
One engine is for codes, dense or sparse, one for sorted lists. Lists have derivatives of float64, which become whole
numbers of as many bits as their sums leave room for: splits and leaves are those of exact arithmetic but for the last
digits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney import _random
from spinney._team import Team
from spinney.criteria.losses import kind_of
from spinney.data.dataset import ExactDataset
from spinney.data.sparse_encode import SparseDataset
from spinney.ensemble.boosting.booster import BoostingSettings
from spinney.ensemble.boosting.gradients import Largest, fill_class_derivatives, fill_derivatives
from spinney.ensemble.boosting.mean_loss import sum_of_losses
from spinney.grow.boosting import memory
from spinney.grow.boosting.freeze import freeze, lay
from spinney.grow.boosting.grower import grow_tree
from spinney.grow.boosting.leaves import add_tree
from spinney.grow.boosting.sorted import freeze_sorted, make_sorted_rows, make_sorted_table, make_sorted_work
from spinney.grow.boosting.sparse import make_sparse_table, make_sparse_work
from spinney.grow.boosting.statistics import BLOCK, make_fields
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.forest import Forest, join
from spinney.tree.predict_boosted import add_scores

# Another way to grow a tree than the loop of grow/boosting: (table, rows, rules, work) -> number of nodes. See
# distributed/level_growth.py.
Grow = Callable[[Any, memory.BoostingRows, BoostingRules, memory.BoostingWork], int]


class Drawn(NamedTuple):
    """The rows of a round."""

    chosen: np.ndarray  # int32: those that are here; empty: all
    n_here: int
    n: int  # of all machines
    total: int  # how often these count


class Opening(NamedTuple):
    """What an engine begins with."""

    dataset: Any  # Dataset, SparseDataset or ExactDataset
    settings: BoostingSettings
    team: Team
    rows: Any  # `OwnRows` of rounds.py, or others
    scores: np.ndarray  # (outputs, rows): before the first round
    max_leaves: int
    grow: Grow | None


def engine_for(dataset: Any) -> type[CodesEngine] | type[ListsEngine]:
    """The engine of a dataset whose rows are here."""
    return ListsEngine if isinstance(dataset, ExactDataset) else CodesEngine


class _Cores:
    """What both engines have in common."""

    derivatives: np.ndarray  # (rows, 2): gradients, hessians
    table: Any
    work: Any
    tree_rows: Any  # the rows of the last tree and their statistics

    def __init__(self, fit: Opening) -> None:
        self.dataset, self.settings, self.team, self.rows = fit.dataset, fit.settings, fit.team, fit.rows
        self.scores, self._other_way = fit.scores, fit.grow

    def close(self) -> None:
        """Nothing is held outside this process."""

    def fill_derivatives(self, loss: Any, k: int, totals: Callable[[], np.ndarray]) -> Largest:
        """Those of output k at the scores that the round began with; `totals` are for several outputs."""
        rows = self.rows
        if len(self.scores) > 1:
            return fill_class_derivatives(
                self.team, self.scores[k], totals(), rows.y, k, rows.weights, self.derivatives, rows.others
            )
        return fill_derivatives(self.team, loss, self.scores[0], rows.y, rows.weights, self.derivatives, rows.others)

    def _grow(self, is_categorical: np.ndarray, rules: BoostingRules) -> int:
        if self._other_way is not None:
            return self._other_way(self.table, self.tree_rows, rules, self.work)
        kinds = Kinds(bool(is_categorical.any()) or None, rules.has_monotone or None)
        return int(self.team.run(grow_tree, self.table, self.tree_rows, rules, self.work, kinds))

    def laid_out(self, n_nodes: int) -> Any:
        """The memory, with the rows of every leaf of the last tree side by side."""
        return self.work

    def update_scores(self, k: int, tree: Any) -> None:
        """Add the tree just grown to the scores of output k."""
        if self.settings.subsample < 1.0:
            forest = self.freeze([tree])
            add_scores(forest, self.dataset.codes, range(1), self.scores[k : k + 1], self.team)
        else:
            add_tree(self.tree_rows, self.work, self.scores[k], self.team)

    def freeze(self, trees: list[Any]) -> Forest:
        """Trees as a store, in units of the fit."""
        raise NotImplementedError

    def sum_of_losses(self, loss: Any, y: np.ndarray, scale: float) -> float:
        return sum_of_losses(self.team, loss, self.scores[0], y, scale)


class CodesEngine(_Cores):
    """Trees from codes, dense or sparse."""

    smallest_gain = 0.0

    def __init__(self, fit: Opening) -> None:
        super().__init__(fit)
        dataset, settings, team, n = fit.dataset, fit.settings, fit.team, fit.dataset.n_rows
        self.derivatives = np.empty((n, 2), np.float32)
        block_rows = max(1, min(n, BLOCK // fit.rows.most_repeats))
        if isinstance(dataset, SparseDataset):
            self.table = make_sparse_table(dataset, settings.monotone, block_rows, team)
            self.work = make_sparse_work(self.table, n, fit.max_leaves, team.size, len(settings.groups))
        else:
            self.work = memory.make_work(dataset, n, fit.max_leaves, block_rows, team.size, len(settings.groups))
            self.table = memory.make_table(dataset, settings.monotone, team)
        self._row_keys = dataset.row_keys(team)

    def grow(self, drawn: Drawn, largest: Largest, number: int, rules: BoostingRules, loss: Any) -> int:
        """Grow tree `number` on the derivatives at hand; returns its number of nodes."""
        repeats, counts = self.rows.most_repeats, self.rows.counts
        extremes = largest.gradient, largest.hessian, largest.exponents
        self.tree_rows = memory.BoostingRows(
            chosen=drawn.chosen,
            n=drawn.n_here,
            derivatives=self.derivatives,
            counts=np.empty(0, np.int64) if counts is None else counts,
            fields=make_fields(drawn.n, drawn.total, repeats, *extremes),
            noise_key=np.uint64(_random.stream_key(self.settings.seed, _random.ROUNDING, number)),
            keys=self._row_keys,
        )
        return self._grow(self.dataset.bins.is_categorical, rules)

    def take_tree(self, n_nodes: int) -> Any:
        """The tree just grown, for `freeze`."""
        return lay(self.work.nodes, n_nodes, self.tree_rows.fields)

    def freeze(self, trees: list[Any]) -> Forest:
        return freeze(trees, self.dataset.bins)


class ListsEngine(_Cores):
    """Trees from sorted lists, which ask about values."""

    smallest_gain = 5e-324  # splits that gain nothing are taken back

    def __init__(self, fit: Opening) -> None:
        super().__init__(fit)
        dataset, settings, team, counts = fit.dataset, fit.settings, fit.team, fit.rows.counts
        draws_rows = settings.subsample < 1.0 or not (counts is None or counts.all())
        self.derivatives = np.empty((dataset.n_rows, 2))
        self.table = make_sorted_table(dataset, settings.monotone, team)
        self.work = make_sorted_work(dataset, fit.max_leaves, draws_rows, team.size, len(settings.groups))

    def grow(self, drawn: Drawn, largest: Largest, number: int, rules: BoostingRules, loss: Any) -> int:
        """Grow tree `number` on the derivatives at hand; returns its number of nodes."""
        extremes = largest.gradient, largest.hessian
        has_units = kind_of(loss).has_unit_hessian and self.rows.weights.importance is None
        args = drawn.chosen, self.derivatives, self.rows.counts, drawn.total, extremes, self._finest(loss), has_units
        self.tree_rows = make_sorted_rows(*args, self.team)
        return self._grow(self.dataset.is_categorical, rules)

    def _finest(self, loss: Any) -> float:
        """Differences of residuals that are nothing but rounding."""
        if not kind_of(loss).gradient_is_residual:
            return 0.0
        largest = max(abs(float(self.scores.max())), abs(float(self.scores.min())))
        return largest * sys.float_info.epsilon

    def take_tree(self, n_nodes: int) -> Forest:
        """The tree just grown, for `freeze`."""
        return freeze_sorted(self.work, n_nodes, self.dataset, self.tree_rows.fields)

    def freeze(self, trees: list[Any]) -> Forest:
        return join(trees)
