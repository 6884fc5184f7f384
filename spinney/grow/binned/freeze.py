"""From the grown nodes, which stand in preorder, to a `Forest` of one tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import OWN
from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.grow.binned.category_order import Places, fill_sets
from spinney.grow.binned.memory import Memory
from spinney.grow.describe import NodeRows, describe
from spinney.grow.targets import Classes, Pairs
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, MOST_EXACT, Forest, ends_of, small

_WORD = 64  # codes of a set in a word
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def freeze(
    memory: Memory,
    n_nodes: int,
    n_rows: int,
    bins: Bins,
    target: Target,
    criterion: int,
    kinds: Any,
    stats: np.ndarray,
    places: Places | None = None,
) -> Forest:
    """The finished tree; `kinds` are the statistics of its target, `stats` what the rows add, node by node.

    `places` is the order of its categories, if it has any.
    """
    nodes = memory.nodes[:n_nodes]
    n_asks = (n_nodes - 1) // 2
    size, n_samples = np.empty(n_nodes, np.uint32), np.empty(n_nodes - n_asks, np.uint32)
    feature, code, turn = np.empty(n_asks, np.uint32), np.empty(n_asks, np.uint8), np.empty(n_asks, np.uint8)
    _lay_out(nodes, size, feature, code, turn, n_samples)
    sets, set_start = np.empty(0, np.uint64), np.zeros(1, np.int64)
    if places is not None:
        is_set = bins.is_categorical[feature]
        n_words = bins.n_bins.astype(np.int64) // _WORD + 1  # missing has its code, too
        set_start = ends_of(n_words[feature[is_set]])
        sets = np.zeros(int(set_start[-1]), np.uint64)
        fill_sets(nodes, places, bins.n_bins.astype(np.int64), set_start, sets)
        turn[is_set] |= ASKS_SET
        code[is_set] = 0
    weight, impurity = np.empty(0, np.float32), np.empty(0)
    if isinstance(kinds, Pairs) and target.labels is not None and criterion != OWN:
        unit = float(kinds.units[0])
        whole = unit == 1.0 and int(nodes[0]["weight"]) < MOST_EXACT
        answers = np.empty((n_nodes, 1, 2), np.float32 if whole else np.float64)
        weight = np.empty(0 if whole else n_nodes, np.float32 if whole else np.float64)
        _answer(nodes, unit, answers, weight)
    elif stats.ndim == 1 and isinstance(kinds, Classes) and int(nodes[0]["weight"]) < MOST_EXACT:  # whole weights
        answers = np.zeros((n_nodes, 1, int(kinds.first[-1]) - 1), np.float32)
        _count_classes(nodes, stats, answers)
    else:
        begin, end, parent, is_leaf = (np.empty(n_nodes, kind) for kind in (np.int64, np.int64, np.int64, np.bool_))
        _shape(nodes, begin, end, parent, is_leaf)
        shape = NodeRows(begin, end, is_leaf, parent, memory.rows[:n_rows].astype(np.int64))
        answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    forest = Forest(
        n_columns=bins.n_columns,
        n_classes=target.n_classes,
        criterion=criterion,
        bins=bins,
        first=np.array([0, n_nodes]),
        size=small(size),
        feature=small(feature),
        turn=turn,
        answers=answers,
        n_samples=n_samples,
        code=code,
        weight=weight,
        impurity=impurity,
        set_start=set_start,
        sets=sets,
    )
    return forest.compact() if len(impurity) else forest


@kernel
def _lay_out(nodes, size, feature, code, turn, n_samples):
    """The grown nodes as sizes of subtrees, questions and leaves; from behind, since children come after parents."""
    asks, leaves = feature.size, n_samples.size
    for k in range(nodes.size - 1, -1, -1):
        node = nodes[k]
        size[k] = 1
        if node.right >= 0:
            asks -= 1
            size[k] += size[k + 1] + size[node.right]
            feature[asks], code[asks], turn[asks] = node.feature, node.code, node.missing_left * MISSING_LEFT
        else:
            leaves -= 1
            n_samples[leaves] = node.end - node.begin


@kernel
def _shape(nodes, begin, end, parent, is_leaf):
    for k in range(nodes.size):
        node = nodes[k]
        begin[k], end[k], parent[k], is_leaf[k] = node.begin, node.end, node.parent, node.right < 0


@kernel
def _count_classes(nodes, stats, answers):
    """The weight of every class: in leaves that of their rows, [ weight : 32 bits | class : 32 bits ], sums above."""
    for k in range(nodes.size - 1, -1, -1):
        node, own = nodes[k], answers[k, 0]
        if node.right < 0:
            for i in range(node.begin, node.end):
                own[stats[i] & _LOW] += np.float32(stats[i] >> _HALF)
        if node.parent >= 0:
            above = answers[node.parent, 0]
            for c in range(own.size):
                above[c] += own[c]


@kernel
def _answer(nodes, unit, answers, weight):
    """The weights of both classes."""
    for k in range(nodes.size):
        node = nodes[k]
        answers[k, 0, 0], answers[k, 0, 1] = float(node.weight - node.amount) * unit, float(node.amount) * unit
        if weight.size:
            weight[k] = float(node.weight) * unit
