"""`n_estimators="auto"`: what is chosen, by what, and that rows' order, threads and repetitions have no part in it."""

import functools
import itertools
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

import spinney
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.datasets import load_penguins, load_restaurant, load_tennis

R = np.random.default_rng(0)
X = R.normal(size=(600, 6))
NUMBERS = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.3 * R.normal(size=600)
CLASSES = np.digitize(NUMBERS, [-0.5, 0.7])
FEW = 180  # rows, where all are as good


def fitted(model, *arguments, **options):
    return model.set_params(random_state=0).fit(*arguments, **options)


@functools.cache
def of_numbers():
    """The model of all rows, for those who only look at it."""
    return fitted(GradientBoostingRegressor(), X, NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "y"),
    [
        (GradientBoostingRegressor, NUMBERS),
        (GradientBoostingClassifier, CLASSES),
        (GradientBoostingClassifier, CLASSES == 1),
        (lambda: GradientBoostingRegressor("poisson", learning_rate=0.3), np.exp(NUMBERS).round()),
        (lambda: GradientBoostingRegressor("quantile", quantile=0.8, learning_rate=0.3), NUMBERS),
        (lambda: GradientBoostingRegressor(max_bins=None, learning_rate=0.3), NUMBERS),
    ],
    ids=["numbers", "classes", "two", "poisson", "quantile", "exact"],
)
def test_the_same_model_in_any_order_on_any_number_of_threads_and_by_weights_or_repetitions(make, y):
    random = np.random.default_rng(1)
    order, weight = random.permutation(len(y)), random.integers(0, 3, len(y))
    order = order[order < FEW]
    one = fitted(make().set_params(n_jobs=1), X[order], y[order], sample_weight=weight[order])
    other = fitted(make(), np.repeat(X[:FEW], weight[:FEW], axis=0), np.repeat(y[:FEW], weight[:FEW]))
    assert one.fingerprint_ == other.fingerprint_
    assert one.evals_result_ == other.evals_result_


def test_a_long_search_is_announced_once(monkeypatch, capsys):
    """Any time is long here, and then none is."""
    from spinney._compile import say_once
    from spinney.ensemble.boosting import fit as boosting_auto

    monkeypatch.setenv("SPINNEY_QUIET", "0")
    say_once.cache_clear()
    monkeypatch.setattr(boosting_auto, "_LONG", 0.0)
    short = {"learning_rate": 1.0, "callbacks": lambda info: True}
    for _ in range(2):
        fitted(GradientBoostingRegressor(**short), X[:120], NUMBERS[:120])
    lines = [line for line in capsys.readouterr().err.splitlines() if "choosing" in line]
    assert len(lines) == 1
    assert lines[0].endswith("Set n_estimators=100, or any other number, to skip it, or verbose=1 to see its progress.")
    say_once.cache_clear()
    fitted(GradientBoostingRegressor(verbose=1, **short), X[:120], NUMBERS[:120])
    monkeypatch.setattr(boosting_auto, "_LONG", float("inf"))
    fitted(GradientBoostingRegressor(**short), X[:120], NUMBERS[:120])
    now = itertools.count(0, 1000)
    spent = [0.0]  # as long as the search: all of it is compiling
    monkeypatch.setattr(boosting_auto, "_LONG", 3.0)
    clock = SimpleNamespace(perf_counter=lambda: spent.append(next(now)) or spent[-1])
    monkeypatch.setattr(boosting_auto, "time", clock)
    monkeypatch.setattr(boosting_auto, "seconds_spent", lambda: spent[-1])
    fitted(GradientBoostingRegressor(**short), X[:120], NUMBERS[:120])
    assert "to skip it" not in capsys.readouterr().err
    assert len(spent) > 2


@pytest.mark.slow
def test_what_was_chosen_is_said():
    model = of_numbers()
    (curve,) = model.evals_result_["held_out"].values()
    best = int(np.argmin(curve)) + 1
    assert model.n_estimators_ * model.learning_rate_ == pytest.approx(1.1 * best * 0.1, rel=0.06)
    assert (model.max_leaf_nodes_, model.min_samples_leaf_, model.max_features_) == (12, 5, 4)
    again = GradientBoostingRegressor(
        n_estimators=model.n_estimators_, learning_rate=model.learning_rate_, max_leaf_nodes=12, min_samples_leaf=5,
        max_features=model.max_features_, min_samples_category=3, random_state=0,
    ).fit(X, NUMBERS)  # fmt: skip
    assert again.fingerprint_ == model.fingerprint_


def test_a_number_means_that_number():
    model = fitted(GradientBoostingRegressor(n_estimators=7), X, NUMBERS)
    assert (model.n_estimators_, model.learning_rate_) == (7, 0.1)
    assert (model.max_leaf_nodes_, model.min_samples_leaf_, model.max_features_) == (31, 20, 6)
    assert fitted(GradientBoostingRegressor(max_iter=7), X, NUMBERS).n_estimators_ == 7
    model = fitted(GradientBoostingRegressor(learning_rate=0.3, min_samples_leaf=9, max_leaf_nodes=4), X, NUMBERS)
    assert (model.learning_rate_, model.max_leaf_nodes_, model.min_samples_leaf_) == (0.3, 4, 9)


def test_better_than_a_hundred_rounds_on_new_rows():
    random = np.random.default_rng(1)
    rows, answers = random.normal(size=(4_000, 6)), random.normal(size=4_000)
    truth = rows[:, 0] * rows[:, 1] + np.sin(2 * rows[:, 2])
    auto = of_numbers().score(rows, truth)
    assert auto > fitted(GradientBoostingRegressor(n_estimators=100), X, NUMBERS).score(rows, truth)
    noise = fitted(GradientBoostingRegressor(), rows[:600], answers[:600])
    assert noise.score(rows[600:], answers[600:]) > -0.03
    classic = fitted(GradientBoostingRegressor(n_estimators=100), rows[:600], answers[:600])
    assert classic.score(rows[600:], answers[600:]) < -0.1


@pytest.mark.parametrize("load", [load_tennis, load_restaurant])
@pytest.mark.parametrize("rounds", ["auto", 100])
def test_small_tables_are_learnt(load, rounds):
    table, answers = load()
    assert fitted(GradientBoostingClassifier(n_estimators=rounds), table, answers).score(table, answers) == 1.0


def test_thirty_rows_of_numbers_are_learnt():
    assert fitted(GradientBoostingRegressor(), X[:30], 3 * X[:30, 0]).score(X[:30], 3 * X[:30, 0]) > 0.9


def test_a_class_of_two_rows_is_learnt():
    y = CLASSES.copy()
    y[:2], rows = 3, X.copy()
    rows[:2] += 20.0
    model = fitted(GradientBoostingClassifier(), rows, y)
    assert model.min_samples_leaf_ == 1
    assert (model.predict(rows[:2]) == 3).all()


def test_sparse_and_frames_with_categories():
    random = np.random.default_rng(1)
    cells = X * (random.random(X.shape) < 0.2)
    model = GradientBoostingRegressor(learning_rate=0.3)
    dense = fitted(model, cells, NUMBERS).fingerprint_
    assert fitted(model, scipy.sparse.csr_array(cells), NUMBERS).fingerprint_ == dense
    table, species = load_penguins()
    model = fitted(GradientBoostingClassifier(learning_rate=0.3), table, species)
    order = random.permutation(len(species))
    shuffled = fitted(GradientBoostingClassifier(learning_rate=0.3), table.iloc[order], np.asarray(species)[order])
    assert model.fingerprint_ == shuffled.fingerprint_


@pytest.mark.slow
def test_verbose_says_what_was_chosen(capsys):
    model = fitted(GradientBoostingRegressor(verbose=1), X, NUMBERS)
    text = capsys.readouterr().err
    assert f"chosen: {model.n_estimators_} rounds at learning rate {model.learning_rate_:.3g} (by 5 folds" in text
    assert "s left" in text


def test_time_budget(monkeypatch):
    readings = itertools.count()  # a clock that goes on by a millisecond whenever it is read
    monkeypatch.setattr(time, "perf_counter", lambda: next(readings) / 1000)
    random = np.random.default_rng(1)
    rows, y = random.normal(size=(6_000, 10)), random.normal(size=6_000)
    y += rows[:, 0] * rows[:, 1] * 3
    free = fitted(GradientBoostingRegressor(), rows, y)
    short = fitted(GradientBoostingRegressor(time_budget=0.02), rows, y)
    assert 1 <= short.n_estimators_ < free.n_estimators_
    assert short.learning_rate_ >= free.learning_rate_  # equal where only the first rounds were searched in time
    ended = fitted(GradientBoostingRegressor(n_estimators=100_000, time_budget=0.02), rows, y)
    assert 1 <= ended.n_estimators_ < 100_000
    with pytest.raises(ValueError, match="time_budget"):
        GradientBoostingRegressor(time_budget=0).fit(rows, y)


@pytest.mark.slow
def test_early_stopping_and_evaluation_sets():
    stopped = fitted(GradientBoostingRegressor(early_stopping=True), X, NUMBERS)
    assert "held_out" not in stopped.evals_result_
    assert 1 <= stopped.n_estimators_ <= 1_500
    watched = fitted(GradientBoostingRegressor(), X, NUMBERS, eval_set=(X, NUMBERS))
    assert len(watched.evals_result_["valid"]["squared_error"]) == watched.n_estimators_
    assert watched.fingerprint_ == of_numbers().fingerprint_


@pytest.mark.slow
def test_the_metric_and_the_scorer_of_the_user_choose():
    by_name = fitted(GradientBoostingClassifier(), X[:FEW], CLASSES[:FEW], eval_metric="accuracy")
    assert list(by_name.evals_result_["held_out"]) == ["accuracy"]
    by_scorer = fitted(GradientBoostingRegressor(scoring="r2"), X[:FEW], NUMBERS[:FEW])
    assert list(by_scorer.evals_result_["held_out"]) == ["r2"]


def test_initial_estimators_and_offsets_are_held_out_too():
    y = 5 * X[:, 3] + NUMBERS
    model = fitted(GradientBoostingRegressor(learning_rate=0.3, init=LinearRegression()), X, y)
    assert model.score(X, y) > 0.95
    offset = fitted(GradientBoostingRegressor(learning_rate=0.3), X, y, init_score=5 * X[:, 3])
    assert np.mean((offset.predict(X, init_score=5 * X[:, 3]) - y) ** 2) < 0.3


def test_targets_too_large_for_a_loss_are_learnt_with_the_usual_rounds():
    model = fitted(GradientBoostingRegressor(), X, NUMBERS * 1e300)
    assert model.n_estimators_ == 100
    assert np.corrcoef(model.predict(X) / 1e300, NUMBERS)[0, 1] > 0.8


@pytest.mark.slow
def test_warm_start_wants_a_number():
    model = fitted(GradientBoostingRegressor(warm_start=True), X, NUMBERS)
    first, rate = model.n_estimators_, model.learning_rate_
    with pytest.raises(ValueError, match=rf"Set it to more than the {first} rounds already fitted"):
        model.fit(X, NUMBERS)
    model.set_params(n_estimators=first + 5).fit(X, NUMBERS)
    assert (model.n_estimators_, model.learning_rate_) == (first + 5, rate)


@pytest.mark.slow
def test_cross_validation_of_rounds_ends_by_itself():
    result = spinney.boosting_cv(GradientBoostingRegressor(random_state=0), X, NUMBERS, cv=3)
    assert result.best_iteration < len(result.mean()) < 1_500


def test_the_parameters_survive_cloning_and_pickling():
    model = clone(GradientBoostingClassifier(n_estimators="auto"))
    assert model.get_params()["learning_rate"] == "auto"
    with pytest.raises(ValueError, match="n_estimators"):
        GradientBoostingClassifier(n_estimators="many").fit(X, CLASSES)


@pytest.mark.slow
def test_tables_of_few_different_rows():
    table = pd.DataFrame({"a": list("xyz") * 200, "b": [True, False] * 300})
    y = (table["a"] == "x").to_numpy() ^ table["b"].to_numpy()
    assert fitted(GradientBoostingClassifier(), table, y).score(table, y) == 1.0


@pytest.mark.parametrize("size", [1, 2])
def test_classes_of_a_row_or_two(size):
    y = np.arange(60) // size
    model = fitted(GradientBoostingClassifier(max_depth=1, learning_rate=1.0), X[:60], y)
    assert model.predict_proba(X[:5]).shape == (5, 60 // size)
