"""From the grown nodes to a `DecisionTree`: number them, describe their rows, find the sets of categories."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import POISSON
from spinney.data.presort import ROW
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.describe import Shape, describe
from spinney.grow.lists.memory import Work
from spinney.grow.rules import NO_NODE, NO_ROW
from spinney.grow.targets import fixed_numbers
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, SET, STOPS, DecisionTree

_MOST_BYTES = 8 << 30  # of the nodes' answers


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
    n_inner = _lay_out(work.nodes[:n_nodes], owner, place, laid)
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
        threshold[some] = between(low, high)
    return threshold


def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Midway between two values, or the lower one if nothing is."""
    with np.errstate(invalid="ignore"):
        middle = low / 2.0 + high / 2.0
    return np.where((low <= middle) & (middle < high), middle, low)


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
def _lay_out(nodes, owner, place, laid):
    """Write the nodes in preorder; returns how many are no leaves. Of each grown node, `owner` is its parent's number
    and `place` where its own belongs among the children."""
    stack = laid.parent  # what waits fits behind what is written, from the other end
    top = stack.size - 1
    stack[top] = 0
    owner[0] = NO_NODE
    k, n_inner = 0, 0
    while top < stack.size:
        at = stack[top]
        top += 1
        node = nodes[at]
        laid.parent[k], laid.begin[k], laid.end[k], laid.turn[k] = owner[at], node.begin, node.end, node.turn
        laid.below[k], laid.above[k], laid.threshold[k] = node.below, node.above, node.threshold
        laid.lower[k], laid.upper[k] = node.lower, node.upper
        laid.feature[k], laid.missing[k] = NO_FEATURE, STOPS
        if at > 0:
            laid.children[place[at]] = k
        if node.left >= 0:
            laid.feature[k], laid.missing[k] = node.feature, 1 - np.int64(node.missing_left)
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
