"""Estimator parameters to engine settings, with errors that say what would be right.

In:  what the user wrote: names or numbers of columns, shares, "sqrt", the parameters of a decision tree.
Out: numbers and arrays as the engines take them. What a single value may be is checked before, in params.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._seed import read_seed
from spinney.data.schema import Schema
from spinney.data.weights import Weights
from spinney.estimators.targets import TreeTargets
from spinney.grow import NO_LIMIT

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.grow.rules import TreeSettings


def read_monotone(wanted: Any, names: np.ndarray | None, is_categorical: np.ndarray) -> np.ndarray:
    """int8 per column: 1 rising, -1 falling, 0 free; from a sequence or a dict by column name."""
    n = len(is_categorical)
    if wanted is None:
        return np.zeros(0, np.int8)
    if isinstance(wanted, Mapping):
        directions = np.zeros(n)
        for name, direction in wanted.items():
            directions[column_index(name, names, n, "monotonic_cst")] = direction
    else:
        directions = np.asarray(wanted, np.float64)
        if directions.shape != (n,):
            raise ValueError(
                f"monotonic_cst has shape {directions.shape[0] if directions.ndim == 1 else directions.shape} but the "
                f"input data X has {n} features. Give one entry per column."
            )
    if not np.isin(directions, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst must hold only -1 (decreasing), 0 (no constraint) or 1 (increasing).")
    if (directions[is_categorical] != 0).any():
        raise ValueError("monotonic_cst must be 0 for categorical columns, because categories have no order.")
    return directions.astype(np.int8)


def read_groups(wanted: Any, names: np.ndarray | None, n_columns: int) -> np.ndarray:
    """uint8 (groups, columns): which columns may meet on a path; columns in no group form one of their own."""
    if wanted is None:
        return np.zeros((0, n_columns), np.uint8)
    if isinstance(wanted, str):
        if wanted == "pairwise":
            wanted = list(combinations(range(n_columns), 2))
        elif wanted == "no_interactions":
            wanted = [[j] for j in range(n_columns)]
        else:
            raise ValueError(
                f"interaction_cst must be 'pairwise', 'no_interactions' or groups of columns, got {wanted!r}."
            )
    groups = [{column_index(name, names, n_columns, "interaction_cst") for name in _group(one)} for one in wanted]
    rest = set(range(n_columns)).difference(*groups)
    if rest:
        groups.append(rest)
    allowed = np.zeros((len(groups), n_columns), np.uint8)
    for g, group in enumerate(groups):
        allowed[g, list(group)] = 1
    return allowed


def _group(one: Any) -> Iterable[Any]:
    if isinstance(one, str) or not isinstance(one, Iterable):
        raise ValueError(f"interaction_cst must be a list of groups, each a list of columns, got the group {one!r}.")
    return one


def column_index(name: Any, names: np.ndarray | None, n_columns: int, parameter: str) -> int:
    """A column by name or number."""
    if isinstance(name, str):
        if names is None:
            raise ValueError(f"{parameter} names the column {name!r}, but X has no column names. Use column numbers.")
        found = np.flatnonzero(np.asarray(names) == name)
        if len(found) == 0:
            raise ValueError(
                f"{parameter} names the column {name!r}, which X does not have. Its columns are {list(names)}."
            )
        return int(found[0])
    if not isinstance(name, Integral) or not 0 <= int(name) < n_columns:
        raise ValueError(f"{parameter} must hold column names or numbers from 0 to {n_columns - 1}, got {name!r}.")
    return int(name)


def count_share(value: Any, n: int) -> float:
    """A share in (0, 1] from scikit-learn's max_features: None, a fraction, a number of columns, "sqrt", "log2".

    More columns than there are mean all of them, as in scikit-learn's trees: so one setting does for many tables.
    """
    if value is None:
        return 1.0
    if isinstance(value, str):
        return max(1, math.isqrt(n) if value == "sqrt" else n.bit_length() - 1) / n
    return min(int(value), n) / n if isinstance(value, Integral) else float(value)


def count_columns(value: Any, n: int) -> int:
    """The number of columns that scikit-learn's max_features means."""
    return max(1, int(count_share(value, n) * n + 1e-9))


# --- decision trees -------------------------------------------------------------------------------------------------


def tree_settings(tree: Any, schema: Schema, answers: TreeTargets, weights: Weights) -> TreeSettings:
    """How to grow a tree with the parameters of `tree`, a `DecisionTreeClassifier` or `DecisionTreeRegressor`."""
    from spinney.criteria.impurity import NAMES, OWN
    from spinney.grow.rules import TreeSettings

    n, n_rows = schema.n_columns, answers.values.shape[1]
    own = None if isinstance(tree.criterion, str) else tree.criterion
    n_features = count_columns(tree.max_features, n)
    is_random = tree.splitter == "random" or n_features < n
    total = weights.total()
    weight = float(n_rows) if total is None else float(total.sum())
    return TreeSettings(
        criterion=NAMES[tree.criterion] if own is None else OWN,
        own=own,
        max_depth=NO_LIMIT if tree.max_depth is None else int(tree.max_depth),
        max_leaves=tree.max_leaf_nodes,
        min_split=share_of_rows(tree.min_samples_split, n_rows),
        min_leaf=share_of_rows(tree.min_samples_leaf, n_rows),
        min_weight=float(tree.min_weight_fraction_leaf) * weight,
        min_decrease=float(tree.min_impurity_decrease),
        by_ratio=tree.criterion == "gain_ratio",
        random=tree.splitter == "random",
        n_features=n_features,
        monotone=_tree_monotone(tree, schema, answers),
        significance=tree.significance,
        seed=read_seed(tree.random_state) if is_random else 0,
    )


def _tree_monotone(tree: Any, schema: Schema, answers: TreeTargets) -> np.ndarray:
    monotone = read_monotone(tree.monotonic_cst, schema.names, schema.is_categorical)
    if not monotone.any():
        return monotone
    if len(answers.values) > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if answers.sizes is not None and answers.sizes[0] > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
    if callable(tree.criterion):
        raise ValueError("Monotonicity constraints are not supported with a custom criterion.")
    return monotone


def share_of_rows(value: Any, n_rows: int) -> int:
    """A number of rows, which is given as such or as a share of all."""
    return int(value) if isinstance(value, Integral) else int(np.ceil(value * n_rows))


def n_categories(schema: Schema) -> np.ndarray:
    """Categories of each column; 0 for numbers. A column without any value counts as one."""
    sizes = [0 if column.categories is None else max(1, len(column.categories)) for column in schema.columns]
    return np.array(sizes, np.int64)


def tree_bins(tree: Any, schema: Schema, table: Table, counts: np.ndarray | None, team: Team) -> Any:
    """The bins that a tree's thresholds are chosen from; None if it tries all."""
    if tree.max_bins is None:
        return None
    return table.bins(schema.is_categorical, counts, tree.max_bins, team)
