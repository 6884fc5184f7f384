"""Sums by hand: from counts and from labels, with the lectures' numbers."""

import doctest
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from spinney import DecisionTreeClassifier, criteria
from spinney.criteria import count_trees, measures
from spinney.criteria.impurity import squared_decreases
from tests.compiled import few, slow

COUNTS = st.lists(st.integers(0, 300), min_size=1, max_size=6).filter(any)
TABLES = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 50), min_size=k, max_size=k), min_size=1, max_size=5)
)


def plain(name, counts):
    """The measure, as a formula book has it."""
    shares = [c / sum(counts) for c in counts if c] if sum(counts) else []
    if name == "entropy":
        return -sum(p * math.log2(p) for p in shares)
    return 1 - (sum(p * p for p in shares) if name == "gini" else max(shares, default=1)) if shares else 0.0


@few(60)
@given(COUNTS)
def test_counts(counts):
    assert criteria.entropy(counts) == pytest.approx(plain("entropy", counts), abs=1e-12)
    assert criteria.gini(counts) == pytest.approx(plain("gini", counts), abs=1e-12)
    assert criteria.error_rate(counts) == pytest.approx(plain("error", counts), abs=1e-12)
    assert criteria.tsallis(counts, q=2) == pytest.approx(criteria.gini(counts), abs=1e-12)
    assert criteria.tsallis(counts, q=1) == pytest.approx(criteria.entropy(counts) * math.log(2), abs=1e-12)
    assert criteria.tsallis(counts, q=1 + 1e-6) == pytest.approx(criteria.tsallis(counts, q=1), abs=1e-4)
    by_hand = (1 - sum((c / sum(counts)) ** 0.5 for c in counts)) / (0.5 - 1)
    assert criteria.tsallis(counts, q=0.5) == pytest.approx(by_hand, abs=1e-12)


@few(60)
@given(TABLES.filter(lambda table: any(map(any, table))), st.sampled_from(["entropy", "gini", "error"]))
def test_decreases(table, name):
    total = sum(map(sum, table))
    after = sum(sum(row) / total * plain(name, row) for row in table if any(row))
    before = plain(name, [sum(column) for column in zip(*table)])
    assert criteria.impurity_decrease(table, criterion=name) == pytest.approx(before - after, abs=1e-12)


def test_labels_are_counted():
    labels = ["b", "a", "b", "b"]
    assert criteria.gini(labels=labels) == criteria.gini([1, 3])
    assert criteria.gini(labels=labels, sample_weight=[1, 3, 1, 1]) == criteria.gini([3, 3])
    assert criteria.entropy(labels=np.array([1.5, 2.5])) == 1.0
    answers = [True, False, True, False]
    assert criteria.information_gain(answers=answers, labels=labels) == criteria.information_gain([[1, 1], [0, 2]])
    weighted = criteria.gain_ratio(answers=answers, labels=labels, sample_weight=[2, 1, 0, 1])
    assert weighted == criteria.gain_ratio([[1, 1], [0, 2]])


def test_many_nodes_at_once():
    nodes = [[3, 1], [2, 2], [0, 0]]
    np.testing.assert_allclose(criteria.gini(nodes), [0.375, 0.5, 0.0])
    np.testing.assert_allclose(criteria.tsallis(nodes, q=3), [(1 - 28 / 64) / 2, (1 - 1 / 4) / 2, 0.0])
    splits = [[[1, 0], [0, 1]], [[1, 1], [1, 1]]]
    np.testing.assert_allclose(criteria.information_gain(splits), [1.0, 0.0])
    np.testing.assert_allclose(criteria.gain_ratio([*splits, [[1, 1], [0, 0]]]), [1.0, 0.0, 0.0])


def test_the_lectures_numbers():
    one, other = [[100, 300], [300, 100]], [[200, 400], [200, 0]]
    assert criteria.error_rate([160, 40]) == 0.2  # to the last digit: these are printed
    for split in (one, other):
        assert criteria.impurity_decrease(split, criterion="error") == 0.25
        assert sum(sum(row) * criteria.error_rate(row) for row in split) / 800 == pytest.approx(0.25)
    assert criteria.information_gain(other) > criteria.information_gain(one)
    assert criteria.impurity_decrease(other) > criteria.impurity_decrease(one)
    assert criteria.gini([67, 65, 168]) == pytest.approx(0.5896, abs=5e-5)
    assert 0.5896 - (153 * 0.6548 + 147 * 0.3632) / 300 == pytest.approx(0.0777, abs=5e-5)
    assert criteria.gini([1] * 5) == pytest.approx(1 - 1 / 5)
    assert criteria.entropy([2, 4]) == pytest.approx(0.918, abs=5e-4)


@few(40)
@given(TABLES.filter(lambda table: len(table) > 1), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_tsallis_as_a_criterion(table, q):
    left, right = np.array(table[:2], float)
    if left.sum() and right.sum():
        both = np.array([left, right])
        below = (both.sum(axis=1) * criteria.tsallis(both, q=q)).sum() / both.sum()
        assert criteria.tsallis_criterion(q)(left, right) == pytest.approx(
            criteria.tsallis(left + right, q=q) - below, abs=1e-9
        )


@pytest.mark.parametrize("q, own", [(2, "gini"), *slow([(1, "entropy")])])
def test_trees_of_tsallis(q, own):
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=0)
    one, other = (DecisionTreeClassifier(criterion=c).fit(X, y) for c in (criteria.tsallis_criterion(q), own))
    assert one.tree_.threshold[0] == other.tree_.threshold[0]
    assert abs(one.get_n_leaves() - other.get_n_leaves()) <= 2  # ties may be rounded otherwise


@few(30)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(-50, 50)), min_size=2, max_size=12))
def test_decreases_of_squared_error(rows):
    weight, y = np.array(rows, float).T
    left = np.column_stack([np.cumsum(weight), np.cumsum(weight * y)])
    found = squared_decreases(np.ascontiguousarray(left[:-1]), left[-1])

    def spread(part):
        return np.average((y[part] - np.average(y[part], weights=weight[part])) ** 2, weights=weight[part])

    for k, gain in enumerate(found, start=1):
        sides = [slice(None, k), slice(k, None)]
        after = sum(weight[side].sum() * spread(side) for side in sides) / weight.sum()
        assert gain == pytest.approx(spread(slice(None)) - after, abs=1e-9)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: criteria.entropy(), TypeError, "Pass either counts or labels"),
        (lambda: criteria.entropy([1], labels=[1]), TypeError, "Pass either counts or labels"),
        (lambda: criteria.entropy([1, -1]), ValueError, "counts must hold one number per class, finite and at least 0"),
        (lambda: criteria.entropy(3), ValueError, "counts must hold one number per class"),
        (lambda: criteria.gini(["a"]), ValueError, r"counts must hold one number per class, .* got \['a'\]"),
        (lambda: criteria.information_gain([[1, 2], [3]]), ValueError, "branches must hold one number per branch and"),
        (lambda: criteria.gini([1, 2], sample_weight=[1, 1]), TypeError, "sample_weight needs labels: counts are"),
        (
            lambda: criteria.gini(labels=[1.0, np.nan]),
            ValueError,
            "labels must hold one label per row, without missing values",
        ),
        (
            lambda: criteria.gini(labels=["a", None]),
            ValueError,
            "labels must hold one label per row, without missing values",
        ),
        (lambda: criteria.tsallis([1, 2], q=0), ValueError, "q must be a positive number, got 0"),
        (lambda: criteria.tsallis_criterion(-1), ValueError, "q must be a positive number, got -1"),
        (lambda: criteria.tsallis([1, 2], q=True), ValueError, "q must be a positive number, got True"),
        (lambda: criteria.information_gain([1, 2]), ValueError, "branches must hold one number per branch and class"),
        (lambda: criteria.information_gain(answers=[1, 2]), TypeError, "Pass either branches, or answers and labels"),
        (lambda: criteria.gain_ratio([[1]], labels=[1]), TypeError, "Pass either branches, or answers and labels"),
        (lambda: criteria.impurity_decrease([[1]], criterion="Gini"), ValueError, "criterion must be one of 'gini', "),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.slow
def test_examples():
    pytest.importorskip("pandas")
    result = doctest.testmod(measures)
    assert result.attempted > 15
    assert not result.failed


def functions(n_columns, depth):
    """What all trees of a depth say of all rows."""
    rows = list(product((0, 1), repeat=n_columns))
    if depth == 0:
        return {(k,) * len(rows) for k in (0, 1)}
    below = functions(n_columns, depth - 1)
    found = set(below)
    for j in range(n_columns):
        found |= {tuple(a[i] if row[j] else b[i] for i, row in enumerate(rows)) for a in below for b in below}
    return found


@pytest.mark.parametrize("n_columns", [0, 1, 2, 3])
def test_every_function_is_that_of_a_tree(n_columns):
    assert len(functions(n_columns, n_columns)) == count_trees(n_columns)


def test_the_lecture():
    assert [count_trees(d) for d in (5, 6)] == [4294967296, 18446744073709551616]


@pytest.mark.parametrize("wrong", [-1, 21, 2.0, True, "3"])
def test_wrong(wrong):
    with pytest.raises(ValueError, match="n_columns must be an integer from 0 to 20"):
        count_trees(wrong)
