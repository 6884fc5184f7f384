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
from spinney.ensemble.boosting.rounds import Grow, Rounds
from spinney.ensemble.boosting.row_sampling import Drawn, Quantiles, choose_rows
from spinney.ensemble.boosting.scoring import sums_of_losses
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
    dataset, task = _dataset(common, part, codes), _task(common, part)
    rows = MemberRows(task, common, part, group)
    grow = _grow_together(group, common, team) if group.size > 1 else None  # alone, by the loop of one machine
    rounds = Rounds(dataset, task, common.settings, team, common.begun, grow, part.offset, rows)
    del codes, part, told, dataset, task
    while rounds.n_rounds < common.settings.n_rounds:
        is_first = rounds.n_rounds == 0
        new = rounds.step()
        means = _mean_losses(group, rounds, is_first) if common.tells_losses else None  # at the first member
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


def _grow_together(group: Group, common: Common, team: Team) -> Grow:
    """Trees grown by all members."""
    kinds = Kinds(bool(common.bins.is_categorical.any()) or None, bool(common.settings.monotone.any()) or None)
    backends: list[CpuBackend] = []  # one, once its memory is known

    def grow(table: Any, rows: Any, rules: BoostingRules, work: Any) -> int:
        if not backends:
            backends.append(CpuBackend(work, common.layout.size, kinds, team, group.sum))
        return grow_batched(backends[0], table, rows, rules, work, LOOKAHEAD)

    return grow


def _mean_losses(group: Group, rounds: Rounds, is_first: bool) -> tuple[float, float, float] | None:
    every = group.to_first(sums_of_losses(rounds, is_first))
    if not every:
        return None
    sums = np.sum(every, axis=0)
    with np.errstate(invalid="ignore"):
        return tuple((sums[:, 0] / sums[:, 1]).tolist())  # type: ignore[return-value]


class MemberRows:
    """The rows of a fit of which other members have further ones: `OwnRows` of ensemble/boosting/row_sampling.py."""

    def __init__(self, task: Task, common: Common, part: MemberPart, group: Group) -> None:
        self.common, self.group, self.others = common, group, group
        self.units, self.weights = common.units, task.weights
        self.y = self.units.targets(task.y)
        self.counts = task.weights.counts
        self.total_count, self.most_repeats = common.total_count, common.most_repeats
        self.first_rows, self.lengths, self.n_rows = part.first, part.n_rows, len(part.y)
        self._round, self._drawn = -1, Drawn(np.empty(0, np.int32), self.n_rows, common.n_rows, common.total_count)

    def draw(self, round_number: int) -> Drawn:
        """The rows of a round's trees."""
        share = self.common.settings.subsample
        if self._round != round_number and (share < 1.0 or not self.common.all_count):
            drawn = self._draw(round_number, share)
            self._round, self._drawn = round_number, drawn if drawn.n else self._draw(round_number, 1.0)
        return self._drawn

    def _draw(self, round_number: int, share: float) -> Drawn:
        key = _random.stream_key(self.common.settings.seed, _random.ROWS, round_number)
        found, begin = [], 0
        for first, n in zip(self.first_rows, self.lengths):
            counts = None if self.counts is None else self.counts[begin : begin + n]
            found.append(choose_rows(key, share, counts, n, first) + np.int32(begin))
            begin += n
        chosen = np.concatenate(found)
        total = len(chosen) if self.counts is None else int(self.counts[chosen].sum())
        n_all, count_all = self.group.sum(np.array([len(chosen), total])).tolist()
        return Drawn(chosen, len(chosen), n_all, count_all)

    def left_out(self) -> np.ndarray:
        """Which of the rows here the last round was not fitted to."""
        left_out = np.ones(self.n_rows, bool)
        left_out[slice(None) if self._drawn.n_here == self.n_rows else self._drawn.chosen] = False
        return left_out

    # --- what is taken from all rows ---------------------------------------------------------------------------------

    def renewed(self, loss: Any, scores: np.ndarray) -> Any:
        """The loss as it is for the scores so far."""
        distance = np.abs(scores - self.y)
        delta = quantile_together(self.group, distance, self.weights, self.common.total_scale, loss.alpha)
        return loss._replace(delta=max(delta, 1e-300))

    def quantiles(self, team: Team) -> Quantiles:
        return Quantiles(partial(renew_leaves_together, self.group), self.common.weight_scale)
