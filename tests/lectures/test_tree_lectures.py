"""Worked numbers of the lectures on ID3 and C4.5 (decks 000 and 001)."""

import numpy as np
import pandas as pd
import pytest

from spinney import C45Classifier, ID3Classifier
from spinney.criteria.information import entropy, gain_ratio, information_gain
from spinney.datasets import load_restaurant, load_tennis


def counts(column, y):
    """Rows of each class in each branch."""
    return pd.crosstab(column, y).to_numpy()


def rules(model, X, node=0):
    """{branch: class, or {column: rules}}: the tree as nested dicts."""
    tree = model.tree_
    if tree.is_leaf[node]:
        return model.classes_.tolist()[tree.answers[node, 0].argmax()]
    column = X.columns[tree.feature[node]]
    branches = sorted(set(X[column]))
    return {column: {b: rules(model, X, c) for b, c in zip(branches, tree.children_of(node), strict=True)}}


def test_entropy_of_four_equally_likely_values_is_two_bits_and_of_one_value_none():
    assert entropy([1, 1, 1, 1]) == 2.0
    assert entropy([7]) == 0.0
    assert entropy([7, 0]) == 0.0


def test_restaurant_entropies_and_gains():
    X, y = load_restaurant()
    assert entropy(y.value_counts()) == 1.0
    assert information_gain(counts(X["Patrons"], y)) == pytest.approx(0.541, abs=5e-4)
    assert information_gain(counts(X["Type"], y)) == pytest.approx(0.0, abs=1e-12)
    full = y[X["Patrons"] == "Full"]
    assert entropy(full.value_counts()) == pytest.approx(0.918, abs=5e-4)


def test_restaurant_tree():
    """Patrons at the root, Hungry below Full: smaller than the tree that made the examples."""
    X, y = load_restaurant()
    model = ID3Classifier().fit(X, y)
    tree = model.tree_
    assert X.columns[tree.feature[0]] == "Patrons"
    assert tree.impurity[0] == 1.0
    learnt = rules(model, X)["Patrons"]
    assert learnt["None"] is False
    assert learnt["Some"] is True
    below = learnt["Full"]["Hungry"]
    assert below[False] is False
    assert below[True]["Type"]["Thai"] == {"Fri/Sat": {False: False, True: True}}
    assert (below[True]["Type"]["Burger"], below[True]["Type"]["Italian"]) == (True, False)
    full = tree.children_of(0)[sorted(set(X["Patrons"])).index("Full")]
    assert tree.impurity[full] == pytest.approx(0.918, abs=5e-4)
    assert model.score(X, y) == 1.0


def test_restaurant_root_is_the_column_of_most_gain():
    X, y = load_restaurant()
    gains = {name: information_gain(counts(X[name], y)) for name in X}
    assert max(gains, key=gains.get) == "Patrons"
    model = ID3Classifier(max_depth=1).fit(X, y)
    assert model.tree_.impurity_decreases()[0] == pytest.approx(gains["Patrons"])


def test_restaurant_minutes_need_c45():
    X, y = load_restaurant(minutes=True)
    with pytest.raises(ValueError, match="Column 'WaitMinutes' holds numbers such as 40, but ID3Classifier accepts"):
        ID3Classifier().fit(X, y)
    assert C45Classifier(min_samples_leaf=1, prune=False).fit(X, y).score(X, y) == 1.0


def test_tennis_tree():
    X, y = load_tennis()
    expected = {
        "Outlook": {
            "Overcast": "Yes",
            "Rainy": {"Windy": {False: "Yes", True: "No"}},
            "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
        }
    }
    assert rules(ID3Classifier().fit(X, y), X) == expected
    X["Windy"] = X["Windy"].astype(str)
    expected["Outlook"]["Rainy"]["Windy"] = {"False": "Yes", "True": "No"}
    assert rules(C45Classifier().fit(X, y), X) == expected


def test_tennis_gains():
    """Quinlan's figures of 1986: gains, and the gain ratio of Outlook (split information 1.578 bits)."""
    X, y = load_tennis()
    gains = {name: information_gain(counts(X[name], y)) for name in X}
    assert entropy(y.value_counts()) == pytest.approx(0.940, abs=5e-4)
    expected = {"Outlook": 0.246, "Temperature": 0.029, "Humidity": 0.151, "Windy": 0.048}
    assert gains == pytest.approx(expected, abs=1.1e-3)
    assert gain_ratio(counts(X["Outlook"], y)) == pytest.approx(0.156, abs=1e-3)


def test_exclusive_or_is_learnt_exactly():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = X[:, 0] ^ X[:, 1]
    assert ID3Classifier().fit(X, y).predict(X).tolist() == y.tolist()
