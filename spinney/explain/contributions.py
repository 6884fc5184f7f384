"""Contributions along the paths of a row: what each column adds to the answer on the way down all trees.

In: a fitted model of trees and a row. Out: what is said at the roots, and per column the sum of all steps that its
questions make; together they are the row's raw scores. Quick and simple, but columns asked first get less than their
due: SHAP values share out better.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.io.formula import Formula
from spinney.tree.questions import spreads

LINEAR = ("identity", "exp", "shares", "logistic", "softmax", "votes", "margin", "depth")


class Contributions(NamedTuple):
    """Of one row."""

    base: np.ndarray  # float64 (scores,)
    values: np.ndarray  # float64 (columns, scores)


def contributions_along_paths(formula: Formula, model: Any, row: Any) -> Contributions | None:
    """None where answers are no sums over paths: medians, and rows that go down several branches."""
    if formula.link not in LINEAR or spreads(formula.forest):
        return None
    forest, table = formula.forest, formula.schema.read_row(row, type(model).__name__, strict=formula.strict)
    parent, first = forest.shape.parent, forest.first[:-1]
    feature = forest.of_questions(forest.feature.astype(np.int64), -1)
    base, values = formula.start.copy(), np.zeros((formula.schema.n_columns, formula.n_scores))
    for t, leaf in enumerate(forest.one_row.leaves(table).tolist()):
        own = slice(t % formula.n_scores, t % formula.n_scores + 1) if formula.adds_in_turn else slice(None)
        node, root = leaf + int(first[t]), int(first[t])
        while node != root:
            above = int(parent[node])
            values[feature[above], own] += formula.values[node] - formula.values[above]
            node = above
        base[own] += formula.values[root]
    return Contributions(base / formula.divisor, values / formula.divisor)
