"""Gradient boosting: rounds of trees, each fitted to the gradient of the loss at the scores so far.

In: an encoded dataset (codes, dense or sparse, or sorted lists), targets, weights, a loss and the settings. Out: a
`Booster`, a store of trees and start values. The round itself is short: derivatives, one tree per output, scores. What
is measured between rounds is the business of the watcher that is passed in.

    Rounds     what a round is, and the trees so far
    rows       which rows a round draws, what is taken from all of them: `OwnRows`, or `MemberRows` of distributed/
    engine     scores, derivatives, memory, and how a tree is grown: `CodesEngine`, `ListsEngine`, or gpu/rounds.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spinney import _random
from spinney._team import Team
from spinney.criteria.gains import Link
from spinney.criteria.losses import is_builtin, kind_of
from spinney.data.dataset import Dataset, ExactDataset, ValuedDataset, take_rows
from spinney.data.remote_table import RemoteDataset
from spinney.data.sparse_encode import SparseDataset
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.gradients import (
    Largest,
    class_losses,
    fill_class_derivatives,
    fill_derivatives,
    log_totals,
    loss_values,
    sum_of_losses,
)
from spinney.ensemble.boosting.leaf_refit import prune_nodes, renew
from spinney.ensemble.boosting.row_sampling import Drawn, OwnRows
from spinney.ensemble.boosting.start import most_leaves, share_of, start_values
from spinney.grow.boosting import memory
from spinney.grow.boosting.freeze import Laid, bare, freeze, lay
from spinney.grow.boosting.grower import grow_tree
from spinney.grow.boosting.leaves import add_tree
from spinney.grow.boosting.linear import Numbers, Slopes, add_linear_tree, fit_slopes, no_slopes
from spinney.grow.boosting.sorted import freeze_sorted, make_sorted_rows, make_sorted_table, make_sorted_work
from spinney.grow.boosting.sparse import make_sparse_table, make_sparse_work
from spinney.grow.boosting.statistics import BLOCK, make_fields
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.forest import Forest, join, small
from spinney.tree.packed import BareTrees
from spinney.tree.predict_boosted import add_scores

# Another way to grow a tree than the loop of grow/boosting: (table, rows, rules, work) -> number of nodes. See
# distributed/level_growth.py.
Grow = Callable[[Any, memory.BoostingRows, BoostingRules, memory.BoostingWork], int]


class Opening(NamedTuple):
    """What an engine begins with."""

    dataset: Any  # Dataset, SparseDataset or ExactDataset
    settings: BoostingSettings
    team: Team
    rows: Any  # `OwnRows` of row_sampling.py, or others
    scores: np.ndarray  # (outputs, rows): before the first round
    max_leaves: int
    grow: Grow | None


_TOGETHER = 32  # trees that are stored at a time
_SIDE_BY_SIDE = 4_000_000  # cells of a table of up to so many: each thread grows a tree of its own, for another output
# Called after every round with the fit so far and the round's new trees (see `Rounds.bind`); True ends the fit.
Watcher = Callable[["Rounds", list[Any]], bool]


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
    """The state of a fit on a table of bins, or one of exact thresholds; of several, if it has members."""

    if settings.members:
        return Bag([open_rounds(dataset, task, one, team, *others, **more) for one in settings.members], settings)
    if isinstance(dataset, RemoteDataset):
        return dataset.open_rounds(task, settings, team, *others, **more)
    opened: Rounds = (settings.rounds or Rounds)(dataset, task, settings, team, *others, **more)
    return opened


class Rounds:
    """The state of one fit. `step` adds a round, `booster` is the model so far."""

    is_remote = False  # whether the rows are: then scores and derivatives are, too

    def __init__(
        self,
        dataset: Any,
        task: Task,
        settings: BoostingSettings,
        team: Team,
        begun: Booster | None = None,
        grow: Grow | None = None,
        offset: np.ndarray | None = None,
        rows: Any = None,
        engine: Callable[[Opening], Any] | None = None,
    ) -> None:
        self.dataset, self.settings, self.team = dataset, settings, team
        self.task, self.loss = task, task.loss
        self.rows = rows or OwnRows(task, settings, dataset.n_rows, team)
        # scores and derivatives are in these units, trees are not
        self.y, self.weights, self.units = self.rows.y, self.rows.weights, self.rows.units
        self.begun = begun or Booster.of_no_rounds(start_values(task), dataset.bins, dataset.n_columns)
        self.n_trees = self.begun.forest.n_trees
        self.grown: list[Forest] = []
        self._loose: list[Any] = []  # the last trees grown, not yet in a store
        self.offset = offset
        self._totals: np.ndarray | None = None
        self.max_leaves = most_leaves(settings, self.rows.total_count)
        self._fixed_rules: BoostingRules | None = None
        opening = Opening(dataset, settings, team, self.rows, self.first_scores(), self.max_leaves, grow)
        self._engines: list[Any] = []  # of `each`
        if engine is None and rows is None and grow is None:
            self._open_parts(opening)
        self.engine = self._engines[0] if self._engines else (engine or engine_for(dataset))(opening)
        self._freeze = self.engine.freeze

    def _open_parts(self, opening: Opening) -> None:
        """An engine for each tree that grows in a thread of its own, if there are to be such."""
        team, n_outputs = self.team, self.task.n_outputs
        is_small = opening.dataset.n_rows * opening.dataset.n_columns <= _SIDE_BY_SIDE
        if team.size == 1 or (n_outputs > 1 and is_small):
            n_engines = min(team.size, n_outputs)
            openings = [opening._replace(team=team.part()) for _ in range(n_engines)]
            self._engines = team.each(engine_for(opening.dataset), openings)

    @property
    def scores(self) -> np.ndarray:
        """Raw scores so far, in the units of the fit."""
        scores: np.ndarray = self.engine.scores
        return scores

    def left_out(self) -> np.ndarray:
        """Which rows the last round was not fitted to."""
        left_out: np.ndarray = self.rows.left_out()
        return left_out

    def mean_losses(self) -> tuple[float, float, float]:
        """Of the last round, as scoring.py has them, where rows are elsewhere."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the fit holds outside this process."""
        self.engine.close()

    def first_scores(self) -> np.ndarray:
        """Raw scores before the first round of this fit, in its units."""
        start = self.units.raw(self.begun.start) if self.units.is_log else self.begun.start
        scores = np.empty((self.task.n_outputs, self.dataset.n_rows))
        scores[:] = start[:, None]
        if self.offset is not None:
            scores += self.offset
        if self.begun.n_rounds:
            forest, codes = self.begun.forest, take_rows(self.dataset.codes, None)
            add_scores(forest, codes, range(forest.n_trees), scores, self.team)
        return scores if self.units.is_log else self.units.raw(scores)

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
        self.n_trees += len(new)
        if len(self._loose) >= _TOGETHER:
            self._store()
        return new

    def bind(self, trees: list[Any]) -> Forest:
        """Trees of a round as a store, in the user's units."""
        return self.units.user_tree(self._freeze(trees))

    def bare(self, trees: list[Any]) -> Forest | BareTrees:
        """The same for `add_scores` alone."""
        if not isinstance(trees[0], Laid):
            return self.bind(trees)
        found = bare(trees, self.dataset.bins)
        return found._replace(answers=self.units.user_values(found.answers))

    def _store(self) -> None:
        self.grown += [self.bind(self._loose)] if self._loose else []
        self._loose = []

    def _round(self) -> list[Any]:
        """One tree for each output, all from the scores at the round's start."""
        if hasattr(self.loss, "renewed"):
            self.loss = self.rows.renewed(self.loss, self.scores[0])
        drawn, outputs = self.rows.draw(self.n_rounds), range(self.task.n_outputs)
        if len(self._engines) > 1:
            self._log_totals(self.team)
            trees = self.team.each(partial(self._tree_of_part, drawn), outputs)
        elif self._engines:  # handed over once
            ((*trees,),) = self.team.each(lambda _: [self._tree(self.engine, drawn, k) for k in outputs], [None])
        else:
            trees = [self._tree(self.engine, drawn, k) for k in outputs]
        self._totals = None
        return trees

    def _tree_of_part(self, drawn: Drawn, k: int) -> Any:
        """One of the trees that grow side by side."""
        engine = self._engines.pop()  # there is one for every thread
        tree = self._tree(engine, drawn, k)
        self._engines.append(engine)
        return tree

    def _log_totals(self, team: Team) -> np.ndarray:
        """Per row, the logarithm of the softmax's denominator at the scores so far."""
        if self._totals is None:
            self._totals = log_totals(team, self.scores)
        return self._totals

    def losses(self, scores: np.ndarray | None = None) -> np.ndarray:
        """The loss of every row, in the user's units; at the scores so far, or at others."""
        if self.task.n_outputs > 1:
            totals = self._log_totals(self.team) if scores is None else log_totals(self.team, scores)
            return class_losses(self.team, self.scores if scores is None else scores, totals, self.y)
        raw = self.scores[0] if scores is None else scores[0]
        if self.units.exponent == 0:
            return loss_values(self.team, self.loss, raw, self.y)
        with np.errstate(over="ignore"):
            return loss_values(self.team, self.loss, self.units.user_raw(raw), self.task.y)

    def sum_of_losses(self, y: np.ndarray, scale: float) -> float:
        """The sum of all rows' losses at the scores so far, times `scale`, in the order in which NumPy adds up."""
        total: float = self.engine.sum_of_losses(self.loss, y, scale)
        return total

    def _check(self, engine: Any, largest: Largest) -> None:
        if not largest.impossible:
            return
        gradient, hessian = engine.derivatives.T
        wrong = np.flatnonzero(~((np.abs(gradient) < 1e38) & (hessian >= 0) & (hessian < 1e38)))
        if not wrong.size and self.rows.others is not None:
            self.rows.others.sum(np.zeros(1, np.int64))  # until the machine that has the row fails
        row = wrong[0]
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

    def _tree(self, engine: Any, drawn: Drawn, k: int) -> Any:
        """Grow the tree of output k and add it to that output's scores."""
        largest = engine.fill_derivatives(self.loss, k, self._log_totals)
        self._check(engine, largest)
        number = self.n_trees + k
        rules = self._rules(number)
        if self.settings.min_decrease > 0.0:
            rules = rules._replace(least_gain=self.units.gain(self.settings.min_decrease * drawn.total))
        n_nodes = engine.grow(drawn, largest, number, rules, self.loss)
        self._finish(engine, n_nodes)
        tree = engine.take_tree(n_nodes)
        engine.update_scores(k, tree)
        return tree

    def _rules(self, number: int) -> BoostingRules:
        """The rules of tree `number`; they are the same for all trees unless columns are drawn."""
        if self._fixed_rules is None:
            self._fixed_rules = self._make_rules()
        s, columns, rules = self.settings, self.dataset.n_columns, self._fixed_rules
        n_tree = share_of(s.tree_features, columns)
        if n_tree < columns:
            features = np.arange(columns, dtype=np.int64)
            _random.choose(np.uint64(_random.stream_key(s.seed, _random.TREE_FEATURES, number)), n_tree, features)
            rules = rules._replace(features=np.sort(features[:n_tree]).astype(np.int32))
        if rules.node_features < n_tree:
            rules = rules._replace(node_key=np.uint64(_random.stream_key(s.seed, _random.NODE_FEATURES, number)))
        return rules

    def _make_rules(self) -> BoostingRules:
        """The rules of all trees, but for the columns that are drawn."""
        s, columns = self.settings, self.dataset.n_columns
        return BoostingRules(
            best_first=s.best_first,
            max_leaves=self.max_leaves,
            max_depth=s.max_depth,
            min_count=s.min_count,
            min_hessian=s.min_hessian,
            min_gain=max(self.units.gain(s.min_gain), self.engine.smallest_gain),
            penalty=self.units.penalty(s.l1, s.l2),
            category_penalty=self.units.penalty(s.l1, s.l2 + s.category_l2),
            category_smoothing=s.category_smoothing,
            category_count=s.category_count,
            learning_rate=s.learning_rate,
            link=Link(getattr(self.loss, "variance_power", 0.0)),
            has_monotone=bool(s.monotone.any()),
            groups=s.groups,
            features=np.arange(columns, dtype=np.int32),
            node_features=share_of(s.node_features, share_of(s.tree_features, columns)),
            node_key=np.uint64(0),
            min_split=s.min_split,
        )

    def _finish(self, engine: Any, n_nodes: int) -> None:
        """Prune the tree, and renew its leaves' values."""
        nodes = engine.work.nodes[:n_nodes]
        if self.settings.ccp_alpha > 0.0:
            prune_nodes(nodes, self.units.gain(self.settings.ccp_alpha))
        if kind_of(self.loss).leaves_are_quantiles:
            find, scale = self.rows.quantiles(engine.team)
            work, residuals = engine.laid_out(n_nodes), self.y - self.scores[0]
            renew(nodes, work, residuals, self.weights, self.loss.quantile, self.settings, find, scale)


# ----------------------------------------------------------------------------------------------------------------------
# Several fits as one: the mean of their models.
#
# In: the opened fits of the members, on the same rows. Out: the same that one fit gives. A round is one of the member
# that has come the least far, its trees divided by the number of members: after each round the trees so far are the
# mean of the members, all of them about equally far.


def together(members: Sequence[BoostingSettings]) -> BoostingSettings:
    """The settings of the mean of some members; of a single one its own."""
    if len(members) == 1:
        return members[0]
    return replace(members[0], n_rounds=sum(one.n_rounds for one in members), members=tuple(members))


class Bag(Rounds):
    """Members that are boosted by turns."""

    def __init__(self, members: list[Rounds], settings: BoostingSettings) -> None:
        first, self._members, self._turn = members[0], members, 0
        self.dataset, self.settings, self.team, self.offset = first.dataset, settings, first.team, first.offset
        self.task, self.loss, self.units = first.task, first.loss, first.units
        self.y, self.weights, self.begun, self.rows = first.y, first.weights, first.begun, first.rows
        self.grown, self._loose, self.n_trees = [], [], first.begun.forest.n_trees

    @property
    def scores(self) -> np.ndarray:
        """Raw scores so far, in the units of the fit."""
        mean: np.ndarray = np.mean([one.scores for one in self._members], axis=0)
        return mean

    def left_out(self) -> np.ndarray:
        return self._members[self._turn].left_out()

    def _round(self) -> list[Any]:
        self._turn = int(np.argmin([one.n_rounds / one.settings.n_rounds for one in self._members]))
        return self._members[self._turn].step()

    def bind(self, trees: list[Any]) -> Forest:
        return self._members[0].bind(trees).scaled(1.0 / len(self._members))

    bare = bind

    def losses(self, scores: np.ndarray | None = None) -> np.ndarray:
        return self._members[0].losses(self.scores if scores is None else scores)

    def sum_of_losses(self, y: np.ndarray, scale: float) -> float:
        return float(self.losses().sum())

    def close(self) -> None:
        for one in self._members:
            one.close()


# ----------------------------------------------------------------------------------------------------------------------
# Engines of boosting on this machine's cores: scores, derivatives, and the memory that trees are grown in.
#
# In: an `Opening`. Out: per tree, its extremes of derivatives, the number of its nodes, the tree, and scores with it.
# One engine is for codes, dense or sparse, one for sorted lists. Lists have derivatives of float64, which become whole
# numbers of as many bits as their sums leave room for: splits and leaves are those of exact arithmetic but for the last
# digits.


def engine_for(dataset: Any) -> type[CodesEngine] | type[ListsEngine]:
    """The engine of a dataset whose rows are here."""
    if isinstance(dataset, ValuedDataset):
        return LinearEngine
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

    def fill_derivatives(self, loss: Any, k: int, totals: Callable[[Team], np.ndarray]) -> Largest:
        """Those of output k at the scores that the round began with; `totals` are for several outputs."""
        rows = self.rows
        if len(self.scores) > 1:
            return fill_class_derivatives(
                self.team, self.scores[k], totals(self.team), rows.y, k, rows.weights, self.derivatives, rows.others
            )
        return fill_derivatives(self.team, loss, self.scores[0], rows.y, rows.weights, self.derivatives, rows.others)

    def grow(self, drawn: Drawn, largest: Largest, number: int, rules: BoostingRules, loss: Any) -> int:
        """Grow tree `number` on the derivatives at hand; returns its number of nodes."""
        self.tree_rows, is_categorical = self._statistics(drawn, largest, number, loss)
        if self._other_way is not None:
            return self._other_way(self.table, self.tree_rows, rules, self.work)
        kinds = Kinds(bool(is_categorical.any()) or None, rules.has_monotone or None)
        return int(self.team.run(grow_tree, self.table, self.tree_rows, rules, self.work, kinds))

    def _statistics(self, drawn: Drawn, largest: Largest, number: int, loss: Any) -> tuple[Any, np.ndarray]:
        """The rows of a tree and what it grows on; which columns are categories."""
        raise NotImplementedError

    def laid_out(self, n_nodes: int) -> Any:
        """The memory, with the rows of every leaf of the last tree side by side."""
        return self.work

    def update_scores(self, k: int, tree: Any) -> None:
        """Add the tree just grown to the scores of output k."""
        if self.settings.subsample < 1.0:
            forest = bare([tree], self.dataset.bins) if isinstance(tree, Laid) else self.freeze([tree])
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

    def _statistics(self, drawn: Drawn, largest: Largest, number: int, loss: Any) -> tuple[Any, np.ndarray]:
        repeats, counts = self.rows.most_repeats, self.rows.counts
        extremes = largest.gradient, largest.hessian, largest.exponents
        rows = memory.BoostingRows(
            chosen=drawn.chosen,
            n=drawn.n_here,
            derivatives=self.derivatives,
            counts=np.empty(0, np.int64) if counts is None else counts,
            fields=make_fields(drawn.n, drawn.total, repeats, *extremes),
            noise_key=np.uint64(_random.stream_key(self.settings.seed, _random.ROUNDING, number)),
            keys=self._row_keys,
        )
        return rows, self.dataset.bins.is_categorical

    def take_tree(self, n_nodes: int) -> Any:
        """The tree just grown, for `freeze`."""
        return lay(self.work.nodes, n_nodes, self.tree_rows.fields)

    def freeze(self, trees: list[Any]) -> Forest:
        return freeze(trees, self.dataset.bins)


class LinearEngine(CodesEngine):
    """Trees from codes with linear leaves, which ask about values; constant ones beside them have slopes of zero."""

    def __init__(self, fit: Opening) -> None:
        super().__init__(fit._replace(dataset=fit.dataset.coded))
        bins, self._table = self.dataset.bins, fit.dataset.codes
        usable = (~bins.is_categorical).astype(np.uint8)
        self._numbers = Numbers(self._table.panels[0].values, self._table.ends(None), bins.edge_table(), usable)

    def grow(self, drawn: Drawn, largest: Largest, number: int, rules: BoostingRules, loss: Any) -> int:
        self._rules = rules
        return super().grow(drawn, largest, number, rules, loss)

    def take_tree(self, n_nodes: int) -> tuple[Laid, Slopes]:
        tree = super().take_tree(n_nodes)
        if not self.settings.linear:
            return tree, no_slopes(tree, self.work)
        known = self.tree_rows, self.work, self._rules, self._numbers, self.settings.monotone
        return tree, fit_slopes(tree, *known, self.team)

    def update_scores(self, k: int, tree: Any) -> None:
        if self.settings.subsample < 1.0:
            add_scores(self.freeze([tree]), self._table, range(1), self.scores[k : k + 1], self.team)
        else:
            add_linear_tree(self.tree_rows, self.work, tree[1], self._numbers, self.scores[k], self.team)

    def freeze(self, trees: list[Any]) -> Forest:
        forest = super().freeze([tree for tree, _ in trees]).with_thresholds()
        columns = np.concatenate([slopes.columns for _, slopes in trees])
        line = np.concatenate([slopes.line for _, slopes in trees])
        has = line[:, :, 0] != 0.0
        if self.settings.extrapolate:
            line[:, :, 2:] = -np.inf, np.inf
        return replace(
            forest, n_terms=has.sum(axis=1).astype(np.uint8), term_column=small(columns[has]), term=line[has]
        )


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

    def _statistics(self, drawn: Drawn, largest: Largest, number: int, loss: Any) -> tuple[Any, np.ndarray]:
        extremes = largest.gradient, largest.hessian
        has_units = kind_of(loss).has_unit_hessian and self.rows.weights.importance is None
        args = drawn.chosen, self.derivatives, self.rows.counts, drawn.total, extremes, self._finest(loss), has_units
        return make_sorted_rows(*args, self.team), self.dataset.is_categorical

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
