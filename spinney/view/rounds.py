"""Models that are trained in rounds: AdaBoost and gradient boosting round by round, and errors after each.

AdaBoost: each member on its weighted rows, and below it the ensemble so far. Gradient boosting: the residuals before a
round, and the tree fitted on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error
from sklearn.utils.validation import check_is_fitted

from spinney.view.figures import axes_for, chosen_rounds, class_colours, drawing, import_pyplot
from spinney.view.phrases import check_choice, check_count
from spinney.view.predictions import POINTS, Grid, plot_regions, read_points

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


# --- gradient boosting ------------------------------------------------------------------------------------------------


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
    check_count("resolution", resolution, 2)
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


# --- errors -----------------------------------------------------------------------------------------------------------


_METRICS = ("error", "log_loss", "mean_squared_error")


@drawing
def plot_staged_errors(
    model: Any, X: Any = None, y: Any = None, *, eval_set: Any = None, metric: Any = None, ax: Any = None
) -> Any:
    """Plot the error after each round, on the training rows and on others; the best round is marked.

    Parameters
    ----------
    model : fitted model with `staged_predict`, or BoostingCV
        Gradient boosting, AdaBoost, or any scikit-learn model with stages. For the result of `boosting_cv`, the means
        over the folds are drawn, with bands of one standard deviation, and no data is needed.
    X : array-like or DataFrame, default=None
        Training data.
    y : array-like, default=None
        Targets of X.
    eval_set : (X, y), or dict from name to (X, y), default=None
        Held-out rows. The last set determines the best round.
    metric : {"error", "log_loss", "mean_squared_error"} or callable, default=None
        Metric to draw. A callable receives (y, predicted). For `boosting_cv`, the name of one of its metrics. None:
        the error rate, or the mean squared error.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import AdaBoostClassifier, plot_staged_errors
    >>> X, y = make_moons(300, noise=0.3, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=50).fit(X[:200], y[:200])
    >>> ax = plot_staged_errors(model, X[:200], y[:200], eval_set=(X[200:], y[200:]))
    """
    if hasattr(model, "best_iteration") and hasattr(model, "test"):
        return _draw_folds(axes_for("plot_staged_errors", ax), model, metric)
    if not hasattr(model, "staged_predict"):
        raise TypeError(f"model must be a fitted model with staged_predict, got {type(model).__name__}.")
    check_is_fitted(model)
    if X is None or y is None:
        raise ValueError("X and y are missing. Pass the rows whose error is drawn.")
    name, judge = _judge(metric, hasattr(model, "classes_"))
    found = {label: judge(model, *rows) for label, rows in _sets(X, y, eval_set).items()}
    ax = axes_for("plot_staged_errors", ax)
    for (label, errors), colour in zip(found.items(), class_colours(len(found))):
        ax.plot(np.arange(1, len(errors) + 1), errors, color=colour, linewidth=2.0, label=label)
    _mark(ax, int(np.argmin(errors)) + 1)
    return _finish(ax, name)


def _sets(X: Any, y: Any, eval_set: Any) -> dict[str, tuple[Any, Any]]:
    sets = {"training rows": (X, y)}
    if eval_set is None:
        return sets
    others = eval_set if isinstance(eval_set, Mapping) else {"validation rows": eval_set}
    for name, pair in others.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"eval_set must be (X, y) or a dict from name to (X, y), got {eval_set!r:.60}.")
        sets[str(name)] = (pair[0], pair[1])
    return sets


def _judge(metric: Any, has_classes: bool) -> tuple[str, Callable[..., list[float]]]:
    """What is drawn, and the function that has it after every round."""
    if metric is None:
        metric = "error" if has_classes else "mean_squared_error"
    if callable(metric):
        chosen = metric
        return getattr(metric, "__name__", "metric").replace("_", " "), lambda model, X, y: [
            float(chosen(y, said)) for said in model.staged_predict(X)
        ]
    if metric not in _METRICS or (metric == "mean_squared_error") == has_classes:
        known = "'error' or 'log_loss'" if has_classes else "'mean_squared_error'"
        raise ValueError(f"metric must be {known} or a function (y, predicted) for this model, got {metric!r}.")
    if metric == "log_loss":
        return "log loss", lambda model, X, y: [
            float(log_loss(y, shares, labels=model.classes_)) for shares in model.staged_predict_proba(X)
        ]
    if metric == "error":
        return "error rate", lambda model, X, y: [
            1.0 - float(accuracy_score(y, said)) for said in model.staged_predict(X)
        ]
    return "mean squared error", lambda model, X, y: [
        float(mean_squared_error(y, said)) for said in model.staged_predict(X)
    ]


def _draw_folds(ax: Any, result: Any, metric: Any) -> Any:
    name = result.metric if metric is None else metric
    check_choice("metric", name, result.test)
    sets = {"training rows": result.train.get(name), "rows held out": result.test[name]}
    for (label, scores), colour in zip(sets.items(), class_colours(2)):
        if scores is not None:
            x, mean, std = np.arange(1, len(scores) + 1), scores.mean(axis=1), scores.std(axis=1)
            ax.fill_between(x, mean - std, mean + std, color=colour, alpha=0.2, linewidth=0)
            ax.plot(x, mean, color=colour, linewidth=2.0, label=label)
    _mark(ax, int(result.best_iteration))
    return _finish(ax, str(name))


def _mark(ax: Any, best: int) -> None:
    ax.axvline(best, color="#888888", linewidth=1, linestyle=":", label=f"best: round {best}")


def _finish(ax: Any, name: str) -> Any:
    ax.set(xlabel="rounds", ylabel=name)
    ax.grid(alpha=0.3)
    ax.legend()
    return ax
