"""Gradient boosting: rounds of trees, each fitted to the gradient of the loss at the scores so far.

In: an encoded table, a `Task` and the settings. Out: a `Booster`. From an `ExactDataset` trees grow on sorted lists and
compare values; derivatives are float64 there, and become integers of as many bits as their sums leave room for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spinney import _random
from spinney._team import Team
from spinney.criteria.gains import Link
from spinney.criteria.losses import kind_of
from spinney.data.dataset import Dataset, ExactDataset
from spinney.data.remote_table import RemoteDataset
from spinney.data.sparse_encode import SparseDataset
from spinney.data.weights import Weights
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.gradients import (
    Largest,
    choose_rows,
    class_losses,
    fill_class_derivatives,
    fill_derivatives,
    is_builtin,
    log_totals,
    loss_values,
    renew_leaves,
)
from spinney.ensemble.boosting.leaf_refit import prune_nodes, renew, weight_scale
from spinney.ensemble.boosting.mean_loss import sum_of_losses
from spinney.ensemble.boosting.start import Units, in_units, most_leaves, share_of, start_values
from spinney.grow.boosting import memory
from spinney.grow.boosting.freeze import freeze, lay, no_trees
from spinney.grow.boosting.grower import grow_tree
from spinney.grow.boosting.leaves import add_tree
from spinney.grow.boosting.sorted import freeze_sorted, make_sorted_rows, make_sorted_table, make_sorted_work
from spinney.grow.boosting.sparse import make_sparse_table, make_sparse_work
from spinney.grow.boosting.statistics import BLOCK, make_fields
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.forest import Forest
from spinney.tree.join import join
from spinney.tree.predict_boosted import add_scores

# ----------------------------------------------------------------------------------------------------------------------
# Gradient boosting: rounds of trees, each fitted to the gradient of the loss at the scores so far.
#
# In: an encoded Dataset, targets, weights, a loss and the settings. Out: a `Booster`, a store of trees and start
# values. The round itself is short: derivatives, one tree per output, scores. How a tree grows is the business of
# grow/, what is measured between rounds that of the watcher that is passed in.


_TOGETHER = 32  # trees that are stored at a time
# Called after every round with the fit so far and the round's new trees (see `Rounds.bind`); True ends the fit.
Watcher = Callable[["Rounds", list[Any]], bool]
# Another way to grow a tree than the CPU's loop: (table, rows, rules, work) -> number of nodes. See
# distributed/level_growth.py.
Grow = Callable[[Any, memory.Rows, BoostingRules, memory.Work], int]


def train(
    dataset: Dataset | SparseDataset | ExactDataset,
    task: Task,
    settings: BoostingSettings,
    team: Team,
    watch: Watcher,
    begun: Booster | None = None,
    grow: Grow | None = None,
    offset: np.ndarray | None = None,
) -> Booster:
    """Boost for `settings.n_rounds` rounds, or until the watcher says stop.

    `begun` is a model to go on from, `offset` (outputs, rows) what every row's raw score begins with besides.
    """
    rounds = open_rounds(dataset, task, settings, team, begun, grow, offset)
    try:
        while rounds.n_rounds < settings.n_rounds:
            if watch(rounds, rounds.step()):
                break
        return rounds.booster()
    finally:
        rounds.close()


def open_rounds(dataset: Any, task: Task, settings: BoostingSettings, team: Team, *others: Any, **more: Any) -> Rounds:
    """The state of a fit on a table of bins, or one of exact thresholds."""

    if isinstance(dataset, RemoteDataset):
        return dataset.open_rounds(task, settings, team, *others, **more)
    kind = settings.rounds or (ExactRounds if isinstance(dataset, ExactDataset) else Rounds)
    opened: Rounds = kind(dataset, task, settings, team, *others, **more)
    return opened


class Rounds:
    """The state of one fit: scores, derivatives, memory, trees. `step` adds a round, `booster` is the model so far."""

    dataset: Any  # Dataset, SparseDataset or ExactDataset
    table: Any  # the kernels' view of it
    work: Any
    derivatives: np.ndarray
    is_remote = False  # whether the rows are: then scores and derivatives are, too
    others: Any = None  # machines that have further rows (`Together` in data/remote_table.py)

    def __init__(
        self,
        dataset: Any,
        task: Task,
        settings: BoostingSettings,
        team: Team,
        begun: Booster | None = None,
        grow: Grow | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        self.grow = grow or self._grow
        self.dataset, self.settings, self.team = dataset, settings, team
        self.task, self.loss = task, task.loss
        self.y, self.weights, self.units = self._in_units()  # scores and derivatives are in these units, trees are not
        n = dataset.n_rows
        self.begun = begun or Booster(start_values(task), no_trees(dataset.bins, dataset.n_columns))
        self.grown: list[Forest] = []
        self._loose: list[Any] = []  # the last trees grown, not yet in a store
        self.chosen = np.empty(0, np.int32)  # the rows of the last round; empty means all
        self.offset = offset
        self.scores = self.first_scores()
        self._totals: np.ndarray | None = None
        self.counts = task.weights.counts
        self.total_count = n if self.counts is None else int(self.counts.sum())
        self.most_repeats = 1 if self.counts is None else int(self.counts.max())
        self._count_all()
        self.max_leaves = most_leaves(settings, self.total_count)
        self._fixed_rules: BoostingRules | None = None
        self._make_memory()

    def _in_units(self) -> tuple[np.ndarray, Weights, Units]:
        return in_units(self.task)

    def _count_all(self) -> None:
        """Where there are rows elsewhere: how many rows there are in all, and how often they count."""

    def left_out(self) -> np.ndarray:
        """Which rows the last round was not fitted to."""
        left_out = np.ones(self.dataset.n_rows, bool)
        left_out[self.chosen if len(self.chosen) else slice(None)] = False
        return left_out

    def mean_losses(self) -> tuple[float, float, float]:
        """Of the last round, as history.py has them, where rows are elsewhere."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the fit holds outside this process."""

    def _make_memory(self) -> None:
        """What trees are grown from and in."""
        dataset, settings, team, n = self.dataset, self.settings, self.team, self.dataset.n_rows
        self.derivatives = np.empty((n, 2), np.float32)
        block_rows = max(1, min(n, BLOCK // self.most_repeats))
        if isinstance(dataset, SparseDataset):
            self.table = make_sparse_table(dataset, settings.monotone, block_rows, team)
            self.work = make_sparse_work(self.table, n, self.max_leaves, team.size, len(settings.groups))
        else:
            self.work = memory.make_work(dataset, n, self.max_leaves, block_rows, team.size, len(settings.groups))
            self.table = memory.make_table(dataset, settings.monotone, team)
        self.row_keys = dataset.row_keys(team)

    def first_scores(self) -> np.ndarray:
        """Raw scores before the first round of this fit, in its units."""
        start = self.units.raw(self.begun.start) if self.units.is_log else self.begun.start
        scores = np.empty((self.task.n_outputs, self.dataset.n_rows))
        scores[:] = start[:, None]
        if self.offset is not None:
            scores += self.offset
        if self.begun.n_rounds:
            self._add(self.begun.forest, scores)
        return scores if self.units.is_log else self.units.raw(scores)

    @property
    def n_trees(self) -> int:
        return self.begun.forest.n_trees + sum(one.n_trees for one in self.grown) + len(self._loose)

    @property
    def n_rounds(self) -> int:
        return self.n_trees // self.task.n_outputs

    def booster(self) -> Booster:
        """The model so far."""
        self._store()
        return Booster(self.begun.start, join([self.begun.forest, *self.grown]))

    def step(self) -> list[Any]:
        """Boost one more round; returns its trees, for `bind`."""
        new = self._round()
        self._loose.extend(new)
        if len(self._loose) >= _TOGETHER:
            self._store()
        return new

    def bind(self, trees: list[Any]) -> Forest:
        """Trees of a round as a store, in the user's units."""
        return self.units.user_tree(self._freeze(trees))

    def _freeze(self, trees: list[Any]) -> Forest:
        """In units of the fit."""
        return freeze(trees, self.dataset.bins)

    def _store(self) -> None:
        self.grown += [self.bind(self._loose)] if self._loose else []
        self._loose = []

    def _round(self) -> list[Any]:
        """One tree for each output, all from the scores at the round's start."""
        many = self.task.n_outputs > 1
        totals = self._log_totals() if many else None
        if hasattr(self.loss, "renewed"):
            self.loss = self._renewed()
        trees = []
        for k in range(self.task.n_outputs):
            if totals is not None:
                largest = fill_class_derivatives(
                    self.team, self.scores[k], totals, self.y, k, self.weights, self.derivatives, self.others
                )
            else:
                largest = fill_derivatives(
                    self.team, self.loss, self.scores[0], self.y, self.weights, self.derivatives, self.others
                )
            self._check(largest)
            trees.append(self._tree(k, largest))
        self._totals = None
        return trees

    def _renewed(self) -> Any:
        """The loss as it is for the scores so far."""
        return self.loss.renewed(self.scores[0], self.y, self.weights)

    def _log_totals(self) -> np.ndarray:
        """Per row, the logarithm of the softmax's denominator at the scores so far."""
        if self._totals is None:
            self._totals = log_totals(self.team, self.scores)
        return self._totals

    def losses(self, scores: np.ndarray | None = None) -> np.ndarray:
        """The loss of every row, in the user's units; at the scores so far, or at others."""
        if self.task.n_outputs > 1:
            totals = self._log_totals() if scores is None else log_totals(self.team, scores)
            return class_losses(self.team, self.scores if scores is None else scores, totals, self.y)
        raw = self.scores[0] if scores is None else scores[0]
        if self.units.exponent == 0:
            return loss_values(self.team, self.loss, raw, self.y)
        with np.errstate(over="ignore"):
            return loss_values(self.team, self.loss, self.units.user_raw(raw), self.task.y)

    def sum_of_losses(self, y: np.ndarray, scale: float) -> float:
        """The sum of all rows' losses at the scores so far, times `scale`, in the order in which NumPy adds up."""
        return sum_of_losses(self.team, self.loss, self.scores[0], y, scale)

    def _check(self, largest: Largest) -> None:
        if not largest.impossible:
            return
        gradient, hessian = self.derivatives.T
        row = np.flatnonzero(~((np.abs(gradient) < 1e38) & (hessian >= 0) & (hessian < 1e38)))[0]
        y, raw = float(self.y[row]), float(self.scores[0, row])
        found = f"gradient {gradient[row]} and hessian {hessian[row]} at y={y!r}, raw={raw!r}"
        if is_builtin(self.loss):
            raise ValueError(
                f"The raw scores diverge in round {self.n_rounds + 1}: {found}. Lower learning_rate (it is "
                f"{self.settings.learning_rate}), or scale down the few largest values of y or sample_weight."
            )
        raise ValueError(
            f"The loss returned {found} in round {self.n_rounds + 1}, but both must be finite and the hessian >= 0. "
            "Check its formulas, or lower learning_rate if the raw scores diverge."
        )

    def _tree(self, k: int, largest: Largest) -> Any:
        """Grow a tree on the derivatives at hand and add it to the scores of output k."""
        number = self.n_trees + k
        chosen = self._choose_rows(number // self.task.n_outputs)
        self.chosen = chosen
        rows, total = self._make_rows(chosen, largest, number)
        rules = self._rules(number)
        if self.settings.min_decrease > 0.0:
            rules = rules._replace(least_gain=self.units.gain(self.settings.min_decrease * total))
        n_nodes = self.grow(self.table, rows, rules, self.work)
        renews = kind_of(self.loss).leaves_are_quantiles
        if renews or self.settings.ccp_alpha > 0.0:
            self._finish(n_nodes, renews)
        tree = self._take_tree(n_nodes, rows)
        self._update_scores(k, tree, rows)
        return tree

    def _count(self, chosen: np.ndarray) -> tuple[int, int, int]:
        """How many rows a tree has here, how many in all, and how often these count."""
        n = len(chosen) or self.dataset.n_rows
        if not len(chosen):
            return n, n, self.total_count
        return n, n, n if self.counts is None else int(self.counts[chosen].sum())

    def _make_rows(self, chosen: np.ndarray, largest: Largest, number: int) -> tuple[Any, int]:
        """The rows of tree `number` and what they add to sums; and how often they count in all."""
        n_here, n, total = self._count(chosen)
        rows = memory.Rows(
            chosen=chosen,
            n=n_here,
            derivatives=self.derivatives,
            counts=np.empty(0, np.int64) if self.counts is None else self.counts,
            fields=make_fields(n, total, self.most_repeats, largest.gradient, largest.hessian, largest.exponents),
            noise_key=np.uint64(_random.stream_key(self.settings.seed, _random.ROUNDING, number)),
            keys=self.row_keys,
        )
        return rows, total

    def _take_tree(self, n_nodes: int, rows: Any) -> Any:
        """The tree just grown, for `bind`."""
        return lay(self.work.nodes, n_nodes, rows.fields)

    def _grow(self, table: Any, rows: memory.Rows, rules: BoostingRules, work: memory.Work) -> int:
        """On this machine's cores."""
        kinds = Kinds(bool(self.dataset.bins.is_categorical.any()) or None, rules.has_monotone or None)
        return int(self.team.run(grow_tree, table, rows, rules, work, kinds))

    def _choose_rows(self, round_number: int) -> np.ndarray:
        """Row numbers for this round's trees; empty means all."""
        share = self.settings.subsample
        if share >= 1.0 and (self.counts is None or self.counts.all()):
            return np.empty(0, np.int32)
        key = _random.stream_key(self.settings.seed, _random.ROWS, round_number)
        rows = choose_rows(key, share, self.counts, self.dataset.n_rows)
        return rows if len(rows) else choose_rows(key, 1.0, self.counts, self.dataset.n_rows)

    def _rules(self, number: int) -> BoostingRules:
        """The rules of tree `number`; they are the same for all trees unless columns are drawn."""
        if self._fixed_rules is not None:
            return self._fixed_rules
        rules = self._draw_rules(number)
        if self.settings.tree_features >= 1.0 and self.settings.node_features >= 1.0:
            self._fixed_rules = rules
        return rules

    def _draw_rules(self, number: int) -> BoostingRules:
        s, columns = self.settings, self.dataset.n_columns
        features = np.arange(columns, dtype=np.int64)
        n_tree = share_of(s.tree_features, columns)
        if n_tree < columns:
            _random.choose(np.uint64(_random.stream_key(s.seed, _random.TREE_FEATURES, number)), n_tree, features)
            features = np.sort(features[:n_tree])
        return BoostingRules(
            best_first=s.best_first,
            max_leaves=self.max_leaves,
            max_depth=s.max_depth,
            min_count=s.min_count,
            min_hessian=s.min_hessian,
            min_gain=self.units.gain(s.min_gain),
            penalty=self.units.penalty(s.l1, s.l2),
            category_penalty=self.units.penalty(s.l1, s.l2 + s.category_l2),
            category_smoothing=s.category_smoothing,
            category_count=s.category_count,
            learning_rate=s.learning_rate,
            link=Link(getattr(self.loss, "variance_power", 0.0)),
            has_monotone=bool(s.monotone.any()),
            groups=s.groups,
            features=features.astype(np.int32),
            node_features=share_of(s.node_features, len(features)),
            node_key=np.uint64(_random.stream_key(s.seed, _random.NODE_FEATURES, number)),
            min_split=s.min_split,
        )

    def _finish(self, n_nodes: int, renews: bool) -> None:
        """Prune the tree, and renew its leaves' values."""
        nodes = self.work.nodes[:n_nodes]
        if self.settings.ccp_alpha > 0.0:
            prune_nodes(nodes, self.units.gain(self.settings.ccp_alpha))
        if renews:
            self._renew(nodes, self.y - self.scores[0])

    def _renew(self, nodes: Any, residuals: np.ndarray) -> None:
        """Leaves' values from the residuals of all rows."""
        scale = weight_scale(self.weights)
        find = partial(renew_leaves, self.team)
        renew(nodes, self.work, residuals, self.weights, self.loss.quantile, self.settings, find, scale)

    def _update_scores(self, k: int, tree: Any, rows: Any) -> None:
        if self.settings.subsample < 1.0 and len(rows.chosen):
            self._add(self._freeze([tree]), self.scores[k : k + 1])
            return
        add_tree(rows, self.work, self.scores[k], self.team)

    def _add(self, forest: Forest, scores: np.ndarray) -> None:
        add_scores(forest, self.dataset.codes, range(forest.n_trees), scores, self.team)


_LEAST_GAIN = 5e-324  # splits that gain nothing are taken back


class ExactRounds(Rounds):
    """The state of one fit."""

    def _make_memory(self) -> None:
        draws_rows = self.settings.subsample < 1.0 or not (self.counts is None or self.counts.all())
        self.derivatives = np.empty((self.dataset.n_rows, 2))
        self.table = make_sorted_table(self.dataset, self.settings.monotone, self.team)
        self.work = make_sorted_work(
            self.dataset, self.max_leaves, draws_rows, self.team.size, len(self.settings.groups)
        )

    def _make_rows(self, chosen: np.ndarray, largest: Largest, number: int) -> tuple[Any, int]:
        total = self._count(chosen)[2]
        extremes = largest.gradient, largest.hessian
        has_units = kind_of(self.loss).has_unit_hessian and self.weights.importance is None
        args = chosen, self.derivatives, self.counts, total, extremes, self._finest(), has_units
        return make_sorted_rows(*args, self.team), total

    def _finest(self) -> float:
        """Differences of residuals that are nothing but rounding."""
        if not kind_of(self.loss).gradient_is_residual:
            return 0.0
        largest = max(abs(float(self.scores.max())), abs(float(self.scores.min())))
        return largest * sys.float_info.epsilon

    def _draw_rules(self, number: int) -> BoostingRules:
        rules = super()._draw_rules(number)
        return rules._replace(min_gain=max(rules.min_gain, _LEAST_GAIN))

    def _grow(self, table: Any, rows: Any, rules: BoostingRules, work: Any) -> int:
        kinds = Kinds(bool(self.dataset.is_categorical.any()) or None, rules.has_monotone or None)
        n_nodes: int = self.team.run(grow_tree, table, rows, rules, work, kinds)
        return n_nodes

    def _take_tree(self, n_nodes: int, rows: Any) -> Forest:
        return freeze_sorted(self.work, n_nodes, self.dataset, rows.fields)

    def _freeze(self, trees: list[Any]) -> Forest:
        return join(trees)
