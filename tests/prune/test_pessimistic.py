"""C4.5's pruning against a recursive twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import prune
from spinney.criteria.pessimism import extra_errors
from spinney.prune.pessimistic import collapse_by_estimate, expected_errors
from spinney.tree.decision import BRANCHES, LEAF, SPREADS
from tests.compiled import few
from tests.prune.drawn import collapse_at, draw
from tests.tree.nodes import tree_of_nodes

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 10**6)


def as_leaf(tree, node, cf):
    total = 0.0
    for counts in tree.answers[node]:
        n = counts.sum() if tree.weight[node] > 0 else 0.0
        wrong = n - counts.max() if n > 0 else 0.0
        total += wrong + extra_errors(n, wrong, cf)
    return total


def slow(tree, node, cf):
    """(expected errors of the pruned branch, nodes that became leaves)."""
    own = as_leaf(tree, node, cf)
    if tree.is_leaf[node]:
        return own, []
    parts = [slow(tree, child, cf) for child in tree.children_of(node)]
    below = sum(errors for errors, _ in parts)
    if own <= below + 0.1:
        return own, [node]
    return below, [cut for _, cuts in parts for cut in cuts]


@few(40, plain=10)
@given(SEEDS, st.integers(1, 2), st.sampled_from([0.001, 0.05, 0.25, 0.5]), st.sampled_from([0, SPREADS]))
def test_equals_the_recursive_twin(seed, n_outputs, cf, missing):
    model = draw(seed, n_outputs=n_outputs, missing=missing).model
    expected = collapse_at(model.tree_, slow(model.tree_, 0, cf)[1])
    assert prune.pessimistic(model, cf).fingerprint_ == expected.fingerprint


@few(20, plain=5)
@given(SEEDS)
def test_the_default_is_a_quarter_and_less_means_fewer_leaves(seed):
    model = draw(seed, n_rows=80).model
    assert prune.pessimistic(model).fingerprint_ == prune.pessimistic(model, cf=0.25).fingerprint_
    leaves = [prune.pessimistic(model, cf).get_n_leaves() for cf in (0.5, 0.25, 0.05, 1e-6)]
    assert leaves == sorted(leaves, reverse=True)


def three_leaves(counts):
    """A question with three answers, and the rows of each class in its branches."""
    children = np.array(counts, np.float64)
    answers = np.concatenate([children.sum(axis=0, keepdims=True), children])[:, None, :]
    weight = answers.sum(axis=(1, 2))
    return tree_of_nodes(
        n_classes=(2,),
        kind=np.array([BRANCHES, LEAF, LEAF, LEAF], np.uint8),
        child_start=np.array([0, 3, 3, 3, 3]),
        children=np.array([1, 2, 3], np.int32),
        feature=np.array([0, -2, -2, -2], np.int32),
        threshold=np.full(4, np.nan),
        missing=np.full(4, SPREADS, np.int32),
        set_start=np.zeros(5, np.int64),
        sets=np.zeros(0, np.uint64),
        answers=answers,
        impurity=np.zeros(4),
        n_samples=weight.astype(np.int64),
        weight=weight,
    )


def test_the_example_of_the_book():
    """Quinlan (1993), the votes: leaves of 6, 9 and 1 rows without errors promise 3.27, one leaf for all 2.51."""
    tree = three_leaves([(6, 0), (9, 0), (0, 1)])
    errors = expected_errors(tree, 0.25)
    assert errors[1:] == pytest.approx([6 * 0.206, 9 * 0.143, 0.750], abs=0.01)
    assert errors[0] == pytest.approx(16 * 0.157, abs=0.05)  # the book's table gives the normal quantile as 0.69
    assert collapse_by_estimate(tree, errors).n_nodes == 1
    apart = three_leaves([(6, 0), (9, 0), (0, 9)])
    assert collapse_by_estimate(apart, expected_errors(apart, 0.25)).n_nodes == 4


def test_a_branch_must_be_better_by_a_tenth_of_an_error():
    tree = three_leaves([(6, 0), (9, 0), (0, 1)])
    assert collapse_by_estimate(tree, np.array([3.09, 1.0, 1.0, 1.0])).n_nodes == 1
    assert collapse_by_estimate(tree, np.array([3.11, 1.0, 1.0, 1.0])).n_nodes == 4
