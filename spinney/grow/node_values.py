"""What the nodes of a grown tree say: answers, impurity and weight, from the target of their rows.

In: a `Target` and the nodes' rows. Out: arrays over the nodes. Nothing is decided here. Sums over a leaf's rows are
taken again, of whole numbers, so that the order of the rows does not matter, and added up to the root.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.exp_log import log
from spinney.criteria.impurity import (
    ABSOLUTE,
    GINI,
    OF_CLASSES,
    OF_NUMBERS,
    POISSON,
    SQUARED,
    check_branches,
    class_impurity,
)
from spinney.data.presort import ROW, merge
from spinney.data.target import Target
from spinney.grow.targets import fixed_numbers, fixed_weights

_SUM_BITS, _FINEST = 61, 1000  # of the whole numbers that a leaf's errors are added up in
_TURN = 0.36787944117144233  # 1 / e: y log y falls up to here


class NodeRows(NamedTuple):
    """Nodes in preorder."""

    begin: np.ndarray  # int64: a node's rows are rows[begin:end]
    end: np.ndarray
    is_leaf: np.ndarray  # bool
    parent: np.ndarray  # int64
    rows: np.ndarray  # int64: rows in the order of the leaves


check_branches("describe", OF_NUMBERS, ABSOLUTE, POISSON, SQUARED)


def describe(target: Target, criterion: int, shape: NodeRows, lists: np.ndarray) -> tuple[np.ndarray, ...]:
    """(answers, impurity, weight) of every node."""
    if target.labels is not None:
        return _describe_classes(target, criterion, shape)
    return _describe_numbers(target, criterion, shape, lists)


def _describe_classes(target: Target, criterion: int, shape: NodeRows) -> tuple[np.ndarray, ...]:
    sizes = target.n_classes or ()
    whole, unit, _ = fixed_weights(target.weights)
    answers = np.zeros((len(shape.begin), len(sizes), max(sizes)))
    weight = np.zeros(len(shape.begin))
    _count_classes(*shape, target.labels, np.empty(0, np.int64) if whole is None else whole, answers, weight)
    answers *= unit
    known = criterion if criterion in OF_CLASSES else GINI  # a user's
    return answers, class_impurity(known, answers), weight * unit


@kernel
def _count_classes(begin, end, is_leaf, parent, rows, labels, weights, answers, weight):
    """Whole numbers throughout."""
    for node in range(begin.size - 1, -1, -1):
        if is_leaf[node] and labels.shape[0] == 1 and answers.shape[2] == 2:
            total, ones = np.int64(0), np.int64(0)
            for i in range(begin[node], end[node]):
                one = weights[rows[i]] if weights.size else np.int64(1)
                total += one
                ones += one * labels[0, rows[i]]
            weight[node], answers[node, 0, 0], answers[node, 0, 1] = float(total), float(total - ones), float(ones)
        elif is_leaf[node]:
            for i in range(begin[node], end[node]):
                row = rows[i]
                one = float(weights[row]) if weights.size else 1.0
                weight[node] += one
                for o in range(labels.shape[0]):
                    answers[node, o, labels[o, row]] += one
        up = parent[node]
        if up >= 0:
            weight[up] += weight[node]
            for o in range(answers.shape[1]):
                for c in range(answers.shape[2]):
                    answers[up, o, c] += answers[node, o, c]


def _describe_numbers(
    target: Target, criterion: int, shape: NodeRows, lists: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y, n_nodes = target.y, len(shape.begin)
    assert y is not None
    answers, impurity, sums = np.empty((n_nodes, len(y), 1)), np.zeros(n_nodes), np.empty((3, n_nodes), np.int64)
    amounts, weight_sums, errors = sums[0], sums[1], sums[2].view(np.float64)  # in one piece: large pages
    for o in range(len(y)):
        fixed = fixed_numbers(y[o : o + 1], target.weights, centred=criterion != POISSON)  # in units of its own
        weights = np.empty(0, np.int64) if fixed.weight is None else fixed.weight
        if criterion == ABSOLUTE:
            by_target = lists[lists.shape[0] - 1 - len(y) + o]
            nodes, spare = (shape.begin, shape.end, shape.is_leaf), np.empty_like(by_target)
            _describe_medians(*nodes, by_target, spare, y[o], weights, weight_sums, answers[:, o, 0], errors)
            impurity += errors / weight_sums
        else:
            numbers = fixed.amounts[0], weights, y[o], fixed.unit, fixed.weight_unit, fixed.centre[0]
            _describe_means(shape, *numbers, criterion == POISSON, amounts, weight_sums, answers[:, o, 0], errors)
            impurity += errors
    impurity /= len(y)
    return answers, impurity, weight_sums * fixed.weight_unit


@kernel
def _describe_means(shape, amount, weights, y, unit, weight_unit, centre, is_poisson, s, w, mean, impurity):
    """Sums, means, and impurities."""
    begin, end, is_leaf, parent, rows = shape
    for node in range(begin.size):
        s[node], w[node], impurity[node] = 0, 0, 0.0
    for node in range(begin.size - 1, -1, -1):
        low, high = 0.0, 1.0
        if is_leaf[node]:
            own, s_own, w_own = rows[begin[node] : end[node]], np.int64(0), np.int64(0)
            low = high = y[own[0]]
            for row in own:
                s_own += amount[row]
                w_own += weights[row] if weights.size else 1
                low, high = min(low, y[row]), max(high, y[row])
            s[node], w[node] = s_own, w_own
        mean[node] = low + 0.0 if low == high else float(s[node]) * unit / (float(w[node]) * weight_unit) + centre
        if is_leaf[node]:
            most = _most_log(high) if is_poisson else max(high - mean[node], mean[node] - low) ** 2
            impurity[node] = _leaf_errors(own, weights, y, is_poisson, mean[node], most * float(w[node]))
        if parent[node] >= 0:
            s[parent[node]] += s[node]
            w[parent[node]] += w[node]
    _add_up(parent, is_poisson, w, mean, impurity)


@inner_kernel
def _leaf_errors(rows, weights, y, is_poisson, mean, most):
    """The sum of a leaf's errors, at most `most`: in whole numbers, so that it is the same in any order."""
    if most == 0.0 or most == np.inf:
        return most
    total, whole, scale = 0.0, np.int64(0), _scale(most)
    for row in rows:
        one = float(weights[row]) if weights.size else 1.0
        if is_poisson:
            one *= y[row] * log(y[row]) if y[row] > 0.0 else 0.0
        else:
            one = one * (y[row] - mean) * (y[row] - mean)
        total += one
        whole += np.int64(np.rint(one * scale))
    return float(whole) / scale if rows.size > 2 else total


@inner_kernel
def _scale(most):
    """The power of two by which a sum of numbers, at most `most`, becomes one of whole numbers."""
    return math.ldexp(1.0, min(_SUM_BITS - math.frexp(most)[1], _FINEST))


@inner_kernel
def _most_log(high):
    """The most that y log y can be, of numbers from 0 to `high`, either sign."""
    if high <= _TURN:
        return -high * log(high) if high > 0.0 else 0.0
    return max(_TURN, high * log(high))


@inner_kernel
def _add_up(parent, is_poisson, w, mean, impurity):
    """Each node's sum of errors; then, when its parent has it, its impurity: over its weight in the weights' units."""
    for node in range(parent.size - 1, -1, -1):
        before, after, up = impurity[node], 0.0, parent[node]
        if is_poisson:
            after = float(w[node]) * mean[node] * log(mean[node]) if mean[node] > 0.0 else 0.0
        if up >= 0:
            impurity[up] += before
            if not is_poisson:  # around the parent's mean
                impurity[up] += float(w[node]) * (mean[node] - mean[up]) * (mean[node] - mean[up])
        impurity[node] = max(before - after, 0.0) / float(w[node])


@kernel
def _describe_medians(begin, end, is_leaf, by_target, spare, y, weights, w, median, errors):
    """Medians and sums of distances from them, from the leaves up.

    A leaf's entries stand in order of the target; those of other nodes are their children's, merged.
    """
    for node in range(begin.size - 1, -1, -1):
        entries = by_target[begin[node] : end[node]]
        if not is_leaf[node]:
            merge(entries, end[node + 1] - begin[node], spare)
        w[node], median[node] = _median(entries, y, weights)
        errors[node] = _distances(entries, y, weights, median[node], w[node])


@inner_kernel
def _distances(entries, y, weights, median, weight):
    """The sum of distances from the median: the same for any order of entries whose targets are equal."""
    first, last = y[np.int64(entries[0] & ROW)], y[np.int64(entries[entries.size - 1] & ROW)]
    most = max(last - median, median - first) * float(weight)
    if most == np.inf:
        return most
    total, whole, scale = 0.0, np.int64(0), _scale(most)
    for i in range(entries.size):
        row = np.int64(entries[i] & ROW)
        one = (float(weights[row]) if weights.size else 1.0) * abs(y[row] - median)
        total += one
        whole += np.int64(np.rint(one * scale))
    return float(whole) / scale if weights.size else total


@inner_kernel
def _median(entries, y, weights):
    """(weight, median) of entries in order of the target."""
    total, below, i = np.int64(0), np.int64(0), 0
    for k in range(entries.size):
        total += weights[np.int64(entries[k] & ROW)] if weights.size else 1
    row = np.int64(entries[0] & ROW)
    while True:
        row = np.int64(entries[i] & ROW)
        below += weights[row] if weights.size else 1
        if 2 * below >= total:
            break
        i += 1
    if 2 * below == total:
        return total, y[row] / 2.0 + y[np.int64(entries[i + 1] & ROW)] / 2.0 + 0.0  # not -0
    return total, y[row] + 0.0
