"""C5.0's global pruning against plain Python with fractions."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from spinney import C45Classifier, C50Classifier
from spinney.prune.cost_complexity import collapse_within_standard_error


def table(seed, n=400):
    """Numbers and categories, some missing and some rare, and a class with noise."""
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame({"x": rng.randn(n).round(1), "z": rng.randn(n).round(1)})
    frame["kind"] = rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01])
    frame.loc[rng.rand(n) < 0.1, "x"] = np.nan
    y = (frame["x"].fillna(0) + (frame["kind"] == "b") * frame["z"] + 0.7 * rng.randn(n) > 0.2).astype(int)
    return frame, np.where(rng.rand(n) < 0.1, 2, y)


def by_hand(tree):
    """The nodes that become leaves, one weakest link after the other; links of the same worth go together."""
    children = [tree.children_of(node).tolist() for node in range(tree.n_nodes)]
    wrong = [
        Fraction(float(counts.sum() - counts.max())) if weight > 0 else Fraction(0)
        for counts, weight in zip(tree.answers[:, 0], tree.weight)
    ]
    cut = set()

    def below(node):
        """(errors, leaves) of a subtree as it is now."""
        if not children[node] or node in cut:
            return wrong[node], int(tree.weight[node] > 0)
        return tuple(map(sum, zip(*map(below, children[node]))))

    def links(node=0):
        if children[node] and node not in cut:
            errors, leaves = below(node)
            yield (wrong[node] - errors) / (leaves - 1), node
            for child in children[node]:
                yield from links(child)

    first, _ = below(0)
    limit = float(first * (1 - first / Fraction(float(tree.weight[0])))) ** 0.5
    while found := list(links()):
        least, before = min(found)[0], set(cut)
        while (found := list(links())) and min(found)[0] <= least:
            cut.add(min(found)[1])
        if float(below(0)[0] - first) > limit:
            return before
    return cut


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("settings", [{}, {"prune": False, "min_samples_leaf": 1}])
def test_weakest_links_go_within_a_standard_error(seed, settings):
    X, y = table(seed)
    weight = None if seed % 2 else np.random.RandomState(seed).rand(len(y))
    tree = C45Classifier(**settings).fit(X, y, weight).tree_
    smaller = collapse_within_standard_error(tree)
    at = np.isin(np.arange(tree.n_nodes), sorted(by_hand(tree)))
    assert smaller.fingerprint == tree.collapse(at).fingerprint
    assert smaller.n_leaves < tree.n_leaves or "prune" not in settings


def test_c50_prunes_globally():
    X, y = table(0)
    models = [C50Classifier(trials=1, cf=0.5, global_pruning=one).fit(X, y) for one in (True, False)]
    trees = [model.estimators_[0].tree_ for model in models]
    assert trees[0].fingerprint == collapse_within_standard_error(trees[1]).fingerprint
    assert trees[0].n_leaves < trees[1].n_leaves
    grown = [C50Classifier(trials=1, prune=False, global_pruning=one).fit(X, y) for one in (True, False)]
    assert grown[0].fingerprint_ == grown[1].fingerprint_


def test_a_tree_without_errors_and_a_leaf():
    X = np.arange(20.0)[:, None]
    tree = C45Classifier().fit(X, X[:, 0] > 9).tree_
    assert collapse_within_standard_error(tree).fingerprint == tree.fingerprint
    leaf = C45Classifier().fit(X, np.ones(20)).tree_
    assert collapse_within_standard_error(leaf).n_nodes == 1
