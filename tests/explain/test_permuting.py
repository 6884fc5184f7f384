"""Importance by permutation: rows that are read once give what rows read again and again give."""

import numpy as np
import pytest

from spinney import DecisionTreeClassifier, GradientBoostingClassifier, RandomForestClassifier
from spinney.datasets import load_penguins
from spinney.explain import importances


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        RandomForestClassifier(n_estimators=5, random_state=0),
        DecisionTreeClassifier(max_depth=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_are_shuffled_as_the_model_has_read_them(model, scoring, monkeypatch):
    X, y = load_penguins()
    model.fit(X, y)
    groups = {"bill": ["bill_length_mm", "bill_depth_mm"], "island": ["island"], "mass": ["body_mass_g"]}
    how = {"scoring": scoring, "random_state": 0, "n_repeats": 3, "groups": groups}
    found = importances(model, X, y, "permutation", **how)
    monkeypatch.setattr(type(model), "takes_opened_tables", False)
    again = importances(model, X, y, "permutation", **how)
    assert np.array_equal(found["importances"], again["importances"])
    assert found["importances"].std() > 0


def test_an_initial_estimator_gets_rows_as_they_are():
    """It reads them itself, so that columns are shuffled there."""
    X, y = load_penguins()
    first = DecisionTreeClassifier(max_depth=2)
    model = GradientBoostingClassifier(n_estimators=2, init=first).fit(X, y)
    found = importances(model, X, y, "permutation", n_repeats=2)
    assert found.importances_mean.max() > 0.1
