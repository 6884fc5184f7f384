"""Shared by plots of iterations: which iterations, which columns, and panels in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.data.tables import as_matrix

_PANEL = 3.0  # inches
_ACROSS = 3  # panels in a row
_DEFAULT = (0, 1, 2, 4, 8, 16, 32, 64, 128)
_MOST = 6  # panels, unless more are asked for


def history_of(model: Any, name: str) -> list[Any]:
    """The history of a model fitted with `keep_history=True`."""
    if not hasattr(type(model), "history_"):
        raise TypeError(f"model must be a fitted {name}, got {type(model).__name__}.")
    check_is_fitted(model)
    if model.history_ is None:
        raise ValueError("model must be fitted with keep_history=True, since the plot shows the iterations.")
    steps: list[Any] = model.history_
    return steps


def read_values(model: Any, X: Any) -> np.ndarray:
    """The table of a fit as numbers."""
    table = model.schema_.read(X, type(model).__name__)
    return as_matrix(table.panels, table.n_rows, table.n_columns).astype(np.float64)


def chosen_steps(steps: Sequence[int] | None, last: int) -> list[int]:
    """Iterations to draw: those requested, or a few with growing distances, including the last."""
    if steps is None:
        some = [*(step for step in _DEFAULT if step < last), last]
        if len(some) == _MOST - 1:  # one more, so that no panel stays empty
            some = sorted({*some, min(set(range(last)) - set(some))})
        return [some[round(i)] for i in np.linspace(0, len(some) - 1, min(_MOST, len(some)))]
    whole = [isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one <= last for one in steps]
    if not len(whole) or not all(whole):
        raise ValueError(f"steps must be integers from 0 (the start) to {last} (the end), got {steps!r}.")
    return [int(one) for one in steps]


def chosen_rounds(rounds: Sequence[int], n_rounds: int) -> list[int]:
    """The requested rounds that the model has."""
    wanted = list(rounds)
    whole = [isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 1 for one in wanted]
    if not all(whole) or not wanted or min(wanted) > n_rounds:
        raise ValueError(f"rounds must be integers from 1 to {n_rounds}, got {rounds!r}.")
    return [int(one) for one in wanted if one <= n_rounds]


def chosen_columns(model: Any, features: Sequence[int | str]) -> tuple[list[int], list[str]]:
    """The numbers and names of the columns to draw."""
    n_columns = int(model.n_features_in_)
    own = [str(name) for name in getattr(model, "feature_names_in_", [])]
    places = [own.index(one) if isinstance(one, str) and one in own else one for one in features]
    valid = [isinstance(p, int | np.integer) and not isinstance(p, bool) and 0 <= p < n_columns for p in places]
    if isinstance(features, str) or len(places) != 2 or not all(valid) or places[0] == places[1]:
        known = f"numbers from 0 to {n_columns - 1}" + (" or names" if own else "")
        raise ValueError(f"features must be two different columns of X, {known}, got {features!r}.")
    columns = [int(place) for place in places]
    return columns, [own[column] if own else f"x[{column}]" for column in columns]


def panels(plt: Any, n: int, size: float = _PANEL) -> tuple[Any, list[Any]]:
    """A figure with n axes that share their scales; `size`: height of each in inches."""
    across = min(n, _ACROSS) if n != 4 else 2
    down = -(-n // across)
    figure, axes = plt.subplots(
        down, across, figsize=(size * across * 1.1, size * down), squeeze=False, sharex=True, sharey=True
    )
    for ax in axes.flat[n:]:
        ax.set_visible(False)
    return figure, list(axes.flat[:n])


def label_axes(axes: Sequence[Any], names: Sequence[str]) -> None:
    """Names of the columns, at the edge only: on the left, and where no panel is below."""
    across = axes[0].get_gridspec().ncols
    for number, ax in enumerate(axes):
        ax.yaxis.set_label_text(names[1], parse_math=False)
        ax.label_outer()
        if number + across >= len(axes):
            ax.xaxis.set_label_text(names[0], parse_math=False)
            ax.xaxis.set_tick_params(labelbottom=True)
