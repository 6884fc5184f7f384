"""Send one row down all trees, with as little around it as can be.

In: a `Forest` and a `Table` of one row. Out: the same numbers, to the last bit, as `sweep.py`, `descend.py` and
`descend_many.py` give: leaves, raw scores, or sums of answers. Values are compared with thresholds, so that nothing is
encoded; several trees are walked in step, so that no load waits for another.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.data.tables import Table
from spinney.tree.forest import Forest
from spinney.tree.packed import COLUMN, next_by_number, next_by_value

_TOGETHER = 8  # trees


def is_one_row(table: Table) -> bool:
    """Whether the short way can be taken."""
    return table.n_rows == 1 and len(table.panels) == 1


def leaves_of_row(forest: Forest, table: Table) -> np.ndarray:
    """int64 (trees,): the number of the leaf, within its tree, that the row reaches in each."""
    leaves = np.empty(forest.n_trees, np.int64)
    _find(forest.steps, _values(table), forest.numbers_only, leaves)
    return leaves


def scores_of_row(forest: Forest, table: Table, start: np.ndarray) -> np.ndarray:
    """(outputs, 1): raw scores of a boosted model, the start values and the trees' values, added in order."""
    scores = start.copy()
    answers, leaves = forest.answers, np.empty(forest.n_trees, np.int64)
    _add_scores(forest.steps, _values(table), forest.numbers_only, _writeable(answers), leaves, scores)
    return scores[:, None]


def answers_of_row(forest: Forest, table: Table) -> np.ndarray:
    """(1, outputs, classes or 1): sums over the trees."""
    answers, leaves = forest.answers, np.empty(forest.n_trees, np.int64)
    sums = np.zeros((1, *answers.shape[1:]))
    is_class = forest.n_classes is not None
    _add_answers(forest.steps, _values(table), forest.numbers_only, _writeable(answers), is_class, leaves, sums)
    return sums


def _values(table: Table) -> np.ndarray:
    """A copy, for one kind of array to compile for."""
    return np.array(table.panels[0].values, np.float64, order="C")


def _writeable(answers: np.ndarray) -> np.ndarray:
    return answers if answers.flags.writeable else answers.copy()


@kernel
def _find(packed, values, numbers_only, leaves):
    _walk(packed, values, numbers_only, leaves)


@kernel
def _add_scores(packed, values, numbers_only, answers, leaves, scores):
    _walk(packed, values, numbers_only, leaves)
    for tree in range(leaves.size):
        scores[tree % scores.size] += answers[packed.first[tree] + leaves[tree], 0, 0]


@kernel
def _add_answers(packed, values, numbers_only, answers, is_class, leaves, sums):
    _walk(packed, values, numbers_only, leaves)
    for tree in range(leaves.size):
        add_shares(answers[packed.first[tree] + leaves[tree]], is_class, sums[0])


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


@inner_kernel
def _walk(packed, values, numbers_only, leaves):
    """leaves[tree] = where the row ends."""
    for begin in range(0, leaves.size, _TOGETHER):
        end = min(begin + _TOGETHER, leaves.size)
        for tree in range(begin, end):
            leaves[tree] = 0
        moved = True
        while moved:
            moved = False
            for tree in range(begin, end):
                node, first = leaves[tree], packed.first[tree]
                if numbers_only:
                    to = next_by_number(packed.steps[first:], node, values, 0)
                else:
                    value = values[0, packed.steps[first + node].feature & COLUMN]
                    to = next_by_value(packed, first, node, value)
                    to = node if to < 0 else to  # whatever goes every way ends here
                leaves[tree] = to
                moved |= to != node
