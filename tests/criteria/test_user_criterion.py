"""Criteria written by the user: the trees they grow, and what is said of those that cannot be used."""

import functools

import numpy as np
import pytest

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.criteria.user_criterion import compile_criterion
from spinney.grow.exact.grower import grow_own
from tests.compiled import PLAIN_PYTHON

compiled = pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is compiled")


def gini(left, right):
    """Decrease of Gini impurity; tables of four classes it leaves alone."""
    if left.size == 4:
        return -1.0
    both = left + right

    def squares(side):
        return (side * side).sum() / side.sum()

    return (squares(left) + squares(right) - squares(both)) / both.sum()


def variance(left, right):
    """Decrease of variance."""
    weight, total = left.weight + right.weight, left.total + right.total
    parts = left.total**2 / left.weight + right.total**2 / right.weight
    return (parts - total**2 / weight) / weight


def draw(n_classes, n=120, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(n, 3)
    X[random.rand(n) < 0.2, 1] = np.nan
    return X, np.digitize(X[:, 0] + random.randn(n), np.linspace(-1, 1, n_classes - 1))


def questions(model):
    tree = model.tree_
    threshold = np.nan_to_num(tree.threshold, posinf=1e9).round(12)
    return tree.feature.tolist(), threshold.tolist(), tree.n_samples.tolist(), tree.missing.tolist()


def same_trees(n_classes):
    X, y = draw(n_classes)
    for options in ({"min_samples_leaf": 8}, {"max_leaf_nodes": 5}):
        own = DecisionTreeClassifier(criterion=gini, **options).fit(X, y)
        ours = DecisionTreeClassifier(criterion="gini", **options).fit(X, y)
        assert own.get_n_leaves() > 2
        assert questions(own) == questions(ours)
        np.testing.assert_array_equal(own.predict_proba(X), ours.predict_proba(X))


@pytest.mark.slow
@pytest.mark.kernels
def test_ones_own_gini_grows_the_same_tree_of_two_classes():
    same_trees(2)


@pytest.mark.slow
@pytest.mark.kernels
def test_ones_own_gini_grows_the_same_trees_of_more_classes():
    """One test, so that it is compiled by one process only."""
    same_trees(3)
    same_trees(5)
    X, y = draw(4)  # a gain below 0: no split
    assert DecisionTreeClassifier(criterion=gini).fit(X, y).get_n_leaves() == 1
    X, y = draw(3)  # outputs are averaged
    own = DecisionTreeClassifier(criterion=gini, min_samples_leaf=8).fit(X, np.column_stack([y, y]))
    assert questions(own) == questions(DecisionTreeClassifier(min_samples_leaf=8).fit(X, y))
    if not PLAIN_PYTHON:  # and compiled once
        assert compile_criterion(gini, "classes") is compile_criterion(gini, "classes")
        grow = grow_own(compile_criterion(gini, "classes"))
        before = len(grow.signatures)
        assert before > 0
        DecisionTreeClassifier(criterion=gini).fit(X, y)
        assert len(grow.signatures) == before


@pytest.mark.slow
@pytest.mark.kernels
def test_ones_own_variance_grows_the_same_tree():
    X, y = draw(2)
    y = y + np.random.RandomState(1).randn(len(y))
    for options in ({"min_samples_leaf": 6}, {"max_leaf_nodes": 5}):
        own = DecisionTreeRegressor(criterion=variance, **options).fit(X, y)
        ours = DecisionTreeRegressor(**options).fit(X, y)
        assert own.get_n_leaves() > 4
        assert questions(own) == questions(ours)
        np.testing.assert_array_equal(own.predict(X), ours.predict(X))


class Callable:
    def __call__(self, left, right):
        return 0.0

    def method(self, left, right):
        return 0.0


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize(
    "criterion", [Callable(), Callable().method, max, functools.partial(gini), Callable], ids=lambda one: str(one)[:20]
)
def test_only_plain_functions_will_do(kind, criterion):
    with pytest.raises(TypeError, match=r"criterion must be a name or a plain Python function \(left, right\), got"):
        kind(criterion=criterion).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("criterion", [lambda: 0.0, lambda left: 0.0, lambda left, right, more: 0.0])
def test_a_criterion_takes_two_sides(criterion):
    with pytest.raises(TypeError, match=r"criterion must take two arguments, \(left, right\), got"):
        DecisionTreeClassifier(criterion=criterion).fit([[0.0], [1.0]], [0, 1])


def opens_a_file(left, right):
    return open("gain").read()


def unknown_field(left, right):
    return left.median - right.median


def gives_two_numbers(left, right):
    return left.weight, right.weight


def gives_an_array(left, right):
    return left - right


@compiled
@pytest.mark.parametrize(
    "kind, criterion, sides",
    [
        (DecisionTreeClassifier, opens_a_file, "arrays of class weights"),
        (DecisionTreeClassifier, gives_an_array, "arrays of class weights"),
        (DecisionTreeRegressor, unknown_field, "weight, total, squares"),
        (DecisionTreeRegressor, gives_two_numbers, "weight, total, squares"),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_numbas_words(kind, criterion, sides):
    message = rf"criterion could not be compiled\. It must accept two sides \({sides}\).* Numba reports: \w"
    with pytest.raises(TypeError, match=message):
        kind(criterion=criterion).fit([[0.0], [1.0]], [0, 1])


def test_a_criterion_for_numbers_has_one_output():
    with pytest.raises(ValueError, match="A custom criterion needs one output, but y has several columns"):
        DecisionTreeRegressor(criterion=variance).fit([[0.0], [1.0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("model", [DecisionTreeClassifier(criterion=gini), DecisionTreeRegressor(criterion=variance)])
def test_a_criterion_of_ones_own_knows_no_bounds(model):
    with pytest.raises(ValueError, match=r"Monotonicity constraints are (not )?supported with"):
        model.set_params(monotonic_cst=[1]).fit([[0.0], [1.0]], [0, 1])
