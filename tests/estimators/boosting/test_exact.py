"""`max_bins=None`: boosting with exact thresholds, beside exact trees, scikit-learn, XGBoost and itself."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import random as random_sparse
from sklearn import ensemble
from sklearn.base import clone

from spinney import DecisionTreeRegressor, Loss, boosting_cv, plot_tree
from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney.estimators.base import SMALL_WORK
from spinney.evaluate import cross_validate
from tests.compiled import slow

# nothing but the loss decides
PLAIN = {"max_bins": None, "l2_regularization": 0.0, "min_child_weight": 0.0, "max_leaf_nodes": None}


def draw(n, seed=0, n_columns=5):
    """More different values than bins, all of them float32, which scikit-learn and XGBoost read."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_columns)).astype(np.float32)
    y = X[:, 0] ** 2 + X[:, 1] * X[:, 2 % n_columns] + 0.3 * random.normal(size=n)
    return X, y.astype(np.float32).astype(np.float64)


def mixed(n, seed=0):
    """Numbers, missing values and categories, more of these than have codes of their own."""
    random = np.random.default_rng(seed)
    X, y = draw(n, seed)
    table = pd.DataFrame(X, columns=list("abcde"))
    table[random.random(table.shape) < 0.1] = np.nan
    letters = random.integers(0, 8, n)
    table["letter"], table["many"] = np.array(list("qrstuvwx"))[letters], random.integers(0, 400, n).astype(str)
    return table, y + 0.3 * letters


X, Y = draw(700)
FRESH = draw(2000, 1)[0]


# --- three trees, one after the other --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    n=st.integers(2, 900),
    n_columns=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([1e-6, 1.0, 1e7]),
    shift=st.sampled_from([0.0, 1e3]),
)
def test_three_rounds_are_three_trees_fitted_to_residuals_in_turn(n, n_columns, seed, scale, shift):
    """On any table, beyond 255 values too."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, n_columns)), scale * (random.normal(size=n) + shift)
    model = Regressor(
        n_estimators=3, learning_rate=1.0, max_depth=2, l2_regularization=0, min_samples_leaf=1, max_bins=None
    ).fit(X, y)
    left_over = y
    for stage in model.staged_predict(X):
        left_over = left_over - DecisionTreeRegressor(max_depth=2).fit(X, left_over).predict(X)
        np.testing.assert_allclose(stage, y - left_over, rtol=1e-9, atol=1e-9 * scale)


def test_thresholds_are_those_of_exact_trees():
    model = Regressor(n_estimators=1, learning_rate=1.0, max_depth=4, min_samples_leaf=10, **PLAIN).fit(X, Y)
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=10).fit(X, Y)
    mine = model.forest_.tree(0)
    np.testing.assert_array_equal(mine.threshold, tree.forest_.tree(0).threshold)
    np.testing.assert_array_equal(mine.n_samples, tree.forest_.tree(0).n_samples)
    np.testing.assert_allclose(model.predict(FRESH), tree.predict(FRESH), rtol=1e-12)


def test_exclusive_or_is_learnt():
    """The first split gains nothing, those below it all there is."""
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, float)
    y = np.array([0, 1, 1, 0] * 3, float)
    model = Regressor(n_estimators=1, learning_rate=1.0, min_samples_leaf=1, **PLAIN).fit(table, y)
    np.testing.assert_allclose(model.predict(table), y, atol=1e-15)
    assert model.forest_.tree(0).n_leaves == 4
    assert Regressor(n_estimators=1, min_samples_leaf=1, **PLAIN).fit(table, table[:, 0] * 0).forest_.n_nodes == 1


# --- other libraries -------------------------------------------------------------------------------------------------

GROWTH = [{"max_depth": 3}, {"max_depth": None, "max_leaf_nodes": 9}, {"max_depth": 4, "min_impurity_decrease": 1e-3}]


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("weights", ["none", "whole", *slow(["real"])])
def test_squared_error_is_that_of_scikit_learn(growth, weights):
    random = np.random.default_rng(3)
    weight = {"none": None, "whole": random.integers(1, 4, 700), "real": 0.1 + random.random(700)}[weights]
    # a share of the weight rather than single rows, which several columns can set apart
    shared = {"n_estimators": 30, "min_weight_fraction_leaf": 0.02, **growth}
    if weights == "real":
        shared["min_impurity_decrease"] = 0.0  # ours is per sample, theirs per weight
    ours = Regressor(**{**PLAIN, "min_samples_leaf": 1, **shared}).fit(X, Y, weight)
    theirs = ensemble.GradientBoostingRegressor(random_state=0, **shared).fit(X, Y, weight)
    np.testing.assert_allclose(ours.predict(FRESH), theirs.predict(FRESH), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "alpha"), [("absolute_error", 0.9), ("quantile", 0.813), ("quantile", 0.333)])
def test_leaves_of_quantiles_are_those_of_scikit_learn(loss, alpha):
    """One round: later ones see rows that are predicted exactly, which scikit-learn counts as too low."""
    shared = {"loss": loss, "alpha": alpha, "n_estimators": 1, "max_depth": 2, "min_samples_leaf": 10, "init": "zero"}
    y = Y - 0.5
    ours = Regressor(**PLAIN, **shared).fit(X[:, :1], y)
    theirs = ensemble.GradientBoostingRegressor(**shared).fit(X[:, :1], y)
    np.testing.assert_allclose(ours.predict(FRESH[:, :1]), theirs.predict(FRESH[:, :1]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_the_first_round_of_classes_is_that_of_scikit_learn(loss):
    """All hessians are alike: how far means are apart and second-order gain agree. Later trees are XGBoost's."""
    shared = {"loss": loss, "n_estimators": 1, "max_depth": 3, "min_samples_leaf": 10}
    y = Y > np.median(Y)
    ours = Classifier(**PLAIN, **shared).fit(X, y)
    theirs = ensemble.GradientBoostingClassifier(**shared).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(FRESH), theirs.predict_proba(FRESH), rtol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("l2", [0.0, 1.5])
@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:logistic", "multi:softmax"])
def test_trees_are_those_of_xgboost(objective, l2, missing):
    """Whose numbers have 32 bits. Its hessians of many classes are twice ours."""
    xgboost = pytest.importorskip("xgboost")
    random = np.random.default_rng(7)
    table, fresh = X.copy(), FRESH.copy()
    table[random.random(table.shape) < missing] = fresh[random.random(fresh.shape) < missing] = np.nan
    twice = 2.0 if objective == "multi:softmax" else 1.0
    y = Y if objective == "reg:squarederror" else np.digitize(Y, [1.0] if twice == 1.0 else [0.5, 1.5])
    theirs = {"tree_method": "exact", "objective": objective, "max_depth": 3, "nthread": 1}
    theirs |= {"eta": 0.3 * twice, "lambda": l2 * twice, "min_child_weight": 5.0 * twice}
    theirs |= {"base_score": 0.5 if objective == "binary:logistic" else 0.0}
    theirs |= {"num_class": 3} if twice == 2.0 else {}
    booster = xgboost.train(theirs, xgboost.DMatrix(table, label=y), 12)
    ours = {**PLAIN, "l2_regularization": l2, "min_child_weight": 5.0, "min_samples_leaf": 1, "init": "zero"}
    ours |= {"n_estimators": 12, "max_depth": 3, "learning_rate": 0.3}
    model = (Regressor if y is Y else Classifier)(**ours).fit(table, y)
    raw = model.predict(fresh) if y is Y else model.decision_function(fresh)
    expected = booster.predict(xgboost.DMatrix(fresh), output_margin=True)
    np.testing.assert_allclose(raw, expected, atol=1e-5)


# --- everything else that boosting can do ----------------------------------------------------------------------------

TABLE, TARGET = mixed(900)
VARIANTS = [
    {},
    {"loss": "poisson"},
    {"loss": "absolute_error"},
    {"loss": "huber"},
    {"subsample": 0.5},
    {"max_features": 0.5},
    {"max_features_per_tree": 0.5},
    {"monotonic_cst": {"a": 1, "b": -1}},
    {"monotonic_cst": {"a": 1}, "loss": "quantile", "quantile": 0.7},
    {"interaction_cst": [["a", "b"], ["c", "letter"]]},
    {"growth": "level_wise", "max_depth": 4},
    {"ccp_alpha": 5.0},
    {"min_split_gain": 20.0},
    {"l1_regularization": 1.0},
    {"max_depth": 1},
    {"early_stopping": True},
    {"init": DecisionTreeRegressor(max_depth=1)},
    {"learning_rate": 0.5, "min_impurity_decrease": 0.01},
]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_setting_on_any_number_of_threads(variant, monkeypatch):
    monkeypatch.setitem(SMALL_WORK, "boosting", 0)  # small tables, too, are for the whole team
    y = np.abs(TARGET)
    models = [
        Regressor(max_bins=None, n_estimators=6, random_state=0, n_jobs=n_jobs, **variant).fit(TABLE, y)
        for n_jobs in (1, 2, 5)
    ]
    assert len({model.fingerprint_ for model in models}) == 1
    model, predicted = models[0], models[0].predict(TABLE)
    binned = clone(model).set_params(max_bins=255).fit(TABLE, y)
    assert model.score(TABLE, y) == pytest.approx(binned.score(TABLE, y), abs=0.04)
    np.testing.assert_array_equal(list(model.staged_predict(TABLE))[-1], predicted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(TABLE), predicted)
    np.testing.assert_array_equal([model.predict(TABLE[k : k + 1])[0] for k in range(5)], predicted[:5])
    leaves = model.apply(TABLE)
    assert leaves.shape == (900, model.n_estimators_)
    if model._init is None and variant.get("loss") != "poisson":
        said = [model.forest_.tree(k).answers[leaves[:, k], 0, 0] for k in range(leaves.shape[1])]
        np.testing.assert_allclose(model._booster.start[0] + np.sum(said, axis=0), predicted, rtol=1e-12)


def test_monotone_columns_are():
    model = Regressor(max_bins=None, n_estimators=20, monotonic_cst=[1, 0, -1, 0, 0]).fit(X, Y)
    base = np.repeat(X[:20], 50, axis=0)
    for column, sign in ((0, 1), (2, -1)):
        moved = base.copy()
        moved[:, column] = np.tile(np.linspace(-3, 3, 50), 20)
        assert (sign * np.diff(model.predict(moved).reshape(20, 50), axis=1) >= -1e-12).all()


@pytest.mark.parametrize("kind", [Regressor, Classifier])
def test_whole_weights_are_repetitions(kind):
    random = np.random.default_rng(2)
    weight = random.integers(0, 4, 700)
    y = Y if kind is Regressor else np.digitize(Y, [0.5, 1.5])
    weighted = kind(max_bins=None, n_estimators=5).fit(X, y, weight)
    repeated = kind(max_bins=None, n_estimators=5).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.fingerprint_ == repeated.fingerprint_


def test_the_order_of_the_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(700)
    a, b = (Regressor(max_bins=None, n_estimators=5).fit(X[rows], Y[rows]) for rows in (slice(None), order))
    assert a.fingerprint_ == b.fingerprint_


def test_going_on_is_the_same_as_having_gone_on():
    model = Regressor(max_bins=None, n_estimators=4, warm_start=True).fit(TABLE, TARGET)
    model.set_params(n_estimators=7).fit(TABLE, TARGET)
    whole = Regressor(max_bins=None, n_estimators=7).fit(TABLE, TARGET)
    np.testing.assert_allclose(model.predict(TABLE), whole.predict(TABLE), rtol=1e-12)


def test_evaluation_sets_and_offsets():
    held, answers = mixed(300, 5)
    model = Regressor(max_bins=None, n_estimators=8).fit(TABLE, TARGET, eval_set=(held, answers))
    for stage, loss in zip(model.staged_predict(held), model.evals_result_["valid"]["squared_error"]):
        assert np.mean((stage - answers) ** 2) == pytest.approx(loss)
    offset = np.sin(np.arange(900))
    shifted = Regressor(max_bins=None, n_estimators=5).fit(TABLE, TARGET, init_score=offset)
    plain = Regressor(max_bins=None, n_estimators=5, init="zero").fit(TABLE, TARGET - offset)
    np.testing.assert_allclose(shifted.predict(TABLE), plain.predict(TABLE), rtol=1e-9, atol=1e-9)


def test_losses_of_ones_own():
    own = Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0)
    mine = Regressor(loss=own, max_bins=None, n_estimators=5, init="zero").fit(X, Y)
    named = Regressor(max_bins=None, n_estimators=5, init="zero").fit(X, Y)
    np.testing.assert_allclose(mine.predict(FRESH), named.predict(FRESH), rtol=1e-9)


def test_many_classes():
    classes = np.array(list("xyz"))[np.digitize(TARGET, [0.5, 2.0])]
    model = Classifier(max_bins=None, n_estimators=5).fit(TABLE, classes)
    binned = Classifier(n_estimators=5).fit(TABLE, classes)
    assert model.score(TABLE, classes) == pytest.approx(binned.score(TABLE, classes), abs=0.03)
    assert model.apply(TABLE).shape == (900, 5, 3)
    np.testing.assert_array_equal(list(model.staged_predict_proba(TABLE))[-1], model.predict_proba(TABLE))


def test_cross_validation():
    model = Regressor(max_bins=None, n_estimators=5)
    folds = boosting_cv(model, X, Y, cv=3)
    scores = cross_validate(model, X, Y, cv=3, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(folds.test["squared_error"][-1], -scores["test_score"], rtol=1e-9)


def test_trees_are_read_and_drawn():
    model = Regressor(max_bins=None, n_estimators=2, max_depth=2).fit(TABLE, TARGET)
    assert plot_tree(model, tree=0)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.get_feature_importances("cover").sum() == pytest.approx(1.0)


def test_sparse_tables_are_laid_out_or_refused():
    cells = random_sparse(3000, 400, 0.01, format="csr", random_state=0)
    y = np.asarray(cells.sum(axis=1)).ravel()
    with pytest.raises(ValueError, match=r"X is sparse. Set max_bins=255, or fit on X.toarray\(\)"):
        Regressor(max_bins=None).fit(cells, y)
    model = Regressor(max_bins=None, n_estimators=3).fit(cells.toarray(), y)
    np.testing.assert_array_equal(model.predict(cells), model.predict(cells.toarray()))
    np.testing.assert_array_equal(model.apply(cells), model.apply(cells.toarray()))


def test_bins_are_a_number_or_none():
    with pytest.raises(ValueError, match="The 'max_bins' parameter"):
        Regressor(max_bins=256).fit(X, Y)


def test_a_loss_that_runs_away():
    with pytest.raises(ValueError, match="The raw scores diverge in round"):
        Regressor(loss="poisson", max_bins=None, learning_rate=1e4, n_estimators=50).fit(X, np.abs(Y))
