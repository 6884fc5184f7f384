"""ID3: equal to plain recursion, node for node; and its rules one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import ID3Classifier
from spinney._team import Team
from spinney.criteria.information import ROW
from spinney.data.weights import read_weights
from spinney.grow.multiway.columns import read_columns, read_units
from spinney.grow.multiway.id3 import decreases, grow_id3
from spinney.grow.multiway.limits import BranchSettings
from spinney.tree.decision import STOPS
from tests.compiled import few
from tests.grow.multiway import naive
from tests.grow.multiway.cases import LIMITS, as_table, tables

pytestmark = pytest.mark.kernels

SETTINGS = st.builds(
    BranchSettings,
    max_depth=st.sampled_from((1 << 30, 1, 2)),
    min_gain=st.sampled_from((0.0, 0.05, 0.5)),
    min_samples_leaf=st.sampled_from((0.0, 0.0, 1.0, 4.0)),
    **LIMITS,
)


def slow_id3(X, kinds, classes, weights, settings):
    units, kept = read_units(weights, len(X))
    kept = np.arange(len(X)) if kept is None else kept
    table = naive.make_table(X[kept], kinds, classes[kept].tolist())
    least = max(1, round(settings.min_samples_leaf * ROW))
    rules = naive.Rules(False, least, settings.min_split * ROW, 1, spreads=False, max_depth=settings.max_depth)
    rules.min_gain, rules.total = settings.min_gain, units.sum()
    rules.min_decrease, rules.significance = settings.min_decrease, settings.significance
    root = naive.grow(table, rules, list(enumerate(units.tolist())), 0)
    if settings.max_leaves is not None:
        naive.best_first(table, root, settings.max_leaves)
    return naive.as_tuples(table, root, int(classes.max()) + 1)


@few(300, plain=30)
@given(tables(numbers=False), SETTINGS)
def test_the_tree_of_plain_recursion(drawn, settings):
    X, kinds, classes, sample_weight = drawn
    weights = read_weights(sample_weight, len(X))
    table, schema = as_table(X, kinds)
    with Team(1, inline=True) as team:
        codes, n_classes = classes.astype(np.int32), int(classes.max()) + 1
        tree = grow_id3(read_columns(table, schema, None), codes, n_classes, weights, settings, team)
    assert naive.tree_as_tuples(tree) == slow_id3(X, kinds, classes, weights, settings)
    asked = [set() for _ in range(tree.n_nodes)]
    for node in range(1, tree.n_nodes):
        parent = tree.parent[node]
        assert tree.feature[parent] not in asked[parent], "a column is asked about once on a path"
        asked[node] = asked[parent] | {tree.feature[parent]}


def test_exclusive_or_is_learnt_exactly():
    X, y = [["f", "f"], ["f", "t"], ["t", "f"], ["t", "t"]], [0, 1, 1, 0]
    model = ID3Classifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.get_n_leaves() == 4
    assert ID3Classifier(min_gain=0.01).fit(X, y).get_n_leaves() == 1


def test_rows_that_are_alike_are_answered_by_their_majority():
    X, y = [["a", "x"]] * 5, ["yes", "no", "yes", "no", "yes"]
    model = ID3Classifier().fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.predict([["a", "x"]]).tolist() == ["yes"]
    np.testing.assert_allclose(model.predict_proba([["a", "x"]]), [[0.4, 0.6]])


def test_of_equal_classes_the_first_wins():
    assert ID3Classifier().fit([["a"], ["a"]], ["no", "yes"]).predict([["a"]]).tolist() == ["no"]


def test_an_empty_branch_has_the_majority_of_its_parent():
    X = pd.DataFrame({"a": list("xxxyyy"), "b": list("ppqrrr")})
    model = ID3Classifier().fit(X, [0, 0, 1, 2, 2, 2])
    tree = model.tree_
    assert tree.feature[0] == 1  # it gains as much as a, and more
    model = ID3Classifier().fit(pd.DataFrame({"a": list("xxxyyyy"), "b": list("ppqrrrq")}), [0, 0, 1, 2, 2, 2, 2])
    assert model.predict(pd.DataFrame({"a": ["x"], "b": ["r"]})).tolist() == [0 if model.tree_.feature[0] == 0 else 2]


def test_missing_and_unknown_values_are_answered_by_the_node_that_asks():
    X = pd.DataFrame({"a": list("xxxyy")})
    model = ID3Classifier().fit(X, [0, 0, 0, 1, 1])
    new = pd.DataFrame({"a": [None, "never seen", "x", "y"]})
    assert model.predict(new).tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(model.predict_proba(new)[:2], [[0.6, 0.4]] * 2)
    assert model.apply(new).tolist() == [0, 0, 1, 2]
    assert (model.tree_.missing == STOPS).all()


def test_rows_with_a_missing_value_go_no_further():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", None, None]})
    tree = ID3Classifier().fit(X, [0, 0, 1, 1, 0, 1]).tree_
    assert tree.weight.tolist() == [6.0, 2.0, 2.0]
    assert tree.answers[:, 0].tolist() == [[3, 3], [2, 0], [0, 2]]


def test_limits():
    X, y = [["f", "f"], ["f", "t"], ["t", "f"], ["t", "t"]], [0, 1, 1, 0]
    assert ID3Classifier(max_depth=1).fit(X, y).get_depth() == 1
    assert ID3Classifier(min_samples_split=5).fit(X, y).get_n_leaves() == 1
    assert ID3Classifier(min_samples_split=3).fit(X, y).get_depth() == 1
    assert ID3Classifier(min_samples_split=3).fit(X, y, [2, 2, 2, 2]).get_depth() == 2


def test_of_equal_columns_the_first_is_asked_about():
    X = [["a", "a"], ["b", "b"]]
    assert ID3Classifier().fit(X, [0, 1]).tree_.feature[0] == 0


def test_importance_counts_only_the_rows_that_are_answered():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", *[None] * 12], "b": list("pq" * 8)})
    y = np.array([0, 0, 1, 1, *[0, 1] * 6])
    model = ID3Classifier(min_samples_split=16).fit(X, y)
    assert X.columns[model.tree_.feature[0]] == "b"  # 14 of 16 rows right, where a answers four
    model = ID3Classifier(min_samples_split=5).fit(X[["a"]], y)
    np.testing.assert_allclose(decreases(model.tree_), [0.25, 0.0, 0.0])
    assert model.feature_importances_.tolist() == [1.0]
