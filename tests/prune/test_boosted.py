"""Boosted trees are pruned one by one: by mean gain a split, to values that they would have had."""

from dataclasses import fields

import numpy as np
import pytest

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, prune
from spinney.prune.cost_complexity import full_path
from tests.boosted import plain_trees

OPTIONS = dict(n_estimators=5, min_samples_leaf=5, random_state=0, early_stopping=False)


def make_rows(n=400):
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(n, 3), rng.randint(0, 6, n)])
    X[rng.rand(n) < 0.1, 1] = np.nan
    return X, X[:, 0] + np.isin(X[:, 3], (1, 4)) + rng.randn(n)


def gains_and_splits(tree, node):
    if tree.is_leaf[node]:
        return 0.0, 0
    parts = [gains_and_splits(tree, child[node]) for child in (tree.left, tree.right)]
    return tree.gain[node] + sum(gain for gain, _ in parts), 1 + sum(n for _, n in parts)


@pytest.fixture(scope="module")
def model():
    return GradientBoostingRegressor(categorical_features=[3], **OPTIONS).fit(*make_rows())


def test_every_branch_that_stays_is_worth_alpha_a_split(model):
    sizes = []
    for alpha in (0.0, 2.0, 8.0, 32.0, 1e9):
        pruned = prune.cost_complexity(model, alpha)
        sizes.append(sum(tree.n_leaves for tree in plain_trees(pruned)))
        for tree in plain_trees(pruned):
            for node in np.flatnonzero(~tree.is_leaf):
                gain, n_splits = gains_and_splits(tree, node)
                assert gain > alpha * n_splits
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == len(plain_trees(model))
    assert len(set(sizes)) > 3


def test_no_subtree_of_a_boosted_tree_is_worth_more(model):
    alpha = 6.0

    def best(tree, node):
        if tree.is_leaf[node]:
            return 0.0
        return max(0.0, tree.gain[node] - alpha + best(tree, tree.left[node]) + best(tree, tree.right[node]))

    forest = model._booster.forest
    assert forest.n_trees > 1
    for k, tree in enumerate(plain_trees(model)):
        at = full_path(forest.tree(k)).cut_at <= alpha
        pruned = forest.part(range(k, k + 1)).collapse(at)
        assert pruned.gain.sum() - alpha * (pruned.n_leaves[0] - 1) == pytest.approx(best(tree, 0))


def test_predictions_come_from_the_pruned_trees(model):
    X, _ = make_rows()
    pruned = prune.cost_complexity(model, 8.0)
    assert model.fingerprint_ != pruned.fingerprint_
    assert type(pruned) is type(model)
    leaves = pruned.apply(X)
    trees = plain_trees(pruned)
    expected = pruned._booster.start[0] + sum(tree.value[leaves[:, k]] for k, tree in enumerate(trees))
    np.testing.assert_allclose(pruned.predict(X), expected)
    assert all(tree.is_leaf[leaves[:, k]].all() for k, tree in enumerate(trees))
    assert not np.array_equal(pruned.predict(X), model.predict(X))
    assert prune.cost_complexity(model, 0.0).fingerprint_ == model.fingerprint_


def test_values_are_those_that_pruning_while_growing_gives():
    """`min_split_gain` takes back splits when the tree is grown; the same cuts afterwards give the same tree."""
    options = OPTIONS | dict(n_estimators=1, categorical_features=[3])
    whole = GradientBoostingRegressor(**options).fit(*make_rows())._booster
    grown = GradientBoostingRegressor(min_split_gain=12.0, **options).fit(*make_rows())._booster
    (tree,) = plain_trees(whole)
    at = tree.is_leaf.copy()
    for node in range(tree.n_nodes - 1, -1, -1):
        at[node] |= bool(at[tree.left[node]] and at[tree.right[node]] and tree.gain[node] < 12.0)
    cut = whole.forest.collapse(at)
    assert 1 < cut.n_leaves[0] < tree.n_leaves
    for name in (field.name for field in fields(cut)[4:]):
        expected = getattr(grown.forest, name)
        np.testing.assert_array_equal(getattr(cut, name), expected, err_msg=name)
        assert getattr(cut, name).dtype == expected.dtype


def test_classifiers():
    X, y = make_rows()
    for labels in (y > 0, np.digitize(y, [-0.5, 1.0])):
        model = GradientBoostingClassifier(**OPTIONS).fit(X, labels)
        pruned = prune.cost_complexity(model, 3.0)
        assert pruned.predict_proba(X).shape == model.predict_proba(X).shape
        assert sum(t.n_leaves for t in plain_trees(pruned)) < sum(t.n_leaves for t in plain_trees(model))
        assert pruned.score(X, labels) > 0.5


def test_what_cannot_be_done(model):
    X, y = make_rows()
    with pytest.raises(TypeError, match="loss='absolute_error' cannot be pruned"):
        prune.cost_complexity(GradientBoostingRegressor(loss="absolute_error", **OPTIONS).fit(X, y), 1.0)
    with pytest.raises(TypeError, match="model must be a fitted model of one Spinney decision tree"):
        prune.cost_complexity_path(model)
    for call in (prune.pessimistic, prune.significance, lambda model: prune.reduced_error(model, X, y)):
        with pytest.raises(TypeError, match=r"boosted models, .* Use prune.cost_complexity"):
            call(model)
