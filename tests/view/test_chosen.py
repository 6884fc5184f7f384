"""One tree of any model: the right one is read, and errors say which there are."""

import numpy as np
import pytest

import spinney
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomStructureForestClassifier,
    export_graphviz,
    export_rules,
    export_text,
)
from spinney.datasets import load_penguins
from spinney.tree.models import trees_of
from spinney.view.phrases import choose_tree

X, Y = load_penguins()
MASS = X["body_mass_g"].fillna(4000.0)
FEW = dict(n_estimators=3, random_state=0)
MEMBERS = [
    RandomForestClassifier(max_depth=3, **FEW),
    BaggingClassifier(max_features=0.5, **FEW),
    AdaBoostClassifier(**FEW),
    RandomStructureForestClassifier(n_estimators=3, max_depth=3),
]


@pytest.mark.parametrize("model", MEMBERS, ids=lambda model: type(model).__name__)
def test_members(model):
    model.fit(X, Y)
    assert len(trees_of(model)) == 3
    for k in (0, 2):
        text = export_text(model, tree=k, max_depth=None)
        own = export_text(model.estimators_[k], max_depth=None)
        assert text == own
        assert "class: " in text
    assert export_text(model, tree=-1) == export_text(model, tree=2)
    assert [str(rule.prediction) for rule in export_rules(model, tree=1)]
    assert "digraph" in export_graphviz(model, tree=np.int64(1))


@pytest.mark.parametrize("kind", [ExtraTreesRegressor, BaggingRegressor, AdaBoostRegressor])
def test_regression(kind):
    model = kind(**FEW).fit(X.drop(columns="body_mass_g"), MASS)
    assert "value: [" in export_text(model, tree=1, max_depth=None)
    assert "squared_error" in export_graphviz(model, tree=1, max_depth=1)


def test_boosting():
    model = GradientBoostingRegressor(max_leaf_nodes=3, n_estimators=4, random_state=0).fit(
        X[["flipper_length_mm", "sex"]], MASS
    )
    tree = model._booster.forest.tree(1)
    text = export_text(model, tree=1, decimals=3)
    assert text.count("value: [") == 3
    assert f"value: [{tree.answers[tree.is_leaf][0, 0, 0]:.3f}]" in text
    assert "flipper_length_mm <= " in text
    assert "sex = " in "".join(export_text(model, tree=k) for k in range(4))
    dot = export_graphviz(model, tree=1, precision=1, node_ids=True)
    assert dot.count("gain = ") == 2
    assert "nan" not in dot
    rules = export_rules(model, tree=1)
    assert sum(rule.n_samples for rule in rules) == len(X)
    assert [rule.prediction for rule in rules] == tree.answers[tree.is_leaf, 0, 0].tolist()
    assert str(rules[0]).endswith("samples)")
    leaves = model.apply(X[["flipper_length_mm", "sex"]])[:, 1]
    assert {rule.leaf: rule.n_samples for rule in rules} == {k: (leaves == k).sum() for k in np.unique(leaves)}


def test_a_tree_of_a_round_and_class():
    model = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, Y)
    assert trees_of(model).shape == (4, 3)
    for tree, number in (((0, 0), 0), ((2, 1), 7), ([3, -1], 11), ((-1, 0), 9)):
        assert choose_tree(model, tree).tree_.fingerprint == model._booster.forest.tree(number).fingerprint
    assert export_text(model, tree=(1, 2)) != export_text(model, tree=(1, 1))


def test_drawings():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    model = GradientBoostingRegressor(max_leaf_nodes=4, n_estimators=2).fit(X[["flipper_length_mm", "sex"]], MASS)
    boxes = spinney.plot_tree(model, tree=1)
    assert len(boxes) == 7
    assert sum("gain = " in box.get_text() for box in boxes) == 3
    plt.close("all")


def test_errors_say_what_there_is():
    forest = RandomForestClassifier(**FEW).fit(X, Y)
    with pytest.raises(TypeError, match=r"has several trees\. Set tree to a number from 0 to 2"):
        export_text(forest)
    for wrong in (3, -4, "a", 1.0, (1, 1)):
        with pytest.raises(ValueError, match="tree must be a number from 0 to 2, got"):
            export_text(forest, tree=wrong)
    boosted = GradientBoostingClassifier(n_estimators=2).fit(X, Y)
    for wrong in (1, (2, 0), (0, 3), (0, "Gentoo"), (0, 0, 0)):
        with pytest.raises(ValueError, match=r"\(round, class number\) from \(0, 0\) to \(1, 2\), got"):
            export_text(boosted, tree=wrong)
    single = DecisionTreeClassifier(max_depth=1).fit(X, Y)
    assert export_text(single, tree=0) == export_text(single)
    with pytest.raises(
        ValueError, match="tree must be None or 0 for a DecisionTreeClassifier, which is one tree, got 1"
    ):
        export_text(single, tree=1)
    from sklearn.neighbors import KNeighborsClassifier

    neighbours = BaggingClassifier(KNeighborsClassifier(), n_estimators=2).fit(X[["year"]], Y)
    with pytest.raises(TypeError, match=r"fitted model of Spinney's trees .*, got BaggingClassifier"):
        export_text(neighbours, tree=0)
