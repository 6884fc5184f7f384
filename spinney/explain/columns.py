"""Columns as cells: where a row may move, and what it costs.

In: the splits of a model, a row, and what is required of columns (fixed, directions, bounds, costs). Out: `Column`s:
the cells of each column that may be reached, nearest first, each with the value that the row would have there.

A numeric column has a cell between each two thresholds of the model, a categorical column has a cell per category, and
both have one for missing values. The value of a cell is the nearest one in it; cells in which no value is allowed have
none. Trees predict the same for all values of a cell, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.tree.questions import IN_SET, UP_TO, Questions

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
