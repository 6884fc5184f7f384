"""Successive halving: fewer candidates and more resources from round to round."""

import numpy as np
import pytest

from spinney import DecisionTreeClassifier, DecisionTreeRegressor, GradientBoostingClassifier
from spinney.evaluate import search

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(600, 4)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.randn(600) / 2 > 0).astype(int)
TREE = DecisionTreeClassifier()
GRID = {"max_depth": [1, 2, 4, 8, None], "min_samples_leaf": [1, 10]}


def rounds(found):
    """(round, resources, candidates)."""
    results = found.cv_results_
    kinds, counts = np.unique(np.column_stack([results["iter"], results["n_resources"]]), axis=0, return_counts=True)
    return [(*kind, n) for kind, n in zip(kinds.tolist(), counts.tolist())]


def test_rows_grow_and_candidates_shrink():
    found = search(TREE, GRID, X, Y, how="halving", random_state=0)
    assert rounds(found) == [(0, 53, 10), (1, 159, 4), (2, 477, 2)]
    in_last = found.cv_results_["iter"] == 2
    assert found.best_score_ == found.cv_results_["mean_test_score"][in_last].max()
    assert in_last[found.best_index_]
    assert found.best_estimator_.fingerprint_ == DecisionTreeClassifier(**found.best_params_).fit(X, Y).fingerprint_
    table = found.table()
    assert table["iter"][:2] == [2, 2]
    assert table["n_resources"][-1] == 53


def test_the_better_go_on():
    found = search(TREE, GRID, X, Y, how="halving", random_state=0)
    results = found.cv_results_
    first = results["iter"] == 0
    params, means = np.array(results["params"])[first], results["mean_test_score"][first]
    best = params[np.argsort(-means, kind="stable")[:4]].tolist()
    assert np.array(results["params"])[results["iter"] == 1].tolist() == best


@pytest.mark.parametrize(
    "rest, expected",
    [
        ({"factor": 2}, [(0, 60, 10), (1, 120, 5), (2, 240, 3), (3, 480, 2)]),
        ({"min_resources": 100}, [(0, 100, 10), (1, 300, 4)]),
        ({"max_resources": 90}, [(0, 20, 10), (1, 60, 4)]),
        ({"n_candidates": 3}, [(0, 160, 3), (1, 480, 1)]),
    ],
)
def test_choices(rest, expected):
    assert rounds(search(TREE, GRID, X, Y, how="halving", random_state=0, **rest)) == expected


def test_a_parameter_as_resource():
    model = GradientBoostingClassifier(random_state=0)
    space = {"max_depth": [1, 2, 3]}
    found = search(model, space, X, Y, how="halving", resource="n_estimators", max_resources=12, scoring="roc_auc")
    assert rounds(found) == [(0, 4, 3), (1, 12, 1)]
    assert found.best_params_["n_estimators"] == 12
    assert found.best_estimator_.n_iter_ == 12


def test_the_rows_of_a_round_have_all_classes_and_are_among_the_next():
    y = np.repeat([0, 1, 2], [540, 40, 20])
    seen = []

    class Notes(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((X.rows, np.bincount(y, minlength=3)))
            return super().fit(X, y)

    search(Notes(), {"max_depth": [1, 2, 3]}, X, y, how="halving", min_resources=60, cv=2, random_state=0, refit=False)
    few, more = seen[0], seen[-2]
    assert few[1].tolist() == [54, 4, 2]
    assert set(few[0]) < set(more[0])


def test_the_same_seed_gives_the_same_search():
    for y, model in ((Y, TREE), (X[:, 0], DecisionTreeRegressor())):
        one, two, other = (search(model, GRID, X, y, how="halving", random_state=seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
        assert one.cv_results_["mean_test_score"].tolist() != other.cv_results_["mean_test_score"].tolist()


@pytest.mark.parametrize(
    "rest, message",
    [
        ({"factor": 1}, "factor must be greater than 1, got 1"),
        (
            {"resource": "n_trees"},
            "resource must be 'n_samples' or a parameter of DecisionTreeClassifier, got 'n_trees'",
        ),
        ({"resource": "max_depth"}, "max_resources must be given for resource='max_depth'"),
        ({"min_resources": 5000}, "min_resources must be from 1 to max_resources, 480, got 5000"),
    ],
)
def test_errors(rest, message):
    with pytest.raises(ValueError, match=message):
        search(TREE, GRID, X, Y, how="halving", **rest)
