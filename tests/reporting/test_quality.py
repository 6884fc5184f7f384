"""The report's numbers against scikit-learn's, with weights and without."""

import re

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import auc, confusion_matrix, precision_recall_curve, roc_auc_score, roc_curve

import spinney
from spinney.reporting.charts import swarm
from spinney.reporting.quality import (
    ScoreSheet,
    class_calibration,
    class_rates,
    confusion,
    judge,
    learning_charts,
    number_calibration,
    quality_charts,
    threshold_counts,
)
from spinney.reporting.sample import read_sample

WEIGHTS = [None, "whole", "any"]


def drawn(n_classes, kind, n=400):
    """Probabilities that know something of the classes, and weights."""
    rng = np.random.RandomState(n_classes)
    classes = np.array([f"class {k}" for k in range(n_classes)])
    numbers = rng.randint(n_classes, size=n)
    shares = rng.dirichlet(np.ones(n_classes), n).round(2)  # with ties
    shares[np.arange(n), numbers] += 0.7
    shares /= shares.sum(axis=1, keepdims=True)
    weight = {None: None, "whole": rng.randint(0, 4, n).astype(float), "any": rng.rand(n)}[kind]
    return ScoreSheet("", [], classes[numbers], classes[shares.argmax(axis=1)], shares, classes, weight)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_roc_and_precision_and_recall(n_classes, kind):
    judged = drawn(n_classes, kind)
    for k in range(n_classes):
        is_it, scores = judged.truth == judged.classes[k], judged.shares[:, k]
        false, true, _ = roc_curve(is_it, scores, sample_weight=judged.weight)
        precision, recall, _ = precision_recall_curve(is_it, scores, sample_weight=judged.weight)
        rates = class_rates(judged, k)
        np.testing.assert_array_equal(rates.false, false)
        np.testing.assert_array_equal(rates.true, true)
        np.testing.assert_array_equal(rates.recall, recall[::-1])
        np.testing.assert_array_equal(rates.precision, precision[::-1])
        area = auc(rates.false, rates.true)
        assert area == pytest.approx(roc_auc_score(is_it, scores, sample_weight=judged.weight))


def test_weights_change_the_curves_and_rows_without_weight_are_no_class():
    one, other = drawn(2, None), drawn(2, "any")
    assert class_rates(one, 1).true.tolist() != class_rates(other, 1).true.tolist()
    one.weight = (one.truth == "class 0").astype(float)
    assert class_rates(one, 1) is None


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_confusion_at_every_threshold(n_classes, kind):
    judged = drawn(n_classes, kind)
    for at in (0, 35, 50, 71, 100):
        if n_classes == 2:
            called, kept = judged.classes[(judged.shares[:, 1] >= at / 100).astype(int)], np.ones(400, bool)
        else:
            called, kept = judged.predicted, judged.shares.max(axis=1) >= at / 100
        weight = None if judged.weight is None else judged.weight[kept]
        expected = np.zeros((n_classes, n_classes))
        if kept.any():
            expected = confusion_matrix(judged.truth[kept], called[kept], labels=judged.classes, sample_weight=weight)
        np.testing.assert_allclose(confusion(judged, at), expected, rtol=1e-12)
        assert threshold_counts(judged)["tables"][at] == confusion(judged, at).ravel().tolist()
    assert threshold_counts(judged)["weighted"] == (kind is not None)


@pytest.mark.parametrize("kind", [None, "whole"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_calibration(n_classes, kind):
    """scikit-learn's takes no weights: whole ones are copies of a row."""
    judged = drawn(n_classes, kind)
    copies = np.ones(400, int) if kind is None else judged.weight.astype(int)
    if n_classes == 2:
        chance, came = judged.shares[:, 1], judged.truth == "class 1"
    else:
        chance, came = judged.shares.max(axis=1), judged.truth == judged.predicted
    true, predicted = calibration_curve(np.repeat(came, copies), np.repeat(chance, copies), n_bins=10)
    found = class_calibration(judged)
    np.testing.assert_allclose(found.predicted, predicted)
    np.testing.assert_allclose(found.true, true)
    assert found.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_calibration_of_numbers(kind):
    rng = np.random.RandomState(0)
    predicted = rng.randn(200)
    weight = {None: None, "whole": rng.randint(1, 4, 200).astype(float), "any": rng.rand(200)}[kind]
    judged = ScoreSheet("", [], predicted + rng.randn(200), predicted, None, None, weight)
    found = number_calibration(judged)
    own, order, so_far, parts = np.ones(200) if weight is None else weight, np.argsort(predicted), 0.0, [[]] * 10
    for row in order:  # the naive way
        part = min(9, int(10 * (so_far + own[row] / 2) / own.sum()))
        parts[part] = [*parts[part], row]
        so_far += own[row]
    for k, rows in enumerate(parts):
        assert found.predicted[k] == pytest.approx(np.average(predicted[rows], weights=own[rows]))
        assert found.true[k] == pytest.approx(np.average(judged.truth[rows], weights=own[rows]))
        assert found.share[k] == pytest.approx(0.1, abs=2 * own.max() / own.sum())


def test_whole_weights_are_copies_for_scores_and_curves():
    """The same folds of a table with weights, and of one in which rows stand as often: the same page."""
    rng = np.random.RandomState(1)
    X = rng.rand(150, 3)
    y = np.where(X[:, 0] + 0.4 * rng.randn(150) > 0.5, "yes", "no")
    weight = rng.randint(1, 4, 150)
    model = spinney.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, sample_weight=weight)
    copies = np.repeat(np.arange(150), weight)
    one = judge(model, read_sample(model, X, y, weight.astype(float), None, None), 0, 0)
    two = judge(model, read_sample(model, X[copies], y[copies], None, None, None), 0, 0)
    for a, b in zip(one.table, two.table):
        assert (a["name"], a["mean"], a["baseline"]) == (
            b["name"],
            pytest.approx(b["mean"]),
            pytest.approx(b["baseline"]),
        )
    np.testing.assert_allclose(class_rates(one, 1).true, class_rates(two, 1).true)
    np.testing.assert_allclose(class_calibration(one).true, class_calibration(two).true)
    np.testing.assert_array_equal(confusion(one, 50), confusion(two, 50))


def test_charts_are_drawn_of_these_numbers():
    judged = drawn(2, "any")
    assert [one.partition("</figcaption>")[0] for one in quality_charts(judged)] == [
        "<figure><figcaption>ROC curve of class 1",
        "<figure><figcaption>Precision and recall of class 1",
        "<figure><figcaption>Calibration of class 1",
    ]
    rates, calibrated = class_rates(judged, 1), class_calibration(judged)
    lines = [(rates.false, rates.true), (rates.recall, rates.precision), (calibrated.predicted, calibrated.true)]
    for chart, (x, y) in zip(quality_charts(judged), lines):
        (path,) = re.findall(r'<path class="line s0" d="([^"]*)"', chart)
        drawn_at = np.array(re.findall(r"[\d.]+", path), float).reshape(-1, 2)
        for k, values in enumerate((x, y)):
            slope, start = np.polyfit(values, drawn_at[:, k], 1)
            assert (slope > 0) == (k == 0)  # y grows upwards
            np.testing.assert_allclose(slope * values + start, drawn_at[:, k], atol=0.06)
    judged.sizes = np.array([10, 20])
    judged.learning = {"log loss": (np.array([[0.1, np.nan], [0.2, 0.3]]),) * 2, "accuracy": (np.ones((2, 2)),) * 2}
    (chart,) = learning_charts(judged)  # of the log loss one point is left, and that is no curve
    assert "Learning curve: accuracy" in chart
    assert "Higher is better." in chart


def test_points_of_a_swarm_lie_where_their_values_are():
    values = np.random.RandomState(0).randn(50, 2)
    shades = np.tile(np.linspace(0, 1, 50)[:, None], 2)
    shades[3, 1] = np.nan
    drawn = swarm("SHAP values", ["a", "b"], values, shades, "contribution")
    points = re.findall(r'class="bee (\w+)" cx="([\d.]+)"', drawn)
    assert len(points) == 100
    x = np.array([float(one) for _, one in points]).reshape(2, 50)
    for k in range(2):
        slope, start = np.polyfit(values[:, k], x[k], 1)
        np.testing.assert_allclose(slope * values[:, k] + start, x[k], atol=0.06)
    assert x.max() - x.min() == pytest.approx(360 - 20, abs=0.2)  # all of the width
    assert [style for style, _ in points[:50]] == [f"h{min(6, int(7 * one))}" for one in shades[:, 0]]
    assert points[53][0] == "none"


def test_learning_curves_are_scikit_learns():
    from sklearn.model_selection import KFold
    from sklearn.model_selection import learning_curve as reference

    rng = np.random.RandomState(0)
    X = rng.rand(120, 2)
    y = X[:, 0] + 0.1 * rng.randn(120)
    model = spinney.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    judged = judge(model, read_sample(model, X, y, None, None, None), 3, 0)
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    sizes, train, test = reference(
        model, X, y, cv=splits, train_sizes=judged.sizes, shuffle=True, random_state=0,
        scoring="neg_root_mean_squared_error",
    )  # fmt: skip
    np.testing.assert_array_equal(judged.sizes, sizes)
    np.testing.assert_allclose(judged.learning["RMSE"][0], -train)
    np.testing.assert_allclose(judged.learning["RMSE"][1], -test)
