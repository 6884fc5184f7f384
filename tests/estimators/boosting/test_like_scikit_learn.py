"""Scripts written for scikit-learn's two families of boosting: their parameters, attributes and numbers."""

import inspect
import warnings

import numpy as np
import pandas
import pytest
import sklearn.ensemble as theirs
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import get_scorer, log_loss, mean_squared_error
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney import Loss, prune
from spinney._random import ROWS, stream_key
from spinney.datasets import load_tennis
from spinney.ensemble.boosting.row_sampling import choose_rows


def draw(n_rows=200, seed=0, distinct=None, n_columns=3):
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, n_columns) if distinct is None else rng.randint(0, distinct, (n_rows, n_columns)) / 4 - 1.0
    return X, 2 * X[:, 0] + np.sin(3 * X[:, -1]) + 0.5 * rng.randn(n_rows)


X, Y = draw(300)
X_NEW, Y_NEW = draw(200, seed=1)
THREE = np.digitize(Y, [-1, 1])

# --- parameters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_every_parameter_of_both_families_is_taken(kind):
    ours = set(inspect.signature(kind).parameters)
    for name in (kind.__name__, f"Hist{kind.__name__}"):
        assert set(inspect.signature(getattr(theirs, name)).parameters) <= ours
        assert set(inspect.signature(getattr(theirs, name).fit).parameters) <= set(
            inspect.signature(kind.fit).parameters
        )


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("family", ["", "Hist"])
def test_the_defaults_of_both_families_are_valid_here(kind, family):
    model = kind(**getattr(theirs, family + kind.__name__)().get_params())
    model.set_params(n_estimators=3).fit(X, Y > 0)
    assert model.n_iter_ == (3 if family == "" else 100)


def test_max_iter_is_another_name_for_n_estimators():
    assert Regressor(max_iter=7, n_estimators=3).fit(X, Y).n_iter_ == 7
    model = Regressor(max_iter=7, warm_start=True).fit(X, Y)
    assert len(model[:4]) == model[:4].max_iter == 4
    with pytest.raises(ValueError, match="max_iter=5 must be at least the 7 rounds already fitted"):
        model.set_params(max_iter=5).fit(X, Y)


def test_criterion_changes_nothing():
    plain = Regressor(n_estimators=3).fit(X, Y)
    assert Regressor(n_estimators=3, criterion="squared_error").fit(X, Y).fingerprint_ == plain.fingerprint_


def test_the_quantile_may_be_called_alpha():
    for ours in (Regressor("quantile", alpha=0.2), Regressor("quantile", alpha=0.7, quantile=0.2)):
        expected = Regressor("quantile", quantile=0.2, n_estimators=3).fit(X, Y)
        assert ours.set_params(n_estimators=3).fit(X, Y).fingerprint_ == expected.fingerprint_
    usual = Regressor("quantile", n_estimators=3).fit(X, Y)  # scikit-learn's default of alpha
    assert usual.fingerprint_ == Regressor("quantile", quantile=0.9, n_estimators=3).fit(X, Y).fingerprint_


def test_shares_of_rows_are_numbers_of_rows():
    for name, share, number in (("min_samples_leaf", 0.15, 45), ("min_samples_split", 0.3, 90)):
        by_share = Regressor(n_estimators=3).set_params(**{name: share}).fit(X, Y)
        by_number = Regressor(n_estimators=3).set_params(**{name: number}).fit(X, Y)
        assert by_share.fingerprint_ == by_number.fingerprint_ != Regressor(n_estimators=3).fit(X, Y).fingerprint_
    least = Regressor(n_estimators=3, min_weight_fraction_leaf=0.15).fit(X, Y)
    assert least.fingerprint_ == Regressor(n_estimators=3, min_samples_leaf=45).fit(X, Y).fingerprint_
    twice = Regressor(n_estimators=3, min_weight_fraction_leaf=0.15).fit(X, Y, np.full(300, 2.0))
    assert twice.fingerprint_ == Regressor(n_estimators=3, min_samples_leaf=90).fit(X, Y, np.full(300, 2)).fingerprint_


def test_shares_of_weight():
    """Exact where the hessian is the weight; else, and that is said, every row counts once."""
    weight = np.random.RandomState(0).uniform(0.1, 3.0, 300) * (X[:, 1] > -1)
    counted = weight > 0
    for loss in ("squared_error", "absolute_error"):
        model = Regressor(loss, min_weight_fraction_leaf=0.2, min_samples_leaf=1, n_estimators=3).fit(X, Y, weight)
        for (tree,) in model:
            leaves = tree.apply(X)
            least = min(weight[leaves == leaf].sum() for leaf in np.unique(leaves))
            assert 0.199 * weight.sum() < least < 0.5 * weight.sum()
    model = Classifier(min_weight_fraction_leaf=0.2, min_samples_leaf=1, n_estimators=3).fit(X, Y > 0, weight)
    for (tree,) in model:
        leaves = tree.apply(X)[counted]
        assert 0.2 * counted.sum() <= np.unique(leaves, return_counts=True)[1].min() < 0.5 * counted.sum()


PLAIN = {"max_leaf_nodes": None, "min_samples_leaf": 1, "l2_regularization": 0, "min_child_weight": 0}


@pytest.mark.parametrize(
    "limit",
    [
        {"min_samples_split": 40},
        {"min_samples_split": 0.3},
        {"min_impurity_decrease": 0.05},
        {"min_impurity_decrease": 0.2},
        {"min_weight_fraction_leaf": 0.11},
    ],
    ids=str,
)
def test_limits_on_splits_are_scikit_learns(limit):
    for seed in range(3):
        X, y = draw(150, seed, distinct=20)
        parameters = {"max_depth": 3, "n_estimators": 3, "learning_rate": 0.5, **limit}
        ours, other = Regressor(**PLAIN).set_params(**parameters), theirs.GradientBoostingRegressor(**parameters)
        np.testing.assert_allclose(ours.fit(X, y).predict(X), other.fit(X, y).predict(X), atol=1e-5)
        free = clone(ours).set_params(**{name: 2 if "split" in name else 0.0 for name in limit}).fit(X, y)
        assert free.fingerprint_ != ours.fingerprint_


def test_a_decrease_of_impurity_is_a_gain_per_sample():
    """Of any loss; and a weak split is never made, not even above a strong one, unlike with min_split_gain."""
    parameters = {"n_estimators": 5, "subsample": 0.5, "random_state": 0, "min_samples_leaf": 5}
    model = Classifier(min_impurity_decrease=0.01, **parameters).fit(X, Y > 0)
    for (tree,) in model:
        gains, samples = tree.tree_.gain, tree.tree_.n_samples[0]
        inner = tree.tree_.children_left >= 0
        assert (gains[inner] >= 0.01 * samples).all()
        assert inner.any()
    assert model.fingerprint_ != Classifier(**parameters).fit(X, Y > 0).fingerprint_


# --- cost-complexity -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model, y", [(Regressor(), Y), (Classifier(), Y > 0), (Classifier(), THREE)])
def test_the_first_trees_are_those_that_pruning_makes(model, y):
    model = clone(model).set_params(n_estimators=1, min_samples_leaf=5)
    full = clone(model).fit(X, y)
    for alpha in (0.5, 2.0, 10.0, 1e9):
        pruned = clone(model).set_params(ccp_alpha=alpha).fit(X, y)
        expected = prune.cost_complexity(full, alpha)
        assert pruned.fingerprint_ == expected.fingerprint_
        assert (pruned.predict(X) == expected.predict(X)).all()
    assert pruned.forest_.n_trees == pruned.forest_.size.size  # single leaves


def test_later_trees_see_what_pruning_left_over():
    model = Regressor(n_estimators=4, ccp_alpha=2.0, min_samples_leaf=5, random_state=0).fit(X, Y)
    raw = np.full(300, model._booster.start[0])
    for (tree,) in model:
        gradient, leaves = raw - Y, tree.apply(X)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            value = tree.predict(X)[rows][0]
            np.testing.assert_allclose(value, -0.1 * gradient[rows].sum() / (rows.sum() + 1.0), atol=1e-6)
        raw += tree.predict(X)
        assert tree.get_n_leaves() < 20
    np.testing.assert_allclose(model.train_score_[-1], np.mean((raw - Y) ** 2), rtol=1e-12)


def test_pruned_leaves_of_absolute_error_are_medians():
    model = Regressor("absolute_error", n_estimators=3, ccp_alpha=3.0, min_samples_leaf=5).fit(X, Y)
    full = Regressor("absolute_error", n_estimators=3, min_samples_leaf=5).fit(X, Y)
    assert model.forest_.size.size < full.forest_.size.size
    raw = np.full(300, model._booster.start[0])
    for (tree,) in model:
        leaves, added = tree.apply(X), tree.predict(X)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            assert added[rows][0] == pytest.approx(0.1 * np.median((Y - raw)[rows]), rel=1e-12, abs=1e-15)
        raw += added


def test_the_price_of_a_leaf_is_in_the_users_units():
    model = Regressor(n_estimators=3, ccp_alpha=2.0, min_samples_leaf=5, random_state=0).fit(X, Y)
    other = clone(model).set_params(ccp_alpha=2.0 * 2.0**200).fit(X, Y * 2.0**100)
    np.testing.assert_allclose(other.predict(X) / 2.0**100, model.predict(X), rtol=1e-9)


# --- the numbers where the partition leaves no choice -----------------------------------------------------------------

# With few values a column and no limits every value has its leaf, and only losses, leaves and starts matter.
ONE_COLUMN = np.random.RandomState(0).randint(0, 9, (150, 1)).astype(float)
ITS_Y = np.sin(ONE_COLUMN[:, 0]) + np.random.RandomState(1).randn(150)
ALL = {"max_depth": None, "max_leaf_nodes": None, "min_samples_leaf": 1, "n_estimators": 12}


@pytest.mark.parametrize("weight", [None, np.random.RandomState(2).randint(1, 4, 150).astype(float)])
@pytest.mark.parametrize("init", [None, "zero", "model"])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "log_loss", "exponential"])
def test_losses_starts_and_training_scores_are_scikit_learns(loss, init, weight):
    of_classes = loss in ("log_loss", "exponential")
    name = "GradientBoostingClassifier" if of_classes else "GradientBoostingRegressor"
    y = np.where(ITS_Y > 0.4, "yes", "no") if of_classes else ITS_Y
    if init == "model":
        init = DummyClassifier(strategy="prior") if of_classes else DummyRegressor(strategy="mean")
    other = getattr(theirs, name)(loss=loss, init=init, **ALL)
    ours = (Classifier if of_classes else Regressor)(loss, init=init, **ALL, l2_regularization=0, min_child_weight=0)
    ours.fit(ONE_COLUMN, y, weight)
    other.fit(ONE_COLUMN, y, weight)
    answer = "predict_proba" if of_classes else "predict"
    if loss in ("absolute_error", "quantile"):  # gradients are signs: ours makes no split that gains nothing
        assert ours.train_score_[-1] == pytest.approx(other.train_score_[-1], rel=0.03)
        return
    np.testing.assert_allclose(getattr(ours, answer)(ONE_COLUMN), getattr(other, answer)(ONE_COLUMN), atol=1e-5)
    np.testing.assert_allclose(ours.train_score_, other.train_score_, rtol=1e-5)
    assert ours.train_score_.dtype == other.train_score_.dtype
    for one, two in zip(getattr(ours, f"staged_{answer}")(ONE_COLUMN), getattr(other, f"staged_{answer}")(ONE_COLUMN)):
        np.testing.assert_allclose(one, two, atol=1e-5)
    if init is None:
        assert type(ours.init_) is type(other.init_)
        np.testing.assert_allclose(getattr(ours.init_, answer)(ONE_COLUMN), getattr(other.init_, answer)(ONE_COLUMN))


def test_exponential_loss_is_for_two_classes():
    with pytest.raises(ValueError, match=r"loss='exponential' needs two classes, but y has 3. Use loss='log_loss'"):
        Classifier("exponential").fit(X, THREE)
    with pytest.raises(ValueError, match=r"loss must be 'log_loss', 'exponential' or a custom loss .*, got 'hinge'"):
        Classifier("hinge").fit(X, Y > 0)
    with pytest.raises(ValueError, match=r"loss must be one of .*, got 'exponential'"):
        Regressor("exponential").fit(X, Y)
    model = Classifier("exponential", n_estimators=30, random_state=0)
    model.fit(X, Y > 0, eval_set=(X_NEW, Y_NEW > 0))
    assert list(model.evals_result_["valid"]) == ["exponential"]
    assert np.diff(model.train_score_).max() < 0
    p = model.predict_proba(X_NEW)[:, 1]
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-2 * model.decision_function(X_NEW))), rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X_NEW), np.log(model.predict_proba(X_NEW)), rtol=1e-9)
    assert (model.predict(X_NEW) == (p > 0.5)).all()
    weights = np.random.RandomState(0).randint(0, 4, 300)
    repeated = np.repeat(np.arange(300), weights)
    assert model.fit(X, Y > 0, weights).fingerprint_ == model.fit(X[repeated], Y[repeated] > 0).fingerprint_


# --- attributes ------------------------------------------------------------------------------------------------------


def test_attributes_of_both_families():
    frame = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "x", "y")})
    model = Classifier(n_estimators=4, max_features=0.5).fit(frame, THREE)
    assert (model.n_trees_per_iteration_, model.n_estimators_, model.max_features_) == (3, 4, 1)
    assert model.is_categorical_.tolist() == [False, True]
    assert model.is_categorical_.dtype == bool
    assert (model.do_early_stopping_, model.scorer_, model.validation_score_.shape) == (False, None, (0,))
    assert model.train_score_.shape == (4,)
    assert not hasattr(model, "oob_score_")
    model = Regressor(n_estimators=4).fit(X, Y)
    assert (model.n_trees_per_iteration_, model.is_categorical_) == (1, None)
    assert model[:2].train_score_.tolist() == model.train_score_[:2].tolist()
    assert not any(hasattr(Regressor(), name) for name in ("init_", "n_estimators_", "n_trees_per_iteration_"))


def test_the_training_score_is_of_every_row_by_its_weight():
    weight = np.random.RandomState(0).uniform(size=300) * (X[:, 0] > -1)
    model = Regressor(n_estimators=5).fit(X, Y, weight)
    for k, prediction in enumerate(model.staged_predict(X)):
        assert model.train_score_[k] == pytest.approx(mean_squared_error(Y, prediction, sample_weight=weight))
    model = Classifier(n_estimators=5).fit(X, THREE, weight)
    for k, p in enumerate(model.staged_predict_proba(X)):
        assert model.train_score_[k] == pytest.approx(log_loss(THREE, p, sample_weight=weight))


def test_the_training_score_of_far_targets_is_in_their_units():
    near, far = Regressor(n_estimators=3).fit(X, Y), Regressor(n_estimators=3).fit(X, Y * 2.0**100)
    np.testing.assert_allclose(far.train_score_, near.train_score_ * 2.0**200, rtol=1e-9)


def test_a_loss_without_a_value_has_no_training_score():
    bare = Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0)
    model = Regressor(loss=bare, n_estimators=2).fit(X, Y)
    assert not hasattr(model, "train_score_")
    valued = Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0, value=lambda y, raw: (raw - y) ** 2)
    model = Regressor(loss=valued, n_estimators=2).fit(X, Y)
    assert model.train_score_[-1] == pytest.approx(mean_squared_error(Y, model.predict(X)))
    model.set_params(loss=bare).fit(X, Y)
    assert not hasattr(model, "train_score_")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model, y", [(Regressor(), Y), (Classifier(), Y > 0), (Classifier(), THREE)])
def test_out_of_bag_scores_are_of_the_rows_left_out(model, y, weighted):
    counts = np.random.RandomState(0).randint(0, 3, 300) if weighted else None
    model = clone(model).set_params(n_estimators=6, subsample=0.5, random_state=0, init="zero").fit(X, y, counts)
    weight = np.ones(300) if counts is None else counts
    if isinstance(model, Regressor):
        stages, metric = [np.zeros(300), *model.staged_predict(X)], mean_squared_error
    else:
        n = len(model.classes_)
        stages, metric = [np.full((300, n), 1 / n), *model.staged_predict_proba(X)], log_loss

    def loss(at, rows):
        factor = 2 if metric is log_loss and at.shape[1] == 2 else 1
        return factor * metric(y[rows], at[rows], sample_weight=weight[rows])

    scores = []
    for k in range(6):
        drawn = choose_rows(stream_key(model._seed, ROWS, k), 0.5, counts, 300)
        left_out = np.setdiff1d(np.flatnonzero(weight > 0), drawn)
        before = scores[-1] if scores else loss(stages[0], left_out)
        scores.append(loss(stages[k + 1], left_out))
        assert model.oob_improvement_[k] == pytest.approx(before - scores[-1])
        assert model.train_score_[k] == pytest.approx(loss(stages[k + 1], drawn))
    np.testing.assert_allclose(model.oob_scores_, scores)
    assert model.oob_score_ == model.oob_scores_[-1]
    assert isinstance(model.oob_score_, float)
    assert model[:3].oob_score_ == model.oob_scores_[2]


def test_a_warm_start_goes_on_with_its_series():
    whole = Regressor(n_estimators=8, subsample=0.5, random_state=0).fit(X, Y)
    parts = Regressor(n_estimators=3, subsample=0.5, random_state=0, warm_start=True).fit(X, Y)
    parts.set_params(n_estimators=8).fit(X, Y)
    for name in ("train_score_", "oob_scores_", "oob_improvement_", "validation_score_"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    unknown = Regressor(n_estimators=3, random_state=0, warm_start=True).fit(X, Y)
    unknown.set_params(n_estimators=5, subsample=0.5).fit(X, Y)
    assert np.isnan(unknown.oob_scores_).tolist() == [True] * 3 + [False] * 2


# --- early stopping --------------------------------------------------------------------------------------------------


def test_n_iter_no_change_alone_stops_early():
    quick = {"n_estimators": 300, "learning_rate": 0.3, "random_state": 0}
    model = Regressor(n_iter_no_change=5, **quick).fit(X, Y)
    assert model.n_iter_ < 300
    assert model.do_early_stopping_
    said = Regressor(n_iter_no_change=5, early_stopping=True, **quick).fit(X, Y)
    assert said.fingerprint_ == model.fingerprint_
    never = Regressor(n_iter_no_change=5, early_stopping=False, **quick).fit(X, Y)
    assert never.n_iter_ == 300
    ten = Regressor(n_iter_no_change=10, **quick).fit(X, Y)
    assert Regressor(early_stopping=True, **quick).fit(X, Y).fingerprint_ == ten.fingerprint_
    assert model.train_score_.shape == (model.n_estimators_,) == (model.best_iteration_,)


def test_validation_scores_are_those_of_histogram_boosting():
    ours = Regressor(
        n_estimators=20,
        l2_regularization=0,
        early_stopping=True,
        n_iter_no_change=20,
        max_bins=255,
        min_samples_leaf=10,
    )
    X, y = draw(120, distinct=16)
    X_new, y_new = draw(60, seed=1, distinct=16)
    other = HistGradientBoostingRegressor(max_iter=20, early_stopping=True, n_iter_no_change=20, min_samples_leaf=10)
    ours.fit(X, y, X_val=X_new, y_val=y_new, sample_weight_val=np.arange(60.0))
    with threadpool_limits(1):
        other.fit(X, y, X_val=X_new, y_val=y_new, sample_weight_val=np.arange(60.0))
    assert ours.validation_score_.shape == (21,)
    np.testing.assert_allclose(ours.validation_score_, other.validation_score_, rtol=1e-4)


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"X_val": X_NEW}, "X_val and y_val must be given together"),
        ({"y_val": Y_NEW}, "X_val and y_val must be given together"),
        ({"sample_weight_val": Y_NEW}, "sample_weight_val was given without X_val and y_val"),
        (
            {"X_val": X_NEW, "y_val": Y_NEW, "eval_set": (X, Y)},
            "X_val, y_val and eval_set both give evaluation sets. Pass either",
        ),
    ],
)
def test_impossible_validation_sets_are_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        Regressor(n_estimators=2).fit(X, Y, **kwargs)


def test_a_monitor_is_refused_by_the_name_of_ours():
    with pytest.raises(TypeError, match=r"fit has no monitor. Use the parameter callbacks=\[function\]"):
        Regressor().fit(X, Y, monitor=print)


def test_training_rows_can_decide():
    model = Regressor(n_estimators=20, early_stopping=True, validation_fraction=None, tol=0.05).fit(X, Y)
    assert list(model.evals_result_) == ["train"]
    plain = Regressor(n_estimators=model.best_iteration_).fit(X, Y)
    assert plain.fingerprint_ == model.fingerprint_
    np.testing.assert_allclose(
        model.evals_result_["train"]["squared_error"][: model.best_iteration_], plain.train_score_
    )
    np.testing.assert_allclose(-2 * model.validation_score_[1:], model.evals_result_["train"]["squared_error"])


LABELS = np.array(["no", "yes"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "accuracy", "f1_macro", "balanced_accuracy", None])
def test_a_scorer_decides(scoring, weighted):
    y, y_new = LABELS[(Y > 0).astype(int)], LABELS[(Y_NEW > 0).astype(int)]
    weight = np.random.RandomState(0).uniform(size=200) if weighted else None
    model = Classifier(n_estimators=40, early_stopping=True, scoring=scoring, n_iter_no_change=40, learning_rate=0.3)
    model.fit(X, y, eval_set=(X_NEW, y_new, weight))
    scorer = get_scorer(scoring or "accuracy")
    expected = [scorer(model[:k], X_NEW, y_new, sample_weight=weight) for k in range(1, model.best_iteration_ + 1)]
    np.testing.assert_allclose(model.validation_score_[1 : model.best_iteration_ + 1], expected, rtol=1e-12)
    assert model.best_iteration_ == np.argmax(model.validation_score_[1:]) + 1
    assert model.validation_score_.shape == (model.n_iter_ + 1,) == (41,)
    assert callable(model.scorer_)
    assert list(model.evals_result_["valid"]) == [scoring or "accuracy"]


def test_a_function_is_given_the_model_the_rows_and_the_labels():
    frame = pandas.DataFrame(X, columns=list("abc"))
    y = LABELS[(Y > 0).astype(int)]
    seen = []

    def half(model, table, labels):
        seen.append((len(table), sorted(set(labels)), model.predict_proba(table)))
        part = table.iloc[::2]
        return np.mean(model.predict(part) == labels[::2])

    model = Classifier(n_estimators=6, n_iter_no_change=6, scoring=half, random_state=0).fit(frame, y)
    assert len(seen) == 7
    assert seen[0][:2] == (30, ["no", "yes"])
    assert list(model.evals_result_["valid"]) == ["half"]
    explicit = Classifier(n_estimators=6, random_state=0).fit(frame, y)  # on all rows, but of the same kind
    assert explicit.classes_.tolist() == ["no", "yes"]
    assert model.scorer_ is half
    np.testing.assert_allclose(seen[0][2], np.tile(seen[0][2][:1], (30, 1)))  # before the first round


def test_other_metrics_are_scored_besides_the_scorer():
    model = Regressor(n_estimators=5, early_stopping=True, scoring="r2")
    model.fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=["mae", "r2"])
    assert list(model.evals_result_["valid"]) == ["r2", "absolute_error"]
    with pytest.raises(ValueError, match=r"scoring='r3' is not a score. Did you mean 'r2'"):
        model.set_params(scoring="r3").fit(X, Y)
    model.set_params(early_stopping=False).fit(X, Y)  # nobody asks for it
    assert model.scorer_ is None


def test_a_warm_start_goes_on_with_its_validation_scores():
    model = Classifier(n_estimators=30, early_stopping=True, scoring="roc_auc", random_state=0, n_iter_no_change=30)
    whole = clone(model).fit(X, Y > 0)
    parts = clone(model).set_params(n_estimators=1, warm_start=True).fit(X, Y > 0)
    parts.set_params(n_estimators=30).fit(X, Y > 0)
    np.testing.assert_array_equal(parts.validation_score_, whole.validation_score_)


def test_searches_take_models_that_stop_by_a_scorer():
    model = Classifier(n_estimators=5, n_iter_no_change=2, scoring="roc_auc", init=DummyClassifier(strategy="prior"))
    found = GridSearchCV(model, {"max_iter": [2, 4]}, cv=2).fit(X, Y > 0)
    assert found.best_score_ > 0.8


# --- tables too small to split ----------------------------------------------------------------------------------------


def test_a_table_too_small_for_its_leaves_is_said():
    table, y = load_tennis()
    with pytest.warns(UserWarning, match="two leaves of min_samples_leaf=20 need 40 samples, but there are 14"):
        Classifier(min_samples_leaf=20).fit(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Classifier(min_samples_leaf=1, min_samples_category=1).fit(table, y)
        Regressor(n_estimators=1).fit(X[:39], Y[:39], np.full(39, 2))  # 78 samples
    assert model.score(table, y) == 1.0
    with pytest.warns(UserWarning, match="Set min_samples_leaf and min_samples_category to 1, for example"):
        Classifier(min_samples_leaf=20).fit(table, y)
    with pytest.warns(UserWarning, match="Set min_samples_leaf to 3, for example"):
        Regressor(n_estimators=1, min_samples_leaf=20).fit(X[:39], Y[:39])


# --- logarithms ------------------------------------------------------------------------------------------------------


def test_logarithms_of_probabilities():
    for y in (Y > 0, THREE):
        model = Classifier(n_estimators=20).fit(X, y)
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)), rtol=1e-12, atol=1e-14)
    far = Classifier(n_estimators=3).fit(X, Y > 0).predict_log_proba(X, init_score=np.full(300, 2000.0))
    assert (far[:, 0] < -1900).all()
    assert (far[:, 1] == 0).all()
    own = Loss(
        gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0, inverse_link=lambda raw: min(max(raw, 0.0), 1.0)
    )
    model = Classifier(loss=own, n_estimators=3).fit(X, Y > 0)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))
