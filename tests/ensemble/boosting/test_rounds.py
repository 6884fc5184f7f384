"""Rounds whose trees, or whose folds, grow side by side."""

import numpy as np
import pytest

from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.ensemble.boosting import rounds as boosting_rounds

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(600, 5)
CLASSES = np.digitize(X[:, 0] + 0.3 * RANDOM.randn(600), [-1.0, 0.0, 0.5, 1.0])
NUMBERS = X[:, 0] * X[:, 1]


def fit(model, y, n_jobs):
    model.set_params(n_jobs=n_jobs, random_state=0).fit(np.tile(X, (6, 1)), np.tile(y, 6))
    return model.fingerprint_, model.evals_result_


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_estimators=3),
        GradientBoostingClassifier(n_estimators=3, subsample=0.5),
        GradientBoostingClassifier(n_estimators=2, max_bins=None),
        GradientBoostingClassifier(n_estimators=3, ccp_alpha=2.0),
    ],
)
def test_classes_side_by_side_are_those_one_after_another(model, monkeypatch):
    found = [fit(model, CLASSES, n_jobs) for n_jobs in (1, 2, 3)]
    monkeypatch.setattr(boosting_rounds, "_SIDE_BY_SIDE", 0)
    assert found == 3 * [fit(model, CLASSES, 2)]


def test_folds_of_a_search_side_by_side_are_those_one_after_another():
    model = GradientBoostingRegressor(max_leaf_nodes=4, learning_rate=0.5)
    assert fit(model, NUMBERS, 1) == fit(model, NUMBERS, 2)


def test_medians_are_renewed_by_one_thread():
    model = GradientBoostingRegressor(loss="absolute_error", n_estimators=3)
    assert fit(model, NUMBERS, 1) == fit(model, NUMBERS, 2)
