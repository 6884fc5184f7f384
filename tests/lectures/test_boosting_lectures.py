"""What the lectures say of gradient boosting, held to their own words and numbers (LECTURES.md, section 5)."""

import math
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import KFold, train_test_split
from sklearn.tree import DecisionTreeRegressor

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, Loss, boosting_cv
from spinney.datasets import load_restaurant, load_tennis
from tests.boosted import plain_trees


def parabola(n_rows=100, noise=0.05):
    """One column and a noisy parabola, the lecture's picture."""
    rng = np.random.RandomState(42)
    X = rng.rand(n_rows, 1) - 0.5
    return X, 3 * X[:, 0] ** 2 + noise * rng.randn(n_rows)


X, Y = parabola()
EXACT = {"max_leaf_nodes": None, "min_samples_leaf": 1, "min_child_weight": 0.0, "l2_regularization": 0.0}


# --- gradient boosting -----------------------------------------------------------------------------------------------


def test_three_trees_fitted_to_residuals_in_turn():
    first = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    second = DecisionTreeRegressor(max_depth=2).fit(X, Y - first.predict(X))
    third = DecisionTreeRegressor(max_depth=2).fit(X, Y - first.predict(X) - second.predict(X))
    X_new = np.linspace(-0.5, 0.5, 500)[:, None]
    model = GradientBoostingRegressor(max_depth=2, n_estimators=3, learning_rate=1.0, **EXACT).fit(X, Y)
    trees = [first, second, third]
    np.testing.assert_allclose(model.predict(X_new), sum(tree.predict(X_new) for tree in trees), atol=1e-6)
    for k, stage in enumerate(model.staged_predict(X_new), start=1):
        np.testing.assert_allclose(stage, sum(tree.predict(X_new) for tree in trees[:k]), atol=1e-6)


@pytest.mark.parametrize("n_rows", [100, 3000])
def test_and_on_any_table_without_bins(n_rows):
    """The lecture's "or equivalently", beyond 255 different values too (003)."""
    X, y = parabola(n_rows)
    left_over = y
    model = GradientBoostingRegressor(max_depth=2, n_estimators=3, learning_rate=1.0, max_bins=None, **EXACT).fit(X, y)
    for stage in model.staged_predict(X):
        left_over = left_over - DecisionTreeRegressor(max_depth=2).fit(X, left_over).predict(X)
        np.testing.assert_allclose(stage, y - left_over, atol=1e-12)


def test_each_tree_fits_the_negative_gradient():
    """A leaf's value is minus the gradient sum of its rows over their hessian sum, at the scores before the tree."""
    y = (Y > np.median(Y)).astype(float)
    model = GradientBoostingClassifier(n_estimators=4, learning_rate=0.3, max_depth=2, **EXACT).fit(X, y)
    leaves = model.apply(X)[:, :, 0]
    raw = np.zeros(100)  # half of the rows are of each class
    for k, tree in enumerate(plain_trees(model)):
        p = 1 / (1 + np.exp(-raw))
        for leaf in np.flatnonzero(tree.is_leaf):
            rows = leaves[:, k] == leaf
            step = -np.sum((p - y)[rows]) / np.sum((p * (1 - p))[rows])
            assert tree.value[leaf] == pytest.approx(0.3 * step, rel=1e-6)
        raw += tree.value[leaves[:, k]]
    np.testing.assert_allclose(model.decision_function(X), raw)


def test_shrinkage_needs_more_trees():
    """With a low learning rate more trees are needed to fit the training set."""

    def rounds_to_reach(rate):
        model = GradientBoostingRegressor(max_depth=2, n_estimators=300, learning_rate=rate, **EXACT).fit(X, Y)
        errors = [mean_squared_error(Y, stage) for stage in model.staged_predict(X)]
        assert all(after < before for before, after in pairwise(errors[:50]))
        return next(k for k, error in enumerate(errors, start=1) if error < 0.003)

    assert rounds_to_reach(1.0) < rounds_to_reach(0.3) < rounds_to_reach(0.1)


def test_early_stopping_finds_what_the_staged_errors_show():
    X_train, X_val, y_train, y_val = train_test_split(X, Y, random_state=49)
    parameters = {"max_depth": 2, "min_samples_leaf": 1, "random_state": 0}
    whole = GradientBoostingRegressor(n_estimators=120, **parameters).fit(X_train, y_train)
    errors = [mean_squared_error(y_val, stage) for stage in whole.staged_predict(X_val)]
    best = int(np.argmin(errors)) + 1
    assert 5 < best < 100
    again = GradientBoostingRegressor(n_estimators=best, **parameters).fit(X_train, y_train)
    stopped = GradientBoostingRegressor(n_estimators=120, early_stopping=True, n_iter_no_change=40, tol=0, **parameters)
    stopped.fit(X_train, y_train, eval_set=(X_val, y_val))
    assert stopped.best_iteration_ == best
    assert stopped.fingerprint_ == again.fingerprint_
    np.testing.assert_allclose(stopped.evals_result_["valid"]["squared_error"], errors[: stopped.n_iter_])


def test_the_lectures_tables_are_learnt():
    for load in (load_restaurant, load_tennis):
        table, y = load()
        loose = {"min_samples_leaf": 1, "min_child_weight": 0.0, "min_samples_category": 1, "category_smoothing": 0.0}
        model = GradientBoostingClassifier(n_estimators=200, learning_rate=0.3, l2_regularization=0.1, **loose)
        assert model.fit(table, y).score(table, y) == 1.0


# --- XGBoost's six points --------------------------------------------------------------------------------------------


def test_one_regularisation():
    """Leaf weight -G / (H + lambda), and a penalty on absolute values that sets small ones to zero."""
    x, y = np.repeat([0.0, 1.0], 4)[:, None], np.repeat([0.0, 4.0], 4)
    plain = {**EXACT, "n_estimators": 1, "learning_rate": 1.0}
    for l1, l2, step in ((0, 0, 2.0), (0, 4, 1.0), (2, 0, 1.5), (2, 4, 0.75)):
        model = GradientBoostingRegressor(**{**plain, "l1_regularization": l1, "l2_regularization": l2}).fit(x, y)
        np.testing.assert_allclose(model.predict([[0], [1]]), [2 - step, 2 + step])
    noisy, target = parabola(60, noise=0.5)
    fresh, truth = parabola(400, noise=0.0)
    errors = [
        mean_squared_error(
            truth,
            GradientBoostingRegressor(max_depth=4, **{**EXACT, "l2_regularization": l2})
            .fit(noisy, target)
            .predict(fresh),
        )
        for l2 in (0.0, 20.0)
    ]
    assert errors[1] < errors[0]  # and it overfits less


def test_two_parallel_training_gives_the_same_model():
    rng = np.random.RandomState(0)
    table = rng.randn(30_000, 4)
    target = table[:, 0] * table[:, 1] > 0
    models = [GradientBoostingClassifier(n_estimators=3, random_state=0, n_jobs=n).fit(table, target) for n in (1, 2)]
    assert models[0].fingerprint_ == models[1].fingerprint_


def test_three_objective_and_evaluation_can_be_ones_own():
    exponential = Loss(  # AdaBoost's loss, for y of 0 and 1
        gradient=lambda y, raw: (1 - 2 * y) * math.exp((1 - 2 * y) * raw),
        hessian=lambda y, raw: math.exp((1 - 2 * y) * raw),
        inverse_link=lambda raw: 1 / (1 + math.exp(-2 * raw)),
        value=lambda y, raw: math.exp((1 - 2 * y) * raw),
    )
    y = np.abs(X[:, 0]) > 0.25
    model = GradientBoostingClassifier(exponential, n_estimators=30, min_samples_leaf=5)
    model.fit(X, y, eval_set=(X, y), eval_metric=["loss", ("hits", lambda y, p: np.mean(p.argmax(1) == y), True)])
    curve = model.evals_result_["valid"]["loss"]
    assert curve[-1] < 0.3 * curve[0]
    assert model.evals_result_["valid"]["hits"][-1] == model.score(X, y) == 1.0


def test_four_missing_values_take_the_side_that_gains():
    """The direction is learnt at each split: the same gap means low in one half of the table and high in the other."""
    rng = np.random.RandomState(0)
    half, value = rng.randint(0, 2, 200), rng.choice([0.0, 1.0, np.nan], 200)
    y = 10.0 * half + np.where(np.isnan(value), half, value)
    table = np.column_stack([half, value])
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, **EXACT)
    np.testing.assert_allclose(model.fit(table, y).predict(table), y, atol=1e-6)
    (tree,) = plain_trees(model)
    sides = tree.missing_left[tree.feature == 1]
    assert sorted(sides) == [0, 1]


def test_five_growing_on_and_pruning_backwards():
    """Nearly an exclusive or: the first split gains next to nothing, what it makes possible gains everything."""
    corners = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 6 + [[0, 0]], float)
    y = (corners[:, 0] != corners[:, 1]).astype(float)
    stump = GradientBoostingRegressor(n_estimators=1, max_depth=1, min_split_gain=1.0, **EXACT).fit(corners, y)
    assert plain_trees(stump)[0].n_leaves == 1  # alone, the first split is not worth it and is pruned
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, min_split_gain=1.0, **EXACT).fit(corners, y)
    (tree,) = plain_trees(model)
    assert tree.gain[0] < 1.0 < tree.gain[[tree.left[0], tree.right[0]]].min()
    np.testing.assert_allclose(model.predict(corners), y, atol=1e-6)
    noise = np.random.RandomState(0).randn(25)
    pruned = GradientBoostingRegressor(n_estimators=1, min_split_gain=30.0, **EXACT).fit(corners, noise)
    assert plain_trees(pruned)[0].n_leaves == 1  # and nothing is left where nothing gains


def test_six_cross_validation_at_every_round():
    rng = np.random.RandomState(0)
    table = rng.randint(0, 8, (100, 3)).astype(float)
    y = (table[:, 0] + rng.randn(100) > 3.5).astype(int)
    model = GradientBoostingClassifier(n_estimators=15, learning_rate=0.3, min_samples_leaf=5, random_state=0)
    folds = list(KFold(4, shuffle=True, random_state=0).split(table))
    result = boosting_cv(model, table, y, cv=folds, return_train_score=True)
    assert result.test["log_loss"].shape == result.train["log_loss"].shape == (15, 4)
    for k, (kept, held) in enumerate(folds):
        own = GradientBoostingClassifier(**model.get_params()).fit(table[kept], y[kept])
        expected = [log_loss(y[held], p) for p in own.staged_predict_proba(table[held])]
        np.testing.assert_allclose(result.test["log_loss"][:, k], expected)
    mean = result.test["log_loss"].mean(axis=1)
    assert result.best_iteration == mean.argmin() + 1
    assert result.best_score == mean.min()


@pytest.mark.parametrize("n_rows", [100, 300, 5000])
def test_the_slides_call_in_one_word(n_rows):
    """`textbook(max_depth=2, n_estimators=3, learning_rate=1.0)` is the slide's three trees (003)."""
    X, y = parabola(n_rows)
    left_over = y
    for _ in range(3):
        left_over = left_over - DecisionTreeRegressor(max_depth=2).fit(X, left_over).predict(X)
    model = GradientBoostingRegressor.textbook(max_depth=2, n_estimators=3, learning_rate=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y - left_over, atol=1e-12)


def test_textbook_is_an_ordinary_model():
    model = GradientBoostingClassifier.textbook(n_estimators=5, l2_regularization=0.5)
    assert isinstance(model, GradientBoostingClassifier)
    assert (model.max_depth, model.n_estimators, model.l2_regularization, model.max_bins) == (3, 5, 0.5, None)
    assert model.fit(*load_tennis()).n_iter_ == 5
    with pytest.raises(TypeError, match="rounds"):
        GradientBoostingRegressor.textbook(rounds=3)
