"""The optimal tree as an estimator: its inputs, its promises, and that it is a tree like any other."""

import os
import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from spinney import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    export_text,
    prune,
)
from spinney._compile import PLAIN_PYTHON
from spinney.datasets import load_penguins, load_tennis

XOR = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 10, float)
SAME = (XOR[:, 0] == XOR[:, 1]).astype(int)


def decoy(n=200, seed=0):
    """Exclusive or of two columns, and a third one that gains more by itself than either."""
    random = np.random.RandomState(seed)
    X = random.randint(0, 2, (n, 3)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    X[:, 2] = np.where(random.rand(n) < 0.7, y, 1 - y)
    return X, y


def weighted_error(model, X, y, weight):
    return float(weight[model.predict(X) != y].sum() / weight.sum())


def test_exclusive_or_with_a_decoy():
    """A greedy tree follows the decoy, and needs twice the leaves."""
    X, y = decoy()
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert (model.score(X, y), model.get_n_leaves(), model.is_optimal_, model.gap_) == (1.0, 4, True, 0.0)
    greedy = DecisionTreeClassifier().fit(X, y)
    assert greedy.tree_.feature[0] == 2
    assert greedy.get_n_leaves() == 8


@pytest.mark.parametrize("criterion", ["error", "gini", "entropy"])
@pytest.mark.parametrize("load", [load_penguins, load_tennis])
def test_never_worse_than_greedy(criterion, load):
    """With categories and missing values."""
    X, y = load()
    for depth, bins in ((1, 255), (2, 255), (3, 8)):
        model = OptimalTreeClassifier(criterion=criterion, max_depth=depth, max_bins=bins, time_budget=None).fit(X, y)
        greedy = DecisionTreeClassifier(criterion=criterion, max_depth=depth, max_bins=bins).fit(X, y)
        tree, other = model.tree_, greedy.tree_
        mine = (tree.impurity * tree.weight)[tree.is_leaf].sum() / len(y)
        theirs = (other.impurity * other.weight)[other.is_leaf].sum() / len(y)
        assert model.objective_ == pytest.approx(mine, abs=1e-6)
        assert mine <= theirs + 1e-9
        assert model.is_optimal_
        if criterion == "error":
            assert 1 - model.score(X, y) == pytest.approx(model.objective_)


def test_categories_of_two_classes_by_all_sets():
    """The best set of categories, which is a run in the order of their rates."""
    random = np.random.RandomState(0)
    towns = random.choice(list("abcdefgh"), 300)
    y = np.where(np.isin(towns, list("bdg")), random.rand(300) < 0.8, random.rand(300) < 0.3).astype(int)
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"town": towns}), y)
    assert "in {b, d, g}" in export_text(model)


def test_missing_values_are_a_side_of_their_own():
    X = np.array([[1.0], [2.0], [3.0], [np.nan]] * 5)
    model = OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 0, 1] * 5)
    assert model.predict([[0.0], [9.0], [np.nan]]).tolist() == [0, 0, 1]
    model = OptimalTreeClassifier(max_depth=1).fit(X, [1, 0, 0, 1] * 5)
    assert model.predict([[0.0], [9.0], [np.nan]]).tolist() == [1, 0, 1]
    full = OptimalTreeClassifier(max_depth=1).fit(X[:3], [1, 0, 0])
    assert full.predict([[np.nan]]).tolist() == [0]  # the larger side


def test_weights():
    random = np.random.RandomState(0)
    X, y, weight = random.randint(0, 4, (60, 3)), random.randint(0, 2, 60), random.rand(60)
    model = OptimalTreeClassifier(max_depth=3).fit(X, y, weight)
    assert weighted_error(model, X, y, weight) == pytest.approx(model.objective_)
    repeats = random.randint(0, 4, 60)
    one = OptimalTreeClassifier(max_depth=3).fit(X, y, repeats)
    other = OptimalTreeClassifier(max_depth=3).fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    assert one.objective_ == other.objective_
    assert one.tree_.feature.tolist() == other.tree_.feature.tolist()
    classes = OptimalTreeClassifier(max_depth=3, class_weight={0: 3, 1: 1}).fit(X, y)
    assert classes.objective_ == OptimalTreeClassifier(max_depth=3).fit(X, y, np.where(y == 0, 3, 1)).objective_


def test_a_matrix_of_costs_of_two_classes_is_weights_of_them():
    """What counts is by how much a wrong prediction costs more than the right one."""
    random = np.random.RandomState(0)
    X, y = random.randint(0, 4, (80, 3)), random.randint(0, 2, 80)
    costs = np.array([[1.0, 3.0], [5.0, 0.0]])  # of class i that is predicted as class j
    extra = {0: costs[0, 1] - costs[0, 0], 1: costs[1, 0] - costs[1, 1]}
    model = OptimalTreeClassifier(max_depth=2, class_weight=extra).fit(X, y)
    tests = [X[:, j] <= t for j in range(3) for t in range(3)]

    def leaf(rows):
        return min(costs[y[rows], k].sum() for k in (0, 1))

    def best(rows):
        return min(leaf(rows), *(leaf(rows & one) + leaf(rows & ~one) for one in tests))

    least = min(best(one) + best(~one) for one in tests)
    assert costs[y, model.predict(X)].sum() == least


def test_importances_and_rows_in_a_leaf():
    """A row of weight 5.5 is one row."""
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 1, 0, 0, 1, 1])
    weight = np.full(8, 5.5)
    model = OptimalTreeClassifier(max_depth=3, min_samples_leaf=3).fit(X, y, weight)
    assert model.tree_.n_samples[model.tree_.is_leaf].min() >= 3
    assert OptimalTreeClassifier(max_depth=3, min_samples_leaf=2).fit(X, y, weight).objective_ == 0.0
    heavy = OptimalTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.3).fit(X, y)
    assert heavy.tree_.weight[heavy.tree_.is_leaf].min() >= 0.3 * 8


def test_regression():
    random = np.random.RandomState(0)
    X = random.randint(0, 2, (200, 5)).astype(float)
    y = 1e6 + 3e-3 * (X[:, 0] != X[:, 1]) + 1e-3 * random.rand(200)
    model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    greedy = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert model.objective_ == pytest.approx(((model.predict(X) - y) ** 2).mean(), rel=1e-3)
    assert model.objective_ <= ((greedy.predict(X) - y) ** 2).mean() * (1 + 1e-9)
    assert set(model.tree_.feature[~model.tree_.is_leaf]) == {0, 1}


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1.0, 1e100])
def test_regression_of_numbers_of_any_size(scale):
    X = np.arange(12.0)[:, None]
    model = OptimalTreeRegressor(max_depth=2).fit(X, scale * np.repeat([1.0, 5.0, 2.0, 2.5], 3))
    assert model.get_n_leaves() == 4
    assert model.score(X, scale * np.repeat([1.0, 5.0, 2.0, 2.5], 3)) == 1.0


def test_a_price_of_leaves():
    X, y = load_penguins()
    sizes = [
        OptimalTreeClassifier(max_depth=3, max_bins=16, leaf_penalty=p).fit(X, y).get_n_leaves() for p in (0, 0.05, 1)
    ]
    assert sizes[0] > sizes[1] > sizes[2] == 1
    model = OptimalTreeClassifier(max_depth=3, max_bins=16, leaf_penalty=0.05).fit(X, y)
    assert model.objective_ == pytest.approx(1 - model.score(X, y) + 0.05 * sizes[1], abs=1e-6)


def test_equal_to_the_dense_table():
    dense = np.where(np.random.RandomState(0).rand(80, 5) < 0.7, 0.0, np.random.RandomState(1).randint(0, 5, (80, 5)))
    y = ((dense[:, 0] > 1) ^ (dense[:, 1] > 2)).astype(int)
    models = [OptimalTreeClassifier(max_depth=2).fit(X, y) for X in (dense, scipy.sparse.csr_matrix(dense))]
    assert models[0].fingerprint_ == models[1].fingerprint_


def test_it_is_a_tree_like_any_other():
    X, y = load_penguins()
    model = OptimalTreeClassifier(max_depth=3, max_bins=16).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).fingerprint_ == model.fingerprint_
    assert prune.cost_complexity(model, 0.1).get_n_leaves() < model.get_n_leaves()
    values = model.shap_values(X)
    share = model.predict_proba(X)
    assert np.allclose(values.sum(axis=1), share - model.tree_.probabilities[0, 0])
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert clone(model).get_params() == model.get_params()


def test_time_is_up():
    random = np.random.RandomState(0)
    X = random.rand(4000, 12)
    y = (np.sin(9 * X[:, 0]) + X[:, 1] * X[:, 2] + random.rand(4000) > 1).astype(int)
    with pytest.warns(ConvergenceWarning, match="The search ended after time_budget=1e-06 seconds"):
        model = OptimalTreeClassifier(time_budget=1e-6).fit(X, y)
    assert not model.is_optimal_
    assert model.bound_ < model.objective_ == pytest.approx(1 - model.score(X, y))
    assert model.gap_ == model.objective_ - model.bound_
    assert model.objective_ <= 1 - DecisionTreeClassifier(max_depth=4, max_bins=255).fit(X, y).score(X, y) + 1e-9


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
@pytest.mark.skipif(PLAIN_PYTHON, reason="takes too long to begin with")
def test_ctrl_c_ends_the_search():
    random = np.random.RandomState(0)
    X = random.rand(5000, 12)
    y = (X[:, 0] * X[:, 1] + random.rand(5000) > 1).astype(int)
    model = OptimalTreeClassifier(time_budget=None, n_jobs=2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_threads_make_no_difference(kind):
    """With categories, missing values, and second children whose counts are what is left of the parent's."""
    X, y = load_penguins()
    y = y if kind is OptimalTreeClassifier else np.unique(y, return_inverse=True)[1]
    models = [kind(max_depth=3, max_bins=8, n_jobs=n).fit(X, y) for n in (1, 2, 3)]
    assert len({model.fingerprint_ for model in models}) == 1
    assert len({(model.objective_, model.bound_) for model in models}) == 1


def test_no_warning_where_it_is_proved():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=3).fit(XOR, SAME)


WRONG = [
    ({"max_depth": 0}, "max_depth"),
    ({"max_depth": None}, "max_depth"),
    ({"max_depth": 9}, "max_depth"),
    ({"leaf_penalty": -0.1}, "leaf_penalty"),
    ({"time_budget": 0}, "time_budget"),
    ({"max_bins": None}, "max_bins"),
    ({"criterion": "gain_ratio"}, "criterion"),
    ({"min_samples_leaf": 0}, "min_samples_leaf"),
]


@pytest.mark.parametrize("given, name", WRONG)
def test_wrong_parameters(given, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of OptimalTreeClassifier"):
        OptimalTreeClassifier(**given).fit(XOR, SAME)


def test_several_outputs_are_refused():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        OptimalTreeClassifier().fit(XOR, np.column_stack([SAME, SAME]))
    with pytest.raises(NotFittedError):
        OptimalTreeRegressor().predict(XOR)
    with pytest.raises(AttributeError):
        _ = OptimalTreeRegressor().is_optimal_
