"""From a heap of tests to a `DecisionTree`, with the values of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import python_of
from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.grow.describe import NodeRows, describe
from spinney.grow.optimal.memory import NO_TEST
from spinney.grow.optimal.ordered_columns import Ordered
from spinney.grow.rules import larger_side
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small

_WORD = 64  # categories of a set in a word


class _Node(NamedTuple):
    """A node in preorder."""

    parent: int
    begin: int  # its rows are a run of those in the order of the leaves
    n_rows: int
    v: int  # ordered column; -1: a leaf
    code: int
    missing_left: bool


def freeze(
    heap: np.ndarray,
    first: np.ndarray,
    ordered: Ordered,
    bins: Bins,
    target: Target,
    criterion: int,
    n_categories: np.ndarray,
) -> DecisionTree:
    """The tree of a heap of tests, which are cells of ordered columns that begin at `first`."""
    nodes: list[_Node] = []
    leaves: list[np.ndarray] = []
    weights = target.weights.total()

    def visit(at: int, parent: int, begin: int, rows: np.ndarray) -> None:
        cell = int(heap[at])
        if cell == NO_TEST:
            nodes.append(_Node(parent, begin, len(rows), -1, 0, False))
            leaves.append(rows)
            return
        v = int(np.searchsorted(first, cell, side="right")) - 1
        goes_left = ordered.codes[v, rows] <= cell - first[v]
        missing_left = _missing_left(ordered, bins, v, int(cell - first[v]), rows, goes_left, weights)
        number = len(nodes)
        nodes.append(_Node(parent, begin, len(rows), v, int(cell - first[v]), missing_left))
        visit(2 * at, number, begin, rows[goes_left])
        visit(2 * at + 1, number, begin + int(goes_left.sum()), rows[~goes_left])

    visit(1, -1, 0, np.arange(ordered.codes.shape[1]))
    return _tree(nodes, np.concatenate(leaves), ordered, bins, target, criterion, n_categories)


def _missing_left(
    ordered: Ordered,
    bins: Bins,
    v: int,
    code: int,
    rows: np.ndarray,
    goes_left: np.ndarray,
    weights: np.ndarray | None,
) -> bool:
    """Where missing values go: as in training, or to the larger side if the node has none."""
    last, place = int(ordered.n_codes[v]) - 1, ordered.places[v]
    n_known = int(bins.n_bins[ordered.column[v]]) if place is None else int(place.max()) + 1
    if ordered.missing_left[v]:
        return True
    if last == n_known and (ordered.codes[v, rows] == last).any():
        return False
    each = np.ones(len(rows)) if weights is None else weights[rows]
    return bool(python_of(larger_side)(each[goes_left].sum(), each.sum()))


def _tree(
    nodes: list[_Node],
    rows: np.ndarray,
    ordered: Ordered,
    bins: Bins,
    target: Target,
    criterion: int,
    n_categories: np.ndarray,
) -> DecisionTree:
    parent, begin = (np.array([getattr(one, name) for one in nodes], np.int64) for name in ("parent", "begin"))
    end = begin + np.array([one.n_rows for one in nodes], np.int64)
    asks = [one for one in nodes if one.v >= 0]
    is_leaf = np.array([one.v < 0 for one in nodes])
    size = np.ones(len(nodes), np.int64)
    for k in range(len(nodes) - 1, 0, -1):
        size[parent[k]] += size[k]
    shape = NodeRows(begin, end, is_leaf, parent, rows)
    answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    feature = np.array([ordered.column[one.v] for one in asks], np.int64)
    is_set = np.array([ordered.places[one.v] is not None for one in asks], bool)
    code = np.array([one.code for one in asks], np.int64)
    missing_left = np.array([one.missing_left for one in asks], bool)
    sets = [_set(one, ordered, bins, int(n_categories[ordered.column[one.v]])) for one in asks if _is_set(ordered, one)]
    return DecisionTree(
        Forest(
            n_columns=bins.n_columns,
            n_classes=target.n_classes,
            criterion=criterion,
            bins=None,
            first=np.array([0, len(nodes)]),
            size=small(size),
            feature=small(feature),
            turn=(missing_left * MISSING_LEFT + is_set * ASKS_SET).astype(np.uint8),
            answers=answers,
            n_samples=small((end - begin)[is_leaf], np.uint32),
            threshold=np.where(is_set, np.nan, bins.thresholds(feature, code)) if len(asks) else np.empty(0),
            set_start=ends_of(np.array([len(one) for one in sets], np.int64)),
            sets=np.concatenate([np.empty(0, np.uint64), *sets]),
            weight=weight,
            impurity=impurity,
        )
    )


def _is_set(ordered: Ordered, node: _Node) -> bool:
    return ordered.places[node.v] is not None


def _set(node: _Node, ordered: Ordered, bins: Bins, n_categories: int) -> np.ndarray:
    """The categories that go left, as bits. Those that no row has go where missing values go."""
    place = ordered.places[node.v]
    assert place is not None
    goes_left = np.where(place >= 0, place <= node.code, node.missing_left)
    codes = bins.category_codes[ordered.column[node.v]]
    goes = np.full(-(-n_categories // _WORD) * _WORD, node.missing_left)
    goes[: len(codes)] = goes_left[codes]
    return np.packbits(goes, bitorder="little").view("<u8").astype(np.uint64)
