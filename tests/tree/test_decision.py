"""The flat tree: its shape, what is cut from it, its hash, and scikit-learn's names for it."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from spinney.tree.decision import LEAF, NO_FEATURE, NO_THRESHOLD, NUMBER, STOPS, DecisionTree
from spinney.tree.forest import Forest
from tests.view.trees import branches, in_set, leaf, make_tree, number


def mixed():
    """Every kind of question:  0 number ( 1 set ( 2, 3 ), 4 branches ( 5, 6 number ( 7, 8 ), 9 ) )."""
    below = number(1, -1.5, leaf([0, 1]), leaf([5, 0]), missing=0)
    return make_tree(
        number(0, 2.5, in_set(2, [1, 70], leaf([4, 0]), leaf([1, 3])), branches(3, leaf([2, 2]), below, leaf([1, 1])))
    )


def numbers_only():
    return make_tree(number(0, 2.5, leaf([4, 0]), number(1, 0.5, leaf([1, 3]), leaf([0, 2]))))


def test_shape():
    tree = mixed()
    assert (tree.n_nodes, tree.n_outputs, tree.n_leaves, tree.max_depth) == (10, 1, 6, 3)
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4, 6, 6, 4]
    assert tree.branch.tolist() == [-1, 0, 0, 1, 1, 0, 1, 0, 1, 2]
    assert tree.depth.tolist() == [0, 1, 2, 2, 1, 2, 2, 3, 3, 2]
    assert tree.subtree_end.tolist() == [10, 4, 3, 4, 10, 6, 9, 8, 9, 10]
    assert tree.children_of(4).tolist() == [5, 6, 9]
    assert tree.categories_in(1, 71).tolist() == [1, 70]
    assert not tree.is_binary
    assert numbers_only().is_binary
    assert not tree.forest.numbers_only
    assert numbers_only().forest.numbers_only


def test_what_nodes_say():
    tree = mixed()
    np.testing.assert_allclose(
        tree.probabilities[[0, 2, 3, 6], 0], [[13 / 20, 7 / 20], [1, 0], [0.25, 0.75], [5 / 6, 1 / 6]]
    )
    assert tree.majority[:, 0].tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]  # of equals the first
    np.testing.assert_array_equal(tree.value, tree.probabilities)
    regression = make_tree(number(0, 1.0, leaf(1.5), leaf(4.0)), is_class=False)
    assert regression.value[:, 0, 0].tolist() == [2.75, 1.5, 4.0]


@pytest.mark.parametrize(
    "at, kept",
    [
        ([], range(10)),
        ([1], [0, 1, 4, 5, 6, 7, 8, 9]),
        ([6], [0, 1, 2, 3, 4, 5, 6, 9]),
        ([4, 6], [0, 1, 2, 3, 4]),
        ([1, 4, 2], [0, 1, 4]),
        ([0, 3], [0]),
        ([2, 9], range(10)),  # leaves
    ],
)
def test_collapse(at, kept):
    tree, marked = mixed(), np.isin(np.arange(10), at)
    smaller = tree.collapse(marked)
    kept = list(kept)
    np.testing.assert_array_equal(smaller.answers, tree.answers[kept])
    np.testing.assert_array_equal(smaller.n_samples, tree.n_samples[kept])
    for new, old in enumerate(kept):
        if marked[old] or tree.kind[old] == LEAF:
            assert smaller.kind[new] == LEAF
            assert (smaller.feature[new], smaller.missing[new]) == (NO_FEATURE, STOPS)
            assert smaller.threshold[new] == NO_THRESHOLD
            assert len(smaller.children_of(new)) == 0
        else:
            assert smaller.kind[new] == tree.kind[old]
            assert [kept[child] for child in smaller.children_of(new)] == tree.children_of(old).tolist()
            assert smaller.feature[new] == tree.feature[old]
            np.testing.assert_array_equal(smaller.categories_in(new, 71), tree.categories_in(old, 71))
    if not at:
        assert smaller.fingerprint == tree.fingerprint


def test_other_answers():
    tree = mixed()
    other = tree.with_answers(tree.answers * 2)
    np.testing.assert_array_equal(other.answers, tree.answers * 2)
    assert other.fingerprint != tree.fingerprint
    assert tree.fingerprint == mixed().fingerprint


@pytest.mark.parametrize("name", [field.name for field in fields(Forest)[5:]])
def test_the_fingerprint_knows_every_bit(name):
    tree = mixed()
    array = getattr(tree.forest, name).copy()
    if not array.size or name == "size":
        return
    array.reshape(-1).view(np.uint8)[-1] ^= 1
    assert DecisionTree(replace(tree.forest, **{name: array})).fingerprint != tree.fingerprint
    assert DecisionTree(replace(tree.forest, n_classes=(3,))).fingerprint != tree.fingerprint


def test_a_tree_is_pickled_without_what_was_computed_from_it():
    tree = mixed()
    small = len(pickle.dumps(tree))
    assert tree.depth[-1] == 2
    assert len(tree.parent) == len(tree.forest.steps.steps) == 10
    assert len(pickle.dumps(tree)) == small
    again = pickle.loads(pickle.dumps(tree))
    assert again.fingerprint == tree.fingerprint
    np.testing.assert_array_equal(again.depth, tree.depth)


def test_scikit_learns_names():
    tree = numbers_only()
    assert (tree.node_count, tree.max_depth, tree.n_leaves) == (5, 2, 3)
    assert tree.children_left.tolist() == [1, -1, 3, -1, -1]
    assert tree.children_right.tolist() == [2, -1, 4, -1, -1]
    assert tree.feature.tolist() == [0, -2, 1, -2, -2]
    assert tree.missing_go_to_left.tolist() == [0, 0, 0, 0, 0]
    assert tree.n_node_samples.tolist() == [10, 4, 6, 4, 2]
    assert tree.weighted_n_node_samples.tolist() == [10, 4, 6, 4, 2]
    with pytest.raises(AttributeError, match=r"nodes with more than two branches\. Use children_of\(node\)"):
        mixed().children_left  # noqa: B018


def test_importances():
    tree = numbers_only()
    gini = np.array([0.5, 0.0, 2 * 1 / 6 * 5 / 6, 2 * 1 / 4 * 3 / 4, 0.0])
    np.testing.assert_allclose(tree.impurity, gini)
    falls = [0.5 - 0.6 * gini[2], 0.6 * gini[2] - 0.4 * gini[3]]
    np.testing.assert_allclose(tree.impurity_decreases(), [falls[0], 0, falls[1], 0, 0], atol=1e-15)
    np.testing.assert_allclose(tree.compute_feature_importances(normalize=False), falls)
    shares = tree.compute_feature_importances()
    np.testing.assert_allclose(shares, [falls[0] / sum(falls), falls[1] / sum(falls)])


def test_a_single_leaf():
    tree = make_tree(leaf([3, 9]))
    assert (tree.n_nodes, tree.n_leaves, tree.max_depth) == (1, 1, 0)
    assert tree.impurity_decreases().tolist() == [0.0]
    assert tree.compute_feature_importances().tolist() == [0.0]
    assert tree.collapse(np.array([True])).fingerprint == tree.fingerprint
    assert tree.kind[0] == LEAF != NUMBER
