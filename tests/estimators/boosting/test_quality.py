"""`quality`: what the levels cost and give, and that the mean of members is one model in every respect."""

import functools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, mean_squared_error

import spinney
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.ensemble.boosting import round_search
from tests.compiled import slow

R = np.random.default_rng(0)
N = 400
X = pd.DataFrame(R.normal(size=(N, 5)), columns=list("abcde")).assign(f=R.choice(["p", "q", "r", None], N))
X.loc[R.random(N) < 0.1, "b"] = np.nan
NUMBERS = (X.a * X.c + np.sin(2 * X.d) + (X.f == "p") + X.b.fillna(1.0) + 0.3 * R.normal(size=N)).to_numpy()
CLASSES = np.digitize(NUMBERS, [-0.5, 0.7])
TRAIN, TEST = X[:280], X[280:]


def fitted(model, y=NUMBERS, **options):
    return clone(model).set_params(random_state=0).fit(TRAIN, y[:280], **options)


@pytest.fixture
def all_stay(monkeypatch):
    """No member is left out."""
    monkeypatch.setattr(round_search, "_NEARLY_AS_GOOD", np.inf)
    monkeypatch.setattr(round_search, "_ROUGHLY_AS_GOOD", np.inf)


@functools.cache
def of_members():
    """The model of four members, for those who only look at it; they need the fixture."""
    return fitted(GradientBoostingRegressor(quality=4, learning_rate=0.3), eval_set=(TEST, NUMBERS[280:]))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (GradientBoostingRegressor(quality=1), NUMBERS),
        (GradientBoostingClassifier(quality=4, learning_rate=0.3, class_weight="balanced"), CLASSES > 0),
        *slow(
            [
                (GradientBoostingRegressor(quality=5, learning_rate=0.3), NUMBERS),
                (GradientBoostingClassifier(quality=4, learning_rate=0.3), CLASSES),
                (GradientBoostingRegressor("poisson", quality=4, learning_rate=0.3), np.exp(NUMBERS).round()),
                (GradientBoostingRegressor("quantile", quality=4, learning_rate=0.3), NUMBERS),
                (GradientBoostingRegressor(max_bins=None, quality=4, learning_rate=0.3), NUMBERS),
            ]
        ),
    ],
    ids=["first", "two", "numbers", "classes", "poisson", "quantile", "exact"],
)
def test_the_same_model_in_any_order_on_any_number_of_threads_and_by_weights_or_repetitions(model, y):
    random, model = np.random.default_rng(1), clone(model).set_params(random_state=0)
    few, y = X[:160], y[:160]
    order, weight = random.permutation(160), random.integers(0, 3, 160)
    one = clone(model).set_params(n_jobs=1).fit(few.iloc[order], y[order], sample_weight=weight[order])
    if getattr(model, "class_weight", None) is None:
        other = model.fit(few.iloc[np.repeat(np.arange(160), weight)], np.repeat(y, weight))
    else:  # importances are no repetitions
        other = model.fit(few, y, sample_weight=weight)
    assert one.fingerprint_ == other.fingerprint_
    assert one.evals_result_ == other.evals_result_


def test_two_members_are_the_mean_of_their_models(all_stay, monkeypatch):
    level = round_search.LEVELS[4]
    monkeypatch.setitem(round_search.LEVELS, 4, level._replace(shapes=level.shapes[:2]))
    all_columns = {"max_features": 1.0, "learning_rate": 0.3}  # the seed has no part in trees of few rows
    model = fitted(GradientBoostingClassifier(quality=4, **all_columns), CLASSES)
    first = fitted(GradientBoostingClassifier(**all_columns), CLASSES)
    second = fitted(GradientBoostingClassifier(max_depth=6, max_leaf_nodes=64, **all_columns), CLASSES)
    expected = (first.decision_function(TEST) + second.decision_function(TEST)) / 2
    np.testing.assert_allclose(model.decision_function(TEST), expected, atol=1e-5)
    assert model.n_estimators_ == first.n_estimators_ + second.n_estimators_
    assert model.learning_rate_ == first.learning_rate_
    assert model.evals_result_["held_out"] == first.evals_result_["held_out"]
    assert model.evals_result_["held_out_2"] == second.evals_result_["held_out"]


def test_of_several_classes_members_stay_whose_held_out_scores_differ(monkeypatch):
    settings = {"n_informative": 6, "n_redundant": 0, "n_clusters_per_class": 1, "class_sep": 2.0}
    table, y = make_classification(160, 8, n_classes=4, random_state=1, **settings)
    model = GradientBoostingClassifier(quality=4, learning_rate=0.3, random_state=0).fit(table, y)
    best = [min(curve["log_loss"]) for curve in model.evals_result_.values()]
    assert len(best) == 4
    assert sorted(best)[1] > 1.1 * min(best)  # only one would have stayed
    monkeypatch.setattr(round_search, "_ROUGHLY_AS_GOOD", np.inf)
    assert clone(model).fit(table, y).fingerprint_ == model.fingerprint_


def test_members_are_boosted_by_turns_and_every_round_is_scored(all_stay):
    model = of_members()
    stages = list(model.staged_predict(TEST))
    assert len(stages) == len(model) == model.n_iter_ == len(model.train_score_)
    np.testing.assert_array_equal(stages[-1], model.predict(TEST))
    np.testing.assert_array_equal(model[:7].predict(TEST), stages[6])
    scores = model.evals_result_["valid"]["squared_error"]
    np.testing.assert_allclose(scores, [mean_squared_error(NUMBERS[280:], one) for one in stages])
    assert model.train_score_[-1] == pytest.approx(mean_squared_error(NUMBERS[:280], model.predict(TRAIN)), rel=1e-5)
    sizes = [tree.get_n_leaves() for tree in model.estimators_[:40, 0]]
    assert min(sizes) <= 4 < 12 < max(sizes) <= 64  # members of all sizes, from the start


def test_shap_values_files_intervals_and_further_rounds(tmp_path, all_stay):
    model = of_members()
    np.testing.assert_allclose(spinney.explain.shap(model, TEST).total(), model.predict(TEST), atol=1e-9)
    spinney.io.save(model, tmp_path / "model.spinney")
    again = spinney.load(tmp_path / "model.spinney")
    assert (again.fingerprint_, again.quality) == (model.fingerprint_, 4)
    low, high = model.predict_interval(TEST, 0.8).T
    assert 0.6 < np.mean((low <= NUMBERS[280:]) & (NUMBERS[280:] <= high)) <= 1.0
    more = clone(model).set_params(random_state=0).fit(TRAIN, NUMBERS[:280])
    more.set_params(quality=3, n_estimators=len(model) + 5, warm_start=True).fit(TRAIN, NUMBERS[:280])
    assert len(more) == len(model) + 5
    assert more[: len(model)].fingerprint_ == model.fingerprint_


def test_members_that_are_much_worse_are_left_out():
    """Where all columns count together, trees of few leaves are far behind."""
    table = np.random.default_rng(0).integers(0, 2, (300, 5)).astype(float)
    truth = table.sum(axis=1) % 2
    one, all_sizes = (
        GradientBoostingClassifier(quality=k, learning_rate=0.3, max_features=1.0).fit(table, truth) for k in (3, 4)
    )
    scores = [min(curve["log_loss"]) for curve in all_sizes.evals_result_.values()]
    assert len(scores) == 4
    assert max(scores) > 1.1 * min(scores)
    assert log_loss(truth, all_sizes.predict_proba(table)) <= log_loss(truth, one.predict_proba(table)) + 0.01


def test_lower_levels_take_fewer_rounds():
    rounds = [fitted(GradientBoostingRegressor(quality=level)).n_estimators_ for level in (1, 2, 3)]
    assert rounds == sorted(rounds)
    assert rounds[0] < rounds[2] / 2


def test_parameters_that_are_given_apply_to_all_members(all_stay):
    model = fitted(GradientBoostingRegressor(quality=5, learning_rate=0.5, max_leaf_nodes=3, max_depth=1))
    assert {tree.get_depth() for tree in model.estimators_[:, 0]} <= {0, 1}
    assert model.learning_rate_ == 0.5


def test_few_rows_are_the_same_on_every_level():
    few = [GradientBoostingRegressor(quality=level).fit(TRAIN[:60], NUMBERS[:60]) for level in (1, 3, 5)]
    assert len({one.fingerprint_ for one in few}) == 1


def test_the_time_budget_is_for_all_members(all_stay):
    model = fitted(GradientBoostingRegressor(quality=5, time_budget=0.2))
    assert 1 <= len(model) < len(of_members()) + 2_000
    assert np.isfinite(model.predict(TEST)).all()


@pytest.mark.parametrize("given", [{"n_estimators": 9}, {"max_iter": 9}, {"early_stopping": True}])
def test_levels_need_the_choice_of_the_rounds(given):
    with pytest.raises(ValueError, match="quality=4 needs n_estimators='auto' without early stopping"):
        fitted(GradientBoostingRegressor(quality=4, **given))
    with pytest.raises(ValueError, match="'quality' parameter"):
        fitted(GradientBoostingRegressor(quality=6))
