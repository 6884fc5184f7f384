"""Plots of evaluation: scores over a parameter, over the number of rows, and confusion matrices."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from spinney.view.figures import axes_for, class_colours, drawing, mix, name_places

_WIDE = 30.0  # values whose largest is so many times the smallest are drawn on a logarithmic axis


@drawing
def plot_validation_curve(curve: Any, ax: Any = None) -> Any:
    """Plot training and test scores by value of a parameter.

    The bands are one standard deviation over the folds.

    Parameters
    ----------
    curve : ValidationCurve
        From `spinney.evaluate.validation_curve`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, plot_validation_curve
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import validation_curve
    >>> X, y = load_penguins()
    >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3])
    >>> ax = plot_validation_curve(curve)
    """
    if not hasattr(curve, "param_range"):
        raise TypeError(f"curve must be what spinney.evaluate.validation_curve returns, got {type(curve).__name__}.")
    ax = axes_for("plot_validation_curve", ax)
    values, are_numbers = curve.param_range, _are_numbers(curve.param_range)
    x = np.array(values, np.float64) if are_numbers else np.arange(len(values))
    _draw(ax, x, curve.train_scores, curve.test_scores)
    if not are_numbers:
        ax.set_xticks(x, [str(value) for value in values])
    elif _spans_wide(x):
        ax.set_xscale("log")
    best = int(np.nanargmax(curve.test_scores.mean(axis=1)))
    ax.axvline(x[best], color="#888888", linewidth=1, linestyle=":", label=f"best: {values[best]}")
    ax.set(xlabel=curve.param_name, ylabel=curve.metric)
    ax.legend()
    return ax


@drawing
def plot_learning_curve(curve: Any, ax: Any = None) -> Any:
    """Plot training and test scores by number of training rows.

    The bands are one standard deviation over the folds.

    Parameters
    ----------
    curve : LearningCurve
        From `spinney.evaluate.learning_curve`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, plot_learning_curve
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import learning_curve
    >>> X, y = load_penguins()
    >>> ax = plot_learning_curve(learning_curve(DecisionTreeClassifier(), X, y, shuffle=True, random_state=0))
    """
    if not hasattr(curve, "train_sizes"):
        raise TypeError(f"curve must be what spinney.evaluate.learning_curve returns, got {type(curve).__name__}.")
    ax = axes_for("plot_learning_curve", ax)
    _draw(ax, curve.train_sizes, curve.train_scores, curve.test_scores)
    ax.set(xlabel="training rows", ylabel=curve.metric)
    ax.legend()
    return ax


@drawing
def plot_bias_variance(found: Any, ax: Any = None) -> Any:
    """Plot the bias and the variance of several models as bars on top of each other, which add up to the error.

    Parameters
    ----------
    found : dict of str: BiasVariance
        Results of `spinney.evaluate.bias_variance` by the name of the model; all for classes, or all for numbers.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import DecisionTreeClassifier, plot_bias_variance
    >>> from spinney.evaluate import bias_variance
    >>> X, y = make_moons(400, noise=0.3, random_state=0)
    >>> models = {f"depth {k}": DecisionTreeClassifier(max_depth=k) for k in (1, 3, 9)}
    >>> found = {
    ...     name: bias_variance(model, X[:200], y[:200], X[200:], y[200:], n_bootstraps=10, random_state=0)
    ...     for name, model in models.items()
    ... }
    >>> ax = plot_bias_variance(found)
    """
    parts = list(found.values()) if isinstance(found, dict) else []
    if not parts or not all(hasattr(one, "bias") and hasattr(one, "variance") for one in parts):
        raise TypeError("found must be a dict of names and results of spinney.evaluate.bias_variance.")
    if len({one.loss for one in parts}) > 1:
        raise ValueError("found must hold models of one kind, got both squared_error and zero_one.")
    ax = axes_for("plot_bias_variance", ax)
    colour, other = class_colours(2)
    places, squared = np.arange(len(parts)), parts[0].loss == "squared_error"
    bias = np.array([one.bias for one in parts])
    variance = np.array([one.variance for one in parts])
    ax.barh(places, bias, color=colour, height=0.6, label="squared bias and noise" if squared else "bias and noise")
    ax.barh(places, variance, left=bias, color=other, height=0.6, label="variance")
    for place, one in zip(places, parts):
        ax.annotate(
            f"{one.error:.3g}" if squared else f"{one.error:.3f}",
            (max(one.error, one.bias), place),
            (4, 0),
            textcoords="offset points",
            va="center",
        )
    ax.set_yticks(places, list(found))
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.12 * float(np.maximum(bias, bias + variance).max()) or 1.0)
    ax.set(xlabel="mean squared error" if squared else "error rate")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2, frameon=False)
    return ax


@drawing
def plot_confusion_matrix(matrix: Any, ax: Any = None) -> Any:
    """Plot a confusion matrix.

    Rows are the true classes. A cell is the stronger, the larger its fraction of its row.

    Parameters
    ----------
    matrix : ConfusionMatrix
        From `spinney.evaluate.confusion_matrix`.

    Examples
    --------
    >>> from spinney import plot_confusion_matrix
    >>> from spinney.evaluate import confusion_matrix
    >>> ax = plot_confusion_matrix(confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1]))
    """
    if getattr(matrix, "labels", None) is None:
        raise TypeError(f"matrix must come from spinney.evaluate.confusion_matrix, got {type(matrix).__name__}.")
    ax = axes_for("plot_confusion_matrix", ax)
    from matplotlib.patches import Rectangle

    names = [str(label) for label in matrix.labels.tolist()]
    places = np.arange(len(names))
    right, wrong = class_colours(2)
    for i, j in np.ndindex(matrix.shape):
        share = matrix.counts[i, j] / max(matrix.support[i], 1e-300)
        box = Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=mix(right if i == j else wrong, share), edgecolor="w")
        ax.add_patch(box)
        value = matrix[i, j]
        ax.text(j, i, f"{value}" if float(value).is_integer() else f"{value:.2f}", ha="center", va="center")
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5), xlabel="predicted", ylabel="true")
    ax.set_aspect("equal")
    name_places(ax, places, names)
    ax.set_yticks(places, names)
    ax.tick_params(length=0)
    return ax


def _draw(ax: Any, x: np.ndarray, train: np.ndarray, test: np.ndarray) -> None:
    """The two means with their bands."""
    for scores, name, colour in zip((train, test), ("training rows", "rows held out"), class_colours(2)):
        mean, std = scores.mean(axis=1), scores.std(axis=1)
        ax.fill_between(x, mean - std, mean + std, color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, mean, label=name, color=colour, linewidth=2.5, marker="o", markersize=4)
    ax.grid(alpha=0.3)


def _are_numbers(values: list[Any]) -> bool:
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


def _spans_wide(x: np.ndarray) -> bool:
    return bool(x.min() > 0 and x.max() > _WIDE * x.min())
