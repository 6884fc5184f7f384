"""Validation and learning curves: scores over the values of a parameter, and over the number of rows.

They show where a model begins to overfit, and whether more rows would help. Spinney's trees and boosting read, sort and
bin the data once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import model_selection

from spinney._docstrings import completed
from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.runs import Run
from spinney.view.figures import drawing


class _Curve(tuple):
    """Scores of training rows and of held-out rows, and the name of the score."""

    metric: str
    _plot: str  # the function of view/judging.py that draws it

    @drawing
    def plot(self, ax: Any = None) -> Any:
        """Plot the curve, like `spinney.plot_validation_curve` and `spinney.plot_learning_curve`.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import validation_curve
        >>> X, y = load_penguins()
        >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3])
        >>> ax = curve.plot()
        """
        from spinney.view import judging

        return getattr(judging, self._plot)(self, ax)


class ValidationCurve(_Curve):
    """Training and test scores by value of a parameter. Unpacks to `train_scores, test_scores`, each (values, folds).

    Attributes
    ----------
    param_name : str
        The parameter.
    param_range : list
        Its values.
    metric : str
        Name of the score.
    best : scalar
        Value with the best mean test score.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import validation_curve
    >>> X, y = load_penguins()
    >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3])
    >>> curve.param_name, curve.test_scores.shape
    ('max_depth', (3, 5))
    """

    param_name: str
    param_range: list[Any]
    _plot = "plot_validation_curve"

    @property
    def train_scores(self) -> np.ndarray:
        """Scores on the training rows, (values, folds)."""
        return self[0]

    @property
    def test_scores(self) -> np.ndarray:
        """Scores on the held-out rows, (values, folds)."""
        return self[1]

    @property
    def best(self) -> Any:
        """Value with the best mean test score; ties go to the first."""
        return self.param_range[int(np.nanargmax(self.test_scores.mean(axis=1)))]


class LearningCurve(_Curve):
    """Training and test scores by number of training rows.

    Unpacks to `train_sizes, train_scores, test_scores`, and with `return_times=True` also `fit_times, score_times`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import learning_curve
    >>> X, y = load_penguins()
    >>> curve = learning_curve(DecisionTreeClassifier(), X, y, train_sizes=[50, 100], shuffle=True, random_state=0)
    >>> curve.train_sizes.tolist(), curve.test_scores.shape
    ([50, 100], (2, 5))
    """

    _plot = "plot_learning_curve"

    @property
    def train_sizes(self) -> np.ndarray:
        """Numbers of training rows."""
        return self[0]

    @property
    def train_scores(self) -> np.ndarray:
        """Scores on the training rows, (sizes, folds)."""
        return self[1]

    @property
    def test_scores(self) -> np.ndarray:
        """Scores on the held-out rows, (sizes, folds)."""
        return self[2]


@completed(cross_validate)
def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Sequence[Any],
    groups: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    n_jobs: Any = None,
    verbose: int = 0,
    error_score: Any = np.nan,
    params: dict[str, Any] | None = None,
) -> ValidationCurve:
    """Compute training and test scores for each value of a parameter.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets.
    param_name : str
        Name of the parameter, such as "max_depth", or "tree__max_depth" in a pipeline.
    param_range : list
        Values to try.
    scoring : str or callable, default=None
        As in `cross_validate`, but one score.

    Returns
    -------
    ValidationCurve
        Unpacks to scikit-learn's `train_scores, test_scores`, with one row per value and one column per fold.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import validation_curve
    >>> X, y = load_penguins()
    >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3])
    >>> train_scores, test_scores = curve
    >>> test_scores.shape, curve.best
    ((3, 5), 3)
    """
    values = list(param_range)
    if not values:
        raise ValueError(f"param_range must hold at least one value of {param_name}, got none.")
    run = Run(estimator, X, y, sample_weight, params, cv, groups, scoring, error_score)
    with run.running(n_jobs, verbose, len(values) * run.cv.get_n_splits(), with_train=True) as n_jobs:
        scores = model_selection.validation_curve(
            run.estimator, run.X, run.y, param_name=param_name, param_range=values, cv=run.cv, scoring=run.scores,
            n_jobs=n_jobs, error_score=error_score, params=run.params,
        )  # fmt: skip
    curve = ValidationCurve(scores)
    curve.param_name, curve.param_range, curve.metric = param_name, values, run.scoring.title or "score"
    return curve


@completed(cross_validate)
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train_sizes: Any = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Any = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    n_jobs: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
    random_state: Any = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: dict[str, Any] | None = None,
) -> LearningCurve:
    """Compute training and test scores for growing numbers of training rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets.
    train_sizes : array-like, default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Fractions of the training rows of a fold (floats up to 1), or numbers of rows.
    shuffle : bool, default=False
        Sample the rows at random. Otherwise the first rows are used, which is wrong for sorted data.
    random_state : int, RandomState or None, default=None
        Seed of `shuffle`.
    return_times : bool, default=False
        Also return fit and score times.
    scoring : str or callable, default=None
        As in `cross_validate`, but one score.

    Returns
    -------
    LearningCurve
        Unpacks to scikit-learn's `train_sizes, train_scores, test_scores`, and with `return_times=True` also
        `fit_times, score_times`. Scores have one row per size and one column per fold.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import learning_curve
    >>> X, y = load_penguins()
    >>> sizes, train_scores, test_scores = learning_curve(DecisionTreeClassifier(), X, y, shuffle=True, random_state=0)
    >>> sizes.tolist()
    [27, 89, 151, 213, 275]
    """
    run = Run(estimator, X, y, sample_weight, params, cv, groups, scoring, error_score)
    with run.running(n_jobs, verbose, np.size(train_sizes) * run.cv.get_n_splits(), with_train=True) as n_jobs:
        parts = model_selection.learning_curve(
            run.estimator, run.X, run.y, train_sizes=train_sizes, cv=run.cv, scoring=run.scores, n_jobs=n_jobs,
            shuffle=shuffle, random_state=random_state, error_score=error_score, return_times=return_times,
            params=run.params,
        )  # fmt: skip
    curve = LearningCurve(parts)
    curve.metric = run.scoring.title or "score"
    return curve
