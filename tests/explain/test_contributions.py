"""Contributions along paths add up to raw scores."""

import numpy as np
import pytest

import spinney
from spinney.datasets import load_penguins
from spinney.explain.contributions import contributions_along_paths
from spinney.io.formula import read_formula


@pytest.mark.parametrize("name", ["forest", "boosting", "median"])
def test_they_add_up(name):
    X, y = load_penguins()
    row = X.iloc[3]  # it lacks most values
    if name == "median":
        numbers = X[["year"]].to_numpy(float)
        model = spinney.AdaBoostRegressor(n_estimators=2, random_state=0).fit(numbers, numbers[:, 0])
        assert contributions_along_paths(read_formula(model), model, numbers[0]) is None
        return
    if name == "forest":
        model = spinney.RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0).fit(X, y)
        says = model.predict_proba(X.iloc[[3]])[0]
    else:
        model = spinney.GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(X, y)
        says = model.decision_function(X.iloc[[3]])[0]
    found = contributions_along_paths(read_formula(model), model, row)
    assert found.values.shape == (7, 3)
    assert np.allclose(found.base + found.values.sum(axis=0), says)
