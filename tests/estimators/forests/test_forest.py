"""Forests: the same on any threads, in any order of rows and however repetitions are written; judged out of bag."""

import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score
from sklearn.model_selection import cross_val_score
from sklearn.utils import compute_sample_weight
from sklearn.utils.estimator_checks import parametrize_with_checks

import spinney
from spinney import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from spinney.data.target import class_target
from spinney.datasets import load_penguins
from tests.compiled import slow

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)
ALL = (*CLASSIFIERS, *REGRESSORS)
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")


def draw(n, seed=0):
    """Five columns: numbers, few values, gaps, whole numbers that can pass for categories, noise; and a signal."""
    random = np.random.RandomState(seed)
    X = np.column_stack(
        [random.randn(n), random.randint(0, 9, n), random.randn(n), random.randint(0, 12, n), random.rand(n)]
    )
    X[random.rand(n) < 0.15, 2] = np.nan
    signal = X[:, 0] + np.sin(X[:, 1]) + np.nan_to_num(X[:, 2], nan=0.7) * (X[:, 3] % 3 - 1)
    return X, signal + 0.5 * random.randn(n)


X, Y = draw(300)
TWO, THREE = (Y > 0).astype(int), np.digitize(Y, [-1, 1])


def target_for(kind):
    return TWO if kind in CLASSIFIERS else Y


def make(kind, **options):
    return kind(**{"n_estimators": 6, "random_state": 1, **options})


def trees_of(model):
    """What every tree asks; not how many rows it had, which repetitions change, nor what follows from that."""
    return [(one.feature, one.threshold, one.weight) for one in map(model.forest_.tree, range(len(model)))]


def assert_same_trees(one, other):
    for mine, theirs in zip(trees_of(one), trees_of(other), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


# --- scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@parametrize_with_checks([kind(n_estimators=5, max_bins=None) for kind in ALL])
def test_scikit_learn_checks(estimator, check):
    """With every threshold; for bins see test_checks.py."""
    check(estimator)


@pytest.mark.parametrize("kind", ALL)
def test_parameters_and_defaults_are_scikit_learns(kind):
    theirs = getattr(sklearn.ensemble, kind.__name__)().get_params()
    mine = kind().get_params()
    if kind is RandomForestRegressor:  # chosen by measurement, see CHANGELOG.md
        assert (mine.pop("max_features"), theirs.pop("max_features")) == (0.67, 1.0)
    assert {name: mine.get(name, "not there") for name in theirs} == theirs


@pytest.mark.slow
@pytest.mark.parametrize("max_bins", [255, None])
@pytest.mark.parametrize("kind", ALL)
def test_as_good_as_scikit_learns(kind, max_bins):
    X, y = load_breast_cancer(return_X_y=True) if kind in CLASSIFIERS else load_diabetes(return_X_y=True)
    options = {"n_estimators": 40, "random_state": 0, "min_samples_leaf": 2, "max_features": 0.4}
    mine = cross_val_score(kind(max_bins=max_bins, **options), X, y, cv=3).mean()
    theirs = cross_val_score(getattr(sklearn.ensemble, kind.__name__)(**options), X, y, cv=3).mean()
    assert mine == pytest.approx(theirs, abs=0.02 if kind in CLASSIFIERS else 0.05)


def test_importances_of_iris():
    """The lectures' figures: 0.11, 0.02, 0.44, 0.42."""
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(300, random_state=42).fit(X, y)
    np.testing.assert_allclose(model.feature_importances_, [0.11, 0.02, 0.44, 0.42], atol=0.05)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


# --- the same forest ------------------------------------------------------------------------------------------------

MANY, MANY_Y = draw(3000)
FITS = {
    "codes": (RandomForestClassifier(), MANY_Y > 0),
    "random codes": (ExtraTreesClassifier(), MANY_Y > 0),
    "numbers": (RandomForestRegressor(max_features=2), MANY_Y),
    "random numbers": (ExtraTreesRegressor(bootstrap=True), MANY_Y),
    "classes": (RandomForestClassifier(oob_score=True), np.digitize(MANY_Y, [-1, 1])),
    "exact": (RandomForestClassifier(max_bins=None), MANY_Y > 0),
    "random exact": (ExtraTreesRegressor(max_bins=None), MANY_Y),
    "categories": (RandomForestRegressor(categorical_features=[3]), MANY_Y),
    "classes of categories": (RandomForestClassifier(categorical_features=[1, 3]), np.digitize(MANY_Y, [-1, 1])),
    "random cuts of categories": (ExtraTreesClassifier(categorical_features=[3]), MANY_Y > 0),
    "best-first": (RandomForestClassifier(max_leaf_nodes=30), MANY_Y > 0),
    "absolute": (RandomForestRegressor(criterion="absolute_error", max_depth=4), MANY_Y),
}


RARE = ("absolute", "random cuts of categories")  # each has kernels of its own


@pytest.mark.parametrize("name", [*(name for name in FITS if name not in RARE), *slow(RARE)])
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_the_same_forest_on_any_number_of_threads(name):
    model, y = FITS[name]
    options = {"n_estimators": 7, "random_state": 3}
    fits = [clone(model).set_params(n_jobs=n_jobs, **options).fit(MANY, y) for n_jobs in (1, 2, 3, 5)]
    assert len({fit.fingerprint_ for fit in fits}) == 1
    assert len(fits[0]) == 7
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.predict(MANY), fits[0].predict(MANY))
        np.testing.assert_array_equal(fit.feature_importances_, fits[0].feature_importances_)
    if hasattr(fits[0], "predict_proba"):
        np.testing.assert_array_equal(fits[1].predict_proba(MANY), fits[0].predict_proba(MANY))
    assert clone(fits[0]).set_params(random_state=4).fit(MANY, y).fingerprint_ != fits[0].fingerprint_


SAME = [
    *(make(kind) for kind in ALL),
    make(RandomForestClassifier, max_bins=None),
    make(RandomForestRegressor, max_bins=None, max_features=2),
    make(RandomForestRegressor, categorical_features=[3]),
    make(ExtraTreesClassifier, bootstrap=True),
    make(RandomForestClassifier, max_samples=0.5, features_per="tree", max_features=2),
]


@pytest.mark.parametrize("model", SAME, ids=str)
def test_the_order_of_the_rows_does_not_matter(model):
    y = target_for(type(model))
    order = np.random.RandomState(0).permutation(len(X))
    one, other = clone(model).fit(X, y), clone(model).fit(X[order], y[order])
    assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("weight", [np.arange(len(X)) % 3 + 1, np.arange(len(X)) % 5 + 0.3], ids=["whole", "others"])
def test_the_order_of_rows_that_differ_in_weight_alone_does_not_matter(weight):
    twins, order = X[np.arange(len(X)) // 4], np.random.RandomState(0).permutation(len(X))
    y = np.arange(len(X)) // 4 % 2
    model = RandomForestClassifier(5, random_state=0)
    one = clone(model).fit(twins, y, weight)
    other = clone(model).fit(twins[order], y[order], weight[order])
    assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("model", SAME, ids=str)
def test_whole_weights_are_repeated_rows_and_zeros_are_no_rows(model):
    y = target_for(type(model))
    counts = np.random.RandomState(0).randint(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    weighted, repeated = clone(model).fit(X, y, counts), clone(model).fit(X[again], y[again])
    assert_same_trees(weighted, repeated)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)
    there = counts > 0
    assert weighted.fingerprint_ == clone(model).fit(X[there], y[there], counts[there]).fingerprint_


@pytest.mark.parametrize("y", [TWO, THREE, Y])
@pytest.mark.parametrize("max_bins", [255, None])
def test_rows_of_weight_zero_do_not_move_random_thresholds(y, max_bins):
    """Not even if they hold the least and the greatest values."""
    kind = ExtraTreesRegressor if y is Y else ExtraTreesClassifier
    far = np.vstack([X, X[:2] * 50 + [[300], [-300]]])
    weight = np.append(np.ones(len(X)), [0, 0])
    one = make(kind, max_bins=max_bins).fit(far, np.append(y, y[:2]), weight)
    assert_same_trees(one, make(kind, max_bins=max_bins).fit(X, y))


def test_fractions_are_chances_of_being_drawn():
    weight = np.where(np.arange(len(X)) < 30, 0.0, 0.75)
    weight[30] = 60.5
    drawn = make(RandomForestClassifier, n_estimators=20).fit(X, TWO, weight).estimators_samples_
    counts = np.bincount(np.concatenate(drawn), minlength=len(X))
    assert (counts[:30] == 0).all()
    assert counts[30] / counts[31:].mean() == pytest.approx(60.5 / 0.75, rel=0.2)
    assert {len(rows) for rows in drawn} == {len(X) - 30}


def test_chance_comes_from_the_seed_alone():
    stream = np.random.RandomState(0)
    assert len({make(RandomForestClassifier, random_state=stream).fit(X, TWO).fingerprint_ for _ in range(3)}) == 3
    trees = make(RandomForestClassifier).fit(X, TWO)
    assert len({tree.fingerprint_ for tree in trees}) == 6


# --- bootstraps -----------------------------------------------------------------------------------------------------


def slow_votes(model, X, shape):
    """Sum and number of what the trees say of rows that they have not seen."""
    total, n = np.zeros((len(X), *shape)), np.zeros(len(X))
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += tree.predict_proba(X[out]) if shape else tree.predict(X[out])
        n[out] += 1
    with np.errstate(invalid="ignore"):
        return total / n.reshape(-1, *(1 for _ in shape)), n > 0


@pytest.mark.parametrize("n_trees", [4, 40])
@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_classes_out_of_bag(n_trees, y):
    labels = np.array(["no", "perhaps", "yes"])[y]
    model = make(RandomForestClassifier, n_estimators=n_trees, oob_score=True).fit(X, labels)
    expected, known = slow_votes(model, X, (len(set(y)),))
    np.testing.assert_allclose(model.oob_decision_function_, expected, rtol=1e-12)
    assert np.isnan(model.oob_decision_function_[~known]).all()
    assert known.all() == (n_trees == 40)
    guess = model.classes_[expected[known].argmax(axis=1)]
    assert model.oob_score_ == accuracy_score(labels[known], guess)
    model.set_params(oob_score=balanced_accuracy_score).fit(X, labels)
    assert model.oob_score_ == balanced_accuracy_score(labels[known], guess)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_out_of_bag(kind):
    model = make(kind, n_estimators=30, bootstrap=True, oob_score=True).fit(X, Y)
    expected, known = slow_votes(model, X, ())
    assert known.all()
    np.testing.assert_allclose(model.oob_prediction_, expected, rtol=1e-9)
    assert model.oob_score_ == pytest.approx(r2_score(Y, expected))
    model.set_params(oob_score=mean_absolute_error).fit(X, Y)
    assert model.oob_score_ == pytest.approx(mean_absolute_error(Y, expected))


def test_several_outputs_out_of_bag():
    y = np.column_stack([TWO, THREE])
    model = make(RandomForestClassifier, n_estimators=40, oob_score=True).fit(X, y)
    assert [one.shape for one in model.oob_decision_function_] == [(300, 2), (300, 3)]
    guess = np.column_stack([one.argmax(axis=1) for one in model.oob_decision_function_])
    assert model.oob_score_ == np.mean((guess == y).all(axis=1))  # as `score`
    numbers = make(RandomForestRegressor, n_estimators=40, oob_score=True).fit(X, np.column_stack([Y, -Y]))
    assert numbers.oob_prediction_.shape == (300, 2)
    assert numbers.oob_score_ > 0.3


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_too_few_trees_say_so(kind):
    with pytest.warns(UserWarning, match="rows are in the sample of every tree") as caught:
        model = make(kind, n_estimators=2, oob_score=True).fit(X, TWO)
    assert caught[0].filename == __file__  # where fit was called
    assert hasattr(model, "oob_score_")
    assert not hasattr(model.set_params(oob_score=False).fit(X, TWO), "oob_score_")


def test_out_of_bag_is_about_as_good_as_new_rows():
    new, new_y = draw(3000, seed=9)
    model = make(RandomForestClassifier, n_estimators=60, oob_score=True).fit(MANY, MANY_Y > 0)
    assert model.oob_score_ == pytest.approx(model.score(new, new_y > 0), abs=0.03)
    assert model.score(MANY, MANY_Y > 0) > model.oob_score_ + 0.05


@pytest.mark.parametrize(("max_samples", "n"), [(None, 300), (50, 50), (0.1, 30), (1.0, 300), (2.0, 600), (700, 700)])
def test_rows_that_a_bootstrap_draws(max_samples, n):
    model = make(RandomForestClassifier, max_samples=max_samples).fit(X, TWO)
    assert {len(rows) for rows in model.estimators_samples_} == {n}
    assert [tree.tree_.weight[0] for tree in model] == [n] * 6


def test_a_bootstrap_holds_two_thirds_of_the_rows():
    model = make(RandomForestClassifier, n_estimators=50, max_depth=1).fit(MANY, MANY_Y > 0)
    assert np.mean([len(set(rows)) for rows in model.estimators_samples_]) / 3000 == pytest.approx(0.632, abs=0.01)
    everything = make(ExtraTreesClassifier).fit(X, TWO).estimators_samples_
    assert all(rows.tolist() == list(range(300)) for rows in everything)


# --- class weights --------------------------------------------------------------------------------------------------


def test_class_weights():
    rare = (Y > 1.8).astype(int)
    plain, balanced, subsample, given = (
        make(RandomForestClassifier, n_estimators=20, max_depth=2, class_weight=weight).fit(X, rare)
        for weight in (None, "balanced", "balanced_subsample", {0: 1.0, 1: 30.0})
    )
    found = [model.predict(X).mean() for model in (plain, balanced, subsample, given)]
    assert found[0] < min(found[1:])
    for tree, rows in zip(subsample, subsample.estimators_samples_, strict=True):
        shares = tree.tree_.answers[0, 0] / tree.tree_.weight[0]
        assert len(rows) == len(X)
        np.testing.assert_allclose(shares, 0.5, atol=1e-9)


def test_balanced_subsamples_weigh_as_in_scikit_learn():
    random = np.random.RandomState(0)
    for y in (
        random.randint(0, 5, 90),
        np.array(["a", "b", "c"])[random.randint(0, 3, 90)],
        random.randint(0, 3, (90, 2)),
    ):
        factors = make(RandomForestClassifier, class_weight="balanced_subsample")._class_factors(class_target(y))
        for _ in range(5):
            counts = random.multinomial(12, np.full(90, 1 / 90))  # of some classes none
            drawn = np.repeat(np.arange(90), counts)
            expected = compute_sample_weight("balanced", y, indices=drawn)
            np.testing.assert_array_equal(factors(counts)[drawn], expected[drawn])


def test_class_weights_multiply_sample_weights():
    weight = np.random.RandomState(0).rand(len(X))
    by_class = np.array([2.0, 1.0, 0.5])
    for kind in CLASSIFIERS:
        one = make(kind, class_weight={0: 2.0, 1: 1.0, 2: 0.5}).fit(X, THREE, weight)
        assert one.fingerprint_ == make(kind).fit(X, THREE, weight * by_class[THREE]).fingerprint_
    several = make(RandomForestClassifier, class_weight=[{0: 1, 1: 2}, {0: 1, 1: 3, 2: 1}])
    assert several.fit(X, np.column_stack([TWO, THREE])).n_outputs_ == 2


def test_balanced_without_bootstraps():
    one, other = (
        make(ExtraTreesClassifier, class_weight=weight).fit(X, THREE) for weight in ("balanced", "balanced_subsample")
    )
    assert one.fingerprint_ == other.fingerprint_


# --- columns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("max_bins", [255, None])
def test_columns_drawn_once_a_tree(kind, max_bins):
    y = target_for(kind)
    model = make(kind, n_estimators=12, features_per="tree", max_features=2, max_bins=max_bins).fit(X, y)
    asked = [tree.tree_.columns_asked for tree in model]
    assert max(map(len, asked)) <= 2
    assert set.union(*asked) == set(range(5))
    other = make(kind, features_per="split", max_features=2, max_bins=max_bins).fit(X, y)
    assert max(len(tree.tree_.columns_asked) for tree in other) > 2


@pytest.mark.parametrize(("wanted", "n"), [("sqrt", 2), ("log2", 2), (1 / 3, 1), (0.6, 3), (4, 4), (None, 5), (99, 5)])
def test_sizes_of_the_choice(wanted, n):
    assert make(RandomForestClassifier, max_features=wanted).fit(X, TWO).max_features_ == n


@pytest.mark.parametrize("kind", ALL)
def test_importances_add_up(kind):
    model = make(kind).fit(X, target_for(kind))
    assert model.feature_importances_.shape == (5,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.feature_importances_, np.mean([t.feature_importances_ for t in model], axis=0))
    constant = make(kind).fit(np.zeros((9, 2)), np.arange(9) % 2)
    assert constant.feature_importances_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", ALL)
def test_importances_by_permutation(kind):
    random = np.random.RandomState(0)
    values = np.column_stack([random.randn(400, 3), np.zeros(400)])
    signal = values[:, 0] + 0.5 * values[:, 1]
    y = np.where(signal > 0, "up", "down") if kind in CLASSIFIERS else signal
    model = make(kind, n_estimators=30, bootstrap=True, max_features=None).fit(values, y)
    found = model.oob_permutation_importances(values, y)
    assert found.importances.shape == (4, 30)
    np.testing.assert_allclose(found.importances_mean, found.importances.mean(axis=1))
    assert found.importances_mean[0] > found.importances_mean[1] > 10 * abs(found.importances_mean[2])
    assert found.importances[3].tolist() == [0.0] * 30  # never asked
    again = model.oob_permutation_importances(values, y)
    np.testing.assert_array_equal(again.importances, found.importances)
    other = model.oob_permutation_importances(values, y, random_state=5)
    assert (other.importances != found.importances).any()


# --- warm start -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", SAME, ids=str)
def test_trees_are_added(model):
    y = target_for(type(model))
    at_once = clone(model).set_params(n_estimators=9).fit(X, y)
    grown = clone(model).set_params(n_estimators=4, warm_start=True).fit(X, y)
    assert len(grown.estimators_) == 4
    importances = grown.feature_importances_
    grown.set_params(n_estimators=9).fit(X, y)
    assert grown.fingerprint_ == at_once.fingerprint_
    assert len(grown.estimators_) == 9
    assert (grown.feature_importances_ != importances).any()
    for one, other in zip(grown.estimators_samples_, at_once.estimators_samples_, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_out_of_bag_after_a_warm_start():
    options = {"oob_score": True, "random_state": None}
    grown = make(RandomForestRegressor, n_estimators=15, warm_start=True, keep_targets=True, **options).fit(X, Y)
    grown.set_params(n_estimators=40).fit(X, Y)
    expected, known = slow_votes(grown, X, ())
    assert known.all()
    np.testing.assert_allclose(grown.oob_prediction_, expected, rtol=1e-9)
    assert grown.predict_quantiles(X).shape == (300, 3)


def test_out_of_bag_asked_for_after_the_fit():
    options = {"n_estimators": 15, "warm_start": True}
    model = make(RandomForestClassifier, **options).fit(X, TWO)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.set_params(oob_score=True).fit(X, TWO)
    assert model.oob_score_ == make(RandomForestClassifier, oob_score=True, **options).fit(X, TWO).oob_score_
    fewer = make(RandomForestClassifier, **options).fit(X, TWO).set_params(oob_score=True)
    with (
        pytest.warns(UserWarning, match="does not fit new trees"),
        pytest.raises(ValueError, match="needs the rows of the previous fit: these were 300, X has 200"),
    ):
        fewer.fit(X[:200], TWO[:200])


def test_the_template_under_scikit_learns_name():
    model = make(RandomForestClassifier, max_depth=3)
    assert model.estimator.get_params()["max_depth"] == 3


def test_warm_start_errors():
    model = make(RandomForestClassifier, warm_start=True).fit(X, TWO)
    fingerprint = model.fingerprint_
    with pytest.warns(UserWarning, match="does not fit new trees") as caught:
        model.fit(X, TWO)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="n_estimators must not fall: it was 6 and is 3"):
        model.set_params(n_estimators=3).fit(X, TWO)
    model.set_params(n_estimators=8)
    with pytest.raises(ValueError, match="must have the same columns and classes"):
        model.fit(X, THREE)
    with pytest.raises(ValueError, match="must have the same columns and classes"):
        model.fit(X[:, :3], TWO)
    assert model.fingerprint_ == fingerprint
    assert model.n_features_in_ == 5
    np.testing.assert_array_equal(model.classes_, [0, 1])


def test_a_warm_start_with_other_labels_is_refused():
    model = make(RandomForestClassifier, warm_start=True).fit(X, TWO)
    with pytest.raises(ValueError, match="classes"):
        model.set_params(n_estimators=8).fit(X, np.array(["a", "b"])[TWO])


# --- what trees can do ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_several_outputs_of_classes(kind):
    y = np.column_stack([np.array(["a", "b"])[TWO], np.array(["x", "y", "z"])[THREE]])
    model = make(kind).fit(X, y)
    assert [one.tolist() for one in model.classes_] == [["a", "b"], ["x", "y", "z"]]
    assert model.n_classes_ == [2, 3]
    assert model.predict(X).shape == (300, 2)
    assert (model.predict(X) == y).mean() > 0.9
    shares = model.predict_proba(X)
    assert [one.shape for one in shares] == [(300, 2), (300, 3)]
    for o in range(2):
        np.testing.assert_allclose(shares[o].sum(axis=1), 1.0)
        np.testing.assert_allclose(shares[o], np.mean([tree.predict_proba(X)[o] for tree in model], axis=0))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X)[1], np.log(shares[1]))


@pytest.mark.parametrize("kind", REGRESSORS)
def test_several_outputs_of_numbers(kind):
    y = np.column_stack([Y, Y**2, -Y])
    model = make(kind).fit(X, y)
    assert model.predict(X).shape == (300, 3)
    np.testing.assert_allclose(model.predict(X), np.mean([tree.predict(X) for tree in model], axis=0))


@pytest.mark.parametrize("kind", ALL)
def test_predictions_are_means_of_the_trees(kind):
    model = make(kind).fit(X, target_for(kind))
    np.testing.assert_allclose(model.predict(X) if kind in REGRESSORS else model.predict_proba(X), mean_of(model))
    np.testing.assert_array_equal(model.apply(X), np.column_stack([tree.apply(X) for tree in model]))
    path, ends = model.decision_path(X)
    assert ends.tolist() == [0, *np.cumsum([tree.tree_.n_nodes for tree in model])]
    for k, tree in enumerate(model):
        assert (path[:, ends[k] : ends[k + 1]] != tree.decision_path(X)).nnz == 0
    assert model[2] is model.estimators_[2]
    assert len(model) == 6
    assert isinstance(model.estimator_, type(model[0]))


def mean_of(model):
    name = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    return np.mean([getattr(tree, name)(X) for tree in model], axis=0)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_strings_categories_and_missing_values_as_they_come(kind, frame):
    table, y = load_penguins()
    answers = y.to_numpy() if kind in CLASSIFIERS else (y == "Adelie").to_numpy().astype(float)
    expected = make(kind, n_estimators=10).fit(table, answers)
    assert expected.score(table, answers) > 0.95
    other = table if frame is pd.DataFrame else pl.from_pandas(table)
    model = make(kind, n_estimators=10).fit(other, answers)
    assert model.fingerprint_ == expected.fingerprint_
    assert model.feature_names_in_.tolist() == list(table.columns)
    np.testing.assert_array_equal(model.predict(other), expected.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        expected.predict(table[table.columns[::-1]])
    if kind in REGRESSORS:
        return
    shares = expected.predict_proba(table)
    np.testing.assert_allclose(shares, np.mean([tree.predict_proba(table) for tree in expected], axis=0))


@pytest.mark.slow
def test_the_same_forest_from_any_table():
    values = X.astype(np.float32).astype(np.float64)
    frame = pd.DataFrame(values, columns=list("abcde"))
    for kind in ALL:
        y = target_for(kind)
        expected = make(kind).fit(values, y)
        forms = (np.asfortranarray(values), values.astype(np.float32), values.tolist(), frame, pl.from_pandas(frame))
        mixed = frame.astype({"b": np.int8, "d": np.int32})
        for table in (*forms, mixed):
            model = make(kind).fit(table, y)
            assert model.fingerprint_ == expected.fingerprint_
            np.testing.assert_array_equal(model.predict(table), expected.predict(values))
            np.testing.assert_array_equal(model.apply(table), expected.apply(values))


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("max_bins", [255, None])
def test_monotone_columns(kind, max_bins):
    frame = pd.DataFrame(np.nan_to_num(X), columns=list("abcde"))
    model = make(kind, monotonic_cst={"a": 1, "d": -1}, max_bins=max_bins).fit(frame, Y)
    for name, direction in (("a", 1), ("d", -1)):
        moved = frame.copy()
        moved[name] += 1.5
        change = direction * (model.predict(moved) - model.predict(frame))
        assert (change >= -1e-12).all()
        assert (change > 0).any()


def test_monotone_classes():
    model = make(RandomForestClassifier, monotonic_cst=[1, 0, 0, 0, 0]).fit(np.nan_to_num(X), TWO)
    moved = np.nan_to_num(X)
    before = model.predict_proba(moved)[:, 1]
    moved[:, 0] += 1.0
    assert (model.predict_proba(moved)[:, 1] >= before - 1e-12).all()


@pytest.mark.parametrize("kind", ALL)
def test_pruning(kind):
    y = target_for(kind)
    full, pruned = (make(kind, ccp_alpha=alpha).fit(X, y) for alpha in (0.0, 0.02))
    for one, other in zip(full, pruned, strict=True):
        assert other.get_n_leaves() < one.get_n_leaves()
    tree = full.estimators_[0]
    assert tree.tree_.n_nodes == full.forest_.first[1]


def own_gini(left, right):
    """Gini's gain, written out."""
    a, b, c, d = left[0], left[1], right[0], right[1]
    before = (a + c) * (b + d) / (a + b + c + d)
    return 2.0 * (before - a * b / (a + b) - c * d / (c + d)) / (a + b + c + d)


@pytest.mark.slow
def test_ones_own_criterion():
    own = make(RandomForestClassifier, criterion=own_gini, max_depth=5, max_bins=None).fit(X, TWO)
    named = make(RandomForestClassifier, max_depth=5, max_bins=None).fit(X, TWO)
    assert np.mean(own.predict(X) == named.predict(X)) > 0.97
    assert own.estimator_.criterion is own_gini


def test_criteria():
    for criterion in ("gini", "entropy", "log_loss", "error", "gain_ratio"):
        assert make(RandomForestClassifier, criterion=criterion).fit(X, THREE).score(X, THREE) > 0.8
    for criterion in ("squared_error", "friedman_mse", "absolute_error"):
        assert make(RandomForestRegressor, criterion=criterion).fit(X, Y).score(X, Y) > 0.7
    counts = np.round(np.exp(np.clip(Y, -3, 2)))
    assert make(RandomForestRegressor, criterion="poisson").fit(X, counts).predict(X).min() > 0
    with pytest.raises(ValueError, match=r"."):
        make(RandomForestRegressor, criterion="poisson").fit(X, Y)


def test_rules_hold_in_every_tree():
    model = make(RandomForestClassifier, min_samples_leaf=7, max_depth=4, min_samples_split=30).fit(X, TWO)
    for tree in (one.tree_ for one in model):
        assert tree.n_samples[tree.is_leaf].min() >= 7
        assert tree.n_samples[~tree.is_leaf].min() >= 30
        assert tree.max_depth <= 4
    few = make(ExtraTreesRegressor, max_leaf_nodes=5).fit(X, Y)
    assert {tree.get_n_leaves() for tree in few} == {5}
    heavy = make(RandomForestClassifier, min_weight_fraction_leaf=0.2).fit(X, TWO)
    for tree in (one.tree_ for one in heavy):
        assert tree.weight[tree.is_leaf].min() >= 0.2 * 300
    decrease = make(RandomForestClassifier, min_impurity_decrease=0.02).fit(X, TWO)
    assert max(tree.get_n_leaves() for tree in decrease) < 20


# --- quantiles ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", REGRESSORS)
def test_quantiles(kind):
    model = make(kind, n_estimators=20, min_samples_leaf=5, keep_targets=True).fit(X, Y)
    found = model.predict_quantiles(X, [0.9, 0.0, 0.5, 1.0])
    assert found.shape == (300, 4)
    assert (np.diff(found[:, [1, 2, 0, 3]], axis=1) >= 0).all()
    assert np.isin(found, Y).all()
    np.testing.assert_array_equal(model.predict_quantiles(X, 0.5), found[:, 2])
    np.testing.assert_array_equal(model.predict_quantiles(X[:7], [0.5])[:, 0], found[:7, 2])
    inside = (found[:, 1] <= model.predict(X)) & (model.predict(X) <= found[:, 3])
    assert inside.all()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_quantiles(X, [0.9]), found[:, :1])
    assert clone(model).set_params(n_jobs=3).fit(X, Y).predict_quantiles(X, 0.9).tolist() == found[:, 0].tolist()


def test_quantiles_cover_what_they_say():
    new, new_y = draw(2000, seed=5)
    model = make(RandomForestRegressor, n_estimators=40, min_samples_leaf=5, keep_targets=True).fit(MANY, MANY_Y)
    low, high = model.predict_quantiles(new, [0.05, 0.95]).T
    assert 0.85 < np.mean((low <= new_y) & (new_y <= high)) < 0.99


def test_quantiles_of_one_leaf_are_those_of_the_rows():
    model = make(RandomForestRegressor, bootstrap=False, max_depth=1, min_samples_leaf=150, keep_targets=True)
    model.fit(np.zeros((300, 1)), Y)
    shares = np.array([0.05, 0.5, 0.77])
    expected = np.quantile(Y, shares, method="inverted_cdf")
    np.testing.assert_array_equal(model.predict_quantiles([[0.0]], shares), [expected])
    several = make(RandomForestRegressor, keep_targets=True).fit(X, np.column_stack([Y, -Y]))
    assert several.predict_quantiles(X[:9]).shape == (9, 2, 3)
    assert several.predict_quantiles(X[:9], 0.5).shape == (9, 2)


# --- errors and interruptions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bootstrap": False, "oob_score": True}, "Out of bag estimation only available if bootstrap=True"),
        ({"bootstrap": False, "max_samples": 0.5}, "max_samples needs bootstrap=True"),
        ({"max_samples": 0}, "max_samples"),
        ({"max_samples": -0.5}, "max_samples"),
        ({"features_per": "node"}, "features_per"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": "most"}, "max_features"),
        ({"criterion": "gene"}, "criterion"),
        ({"max_bins": 1}, "max_bins"),
        ({"ccp_alpha": -1.0}, "ccp_alpha"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"monotonic_cst": [1]}, "monotonic_cst"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"oob_score": "yes"}, "oob_score"),
    ],
)
def test_what_is_wrong_with_parameters(options, message):
    for kind in ALL:
        with pytest.raises(ValueError, match=message):
            make(kind, **options).fit(X, target_for(kind))


@pytest.mark.parametrize(
    ("kind", "options", "data", "words"),
    [
        (RandomForestClassifier, {"class_weight": "even"}, (X, TWO), "class_weight"),
        (RandomForestClassifier, {}, (X, TWO[:9]), "same number of rows"),
        (RandomForestClassifier, {}, (X, TWO, np.zeros(300)), "Sample weights must contain"),
        (RandomForestRegressor, {}, (X, np.full(300, np.nan)), "NaN"),
    ],
    ids=["class_weight", "rows", "weights", "missing targets"],
)
def test_what_is_wrong_with_data(kind, options, data, words):
    with pytest.raises(ValueError, match=words):
        make(kind, **options).fit(*data)


@pytest.fixture(scope="module")
def without_bootstrap():
    return make(ExtraTreesRegressor).fit(X, Y)


@pytest.fixture(scope="module")
def with_targets():
    return make(RandomForestRegressor, keep_targets=True).fit(X, Y)


def test_out_of_bag_importances_need_bootstrap(without_bootstrap):
    with pytest.raises(ValueError, match="out-of-bag importances need bootstrap=True"):
        without_bootstrap.oob_permutation_importances(X, Y)


def test_quantiles_need_the_targets(without_bootstrap):
    with pytest.raises(ValueError, match="fit with keep_targets=True"):
        without_bootstrap.predict_quantiles(X)


def test_out_of_bag_importances_need_the_rows(with_targets):
    with pytest.raises(ValueError, match="X must be the 300 rows that the forest was fitted on, got 9"):
        with_targets.oob_permutation_importances(X[:9], Y[:9])


@pytest.mark.parametrize("bad", [-0.1, [0.5, 1.2], [], [[0.5]], np.nan], ids=str)
def test_quantiles_that_are_none(with_targets, bad):
    with pytest.raises(ValueError, match="quantiles must be numbers from 0 to 1"):
        with_targets.predict_quantiles(X, bad)


@pytest.mark.parametrize("kind", ALL)
def test_unfitted_forests_say_so(kind):
    from sklearn.exceptions import NotFittedError

    model = kind()
    for name in ("predict", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(model, name)(X)
    for name in ("estimators_", "feature_importances_", "estimators_samples_", "fingerprint_"):
        assert not hasattr(model, name)


@pytest.mark.parametrize("kind", ALL)
def test_a_fit_that_fails_leaves_the_old_model(kind):
    y = target_for(kind)
    model = make(kind).fit(X, y)
    before, prediction = dict(vars(model)), model.predict(X)
    for bad in ({"X": X[:5], "y": y}, {"X": X, "y": y, "sample_weight": np.full(len(X), -1.0)}):
        with pytest.raises(ValueError, match=r"."):
            model.fit(**bad)
        assert vars(model) == before
    np.testing.assert_array_equal(model.predict(X), prediction)


@pytest.mark.slow
@posix
def test_ctrl_c_ends_a_long_fit_and_leaves_the_old_model_whole():
    code = """
import signal, threading
import numpy as np
from tests.estimators.forests.test_forest import RandomForestClassifier, MANY, MANY_Y
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.RandomState(0).randn(60_000, 20)
y = X[:, 0] + X[:, 1] ** 2 > 1
model = RandomForestClassifier(10, n_jobs=2, random_state=0).fit(MANY, MANY_Y > 0)
fingerprint, before = model.fingerprint_, dict(vars(model))
try:
    print("started", flush=True)
    model.set_params(n_estimators=3000).fit(X, y)
    print("not interrupted", flush=True)
except KeyboardInterrupt:
    pass
assert model.fingerprint_ == fingerprint
assert {**vars(model), "n_estimators": 10} == before
assert threading.active_count() == 1
print("whole", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(600, process.kill)
    watchdog.start()
    assert process.stdout.readline() == "started\n"
    threading.Event().wait(1.0)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "whole\n"
    watchdog.cancel()
    assert process.wait(timeout=300) == 0


# --- neighbours -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_pickles_clones_and_refits(kind):
    y = target_for(kind)
    model = make(kind).fit(X, y)
    small = len(pickle.dumps(model))
    assert model.estimators_
    assert model.feature_importances_ is not None
    assert len(pickle.dumps(model)) == small  # what can be made again is not kept
    again = pickle.loads(pickle.dumps(model))
    assert again.fingerprint_ == model.fingerprint_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert [tree.fingerprint_ for tree in again] == [tree.fingerprint_ for tree in model]
    assert clone(model).fit(X, y).fingerprint_ == model.fingerprint_
    refit = make(kind).fit(pd.DataFrame(X[:, :3], columns=list("abc")), y)
    assert refit.feature_importances_.shape == (3,)
    assert len(refit.set_params(n_estimators=4).fit(X, y).estimators_) == 4
    assert refit.fingerprint_ == make(kind, n_estimators=4).fit(X, y).fingerprint_
    assert not hasattr(refit, "feature_names_in_")
    assert refit.feature_importances_.shape == (5,)


def test_bytes_of_a_forest():
    model = make(RandomForestClassifier, n_estimators=20).fit(MANY, MANY_Y > 0)
    forest = model.forest_
    assert forest.n_bytes < 14.1 * forest.n_nodes
    numbers = make(RandomForestRegressor, n_estimators=20).fit(MANY, MANY_Y).forest_
    assert numbers.n_bytes < 26.1 * numbers.n_nodes


def test_progress(capsys):
    for verbose in (0, 1, 2):
        make(RandomForestClassifier, verbose=verbose).fit(X, TWO)
        out = capsys.readouterr()
        assert bool(out.out + out.err) == bool(verbose)


def test_views_of_one_tree():
    model = make(RandomForestClassifier, max_depth=2).fit(X, TWO)
    assert "<=" in spinney.export_text(model.estimators_[0])


def test_tiny_tables():
    for kind in ALL:
        model = make(kind).fit([[0.0], [1.0]], [0, 1])
        assert len(model.predict([[0.0], [1.0], [np.nan]])) == 3
        one = make(kind).fit([[3.0, np.nan]], [1])
        assert one.predict([[1.0, 2.0]]).tolist() == [1]
        gaps = make(kind).fit(np.full((4, 2), np.nan), [0, 1, 1, 1])
        assert gaps.apply([[1.0, np.nan]]).tolist() == [[0] * 6]


@pytest.mark.parametrize("options", [{}, {"max_bins": None}, {"max_leaf_nodes": 9, "criterion": "entropy"}])
def test_the_columns_of_each_tree(options):
    random = np.random.RandomState(0)
    X, y = random.randn(200, 12), random.rand(200) > 0.5
    parts = [
        RandomForestClassifier(4, features_per="tree", max_features=4, random_state=seed, **options).fit(X, y)
        for seed in (0, 1)
    ]
    for forest in (*parts, spinney.merge_forests(parts)):
        assert len(forest.estimators_features_) == len(forest.estimators_)
        for tree, columns in zip(forest.estimators_, forest.estimators_features_):
            assert tree.tree_.columns_asked <= set(columns.tolist())
            assert len(columns) == 4
    split = RandomForestClassifier(2, random_state=0).fit(X, y)
    assert [one.tolist() for one in split.estimators_features_] == [list(range(12))] * 2


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(1, oob_score=True), spinney.BaggingRegressor(n_estimators=1, oob_score=True)],
    ids=["forest", "bagging"],
)
def test_no_row_is_out_of_bag(model):
    with pytest.raises(ValueError, match="oob_score needs rows that are not in the sample of every"):
        model.fit([[1.0]], [1])
