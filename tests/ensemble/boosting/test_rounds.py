"""Rounds whose trees, or whose folds, grow side by side."""

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("scale", [1.0, 1e6])  # 1e6: units of the fit are not those of the user
def test_bare_trees_score_other_rows_as_stored_ones_do(scale, monkeypatch):
    table = pd.DataFrame({"number": X[:, 0], "missing": X[:, 1], "kind": pd.Categorical(CLASSES.astype(str))})
    table.loc[::5, "missing"] = np.nan
    found = []
    for _ in range(2):
        model = GradientBoostingRegressor(n_estimators=20, min_samples_leaf=5, min_samples_category=1, random_state=0)
        model.fit(table[:400], scale * NUMBERS[:400], eval_set=(table[400:], scale * NUMBERS[400:]))
        assert model.forest_.is_set.any()
        assert (model.forest_.turn & 1).any()
        found.append((model.evals_result_, model.fingerprint_))
        monkeypatch.setattr(boosting_rounds.Rounds, "bare", boosting_rounds.Rounds.bind)
    assert found[0] == found[1]
