"""AdaBoost round by round: each member on its weighted rows, and below it the ensemble so far."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.view.plot import import_pyplot
from spinney.view.regions import plot_regions
from spinney.view.steps import chosen_rounds

_MEAN_AREA = 30.0  # of a point, in square points
_PANEL = 3.0  # inches


def plot_adaboost_rounds(
    model: Any,
    X: Any,
    y: Any,
    rounds: Sequence[int] = (1, 2, 3, 10),
    *,
    features: Sequence[int | str] = (0, 1),
    resolution: int = 200,
) -> Any:
    """Plot rounds of AdaBoost: the member of the round above, the ensemble so far below.

    The size of a point is the weight of its row: above the weight that the member was fitted with, below the weight
    after the round.

    Parameters
    ----------
    model : AdaBoostClassifier
        Fitted with `keep_weights=True`.
    X : array-like or DataFrame
        The training data of the model.
    y : array-like
        Its classes.
    rounds : sequence of int, default=(1, 2, 3, 10)
        Rounds to draw, from 1. Rounds that the model does not have are left out.
    features : two column numbers or names, default=(0, 1)
        Columns of the horizontal and the vertical axis. The other columns are fixed, as in `plot_regions`.
    resolution : int, default=200
        Number of predictions along each axis.

    Returns
    -------
    array of matplotlib axes of shape (2, n_rounds)
        The axes drawn on.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import AdaBoostClassifier, plot_adaboost_rounds
    >>> X, y = make_moons(100, noise=0.25, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=10, keep_weights=True).fit(X, y)
    >>> plot_adaboost_rounds(model, X, y, rounds=(1, 2, 10), resolution=20).shape
    (2, 3)
    """
    history, labels = _history(model), np.asarray(y)
    if labels.shape != history.shape[1:]:
        raise ValueError(f"y must have one class for each of the {history.shape[1]} rows of fit, got {labels.shape}.")
    members, votes = model.estimators_, model.estimator_weights_
    drawn = chosen_rounds(rounds, len(members))
    plt = import_pyplot("plot_adaboost_rounds")
    size = (_PANEL * len(drawn), 2 * _PANEL)
    figure, axes = plt.subplots(2, len(drawn), figsize=size, squeeze=False, sharex=True, sharey=True)
    for number, (above, below) in zip(drawn, axes.T):
        for ax, shown, weights in (
            (above, only_members(model, members[number - 1 : number], np.ones(1)), history[number - 1]),
            (below, only_members(model, members[:number], votes[:number]), history[number]),
        ):
            plot_regions(shown, X, labels, features=features, ax=ax, resolution=resolution)
            _size_points(ax, model.classes_, labels, weights)
        error = model.estimator_errors_[number - 1]
        above.set_title(f"round {number}: error {error:.2f}, vote {votes[number - 1]:.2f}", fontsize="medium")
        below.set_title(f"{number} together" if number > 1 else "1 alone", fontsize="medium")
    _tidy(axes)
    figure.tight_layout()
    return axes


def _history(model: Any) -> np.ndarray:
    if not hasattr(type(model), "sample_weight_history_"):
        raise TypeError(f"model must be a fitted AdaBoostClassifier, got {type(model).__name__}.")
    check_is_fitted(model)
    if model.sample_weight_history_ is None:
        raise ValueError("model must be fitted with keep_weights=True, since the plot shows the weights.")
    return model.sample_weight_history_


def only_members(model: Any, members: list, votes: np.ndarray) -> Any:
    """The model with other members: it knows all classes, which a member fitted on a bootstrap may not."""
    part = copy(model)
    part.estimators_, part.estimator_weights_ = members, votes
    return part


def _size_points(ax: Any, classes: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
    """`plot_regions` has drawn the points class by class, in the order of `classes`."""
    areas = _MEAN_AREA * weights / weights.mean()
    for points, value in zip(ax.collections, classes):
        points.set_sizes(areas[labels == value])


def _tidy(axes: np.ndarray) -> None:
    """One legend, and names of columns at the edge only."""
    for ax in axes.flat:
        ax.label_outer()
        if ax is not axes[0, 0] and ax.get_legend() is not None:
            ax.get_legend().remove()
