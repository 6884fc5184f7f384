"""Candidate splits: against plain Python, and against the roots that trees choose."""

import builtins
import doctest
import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier, candidate_splits
from spinney.criteria import candidates
from spinney.datasets import load_restaurant
from tests.compiled import few

pd = pytest.importorskip("pandas")


def bits(weights):
    total = sum(weights.values())
    return -sum(w / total * math.log2(w / total) for w in weights.values() if w) if total else 0.0


def plain_gain(sides, y, w):
    """Entropy before and after; `sides` are lists of rows."""

    def count(rows):
        return {label: sum(w[r] for r in rows if y[r] == label) for label in set(y)}

    rows = [r for side in sides for r in side]
    known = sum(w[r] for r in rows)
    after = sum(sum(w[r] for r in side) * bits(count(side)) for side in sides) / known
    return (bits(count(rows)) - after) * known / sum(w)


ROWS = st.lists(
    st.tuples(st.sampled_from([1.0, 2.0, 4.0, 8.0, math.nan]), st.sampled_from("abc"), st.integers(1, 3)),
    min_size=2,
    max_size=15,
)


@few(60)
@given(ROWS)
def test_thresholds_with_weights_and_missing_values(rows):
    x, y, w = map(list, zip(*rows))
    found = candidate_splits(np.array(x)[:, None], y, sample_weight=w)
    values = sorted({v for v in x if v == v})
    assert found["threshold"].tolist() == [(a + b) / 2 for a, b in pairwise(values)]
    for threshold, gain in zip(found["threshold"], found["gain"]):
        sides = [[r for r in range(len(x)) if x[r] <= threshold], [r for r in range(len(x)) if x[r] > threshold]]
        assert gain == pytest.approx(plain_gain(sides, y, w), abs=1e-9)


@few(40)
@given(st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("abc"), st.integers(0, 2)), min_size=2, max_size=15))
def test_groupings(rows):
    x, y, w = map(list, zip(*rows))
    if not any(w):
        return
    frame = pd.DataFrame({"x": x})
    present = sorted({value for value, weight in zip(x, w) if weight})
    branches = candidate_splits(frame, y, sample_weight=w)
    assert branches["categories"].tolist() == ([tuple(present)] if len(present) > 1 else [])
    for gain in branches["gain"]:
        sides = [[r for r in range(len(x)) if x[r] == value] for value in present]
        assert gain == pytest.approx(plain_gain(sides, y, w), abs=1e-9)
    sets = candidate_splits(frame, y, sample_weight=w, groups="sets")
    expected = {frozenset(one) for size in range(1, len(present)) for one in combinations(present[:-1], size)}
    assert set(map(frozenset, sets["categories"])) == expected
    assert len(sets) == max(0, 2 ** (len(present) - 1) - 1)
    for chosen, gain in zip(sets["categories"], sets["gain"]):
        sides = [[r for r in range(len(x)) if (x[r] in chosen) == yes] for yes in (True, False)]
        assert gain == pytest.approx(plain_gain(sides, y, w), abs=1e-9)


def test_the_lectures_thresholds():
    X, y = load_restaurant(minutes=True)
    found = candidate_splits(X, y)
    minutes = found[found["feature"] == "WaitMinutes"]
    assert minutes["threshold"].tolist() == [4.5, 6.5, 7.5, 10, 16, 30, 55, 75]
    best = minutes.loc[minutes["gain"].idxmax()]
    assert (best["threshold"], round(best["gain"], 3)) == (16, 0.196)
    gains = found[found["threshold"].isna()].set_index("feature")["gain"]
    assert gains["Patrons"] == pytest.approx(0.541, abs=5e-4)
    assert gains["Type"] == pytest.approx(0.0, abs=1e-12)
    assert found["gain"].add(found["impurity"]).round(9).eq(1.0).all()
    assert found.loc[found["gain"].idxmax(), "feature"] == "Patrons"
    table, _ = load_restaurant()
    assert table.columns[ID3Classifier(max_depth=1).fit(table, y).tree_.feature[0]] == "Patrons"


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
def test_the_best_one_is_the_root_of_a_tree(criterion):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        {"a": rng.randint(0, 20, 200), "b": rng.randn(200).round(1), "c": rng.choice(list("pqrst"), 200)}
    )
    y = (frame["a"] + 9 * frame["c"].isin(["p", "t"]) + 5 * rng.rand(200) > 16).to_numpy()
    found = candidate_splits(frame, y, criterion=criterion, groups="sets")
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(frame, y).tree_
    column = "gain_ratio" if criterion == "gain_ratio" else "gain"
    best = found.loc[found[column].idxmax()] if criterion != "gain_ratio" else found.loc[found["gain"].idxmax()]
    assert frame.columns[tree.feature[0]] == best["feature"]
    below = tree.weight[1:] @ tree.impurity[1:] / tree.weight[0]
    assert best["gain"] == pytest.approx(tree.impurity[0] - below, abs=1e-9)
    assert best["impurity"] == pytest.approx(below, abs=1e-9)


@pytest.mark.parametrize("n_categories", [4, 30])
def test_numbers(n_categories):
    rng = np.random.RandomState(1)
    frame = pd.DataFrame({"a": rng.randn(300), "c": rng.randint(0, n_categories, 300).astype(str)})
    y = 1e6 + frame["a"] * 0.1 + np.sin(frame["c"].astype(int)) + 0.1 * rng.randn(300)
    found = candidate_splits(frame, y, criterion="squared_error")
    tree = DecisionTreeRegressor(max_depth=1).fit(frame, y).tree_
    best = found.loc[found["gain"].idxmax()]
    assert best["feature"] == "c"
    assert best["impurity"] == pytest.approx(tree.weight[1:] @ tree.impurity[1:] / 300, rel=1e-6)
    if n_categories == 30:
        assert len(found) == 299 + 29


def test_many_categories_of_many_classes():
    rng = np.random.RandomState(2)
    codes = rng.randint(0, 15, 400)
    frame = pd.DataFrame({"c": codes.astype(str)})
    y = (codes % 3 + (rng.rand(400) < 0.2)) % 3
    found = candidate_splits(frame, y, criterion="gini", groups="sets")
    assert 14 < len(found) <= 3 * 14
    tree = DecisionTreeClassifier(max_depth=1).fit(frame, y).tree_
    assert found["gain"].max() == pytest.approx(tree.impurity[0] - tree.weight[1:] @ tree.impurity[1:] / 400, abs=1e-9)


def test_columns_without_a_question_and_without_names():
    found = candidate_splits([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan]], [0, 1, 0], criterion="gain_ratio")
    assert len(found) == 0
    assert list(found) == ["feature", "threshold", "categories", "impurity", "gain", "gain_ratio"]
    assert len(candidate_splits([[1.0], [1.0]], [0.0, 1.0], criterion="squared_error")) == 0
    assert candidate_splits([[1.0, 3.0], [1.0, 4.0]], [0, 1])["feature"].tolist() == [1]


def test_without_pandas(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "pandas":
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    found = candidate_splits(np.array([[1.0], [2.0]]), [0, 1])
    assert isinstance(found, dict)
    assert found["gain"].tolist() == [1.0]


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"criterion": "information"},
            "criterion must be one of 'gini', 'entropy', 'error', 'gain_ratio', 'squared_error'",
        ),
        ({"groups": "all"}, "groups must be 'branches' or 'sets', got 'all'"),
        (
            {"y": [1.0, np.inf], "criterion": "squared_error"},
            "y must hold finite numbers with criterion='squared_error'",
        ),
        ({"y": [1.0, np.nan]}, "y must hold one label per row, without missing values"),
        ({"y": [1]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, -1]}, "sample_weight must not be negative"),
    ],
)
def test_errors(given, message):
    with pytest.raises(ValueError, match=message):
        candidate_splits(**{"X": [[1.0], [2.0]], "y": [0, 1], **given})


def test_examples():
    result = doctest.testmod(candidates)
    assert result.attempted > 3
    assert not result.failed
