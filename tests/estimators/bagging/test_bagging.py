"""Bagging: against members fitted one by one, the lectures' facts, tables as they come, and every error."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
from scipy.sparse import csc_array, csc_matrix, csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import BaggingClassifier, BaggingRegressor, DecisionTreeClassifier, DecisionTreeRegressor
from spinney.datasets import load_penguins
from tests.compiled import THREADS

IRIS, CANCER, DIABETES = (load(return_X_y=True) for load in (load_iris, load_breast_cancer, load_diabetes))
MOONS = make_moons(500, noise=0.3, random_state=42)
WAYS = {
    "bagging": {},
    "small bags": {"max_samples": 20},
    "pasting": {"bootstrap": False, "max_samples": 0.5},
    "subspaces": {"bootstrap": False, "max_features": 2},
    "columns twice": {"bootstrap_features": True},
    "patches": {"max_samples": 0.6, "max_features": 0.5},
    "partition": {"bootstrap": False, "partition": True},
}


@pytest.mark.slow
@parametrize_with_checks(  # the defaults: see test_checks.py
    [
        BaggingClassifier(GaussianNB(), n_estimators=3, random_state=0),
        BaggingRegressor(LinearRegression(), n_estimators=3, random_state=0),
        BaggingClassifier(max_features=0.5, bootstrap_features=True, n_estimators=3, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# --- members ----------------------------------------------------------------------------------------------------------


class AnyTree(DecisionTreeClassifier):
    """Not known to be our tree: every member reads and sorts its own rows."""


class AnyRegressor(DecisionTreeRegressor):
    """The same for numbers."""


TREES = [
    {},
    {"max_depth": 2, "criterion": "entropy"},
    {"max_features": 2},
    {"splitter": "random", "min_samples_leaf": 0.02},
    {"max_leaf_nodes": 6, "min_weight_fraction_leaf": 0.05},
    {"ccp_alpha": 0.02},
]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_trees_are_those_fitted_alone(tree, way):
    X, y = load_penguins()
    settings = {"n_estimators": 5, "random_state": 0, **way}
    quick = BaggingClassifier(DecisionTreeClassifier(**tree), **settings).fit(X, y)
    slow = BaggingClassifier(AnyTree(**tree), **settings).fit(X, y)
    np.testing.assert_array_equal(quick.predict_proba(X), slow.predict_proba(X))
    assert [one.random_state for one in quick.estimators_] == [one.random_state for one in slow.estimators_]
    for member, alone, columns in zip(quick.estimators_, slow.estimators_, quick.estimators_features_):
        assert vars(member).keys() == vars(alone).keys()
        if len(set(columns)) == len(columns):  # else a frame needs new names
            some = X.iloc[:, columns]
            np.testing.assert_array_equal(member.predict_proba(some), alone.predict_proba(some))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("criterion", ["squared_error", pytest.param("absolute_error", marks=pytest.mark.slow)])
def test_regression_trees_are_those_fitted_alone(criterion, way):
    X, y = DIABETES
    settings = {"n_estimators": 4, "random_state": 0, **way}
    tree = {"criterion": criterion, "max_depth": 4}
    quick, slow = (
        BaggingRegressor(kind(**tree), **settings).fit(X, y) for kind in (DecisionTreeRegressor, AnyRegressor)
    )
    assert [one.fingerprint_ for one in quick.estimators_] == [one.fingerprint_ for one in slow.estimators_]
    np.testing.assert_allclose(quick.predict(X), slow.predict(X), rtol=1e-12)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_against_a_slow_loop(way):
    """Members refitted by hand from what the model says of its draws, and their mean."""
    X, y = IRIS
    model = BaggingClassifier(n_estimators=5, random_state=1, **way).fit(X, y)
    total = np.zeros((len(X), 3))
    for rows, columns, member in zip(model.estimators_samples_, model.estimators_features_, model.estimators_):
        weight = np.bincount(rows, minlength=len(X))
        alone = DecisionTreeClassifier().fit(X[:, columns], y, weight)
        np.testing.assert_array_equal(alone.predict_proba(X[:, columns]), member.predict_proba(X[:, columns]))
        total += alone.predict_proba(X[:, columns])
    np.testing.assert_allclose(model.predict_proba(X), total / 5)
    np.testing.assert_array_equal(model.predict(X), total.argmax(axis=1))


@pytest.mark.parametrize(
    "estimator",
    [GaussianNB(), KNeighborsClassifier(), RidgeClassifier(), make_pipeline(StandardScaler(), GaussianNB())],
)
@pytest.mark.parametrize("way", [WAYS["bagging"], WAYS["patches"]], ids=["bagging", "patches"])
def test_any_classifier_against_a_slow_loop(estimator, way):
    """Weights and repeated rows are the same to these models."""
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])
    model = BaggingClassifier(estimator, n_estimators=5, random_state=1, **way).fit(X, names[y])
    total = np.zeros((len(X), 3))
    for rows, columns in zip(model.estimators_samples_, model.estimators_features_):
        alone = clone(estimator).fit(X[np.ix_(rows, columns)], y[rows])
        if hasattr(alone, "predict_proba"):
            total += alone.predict_proba(X[:, columns])
        else:
            total += np.eye(3)[alone.predict(X[:, columns])]
    np.testing.assert_allclose(model.predict_proba(X), total / 5, atol=1e-9)
    assert model.estimators_[0].classes_.tolist() == names.tolist()
    assert set(model.predict(X)) == set(names)


def test_any_regressor_and_several_outputs():
    X, y = DIABETES
    Y = np.column_stack([y, -2 * y])
    model = BaggingRegressor(LinearRegression(), n_estimators=4, random_state=0, oob_score=True).fit(X, Y)
    alone = [LinearRegression().fit(X[rows], Y[rows]).predict(X) for rows in model.estimators_samples_]
    np.testing.assert_allclose(model.predict(X), np.mean(alone, axis=0))
    assert model.predict(X).shape == model.oob_prediction_.shape == Y.shape
    ours = BaggingRegressor(n_estimators=4, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X)[:, 1], -2 * ours.predict(X)[:, 0])


def test_several_outputs_of_classes():
    X, y = IRIS
    Y = np.column_stack([y, y == 1])
    model = BaggingClassifier(n_estimators=5, random_state=0, oob_score=True, max_features=0.5).fit(X, Y)
    assert [one.shape for one in model.predict_proba(X)] == [(150, 3), (150, 2)]
    assert model.predict(X).shape == (150, 2)
    assert [one.shape for one in model.oob_decision_function_] == [(150, 3), (150, 2)]
    assert model.estimators_[0].predict(X[:, model.estimators_features_[0]]).shape == (150, 2)
    assert 0.85 < model.oob_score_ <= 1.0


def test_decision_function_is_the_mean():
    X, y = CANCER
    model = BaggingClassifier(RidgeClassifier(), n_estimators=4, random_state=0).fit(X, y)
    mean = np.mean([member.decision_function(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.decision_function(X), mean)
    assert not hasattr(BaggingClassifier(), "decision_function")


def test_a_class_that_was_not_drawn_is_known_to_members_that_take_weights():
    X, y = MOONS
    rare = np.where(np.arange(len(y)) < 3, "rare", np.where(y == 1, "one", "zero"))
    model = BaggingClassifier(LogisticRegression(), n_estimators=8, max_samples=3, random_state=0).fit(X, rare)
    assert all(len(member.classes_) == 3 for member in model.estimators_)
    assert any(len(set(rare[rows])) == 1 for rows in model.estimators_samples_)  # which it could not learn from


def test_the_store_and_what_comes_of_it():
    X, y = IRIS
    model = BaggingClassifier(n_estimators=6, max_features=2, random_state=0).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    leaves = model.apply(X)
    paths, first = model.decision_path(X)
    assert leaves.shape == (150, 6)
    for k, (member, columns) in enumerate(zip(model, model.estimators_features_)):
        np.testing.assert_array_equal(leaves[:, k], member.apply(X[:, columns]))
        np.testing.assert_array_equal(
            paths[:, first[k] : first[k + 1]].toarray(), member.decision_path(X[:, columns]).toarray()
        )
    assert len(model) == 6
    assert model[2] is model.estimators_[2]
    other = BaggingClassifier(GaussianNB()).fit(X, y)
    for name in ("apply", "decision_path", "feature_importances_", "fingerprint_"):
        assert not hasattr(other, name)


# --- what the lectures say --------------------------------------------------------------------------------------------


def test_a_bootstrap_holds_63_percent_of_the_rows():
    X = np.arange(1000.0)[:, None]
    model = BaggingRegressor(DecisionTreeRegressor(max_depth=1), n_estimators=100, random_state=0).fit(X, X[:, 0])
    held = np.mean([len(set(rows.tolist())) for rows in model.estimators_samples_]) / 1000
    assert held == pytest.approx(1 - 0.367695, abs=0.004)


def test_subspaces_and_patches_use_only_their_columns():
    X, y = CANCER
    subspaces = BaggingClassifier(n_estimators=8, bootstrap=False, max_features=5, random_state=0).fit(X, y)
    patches = BaggingClassifier(n_estimators=8, max_samples=100, max_features=0.2, random_state=0).fit(X, y)
    for model, n_columns in ((subspaces, 5), (patches, 6)):
        for k, columns in enumerate(model.estimators_features_):
            assert len(columns) == n_columns
            assert model.forest_.tree(k).columns_asked <= set(columns.tolist())
            assert model.estimators_[k].n_features_in_ == n_columns
    assert all((rows == np.arange(len(y))).all() for rows in subspaces.estimators_samples_)
    assert all(len(rows) == 100 for rows in patches.estimators_samples_)


@pytest.mark.slow
def test_disjoint_parts_are_worse_than_bagging():
    def accuracy(**way):
        scores = []
        for seed in range(3):
            X, y = make_moons(5500, noise=0.3, random_state=seed)
            model = BaggingClassifier(n_estimators=50, random_state=seed, **way).fit(X[:500], y[:500])
            alone = np.mean([member.score(X[500:], y[500:]) for member in model.estimators_[:10]])
            scores.append((model.score(X[500:], y[500:]), alone))
        return np.mean(scores, axis=0)

    parts, part = accuracy(bootstrap=False, partition=True)
    bagging, bag = accuracy()
    pasting, _ = accuracy(bootstrap=False, max_samples=0.632)
    assert parts + 0.02 < min(pasting, bagging)
    assert part + 0.05 < bag  # a tree of ten rows knows little


def test_many_trees_are_better_than_one():
    X, y = make_moons(5500, noise=0.3, random_state=1)
    model = BaggingClassifier(n_estimators=50, random_state=0).fit(X[:500], y[:500])
    alone = DecisionTreeClassifier().fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > alone.score(X[500:], y[500:]) + 0.01


# --- out of bag -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["bagging", "pasting", "patches", "partition"])
@pytest.mark.parametrize("estimator", [None, GaussianNB(), RidgeClassifier()])
def test_rows_are_judged_by_members_that_have_not_seen_them(estimator, way):
    X, y = IRIS
    model = BaggingClassifier(estimator, n_estimators=25, oob_score=True, random_state=0, **WAYS[way]).fit(X, y)
    total, n = np.zeros((len(X), 3)), np.zeros(len(X))
    for rows, columns, member in zip(model.estimators_samples_, model.estimators_features_, model.estimators_):
        unseen = np.array(sorted(set(range(len(X))) - set(rows.tolist())))
        some = X[np.ix_(unseen, columns)]
        known = hasattr(member, "predict_proba")
        total[unseen] += member.predict_proba(some) if known else np.eye(3)[member.predict(some)]
        n[unseen] += 1
    assert (n > 0).all()
    np.testing.assert_allclose(model.oob_decision_function_, total / n[:, None])
    assert model.oob_score_ == np.mean(total.argmax(axis=1) == y)


def test_numbers_out_of_bag():
    X, y = DIABETES
    model = BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    n = np.sum([~np.isin(np.arange(len(y)), rows) for rows in model.estimators_samples_], axis=0)
    total = sum(
        np.where(np.isin(np.arange(len(y)), rows), 0.0, member.predict(X))
        for rows, member in zip(model.estimators_samples_, model.estimators_)
    )
    np.testing.assert_allclose(model.oob_prediction_, total / n)
    assert model.oob_score_ == pytest.approx(1 - np.sum((y - total / n) ** 2) / np.sum((y - y.mean()) ** 2))
    mine = BaggingRegressor(n_estimators=30, random_state=0, oob_score=lambda a, b: float(np.abs(a - b).max())).fit(
        X, y
    )
    assert mine.oob_score_ == pytest.approx(np.abs(y - total / n).max())


def test_rows_that_all_members_have_seen_are_left_out():
    X, y = IRIS
    with pytest.warns(UserWarning, match="rows are in the sample of every member. Their out-of-bag"):
        model = BaggingClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    known = ~np.isnan(model.oob_decision_function_).any(axis=1)
    assert 0 < known.sum() < len(y)
    assert model.oob_score_ == np.mean(model.oob_decision_function_[known].argmax(axis=1) == y[known])


def test_out_of_bag_is_close_to_scikit_learns():
    X, y = CANCER
    mine, theirs = (
        kind(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
        for kind in (BaggingClassifier, sklearn.ensemble.BaggingClassifier)
    )
    assert mine.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.02)


# --- weights ----------------------------------------------------------------------------------------------------------

MEMBERS = [None, DecisionTreeClassifier(splitter="random"), RidgeClassifier(), NearestCentroid()]  # two take weights


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("estimator", MEMBERS)
def test_whole_weights_are_repetitions_and_the_order_of_rows_does_not_matter(estimator, way):
    X, y = IRIS
    random = np.random.RandomState(0)
    weight, mixed = random.randint(0, 4, len(y)), random.permutation(len(y))
    settings = {"n_estimators": 4, "random_state": 0, **way}
    one = BaggingClassifier(estimator, **settings).fit(X, y, weight)
    rows = np.repeat(mixed, weight[mixed])
    other = BaggingClassifier(estimator, **settings).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-9)
    assert all((weight[rows] > 0).all() for rows in one.estimators_samples_)


def test_other_weights_are_chances():
    X, y = IRIS
    weight = np.where(y == 0, 0.5, 2.5)
    model = BaggingClassifier(n_estimators=60, random_state=0).fit(X, y, weight)
    share = np.mean([np.mean(y[rows] == 0) for rows in model.estimators_samples_])
    assert share == pytest.approx(0.5 / 5.5, abs=0.01)
    pasting = BaggingClassifier(n_estimators=60, bootstrap=False, max_samples=15, random_state=0).fit(X, y, weight)
    assert 0.05 < np.mean([np.mean(y[rows] == 0) for rows in pasting.estimators_samples_]) < 0.15


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_strings_and_missing_values(way):
    X, y = load_penguins()
    model = BaggingClassifier(n_estimators=10, random_state=0, **way).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.feature_names_in_.tolist() == list(X.columns)
    other = clone(model).fit(pl.from_pandas(X), y.to_numpy())
    assert other.fingerprint_ == model.fingerprint_
    assert (other.predict(pl.from_pandas(X)) == model.predict(X)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])


class Reader(ClassifierMixin, BaseEstimator):
    """Takes any frame and remembers its names."""

    def fit(self, X, y):
        self.classes_, self.names_, self.kind_ = np.unique(y), list(X.columns), type(X)
        return self

    def predict(self, X):
        assert list(X.columns) == self.names_
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("way", [{}, {"max_features": 2}, {"bootstrap_features": True}], ids=str)
def test_members_get_frames_as_they_come(make, way):
    X = make({"when": pd.date_range("2024-01-01", periods=9).to_numpy(), "word": ["u", None, "v"] * 3, "x": [1.0] * 9})
    model = BaggingClassifier(Reader(), n_estimators=4, random_state=0, oob_score=True, **way)
    model.fit(X, ["a", "b", "b"] * 3)
    assert all(member.kind_ is type(X) for member in model.estimators_)
    assert set(model.predict(X)) <= {"a", "b"}


def test_sparse_matrices():
    X, y = IRIS
    X = np.where(X > 3, X, 0.0)
    settings = {"n_estimators": 5, "random_state": 0, "max_features": 3}
    model = BaggingClassifier(LogisticRegression(max_iter=500), **settings).fit(csr_matrix(X), y)
    assert model.predict(csr_matrix(X)).shape == (150,)
    assert model.score(csr_matrix(X), y) > 0.8
    mixed = np.random.RandomState(0).permutation(150)
    other = clone(model).fit(csr_matrix(X[mixed]), y[mixed])
    np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-3)
    with pytest.raises(ValueError, match="X has 2 features, but BaggingClassifier is expecting 4"):
        model.predict(csr_matrix(X[:, :2]))


def test_members_that_read_lists():
    model = BaggingRegressor(KNeighborsRegressor(1), n_estimators=3, random_state=0).fit([[0], [1], [2]], [0, 1, 2])
    assert model.predict([[0]]).shape == (1,)


# --- threads, warm starts, interruptions ------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_same_model_for_any_number_of_threads(way):
    X, y = CANCER
    for kind in (BaggingClassifier, BaggingRegressor):
        models = [kind(n_estimators=5, n_jobs=n, random_state=3, **way).fit(X, y) for n in (*THREADS, None)]
        assert len({model.fingerprint_ for model in models}) == 1
        assert len({model.predict(X).tobytes() for model in models}) == 1
    assert BaggingRegressor(random_state=4, **way).fit(X, y).fingerprint_ != models[0].fingerprint_


def test_same_members_of_any_kind_for_any_number_of_threads():
    X, y = IRIS
    models = [BaggingClassifier(AnyTree(), n_jobs=n, random_state=3, max_features=2).fit(X, y) for n in THREADS]
    assert len({model.fingerprint_ for model in models}) == 1


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
@pytest.mark.parametrize("way", ["bagging", "pasting", "patches"])
def test_warm_start_adds_members(estimator, way):
    X, y = IRIS
    whole = BaggingClassifier(estimator, n_estimators=25, random_state=0, oob_score=True, **WAYS[way]).fit(X, y)
    model = clone(whole).set_params(n_estimators=15, warm_start=True).fit(X, y)
    first = model.estimators_[0]
    model.set_params(n_estimators=25).fit(X, y)
    assert len(model) == len(model.estimators_) == 25
    assert estimator is None or model.estimators_[0] is first
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert model.oob_score_ == whole.oob_score_
    assert all((a == b).all() for a, b in zip(model.estimators_samples_, whole.estimators_samples_))
    before = model.predict_proba(X)
    with pytest.warns(UserWarning, match="does not fit new members"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_out_of_bag_asked_for_after_the_fit(estimator):
    X, y = IRIS
    at_once = BaggingClassifier(estimator, n_estimators=25, random_state=0, oob_score=True).fit(X, y)
    model = BaggingClassifier(estimator, n_estimators=25, random_state=0, warm_start=True).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new members"):
        model.set_params(oob_score=True).fit(X, y)
    assert model.oob_score_ == at_once.oob_score_
    assert len(model) == len(model.estimators_) == 25


class Notes(ClassifierMixin, BaseEstimator):
    """A member that notes what it is given; its `fit` returns nothing."""

    def fit(self, X, y):
        self.got_, self.classes_ = type(X), np.unique(y)

    def predict(self, X):
        return np.repeat(self.classes_[:1], X.shape[0])


@pytest.mark.parametrize("container", [csr_matrix, csc_matrix, csc_array])
def test_members_get_sparse_tables_in_their_format(container):
    model = BaggingClassifier(Notes(), n_estimators=3, max_features=2, random_state=0).fit(container(IRIS[0]), IRIS[1])
    assert [one.got_ for one in model.estimators_] == [container] * 3
    assert model.predict(container(IRIS[0])).shape == (150,)


def test_warm_start_with_other_rows_knows_who_saw_what():
    X, y = IRIS
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    rows = model.estimators_samples_
    model.set_params(n_estimators=5).fit(X[::2], y[::2])
    assert all((a == b).all() for a, b in zip(model.estimators_samples_, rows))
    assert max(map(np.max, model.estimators_samples_[3:])) < 75


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_an_interrupted_fit_leaves_the_old_model(estimator):
    X, y = IRIS
    model = BaggingClassifier(estimator, n_estimators=4, random_state=0).fit(X, y)
    before, members = model.predict_proba(X), model.estimators_

    def interrupt(truth, guess):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=15, oob_score=interrupt).fit(X[:, :3], np.where(y == 0, "a", "b"))
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.estimators_ is members
    assert len(model) == 4
    assert model.n_features_in_ == 4


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_a_pickle_is_the_model(estimator):
    X, y = IRIS
    model = BaggingClassifier(estimator, n_estimators=4, max_features=2, random_state=0).fit(X, y)
    assert len(model.estimators_) == 4
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert len(other.estimators_) == 4


def test_verbose(capsys):
    X, y = IRIS
    BaggingClassifier(GaussianNB(), n_estimators=2, verbose=1).fit(X, y)
    assert re.fullmatch(r"(\d: fit, [\d.]+ s\n){2}", capsys.readouterr().out)
    BaggingClassifier(n_estimators=2, verbose=2).fit(X, y)
    said = capsys.readouterr()
    assert "2/2" in said.out + said.err


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [BaggingClassifier, BaggingRegressor])
def test_parameters_and_defaults_are_scikit_learns(kind):
    mine, theirs = kind().get_params(), getattr(sklearn.ensemble, kind.__name__)().get_params()
    assert {name: mine[name] for name in theirs} == theirs
    assert set(mine) - set(theirs) <= {"partition", "voting"}


def test_shares_are_counted_as_meant():
    X, y = np.arange(100.0)[:, None], np.arange(100.0)
    model = BaggingRegressor(n_estimators=1, max_samples=0.29).fit(X, y)
    assert len(model.estimators_samples_[0]) == 29
    assert len(BaggingRegressor(n_estimators=1, max_samples=300).fit(X, y).estimators_samples_[0]) == 300


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"n_estimators": 0}, "The 'n_estimators' parameter of BaggingClassifier must be an int in the range [1, inf)"),
        ({"max_samples": 0.0}, "The 'max_samples' parameter of BaggingClassifier must be None, an int in the range"),
        ({"max_features": 1.5}, "The 'max_features' parameter of BaggingClassifier must be an int in the range"),
        ({"partition": 3}, "The 'partition' parameter of BaggingClassifier must be an instance of 'bool'"),
        ({"estimator": "tree"}, "The 'estimator' parameter of BaggingClassifier must be an object implementing 'fit'"),
        ({"estimator": LinearRegression()}, "estimator must be a classifier, got LinearRegression."),
        ({"estimator": DecisionTreeClassifier(max_depth=0)}, "The 'max_depth' parameter of DecisionTreeClassifier"),
        (
            {"max_samples": 151, "bootstrap": False},
            "max_samples must be at most the number of rows, 150, to sample without replacement, got 151.",
        ),
        (
            {"oob_score": True, "bootstrap": False},
            "oob_score=True needs samples that leave rows out. Set bootstrap=True, or max_samples to fewer rows.",
        ),
        (
            {"oob_score": True, "bootstrap": False, "partition": True, "n_estimators": 1},
            "oob_score=True needs samples that leave rows out. Set bootstrap=True, or max_samples to fewer rows.",
        ),
        (
            {"partition": True},
            "partition=True needs bootstrap=False: the parts are disjoint, no row is sampled twice.",
        ),
        (
            {"partition": True, "bootstrap": False, "max_samples": 0.5},
            "partition=True needs max_samples=None: the parts hold all rows, got 0.5.",
        ),
        (
            {"partition": True, "bootstrap": False, "n_estimators": 151},
            "partition=True needs a row for each part: n_estimators must be at most 150, got 151.",
        ),
    ],
)
def test_errors_name_the_parameter(settings, message):
    model = BaggingClassifier(**settings)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(*IRIS)
    with pytest.raises(NotFittedError):
        model.predict(IRIS[0])


def test_a_regressor_wants_regressors():
    with pytest.raises(ValueError, match="estimator must be a regressor, got GaussianNB"):
        BaggingRegressor(GaussianNB()).fit(*DIABETES)


def test_parts_take_no_chances():
    X, y = IRIS
    with pytest.raises(ValueError, match="partition=True supports only integer sample_weight up to 127"):
        BaggingClassifier(bootstrap=False, partition=True).fit(X, y, np.full(150, 0.5))


@pytest.mark.parametrize(
    "change, data, message",
    [
        ({"n_estimators": 2}, IRIS, "with warm_start=True n_estimators must not fall: it was 3 and is 2."),
        ({"n_estimators": 5}, (IRIS[0][:, :2], IRIS[1]), "with warm_start=True X, y and estimator must have the same"),
        ({"n_estimators": 5}, (IRIS[0], IRIS[1] == 1), "with warm_start=True X, y and estimator must have the same"),
        (
            {"n_estimators": 5, "estimator": GaussianNB()},
            IRIS,
            "X, y and estimator must have the same columns, classes and kind as in the previous fit.",
        ),
        (
            {"n_estimators": 25, "oob_score": True},
            (IRIS[0][:149], IRIS[1][:149]),
            "oob_score with warm_start=True needs the rows of the previous fit, but X or y has changed.",
        ),
        (
            {"n_estimators": 5, "partition": True, "bootstrap": False},
            IRIS,
            "partition=True needs warm_start=False: more members would need smaller parts.",
        ),
    ],
)
def test_errors_of_warm_starts(change, data, message):
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(*IRIS)
    before = model.predict_proba(IRIS[0])
    with pytest.raises(ValueError, match=re.escape(message)):
        model.set_params(**change).fit(*data)
    model.set_params(estimator=None)
    np.testing.assert_array_equal(model.predict_proba(IRIS[0]), before)


def test_an_error_says_which_member_it_was():
    X, y = CANCER
    X = np.where(X > 100, np.nan, X)
    with pytest.raises(ValueError, match="member '0' failed in fit: Input X contains NaN"):
        BaggingClassifier(GaussianNB(), n_estimators=2, n_jobs=1).fit(X, y)


def test_decision_functions_need_all_classes():
    X, y = IRIS

    class Forgetful(RidgeClassifier):
        def fit(self, X, y):
            return super().fit(X, y)

    model = BaggingClassifier(Forgetful(), n_estimators=8, max_samples=4, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="decision_function needs members that know all classes, and member"):
        model.decision_function(X)
