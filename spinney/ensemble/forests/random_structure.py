"""Random-structure trees: full binary trees of random splits, of which only the leaves are fitted.

In: a table, its bins and a target. Out: a `Forest` of one tree. Each node splits a random column: numbers at a random
bin edge, so that every fraction of the rows is equally likely to go left, and categories into random halves. Leaves are
fitted on the rows that reach them, and a node without rows predicts like its parent. Sums are integers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spinney._compile import kernel
from spinney._random import NODE_FEATURES, STRUCTURE, choose, mix, stream_key
from spinney._team import Team
from spinney.data.encode import Bins
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.node_values import NodeRows, describe
from spinney.grow.rules import NO_NODE
from spinney.tree.descend import leaf_of_rows
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small

_WORD, _LAST = 64, np.uint64(63)


def grow_random_structure(
    table: Table,
    bins: Bins,
    n_categories: np.ndarray,
    target: Target,
    depth: int,
    seed: int,
    criterion: int,
    team: Team,
    rows: np.ndarray | None,
    n_features: int | None = None,
) -> Forest:
    """A tree of random splits, fitted on some rows (None: all), whose target is `target`."""
    forest = replace(draw_structure(bins, n_categories, depth, seed, n_features), criterion=criterion)
    leaf = leaf_of_rows(forest.tree(0), table if rows is None else table.take(rows), team)
    return _fill(forest, leaf, target, criterion)


def tree_columns(seed: int, n_columns: int, n_features: int) -> np.ndarray:
    """The columns that a tree of this seed may split where they are sampled once per tree, ascending."""
    order = np.empty(n_columns, np.int64)
    choose(np.uint64(stream_key(np.uint64(seed), NODE_FEATURES, np.uint64(0))), n_features, order)
    return np.sort(order[:n_features])


def draw_structure(
    bins: Bins, n_categories: np.ndarray, depth: int, seed: int, n_features: int | None = None
) -> Forest:
    """A full tree of random splits of `n_features` random columns (None: all), without values."""
    n_nodes = 2 ** (depth + 1) - 1
    n_edges = np.array([len(edges) for edges in bins.edges])
    own = np.arange(bins.n_columns)
    if n_features is not None and n_features < bins.n_columns:
        own = tree_columns(seed, bins.n_columns, n_features)
    able = own[(n_edges[own] > 0) | (n_categories[own] > 1)]  # columns that can be split
    columns = able if len(able) else own
    level, feature, draws = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64), np.empty(n_nodes, np.uint64)
    _draw(np.uint64(stream_key(np.uint64(seed), STRUCTURE, np.uint64(0))), depth, columns, level, feature, draws)
    inner = level < depth
    feature, draws = feature[inner], draws[inner]
    is_set = n_categories[feature] > 0
    set_start = ends_of(-(-n_categories[feature[is_set]] // _WORD))
    sets = np.empty(int(set_start[-1]), np.uint64)
    draw_sets(draws[is_set], set_start, sets)
    edge = draws % np.maximum(n_edges[feature], 1).astype(np.uint64)
    return Forest(
        n_columns=bins.n_columns,
        n_classes=None,
        criterion=0,
        bins=None,
        first=np.array([0, n_nodes]),
        size=small(2 ** (depth + 1 - level) - 1),
        feature=small(feature),
        turn=((draws >> _LAST == 0) * MISSING_LEFT | is_set * ASKS_SET).astype(np.uint8),
        answers=np.zeros((n_nodes, 1, 1)),
        n_samples=np.zeros(n_nodes, np.uint32),
        threshold=np.where(is_set, np.nan, bins.thresholds(feature, edge.astype(np.int64))),
        set_start=set_start,
        sets=sets,
        weight=np.zeros(n_nodes),
        impurity=np.zeros(n_nodes),
    )


@kernel
def _draw(key, depth, columns, level, feature, draws):
    """Level, column and a random number of every node, in preorder: hashes of its level-order number."""
    at, place = 0, 0  # level, and number by levels: root 0, children 2k + 1 and 2k + 2
    for node in range(level.size):
        level[node] = at
        feature[node] = columns[np.int64(mix(key, np.uint64(2 * place)) % np.uint64(columns.size))]
        draws[node] = mix(key, np.uint64(2 * place + 1))
        if at < depth:
            place, at = 2 * place + 1, at + 1
        else:
            while at > 0 and place % 2 == 0:  # right children are even: their parents are done
                place, at = (place - 1) // 2, at - 1
            place += 1


@kernel
def draw_sets(draws, set_start, sets):
    """Every category goes left with probability 1/2."""
    for node in range(draws.size):
        for word in range(set_start[node], set_start[node + 1]):
            sets[word] = mix(draws[node], np.uint64(word - set_start[node]))


def _fill(forest: Forest, leaf: np.ndarray, target: Target, criterion: int) -> Forest:
    """Fit the values of the nodes, given the leaf of each row; nodes without rows predict like their parents."""
    in_leaf = np.bincount(leaf, minlength=forest.n_nodes)
    ends = ends_of(in_leaf)  # rows in the order of their leaves
    begin, end = ends[:-1], ends[forest.shape.end]
    some = np.flatnonzero(end > begin)
    number = np.cumsum(end > begin) - 1  # of a node among these
    parent = np.where(forest.shape.parent[some] < 0, NO_NODE, number[forest.shape.parent[some]])
    order = np.argsort(leaf, kind="stable")
    shape = NodeRows(begin[some], end[some], in_leaf[some] > 0, parent, order)
    found = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    answers, impurity, weight = (np.zeros((forest.n_nodes, *one.shape[1:])) for one in found)
    answers[some], impurity[some], weight[some] = found
    _inherit(end - begin, forest.shape.parent, answers)
    n_classes = None if target.labels is None else target.n_classes
    n_samples = small(end - begin, np.uint32)
    return replace(forest, n_classes=n_classes, answers=answers, impurity=impurity, n_samples=n_samples, weight=weight)


@kernel
def _inherit(n, parent, answers):
    """Nodes without rows predict like their parents."""
    for node in range(1, n.size):
        if n[node] == 0:
            for o in range(answers.shape[1]):
                for c in range(answers.shape[2]):
                    answers[node, o, c] = answers[parent[node], o, c]
