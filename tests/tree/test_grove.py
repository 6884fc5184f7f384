"""Many trees in one store: each comes back bit for bit, in as few bytes as the table of the store says."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.tree.descend_many import sum_answers
from spinney.tree.grove import MOST_EXACT, join, narrow, pack
from tests.compiled import few
from tests.tree.groves import KINDS, draw_grove, draw_rows, draw_trees, table_of
from tests.view.trees import leaf, make_tree, number

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("kind", KINDS)
@few(6, plain=2)
@given(seed=st.integers(0, 10**6))
def test_trees_come_back_bit_for_bit(kind, seed):
    groves = draw_trees(kind, seed=seed)
    trees = [one.tree(0) for one in groves]
    for one, tree in zip(groves, trees, strict=True):
        assert pack(tree, one.criterion).tree(0).fingerprint == tree.fingerprint
    together = join(groves)
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
        tree = other.tree(0)
        half = type(tree)(**{**{name: getattr(tree, name) for name in tree.__dataclass_fields__}})
        object.__setattr__(half, "answers", tree.answers / 3)
        object.__setattr__(half, "weight", tree.weight / 3)
        other = pack(half, other.criterion)
    both = [whole, other]
    together = join(both)
    assert [together.tree(k).fingerprint for k in range(2)] == [one.tree(0).fingerprint for one in both]


@pytest.mark.parametrize("kind", ["codes", "turns"])
def test_thresholds_instead_of_codes(kind):
    grove = draw_grove(kind)
    other = grove.with_steps()
    assert grove.has_words
    assert not other.has_words
    assert other.with_steps() is other
    assert [other.tree(k).fingerprint for k in range(3)] == [grove.tree(k).fingerprint for k in range(3)]
    assert other.columns_asked == grove.columns_asked
    X = table_of(draw_rows(60, seed=9))
    with Team(1, inline=True) as team:
        np.testing.assert_array_equal(sum_answers(grove, X, team), sum_answers(other, X, team))


def test_trees_from_other_bins_are_joined_by_their_thresholds():
    one, other = draw_grove("codes"), draw_grove("turns")
    together = join([one, other])
    assert not together.has_words
    expected = [grove.tree(k).fingerprint for grove in (one, other) for k in range(3)]
    assert [together.tree(k).fingerprint for k in range(6)] == expected
    assert join([one, draw_grove("codes", seed=3)]).has_words
    mixed = join([one, draw_grove("two classes")])
    assert [mixed.tree(k).fingerprint for k in range(3)] == expected[:3]


@pytest.mark.parametrize("kind", KINDS)
def test_pickles(kind):
    grove = draw_grove(kind)
    assert grove.columns_asked  # what is kept for later use is not part of it
    again = pickle.loads(pickle.dumps(grove))
    assert again.fingerprint == grove.fingerprint
    assert "columns_asked" not in vars(again)


BYTES = {"two classes": 16 + 4 + 8, "classes": 16 + 4 + 16, "number": 16 + 4 + 8 + 4 + 8, "codes": 8 + 4 + 8}


@pytest.mark.parametrize("kind", BYTES)
def test_bytes_of_a_node(kind):
    grove = draw_grove(kind)
    nodes = grove.n_bytes - grove.first.nbytes - grove.first_set.nbytes - grove.edges.nbytes
    assert nodes == BYTES[kind] * grove.n_nodes


def test_a_fingerprint_is_of_every_bit():
    grove = draw_grove("number")
    for name in ("steps", "n_samples", "answers", "weight", "impurity"):
        array = getattr(grove, name)
        before = array.tobytes()
        array.view(np.uint8).ravel()[-1] ^= 1
        assert grove.fingerprint != draw_grove("number").fingerprint, name
        array.view(np.uint8).ravel()[-1] ^= 1
        assert array.tobytes() == before
    assert grove.fingerprint == draw_grove("number").fingerprint


def test_numbers_are_kept_short_only_where_nothing_is_lost():
    assert narrow(np.array([0.0, 3.0, MOST_EXACT - 1.0])).dtype == np.float32
    for odd in (0.1, float(MOST_EXACT), MOST_EXACT + 1.0, 1e300):
        assert narrow(np.array([1.0, odd])).dtype == np.float64
    assert narrow(np.array([0.5, 1.25])).dtype == np.float32
    assert narrow(np.empty(0)).dtype == np.float32


@pytest.mark.parametrize("weight", [1.0, 2.0**24, 2.0**24 + 1, 0.1, 1e-9])
def test_any_weights_of_classes(weight):
    tree = make_tree(number(0, 0.5, leaf([3 * weight, weight]), leaf([0, weight])))
    assert pack(tree, 0).tree(0).answers.tolist() == tree.answers.tolist()
    assert pack(tree, 0).tree(0).weight.tolist() == tree.weight.tolist()


def test_a_single_leaf():
    grove = pack(make_tree(leaf([3, 9])), 0)
    assert grove.columns_asked == set()
    with Team(1, inline=True) as team:
        np.testing.assert_array_equal(sum_answers(grove, table_of(draw_rows(5)), team)[:, 0], [[0.25, 0.75]] * 5)
