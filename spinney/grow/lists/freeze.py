"""From the grown nodes to a `DecisionTree`: number them, describe their rows, find the sets of categories.

Nothing is decided here. Sums over a leaf's rows are taken again, in the order of the rows, and added up to the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.elementary import log
from spinney.criteria.impurity import ABSOLUTE, ENTROPY, ERROR, GINI, POISSON, class_impurity
from spinney.data.presort import ROW
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.grow.lists.memory import NO_ROW, Work
from spinney.grow.lists.statistics import fixed_numbers, fixed_weights
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, SET, STOPS, DecisionTree

_MOST_BYTES = 8 << 30  # of the nodes' answers


class Target(NamedTuple):
    """What is to be predicted, for the rows that count."""

    labels: np.ndarray | None  # int32 (outputs, rows), for classes
    n_classes: tuple[int, ...] | None
    y: np.ndarray | None  # float64 (outputs, rows), for numbers
    weights: Weights

    @property
    def n_outputs(self) -> int:
        both = self.labels if self.y is None else self.y
        return 0 if both is None else len(both)


class Shape(NamedTuple):
    """Nodes in preorder."""

    begin: np.ndarray  # int64: a node's rows are rows[begin:end]
    end: np.ndarray
    is_leaf: np.ndarray  # bool
    parent: np.ndarray  # int64
    rows: np.ndarray  # int64: rows in the order of the leaves


def freeze(
    work: Work, n_nodes: int, target: Target, criterion: int, thresholds: Any, bounded: bool = False
) -> tuple[DecisionTree, np.ndarray, np.ndarray]:
    """The finished tree, with all tests by numbers; each node's turn in best-first growth (-1: not split); and the rows
    in the order of the leaves.

    `thresholds(nodes)` finds those of some grown nodes. Tests on categories are given their sets by `with_sets`. If
    `bounded`, answers are kept within their nodes' bounds.
    """
    laid = _Laid.of(n_nodes)
    owner, place = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    n_inner = _lay_out(work.nodes[:n_nodes], owner, place, *laid)
    is_leaf = laid.feature == NO_FEATURE
    inner = ~is_leaf
    rows = (work.lists[-1] & ROW).astype(np.int64)
    shape = Shape(laid.begin, laid.end, is_leaf, laid.parent, rows)
    _check_size(n_nodes, target)
    answers, impurity, weight = describe(target, criterion, shape, work.lists)
    if bounded:
        _clip(answers, laid.lower, laid.upper, target, criterion)
    tree = DecisionTree(
        n_classes=target.n_classes,
        kind=np.where(inner, np.uint8(NUMBER), np.uint8(LEAF)),
        child_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(2 * inner.astype(np.int64))]),
        children=laid.children[: 2 * n_inner].copy(),
        feature=laid.feature,
        threshold=_spread(thresholds(Cuts(*(one[inner] for one in laid.cuts))), inner),
        missing=laid.missing,
        set_start=np.zeros(n_nodes + 1, np.int64),
        sets=np.empty(0, np.uint64),
        answers=answers,
        impurity=impurity,
        n_samples=laid.end - laid.begin,
        weight=weight,
    )
    return tree, laid.turn, rows


class Cuts(NamedTuple):
    """Where inner nodes are cut: see NODE in memory.py."""

    feature: np.ndarray
    threshold: np.ndarray
    below: np.ndarray
    above: np.ndarray


class _Laid(NamedTuple):
    """The grown nodes in preorder."""

    parent: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    turn: np.ndarray
    below: np.ndarray
    above: np.ndarray
    threshold: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    feature: np.ndarray
    missing: np.ndarray
    children: np.ndarray

    @classmethod
    def of(cls, n: int) -> _Laid:
        numbers = [np.empty(n, np.int64) for _ in range(6)]
        return cls(*numbers, *(np.empty(n) for _ in range(3)), *(np.empty(n, np.int32) for _ in range(3)))

    @property
    def cuts(self) -> Cuts:
        return Cuts(self.feature, self.threshold, self.below, self.above)


def _spread(values: np.ndarray, where: np.ndarray) -> np.ndarray:
    spread = np.full(len(where), np.nan)
    spread[where] = values
    return spread


def midway(cuts: Cuts, table: Table, rows: np.ndarray | None) -> np.ndarray:
    """Thresholds midway between the rows on both sides, or the lower value if none is between; inf before missing."""
    threshold = np.full(len(cuts.feature), np.inf)
    by_column = np.argsort(cuts.feature, kind="stable")
    starts = np.flatnonzero(np.diff(cuts.feature[by_column], prepend=-1))
    for some in np.split(by_column, starts[1:]) if len(threshold) else []:
        some = some[cuts.above[some] != NO_ROW]
        column = table.column(int(cuts.feature[some[0]])) if len(some) else threshold
        below, above = cuts.below[some], cuts.above[some]
        low, high = (column[at if rows is None else rows[at]].astype(np.float64) + 0.0 for at in (below, above))
        with np.errstate(invalid="ignore"):
            middle = low / 2.0 + high / 2.0
        threshold[some] = np.where((low <= middle) & (middle < high), middle, low)
    return threshold


def _check_size(n_nodes: int, target: Target) -> None:
    """Every node keeps the weight of every class: say so before memory runs out."""
    sizes = target.n_classes or (1,)
    size = n_nodes * len(sizes) * max(sizes) * 8
    if size > _MOST_BYTES:
        raise ValueError(
            f"this tree has {n_nodes:,} nodes and {max(sizes):,} classes, whose weights would take {size / 2**30:.0f} "
            "GiB. "
            "Limit max_depth or max_leaf_nodes, or raise min_samples_leaf."
        )


def _clip(answers: np.ndarray, lower: np.ndarray, upper: np.ndarray, target: Target, criterion: int) -> None:
    """Keep a number, or the share of the second class, within the bounds that monotone columns above have set."""
    if target.y is None:
        total = answers[:, 0].sum(axis=1)
        share = np.clip(answers[:, 0, 1] / total, lower, upper)
        answers[:, 0] = np.column_stack([1.0 - share, share]) * total[:, None]
        return
    fixed = fixed_numbers(target.y, target.weights, centred=criterion != POISSON)
    scale = fixed.unit / fixed.weight_unit
    lower, upper = lower * scale + fixed.centre[0], upper * scale + fixed.centre[0]
    answers[:, 0, 0] = np.clip(answers[:, 0, 0], lower, upper)


@kernel
def _lay_out(
    nodes, owner, place, parent, begin, end, turn, below, above, threshold, lower, upper, feature, missing, children
):
    """Write the nodes in preorder; returns how many are no leaves. Of each grown node, `owner` is its parent's number
    and `place` where its own belongs among the children."""
    stack = parent  # what waits fits behind what is written, from the other end
    top = stack.size - 1
    stack[top] = 0
    owner[0] = -1
    k, n_inner = 0, 0
    while top < stack.size:
        at = stack[top]
        top += 1
        node = nodes[at]
        parent[k], begin[k], end[k], turn[k] = owner[at], node.begin, node.end, node.turn
        below[k], above[k], threshold[k], lower[k], upper[k] = (
            node.below,
            node.above,
            node.threshold,
            node.lower,
            node.upper,
        )
        feature[k], missing[k] = NO_FEATURE, STOPS
        if at > 0:
            children[place[at]] = k
        if node.left >= 0:
            feature[k], missing[k] = node.feature, 1 - np.int64(node.missing_left)
            for which in range(2):
                child = node.left + 1 - which
                owner[child], place[child] = k, 2 * n_inner + 1 - which
                top -= 1
                stack[top] = child
            n_inner += 1
        k += 1
    return n_inner


def with_sets(tree: DecisionTree, work: Work, table: Table, chosen: np.ndarray | None, n_categories: np.ndarray) -> Any:
    """The tree with its tests on categories: columns with n_categories[j] > 0.

    A category goes where its rows of the node went; without any, where missing goes.
    """
    is_set = (tree.kind == NUMBER) & (n_categories[np.maximum(tree.feature, 0)] > 0)
    if not is_set.any():
        return tree
    rows = (work.lists[-1] & ROW).astype(np.int64)
    rows = rows if chosen is None else chosen[rows]
    begin = _begins(tree)
    n_words = np.where(is_set, -(-n_categories[np.maximum(tree.feature, 0)] // 64), 0)
    set_start = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_words)])
    sets = np.zeros(set_start[-1], np.uint64)
    codes = {j: table.column(j) for j in np.unique(tree.feature[is_set])}
    for node in np.flatnonzero(is_set).tolist():
        j = tree.feature[node]
        middle, end = begin[tree.children_of(node)[1]], begin[node] + tree.n_samples[node]
        words = sets[set_start[node] : set_start[node + 1]]
        _fill_set(codes[j], rows[begin[node] : middle], rows[middle:end], tree.missing[node] == 0, words)
    kind = np.where(is_set, SET, tree.kind).astype(np.uint8)
    fields = {name: getattr(tree, name) for name in tree.__dataclass_fields__}
    threshold = np.where(is_set, np.nan, tree.threshold)
    return DecisionTree(**{**fields, "kind": kind, "threshold": threshold, "set_start": set_start, "sets": sets})


def _begins(tree: DecisionTree) -> np.ndarray:
    """Where each node's rows begin, leaves standing in order."""
    ends = np.cumsum(np.where(tree.is_leaf, tree.n_samples, 0))
    return ends - np.where(tree.is_leaf, tree.n_samples, 0)


def _fill_set(codes: np.ndarray, left: np.ndarray, right: np.ndarray, absent: bool, words: np.ndarray) -> None:
    goes = np.full(64 * len(words), absent)
    for rows, side in ((right, False), (left, True)):
        values = codes[rows]
        goes[values[~np.isnan(values)].astype(np.int64)] = side
    words[:] = np.packbits(goes, bitorder="little").view("<u8")


# --- what the nodes say ---------------------------------------------------------------------------------------------


def describe(target: Target, criterion: int, shape: Shape, lists: np.ndarray) -> tuple[np.ndarray, ...]:
    """(answers, impurity, weight) of every node."""
    if target.labels is not None:
        return _describe_classes(target, criterion, shape)
    return _describe_numbers(target, criterion, shape, lists)


def _describe_classes(target: Target, criterion: int, shape: Shape) -> tuple[np.ndarray, ...]:
    sizes = target.n_classes or ()
    whole, unit, _ = fixed_weights(target.weights)
    answers = np.zeros((len(shape.begin), len(sizes), max(sizes)))
    weight = np.zeros(len(shape.begin))
    _count_classes(*shape, target.labels, np.empty(0, np.int64) if whole is None else whole, answers, weight)
    answers *= unit
    known = criterion if criterion in (GINI, ENTROPY, ERROR) else GINI
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
    target: Target, criterion: int, shape: Shape, lists: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y, n_nodes = target.y, len(shape.begin)
    assert y is not None
    answers, impurity = np.empty((n_nodes, len(y), 1)), np.zeros(n_nodes)
    sums = np.empty((n_nodes, 3))
    for o in range(len(y)):
        fixed = fixed_numbers(y[o : o + 1], target.weights, centred=criterion != POISSON)  # in units of its own
        weights = np.empty(0, np.int64) if fixed.weight is None else fixed.weight
        amounts, weight_sums = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
        if criterion == ABSOLUTE:
            by_target = lists[lists.shape[0] - 1 - len(y) + o]
            nodes, spare = (shape.begin, shape.end, shape.is_leaf), np.empty_like(by_target)
            _describe_medians(*nodes, by_target, spare, y[o], weights, weight_sums, answers[:, o, 0], sums)
            impurity += sums[:, 0] / weight_sums
        else:
            numbers = fixed.amounts[0], weights, y[o], fixed.unit, fixed.weight_unit, fixed.centre[0]
            _describe_means(*shape, *numbers, criterion == POISSON, amounts, weight_sums, answers[:, o, 0], sums)
            impurity += np.maximum(sums[:, 1] - sums[:, 2], 0.0) / weight_sums
    return answers, impurity / len(y), weight_sums * fixed.weight_unit


@kernel
def _describe_means(
    begin, end, is_leaf, parent, rows, amount, weights, y, unit, weight_unit, centre, is_poisson, s, w, mean, sums
):
    """Sums, means, and for each node sums[1] - sums[2] = its impurity times its weight (in the weights' units)."""
    for node in range(begin.size - 1, -1, -1):
        if is_leaf[node]:
            first, pure = y[rows[begin[node]]], True
            for i in range(begin[node], end[node]):
                row = rows[i]
                s[node] += amount[row]
                w[node] += weights[row] if weights.size else 1
                pure &= y[row] == first
            mean[node] = first if pure else float(s[node]) * unit / (float(w[node]) * weight_unit) + centre
        else:
            mean[node] = float(s[node]) * unit / (float(w[node]) * weight_unit) + centre
        if parent[node] >= 0:
            s[parent[node]] += s[node]
            w[parent[node]] += w[node]
    _sum_errors(begin, end, is_leaf, parent, rows, weights, y, is_poisson, w, mean, sums)


@inner_kernel
def _sum_errors(begin, end, is_leaf, parent, rows, weights, y, is_poisson, w, mean, sums):
    for node in range(begin.size):
        sums[node, 1] = sums[node, 2] = 0.0
    for node in range(begin.size - 1, -1, -1):
        if is_leaf[node]:
            for i in range(begin[node], end[node]):
                row = rows[i]
                one = float(weights[row]) if weights.size else 1.0
                if is_poisson:
                    sums[node, 1] += one * y[row] * log(y[row]) if y[row] > 0.0 else 0.0
                else:
                    sums[node, 1] += one * (y[row] - mean[node]) * (y[row] - mean[node])
        up = parent[node]
        if is_poisson:
            sums[node, 2] = float(w[node]) * mean[node] * log(mean[node]) if mean[node] > 0.0 else 0.0
        if up >= 0:
            sums[up, 1] += sums[node, 1]
            if not is_poisson:  # around the parent's mean
                sums[up, 1] += float(w[node]) * (mean[node] - mean[up]) * (mean[node] - mean[up])


@kernel
def _describe_medians(begin, end, is_leaf, by_target, spare, y, weights, w, median, sums):
    """Medians and sums of distances from them, from the leaves up.

    A leaf's entries stand in order of the target; those of other nodes are their children's, merged.
    """
    for node in range(begin.size - 1, -1, -1):
        entries = by_target[begin[node] : end[node]]
        if not is_leaf[node]:
            _merge(entries, end[node + 1] - begin[node], spare)
        w[node], median[node] = _median(entries, y, weights)
        sums[node, 0] = 0.0
        for i in range(entries.size):
            row = np.int64(entries[i] & ROW)
            one = float(weights[row]) if weights.size else 1.0
            sums[node, 0] += one * abs(y[row] - median[node])


@inner_kernel
def _merge(entries, middle, spare):
    """Two sorted parts, up to the middle and from it on, into one."""
    for i in range(middle):
        spare[i] = entries[i]
    a, b = 0, middle
    for i in range(entries.size):
        if a < middle and (b >= entries.size or spare[a] < entries[b]):
            entries[i] = spare[a]
            a += 1
        else:
            entries[i] = entries[b]
            b += 1


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
        return total, y[row] / 2.0 + y[np.int64(entries[i + 1] & ROW)] / 2.0
    return total, y[row]
