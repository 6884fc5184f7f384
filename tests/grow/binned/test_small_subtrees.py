"""Subtrees of few rows: the very nodes that grow/exact makes, above and below the number of rows that a set holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import MEMBERS
from spinney._team import Team
from spinney.data.encode import learn_bins
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.binned.memory import LANES
from tests.compiled import few
from tests.grow.binned.cases import WEIGHTS, assert_same, draw_case, encode, grow_both

pytestmark = pytest.mark.kernels
ROWS = (2, 16, MEMBERS - 1, MEMBERS, MEMBERS + 1, 2 * MEMBERS + 1)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@few(60, plain=6)
@given(seed=st.integers(0, 10**6), n_rows=st.sampled_from(ROWS), weights=st.sampled_from(WEIGHTS))
def test_the_same_tree_as_from_sorted_lists(criterion, seed, n_rows, weights):
    random = np.random.RandomState(seed)
    n_columns = int(random.choice((3, LANES, LANES + 5)))
    rules = {"random": True, "n_features": int(random.randint(2, n_columns + 1)), "per_tree": bool(random.rand() < 0.2)}
    n_classes = int(random.choice((2, 3, 5))) if criterion != "squared_error" else 2
    case = draw_case(seed, n_rows, n_columns, criterion, weights, n_classes, **rules)
    if random.rand() < 0.5:
        case.X[np.isnan(case.X)] = 0.5  # nothing is missing: all columns of a node are judged at once
    assert_same(*grow_both(case, max_bins=int(random.choice((3, 40, 255)))))


def grow(n_rows, n_columns, **rules):
    """What a tree left in the table of a small node."""
    case = draw_case(3, n_rows, n_columns, "gini", min_leaf=1, min_split=2, max_depth=99, **rules)
    with Team(1, inline=True) as team:
        bins = learn_bins(case.table, case.n_categories > 0, None, 255, team)
        cells = encode(case, bins, team)
        desk = make_desk(cells, bins)
        grow_coded_tree(cells, bins, case.target, case.settings, desk)
    return desk.memory.small.table


def test_tables_are_made_for_random_cuts_of_enough_columns():
    n_rows, n_columns = MEMBERS // 2, 2 * LANES
    assert grow(n_rows, n_columns, random=True, n_features=3).any()
    assert not grow(n_rows, n_columns, random=True, n_features=2).any()
    assert not grow(n_rows, n_columns, random=False, n_features=3).any()
