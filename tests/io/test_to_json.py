"""Models as JSON: the evaluator that the guide on exporting shows gives what the models predict."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import spinney
from spinney import to_json
from spinney.tree.decision import NUMBER
from tests.io.exported import FITS, MIXTURES, X, dicts, fitted, many, rows_for

GUIDE = Path(spinney.__file__).parents[1] / "docs" / "exporting.md"


@pytest.fixture(scope="module")
def evaluate():
    """The guide's evaluator, as it stands there."""
    (source,) = [
        one for one in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.S) if one.startswith("import")
    ]
    space = {}
    exec(source, space)
    return space["evaluate"]


@pytest.mark.parametrize("name", [*FITS, *MIXTURES])
def test_the_guides_evaluator_gives_what_models_predict(name, evaluate):
    model, rows = fitted(name), rows_for(name)
    stored = json.loads(to_json(model))
    said = [evaluate(stored, row) for row in dicts(rows)]
    if name == "isolation":
        np.testing.assert_allclose(np.ravel(said), model.decision_function(rows), rtol=0, atol=1e-12)
    elif stored["classes"] is None:
        np.testing.assert_allclose(np.ravel(said), model.predict(rows).ravel(), rtol=1e-12)
    elif not hasattr(model, "predict_proba"):
        labels = np.array(stored["classes"][0])[np.argmax(said, axis=1)]
        np.testing.assert_array_equal(labels, model.predict(rows))
    else:
        shares = many(model.predict_proba(rows))
        own = zip(*said) if len(shares) > 1 else [said]
        for one, theirs in zip(own, shares, strict=True):
            np.testing.assert_allclose(np.array(one), theirs, rtol=0, atol=1e-12)


def test_fields(tmp_path):
    model = fitted("tree")
    text = to_json(model, tmp_path / "tree.json")
    assert (tmp_path / "tree.json").read_text("utf-8") == text
    stored = json.loads(text)
    assert stored["format"] == 1
    assert stored["fingerprint"] == model.fingerprint_
    assert stored["classes"] == [["low", "mid", "top"]]
    assert [one["name"] for one in stored["columns"]] == list(X.columns)
    kinds = {one["name"]: one["kind"] for one in stored["columns"]}
    assert kinds == {
        "a": "number",
        "b": "number",
        "kind": "category",
        "flag": "boolean",
        "place": "category",
        "code": "category",
    }
    (tree,) = stored["trees"]
    thresholds = [one["up_to"] for one in tree["nodes"] if "up_to" in one]
    exact = model.tree_.threshold[model.tree_.kind == NUMBER]
    np.testing.assert_array_equal(np.array(thresholds, float), exact)
    assert len(tree["nodes"]) == model.tree_.n_nodes
    assert all(("class" in one) == ("column" not in one) for one in tree["nodes"])
    assert text.count("\n{") == len(tree["nodes"]) + 1  # one line for each


def test_columns_without_names_are_numbers():
    stored = json.loads(to_json(spinney.DecisionTreeRegressor(max_depth=1).fit([[0.0, 1.0], [0.0, 2.0]], [1.0, 2.0])))
    assert [one["name"] for one in stored["columns"]] == [0, 1]
    assert stored["trees"][0]["nodes"][0] == {"column": 1, "up_to": 1.5, "yes": 1, "no": 2, "missing": 2}


def test_infinities_are_strings():
    table = np.array([[np.nan], [np.nan], [1.0], [2.0]] * 3)
    model = spinney.GradientBoostingRegressor(n_estimators=1, min_samples_leaf=2).fit(table, np.isnan(table[:, 0]))
    nodes = json.loads(to_json(model))["trees"][0]["nodes"]
    assert nodes[0]["up_to"] == "inf"
    assert nodes[0]["missing"] == nodes[0]["no"]


def test_other_models_are_refused():
    with pytest.raises(TypeError, match="KMeans cannot be read as trees"):
        to_json(spinney.KMeans(2, random_state=0).fit([[0.0], [1.0]]))
