"""Importance by permutation: how much worse a model scores when a column's values are exchanged among rows.

In: a fitted model of any kind, rows and targets, columns in groups. Out: how much the score falls, (groups, repeats).
The columns of a group are shuffled together, by the same rows: what they say together is not left to its other members.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from spinney.explain.axes import Columns


def permute(
    model: Any,
    X: Any,
    y: Any,
    columns: Columns,
    groups: list[list[int]],
    *,
    scoring: Any,
    n_repeats: int,
    sample_weight: Any,
    random_state: Any,
) -> np.ndarray:
    """(groups, repeats)."""
    score = check_scoring(model, scoring=scoring)
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    before = float(score(model, X, y, **options))
    random = check_random_state(random_state)
    falls = np.empty((len(groups), n_repeats))
    for k in range(n_repeats):
        rows = random.permutation(columns.n_rows)
        for g, group in enumerate(groups):
            falls[g, k] = before - float(score(model, columns.shuffled(group, rows), y, **options))
    return falls
