"""From raw scores to each row's gradient and hessian, and from leaves back to scores: the loops around the losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._jit import allocating_kernel, kernel, uncached_kernel
from spinney._random import mix
from spinney._team import Team, next_chunk
from spinney.criteria.elementary import exp, log
from spinney.criteria.losses import FORMULAS, derivatives, response, softmax_derivatives, value
from spinney.data.weights import Weights

_CHUNK = 16384
_HUGE = 1e38  # what float32 still holds
_NO_WEIGHTS = np.empty(0)
_NO_COUNTS = np.empty(0, np.int64)
MAX_GRADIENT, MAX_HESSIAN, BAD_ROW = range(3)


def _fill(rank, size, sync, loss, raw, y, importance, counts, out, summary):
    """out[i] = (gradient, hessian) of row i, weighted; summary[rank] = largest of each, and a row gone bad (or -1)."""
    largest_gradient = largest_hessian = np.float32(0.0)
    bad = -1
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= raw.size:
            break
        end = min(raw.size, begin + _CHUNK)
        for i in range(begin, end):
            gradient, hessian = derivatives(loss, raw[i], y[i])
            if importance.size:
                gradient *= importance[i]
                hessian *= importance[i]
            if counts.size and counts[i] == 0:
                gradient = hessian = 0.0
            out[i, 0] = gradient
            out[i, 1] = hessian
        for i in range(begin, end):
            gradient, hessian = abs(out[i, 0]), out[i, 1]
            largest_gradient = gradient if gradient > largest_gradient else largest_gradient
            largest_hessian = hessian if hessian > largest_hessian else largest_hessian
            if not (gradient < _HUGE and hessian >= 0.0 and hessian < _HUGE):
                bad = i
    summary[rank, MAX_GRADIENT] = largest_gradient
    summary[rank, MAX_HESSIAN] = largest_hessian
    summary[rank, BAD_ROW] = bad


_fill_builtin = kernel(_fill)
_fill_custom = uncached_kernel(_fill)


@kernel
def _fill_softmax(rank, size, sync, raw, log_total, target, k, importance, counts, out, summary):
    """`_fill` for class k of many: probability = exp(raw - log of the sum of all classes' exp(raw))."""
    largest_gradient = largest_hessian = np.float32(0.0)
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= raw.size:
            break
        end = min(raw.size, begin + _CHUNK)
        for i in range(begin, end):
            gradient, hessian = softmax_derivatives(exp(raw[i] - log_total[i]), 1.0 if target[i] == k else 0.0)
            if importance.size:
                gradient *= importance[i]
                hessian *= importance[i]
            if counts.size and counts[i] == 0:
                gradient = hessian = 0.0
            out[i, 0] = gradient
            out[i, 1] = hessian
        for i in range(begin, end):
            gradient, hessian = abs(out[i, 0]), out[i, 1]
            largest_gradient = gradient if gradient > largest_gradient else largest_gradient
            largest_hessian = hessian if hessian > largest_hessian else largest_hessian
    summary[rank, MAX_GRADIENT] = largest_gradient
    summary[rank, MAX_HESSIAN] = largest_hessian
    summary[rank, BAD_ROW] = -1


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


def is_builtin(loss: Any) -> bool:
    return type(loss) in FORMULAS


def fill_derivatives(
    team: Team, loss: Any, raw: np.ndarray, y: np.ndarray, weights: Weights, out: np.ndarray
) -> tuple[float, float, int]:
    """Fill `out` (rows, 2); returns the largest |gradient| and hessian, and a row with an impossible value or -1."""
    summary = np.empty((team.size, 3))
    counts, importance = _arrays(weights)
    if is_builtin(loss):
        team.run(_fill_builtin, loss, raw, y, importance, counts, out, summary)
    else:
        team.run(_fill_custom, loss.derivatives, raw, y, importance, counts, out, summary)
    return _summarise(summary)


def fill_class_derivatives(
    team: Team, raw: np.ndarray, log_total: np.ndarray, target: np.ndarray, k: int, weights: Weights, out: np.ndarray
) -> tuple[float, float, int]:
    """The same for class k of a softmax over all classes; `raw` is that class's row of scores."""
    summary = np.empty((team.size, 3))
    counts, importance = _arrays(weights)
    team.run(_fill_softmax, raw, log_total, target, k, importance, counts, out, summary)
    return _summarise(summary)


def log_totals(team: Team, raw: np.ndarray) -> np.ndarray:
    """Per row, the logarithm of the softmax's denominator; raw is (classes, rows)."""
    out = np.empty(raw.shape[1])
    team.run(_fill_log_total, raw, out)
    return out


def _arrays(weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    counts, importance = weights
    return (_NO_COUNTS if counts is None else counts), (_NO_WEIGHTS if importance is None else importance)


def _summarise(summary: np.ndarray) -> tuple[float, float, int]:
    largest = summary.max(axis=0)
    return float(largest[MAX_GRADIENT]), float(largest[MAX_HESSIAN]), int(largest[BAD_ROW])


# --- predictions and losses of many rows -----------------------------------------------------------------------------


def _respond(loss, raw, out):
    for i in range(raw.size):
        out[i] = response(loss, raw[i])


def _values(loss, raw, y, out):
    for i in range(raw.size):
        out[i] = value(loss, raw[i], y[i])


_respond_builtin, _respond_custom = kernel(_respond), uncached_kernel(_respond)
_values_builtin, _values_custom = kernel(_values), uncached_kernel(_values)


def respond(loss: Any, raw: np.ndarray) -> np.ndarray:
    """Predictions of raw scores."""
    out = np.empty(raw.size)
    if is_builtin(loss):
        _respond_builtin(loss, raw, out)
    else:
        _respond_custom(loss.response, raw, out)
    return out


def loss_values(loss: Any, raw: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The loss of every row."""
    out = np.empty(raw.size)
    if is_builtin(loss):
        _values_builtin(loss, raw, y, out)
    else:
        _values_custom(loss.value, raw, y, out)
    return out


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


@kernel
def _choose_rows(key, limit, counts, out):
    n = 0
    for i in range(out.size):
        out[n] = i
        n += (mix(key, i) < limit) & (counts[i] > 0 if counts.size else True)
    return n


def choose_rows(key: int, share: float, counts: np.ndarray | None, n_rows: int) -> np.ndarray:
    """The rows of one tree: each of those that count is taken with probability `share`, by a hash of its number."""
    out = np.empty(n_rows, np.int32)
    limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    return out[: _choose_rows(np.uint64(key), limit, _NO_COUNTS if counts is None else counts, out)]


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
                beyond = i + 1 if reached == goal and i + 1 < order.size else i
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
