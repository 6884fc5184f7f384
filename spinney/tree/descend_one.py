"""Send one row down all trees, with as little overhead as possible.

In: a `Forest` and a `Table` of one row. Out: the same numbers, to the last bit, as `predict_boosted.py`, `descend.py`
and `descend_many.py` give: leaves, raw scores, or sums of answers. Values are compared with thresholds, so that nothing
is encoded; eight trees are walked in step, so that no load waits for another. What a forest has to make ready for that
is in its `one_row`, kept with its other packed forms.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import either, inner_kernel, kernel
from spinney.data.tables import Table
from spinney.tree.forest import Forest
from spinney.tree.packed import COLUMN, LEFT, next_by_value

_TOGETHER = 8  # trees
_ONE = np.uint64(1)


class OneRow:
    """A forest made ready for rows that come one by one."""

    def __init__(self, forest: Forest) -> None:
        self._packed, self._numbers_only, self._n_trees = forest.steps, forest.numbers_only, forest.n_trees
        self._steps = forest.steps.steps
        self._first = forest.steps.first.view(np.uint64)
        self._answers, self._is_class = _writeable(forest.answers), forest.n_classes is not None

    def leaves(self, table: Table) -> np.ndarray:
        """int64 (trees,): the number of the leaf, within its tree, that the row reaches in each."""
        return (self._nodes(table) - self._first[:-1]).view(np.int64)

    def scores(self, table: Table, start: np.ndarray) -> np.ndarray:
        """(outputs, 1): raw scores of a boosted model, the start values and the trees' values, added in order."""
        scores = start.copy()
        _add_scores(self._answers, self._nodes(table), scores)
        return scores[:, None]

    def sums(self, table: Table, answers: np.ndarray | None = None) -> np.ndarray:
        """(1, outputs, classes or 1): sums over the trees; of other answers than the forest's where they are given."""
        answers = self._answers if answers is None else _writeable(answers)
        sums = np.zeros((1, *answers.shape[1:]))
        _add_answers(answers, self._is_class, self._nodes(table), sums)
        return sums

    def _nodes(self, table: Table) -> np.ndarray:
        """uint64 (trees,): where the row ends, numbered through all trees."""
        values, nodes = table.panels[0].values, np.empty(self._n_trees, np.uint64)
        flags = values.flags
        if values.dtype != np.float64 or not (flags.c_contiguous and flags.writeable):
            values = np.array(values, np.float64, order="C")  # kernels are compiled for one kind of array
        if self._numbers_only:
            _walk_by_number(self._steps, self._first, values, nodes)
        else:
            _walk_by_value(self._packed, values, nodes)
        return nodes


def _writeable(answers: np.ndarray) -> np.ndarray:
    return answers if answers.flags.writeable else answers.copy()


@kernel
def _add_scores(answers, nodes, scores):
    for tree in range(nodes.size):
        scores[tree % scores.size] += answers[nodes[tree], 0, 0]


@kernel
def _add_answers(answers, is_class, nodes, sums):
    for tree in range(nodes.size):
        add_shares(answers[nodes[tree]], is_class, sums[0])


@inner_kernel
def add_shares(answers, is_class, out):
    """Add a leaf's answers, (outputs, classes or 1)."""
    for o in range(out.shape[0]):
        total = 1.0
        if is_class:
            total = 0.0
            for c in range(out.shape[1]):
                total += np.float64(answers[o, c])
        for c in range(out.shape[1]):
            out[o, c] += np.float64(answers[o, c]) / total


@kernel
def _walk_by_number(steps, first, values, nodes):
    """nodes[tree] = where the row ends. Eight trees in step, in registers; after the last tree come copies of it."""
    # Eight variables, since Numba keeps an array of eight in memory. A walk of one row waits for every load; eight
    # independent walks wait together.
    row, last = values[0], nodes.size - 1
    for b in range(0, nodes.size, 8):
        c, d, e, f = min(b + 1, last), min(b + 2, last), min(b + 3, last), min(b + 4, last)
        g, h, i = min(b + 5, last), min(b + 6, last), min(b + 7, last)
        b_node, c_node, d_node, e_node = first[b], first[c], first[d], first[e]
        f_node, g_node, h_node, i_node = first[f], first[g], first[h], first[i]
        moves = True
        while moves:
            b_next, c_next = _next(steps, b_node, first[b], row), _next(steps, c_node, first[c], row)
            d_next, e_next = _next(steps, d_node, first[d], row), _next(steps, e_node, first[e], row)
            f_next, g_next = _next(steps, f_node, first[f], row), _next(steps, g_node, first[g], row)
            h_next, i_next = _next(steps, h_node, first[h], row), _next(steps, i_node, first[i], row)
            moves = (b_next != b_node) | (c_next != c_node) | (d_next != d_node) | (e_next != e_node)
            moves |= (f_next != f_node) | (g_next != g_node) | (h_next != h_node) | (i_next != i_node)
            b_node, c_node, d_node, e_node = b_next, c_next, d_next, e_next
            f_node, g_node, h_node, i_node = f_next, g_next, h_next, i_next
        nodes[b], nodes[c], nodes[d], nodes[e] = b_node, c_node, d_node, e_node
        nodes[f], nodes[g], nodes[h], nodes[i] = f_node, g_node, h_node, i_node


@inner_kernel
def _next(steps, node, first, row):
    """`next_by_number` of packed.py, with nodes numbered through all trees; this one begins at `first`."""
    step = steps[node]
    value = row[np.uint64(step["feature"] & COLUMN)]
    goes_left = (value <= step["threshold"]) | ((value != value) & (step["feature"] & LEFT != 0))
    return either(goes_left, node + _ONE, first + np.uint64(step["right"]))


@kernel
def _walk_by_value(packed, values, nodes):
    """The same, for questions of any kind; some trees in step."""
    for begin in range(0, nodes.size, _TOGETHER):
        end = min(begin + _TOGETHER, nodes.size)
        for tree in range(begin, end):
            nodes[tree] = packed.first[tree]
        moved = True
        while moved:
            moved = False
            for tree in range(begin, end):
                first = packed.first[tree]
                node = np.int64(nodes[tree]) - first
                to = next_by_value(packed, first, node, values[0, packed.steps[first + node].feature & COLUMN])
                to = node if to < 0 else to  # whatever goes every way ends here
                nodes[tree] = first + to
                moved |= to != node
