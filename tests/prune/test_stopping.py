"""Best-first trees cut back to where held-out rows were answered best, beside the trees after every split."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney._team import Team
from spinney.criteria.impurity import GINI, SQUARED
from spinney.data.schema import learn_and_read
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.estimators.params import read_seed
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.rules import TreeSettings
from spinney.prune.stopping import errors_after_splits, stopping_split, tree_at
from spinney.prune.validation import ValidationRows


def draw(n, seed):
    random = np.random.RandomState(seed)
    X = random.randn(n, 2)
    return X, X[:, 0] + random.randn(n)


def grown_best_first(X, y, n_classes, criterion, leaves):
    """The tree and the split number of each of its nodes, as a fit gets them."""
    table = learn_and_read(X)[1]
    labels = None if n_classes is None else y[None].astype(np.int32)
    target = Target(labels, n_classes, y[None].astype(float) if n_classes is None else None, Weights(None, None))
    with Team(1, inline=True) as team:
        return grow_exact_tree(table, np.zeros(2, np.int64), target, TreeSettings(criterion, max_leaves=leaves), team)


@pytest.mark.parametrize("is_class", [True, False], ids=["classes", "numbers"])
def test_errors_are_those_of_the_trees_of_every_turn(is_class):
    """The tree after k splits is the one grown to k + 1 leaves, and its error on the judged rows is the k-th."""
    (X, y), (X_new, y_new) = draw(120, 0), draw(80, 1)
    if is_class:
        y, y_new = (y > 0).astype(int), (y_new > 0).astype(int)
    kind = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    grown = grown_best_first(X, y, (2,) if is_class else None, GINI if is_class else SQUARED, 20)
    model = kind(max_leaf_nodes=20).fit(X, y)
    assert model.fingerprint_ == grown.tree.fingerprint
    weight = np.ones(80)
    errors = errors_after_splits(
        grown.tree, grown.split_number, ValidationRows(model.apply(X_new), weight, y_new[:, None].astype(float))
    )
    assert len(errors) == 20
    expected = []
    for k in range(20):
        smaller = tree_at(grown.tree, grown.split_number, k)
        assert smaller.n_leaves == k + 1
        if k:
            other = kind(max_leaf_nodes=k + 1).fit(X, y)
            np.testing.assert_array_equal(smaller.threshold, other.tree_.threshold)
            np.testing.assert_array_equal(smaller.answers, other.tree_.answers)
            answer = other.predict(X_new)
        else:
            answer = np.full(80, np.bincount(y).argmax() if is_class else y.mean())
        expected.append((answer != y_new).sum() if is_class else ((answer - y_new) ** 2).sum())
    np.testing.assert_allclose(errors / errors[0], np.array(expected) / expected[0], rtol=1e-9)


@pytest.mark.parametrize(
    "errors, patience, expected",
    [
        ([5], 1, (0, False)),
        ([5, 4, 3], 1, (2, False)),
        ([5, 4, 4, 4], 2, (1, True)),
        ([5, 4, 6, 3, 3, 3], 2, (3, True)),
        ([5, 6, 4], 1, (0, True)),
        ([5, 6, 4], 2, (2, False)),
        ([5, 5, 5], 2, (0, True)),
    ],
)
def test_where_to_stop(errors, patience, expected):
    """At the first of the least errors, once as many turns as patience allows have not beaten it."""
    assert stopping_split(np.array(errors), patience) == expected


def test_a_fit_stops_where_the_held_out_rows_say():
    X, y = draw(300, 2)
    fitted = DecisionTreeRegressor(n_iter_no_change=4, validation_fraction=0.3, random_state=7).fit(X, y)
    kept, held = train_test_split(np.arange(300), test_size=0.3, random_state=read_seed(7))
    kept = np.sort(kept)
    errors = []
    for leaves in range(1, 60):
        if leaves == 1:
            answer = np.full(len(held), y[kept].mean())
        else:
            answer = DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X[kept], y[kept]).predict(X[held])
        errors.append(((answer - y[held]) ** 2).sum())
    n_splits, _ = stopping_split(np.array(errors), 4)
    assert fitted.get_n_leaves() == n_splits + 1
    assert fitted.tree_.n_samples[0] == len(kept)
