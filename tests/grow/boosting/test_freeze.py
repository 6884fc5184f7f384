"""Freezing: what pruning cut off is gone, numbers stay in order, thresholds are values of the table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiled import few
from tests.grow.cases import NUMBERS, cases, descend, grow_cpu, make_case, make_dataset, make_limits

pytestmark = pytest.mark.kernels


@few(80, plain=40)
@given(cases())
def test_the_frozen_tree_is_whole(case):
    tree = grow_cpu(case).tree
    inner = np.flatnonzero(~tree.is_leaf)
    children = np.concatenate((tree.left[inner], tree.right[inner]))
    np.testing.assert_array_equal(np.sort(children), np.arange(1, tree.n_nodes))  # every node but the root, once
    np.testing.assert_array_equal(tree.left[inner], inner + 1)  # in preorder
    leaf = tree.is_leaf
    assert (tree.feature[leaf] == -1).all()
    assert np.isnan(tree.threshold[~leaf & (tree.is_category > 0)]).all()
    assert (tree.threshold[leaf] == -2).all()
    assert not tree.bits[tree.is_category == 0].any()
    assert not tree.gain[leaf].any()
    np.testing.assert_array_equal(tree.is_category[inner] > 0, case.dataset.bins.is_categorical[tree.feature[inner]])


@few(80, plain=40)
@given(st.data())
def test_values_and_thresholds_lead_where_codes_do(data):
    case = data.draw(cases(kinds=NUMBERS))
    tree = grow_cpu(case).tree
    visits = descend(tree, case, case.dataset.codes)
    for at in np.flatnonzero(~tree.is_leaf):
        column, code = tree.feature[at], tree.code[at]
        assert tree.threshold[at] == case.dataset.bins.thresholds(column, code)
        below = case.dataset.codes[column] <= code
        missing = case.dataset.codes[column] == case.dataset.bins.n_bins[column]
        expected = visits[at] & np.where(missing, tree.missing_left[at] > 0, below)
        np.testing.assert_array_equal(visits[tree.left[at]], expected)


def test_pruned_pieces_answer_with_the_value_of_their_leaf():
    """One real step and much noise: pruning leaves two leaves, made of many pieces."""
    random = np.random.RandomState(0)
    x = np.arange(60.0)
    gradient = np.where(x < 30, -5.0, 5.0) + 0.1 * random.randn(60)
    case = make_case(make_dataset([x]), np.stack((gradient, np.ones(60)), axis=1), make_limits(1, min_gain=50.0))
    grown = grow_cpu(case)
    assert len(grown.segments) == 12
    assert grown.tree.n_leaves == 2
    assert set(grown.scores) == set(grown.tree.value[1:])
