"""The slow twin of exact trees, held to definitions and to scikit-learn: whoever judges must be judged."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.tree

from tests.oracles import exact_tree as twin


def data_of(X, y, weight=None, n_classes=None, is_categorical=None):
    X, y = np.asarray(X, float), np.asarray(y)
    weight = np.ones(len(X), np.int64) if weight is None else np.asarray(weight)
    kinds = (False,) * X.shape[1] if is_categorical is None else is_categorical
    return twin.Data(X, kinds, y.reshape(len(X), -1), weight, n_classes)


def test_impurities_by_hand():
    rows = np.arange(4)
    y, weight = [0, 1, 1, 2], [1, 1, 2, 4]
    classes = data_of(np.zeros((4, 1)), y, weight, (3,))
    assert twin.impurity(classes, "gini", rows) == 1 - Fraction(1 + 9 + 16, 64)
    assert twin.impurity(classes, "error", rows) == Fraction(1, 2)
    expected = 1 / 8 * 3 + 3 / 8 * math.log2(8 / 3) + 1 / 2
    assert twin.impurity(classes, "entropy", rows) == pytest.approx(expected)
    numbers = data_of(np.zeros((4, 1)), y, weight)
    assert twin.impurity(numbers, "squared_error", rows) == Fraction(19, 8) - Fraction(11, 8) ** 2
    assert twin.impurity(numbers, "absolute_error", rows) == Fraction(2 + 1 + 2, 8)
    floats = data_of(np.zeros((4, 1)), np.array(y, float), np.array(weight, float))
    assert twin.impurity(floats, "squared_error", rows) == pytest.approx(19 / 8 - (11 / 8) ** 2)
    deviance = sum(w * v * math.log(v / 1.375) for v, w in zip(y, weight, strict=True) if v) / 8
    assert twin.impurity(floats, "poisson", rows) == pytest.approx(deviance)


def test_medians_by_hand():
    y = np.array([3.0, 1.0, 2.0])
    assert twin.median(y, np.array([1, 1, 1])) == 2.0
    assert twin.median(y, np.array([2, 1, 1])) == 2.5  # half of the weight is at 2 or below
    assert twin.median(y, np.array([5, 1, 1])) == 3.0


def test_every_cut_of_a_column():
    data = data_of([[1.0], [3.0], [math.nan], [1.0]], [0, 1, 1, 0], n_classes=(2,))
    cuts = [(t, m, left.tolist(), right.tolist()) for t, m, left, right in twin.cuts(data, np.arange(4), 0)]
    assert cuts == [
        (2.0, False, [0, 3], [1, 2]),
        (math.inf, False, [0, 1, 3], [2]),
        (2.0, True, [0, 2, 3], [1]),
    ]


def test_every_cut_of_categories():
    """Three classes: an order for each, the heaviest first."""
    data = data_of([[0], [1], [2], [2]], [0, 1, 2, 2], n_classes=(3,), is_categorical=(True,))
    lefts = [left.tolist() for _, _, left, _ in twin.cuts(data, np.arange(4), 0)]
    assert lefts == [[0], [0, 1], [1], [1, 2, 3], [0], [0, 2, 3]]


def test_of_equal_splits_the_first_is_taken():
    data = data_of([[0, 5], [1, 6], [1, 6], [0, 5]], [0, 1, 1, 0], n_classes=(2,))
    root = twin.grow(data, twin.Rules("gini"))
    assert (root.split.feature, root.split.threshold, root.split.gain) == (0, 0.5, Fraction(2))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("best_first", [False, True])
def test_scikit_learn_grows_the_same_tree(criterion, best_first):
    random = np.random.RandomState(0)
    X = random.randint(-200, 200, (40, 2)) / 64
    weight = random.randint(1, 300, 40) / 64
    y = np.round(np.exp(X[:, 0] + random.rand(40)), 1) + 1
    is_class = criterion in ("gini", "entropy")
    y = (y > 2).astype(int) if is_class else y
    kind = sklearn.tree.DecisionTreeClassifier if is_class else sklearn.tree.DecisionTreeRegressor
    leaves = 5 if best_first else None
    theirs = (
        kind(criterion=criterion, min_samples_leaf=4, max_leaf_nodes=leaves, random_state=0).fit(X, y, weight).tree_
    )
    data = data_of(X, y, weight, (2,) if is_class else None)
    waiting = [(0, twin.grow(data, twin.Rules(criterion, min_leaf=4, max_leaves=leaves)))]
    while waiting:
        at, node = waiting.pop()
        assert theirs.n_node_samples[at] == len(node.rows)
        assert theirs.impurity[at] == pytest.approx(twin.impurity(data, criterion, node.rows))
        assert (theirs.children_left[at] < 0) == (node.split is None)
        if node.split is not None:
            assert (theirs.feature[at], theirs.threshold[at]) == (node.split.feature, node.split.threshold)
            waiting += [(theirs.children_left[at], node.children[0]), (theirs.children_right[at], node.children[1])]
