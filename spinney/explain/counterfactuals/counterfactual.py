"""Counterfactuals: the smallest change of a row that changes a model's prediction.

In: a fitted tree-based model, a row, the target and the allowed changes. Out: `Counterfactuals`. The searches, among
all rows and among regions that contain rows, are in `nearest_point.py`; costs and cells in `constraints.py`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.tables import Table
from spinney.explain.counterfactuals.constraints import (
    Column,
    make_columns,
    name_of,
    read_categories,
    read_rules,
    thresholds_of,
    yes_cells,
)
from spinney.explain.counterfactuals.result import Change, Counterfactual, Counterfactuals, plain_value
from spinney.explain.counterfactuals.targets import Goal, Model, goals_for
from spinney.tree.forest import MISSING_SPREADS
from spinney.tree.formula import Formula, Mixture, complete_formula
from spinney.tree.questions import Questions, read_questions, spreads
from spinney.view.phrases import check_count

if TYPE_CHECKING:
    from spinney.explain.counterfactuals.nearest_point import Effort

_COSTS = ("l1", "l0")
_SECONDS = 10.0  # of the search, where nothing else limits it


def counterfactual(
    model: Any,
    row: Any,
    *,
    target: Any = None,
    probability: float | None = None,
    fixed: Any = (),
    directions: Mapping[Any, str] | None = None,
    bounds: Mapping[Any, Any] | None = None,
    fill: Any = (),
    whole: Any = "auto",
    cost: str = "l1",
    weights: Mapping[Any, float] | None = None,
    scale: Any = None,
    n: int = 1,
    populated: Any = None,
    time_limit: float | None = None,
    max_nodes: int | None = None,
) -> Counterfactuals:
    """Find the smallest change of a row that changes the prediction of a tree-based model.

    The search is exact: leaf by leaf for a single tree, by branch and bound for forests and boosted models. If a limit
    is reached before the result is proved, the best row found is returned, with a lower bound of the cost of any other.
    Every row that is returned has been predicted by the model.

    Parameters
    ----------
    model : fitted model
        A decision tree, a forest, gradient boosting, bagging or AdaBoost of trees, an isolation forest, or an imported
        tree-based model.
    row : dict, Series, sequence or DataFrame of one row
        Values by column name, or in the order of the columns.
    target : label, or pair of numbers, default=None
        The class you want; None: any other than the predicted class. For regression a range (low, high), one of
        which may be None, or a list of ranges for several outputs. For isolation forests 1 or -1.
    probability : float, default=None
        Smallest probability that the class must have.
    fixed : list of columns, default=()
        Columns that must not change, by name or number.
    directions : dict, default=None
        Column -> "increase" or "decrease": the only direction in which it may change.
    bounds : dict, default=None
        Column -> (low, high) for numbers, either of which may be None; a list of the allowed categories for categorical
        columns.
    fill : list of columns, default=()
        Columns whose missing value may be replaced. Other missing values stay missing, and no value becomes missing.
    whole : "auto" or list of columns, default="auto"
        Columns of integers. "auto": Booleans; columns of integers in `populated` or `scale` if these are data;
        otherwise columns whose thresholds all lie at or halfway between integers and whose value in the row is an
        integer.
    cost : {"l1", "l0"}, default="l1"
        "l1": the sum of the absolute changes, each divided by the scale of its column; a change of category costs 1.
        "l0": the number of columns that change.
    weights : dict, default=None
        Column -> factor of its cost. None: 1.
    scale : dict, array-like or DataFrame, default=None
        Column -> unit, or data: the unit of a column is then its median absolute deviation there, or half its range if
        that is 0. None: the units of `populated`, or of the model's own thresholds.
    n : int, default=1
        Maximum number of counterfactuals. Each further one leaves unchanged at least one column that each earlier one
        changes.
    populated : array-like or DataFrame, default=None
        Allow only regions that contain one of these rows: the result falls into the same leaf of every tree as one of
        them.
    time_limit : float, default=None
        Time limit in seconds, without the time for compiling; `math.inf` for none. None: 10, or none if `max_nodes`
        is given.
    max_nodes : int, default=None
        Maximum number of boxes that branch and bound explores. Unlike `time_limit`, it gives the same result on any
        machine, however busy it is. `nodes` of the result is the number explored.

    Returns
    -------
    Counterfactuals
        The rows found, the nearest first, with changes, costs and bounds.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import counterfactual
    >>> X, y = load_penguins()
    >>> model = RandomForestClassifier(n_estimators=20, max_depth=4, random_state=0).fit(X, y)
    >>> found = counterfactual(model, X.iloc[0], target="Gentoo", fixed=["sex", "year"], max_nodes=10_000)
    >>> found[0].prediction, found.optimal
    ('Gentoo', True)
    """
    begun = time.monotonic()
    formula = _formula(model)
    values = _read_row(formula, model, row)
    questions = _questions(formula, values)
    ends = questions.ends
    known = Model(model, formula, ends, np.searchsorted(formula.forest.first, ends, side="right") - 1)
    answer = plain_value(model.predict(as_table(formula, values))[0])
    effort = _effort(time_limit, max_nodes)
    _check_numbers(n, cost)
    cuts = thresholds_of(questions, formula.schema.n_columns)
    tables = [one for one in (populated, scale) if one is not None and not isinstance(one, Mapping)]
    table = _read_table(formula, model, tables[0]) if tables else None
    given = {"fixed": fixed, "directions": directions, "bounds": bounds, "fill": fill, "whole": whole}
    rules = read_rules(formula.schema, values, cuts, table, given, cost, weights, scale)
    columns = make_columns(formula.schema, values, cuts, rules, read_categories(formula.schema, bounds))
    goals = goals_for(known, target, probability, answer)
    search = _Search(known, questions, cuts, columns, values, effort)
    if populated is not None:
        found, bound = search.populated(goals, populated, table, n)
    else:
        found, bound = search.nearest(goals, n)
    words = " or ".join(one.words for one in goals)
    return Counterfactuals(answer, words, bound, time.monotonic() - begun, bound == math.inf, found, effort.nodes)


# --- reading ----------------------------------------------------------------------------------------------------------


def _formula(model: Any) -> Formula:
    is_own = any(one.__module__.partition(".")[0] == "spinney" for one in type(model).__mro__)
    if not isinstance(model, type) and hasattr(model, "fit") and not is_own:
        raise TypeError(
            f"counterfactual needs one of Spinney's tree-based models, got {type(model).__name__}. Import models of "
            "scikit-learn, XGBoost and LightGBM first: from_sklearn, from_xgboost, from_lightgbm."
        )
    formula = complete_formula(model)
    if isinstance(formula, Mixture):
        raise TypeError(
            f"{formula.model} averages several models, which is not a sum of trees. Use one of its members."
        )
    reading = None if formula.foreign is None else formula.foreign.reading
    if reading is not None and (reading.numbered or reading.zero_is_missing):
        raise ValueError(
            f"this {formula.model} numbers categories itself or treats zeros as missing. Counterfactuals are not "
            "supported for such imported models."
        )
    return formula


def _read_row(formula: Formula, model: Any, row: Any) -> np.ndarray:
    """The row as float64 (columns,), categories as their numbers."""
    schema = formula.schema
    table = schema.read_one(row, type(model).__name__, strict=formula.strict)
    values = np.array([table.column(j)[0] for j in range(schema.n_columns)], np.float64)
    for j in np.flatnonzero(np.isinf(values)).tolist():
        raise ValueError(
            f"row has an infinite value in {name_of(schema, j)!r}, whose changes have no finite cost. Replace it."
        )
    return values


def _read_table(formula: Formula, model: Any, X: Any) -> Table:
    return formula.schema.read(X, type(model).__name__, strict=formula.strict)


def as_table(formula: Formula, values: np.ndarray) -> Any:
    """Values of a row as something that the model's `predict` takes."""
    return formula.row([_label(column, value) for column, value in zip(formula.schema.columns, values.tolist())])


def _questions(formula: Formula, values: np.ndarray) -> Questions:
    """The questions of all trees; rows with missing values that trees spread have no one way to go."""
    forest = formula.forest
    if spreads(forest):
        at = (forest.turn & MISSING_SPREADS) != 0
        lost = [j for j in np.unique(forest.feature[at]).tolist() if math.isnan(values[j])]
        if lost:
            raise ValueError(
                f"the row's value of {name_of(formula.schema, lost[0])!r} is missing, and {formula.model} sends such "
                "rows down several branches. Pass a value for it."
            )
        forest = replace(forest, turn=forest.turn & ~np.uint8(MISSING_SPREADS))
    return read_questions(forest, formula.schema)


def _effort(time_limit: Any, max_nodes: Any) -> Effort:
    """What the search may take."""
    from spinney.explain.counterfactuals.nearest_point import Effort

    if max_nodes is not None:
        check_count("max_nodes", max_nodes, 1)
    if time_limit is None:
        time_limit = _SECONDS if max_nodes is None else math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float | np.number) or not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds, got {time_limit!r}.")
    return Effort(time.monotonic() + float(time_limit), math.inf if max_nodes is None else int(max_nodes))


def _check_numbers(n: Any, cost: Any) -> None:
    check_count("n", n, 1)
    if cost not in _COSTS:
        raise ValueError(f"cost must be 'l1' or 'l0', got {cost!r}.")


# --- searching --------------------------------------------------------------------------------------------------------


class _Search:
    """Everything known about one row."""

    def __init__(
        self,
        known: Model,
        questions: Questions,
        cuts: list[np.ndarray],
        columns: list[Column],
        values: np.ndarray,
        effort: Effort,
    ) -> None:
        from spinney.explain.counterfactuals.leaf_boxes import Walk
        from spinney.explain.counterfactuals.nearest_point import make_cells, pack_bits

        self.known, self.columns, self.values, self.effort, self.cuts = known, columns, values, effort, cuts
        self.schema = known.formula.schema
        self.cells = make_cells(columns)
        at, words, n_words = np.zeros(len(questions.kind), np.int64), [np.empty(0, np.uint64)], 0
        for j in np.unique(questions.column).tolist():
            mine = np.flatnonzero(questions.column == j)
            yes, where = yes_cells(questions, mine, self.schema.columns[j], cuts[j])
            sets = pack_bits(yes[:, columns[j].cell])
            at[mine] = n_words + where * sets.shape[1]
            words.append(sets.ravel())
            n_words += sets.size
        depth = int(known.formula.forest.shape.depth.max(initial=0)) * 9 + 2  # questions of many branches are halved
        self.walk_of = lambda goal: Walk(
            questions.column, at, np.concatenate(words), questions.yes, questions.no, questions.roots, goal.value
        )
        self.depth = min(depth, len(questions.kind) + 2)

    def point(self, ranks: np.ndarray) -> np.ndarray:
        """The values of a point."""
        return np.array([one.value[k] for one, k in zip(self.columns, ranks.tolist())])

    def agrees(self, goal: Goal, ranks: np.ndarray) -> bool:
        """Whether the model itself predicts the target at a point."""
        return bool(goal.agrees(as_table(self.known.formula, self.point(ranks)))[0])

    def nearest(self, goals: list[Goal], n: int) -> tuple[list[Counterfactual], float]:
        """The nearest points of all, each leaving alone some column that each earlier one changes."""
        found: list[Counterfactual] = []
        changed: list[list[int]] = []
        bound, first = 0.0, math.inf
        while len(found) < n:
            best, bound = self._best(goals, changed)
            first = bound if not found else first
            if best is None:
                break
            found.append(self._tell(best, bound))
            changed.append([j for j in range(len(self.columns)) if best[j] != 0])
            if not changed[-1]:
                break
        return found, first if found else bound

    def _best(self, goals: list[Goal], changed: list[list[int]]) -> tuple[np.ndarray | None, float]:
        """(the ranks of the nearest point, or None; what none undercuts), over goals and columns to leave alone."""
        from spinney.explain.counterfactuals.nearest_point import Space, find_nearest

        best, known, bound = None, math.inf, math.inf
        for frozen in sorted({tuple(sorted(set(one))) for one in product(*changed)}, key=lambda one: (len(one), one)):
            for goal in goals:

                def accept(ranks: np.ndarray, goal: Goal = goal) -> bool:
                    return self.agrees(goal, ranks)

                space = Space(self.columns, self.cells, self.walk_of(goal), self.depth, goal.need, accept)
                one = find_nearest(space, frozen, known, self.effort)
                bound = min(bound, one.bound)
                if one.ranks is not None and one.cost < known:
                    best, known = one.ranks, one.cost
        return best, min(bound, known)

    def populated(self, goals: list[Goal], X: Any, rows: Any, n: int) -> tuple[list[Counterfactual], float]:
        """The nearest points in regions of rows that reach a goal."""
        from spinney.explain.counterfactuals.nearest_point import nearest_regions

        walk = self.walk_of(goals[0])
        ranks, costs = nearest_regions(X, rows, self.schema, self.columns, self.cells, self.cuts, goals, walk)
        found: list[Counterfactual] = []
        changed: list[set[int]] = []
        for k in np.argsort(costs, kind="stable").tolist():
            own = {j for j in range(len(self.columns)) if ranks[k, j] != 0}
            if len(found) == n or not math.isfinite(costs[k]):
                break
            if any(one <= own for one in changed):
                continue
            if any(self.agrees(goal, ranks[k]) for goal in goals):
                found.append(self._tell(ranks[k], float(costs[k])))
                changed.append(own)
        return found, found[0].bound if found else math.inf

    def _tell(self, ranks: np.ndarray, bound: float) -> Counterfactual:
        """A point as a row."""
        point = self.point(ranks)
        changes, row = [], []
        for j, (column, k) in enumerate(zip(self.columns, ranks.tolist())):
            own = self.schema.columns[j]
            before, after = _label(own, self.values[j]), _label(own, point[j])
            row.append(after)
            if column.value[k] != self.values[j] and not math.isnan(column.value[k]):
                name = j if self.schema.names is None else str(self.schema.names[j])
                changes.append(Change(name, before, after, float(column.edge[k]), float(column.cost[k])))
        changes.sort(key=lambda one: -one.cost)
        cost = float(sum(column.cost[k] for column, k in zip(self.columns, ranks.tolist())))
        answer = plain_value(self.known.model.predict(as_table(self.known.formula, point))[0])
        named = row if self.schema.names is None else dict(zip(self.schema.names.tolist(), row))
        return Counterfactual(named, changes, answer, cost, min(bound, cost))


def _label(column: Any, value: float) -> Any:
    """A value as it stands in tables."""
    if math.isnan(value):
        return math.nan
    if column.categories is not None:
        return column.categories[int(value)]
    return bool(value) if column.boolean else float(value)
