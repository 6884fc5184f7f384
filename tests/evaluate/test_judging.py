"""Scores are scikit-learn's; rows are held out fairly."""

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import spinney
from spinney.evaluate import judging
from spinney.evaluate.judging import judge, measure_baseline, measure_classes, measure_numbers, plan


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_scikit_learns(weighted):
    rng = np.random.RandomState(0)
    shares = rng.dirichlet([1, 1, 1], 60)
    classes, y = np.array(["a", "b", "c"], object), rng.choice(["a", "b", "c"], 60).astype(object)
    weights = rng.randint(1, 5, 60).astype(float) if weighted else None
    predicted = classes[shares.argmax(axis=1)]
    found = measure_classes(y, predicted, shares, classes, weights)
    assert np.isclose(found["accuracy"], metrics.accuracy_score(y, predicted, sample_weight=weights))
    assert np.isclose(found["log loss"], metrics.log_loss(y, shares, sample_weight=weights))
    assert np.isclose(found["balanced accuracy"], metrics.balanced_accuracy_score(y, predicted, sample_weight=weights))
    assert "AUC" not in found
    two = measure_classes(y == "a", shares[:, 1] > 0.5, shares[:, :2], np.array([False, True]), weights)
    assert np.isclose(two["AUC"], metrics.roc_auc_score(y == "a", shares[:, 1], sample_weight=weights))
    numbers = measure_numbers(shares[:, 0], shares[:, 1], weights)
    assert np.isclose(numbers["R2"], metrics.r2_score(shares[:, 0], shares[:, 1], sample_weight=weights))
    assert np.isclose(numbers["MAE"], metrics.mean_absolute_error(shares[:, 0], shares[:, 1], sample_weight=weights))


def test_the_baseline_knows_the_other_rows_only():
    known, y = np.array(["a", "a", "b"], object), np.array(["b", "c"], object)
    found = measure_baseline(y, None, known, None, "classification")
    assert found["accuracy"] == 0.0
    assert np.isclose(found["log loss"], -np.log(1 / 3))  # of the row whose class was known
    assert (
        measure_baseline(np.array([0.0, 4.0]), None, np.array([1.0, 3.0]), np.array([3.0, 1.0]), "regression")["MAE"]
        == 2.0
    )


def test_scores_are_means_over_folds():
    rng = np.random.RandomState(1)
    X, y = pl.DataFrame({"x": rng.normal(size=90)}), rng.normal(size=90)
    told = []
    tree = spinney.DecisionTreeRegressor(max_depth=2)
    found = judge(tree, X, y, "regression", 3, tick=lambda *one: told.append(one))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    errors, base = [], []
    for train, test in judging.split_rows(y, "regression", 3, None, 0):
        fitted = spinney.DecisionTreeRegressor(max_depth=2).fit(X[train], y[train])
        errors.append(np.sqrt(np.mean((fitted.predict(X[test]) - y[test]) ** 2)))
        base.append(np.sqrt(np.mean((y[train].mean() - y[test]) ** 2)))
    assert np.isclose(found.scores["RMSE"], np.mean(errors))
    assert np.isclose(found.spread["RMSE"], np.std(errors))
    assert np.isclose(found.baseline["RMSE"], np.mean(base))


def test_how_many_folds():
    assert plan(1000, 10, None, slow=False) == 5
    assert plan(1000, 10, None, slow=True) == 1
    assert plan(100_000, 10, None, slow=False) == 1
    assert plan(100_000, 10, 7, slow=True) == 7
    few = judge(None, pl.DataFrame({"x": [1, 2]}), np.array([0, 1]), "regression", 5)
    assert few.why == "2 rows are too few to hold some of them out"


def test_half_of_a_large_table_is_learnt_from(monkeypatch):
    monkeypatch.setattr(judging, "_LARGE", 100)
    monkeypatch.setattr(judging, "_MOST_HELD_OUT", 10)
    X, y = pl.DataFrame({"x": np.arange(200.0)}), np.arange(200) % 2
    found = judge(spinney.DecisionTreeClassifier(max_depth=1), X, y, "classification", 1)
    assert found.how == "10 held-out rows, fitted on 100 others"


@pytest.mark.parametrize("n_folds", [1, 4])
def test_with_times_every_held_out_row_is_later(n_folds):
    y = np.arange(100.0)
    times = np.random.RandomState(0).permutation(100)
    splits = judging.split_rows(y, "regression", n_folds, None, 0, times=times)
    assert len(splits) == n_folds
    for kept, held in splits:
        assert times[kept].max() < times[held].min()
        assert len(held) == 20
    large = judging.split_rows(y, "regression", 1, None, 0, is_large=True, times=times)[0]
    assert (times[large[0]].min(), times[large[0]].max(), times[large[1]].min()) == (40, 79, 80)
