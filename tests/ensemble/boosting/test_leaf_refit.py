"""Pruned nodes are those that trying all subtrees finds, and what is pruned hands its value down."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spinney.ensemble.boosting.leaf_refit import final_leaves, prune_nodes
from spinney.grow.boosting.memory import NODE
from spinney.grow.rules import NO_NODE
from tests.compiled import few


def grow(random, n_splits):
    """A random tree as the engine leaves it: children side by side, after their parent."""
    nodes = np.zeros(2 * n_splits + 1, NODE)
    nodes["left"], nodes["is_leaf"], nodes["value"] = NO_NODE, 1, random.randn(len(nodes))
    leaves = [0]
    for k in range(n_splits):
        at = leaves.pop(random.randint(len(leaves)))
        nodes[at]["left"], nodes[at]["is_leaf"], nodes[at]["gain"] = 2 * k + 1, 0, random.exponential()
        leaves += [2 * k + 1, 2 * k + 2]
    return nodes


def best_subtree(nodes, alpha):
    """The splits to keep, by trying all sets of them: gains are what they are worth, alpha what each costs."""
    inner = [at for at in range(len(nodes)) if nodes["left"][at] != NO_NODE]
    parent = {int(child): at for at in inner for child in (nodes["left"][at], nodes["left"][at] + 1)}
    best, worth = set(), 0.0
    for choice in product((False, True), repeat=len(inner)):
        kept = {at for at, is_kept in zip(inner, choice) if is_kept}
        if any(at and parent[at] not in kept for at in kept):
            continue
        total = sum(nodes["gain"][at] - alpha for at in kept)
        if total > worth:
            best, worth = kept, total
    return best


@few(40)
@given(seed=st.integers(0, 10**6), n_splits=st.integers(0, 7), alpha=st.sampled_from((0.1, 0.5, 1.0, 3.0)))
def test_the_best_subtree_is_left(seed, n_splits, alpha):
    nodes = grow(np.random.RandomState(seed), n_splits)
    expected, values = best_subtree(nodes, alpha), nodes["value"].copy()
    prune_nodes(nodes, alpha)
    assert set(np.flatnonzero(nodes["is_leaf"] == 0).tolist()) == expected
    leaves = final_leaves(nodes)
    assert len(leaves) == len(expected) + 1
    assert (nodes["value"][leaves] == values[leaves]).all()
    for at in range(len(nodes)):  # whatever is below a leaf answers as it does
        if nodes["is_leaf"][at] and nodes["left"][at] != NO_NODE:
            assert (nodes["value"][nodes["left"][at] : nodes["left"][at] + 2] == nodes["value"][at]).all()


def test_what_was_pruned_before_stays_so():
    nodes = grow(np.random.RandomState(0), 5)
    nodes["is_leaf"][0] = 1
    prune_nodes(nodes, 0.1)
    assert nodes["is_leaf"][0]
