"""Trees that were grown, read out: the lectures' tables, penguins, iris; and every example in the documentation."""

import doctest
import importlib
import pickle
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris

mpl.use("Agg")

import matplotlib.pyplot as plt

import spinney
from spinney import (
    BaggingClassifier,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    ID3Classifier,
    RandomForestClassifier,
    export_graphviz,
    export_rules,
    export_text,
    plot_regions,
    plot_tree,
)
from spinney.datasets import load_penguins, load_restaurant, load_tennis

MODULES = [
    *("criteria", "clusters", "figures", "frame", "graphviz", "importances", "judging", "numbers", "plot"),
    *("predictions", "rounds", "rules", "summary", "text"),
]


def holds(condition, X):
    """Which rows of a table of pandas pass a condition of a rule."""
    values = X.iloc[:, condition.feature]
    if condition.categories is not None:
        known = values.isin(condition.categories)
    else:
        known = (values > condition.low) & (values <= condition.high)
    return (known | (values.isna() & condition.missing)).to_numpy()


def covered(rules, X):
    """(row, rule): which rows pass all conditions of which rule."""
    everything = np.ones(len(X), dtype=bool)
    return np.column_stack([np.all([everything, *(holds(c, X) for c in rule.conditions)], axis=0) for rule in rules])


def test_the_lectures_tennis_tree():
    X, y = load_tennis()
    assert str(export_rules(ID3Classifier().fit(X, y))).splitlines() == [
        "if Outlook = Sunny and Humidity = High then No (3 samples, 100 %)",
        "if Outlook = Sunny and Humidity = Normal then Yes (2 samples, 100 %)",
        "if Outlook = Overcast then Yes (4 samples, 100 %)",
        "if Outlook = Rainy and Windy = false then Yes (3 samples, 100 %)",
        "if Outlook = Rainy and Windy = true then No (2 samples, 100 %)",
    ]


def test_the_lectures_restaurant_tree():
    X, y = load_restaurant()
    model = ID3Classifier().fit(X, y)
    boxes = plot_tree(model)
    assert boxes[0].get_text() == "Patrons\nentropy = 1.0\nsamples = 12\nvalue = [6, 6]\nclass = False"
    french = next(
        box.get_text() for box in boxes if "(empty)" in box.get_text()
    )  # nobody was hungry at a full French one
    assert french == "entropy = 1.0\nsamples = 0 (empty)\nvalue = [0, 0]\nclass = False"
    assert "|--- weights: [0.00, 0.00] class: False (empty)\n" in export_text(model, show_weights=True)
    assert "Type = French then False (0 samples, empty)" in str(export_rules(model))
    assert "samples = 0 (empty)" in export_graphviz(model)
    assert "samples = 0.0% (empty)\\nvalue = [0.0, 0.0]" in export_graphviz(model, proportion=True)
    assert export_text(model).splitlines()[0] == "|--- Patrons = None"


def test_text_is_scikit_learns_where_it_can_read_the_tree():
    X, y = load_iris(return_X_y=True)
    for ours, theirs in [
        (DecisionTreeClassifier(random_state=0), sklearn.tree.DecisionTreeClassifier(random_state=0)),
        (DecisionTreeRegressor(max_depth=3), sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0)),
    ]:
        # one column, so that no two splits are equally good
        ours.fit(X[:, 2:3], y), theirs.fit(X[:, 2:3], y)
        for style in ({}, {"show_weights": True}, {"max_depth": 1, "decimals": 3}, {"spacing": 5}):
            assert export_text(ours, **style) == sklearn.tree.export_text(theirs, **style)


def test_dot_is_scikit_learns_but_for_yes_and_no():
    X, y = load_iris(return_X_y=True)
    ours = DecisionTreeClassifier().fit(X[:, 2:3], y)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0).fit(X[:, 2:3], y)
    for style in ({}, {"proportion": True}, {"label": "root", "node_ids": True, "rounded": True}, {"impurity": False}):
        expected = sklearn.tree.export_graphviz(theirs, **style).replace('"True"', '"yes"').replace('"False"', '"no"')
        assert export_graphviz(ours, class_names=False, **style) == expected


@pytest.mark.parametrize("max_depth", [2, None])
def test_each_row_has_one_rule_and_it_predicts_what_the_model_does(max_depth):
    X, y = load_penguins()
    model = DecisionTreeClassifier(max_depth=max_depth).fit(X, y)
    rules = export_rules(model)
    passed = covered(rules, X)
    assert (passed.sum(axis=1) == 1).all()
    chosen = [rules[index] for index in passed.argmax(axis=1)]
    assert [rule.leaf for rule in chosen] == model.apply(X).tolist()
    assert [rule.prediction for rule in chosen] == model.predict(X).tolist()
    assert [rule.n_samples for rule in rules] == passed.sum(axis=0).tolist()
    assert [rule.confidence for rule in chosen] == pytest.approx(model.predict_proba(X).max(axis=1))


def test_rules_of_c45_hold_for_rows_without_missing_values():
    X, y = load_penguins()
    known = X.notna().all(axis=1)
    model = C45Classifier().fit(X, y)
    rules = export_rules(model)
    passed = covered(rules, X[known])
    assert (passed.sum(axis=1) == 1).all()
    assert [rules[index].prediction for index in passed.argmax(axis=1)] == model.predict(X[known]).tolist()


def test_pictures_of_penguins():
    X, y = load_penguins()
    for model in (DecisionTreeClassifier().fit(X, y), C45Classifier().fit(X, y)):
        boxes = plot_tree(model, ax=plt.figure(figsize=(13.3, 7.5)).gca())
        boxes[0].figure.canvas.draw()
        assert len(boxes) == model.tree_.n_nodes
        assert boxes[0].get_text().split("\n")[-2:] == ["value = [152, 68, 124]", "class = Adelie"]


def test_pictures_of_numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    boxes = plot_tree(model)
    assert boxes[0].get_text().endswith(f"samples = 442\nvalue = {y.mean():.3f}")


def test_regions_of_a_tree_are_its_rules():
    X, y = load_iris(return_X_y=True, as_frame=True)
    petals = X.iloc[:, 2:]
    model = DecisionTreeClassifier(max_depth=2).fit(petals, y)
    picture = plot_regions(model, petals, y, resolution=50).images[0]
    left, right, low, high = picture.get_extent()
    grid = pd.DataFrame([(a, b) for b in np.linspace(low, high, 50) for a in np.linspace(left, right, 50)])
    rules = export_rules(model)
    expected = [rules[index].prediction for index in covered(rules, grid).argmax(axis=1)]
    assert len(set(expected)) == 3
    assert picture.get_array().ravel().tolist() == expected


def test_a_pruned_model_can_be_read():
    X, y = load_penguins()
    model = DecisionTreeClassifier(ccp_alpha=0.05).fit(X, y)
    assert len(export_rules(model)) == model.get_n_leaves() < DecisionTreeClassifier().fit(X, y).get_n_leaves()


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"spinney.view.{name}"))
    assert result.attempted
    assert not result.failed


def test_examples_in_the_guide():
    guide = Path(spinney.__file__).parent.parent / "docs" / "reading.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 10
    assert not result.failed


def windy(kind=bool):
    """Exclusive or of two Booleans, as a frame."""
    frame = pd.DataFrame({"Windy": [0, 0, 1, 1] * 10, "Wet": [0, 1, 0, 1] * 10}).astype(kind)
    return frame, np.array(["no", "yes", "yes", "no"] * 10)


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ID3Classifier, C45Classifier])
@pytest.mark.parametrize(
    "to", [lambda X: X, pl.from_pandas, lambda X: X.astype("boolean")], ids=["pandas", "polars", "NA"]
)
def test_booleans_are_true_or_false(make, to):
    """Whether they are numbers to a tree (CART) or categories (ID3, C4.5)."""
    X, y = windy()
    model = make().fit(to(X), y)
    text = export_text(model)
    assert text.startswith("|--- Windy = false\n|   |--- Wet = false\n|   |   |--- class: no\n|   |--- Wet = true\n")
    assert "0.50" not in text
    assert str(export_rules(model)).startswith("if Windy = false and Wet = false then no (10 samples, 100 %)\n")
    dot = export_graphviz(model)
    assert ("Windy = false" in dot) == (make is DecisionTreeClassifier)
    assert "<= 0.5" not in dot
    drawn = plot_tree(model)[0]
    assert drawn.get_text().startswith("Windy = false\n" if make is DecisionTreeClassifier else "Windy\n")
    assert model.predict(X.astype(int)).tolist() == y.tolist()


def test_booleans_of_arrays_forests_boosting_and_bagging():
    X, y = windy()
    assert "feature_0 = false" in export_text(DecisionTreeClassifier().fit(X.to_numpy(), y))
    small = {"min_samples_leaf": 1, "n_estimators": 2, "random_state": 0}
    boosted = GradientBoostingClassifier(**small).fit(X.assign(Size=np.arange(40) / 7), X["Windy"])
    lines = [line for k in range(2) for line in export_text(boosted, tree=k).splitlines() if "W" in line]
    assert lines
    assert all(line.endswith((" = true", " = false")) for line in lines)
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    bag = BaggingClassifier(DecisionTreeClassifier(), n_estimators=2, random_state=0).fit(X, y)
    for model in (forest, bag, bag.estimators_[0]):
        text = export_text(model, tree=None if hasattr(model, "tree_") else 0)
        assert " = true" in text
        assert "<=" not in text
    again = pickle.loads(pickle.dumps(forest))
    assert " = true" in export_text(again, tree=0)


def test_numbers_0_and_1_stay_numbers():
    X, y = windy(int)
    assert "Windy <= 0.50" in export_text(DecisionTreeClassifier().fit(X, y))
    missing = pd.DataFrame({"Wet": pd.array([True, None] * 10, dtype="boolean")})
    model = DecisionTreeClassifier().fit(missing, [0, 1] * 10)
    assert "Wet is missing" in export_text(model)
