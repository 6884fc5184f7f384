"""Curves of criteria: impurities of two classes, gains of thresholds or categories, AdaBoost's estimator weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.criteria.candidates import candidate_splits
from spinney.view.figures import axes_for, class_colours, drawing
from spinney.view.predictions import Grid

_STEPS = 401


@drawing
def plot_impurity_curves(ax: Any = None) -> Any:
    """Plot entropy (in bits), Gini impurity and misclassification rate of two classes by the fraction of one class.

    Examples
    --------
    >>> from spinney import plot_impurity_curves
    >>> ax = plot_impurity_curves()
    """
    from spinney.criteria.impurity import ENTROPY, ERROR, GINI, class_impurity

    ax = axes_for("plot_impurity_curves", ax)
    p = np.linspace(0, 1, _STEPS)
    shares = np.column_stack([p, 1 - p])
    curves = {"entropy (bits)": ENTROPY, "Gini": GINI, "misclassification": ERROR}
    for (name, criterion), colour in zip(curves.items(), class_colours(len(curves))):
        ax.plot(p, class_impurity(criterion, shares[:, None, :]), label=name, color=colour, linewidth=2.5)
    ax.set(xlabel="fraction of the first class", ylabel="impurity", xlim=(0, 1), ylim=(0, 1.05))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


_MANY = 60  # thresholds: of more, only the line is drawn
_GAINS_STEPS = 400
_ENDS = 0.004  # the curve of says leaves out errors so near to 0 and 1


@drawing
def plot_split_gains(
    X: Any, y: Any, *, feature: int | str = 0, criterion: str = "entropy", sample_weight: Any = None, ax: Any = None
) -> Any:
    """Plot the gain of every threshold of a column; the best one is marked.

    For a column of categories, plot the class fractions in each category, and the gain of one branch per category.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Input data.
    y : array-like of shape (n_samples,)
        Class labels; for criterion="squared_error", numbers.
    feature : int or str, default=0
        Number or name of a column. Strings, categories and booleans are categories, except for "squared_error".
    criterion : {"entropy", "gini", "error", "gain_ratio", "squared_error"}, default="entropy"
        Criterion, as in `candidate_splits`, which returns the same values as a table.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Examples
    --------
    >>> from spinney import plot_split_gains
    >>> from spinney.datasets import load_restaurant
    >>> ax = plot_split_gains(*load_restaurant(minutes=True), feature="WaitMinutes")

    The rows of each category, by class:

    >>> ax = plot_split_gains(*load_restaurant(), feature="Patrons")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['None', 'Some', 'Full']
    """
    categories = None if criterion == "squared_error" else _categories(X, feature)
    if categories is not None:
        return _plot_categories(*categories, y, criterion, sample_weight, ax)
    line = Grid(X, [feature], 2, 1)
    found = candidate_splits(
        line.values[0][:, None], y, criterion=criterion, sample_weight=sample_weight, categorical_features=None
    )
    if not len(found["threshold"]):
        raise ValueError(f"feature must be a column with at least two distinct values, got {line.names[0]!r}.")
    ax = axes_for("plot_split_gains", ax)
    what = "gain_ratio" if criterion == "gain_ratio" else "gain"
    thresholds, gains = np.asarray(found["threshold"]), np.asarray(found[what])
    colour, other = class_colours(2)
    ax.plot(thresholds, gains, color=colour, linewidth=2.2, marker="o" if len(gains) <= _MANY else None, markersize=5)
    best = int(gains.argmax())
    label = f"best: {thresholds[best]:.4g}, {gains[best]:.3g}"
    ax.axvline(thresholds[best], color=other, linewidth=1.5, linestyle=":", label=label)
    ax.set(ylabel="gain ratio" if what == "gain_ratio" else f"gain ({'bits' if criterion == 'entropy' else criterion})")
    ax.xaxis.set_label_text(f"threshold of {line.names[0]}", parse_math=False)
    ax.set_ylim(bottom=min(0.0, float(gains.min())))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def _categories(X: Any, feature: int | str) -> tuple[Any, str, list[Any]] | None:
    """The column, its name and its categories in their declared order; None for numbers."""
    names = list(getattr(X, "columns", ()))
    if isinstance(feature, str) and feature not in names:
        return None
    if names and hasattr(X, "iloc"):
        name = feature if isinstance(feature, str) else names[feature]
        column = X[name]
        if hasattr(column, "cat"):
            there = set(column.dropna())
            return column.to_numpy(), str(name), [one for one in column.cat.categories if one in there]
        values = column.to_numpy()
    else:
        name, values = str(feature), np.asarray(X if not names else X[feature])
        values = values[:, feature] if values.ndim == 2 and isinstance(feature, int) else values
    if (
        values.ndim != 1
        or values.dtype.kind not in "OUSb"
        or not all(isinstance(v, str | bool | np.bool_) for v in values)
    ):
        return None
    return values, str(name), np.unique(values).tolist()


def _plot_categories(
    values: np.ndarray, name: str, categories: list[Any], y: Any, criterion: str, sample_weight: Any, ax: Any
) -> Any:
    """One bar per category, with the weight of each class."""
    column = np.array([str(value) for value in values], object)[:, None]
    found = candidate_splits(column, y, criterion=criterion, sample_weight=sample_weight)
    if not len(found["gain"]):
        raise ValueError(f"feature must be a column with at least two distinct values, got {name!r}.")
    ax = axes_for("plot_split_gains", ax)
    what = "gain_ratio" if criterion == "gain_ratio" else "gain"
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    places, begin = np.arange(len(categories)), np.zeros(len(categories))
    for k, colour in enumerate(class_colours(len(classes))):
        width = np.array([weight[(codes == k) & (column[:, 0] == str(one))].sum() for one in categories])
        ax.barh(places, width, left=begin, color=colour, height=0.7, label=str(classes[k]))
        begin += width
    ax.set_yticks(places, [str(one) for one in categories])
    ax.invert_yaxis()
    unit = "gain ratio" if what == "gain_ratio" else "bits" if criterion == "entropy" else criterion
    gain = f"{float(np.asarray(found[what])[0]):.3f}"
    ax.set(xlabel="rows" if sample_weight is None else "weight")
    ax.set_title(
        f"{name}: gain ratio {gain}" if what == "gain_ratio" else f"{name}: gain {gain} ({unit})", parse_math=False
    )
    ax.legend()
    return ax


@drawing
def plot_amount_of_say(model: Any = None, *, ax: Any = None) -> Any:
    """Plot AdaBoost's estimator weight by the error of a member: large for small errors, 0 for guessing, negative
    beyond.

    Parameters
    ----------
    model : AdaBoostClassifier, default=None
        Fitted model, whose members are drawn on the curve of its algorithm and learning rate. None: the curve of
        two-class AdaBoost, 1/2 ln((1 - error) / error).

    Examples
    --------
    >>> from spinney import plot_amount_of_say
    >>> ax = plot_amount_of_say()
    """
    from spinney.criteria.adaboost_weights import many_class_vote, two_class_vote

    n_classes, factor = 0, 1.0  # 0: the two-class form
    if model is not None:
        n_classes, factor = _read_say(model)
    ax = axes_for("plot_amount_of_say", ax)
    errors = np.linspace(_ENDS, 1.0 - _ENDS, _GAINS_STEPS)
    votes = [many_class_vote(e, n_classes) if n_classes else two_class_vote(e) for e in errors.tolist()]
    colour, other = class_colours(2)
    form = f"ln((1 - error) / error) + ln({n_classes} - 1)" if n_classes else "1/2 ln((1 - error) / error)"
    ax.plot(errors, factor * np.array(votes), color=colour, linewidth=2.5, label=form)
    ax.axhline(0.0, color="#808080", linewidth=0.8)
    ax.axvline(1.0 - 1.0 / max(n_classes, 2), color="#808080", linewidth=0.8, linestyle=":")
    if model is not None:
        ax.scatter(model.estimator_errors_, model.estimator_weights_, s=30, color=other, zorder=3, label="members")
    ax.set(xlabel="weighted error", ylabel="estimator weight", xlim=(0, 1))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def _read_say(model: Any) -> tuple[int, float]:
    """How many classes the curve is for (0: the two-class form), and the learning rate."""
    if not hasattr(model, "algorithm") or not hasattr(type(model), "staged_decision_function"):
        raise TypeError(f"model must be a fitted AdaBoostClassifier, got {type(model).__name__}.")
    check_is_fitted(model)
    if model.algorithm == "SAMME.R":
        raise ValueError("algorithm='SAMME.R' has no estimator weights to draw. Use algorithm='SAMME'.")
    return (0 if model.algorithm == "discrete" else len(model.classes_)), float(model.learning_rate)
