"""Models as ONNX graphs: onnxruntime gives what the models predict, to 1e-12, and the same labels."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

import spinney
from spinney import to_onnx
from tests.io.exported import FITS, MIXTURES, NEW, NOT_IN_ONNX, X, Y, fitted, many, rows_for

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def run(made, rows):
    """The outputs by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(made.SerializeToString(), options)
    kinds = {"tensor(string)": object, "tensor(double)": np.float64, "tensor(float)": np.float32}
    names = {one.name: kinds[one.type] for one in session.get_inputs()}
    feed = {name: np.asarray(rows, kinds_) for name, kinds_ in names.items()} if set(names) == {"X"} else None
    feed = feed or {name: rows[[name]].to_numpy().astype(kind) for name, kind in names.items()}
    return dict(zip([one.name for one in session.get_outputs()], session.run(None, feed)))


def check(model, rows, made=None):
    found = run(to_onnx(model) if made is None else made, rows)
    said = model.predict(rows)
    if "label" in found:
        assert found["label"].shape == said.shape
        np.testing.assert_array_equal(found["label"], said)
    else:
        np.testing.assert_allclose(found["variable"], said.reshape(len(rows), -1), rtol=1e-12)
    if "scores" in found:
        np.testing.assert_allclose(found["scores"][:, 0], model.decision_function(rows), rtol=0, atol=1e-12)
    shares = [found[name] for name in found if name.startswith("probabilities")]
    for one, own in zip(shares, many(model.predict_proba(rows)) if shares else [], strict=True):
        np.testing.assert_allclose(one, own, rtol=0, atol=1e-12)
    return found


@pytest.mark.parametrize("name", [name for name in [*FITS, *MIXTURES] if name not in NOT_IN_ONNX])
def test_answers_are_the_models(name):
    model = fitted(name)
    rows = NEW.astype({"flag": float}) if name != "id3" else rows_for(name)
    found = check(model, rows)
    has_shares = hasattr(model, "predict_proba")
    assert any(one.startswith("probabilities") for one in found) == has_shares


def test_a_table_of_numbers_is_one_input():
    numbers, kind = load_iris(return_X_y=True)
    numbers[::7, 2] = np.nan
    model = spinney.RandomForestClassifier(4, random_state=0).fit(numbers, kind)
    made = to_onnx(model)
    assert [one.name for one in made.graph.input] == ["X"]
    assert check(model, numbers)["label"].dtype == np.int64
    frame = pd.DataFrame(numbers, columns=list("abcd"))
    assert [one.name for one in to_onnx(spinney.DecisionTreeClassifier().fit(frame, kind)).graph.input] == ["X"]


def test_categories_that_are_numbers():
    rng = np.random.RandomState(0)
    table = np.column_stack([rng.randn(90), rng.choice([-1.5, 0.0, 3.0, 1e300], 90)])
    model = spinney.GradientBoostingRegressor(n_estimators=3, categorical_features=[1])
    model.fit(table, table[:, 0] + (table[:, 1] == 3.0))
    check(model, np.vstack([table, [[0.0, 2.0], [np.nan, np.nan], [1.0, -0.0]]]))


@pytest.mark.parametrize("max_bins", [None, 255])
def test_float32_values_are_compared_as_they_are(max_bins):
    rng = np.random.RandomState(0)
    table = (rng.randint(0, 40, (300, 2)) / 7).astype(np.float32)
    noisy = table.astype(np.float64) + rng.choice([0.0, 1e-9, -1e-9], table.shape)  # thresholds between float32 values
    model = spinney.ExtraTreesRegressor(3, random_state=0, max_bins=max_bins).fit(noisy, table[:, 0] - table[:, 1])
    made = to_onnx(model, dtype="float32")
    assert made.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    check(model, table, made)
    mixed = fitted("forest")
    narrow = NEW.astype({"a": np.float32, "b": np.float32, "flag": np.float32})
    check(mixed, narrow.assign(code=np.nan), to_onnx(mixed, dtype="float32"))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_linear_leaves_of_several_terms(n_classes, dtype):
    rng = np.random.RandomState(n_classes)
    table = rng.randn(400, 5).astype(dtype)
    target = table @ np.arange(5) + table[:, 0] * table[:, 1]
    table[rng.rand(*table.shape) < 0.1] = np.nan
    settings = {"leaves": "linear", "n_estimators": 10, "min_samples_leaf": 5, "random_state": 0}
    if n_classes == 1:
        model, y = spinney.GradientBoostingRegressor(**settings), target
    else:
        model = spinney.GradientBoostingClassifier(**settings)
        y = np.digitize(target, np.quantile(target, np.arange(1, n_classes) / n_classes))
    model.fit(table[:300], y[:300])
    assert model.forest_.n_terms.max() == 4
    beyond = 100.0 * table[:5]  # of the range that the model has seen
    beyond[0, 0], beyond[1, 1] = np.inf, -np.inf
    made = to_onnx(model, dtype=dtype)
    for rows in (np.vstack([table[300:], beyond]), table[:1], table[:0]):
        found = check(model, rows, made) if len(rows) else run(made, rows)
        assert len(next(iter(found.values()))) == len(rows)


def test_linear_leaves_without_slopes():
    constant = spinney.GradientBoostingRegressor(leaves="linear", n_estimators=2).fit(NEW[["b"]].fillna(0), np.ones(60))
    assert constant.forest_.is_linear
    check(constant, NEW[["b"]])


def test_labels_keep_their_kind():
    numbers, kind = load_iris(return_X_y=True)
    for labels, dtype in ((kind, np.int64), (kind > 0, np.bool_), (kind + 0.0, np.float64), (kind.astype(str), object)):
        model = spinney.DecisionTreeClassifier(max_depth=2).fit(numbers, labels)
        assert check(model, numbers)["label"].dtype == dtype


def test_columns_may_have_any_name():
    names = ["label", "X", "", "probabilities", 'a"; b', "ü\n", "spinney/TreeEnsemble"]
    rng = np.random.RandomState(0)
    table = pd.DataFrame(rng.choice(["label", "", "\n", 'x"'], (80, len(names))), columns=names)
    labels = np.where((table["label"] == "") ^ (table["ü\n"] == "\n"), "X", "")
    model = spinney.DecisionTreeClassifier(max_depth=4).fit(table, labels)
    made = to_onnx(model)
    session = onnxruntime.InferenceSession(made.SerializeToString())
    feed = {one.name: table.iloc[:, [k]].to_numpy().astype(object) for k, one in enumerate(session.get_inputs())}
    outputs = [one.name for one in session.get_outputs()]
    assert outputs == ["label_0", "probabilities_0"]
    np.testing.assert_array_equal(session.run(None, feed)[0], model.predict(table))


def test_metadata_and_files(tmp_path):
    model, path = fitted("forest"), tmp_path / "forest.onnx"
    made = to_onnx(model, path)
    assert onnx.load(path) == made
    facts = {one.key: one.value for one in made.metadata_props}
    assert facts["spinney.model"] == "RandomForestClassifier"
    assert facts["spinney.fingerprint"] == model.fingerprint_
    assert facts["spinney.version"] == made.producer_version == spinney.__version__
    assert json.loads(facts["spinney.classes"]) == ["low", "mid", "top"]
    assert [one["name"] for one in json.loads(facts["spinney.columns"])] == list(X.columns)
    assert {one.domain: one.version for one in made.opset_import} == {"": 18, "ai.onnx.ml": 5}


def test_ties_between_classes_are_broken_as_the_forest_does():
    rng = np.random.RandomState(0)
    table = rng.randint(0, 3, (200, 3)).astype(float)
    for n_trees in (2, 6, 10):
        model = spinney.RandomForestClassifier(n_trees, max_depth=3, random_state=0).fit(table, rng.randint(0, 3, 200))
        found = run(to_onnx(model), table)
        np.testing.assert_array_equal(found["probabilities"], model.predict_proba(table))
        np.testing.assert_array_equal(found["label"], model.predict(table))


def test_no_root_leads_to_a_leaf_and_a_question_of_one_number():
    """Releases of onnxruntime up to 1.23 take such a root for a leaf."""
    table = np.arange(40.0)[:, None]
    model = spinney.GradientBoostingRegressor(n_estimators=3, learning_rate=0.5, max_leaf_nodes=4, min_samples_leaf=1)
    model.fit(table, np.where(table[:, 0] < 1, -1000.0, table[:, 0]))
    (trees,) = (node for node in to_onnx(model).graph.node if node.op_type == "TreeEnsemble")
    parts = {one.name: list(one.ints) for one in trees.attribute}
    sides = [[parts[f"nodes_{side}{what}"] for side in ("true", "false")] for what in ("nodeids", "leafs")]
    (yes, no), (yes_is_leaf, no_is_leaf) = sides
    roots = [k for k in parts["tree_roots"] if yes_is_leaf[k] != no_is_leaf[k]]
    assert len(roots) == 3
    assert not [k for k in roots if yes[k] == no[k]]
    check(model, table)


@pytest.mark.parametrize("name", ["forest", "boosting-three", "isolation", "id3"])
def test_one_row_at_a_time(name):
    model, rows = fitted(name), rows_for(name)
    made = to_onnx(model)
    found = [run(made, rows.iloc[[k]])["label"][0] for k in range(8)]
    np.testing.assert_array_equal(found, model.predict(rows)[:8])


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(2, 4))
def test_drawn_tables(seed, n_categories, n_classes):
    rng = np.random.RandomState(seed)
    table = pd.DataFrame({"x": rng.choice([np.nan, -np.inf, 0.0, 1e-300, 2.5, np.inf], 70), "n": rng.randn(70)})
    words = np.array([f"w{k}" for k in range(n_categories)], object)
    table["w"] = np.where(rng.rand(70) < 0.1, None, words[rng.randint(0, n_categories, 70)])
    labels = (rng.randint(0, n_classes, 70) + table["w"].isin(words[::2])).to_numpy()
    new = table.iloc[:30].assign(w=[None, "no such", *words[rng.randint(0, n_categories, 28)]])
    check(spinney.DecisionTreeClassifier(random_state=0).fit(table, labels), new)
    check(spinney.RandomForestClassifier(3, random_state=0).fit(table, labels), new)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("c45", "this C45Classifier sends rows with missing values down several branches"),
        ("c50", "this C50Classifier sends rows with missing values down several branches"),
        ("median", "AdaBoostRegressor predicts a weighted median of its trees"),
    ],
)
def test_what_onnx_cannot_say_is_refused(name, words):
    with pytest.raises(ValueError, match=words):
        to_onnx(fitted(name))


NO_MODELS = {
    "a class": (
        lambda: spinney.RandomForestClassifier,
        TypeError,
        "got the class RandomForestClassifier",
    ),
    "a number": (lambda: 3, TypeError, "must be a fitted model of trees, got int"),
    "not fitted": (lambda: spinney.RandomForestClassifier(), NotFittedError, "not fitted"),
    "of another library": (
        lambda: LogisticRegression().fit([[0], [1]], [0, 1]),
        TypeError,
        r"LogisticRegression cannot be read as trees\. Supported are decision",
    ),
    "an embedding": (
        lambda: spinney.RandomTreesEmbedding(2, random_state=0).fit([[0.0], [1.0], [2.0]]),
        TypeError,
        "RandomTreesEmbedding cannot be read as trees",
    ),
}


@pytest.mark.parametrize("name", NO_MODELS)
def test_what_is_no_model_of_trees_is_refused(name):
    make, error, words = NO_MODELS[name]
    model = make()
    with pytest.raises(error, match=words):
        to_onnx(model)


def test_dtypes_that_are_refused():
    with pytest.raises(ValueError, match="dtype must be 'float64' or 'float32', got 'float16'"):
        to_onnx(fitted("tree"), dtype="float16")


def test_parts_that_are_not_trees_are_refused():
    table, y = load_iris(return_X_y=True)
    tree = spinney.DecisionTreeRegressor(max_depth=2)
    with pytest.raises(ValueError, match=r"starts from an initial estimator \(init=DecisionTreeRegressor\)"):
        to_onnx(spinney.GradientBoostingRegressor(n_estimators=2, init=tree).fit(table, y))
    median = spinney.VotingRegressor([("a", tree), ("b", tree)], how="median").fit(table, y)
    with pytest.raises(ValueError, match="a median of several models cannot be exported"):
        to_onnx(median)
    boosted = spinney.AdaBoostRegressor(tree, n_estimators=2, random_state=0)
    with pytest.raises(ValueError, match="AdaBoostRegressor, a member of this VotingRegressor, predicts a median"):
        to_onnx(spinney.VotingRegressor([("a", tree), ("b", boosted)]).fit(table, y))
    others = spinney.DecisionTreeRegressor(categorical_features=[0])
    with pytest.raises(ValueError, match="members of this VotingRegressor read the columns in different ways"):
        to_onnx(spinney.VotingRegressor([("a", tree), ("b", others)]).fit(table, y))


def test_a_loss_of_ones_own():
    table, y = X[["a", "b", "flag"]], Y
    parts = {"gradient": lambda y, raw: raw - y, "hessian": lambda y, raw: 1.0}
    check(spinney.GradientBoostingRegressor(spinney.Loss(**parts), n_estimators=2).fit(table, y), table.astype(float))
    linked = spinney.Loss(**parts, inverse_link=lambda raw: 2 * raw)
    with pytest.raises(ValueError, match="a custom loss with an inverse_link cannot be exported"):
        to_onnx(spinney.GradientBoostingRegressor(linked, n_estimators=2).fit(table, y))


def test_members_of_other_categories_are_refused():
    table = pd.DataFrame({"w": list("aabbccdd") * 5})
    member = spinney.DecisionTreeClassifier(max_depth=2, class_weight="balanced")
    model = spinney.AdaBoostClassifier(member, n_estimators=2, reweight="resample", random_state=0)
    model.fit(table, (table["w"] > "b").to_numpy() ^ (np.arange(40) % 7 == 0))
    model.estimators_ = [*model.estimators_[:1], spinney.DecisionTreeClassifier().fit(table[:4], [0, 0, 1, 1])]
    model.estimator_weights_ = np.ones(2)
    with pytest.raises(ValueError, match="members of this AdaBoostClassifier have different categories"):
        to_onnx(model)


def test_whole_numbers_beyond_what_is_signed():
    labels = np.repeat(np.array([0, 2**63, 2**64 - 1], np.uint64), 4)
    rows = np.arange(12.0)[:, None]
    made = to_onnx(spinney.DecisionTreeClassifier().fit(rows, labels))
    (found,) = onnxruntime.InferenceSession(made.SerializeToString()).run(["label"], {"X": rows})
    assert found.tolist() == labels.tolist()


def test_classes_of_odd_kinds_are_refused():
    model = spinney.DecisionTreeClassifier(max_depth=2).fit([[0.0], [1.0]], [0, 1])
    model.classes_ = np.array([1 + 2j, None], object)
    with pytest.raises(TypeError, match="classes must be numbers, strings or Booleans to be exported, got complex"):
        to_onnx(model)


STEPS = [
    ["passthrough"],
    [StandardScaler()],
    [StandardScaler(with_mean=False)],
    [RobustScaler(with_scaling=False)],
    [SimpleImputer(), MinMaxScaler((-1, 2))],
    [SimpleImputer(strategy="median"), RobustScaler(), MaxAbsScaler()],
    ["passthrough", SimpleImputer(strategy="constant", fill_value=7.5), StandardScaler(with_std=False)],
]


@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_steps_of_a_pipeline(steps):
    """Thresholds are numbers of the table after the steps: only the same operations lead to the same leaves."""
    table, y = load_iris(return_X_y=True)
    table = np.where(np.random.default_rng(0).random(table.shape) < 0.1, np.nan, table)
    model = spinney.ExtraTreesClassifier(10, max_bins=None, random_state=0)
    pipeline = Pipeline([*((f"step {k}", one) for k, one in enumerate(steps)), ("model", model)]).fit(table, y)
    session = onnxruntime.InferenceSession(to_onnx(pipeline).SerializeToString())
    label, shares = session.run(["label", "probabilities"], {"X": table})
    np.testing.assert_array_equal(label, pipeline.predict(table))
    np.testing.assert_allclose(shares, pipeline.predict_proba(table), rtol=1e-12)


def test_a_pipeline_of_one_step_takes_strings():
    model = spinney.DecisionTreeClassifier(max_depth=3)
    pipeline = Pipeline([("model", model)]).fit(X, Y > 0)
    assert to_onnx(pipeline) == to_onnx(pipeline[-1])


@pytest.mark.parametrize(
    "step",
    [PCA(2), OneHotEncoder(sparse_output=False), MinMaxScaler(clip=True), SimpleImputer(add_indicator=True)],
    ids=str,
)
def test_steps_that_cannot_be_written(step):
    table, y = load_iris(return_X_y=True)
    pipeline = Pipeline([("first", step), ("model", spinney.DecisionTreeClassifier(max_depth=2))])
    if isinstance(step, SimpleImputer):
        table[0, 0] = np.nan
    pipeline.fit(table, y)
    with pytest.raises(
        ValueError, match=r"the step 'first' of this Pipeline, .* cannot be exported to ONNX.*pipeline\[-1\]"
    ):
        to_onnx(pipeline)


def test_pipelines_elsewhere_and_in_float32():
    table, y = load_iris(return_X_y=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("model", spinney.DecisionTreeClassifier(max_depth=2))])
    with pytest.raises(NotFittedError):
        to_onnx(pipeline)
    pipeline.fit(table, y)
    with pytest.raises(ValueError, match=r"dtype='float32' is not supported with steps before the model"):
        to_onnx(pipeline, dtype="float32")
    for write in (spinney.to_json, spinney.to_python, spinney.to_c):
        with pytest.raises(
            TypeError, match=r"a Pipeline cannot be read as trees: .* Export its last step, pipeline\[-1\]"
        ):
            write(pipeline)


def test_without_onnx(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx needs the package onnx: pip install 'spinney-trees\[onnx\]'"):
        to_onnx(fitted("tree"))
