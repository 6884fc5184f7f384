"""Estimator parameters to engine settings, with errors that say what would be right."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import validate_parameter_constraints


def check_parameters(estimator: Any) -> None:
    """scikit-learn's check of the parameters, for those that are not at their defaults."""
    kind: Any = type(estimator)
    defaults = _defaults(kind)
    changed = {name: value for name in defaults if (value := getattr(estimator, name)) is not defaults[name]}
    if changed:
        name = type(estimator).__name__
        validate_parameter_constraints(estimator._parameter_constraints, changed, caller_name=name)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {one.name: one.default for one in parameters}


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
                f"monotonic_cst must have one entry per column: got shape {directions.shape} for {n} columns."
            )
    if not np.isin(directions, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst must hold only -1 (falling), 0 (free) or 1 (rising).")
    if (directions[is_categorical] != 0).any():
        raise ValueError("monotonic_cst must be 0 for categorical columns: categories have no order.")
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
        raise ValueError(f"interaction_cst must be a list of groups, each a list of columns; got the group {one!r}.")
    return one


def column_index(name: Any, names: np.ndarray | None, n_columns: int, parameter: str) -> int:
    """A column by name or number."""
    if isinstance(name, str):
        if names is None:
            raise ValueError(f"{parameter} names the column {name!r}, but X has no column names: use column numbers.")
        found = np.flatnonzero(np.asarray(names) == name)
        if len(found) == 0:
            raise ValueError(f"{parameter} names the column {name!r}, which X does not have. Columns: {list(names)}.")
        return int(found[0])
    if not isinstance(name, Integral) or not 0 <= int(name) < n_columns:
        raise ValueError(f"{parameter} must name columns or number them 0 to {n_columns - 1}, got {name!r}.")
    return int(name)


def count_share(value: Any, n: int, parameter: str) -> float:
    """A share in (0, 1] from scikit-learn's max_features: None, a fraction, a number of columns, "sqrt", "log2"."""
    if value is None:
        return 1.0
    if isinstance(value, str):
        return max(1, math.isqrt(n) if value == "sqrt" else n.bit_length() - 1) / n
    if isinstance(value, Integral):
        if int(value) > n:
            raise ValueError(f"{parameter} must be at most the number of columns, {n}, got {value}.")
        return int(value) / n
    return float(value)


def count_columns(value: Any, n: int, parameter: str) -> int:
    """The number of columns that scikit-learn's max_features means."""
    if isinstance(value, Integral) and int(value) > n:
        return n  # as scikit-learn's trees do
    return max(1, int(count_share(value, n, parameter) * n + 1e-9))
