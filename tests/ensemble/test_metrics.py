"""Metrics by name against scikit-learn's, with and without weights."""

import numpy as np
import pytest
from sklearn import metrics

from spinney.ensemble.metrics import ALIASES, CLASS_METRICS, VALUE_METRICS, Metric, find_metrics

RNG = np.random.RandomState(0)
Y = RNG.gamma(2.0, size=80)
PREDICTION = Y * RNG.uniform(0.5, 1.5, 80)
WEIGHT = RNG.uniform(size=80)
VALUES = {
    "squared_error": metrics.mean_squared_error,
    "rmse": metrics.root_mean_squared_error,
    "absolute_error": metrics.mean_absolute_error,
    "median_absolute_error": metrics.median_absolute_error,
    "r2": metrics.r2_score,
    "poisson_deviance": metrics.mean_poisson_deviance,
    "gamma_deviance": metrics.mean_gamma_deviance,
}
DEFAULT = Metric("squared_error", None, False)


def probabilities(n_classes):
    rng = np.random.RandomState(n_classes)
    return rng.randint(0, n_classes, 80), rng.dirichlet(np.ones(n_classes), 80)


def auc(y, p, sample_weight):
    return metrics.roc_auc_score(y, p[:, 1] if p.shape[1] == 2 else p, multi_class="ovr", sample_weight=sample_weight)


CLASSES = {
    "log_loss": metrics.log_loss,
    "accuracy": lambda y, p, sample_weight: metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=sample_weight),
    "error": lambda y, p, sample_weight: metrics.zero_one_loss(y, p.argmax(axis=1), sample_weight=sample_weight),
    "roc_auc": auc,
    "brier": lambda y, p, sample_weight: np.average(
        ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1) / (2 if p.shape[1] == 2 else 1), weights=sample_weight
    ),
}


def test_every_metric_has_its_twin_here():
    assert set(VALUES) == set(VALUE_METRICS)
    assert set(CLASSES) == set(CLASS_METRICS)
    assert set(ALIASES.values()) <= {*VALUES, *CLASSES}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", VALUES)
def test_metrics_of_values(name, weight):
    metric = VALUE_METRICS[name]
    score = metric.function(Y, PREDICTION, weight)
    assert score == pytest.approx(VALUES[name](Y, PREDICTION, sample_weight=weight))
    better = metric.function(Y, Y + 0.1 * (PREDICTION - Y), weight)
    assert (better > score) == metric.greater_is_better


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", CLASSES)
def test_metrics_of_classes(name, n_classes, weight):
    y, p = probabilities(n_classes)
    metric = CLASS_METRICS[name]
    score = metric.function(y, p, weight)
    assert score == pytest.approx(CLASSES[name](y, p, sample_weight=weight))
    better = metric.function(y, 0.7 * np.eye(n_classes)[y] + 0.3 * p, weight)
    assert (better > score) == metric.greater_is_better


def test_brier_of_two_classes_is_scikit_learns():
    y, p = probabilities(2)
    assert CLASS_METRICS["brier"].function(y, p, WEIGHT) == pytest.approx(
        metrics.brier_score_loss(y, p[:, 1], sample_weight=WEIGHT)
    )


def test_a_certain_error_costs_much_but_not_everything():
    assert 30 < CLASS_METRICS["log_loss"].function(np.array([0]), np.array([[0.0, 1.0]]), None) < 40


def test_metrics_are_found_by_name_alias_function_and_triple():
    def worst(y, prediction):
        return np.abs(y - prediction).max()

    worst.greater_is_better = False
    wanted = ["mae", "rmse", worst, ("share", lambda y, prediction, sample_weight: sample_weight.sum(), True)]
    found = find_metrics(wanted, VALUE_METRICS, DEFAULT)
    assert [(metric.name, metric.greater_is_better) for metric in found] == [
        ("absolute_error", False),
        ("rmse", False),
        ("worst", False),
        ("share", True),
    ]
    assert found[2].function(Y, PREDICTION, WEIGHT) == np.abs(Y - PREDICTION).max()
    assert found[3].function(Y, PREDICTION, WEIGHT) == pytest.approx(WEIGHT.sum())
    for alias, name in ALIASES.items():
        known = CLASS_METRICS if name in CLASSES else VALUE_METRICS
        assert find_metrics(alias, known, Metric("own", None, False))[0] is known[name]


def test_the_training_loss_is_the_default():
    for wanted in (None, "loss", "squared_error", "mse", []):
        assert find_metrics(wanted, VALUE_METRICS, DEFAULT) == [DEFAULT]
    assert find_metrics("mse", VALUE_METRICS, Metric("huber", None, False)) == [VALUE_METRICS["squared_error"]]


def test_a_metric_must_return_one_number():
    (metric,) = find_metrics(lambda y, prediction: y, VALUE_METRICS, DEFAULT)
    with pytest.raises(ValueError, match=r"must return one number, got an array of shape \(80,\)"):
        metric.function(Y, PREDICTION, None)


@pytest.mark.parametrize("wanted", [3, ("name", 3, True), ("name", np.mean), [None]], ids=range(4))
def test_what_is_no_metric_is_refused(wanted):
    with pytest.raises(ValueError, match="eval_metric must be a name, a function"):
        find_metrics(wanted, VALUE_METRICS, DEFAULT)
