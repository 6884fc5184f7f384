"""Judging: how good a model is on rows it has not seen, beside the best that can be said without looking at a row.

In: a model and a table, or answers and the truth. Out: scores by name. `cross_validate` fits; scikit-learn measures.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.cli.errors import CommandError

HIGHER_IS_BETTER = {
    "accuracy": True,
    "balanced accuracy": True,
    "AUC": True,
    "log loss": False,
    "R2": True,
    "RMSE": False,
    "MAE": False,
}
_SMALL = 250_000  # cells of a table that is judged by folds
_FOLDS, _HELD_OUT = 5, 0.2
_LARGE, _MOST_HELD_OUT = 10_000_000, 200_000  # cells from which on half of the rows are learnt from; rows to judge by


@dataclass(frozen=True)
class Judged:
    """Scores on rows held out."""

    how: str
    scores: dict[str, float]  # means over the folds
    spread: dict[str, float]  # standard deviations; empty for one part
    baseline: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"how": self.how, "scores": self.scores, "spread": self.spread, "baseline": self.baseline}


def measure_classes(
    truth: np.ndarray, predicted: np.ndarray, shares: np.ndarray | None, classes: np.ndarray, weights: np.ndarray | None
) -> dict[str, float]:
    """Scores of a classifier's answers."""
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
    """Scores of a regressor's answers."""
    error = predicted - truth
    found = {
        "RMSE": float(np.sqrt(np.average(error * error, weights=weights))),
        "MAE": float(np.average(np.abs(error), weights=weights)),
    }
    spread = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
    return ({"R2": float(1.0 - found["RMSE"] ** 2 / spread)} if spread > 0 else {}) | found


def measure(model: Any, X: Any, y: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
    """Scores of a fitted model."""
    if not hasattr(model, "classes_"):
        return measure_numbers(y, model.predict(X), weights)
    shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    predicted = model.predict(X) if shares is None else model.classes_[shares.argmax(axis=1)]
    return measure_classes(y, predicted, shares, model.classes_, weights)


def measure_baseline(
    y: np.ndarray, weights: np.ndarray | None, known: np.ndarray, known_weights: np.ndarray | None, task: str
) -> dict[str, float]:
    """Scores of what can be said without looking at a row: the classes' shares, or the mean, of the rows known."""
    if task == "regression":
        return measure_numbers(y, np.full(len(y), np.average(known, weights=known_weights)), weights)
    classes, numbers = np.unique(known, return_inverse=True)
    shares = np.bincount(numbers, known_weights, len(classes))
    shares = shares / shares.sum()
    said = np.broadcast_to(shares, (len(y), len(classes)))
    predicted = np.broadcast_to(classes[shares.argmax()], len(y))
    return measure_classes(y, predicted, said, classes, weights)


def plan(n_rows: int, n_columns: int, cv: int | None, slow: bool) -> int:
    """How many folds: 0 for none, 1 for one part held out."""
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
    seed: int = 0,
    tick: Callable[[int, int], object] = lambda done, of: None,
) -> Judged | None:
    """Fit to some rows and judge on the others, in turn; None where there are too few rows."""
    from spinney.evaluate.cross_validation import cross_validate

    is_large = n_folds == 1 and X.shape[0] * X.shape[1] >= _LARGE
    splits = _splits(y, task, n_folds, groups, seed, is_large)
    if not splits:
        return None
    several = task == "classification" and len(np.unique(y)) > 2
    done = 0
    tick(0, len(splits))

    def score(fitted: Any, held_out: Any, truth: Any, sample_weight: Any = None) -> dict[str, float]:
        nonlocal done
        train = splits[done][0]
        said = measure(fitted, held_out, truth, sample_weight)
        base = measure_baseline(truth, sample_weight, y[train], None if weights is None else weights[train], task)
        if several:  # of three classes a fold may have two
            said.pop("AUC", None)
        done += 1
        tick(done, len(splits))
        return said | {f"baseline {name}": value for name, value in base.items()}

    result = cross_validate(model, X, y, scoring=score, cv=splits, sample_weight=weights, error_score="raise")
    names = [name for name in result.metrics if not name.startswith("baseline ")]
    if len(splits) > 1:
        how = f"{len(splits)}-fold cross-validation"
    else:
        how = f"{len(splits[0][1]):,} rows held out" + (
            f", {len(splits[0][0]):,} others learnt from" if is_large else ""
        )
    return Judged(
        how + (", groups kept together" if groups is not None else ""),
        {name: float(np.nanmean(result[f"test_{name}"])) for name in names},
        {name: float(np.nanstd(result[f"test_{name}"])) for name in names} if len(splits) > 1 else {},
        {
            name: float(np.nanmean(result[f"test_baseline {name}"]))
            for name in names
            if f"baseline {name}" in result.metrics
        },
    )


def _splits(
    y: np.ndarray, task: str, n_folds: int, groups: np.ndarray | None, seed: int, is_large: bool = False
) -> list[tuple[Any, Any]]:
    """Rows to fit and rows to judge on: shuffled, classes in their shares where there are enough of each.

    Of a large table half of the rows are learnt from, so that judging takes no more memory than the fit that follows.
    """
    from sklearn import model_selection

    rare = int(np.unique(y, return_counts=True)[1].min()) if task == "classification" else len(y)
    if n_folds == 0 or len(y) < 10:
        return []
    if n_folds > len(y):
        raise CommandError(f"--cv {n_folds}: {len(y):,} rows cannot be parted into more folds than rows.")
    stratified = task == "classification" and rare >= max(2, n_folds)
    part: dict[str, Any] = {"test_size": _HELD_OUT, "random_state": seed}
    if is_large:
        part |= {"test_size": min(_HELD_OUT, _MOST_HELD_OUT / len(y)), "train_size": 0.5}
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_groups < max(2, n_folds):
            raise CommandError(
                f"--groups: {n_groups} group{'s' * (n_groups != 1)} cannot be parted into {max(2, n_folds)} folds."
            )
        if n_folds == 1:
            return list(model_selection.GroupShuffleSplit(1, **part).split(y, y, groups))
        return list(model_selection.GroupKFold(n_folds, shuffle=True, random_state=seed).split(y, y, groups))
    if n_folds == 1:
        kind: Any = model_selection.StratifiedShuffleSplit if stratified else model_selection.ShuffleSplit
        return list(kind(1, **part).split(y, y))
    kind = model_selection.StratifiedKFold if stratified else model_selection.KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(y, y))
