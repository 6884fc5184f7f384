"""Isolation trees in words: they answer depths, and measure no impurity."""

import numpy as np
import pytest

from spinney import IsolationForest, export_graphviz, export_rules, export_text, trees_to_frame

X = np.random.RandomState(0).randn(60, 3)


@pytest.fixture(scope="module")
def forest():
    return IsolationForest(n_estimators=2, max_samples=8, random_state=0).fit(X)


@pytest.mark.parametrize("member", [False, True])
def test_depths(member, forest):
    model, which = (forest.estimators_[1], {}) if member else (forest, {"tree": 1})
    text, dot = export_text(model, **which), export_graphviz(model, **which)
    assert "depth: [" in text
    assert "value" not in text
    assert "depth = " in dot
    assert "squared_error" not in dot
    assert "value" not in dot
    rules = export_rules(model, **which)
    assert all(np.isnan(rule.impurity) and "squared_error" not in rule.text for rule in rules)
    assert max(rule.prediction for rule in rules) > 2


def test_table_of_nodes(forest):
    table = trees_to_frame(forest)
    assert table["impurity"].isna().all()
    assert table["gain"].isna().all()
    assert (table["value"] >= table["depth"]).all()
