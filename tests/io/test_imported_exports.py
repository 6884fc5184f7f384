"""Models of other libraries as Python, C, JSON and ONNX: the bits of the imported model and of the library's raw scores
(Python, C), and to rounding (ONNX, JSON)."""

import ast
import json
import shutil
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)

import spinney
from spinney import from_lightgbm, from_sklearn, from_xgboost, to_c, to_json, to_onnx, to_python
from tests.io.exported import dicts, many
from tests.io.test_to_c import ask, build
from tests.io.test_to_json import evaluate  # noqa: F401 (a fixture)
from tests.io.test_to_onnx import run

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")


def draw(n, seed):
    """Numbers with zeros and missing values, and a column of whole numbers that are categories."""
    rng = np.random.RandomState(seed)
    table = np.column_stack([rng.randn(n), rng.randint(0, 5, n) / 4, rng.randn(n), rng.randint(0, 12, n)])
    y = table[:, 0] + 2 * table[:, 1] + np.isin(table[:, 3], [1, 4, 6, 9]) * (1 + table[:, 2]) + 0.1 * rng.randn(n)
    table[rng.rand(n) < 0.2, 0], table[rng.rand(n) < 0.1, 2], table[rng.rand(n) < 0.1, 3] = np.nan, 0.0, np.nan
    return table, y


X, Y = draw(200, 0)
GRADES = np.digitize(Y, [0.5, 1.5])
NEW = draw(60, 1)[0]
NEW[:8, 3] = [40, -1, -0.5, 3.7, 1e9, np.inf, -np.inf, 12]
NEW[8:13, 0] = [1e-36, -1e-36, 0.0, np.inf, -np.inf]
WORDS = np.array(["a", 'b"', "c\n", "d"])
TARGETS = {
    **dict.fromkeys(("binary", "binary:logistic", "binary:hinge", "binary:logitraw"), (Y > 1).astype(float)),
    **dict.fromkeys(("multiclass", "multiclassova", "multi:softprob", "lambdarank"), GRADES),
    **dict.fromkeys(("poisson", "count:poisson"), np.round(np.abs(Y))),
    **dict.fromkeys(("cross_entropy", "cross_entropy_lambda", "reg:logistic"), np.abs(np.sin(Y))),
}


def framed(table):
    """The same with words for the whole numbers, some of them not among the categories."""
    frame = pd.DataFrame(table[:, :3], columns=["one two", "b", "c"])
    number = np.nan_to_num(table[:, 3], nan=4, posinf=4, neginf=4).astype(int)
    names = np.append(WORDS, [None, "e"])[np.clip(number % 13 // 2, 0, 5)]
    return frame.assign(w=pd.Categorical(names, [*WORDS, "e"] if (names == "e").any() and table is NEW else WORDS))


def light(objective, table=X, **params):
    given = {"objective": objective, "verbose": -1, "num_threads": 1, "num_leaves": 6, "min_data_in_leaf": 5, **params}
    given |= {"min_data_per_group": 5, "cat_smooth": 1.0, "deterministic": True}
    given |= {"num_class": 3} if objective.startswith("multi") else {}
    group = {"group": [20] * 10} if objective == "lambdarank" else {}
    named = {"categorical_feature": [3]} if table is X else {}
    return lightgbm.train(given, lightgbm.Dataset(table, TARGETS.get(objective, Y), **group, **named), 4)


def extreme(objective, table=X, y=None, **params):
    given = {"objective": objective, "max_depth": 3, "nthread": 1, "max_cat_to_onehot": 1, **params}
    given |= {"num_class": 3} if objective.startswith("multi") else {}
    types = {"feature_types": ["float"] * 3 + ["c"]} if table is X else {}
    target = TARGETS.get(objective, Y) if y is None else y
    whole = np.where(table == table, table, np.nan) if table is X else table
    return xgboost.train(given, xgboost.DMatrix(whole, target, enable_categorical=True, **types), 4)


RF = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
FITS = {
    "binary": lambda: light("binary", sigmoid=1.7),
    "binary-frame": lambda: light("binary", framed(X)),
    "binary-rf": lambda: light("binary", **RF),
    "multiclass": lambda: light("multiclass"),
    "ova": lambda: light("multiclassova"),
    "regression": lambda: light("regression", zero_as_missing=True),
    "root": lambda: light("regression", reg_sqrt=True),
    "poisson": lambda: light("poisson"),
    "entropy": lambda: light("cross_entropy"),
    "lambda": lambda: light("cross_entropy_lambda"),
    "rank": lambda: light("lambdarank"),
    "x-binary": lambda: extreme("binary:logistic"),
    "x-binary-frame": lambda: extreme("binary:logistic", framed(X)),
    "x-raw": lambda: extreme("binary:logitraw"),
    "x-hinge": lambda: extreme("binary:hinge"),
    "x-soft": lambda: extreme("multi:softprob"),
    "x-numbers": lambda: extreme("reg:squarederror", num_parallel_tree=2),
    "x-poisson": lambda: extreme("count:poisson"),
    "x-several": lambda: extreme("reg:logistic", y=np.column_stack([np.sin(Y) ** 2, np.cos(Y) ** 2])),
    "s-outputs": lambda: RandomForestClassifier(3, random_state=0).fit(X, np.column_stack([GRADES, Y > 1])),
    "s-numbers": lambda: ExtraTreesRegressor(3, random_state=0).fit(X, np.column_stack([Y, -Y])),
    "s-boosting": lambda: GradientBoostingClassifier(loss="exponential", n_estimators=3, random_state=0).fit(
        np.nan_to_num(X), Y > 1
    ),
    "s-hist": lambda: HistGradientBoostingClassifier(max_iter=3, categorical_features=[3], max_leaf_nodes=5).fit(
        X, GRADES
    ),
    "s-exp": lambda: HistGradientBoostingRegressor("poisson", max_iter=3, max_leaf_nodes=5).fit(X, np.abs(Y)),
}


@cache
def theirs(name):
    return FITS[name]()


@cache
def ours(name):
    given = theirs(name)
    kinds = {"xgboost": from_xgboost, "lightgbm": from_lightgbm, "sklearn": from_sklearn}
    return kinds[type(given).__module__.split(".")[0]](given)


def rows_for(name):
    return framed(NEW) if name.endswith("frame") else NEW


def records(name):
    """Rows as the functions take them."""
    if not name.endswith("frame"):
        return rows_for(name).tolist()
    rows = rows_for(name)
    return dicts(rows.set_axis(ours(name).feature_names_in_, axis=1).astype({"w": object}))


def raw_of(name):
    """The library's raw scores."""
    model = theirs(name)
    if isinstance(model, lightgbm.Booster):
        return model.predict(rows_for(name), raw_score=True)
    types = {} if name.endswith("frame") else {"feature_types": ["float"] * 3 + ["c"]}
    return model.predict(xgboost.DMatrix(rows_for(name), enable_categorical=True, **types), output_margin=True)


@cache
def source(name):
    found = to_python(ours(name), "told")
    names = {one.names[0].name for one in ast.walk(ast.parse(found)) if isinstance(one, ast.Import | ast.ImportFrom)}
    assert names == ({"math", "struct"} if name.startswith("x-") else {"math"})
    space = {}
    exec(compile(found, "exported", "exec"), space)
    return space


@pytest.mark.parametrize("name", list(FITS))
def test_python(name):
    model, space, rows = ours(name), source(name), rows_for(name)
    assert [space["told"](row) for row in records(name)] == model.predict(rows).tolist()
    assert ("told_proba" in space) == hasattr(model, "predict_proba")
    if "told_proba" in space:
        for k, own in enumerate(many(model.predict_proba(rows))):
            found = [space["told_proba"](row) for row in records(name)]
            assert [one[k] if name == "s-outputs" else one for one in found] == own.tolist()


# XGBoost refuses infinite numbers, negative or huge categories, and unknown names: such rows are left out
@pytest.mark.parametrize("name", [name for name in FITS if not name.startswith("s-")])
def test_raw_scores_are_the_librarys_bits(name, monkeypatch):
    if name.startswith("x-"):
        monkeypatch.setitem(globals(), "NEW", NEW[13:][~(NEW[13:, 3] >= (10 if name.endswith("frame") else 99))])
    found = np.array([source(name)["_told_scores"](row) for row in records(name)])
    given = raw_of(name) / (4 if name.endswith("rf") else 1)  # LightGBM's raw scores are sums, its predictions means
    np.testing.assert_array_equal(found.reshape(given.shape), given)


# --- C ---------------------------------------------------------------------------------------------------------------


def called(name):
    return "model_" + name.replace("-", "_")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if shutil.which("gcc") is None:
        pytest.skip("there is no C compiler here")
    return build("\n".join(to_c(ours(name), called(name)) for name in FITS), tmp_path_factory.mktemp("c"))


def encoded(name):
    rows = rows_for(name)
    if not name.endswith("frame"):
        out = np.array(rows)
        if name == "s-hist":  # its categories are those of the schema
            out[:, 3] = [list(range(12)).index(one) if one in range(12) else -1 for one in out[:, 3]]
        return out
    codes = [WORDS.tolist().index(one) if one in WORDS else -1 for one in rows["w"]]
    return np.column_stack([rows.iloc[:, :3].to_numpy(), np.array(codes, float)])


@pytest.mark.parametrize("name", list(FITS))
def test_c(name, library):
    model, rows = ours(name), rows_for(name)
    if name == "x-hinge":
        library.model_x_hinge_proba = lambda row, out: None
    said = model.predict(rows)
    about = {"classes_": model.classes_} if hasattr(model, "classes_") else {}
    shaped = SimpleNamespace(n_outputs_=1 if said.ndim == 1 else said.shape[1], **about)
    found, shares = ask(library, called(name), shaped, np.ascontiguousarray(encoded(name)))
    if not hasattr(model, "classes_"):
        return np.testing.assert_array_equal(found, said)
    named = [one[k] for one, k in zip(many(model.classes_), found.reshape(len(rows), -1).T)]
    np.testing.assert_array_equal(np.column_stack(named).reshape(said.shape), said)
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(shares, np.hstack(many(model.predict_proba(rows))))


# --- JSON and ONNX ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(FITS))
def test_json(name, evaluate):  # noqa: F811
    model, rows = ours(name), rows_for(name)
    stored = json.loads(to_json(model))
    assert stored.get("sums") == (
        "float32" if name.startswith("x-") else None if name in ("s-outputs", "s-numbers") else "float64"
    )
    given = [row if isinstance(row, dict) else dict(enumerate(row)) for row in records(name)]
    said = [evaluate(stored, row) for row in given]
    near = {"rtol": 1e-6} if name.startswith("x-") else {"rtol": 1e-12}
    if stored["classes"] is None:
        np.testing.assert_allclose(np.ravel(said), model.predict(rows).ravel(), **near)
    elif name == "x-hinge":
        np.testing.assert_array_equal(np.argmax(said, axis=1), model.predict(rows))
    else:
        for one, own in zip(zip(*said) if name == "s-outputs" else [said], many(model.predict_proba(rows))):
            np.testing.assert_allclose(np.array(one), own, **near)


@pytest.mark.parametrize("name", list(FITS))
def test_onnx(name):
    model, rows = ours(name), rows_for(name)
    asked = rows.set_axis(model.feature_names_in_, axis=1).astype({"w": object}) if name.endswith("frame") else rows
    made = to_onnx(model)
    used = {one for node in made.graph.node for one in node.input} | {one.name for one in made.graph.output}
    assert {one.name for one in made.graph.initializer} | {one.output[0] for one in made.graph.node} <= used
    found, said = run(made, asked), model.predict(rows)
    near = {"rtol": 2e-6, "atol": 1e-7} if name.startswith("x-") else {"rtol": 1e-12}
    if "label" not in found:
        np.testing.assert_allclose(found["variable"], said.reshape(len(rows), -1), **near)
        return
    np.testing.assert_array_equal(found["label"], said)
    shares = [found[one] for one in found if one.startswith("probabilities")]
    assert bool(shares) == hasattr(model, "predict_proba")
    for one, own in zip(shares, many(model.predict_proba(rows)) if shares else []):
        np.testing.assert_allclose(one, own, **near)


# --- what is written, and refused ------------------------------------------------------------------------------------


def test_columns_say_how_they_are_read():
    columns = json.loads(to_json(ours("x-binary")))["columns"]
    assert columns[3]["others"] == columns[3]["categories"][-1]
    columns = json.loads(to_json(ours("regression")))["columns"]
    assert columns[0]["zero_is_missing"] == 1.0000000180025095e-35
    assert columns[3]["others"] is None
    assert "categories, which are integers, unchanged" in to_c(ours("binary"))
    assert "another number" in to_c(ours("x-binary"))
    second = [json.loads(to_json(ours(name)))["second_class"] for name in ("binary", "s-boosting", "x-hinge")]
    assert second == ["probability > 0.5", "raw >= 0", "raw > 0"]
    assert "second_class" not in json.loads(to_json(ours("multiclass")))


@pytest.mark.parametrize("name", ["binary", "x-soft"])
def test_models_from_files_are_exported_alike(name, tmp_path):
    spinney.save(ours(name), tmp_path / "model.spinney")
    assert to_python(spinney.load(tmp_path / "model.spinney")) == to_python(ours(name))


def test_sums_beyond_float32_are_infinite():
    rounded = source("x-poisson")["_told_rounded"]
    assert rounded(0.1) == float(np.float32(0.1))
    assert rounded(1e300) == np.inf
    assert rounded(-1e300) == -np.inf


def test_strings_where_numbers_are_known():
    with pytest.raises(TypeError, match="column 3 holds numbers, got 'a'"):
        source("binary")["told"]([0.0, 0.0, 0.0, "a"])
    with pytest.raises(TypeError, match="column 'w' holds values such as"):
        source("binary-frame")["told"]([0.0, 0.0, 0.0, 3.0])
    with pytest.raises(ValueError, match="row has 1 values, but 4 are expected"):
        source("binary")["told"]([0.0])


@pytest.mark.parametrize("write", [to_python, to_c, to_json, to_onnx])
def test_refusals(write):
    empty = from_xgboost(xgboost.train({"nthread": 1}, xgboost.DMatrix(X, Y), 0))
    with pytest.raises(TypeError, match="this ImportedRegressor has no trees: it predicts the same for every row"):
        write(empty)
    text = light("regression").model_to_string().replace("objective=regression", "objective=regression sigmoid:2")
    with pytest.raises(TypeError, match=r"this ImportedRegressor multiplies raw scores by 2\.0 before the link"):
        write(from_lightgbm(text))
