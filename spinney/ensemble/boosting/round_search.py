"""The search for the number of rounds: defaults that follow from the table, and folds boosted at the same pace.

In: a `Rounds` for each fold, and its held-out rows. Out: their scores after every round, and the best round. The fit on
all rows is that of `fit.py`, which calls this.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.exp_log import logs_of
from spinney.criteria.fixed_point import exact_mean
from spinney.criteria.losses import has_log_link, kind_of
from spinney.data.weights import Weights, share_of_rows
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.rounds import Rounds
from spinney.ensemble.boosting.scoring import EvalSet, Watch, raw_losses, start_sets
from spinney.ensemble.callbacks import EarlyStopping, Progress, Round
from spinney.ensemble.metrics import Metric
from spinney.grow import NO_LIMIT

# ----------------------------------------------------------------------------------------------------------------------
# Rounds, learning rate and tree size that follow from the table: what boosting does unless it is told.
#
# In:  how many samples, columns and classes a table has. Out: `TreeSize`, a `SearchPlan`, and, once the search has said
# how many rounds are best at its learning rate, the `Chosen` rounds and rate of the fit on all rows.
#
# The search boosts with some rows held out, at a high rate, until they are predicted no better; with a tree for each of
# several classes, at an even higher one. The fit on all rows then takes smaller steps, and more of them in proportion.
# Figures in here were chosen on twenty tables of 1,000 to 20,000 rows; on most of them twice or half of any of these
# changes the loss by less than one percent.
#
# How much time this may take is the level, `quality`: how large the steps are and, of the higher ones, how many models
# of different trees are fitted, each with a search of its own. Their mean is one model again (`Bag` in rounds.py).


CLASSIC_RATE, CLASSIC_ROUNDS = 0.1, 100  # where nothing is searched for
FEWEST = 100  # samples, below which no rows can be spared to choose by
MOST_ROUNDS = 1_500  # of a search, at its rate
_FEWEST_ROUNDS = 500  # the same with many trees per round
_FASTER = 3.0  # times the rate, for a third of the rounds, that a search of more than two classes is made at
_SOME_CLASSES = 5  # trees per round above which one part is held out instead of folds: as good rounds
PATIENCE = 30  # rounds at the classic rate without improvement that end a search
PATIENCE_BY_GROUP = 10  # times that with groups: their levels are learned first, and errors of new groups fall twice
FLAT = 1e-4  # an improvement in so many rounds of less than this share ends it, too
_NEARLY = 0.003  # relative difference of scores that does not count for rows in time
_MORE_ROWS = 1.1  # the fit on all rows stands more rounds than the search did
_SEARCH_ROWS, _HELD_ROWS = 100_000, 20_000  # at most so many rows are searched on and judged by
_HELD_SHARE = 0.15
_LARGEST_STEP = 2.0
_OF_TWO_CLASSES = 500  # rounds wanted at most: twice as many take twice the time, for the same loss
_CELLS = 350_000_000  # rows times rounds that a fit may have; more only where the table has few rows


class TreeSize(NamedTuple):
    """How large trees are, and how many columns each split looks at."""

    max_leaves: int
    min_samples: int
    min_category: int
    column_share: float


class SizesWanted(NamedTuple):
    """How large the parameters want trees to be; what is None follows from the table or, if the number of rounds is
    given, from the number of samples alone."""

    follow_table: bool
    max_leaves: int | None
    min_samples_leaf: int | float | None  # a float is a share of the samples
    min_samples_split: int | float
    min_weight_fraction: float
    min_hessian: float
    min_category: int | None
    column_share: float | None


class MemberShape(NamedTuple):
    """How the trees of a member differ from those that the table calls for; parameters that are given prevail."""

    leaves: float = 1.0  # times as many
    max_depth: int | None = None  # and all the leaves that it leaves room for
    column_share: float | None = None
    linear: bool | None = None  # leaves; None: as the settings say


USUAL = MemberShape()


class Level(NamedTuple):
    """What a level of quality spends."""

    search_step: float  # of the search, in the classic rate
    patience: int  # rounds
    thrifty: bool  # fewer folds
    rounds_wanted: int  # of the fit on all rows; fewer if their steps would be smaller than this share of the search's
    smallest_step: float
    shapes: tuple[MemberShape, ...] = (USUAL,)  # of the members


_FOUR = USUAL, MemberShape(max_depth=6, column_share=0.4), MemberShape(leaves=2.0), MemberShape(leaves=1 / 3)
_SEVEN = (
    *_FOUR,
    MemberShape(column_share=0.25),
    MemberShape(leaves=4.0, column_share=0.3),
    MemberShape(max_depth=8, column_share=0.7),
)
LEVELS = {
    1: Level(3.0, 15, True, 300, 0.2),
    2: Level(2.0, PATIENCE, True, 300, 0.2),
    3: Level(1.0, PATIENCE, False, 1_000, 0.2),
    4: Level(1.0, PATIENCE, False, 1_000, 0.2, _FOUR),
    5: Level(1.0, PATIENCE, False, 1_000, 0.2, _SEVEN),
}
DEFAULT_LEVEL = 3
_NEARLY_AS_GOOD = 0.05  # members whose scores are worse than the best's by more than this share are left out
_ROUGHLY_AS_GOOD = 0.3  # the same of more than two classes: see `good_members`


class SearchPlan(NamedTuple):
    """How to find the number of rounds."""

    n_folds: int  # 1: one part of the rows is held out
    learning_rate: float
    n_rounds: int  # at most
    kept_share: float  # of all rows, to learn from; of folds what is left
    held_share: float
    patience: int = PATIENCE  # rounds
    faster: float = 1.0  # times the rate that its rounds are counted at


class Chosen(NamedTuple):
    """What to fit on all rows."""

    n_rounds: int
    learning_rate: float


def tree_size(n_samples: int, n_columns: int, rarest: int, most: int = 5) -> TreeSize:
    """By the table: more leaves where there are more samples, leaves as small as the rarest class needs.

    `most` is a bound for `min_samples`; slopes need more rows than numbers do.

    >>> tree_size(20_000, 10, 20_000)
    TreeSize(max_leaves=48, min_samples=5, min_category=20, column_share=0.5)
    >>> tree_size(14, 4, 5)
    TreeSize(max_leaves=12, min_samples=1, min_category=1, column_share=1.0)
    """
    return TreeSize(
        max_leaves=_between(12, n_samples // 400, 48),
        min_samples=_between(1, min(n_samples // 50, rarest // 4), most),
        min_category=_between(1, n_samples // 200, 20),
        column_share=min(1.0, max(0.5, 4.0 / n_columns)),
    )


def classic_size(n_samples: int) -> TreeSize:
    """Where the number of rounds is given: 31 leaves of 20 samples, or of less where a table is too small for that."""
    least = _between(1, n_samples // 10, 20)
    return TreeSize(31, least, least, 1.0)


def sized(
    settings: BoostingSettings, wanted: SizesWanted, task: Task, n_columns: int, shape: MemberShape = USUAL
) -> BoostingSettings:
    """Settings with the sizes of trees for this task."""
    weights, n_samples = task.weights, task.weights.n_samples(len(task.y))
    settings = settings if shape.linear is None else replace(settings, linear=shape.linear)
    min_split = share_of_rows(wanted.min_samples_split, n_samples)
    if wanted.follow_table:
        wide = tree_size(n_samples, n_columns, _rarest(task, n_samples), 20 if settings.linear else 5)
        size = _shaped(wide, shape)
    else:
        size = classic_size(n_samples)
    least = size.min_samples if wanted.min_samples_leaf is None else wanted.min_samples_leaf
    min_count, min_hessian = max(1, share_of_rows(least, n_samples)), wanted.min_hessian
    rows = weights.rows()
    n_counted = n_samples if rows is None else len(rows)
    # A share of the weight is one of samples where weights are repetitions or there are none. The hessian of some
    # losses is the weight itself, in units of its mean over the rows that count; of others a leaf's weight is not known
    if weights.importance is None:
        min_count = max(min_count, math.ceil(wanted.min_weight_fraction * n_samples))
    elif kind_of(task.loss).has_unit_hessian:
        min_hessian = max(min_hessian, wanted.min_weight_fraction * n_counted)
    else:
        min_count = max(min_count, math.ceil(wanted.min_weight_fraction * n_counted))
    return replace(
        settings,
        max_leaves=size.max_leaves if wanted.max_leaves is None else wanted.max_leaves,
        max_depth=shape.max_depth if shape.max_depth and settings.max_depth == NO_LIMIT else settings.max_depth,
        min_count=min_count,
        min_hessian=min_hessian,
        min_split=min_split,
        category_count=size.min_category if wanted.min_category is None else wanted.min_category,
        node_features=size.column_share if wanted.column_share is None else wanted.column_share,
    )


def _shaped(size: TreeSize, shape: MemberShape) -> TreeSize:
    """The sizes of a member's trees.

    >>> _shaped(tree_size(20_000, 10, 20_000), MemberShape(max_depth=6))
    TreeSize(max_leaves=64, min_samples=5, min_category=20, column_share=0.5)
    """
    leaves = round(shape.leaves * size.max_leaves) if shape.max_depth is None else 1 << shape.max_depth
    return size._replace(max_leaves=leaves, column_share=shape.column_share or size.column_share)


def _rarest(task: Task, n_samples: int) -> int:
    """Samples of the rarest class that there is; of numbers all."""
    if not task.is_classes:
        return n_samples
    samples = np.bincount(task.y.astype(np.int64), weights=task.weights.counts)
    return int(samples[samples > 0].min())


def plan_search(
    n_samples: int, learning_rate: float | None, n_outputs: int = 1, level: Level = LEVELS[DEFAULT_LEVEL]
) -> SearchPlan | None:
    """How to search for the number of rounds, at a learning rate that is given or not; None: not at all."""
    if n_samples < FEWEST:
        return None
    n_folds = 5 if n_samples < 2_000 else 3 if n_samples < 5_000 else 1
    if level.thrifty or n_outputs > _SOME_CLASSES:
        n_folds = 1 if n_samples >= 1_000 else 3
    rate = CLASSIC_RATE * level.search_step if learning_rate is None else learning_rate
    faster = _FASTER if learning_rate is None and n_outputs > 1 and level.search_step == 1.0 else 1.0
    share = min(1.0, 3.0 / n_outputs, 2.0 / (1.0 + n_folds))  # many trees per round, or few rows
    trees = max(_FEWEST_ROUNDS, MOST_ROUNDS * share)
    most = min(round(trees * max(1.0, CLASSIC_RATE / rate)), _most_rounds(n_samples, learning_rate))
    patience = math.ceil(level.patience * max(1.0 if faster == 1.0 else 0.5, CLASSIC_RATE / (faster * rate)))
    steps = faster * rate, math.ceil(most / faster)
    if n_folds > 1:
        return SearchPlan(n_folds, *steps, 1.0 - 1.0 / n_folds, 1.0 / n_folds, patience, faster)
    held = min(_HELD_SHARE, _HELD_ROWS / n_samples)
    return SearchPlan(1, *steps, min(1.0 - held, _SEARCH_ROWS / n_samples), held, patience, faster)


def first_as_good(scores: Sequence[float], greater_is_better: bool) -> int:
    """The first round, counted from 1, that scores nearly as well as the best: later rows are less alike than those
    that were held out, and fewer rounds fit less of what will have changed.

    >>> first_as_good([0.7, 0.6001, 0.6, 0.61], False)
    2
    """
    losses = -np.asarray(scores) if greater_is_better else np.asarray(scores)
    best = np.nanmin(losses)
    return int(np.flatnonzero(losses <= best + _NEARLY * abs(best))[0]) + 1


def choose(
    best: int,
    plan: SearchPlan,
    n_samples: int,
    learning_rate: float | None,
    n_outputs: int,
    more_rows: bool = True,
    is_classes: bool = False,
    level: Level = LEVELS[DEFAULT_LEVEL],
) -> Chosen:
    """Rounds and rate of the fit on all rows, after a search whose best round was `best`.

    `more_rows`: the additional rows are like those of the search, and support more rounds.

    >>> plan = plan_search(10_000, None)
    >>> choose(50, plan, 10_000, None, 1)
    Chosen(n_rounds=275, learning_rate=0.02)
    >>> choose(400, plan, 10_000, None, 1)
    Chosen(n_rounds=1100, learning_rate=0.04)
    >>> choose(400, plan, 10_000, None, 1, is_classes=True)
    Chosen(n_rounds=550, learning_rate=0.08)
    >>> choose(400, plan_search(10_000, 0.1), 10_000, 0.1, 1)
    Chosen(n_rounds=440, learning_rate=0.1)
    >>> choose(40, plan_search(10_000, None, 3), 10_000, None, 3)  # at 0.3
    Chosen(n_rounds=660, learning_rate=0.02)
    """
    best, rate = round(best * plan.faster), plan.learning_rate / plan.faster
    fewer = 1.0 if plan.n_folds > 1 else max(1.0, (1.0 - _HELD_SHARE) / plan.kept_share)
    alike = best * (_MORE_ROWS if more_rows else 1.0) * math.sqrt(math.sqrt(fewer))
    most = _most_rounds(n_samples, learning_rate)
    if learning_rate is not None:
        return Chosen(_between(1, round(alike), most), learning_rate)
    wanted = level.rounds_wanted * min(1.0, 2.0 / n_outputs)
    if is_classes and n_outputs == 1:
        wanted = min(wanted, _OF_TWO_CLASSES)
    step = min(1.0, max(level.smallest_step, best / wanted))
    n_rounds = max(1, round(alike / step))
    if n_rounds > most:  # fewer steps are larger ones
        n_rounds, step = most, min(1.0, alike / most)
    return Chosen(n_rounds, round(rate * step, 6))


def good_members(scores: Sequence[float], greater_is_better: bool, n_outputs: int = 1) -> list[int]:
    """Which members have held-out scores nearly as good as the best: a mean with much worse ones would lose.

    Of more than two classes, a few held-out rows make most of the loss. Members that are equally good on new rows
    differ by 10 to 20 percent there, so the best one is best by luck, and alone it is often worse than the mean.

    >>> good_members([0.30, 0.33, 0.5], False)
    [0]
    >>> good_members([0.30, 0.33, 0.5], False, n_outputs=3)
    [0, 1]
    """
    losses = -np.asarray(scores) if greater_is_better else np.asarray(scores)
    most = losses.min() + (_NEARLY_AS_GOOD if n_outputs == 1 else _ROUGHLY_AS_GOOD) * abs(losses.min())
    good: list[int] = np.flatnonzero(losses <= most).tolist()
    return good


def in_time(chosen: Chosen, affordable: float, learning_rate: float | None) -> Chosen:
    """As many rounds as there is time for, with larger steps in exchange if the rate was not given."""
    n_rounds = max(1, min(chosen.n_rounds, math.floor(affordable)))
    if learning_rate is not None or n_rounds == chosen.n_rounds:
        return Chosen(n_rounds, chosen.learning_rate)
    rate = min(chosen.learning_rate * chosen.n_rounds / n_rounds, _LARGEST_STEP * CLASSIC_RATE)
    return Chosen(n_rounds, max(rate, chosen.learning_rate))


def _most_rounds(n_samples: int, learning_rate: float | None) -> int:
    """What keeps the time of a fit within bounds: at a rate that is given, as many steps as at ours."""
    most = max(_CELLS // n_samples, 350)
    return round(most * max(1.0, CLASSIC_RATE / (learning_rate or CLASSIC_RATE)))


def _between(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))


# ----------------------------------------------------------------------------------------------------------------------
# The loss of rows held out, where a few of them would drown all others.
#
# In: an evaluation set and its raw scores. Out: the mean of their losses, each cut off at what half of them do not
# pass. Rounds are chosen by it, not trees, and only where the last hundredth of the rows makes nine tenths of the loss:
# an outlier of a million, counts without bounds.
#
# Losses of counts and amounts leave out a constant, and may be negative: what is cut off and compared is how much they
# exceed the loss of a perfect prediction, half the deviance.


_MOST, _HALF = 0.99, 0.5
_LEAST_SHARE = 0.1
_TINY = 1e-300  # in place of zero, whose logarithm there is none of


class Typical(NamedTuple):
    """Metrics: the loss where no row counts for more than 99 of 100 have, and for more than half of them have; and the
    loss of all, which is zero or more."""

    most: Metric
    half: Metric
    whole: Metric

    def is_needed(self, curves: dict[str, list[float]]) -> bool:
        """Whether, after the last round, a few rows made nearly all of the loss."""
        return curves[self.most.name][-1] < _LEAST_SHARE * curves[self.whole.name][-1]


def typical_losses(loss: Any, whole: Metric, team: Team) -> Typical:
    """The metrics of a loss; `whole` is its own, for losses that are never negative."""
    shares = [("most", _MOST), ("typical", _HALF), *([("excess", 1.0)] if has_log_link(loss) else [])]
    found = [_cut_off(name, share, loss, team, whole.factor) for name, share in shares]
    return Typical(*found, *([] if has_log_link(loss) else [whole]))


def _cut_off(name: str, share: float, loss: Any, team: Team, factor: float) -> Metric:
    least: dict[int, np.ndarray] = {}  # by set, the losses of perfect predictions

    def of_set(one: EvalSet, booster: Callable[[], Any]) -> float:
        losses = raw_losses(loss, one.scores, one.y, team)
        if has_log_link(loss):
            if id(one) not in least:
                least[id(one)] = raw_losses(loss, logs_of(np.maximum(one.y, _TINY))[None, :], one.y, team)
            losses = np.maximum(losses - least[id(one)], 0.0)
        if not np.isfinite(losses).all() or losses.min() < 0.0:  # a loss of the user's may be anything
            return math.inf
        return factor * exact_mean(np.minimum(losses, _high(losses, one.weights, share)), one.weights)

    return Metric(name, None, False, of_set)


def _high(losses: np.ndarray, weights: Weights, share: float) -> float:
    """The loss that this share of the samples does not pass."""
    if weights.counts is None:
        place = max(0, math.ceil(share * len(losses)) - 1)
        return float(np.partition(losses, place)[place])
    order = np.argsort(losses)
    samples = np.cumsum(weights.counts[order])
    return float(losses[order[np.searchsorted(samples, share * samples[-1])]])


Scores = dict[str, dict[str, list[float]]]


class Fold:
    """One fold's boosting, and its scores on some sets of rows."""

    def __init__(
        self, rounds: Rounds, sets: Sequence[EvalSet], metrics: Sequence[Metric], rows: np.ndarray | None = None
    ) -> None:
        self.rounds, self.rows = rounds, rows  # `rows`: numbers of those of the first set
        start_sets(sets, rounds.task, rounds.begun)
        self.watch = Watch(sets, metrics, [], rounds.task, rounds.team)
        self._kept, self._best = 0, np.empty_like(sets[0].scores)

    def step(self) -> None:
        """One more round."""
        self.watch(self.rounds, self.rounds.step())

    def keep(self) -> None:
        """Remember the raw scores of the first set as they are now."""
        self._kept = self.rounds.n_rounds
        np.copyto(self._best, self.watch.sets[0].scores)

    def scores_after(self, n_rounds: int) -> np.ndarray:
        """The raw scores of the first set after so many rounds; afterwards the set has them, too."""
        if self._kept != n_rounds:
            start_sets(self.watch.sets[:1], self.rounds.task, self.rounds.booster().cut(n_rounds))
            return self.watch.sets[0].scores
        return self._best


def advance(
    folds: Sequence[Fold],
    metric: Metric,
    n_rounds: int,
    patience: int,
    team: Team,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    typical: Typical | None = None,
    flat: float = 0.0,
    insists: bool = False,
) -> tuple[int, Scores]:
    """Run the rounds of all folds until the mean of the metric on their first sets no longer improves.

    Returns the best round, counted from 1, and the means over the folds: set -> metric -> one value per round.
    Without a single finite score the best round is 0, or with `insists` there is an error. `stop` is asked after each
    round; a curve that moves by less than the share `flat` in `patience` rounds ends it as
    well. `typical` is what to go by where a few rows drown the others.
    """
    first = folds[0].watch.sets[0].name
    stopping = EarlyStopping(first, metric, patience, 0.0, insists=insists)
    level = metric if typical is None else typical.whole  # what is flat is measured by it: zero is the least there is
    begun, info = time.perf_counter(), None
    means: Scores = {}
    for number in range(1, n_rounds + 1):
        _one_more_round(folds, team)
        _add_means(folds, means)
        curves = means[first]
        if typical is not None and typical.is_needed(curves):
            metric, level, typical = typical.half, typical.half, None
            stopping = EarlyStopping(first, metric, patience, 0.0, insists=insists)
            stopping.go_on_from({first: {metric.name: curves[metric.name][:-1]}}, 0)
        info = Round(number, n_rounds, means, time.perf_counter() - begun)
        if progress is not None:
            progress(info)
        is_over = stop is not None and stop()
        is_last = stopping(info)
        if stopping.best_round == number:
            for fold in folds:
                fold.keep()
        if is_last or is_over or _is_flat(curves[level.name], patience, flat):
            break
    if progress is not None:
        progress.close(info)
    return stopping.best_round, means


def _one_more_round(folds: Sequence[Fold], team: Team) -> None:
    """Of every fold; side by side where each grows its trees in one thread."""
    if folds[0].rounds.team is team:
        for fold in folds:
            fold.step()
    else:
        for fold, trees in zip(folds, team.each(lambda fold: fold.rounds.step(), folds)):
            fold.watch(fold.rounds, trees)


def _is_flat(curve: Sequence[float], patience: int, flat: float) -> bool:
    """Whether the last rounds have hardly changed anything."""
    if flat == 0.0 or len(curve) <= patience:
        return False
    return abs(curve[-1 - patience] - curve[-1]) < flat * abs(curve[-1])


def _add_means(folds: Sequence[Fold], means: Scores) -> None:
    for name, metrics in folds[0].watch.scores.items():
        for key in metrics:
            mean = float(np.mean([fold.watch.scores[name][key][-1] for fold in folds]))
            means.setdefault(name, {}).setdefault(key, []).append(mean)
