"""scikit-learn's cross-validation, on data that Spinney's models read, sort and bin once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.utils.validation import _num_samples

from spinney._docstrings import completed
from spinney.evaluate.runs import Run, model_of
from spinney.evaluate.scoring import ALONE


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

    @completed(mean)
    def std(self, metric: str | None = None) -> float:
        """Return the standard deviation of a score over the folds.

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

    def __repr__(self) -> str:
        shown = {self._shown(key): self[key] for key in self if key.startswith(("test_", "train_"))}
        width = max(map(len, shown))
        head = f"CrossValidation: {self.n_folds} folds, {np.sum(self['fit_time']):.3g} s of fitting"
        lines = [head, " ".join([f"  {'':{width}}", *(f"{name:>9}" for name in ("mean", "std", "min", "max"))])]
        for name, scores in shown.items():
            row = scores.mean(), scores.std(), scores.min(), scores.max()
            lines.append(" ".join([f"  {name:{width}}", *(f"{value:>9.4g}" for value in row)]))
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
        Number of fits in parallel. None: one, since Spinney's models use all cores themselves. Their fits run in
        threads; on small data they run one after the other, which is faster. "dask": fits are distributed over the
        cluster of the current Dask client.
    verbose : int, default=0
        1 shows a progress bar, 2 prints a line per fit.
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
    run = Run(estimator, X, y, sample_weight, params, cv, groups, scoring, error_score)
    method = "predict" if return_predictions is True else return_predictions or None
    if method is not None and not hasattr(estimator, method):
        raise ValueError(f"return_predictions must name a method of {type(estimator).__name__}, got {method!r}.")
    if method is not None:
        _check_each_row_once(run)
    n_folds, wanted = run.cv.get_n_splits(), {"return_train_score": return_train_score, "error_score": error_score}
    with run.running(n_jobs, verbose, n_folds, "fold", means=True, with_train=return_train_score) as n_jobs:
        values = model_selection.cross_validate(
            run.estimator, run.X, run.y, scoring=run.scores, cv=run.cv, n_jobs=n_jobs, params=run.params,
            return_estimator=return_estimator or method is not None,
            return_indices=return_indices or method is not None, **wanted,
        )  # fmt: skip
    models = values["estimator"] = [model_of(one) for one in values.pop("estimator", [])]
    predictions = None if method is None else _predictions(run, models, values["indices"]["test"], method)
    for name, is_wanted in (("estimator", return_estimator), ("indices", return_indices)):
        if not is_wanted:
            values.pop(name, None)
    return CrossValidation(values, run.scoring.title, predictions)


def _check_each_row_once(run: Run) -> None:
    times = np.zeros(_num_samples(run.X), np.int64)
    for _, test in run.cv.split():
        times[test] += 1
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"return_predictions needs folds that hold out every row once, but row {row} is held out {times[row]} "
            "times. Use K-fold, stratified, grouped or leave-one-out folds."
        )


def _predictions(run: Run, models: list[Any], folds: Sequence[np.ndarray], method: str) -> np.ndarray:
    """The predictions of all folds in the order of the rows."""
    order, parts = np.concatenate(folds), [getattr(model, method)(run.of(test)) for model, test in zip(models, folds)]
    if method == "predict_proba":
        if any(isinstance(one, list) for one in parts):
            raise ValueError("return_predictions='predict_proba' supports one output only.")
        classes = np.unique(np.concatenate([model.classes_ for model in models]))
        parts = [_spread(shares, model.classes_, classes) for shares, model in zip(parts, models)]
    joined = np.concatenate(parts)
    found = np.empty_like(joined)
    found[order] = joined
    return found


def _spread(shares: np.ndarray, known: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Probabilities with a column for every class: 0 for those that the fold's rows lacked."""
    wide = np.zeros((len(shares), len(classes)))
    wide[:, np.searchsorted(classes, known)] = shares
    return wide
