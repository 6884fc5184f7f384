"""Gradient boosting round by round: the residuals before a round, and the tree fitted on them.

In: a fitted `GradientBoostingRegressor`, and the table and targets it was fitted on. Out: a picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.view.colours import class_colours
from spinney.view.grids import Grid, read_points
from spinney.view.phrases import check_count
from spinney.view.plot import import_pyplot
from spinney.view.predictions import POINTS
from spinney.view.steps import chosen_rounds

_PANEL = 3.0  # inches
_POINT = 12.0


def plot_residual_rounds(
    model: Any,
    X: Any,
    y: Any,
    rounds: Sequence[int] = (1, 2, 3),
    *,
    feature: int | str = 0,
    resolution: int = 500,
) -> np.ndarray:
    """Plot rounds of gradient boosting: the residuals with the tree of the round above, the whole model below.

    Above: the residual of each row before the round, and what the round adds. Below: the targets, and the prediction
    after the round. Before the first round the prediction is a constant.

    Parameters
    ----------
    model : GradientBoostingRegressor
        Fitted model.
    X : array-like or DataFrame
        The training data of the model.
    y : array-like
        Its targets.
    rounds : sequence of int, default=(1, 2, 3)
        Rounds to draw, from 1. Rounds that the model does not have are left out.
    feature : int or str, default=0
        Numeric column of the horizontal axis. The other columns are fixed at their median or most common value.
    resolution : int, default=500
        Number of predictions along the axis.

    Returns
    -------
    array of matplotlib axes of shape (2, n_rounds)
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GradientBoostingRegressor, plot_residual_rounds
    >>> X = np.random.RandomState(42).rand(100, 1) - 0.5
    >>> model = GradientBoostingRegressor(max_depth=2, n_estimators=3, learning_rate=1.0).fit(X, 3 * X[:, 0] ** 2)
    >>> plot_residual_rounds(model, X, 3 * X[:, 0] ** 2).shape
    (2, 3)
    """
    if not hasattr(type(model), "n_trees_per_iteration_") or hasattr(type(model), "predict_proba"):
        raise TypeError(f"model must be a fitted GradientBoostingRegressor, got {type(model).__name__}.")
    check_is_fitted(model)
    drawn = chosen_rounds(rounds, len(model))
    if check_count("resolution", resolution) < 2:
        raise ValueError(f"resolution must be an integer of at least 2, got {resolution!r}.")
    plt = import_pyplot("plot_residual_rounds")
    line = Grid(X, [feature], resolution, 1)
    targets = read_points(y, line.n_rows).astype(np.float64)
    size = (_PANEL * 1.15 * len(drawn), 2 * _PANEL)
    figure, axes = plt.subplots(2, len(drawn), figsize=size, squeeze=False, sharex=True, sharey="row")
    x, (tree, together) = np.linspace(*line.ranges[0], resolution), class_colours(2)
    on_rows, on_line = dict(stages_of(model, X, max(drawn))), dict(stages_of(model, line.table(), max(drawn)))
    for (above, below), k in zip(axes.T, drawn):
        above.scatter(line.values[0], targets - on_rows[k - 1], s=_POINT, **POINTS)
        above.plot(x, on_line[k] - on_line[k - 1], color=tree, linewidth=2.2, label="what the round adds")
        below.scatter(line.values[0], targets, s=_POINT, **POINTS)
        below.plot(x, on_line[k], color=together, linewidth=2.2, label="all rounds so far")
        error = float(np.mean((targets - on_rows[k]) ** 2))
        above.set_title(f"round {k}: residuals", fontsize="medium")
        below.set_title(f"{k} together: mean squared error {error:.4g}", fontsize="medium")
        below.xaxis.set_label_text(line.names[0], parse_math=False)
    axes[0, 0].set_ylabel("target - prediction")
    axes[1, 0].set_ylabel("target")
    for row in axes:
        row[0].legend(fontsize="small")
    figure.tight_layout()
    return axes


def stages_of(model: Any, X: Any, last: int) -> Iterator[tuple[int, np.ndarray]]:
    """Return predictions before the first round and after each."""
    from spinney.ensemble.boosting.scoring import predictions

    formula = model.formula()
    for number, predicted in enumerate(islice(model.staged_predict(X), last), start=1):
        if number == 1:
            yield 0, np.full(len(predicted), predictions(formula.loss, False, formula.start[:, None])[0])
        yield number, predicted
