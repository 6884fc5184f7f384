"""Folds, candidates and families on a cluster: the results of one machine."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from spinney import AutoClassifier, DecisionTreeClassifier
from spinney.evaluate import cross_validate, learning_curve, search, validation_curve

N = 200
RNG = np.random.RandomState(0)
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.randint(0, 9, N), "c": RNG.choice(list("xyz"), N)})
X.loc[::7, "a"] = None
Y = np.where((X["c"] == "x") | (X["b"] > 6), "yes", "no")
WEIGHT = RNG.randint(1, 4, N).astype(float)
TREE = DecisionTreeClassifier(max_depth=3)


def same(left, right):
    assert len(left) == len(right)
    assert all(np.array_equal(a, b) for a, b in zip(left, right))


def test_cross_validation(client):
    kept = {"return_predictions": True, "return_estimator": True, "sample_weight": WEIGHT}
    local, spread = cross_validate(TREE, X, Y, **kept), cross_validate(TREE, X, Y, n_jobs="dask", **kept)
    same(local["test_score"], spread["test_score"])
    same(local.predictions, spread.predictions)
    assert [one.fingerprint_ for one in spread["estimator"]] == [one.fingerprint_ for one in local["estimator"]]
    assert spread["estimator"][0].n_jobs is None


def test_joblibs_backend_and_models_of_others(client):
    rows = X[["b"]]
    with joblib.parallel_config("dask"):
        spread = cross_validate(LogisticRegression(), rows, Y)
    same(spread["test_score"], cross_validate(LogisticRegression(), rows, Y)["test_score"])


def test_curves(client):
    how = {"param_name": "max_depth", "param_range": [1, 2], "cv": 3}
    same(validation_curve(TREE, X, Y, **how), validation_curve(TREE, X, Y, **how, n_jobs="dask"))
    how = {"cv": 3, "shuffle": True, "random_state": 0}
    same(learning_curve(TREE, X, Y, **how), learning_curve(TREE, X, Y, **how, n_jobs="dask"))


@pytest.mark.parametrize("how", ["grid", "halving"])
def test_searches(client, how):
    space = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    local = search(TREE, space, X, Y, how=how, cv=3, random_state=0)
    spread = search(TREE, space, X, Y, how=how, cv=3, random_state=0, n_jobs="dask")
    same(local.cv_results_["mean_test_score"], spread.cv_results_["mean_test_score"])
    assert spread.best_params_ == local.best_params_
    assert spread.best_estimator_.fingerprint_ == local.best_estimator_.fingerprint_


@pytest.mark.slow
def test_automatic_models(client, capsys):
    model = AutoClassifier(["random_forest", "extra_trees"], random_state=0, cv=2)
    local = model.fit(X, Y)
    spread = AutoClassifier(["random_forest", "extra_trees"], random_state=0, cv=2, n_jobs="dask", verbose=1)
    spread.fit(X, Y)
    assert "extra_trees: neg_log_loss" in capsys.readouterr().err
    assert spread.fingerprint_ == local.fingerprint_
    assert spread.score_ == local.score_
    assert spread.names_ == local.names_
    same(spread.predict_proba(X), local.predict_proba(X))
    with pytest.raises(ValueError, match="time_budget is not supported with n_jobs='dask'"):
        AutoClassifier(time_budget=1.0, n_jobs="dask").fit(X, Y)


def test_what_goes_wrong(client, tmp_path):
    import spinney

    wrong = DecisionTreeClassifier(max_depth=-1)
    with pytest.raises(ValueError, match=r"The 'max_depth' parameter of .* must be an int"):
        cross_validate(wrong, X, Y, n_jobs="dask", error_score="raise")
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        cross_validate(wrong, X, Y, n_jobs="dask")
    with pytest.raises(ValueError, match="n_jobs must be a number, None or 'dask', got 'das'"):
        cross_validate(TREE, X, Y, n_jobs="das")
    X.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    table = spinney.open_table(str(tmp_path / "rows.parquet"), target="y")
    with pytest.raises(TypeError, match="n_jobs='dask' needs data in memory, but X was opened from files"):
        cross_validate(spinney.RandomForestClassifier(2), table, n_jobs="dask")
