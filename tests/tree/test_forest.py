"""The store: every tree comes back bit for bit, in as few bytes as its table says; shape and ways of rows."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.tree.descend import sum_answers
from spinney.tree.forest import MOST_EXACT, join, joined, narrow
from tests.compiled import few
from tests.tree.forests import KINDS, draw_forest, draw_rows, draw_trees, table_of
from tests.tree.test_boosted import boosted_forest
from tests.view.trees import leaf, make_tree, number

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("kind", KINDS)
@few(6, plain=2)
@given(seed=st.integers(0, 10**6))
def test_trees_come_back_bit_for_bit(kind, seed):
    forests = draw_trees(kind, seed=seed)
    trees = [one.tree(0) for one in forests]
    for one, tree in zip(forests, trees, strict=True):
        assert one.with_thresholds().compact().tree(0).fingerprint == tree.fingerprint
    together = join(forests)
    assert together.n_trees == 3
    assert together.n_nodes == sum(tree.n_nodes for tree in trees)
    assert [together.tree(k).fingerprint for k in range(3)] == [tree.fingerprint for tree in trees]
    assert together.columns_asked == set().union(*(tree.columns_asked for tree in trees))


@pytest.mark.parametrize("kind", KINDS)
def test_joining_in_any_way_is_the_same(kind):
    a, b, c = draw_trees(kind)
    at_once = join([a, b, c])
    assert join([join([a, b]), c]).fingerprint == at_once.fingerprint
    assert join([a, join([b, c])]).fingerprint == at_once.fingerprint
    assert join([c, b, a]).fingerprint != at_once.fingerprint
    assert join([a]) is a


@pytest.mark.parametrize("kind", ["two classes", "classes", "number"])
def test_whole_weights_and_fractions_in_one_store(kind):
    """The trees of a forest may have other weights than those that are added later."""
    whole = draw_trees(kind)[0]
    other = draw_trees("fractions" if kind == "two classes" else kind, seed=5)[0]
    if kind == "classes":
        other = replace(other, answers=other.answers / 3.0, weight=other.weights() / 3.0).compact()
    both = [whole, other]
    together = join(both)
    assert [together.tree(k).fingerprint for k in range(2)] == [one.tree(0).fingerprint for one in both]


@pytest.mark.parametrize("kind", ["codes", "turns"])
def test_thresholds_instead_of_codes(kind):
    forest = draw_forest(kind)
    other = forest.with_thresholds()
    assert forest.bins is not None
    assert other.bins is None
    assert other.with_thresholds() is other
    assert [other.tree(k).fingerprint for k in range(3)] == [forest.tree(k).fingerprint for k in range(3)]
    assert other.columns_asked == forest.columns_asked
    X = table_of(draw_rows(60, seed=9))
    with Team(1, inline=True) as team:
        np.testing.assert_array_equal(sum_answers(forest, X, team), sum_answers(other, X, team))


def test_trees_from_other_bins_are_joined_by_their_thresholds():
    one, other = draw_forest("codes"), draw_forest("turns")
    together = join([one, other])
    assert together.bins is None
    expected = [forest.tree(k).fingerprint for forest in (one, other) for k in range(3)]
    assert [together.tree(k).fingerprint for k in range(6)] == expected
    assert join([one, draw_forest("codes", seed=3)]).bins is not None
    mixed = join([one, draw_forest("two classes")])
    assert [mixed.tree(k).fingerprint for k in range(3)] == expected[:3]


@pytest.mark.parametrize("kind", KINDS)
def test_pickles(kind):
    forest = draw_forest(kind)
    assert forest.columns_asked  # what is kept for later use is not part of it
    again = pickle.loads(pickle.dumps(forest))
    assert again.fingerprint == forest.fingerprint
    assert "columns_asked" not in vars(again)


# size, and half of: column, turn, threshold or code, samples; answers; for numbers also weight and impurity
BYTES = {"two classes": 2 + 7.5 + 8, "classes": 2 + 7.5 + 16, "number": 2 + 7.5 + 8 + 4 + 8, "codes": 2 + 4 + 8}


@pytest.mark.parametrize("kind", BYTES)
def test_bytes_of_a_node(kind):
    forest = draw_forest(kind)
    nodes = forest.n_bytes - forest.first.nbytes - forest.set_start.nbytes
    assert abs(nodes - BYTES[kind] * forest.n_nodes) <= 6 * forest.n_trees


@pytest.mark.parametrize("kind", ["number", "codes", "categories", "boosted"])
def test_a_fingerprint_is_of_every_bit(kind):
    forest = boosted_forest() if kind == "boosted" else draw_forest(kind)
    again = replace(forest)
    for one in fields(forest)[4:]:
        array = getattr(forest, one.name).copy()
        assert again.fingerprint == forest.fingerprint
        if array.size:
            array.reshape(-1).view(np.uint8)[0 if one.name == "feature" else -1] ^= 1
            assert replace(forest, **{one.name: array}).fingerprint != forest.fingerprint, one.name


def test_numbers_are_kept_short_only_where_nothing_is_lost():
    assert narrow(np.array([0.0, 3.0, MOST_EXACT - 1.0])).dtype == np.float32
    for odd in (0.1, float(MOST_EXACT), MOST_EXACT + 1.0, 1e300):
        assert narrow(np.array([1.0, odd])).dtype == np.float64
    assert narrow(np.array([0.5, 1.25])).dtype == np.float32
    assert narrow(np.empty(0)).dtype == np.float32


@pytest.mark.parametrize("weight", [1.0, 2.0**24, 2.0**24 + 1, 0.1, 1e-9])
def test_any_weights_of_classes(weight):
    tree = make_tree(number(0, 0.5, leaf([3 * weight, weight]), leaf([0, weight])))
    compact = tree.forest.compact().tree(0)
    assert compact.answers.tolist() == tree.answers.tolist()
    assert compact.weight.tolist() == tree.weight.tolist()


def test_a_single_leaf():
    forest = make_tree(leaf([3, 9])).forest
    assert forest.columns_asked == set()
    with Team(1, inline=True) as team:
        np.testing.assert_array_equal(sum_answers(forest, table_of(draw_rows(5)), team)[:, 0], [[0.25, 0.75]] * 5)


@pytest.fixture(scope="module", params=[*KINDS, "boosted"])
def forest(request):
    return boosted_forest() if request.param == "boosted" else draw_forest(request.param)


def test_shape(forest):
    shape = forest.shape
    for k in range(forest.n_trees):
        some, tree, begin = slice(forest.first[k], forest.first[k + 1]), forest.tree(k), forest.first[k]
        np.testing.assert_array_equal(forest.is_leaf[some], tree.is_leaf)
        np.testing.assert_array_equal(shape.depth[some], tree.depth)
        np.testing.assert_array_equal(shape.parent[some], np.where(tree.parent < 0, -1, tree.parent + begin))
        np.testing.assert_array_equal(shape.end[some], tree.subtree_end + begin)
        assert forest.n_leaves[k] == tree.n_leaves
    assert forest.n_nodes == forest.first[-1]
    assert 0 < forest.n_bytes < 200 * forest.n_nodes + 100_000


def test_paths(forest):
    rng = np.random.RandomState(0)
    trees = [forest.tree(k) for k in range(forest.n_trees)]
    leaves = np.column_stack([rng.choice(np.flatnonzero(tree.is_leaf), 7) for tree in trees])
    found = forest.paths(leaves).toarray()
    expected = np.zeros((7, forest.n_nodes), int)
    for i, ends in enumerate(leaves):
        for k, node in enumerate(ends):
            while node >= 0:
                expected[i, forest.first[k] + node] = 1
                node = trees[k].parent[node]
    np.testing.assert_array_equal(found, expected)
    assert forest.paths(leaves[:0]).shape == (0, forest.n_nodes)


@pytest.mark.parametrize("n_rows", [3, 200_000])
def test_joined(n_rows):
    random = np.random.RandomState(0)
    parts = [random.randint(0, 9, (n_rows + k, 2)).astype(kind) for k, kind in enumerate([np.uint16, np.uint32])]
    parts.append(np.empty((0, 2), np.uint16))
    expected = np.concatenate(parts)
    with Team(3) as team:
        for found in (joined(parts), joined(parts, team)):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
