"""From raw scores to each row's gradient and hessian, and from leaves back to scores: the loops around the losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import allocating_kernel, inner_kernel, kernel, kernel_each
from spinney._team import Team, next_chunk
from spinney.criteria.exp_log import exp, log
from spinney.criteria.losses import derivatives, is_builtin, softmax_derivatives, value
from spinney.data.remote_table import Together
from spinney.data.weights import Weights
from spinney.grow.boosting.statistics import FAR, N_EXPONENTS

_CHUNK = 4096  # rows: scores and derivatives of a chunk stay in the cache for its second pass
LOSSES_OF_PART = 128  # that are added up before they are put together with others
_HUGE = 1e38
_HUGE_BITS = int(np.float32(_HUGE).view(np.int32))  # beyond it, infinite and NaN
_NO_WEIGHTS = np.empty(0)
_NO_COUNTS = np.empty(0, np.int64)
_NO_BITS = np.empty(0, np.int32)
_MAX_GRADIENT, _MAX_HESSIAN, _MIN_HESSIAN, _GRADIENT_EXPONENTS, _HESSIAN_EXPONENTS = range(5)
_SUMMARY = 5
_UNLIKE = FAR.bit_length() - 2  # bits between the largest and the geometric mean; one is lost to whole exponents


def _fill(rank, size, sync, loss, raw, y, importance, counts, out, bits, summary):
    """out[2 i], out[2 i + 1] = gradient, hessian of row i, weighted; extremes of their bits in summary[rank]."""
    for part in range(_SUMMARY):
        summary[rank, part] = 0
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= raw.size:
            return
        end = min(raw.size, begin + _CHUNK)
        # slices, since LLVM vectorises only loops whose indices it knows not to be negative
        scores, targets, part = raw[begin:end], y[begin:end], out[2 * begin : 2 * end]
        for i in range(scores.size):
            gradient, hessian = derivatives(loss, scores[i], targets[i])
            part[2 * i] = gradient
            part[2 * i + 1] = hessian
        _weigh(begin, end, importance, counts, part)
        _summarise(bits[2 * begin : 2 * end], summary[rank])


_fill_builtin = kernel(_fill)
_fill_custom = kernel_each(_fill)


@kernel
def _fill_softmax(rank, size, sync, raw, log_total, target, k, importance, counts, out, bits, summary):
    """`_fill` for class k of many: probability = exp(raw - log of the sum of all classes' exp(raw))."""
    for part in range(_SUMMARY):
        summary[rank, part] = 0
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= raw.size:
            return
        end = min(raw.size, begin + _CHUNK)
        scores, totals, classes = raw[begin:end], log_total[begin:end], target[begin:end]
        part = out[2 * begin : 2 * end]
        for i in range(scores.size):
            is_class = 1.0 if classes[i] == k else 0.0
            gradient, hessian = softmax_derivatives(exp(scores[i] - totals[i]), is_class)
            part[2 * i] = gradient
            part[2 * i + 1] = hessian
        _weigh(begin, end, importance, counts, part)
        _summarise(bits[2 * begin : 2 * end], summary[rank])


@inner_kernel
def _weigh(begin, end, importance, counts, out):
    """Scale by importance; rows that do not count are nothing."""
    if importance.size:
        weights = importance[begin:end]
        for i in range(weights.size):
            out[2 * i] *= weights[i]
            out[2 * i + 1] *= weights[i]
    if counts.size:
        for i in range(end - begin):
            if counts[begin + i] == 0:
                out[2 * i] = out[2 * i + 1] = 0.0


@inner_kernel
def _summarise(bits, summary):
    """Largest |gradient|, largest and smallest hessian, by their bits: as integers they sort like the numbers,
    with infinity and NaN above all. And the sums of their exponents."""
    gradient, hessian, lowest = np.int32(0), np.int32(0), np.int32(0)
    gradient_exponents = hessian_exponents = np.int32(0)
    for i in range(bits.size // 2):
        size = bits[2 * i] & np.int32(0x7FFFFFFF)
        gradient = size if size > gradient else gradient
        value = bits[2 * i + 1]
        hessian = value if value > hessian else hessian
        lowest = value if value < lowest else lowest
        gradient_exponents += size >> np.int32(23)
        hessian_exponents += value >> np.int32(23)
    summary[_MAX_GRADIENT] = max(summary[_MAX_GRADIENT], gradient)
    summary[_MAX_HESSIAN] = max(summary[_MAX_HESSIAN], hessian)
    summary[_MIN_HESSIAN] = min(summary[_MIN_HESSIAN], lowest)
    summary[_GRADIENT_EXPONENTS] += gradient_exponents
    summary[_HESSIAN_EXPONENTS] += hessian_exponents


@kernel
def _find_extremes(rank, size, sync, derivatives, out):
    """out[rank] = largest |gradient|, largest hessian, 1 if one is too large, not finite, or a negative hessian."""
    gradient, hessian, is_wrong = 0.0, 0.0, 0.0
    while True:
        begin = next_chunk(sync) * _CHUNK
        if 2 * begin >= derivatives.size:
            break
        for i in range(begin, min(derivatives.size // 2, begin + _CHUNK)):
            g, h = abs(derivatives[2 * i]), derivatives[2 * i + 1]
            gradient, hessian = max(gradient, g), max(hessian, h)
            if not (g < _HUGE and h >= 0.0 and h < _HUGE):
                is_wrong = 1.0
    out[rank, 0], out[rank, 1], out[rank, 2] = gradient, hessian, is_wrong


@kernel
def _count_exponents(rank, size, sync, bits, counts, out):
    """out[rank] (2, 256) = how many gradients, hessians have each exponent."""
    for e in range(N_EXPONENTS):
        out[rank, 0, e] = out[rank, 1, e] = 0
    while True:
        begin = next_chunk(sync) * _CHUNK
        if 2 * begin >= bits.size:
            return
        for i in range(begin, min(bits.size // 2, begin + _CHUNK)):
            times = counts[i] if counts.size else np.int64(1)
            out[rank, 0, (bits[2 * i] >> 23) & 0xFF] += times
            out[rank, 1, (bits[2 * i + 1] >> 23) & 0xFF] += times


@allocating_kernel
def _fill_log_total(rank, size, sync, raw, out):
    """out[i] = log of the sum over classes of exp(raw[class, i])."""
    n_classes, n_rows = raw.shape
    while True:
        begin = next_chunk(sync) * 1024
        if begin >= n_rows:
            return
        end = min(n_rows, begin + 1024)
        largest = raw[0, begin:end].copy()
        for k in range(1, n_classes):
            for i in range(end - begin):
                other = raw[k, begin + i]
                largest[i] = other if other > largest[i] else largest[i]
        total = np.zeros(end - begin)
        for k in range(n_classes):
            for i in range(end - begin):
                total[i] += exp(raw[k, begin + i] - largest[i])
        for i in range(end - begin):
            out[begin + i] = largest[i] + log(total[i])


class Largest(NamedTuple):
    """The extremes of all rows' derivatives."""

    gradient: float
    hessian: float
    impossible: bool  # a value is not finite, or a hessian negative
    exponents: np.ndarray | None = None  # (2, 256): how many have each exponent; None: none is far from the others


def fill_derivatives(
    team: Team,
    loss: Any,
    raw: np.ndarray,
    y: np.ndarray,
    weights: Weights,
    out: np.ndarray,
    others: Together | None = None,
) -> Largest:
    """Fill `out` (rows, 2), float32 or float64, with gradients and hessians; extremes are those of all machines."""
    summary = np.empty((team.size, _SUMMARY), np.int64)
    counts, importance = _arrays(weights)
    entry, compiled = (_fill_builtin, loss) if is_builtin(loss) else (_fill_custom(loss.derivatives), loss.derivatives)
    flat = out.reshape(-1)
    team.run(entry, compiled, raw, y, importance, counts, flat, _bits_of(flat), summary)
    return _largest(team, summary, flat, counts, others)


def fill_class_derivatives(
    team: Team,
    raw: np.ndarray,
    log_total: np.ndarray,
    target: np.ndarray,
    k: int,
    weights: Weights,
    out: np.ndarray,
    others: Together | None = None,
) -> Largest:
    """The same for class k of a softmax over all classes; `raw` is that class's row of scores."""
    summary = np.empty((team.size, _SUMMARY), np.int64)
    counts, importance = _arrays(weights)
    flat = out.reshape(-1)
    team.run(_fill_softmax, raw, log_total, target, k, importance, counts, flat, _bits_of(flat), summary)
    return _largest(team, summary, flat, counts, others)


def _bits_of(derivatives: np.ndarray) -> np.ndarray:
    """What extremes are found by on the way; those of float64 are found afterwards."""
    return derivatives.view(np.int32) if derivatives.dtype == np.float32 else _NO_BITS


def _largest(
    team: Team, summary: np.ndarray, derivatives: np.ndarray, counts: np.ndarray, others: Together | None
) -> Largest:
    if derivatives.dtype == np.float64:
        extremes = np.zeros((team.size, 3))
        team.run(_find_extremes, derivatives, extremes)
        largest, hessian, is_wrong = extremes.max(axis=0).tolist()
        return Largest(largest, hessian, is_wrong > 0.0)
    n_rows = len(derivatives) // 2
    if others is not None:  # as if their threads were ours
        sizes = n_rows * (np.arange(len(summary)) == 0)
        joined = np.concatenate(others.gather(np.column_stack((summary, sizes))))
        summary, n_rows = joined[:, :-1], int(joined[:, -1].sum())
    if len(summary) == 1:
        whole = summary[0]
    else:
        most, lowest = summary[:, :_MIN_HESSIAN].max(axis=0), summary[:, _MIN_HESSIAN].min()
        whole = np.concatenate((most, [lowest], summary[:, _GRADIENT_EXPONENTS:].sum(axis=0)))

    def count_exponents() -> np.ndarray:
        exponents = np.empty((team.size, 2, N_EXPONENTS), np.int64)
        team.run(_count_exponents, derivatives.view(np.int32), counts, exponents)
        found: np.ndarray = exponents.sum(axis=0)
        return found if others is None else others.sum(found)

    return largest_of(whole, n_rows, counts.size > 0, count_exponents)


def largest_of(
    summary: np.ndarray, n_rows: int, has_counts: bool, count_exponents: Callable[[], np.ndarray]
) -> Largest:
    """`summary` has the bits of the largest gradient, the largest and the smallest hessian, and sums of exponents."""
    most_gradient, most_hessian, lowest, gradient_exponents, hessian_exponents = summary.tolist()
    gradient, hessian = np.array([most_gradient, most_hessian], np.int32).view(np.float32).tolist()
    if max(most_gradient, most_hessian) >= _HUGE_BITS or -(2**31) < lowest < 0:
        return Largest(gradient, hessian, True)
    # Only where the largest is far from the geometric mean it can be from the mean. (Means of rows that count once.)
    most_spread = max(
        n_rows * (most_gradient >> 23) - gradient_exponents, n_rows * (most_hessian >> 23) - hessian_exponents
    )
    if not has_counts and most_spread < _UNLIKE * n_rows:
        return Largest(gradient, hessian, False)
    return Largest(gradient, hessian, False, count_exponents())


def log_totals(team: Team, raw: np.ndarray) -> np.ndarray:
    """Per row, the logarithm of the softmax's denominator; raw is (classes, rows)."""
    out = np.empty(raw.shape[1])
    team.run(_fill_log_total, raw, out)
    return out


def _arrays(weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    counts, importance = weights
    return (_NO_COUNTS if counts is None else counts), (_NO_WEIGHTS if importance is None else importance)


# --- losses of many rows ---------------------------------------------------------------------------------------------


def _values(rank, size, sync, loss, raw, y, out):
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= raw.size:
            return
        end = min(raw.size, begin + _CHUNK)
        scores, targets, part = raw[begin:end], y[begin:end], out[begin:end]
        for i in range(scores.size):
            part[i] = value(loss, scores[i], targets[i])


_values_builtin, _values_custom = kernel(_values), kernel_each(_values)


def loss_values(team: Team, loss: Any, raw: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The loss of every row."""
    out = np.empty(raw.size)
    entry, compiled = (_values_builtin, loss) if is_builtin(loss) else (_values_custom(loss.value), loss.value)
    team.run(entry, compiled, raw, y, out)
    return out


def sum_of_losses(team: Team, loss: Any, raw: np.ndarray, y: np.ndarray, scale: float = 1.0) -> float:
    """The sum of all rows' losses, whatever the number of threads; raw scores are multiplied by `scale`.

    Parts of `LOSSES_OF_PART` rows have eight running sums each. NumPy adds up what the parts sum up to.
    """
    sums, values = np.empty(-(-raw.size // LOSSES_OF_PART)), np.empty((team.size, LOSSES_OF_PART))
    entry, compiled = (_sum_builtin, loss) if is_builtin(loss) else (_sum_custom(loss.value), loss.value)
    team.run(entry, compiled, raw, y, scale, values, sums)
    return float(np.add.reduce(sums))


def _sum_losses(rank, size, sync, loss, raw, y, scale, values, sums):
    numbers, parts = values[rank], _CHUNK // LOSSES_OF_PART
    while True:
        first = next_chunk(sync) * parts
        if first >= sums.size:
            return
        for part in range(first, min(sums.size, first + parts)):
            begin = part * LOSSES_OF_PART
            end = min(raw.size, begin + LOSSES_OF_PART)
            scores, targets = raw[begin:end], y[begin:end]
            for i in range(scores.size):
                numbers[i] = value(loss, scores[i] * scale, targets[i])
            sums[part] = _sum_few(numbers[: scores.size])


_sum_builtin, _sum_custom = kernel(_sum_losses), kernel_each(_sum_losses)


@inner_kernel
def _sum_few(numbers):
    a = b = c = d = e = f = g = h = 0.0
    eights = numbers.size - numbers.size % 8
    for i in range(0, eights, 8):
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


def class_losses(team: Team, raw: np.ndarray, log_total: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The log loss of every row, from raw scores (classes, rows)."""
    out = np.empty(raw.shape[1])
    team.run(_class_values, raw, log_total, y, out)
    return out


@kernel
def _class_values(rank, size, sync, raw, log_total, y, out):
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= out.size:
            return
        for i in range(begin, min(out.size, begin + _CHUNK)):
            out[i] = log_total[i] - raw[np.int64(y[i]), i]


@kernel
def _softmax(raw, log_total, out):
    for k in range(raw.shape[0]):
        for i in range(raw.shape[1]):
            out[i, k] = exp(raw[k, i] - log_total[i])


def softmax(team: Team, raw: np.ndarray) -> np.ndarray:
    """Probabilities (rows, classes) from raw scores (classes, rows)."""
    out = np.empty(raw.shape[::-1])
    _softmax(raw, log_totals(team, raw), out)
    return out


# --- rows and leaves -------------------------------------------------------------------------------------------------


@allocating_kernel
def _renew(rank, size, sync, leaves, start, stop, residuals, weight, quantile, values):
    """values[leaf] = quantile of the leaf's residuals; weights are whole numbers (empty: ones)."""
    while True:
        k = next_chunk(sync)
        if k >= leaves.size:
            return
        leaf = leaves[k]
        order = np.argsort(residuals[start[leaf] : stop[leaf]], kind="mergesort") + start[leaf]
        total = np.int64(0)
        for at in order:
            total += weight[at] if weight.size else 1
        goal = quantile * total
        reached = np.int64(0)
        for i in range(order.size):
            reached += weight[order[i]] if weight.size else 1
            if reached >= goal:
                beyond = i
                if reached == goal and reached < total:  # halfway to the next row that has weight
                    beyond = i + 1
                    while weight.size and weight[order[beyond]] == 0:
                        beyond += 1
                values[leaf] = residuals[order[i]] / 2 + residuals[order[beyond]] / 2
                break


def renew_leaves(
    team: Team,
    leaves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    residuals: np.ndarray,
    weight: np.ndarray,
    quantile: float,
    values: np.ndarray,
) -> None:
    """Set the leaves' values to a quantile of their residuals (laid out by segment)."""
    team.run(_renew, leaves, start, stop, residuals, weight, quantile, values)
