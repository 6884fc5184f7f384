"""Scores of predictions: those printed next to the times, and the one that ranks the defaults."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score, root_mean_squared_error

from benchmarks.data import Task

Judge = Callable[[Task, NDArray[Any], NDArray[Any]], dict[str, float]]
MORE_IS_BETTER = ("AUC", "accuracy")
CLIP = 1e-7  # no probability counts as more certain, so that single and double precision are judged alike


def quality(task: Task, y: NDArray[Any], scores: NDArray[Any]) -> dict[str, float]:
    """AUC and log loss for two classes, log loss for more, RMSE for numbers."""
    if task == "binary":
        return {"AUC": float(roc_auc_score(y, scores)), "log loss": loss(task, y, scores)}
    return {"log loss" if task == "multiclass" else "RMSE": loss(task, y, scores)}


def accuracy(task: Task, y: NDArray[Any], answers: NDArray[Any]) -> dict[str, float]:
    """Of predicted classes the share that is right, of predicted numbers the RMSE."""
    if task == "regression":
        return {"RMSE": float(root_mean_squared_error(y, answers))}
    return {"accuracy": float(accuracy_score(y, answers))}


def mean_loss(task: Task, y: NDArray[Any], losses: NDArray[Any]) -> dict[str, float]:
    """Of a loss a row, the mean."""
    return {"loss": float(np.mean(losses))}


def loss(task: Task, y: NDArray[Any], scores: NDArray[Any]) -> float:
    """Log loss of probabilities (of class 1, or a column per class), RMSE of numbers: less is better."""
    if task == "regression":
        return float(root_mean_squared_error(y, scores))
    probabilities = np.clip(np.asarray(scores, np.float64), CLIP, 1.0 - CLIP)
    if probabilities.ndim == 2:
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return float(log_loss(y, probabilities, labels=np.arange(probabilities.shape[1])))
    return float(log_loss(y, probabilities, labels=[0, 1]))
