"""Random-structure trees: full binary trees whose questions are drawn before any row is seen; only leaves are learnt.

In: a table, its bins and a target. Out: a `Forest` of one tree. Each node asks about a random column: of a number
whether it is at most a random edge of its bins, so that each share of the rows is as likely to go left; of a category
whether it is in a random half of the categories. Leaves are filled from the rows that come there, and a node without
rows answers what its parent does. Sums are integers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spinney._compile import kernel
from spinney._random import STRUCTURE, mix, stream_key
from spinney._team import Team
from spinney.criteria.impurity import class_impurity
from spinney.data.binning import Bins
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.targets import fixed_numbers, fixed_weights
from spinney.tree.arrays import ends_of, small
from spinney.tree.descend import leaf_of_rows
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest

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
) -> Forest:
    """A tree of random questions; `target` is that of the rows that count (None: all)."""
    forest = replace(draw_structure(bins, n_categories, depth, seed), criterion=criterion)
    leaf = leaf_of_rows(forest.tree(0), table if rows is None else table.take(rows), team)
    return _fill_classes(forest, leaf, target, criterion) if target.y is None else _fill_numbers(forest, leaf, target)


def draw_structure(bins: Bins, n_categories: np.ndarray, depth: int, seed: int) -> Forest:
    """A full tree of random questions, with nothing in its nodes yet."""
    n_nodes = 2 ** (depth + 1) - 1
    n_edges = np.array([len(edges) for edges in bins.edges])
    able = np.flatnonzero((n_edges > 0) | (n_categories > 1))  # columns that can part rows
    columns = able if len(able) else np.arange(bins.n_columns)
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
    """Level, column and a random number of every node, in preorder; a node's number by levels is what is hashed."""
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
    """Every category goes left with chance 1/2."""
    for node in range(draws.size):
        for word in range(set_start[node], set_start[node + 1]):
            sets[word] = mix(draws[node], np.uint64(word - set_start[node]))


def _fill_classes(forest: Forest, leaf: np.ndarray, target: Target, criterion: int) -> Forest:
    assert target.labels is not None
    assert target.n_classes is not None
    sizes = target.n_classes
    whole, unit, _ = fixed_weights(target.weights)
    weights = np.ones(len(leaf), np.int64) if whole is None else whole
    sums = np.zeros((forest.n_nodes, len(sizes), max(sizes)), np.int64)
    n, weight = np.zeros(forest.n_nodes, np.int64), np.zeros(forest.n_nodes, np.int64)
    _count(leaf, target.labels, weights, forest.shape.parent, n, weight, sums)
    answers = sums * unit
    _inherit(n, forest.shape.parent, answers)
    return replace(
        forest,
        n_classes=sizes,
        answers=answers,
        impurity=class_impurity(criterion, answers),
        n_samples=small(n, np.uint32),
        weight=weight * unit,
    )


@kernel
def _count(leaf, labels, weights, parent, n, weight, sums):
    """Rows and weights of classes in every leaf, then in every node."""
    for i in range(leaf.size):
        n[leaf[i]] += 1
        weight[leaf[i]] += weights[i]
        for o in range(labels.shape[0]):
            sums[leaf[i], o, labels[o, i]] += weights[i]
    for node in range(n.size - 1, 0, -1):
        up = parent[node]
        n[up] += n[node]
        weight[up] += weight[node]
        for o in range(sums.shape[1]):
            for c in range(sums.shape[2]):
                sums[up, o, c] += sums[node, o, c]


@kernel
def _inherit(n, parent, answers):
    """Nodes without rows answer what their parents do."""
    for node in range(1, n.size):
        if n[node] == 0:
            for o in range(answers.shape[1]):
                for c in range(answers.shape[2]):
                    answers[node, o, c] = answers[parent[node], o, c]


def _fill_numbers(forest: Forest, leaf: np.ndarray, target: Target) -> Forest:
    y = target.y
    assert y is not None
    answers, impurity = np.zeros((forest.n_nodes, len(y), 1)), np.zeros(forest.n_nodes)
    n, weight = np.zeros(forest.n_nodes, np.int64), np.zeros(forest.n_nodes, np.int64)
    for o in range(len(y)):
        fixed = fixed_numbers(y[o : o + 1], target.weights, centred=True)
        weights = np.ones(len(leaf), np.int64) if fixed.weight is None else fixed.weight
        sums, squares = np.zeros(forest.n_nodes, np.int64), np.zeros(forest.n_nodes)
        n[:], weight[:] = 0, 0
        _add_up(leaf, fixed.amounts[0], weights, forest.shape.parent, n, weight, sums)
        mass = weight * fixed.weight_unit
        answers[:, o, 0] = sums * fixed.unit / np.where(n > 0, mass, 1.0) + fixed.centre[0]
        _add_squares(leaf, y[o], weights * fixed.weight_unit, answers[:, o, 0], forest.shape.parent, squares)
        impurity += squares / np.where(n > 0, mass, 1.0) / len(y)
    _inherit(n, forest.shape.parent, answers)
    return replace(forest, answers=answers, impurity=impurity, n_samples=small(n, np.uint32), weight=mass)


@kernel
def _add_up(leaf, amounts, weights, parent, n, weight, sums):
    """Rows, weights and amounts of every leaf, then of every node."""
    for i in range(leaf.size):
        n[leaf[i]] += 1
        weight[leaf[i]] += weights[i]
        sums[leaf[i]] += amounts[i]
    for node in range(n.size - 1, 0, -1):
        up = parent[node]
        n[up] += n[node]
        weight[up] += weight[node]
        sums[up] += sums[node]


@kernel
def _add_squares(leaf, y, weights, mean, parent, squares):
    """Weighted squared distances of a node's rows from its mean, for the leaf and all nodes above it."""
    for i in range(leaf.size):
        node = leaf[i]
        while node >= 0:
            squares[node] += weights[i] * (y[i] - mean[node]) ** 2
            node = np.int64(parent[node])
