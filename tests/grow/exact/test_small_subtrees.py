"""Subtrees of a few rows are the ones that the loop for large nodes grows, in every field of every node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.exact import memory
from tests.compiled import PLAIN_PYTHON, few
from tests.grow.exact.cases import Case, Variant, check, draw_case, grow

pytestmark = pytest.mark.kernels

ROWS = 30 if PLAIN_PYTHON else 150


def grow_small(case, most, n_threads=1):
    """A tree whose subtrees of up to so many rows are grown by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "SMALL", most)
        return grow(case, n_threads)


def assert_same(grown, other):
    assert grown.tree.fingerprint == other.tree.fingerprint
    np.testing.assert_array_equal(grown.rows, other.rows)
    for name in ("threshold", "missing", "value", "impurity", "weight"):
        np.testing.assert_array_equal(getattr(grown.tree, name), getattr(other.tree, name))


@pytest.mark.parametrize("variant", [Variant("pairs"), Variant("pairs", weighted=True)], ids=str)
@few(60, plain=15)
@given(seed=st.integers(0, 10**6), most=st.sampled_from((2, 3, 5, 17, 63, 64)))
def test_small_subtrees_are_those_of_the_large_loop(variant, seed, most):
    case = draw_case(variant, ROWS, seed)
    assert_same(grow_small(case, most), grow_small(case, 0))


@few(40, plain=10)
@given(
    seed=st.integers(0, 10**6),
    n_values=st.sampled_from((2, 3, 1000)),
    weighted=st.booleans(),
    min_leaf=st.sampled_from((1, 2, 3)),
    classes=st.booleans(),
)
def test_ties_least_leaves_and_weights(seed, n_values, weighted, min_leaf, classes):
    random = np.random.RandomState(seed)
    n, n_columns = int(random.choice((2, 3, 20, ROWS))), int(random.choice((1, 3, 9)))
    X = random.randint(0, n_values, (n, n_columns)).astype(float)
    X[:, -1] = X[0, -1]  # a list that is never cut
    y = random.randint(0, 2 if classes else 5, (n, 1))
    weight = random.randint(1, 4, n) if weighted else None
    n_classes, criterion = ((2,), "gini") if classes else (None, "squared_error")
    options = {"min_leaf": min_leaf, "min_weight": float(random.choice((0.0, 2.0)))}
    case = Case(X, np.zeros(n_columns, int), y if classes else y * 1.0, n_classes, weight, criterion, options)
    alone = grow_small(case, 64)
    check(case, alone)
    for n_threads in (1, 2):
        assert_same(grow_small(case, 0, n_threads), alone)


def test_rows_whose_values_are_missing_go_the_usual_way():
    random = np.random.RandomState(0)
    X, y = random.rand(40, 3), random.rand(40, 1)
    X[::7, 1], X[:, 2] = np.nan, np.nan
    case = Case(X, np.zeros(3, int), y, None, None, "squared_error", {})
    grown = grow_small(case, 64)
    check(case, grown)
    assert_same(grown, grow_small(case, 0))
