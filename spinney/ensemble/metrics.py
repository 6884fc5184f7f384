"""Metrics by name, for evaluation sets and early stopping. scikit-learn's functions underneath."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics


class Metric(NamedTuple):
    """A named score of predictions: for classes, of probabilities (rows, classes); else of predicted values."""

    name: str
    function: Callable[..., float] | None  # (y, prediction, sample_weight) -> float; None: the training loss
    greater_is_better: bool
    of_set: Callable[..., float] | None = None  # (evaluation set, the fit so far) -> float, instead of the function
    factor: float = 1.0  # times the training loss, where that is half of what its name means


def _log(x: np.ndarray) -> np.ndarray:
    """The library's own logarithm, since early stopping decides by these metrics; it loads the compiler."""
    from spinney.criteria.exp_log import logs_of

    return logs_of(x)


def _log_loss(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    chosen = np.clip(p[np.arange(len(y)), y], 1e-15, 1.0)
    return float(np.average(-_log(chosen), weights=sample_weight))


def _accuracy(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    return float(np.average(p.argmax(axis=1) == y, weights=sample_weight))


def _auc(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    if p.shape[1] == 2:
        return float(metrics.roc_auc_score(y, p[:, 1], sample_weight=sample_weight))
    labels = np.arange(p.shape[1])
    return float(metrics.roc_auc_score(y, p, multi_class="ovr", labels=labels, sample_weight=sample_weight))


def _average_precision(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    """Of the second of two classes; of more, the mean over the classes that occur."""
    classes = [1] if p.shape[1] == 2 else np.unique(y)
    each = [metrics.average_precision_score(y == k, p[:, k], sample_weight=sample_weight) for k in classes]
    return float(np.mean(each))


def _brier(y: Any, p: np.ndarray, sample_weight: Any) -> float:
    target = np.eye(p.shape[1])[y]
    return float(np.average(((p - target) ** 2).sum(axis=1), weights=sample_weight) / (2 if p.shape[1] == 2 else 1))


def _of_classes(function: Callable[..., float], **more: Any) -> Callable[..., float]:
    """A function of scikit-learn's that compares classes, given the most probable ones."""
    return lambda y, p, sample_weight: float(function(y, p.argmax(axis=1), sample_weight=sample_weight, **more))


def _of_second(function: Callable[..., float]) -> Callable[..., float]:
    """The same of the second of two classes; of more, the mean over classes."""

    def call(y: Any, p: np.ndarray, sample_weight: Any) -> float:
        average = "binary" if p.shape[1] == 2 else "macro"
        return _of_classes(function, average=average, zero_division=0.0)(y, p, sample_weight)

    return call


def _weighted(function: Callable[..., float], **more: Any) -> Callable[..., float]:
    return lambda y, prediction, sample_weight: float(function(y, prediction, sample_weight=sample_weight, **more))


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    """x to an exponent; of 0 it is 0."""
    from spinney.criteria.exp_log import exps_of

    return np.where(x > 0, exps_of(exponent * _log(np.where(x > 0, x, 1.0))), 0.0)


def _tweedie_losses(y: np.ndarray, prediction: np.ndarray, power: float) -> np.ndarray:
    """The part of each row's deviance that depends on the prediction, halved: the training loss of that name."""
    if power == 1.0:
        return prediction - y * _log(prediction)
    if power == 2.0:
        return _log(prediction) + y / prediction
    return _power(prediction, 2 - power) / (2 - power) - y * _power(prediction, 1 - power) / (1 - power)


def _tweedie_loss(y: Any, prediction: Any, sample_weight: Any, power: float) -> float:
    y, prediction = np.asarray(y, np.float64), np.asarray(prediction, np.float64)
    if (prediction <= 0).any():
        raise ValueError("eval_metric='poisson', 'gamma' and 'tweedie' need predictions above 0.")
    return float(np.average(_tweedie_losses(y, prediction, power), weights=sample_weight))


def _deviance(y: Any, prediction: Any, sample_weight: Any, power: float) -> float:
    """scikit-learn's mean deviance: twice what the loss is above that of perfect predictions."""
    y, prediction = np.asarray(y, np.float64), np.asarray(prediction, np.float64)
    if (prediction <= 0).any() or (y < 0).any() or (power == 2.0 and (y == 0).any()):
        raise ValueError(
            "Deviances need predictions above 0 and a target of at least 0 (above 0 for 'gamma_deviance')."
        )
    perfect = np.where(y > 0, _tweedie_losses(y, np.where(y > 0, y, 1.0), power), 0.0)
    return 2.0 * float(np.average(_tweedie_losses(y, prediction, power) - perfect, weights=sample_weight))


def _rmsle(y: Any, prediction: Any, sample_weight: Any) -> float:
    y, prediction = np.asarray(y, np.float64), np.asarray(prediction, np.float64)
    if (y <= -1).any() or (prediction <= -1).any():
        raise ValueError("eval_metric='rmsle' needs a target and predictions above -1.")
    gaps = _log(1.0 + prediction) - _log(1.0 + y)
    return float(np.sqrt(np.average(gaps * gaps, weights=sample_weight)))


def _by_name(*found: Metric) -> dict[str, Metric]:
    return {metric.name: metric for metric in found}


CLASS_METRICS = _by_name(
    Metric("log_loss", _log_loss, False),
    Metric("accuracy", _accuracy, True),
    Metric("balanced_accuracy", _of_classes(metrics.balanced_accuracy_score), True),
    Metric("error", lambda y, p, sample_weight: 1.0 - _accuracy(y, p, sample_weight), False),
    Metric("roc_auc", _auc, True),
    Metric("average_precision", _average_precision, True),
    Metric("f1", _of_second(metrics.f1_score), True),
    Metric("f1_macro", _of_classes(metrics.f1_score, average="macro", zero_division=0.0), True),
    Metric("f1_micro", _of_classes(metrics.f1_score, average="micro", zero_division=0.0), True),
    Metric("f1_weighted", _of_classes(metrics.f1_score, average="weighted", zero_division=0.0), True),
    Metric("precision", _of_second(metrics.precision_score), True),
    Metric("recall", _of_second(metrics.recall_score), True),
    Metric("matthews_corrcoef", _of_classes(metrics.matthews_corrcoef), True),
    Metric("brier", _brier, False),
)


def value_metrics(quantile: float = 0.9, power: float = 1.5) -> dict[str, Metric]:
    """Metrics of predicted values; `quantile` and `power` are those of the model."""
    return _by_name(
        Metric("squared_error", _weighted(metrics.mean_squared_error), False),
        Metric("rmse", _weighted(metrics.root_mean_squared_error), False),
        Metric("rmsle", _rmsle, False),
        Metric("absolute_error", _weighted(metrics.mean_absolute_error), False),
        Metric("median_absolute_error", _weighted(metrics.median_absolute_error), False),
        Metric("mape", _weighted(metrics.mean_absolute_percentage_error), False),
        Metric("r2", _weighted(metrics.r2_score), True),
        Metric("quantile", _weighted(metrics.mean_pinball_loss, alpha=quantile), False),
        Metric("poisson", _weighted(_tweedie_loss, power=1.0), False),
        Metric("gamma", _weighted(_tweedie_loss, power=2.0), False),
        Metric("tweedie", _weighted(_tweedie_loss, power=power), False),
        Metric("poisson_deviance", _weighted(_deviance, power=1.0), False),
        Metric("gamma_deviance", _weighted(_deviance, power=2.0), False),
        Metric("tweedie_deviance", _weighted(_deviance, power=power), False),
    )


VALUE_METRICS = value_metrics()
_OTHER_NAMES = {  # of scikit-learn's functions, XGBoost's, LightGBM's and CatBoost's, in small letters
    "log_loss": "logloss binary_logloss multi_logloss mlogloss cross_entropy crossentropy multiclass",
    "accuracy": "acc accuracy_score",
    "balanced_accuracy": "balanced_accuracy_score balancedaccuracy",
    "error": "merror binary_error multi_error error_rate zero_one_loss zerooneloss",
    "roc_auc": "auc rocauc roc_auc_score roc_auc_ovr",
    "average_precision": "aucpr auc_pr prauc pr_auc average_precision_score",
    "f1": "f1_score",
    "precision": "precision_score",
    "recall": "recall_score",
    "matthews_corrcoef": "mcc",
    "brier": "brier_score brier_score_loss brierscore",
    "squared_error": "mse l2 mean_squared_error",
    "rmse": "root_mean_squared_error l2_root",
    "rmsle": "root_mean_squared_log_error",
    "absolute_error": "mae l1 mean_absolute_error",
    "median_absolute_error": "medianabsoluteerror",
    "mape": "mean_absolute_percentage_error",
    "r2": "r2_score",
    "quantile": "pinball mean_pinball_loss pinball_loss",
    "poisson_deviance": "mean_poisson_deviance",
    "gamma_deviance": "mean_gamma_deviance",
    "tweedie_deviance": "mean_tweedie_deviance",
}
ALIASES = {other: name for name, others in _OTHER_NAMES.items() for other in others.split()}


def loss_metric(name: str) -> Metric:
    """The training loss as a metric. The squared error's loss is half of the squared error."""
    from spinney.criteria.losses import kind_of

    return Metric(name, None, False, factor=kind_of(name).metric_factor)


def find_metrics(wanted: Any, known: Mapping[str, Metric], default: Metric) -> list[Metric]:
    """Metrics from a name, a function, a (name, function, greater_is_better) triple, or a list of such."""
    if wanted is None:
        return [default]
    found: dict[str, Metric] = {}
    for one in wanted if isinstance(wanted, list) else [wanted]:
        metric = _find(one, known, default)
        if metric.name in found and isinstance(one, str):
            continue
        if metric.name in found:
            raise ValueError(f"eval_metric holds two metrics called {metric.name!r}. Give them names with triples.")
        found[metric.name] = metric
    return list(found.values()) or [default]


def _find(wanted: Any, known: Mapping[str, Metric], default: Metric) -> Metric:
    if isinstance(wanted, str):
        plain = wanted.strip().lower().replace("-", "_").replace(" ", "_")
        name = ALIASES.get(plain, plain)
        if name in ("loss", default.name):
            return default
        if name not in known:
            _refuse(wanted, name, known)
        return known[name]
    if isinstance(wanted, tuple) and len(wanted) == 3 and callable(wanted[1]):
        name, function, greater = wanted
        return Metric(str(name), _with_weight(function, str(name)), bool(greater))
    if callable(wanted):
        name = getattr(wanted, "__name__", type(wanted).__name__)
        return Metric(name, _with_weight(wanted, name), bool(getattr(wanted, "greater_is_better", False)))
    raise ValueError(
        f"eval_metric must be a name, a function (y, prediction) -> float, or a triple "
        f"(name, function, greater_is_better), got {wanted!r}."
    )


def _refuse(wanted: str, name: str, known: Mapping[str, Metric]) -> None:
    """Raise, with the names that were meant, perhaps."""
    others = [*known, *(alias for alias, one in ALIASES.items() if one in known)]
    near = {ALIASES.get(one, one): None for one in get_close_matches(name, others, 3, 0.6)}
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(
        f"eval_metric must be one of {sorted(known)}, 'loss' or a function (y, prediction) -> float, got {wanted!r}."
        f"{hint}"
    )


def _with_weight(function: Callable[..., Any], name: str) -> Callable[..., float]:
    """A user's metric, given the weights only if it has a parameter for them."""
    try:
        takes_weight = "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_weight = False

    def call(y: Any, prediction: Any, sample_weight: Any) -> float:
        value = function(y, prediction, sample_weight=sample_weight) if takes_weight else function(y, prediction)
        if isinstance(value, tuple):
            raise ValueError(
                f"The metric {name!r} must return one number, got a tuple of {len(value)} values. Return the number "
                f"alone; where greater is better, pass eval_metric=({name!r}, function, True)."
            )
        found = np.asarray(value)
        if found.ndim != 0:
            raise ValueError(f"The metric {name!r} must return one number, got an array of shape {found.shape}.")
        if found.dtype.kind not in "fiub":
            raise ValueError(f"The metric {name!r} must return one number, got {value!r:.60}.")
        return float(value)

    return call
