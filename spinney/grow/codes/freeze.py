"""From the grown nodes to a `Grove` of one tree: questions of eight bytes, and what the nodes say."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.data.target import Target
from spinney.grow.codes.memory import Memory
from spinney.grow.describe import Shape, describe
from spinney.grow.targets import Pairs
from spinney.tree.grove import MOST_EXACT, Grove, narrow
from spinney.tree.questions import question


def freeze(
    memory: Memory, n_nodes: int, n_rows: int, edges: np.ndarray, target: Target, criterion: int, kinds: Any
) -> Grove:
    """The finished tree; `kinds` are the statistics of its target."""
    nodes = memory.nodes[:n_nodes]
    steps, n_samples = np.empty(n_nodes, np.uint64), np.empty(n_nodes, np.uint32)
    _lay_out(nodes, steps, n_samples)
    weight, impurity = np.empty(0, np.float32), np.empty(0)
    if isinstance(kinds, Pairs) and target.labels is not None:
        unit = float(kinds.units[0])
        whole = unit == 1.0 and int(nodes[0].weight) < MOST_EXACT
        answers = np.empty((n_nodes, 1, 2), np.float32 if whole else np.float64)
        weight = np.empty(0 if whole else n_nodes, np.float32 if whole else np.float64)
        _answer(nodes, unit, answers, weight)
    else:
        begin, end, parent, is_leaf = (np.empty(n_nodes, kind) for kind in (np.int64, np.int64, np.int64, np.bool_))
        _shape(nodes, begin, end, parent, is_leaf)
        shape = Shape(begin, end, is_leaf, parent, memory.rows[:n_rows].astype(np.int64))
        answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
        if target.labels is None:
            weight = narrow(weight)
        else:  # whole weights: they are the sums of the answers
            answers, weight, impurity = narrow(answers), np.empty(0, np.float32), np.empty(0)
    return Grove(
        n_classes=target.n_classes,
        criterion=criterion,
        first=np.array([0, n_nodes]),
        first_set=np.zeros(2, np.int64),
        steps=steps,
        edges=edges,
        n_samples=n_samples,
        answers=answers,
        weight=weight,
        impurity=impurity,
        set_at=np.empty(0, np.int64),
        sets=np.empty(0, np.uint64),
    )


@kernel
def _lay_out(nodes, steps, n_samples):
    """The grown nodes as questions."""
    for k in range(nodes.size):
        node = nodes[k]
        n_samples[k] = node.end - node.begin
        if node.right >= 0:
            steps[k] = question(node.right, node.feature, np.int64(node.code) + 1, node.missing_left)
        else:
            steps[k] = question(k, 0, 0, 0)


@kernel
def _shape(nodes, begin, end, parent, is_leaf):
    for k in range(nodes.size):
        node = nodes[k]
        begin[k], end[k], parent[k], is_leaf[k] = node.begin, node.end, node.parent, node.right < 0


@kernel
def _answer(nodes, unit, answers, weight):
    """The weights of both classes."""
    for k in range(nodes.size):
        node = nodes[k]
        answers[k, 0, 0], answers[k, 0, 1] = float(node.weight - node.amount) * unit, float(node.amount) * unit
        if weight.size:
            weight[k] = float(node.weight) * unit
