"""Metrics by name against scikit-learn's, with and without weights."""

import re
from functools import partial

import numpy as np
import pytest
from sklearn import metrics

from spinney.ensemble.metrics import ALIASES, CLASS_METRICS, VALUE_METRICS, Metric, find_metrics, value_metrics
from tests.docs.pages import DOCS, tables, text_of

RNG = np.random.RandomState(0)
Y = RNG.gamma(2.0, size=80)
PREDICTION = Y * RNG.uniform(0.5, 1.5, 80)
WEIGHT = RNG.uniform(size=80)
VALUES = {
    "squared_error": metrics.mean_squared_error,
    "rmse": metrics.root_mean_squared_error,
    "rmsle": metrics.root_mean_squared_log_error,
    "absolute_error": metrics.mean_absolute_error,
    "median_absolute_error": metrics.median_absolute_error,
    "mape": metrics.mean_absolute_percentage_error,
    "r2": metrics.r2_score,
    "quantile": partial(metrics.mean_pinball_loss, alpha=0.9),
    "poisson_deviance": metrics.mean_poisson_deviance,
    "gamma_deviance": metrics.mean_gamma_deviance,
    "tweedie_deviance": partial(metrics.mean_tweedie_deviance, power=1.5),
    # the losses: half the deviance, and what the target itself adds to it, which no prediction changes
    "poisson": lambda y, p, sample_weight: (
        metrics.mean_poisson_deviance(y, p, sample_weight=sample_weight) / 2
        + np.average(y - y * np.log(y), weights=sample_weight)
    ),
    "gamma": lambda y, p, sample_weight: (
        metrics.mean_gamma_deviance(y, p, sample_weight=sample_weight) / 2
        + np.average(1 + np.log(y), weights=sample_weight)
    ),
    "tweedie": lambda y, p, sample_weight: (
        metrics.mean_tweedie_deviance(y, p, sample_weight=sample_weight, power=1.5) / 2
        + np.average(4 * np.sqrt(y), weights=sample_weight)
    ),
}
DEFAULT = Metric("squared_error", None, False)


def probabilities(n_classes):
    rng = np.random.RandomState(n_classes)
    return rng.randint(0, n_classes, 80), rng.dirichlet(np.ones(n_classes), 80)


def auc(y, p, sample_weight):
    return metrics.roc_auc_score(y, p[:, 1] if p.shape[1] == 2 else p, multi_class="ovr", sample_weight=sample_weight)


def chosen(function, **more):
    return lambda y, p, sample_weight: function(y, p.argmax(axis=1), sample_weight=sample_weight, **more)


def of_second(function):
    def call(y, p, sample_weight):
        average = "binary" if p.shape[1] == 2 else "macro"
        return function(y, p.argmax(axis=1), sample_weight=sample_weight, average=average)

    return call


def average_precision(y, p, sample_weight):
    return metrics.average_precision_score(y, p[:, 1] if p.shape[1] == 2 else p, sample_weight=sample_weight)


CLASSES = {
    "log_loss": metrics.log_loss,
    "accuracy": lambda y, p, sample_weight: metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=sample_weight),
    "error": lambda y, p, sample_weight: metrics.zero_one_loss(y, p.argmax(axis=1), sample_weight=sample_weight),
    "roc_auc": auc,
    "balanced_accuracy": chosen(metrics.balanced_accuracy_score),
    "average_precision": average_precision,
    "f1": of_second(metrics.f1_score),
    "f1_macro": chosen(metrics.f1_score, average="macro"),
    "f1_micro": chosen(metrics.f1_score, average="micro"),
    "f1_weighted": chosen(metrics.f1_score, average="weighted"),
    "precision": of_second(metrics.precision_score),
    "recall": of_second(metrics.recall_score),
    "matthews_corrcoef": chosen(metrics.matthews_corrcoef),
    "brier": lambda y, p, sample_weight: np.average(
        ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1) / (2 if p.shape[1] == 2 else 1), weights=sample_weight
    ),
}


def test_the_guide_lists_all_names():
    rows = {row[0]: row[1] for row in tables(text_of(DOCS / "boosting.md"), "Evaluation sets and early stopping")}
    for kind, known in (("classification", CLASS_METRICS), ("regression", VALUE_METRICS)):
        assert set(re.findall(r'`"(\w+)"`', rows[kind])) == set(known)


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


@pytest.mark.parametrize(
    "value, message",
    [
        (Y, r"The metric 'odd' must return one number, got an array of shape \(80,\)\.$"),
        (
            ("odd", 0.5, True),
            r"got a tuple of 3 values\. Return the number alone; .* eval_metric=\('odd', function",
        ),
        (None, r"must return one number, got None\.$"),
        ("high", r"must return one number, got 'high'\.$"),
    ],
)
def test_a_metric_must_return_one_number(value, message):
    def odd(y, prediction):
        return value

    (metric,) = find_metrics(odd, VALUE_METRICS, DEFAULT)
    with pytest.raises(ValueError, match=message):
        metric.function(Y, PREDICTION, None)


@pytest.mark.parametrize("value", [1, True, np.float32(0.5), np.array(0.25)])
def test_any_kind_of_number_will_do(value):
    (metric,) = find_metrics(lambda y, prediction: value, VALUE_METRICS, DEFAULT)
    assert metric.function(Y, PREDICTION, None) == float(value)


@pytest.mark.parametrize(
    "wanted, name",
    [("AUC", "roc_auc"), ("binary_logloss", "log_loss"), ("PR-AUC", "average_precision"), (" LogLoss ", "log_loss")],
)
def test_names_of_other_libraries(wanted, name):
    assert find_metrics(wanted, CLASS_METRICS, DEFAULT) == [CLASS_METRICS[name]]


def test_the_name_for_values_has_no_spaces():
    assert find_metrics(["rmse ", "MAPE"], VALUE_METRICS, DEFAULT) == [VALUE_METRICS["rmse"], VALUE_METRICS["mape"]]


@pytest.mark.parametrize(
    "wanted, meant", [("neg_log_loss", "log_loss"), ("accurracy", "accuracy"), ("auc_roc", "roc_auc")]
)
def test_a_near_name_is_suggested(wanted, meant):
    with pytest.raises(ValueError, match=rf"got '{wanted}'\. Did you mean .*'{meant}'.*\?"):
        find_metrics(wanted, CLASS_METRICS, DEFAULT)


def test_quantile_and_power_are_those_of_the_model():
    known = value_metrics(0.25, 1.2)
    pinball = metrics.mean_pinball_loss(Y, PREDICTION, alpha=0.25)
    assert known["quantile"].function(Y, PREDICTION, None) == pytest.approx(pinball)
    deviance = metrics.mean_tweedie_deviance(Y, PREDICTION, power=1.2)
    assert known["tweedie_deviance"].function(Y, PREDICTION, None) == pytest.approx(deviance)


def test_a_class_without_rows_has_no_average_precision():
    y, p = probabilities(3)
    y = np.where(y == 1, 0, y)
    expected = np.mean([metrics.average_precision_score(y == k, p[:, k]) for k in (0, 2)])
    assert CLASS_METRICS["average_precision"].function(y, p, None) == pytest.approx(expected)


@pytest.mark.parametrize("wanted", [3, ("name", 3, True), ("name", np.mean), [None]], ids=range(4))
def test_what_is_no_metric_is_refused(wanted):
    with pytest.raises(ValueError, match="eval_metric must be a name, a function"):
        find_metrics(wanted, VALUE_METRICS, DEFAULT)
