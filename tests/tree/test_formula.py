"""A model as a value: what its formula says, added up by hand, is what it predicts."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import spinney
from spinney.tree.formula import Formula, Mixture, complete_formula, formula_of, trees_formula
from spinney.tree.questions import spreads
from tests.io.exported import FITS, MIXTURES, NEW, X, Y, fitted, many, rows_for

ADDED_UP = [name for name in FITS if name not in ("c45", "c45-groups", "c50", "c50-two", "c50-alone", "adaboost-c45")]


def nodes_of(model, formula, rows):
    """(rows, trees): where every row ends, numbered through all trees."""
    if hasattr(model, "apply"):
        leaves = model.apply(rows).reshape(len(rows), -1)
    else:
        leaves = np.column_stack([one.apply(rows) for one in model.estimators_])
    return leaves + formula.forest.first[:-1]


def raw_scores(model, formula, rows):
    """(rows, scores): tree after tree, as the head of tree/formula.py says."""
    raw, (table,) = np.tile(formula.start, (len(rows), 1)), formula.tables(rows)
    for t, nodes in enumerate(nodes_of(model, formula, rows).T):
        adds = formula.at(nodes)
        for i, node in enumerate(nodes if formula.forest.is_linear else []):
            adds[i, t % formula.n_scores] += sum(said(table, i, *term) for term in formula.forest.terms.of(node))
        raw += adds
    return raw


def said(table, row, column, line):
    """What a term of a linear leaf adds."""
    slope, centre, low, high = line
    x = np.float64(table.column(column)[row])
    return slope * (min(max(x, low), high) - centre) if np.isfinite(x) else 0.0


@pytest.mark.parametrize("name", [name for name in ADDED_UP if name != "median"])
def test_formulas_add_up_to_predictions(name):
    model, rows = fitted(name), rows_for(name)
    formula = model.formula()
    raw, row = raw_scores(model, formula, rows), formula.response
    if formula.link == "margin":
        scores = raw[:, 1:] if formula.discrete else (raw[:, 1:] - raw[:, :1]) / formula.divisor
    else:
        scores = raw / formula.divisor if row.divides else raw
    found = row.respond(scores.T, formula.scale).T
    if formula.link == "depth":
        np.testing.assert_array_equal(found[:, 0] - formula.offset, model.decision_function(rows))
    elif not formula.is_class:
        np.testing.assert_array_equal(found.reshape(model.predict(rows).shape), model.predict(rows))
    elif formula.link in ("logistic", "margin") and found.shape[1] == 1:
        np.testing.assert_array_equal(found[:, 0], model.predict_proba(rows)[:, 1])
    else:
        spans = formula.spans if formula.link == "shares" else [slice(0, len(formula.classes[0]))]
        for span, expected in zip(spans, many(model.predict_proba(rows)), strict=True):
            np.testing.assert_array_equal(found[:, span], expected)


@pytest.mark.parametrize("name", FITS)
def test_what_every_formula_says(name):
    model = fitted(name)
    formula = formula_of(model)
    assert isinstance(formula, Formula)
    assert formula.model == type(model).__name__
    assert formula.fingerprint == model.fingerprint_
    assert formula.values.shape[0] == formula.forest.n_nodes
    assert formula.values.shape[1] in (1, formula.n_scores)
    assert [one.tolist() for one in formula.classes] == [one.tolist() for one in many(getattr(model, "classes_", []))]
    table = next(iter(formula.tables(rows_for(name))))
    assert table.n_rows == len(NEW)
    draws = getattr(model, "bootstrap", False) and name not in ("bagging", "isolation")
    assert (formula.samples is not None) == draws


@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures(name):
    model = fitted(name)
    found = model.formula()
    if name == "bucket":
        assert isinstance(found, Formula)
        assert found.model == "BucketOfModelsClassifier"
        return
    assert isinstance(found, Mixture)
    assert len(found.members) == len(found.weights) == len(model.estimators_)
    assert found.by_votes == (name == "hard")
    with pytest.raises(TypeError, match=f"{found.model} is a mean of several models"):
        trees_formula(model)


def test_models_that_start_from_another_model():
    few = {"n_estimators": 3, "min_samples_leaf": 5}
    rows = X[["a", "b"]].fillna(0.0)
    model = spinney.GradientBoostingRegressor(init=LinearRegression(), **few).fit(rows, Y)
    formula = model.formula()
    assert formula.initial.name == "LinearRegression"
    raw = formula.initial.of(rows, len(rows))[0]
    for nodes in nodes_of(model, formula, rows).T:
        raw = raw + formula.at(nodes)[:, 0]
    np.testing.assert_array_equal(raw, model.predict(rows))
    with pytest.raises(ValueError, match=r"starts from an initial estimator \(init=LinearRegression\)"):
        complete_formula(model)


REFUSED = {
    "a class": (lambda: spinney.DecisionTreeClassifier, "must be a fitted model, got the class DecisionTreeClassifier"),
    "no model": (lambda: 3, "model must be a fitted model of trees, got int"),
    "k-means": (lambda: spinney.KMeans(2, n_init=1).fit([[0.0], [1.0]]), "KMeans cannot be read as trees"),
    "no trees": (
        lambda: spinney.BaggingRegressor(LinearRegression(), n_estimators=2).fit([[0.0], [1.0]], [0.0, 1.0]),
        "BaggingRegressor cannot be read as trees",
    ),
    "a pipeline": (
        lambda: make_pipeline(spinney.DecisionTreeRegressor()).fit([[0.0], [1.0]], [0.0, 1.0]),
        "a Pipeline cannot be read as trees",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_formula(name):
    make, words = REFUSED[name]
    with pytest.raises(TypeError, match=words):
        formula_of(make())


def test_formulas_of_models_of_many_branches():
    assert spreads(fitted("c45").formula().forest)
    confidence = fitted("c50").formula().confidence
    assert confidence.prior.shape == (len(fitted("c50").estimators_), 3)


def test_the_schema_is_public():
    model = fitted("forest")
    assert model.schema_.names.tolist() == list(X.columns)
    assert not hasattr(spinney.DecisionTreeClassifier(), "schema_")
