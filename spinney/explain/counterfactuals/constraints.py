"""Which changes of a row are allowed, and what they cost: what the user says, checked.

In: a schema, a row, and the arguments of `counterfactual`. Out: `Rules`, and by them the cells of every column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.tree.questions import IN_SET, UP_TO, Questions

# ----------------------------------------------------------------------------------------------------------------------
# Columns as cells: where a row may move, and what it costs.
#
# In: the splits of a model, a row, and what is required of columns (fixed, directions, bounds, costs). Out: `Column`s:
# the cells of each column that may be reached, nearest first, each with the value that the row would have there.
#
# A numeric column has a cell between each two thresholds of the model, a categorical column has a cell per category,
# and both have one for missing values. The value of a cell is the nearest one in it; cells in which no value is allowed
# have none. Trees predict the same for all values of a cell, so nothing is lost.

DIRECTIONS = ("increase", "decrease")


@dataclass(frozen=True)
class Rules:
    """Requirements on columns, by column number."""

    fixed: frozenset[int]
    directions: dict[int, str]
    bounds: dict[int, tuple[float, float]]
    fill: frozenset[int]  # columns whose missing value may be replaced
    whole: np.ndarray  # bool (columns,): whole numbers only
    price: np.ndarray  # float64 (columns,): of one unit, or of any change
    counts: bool  # every change of a column costs the same


@dataclass(frozen=True)
class Column:
    """Cells in the order of their costs; those with infinite costs are not allowed and come last."""

    cell: np.ndarray  # int64: the cell's number in its column, ascending by value; the last one is missing
    cost: np.ndarray  # float64
    value: np.ndarray  # float64: numbers, categories' numbers, nan
    side: np.ndarray  # int64: 1 for numbers above the row's, -1 below, else 0
    edge: np.ndarray  # float64: the threshold that the value lies just above, nan for others

    @property
    def n_allowed(self) -> int:
        return int(np.isfinite(self.cost).sum())

    def nearest(self, n: int) -> Column:
        """The first n cells only."""
        return Column(self.cell[:n], self.cost[:n], self.value[:n], self.side[:n], self.edge[:n])


def thresholds_of(questions: Questions, n_columns: int) -> list[np.ndarray]:
    """The different thresholds of each column, ascending."""
    found = [np.empty(0)] * n_columns
    asks = questions.kind == UP_TO
    for j in np.unique(questions.column[asks]).tolist():
        found[j] = np.unique(questions.threshold[asks & (questions.column == j)])
    return found


def cells_of(values: np.ndarray, column: Any, cuts: np.ndarray) -> np.ndarray:
    """The cell that each value of a column lies in."""
    n_cells = len(cuts) + 1 if column.categories is None else len(column.categories)
    missing = np.isnan(values)
    known = np.where(missing, 0.0, values)
    place = np.searchsorted(cuts, known, side="left") if column.categories is None else known.astype(np.int64)
    return np.where(missing, n_cells, place)


def number_column(j: int, x: float, cuts: np.ndarray, rules: Rules) -> Column:
    """The cells of a column of numbers."""
    least, most = np.append(-np.inf, cuts), np.append(cuts, np.inf)
    low, high = rules.bounds.get(j, (-np.inf, np.inf))
    stays = np.zeros(len(least), bool)
    if x == x:
        stays[np.searchsorted(cuts, x, side="left")] = low <= x <= high
        low = max(low, x) if rules.directions.get(j) == "increase" else low
        high = min(high, x) if rules.directions.get(j) == "decrease" else high
    above = np.nextafter(least, np.inf)
    if rules.whole[j]:
        above, most, low, high = np.floor(least) + 1.0, np.floor(most), np.ceil(low), np.floor(high)
    first, last = np.maximum(above, low), np.minimum(most, high)
    aim = x if x == x else np.round(_middle(cuts, low, high), 0 if rules.whole[j] else 12)
    value = np.where(stays, x, np.minimum(np.maximum(aim, first), last))
    may = (first <= last) & np.isfinite(value) & (j not in rules.fixed)
    if x != x:  # a missing value that may be filled in costs the same wherever it lands
        return _sorted(j, x, value, np.ones(len(value)), may & (j in rules.fill), np.full(len(value), np.nan), rules)
    edge = np.where((value == above) & (value > x) & ~rules.whole[j], least, np.nan)
    return _sorted(j, x, value, np.abs(value - x), may | stays, edge, rules)


def category_column(j: int, x: float, n_categories: int, allowed: np.ndarray, rules: Rules) -> Column:
    """The cells of a column of categories; `allowed`: those that bounds admit."""
    value = np.arange(float(n_categories))
    stays = value == x
    may = allowed & (stays | (j not in rules.fixed)) & (x == x or j in rules.fill)
    return _sorted(j, x, value, np.where(stays, 0.0, 1.0), may, np.full(n_categories, np.nan), rules)


def _middle(cuts: np.ndarray, low: float, high: float) -> float:
    inside = cuts[(cuts >= low) & (cuts <= high)]
    return float(np.median(inside)) if len(inside) else float(np.clip(0.0, low, high))


def _sorted(
    j: int, x: float, value: np.ndarray, away: np.ndarray, allowed: np.ndarray, edge: np.ndarray, rules: Rules
) -> Column:
    """All cells, with that of missing values, which only a missing value may stay in."""
    price = rules.price[j]
    cost = np.where(allowed, away * price if not rules.counts else (away > 0) * price, np.inf)
    value, cost = np.append(value, np.nan), np.append(cost, 0.0 if x != x else np.inf)
    away, edge = np.append(away, 0.0 if x != x else np.inf), np.append(edge, np.nan)
    with np.errstate(invalid="ignore"):
        side = np.where(np.isnan(value) | (x != x), 0, np.sign(value - x)).astype(np.int64)
    order = np.lexsort((value, away, cost))
    return Column(order, cost[order], value[order], side[order], edge[order])


def yes_cells(questions: Questions, mine: np.ndarray, column: Any, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(bool (distinct conditions, cells): which cells satisfy them; the place of each one of `mine` among them)."""
    n_cells = (len(cuts) + 1 if column.categories is None else len(column.categories)) + 1
    kind, missing_yes = questions.kind[mine], questions.missing_yes[mine]
    place = np.searchsorted(cuts, questions.threshold[mine])
    is_set = np.flatnonzero(kind == IN_SET)
    keys = np.stack([kind, np.where(kind == UP_TO, place, 0), missing_yes], axis=1).astype(np.int64)
    keys[is_set, 1] = np.arange(len(is_set))
    distinct, where = np.unique(keys, axis=0, return_inverse=True)
    found = np.zeros((len(distinct), n_cells), bool)
    found[:, -1] = distinct[:, 2] != 0
    values = np.arange(n_cells - 1)
    for row in np.flatnonzero(distinct[:, 0] == UP_TO).tolist():
        cut = int(distinct[row, 1])
        found[row, :-1] = values <= (cut if column.categories is None else cuts[cut])
    for row in np.flatnonzero(distinct[:, 0] == IN_SET).tolist():
        k = int(mine[is_set[distinct[row, 1]]])
        members = questions.members[questions.set_start[k] : questions.set_start[k + 1]]
        found[row, members] = True
    return found, where.ravel()


def by_number(schema: Schema, given: Any, what: str) -> dict[int, Any]:
    """Requirements on columns, given by name or number, by number."""
    pairs = given.items() if isinstance(given, Mapping) else ((one, True) for one in given)
    names = None if schema.names is None else {name: j for j, name in enumerate(schema.names.tolist())}
    found = {}
    for key, value in pairs:
        if isinstance(key, str) and names is not None and key in names:
            found[names[key]] = value
        elif isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < schema.n_columns:
            found[int(key)] = value
        else:
            known = f"0 to {schema.n_columns - 1}" if names is None else f"{list(names)!r:.200}"
            raise ValueError(
                f"{what} names the column {key!r}, which the model does not have. Its columns are {known}."
            )
    return found


def name_of(schema: Schema, j: int) -> str:
    """What a column is called."""
    return f"column {j}" if schema.names is None else str(schema.names[j])


def check_sequence(given: Any, what: str) -> Sequence[Any]:
    """A list of columns."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"{what} must be a list of columns, got {given!r:.80}.")
    return list(given)


# ----------------------------------------------------------------------------------------------------------------------


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
