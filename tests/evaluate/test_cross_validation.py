"""Cross-validation: scikit-learn's numbers, whether the table is shared between folds or not."""

import copy
import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as sk
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from spinney import (
    AdaBoostClassifier,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from spinney._compile import PLAIN_PYTHON
from spinney._team import available_threads
from spinney.data.opened_table import OpenedTable
from spinney.datasets import load_penguins
from spinney.evaluate import cross_validate
from tests.gpu.stand_ins import Cupy

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(240, 4)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.randn(240) / 2 > 0).astype(int)
NUMBERS = X[:, 0] + RANDOM.randn(240) / 2
WEIGHT = RANDOM.rand(240)
GROUPS = np.arange(240) // 8
PENGUINS = load_penguins()
TREE = DecisionTreeClassifier(max_depth=4)


@pytest.mark.parametrize(
    "cv, groups",
    [
        (5, None),
        (sk.KFold(4, shuffle=True, random_state=0), None),
        (sk.ShuffleSplit(4, random_state=0), None),
        (sk.GroupKFold(4), GROUPS),
        (sk.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), None),
        (sk.LeavePGroupsOut(1), GROUPS),
    ],
)
@pytest.mark.parametrize(
    "model",
    [
        TREE,
        DecisionTreeClassifier(max_features=2, random_state=0),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
    ],
    ids=["tree", "random tree", "foreign"],
)
def test_scores_are_those_of_scikit_learn(model, cv, groups):
    rest = {"cv": cv, "groups": groups, "return_train_score": True, "scoring": ["accuracy", "roc_auc"]}
    mine, theirs = cross_validate(model, X, Y, **rest), sk.cross_validate(model, X, Y, **rest)
    assert set(mine) == set(theirs)
    for key in ("test_accuracy", "test_roc_auc", "train_accuracy", "train_roc_auc"):
        np.testing.assert_array_equal(mine[key], theirs[key])
    assert mine["fit_time"].shape == theirs["fit_time"].shape


@pytest.mark.parametrize("model", [TREE, C45Classifier(), AdaBoostClassifier(n_estimators=3)], ids=str)
def test_tables_with_names_categories_and_gaps(model):
    frame, y = PENGUINS
    mine, theirs = cross_validate(model, frame, y, cv=4), sk.cross_validate(model, frame, y, cv=4)
    np.testing.assert_array_equal(mine["test_score"], theirs["test_score"])


def test_of_several_scores_one_may_fail():
    y = np.array([0, 1] * 120)
    y[0] = 2  # in one fold only: no probability of it in four
    with pytest.warns(UserWarning, match="'neg_log_loss' failed, and is nan: y_true"):
        found = cross_validate(DecisionTreeClassifier(max_depth=2), X, y, scoring=["neg_log_loss", "accuracy"])
    assert np.isnan(found["test_neg_log_loss"]).any()
    assert np.isfinite(found["test_accuracy"]).all()
    with pytest.raises(ValueError, match="y_true"), pytest.warns(UserWarning, match="less than n_splits=5"):
        cross_validate(
            DecisionTreeClassifier(max_depth=2), X, y, scoring=["neg_log_loss", "accuracy"], error_score="raise"
        )


def test_tables_and_targets_on_a_gpu_are_copied():
    weights = RANDOM.rand(240)
    found = cross_validate(DecisionTreeClassifier(max_depth=3), Cupy(X), Cupy(Y), cv=3, sample_weight=Cupy(weights))
    wanted = cross_validate(DecisionTreeClassifier(max_depth=3), X, Y, cv=3, sample_weight=weights)
    assert np.array_equal(found["test_score"], wanted["test_score"])


def test_regression_and_several_outputs():
    for model in (DecisionTreeRegressor(max_depth=3), DecisionTreeRegressor(criterion="absolute_error", max_depth=3)):
        both = np.column_stack([NUMBERS, X[:, 3]])
        for y in (NUMBERS, both):
            mine, theirs = cross_validate(model, X, y), sk.cross_validate(model, X, y)
            np.testing.assert_array_equal(mine["test_score"], theirs["test_score"])


@pytest.mark.parametrize(
    "model, y", [(GradientBoostingClassifier(), Y), (GradientBoostingRegressor(), NUMBERS)], ids=["classes", "numbers"]
)
def test_boosting_differs_by_its_bins_alone(model, y):
    model.set_params(n_estimators=10, min_samples_leaf=5, random_state=0)
    few = np.clip(np.round(X), -1, 1)  # three values: every fold has them all, and so the same bins
    mine = cross_validate(model, few, y, return_estimator=True, return_indices=True)
    theirs = sk.cross_validate(model, few, y)
    np.testing.assert_array_equal(mine["test_score"], theirs["test_score"])
    shared = OpenedTable(few)
    for fitted, train in zip(mine["estimator"], mine["indices"]["train"]):
        assert fitted.fingerprint_ == model.fit(shared.take(train), y[train]).fingerprint_


def test_models_are_those_of_the_folds_rows():
    result = cross_validate(TREE, X, Y, return_estimator=True, return_indices=True)
    for model, train in zip(result["estimator"], result["indices"]["train"]):
        assert model.fingerprint_ == copy.deepcopy(TREE).fit(X[train], Y[train]).fingerprint_
        assert model.get_params() == TREE.get_params()
    assert not hasattr(TREE, "tree_")


@pytest.mark.parametrize("model", [TREE, LogisticRegression()], ids=["tree", "foreign"])
def test_weights_count_in_fitting_and_in_scores(model):
    mine = cross_validate(model, X, Y, sample_weight=WEIGHT)
    for k, (train, test) in enumerate(sk.StratifiedKFold(5).split(X, Y)):
        fitted = copy.deepcopy(model).fit(X[train], Y[train], sample_weight=WEIGHT[train])
        assert mine["test_score"][k] == fitted.score(X[test], Y[test], sample_weight=WEIGHT[test])
    only_fit = cross_validate(model, X, Y, params={"sample_weight": WEIGHT})
    theirs = sk.cross_validate(model, X, Y, params={"sample_weight": WEIGHT})
    np.testing.assert_array_equal(only_fit["test_score"], theirs["test_score"])


@pytest.mark.parametrize("model", [TREE, KNeighborsClassifier()], ids=["tree", "foreign"])
@pytest.mark.parametrize("method", [True, "predict_proba"])
@pytest.mark.parametrize("cv", [5, "loo", sk.KFold(7, shuffle=True, random_state=0)])
def test_predictions_of_the_rows_held_out(model, method, cv):
    mine = cross_validate(model, X[:60], Y[:60], cv=cv, return_predictions=method).predictions
    name = "predict" if method is True else method
    folds = sk.LeaveOneOut() if cv == "loo" else cv
    theirs = sk.cross_val_predict(model, X[:60], Y[:60], cv=folds, method=name)
    np.testing.assert_array_equal(mine, theirs)


def test_probabilities_of_classes_that_a_fold_lacks():
    y = np.repeat(["a", "b", "c"], 10)
    shares = cross_validate(TREE, X[:30], y, cv=sk.KFold(3), return_predictions="predict_proba").predictions
    assert shares.shape == (30, 3)
    np.testing.assert_array_equal(shares[:10, 0], 0)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_leave_one_out():
    result = cross_validate(TREE, X[:50], Y[:50], cv="loo", return_predictions=True)
    assert result.n_folds == 50
    np.testing.assert_array_equal(result["test_score"], result.predictions == Y[:50])
    theirs = sk.cross_val_score(TREE, X[:50], Y[:50], cv=sk.LeaveOneOut())
    np.testing.assert_array_equal(result["test_score"], theirs)
    errors = cross_validate(DecisionTreeRegressor(), X, NUMBERS, cv="loo", scoring="neg_mean_absolute_error")
    assert errors.mean() < 0
    with pytest.warns(UserWarning, match=r"R\^2 score is not well-defined with less than two samples"):
        assert np.isnan(cross_validate(DecisionTreeRegressor(), X[:9], NUMBERS[:9], cv="loo")["test_score"]).all()


@pytest.mark.parametrize("model", [TREE, GradientBoostingClassifier(n_estimators=3), LogisticRegression()], ids=str)
def test_any_number_of_jobs_gives_the_same(model, monkeypatch):
    monkeypatch.setattr("spinney.evaluate.runs._SMALL", 0)
    alone, together = (cross_validate(model, X, Y, n_jobs=n, return_estimator=True) for n in (None, 2))
    np.testing.assert_array_equal(alone["test_score"], together["test_score"])
    assert [one.get_params() for one in together["estimator"]] == [model.get_params()] * 5


def test_the_table_is_read_once(monkeypatch):
    read = []
    learn = OpenedTable.__init__
    monkeypatch.setattr(OpenedTable, "__init__", lambda self, *rest: (read.append(1), learn(self, *rest))[1])
    monkeypatch.setattr("spinney.data.schema.open_table", lambda X, owner: (read.append(2), opened(X, owner))[1])
    from spinney.data.reading import open_table as opened

    cross_validate(TREE, X, Y, return_train_score=True, return_predictions=True)
    assert read == [1, 2]


def test_a_function_sees_the_rows_as_they_are():
    frame, y = PENGUINS
    seen = []

    def score(model, X, y):
        seen.append(type(X))
        return model.score(X, y)

    result = cross_validate(TREE, frame, y, cv=3, scoring=score)
    assert seen == [pd.DataFrame] * 3
    np.testing.assert_array_equal(result["test_score"], cross_validate(TREE, frame, y, cv=3)["test_score"])


def test_a_function_may_give_several_scores():
    result = cross_validate(TREE, X, Y, scoring=lambda m, X, y: {"one": 1, "size": len(y)})
    assert result.metrics == ["one", "size"]
    assert result["test_size"].tolist() == [48] * 5


def test_summary_and_print():
    result = cross_validate(TREE, X, Y, scoring=["accuracy", "roc_auc"], return_train_score=True)
    assert result.metrics == ["accuracy", "roc_auc"]
    assert result.mean() == result.mean("accuracy") == result["test_accuracy"].mean()
    assert result.std("train_roc_auc") == result["train_roc_auc"].std()
    text = repr(result)
    assert text.startswith("CrossValidation: 5 folds")
    assert f"{result.mean():.4g}" in text
    assert "train roc_auc" in text
    assert "test accuracy" in repr(cross_validate(TREE, X, Y))
    assert "test score" in repr(cross_validate(TREE, X, Y, scoring=lambda m, X, y: 1))
    assert pd.DataFrame(result).shape == (5, 6)
    assert repr(pickle.loads(pickle.dumps(result))) == text
    with pytest.raises(KeyError, match="there is no score 'f1'"):
        result.mean("f1")


def test_progress(capsys):
    cross_validate(TREE, X, Y, verbose=2)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[:2] for line in lines] == [["fold", f"{k}/5"] for k in range(1, 6)]
    assert all("mean accuracy" in line for line in lines)


class FailsOnSome(DecisionTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        if y[:3].sum() == self.max_depth:
            raise RuntimeError("I do not like these rows.")
        return super().fit(X, y)


def test_a_fit_that_fails_has_the_error_score():
    y = np.zeros(30, int)
    y[6:] = 1
    cv = sk.KFold(5)
    model = FailsOnSome(max_depth=3)
    rows = [np.delete(np.arange(30), np.arange(6 * k, 6 * k + 6)) for k in range(5)]
    fails = [y[train][:3].sum() == 3 for train in rows]
    assert any(fails)
    with pytest.warns(FitFailedWarning, match="1 fits failed out of a total of 5(.|\n)*I do not like"):
        result = cross_validate(model, X[:30], y, cv=cv, return_train_score=True)
    np.testing.assert_array_equal(np.isnan(result["test_score"]), fails)
    np.testing.assert_array_equal(np.isnan(result["train_score"]), fails)
    with pytest.warns(FitFailedWarning):
        assert cross_validate(model, X[:30], y, cv=cv, error_score=0)["test_score"].min() == 0
    with pytest.raises(RuntimeError, match="I do not like these rows"):
        cross_validate(model, X[:30], y, cv=cv, error_score="raise")
    with pytest.raises(ValueError, match=r"All the 5 fits failed(.|\n)*max_depth.*must be an int"):
        cross_validate(DecisionTreeClassifier(max_depth=0), X, Y)


@pytest.mark.skipif(PLAIN_PYTHON, reason="threads of compiled code")
def test_an_interrupt_ends_the_threads_of_folds(monkeypatch):
    monkeypatch.setattr("spinney.evaluate.runs._SMALL", 0)

    def stops(model, X, y):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(TREE, X, Y, scoring=stops, n_jobs=2)
    assert not [one for one in threading.enumerate() if one.name.startswith("spinney_job")]
    seen = []

    class Notes(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append((threading.current_thread().name, available_threads(None)))
            return super().fit(X, y)

    monkeypatch.setattr("spinney.evaluate.runs.threads_each", lambda n_jobs, n_fits: 3)
    cross_validate(Notes(), X, Y, n_jobs=2)
    assert {name[:11] for name, _ in seen} == {"spinney_job"}
    assert {n for _, n in seen} <= {1, 2, 3}  # 3, or what the environment allows


def test_interrupts_are_not_errors(capsys):
    def stops(model, X, y):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(TREE, X, Y, scoring=stops, verbose=1)
    assert cross_validate(TREE, X, Y).n_folds == 5


def test_errors():
    for arguments, message in (
        ({"error_score": "ignore"}, "The 'error_score' parameter of cross_validate must be"),
        ({"return_predictions": "transform"}, "return_predictions must name a method of DecisionTreeClassifier"),
        ({"return_predictions": True, "cv": "repeated"}, "row 0 is held out 10 times"),
        ({"sample_weight": WEIGHT[:-1]}, "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            cross_validate(TREE, X, Y, **arguments)
    with pytest.raises(TypeError, match="estimator must be a model with a method fit, got 'tree'"):
        cross_validate("tree", X, Y, scoring="accuracy")
    with pytest.raises(TypeError, match=r"sample_weight is not supported by KNeighborsClassifier\.fit"):
        cross_validate(KNeighborsClassifier(), X, Y, sample_weight=WEIGHT)
