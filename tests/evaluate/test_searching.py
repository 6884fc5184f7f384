"""Searches: grid and random are scikit-learn's, candidate by candidate."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn import model_selection as sk
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from spinney import DecisionTreeClassifier, GradientBoostingClassifier
from spinney.data.opened_table import OpenedTable
from spinney.data.tables import Table
from spinney.datasets import load_penguins
from spinney.evaluate import search

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(240, 4)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.randn(240) / 2 > 0).astype(int)
TREE = DecisionTreeClassifier()
GRID = {"max_depth": [1, 2, 4, None], "min_samples_leaf": [1, 10]}
FOREIGN = make_pipeline(StandardScaler(), LogisticRegression())


def same_results(mine, theirs):
    assert set(mine) == set(theirs)
    for key, expected in theirs.items():
        if "time" in key:
            assert mine[key].shape == expected.shape
        elif key.startswith("param_"):
            assert mine[key].tolist() == expected.tolist()
        elif key == "params":
            assert mine[key] == expected
        else:
            np.testing.assert_array_equal(mine[key], expected)
            assert mine[key].dtype == expected.dtype


@pytest.mark.parametrize(
    "model, space, scoring",
    [
        (TREE, GRID, None),
        (TREE, [{"max_depth": [1, 2]}, {"min_samples_leaf": [5]}], "roc_auc"),
        (FOREIGN, {"logisticregression__C": [0.01, 1, 100]}, "neg_log_loss"),
        (FOREIGN, {"logisticregression": [KNeighborsClassifier(), LogisticRegression()]}, None),
    ],
    ids=["tree", "list of spaces", "pipeline", "steps"],
)
def test_a_grid_is_scikit_learns(model, space, scoring):
    rest = {"scoring": scoring, "cv": 4}
    mine = search(model, space, X, Y, return_train_score=True, **rest)
    theirs = sk.GridSearchCV(model, space, return_train_score=True, **rest).fit(X, Y)
    if "logisticregression" not in space:
        same_results(mine.cv_results_, theirs.cv_results_)
        assert mine.best_params_ == theirs.best_params_
    assert mine.best_index_ == theirs.best_index_
    assert mine.best_score_ == theirs.best_score_
    assert mine.n_splits_ == theirs.n_splits_
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(mine.predict_proba(X), theirs.predict_proba(X))
    assert mine.classes_.tolist() == [0, 1]


def test_random_candidates_are_scikit_learns():
    space = {"max_depth": stats.randint(1, 9), "min_samples_leaf": [1, 5, 20], "ccp_alpha": stats.uniform(0, 0.1)}
    mine = search(TREE, space, X, Y, how="random", n_candidates=8, random_state=3)
    theirs = sk.RandomizedSearchCV(TREE, space, n_iter=8, random_state=3).fit(X, Y)
    same_results(mine.cv_results_, theirs.cv_results_)
    again = search(TREE, space, X, Y, how="random", n_candidates=8, random_state=3)
    assert again.cv_results_["params"] == mine.cv_results_["params"]
    assert len(search(TREE, space, X, Y, how="random").cv_results_["params"]) == 10


def test_several_scores():
    scoring = ["accuracy", "roc_auc"]
    mine = search(TREE, GRID, X, Y, scoring=scoring, refit="roc_auc")
    theirs = sk.GridSearchCV(TREE, GRID, scoring=scoring, refit="roc_auc").fit(X, Y)
    same_results(mine.cv_results_, theirs.cv_results_)
    assert mine.best_params_ == theirs.best_params_
    first = search(TREE, GRID, X, Y, scoring=scoring)
    assert first.best_score_ == first.cv_results_["mean_test_accuracy"].max()


def test_the_best_is_fitted_to_all_rows():
    frame, y = load_penguins()
    found = search(TREE, GRID, frame, y, cv=3)
    expected = DecisionTreeClassifier(**found.best_params_).fit(frame, y)
    assert found.best_estimator_.fingerprint_ == expected.fingerprint_
    assert found.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(found.predict(frame), expected.predict(frame))
    boosting = GradientBoostingClassifier(n_estimators=5)
    found = search(boosting, {"max_bins": [16, 64], "learning_rate": [0.1, 0.3]}, X, Y, sample_weight=1 + Y)
    expected = GradientBoostingClassifier(n_estimators=5, **found.best_params_).fit(X, Y, sample_weight=1 + Y)
    assert found.best_estimator_.fingerprint_ == expected.fingerprint_
    assert not hasattr(TREE, "tree_")


def test_without_refit():
    found = search(TREE, GRID, X, Y, refit=False)
    assert not hasattr(found, "best_estimator_")
    with pytest.raises(AttributeError, match="has no attribute 'predict'"):
        found.predict(X)


def test_halving_is_scikit_learns():
    space = {"max_depth": [1, 2, 4, 8, None], "min_samples_leaf": [1, 10]}
    rest = {"factor": 2, "min_resources": 30, "random_state": 0}
    theirs = sk.HalvingGridSearchCV(TREE, space, **rest).fit(X, Y)
    mine = search(TREE, space, X, Y, how="halving", **rest)
    same_results(mine.cv_results_, theirs.cv_results_)
    assert mine.best_estimator_.fingerprint_ == theirs.best_estimator_.fingerprint_
    drawn = search(TREE, {"max_depth": stats.randint(1, 9)}, X, Y, how="halving", n_candidates=4, random_state=0)
    assert drawn.n_candidates_[0] == 4
    with pytest.raises(ValueError, match="The cv parameter must yield consistent folds"):
        search(TREE, space, X, Y, how="halving", cv=sk.KFold(3, shuffle=True))
    rounds = {"resource": "n_estimators", "max_resources": 12}
    model = GradientBoostingClassifier(random_state=0)
    found = search(model, {"max_depth": [1, 2, 3]}, X, Y, how="halving", scoring="roc_auc", **rounds)
    assert found.best_estimator_.n_iter_ == found.best_params_["n_estimators"]


@pytest.mark.parametrize("model, name", [(TREE, "max_depth"), (LogisticRegression(), "C")], ids=["tree", "foreign"])
def test_weights_count_in_fitting_and_in_scores(model, name):
    weight = RANDOM.rand(240)
    found = search(model, {name: [1, 2]}, X, Y, sample_weight=weight, cv=3)
    for k, (train, test) in enumerate(sk.StratifiedKFold(3).split(X, Y)):
        for candidate, value in enumerate([1, 2]):
            fitted = clone(model).set_params(**{name: value}).fit(X[train], Y[train], sample_weight=weight[train])
            expected = fitted.score(X[test], Y[test], sample_weight=weight[test])
            assert found.cv_results_[f"split{k}_test_score"][candidate] == pytest.approx(expected, rel=1e-12)
    assert type(found.best_estimator_) is type(model)


@pytest.mark.parametrize(
    "tool",
    [
        lambda X: sk.GridSearchCV(TREE, GRID, cv=3).fit(X, Y).cv_results_["mean_test_score"],
        lambda X: sk.cross_validate(TREE, X, Y, cv=sk.ShuffleSplit(3, random_state=0))["test_score"],
        lambda X: sk.learning_curve(TREE, X, Y, cv=3, shuffle=True, random_state=0)[2],
        lambda X: sk.validation_curve(TREE, X, Y, param_name="max_depth", param_range=[1, 3])[1],
        lambda X: sk.HalvingGridSearchCV(TREE, GRID, random_state=0).fit(X, Y).cv_results_["mean_test_score"],
        lambda X: sk.cross_validate(sk.GridSearchCV(TREE, GRID, cv=2), X, Y, cv=3)["test_score"],  # parts of parts
    ],
    ids=["grid", "cross_validate", "learning", "validation", "halving", "nested"],
)
def test_scikit_learns_own_tools_sort_an_opened_table_once(tool, monkeypatch):
    expected, opened, sorts = tool(X), OpenedTable(X), []
    sort = Table.sorted
    monkeypatch.setattr(Table, "sorted", lambda self, *rest, **more: (sorts.append(1), sort(self, *rest, **more))[1])
    np.testing.assert_array_equal(tool(opened), expected)
    assert sorts == [1]


def test_the_table_is_read_once_for_all_candidates(monkeypatch):
    made = []
    once = OpenedTable.learn

    def learn(self, *rest):
        made.append(len(self._readings))
        return once(self, *rest)

    monkeypatch.setattr(OpenedTable, "learn", learn)
    search(TREE, GRID, X, Y)
    assert made[0] == 0
    assert set(made[1:]) == {1}
    assert len(made) == 8 * 5 + 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_jobs(n_jobs, monkeypatch):
    monkeypatch.setattr("spinney.evaluate.runs._SMALL", 0)
    found = search(TREE, GRID, X, Y, n_jobs=n_jobs)
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], search(TREE, GRID, X, Y).cv_results_["mean_test_score"]
    )


def test_progress(capsys):
    search(TREE, {"max_depth": [1, 2]}, X, Y, cv=3, verbose=2)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[:2] for line in lines] == [["fit", f"{k}/6"] for k in range(1, 7)]


def test_a_candidate_that_fails_is_last():
    with pytest.warns(FitFailedWarning, match="5 fits failed out of a total of 10"):
        found = search(TREE, {"max_depth": [0, 2]}, X, Y)
    assert found.best_params_ == {"max_depth": 2}
    assert found.cv_results_["rank_test_score"].tolist() == [2, 1]
    assert np.isnan(found.cv_results_["mean_test_score"][0])


@pytest.mark.parametrize(
    "space, rest, message",
    [
        ({"max_deph": [1]}, {}, "DecisionTreeClassifier has no parameter 'max_deph': did you mean max_depth"),
        ({"max_depth": []}, {}, "need to be a non-empty sequence"),
        (GRID, {"how": "bayes"}, r"how must be one of \['grid', 'random', 'halving'\], got 'bayes'"),
        (GRID, {"n_candidates": 3}, "n_candidates must be at least 1 and is not supported with how='grid', got 3"),
        (GRID, {"n_candidates": 0, "how": "random"}, "n_candidates must be at least 1"),
    ],
)
def test_errors(space, rest, message):
    with pytest.raises(ValueError, match=message):
        search(TREE, space, X, Y, **rest)


def test_names_in_pipelines():
    pipe = Pipeline([("tree", TREE)])
    with pytest.raises(ValueError, match="DecisionTreeClassifier has no parameter 'max_deph': did you mean max_depth"):
        search(pipe, {"tree__max_deph": [1]}, X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = search(pipe, [{"tree": [KNeighborsClassifier()], "tree__n_neighbors": [1, 3]}], X, Y)
    assert found.best_estimator_["tree"].n_neighbors in (1, 3)
