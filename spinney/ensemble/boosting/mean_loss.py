"""The sum of all rows' losses, by all threads, without an array of them.

In: a loss, raw scores and targets. Out: the number that `np.add.reduce` makes of the losses, bit for bit.

    NumPy's order     halves (the first one's length a multiple of eight) of halves ..., down to 128 numbers or fewer;
                      these by eight running sums. A part's sum depends on the numbers in it only.

So threads take parts of some thousand rows, and their sums are put together as NumPy would.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel, kernel_each
from spinney._team import Team, next_chunk
from spinney.criteria.losses import value
from spinney.ensemble.boosting.gradients import is_builtin

_PART = 16_384  # rows that a thread adds up at a time, at most
_FEW = 128  # numbers that are added without halving
_DEPTH = 8  # halvings from a part to so few, and one more


def sum_of_losses(team: Team, loss: Any, raw: np.ndarray, y: np.ndarray, scale: float = 1.0) -> float:
    """The sum over all rows; raw scores are multiplied by `scale`."""
    starts = _starts(0, len(raw))
    sums = np.empty(len(starts))
    values, left = np.empty((team.size, _PART)), np.empty((team.size, _DEPTH))
    entry, compiled = (_add_builtin, loss) if is_builtin(loss) else (_add_custom(loss.value), loss.value)
    lengths = np.empty((team.size, 2, _DEPTH), np.int64)
    team.run(entry, compiled, raw, y, scale, np.array([*starts, len(raw)]), values, left, lengths, sums)
    return _put_together(iter(sums.tolist()), len(raw))


def _starts(begin: int, n: int) -> list[int]:
    """Where parts begin."""
    if n <= _PART:
        return [begin]
    half = _half(n)
    return _starts(begin, half) + _starts(begin + half, n - half)


def _put_together(sums: Any, n: int) -> float:
    if n <= _PART:
        return float(next(sums))
    half = _half(n)
    first = _put_together(sums, half)
    return first + _put_together(sums, n - half)


def _half(n: int) -> int:
    return n // 2 - n // 2 % 8


def _add(rank, size, sync, loss, raw, y, scale, starts, values, left, lengths, sums):
    while True:
        k = next_chunk(sync)
        if k >= sums.size:
            return
        scores, targets, part = raw[starts[k] : starts[k + 1]], y[starts[k] : starts[k + 1]], values[rank]
        for i in range(scores.size):
            part[i] = value(loss, scores[i] * scale, targets[i])
        sums[k] = pairwise_sum(part[: scores.size], left[rank], lengths[rank, 0], lengths[rank, 1])


_add_builtin, _add_custom = kernel(_add), kernel_each(_add)


@inner_kernel
def pairwise_sum(numbers, left, length, is_right):
    """NumPy's sum of numbers; the other three are room for as many halvings as there are."""
    begin, depth = 0, 0
    length[0] = numbers.size
    while True:
        n = length[depth]
        if n > _FEW:
            is_right[depth] = 0
            depth += 1
            length[depth] = n // 2 - n // 2 % 8
            continue
        total = _sum_few(numbers[begin : begin + n])
        begin += n
        while depth > 0 and is_right[depth - 1]:
            depth -= 1
            total = left[depth] + total
        if depth == 0:
            return total
        left[depth - 1], is_right[depth - 1] = total, 1
        length[depth] = length[depth - 1] - length[depth]


@inner_kernel
def _sum_few(numbers):
    if numbers.size < 8:
        total = 0.0
        for i in range(numbers.size):
            total += numbers[i]
        return total
    a, b, c, d = numbers[0], numbers[1], numbers[2], numbers[3]
    e, f, g, h = numbers[4], numbers[5], numbers[6], numbers[7]
    eights = numbers.size - numbers.size % 8
    for i in range(8, eights, 8):
        a += numbers[i]
        b += numbers[i + 1]
        c += numbers[i + 2]
        d += numbers[i + 3]
        e += numbers[i + 4]
        f += numbers[i + 5]
        g += numbers[i + 6]
        h += numbers[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(eights, numbers.size):
        total += numbers[i]
    return total
