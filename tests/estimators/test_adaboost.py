"""AdaBoost: scikit-learn's numbers and checks, tables as they come, and what is new here."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as TheirTree
from sklearn.tree import DecisionTreeRegressor as TheirRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import AdaBoostClassifier, AdaBoostRegressor, DecisionTreeClassifier, DecisionTreeRegressor
from spinney.datasets import load_penguins
from spinney.ensemble.adaboost import R2, boost, weighted_median

IRIS, CANCER = load_iris(return_X_y=True), load_breast_cancer(return_X_y=True)
ALGORITHMS = ["SAMME", "SAMME.R", "discrete"]


@pytest.mark.slow
@parametrize_with_checks(  # the defaults: see test_checks.py
    [AdaBoostClassifier(reweight="resample"), AdaBoostClassifier(algorithm="SAMME.R")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_members_may_take_arrays_of_three_dimensions():
    X, y = np.zeros((51, 3, 2)), np.arange(51) % 3 == 0
    for reweight in (True, "resample"):
        model = AdaBoostClassifier(DummyClassifier(), reweight=reweight, random_state=0).fit(X, y)
        assert model.predict(X).tolist() == [False] * 51
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="X has 4 features, but AdaBoostClassifier is expecting 3 features"):
        model.predict(np.zeros((2, 4, 2)))
    with pytest.raises(ValueError, match="dim 3"):
        AdaBoostClassifier().fit(X, y)


# --- scikit-learn's numbers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
@pytest.mark.parametrize("estimator", [None, TheirTree(max_depth=1), TheirTree(max_depth=2), GaussianNB()])
@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
def test_samme_is_scikit_learns(data, estimator, learning_rate):
    X, y = data
    settings = {"n_estimators": 8, "learning_rate": learning_rate, "random_state": 0}
    mine = AdaBoostClassifier(estimator, **settings).fit(X, y)
    theirs = sklearn.ensemble.AdaBoostClassifier(estimator, **settings).fit(X, y)
    n = len(theirs.estimators_)
    assert len(mine.estimators_) == n
    np.testing.assert_allclose(mine.estimator_errors_, theirs.estimator_errors_[:n], rtol=1e-9)
    np.testing.assert_allclose(mine.estimator_weights_, theirs.estimator_weights_[:n], rtol=1e-9)
    np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(mine.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9)
    assert (mine.predict(X) == theirs.predict(X)).all()
    for name in ("staged_predict_proba", "staged_decision_function"):
        for one, other in zip(getattr(mine, name)(X), getattr(theirs, name)(X), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
    assert list(mine.staged_score(X, y)) == pytest.approx(list(theirs.staged_score(X, y)))
    if data is CANCER and isinstance(estimator, TheirTree):  # iris has columns that split equally well
        np.testing.assert_allclose(mine.feature_importances_, theirs.feature_importances_, atol=1e-9)


def test_first_weights():
    X, y = CANCER
    weight = np.random.RandomState(0).rand(len(y)) * (np.arange(len(y)) % 5 > 0)
    mine = AdaBoostClassifier(n_estimators=5).fit(X, y, weight)
    theirs = sklearn.ensemble.AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(mine.estimator_errors_, theirs.estimator_errors_, rtol=1e-6)


def plain_samme_r(X, y, n_rounds, n_classes):
    """SAMME.R, line by line from the paper; sums of the members' says."""
    weights, total = np.full(len(y), 1 / len(y)), 0
    coding = np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0 / (n_classes - 1))
    for _ in range(n_rounds):
        member = TheirTree(max_depth=1, random_state=0).fit(X, y, weights)
        log_p = np.log(np.maximum(member.predict_proba(X), np.finfo(float).eps))
        weights = weights * np.exp(-(n_classes - 1) / n_classes * (coding * log_p).sum(axis=1))
        weights = np.maximum(weights / weights.sum(), np.finfo(float).eps)
        total = total + (n_classes - 1) * (log_p - log_p.mean(axis=1, keepdims=True))
    return total / n_rounds


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_samme_r_is_the_papers(data):
    X, y = data
    n_classes = len(np.unique(y))
    model = AdaBoostClassifier(TheirTree(max_depth=1), n_estimators=6, algorithm="SAMME.R", random_state=1).fit(X, y)
    wanted = plain_samme_r(X, y, 6, n_classes)
    wanted = wanted[:, 1] - wanted[:, 0] if n_classes == 2 else wanted
    np.testing.assert_allclose(model.decision_function(X), wanted, rtol=1e-6, atol=1e-9)
    assert model.score(X, y) > 0.93


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_r2_on_the_same_bootstraps_is_scikit_learns(loss):
    X, y = load_diabetes(return_X_y=True)
    theirs = sklearn.ensemble.AdaBoostRegressor(n_estimators=6, loss=loss, random_state=0).fit(X, y)
    random = np.random.RandomState(0)

    def fit_member(weights, number):
        member = TheirRegressor(max_depth=3, random_state=random.randint(np.iinfo(np.int32).max))
        rows = random.choice(np.arange(len(y)), size=len(y), p=weights)
        member.fit(X[rows], y[rows])
        return member, member.predict(X)

    mine = boost(fit_member, R2(y, loss), np.ones(len(y)), 6)
    n = len(theirs.estimators_)
    np.testing.assert_allclose(mine.errors, theirs.estimator_errors_[:n], rtol=1e-9)
    np.testing.assert_allclose(mine.votes, theirs.estimator_weights_[:n], rtol=1e-9)
    predicted = np.column_stack([member.predict(X) for member in mine.members])
    np.testing.assert_allclose(weighted_median(predicted, mine.votes), theirs.predict(X))
    ours = AdaBoostRegressor(n_estimators=6, loss=loss, random_state=0).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.06)
    np.testing.assert_array_equal(list(ours.staged_predict(X))[-1], ours.predict(X))


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [{"algorithm": "SAMME"}, {"algorithm": "SAMME.R", "learning_rate": 0.5}, {"reweight": "resample"}]
)
def test_strings_and_missing_values(settings):
    X, y = load_penguins()
    model = AdaBoostClassifier(n_estimators=25, random_state=0, **settings).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.feature_names_in_.tolist() == list(X.columns)
    other = clone(model).fit(pl.from_pandas(X), y.to_numpy())
    assert other.fingerprint_ == model.fingerprint_
    assert (other.predict(pl.from_pandas(X)) == model.predict(X)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])


def test_numbers_from_a_table_with_strings():
    X, _ = load_penguins()
    rows = X["body_mass_g"].notna()
    X, y = X[rows], X.loc[rows, "body_mass_g"]
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X.drop(columns="body_mass_g"), y)
    assert model.score(X.drop(columns="body_mass_g"), y) > 0.75


# --- what is new here -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_weights_are_kept_on_request(algorithm):
    X, y = make_moons(80, noise=0.3, random_state=0)
    model = AdaBoostClassifier(n_estimators=6, algorithm=algorithm, keep_weights=True).fit(X, y)
    history = model.sample_weight_history_
    assert history.shape == (7, 80)
    np.testing.assert_allclose(history.sum(axis=1), 1.0)
    wrong = model.estimators_[0].predict(X) != y
    assert history[0, wrong].sum() == pytest.approx(model.estimator_errors_[0])
    if algorithm != "SAMME.R":  # then the wrong rows have half of the weight
        assert history[1, wrong].sum() == pytest.approx(0.5)
    assert clone(model).set_params(keep_weights=False).fit(X, y).sample_weight_history_ is None


def test_two_classes_two_forms():
    """With two classes SAMME is the discrete form with votes twice as large."""
    X, y = make_moons(80, noise=0.3, random_state=0)
    one, other = (AdaBoostClassifier(n_estimators=6, algorithm=name).fit(X, y) for name in ("discrete", "SAMME"))
    np.testing.assert_allclose(2 * one.estimator_weights_, other.estimator_weights_)
    assert (one.predict(X) == other.predict(X)).all()
    np.testing.assert_allclose(one.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * one.decision_function(X))))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("reweight", [True, "resample"])
def test_same_model_for_any_number_of_threads(algorithm, reweight):
    X, y = make_moons(80, noise=0.3, random_state=0)
    settings = {"algorithm": algorithm, "reweight": reweight, "n_estimators": 5, "random_state": 3}
    models = [AdaBoostClassifier(n_jobs=n, **settings).fit(X, y) for n in (1, 2)]
    assert models[0].fingerprint_ == models[1].fingerprint_
    other = AdaBoostClassifier(**{**settings, "random_state": 4}).fit(X, y)
    assert (other.fingerprint_ == models[0].fingerprint_) == (reweight is True)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_same_model_of_many_rows_for_any_number_of_threads(algorithm):
    """Large enough for a team and for blocks (grow/exact/stumps.py)."""
    X, y = make_moons(20_000, noise=0.4, random_state=0)
    models = [AdaBoostClassifier(n_jobs=n, algorithm=algorithm, n_estimators=5).fit(X, y) for n in (1, 2, 5)]
    assert len({model.fingerprint_ for model in models}) == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weighted", [None, "repeats", "importances"])
def test_stumps_judged_by_leaf_are_those_judged_by_row(algorithm, weighted):
    """`keep_weights` asks for the weights of all rows, which are otherwise changed where stumps are grown."""
    X, y = make_moons(9000, noise=0.4, random_state=0)
    X[::7, 0] = np.nan
    random = np.random.RandomState(0)
    weight = {None: None, "repeats": random.randint(1, 5, 9000), "importances": random.rand(9000) + 0.01}[weighted]
    stump = DecisionTreeClassifier(max_depth=1, min_weight_fraction_leaf=0.2, criterion="entropy")
    for estimator in (None, stump):
        model = AdaBoostClassifier(estimator, algorithm=algorithm, n_estimators=6, on_weak="flip", learning_rate=0.7)
        one, other = (clone(model).set_params(keep_weights=keep).fit(X, y, weight) for keep in (False, True))
        assert one.fingerprint_ == other.fingerprint_
        np.testing.assert_array_equal(one.estimator_errors_, other.estimator_errors_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_whole_weights_are_repetitions_bit_for_bit(algorithm):
    X, y = make_moons(90, noise=0.4, random_state=0)
    mixed = np.random.RandomState(0).permutation(90)
    weight = np.random.RandomState(1).randint(0, 4, 90)
    model = AdaBoostClassifier(algorithm=algorithm, n_estimators=20)
    one = clone(model).fit(X, y, weight)
    other = clone(model).fit(X[mixed].repeat(weight[mixed], axis=0), y[mixed].repeat(weight[mixed]))
    np.testing.assert_array_equal(one.estimator_errors_, other.estimator_errors_)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


# --- one table for all rounds -----------------------------------------------------------------------------------------


class AnyTree(DecisionTreeClassifier):
    """Not known to be our tree: the table is read and sorted in every round."""


class AnyRegressor(DecisionTreeRegressor):
    """The same for numbers."""


TREES = [
    {"max_depth": 1},
    {"max_depth": 1, "criterion": "error"},
    {"max_depth": 3, "criterion": "entropy", "min_samples_leaf": 3},
    {"max_leaf_nodes": 5, "max_features": "sqrt"},
    {"max_depth": 2, "splitter": "random"},
    {"max_depth": 4, "ccp_alpha": 0.01},
    {"max_depth": 2, "max_bins": 6},
    {"max_depth": 2, "class_weight": "balanced"},
    {"max_depth": 3, "n_iter_no_change": 2},
]


@pytest.mark.parametrize("algorithm", ["SAMME", "SAMME.R"])
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_members_are_those_fitted_alone(tree, algorithm):
    X, y = load_penguins()
    settings = {"n_estimators": 6, "algorithm": algorithm, "random_state": 0}
    weight = np.random.RandomState(0).rand(len(y)) * (np.arange(len(y)) % 7 > 0)
    for weights in (None, weight):
        models = [
            AdaBoostClassifier(one, **settings).fit(X, y, weights)
            for one in (DecisionTreeClassifier(**tree), AnyTree(**tree))
        ]
        assert models[0].fingerprint_ == models[1].fingerprint_
        member, alone = models[0].estimators_[-1], models[1].estimators_[-1]
        assert vars(member).keys() == vars(alone).keys()
        assert member.get_params() == alone.get_params()
        np.testing.assert_array_equal(member.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize("n_rows", [300, 20_000])
def test_two_classes_with_missing_values(n_rows):
    X, y = make_moons(n_rows, noise=0.4, random_state=0)
    X[np.random.RandomState(0).rand(*X.shape) < 0.2] = np.nan
    models = [
        AdaBoostClassifier(one(max_depth=1), n_estimators=5).fit(X, y) for one in (DecisionTreeClassifier, AnyTree)
    ]
    assert models[0].fingerprint_ == models[1].fingerprint_


@pytest.mark.parametrize("depth", [1, 3])
def test_bootstraps_are_counts(depth):
    """A bootstrap of the rows, or the rows with so many repetitions: the same trees, but for the number of rows."""
    X, y = load_penguins()
    settings = {"reweight": "resample", "n_estimators": 6, "random_state": 0}
    models = [
        AdaBoostClassifier(one(max_depth=depth), **settings).fit(X, y) for one in (DecisionTreeClassifier, AnyTree)
    ]
    np.testing.assert_array_equal(models[0].estimator_errors_, models[1].estimator_errors_)
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))
    X, y = load_diabetes(return_X_y=True)
    for criterion in ("squared_error", "absolute_error"):
        trees = [one(max_depth=depth, criterion=criterion) for one in (DecisionTreeRegressor, AnyRegressor)]
        models = [AdaBoostRegressor(one, n_estimators=6, random_state=0).fit(X, y) for one in trees]
        np.testing.assert_allclose(models[0].predict(X), models[1].predict(X), rtol=1e-9)


def test_the_table_is_read_and_sorted_once(monkeypatch):
    import spinney.estimators.trees.reweighted as series
    from spinney.data.tables import Table

    calls = []
    for module, name in ((series, "read_training"), (Table, "sorted")):
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, _f=plain, _n=name, **k: (calls.append(_n), _f(*a, **k))[1])
    X, y = make_moons(200, noise=0.3, random_state=0)
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10).fit(X, y)
    assert calls == ["read_training", "sorted"]


@pytest.mark.parametrize("kind", [AdaBoostRegressor, AdaBoostClassifier])
def test_bootstraps_do_not_depend_on_the_order_of_rows(kind):
    X, y = make_moons(60, noise=0.3, random_state=0)
    more = {"reweight": "resample"} if kind is AdaBoostClassifier else {}
    model = kind(n_estimators=4, random_state=0, **more)
    mixed = np.random.RandomState(0).permutation(60)
    weight = np.random.RandomState(1).randint(0, 4, 60)
    first = clone(model).fit(X, y, weight)
    second = clone(model).fit(X[mixed].repeat(weight[mixed], axis=0), y[mixed].repeat(weight[mixed]))
    assert (first.predict(X) == second.predict(X)).all()
    np.testing.assert_allclose(first.estimator_weights_, second.estimator_weights_)
    assert first.fingerprint_ == clone(model).fit(X[mixed], y[mixed], weight[mixed]).fingerprint_


def test_members_without_weights():
    X, y = IRIS
    with pytest.raises(ValueError, match="KNeighborsClassifier doesn't support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier(3)).fit(X, y)
    model = AdaBoostClassifier(KNeighborsClassifier(3), reweight="resample", n_estimators=3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert not hasattr(model, "fingerprint_")
    assert not hasattr(model, "feature_importances_")


@pytest.mark.parametrize("algorithm", ["SAMME", "SAMME.R"])
def test_a_bootstrap_may_lack_a_class(algorithm):
    X = np.array([[0.0]] * 20 + [[1.0]] * 20 + [[2.0]])
    y = np.array(["a"] * 20 + ["b"] * 20 + ["c"])
    settings = {"reweight": "resample", "algorithm": algorithm, "n_estimators": 10}
    for seed in range(5):
        model = AdaBoostClassifier(**settings, random_state=seed).fit(X, y)
        assert model.predict_proba(X).shape == (41, 3)


def test_large_learning_rates_stay_finite():
    X, y = make_moons(80, noise=0.3, random_state=0)
    for algorithm in ALGORITHMS:
        model = AdaBoostClassifier(n_estimators=5, algorithm=algorithm, learning_rate=1e3, on_weak="flip").fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()
    assert np.isfinite(AdaBoostRegressor(learning_rate=1e3, n_estimators=5).fit(X, y).predict(X)).all()


class Worse(ClassifierMixin, BaseEstimator):
    """A stump at first, and from the third fit on one that says the opposite."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Worse.fits += 1
        self.tree_ = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight)
        self.classes_, self.turned_ = self.tree_.classes_, Worse.fits > 2
        return self

    def predict(self, X):
        codes = self.tree_.predict(X)
        return 1 - codes if self.turned_ else codes


@pytest.mark.parametrize("algorithm", ["SAMME", "discrete"])
def test_weak_members(algorithm):
    X, y = make_moons(80, noise=0.3, random_state=0)
    Worse.fits = 0
    model = AdaBoostClassifier(Worse(), n_estimators=5, algorithm=algorithm, keep_weights=True).fit(X, y)
    assert len(model.estimators_) == len(model.estimator_weights_) == 2
    assert model.sample_weight_history_.shape == (3, 80)
    Worse.fits = 0
    flipped = AdaBoostClassifier(Worse(), n_estimators=5, algorithm=algorithm, on_weak="flip").fit(X, y)
    plain = AdaBoostClassifier(n_estimators=5, algorithm=algorithm).fit(X, y)
    np.testing.assert_allclose(flipped.estimator_weights_ * [1, 1, -1, -1, -1], plain.estimator_weights_)
    assert (flipped.predict(X) == plain.predict(X)).all()


def test_an_unlucky_bootstrap_does_not_end_the_rounds():
    """Twenty rows of noise: some bootstraps are answered no better than by guessing."""
    X, y = np.random.RandomState(0).randint(0, 3, (20, 5)), np.array([1, 2] * 10)
    sizes = [
        len(AdaBoostClassifier(reweight="resample", n_estimators=30, random_state=seed).fit(X, y).estimators_)
        for seed in range(20)
    ]
    assert min(sizes) > 5
    assert any(size < 30 for size in sizes)


def test_errors_say_what_would_be_right():
    X, y = IRIS
    with pytest.raises(
        ValueError, match=r"algorithm='discrete' supports two classes, and y has 3\. Use algorithm='SAMME'"
    ):
        AdaBoostClassifier(algorithm="discrete").fit(X, y)
    with pytest.raises(ValueError, match="needs an estimator with predict_proba, and RidgeClassifier has none"):
        AdaBoostClassifier(RidgeClassifier(), algorithm="SAMME.R").fit(X, y)
    with pytest.raises(ValueError, match="The 'reweight' parameter"):
        AdaBoostClassifier(reweight=False).fit(X, y)
    with pytest.raises(ValueError, match=r"no better than guessing among 2 classes\. Use a stronger estimator"):
        AdaBoostClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def test_a_failed_fit_leaves_the_old_model():
    X, y = CANCER
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    before = model.fingerprint_
    with pytest.raises(ValueError):
        model.set_params(algorithm="discrete").fit(*IRIS)
    assert model.fingerprint_ == before
    assert (model.classes_ == [0, 1]).all()


def test_names_of_pandas_columns_are_kept_by_members():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert isinstance(X, pd.DataFrame)
    assert model.estimators_[1].feature_names_in_.tolist() == list(X.columns)
