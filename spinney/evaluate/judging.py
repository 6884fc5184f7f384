"""Evaluation of a model on rows that it was not fitted on, compared with a constant baseline.

In: a model and a table. Out: `Judged`, for the command line and for reports. `cross_validate` fits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from spinney._warnings import RowOrderWarning

# ----------------------------------------------------------------------------------------------------------------------
# The usual scores of predictions, and of a baseline that ignores the rows.
#
# In: the truth and the predictions, or a fitted model. Out: scores by name.


HIGHER_IS_BETTER = {
    "accuracy": True,
    "balanced accuracy": True,
    "AUC": True,
    "log loss": False,
    "R2": True,
    "RMSE": False,
    "MAE": False,
}


def measure_classes(
    truth: np.ndarray, predicted: np.ndarray, shares: np.ndarray | None, classes: np.ndarray, weights: np.ndarray | None
) -> dict[str, float]:
    """Scores of a classifier's predictions."""
    from sklearn import metrics  # here, since it takes long to import: --help need not wait

    found = {"accuracy": float(np.average(predicted == truth, weights=weights))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found["balanced accuracy"] = float(metrics.balanced_accuracy_score(truth, predicted, sample_weight=weights))
    if shares is None:
        return found
    place = {label: number for number, label in enumerate(classes.tolist())}
    numbers = np.array([place.get(label, -1) for label in truth.tolist()])
    known = numbers >= 0
    numbers, shares = numbers[known], shares[known]
    heavy = None if weights is None else weights[known]
    if len(classes) == 2 and len(np.unique(numbers)) == 2:
        found["AUC"] = float(metrics.roc_auc_score(numbers, shares[:, 1], sample_weight=heavy))
    if len(numbers):
        own = np.clip(shares[np.arange(len(numbers)), numbers], np.finfo(np.float64).eps, 1.0)
        found["log loss"] = float(np.average(-np.log(own), weights=heavy))
    return found


def measure_numbers(truth: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
    """Scores of a regressor's predictions."""
    error = predicted - truth
    found = {
        "RMSE": float(np.sqrt(np.average(error * error, weights=weights))),
        "MAE": float(np.average(np.abs(error), weights=weights)),
    }
    spread = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
    return ({"R2": float(1.0 - found["RMSE"] ** 2 / spread)} if spread > 0 else {}) | found


def measure(model: Any, X: Any, y: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
    """Scores of a fitted model."""
    return measure_answers(model, *answers_of(model, X), y, weights)


def answers_of(model: Any, X: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """(predictions, probabilities of the classes or None) of a fitted model."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict_proba"):
        return model.predict(X), None
    shares = model.predict_proba(X)
    return model.classes_[shares.argmax(axis=1)], shares


def measure_answers(
    model: Any, predicted: np.ndarray, shares: np.ndarray | None, y: np.ndarray, weights: np.ndarray | None
) -> dict[str, float]:
    """Scores of what a fitted model has predicted."""
    if not hasattr(model, "classes_"):
        return measure_numbers(y, predicted, weights)
    return measure_classes(y, predicted, shares, model.classes_, weights)


def measure_baseline(
    y: np.ndarray, weights: np.ndarray | None, known: np.ndarray, known_weights: np.ndarray | None, task: str
) -> dict[str, float]:
    """Scores of the baseline: the class frequencies, or the mean, of the training rows."""
    if task == "regression":
        return measure_numbers(y, np.full(len(y), np.average(known, weights=known_weights)), weights)
    classes, numbers = np.unique(known, return_inverse=True)
    shares = np.bincount(numbers, known_weights, len(classes))
    shares = shares / shares.sum()
    said = np.broadcast_to(shares, (len(y), len(classes)))
    predicted = np.broadcast_to(classes[shares.argmax()], len(y))
    return measure_classes(y, predicted, said, classes, weights)


# ----------------------------------------------------------------------------------------------------------------------


_SMALL = 250_000  # most cells of a table that is cross-validated by folds
_FOLDS, _HELD_OUT, _FEWEST = 5, 0.2, 10
_LARGE, _MOST_HELD_OUT = 10_000_000, 200_000  # cells from which half of the rows are fitted on; most held-out rows


@dataclass(frozen=True)
class Judged:
    """Scores on held-out rows."""

    how: str
    scores: dict[str, float]  # means over the folds
    spread: dict[str, float]  # standard deviations; empty for a single split
    baseline: dict[str, float]
    truth: np.ndarray | None = None  # of the held-out rows, one fold after the other
    predictions: np.ndarray | None = None  # for them: probabilities of all classes, or classes or numbers
    weights: np.ndarray | None = None  # of them

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"how": self.how, "scores": self.scores, "spread": self.spread, "baseline": self.baseline}


@dataclass(frozen=True)
class NotJudged:
    """Why there are no scores."""

    why: str


def plan(n_rows: int, n_columns: int, cv: int | None, slow: bool) -> int:
    """Return the number of folds: 0 for no evaluation, 1 for a single held-out part."""
    if cv is not None:
        return cv
    return 1 if slow or n_rows * n_columns > _SMALL else _FOLDS


def judge(
    model: Any,
    X: Any,
    y: np.ndarray,
    task: str,
    n_folds: int,
    *,
    weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
    copies: np.ndarray | None = None,
    seed: int = 0,
    tick: Callable[[int, int], object] = lambda done, of: None,
) -> Judged | NotJudged:
    """Cross-validate a model.

    Rows with the same number in `copies` are duplicates, and held out together. With `times`, later rows are predicted
    by models fitted on earlier ones.
    """
    from spinney.evaluate.cross_validation import cross_validate

    is_large = n_folds == 1 and X.shape[0] * X.shape[1] >= _LARGE
    if n_folds == 0 or len(y) < _FEWEST:
        return NotJudged(
            "no rows were held out" if n_folds == 0 else f"{len(y)} rows are too few to hold some of them out"
        )
    splits = split_rows(y, task, n_folds, groups, seed, is_large, copies, times)
    if task == "classification" and any(len(np.unique(y[train])) < 2 for train, _ in splits):
        known, counts = np.unique(y, return_counts=True)
        rare = f"the class {str(known[counts.argmin()])!r} has {counts.min()} row{'s' * bool(counts.min() > 1)}"
        return NotJudged(f"{rare}, and without the held-out rows there would be only one class")
    classes = np.unique(y) if task == "classification" else None
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []  # truth, predictions, weights
    tick(0, len(splits))

    def score(fitted: Any, held_out: Any, truth: Any, sample_weight: Any = None) -> dict[str, float]:
        predicted, shares = answers_of(fitted, held_out)
        found = measure_answers(fitted, predicted, shares, truth, sample_weight)
        all_shares = _of_all(classes, fitted, shares)
        kept.append((truth, predicted if all_shares is None else all_shares, sample_weight))
        if classes is not None and len(classes) > 2:  # of three classes, a fold may lack one
            found.pop("AUC", None)
        tick(len(kept), len(splits))
        return found

    hints = hints_of_fit(model, groups, times)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowOrderWarning)  # the fit on all rows says it once
        result = cross_validate(
            model, X, y, scoring=score, cv=splits, sample_weight=weights, params=hints, error_score="raise"
        )
    heavy = np.broadcast_to(1.0, len(y)) if weights is None else weights
    bases = [measure_baseline(y[test], heavy[test], y[train], heavy[train], task) for train, test in splits]
    if len(splits) > 1:
        how = f"{len(splits)}-fold cross-validation"
    else:
        how = f"{len(splits[0][1]):,} held-out rows" + (f", fitted on {len(splits[0][0]):,} others" if is_large else "")
    if times is not None:
        how += ", each predicted by a model of earlier rows"
    together = "groups" if groups is not None else "duplicates" if copies is not None and times is None else ""
    return Judged(
        how + f", {together} kept together" * bool(together),
        {name: float(np.nanmean(result[f"test_{name}"])) for name in result.metrics},
        {name: float(np.nanstd(result[f"test_{name}"])) for name in result.metrics} if len(splits) > 1 else {},
        {
            name: float(np.mean([base[name] for base in bases if name in base]))
            for name in result.metrics
            if any(name in base for base in bases)
        },
        *(None if parts[0] is None else np.concatenate(parts) for parts in zip(*kept)),
    )


def hints_of_fit(model: Any, groups: np.ndarray | None, times: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """The arguments by which models that hold rows out themselves hold out whole groups, or the last rows."""
    given = {name: values for name, values in (("groups", groups), ("times", times)) if values is not None}
    return {name: values for name, values in given.items() if name in signature(model.fit).parameters}


def _of_all(classes: np.ndarray | None, fitted: Any, shares: np.ndarray | None) -> np.ndarray | None:
    """Return probabilities with a column per class of the table. A fold may lack some of them."""
    if classes is None or shares is None:
        return None
    found = np.zeros((len(shares), len(classes)))
    found[:, np.searchsorted(classes, fitted.classes_)] = shares
    return found


def split_rows(
    y: np.ndarray,
    task: str,
    n_folds: int,
    groups: np.ndarray | None,
    seed: int,
    is_large: bool = False,
    copies: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(training rows, held-out rows) of each split, shuffled, and stratified if every class has enough rows; with
    `times`, the last rows, or stretches of time that follow the training rows.

    For a large table half of the rows are fitted on, so that evaluation needs no more memory than the final fit.
    """
    from sklearn import model_selection

    if times is not None:
        order = np.argsort(times, kind="stable")
        if n_folds == 1:
            n_held = max(1, int(min(_HELD_OUT * len(y), _MOST_HELD_OUT if is_large else len(y))))
            kept = order[: len(y) - n_held]
            return [(kept[len(kept) // 2 if is_large else 0 :], order[len(y) - n_held :])]
        stretches = model_selection.TimeSeriesSplit(n_folds).split(order)
        return [(order[before], order[after]) for before, after in stretches]
    if groups is None and copies is not None:  # the distinct rows are split, each with all its duplicates
        _, first = np.unique(copies, return_index=True)
        splits = split_rows(y[first], task, min(n_folds, len(first)), None, seed, is_large)
        masks = [np.isin(copies, train) for train, _ in splits]
        return [(np.flatnonzero(mask), np.flatnonzero(~mask)) for mask in masks]
    if n_folds > len(y):
        raise ValueError(f"{len(y):,} rows cannot be divided into {n_folds} folds.")
    rare = int(np.unique(y, return_counts=True)[1].min()) if task == "classification" else 0
    stratified = rare >= max(2, n_folds)
    part: dict[str, Any] = {"test_size": _HELD_OUT, "random_state": seed}
    if is_large:
        part |= {"test_size": min(_HELD_OUT, _MOST_HELD_OUT / len(y)), "train_size": 0.5}
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_groups < max(2, n_folds):
            raise ValueError(f"{n_groups} group{'s' * (n_groups != 1)} cannot be divided into {max(2, n_folds)} folds.")
        if n_folds == 1:
            return list(model_selection.GroupShuffleSplit(1, **part).split(y, y, groups))
        return list(model_selection.GroupKFold(n_folds, shuffle=True, random_state=seed).split(y, y, groups))
    if n_folds == 1:
        kind: Any = model_selection.StratifiedShuffleSplit if stratified else model_selection.ShuffleSplit
        return list(kind(1, **part).split(y, y))
    kind = model_selection.StratifiedKFold if stratified else model_selection.KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(y, y))
