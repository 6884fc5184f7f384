"""Random thresholds without sorted lists give the tree of the sorted lists, in every field of every node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.exact.random_cuts import RandomCuts
from tests.compiled import PLAIN_PYTHON, few
from tests.grow.exact.cases import Case, Variant, draw_case, grow

pytestmark = pytest.mark.kernels

ROWS = 90 if PLAIN_PYTHON else 300  # subtrees of up to 64 rows are grown in another way


def cuts_of(case, settings):
    return RandomCuts.of(case.table, case.n_categories, settings, case.target)


def with_random(case, seed, **more):
    options = {name: value for name, value in case.options.items() if name not in ("max_leaves", "significance")}
    return Case(
        np.nan_to_num(case.X, posinf=3.0, neginf=-3.0),
        case.n_categories,
        case.y,
        case.n_classes,
        case.sample_weight,
        "gini" if case.n_classes else "squared_error",
        options | {"random": True, "seed": seed} | more,
    )


def assert_same(one, other):
    assert one.tree.fingerprint == other.tree.fingerprint
    np.testing.assert_array_equal(one.rows, other.rows)
    for name in ("threshold", "missing", "value", "impurity", "weight"):
        np.testing.assert_array_equal(getattr(one.tree, name), getattr(other.tree, name))


@pytest.mark.parametrize("variant", [Variant("pairs"), Variant("pairs", weighted=True)], ids=str)
@few(60, plain=10)
@given(seed=st.integers(0, 10**6), n_features=st.integers(1, 3), per_tree=st.booleans())
def test_the_tree_of_the_sorted_lists(variant, seed, n_features, per_tree):
    case = with_random(draw_case(variant, ROWS, seed), seed, n_features=n_features, per_tree=per_tree)
    assert_same(cuts_of(case, case.settings).grow(case.target, case.settings), grow(case))


@few(20, plain=5)
@given(seed=st.integers(0, 10**6))
def test_some_rows_and_columns(seed):
    random = np.random.RandomState(seed)
    case = with_random(draw_case(Variant("pairs"), ROWS, seed), seed)
    rows, columns = np.flatnonzero(random.rand(len(case.X)) < 0.5), np.array([len(case.n_categories) - 1, 0])
    if len(rows) < 2:
        return
    some = Case(case.X[rows][:, columns], case.n_categories[columns], case.y[rows], case.n_classes, None,
                case.criterion, case.options)  # fmt: skip
    assert_same(cuts_of(case, case.settings).grow(some.target, some.settings, rows, columns), grow(some))


def test_zeros_of_both_signs_and_distances_that_overflow():
    X = np.array([[-0.0, -1.7e308], [0.0, 1.7e308], [5e-324, 0.0], [-0.0, -0.0]] * 30)
    for seed in range(5):
        case = Case(X, np.zeros(2, int), np.arange(120.0)[:, None] % 7, None, None, "squared_error",
                    {"random": True, "seed": seed})  # fmt: skip
        assert_same(cuts_of(case, case.settings).grow(case.target, case.settings), grow(case))


@pytest.mark.parametrize(
    "X, sizes, options",
    [
        ([[0.0], [np.nan]], [0], {"random": True}),
        ([[0.0], [np.inf]], [0], {"random": True}),
        ([[0.0], [1.0]], [2], {"random": True}),
        ([[0.0], [1.0]], [0], {}),
        ([[0.0], [1.0]], [0], {"random": True, "max_leaves": 2}),
        ([[0.0], [1.0]], [0], {"random": True, "monotone": (1,)}),
        ([[0.0], [1.0]], [0], {"random": True, "significance": 0.5}),
    ],
)
def test_what_only_sorted_lists_can_do(X, sizes, options):
    case = Case(np.array(X), np.array(sizes), np.array([[0], [1]]), (2,), None, "gini", options)
    assert cuts_of(case, case.settings) is None
    assert cuts_of(Case(case.X, case.n_categories, case.y, (3,), None, "gini", options), case.settings) is None
