"""Conformal prediction row by row, in plain Python: ranks by counting, members by loops."""

from fractions import Fraction
from math import inf


def quantile(scores, level, counts=None, own=1):
    """The smallest score that at least `level` of the weight does not exceed, a new row of infinite score included."""
    counts = [1] * len(scores) if counts is None else list(counts)
    total = sum(counts) + own
    for one in sorted(set(scores)):
        if Fraction(sum(c for s, c in zip(scores, counts) if s <= one), total) >= Fraction(str(level)):
            return one
    return inf


def time_ranks(times):
    """How many rows are not later than each."""
    return [sum(other <= one for other in times) for one in times]


def plus_interval(answers, unseen, residuals, level):
    """Jackknife+ for one new row: `answers` of the members, `unseen[i][m]`: member m has not seen row i."""
    lows, highs = [], []
    for row, residual in zip(unseen, residuals):
        mine = [answer for answer, free in zip(answers, row) if free]
        mean = sum(mine) / len(mine)
        lows.append(-(mean - residual))
        highs.append(mean + residual)
    return -quantile(lows, level), quantile(highs, level)


def members_of_set(probabilities, scores, level):
    """Numbers of the classes that are not too unlikely."""
    most = quantile(scores, level)
    return [k for k, p in enumerate(probabilities) if 1.0 - p <= most]
