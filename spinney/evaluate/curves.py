"""Validation and learning curves: scores over the values of a parameter, and over the number of rows.

They show where a model begins to overfit, and whether more rows would help. Spinney's trees and boosting read, sort and
bin the data once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from spinney.evaluate.cross_validation import check_fold_sizes
from spinney.evaluate.folds import make_splits
from spinney.evaluate.runs import Job, Wanted, make_sheet, run_jobs
from spinney.evaluate.scoring import Scoring
from spinney.evaluate.searching import check_parameter


class ValidationCurve(tuple):
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
    metric: str

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

    def plot(self, ax: Any = None) -> Any:
        """Plot the curve, like `spinney.plot_validation_curve`.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on. None: the current axes.

        Returns
        -------
        matplotlib axes
            The axes that were drawn on.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import validation_curve
        >>> X, y = load_penguins()
        >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3])
        >>> ax = curve.plot()
        """
        from spinney.view.judging import plot_validation_curve

        return plot_validation_curve(self, ax)


class LearningCurve(tuple):
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

    metric: str

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

    def plot(self, ax: Any = None) -> Any:
        """Plot the curve, like `spinney.plot_learning_curve`.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on. None: the current axes.

        Returns
        -------
        matplotlib axes
            The axes that were drawn on.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import learning_curve
        >>> X, y = load_penguins()
        >>> curve = learning_curve(DecisionTreeClassifier(), X, y, train_sizes=[50, 100], shuffle=True, random_state=0)
        >>> ax = curve.plot()
        """
        from spinney.view.judging import plot_learning_curve

        return plot_learning_curve(self, ax)


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
    estimator : estimator
        As in `cross_validate`.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Data, as for the estimator's `fit`.
    y : array-like of shape (n_samples,)
        Targets.
    param_name : str
        Name of the parameter, such as "max_depth", or "tree__max_depth" in a pipeline.
    param_range : list
        Values to try.
    groups : array-like of shape (n_samples,), default=None
        Group of each row, for `cv`, as in `cross_validate`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, as in `cross_validate`.
    params : dict, default=None
        Other arguments, as in `cross_validate`.
    cv : int, str, splitter or iterable of (train, test), default=5
        As in `cross_validate`.
    scoring : str or callable, default=None
        As in `cross_validate`, but one score.
    n_jobs : int or "dask", default=None
        As in `cross_validate`.
    verbose : int, default=0
        1 shows a progress bar, 2 prints a line per fit.
    error_score : number or "raise", default=NaN
        Score of a fit that fails; "raise" raises its error.

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
    check_parameter(estimator, param_name)
    values = list(param_range)
    if not values:
        raise ValueError("param_range must hold at least one value, got none.")
    judge = _single(estimator, scoring)
    sheet = make_sheet(estimator, X, y, sample_weight, params)
    splits = make_splits(cv, sheet.X, sheet.y, groups, is_classifier(estimator))
    check_fold_sizes(judge, splits)
    jobs = [Job(split, None, {param_name: value}) for value in values for split in splits]
    wanted = Wanted(judge, train_score=True, error_score=error_score)
    outcomes = run_jobs(estimator, sheet, jobs, wanted, n_jobs=n_jobs, verbose=verbose, unit="fit")
    shape = len(values), len(splits)
    scores = [np.array([_one(part) for part in parts]).reshape(shape) for parts in _parts(outcomes)]
    curve = ValidationCurve(scores)
    curve.param_name, curve.param_range, curve.metric = param_name, values, judge.title or "score"
    return curve


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
    estimator : estimator
        As in `cross_validate`.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Data, as for the estimator's `fit`.
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
    groups : array-like of shape (n_samples,), default=None
        Group of each row, for `cv`, as in `cross_validate`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, as in `cross_validate`.
    params : dict, default=None
        Other arguments, as in `cross_validate`.
    cv : int, str, splitter or iterable of (train, test), default=5
        As in `cross_validate`.
    scoring : str or callable, default=None
        As in `cross_validate`, but one score.
    n_jobs : int or "dask", default=None
        As in `cross_validate`.
    verbose : int, default=0
        1 shows a progress bar, 2 prints a line per fit.
    error_score : number or "raise", default=NaN
        Score of a fit that fails; "raise" raises its error.

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
    judge = _single(estimator, scoring)
    sheet = make_sheet(estimator, X, y, sample_weight, params)
    splits = make_splits(cv, sheet.X, sheet.y, groups, is_classifier(estimator))
    check_fold_sizes(judge, splits)
    random = check_random_state(random_state)
    # as scikit-learn: sizes are of the first fold's training rows, and each fold's rows are drawn once
    sizes = _read_sizes(train_sizes, len(splits[0].train))
    orders = [random.permutation(split.train) if shuffle else split.train for split in splits]
    jobs = [Job(split, order[:size]) for split, order in zip(splits, orders) for size in sizes]
    wanted = Wanted(judge, train_score=True, error_score=error_score)
    outcomes = run_jobs(estimator, sheet, jobs, wanted, n_jobs=n_jobs, verbose=verbose, unit="fit")
    shape = len(splits), len(sizes)
    tables = [np.array([_one(part) for part in parts]).reshape(shape).T for parts in _parts(outcomes)]
    if return_times:
        for times in ([one.fit_time for one in outcomes], [one.score_time for one in outcomes]):
            tables.append(np.array(times).reshape(shape).T)
    curve = LearningCurve([sizes, *tables])
    curve.metric = judge.title or "score"
    return curve


def _single(estimator: Any, scoring: Any) -> Scoring:
    judge = Scoring(estimator, scoring)
    if not judge.is_single:
        raise ValueError(f"scoring must be one name or function for a curve, got {scoring!r}.")
    return judge


def _parts(outcomes: list[Any]) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    return [one.train for one in outcomes], [one.test for one in outcomes]


def _one(scores: dict[str, float]) -> float:
    if len(scores) != 1:
        raise ValueError(f"scoring must give one number for a curve, got {sorted(scores)}.")
    return next(iter(scores.values()))


def _read_sizes(train_sizes: Any, most: int) -> np.ndarray:
    """Numbers of rows, ascending, each once."""
    sizes = np.asarray(train_sizes)
    if sizes.ndim != 1 or sizes.size == 0 or sizes.dtype.kind not in "iuf":
        raise ValueError(f"train_sizes must be numbers of rows or fractions, got {train_sizes!r:.80}.")
    if sizes.dtype.kind == "f":
        if sizes.min() <= 0.0 or sizes.max() > 1.0:
            raise ValueError(f"train_sizes must be fractions in (0, 1], got {sizes.min():g} to {sizes.max():g}.")
        sizes = np.clip((sizes * most).astype(np.int64), 1, most)
    elif sizes.min() < 1 or sizes.max() > most:
        raise ValueError(
            f"train_sizes must be from 1 to the {most} rows of a fold, got {sizes.min()} to {sizes.max()}."
        )
    return np.unique(sizes)
