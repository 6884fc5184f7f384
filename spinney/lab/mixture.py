"""EM step by step: responsibilities of the Gaussians are computed, and the Gaussians are fitted with them as weights.

In: a plane. Out: one step per iteration, with ellipses, responsibilities and the log-likelihood.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spinney.lab.panels import Step, curve, line, plane, step
from spinney.lab.parameters import SEED, LabError, LabParameter, Values, as_code
from spinney.lab.tables import LabTable
from spinney.view.clusters import component_shares
from spinney.view.numbers import listed, percent, plural, short

TITLE = "EM (Gaussians)"
ABOUT = (
    "E step: compute the responsibility of each Gaussian for every row. M step: fit each Gaussian with these weights. "
    "The likelihood never falls."
)
PARAMETERS = (
    LabParameter("n_components", "components", 3, 1, 8),
    LabParameter(
        "covariance_type",
        "covariance",
        "full",
        choices=(
            ("full", "full: any ellipse"),
            ("diag", "diagonal: axis-parallel"),
            ("spherical", "spherical: circle"),
            ("tied", "tied: same for all"),
        ),
    ),
    LabParameter(
        "init_params",
        "initialisation",
        "random_from_data",
        choices=(
            ("random_from_data", "random rows"),
            ("kmeans", "k-means"),
            ("given", "means -2 and 3, deviations 2"),
        ),
    ),
    SEED,
)
_MOST, _TOL = 60, 1e-4  # iterations; increase of the likelihood that stops them


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return the initialisation and one step per iteration."""
    model = _fit(table, values)
    history = model.history_
    rises = [float(one.log_likelihood) for one in history]
    lines = [line("log-likelihood", range(len(rises)), rises, "dots", 0)]
    found = []
    for t, one in enumerate(history):
        shares = component_shares(one, np.asarray(table.X, np.float64))
        at_zero = component_shares(one, np.zeros((1, 2)))[0] if values["init_params"] == "given" else None
        facts: dict[str, Any] = {"iteration": t, "log_likelihood": rises[t], "weights": one.weights, "means": one.means}
        if at_zero is not None:
            facts["at_zero"] = at_zero
        seen = plane(
            "Responsibilities as colours; ellipses at 1 and 2 standard deviations",
            shares=np.round(100 * shares).astype(int),
            ellipses=[_ellipse(one, k) for k in range(len(one.weights))],
        )
        shown = curve("Mean log-likelihood per row", "iterations", "log-likelihood", lines, t)
        said = _sentence(t, rises, one, shares, len(history))
        if at_zero is not None:
            said += f" At x = 0, the responsibilities are {listed([f'{share:.2f}' for share in at_zero])}."
        found.append(step(said, facts, seen, shown))
    return found


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    is_given = values["init_params"] == "given"
    at_zero = ', "at_zero": component_shares(now, np.zeros((1, 2)))[0].tolist()' if is_given else ""
    return [
        "import warnings",
        "",
        "from spinney import GaussianMixture, plot_em_steps",
        *(["from spinney.view.clusters import component_shares"] if is_given else []),
        'warnings.simplefilter("ignore")  # it may stop before it has converged',
        f"model = {as_code(_model(values))}.fit(X)",
        f"now = model.history_[{at}]",
        f'step = {{"iteration": {at}, "log_likelihood": float(now.log_likelihood), "weights": now.weights.tolist(), '
        f'"means": now.means.tolist(){at_zero}}}',
        f"plot_em_steps(model, X, steps=({at},))",
    ]


def _model(values: Values) -> Any:
    from spinney import GaussianMixture

    given = dict(values)
    if given["init_params"] == "given":
        one = [[0.25, 0.0], [0.0, 0.25]]
        shape = {"full": [one, one], "diag": [[0.25, 0.25]] * 2, "spherical": [0.25, 0.25], "tied": one}
        given |= {"init_params": "kmeans", "precisions_init": shape[values["covariance_type"]]}
        given |= {"means_init": [[-2.0, 0.0], [3.0, 0.0]], "weights_init": [0.5, 0.5]}
    return GaussianMixture(**given, max_iter=_MOST, tol=_TOL, keep_history=True)


def _fit(table: LabTable, values: Values) -> Any:
    import warnings

    if len(np.unique(table.X, axis=0)) < 2 * values["n_components"]:
        raise LabError(
            f"There are too few distinct rows for {plural(values['n_components'], 'component')}. Choose fewer."
        )
    if values["init_params"] == "given" and values["n_components"] != 2:
        raise LabError("The means -2 and 3 are those of 2 components. Choose 2 components.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may stop before it has converged
        return _model(values).fit(table.X)


def _ellipse(one: Any, k: int) -> dict[str, Any]:
    """Return the half axes at one standard deviation."""
    lengths, axes = np.linalg.eigh(one.covariances[k])
    half = np.sqrt(np.maximum(lengths, 0.0))
    return {
        "x": one.means[k, 0],
        "y": one.means[k, 1],
        "first": (half[1] * axes[:, 1]).tolist(),
        "second": (half[0] * axes[:, 0]).tolist(),
        "weight": one.weights[k],
        "colour": k,
    }


def _sentence(t: int, rises: list[float], one: Any, shares: np.ndarray, n: int) -> str:
    unsure = float((shares.max(axis=1) < 0.9).mean())
    if t == 0:
        weights = listed([percent(w) for w in one.weights.tolist()])
        return (
            f"{plural(len(one.weights), 'Gaussian')} with initial weights of {weights}. The mean log-likelihood per "
            f"row is {rises[0]:.3f}. For {percent(unsure)} of the rows, no responsibility reaches "
            "90\N{NO-BREAK SPACE}%."
        )
    gained = rises[t] - rises[t - 1]
    end = " It no longer rises notably: EM stops." if t == n - 1 else ""
    largest = int(np.argmax(one.weights))
    said = (
        f"Iteration {t}: each Gaussian is fitted with its responsibilities as row weights. The largest component "
        f"weight is now {percent(float(one.weights[largest]))}. The mean log-likelihood rises by "
        f"{short(max(gained, 0.0), 3)} to {rises[t]:.3f}; for {percent(unsure)} of the rows, no "
        f"responsibility reaches 90\N{NO-BREAK SPACE}%."
    )
    return said + end if math.isfinite(gained) else said
