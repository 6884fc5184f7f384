"""The rule book: what a node may do, what a split is worth, and which key a choice has."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._random import mix
from spinney.grow.rules import (
    allow_features,
    child_bounds,
    child_key,
    column_key,
    is_large,
    is_worth,
    larger_side,
    may_split,
    narrow_groups,
    order_key,
)
from tests.compiled import few, outer
from tests.grow.cases import make_limits

pytestmark = pytest.mark.kernels

_allow, _narrow, _may_split, _bounds = (
    outer(allow_features),
    outer(narrow_groups),
    outer(may_split),
    outer(child_bounds),
)
_is_large, _is_worth, _larger_side = outer(is_large), outer(is_worth), outer(larger_side)
_mix, _keys = outer(mix), (outer(child_key), outer(column_key), outer(order_key))


class Exact(NamedTuple):
    """The rules that kernels ask for here."""

    max_depth: int = 3
    min_split: int = 5
    min_leaf: int = 1
    min_decrease: float = 0.0
    total_weight: float = 100.0


@pytest.mark.parametrize(
    ("rules", "n_rows", "depth", "expected"),
    [(Exact(), 5, 2, True), (Exact(), 4, 2, False), (Exact(), 5, 3, False), (Exact(min_leaf=3), 5, 0, False)],
)
def test_a_node_is_large_enough_for_a_split_and_two_leaves(rules, n_rows, depth, expected):
    assert _is_large(rules, n_rows, depth) == expected


def test_a_split_is_worth_its_decrease():
    assert _is_worth(Exact(), 0.0)  # or exclusive-or could not be learnt
    assert not _is_worth(Exact(), -1e-9)
    assert _is_worth(Exact(min_decrease=0.1), 10.0)
    assert not _is_worth(Exact(min_decrease=0.1), 9.99)


def test_missing_values_go_with_more_than_half():
    assert [_larger_side(n_left, 6) for n_left in range(7)] == [0, 0, 0, 0, 1, 1, 1]  # of equals to the right


def test_choices_have_keys_of_their_own():
    """Two engines grow the same tree bit by bit from these."""
    child, column, order = _keys
    key = np.uint64(77)
    assert [child(key, side) for side in range(2)] == [_mix(key, 0), _mix(key, 1)]
    assert column(key, 3) == _mix(key, 1003)
    assert order(key, 3) == _mix(key, 2_000_003) | np.uint64(1)


def allowed(limits, node=0, live=None):
    """Per column of the table, whether the node may use it."""
    n_columns = limits.groups.shape[1]
    out, order = np.full(n_columns, 9, np.uint8), np.empty(n_columns, np.int64)
    _allow(limits, np.int64(node), np.ones(len(limits.groups), np.uint8) if live is None else live, out, order)
    return out


@few(60)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 1000), st.integers(0, 2**40))
def test_each_node_draws_so_many_columns(n, drawn, node, key):
    drawn = min(n, drawn)
    limits = make_limits(n, node_features=drawn, node_key=np.uint64(key))
    found = allowed(limits, node)
    assert found.sum() == drawn
    assert set(found) <= {0, 1}
    np.testing.assert_array_equal(found, allowed(limits, node))


@few(60)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 1000))
def test_nodes_draw_from_the_columns_of_the_tree(seed, drawn, node):
    features = np.sort(np.random.RandomState(seed).permutation(12)[:5]).astype(np.int32)
    found = allowed(make_limits(12, features=features, node_features=drawn), node)
    assert found.sum() == drawn
    assert set(np.flatnonzero(found)) <= set(features)


def test_nodes_draw_different_columns_and_all_in_the_end():
    draws = np.array([allowed(make_limits(10, node_features=3), node) for node in range(60)])
    assert len(np.unique(draws, axis=0)) > 30
    assert draws.any(axis=0).all()


@few(60)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 8))
def test_groups(seed, n_groups, n_columns):
    random = np.random.RandomState(seed)
    groups = random.randint(0, 2, (n_groups, n_columns)).astype(np.uint8)
    live = random.randint(0, 2, n_groups).astype(np.uint8)
    features = np.sort(random.permutation(n_columns)[: n_columns // 2 + 1]).astype(np.int32)
    limits = make_limits(n_columns, groups=groups, features=features, node_features=len(features))
    expected = groups[live > 0].any(axis=0) & np.isin(np.arange(n_columns), features)
    np.testing.assert_array_equal(allowed(limits, 0, live) > 0, expected)
    child, feature = np.empty(n_groups, np.uint8), random.randint(n_columns)
    _narrow(limits, live, feature, child)
    np.testing.assert_array_equal(child, live & groups[:, feature])


def test_may_split():
    limits = make_limits(1, max_depth=3, min_count=5, min_hessian=0.5)
    assert _may_split(10, 1.0, 2, limits)
    assert not _may_split(10, 1.0, 3, limits)
    assert not _may_split(9, 1.0, 2, limits)
    assert not _may_split(10, 0.99, 2, limits)
    assert not _may_split(10, 1.0, 0, limits._replace(max_depth=0))
    assert _may_split(12, 1.0, 2, limits._replace(min_split=12))
    assert not _may_split(11, 1.0, 2, limits._replace(min_split=12))


FLOATS = st.floats(-1e6, 1e6)


@few(60)
@given(st.sampled_from((-1, 0, 1)), FLOATS, FLOATS, st.data())
def test_bounds_hold_for_any_values_within_them(direction, a, b, data):
    lower, upper = data.draw(st.sampled_from(((-np.inf, np.inf), (min(a, b), np.inf), (min(a, b), max(a, b)))))
    left, right = (min(a, b), max(a, b)) if direction > 0 else (max(a, b), min(a, b))
    bounds = _bounds(direction, left, right, lower, upper)
    if direction == 0:
        assert bounds == (lower, upper, lower, upper)
        return
    left_lower, left_upper, right_lower, right_upper = bounds
    assert left_lower <= left <= left_upper
    assert right_lower <= right <= right_upper
    assert min(left_lower, right_lower) == lower
    assert max(left_upper, right_upper) == upper
    # whatever the children's descendants say, the order between the sides stays
    assert (left_upper <= right_lower) if direction > 0 else (right_upper <= left_lower)
