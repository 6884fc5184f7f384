"""Which changes of a row are allowed, and what they cost: what the user says, checked.

In: a schema, a row, and the arguments of `counterfactual`. Out: `Rules`, and by them the cells of every column
(`columns.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.explain.columns import (
    DIRECTIONS,
    Column,
    Rules,
    by_number,
    category_column,
    check_sequence,
    name_of,
    number_column,
)


def read_rules(
    schema: Schema,
    values: np.ndarray,
    cuts: list[np.ndarray],
    table: Table | None,
    given: dict[str, Any],
    cost: str,
    weights: Any,
    scale: Any,
) -> Rules:
    """The user's requirements on columns, checked."""
    directions = by_number(schema, given["directions"] or {}, "directions")
    for j, way in directions.items():
        if way not in DIRECTIONS:
            raise ValueError(f"directions must be 'increase' or 'decrease', got {way!r} for {name_of(schema, j)!r}.")
        if schema.columns[j].categories is not None:
            raise ValueError(
                f"{name_of(schema, j)!r} has categories, which cannot {way}. Pass the allowed categories in bounds."
            )
    bounds = {
        j: _range_of(schema, j, one)
        for j, one in by_number(schema, given["bounds"] or {}, "bounds").items()
        if schema.columns[j].categories is None
    }
    price = _prices(schema, cuts, table, scale if isinstance(scale, Mapping) else {})
    if cost == "l0":
        price[:] = 1.0
    for j, factor in by_number(schema, weights or {}, "weights").items():
        if not isinstance(factor, int | float | np.number) or not 0 < factor < math.inf:
            raise ValueError(f"weights must be positive numbers, got {factor!r} for {name_of(schema, j)!r}.")
        price[j] *= factor
    return Rules(
        fixed=frozenset(by_number(schema, check_sequence(given["fixed"], "fixed"), "fixed")),
        directions=directions,
        bounds=bounds,
        fill=frozenset(by_number(schema, check_sequence(given["fill"], "fill"), "fill")),
        whole=_whole(schema, values, cuts, table, given["whole"]),
        price=price,
        counts=cost == "l0",
    )


def _range_of(schema: Schema, j: int, given: Any) -> tuple[float, float]:
    pair = tuple(given) if isinstance(given, tuple | list) and len(given) == 2 else None
    if pair is None or not all(one is None or isinstance(one, int | float | np.number) for one in pair):
        raise ValueError(f"bounds of {name_of(schema, j)!r} must be a pair (low, high), got {given!r}.")
    low, high = -math.inf if pair[0] is None else float(pair[0]), math.inf if pair[1] is None else float(pair[1])
    if schema.columns[j].boolean and not all(one is None or one in (0, 1) for one in pair):
        raise ValueError(
            f"bounds of {name_of(schema, j)!r} must be a pair (low, high) of False, True or None, since the column is "
            f"Boolean, got {given!r}. Use fixed=[{name_of(schema, j)!r}] to keep its value."
        )
    if not low <= high:
        raise ValueError(f"bounds of {name_of(schema, j)!r} must be (low, high) with low <= high, got {given!r}.")
    return low, high


def read_categories(schema: Schema, bounds: Any) -> dict[int, np.ndarray]:
    found = {}
    for j, given in by_number(schema, bounds or {}, "bounds").items():
        column = schema.columns[j]
        if column.categories is None:
            continue
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise ValueError(f"bounds of {name_of(schema, j)!r} must be a list of categories, got {given!r}.")
        for one in given:
            if one not in column.index_of:
                raise ValueError(f"bounds of {name_of(schema, j)!r}: {one!r} is not one of its categories.")
        found[j] = np.isin(np.arange(len(column.categories)), [column.index_of[one] for one in given])
    return found


def _prices(schema: Schema, cuts: list[np.ndarray], table: Table | None, units: Mapping[Any, Any]) -> np.ndarray:
    """What one unit of each column costs: 1 by its median absolute deviation."""
    price = np.ones(schema.n_columns)
    for j, column in enumerate(schema.columns):
        if column.categories is None:
            values = cuts[j] if table is None else np.asarray(table.column(j), np.float64)
            price[j] = 1.0 / _unit(values[np.isfinite(values)])
    for j, unit in by_number(schema, units, "scale").items():
        if not isinstance(unit, int | float | np.number) or not 0 < unit < math.inf:
            raise ValueError(f"scale must be positive numbers, got {unit!r} for {name_of(schema, j)!r}.")
        price[j] = 1.0 / float(unit)
    return price


def _unit(values: np.ndarray) -> float:
    if not len(values):
        return 1.0
    spread = float(np.median(np.abs(values - np.median(values)))) or float(np.ptp(values)) / 2.0
    return spread if 0.0 < spread < math.inf else 1.0


def _whole(schema: Schema, values: np.ndarray, cuts: list[np.ndarray], table: Table | None, given: Any) -> np.ndarray:
    """Which columns hold whole numbers."""
    found = np.array([column.boolean for column in schema.columns])
    if not (isinstance(given, str) and given == "auto"):
        found[list(by_number(schema, check_sequence(given, "whole"), "whole"))] = True
        return found
    for j, column in enumerate(schema.columns):
        if column.categories is not None or found[j]:
            continue
        seen = 2.0 * cuts[j] if table is None else np.asarray(table.column(j), np.float64)
        seen = seen[np.isfinite(seen)]
        x = values[j]
        found[j] = len(seen) > 0 and bool((seen == np.round(seen)).all()) and (x != x or x == round(x))
    return found


def make_columns(
    schema: Schema, values: np.ndarray, cuts: list[np.ndarray], rules: Rules, allowed: dict[int, np.ndarray]
) -> list[Column]:
    """The cells of every column; a ValueError where none is allowed."""
    columns = []
    for j, column in enumerate(schema.columns):
        x = float(values[j])
        if column.categories is None:
            one = number_column(j, x, cuts[j], rules)
        else:
            n = len(column.categories)
            one = category_column(j, x, n, allowed.get(j, np.ones(n, bool)), rules)
        if one.n_allowed == 0:
            raise ValueError(f"no value of {name_of(schema, j)!r} is allowed. Check fixed, directions and bounds.")
        columns.append(one)
    return columns
