"""Feature importances as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.view.figures import axes_for, class_colours, drawing, name_rows
from spinney.view.phrases import check_count

_ROOM = 1.12  # of the longest bar: for the number after it


@drawing
def plot_importances(
    model: Any, *, feature_names: Any = None, most: int = 20, decimals: int = 2, ax: Any = None
) -> Any:
    """Plot feature importances as bars, the largest on top.

    Parameters
    ----------
    model : fitted model, dict from name to importance, array, or permutation importances
        A model with `feature_importances_`, from Spinney or another library. For the results of scikit-learn's
        `permutation_importance` and of `spinney.explain.importances`, the bars are the means, with one standard
        deviation to both sides.
    feature_names : list of str, default=None
        Names of the columns. None: those of the data that the model was fitted on, else `x[0]`, `x[1]`, ...
    most : int, default=20
        Maximum number of columns drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier, plot_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_importances(RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y))
    """
    values, spread, names = _read(model)
    check_count("most", most, 1)
    if feature_names is not None:
        names = [str(name) for name in feature_names]
    if len(names) != len(values):
        raise ValueError(f"feature_names must be a list of {len(values)} names, got {len(names)}.")
    ax = axes_for("plot_importances", ax)
    order = np.argsort(-values, kind="stable")[:most]
    places = np.arange(len(order))
    bars = {"color": class_colours(1)[0], "ecolor": "#505050", "capsize": 3}
    ax.barh(places, values[order], xerr=None if spread is None else spread[order], **bars)
    reach = values[order] if spread is None else values[order] + spread[order]
    for place, value, end in zip(places, values[order], np.maximum(reach, 0.0)):
        ax.annotate(f"{value:.{decimals}f}", (end, place), (4, 0), textcoords="offset points", va="center")
    name_rows(ax, [names[i] for i in order])
    ax.set_xlabel("importance")
    ax.set_xlim(min(0.0, float(values[order].min(initial=0.0)) * _ROOM), float(reach.max(initial=0.0)) * _ROOM or 1.0)
    return ax


def _read(model: Any) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """Importances, their standard deviations if there are any, and names."""
    if isinstance(model, Mapping) and "importances_mean" in model:
        values, spread = np.asarray(model["importances_mean"], np.float64), np.asarray(model["importances_std"])
        names = model.get("names") or [f"x[{i}]" for i in range(len(values))]
        return values, None if np.isnan(spread).all() else np.nan_to_num(spread), [str(name) for name in names]
    if isinstance(model, Mapping):
        return np.array(list(model.values()), np.float64), None, [str(name) for name in model]
    if isinstance(model, list | tuple | np.ndarray):
        values = np.asarray(model, np.float64)
        if values.ndim != 1:
            raise ValueError(f"importances must be one number per column, got shape {values.shape}.")
        return values, None, [f"x[{i}]" for i in range(len(values))]
    if hasattr(model, "fit"):
        check_is_fitted(model)
    found = getattr(model, "feature_importances_", None)
    if found is None:
        raise TypeError(
            f"model must have feature_importances_, which {type(model).__name__} does not have. Pass an array, a dict, "
            "or the result of sklearn.inspection.permutation_importance."
        )
    values = np.asarray(found, np.float64)
    own = getattr(model, "feature_names_in_", None)
    return values, None, [f"x[{i}]" for i in range(len(values))] if own is None else [str(name) for name in own]
