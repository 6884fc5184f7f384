"""Models as Python source: run with nothing but Python's library, it gives the very bits that the models predict."""

import ast
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spinney
from spinney import to_python
from tests.io.exported import FITS, X, Y, dicts, fitted, rows_for

HOSTILE = [
    '"; system("rm")',
    "'''",
    '"""',
    "a\nb",
    "\\",
    "*/ int x; /*",
    "??/",
    "{name}",
    "NAME_ PREDICT",
    "ü\u2028",
    "%s",
]
BY_NUMPY = ("samme", "samme-two", "samme-r", "discrete", "adaboost-c45")  # softmax of NumPy's exp


def load(source):
    """What a source defines; it must import nothing but math."""
    names = [one.names[0].name for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Import | ast.ImportFrom)]
    assert names == ["math"]
    assert source.isascii()
    space = {}
    exec(compile(source, "exported", "exec"), space)
    return space


def as_lists(answers):
    """Answers of the model as the functions give them, row by row."""
    several = isinstance(answers, list)
    return [list(map(list, rows)) for rows in zip(*answers)] if several else np.asarray(answers).tolist()


@pytest.mark.parametrize("name", list(FITS))
def test_answers_are_the_models_bits(name):
    model, rows = fitted(name), rows_for(name)
    space = load(to_python(model))
    said = model.predict(rows).tolist()
    assert [space["predict"](row) for row in dicts(rows)] == said
    assert [space["predict"](row) for row in rows.to_numpy(object)] == said
    if hasattr(model, "predict_proba"):
        found = [space["predict_proba"](row) for row in dicts(rows)]
        if name in BY_NUMPY:
            np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-14)
        else:
            assert found == as_lists(model.predict_proba(rows))
    if name == "isolation":
        assert [space["predict_decision"](row) for row in dicts(rows)] == model.decision_function(rows).tolist()


def test_none_is_missing():
    model = fitted("forest-numbers")
    predict = load(to_python(model))["predict"]
    nothing = dict.fromkeys(X.columns)
    assert predict(nothing) == predict(dict.fromkeys(X.columns, math.nan)) == model.predict_row(nothing)


def test_hostile_names():
    rng = np.random.RandomState(0)
    words = np.array(HOSTILE, object)
    table = pd.DataFrame({name: words[rng.randint(0, len(words), 120)] for name in HOSTILE})
    labels = words[rng.randint(0, 3, 120) + 3 * table[HOSTILE[0]].isin(words[:5]).to_numpy()]
    for model in (spinney.DecisionTreeClassifier(max_depth=5), spinney.C45Classifier(prune=False)):
        space = load(to_python(model.fit(table, labels), "some_name"))
        assert [space["some_name"](row) for row in dicts(table)] == model.predict(table).tolist()
        assert {one for one in space if not one.startswith("_")} == {"math", "some_name", "some_name_proba"}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(2, 4))
def test_drawn_tables(seed, n_categories, n_classes):
    rng = np.random.RandomState(seed)
    words = np.array([f"w{k}" for k in range(n_categories)], object)
    table = pd.DataFrame({"x": rng.choice([np.nan, -np.inf, 0.0, 1e-300, 2.5, np.inf], 70), "n": rng.randn(70)})
    table["w"] = np.where(rng.rand(70) < 0.1, None, words[rng.randint(0, n_categories, 70)])
    labels = (rng.randint(0, n_classes, 70) + table["w"].isin(words[::2])).to_numpy()
    new = table.iloc[:30].assign(w=[None, "no such", *words[rng.randint(0, n_categories, 28)]])
    for model in (
        spinney.DecisionTreeClassifier(random_state=0),
        spinney.RandomForestClassifier(3, random_state=0),
        spinney.C45Classifier(prune=False),
    ):
        space = load(to_python(model.fit(table, labels)))
        assert [space["predict"](row) for row in dicts(new)] == model.predict(new).tolist()
        assert [space["predict_proba"](row) for row in dicts(new)] == as_lists(model.predict_proba(new))


def test_trees_of_any_depth():
    n = 400  # a chain: each question sets one row apart
    table = np.arange(n, dtype=float)[:, None] ** 3
    model = spinney.ExtraTreeRegressor(random_state=0).fit(table, np.arange(n) ** 2.0)
    deep = spinney.DecisionTreeRegressor(splitter="best").fit(table, 2.0 ** np.minimum(np.arange(n), 900))
    assert deep.get_depth() > 100
    for one in (model, deep):
        predict = load(to_python(one))["predict"]
        assert [predict(row) for row in table] == one.predict(table).tolist()


def test_several_models_in_one_file():
    space = {}
    exec(to_python(fitted("tree"), "one") + to_python(fitted("forest"), "other"), space)
    rows = rows_for("tree")
    assert [space["one"](row) for row in dicts(rows)] == fitted("tree").predict(rows).tolist()
    assert [space["other"](row) for row in dicts(rows)] == fitted("forest").predict(rows).tolist()


def test_what_cannot_be_read_raises():
    predict = load(to_python(fitted("tree")))["predict"]
    row = dicts(rows_for("tree"))[0]
    with pytest.raises(TypeError, match="column 'a' holds numbers, got 'x'"):
        predict({**row, "a": "x"})
    with pytest.raises(TypeError, match="column 'kind' holds values such as 'p', got 3"):
        predict({**row, "kind": 3})
    with pytest.raises(ValueError, match="row has 2 values, but 6 are expected"):
        predict([1, 2])
    with pytest.raises(KeyError, match="place"):
        predict({key: value for key, value in row.items() if key != "place"})
    strict = spinney.DecisionTreeClassifier(max_depth=2, handle_unknown="error").fit(X, Y > 1)
    with pytest.raises(ValueError, match="column 'kind' holds a category that was not seen in fit: 'new'"):
        load(to_python(strict))["predict"]({**row, "kind": "new"})


@pytest.mark.parametrize("name", ["two words", "class", "1st", "ü", "", 3])
def test_names_that_are_no_identifiers(name):
    with pytest.raises(ValueError, match="name must be an identifier of ASCII letters"):
        to_python(fitted("forest"), name)


def complex_classes():
    odd = spinney.DecisionTreeClassifier(max_depth=2).fit([[0.0], [1.0]], [0, 1])
    odd.classes_ = np.array([1 + 2j, None], object)
    return odd


def shares():
    return spinney.AdaBoostClassifier(spinney.C45Classifier(), algorithm="SAMME.R", n_estimators=2).fit(X, Y > 1)


REFUSED = {
    "too large": (
        lambda: to_python(fitted("forest"), max_nodes=20),
        ValueError,
        r"has [\d,]+ nodes, but to_python writes at most max_nodes=20. Increase",
    ),
    "a name of C": (
        lambda: to_python(fitted("forest"), "double"),
        ValueError,
        "name must not be 'double', which is taken or reserved in C, its library or Python",
    ),
    "a vote": (
        lambda: to_python(fitted("soft")),
        TypeError,
        "VotingClassifier is a mean of several models. Use its members",
    ),
    "complex classes": (
        lambda: to_python(complex_classes()),
        TypeError,
        "classes must be numbers, strings or Booleans to be exported, got complex",
    ),
    "shares": (
        lambda: to_python(shares()),
        ValueError,
        r"SAMME\.R of trees that send rows with missing values down several branches",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()
