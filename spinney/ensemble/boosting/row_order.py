"""Do rows close together resemble each other? Then rows held out at random are predicted too well.

In: the targets, in the order of the rows. Out: rows for two short fits, and a verdict from their losses.

    the table       |..........SSS..........SSS..........SSS..........SSS|     S: four stretches, a quarter of the rows
    in stretches    learns from all other rows
    at random       learns from as many rows, half of the stretches among them

Both predict the other half of the stretches. Of shuffled rows both predict equally well. Nothing here changes a model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

N_ROUNDS, LEARNING_RATE = 12, 0.3  # of the two fits
FEWEST, _MOST = 1_000, 6_000  # rows in the table; rows looked at
_N_STRETCHES, _SHARE = 4, 0.25
_WORSE, _CERTAIN = 1.1, 4.5  # how much worse, and by how many standard errors
_SORTED = 0.05  # turning points of targets per row, below which rows are sorted by target


class Split(NamedTuple):
    """Rows, by their numbers, ascending."""

    in_stretches: np.ndarray  # to learn from
    at_random: np.ndarray  # likewise
    held_out: np.ndarray  # to be predicted by both


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
    in_exchange = drawn.permutation(others)[len(half) :]
    return Split(rows[others], rows[np.sort(np.append(in_exchange, half))], rows[np.sort(held)])


def _is_sorted(y: np.ndarray) -> bool:
    """Whether targets rarely turn from rising to falling or back, as in a table sorted by target, even in parts."""
    steps = np.sign(np.diff(y))
    steps = steps[steps != 0]
    return int((steps[1:] != steps[:-1]).sum()) < _SORTED * len(y)


def is_worse(in_stretches: np.ndarray, at_random: np.ndarray) -> bool:
    """Whether the first losses, row by row, clearly exceed the second: a signed-rank test, and a ratio of means.

    >>> losses = np.linspace(1.0, 2.0, 100)
    >>> is_worse(losses * 1.5, losses), is_worse(losses * 1.05, losses), is_worse(losses[::-1], losses)
    (True, False, False)
    """
    more = in_stretches - at_random
    ranks = np.argsort(np.argsort(np.abs(more), kind="stable"), kind="stable") + 1.0
    score = (np.sign(more) * ranks).sum() / np.sqrt((ranks**2).sum())
    return bool(score > _CERTAIN and in_stretches.mean() > _WORSE * at_random.mean())
