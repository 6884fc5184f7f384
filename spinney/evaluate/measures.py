"""The usual scores of predictions, and of a baseline that ignores the rows.

In: the truth and the predictions, or a fitted model. Out: scores by name.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

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
