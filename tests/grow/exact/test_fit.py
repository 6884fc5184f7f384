"""The room's front door: rows that count, bins, sets of categories, tables in pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data.encode import learn_bins
from spinney.data.tables import Panel, Table
from spinney.grow.exact.fit import grow_exact_tree
from spinney.tree.decision import SET
from tests.compiled import PLAIN_PYTHON, costly, few
from tests.grow.exact.cases import VARIANTS, Case, draw_case, goes_left, grow

pytestmark = pytest.mark.kernels
ROWS = 16 if PLAIN_PYTHON else 60
SOME = [*(VARIANTS[k] for k in (1, 3, 8)), *costly([VARIANTS[7]])]  # pairs, classes, medians, all with categories


def rows_of_nodes(case, tree):
    """The rows that come through each node."""
    rows = {0: np.arange(len(case.X))}
    for node in np.flatnonzero(~tree.is_leaf):
        left = goes_left(tree, node, case.X, case.n_categories)[rows[node]]
        for child, part in zip(tree.children_of(node), (left, ~left), strict=True):
            rows[int(child)] = rows[node][part]
    return rows


@pytest.mark.parametrize("variant", SOME, ids=str)
@few(15, plain=5)
@given(seed=st.integers(0, 10**6))
def test_rows_that_do_not_count_are_not_there(variant, seed):
    case = draw_case(variant, ROWS, seed)
    chosen = np.flatnonzero(np.random.RandomState(seed).rand(len(case.X)) < 0.6)
    if len(chosen) == 0:
        return
    weight = None if case.sample_weight is None else case.sample_weight[chosen]
    few_rows = Case(**{**vars(case), "X": case.X[chosen], "y": case.y[chosen], "sample_weight": weight})
    with Team(1) as team:
        some = grow_exact_tree(case.table, case.n_categories, few_rows.target, case.settings, team, rows=chosen)
    assert some.tree.fingerprint == grow(few_rows).tree.fingerprint


@pytest.mark.parametrize("variant", SOME, ids=str)
@few(10, plain=4)
@given(seed=st.integers(0, 10**6))
def test_nodes_are_in_preorder_and_their_sums_add_up(variant, seed):
    case = draw_case(variant, ROWS, seed)
    tree = grow(case).tree
    inner = np.flatnonzero(~tree.is_leaf)
    children = np.array([tree.children_of(node) for node in inner], np.int64).reshape(-1, 2)
    np.testing.assert_array_equal(children[:, 0], inner + 1)
    np.testing.assert_array_equal(children[:, 1], tree.subtree_end[children[:, 0]])
    np.testing.assert_array_equal(tree.n_samples[children].sum(axis=1), tree.n_samples[inner])
    np.testing.assert_allclose(tree.weight[children].sum(axis=1), tree.weight[inner], rtol=1e-12)
    if case.n_classes is not None:
        np.testing.assert_allclose(tree.answers[children].sum(axis=1), tree.answers[inner], rtol=1e-12)


@pytest.mark.parametrize("variant", SOME, ids=str)
@few(10, plain=4)
@given(seed=st.integers(0, 10**6))
def test_a_table_in_pieces_is_the_same_table(variant, seed):
    case = draw_case(variant, ROWS, seed)
    columns = range(case.X.shape[1])
    panels = tuple(Panel(np.asfortranarray(case.X[:, [j]]), (j,)) for j in reversed(columns))
    with Team(1) as team:
        pieces = Table(*case.X.shape, panels)
        other = grow_exact_tree(pieces, case.n_categories, case.target, case.settings, team)
    assert other.tree.fingerprint == grow(case).tree.fingerprint


@few(10, plain=4)
@given(seed=st.integers(0, 10**6), random=st.booleans())
def test_bins_are_values_of_their_own(seed, random):
    """The tree is that of the bins' numbers, its thresholds their upper edges."""
    case = draw_case(VARIANTS[1], ROWS, seed)
    case.options.update(random=random, seed=seed)
    with Team(1) as team:
        bins = learn_bins(case.table, case.n_categories > 0, None, 5, team)
        codes = bins.encode(case.table, team).T.astype(np.float64)
        numbers = np.where(codes == bins.n_bins, np.nan, codes)
    binned = grow(case, bins=bins).tree
    other = grow(Case(**{**vars(case), "X": numbers, "n_categories": (case.n_categories > 0) * 6})).tree
    if random:  # thresholds are drawn between values, and these are others
        assert binned.n_samples[0] == other.n_samples[0]
    else:
        np.testing.assert_array_equal(binned.feature, other.feature)
        np.testing.assert_array_equal(binned.n_samples, other.n_samples)
        np.testing.assert_array_equal(binned.answers, other.answers)
    for node, rows in rows_of_nodes(case, binned).items():
        assert len(rows) == binned.n_samples[node]
        j = binned.feature[node]
        if j >= 0 and case.n_categories[j] == 0:
            assert binned.threshold[node] in [*bins.edges[j], np.inf]


@pytest.mark.parametrize("n_categories", [2, 64, 65, 300])
def test_sets_of_categories(n_categories):
    """Categories without rows in a node go where missing goes: to the larger side, or where missing rows went."""
    random = np.random.RandomState(n_categories)
    n = ROWS * 4
    codes = random.randint(0, n_categories, n).astype(float)
    codes[0], codes[1] = n_categories - 1, 0
    y = random.randn(n_categories)[codes.astype(int)][:, None]
    weight = np.ones(n, np.int64)
    case = Case(codes[:, None], np.array([n_categories]), y, None, weight, "squared_error")
    tree = grow(case).tree
    assert (tree.kind[~tree.is_leaf] == SET).all()
    assert np.isnan(tree.threshold[~tree.is_leaf]).all()
    assert (np.diff(tree.set_start)[~tree.is_leaf] == -(-n_categories // 64)).all()
    assert tree.impurity[tree.is_leaf].max() == 0.0
    for node, rows in rows_of_nodes(case, tree).items():
        if not tree.is_leaf[node]:
            inside = tree.categories_in(node, n_categories)
            absent = np.setdiff1d(np.arange(n_categories), case.X[rows, 0])
            left, right = tree.n_samples[tree.children_of(node)]
            assert tree.missing[node] == (0 if left > right else 1)
            assert np.isin(absent, inside).all() if tree.missing[node] == 0 else not np.isin(absent, inside).any()


def test_a_category_set_orders_two_classes_as_well_as_any():
    """Of all ways to cut seven categories in two, none is better for two classes (Breiman and others, theorem 4.5)."""
    for seed in range(3 if PLAIN_PYTHON else 12):
        random = np.random.RandomState(seed)
        codes, y = random.randint(0, 7, 40).astype(float), random.randint(0, 2, 40)
        weight = np.ones(40, np.int64)
        case = Case(codes[:, None], np.array([7]), y[:, None], (2,), weight, "gini", {"max_depth": 1})
        tree = grow(case).tree
        after = [gini_of(y, np.isin(codes, [c for c in range(7) if bits >> c & 1])) for bits in range(1, 127)]
        assert tree.impurity_decreases()[0] == pytest.approx(tree.impurity[0] - min(after))


def gini_of(y, left):
    parts = [y[left], y[~left]]
    return sum(len(part) / len(y) * 2 * part.mean() * (1 - part.mean()) for part in parts if len(part))
