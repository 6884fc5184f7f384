"""Errors by round of a model trained in rounds: on the training rows, and on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error
from sklearn.utils.validation import check_is_fitted

from spinney.view.colours import class_colours
from spinney.view.plot import import_pyplot

_METRICS = ("error", "log_loss", "mean_squared_error")


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
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import AdaBoostClassifier, plot_staged_errors
    >>> X, y = make_moons(300, noise=0.3, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=50).fit(X[:200], y[:200])
    >>> ax = plot_staged_errors(model, X[:200], y[:200], eval_set=(X[200:], y[200:]))
    """
    plt = import_pyplot("plot_staged_errors")
    if hasattr(model, "best_iteration") and hasattr(model, "test"):
        return _draw_folds(plt.gca() if ax is None else ax, model, metric)
    if not hasattr(model, "staged_predict"):
        raise TypeError(f"model must be a fitted model with staged_predict, got {type(model).__name__}.")
    check_is_fitted(model)
    if X is None or y is None:
        raise ValueError("X and y are missing. Pass the rows whose error is drawn.")
    name, judge = _judge(metric, hasattr(model, "classes_"))
    found = {label: judge(model, *rows) for label, rows in _sets(X, y, eval_set).items()}
    ax = plt.gca() if ax is None else ax
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
    if name not in result.test:
        raise ValueError(f"metric must be one of {', '.join(map(repr, result.test))}, got {metric!r}.")
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
