"""CART's estimators: the same tree on any threads and from any table, weights, stopping, interruptions."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from spinney import AdaBoostClassifier, BaggingClassifier
from spinney import DecisionTreeClassifier as Classifier
from spinney import DecisionTreeRegressor as Regressor
from spinney.datasets import load_penguins
from tests.compiled import few

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX systems")


def draw(n, seed=0):
    """Four columns: numbers, few values, gaps, whole numbers that can pass for categories; and a signal."""
    random = np.random.RandomState(seed)
    X = np.column_stack([random.randn(n), random.randint(0, 9, n), random.randn(n), random.randint(0, 12, n)])
    X[random.rand(n) < 0.15, 2] = np.nan
    signal = X[:, 0] + np.sin(X[:, 1]) + np.nan_to_num(X[:, 2], nan=0.7) * (X[:, 3] % 3 - 1)
    return X, signal + random.randn(n)


X, Y = draw(400)
TWO, THREE = (Y > 0).astype(int), np.digitize(Y, [-1, 1])


def name_of(one):
    return str(one) if hasattr(one, "fit") else ""


def questions(model):
    """What a tree asks, and of how many rows."""
    tree = model.tree_
    return [array.tobytes() for array in (tree.feature, tree.threshold, tree.missing, tree.sets, tree.n_samples)]


# --- threads --------------------------------------------------------------------------------------------------------

MANY, MANY_Y = draw(15_000)  # more than one thread would do at once
WEIGHT = np.random.RandomState(1).rand(15_000)
MANY_THREE = np.digitize(MANY_Y, [-1, 1])
FITS = {
    "gini": (Classifier(), MANY_Y > 0, None),
    "entropy": (Classifier(criterion="entropy", min_samples_leaf=3), MANY_Y > 0, WEIGHT),
    "gain ratio": (Classifier(criterion="gain_ratio", max_depth=9), MANY_THREE, WEIGHT),
    "error": (Classifier(criterion="error", max_leaf_nodes=60), MANY_Y > 0, None),
    "random": (Classifier(splitter="random", random_state=3), MANY_Y > 0, WEIGHT),
    "some columns": (Classifier(max_features=2, random_state=3), MANY_THREE, WEIGHT),
    "categories": (Classifier(categorical_features=[1, 3], min_impurity_decrease=1e-5), MANY_Y > 0, WEIGHT),
    "random sets": (Classifier(categorical_features=[3], splitter="random", random_state=0), MANY_THREE, None),
    "significance": (Classifier(significance=0.01), MANY_THREE, WEIGHT),
    "validation": (Classifier(n_iter_no_change=20, random_state=0), MANY_Y > 0, None),
    "bins": (Classifier(max_bins=30), MANY_Y > 0, None),
    "squared": (Regressor(), MANY_Y, None),
    "best-first": (Regressor(max_leaf_nodes=300), MANY_Y, WEIGHT),
    "monotone": (Regressor(monotonic_cst=[1, 0, 0, -1], min_samples_leaf=4), MANY_Y, WEIGHT),
    "poisson": (Regressor(criterion="poisson", ccp_alpha=1e-4), np.exp(MANY_Y), WEIGHT),
    "absolute": (Regressor(criterion="absolute_error", max_depth=5), MANY_Y, WEIGHT),
    "outputs": (Regressor(categorical_features=[3], max_depth=8), np.column_stack([MANY_Y, MANY_Y**2]), WEIGHT),
}


@pytest.mark.parametrize("name", FITS)
def test_the_same_tree_on_any_number_of_threads(name):
    model, y, weight = FITS[name]
    fits = [clone(model).set_params(n_jobs=n_jobs).fit(MANY, y, weight) for n_jobs in (1, 2, 3, 5)]
    assert len({fit.fingerprint_ for fit in fits}) == 1
    assert fits[0].get_n_leaves() > 8
    prediction = fits[0].predict(MANY)
    assert (prediction == fits[1].predict(MANY)).all()


def test_a_fingerprint_tells_trees_apart():
    fits = [Classifier(criterion=criterion).fit(X, TWO) for criterion in ("gini", "entropy", "error", "gain_ratio")]
    assert len({fit.fingerprint_ for fit in fits}) == 4
    assert Classifier(criterion="log_loss").fit(X, TWO).fingerprint_ == fits[1].fingerprint_


def test_chance_comes_from_the_seed_alone():
    for option in ({"splitter": "random"}, {"max_features": 1}, {"n_iter_no_change": 3, "max_leaf_nodes": 50}):
        one, same, other = (Classifier(random_state=seed, **option).fit(X, THREE) for seed in (1, 1, 2))
        assert one.fingerprint_ == same.fingerprint_ != other.fingerprint_
    assert (
        Classifier(random_state=1).fit(X, THREE).fingerprint_ == Classifier(random_state=2).fit(X, THREE).fingerprint_
    )
    stream = np.random.RandomState(0)
    assert len({Classifier(max_features=1, random_state=stream).fit(X, THREE).fingerprint_ for _ in range(3)}) == 3


@pytest.mark.slow
@posix
def test_a_forked_child_fits_after_its_parent_did():
    code = """
import os, sys
from tests.estimators.trees.test_decision_tree import Classifier, MANY, MANY_Y
def fit():
    line = Classifier(n_jobs=2).fit(MANY, MANY_Y > 0).fingerprint_ + chr(10)
    os.write(1, line.encode())  # at once: print would let the other's line in
fit()
child = os.fork()
fit()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == 3 * [Classifier(n_jobs=1).fit(MANY, MANY_Y > 0).fingerprint_], done.stderr


def test_fits_and_predictions_in_several_python_threads_at_once():
    model = Classifier(n_jobs=2)
    expected = clone(model).fit(MANY, MANY_Y > 0)
    with ThreadPoolExecutor(3) as pool:
        fits = list(pool.map(lambda _: clone(model).fit(MANY, MANY_Y > 0), range(3)))
        answers = list(pool.map(lambda _: expected.predict(MANY), range(3)))
    assert {fit.fingerprint_ for fit in fits} == {expected.fingerprint_}
    assert all((answer == expected.predict(MANY)).all() for answer in answers)


@pytest.mark.slow
@posix
def test_ctrl_c_ends_a_long_fit_and_leaves_the_old_model_whole():
    code = """
import signal, threading
import numpy as np
from tests.estimators.trees.test_decision_tree import Regressor, MANY, MANY_Y
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.RandomState(0).randn(150_000, 4)
for n_jobs in (2, 1):
    model = Regressor(n_jobs=n_jobs, criterion="absolute_error", max_depth=3).fit(MANY, MANY_Y)
    fingerprint, before = model.fingerprint_, dict(vars(model))
    try:
        print("started", flush=True)
        model.set_params(max_depth=None).fit(X, np.sin(9 * X[:, 0]) + X[:, 1])
        print("not interrupted", flush=True)
    except KeyboardInterrupt:
        pass
    assert model.fingerprint_ == fingerprint
    assert {**vars(model), "max_depth": 3} == before
    assert threading.active_count() == 1
    model.set_params(max_depth=3).fit(MANY, MANY_Y)
    assert model.fingerprint_ == fingerprint
    print("whole", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(600, process.kill)
    watchdog.start()
    for _ in range(2):
        assert process.stdout.readline() == "started\n"
        threading.Event().wait(0.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "whole\n"
    watchdog.cancel()
    assert process.wait(timeout=300) == 0


# --- tables ---------------------------------------------------------------------------------------------------------


def tables(values):
    """One table in many forms."""
    names = ["a", "b", "c", "d"]
    read_only = values.copy()
    read_only.flags.writeable = False
    wide = np.zeros((len(values), 8))
    wide[:, ::2] = values
    frame = pd.DataFrame(values, columns=names)
    return {
        "C": np.ascontiguousarray(values),
        "Fortran": np.asfortranarray(values),
        "strided": wide[:, ::2],
        "backwards": values[::-1][::-1],
        "read-only": read_only,
        "big-endian": values.astype(">f8"),
        "float32": values.astype(np.float32),
        "list": values.tolist(),
        "pandas": frame,
        "pandas, mixed": frame.astype({"b": np.int8, "d": np.uint32, "a": np.float32}),
        "pandas, nullable": frame.convert_dtypes(),
        "polars": pl.DataFrame(frame),
        "arrow": pa.table(pl.DataFrame(frame).to_arrow()),
    }


@pytest.mark.parametrize(
    "model, y", [(Classifier(), THREE), (Regressor(max_leaf_nodes=9), Y)], ids=["classes", "numbers"]
)
def test_the_same_tree_from_any_table(model, y):
    values = X.astype(np.float32).astype(np.float64)  # or float32 would be another table
    expected = clone(model).fit(values, y)
    for name, table in tables(values).items():
        fitted = clone(model).fit(table, y)
        assert fitted.fingerprint_ == expected.fingerprint_, name
        np.testing.assert_array_equal(fitted.predict(table), expected.predict(values), err_msg=name)
        assert hasattr(fitted, "feature_names_in_") == (name in ("polars", "arrow") or name.startswith("pandas"))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_strings_categories_and_booleans_as_they_come(kind):
    frame, y = load_penguins()
    expected = Classifier(max_depth=4).fit(frame, y)
    assert expected.score(frame, y) > 0.95
    table = frame if kind is pd.DataFrame else pl.DataFrame(frame)
    fitted = Classifier(max_depth=4).fit(table, y.to_numpy())
    assert fitted.fingerprint_ == expected.fingerprint_
    np.testing.assert_array_equal(fitted.predict(table), expected.predict(frame))
    assert fitted.feature_names_in_.tolist() == list(frame.columns)


@few(8)
@given(seed=st.integers(0, 1000))
def test_the_order_of_the_rows_does_not_matter(seed):
    order = np.random.RandomState(seed).permutation(len(X))
    weight = np.random.RandomState(seed).rand(len(X))
    for model, y, has_weight in (
        (Classifier(min_samples_leaf=2), THREE, False),
        (Classifier(categorical_features=[1, 3]), TWO, True),
        (Regressor(max_leaf_nodes=20), Y, False),
        (Regressor(min_samples_leaf=5, criterion="poisson"), np.abs(Y), True),
        (Regressor(criterion="absolute_error", max_depth=5), np.round(Y), True),
    ):
        one = clone(model).fit(X, y, weight if has_weight else None)
        other = clone(model).fit(X[order], y[order], weight[order] if has_weight else None)
        assert one.fingerprint_ == other.fingerprint_


def test_weights_that_add_up_to_one_may_do_so_in_any_order():
    """Floating-point sums of them are 1 in some orders and a little less in others."""
    random = np.random.RandomState(0)
    weight = random.rand(len(X))
    weight /= weight.sum()
    orders = [random.permutation(len(X)) for _ in range(50)]
    sums = [weight[order].sum() for order in orders]
    assert min(sums) < 1.0 <= max(sums)
    chosen = orders[int(np.argmin(sums))], orders[int(np.argmax(sums))]
    one, other = (Classifier(max_depth=3).fit(X[rows], TWO[rows], weight[rows]) for rows in chosen)
    assert one.fingerprint_ == other.fingerprint_


# --- weights --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, y",
    [
        (Classifier(), THREE),
        (Classifier(criterion="entropy"), TWO),
        (Regressor(), Y),
        (Regressor(max_leaf_nodes=12), Y),
        (Regressor(criterion="poisson"), np.exp(Y)),
    ],
    ids=name_of,
)
def test_whole_weights_are_repeated_rows_and_zeros_are_no_rows(model, y):
    counts = np.random.RandomState(0).randint(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    weighted, repeated = clone(model).fit(X, y, counts), clone(model).fit(X[again], y[again])
    one, other = weighted.tree_, repeated.tree_
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_array_equal(one.threshold, other.threshold)
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_allclose(one.answers, other.answers, rtol=1e-9)
    np.testing.assert_allclose(one.impurity, other.impurity, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)
    there = counts > 0
    assert weighted.fingerprint_ == clone(model).fit(X[there], y[there], counts[there]).fingerprint_


@pytest.mark.parametrize("factor", [2.0**-900, 1e-9, 8.0, 2.0**900])
def test_only_the_proportions_of_weights_matter(factor):
    weight = np.random.RandomState(0).rand(len(X)) + 0.1
    for model, y in ((Classifier(), THREE), (Regressor(), Y), (Classifier(min_weight_fraction_leaf=0.05), TWO)):
        one, other = (clone(model).fit(X, y, weight * scale) for scale in (1.0, factor))
        assert questions(one) == questions(other)
        np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_class_weights_multiply_sample_weights():
    weight = np.random.RandomState(0).rand(len(X))
    by_class = np.array([2.0, 1.0, 0.5])
    one = Classifier(class_weight={0: 2.0, 1: 1.0, 2: 0.5}).fit(X, THREE, weight)
    other = Classifier().fit(X, THREE, weight * by_class[THREE])
    assert one.fingerprint_ == other.fingerprint_


# --- rules ----------------------------------------------------------------------------------------------------------


@few(10)
@given(seed=st.integers(0, 1000))
def test_every_tree_keeps_its_rules(seed):
    random = np.random.RandomState(seed)
    least, split, depth, leaves = (int(random.randint(*limits)) for limits in ((1, 20), (2, 60), (1, 9), (2, 30)))
    model = Classifier(min_samples_leaf=least, min_samples_split=split, max_depth=depth, max_leaf_nodes=leaves)
    model.set_params(splitter=str(random.choice(["best", "random"])), random_state=seed).fit(X, TWO)
    tree = model.tree_
    assert (tree.n_samples[tree.is_leaf] >= least).all() or tree.n_nodes == 1
    assert (tree.n_samples[~tree.is_leaf] >= split).all()
    assert model.get_depth() <= depth
    assert model.get_n_leaves() <= leaves
    np.testing.assert_array_equal(np.bincount(model.apply(X), minlength=tree.n_nodes), tree.n_samples * tree.is_leaf)
    counts = [np.bincount(TWO[model.apply(X) == leaf], minlength=2) for leaf in np.flatnonzero(tree.is_leaf)]
    np.testing.assert_array_equal(tree.answers[tree.is_leaf, 0], counts)


def test_shares_of_rows():
    for name in ("min_samples_leaf", "min_samples_split"):
        one, other = (Classifier(**{name: value}).fit(X, TWO) for value in (0.051, 21))  # of 400 rows
        assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("options", [{}, {"splitter": "random", "random_state": 0}, {"max_leaf_nodes": 20}], ids=str)
def test_monotone_columns(criterion, options):
    model = Regressor(criterion=criterion, monotonic_cst={"a": 1, "d": -1}, min_samples_leaf=5, **options)
    frame = pd.DataFrame(X, columns=list("abcd")).fillna(0.0)
    model.fit(frame, np.abs(Y), np.random.RandomState(0).rand(len(X)))
    most = 0.0
    for name, direction in (("a", 1), ("d", -1)):
        moved = frame.copy()
        for step in (0.5, 3.0, 20.0):
            moved[name] = frame[name] + step
            gain = direction * (model.predict(moved) - model.predict(frame))
            assert (gain >= 0).all()
            most = max(most, gain.max())
    assert most > 0.0


def test_significance_prunes_what_could_be_chance():
    noise = np.random.RandomState(0).randint(0, 2, len(X))
    assert Classifier(significance=1e-4).fit(X, noise).get_n_leaves() == 1
    assert Classifier().fit(X, noise).get_n_leaves() > 50
    sizes = [Classifier(significance=level).fit(X, TWO).get_n_leaves() for level in (1e-9, 0.01, 0.5)]
    assert 1 < sizes[0] < sizes[1] < sizes[2]


def test_held_out_rows_decide_where_to_stop():
    model = Classifier(n_iter_no_change=10, validation_fraction=0.25, random_state=0).fit(X, TWO)
    assert 1 < model.get_n_leaves() < Classifier().fit(X, TWO).get_n_leaves()
    assert model.tree_.n_samples[0] == 300
    patient = Classifier(n_iter_no_change=10_000, validation_fraction=0.25, random_state=0).fit(X, TWO)
    assert patient.get_n_leaves() >= model.get_n_leaves()
    number = Regressor(n_iter_no_change=10, random_state=0).fit(X, Y)
    assert 1 < number.get_n_leaves() < 100


def test_bins_are_thresholds_enough():
    model = Classifier(max_bins=8).fit(X, THREE)
    for j in range(4):
        asked = model.tree_.threshold[model.tree_.feature == j]
        assert len(set(asked)) <= 8
    assert Classifier(max_bins=255).fit(X, THREE).score(X, THREE) > 0.9


@pytest.mark.parametrize(
    "model",
    [
        Classifier(max_depth=3, random_state=0),
        BaggingClassifier(Classifier(max_depth=3), n_estimators=3, random_state=0),
        AdaBoostClassifier(Classifier(max_depth=3), n_estimators=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_many_categories_are_not_learnt_by_heart(model):
    """A random target, four rows per category: no better than chance on training rows, no worse on others."""
    random, n = np.random.RandomState(0), 20_000
    X = pd.DataFrame({"category": random.randint(0, 5000, 2 * n).astype(str)})
    y = random.randint(0, 2, 2 * n)
    model.fit(X[:n], y[:n])
    assert model.score(X[:n], y[:n]) < 0.55
    if not isinstance(model, AdaBoostClassifier):  # whose probabilities say who is right, not how often
        assert log_loss(y[n:], model.predict_proba(X[n:])) < np.log(2) + 0.005


def test_gain_ratio_does_not_fall_for_many_small_branches():
    """A column that tells every row apart gains most by its best cut only at the edge; ratio weighs the cut."""
    random = np.random.RandomState(0)
    y = random.randint(0, 2, 200)
    useful = np.where(random.rand(200) < 0.8, y, 1 - y)
    X = np.column_stack([random.permutation(200), useful])
    assert Classifier(criterion="gain_ratio", max_depth=1).fit(X, y).tree_.feature[0] == 1


# --- a model among others -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model, y", [(Classifier(max_depth=4), THREE), (Regressor(max_depth=4), Y)], ids=name_of)
def test_pickles_clones_and_refits(model, y):
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.fingerprint_ == fitted.fingerprint_
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert clone(fitted).fit(X, y).fingerprint_ == fitted.fingerprint_
    named = clone(model).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert not hasattr(named.fit(X, y), "feature_names_in_")


def test_pipelines_searches_and_cross_validation():
    values = np.nan_to_num(X)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Classifier()), {"decisiontreeclassifier__max_leaf_nodes": [2, 16]}, cv=3
    ).fit(values, THREE)
    assert search.best_params_ == {"decisiontreeclassifier__max_leaf_nodes": 16}
    assert (cross_val_score(Regressor(min_samples_leaf=10), X, Y, cv=3) > 0.1).all()
    parallel = GridSearchCV(Regressor(), {"max_depth": [1, 4]}, cv=2, n_jobs=2).fit(X, Y)
    assert parallel.best_params_ == {"max_depth": 4}


@pytest.mark.parametrize("model, y", [(Classifier(), THREE), (Regressor(), Y)], ids=name_of)
def test_a_fit_that_fails_leaves_the_old_model(model, y):
    fitted = clone(model).fit(X, y)
    before = dict(vars(fitted))
    for bad in (
        {"X": X[:5], "y": y},
        {"X": X, "y": np.full(len(X), np.nan)},
        {"X": X, "y": y, "sample_weight": -y - 9},
    ):
        with pytest.raises(ValueError, match=r"."):
            fitted.fit(**bad)
        assert vars(fitted) == before


def test_paths_end_in_leaves():
    model = Classifier(max_depth=5).fit(X, THREE)
    path, leaves = model.decision_path(X).toarray(), model.apply(X)
    tree = model.tree_
    assert (path[np.arange(len(X)), leaves] == 1).all()
    np.testing.assert_array_equal(path.sum(axis=1), tree.depth[leaves] + 1)
    np.testing.assert_array_equal(path.sum(axis=0), tree.n_samples)
    np.testing.assert_allclose(model.predict_proba(X), tree.probabilities[leaves, 0])
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_predictions_of_many_rows_are_those_of_few():
    model = Classifier(max_depth=9).fit(MANY, MANY_THREE)
    together = model.predict_proba(MANY)
    np.testing.assert_array_equal(
        np.vstack([model.predict_proba(MANY[k : k + 999]) for k in range(0, 15_000, 999)]), together
    )
    np.testing.assert_array_equal(model.set_params(n_jobs=3).predict_proba(MANY), together)
