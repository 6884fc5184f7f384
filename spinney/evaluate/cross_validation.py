"""Cross-validation: fit on all folds but one, score on that one, in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from spinney.evaluate.folds import Split, make_splits
from spinney.evaluate.runs import Job, Outcome, Wanted, make_sheet, run_jobs
from spinney.evaluate.scoring import ALONE, Scoring


class CrossValidation(dict):
    """The scores of every fold: a dict with scikit-learn's keys, and methods that summarise it.

    Keys: `fit_time`, `score_time`, `test_score` or, with several scores, `test_<name>`; on request `train_score`,
    `estimator` and `indices`. `pandas.DataFrame(result)` has one row per fold.

    Attributes
    ----------
    metrics : list of str
        Names of the scores.
    n_folds : int
        Number of folds.
    predictions : ndarray or None
        With `return_predictions`: the prediction for each row by the model that had not seen it.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import cross_validate
    >>> result = cross_validate(DecisionTreeClassifier(max_depth=3), *load_penguins(), cv=3)
    >>> result.metrics, result.n_folds
    (['score'], 3)
    """

    def __init__(self, values: Mapping[str, Any], title: str | None = None, predictions: Any = None) -> None:
        super().__init__(values)
        self.predictions = predictions
        self._title = title

    @property
    def metrics(self) -> list[str]:
        """Names of the scores."""
        return [key.removeprefix("test_") for key in self if key.startswith("test_")]

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self["fit_time"])

    def mean(self, metric: str | None = None) -> float:
        """Return the mean of a score over the folds.

        Parameters
        ----------
        metric : str, default=None
            Name of a score, or a key such as "train_score". None: the first score.

        Returns
        -------
        float
            The mean.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import cross_validate
        >>> result = cross_validate(DecisionTreeClassifier(max_depth=3), *load_penguins(), cv=3)
        >>> round(result.mean(), 3)
        0.945
        """
        return float(np.mean(self._of(metric)))

    def std(self, metric: str | None = None) -> float:
        """Return the standard deviation of a score over the folds.

        Parameters
        ----------
        metric : str, default=None
            Name of a score, or a key such as "train_score". None: the first score.

        Returns
        -------
        float
            The standard deviation, with divisor n.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import cross_validate
        >>> result = cross_validate(DecisionTreeClassifier(max_depth=3), *load_penguins(), cv=3)
        >>> round(result.std(), 3)
        0.018
        """
        return float(np.std(self._of(metric)))

    def _of(self, metric: str | None) -> np.ndarray:
        key = self.metrics[0] if metric is None else metric
        key = f"test_{key}" if f"test_{key}" in self else key
        if key not in self:
            raise KeyError(f"there is no score {metric!r}; there are {self.metrics}.")
        return self[key]

    def summary(self) -> dict[str, dict[str, float]]:
        """Return the mean, standard deviation and extremes of every score over the folds.

        Returns
        -------
        dict of str to dict of str to float
            Key of the score, such as "test_score" -> "mean", "std", "min" and "max".

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import cross_validate
        >>> result = cross_validate(DecisionTreeClassifier(max_depth=3), *load_penguins(), cv=3)
        >>> list(result.summary()["test_score"])
        ['mean', 'std', 'min', 'max']
        """
        scores = [key for key in self if key.startswith(("test_", "train_"))]
        tell: dict[str, Any] = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max}
        return {key: {name: float(function(self[key])) for name, function in tell.items()} for key in scores}

    def __repr__(self) -> str:
        summary = self.summary()
        shown = {self._shown(key): row for key, row in summary.items()}
        width = max(map(len, shown))
        head = f"CrossValidation: {self.n_folds} folds, {np.sum(self['fit_time']):.3g} s of fitting"
        lines = [head, " ".join([f"  {'':{width}}", *(f"{name:>9}" for name in ("mean", "std", "min", "max"))])]
        for name, row in shown.items():
            lines.append(" ".join([f"  {name:{width}}", *(f"{value:>9.4g}" for value in row.values())]))
        return "\n".join(lines)

    def _shown(self, key: str) -> str:
        part, name = key.split("_", 1)
        return f"{part} {self._title or name}" if name == ALONE else f"{part} {name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return CrossValidation, (dict(self), self._title, self.predictions)


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    sample_weight: Any = None,
    n_jobs: Any = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    return_predictions: bool | str = False,
    error_score: Any = np.nan,
) -> CrossValidation:
    """Cross-validate an estimator.

    For Spinney's trees and boosting the data is read, sorted and binned once for all folds.

    Parameters
    ----------
    estimator : estimator
        Any estimator that follows scikit-learn's conventions. It is cloned, not fitted.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Data, as for the estimator's `fit`.
    y : array-like of shape (n_samples,), default=None
        Targets.
    groups : array-like of shape (n_samples,), default=None
        Groups of the rows. The rows of a group stay in one fold. With an integer `cv`, or cv="grouped", this means
        `GroupKFold`.
    scoring : str, callable, list of str or dict, default=None
        As in scikit-learn, and "specificity". A callable receives (model, X, y), and sample_weight if it has that
        parameter. None: the estimator's own score.
    cv : int, str, splitter or iterable of (train, test), default=5
        An integer: stratified folds for classification, else folds of consecutive rows. "kfold", "stratified",
        "grouped" (5 folds), "repeated" (5 folds, 10 times, always the same), "loo" (leave-one-out). Or a scikit-learn
        splitter.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, used in fitting and in scores.
    n_jobs : int or "dask", default=None
        Number of folds fitted in parallel. None: one, since Spinney's models use all cores themselves. Their folds
        run in threads; on small data they run one after the other, which is faster. "dask": folds are distributed over
        the cluster of the current Dask client.
    verbose : int, default=0
        1 shows a progress bar, 2 prints a line per fold.
    params : dict, default=None
        Other arguments of `fit`. Those with one value per row are split like the rows.
    return_train_score : bool, default=False
        Also score the training rows.
    return_estimator : bool, default=False
        Keep the fitted models.
    return_indices : bool, default=False
        Keep the row numbers of the folds.
    return_predictions : bool or str, default=False
        Keep the predictions for the held-out rows. True: by `predict`; or the name of another method. Probabilities
        have one column per class of y.
    error_score : number or "raise", default=NaN
        Score of a fit that fails; "raise" raises its error.

    Returns
    -------
    CrossValidation
        The scores of every fold.

    Notes
    -----
    Exact trees are the same as if they were fitted on the rows of the fold alone. The bins of boosting (and of trees
    with `max_bins`) are learned from the values of all rows, held-out rows included, but not from their targets.
    `fit_time` of the first fold includes reading and sorting or binning the data.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import cross_validate
    >>> X, y = load_penguins()
    >>> result = cross_validate(DecisionTreeClassifier(max_depth=3), X, y, cv=3)
    >>> result["test_score"].round(3).tolist()
    [0.965, 0.922, 0.947]
    """
    judge = Scoring(estimator, scoring)
    sheet = make_sheet(estimator, X, y, sample_weight, params)
    splits = make_splits(cv, sheet.X, sheet.y, groups, is_classifier(estimator))
    check_fold_sizes(judge, splits)
    method = "predict" if return_predictions is True else return_predictions or None
    if method is not None:
        _check_method(estimator, method, splits, len(splits[0].test) + len(splits[0].train))
    wanted = Wanted(judge, return_train_score, return_estimator, method, error_score)
    jobs = [Job(split) for split in splits]
    outcomes = run_jobs(estimator, sheet, jobs, wanted, n_jobs=n_jobs, verbose=verbose, tell=_tell_means(judge.title))
    values: dict[str, Any] = {
        "fit_time": np.array([one.fit_time for one in outcomes]),
        "score_time": np.array([one.score_time for one in outcomes]),
    }
    if return_estimator:
        values["estimator"] = [one.model for one in outcomes]
    if return_indices:
        values["indices"] = {"train": [one.train for one in splits], "test": [one.test for one in splits]}
    values |= {f"test_{name}": scores for name, scores in gather([one.test for one in outcomes]).items()}
    values |= {f"train_{name}": scores for name, scores in gather([one.train for one in outcomes]).items()}
    predictions = None if method is None else _predictions(outcomes, splits, sheet.y, method)
    return CrossValidation(values, judge.title, predictions)


def gather(scores: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """Score -> one value per fold; NaN where a fold does not have it."""
    names = dict.fromkeys(name for one in scores for name in one)
    if len(names) > 1:  # a fit that failed did not know what a function of the user's calls its scores
        names = {name: None for name in names if any(name in one for one in scores if len(one) > 1)}
    return {name: np.array([one.get(name, np.nan) for one in scores]) for name in names}


def check_fold_sizes(judge: Scoring, splits: list[Split]) -> None:
    """R^2 of a single row does not exist: say so before, and not in every fold."""
    if judge.title == "r2" and any(len(split.test) < 2 for split in splits):
        raise ValueError(
            "R^2 needs at least two rows per fold, but leave-one-out has one. Set scoring, for example to "
            "'neg_mean_absolute_error' or 'neg_mean_squared_error'."
        )


def _tell_means(title: str | None) -> Any:
    """The progress bar's text about the folds so far."""
    sums: dict[str, list[float]] = {}

    def tell(outcome: Outcome) -> dict[str, Any]:
        for name, value in outcome.test.items() if outcome.error is None else ():
            total = sums.setdefault((title or name) if name == ALONE else name, [0.0, 0.0])
            total[0], total[1] = total[0] + value, total[1] + 1
        return {"mean": {name: [total / n] for name, (total, n) in sums.items()}}

    return tell


def _check_method(estimator: Any, method: str, splits: list[Split], n_rows: int) -> None:
    if not hasattr(estimator, method):
        raise ValueError(f"return_predictions must name a method of {type(estimator).__name__}, got {method!r}.")
    times = np.bincount(np.concatenate([split.test for split in splits]), minlength=n_rows)
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"return_predictions needs folds that hold out every row once, but row {row} is held out {times[row]} "
            "times. Use K-fold, stratified, grouped or leave-one-out folds."
        )


def _predictions(outcomes: list[Outcome], splits: list[Split], y: Any, method: str) -> np.ndarray:
    """The predictions of all folds in the order of the rows."""
    order = np.concatenate([split.test for split in splits])
    if any(one.error is not None for one in outcomes):
        raise ValueError(
            "return_predictions needs every fit to succeed, but some failed. See the warning for the reason."
        )
    parts = [one.predictions for one in outcomes]
    if method == "predict_proba":
        if any(isinstance(one[1], list) for one in parts):
            raise ValueError("return_predictions='predict_proba' supports one output only.")
        classes = np.unique(np.concatenate([known for _, known in parts]))
        parts = [_spread(shares, known, classes) for shares, known in parts]
    joined = np.concatenate(parts)
    answers = np.empty_like(joined)
    answers[order] = joined
    return answers


def _spread(shares: np.ndarray, known: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Probabilities with a column for every class: 0 for those that the fold's rows lacked."""
    wide = np.zeros((len(shares), len(classes)))
    wide[:, np.searchsorted(classes, known)] = shares
    return wide
