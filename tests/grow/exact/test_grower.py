"""Whole exact trees: every node is what the slow twin says, ties go where they should, threads do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiled import PLAIN_PYTHON, THREADS, costly, few
from tests.grow.exact.cases import VARIANTS, Case, Variant, cases, check, draw_case, goes_left, grow, set_way
from tests.oracles import exact_tree as twin

ROWS = 24 if PLAIN_PYTHON else 40
EACH = [*VARIANTS[:6], VARIANTS[8], *costly(VARIANTS[6:8])]  # weighted medians take a kernel of their own


@pytest.fixture(scope="module")
def go():
    """Sets the way in which trees are grown; it stays so."""
    with pytest.MonkeyPatch.context() as patch:
        yield lambda team_rows, block: set_way(patch, team_rows, block)


# --- the slow twin --------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("variant", EACH, ids=str)
@few(40, plain=20)
@given(data=st.data())
def test_every_node_is_what_the_slow_twin_says(variant, data):
    case = data.draw(cases(variant, ROWS))
    check(case, grow(case))


def same_nodes(tree, at, node, case):
    """Assert that a subtree asks the twin's questions."""
    assert tree.n_samples[at] == len(node.rows)
    if node.split is None:
        assert tree.is_leaf[at]
        return
    assert tree.feature[at] == node.split.feature
    left = node.rows[goes_left(tree, at, case.X, case.n_categories)[node.rows]]
    np.testing.assert_array_equal(left, node.split.left)
    np.testing.assert_array_equal(tree.threshold[at], node.split.threshold)
    for child, part in zip(tree.children_of(at), node.children, strict=True):
        same_nodes(tree, child, part, case)


def draw_ties(variant, seed):
    """A table of small whole numbers, where equal gains abound, and a criterion whose scores are exact."""
    random = np.random.RandomState(seed)
    n = int(random.choice((ROWS, 12, 5)))
    X = random.randint(0, 3, (n, 3)).astype(float)
    X[random.rand(n, 3) < 0.15] = np.nan
    categories = np.array([0, 0, 3]) if variant.categories else np.zeros(3, int)
    n_classes = (2,) if variant.kind == "pairs" else (3,)
    weight = random.randint(1, 4, n) if variant.weighted else None
    criterion = "error" if variant.kind == "classes" else str(random.choice(("gini", "error")))
    options = {"min_leaf": int(random.choice((1, 3)))}
    return Case(X, categories, random.randint(0, n_classes[0], (n, 1)), n_classes, weight, criterion, options)


TIED = (VARIANTS[0], VARIANTS[1], VARIANTS[3])


@pytest.mark.kernels
@pytest.mark.parametrize("variant", TIED, ids=str)
@few(40, plain=20)
@given(seed=st.integers(0, 10**6))
def test_of_equal_splits_the_first_wins(variant, seed):
    """The column further left, then missing values on the right, then the lower threshold: the twin has fractions."""
    case = draw_ties(variant, seed)
    same_nodes(grow(case).tree, 0, twin.grow(case.data, case.rules), case)


@pytest.mark.kernels
@few(20, plain=6)
@given(seed=st.integers(0, 10**6))
def test_best_first_trees_are_the_twins(seed):
    """Numbers without ties: the same nodes, split in the same order of gain."""
    random = np.random.RandomState(seed)
    X = random.randn(ROWS, 2)
    case = Case(X, np.zeros(2, int), X[:, :1] + random.randn(ROWS, 1), None, None, "squared_error", {"max_leaves": 5})
    grown = grow(case)
    same_nodes(grown.tree, 0, twin.grow(case.data, case.rules), case)
    assert sorted(grown.split_number.tolist()) == [-1] * 5 + [0, 1, 2, 3]


# --- threads --------------------------------------------------------------------------------------------------------


def with_chance(case, seed):
    """The case, now and then with a random splitter or with a random choice of columns."""
    chance = {"random": bool(seed % 3 == 1), "n_features": 2 if seed % 2 else 1 << 40, "seed": seed}
    return chance if seed % 4 else {}


@pytest.mark.kernels
@pytest.mark.parametrize("variant", EACH, ids=str)
@few(20, plain=6)
@given(seed=st.integers(0, 10**6), rows=st.sampled_from((1, 2, 5, 11)), block=st.sampled_from((1, 2, 3, 7, 39)))
def test_nodes_that_a_team_works_on_and_those_of_one_thread_are_the_same(go, variant, seed, rows, block):
    drawn = draw_case(variant, ROWS, seed)
    case = Case(**{**vars(drawn), "options": {**drawn.options, **with_chance(drawn, seed)}})
    go(1 << 40, 128)
    alone = grow(case)
    go(rows, block)
    for n_threads in THREADS if PLAIN_PYTHON else (1, 2, 3):
        grown = grow(case, n_threads)
        assert grown.tree.fingerprint == alone.tree.fingerprint
        np.testing.assert_array_equal(grown.split_number, alone.split_number)


# --- chance ---------------------------------------------------------------------------------------------------------


def stump(X, y, seed, **options):
    case = Case(X, np.zeros(X.shape[1], int), y[:, None], None, None, "squared_error", {"max_depth": 1, **options})
    case.options.update(seed=seed)
    return grow(case).tree


@pytest.mark.kernels
def test_random_thresholds_lie_anywhere_between_the_extremes():
    X = np.linspace(-1.0, 3.0, 50)[:, None]
    y = X[:, 0] ** 2
    thresholds = np.array([stump(X, y, seed, random=True).threshold[0] for seed in range(60 if PLAIN_PYTHON else 300)])
    assert (thresholds >= -1).all()
    assert (thresholds < 3).all()
    shares = np.histogram(thresholds, bins=4, range=(-1, 3))[0] / len(thresholds)
    np.testing.assert_allclose(shares, 0.25, atol=0.12)
    assert len(set(thresholds)) > 0.9 * len(thresholds)


@pytest.mark.kernels
def test_a_random_split_of_one_value_and_missing_ones_sends_all_values_one_way():
    X = np.array([[2.0], [np.nan], [2.0], [np.nan]])
    tree = stump(X, np.array([0.0, 1, 0, 1]), 0, random=True)
    assert tree.threshold[0] == np.inf
    assert tree.missing[0] == 1


@pytest.mark.kernels
def test_every_column_has_its_turn():
    random = np.random.RandomState(0)
    X, n = random.randn(30, 4), 40 if PLAIN_PYTHON else 200
    chosen = [stump(X, random.randn(30), seed, n_features=1).feature[0] for seed in range(n)]
    np.testing.assert_allclose(np.bincount(chosen, minlength=4) / n, 0.25, atol=0.13)


@pytest.mark.kernels
def test_where_no_drawn_column_can_be_split_more_are_drawn():
    X = np.column_stack([np.zeros((8, 4)), np.arange(8.0), np.full((8, 3), np.nan)])
    for seed in range(10):
        assert stump(X, np.arange(8.0), seed, n_features=1).feature[0] == 4


@pytest.mark.kernels
def test_random_choices_follow_from_the_path_alone():
    """What happens on the left does not change the draws on the right."""
    random = np.random.RandomState(0)
    is_left = np.arange(40) < 20
    X, y = random.rand(40, 3) - is_left[:, None], random.randn(40) + np.where(is_left, 0.0, 1000.0)
    options = {"seed": 5, "n_features": 1, "max_depth": 4}
    trees = [
        grow(Case(X, np.zeros(3, int), one[:, None], None, None, "squared_error", options)).tree
        for one in (y, np.where(is_left, -y, y))
    ]
    one, other = (
        list(zip(tree.feature[first:].tolist(), tree.n_samples[first:].tolist(), strict=True))
        for tree in trees
        for first in tree.children_of(0)[1:]
    )
    assert trees[0].n_samples[trees[0].children_of(0)].tolist() == [20, 20]
    assert one == other
    assert trees[0].fingerprint != trees[1].fingerprint


# --- shapes ---------------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("direction", [1, -1])
def test_a_tree_as_deep_as_its_table_is_long(direction):
    """Every split takes one row off."""
    n = 30 if PLAIN_PYTHON else 900
    X = direction * np.arange(float(n))[:, None]
    case = Case(X, np.zeros(1, int), 2.2 ** np.arange(float(n))[:, None], None, None, "squared_error")
    tree = grow(case).tree
    assert tree.max_depth > n // 2
    assert tree.n_leaves == n
    assert (tree.n_samples[tree.is_leaf] == 1).all()


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
@pytest.mark.parametrize("variant", [Variant("pairs"), Variant("classes", weighted=True)], ids=str)
def test_many_rows_on_many_threads(variant):
    random = np.random.RandomState(0)
    n = 30_000
    X = np.column_stack(
        [random.randn(n), random.randint(0, 50, n), np.where(random.rand(n) < 0.1, np.nan, random.randn(n))]
    )
    y = np.digitize(X[:, 0] + np.sin(X[:, 1]) + random.randn(n), (0.5,) if variant.kind == "pairs" else (0, 1))[:, None]
    weight = random.randint(1, 4, n) if variant.weighted else None
    case = Case(X, np.zeros(3, int), y, (int(y.max()) + 1,), weight, "gini", {"min_leaf": 3})
    assert len({grow(case, n_threads).tree.fingerprint for n_threads in (1, 2, 3, 5)}) == 1
