"""Do rows close together resemble each other? Then rows held out at random are predicted too well.

In: the targets, in the order of the rows. Out: rows for two short fits, and a verdict from their losses.

    the table       |..........SSS..........SSS..........SSS..........SSS|     S: four stretches, a quarter of the rows
    in stretches    learns from all other rows
    at random       learns from as many rows, half of the stretches among them

Both predict the other half of the stretches, and as many rows from between them. If the first fit is the worse one in
the stretches only, it lacks their neighbours; if it is worse everywhere, that is chance. Nothing here changes a model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

N_ROUNDS, LEARNING_RATE = 12, 0.3  # of the two fits
FEWEST, _MOST = 1_000, 6_000  # rows in the table; rows looked at
_N_STRETCHES, _SHARE = 4, 0.25
_WORSE, _CERTAIN = 1.1, 4.5  # how much worse, and by how many standard errors
_TINY = 1e-300
_SORTED = 0.05  # turning points of targets per row, below which rows are sorted by target


class Split(NamedTuple):
    """Rows, by their numbers, ascending."""

    in_stretches: np.ndarray  # to learn from
    at_random: np.ndarray  # likewise
    held_out: np.ndarray  # inside of stretches, to be predicted by both
    between: np.ndarray  # as many outside, likewise


def split_in_stretches(y: np.ndarray, rows: np.ndarray, seed: int) -> Split | None:
    """Of at least `FEWEST` rows; None if they are sorted by target, where every stretch is unlike the others."""
    if _is_sorted(y[rows]):
        return None
    if len(rows) > _MOST:
        rows = rows[np.arange(_MOST) * len(rows) // _MOST]
    n = len(rows)
    length = int(n * _SHARE) // _N_STRETCHES
    ends = np.arange(1, _N_STRETCHES + 1) * n // _N_STRETCHES
    inside = (ends[:, None] - 1 - np.arange(length)).ravel()
    drawn, others = np.random.RandomState(seed), np.setdiff1d(np.arange(n), inside)
    half, held = np.array_split(drawn.permutation(inside), 2)
    others = drawn.permutation(others)
    between, learned = others[: len(held)], others[len(held) :]
    at_random = np.append(learned[len(half) :], half)
    return Split(*(rows[np.sort(part)] for part in (learned, at_random, held, between)))


def _is_sorted(y: np.ndarray) -> bool:
    """Whether targets rarely turn from rising to falling or back, as in a table sorted by target, even in parts."""
    steps = np.sign(np.diff(y))
    steps = steps[steps != 0]
    return int((steps[1:] != steps[:-1]).sum()) < _SORTED * len(y)


class LossPairs(NamedTuple):
    """Of rows that both fits predicted, row by row."""

    in_stretches: np.ndarray
    at_random: np.ndarray


def is_worse(held_out: LossPairs, between: LossPairs) -> bool:
    """Whether the fit that knows no neighbours is clearly worse where they matter: a rank-sum test, ratios of means.

    >>> losses = np.linspace(1.0, 2.0, 100)
    >>> same, more = LossPairs(losses, losses), LossPairs(losses * 1.5, losses)
    >>> is_worse(more, same), is_worse(same, same), is_worse(more, more)
    (True, False, False)
    """
    more = [one.in_stretches - one.at_random for one in (held_out, between)]
    ranks = np.argsort(np.argsort(np.concatenate(more), kind="stable"), kind="stable") + 1.0
    n, m = map(len, more)
    score = (ranks[:n].mean() - (n + m + 1) / 2) / np.sqrt(m * (n + m + 1) / (12 * n))
    ratio, by_chance = (one.in_stretches.mean() / max(one.at_random.mean(), _TINY) for one in (held_out, between))
    return bool(score > _CERTAIN and ratio > _WORSE * max(1.0, by_chance))
