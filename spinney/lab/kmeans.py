"""k-means step by step: rows are assigned to the nearest centroid, centroids move to the mean of their rows.

In: a plane. Out: two steps per iteration, with the inertia of each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from spinney.lab.panels import LEVELS, Step, curve, grid_of, line, plane, runs, step
from spinney.lab.parameters import SEED, LabError, LabParameter, Values, as_code
from spinney.lab.tables import LabTable
from spinney.view.clusters import nearest_centres
from spinney.view.numbers import plural, short

TITLE = "k-means"
ABOUT = "Rows are assigned to the nearest centroid and centroids move to the mean of their rows, until nothing changes."
PARAMETERS = (
    LabParameter("n_clusters", "clusters", 4, 1, 8),
    LabParameter(
        "init", "initial centroids", "random", choices=(("random", "random rows"), ("k-means++", "k-means++"))
    ),
    SEED,
)
_MOST = 40  # iterations
_SHADE = 3


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return the initialisation, then movements of centroids and assignments of rows."""
    model = _fit(table, values)
    history, grid = model.history_, grid_of(table)
    sums = [float(one.inertia) for one in history]
    moves = [_sum(table.X, one, _nearest(table.X, last)) for last, one in pairwise(history)]
    every = np.array([sums[0], *np.ravel(list(zip(moves, sums[1:])))])  # of each step: assignment, movement
    falling = [line("inertia", range(1, len(every) + 1), every, "dots", 0)]
    found: list[Step] = []
    before: np.ndarray | None = None
    for t, one in enumerate(history):
        labels = _nearest(table.X, one)
        moved = len(labels) if before is None else int((labels != before).sum())
        seen = {
            "region": runs(nearest_centres(grid, one.centers, "euclidean") * LEVELS + _SHADE),
            "colours": labels,
        }
        if before is not None:
            trail = _centres(history, t)
            title = f"Iteration {t}: centroids move"
            said = _moved(t, history, moves[t - 1])
            facts = {"iteration": t, "sse": moves[t - 1], "centres": one.centers}
            found.append(step(said, facts, plane(title, centres=trail, colours=before), _curve(falling, 2 * t)))
        said = _assigned(t, moved, sums, values, len(history))
        facts = {"iteration": t, "sse": sums[t], "centres": one.centers}
        shown = plane(f"Iteration {t}: rows are assigned", centres=_centres(history, t), **seen)
        found.append(step(said, facts, shown, _curve(falling, 2 * t + 1)))
        before = labels
    return found


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    t = (at + 1) // 2
    moves = at % 2 == 1  # centroids move while each row keeps its cluster
    return [
        "from spinney import KMeans, plot_kmeans_steps",
        f"model = {as_code(_model(values))}.fit(X)",
        f"now, before = model.history_[{t}], model.history_[{t - moves}]",
        "rows = ((X[:, None] - before.centers) ** 2).sum(axis=2).argmin(axis=1)  # the cluster of each row",
        "sse = float(((X - now.centers[rows]) ** 2).sum())",
        f'step = {{"iteration": {t}, "sse": sse, "centres": now.centers.tolist()}}',
        f"plot_kmeans_steps(model, X, steps=({t},))",
    ]


def _model(values: Values) -> Any:
    from spinney import KMeans

    given = {"init": values["init"], "random_state": values["random_state"]}
    return KMeans(values["n_clusters"], n_init=1, tol=0.0, max_iter=_MOST, keep_history=True, **given)


def _fit(table: LabTable, values: Values) -> Any:
    if len(np.unique(table.X, axis=0)) < values["n_clusters"]:
        raise LabError(
            f"There are fewer distinct rows than the {values['n_clusters']} clusters. Choose fewer clusters."
        )
    return _model(values).fit(table.X)


def _centres(history: list[Any], t: int) -> list[dict[str, Any]]:
    """Return the position and the path of each centroid."""
    ways = np.array([one.centers for one in history[: t + 1]])
    return [{"x": way[-1][0], "y": way[-1][1], "colour": k, "trail": way} for k, way in enumerate(ways.swapaxes(0, 1))]


def _nearest(X: np.ndarray, one: Any) -> np.ndarray:
    return nearest_centres(X, one.centers, "euclidean")


def _sum(X: np.ndarray, one: Any, labels: np.ndarray) -> float:
    """Return the sum of squared distances of rows to the centroids of their clusters."""
    return float(((X - one.centers[labels]) ** 2).sum())


def _curve(falling: list[dict[str, Any]], at: int) -> dict[str, Any]:
    return curve("Inertia: sum of squared distances", "steps", "inertia", falling, at, yFrom=0.0)


def _moved(t: int, history: list[Any], now: float) -> str:
    far = np.sqrt(((history[t].centers - history[t - 1].centers) ** 2).sum(axis=1))
    if not far.any():
        return f"Iteration {t}: every centroid already is the mean of its rows. The inertia stays at {short(now, 3)}."
    return (
        f"Iteration {t}: each centroid moves to the mean of its rows, by at most {short(far.max(), 3)}. "
        f"The inertia falls from {short(float(history[t - 1].inertia), 3)} to {short(now, 3)}."
    )


def _assigned(t: int, moved: int, sums: list[float], values: Values, n: int) -> str:
    if t == 0:
        where = "at random rows" if values["init"] == "random" else "at rows far from each other (k-means++)"
        clusters = values["n_clusters"]
        start = f"{plural(clusters, 'centroid')} {'starts' if clusters == 1 else 'start'} {where}"
        return f"{start}. Every row is assigned to the nearest; the inertia is {short(sums[0], 3)}."
    end = " k-means has converged." if t == n - 1 else ""
    if moved == 0:
        return f"Iteration {t}: no row changes its cluster. The inertia is {short(sums[t], 3)}.{end}"
    changed = f"{plural(moved, 'row')} {'is' if moved == 1 else 'are'} assigned to a nearer centroid"
    return f"Iteration {t}: {changed}. The inertia is now {short(sums[t], 3)}.{end}"
