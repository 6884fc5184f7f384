"""Cross-validation at every round equals separate fits on the same bins, and stops on the mean."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

import spinney
from spinney import GradientBoostingClassifier, GradientBoostingRegressor, boosting_cv
from spinney.ensemble.metrics import CLASS_METRICS


def draw(n=400):
    random = np.random.RandomState(0)
    X = random.randint(0, 30, (n, 4)).astype(float)  # few values: a fold has the bins of the whole table
    return X, X[:, 0] + 5 * (X[:, 1] > 12) + random.randn(n)


def test_every_round_of_every_fold_is_that_of_a_fit_of_its_own():
    X, y = draw()
    model = GradientBoostingRegressor(n_estimators=12, random_state=0)
    folds = list(KFold(3).split(X))
    found = boosting_cv(model, X, y, cv=folds, eval_metric="rmse", return_train_score=True)
    for k, (kept, held) in enumerate(folds):
        own = GradientBoostingRegressor(n_estimators=12, random_state=0)
        own.fit(
            X[kept], y[kept], eval_set={"test": (X[held], y[held]), "train": (X[kept], y[kept])}, eval_metric="rmse"
        )
        np.testing.assert_allclose(found.test["rmse"][:, k], own.evals_result_["test"]["rmse"], rtol=1e-9)
        np.testing.assert_allclose(found.train["rmse"][:, k], own.evals_result_["train"]["rmse"], rtol=1e-9)
    assert not hasattr(model, "n_iter_")


@pytest.mark.parametrize("init", [None, LinearRegression()])
def test_the_models_of_the_folds_are_those_that_were_scored(init):
    X, y = draw()
    folds = list(KFold(3).split(X))
    model = GradientBoostingRegressor(n_estimators=8, init=init, random_state=0)
    found = boosting_cv(model, X, y, cv=folds, return_estimator=True)
    assert len(found.estimators) == 3
    for (_, held), score, one in zip(folds, found.test["squared_error"][found.best_iteration - 1], found.estimators):
        assert one.n_estimators_ == found.best_iteration
        assert np.mean((one.predict(X[held]) - y[held]) ** 2) == pytest.approx(score)
    assert boosting_cv(model, X, y, cv=folds).estimators == []


def test_a_model_of_a_fold_is_one_like_any_other(tmp_path):
    X, y = draw(150)
    classes = np.array(["low", "middle", "high"])[np.digitize(y, [10, 20])]
    found = boosting_cv(GradientBoostingClassifier(n_estimators=3), X, classes, cv=2, return_estimator=True)
    spinney.save(found.estimators[0], tmp_path / "fold.spinney")
    again = spinney.load(tmp_path / "fold.spinney")
    assert (again.predict(X) == found.estimators[0].predict(X)).all()
    assert again.fingerprint_ == pickle.loads(pickle.dumps(found.estimators[0])).fingerprint_
    assert "estimators" not in repr(found)


def test_the_squared_error_is_not_halved():
    X, y = draw()
    model = GradientBoostingRegressor(n_estimators=3, random_state=0)
    found = boosting_cv(model, X, y, cv=3, eval_metric=["mse", "rmse"])
    assert found.metric == "squared_error"
    np.testing.assert_allclose(np.sqrt(found.test["squared_error"]), found.test["rmse"])


def test_it_stops_on_the_mean_of_the_folds():
    X, y = draw()
    classes = np.digitize(y, [10, 20])
    model = GradientBoostingClassifier(n_estimators=300, learning_rate=0.5, random_state=0)
    found = boosting_cv(model, X, classes, cv=3, n_iter_no_change=4)
    mean = found.mean()
    assert found.metric == "log_loss"
    assert len(mean) == found.best_iteration + 4 < 300
    assert found.best_iteration == 1 + mean.argmin()
    assert found.best_score == mean.min()
    assert f"round {found.best_iteration} of {len(mean)}, 3 folds" in repr(found)


def test_a_metric_that_should_grow_is_taken_at_its_largest():
    X, y = draw()
    found = boosting_cv(GradientBoostingClassifier(n_estimators=10), X, y > 15, eval_metric=["roc_auc", "log_loss"])
    assert CLASS_METRICS["roc_auc"].greater_is_better
    assert found.best_iteration == 1 + found.mean().argmax()
    assert set(found.test) == {"roc_auc", "log_loss"}
    assert found.test["log_loss"].shape == (10, 5)


def test_rows_of_weight_zero_take_no_part():
    X, y = draw()
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    used = np.flatnonzero(weight)
    folds = [(np.arange(200), np.arange(200, 400))]
    place = np.cumsum(weight).astype(int) - 1
    fewer = [tuple(place[rows[weight[rows] > 0]] for rows in fold) for fold in folds]
    model = GradientBoostingRegressor(n_estimators=8)
    weighted = boosting_cv(model, X, y, sample_weight=weight, cv=folds)
    without = boosting_cv(model, X[used], y[used], cv=fewer)
    np.testing.assert_allclose(weighted.mean(), without.mean(), rtol=1e-9)


def test_a_progress_bar_shows_the_means(capsys):
    X, y = draw(100)
    found = boosting_cv(GradientBoostingRegressor(n_estimators=10), X, y, cv=2, verbose=1)
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert f"test squared_error {found.mean()[-1]:.5g}" in last


def test_bad_input_is_refused():
    X, y = draw(50)
    with pytest.raises(ValueError, match="eval_metric must be one of"):
        boosting_cv(GradientBoostingRegressor(), X, y, eval_metric="nonsense")
    with pytest.raises(ValueError, match="'max_depth' parameter"):
        boosting_cv(GradientBoostingRegressor(max_depth=0), X, y)
