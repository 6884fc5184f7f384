"""From the grown nodes to a tree: number them, describe their rows, find the sets of categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team
from spinney.criteria.impurity import ABSOLUTE, POISSON
from spinney.data.presort import ROW
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.node_values import NodeRows, describe
from spinney.grow.rules import NO_NODE, NO_ROW
from spinney.grow.targets import fixed_numbers
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, pack_sets, small

_MOST_BYTES = 8 << 30  # of the nodes' answers
_MANY_CUTS = 10_000  # that threads help with


class GrownTree(NamedTuple):
    tree: DecisionTree
    split_number: np.ndarray  # int64: when best-first growth split each node; -1: never
    rows: np.ndarray  # int64: the rows that counted, numbered from 0, in the order of the leaves

    def leaf_of_rows(self) -> np.ndarray:
        """The leaf in which each of these rows ends."""
        leaves, leaf = np.flatnonzero(self.tree.is_leaf), np.empty(len(self.rows), np.int64)
        leaf[self.rows] = np.repeat(leaves, self.tree.n_samples[leaves])
        return leaf


def freeze(
    nodes: Any,
    lists: np.ndarray,
    n_columns: int,
    target: Target,
    criterion: int,
    thresholds: Callable[[Cuts], np.ndarray],
    bounded: bool = False,
) -> GrownTree:
    """The finished tree of the grown nodes, with all tests by numbers; the last of the lists has the rows.

    Tests on categories are given their sets by `with_sets`. If `bounded`, answers are kept within their nodes' bounds.
    """
    n_nodes = len(nodes)
    laid = _Laid.of(n_nodes, bounded)
    _lay_out(nodes, laid)
    is_leaf = laid.size == 1
    rows = (lists[-1] & ROW).view(np.int64)
    shape = NodeRows(laid.begin, laid.end, is_leaf, laid.parent, rows)
    _check_size(n_nodes, target)
    answers, impurity, weight = describe(target, criterion, shape, lists)
    if bounded:
        _clip(answers, laid.lower, laid.upper, target, criterion)
    forest = Forest(
        n_columns=n_columns,
        n_classes=target.n_classes,
        criterion=criterion,
        bins=None,
        first=np.array([0, n_nodes]),
        size=small(laid.size),
        feature=small(laid.feature),
        turn=laid.missing_left * np.uint8(MISSING_LEFT),
        answers=answers,
        n_samples=small((laid.end - laid.begin)[is_leaf], np.uint32),
        threshold=thresholds(laid.cuts),
        weight=weight,
        impurity=impurity,
    )
    return GrownTree(DecisionTree(forest), laid.split_number, rows)


class Cuts(NamedTuple):
    """Where inner nodes are cut: see NODE in memory.py."""

    feature: np.ndarray
    threshold: np.ndarray
    below: np.ndarray
    above: np.ndarray


class _Laid(NamedTuple):
    """The grown nodes in preorder, and their cuts."""

    parent: np.ndarray  # of every node, as the next five
    begin: np.ndarray
    end: np.ndarray
    size: np.ndarray
    owner: np.ndarray  # the parent's number, by number of the grown node
    split_number: np.ndarray
    lower: np.ndarray  # the same, where nodes have bounds; else empty
    upper: np.ndarray
    below: np.ndarray  # of inner nodes
    above: np.ndarray
    threshold: np.ndarray
    feature: np.ndarray
    missing_left: np.ndarray

    @classmethod
    def of(cls, n: int, bounded: bool) -> _Laid:
        n_cuts = (n - 1) // 2
        room = np.empty(5 * n + 2 * n_cuts, np.int64)  # in one piece, what goes again: large pages
        parts = [*room[: 5 * n].reshape(5, n), np.empty(n, np.int64), *np.empty((2, n * bounded))]
        parts += [*room[5 * n :].reshape(2, n_cuts), np.empty(n_cuts)]
        return cls._make([*parts, np.empty(n_cuts, np.uint32), np.empty(n_cuts, np.uint8)])

    @property
    def cuts(self) -> Cuts:
        return Cuts(self.feature, self.threshold, self.below, self.above)


def midway(cuts: Cuts, table: Table, rows: np.ndarray | None, team: Team | None = None) -> np.ndarray:
    """Thresholds midway between the rows on both sides, or the lower value if none is between; inf before missing."""
    threshold = np.full(len(cuts.feature), np.inf)
    feature = small(cuts.feature)  # two bytes are sorted by counting
    by_column = np.argsort(feature, kind="stable")
    starts = np.flatnonzero(np.diff(feature[by_column].astype(np.int64), prepend=-1))

    def fill(some: np.ndarray) -> None:
        some = some[cuts.above[some] != NO_ROW]
        column = table.column(int(cuts.feature[some[0]])) if len(some) else threshold
        below, above = cuts.below[some], cuts.above[some]
        low, high = (column[at if rows is None else rows[at]].astype(np.float64) + 0.0 for at in (below, above))
        threshold[some] = between(low, high)

    groups = np.split(by_column, starts[1:]) if len(threshold) else []
    if team is None or len(threshold) < _MANY_CUTS:
        for some in groups:
            fill(some)
    else:
        team.map(fill, groups)
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
    if criterion != ABSOLUTE:  # else bounds are medians, in units of the target
        fixed = fixed_numbers(target.y, target.weights, centred=criterion != POISSON)
        scale = fixed.unit / fixed.weight_unit
        lower, upper = lower * scale + fixed.centre[0], upper * scale + fixed.centre[0]
    answers[:, 0, 0] = np.clip(answers[:, 0, 0], lower, upper)


@kernel
def _lay_out(nodes, laid):
    """Write the nodes in preorder."""
    owner, stack = laid.owner, laid.parent  # what waits fits behind what is written, from the other end
    top = stack.size - 1
    stack[top] = 0
    owner[0] = NO_NODE
    k, n_cuts = 0, 0
    while top < stack.size:
        at = stack[top]
        top += 1
        node = nodes[at]
        laid.parent[k], laid.begin[k], laid.end[k] = owner[at], node.begin, node.end
        laid.split_number[k] = node.split_number
        laid.size[k] = 1
        if laid.lower.size:
            laid.lower[k], laid.upper[k] = node.lower, node.upper
        if node.left >= 0:
            laid.below[n_cuts], laid.above[n_cuts], laid.threshold[n_cuts] = node.below, node.above, node.threshold
            laid.feature[n_cuts], laid.missing_left[n_cuts] = node.feature, node.missing_left
            n_cuts += 1
            for child in range(node.left + 1, node.left - 1, -1):
                owner[child] = k
                top -= 1
                stack[top] = child
        k += 1
    for node in range(k - 1, 0, -1):  # children come after their parents
        laid.size[laid.parent[node]] += laid.size[node]


def with_sets(grown: GrownTree, table: Table, chosen: np.ndarray | None, n_categories: np.ndarray) -> GrownTree:
    """The tree with its tests on categories: columns with n_categories[j] > 0.

    A category goes where its rows of the node went; without any, where missing goes.
    """
    tree, forest = grown.tree, grown.tree.forest
    feature = forest.feature.astype(np.int64)
    is_set = n_categories[feature] > 0
    if not is_set.any():
        return grown
    rows = grown.rows if chosen is None else chosen[grown.rows]
    n_samples, asks = tree.n_samples, np.flatnonzero(~tree.is_leaf)[is_set]
    begin = ends_of(np.where(tree.is_leaf, n_samples, 0))[:-1]  # leaves stand in order
    set_start = ends_of(-(-n_categories[feature[is_set]] // 64))
    sets = np.zeros(set_start[-1], np.uint64)
    codes = {j: table.column(j) for j in np.unique(feature[is_set]).tolist()}
    for k, node in enumerate(asks.tolist()):
        middle, end = begin[tree.subtree_end[node + 1]], begin[node] + n_samples[node]
        words = sets[set_start[k] : set_start[k + 1]]
        column, absent = codes[int(tree.feature[node])], tree.missing[node] == 0
        _fill_set(column, rows[begin[node] : middle], rows[middle:end], absent, words)
    turn = forest.turn | is_set * np.uint8(ASKS_SET)
    threshold = np.where(is_set, np.nan, forest.threshold)
    forest = replace(forest, turn=turn, threshold=threshold, set_start=set_start, sets=sets)
    return grown._replace(tree=DecisionTree(forest))


def _fill_set(codes: np.ndarray, left: np.ndarray, right: np.ndarray, absent: bool, words: np.ndarray) -> None:
    goes = np.full(64 * len(words), absent)
    for rows, side in ((right, False), (left, True)):
        values = codes[rows]
        goes[values[~np.isnan(values)].astype(np.int64)] = side
    words[:] = pack_sets(goes)
