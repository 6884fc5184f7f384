"""ID3 and C4.5 as scikit-learn estimators: its own checks, none excused; tables of all kinds; bad input."""

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from spinney import C45Classifier, ID3Classifier, export_text
from spinney.datasets import load_penguins, load_tennis

BOTH = [ID3Classifier, C45Classifier]
both = pytest.mark.parametrize("kind", BOTH)


# --- documentation ---


@both
def test_every_parameter_is_documented_and_checked(kind):
    documented = re.search(r"Parameters\n-+\n(.*?)Attributes\n", inspect.getdoc(kind), re.DOTALL).group(1)
    names = set(re.findall(r"^(\w+) : ", documented, re.MULTILINE))
    assert names == set(inspect.signature(kind.__init__).parameters) - {"self"}
    assert names == set(kind._parameter_constraints)


@both
def test_every_documented_attribute_exists_after_fit(kind):
    documented = re.search(r"Attributes\n-+\n(.*?)Examples\n", inspect.getdoc(kind), re.DOTALL).group(1)
    names = re.findall(r"^(\w+_)(?: : |$)", documented, re.MULTILINE)
    X, y = load_tennis()
    model = kind().fit(X, y)
    assert "fingerprint_" in names
    assert all(hasattr(model, name) for name in names)
    assert not hasattr(kind(), "fingerprint_")


@both
@pytest.mark.parametrize(
    ("name", "value"), [("max_depth", 0), ("categorical_features", "a"), ("max_depth", 1.5), ("max_depth", "deep")]
)
def test_bad_parameters(kind, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {kind.__name__} must be"):
        kind(**{name: value}).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(("name", "value"), [("min_samples_split", 1), ("min_gain", -0.1)])
def test_bad_parameters_of_id3(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of ID3Classifier must be"):
        ID3Classifier(**{name: value}).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_samples_leaf", 0), ("cf", 0.0), ("cf", 0.51), ("prune", "yes"), ("subtree_raising", 2), ("mdl", None)],
)
def test_bad_parameters_of_c45(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of C45Classifier must be"):
        C45Classifier(**{name: value}).fit([["a"], ["b"]], [0, 1])


# --- tables ---


@both
def test_pandas_polars_arrow_and_objects_give_one_tree(kind):
    X, y = load_tennis()
    X = X.astype({"Windy": str}).astype(object)
    X.iloc[3, 0] = None
    model = kind().fit(X, y)
    frame = pl.DataFrame({name: X[name].tolist() for name in X})
    for other in (frame, frame.to_arrow(), X.astype("category"), X.to_numpy()):
        again = kind().fit(other, y)
        assert again.fingerprint_ == model.fingerprint_
        assert again.predict(other).tolist() == model.predict(X).tolist()
    assert list(model.feature_names_in_) == list(X.columns)


def test_booleans_and_codes_are_categories_for_id3():
    y = [0, 1, 1, 0]
    for column in ([True, False, False, True], [3, 7, 7, 3], [0.0, 31.0, 31.0, 0.0], [0.0, 1.0, np.nan, 0.0]):
        frame = pd.DataFrame({"a": column})
        model = ID3Classifier().fit(frame, y)
        assert model.predict(frame)[[0, 1, 3]].tolist() == [0, 1, 0]
        array = frame.to_numpy()
        assert ID3Classifier().fit(array, y).predict(array)[[0, 1, 3]].tolist() == [0, 1, 0]


@pytest.mark.parametrize("strange", [0.5, 32, -1, 80, np.inf])
def test_other_numbers_in_a_frame_are_an_error_for_id3(strange):
    frame = pd.DataFrame({"a": ["x", "y", "x"], "age": [1.0, strange, np.nan]})
    with pytest.raises(
        ValueError, match=f"Column 'age' holds numbers such as {strange:g}, but ID3Classifier accepts only"
    ) as e:
        ID3Classifier().fit(frame, [0, 1, 0])
    for way_out in ("pandas.cut", "KBinsDiscretizer", "categorical_features", "C45Classifier"):
        assert way_out in str(e.value)
    named = ID3Classifier(categorical_features=["a", "age"]).fit(frame, [0, 1, 0])
    assert named.predict(frame).tolist() == [0, 1, 0]


def test_many_numbers_in_an_array_are_an_error_for_id3():
    X = np.random.default_rng(0).random((33, 2))
    with pytest.raises(
        ValueError, match="Column '0' holds 33 different numbers, but ID3Classifier accepts only categories"
    ):
        ID3Classifier().fit(X, np.arange(33) % 2)
    assert ID3Classifier().fit(X[:32], np.arange(32) % 2).get_n_leaves() == 32
    assert ID3Classifier(categorical_features=[0, 1]).fit(X, np.arange(33) % 2).get_n_leaves() == 33


@both
def test_strings_that_are_not_named_are_an_error(kind):
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]})
    with pytest.raises(TypeError, match="Column 'b' holds strings, such as 'x', not numbers"):
        kind(categorical_features=["a"]).fit(frame, [0, 1])


def test_c45_takes_a_real_table_as_it_comes():
    X, y = load_penguins()
    assert X.isna().any().any()
    assert cross_val_score(C45Classifier(), X, y, cv=5).mean() > 0.93
    named = C45Classifier(categorical_features=["island", "sex", "year"] if "year" in X else "from_dtype").fit(X, y)
    assert named.score(X, y) > 0.95


@both
def test_columns_without_information(kind):
    frame = pd.DataFrame({"none": [None] * 8, "one": ["a"] * 8, "good": list("xxxxyyyy")})
    model = kind().fit(frame, [0, 0, 0, 0, 1, 1, 1, 1])
    assert model.tree_.feature[0] == 2
    np.testing.assert_array_equal(model.feature_importances_, [0, 0, 1])
    lost = kind().fit(frame[["none", "one"]], [0, 0, 0, 1, 1, 0, 0, 0])
    assert (lost.get_n_leaves(), lost.get_depth()) == (1, 0)
    assert lost.predict(frame[["none", "one"]]).tolist() == [0] * 8
    np.testing.assert_array_equal(lost.feature_importances_, [0, 0])


def test_an_all_missing_column_of_numbers():
    X = np.column_stack([np.full(8, np.nan), np.repeat([0.0, 1.0], 4)])
    for kind in BOTH:
        assert kind().fit(X, np.repeat([0, 1], 4)).tree_.feature[0] == 1


@both
def test_one_row_and_one_class(kind):
    assert kind().fit([["a"]], ["yes"]).predict([["b"]]).tolist() == ["yes"]
    model = kind().fit([["a"], ["b"], ["c"]], [7, 7, 7])
    assert model.predict([["a"], ["z"]]).tolist() == [7, 7]
    assert model.predict_proba([["a"]]).tolist() == [[1.0]]


@both
def test_three_hundred_categories_and_a_thousand_classes(kind):
    rng = np.random.default_rng(0)
    X = np.char.add("c", rng.integers(0, 300, (5000, 2)).astype(str))
    y = (X[:, 0] > "c2").astype(int)
    assert kind().fit(X, y).score(X, y) == 1.0
    many = np.repeat(np.arange(1000), 4)
    X = np.column_stack([many // 32, many % 32]).astype(str)
    assert kind().fit(X, many).score(X, many) > 0.9


def test_a_thousand_classes_by_numbers():
    X = np.arange(4000.0)[:, None]
    y = np.arange(4000) // 4
    assert C45Classifier(min_samples_leaf=1).fit(X, y).score(X, y) > 0.9


@both
def test_read_only_input_is_left_alone(kind):
    X, y, weight = np.tile([[0.0, 1.0], [1.0, 0.0]], (5, 1)), np.tile([0, 1], 5), np.ones(10) * 0.5
    before = X.copy(), y.copy(), weight.copy()
    for array in (X, y, weight):
        array.flags.writeable = False
    kind().fit(X, y, weight).predict(X)
    for array, old in zip((X, y, weight), before, strict=True):
        np.testing.assert_array_equal(array, old)


# --- bad input ---


@both
@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        ([0, 1], None, "X and y must have the same number of rows: X has 3, y has 2"),
        (["a", None, "b"], None, "Input y contains missing labels"),
        ([0.0, np.nan, 1.0], None, "Input y contains NaN"),
        ([0.5, 1.5, 2.25], None, "Unknown label type"),
        ([0, 1, 0], [1, -1, 1], "sample_weight must not be negative"),
        ([0, 1, 0], [0, 0, 0], "Sample weights must contain at least one non-zero number"),
        ([0, 1, 0], [1, np.nan, 1], "sample_weight contains NaN"),
        ([0, 1, 0], [1, 1], "sample_weight.shape == "),
    ],
)
def test_bad_targets_and_weights(kind, y, weight, message):
    with pytest.raises(ValueError, match=message):
        kind().fit([["a"], ["b"], ["c"]], y, weight)


@both
def test_empty_tables(kind):
    with pytest.raises(ValueError, match="0 sample"):
        kind().fit(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match="0 feature"):
        kind().fit(np.empty((2, 0)), [0, 1])


@both
def test_a_failed_fit_leaves_the_model_as_it_was(kind):
    model = kind().fit([["a"], ["b"]], ["no", "yes"])
    before = model.fingerprint_
    with pytest.raises(ValueError, match="missing labels"):
        model.fit([["a", "b"], ["b", "b"]], ["no", None])
    assert model.fingerprint_ == before
    assert model.n_features_in_ == 1
    assert model.predict([["a"]]).tolist() == ["no"]


# --- company ---


@both
def test_pickle_clone_and_search(kind):
    X, y = load_tennis()
    model = kind(max_depth=2).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.fingerprint_ == model.fingerprint_
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert clone(model).get_params() == model.get_params()
    assert GridSearchCV(kind(), {"max_depth": [1, None]}, cv=2).fit(X, y).best_score_ > 0


def test_weights_that_add_up_to_one_as_in_boosting():
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    one = C45Classifier(max_depth=2).fit(X, y).score(X, y)
    many = AdaBoostClassifier(C45Classifier(max_depth=2), n_estimators=20, random_state=0).fit(X, y).score(X, y)
    assert many > one + 0.05


@both
def test_a_table_large_enough_for_a_thread_of_its_own(kind):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 20, (30_000, 4)).astype(np.float64)
    y = (X[:, 0] > 7) ^ (X[:, 1] % 3 == 1)
    model = kind().fit(X, y)
    assert model.score(X, y) > 0.99
    assert kind().fit(X, y).fingerprint_ == model.fingerprint_


# --- Booleans ---


@both
@pytest.mark.parametrize("form", ["pandas", "objects", "nullable", "polars", "array"])
def test_booleans_are_categories(kind, form):
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, bool)
    y = values[:, 0] ^ values[:, 1]
    frame = pd.DataFrame(values, columns=["A", "B"])
    forms = {"pandas": frame, "objects": frame.astype(object), "nullable": frame.astype("boolean")}
    X = {**forms, "polars": pl.from_pandas(frame), "array": values}[form]
    model = kind().fit(X, y)
    assert model.score(X, y) == 1.0  # exclusive or: no column gains by itself
    again = kind().fit(frame.astype(str), y)
    assert model.tree_.feature.tolist() == again.tree_.feature.tolist()
    if form != "array":
        assert "A = true" in export_text(model)
        assert "<=" not in export_text(model)


def test_booleans_with_missing_values_and_numbers_beside_them():
    frame = pd.DataFrame({"wet": [True, False, None, True] * 10, "n": [1, 2, 3, 4] * 10})
    model = C45Classifier().fit(frame, [1, 0, 0, 1] * 10)
    assert export_text(model).startswith("|--- wet = false")
    assert model.predict(pd.DataFrame({"wet": [1.0, 0.0], "n": [1, 1]})).tolist() == [1, 0]  # by value
    named = C45Classifier(categorical_features=["n"]).fit(frame.fillna({"wet": False}).astype(bool), [1, 0, 0, 1] * 10)
    assert named.tree_.threshold[0] == 0.5  # a number: only what is named is a category
    assert "wet = true" in export_text(named)
