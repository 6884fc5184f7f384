"""Rows on their way down, beside a loop in plain Python."""

import numpy as np
import pytest

from spinney._team import Team
from spinney.data.tables import Panel, Table
from spinney.tree.decision import BRANCHES, LEAF, NUMBER, SPREADS, STOPS
from spinney.tree.descend import leaf_of_rows, shares
from tests.compiled import PLAIN_PYTHON, THREADS
from tests.view.trees import branches, in_set, leaf, make_tree, number

pytestmark = pytest.mark.kernels
N = 60 if PLAIN_PYTHON else 5000


def mixed(missing=(1, 0, STOPS, 0)):
    below = number(1, -0.5, leaf([0, 1]), leaf([5, 0]), missing=missing[3])
    many = branches(3, leaf([2, 2]), below, leaf([1, 1]), missing=missing[2])
    return make_tree(
        number(0, 0.25, in_set(2, [1, 70], leaf([4, 0]), leaf([1, 3]), missing=missing[1]), many, missing=missing[0])
    )


def deep(missing=0):
    """Numbers only, one column asked again and again."""
    spec = leaf([1, 0])
    for k in range(12):
        spec = number(k % 2, 0.2 * k - 1, leaf([k, 1]), spec, missing=missing if k % 3 else 1)
    return make_tree(spec)


def draw(n=N, seed=0):
    random = np.random.RandomState(seed)
    X = np.column_stack([random.randn(n).round(2), random.randn(n), random.randint(0, 71, n), random.randint(0, 4, n)])
    X[random.rand(*X.shape) < 0.1] = np.nan
    return X


def walk(tree, x):
    """Where a row ends, by definition."""
    node = 0
    while tree.kind[node] != LEAF:
        value = x[tree.feature[node]]
        if np.isnan(value):
            branch = tree.missing[node]
        elif tree.kind[node] == NUMBER:
            branch = 0 if value <= tree.threshold[node] else 1
        elif tree.kind[node] == BRANCHES:
            branch = int(value) if value < len(tree.children_of(node)) else tree.missing[node]
        else:
            branch = 0 if int(value) in tree.categories_in(node, 71) else 1
        if branch < 0:
            return node
        node = tree.children_of(node)[branch]
    return node


def table_of(X, cut=None):
    """One block of memory, or two."""
    if cut is None:
        return Table(*X.shape, (Panel(X, tuple(range(X.shape[1]))),))
    parts = (np.ascontiguousarray(X[:, :cut]), np.asfortranarray(X[:, cut:]))
    columns = (tuple(range(cut)), tuple(range(cut, X.shape[1])))
    return Table(*X.shape, tuple(Panel(part, some) for part, some in zip(parts, columns, strict=True)))


TREES = {
    "mixed": mixed(),
    "stops everywhere": mixed((STOPS, STOPS, STOPS, STOPS)),
    "deep": deep(),
    "deep, stops": deep(STOPS),
    "deep, spreads": deep(SPREADS),
    "single": make_tree(leaf([3, 9])),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("cut", [None, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_end_where_the_questions_lead(name, cut, dtype):
    tree, X = TREES[name], draw().astype(dtype)
    expected = [walk(tree, x) for x in X]
    for n_threads in THREADS:
        with Team(n_threads) as team:
            np.testing.assert_array_equal(leaf_of_rows(tree, table_of(X, cut), team), expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 2047, 2048, 2049])
def test_any_number_of_rows(n):
    if PLAIN_PYTHON and n > 10:
        pytest.skip("too many rows for plain Python")
    tree, X = TREES["deep"], draw(n, seed=n)
    with Team(2 if not PLAIN_PYTHON else 1) as team:
        np.testing.assert_array_equal(leaf_of_rows(tree, table_of(X), team), [walk(tree, x) for x in X])


def test_thresholds_are_compared_in_their_own_precision():
    """0.1 as float32 is more than 0.1, and float64 values between them are told apart."""
    tree = make_tree(number(0, 0.1, leaf([1, 0]), leaf([0, 1])))
    above = float(np.float32(0.1))
    with Team(1) as team:
        assert leaf_of_rows(tree, table_of(np.array([[0.1], [above], [(0.1 + above) / 2]])), team).tolist() == [1, 2, 2]
        assert leaf_of_rows(tree, table_of(np.array([[0.1]], np.float32)), team).tolist() == [2]


def test_infinities():
    tree = make_tree(number(0, np.inf, number(0, -np.inf, leaf([1, 0]), leaf([0, 1])), leaf([1, 1]), missing=1))
    X = np.array([[np.inf], [-np.inf], [0.0], [np.nan]])
    with Team(1) as team:
        assert leaf_of_rows(tree, table_of(X), team).tolist() == [3, 2, 3, 4]


def spread(tree, x, node=0):
    """Shares of the classes, by definition."""
    if tree.kind[node] == LEAF:
        return tree.probabilities[node, 0]
    value = x[tree.feature[node]]
    children = tree.children_of(node)
    if np.isnan(value) and tree.missing[node] == SPREADS:
        weights = tree.weight[children] / tree.weight[children].sum()
        return sum(w * spread(tree, x, child) for w, child in zip(weights, children, strict=True))
    if np.isnan(value) or (tree.kind[node] == BRANCHES and value >= len(children)):
        branch = tree.missing[node]
    elif tree.kind[node] == NUMBER:
        branch = 0 if value <= tree.threshold[node] else 1
    elif tree.kind[node] == BRANCHES:
        branch = int(value)
    else:
        branch = 0 if int(value) in tree.categories_in(node, 71) else 1
    return tree.probabilities[node, 0] if branch == STOPS else spread(tree, x, children[branch])


@pytest.mark.parametrize("cut", [None, 2])
def test_rows_that_spread(cut):
    tree = mixed((SPREADS, SPREADS, 1, SPREADS))
    X = draw(N // 4)
    for n_threads in THREADS:
        with Team(n_threads) as team:
            found = shares(tree, table_of(X, cut), team)
        np.testing.assert_allclose(found, [spread(tree, x) for x in X], rtol=1e-12)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
