"""Boosting as one member of the fit runs it: the ordinary rounds, on the rows that its worker has.

In:  a `MemberPart` (what the client says), the codes of its partitions, targets and weights of its rows. Out: rounds of
trees, the same at every member, which the first one leaves for the client.

What the rounds of one machine take from all rows is here taken from all members': extremes of derivatives, numbers of
rows, histograms, leaf sums, quantiles. All of it is integers or extremes, so that every member decides alike and trees
need not be sent. Random choices go by the rows' numbers in the whole table, or by what they hold.
"""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spinney import _random
from spinney._team import Team
from spinney.criteria.user_loss import compile_loss
from spinney.data.dataset import Dataset, WordLayout
from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.distributed.group import Group
from spinney.distributed.level_growth import CpuBackend, grow_batched
from spinney.distributed.quantiles import quantile_together, renew_leaves_together
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.gradients import Largest, choose_rows
from spinney.ensemble.boosting.history import sums_of_losses
from spinney.ensemble.boosting.leaf_refit import renew
from spinney.ensemble.boosting.rounds import Rounds
from spinney.ensemble.boosting.start import Units
from spinney.grow.rules import BoostingRules, Kinds

LOOKAHEAD = 3  # nodes that are opened ahead of their turn: fewer messages, some work in vain


class Common(NamedTuple):
    """What all members are told alike."""

    bins: Bins
    layout: WordLayout
    settings: BoostingSettings
    loss: Any  # built in, or what a loss of the user's is compiled from
    n_classes: tuple[int, ...] | None
    units: Units
    begun: Booster
    n_rows: int  # of all members
    total_count: int
    most_repeats: int
    all_count: bool  # no row has weight 0
    weight_scale: int  # see leaf_refit.py,
    total_scale: int  # and quantiles.py
    tells_losses: bool


class MemberPart(NamedTuple):
    """What one member is told of its rows."""

    rows: list[np.ndarray | None]  # of each partition; None: all
    n_rows: list[int]  # how many those are
    first: list[int]  # number of each partition's first row among all rows of the fit
    y: np.ndarray
    counts: np.ndarray | None
    importance: np.ndarray | None
    offset: np.ndarray | None


def boost(group: Group, team: Team, told: tuple[Common, MemberPart], codes: list[np.ndarray]) -> None:
    """All rounds, as one member of the fit runs them."""
    common, part = told
    rounds = MemberRounds(_dataset(common, part, codes), _task(common, part), common, part, group, team)
    del codes, part, told
    while rounds.n_rounds < common.settings.n_rounds:
        is_first = rounds.n_rounds == 0
        new = rounds.step()
        means = _mean_losses(rounds, is_first) if common.tells_losses else None  # at the first member
        if group.rank == 0:
            group.tell(pickle.dumps((new, means)))


def _dataset(common: Common, part: MemberPart, codes: list[np.ndarray]) -> Dataset:
    own = [one if rows is None else one[:, rows] for one, rows in zip(codes, part.rows)]
    whole = np.ascontiguousarray(own[0]) if len(own) == 1 else np.concatenate(own, axis=1)
    return Dataset(whole.shape[1], common.bins, whole, common.layout)


def _task(common: Common, part: MemberPart) -> Task:
    loss = compile_loss(*common.loss) if type(common.loss) is tuple else common.loss
    weights = Weights(part.counts, part.importance)
    if common.n_classes is None:
        return Task(Target(None, None, part.y[None, :], weights), loss)
    return Task(Target(part.y.astype(np.int32)[None, :], common.n_classes, None, weights), loss)


def _mean_losses(rounds: MemberRounds, is_first: bool) -> tuple[float, float, float] | None:
    every = rounds.group.to_first(sums_of_losses(rounds, is_first))
    if not every:
        return None
    sums = np.sum(every, axis=0)
    with np.errstate(invalid="ignore"):
        return tuple((sums[:, 0] / sums[:, 1]).tolist())  # type: ignore[return-value]


class MemberRounds(Rounds):
    """The rounds of one fit, with a part of the rows."""

    def __init__(
        self, dataset: Dataset, task: Task, common: Common, part: MemberPart, group: Group, team: Team
    ) -> None:
        self.common, self.group, self.others = common, group, group
        self.first_rows, self.lengths = part.first, part.n_rows
        grow = self._grow_together if group.size > 1 else None  # alone, by the loop of one machine
        super().__init__(dataset, task, common.settings, team, common.begun, grow, part.offset)
        kinds = Kinds(bool(dataset.bins.is_categorical.any()) or None, bool(common.settings.monotone.any()) or None)
        self.backend = CpuBackend(self.work, dataset.layout.size, kinds, team, group.sum)
        self._round_counts: tuple[int, tuple[int, int, int]] = -1, (0, 0, 0)

    def _in_units(self) -> tuple[np.ndarray, Weights, Units]:
        units = self.common.units
        return units.targets(self.task.y), self.task.weights, units

    def _count_all(self) -> None:
        self.total_count, self.most_repeats = self.common.total_count, self.common.most_repeats

    def _grow_together(self, table: Any, rows: Any, rules: BoostingRules, work: Any) -> int:
        return grow_batched(self.backend, table, rows, rules, work, LOOKAHEAD, self.backend.sum_leaves)

    # --- rows of a round ---------------------------------------------------------------------------------------------

    def _choose_rows(self, round_number: int) -> np.ndarray:
        if self._round_counts[0] == round_number:
            return self.chosen
        share = self.settings.subsample
        if share >= 1.0 and self.common.all_count:
            n = self.dataset.n_rows
            self._round_counts = round_number, (n, self.common.n_rows, self.total_count)
            return np.empty(0, np.int32)
        chosen, counts = self._draw(round_number, share)
        if counts[0] == 0:
            chosen, counts = self._draw(round_number, 1.0)
        self._round_counts = round_number, (len(chosen), *counts)
        return chosen

    def _draw(self, round_number: int, share: float) -> tuple[np.ndarray, tuple[int, int]]:
        """Rows here, and how many there are in all and how often they count."""
        key = _random.stream_key(self.settings.seed, _random.ROWS, round_number)
        found, begin = [], 0
        for first, n in zip(self.first_rows, self.lengths):
            counts = None if self.counts is None else self.counts[begin : begin + n]
            found.append(choose_rows(key, share, counts, n, first) + np.int32(begin))
            begin += n
        chosen = np.concatenate(found)
        total = len(chosen) if self.counts is None else int(self.counts[chosen].sum())
        n_all, count_all = self.group.sum(np.array([len(chosen), total])).tolist()
        return chosen, (n_all, count_all)

    def _count(self, chosen: np.ndarray) -> tuple[int, int, int]:
        return self._round_counts[1]

    def left_out(self) -> np.ndarray:
        left_out = np.ones(self.dataset.n_rows, bool)
        all_rows = self._round_counts[1][0] == self.dataset.n_rows
        left_out[slice(None) if all_rows else self.chosen] = False
        return left_out

    def _update_scores(self, k: int, tree: Any, rows: Any) -> None:
        if self.settings.subsample < 1.0:
            self._add(self._freeze([tree]), self.scores[k : k + 1])
        else:
            super()._update_scores(k, tree, rows)

    # --- what all rows say -------------------------------------------------------------------------------------------

    def _renewed(self) -> Any:
        distance = np.abs(self.scores[0] - self.y)
        delta = quantile_together(self.group, distance, self.weights, self.common.total_scale, self.loss.alpha)
        return self.loss._replace(delta=max(delta, 1e-300))

    def _renew(self, nodes: Any, residuals: np.ndarray) -> None:
        find = partial(renew_leaves_together, self.group)
        quantile, scale = self.loss.quantile, self.common.weight_scale
        renew(nodes, self.work, residuals, self.weights, quantile, self.settings, find, scale)

    def _check(self, largest: Largest) -> None:
        if not largest.impossible:
            return
        gradient, hessian = self.derivatives.T
        if ((np.abs(gradient) < 1e38) & (hessian >= 0) & (hessian < 1e38)).all():
            self.group.sum(np.zeros(1, np.int64))  # until the member that has the row fails
        super()._check(largest)
