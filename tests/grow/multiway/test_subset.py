"""Groups of categories: C4.5's option -s, against plain Python."""

from math import log2

import numpy as np
import pandas as pd
import pytest

from spinney import C45Classifier, C50Classifier
from spinney.tree.decision import SET


def table(seed, n=300, n_kinds=7):
    """Two columns of categories, one with missing values, and a class that depends on groups of them."""
    rng = np.random.RandomState(seed)
    kinds, places = list("abcdefghijklmnopq"[:n_kinds]), list("uvwxyz")
    X = pd.DataFrame({"kind": rng.choice(kinds, n), "place": rng.choice(places, n)}).astype("category")
    groups = {one: rng.randint(3) for one in [*kinds, *places]}
    y = X["kind"].map(groups).astype(int) + (X["place"].map(groups).astype(int) > 1)
    X.loc[rng.rand(n) < 0.1, "place"] = None
    y = np.where(rng.rand(n) < 0.2, rng.randint(0, 4, n), y)
    return X, y, 0.5 + rng.rand(n)  # weights without ties


def mixed(counts):
    """Entropy times weight."""
    total = sum(counts)
    return sum(-c * log2(c / total) for c in counts if c > 0)


def score(groups, total, known, least):
    """(gain ratio, gain), None if fewer than two groups are large enough."""
    if sum(sum(one) >= least for one in groups) < 2:
        return None
    whole = [sum(c) for c in zip(*groups)]
    gain = (mixed(whole) - sum(map(mixed, groups))) / total
    info = mixed([*(sum(one) for one in groups), total - known]) / total
    return gain / info, gain


def best_groups(codes, y, weight, least):
    """((gain ratio, gain), groups of categories) of a column."""
    there = sorted(set(codes[codes >= 0].tolist()))
    groups = [[code] for code in there]
    sums = [[weight[(codes == code) & (y == c)].sum() for c in range(y.max() + 1)] for code in there]
    total, known, found = weight.sum(), weight[codes >= 0].sum(), []
    while True:
        value = score(sums, total, known, least)
        if value:
            found.append((value, [list(one) for one in groups]))
        if len(groups) == 2:
            return max(found, key=lambda one: one[0][0])
        pairs = [(a, b) for a in range(len(groups)) for b in range(a + 1, len(groups))]

        def rise(pair):
            both = [p + q for p, q in zip(sums[pair[0]], sums[pair[1]])]
            return mixed(both) - mixed(sums[pair[0]]) - mixed(sums[pair[1]])

        a, b = min(pairs, key=rise)
        sums[a] = [p + q for p, q in zip(sums[a], sums.pop(b))]
        groups[a] += groups.pop(b)


def groups_of(tree, n_categories, node=0):
    """[(categories, child)] of a chain, the last of which stands for all others."""
    feature, found = tree.feature[node], []
    while tree.kind[node] == SET and tree.feature[node] == feature:
        yes, no = tree.children_of(node).tolist()
        found.append((sorted(tree.categories_in(node, n_categories).tolist()), yes))
        node = no
    return found, node


@pytest.mark.parametrize("seed", range(8))
def test_the_root_is_that_by_hand(seed):
    X, y, weight = table(seed)
    weight *= len(y) / weight.sum()
    tree = C45Classifier(subset=True, prune=False, max_depth=1).fit(X, y, weight).tree_
    by_column = [best_groups(X[name].cat.codes.to_numpy(), y, weight, 2) for name in X]
    mean = np.mean([gain for (_, gain), _ in by_column])
    best = max((ratio, k) for k, ((ratio, gain), _) in enumerate(by_column) if gain >= mean - 1e-3)[1]
    assert tree.feature[0] == best
    wanted = sorted(map(sorted, by_column[best][1]))
    found, last = groups_of(tree, len(X.iloc[:, best].cat.categories))
    assert [one for one, _ in found] == wanted[:-1]
    codes, known = X.iloc[:, best].cat.codes.to_numpy(), (X.iloc[:, best].notna()).to_numpy()
    shares = np.array([weight[np.isin(codes, one)].sum() for one in wanted]) / weight[known].sum()
    np.testing.assert_allclose(tree.weight[[*(child for _, child in found), last]], shares * len(y), rtol=1e-5)


def test_many_categories_in_few_leaves():
    X, y, _ = table(0, 900, 17)
    one, other = (C45Classifier(subset=subset).fit(X, y) for subset in (False, True))
    assert other.get_n_leaves() < one.get_n_leaves()
    assert other.score(X, y) > 0.75
    rows = np.random.RandomState(0).permutation(len(y))
    again = C45Classifier(subset=True, n_jobs=2).fit(X.iloc[rows], y[rows])
    assert again.fingerprint_ == other.fingerprint_
    whole = X[["kind"]]  # parts of rows are rounded
    weighted = C45Classifier(subset=True).fit(whole, y, np.full(len(y), 2))
    repeated = C45Classifier(subset=True).fit(pd.concat([whole, whole]), np.tile(y, 2))
    assert weighted.get_n_leaves() == repeated.get_n_leaves() > 2
    np.testing.assert_array_equal(weighted.predict_proba(whole), repeated.predict_proba(whole))


def test_large_nodes_are_shared():
    X, y, _ = table(3, 9000, 17)
    one, two = (C45Classifier(subset=True, n_jobs=n).fit(X, y).fingerprint_ for n in (1, 3))
    assert one == two


def test_a_category_without_rows_in_a_node_and_an_unknown_one():
    """The first has a leaf that answers as the node; the second goes everywhere, as missing values do."""
    X = pd.DataFrame({"kind": list("aabbcc") * 20 + list("abcd") * 50, "x": [0.0] * 120 + [1.0] * 200})
    y = np.array([0, 0, 0, 0, 1, 1] * 20 + [2] * 200)
    model = C45Classifier(subset=True).fit(X, y)
    tree = model.tree_
    assert tree.feature[0] == 1
    found, last = groups_of(tree, 4, int(tree.children_of(0)[0]))
    assert [one for one, _ in found] == [[0, 1], [2]]
    assert tree.weight[last] == 0
    new = pd.DataFrame({"kind": ["a", "c", "d", "e", None], "x": 0.0})
    np.testing.assert_allclose(model.predict_proba(new)[:2], [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(model.predict_proba(new)[2:], [[2 / 3, 1 / 3, 0]] * 3)


def test_limits():
    X, y, weight = table(1, 600, 12)
    for settings in ({"max_leaf_nodes": 5}, {"significance": 0.01}, {"min_samples_leaf": 40}, {"max_depth": 1}):
        tree = C45Classifier(subset=True, prune=False, **settings).fit(X, y, weight).tree_
        assert 1 < tree.n_leaves <= C45Classifier(subset=True, prune=False).fit(X, y, weight).tree_.n_leaves
    assert C45Classifier(subset=True, prune=False, max_leaf_nodes=5).fit(X, y).get_n_leaves() <= 5
    with pytest.raises(ValueError, match="subset=True does not work with n_iter_no_change"):
        C45Classifier(subset=True, n_iter_no_change=3).fit(X, y)


def test_boosted():
    X, y, _ = table(2, 500, 12)
    model = C50Classifier(subset=True, trials=4).fit(X, y)
    assert (model.estimators_[0].tree_.kind == SET).any()
    assert model.score(X, y) > 0.7
