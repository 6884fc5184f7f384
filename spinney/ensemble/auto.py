"""Rounds, learning rate and tree size that follow from the table: what boosting does unless it is told.

In:  how many samples, columns and classes a table has. Out: `TreeSize`, a `SearchPlan`, and, once the search has said
how many rounds are best at its learning rate, the `Chosen` rounds and rate of the fit on all rows.

The search boosts with some rows held out, at a high rate, until they are predicted no better. The fit on all rows then
takes smaller steps, and more of them in proportion. Figures in here were chosen on twenty tables of 1,000 to 20,000
rows; on most of them twice or half of any of these changes the loss by less than one percent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

CLASSIC_RATE, CLASSIC_ROUNDS = 0.1, 100  # where nothing is searched for
FEWEST = 100  # samples, below which no rows can be spared to choose by
MOST_ROUNDS = 1_500  # of a search, at its rate
_FEWEST_ROUNDS = 500  # the same with many trees per round
_SOME_CLASSES = 5  # trees per round above which two folds are left out: half of the time, and as good rounds
PATIENCE = 30  # rounds without improvement that end a search
FLAT = 1e-4  # an improvement in so many rounds of less than this share ends it, too
_MORE_ROWS = 1.1  # the fit on all rows stands more rounds than the search did
_SEARCH_ROWS, _HELD_ROWS = 100_000, 20_000  # at most so many rows are searched on and judged by
_HELD_SHARE = 0.15
_ROUNDS_WANTED = 1_000  # of the fit on all rows; fewer if they would take steps this much smaller than the search's
_SMALLEST_STEP = 0.2
_LARGEST_STEP = 2.0
_CELLS = 350_000_000  # rows times rounds that a fit may have; more only where the table has few rows


class TreeSize(NamedTuple):
    """How large trees are, and how many columns each split looks at."""

    max_leaves: int
    min_samples: int
    min_category: int
    column_share: float


class SearchPlan(NamedTuple):
    """How to find the number of rounds."""

    n_folds: int  # 1: one part of the rows is held out
    learning_rate: float
    n_rounds: int  # at most
    kept_share: float  # of all rows, to learn from; of folds what is left
    held_share: float


class Chosen(NamedTuple):
    """What to fit on all rows."""

    n_rounds: int
    learning_rate: float


def tree_size(n_samples: int, n_columns: int, rarest: int) -> TreeSize:
    """By the table: more leaves where there are more samples, leaves as small as the rarest class needs.

    >>> tree_size(20_000, 10, 20_000)
    TreeSize(max_leaves=48, min_samples=5, min_category=20, column_share=0.5)
    >>> tree_size(14, 4, 5)
    TreeSize(max_leaves=12, min_samples=1, min_category=1, column_share=1.0)
    """
    return TreeSize(
        max_leaves=_between(12, n_samples // 400, 48),
        min_samples=_between(1, min(n_samples // 50, rarest // 4), 5),
        min_category=_between(1, n_samples // 200, 20),
        column_share=min(1.0, max(0.5, 4.0 / n_columns)),
    )


def classic_size(n_samples: int) -> TreeSize:
    """Where the number of rounds is given: 31 leaves of 20 samples, or of less where a table is too small for that."""
    least = _between(1, n_samples // 10, 20)
    return TreeSize(31, least, least, 1.0)


def plan_search(n_samples: int, learning_rate: float | None, n_outputs: int = 1) -> SearchPlan | None:
    """How to search for the number of rounds, at a learning rate that is given or not; None: not at all."""
    if n_samples < FEWEST:
        return None
    n_folds = (5 if n_outputs <= _SOME_CLASSES else 3) if n_samples < 2_000 else 3 if n_samples < 5_000 else 1
    rate = CLASSIC_RATE if learning_rate is None else learning_rate
    share = min(1.0, 3.0 / n_outputs, 2.0 / (1.0 + n_folds))  # many trees per round, or few rows
    trees = max(_FEWEST_ROUNDS, MOST_ROUNDS * share)
    most = min(round(trees * max(1.0, CLASSIC_RATE / rate)), _most_rounds(n_samples, learning_rate))
    if n_folds > 1:
        return SearchPlan(n_folds, rate, most, 1.0 - 1.0 / n_folds, 1.0 / n_folds)
    held = min(_HELD_SHARE, _HELD_ROWS / n_samples)
    return SearchPlan(1, rate, most, min(1.0 - held, _SEARCH_ROWS / n_samples), held)


def choose(best: int, plan: SearchPlan, n_samples: int, learning_rate: float | None, n_outputs: int) -> Chosen:
    """Rounds and rate of the fit on all rows, after a search whose best round was `best`.

    >>> plan = plan_search(10_000, None)
    >>> choose(50, plan, 10_000, None, 1)
    Chosen(n_rounds=275, learning_rate=0.02)
    >>> choose(400, plan, 10_000, None, 1)
    Chosen(n_rounds=1100, learning_rate=0.04)
    >>> choose(400, plan_search(10_000, 0.1), 10_000, 0.1, 1)
    Chosen(n_rounds=440, learning_rate=0.1)
    """
    fewer = 1.0 if plan.n_folds > 1 else max(1.0, (1.0 - _HELD_SHARE) / plan.kept_share)
    alike = best * _MORE_ROWS * math.sqrt(math.sqrt(fewer))
    most = _most_rounds(n_samples, learning_rate)
    if learning_rate is not None:
        return Chosen(_between(1, round(alike), most), learning_rate)
    wanted = _ROUNDS_WANTED * min(1.0, 2.0 / n_outputs)
    step = min(1.0, max(_SMALLEST_STEP, best / wanted))
    n_rounds = max(1, round(alike / step))
    if n_rounds > most:  # fewer steps are larger ones
        n_rounds, step = most, min(1.0, alike / most)
    return Chosen(n_rounds, round(plan.learning_rate * step, 6))


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
