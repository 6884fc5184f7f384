"""Metrics by name, for evaluation sets and early stopping. scikit-learn's functions underneath."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics


class Metric(NamedTuple):
    """A named score of predictions: for classes, of probabilities (rows, classes); else of predicted values."""

    name: str
    function: Callable[..., float] | None  # (y, prediction, sample_weight) -> float; None: the training loss
    greater_is_better: bool
    of_set: Callable[..., float] | None = None  # (evaluation set, the fit so far) -> float, instead of the function


def _log_loss(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    from spinney.criteria.elementary import logs_of  # early stopping listens to it: not the system's logarithm

    chosen = np.clip(p[np.arange(len(y)), y], 1e-15, 1.0)
    return float(np.average(-logs_of(chosen), weights=sample_weight))


def _accuracy(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    return float(np.average(p.argmax(axis=1) == y, weights=sample_weight))


def _auc(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    if p.shape[1] == 2:
        return float(metrics.roc_auc_score(y, p[:, 1], sample_weight=sample_weight))
    labels = np.arange(p.shape[1])
    return float(metrics.roc_auc_score(y, p, multi_class="ovr", labels=labels, sample_weight=sample_weight))


def _brier(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    target = np.eye(p.shape[1])[y]
    return float(np.average(((p - target) ** 2).sum(axis=1), weights=sample_weight) / (2 if p.shape[1] == 2 else 1))


def _weighted(function: Callable[..., float]) -> Callable[..., float]:
    return lambda y, prediction, sample_weight: float(function(y, prediction, sample_weight=sample_weight))


CLASS_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("log_loss", _log_loss, False),
        Metric("accuracy", _accuracy, True),
        Metric("error", lambda y, p, sample_weight: 1.0 - _accuracy(y, p, sample_weight), False),
        Metric("roc_auc", _auc, True),
        Metric("brier", _brier, False),
    )
}
VALUE_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("squared_error", _weighted(metrics.mean_squared_error), False),
        Metric("rmse", _weighted(metrics.root_mean_squared_error), False),
        Metric("absolute_error", _weighted(metrics.mean_absolute_error), False),
        Metric("median_absolute_error", _weighted(metrics.median_absolute_error), False),
        Metric("r2", _weighted(metrics.r2_score), True),
        Metric("poisson_deviance", _weighted(metrics.mean_poisson_deviance), False),
        Metric("gamma_deviance", _weighted(metrics.mean_gamma_deviance), False),
    )
}
ALIASES = {"auc": "roc_auc", "mae": "absolute_error", "mse": "squared_error", "logloss": "log_loss"}


def find_metrics(wanted: Any, known: dict[str, Metric], default: Metric) -> list[Metric]:
    """Metrics from a name, a function, a (name, function, greater_is_better) triple, or a list of such."""
    if wanted is None:
        return [default]
    found: dict[str, Metric] = {}
    for one in wanted if isinstance(wanted, list) else [wanted]:
        metric = _find(one, known, default)
        if metric.name in found and isinstance(one, str):
            continue
        if metric.name in found:
            raise ValueError(f"eval_metric holds two metrics called {metric.name!r}: name them with triples.")
        found[metric.name] = metric
    return list(found.values()) or [default]


def _find(wanted: Any, known: dict[str, Metric], default: Metric) -> Metric:
    if isinstance(wanted, str):
        name = ALIASES.get(wanted, wanted)
        if name in ("loss", default.name):
            return default
        if name not in known:
            raise ValueError(f"eval_metric must be one of {sorted(known)}, 'loss' or a function, got {wanted!r}.")
        return known[name]
    if isinstance(wanted, tuple) and len(wanted) == 3 and callable(wanted[1]):
        name, function, greater = wanted
        return Metric(str(name), _with_weight(function), bool(greater))
    if callable(wanted):
        name = getattr(wanted, "__name__", type(wanted).__name__)
        return Metric(name, _with_weight(wanted), bool(getattr(wanted, "greater_is_better", False)))
    raise ValueError(
        f"eval_metric must be a name, a function (y, prediction) -> float, or a triple "
        f"(name, function, greater_is_better), got {wanted!r}."
    )


def _with_weight(function: Callable[..., Any]) -> Callable[..., float]:
    """A user's metric, given the weights only if it has a parameter for them."""
    try:
        takes_weight = "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_weight = False

    def call(y: Any, prediction: Any, sample_weight: Any) -> float:
        value = function(y, prediction, sample_weight=sample_weight) if takes_weight else function(y, prediction)
        if np.ndim(value) != 0:
            raise ValueError(
                f"the metric {function!r} must return one number, got an array of shape {np.shape(value)}."
            )
        return float(value)

    return call
