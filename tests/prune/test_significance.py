"""Splits that could be chance go, from the leaves up; SciPy says which could."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from spinney import prune
from tests.compiled import few
from tests.prune.drawn import collapse_at, draw
from tests.prune.from_sklearn import ClassTree, NumberTree

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 10**6)


def p_value(tree, node, output):
    children = tree.children_of(node)
    children = children[tree.weight[children] > 0]
    if not tree.is_class:
        weight = tree.weight[children]
        explained = 1 - (weight * tree.impurity[children]).sum() / weight.sum() / max(tree.impurity[node], 1e-300)
        return chi2.sf(weight.sum() * explained, len(children) - 1) if len(children) > 1 else 1.0
    counts = tree.answers[children, output]
    counts = counts[:, counts.sum(axis=0) > 0]
    return chi2_contingency(counts, correction=False).pvalue if min(counts.shape) > 1 else 1.0


def slow(tree, alpha):
    """Remove one split at a time that has only leaves below it and is not significant."""
    while True:
        for node in np.flatnonzero(~tree.is_leaf):
            if tree.is_leaf[tree.children_of(node)].all():
                if all(p_value(tree, node, k) >= alpha / tree.n_outputs for k in range(tree.n_outputs)):
                    tree = collapse_at(tree, [node])
                    break
        else:
            return tree


@few(40, plain=10)
@given(SEEDS, st.sampled_from([(True, 1), (True, 2), (False, 1)]), st.sampled_from([0.9, 0.5, 0.1, 0.01]))
def test_equals_the_slow_loop(seed, kind, alpha):
    is_class, n_outputs = kind
    model = draw(seed, is_class, n_outputs).model
    assert prune.significance(model, alpha).fingerprint_ == slow(model.tree_, alpha).fingerprint


def test_signal_stays_and_noise_goes():
    rng = np.random.RandomState(0)
    X = rng.rand(400, 4).astype(np.float32)
    y = (X[:, 0] > 0.5) ^ (rng.rand(400) < 0.1)
    for model in (ClassTree(), NumberTree()):
        full = model.fit(X, y.astype(int))
        pruned = prune.significance(full, alpha=1e-6)
        assert 2 <= pruned.get_n_leaves() < full.get_n_leaves() / 5
        assert pruned.tree_.feature[0] == 0
        assert prune.significance(full).fingerprint_ == prune.significance(full, alpha=0.05).fingerprint_


def test_a_single_leaf():
    model = ClassTree().fit(np.zeros((3, 1), np.float32), [0, 1, 1])
    for pruned in (prune.significance(model), prune.pessimistic(model), prune.reduced_error(model, [[0.0]], [1])):
        assert pruned.fingerprint_ == model.fingerprint_
