"""Several outputs, weights that are not whole, and a user's criterion: the very trees that grow/exact grows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data.encode import learn_bins
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.binned.memory import AT_ONCE, LANES, SLOTS
from tests.compiled import CHECKS_BOUNDS, PLAIN_PYTHON, few
from tests.grow.binned.cases import WEIGHTS, assert_same, draw_case, draw_rules, encode, grow_both
from tests.grow.exact.cases import Case

pytestmark = pytest.mark.kernels
MANY = 40 if PLAIN_PYTHON else 300
SEEDS = st.integers(0, 10**6)


def draw_several(seed, criterion, n_outputs=(1, 2, 4), weights=None):
    """A case of one output or more, the rows of it that count, and a number of bins."""
    random = np.random.RandomState(seed)
    n, n_columns = int(random.choice((2, 3, 12, 30, MANY))), int(random.choice((1, 3, AT_ONCE + 1, 2 * LANES + 1)))
    weights, rules = weights or str(random.choice(WEIGHTS)), draw_rules(random, n_columns)
    sizes = (int(random.choice((2, 3, 9))), 3, 2, 5)[: int(random.choice(n_outputs))]
    drawn = [draw_case(seed + o, n, n_columns, criterion, weights, size, **rules) for o, size in enumerate(sizes)]
    y = np.column_stack([case.y for case in drawn])
    case = Case(**{**vars(drawn[0]), "y": y, "n_classes": None if drawn[0].n_classes is None else sizes})
    rows = np.flatnonzero(random.rand(n) < 0.7) if random.rand() < 0.5 else None
    return case, rows if rows is None or len(rows) else None, int(random.choice((2, 5, 40, 255)))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "squared_error", "poisson"])
@few(100, plain=6)
@given(seed=SEEDS)
def test_the_same_tree_as_from_sorted_lists(criterion, seed):
    assert_same(*grow_both(*draw_several(seed, criterion)))


def two_sided(left, right):
    """Not the same for the sides exchanged."""
    total = left.sum() + right.sum()
    return (abs(left[0] - 2.0 * left[1]) / left.sum() + (right * right).sum() / right.sum()) / total


def spread(left, right):
    mean = (left.total + right.total) / (left.weight + right.weight)
    return abs(left.total - mean * left.weight) / (1.0 + left.squares / left.weight)


@pytest.mark.slow
@pytest.mark.skipif(CHECKS_BOUNDS, reason="compiles all of it again for the same indices")
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@few(60, plain=6)
@given(seed=SEEDS)
def test_the_same_tree_by_a_criterion_of_ones_own(kind, seed):
    criterion, own, n_outputs = ("gini", two_sided, (3,)) if kind == "classes" else ("squared_error", spread, (1,))
    case, rows, max_bins = draw_several(seed, criterion, n_outputs, "importances")  # each kind of weights is compiled
    assert_same(*grow_both(case, rows, max_bins, own))


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_more_random_cuts_than_are_judged_together(criterion):
    """Three of each column that lacks values."""
    random = np.random.RandomState(0)
    n, n_columns = 30, SLOTS // 2
    X = np.where(random.rand(n, n_columns) < 0.2, np.nan, random.randint(0, 9, (n, n_columns)))
    y = np.column_stack([np.nan_to_num(X[:, k]).astype(int) % 3 for k in (-1, -40)])
    sizes = (3, 3) if criterion == "gini" else None
    for seed in range(1 if PLAIN_PYTHON else 3):
        case = Case(X, np.zeros(n_columns, np.int64), y, sizes, None, criterion, {"random": True, "seed": seed})
        assert_same(*grow_both(case))


def test_nodes_of_two_rows():
    """Any column in which they differ splits them alike: the first that was drawn does, missing values or not."""
    X = np.array([[1.0, 2.0, np.nan, 0.0], [1.0, np.nan, 3.0, 5.0]])
    for criterion, y, sizes in (("gini", [[0, 1], [1, 1]], (2, 2)), ("squared_error", [[0.0, 1.0], [2.0, 1.0]], None)):
        asked = set()
        for seed in range(8):
            options = {"n_features": 2, "seed": seed}
            mine, theirs = grow_both(Case(X, np.zeros(4, np.int64), np.array(y), sizes, None, criterion, options))
            assert_same(mine, theirs)
            assert mine.n_leaves == 2
            asked.add(int(mine.feature[0]))
        assert asked == {1, 2, 3}


def test_one_desk_for_tree_after_tree():
    """Nothing of a tree is left when the next one is grown, of other weights and rules."""
    y = np.column_stack([draw_case(k, MANY, 9, "gini", n_classes=k).y for k in (3, 4)])
    drawn = [
        draw_case(3, MANY, 9, "gini", "importances"),
        draw_case(3, MANY, 9, "entropy", "none", random=True),
        draw_case(3, MANY, 9, "gini", "counts", min_leaf=3),
    ]
    cases = [Case(**{**vars(case), "y": y, "n_classes": (3, 4)}) for case in drawn]
    with Team(1, inline=True) as team:
        bins = learn_bins(cases[0].table, cases[0].n_categories > 0, None, 255, team)
        cells = encode(cases[1], bins, team)
        shared = make_desk(cells, bins)

        def grow(case, desk):
            return grow_coded_tree(cells, bins, case.target, case.settings, desk).fingerprint

        apart = [grow(case, make_desk(cells, bins)) for case in cases]
        for order in ([0, 1, 2], [2, 0, 1, 1, 0]):
            assert [grow(cases[k], shared) for k in order] == [apart[k] for k in order]
    assert len(set(apart)) == 3
