"""A greedy tree and the optimal tree, side by side, one level deeper at each step.

In: a plane or a table of categories. Out: one step per depth: both trees, and the errors of all depths so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.lab.panels import Step, TreePicture, boxes_of, curve, dotted, plane, step, wrong_rows
from spinney.lab.parameters import LabParameter, Values, as_code
from spinney.lab.tables import LabTable
from spinney.view.numbers import percent, plural

TITLE = "Optimal tree"
ABOUT = (
    "A greedy tree takes the best split at each node. The optimal tree has the fewest training errors of all trees of "
    "its depth: a split that gains nothing by itself may prepare a better one."
)
PARAMETERS = (
    LabParameter("max_depth", "maximum depth", 3, 1, 4),
    LabParameter("min_samples_leaf", "minimum rows per leaf", 1, 1, 30),
)
_BINS, _SECONDS = 32, 10.0  # so that a step takes at most some seconds


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return one step per depth."""
    found: list[Step] = []
    errors: list[tuple[float, float]] = []
    for depth in range(1, values["max_depth"] + 1):
        greedy, best = (one.fit(table.X, table.y) for one in _models(values, depth))
        errors.append((_error(greedy, table), _error(best, table)))
        found.append(_step(table, greedy, best, depth, errors))
    return found


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    greedy, best = map(as_code, _models(values, at + 1))
    return [
        "from spinney import DecisionTreeClassifier, OptimalTreeClassifier, plot_tree",
        f"greedy = {greedy}.fit(X, y)",
        f"best = {best}.fit(X, y)",
        "step = {",
        f'    "depth": {at + 1},',
        '    "greedy_error": 1 - greedy.score(X, y),',
        '    "optimal_error": 1 - best.score(X, y),',
        '    "greedy_leaves": greedy.get_n_leaves(),',
        '    "optimal_leaves": best.get_n_leaves(),',
        '    "gap": best.gap_,',
        "}",
        f"plot_tree(best, feature_names={table.names!r})",
    ]


def _models(values: Values, depth: int) -> tuple[Any, Any]:
    from spinney import DecisionTreeClassifier, OptimalTreeClassifier

    given = {"max_depth": depth, "min_samples_leaf": values["min_samples_leaf"], "max_bins": _BINS}
    return DecisionTreeClassifier(**given), OptimalTreeClassifier(**given, time_budget=_SECONDS)


def _error(model: Any, table: LabTable) -> float:
    return 1.0 - float(model.score(table.X, table.y))


def _step(table: LabTable, greedy: Any, best: Any, depth: int, errors: list[tuple[float, float]]) -> Step:
    numbers = {
        "depth": depth,
        "greedy_error": errors[-1][0],
        "optimal_error": errors[-1][1],
        "greedy_leaves": int(greedy.get_n_leaves()),
        "optimal_leaves": int(best.get_n_leaves()),
        "gap": float(best.gap_),
    }
    panels = []
    for name, model in (("The greedy tree", greedy), ("The optimal tree", best)):
        picture, asking = TreePicture(model, table.names, table.labels), set(_inner(model))
        if table.is_plane:
            wrong = wrong_rows(model.predict(table.X), table.y)
            panels.append(plane(f"{name} (ringed: misclassified)", boxes=boxes_of(picture, table, asking), wrong=wrong))
        panels.append(picture.panel(name, asking))
    depths = range(1, depth + 1)
    lines = dotted(depths, zip(*errors), ("greedy", "optimal"))
    return step(_sentence(numbers, best), numbers, *panels, curve("Training error", "depth", "error", lines, depth))


def _inner(model: Any) -> list[int]:
    return np.flatnonzero(~model.tree_.is_leaf).tolist()  # type: ignore[no-any-return]


def _sentence(numbers: dict[str, Any], best: Any) -> str:
    proved = "no tree of this depth has fewer errors" if best.is_optimal_ else "the best that was found in time"
    sizes = [plural(numbers[f"{name}_leaves"], "leaf", "leaves") for name in ("greedy", "optimal")]
    return (
        f"Up to depth {numbers['depth']}, the greedy tree misclassifies {percent(numbers['greedy_error'])} with "
        f"{sizes[0]}, the optimal tree {percent(numbers['optimal_error'])} with {sizes[1]}: {proved}."
    )
