"""Gains evaluated on held-out rows: importances that are not biased towards columns with many values.

In: a fitted tree-based model, held-out rows and targets. Out: the gain of each column's splits there, (columns, parts).

A split is chosen as the best of many, and its gain on the rows that chose it is too large: the more values a column
has, the more. So each split is evaluated again. With v the values of the nodes, and g and h the loss's derivatives of
held-out rows before the tree, a split of node p into its children c gains

    - sum over c of (v_c - v_p) (G_c + H_c v_p)                      G, H: sums over the held-out rows in c

which is the fall of the loss to first order from where p stands: v from training, gradients from rows that were not
used there. For a column without information the two are independent, and the expected gain is 0. A boosted model that
continues to fit noise increases the loss on other rows, and its gain is negative. Evaluating split improvements on
other rows is due to Zhou and Hooker (2021). For forests, by squared error and Gini, this is MDI-oob (Li et al., 2019)
minus the mean of the parent; for boosting, the unbiased gain of Zhang et al. (2023) with the trees unchanged. Gains are
divided by the number of rows; values of boosted trees include the learning rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.data.weights import read_weights
from spinney.tree.forest import Forest
from spinney.tree.formula import Formula

_PARTS = 10  # of the held-out rows, for the interval


def gains_of_boosting(
    formula: Formula, leaves: np.ndarray, X: Any, y: np.ndarray, weight: np.ndarray, part: np.ndarray
) -> np.ndarray:
    """(columns, parts); `part` of every row is its number, -1 to leave the row out."""
    forest, loss = formula.forest, formula.loss
    raw = np.empty((formula.n_scores, len(y)))
    raw[:] = formula.start[:, None] if formula.initial is None else formula.initial.of(X, len(y))
    found = np.zeros((forest.n_columns, int(part.max()) + 1))
    with Team(1, inline=True) as team:
        derivatives: np.ndarray = np.empty((0, len(y), 2))
        for t in range(forest.n_trees):
            if t % len(raw) == 0:
                derivatives = _derivatives(loss, raw, y, weight, team)
            k = t % len(raw)
            found += _gains(forest, t, leaves[:, t], derivatives[k], part)
            raw[k] += forest.answers[forest.first[t] + leaves[:, t], 0, 0]
    return found / _weights(weight, part)


def _derivatives(loss: Any, raw: np.ndarray, y: np.ndarray, weight: np.ndarray, team: Team) -> np.ndarray:
    """(outputs, rows, 2), weighted."""
    from spinney.ensemble.boosting.gradients import fill_class_derivatives, fill_derivatives, log_totals

    plain = read_weights(None, len(y))
    out = np.empty((len(raw), len(y), 2))
    if len(raw) == 1:
        fill_derivatives(team, loss, raw[0], y, plain, out[0])
    else:
        total = log_totals(team, raw)
        for k in range(len(raw)):
            fill_class_derivatives(team, np.ascontiguousarray(raw[k]), total, y.astype(np.int32), k, plain, out[k])
    return out * weight[:, None]


def gains_of_forest(
    forest: Forest,
    leaves: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    says: np.ndarray,
    rows_of: Callable[[int], np.ndarray | None],
) -> np.ndarray:
    """(columns, trees); `target` (rows, scores) like `says` (nodes, scores): numbers, or ones for the row's class.

    `rows_of(tree)` marks the rows that the tree is evaluated on; None: all rows. NaN where there are none.
    """
    found = np.full((forest.n_columns, forest.n_trees), np.nan)
    nobody = np.zeros(len(target), np.int64)
    for t in range(forest.n_trees):
        judges = rows_of(t)
        part = nobody if judges is None else np.where(judges, 0, -1)
        total = _weights(weight, part)[0]
        if total == 0.0:
            continue
        found[:, t] = 0.0
        for s in range(target.shape[1]):
            pair = np.stack([-target[:, s] * weight, weight], axis=1)
            found[:, t] += _gains(forest, t, leaves[:, t], pair, part, says[:, s])[:, 0] / total
    return found


def _weights(weight: np.ndarray, part: np.ndarray) -> np.ndarray:
    inside = part >= 0
    return np.bincount(part[inside], weight[inside], max(int(part.max()) + 1, 1))


def _gains(
    forest: Forest, t: int, leaf: np.ndarray, derivatives: np.ndarray, part: np.ndarray, says: np.ndarray | None = None
) -> np.ndarray:
    """(columns, parts) of one tree; derivatives (rows, 2)."""
    first, last = int(forest.first[t]), int(forest.first[t + 1])
    n = last - first
    n_parts = max(int(part.max()) + 1, 1)
    gains = np.zeros((forest.n_columns, n_parts))
    if n == 1:
        return gains
    inside = part >= 0
    place = leaf[inside] * n_parts + part[inside]
    ends = forest.shape.end[first:last] - first
    sums = []
    for k in (0, 1):
        at_nodes = np.bincount(place, derivatives[inside, k], n * n_parts).reshape(n, n_parts)
        running = np.vstack([np.zeros((1, n_parts)), np.cumsum(at_nodes, axis=0)])
        sums.append(running[ends] - running[:n])
    value = (forest.answers[first:last, 0, 0] if says is None else says[first:last]).astype(np.float64)
    parent = forest.shape.parent[first + 1 : last] - first
    above = value[parent]
    gain = -((value[1:] - above)[:, None]) * (sums[0][1:] + sums[1][1:] * above[:, None])
    questions = np.cumsum(~forest.is_leaf[first:last]) - 1 + forest.starts.question[t]
    np.add.at(gains, forest.feature[questions[parent]], gain)
    return gains


def parts_of_rows(n_rows: int, random: np.random.RandomState) -> np.ndarray:
    """A random part of equal size for each row."""
    return random.permutation(np.arange(n_rows) % min(_PARTS, n_rows))
