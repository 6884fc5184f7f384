"""Nodes in any order become trees in preorder; what is no tree is refused; float64 thresholds decide like float32."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.io.checks import ModelFormatError
from spinney.io.imported import NO_CHILD, Nodes, Sets, last_left, make_forest, put_in_preorder, with_means


def tree(left, right, first=None, **other):
    left, right = np.array(left), np.array(right)
    n = len(left)
    given = {
        "feature": np.zeros(n, int),
        "threshold": np.arange(n) + 0.0,
        "missing_left": np.zeros(n, bool),
        "answers": np.arange(n)[:, None, None] + 0.0,
        "n_samples": np.ones(n, int),
        "weight": np.ones(n),
    }
    return Nodes(first=np.array([0, n] if first is None else first), left=left, right=right, **{**given, **other})


@given(st.integers(1, 12), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_preorder(n_leaves, random):
    """A tree drawn leaf by leaf, whose nodes are then shuffled (but for the root)."""
    left, right = [NO_CHILD], [NO_CHILD]
    for _ in range(n_leaves - 1):
        leaf = random.choice([k for k in range(len(left)) if left[k] == NO_CHILD])
        left[leaf], right[leaf] = len(left), len(left) + 1
        left += [NO_CHILD] * 2
        right += [NO_CHILD] * 2

    def walk(node):
        return [node] if left[node] == NO_CHILD else [node, *walk(left[node]), *walk(right[node])]

    order, first, size = put_in_preorder(np.array([0, len(left)]), np.array(left), np.array(right))
    assert order.tolist() == walk(0)
    assert size.tolist() == [len(walk(node)) for node in walk(0)]
    assert first.tolist() == [0, len(left)]


def test_nodes_that_no_way_leads_to_are_left_out():
    order, first, size = put_in_preorder(np.array([0, 4, 5]), np.array([2, -1, -1, -1, -1]), np.array([3, 1, 0, 0, 0]))
    assert order.tolist() == [0, 2, 3, 4]
    assert first.tolist() == [0, 3, 4]
    assert size.tolist() == [3, 1, 1, 1]


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        (tree([1, 0, -1], [2, 2, -1]), "two paths lead to one of its nodes"),
        (tree([1, -1, -1], [1, -1, -1]), "two paths lead to one of its nodes"),
        (tree([1, -1, -1], [3, -1, -1]), "a node leads out of its tree"),
        (tree([1, -1, -1], [-7, -1, -1]), "a node leads out of its tree"),
        (tree([1, -1, -1], [2, -1, -1], [0, 2, 3]), "a node leads out of its tree"),
        (tree([-1], [-1], [0, 0, 1]), "a tree has no nodes"),
        (tree([1, -1, -1], [2, -1, -1], feature=np.array([2, 0, 0])), "column 2, but there are 2 columns"),
        (tree([1, -1, -1], [2, -1, -1], threshold=np.full(3, np.nan)), "a threshold is not a number"),
        (tree([-1], [-1], answers=np.full((1, 1, 1), np.inf)), "is not a finite number"),
        (tree([-1], [-1], weight=np.full(1, np.nan)), "is not a finite number"),
        (
            tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], set_of=np.array([0, -1, -1, -1, -1])),
            "column 0 is split both as a number and as a category",
        ),
    ],
)
def test_what_is_no_tree(nodes, why):
    with pytest.raises(ModelFormatError, match=re.escape(why)):
        make_forest(nodes, 2, [3, 0], Sets(np.array([0]), np.array([1])))


def test_too_many_categories_for_memory():
    nodes = tree([1, -1, -1], [2, -1, -1], set_of=np.array([0, -1, -1]))
    with pytest.raises(ModelFormatError, match="the sets of categories would take 524,288 MiB: too many categories"):
        make_forest(nodes, 1, [1 << 42], Sets(np.array([0]), np.array([1])))


def test_questions_say_the_mean_of_their_leaves():
    nodes = tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], weight=np.array([0, 1.0, 0, 2.0, 1.0]))
    assert with_means(make_forest(nodes, 1)).answers.ravel().tolist() == [2.75, 1.0, 10 / 3, 3.0, 4.0]


EDGES = [0.0, -0.0, 1e-45, -1e-45, 1.0, 3.4028235e38, -3.4028235e38, 1.1754944e-38]


@given(st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from(EDGES))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_thresholds_decide_like_float32(value):
    low = np.float32(value)
    threshold = last_left(np.array([low]))[0]
    with np.errstate(over="ignore"):
        assert np.float32(threshold) <= low
        assert np.float32(np.nextafter(threshold, np.inf)) > low


def test_infinite_thresholds():
    assert last_left(np.array([np.inf, -np.inf], np.float32)).tolist() == [np.inf, -np.inf]
