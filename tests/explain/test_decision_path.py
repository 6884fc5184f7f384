"""A row's way in words, and the rules of small ensembles."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import spinney
from spinney.datasets import load_penguins
from spinney.explain import ensemble_rules, path
from tests.families import FITS, categories, numbers, table

WHOLE = ("adaboost", "bagging", "random-structure")


def answers(model, X):
    """(rows, scores): what contributions add up to."""
    if hasattr(model, "_booster"):
        return model._raw(X).T
    if hasattr(model, "estimator_weights_"):
        return model.decision_function(X)
    found = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return found if found.ndim > 1 else found[:, None]


@pytest.mark.parametrize(
    "name",
    [
        *("boosting", "boosting-classes", "boosting-exact", "tree", "tree-numbers", "random-forest", "extra-trees"),
        *("adaboost", "bagging", "random-structure", "id3", "c45", "pruned"),
    ],
)
def test_contributions_add_up_to_the_answer(name):
    model = FITS[name]()
    X = categories() if name == "id3" else numbers() if name in WHOLE else table()
    expected = answers(model, X[:6])
    for row, answer in zip(X[:6], expected):
        found = path(model, row)
        np.testing.assert_allclose(found.value, answer, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.start + found.contributions.sum(axis=0), answer, rtol=0, atol=1e-9)
        assert sum(tree.end - tree.start for tree in found.trees) == pytest.approx(
            found.contributions.sum(axis=0), abs=1e-9
        )
        assert found.prediction == model.predict_row(row.tolist())
        assert str(found).startswith(f"{type(model).__name__} predicts ")


def test_the_story_of_a_penguin():
    X, y = load_penguins()
    model = spinney.DecisionTreeClassifier(max_depth=3).fit(X, y)
    for row in (X.iloc[200], X.iloc[[200]], X.iloc[200].to_dict()):
        assert str(path(model, row)).splitlines() == [
            "DecisionTreeClassifier predicts Gentoo: probability of class Gentoo 1",
            "start 0.3605",
            "+0.5853 -> 0.9457  flipper_length_mm > 206.50 (value 213)",
            "+0.05426 -> 1  island = Biscoe (value Biscoe)",
        ]
    other = path(model, X.iloc[200], target="Adelie")
    assert other.says == "probability of class Adelie"
    missing = X.iloc[200].to_dict() | {"flipper_length_mm": None}
    assert "flipper_length_mm is missing (value missing)" in str(path(model, missing))
    boosted = spinney.GradientBoostingClassifier(n_estimators=12, random_state=0).fit(X, y)
    told = path(boosted, X.iloc[200], most_trees=2)
    assert len(told.trees) == 2
    assert "start: sum over the roots of all trees" in str(told)
    assert f"flipper_length_mm = {213}" in str(told)
    c45 = spinney.C45Classifier().fit(X, y)
    assert "flipper_length_mm is missing: parts of the row go down every branch" in str(path(c45, missing))
    two = spinney.GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, y == "Gentoo")
    assert path(two, X.iloc[0]).says == "raw score of class True"


def test_more_columns_than_are_told():
    X = np.random.RandomState(0).randn(300, 12)
    model = spinney.RandomForestRegressor(5, random_state=0).fit(X, X.sum(axis=1))
    assert "other column" in str(path(model, X[0]))


def test_rules_of_an_ensemble_are_the_ensemble():
    X, y = load_penguins()
    for model in (
        spinney.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X, y),
        spinney.RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y),
        spinney.DecisionTreeClassifier(max_depth=2).fit(X, y),
    ):
        rules = ensemble_rules(model)
        known = X.dropna()[:20]
        expected = model.decision_function(known) if hasattr(model, "_booster") else model.predict_proba(known)
        found = np.zeros_like(expected)
        found += model._booster.start if hasattr(model, "_booster") else 0.0
        for i, row in enumerate(known.itertuples(index=False)):
            found[i] += sum(rule.adds for rule in rules if all(holds(one, row) for one in rule.conditions))
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert len(ensemble_rules(model, most=2)) == 2
        assert len({rule.conditions for rule in rules}) == len(rules)
        assert str(rules).count("\n") == len(rules) - 1


def holds(condition, row):
    value = row[condition.feature]
    if condition.categories is not None:
        return value in condition.categories
    return condition.low < value <= condition.high


@pytest.fixture(scope="module")
def forest():
    X = numbers()
    return spinney.RandomForestRegressor(2, random_state=0).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda forest, X: path(LinearRegression().fit(X, X[:, 0]), X[0]),
            "path needs a fitted model of Spinney's trees",
        ),
        (
            lambda forest, X: path(FITS["adaboost-numbers"](), X[0]),
            "the weighted median of its trees, which is not a sum",
        ),
        (
            lambda forest, X: path(FITS["c50"](), X[0]),
            "votes of trees that send rows down several branches, which is not a sum",
        ),
        (lambda forest, X: path(forest, X[:2]), "row must be one row, got a table of 2"),
        (lambda forest, X: path(forest, X[0], target=1), "target must be a number from 0 to 0, got 1"),
        (
            lambda forest, X: path(FITS["random-forest"](), X[0], target=9),
            r"target must be one of \['0', '1', '2'\], got 9",
        ),
        (lambda forest, X: path(forest, X[0], most_trees=-1), "most_trees must be an integer of at least 0, got -1"),
        (
            lambda forest, X: ensemble_rules(LinearRegression().fit(X, X[:, 0])),
            "ensemble_rules needs a model that is a sum of",
        ),
    ],
)
def test_what_is_wrong_is_said(forest, call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(forest, numbers())


def test_a_table_of_one_row_in_any_order():
    pl = pytest.importorskip("polars")
    X, y = load_penguins()
    tree = spinney.DecisionTreeClassifier(max_depth=3).fit(X, y)
    frame = pl.from_pandas(X)[200:201]
    assert str(path(tree, frame)) == str(path(tree, X.iloc[[200]])) == str(path(tree, frame.to_arrow()))
    with pytest.raises(ValueError, match="names should match those that were passed during fit"):
        path(tree, frame[:, ::-1])
    with pytest.raises(TypeError, match=r"a sequence of 7 values, got a table \(DataFrame\)"):
        tree.predict_row(frame)


def test_too_many_rules(monkeypatch):
    from spinney.explain import rule_set

    monkeypatch.setattr(rule_set, "_MOST_LEAVES", 10)
    with pytest.raises(ValueError, match="leaves, too many rules to read"):
        ensemble_rules(FITS["random-forest"]())
