"""What a boosted model is: the same on any number of threads, the same for weights and repeated rows, and right."""

import math

import lightgbm
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import d2_pinball_score, log_loss, mean_absolute_error
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import compute_sample_weight
from threadpoolctl import threadpool_limits

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney import Loss
from spinney.estimators.base import SMALL_WORK
from tests.boosted import plain_trees

LOSSES = ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]


def draw(n_rows, n_columns=4, seed=0, distinct=None, missing=0.0):
    """A table and a smooth target with an interaction; `distinct` values a column if given."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, n_columns) if distinct is None else rng.randint(0, distinct, (n_rows, n_columns)) / 4 - 1.0
    y = 2 * X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 0] * X[:, 2] + 0.3 * rng.randn(n_rows)
    X[rng.rand(n_rows, n_columns) < missing] = np.nan
    return X, y


def thirds(y):
    return np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))


# --- one model, whatever the threads ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, target",
    [
        (Regressor(), lambda y: y),
        (Regressor("absolute_error", subsample=0.6), lambda y: y),
        (Regressor("huber", growth="level_wise", max_depth=5, max_features=0.5), lambda y: y),
        (Regressor("poisson", monotonic_cst=[1, 0, 0, 0, 0], max_features_per_tree=3), lambda y: np.exp(y / 5)),
        (Classifier(min_split_gain=1.0, interaction_cst="pairwise"), lambda y: y > 0),
        (Classifier(l1_regularization=0.5, l2_regularization=2.0), thirds),
        (Classifier("exponential", ccp_alpha=2.0, min_impurity_decrease=1e-4, min_samples_split=50), lambda y: y > 0),
        (Regressor("quantile", ccp_alpha=5.0, monotonic_cst=[1, 0, 0, 0, 0]), lambda y: y),
    ],
    ids=lambda value: type(value).__name__ + str(getattr(value, "loss", "")) if hasattr(value, "loss") else "",
)
def test_the_model_does_not_depend_on_the_number_of_threads(model, target):
    X, y = draw(20_500, 5, missing=0.05)
    assert X.size >= SMALL_WORK["boosting"]
    X[:, 4] = np.floor(3 * X[:, 4])
    model = clone(model).set_params(n_estimators=3, random_state=0, categorical_features=[4], min_samples_leaf=5)
    models = [clone(model).set_params(n_jobs=n).fit(X, target(y)) for n in (1, 2, 3, 7)]
    assert len({one.fingerprint_ for one in models}) == 1
    assert all(tree.n_leaves > 3 for tree in plain_trees(models[0]))
    answers = [one._raw(X).tobytes() for one in models]
    assert len(set(answers)) == 1
    assert len({one.train_score_.tobytes() for one in models}) == 1


def test_a_table_too_small_for_threads_gives_the_model_of_a_large_one(monkeypatch):
    X, y = draw(500)
    alone = Regressor(n_estimators=5, random_state=0).fit(X, y)
    monkeypatch.setitem(SMALL_WORK, "boosting", 0)
    together = Regressor(n_estimators=5, random_state=0, n_jobs=3).fit(X, y)
    assert alone.fingerprint_ == together.fingerprint_


def test_the_fingerprint_is_of_the_data_the_parameters_and_the_seed():
    X, y = draw(300)
    model = Regressor(n_estimators=3, random_state=0, subsample=0.5)
    first = model.fit(X, y).fingerprint_
    assert clone(model).fit(X, y).fingerprint_ == first
    assert clone(model).fit(X, y + 1.0).fingerprint_ != first
    assert clone(model).set_params(learning_rate=0.2).fit(X, y).fingerprint_ != first
    assert clone(model).set_params(random_state=1).fit(X, y).fingerprint_ != first


# --- weights ---------------------------------------------------------------------------------------------------------


def weighted_and_repeated(n_rows, seed):
    X, y = draw(n_rows, seed=seed, distinct=20, missing=0.1)
    weight = np.random.RandomState(seed).randint(0, 4, n_rows)
    return X, y, weight, np.repeat(np.arange(n_rows), weight)


WEIGHED = [
    (Regressor(), lambda y: y),
    (Regressor("absolute_error"), lambda y: y),
    (Regressor("quantile", quantile=0.8), lambda y: y),
    (Regressor("huber"), lambda y: y),
    (Regressor("gamma"), lambda y: np.exp(y / 5)),
    (Regressor(categorical_features=[1], min_split_gain=0.2), lambda y: y),
    (Regressor(ccp_alpha=0.5, min_samples_split=12, min_impurity_decrease=1e-3), lambda y: y),
    (Classifier("exponential", ccp_alpha=0.1), lambda y: y > 0),
    (Classifier(), lambda y: y > 0),
    (Classifier(), thirds),
]


@pytest.mark.parametrize("model, target", WEIGHED)
def test_whole_weights_are_repeated_rows_bit_for_bit(model, target):
    for seed in range(3):
        X, y, weight, rows = weighted_and_repeated(70, seed)
        y, rng = target(y), np.random.RandomState(seed)
        shuffled, order = rng.permutation(rows), rng.permutation(len(y))
        model = clone(model).set_params(n_estimators=8, min_samples_leaf=4, random_state=0)
        expected = clone(model).fit(X[rows], y[rows])
        assert plain_trees(expected)[0].n_leaves >= 2
        assert clone(model).fit(X, y, weight).fingerprint_ == expected.fingerprint_
        assert clone(model).fit(X[shuffled], y[shuffled]).fingerprint_ == expected.fingerprint_
        assert clone(model).fit(X[order], y[order], weight[order]).fingerprint_ == expected.fingerprint_


@pytest.mark.parametrize("n_rows", [300, 9000])
@pytest.mark.parametrize("model, target", WEIGHED)
def test_whole_weights_are_repeated_rows_on_larger_tables(model, target, n_rows):
    X, y, weight, rows = weighted_and_repeated(n_rows, 0)
    y = target(y)
    model = clone(model).set_params(n_estimators=3, random_state=0)
    expected = clone(model).fit(X[rows], y[rows])
    assert clone(model).fit(X, y, weight).fingerprint_ == expected.fingerprint_


def test_rows_of_weight_zero_take_no_part():
    X, y = draw(100)
    worse = X.copy(), y.copy()
    worse[0][50:], worse[1][50:] = 1e6, -1e6
    weight = np.repeat([0.7, 0.0], 50)  # not whole: importances
    model = Regressor(n_estimators=5, random_state=0, min_samples_leaf=5)
    assert clone(model).fit(*worse, weight).fingerprint_ == clone(model).fit(X[:50], y[:50], weight[:50]).fingerprint_
    # nor does a loss look at their targets
    poisson = Regressor("poisson", n_estimators=2)
    poisson.fit(X, np.where(weight > 0, 1.0, -1.0), weight)
    with pytest.raises(ValueError, match="needs y >= 0 with a positive sum"):
        poisson.fit(X, np.where(weight > 0, 0.0, 1.0), weight)


def test_importance_weights_count_by_their_ratios():
    X, y = draw(400)
    weight = np.random.RandomState(0).uniform(0.1, 2.0, 400)
    model = Regressor(n_estimators=10, random_state=0, min_child_weight=0, l2_regularization=0)
    fits = [clone(model).fit(X, y, weight * factor).predict(X) for factor in (1.0, 0.25, 64.0)]
    assert (fits[0] == fits[1]).all()  # a power of two changes no bit
    assert (fits[0] == fits[2]).all()
    assert not np.allclose(fits[0], clone(model).fit(X, y).predict(X))


def test_an_importance_weight_pulls_the_prediction_to_its_rows():
    X = np.zeros((60, 1))
    y = np.repeat([0.0, 1.0], 30)
    weight = np.repeat([0.5, 2.5], 30)
    assert Regressor().fit(X, y, weight).predict([[0.0]]) == pytest.approx(2.5 / 3.0)
    assert Classifier().fit(X, y, weight).predict_proba([[0.0]])[0, 1] == pytest.approx(2.5 / 3.0)
    assert Regressor("absolute_error").fit(X, y, weight).predict([[0.0]]) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weight_multiplies_sample_weight(n_classes):
    X, y = draw(90)
    y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes * 0.5))
    weight = np.random.RandomState(0).randint(1, 4, 90).astype(float)
    by_class = {0: 2.5, 1: 3.3, 2: 0.7}  # whole ones would be repetitions as sample_weight
    model = Classifier(n_estimators=4, random_state=0, min_samples_leaf=3)
    for class_weight in ({k: by_class[k] for k in range(n_classes)}, "balanced"):
        factor = compute_sample_weight(class_weight, y)
        heavy = clone(model).set_params(class_weight=class_weight)
        assert clone(heavy).fit(X, y).fingerprint_ == clone(model).fit(X, y, factor).fingerprint_
        assert clone(heavy).fit(X, y, weight).fingerprint_ == clone(model).fit(X, y, factor * weight).fingerprint_
        assert clone(heavy).fit(X, y).fingerprint_ != clone(model).fit(X, y).fingerprint_


@pytest.mark.parametrize(
    "weight, message",
    [
        ([1.0, 1.0], r"sample_weight.shape == \(2,\), expected \(40,\)"),
        (np.full(40, np.nan), "sample_weight contains NaN"),
        (-np.ones(40), "sample_weight must not be negative"),
        (np.zeros(40), "at least one non-zero"),
    ],
)
def test_impossible_weights_are_refused(weight, message):
    X, y = draw(40)
    with pytest.raises(ValueError, match=message):
        Regressor().fit(X, y, weight)
    with pytest.raises(ValueError, match=message):
        Classifier(class_weight="balanced").fit(X, y > 0, weight)


# --- the right answer ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_columns", [1, 4])
def test_three_rounds_are_three_trees_fitted_to_residuals_in_turn(n_columns, seed):
    X, y = draw(120, seed=seed)
    fresh, _ = draw(300, seed=100 + seed)
    X, fresh = X[:, :n_columns], fresh[:, :n_columns]
    expected, residual = np.zeros(300), y
    for _ in range(3):
        tree = DecisionTreeRegressor(max_depth=2).fit(X, residual)
        expected += tree.predict(fresh)
        residual = residual - tree.predict(X)
    model = Regressor(
        max_depth=2, n_estimators=3, learning_rate=1.0, max_leaf_nodes=None, min_samples_leaf=1, l2_regularization=0
    )
    np.testing.assert_allclose(y - model.fit(X, y).predict(X), residual, atol=1e-6)
    if n_columns == 1:  # several columns can part the same few rows, each at a place of its own
        np.testing.assert_allclose(model.predict(fresh), expected, atol=1e-6)


# Few distinct values, so that every library has the same bins; fewer than 128 rows, so that ours rounds to the nearest;
# weights without a pattern and leaves of ten rows, so that no two splits are equally good.
ROUNDS, LEAVES, LEAF_ROWS = 10, 6, 10


def plain(kind, l2=0.0, **others):
    return kind(
        n_estimators=ROUNDS,
        learning_rate=0.1,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAF_ROWS,
        min_child_weight=1e-3,
        l2_regularization=l2,
        **others,
    )


def scikit_learns(kind, **others):
    return kind(
        max_iter=ROUNDS,
        learning_rate=0.1,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAF_ROWS,
        early_stopping=False,
        **others,
    )


# Newton steps as scikit-learn takes them: those of our own log links are held back.
NEWTON = {
    "poisson": Loss(
        gradient=lambda y, raw: math.exp(raw) - y,
        hessian=lambda y, raw: math.exp(raw),
        inverse_link=lambda raw: math.exp(raw),
        start=lambda y, sample_weight: math.log(np.average(y, weights=sample_weight)),
    ),
    "gamma": Loss(
        gradient=lambda y, raw: 1.0 - y * math.exp(-raw),
        hessian=lambda y, raw: y * math.exp(-raw),
        inverse_link=lambda raw: math.exp(raw),
        start=lambda y, sample_weight: math.log(np.average(y, weights=sample_weight)),
    ),
}


def unique(seed, missing=0.0):
    X, y = draw(120, distinct=16, seed=seed, missing=missing)
    weight = np.random.RandomState(seed).uniform(0.5, 1.5, 120)
    return X, y, weight / weight.mean()  # theirs are absolute, ours count by their ratios


@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
def test_regression_equals_scikit_learn_where_the_answer_is_unique(loss, missing, l2):
    for seed in (1, 2, 4):
        X, y, weight = unique(seed, missing)
        y = y if loss == "squared_error" else np.exp(y / 5)
        ours = plain(Regressor, l2, loss=NEWTON.get(loss, loss)).fit(X, y, weight)
        theirs = scikit_learns(HistGradientBoostingRegressor, loss=loss, l2_regularization=l2)
        with threadpool_limits(1):  # its threads spin, which costs seconds on a busy machine
            theirs.fit(X, y, weight)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("target", [lambda y: y > 0, thirds], ids=["two", "three"])
def test_classification_equals_scikit_learn_where_the_answer_is_unique(target, missing):
    for seed in range(3):
        X, y, weight = unique(seed, missing)
        ours = plain(Classifier).fit(X, target(y), weight)
        theirs = scikit_learns(HistGradientBoostingClassifier)
        with threadpool_limits(1):
            theirs.fit(X, target(y), weight)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("objective, leaf_hessian", [("regression", 9.0), ("binary", 2.0)])
def test_predictions_equal_lightgbm_where_the_answer_is_unique(objective, leaf_hessian):
    parameters = {
        "objective": objective,
        "num_leaves": LEAVES,
        "min_data_in_leaf": 1,  # it estimates these counts from the hessian
        "min_sum_hessian_in_leaf": leaf_hessian,
        "min_data_in_bin": 1,
        "lambda_l1": 0.1,
        "lambda_l2": 1.5,
        "learning_rate": 0.1,
        "verbose": -1,
        "num_threads": 1,
    }
    for seed in range(3):
        X, y, weight = unique(seed)
        y = y if objective == "regression" else (y > 0).astype(float)
        theirs = lightgbm.train(parameters, lightgbm.Dataset(X, y, weight=weight, params=parameters), 5)
        ours = plain(Regressor if objective == "regression" else Classifier, l2=1.5, l1_regularization=0.1)
        ours.set_params(n_estimators=5, min_samples_leaf=1, min_child_weight=leaf_hessian).fit(X, y, weight)
        answers = ours.predict(X) if objective == "regression" else ours.predict_proba(X)[:, 1]
        np.testing.assert_allclose(answers, theirs.predict(X), atol=1e-5)


def mean_loss(loss, y, prediction):
    """Each loss as a function of the prediction, from its textbook."""
    error = np.abs(y - prediction)
    return np.mean(
        {
            "squared_error": lambda: error**2,
            "absolute_error": lambda: error,
            "huber": lambda: np.where(error <= 1, error**2 / 2, error - 0.5),
            "quantile": lambda: np.where(y >= prediction, 0.8 * error, 0.2 * error),
            "poisson": lambda: prediction - y * np.log(prediction),
            "gamma": lambda: np.log(prediction) + y / prediction,
            "tweedie": lambda: prediction**0.5 / 0.5 + y * prediction**-0.5 / 0.5,
        }[loss]()
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_without_a_seed_every_fit_is_the_same(seed):
    """As XGBoost and LightGBM; a `RandomState` moves on, as in scikit-learn."""
    X, y = draw(200)
    np.random.seed(seed)  # which has no part in it
    few = {"n_estimators": 3, "subsample": 0.5, "max_features": 1, "n_iter_no_change": 2}
    one, two = (Regressor(**few).fit(X, y) for _ in range(2))
    assert one.fingerprint_ == two.fingerprint_ == Regressor(**few, random_state=0).fit(X, y).fingerprint_
    moving = np.random.RandomState(0)
    assert len({Regressor(**few, random_state=moving).fit(X, y).fingerprint_ for _ in range(2)}) == 2


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_falls_and_beats_the_best_constant(loss):
    X, y = draw(1500, seed=1)
    if loss in ("poisson", "gamma", "tweedie"):
        y = np.random.RandomState(1).gamma(2.0, np.exp(y / 3) / 2.0)
        y = np.floor(3 * y) if loss == "poisson" else y
    model = Regressor(loss, quantile=0.8, n_estimators=60, random_state=0)
    model.fit(X[:1000], y[:1000], eval_set={"train": (X[:1000], y[:1000]), "test": (X[1000:], y[1000:])})
    curve = np.array(model.evals_result_["train"][loss])
    assert curve[-1] < curve[0]
    assert np.diff(curve).max() < 1e-3 * (curve[0] - curve[-1])
    constant = Regressor(loss, quantile=0.8, n_estimators=1, max_leaf_nodes=2, min_samples_leaf=1000).fit(
        X[:1000], y[:1000]
    )
    best = mean_loss(loss, y[1000:], constant.predict(X[1000:]))
    reached = mean_loss(loss, y[1000:], model.predict(X[1000:]))
    assert reached < 0.95 * best if best > 0 else reached < best - 0.05
    assert model.evals_result_["test"][loss][-1] == pytest.approx(reached)


@pytest.mark.parametrize(
    "loss, best",
    [
        ("squared_error", np.mean),
        ("absolute_error", np.median),
        ("huber", np.median),
        ("quantile", lambda y: np.quantile(y, 0.8, method="inverted_cdf")),
        ("poisson", np.mean),
        ("gamma", np.mean),
        ("tweedie", np.mean),
    ],
)
def test_without_a_split_the_model_is_the_best_constant(loss, best):
    y = np.random.RandomState(0).gamma(2.0, size=101)
    model = Regressor(loss, quantile=0.8, n_estimators=1).fit(np.zeros((101, 1)), y)
    assert model._booster.start[0] == pytest.approx(
        np.log(best(y)) if loss in ("poisson", "gamma", "tweedie") else best(y)
    )
    if loss != "huber":  # whose rounds move on from the median
        assert model.predict([[0.0]]) == pytest.approx(best(y))


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_quantiles_cover_their_share(quantile):
    rng = np.random.RandomState(0)
    X = rng.uniform(-2, 2, (4000, 2))
    y = X[:, 0] + np.exp(X[:, 1]) * rng.randn(4000)
    model = Regressor("quantile", quantile=quantile, n_estimators=60, max_leaf_nodes=8, random_state=0)
    model.fit(X[:2000], y[:2000])
    assert np.mean(y[:2000] <= model.predict(X[:2000])) == pytest.approx(quantile, abs=0.015)
    assert np.mean(y[2000:] <= model.predict(X[2000:])) == pytest.approx(quantile, abs=0.04)
    assert d2_pinball_score(y[2000:], model.predict(X[2000:]), alpha=quantile) > 0.2


def test_the_median_is_the_absolute_errors_answer():
    X, y = draw(300)
    parameters = {"n_estimators": 5, "random_state": 0}
    median = Regressor("quantile", quantile=0.5, **parameters).fit(X, y)
    absolute = Regressor("absolute_error", **parameters).fit(X, y)
    assert (median.predict(X) == absolute.predict(X)).all()
    assert mean_absolute_error(y, absolute.predict(X)) < mean_absolute_error(y, np.full(300, np.median(y)))


@pytest.mark.parametrize("loss, variance", [("poisson", 1.0), ("gamma", 2.0), ("tweedie", 1.5)])
def test_log_links_stay_positive_and_calibrated(loss, variance):
    rng = np.random.RandomState(0)
    X = rng.randn(2000, 3)
    mean = np.exp(0.5 * X[:, 0] + 0.3 * np.sin(3 * X[:, 1]))
    y = rng.poisson(mean).astype(float) if loss != "gamma" else rng.gamma(3.0, mean / 3.0)
    prediction = Regressor(loss, n_estimators=150, random_state=0).fit(X, y).predict(X)
    assert prediction.min() > 0
    # the score equation of the loss: residuals over the variance, weighed by the mean, vanish
    moment = (y - prediction) * prediction ** (1.0 - variance)
    assert abs(moment.mean()) < 0.005 * (y * prediction ** (1.0 - variance)).mean()
    assert np.corrcoef(prediction, mean)[0, 1] > 0.7


@pytest.mark.parametrize(
    "loss, y, message",
    [
        ("poisson", [-1.0, 2.0, 3.0], "loss='poisson' needs y >= 0 with a positive sum"),
        ("poisson", [0.0, 0.0, 0.0], "loss='poisson' needs y >= 0 with a positive sum"),
        ("tweedie", [-1.0, 2.0, 3.0], "loss='tweedie' needs y >= 0 with a positive sum"),
        ("gamma", [0.0, 2.0, 3.0], "loss='gamma' needs every y > 0"),
    ],
)
def test_targets_outside_a_losss_domain_are_refused(loss, y, message):
    with pytest.raises(ValueError, match=message):
        Regressor(loss).fit(np.zeros((3, 1)), y)


def test_probabilities_beat_the_class_shares():
    X, y = draw(1500)
    for classes in (y > 0.5, thirds(y)):
        model = Classifier(n_estimators=60, random_state=0).fit(X[:1000], classes[:1000])
        p = model.predict_proba(X[1000:])
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
        assert p.min() >= 0.0
        shares = np.bincount(classes[:1000]) / 1000
        assert log_loss(classes[1000:], p) < 0.6 * log_loss(classes[1000:], np.tile(shares, (500, 1)))
        assert (model.predict(X[1000:]) == model.classes_[p.argmax(axis=1)]).all()


def test_a_targets_unit_only_scales_the_predictions():
    X, y = draw(300)
    for loss in ("squared_error", "absolute_error", "huber"):
        for monotonic_cst in (None, [1, 0, 0, 0]):
            model = Regressor(loss, n_estimators=20, random_state=0, monotonic_cst=monotonic_cst)
            plain_unit = clone(model).fit(X, y).predict(X)
            small_unit = clone(model).fit(X, y * 2.0**-12).predict(X)
            np.testing.assert_allclose(small_unit * 2.0**12, plain_unit, rtol=1e-9, atol=1e-9)


def test_weights_of_classes_are_no_repetitions():
    """A row of a heavy class counts once for min_samples_leaf, whether its weight is a whole number or nearly one."""
    rng = np.random.RandomState(0)
    X = rng.randn(600, 4)
    y = (X[:, 0] + rng.randn(600) > 2).astype(int)
    whole, near = (Classifier(class_weight={0: 1, 1: w}, n_estimators=20).fit(X, y) for w in (20, 20.001))
    np.testing.assert_allclose(whole.predict_proba(X), near.predict_proba(X), atol=0.02)
    assert whole.forest_.counts()[whole.forest_.is_leaf].min() >= 20
    weight = np.where(y == 1, 20, 1)
    model = Classifier(n_estimators=20)
    assert model.fit(X, y, weight / 32).fingerprint_ == whole.fingerprint_  # importances, too
    assert model.fit(X, y, weight).fingerprint_ != whole.fingerprint_  # repetitions
