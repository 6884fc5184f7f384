"""Feature selection by importances, with cross-validation.

In: a model that has `feature_importances_` after `fit`, and data. Out: a `Selection`: the smallest number of columns
with which the model scores about as well as with any other number, and the scores by number of columns.

Each fold ranks columns on its own training rows, so that its test rows do not influence which columns are dropped. A
set of columns that several folds choose is opened once for all of them (`data/opened_table.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_consistent_length

from spinney._docstrings import completed
from spinney.data.opened_table import OpenedTable, takes_opened_tables
from spinney.data.reading import with_rows
from spinney.data.tables import is_streamed
from spinney.data.weights import read_weights
from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.runs import make_splits
from spinney.evaluate.scoring import Scoring
from spinney.view.phrases import check_count


@dataclass(frozen=True)
class Selection:
    """Columns selected by `select_features`.

    Attributes
    ----------
    columns : list
        Names of the columns, or their numbers if they have no names, in the order of the data.
    support : ndarray of bool
        Mask of the selected columns.
    sizes : list of int
        Numbers of columns that were tried.
    mean : ndarray of float
        Mean score of each number of columns over the folds.
    std : ndarray of float
        Standard deviation of that score over the folds.
    estimator : estimator
        The model fitted on all rows of the selected columns.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import select_features
    >>> found = select_features(DecisionTreeClassifier(max_depth=3), *load_penguins(), cv=3)
    >>> found.sizes
    [7, 4, 2, 1]
    """

    columns: list[Any]
    support: np.ndarray
    sizes: list[int]
    mean: np.ndarray
    std: np.ndarray
    estimator: Any
    title: str

    def transform(self, X: Any) -> Any:
        """Select the columns from other data.

        Parameters
        ----------
        X : array-like or DataFrame
            Data with the columns of `select_features`.

        Returns
        -------
        array or DataFrame
            The selected columns of X.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.explain import select_features
        >>> X, y = load_penguins()
        >>> found = select_features(DecisionTreeClassifier(max_depth=3), X, y, cv=3)
        >>> found.transform(X).shape == (len(X), len(found.columns))
        True
        """
        return _safe_indexing(with_rows(X), np.flatnonzero(self.support), axis=1)

    def __repr__(self) -> str:
        lines = [f"{len(self.columns)} of {len(self.support)} columns: {', '.join(map(str, self.columns))}"]
        lines.append(f"  columns  {self.title} (mean, std over folds)")
        for size, mean, std in zip(self.sizes, self.mean.tolist(), self.std.tolist()):
            lines.append(f"  {size:7}  {mean:.4f} {std:.4f}{'  <-' if size == len(self.columns) else ''}")
        return "\n".join(lines)


@completed(cross_validate)
def select_features(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    step: float = 0.7,
    min_features: int = 1,
    tolerance: float = 1.0,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Selection:
    """Select the smallest number of columns that scores about as well as the best, by recursive elimination.

    In every fold the model is fitted, its least important columns are dropped, and it is fitted again, down to
    `min_features`. The smallest number of columns whose mean score is within `tolerance` standard errors of the best is
    chosen. The model then drops columns in the same way on all rows until that number is left.

    Parameters
    ----------
    model : estimator
        An estimator that has `feature_importances_` after `fit`: trees, forests, boosting, AdaBoost. It is cloned.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Training data, as for the model's `fit`.
    y : array-like of shape (n_samples,)
        Targets.
    scoring : str or callable, default=None
        As in `spinney.evaluate.cross_validate`, but one score.
    step : float, default=0.7
        Fraction of the columns that stay at each step.
    min_features : int, default=1
        Smallest number of columns that is tried.
    tolerance : float, default=1.0
        Number of standard errors by which the mean score may be worse than the best.
    n_jobs : int, default=None
        Number of folds fitted in parallel.

    Returns
    -------
    Selection
        The columns, the scores, and the model fitted on these columns.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import select_features
    >>> X, y = load_penguins()
    >>> found = select_features(RandomForestClassifier(n_estimators=20, random_state=0), X, y, cv=3)
    >>> found.estimator.n_features_in_ == len(found.columns)
    True
    """
    _check(step, min_features, tolerance)
    judge = Scoring(model, scoring)
    if not judge.is_single:
        raise ValueError(f"scoring must be one score, got {scoring!r}.")
    if is_streamed(X):
        X.refuse_values("select_features")
    X = with_rows(X)
    check_consistent_length(X, y, sample_weight)
    tables = _Tables(model, X, y, sample_weight)
    n_columns = tables.n_columns
    if min_features > n_columns:
        raise ValueError(f"min_features must be at most the number of columns, {n_columns}, got {min_features}.")
    sizes = _sizes(n_columns, step, min_features)
    splits = make_splits(cv, X, y, None, is_classifier(model))
    scores = _scores(tables, scoring, splits, sizes, n_jobs)
    mean, std = scores.mean(axis=1), scores.std(axis=1)
    best = int(np.argmax(mean))
    enough = mean[best] - tolerance * scores[best].std(ddof=min(1, len(splits) - 1)) / math.sqrt(len(splits))
    chosen = max(k for k in range(len(sizes)) if mean[k] >= enough)
    columns, fitted = _drop(tables, sizes[: chosen + 1])
    support = np.isin(np.arange(n_columns), columns)
    names = getattr(fitted, "feature_names_in_", None)
    shown = list(columns) if names is None else [str(one) for one in names]
    return Selection(shown, support, sizes, mean, std, fitted, judge.title or "score")


def _scores(tables: _Tables, scoring: Any, splits: list[Any], sizes: list[int], n_jobs: int | None) -> np.ndarray:
    """(sizes, folds): the score of each fold with each number of columns, dropped by its own importances."""
    kept = [tuple(range(tables.n_columns))] * len(splits)
    scores = np.empty((len(sizes), len(splits)))
    for k in range(len(sizes)):
        new = list(kept)
        for columns in dict.fromkeys(kept):
            folds = [i for i, one in enumerate(kept) if one == columns]
            found = cross_validate(
                tables.model(columns), tables.rows(columns), tables.y, cv=[splits[i] for i in folds], n_jobs=n_jobs,
                scoring=scoring, sample_weight=tables.weights, return_estimator=True, error_score="raise",
            )  # fmt: skip
            scores[k, folds] = found["test_score"]
            for i, model in zip(folds, found["estimator"]) if k + 1 < len(sizes) else ():
                new[i] = _best(columns, importances(model), sizes[k + 1])
        kept = new
    return scores


def _check(step: Any, min_features: Any, tolerance: Any) -> None:
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < 1:
        raise ValueError(f"step must be a fraction between 0 and 1, got {step!r}.")
    check_count("min_features", min_features, 1)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not tolerance >= 0:
        raise ValueError(f"tolerance must be a number of at least 0, got {tolerance!r}.")


def _sizes(n_columns: int, step: float, least: int) -> list[int]:
    """Numbers of columns, descending."""
    sizes = [n_columns]
    while sizes[-1] > least:
        sizes.append(max(min(int(sizes[-1] * step), sizes[-1] - 1), least))
    return sizes


def importances(model: Any) -> np.ndarray:
    """Return `feature_importances_` of a fitted model."""
    found = getattr(model, "feature_importances_", None)
    if found is None:
        raise TypeError(f"model must have feature_importances_ after fit, which {type(model).__name__} does not have.")
    return np.asarray(found, np.float64)


def _best(columns: Sequence[int], shares: np.ndarray, n: int) -> tuple[int, ...]:
    """The n most important columns, in the table's order; of equals the first."""
    order = np.argsort(-shares, kind="stable")[:n]
    return tuple(sorted(columns[k] for k in order.tolist()))


class _Tables:
    """The table by columns: each set of columns is opened once."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._model, self._X, self.y, self.weights = model, X, y, sample_weight
        shape = np.shape(X) if not hasattr(X, "shape") else X.shape
        if len(shape) != 2:
            raise ValueError(f"X must be two-dimensional, got shape {shape}.")
        self.n_columns = int(shape[1])
        self._opened: dict[tuple[int, ...], Any] = {}

    def rows(self, columns: tuple[int, ...]) -> Any:
        """The rows of some columns."""
        if columns not in self._opened:
            every = len(columns) == self.n_columns
            X = self._X if every else _safe_indexing(self._X, np.array(columns), axis=1)
            if takes_opened_tables(self._model):
                X = OpenedTable(X, read_weights(self.weights, len(self.y)).counts)
            self._opened[columns] = X
        return self._opened[columns]

    def model(self, columns: tuple[int, ...]) -> Any:
        """The model for some columns: parameters that name columns, for these."""
        own = clone(self._model)
        if len(columns) == self.n_columns:
            return own
        known = own.get_params(deep=False)
        if known.get("interaction_cst") is not None:
            raise ValueError("interaction_cst names columns that may be dropped. Select columns without it.")
        changed = {
            name: _of_columns(known[name], columns, self.n_columns)
            for name in ("categorical_features", "monotonic_cst")
            if known.get(name) is not None and not isinstance(known[name], str)
        }
        return own.set_params(**changed)


def _of_columns(given: Any, columns: tuple[int, ...], n_columns: int) -> Any:
    """A mask, numbers, names or one value per column, for some columns."""
    if isinstance(given, dict):
        return given
    values = np.asarray(given)
    if len(values) == n_columns and values.dtype.kind in "bi" and (values.dtype.kind == "b" or (values <= 1).all()):
        return values[list(columns)].tolist()
    if values.dtype.kind in "iu":
        return [columns.index(one) for one in values.tolist() if one in columns]
    raise ValueError(f"columns given as {given!r:.80} may be dropped. Pass a mask or column numbers.")


def _drop(tables: _Tables, sizes: list[int]) -> tuple[tuple[int, ...], Any]:
    """(columns that are left on all rows, the model fitted to them)."""
    columns = tuple(range(tables.n_columns))
    for k in range(len(sizes)):
        X, fitted = tables.rows(columns), tables.model(columns)
        weights = {} if tables.weights is None else {"sample_weight": tables.weights}
        fitted.fit(X.original() if isinstance(X, OpenedTable) else X, tables.y, **weights)
        if k + 1 < len(sizes):
            columns = _best(columns, importances(fitted), sizes[k + 1])
    return columns, fitted
