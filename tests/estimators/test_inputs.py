"""Tables and targets as they come: every container, dtype and oddity gives the model that its values deserve."""

import copy
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import spinney
from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from tests.boosted import plain_trees

FEW = {"n_estimators": 8, "random_state": 0, "min_samples_leaf": 3, "min_samples_category": 1}


def draw(n_rows=120, seed=0):
    """Numbers with gaps, a Boolean, a string and an integer column, and a target that depends on all of them."""
    rng = np.random.RandomState(seed)
    size = np.where(rng.rand(n_rows) < 0.2, np.nan, rng.randn(n_rows).round(3))
    wet = rng.rand(n_rows) < 0.5
    colour = rng.choice(["red", "green", "blue", "grey"], n_rows).astype(object)
    colour[rng.rand(n_rows) < 0.1] = None
    count = rng.randint(-5, 50, n_rows)
    effect = {"red": 2.0, "green": -1.0, "blue": 0.0, "grey": 1.0, None: 4.0}
    y = np.nan_to_num(size, nan=3.0) + wet + np.array([effect[c] for c in colour]) + count / 10
    return {"size": size, "wet": wet, "colour": colour, "count": count}, y


COLUMNS, Y = draw()
CLASSES = np.where(Y > np.median(Y), "high", "low")
FRAME = pandas.DataFrame(COLUMNS)


def containers():
    gaps = [None if np.isnan(value) else float(value) for value in COLUMNS["size"]]
    lists = {"size": gaps, **{name: COLUMNS[name].tolist() for name in ("wet", "colour", "count")}}
    return {
        "pandas": FRAME,
        "pandas nullable": FRAME.convert_dtypes(),
        "pandas categories": FRAME.astype({"colour": "category"}),
        "pandas unordered categories": FRAME.assign(
            colour=pandas.Categorical(COLUMNS["colour"], ["unused", "grey", "red", "blue", "green"])
        ),
        "polars": polars.DataFrame(lists),
        "polars categories": polars.DataFrame(lists).with_columns(polars.col("colour").cast(polars.Categorical)),
        "arrow": pyarrow.table(lists),
        "arrow dictionary": pyarrow.table({**lists, "colour": pyarrow.array(lists["colour"]).dictionary_encode()}),
    }


TABLES = containers()


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_gives_the_same_model(name):
    table = TABLES[name]
    expected = Classifier(**FEW).fit(FRAME, CLASSES)
    model = Classifier(**FEW).fit(table, CLASSES)
    assert model.fingerprint_ == expected.fingerprint_
    assert model.feature_names_in_.tolist() == ["size", "wet", "colour", "count"]
    assert (model.predict_proba(table) == expected.predict_proba(FRAME)).all()
    assert (expected.predict_proba(table) == expected.predict_proba(FRAME)).all()  # fit on one kind, predict on another


def test_every_column_matters():
    model = Regressor(n_estimators=40, random_state=0, min_samples_leaf=3, min_samples_category=1).fit(FRAME, Y)
    assert model.score(FRAME, Y) > 0.95
    assert (model.feature_importances_ > 0).all()
    assert any(tree.is_category.any() for tree in plain_trees(model))


def test_an_unknown_category_is_treated_as_missing():
    model = Regressor(**FEW).fit(FRAME, Y)
    missing, unknown, known = (FRAME.assign(colour=value) for value in (None, "violet", "blue"))
    assert (model.predict(unknown) == model.predict(missing.astype({"colour": object}))).all()
    assert (model.predict(unknown) != model.predict(known)).any()


def test_missing_values_are_learnt_from():
    rng = np.random.RandomState(0)
    X = rng.randn(200, 2)
    X[::2, 0] = np.nan
    y = np.isnan(X[:, 0]) * 10.0
    model = Regressor(n_estimators=60, learning_rate=0.3).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=0.1)
    assert model.feature_importances_[0] == 1.0
    never = Regressor(**FEW).fit(np.nan_to_num(X), y)  # none in training: they go with the majority, and nothing fails
    assert np.isfinite(never.predict(X)).all()


def test_infinities_are_values():
    rng = np.random.RandomState(0)
    x = rng.choice([-np.inf, -1.0, 0.0, 1.0, np.inf, np.nan], 300)
    y = np.select([x == -np.inf, x == np.inf, np.isnan(x)], [-20.0, 20.0, 5.0], x)
    model = Regressor(n_estimators=80, learning_rate=0.3, min_samples_leaf=5).fit(x[:, None], y)
    np.testing.assert_allclose(model.predict(x[:, None]), y, atol=0.1)
    huge = np.array([[-1e300], [1e300]])
    assert model.predict(huge)[0] < 0 < model.predict(huge)[1]


# --- arrays ----------------------------------------------------------------------------------------------------------


def arrays(tmp_path):
    small = np.random.RandomState(0).randint(0, 100, (150, 4)).astype(np.float64)
    read_only = small.copy()
    read_only.setflags(write=False)
    mapped = np.memmap(tmp_path / "table", np.float64, "w+", shape=small.shape)
    mapped[:] = small
    mapped.flush()
    wide = np.zeros((300, 8))
    wide[::2, ::2] = small
    return small, {
        "Fortran order": np.asfortranarray(small),
        "read-only": read_only,
        "memory-mapped": np.memmap(tmp_path / "table", np.float64, "r", shape=small.shape),
        "strided": wide[::2, ::2],
        "reversed": small[::-1].copy()[::-1],
        "big-endian": small.astype(">f8"),
        "float32": small.astype(np.float32),
        "float16": small.astype(np.float16),
        "int8": small.astype(np.int8),
        "int64": small.astype(np.int64),
        "uint16": small.astype(np.uint16),
        "object": small.astype(object),
        "list": small.tolist(),
    }


def test_every_layout_and_dtype_gives_the_same_model(tmp_path):
    expected, others = arrays(tmp_path)
    y = np.sin(expected[:, 0]) + expected[:, 1]
    model = Regressor(**FEW).fit(expected, y)
    for name, X in others.items():
        one = Regressor(**FEW).fit(X, y)
        assert one.fingerprint_ == model.fingerprint_, name
        assert (model.predict(X) == model.predict(expected)).all(), name
        if isinstance(X, np.ndarray) and X.dtype != object:
            np.testing.assert_array_equal(X, expected.astype(X.dtype))  # the caller's array is as it was


def test_booleans_are_numbers():
    X = np.random.RandomState(0).rand(100, 3) < 0.5
    y = X[:, 0] * 3.0 + X[:, 1]
    assert Regressor(**FEW).fit(X, y).fingerprint_ == Regressor(**FEW).fit(X.astype(float), y).fingerprint_


def test_categories_can_be_named_by_number_name_or_mask():
    X = np.random.RandomState(0).randint(0, 6, (120, 3))
    y = np.array([5.0, 0.0, 3.0, 1.0, 4.0, 2.0])[X[:, 1]]
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    by_number = Regressor(categorical_features=[1], **FEW).fit(X, y)
    by_mask = Regressor(categorical_features=[False, True, False], **FEW).fit(X, y)
    by_name = Regressor(categorical_features=["b"], **FEW).fit(frame, y)
    assert by_number.fingerprint_ == by_mask.fingerprint_ == by_name.fingerprint_
    assert by_number.fingerprint_ != Regressor(**FEW).fit(X, y).fingerprint_
    with pytest.raises(ValueError, match="categorical_features must be"):
        Regressor(categorical_features=[7]).fit(X, y)


def test_three_hundred_categories():
    rng = np.random.RandomState(0)
    effect = rng.randn(300)
    place = np.concatenate([np.arange(300), rng.randint(0, 300, 5700)])
    X = pandas.DataFrame({"town": np.char.add("t", place.astype(str)), "noise": rng.randn(6000)})
    y = effect[place] + 0.1 * rng.randn(6000)
    model = Regressor(n_estimators=40, random_state=0, min_samples_category=1).fit(X, y)
    assert model.score(X, y) > 0.7
    assert len(model._schema.columns[0].categories) == 300
    assert model._booster.bins.n_bins[0] == 255  # the rarest share the last
    assert np.isfinite(model.predict(pandas.DataFrame({"town": ["nowhere"], "noise": [0.0]}))).all()


# --- odd shapes ------------------------------------------------------------------------------------------------------


def test_constant_and_empty_columns_are_passed_over():
    rng = np.random.RandomState(0)
    signal = rng.randn(200)
    X = np.column_stack([np.full(200, 7.0), np.full(200, np.nan), signal, np.full(200, np.inf)])
    model = Regressor(**FEW).fit(X, signal)
    assert (model.feature_importances_ == [0, 0, 1, 0]).all()
    assert model.score(X, signal) > 0.6
    X[:, :2] = 1.0, 2.0  # whatever comes there later makes no difference
    assert model.score(X, signal) > 0.6
    only = Regressor(**FEW).fit(X[:, :1], signal)
    np.testing.assert_allclose(only.predict(X[:5, :1]), signal.mean())


def test_an_empty_column_has_no_edges():
    X = np.column_stack([np.full(50, np.nan), np.arange(50.0)])
    bins = Regressor(**FEW).fit(X, np.arange(50.0))._booster.bins
    assert len(bins.edges[0]) == 0
    assert bins.n_bins.tolist() == [1, 50]


def test_one_row_per_class():
    assert Classifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"]).predict([[0.0], [9.0]]).tolist() == ["a", "c"]
    with pytest.warns(UserWarning, match="No tree can split"):
        model = Classifier(min_samples_leaf=20).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    np.testing.assert_allclose(model.predict_proba([[0.0], [9.0]]), 1 / 3)
    pair = Classifier(min_samples_leaf=1, min_child_weight=0).fit([[0.0], [1.0]], ["a", "b"])
    assert pair.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


def test_one_row():
    assert Regressor().fit([[1.0, 2.0]], [3.0]).predict([[0.0, 0.0]]) == [3.0]


def test_more_columns_than_rows():
    rng = np.random.RandomState(0)
    X = rng.randn(40, 700)
    y = 3.0 * (X[:, 333] > 0) + 0.01 * rng.randn(40)
    model = Regressor(n_estimators=60, min_samples_leaf=3).fit(X, y)
    assert model.feature_importances_.argmax() == 333
    assert model.score(X, y) > 0.9


def test_many_classes():
    X = np.arange(400.0)[:, None]
    y = np.arange(400) // 20
    model = Classifier(n_estimators=30, min_samples_leaf=5).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict_proba(X).shape == (400, 20)


def test_targets_in_every_container():
    for y in (
        CLASSES,
        CLASSES.tolist(),
        CLASSES.astype(object),
        pandas.Series(CLASSES),
        pandas.Series(CLASSES, dtype="category"),
        polars.Series(CLASSES.tolist()),
        pyarrow.array(CLASSES.tolist()),
    ):
        model = Classifier(**FEW).fit(FRAME, y)
        assert model.classes_.tolist() == ["high", "low"]
        assert set(model.predict(FRAME)) == {"high", "low"}
    assert Classifier(**FEW).fit(FRAME, CLASSES == "low").predict(FRAME).dtype == bool
    expected = Regressor(**FEW).fit(FRAME, Y).fingerprint_
    for y in (Y.tolist(), pandas.Series(Y), pandas.Series(Y, dtype="Float64"), polars.Series(Y), pyarrow.array(Y)):
        assert Regressor(**FEW).fit(FRAME, y).fingerprint_ == expected
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert Regressor(**FEW).fit(FRAME, Y[:, None]).fingerprint_ == expected


# --- errors ----------------------------------------------------------------------------------------------------------


def test_columns_must_be_those_of_the_fit():
    model = Regressor(**FEW).fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        model.predict(FRAME[["wet", "size", "colour", "count"]])
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen at fit time.*- depth"):
        model.predict(FRAME.rename(columns={"size": "depth"}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(FRAME[["size", "wet"]])
    nameless = Regressor(**FEW).fit(FRAME[["size", "count"]].to_numpy(), Y)
    with pytest.raises(ValueError, match="X has 3 features, but GradientBoostingRegressor is expecting 2 features"):
        nameless.predict(np.zeros((2, 3)))
    with pytest.warns(UserWarning, match="X has feature names, but GradientBoostingRegressor was fitted without"):
        nameless.predict(FRAME[["size", "count"]])


def test_strings_where_numbers_were_are_refused():
    model = Regressor(**FEW).fit(FRAME, Y)
    with pytest.raises(TypeError, match=r"'size'.*held numbers when GradientBoostingRegressor was fitted"):
        model.predict(FRAME.assign(size="big"))
    with pytest.raises(TypeError, match=r"'colour'.*Name the column in categorical_features"):
        Regressor(categorical_features=None).fit(FRAME, Y)


@pytest.mark.parametrize(
    "y, message",
    [
        (np.full(120, "same"), "y must hold at least two classes, but has only one class: 'same'"),
        (np.ones(120), r"only one class: 1\.0"),
        (np.where(np.arange(120) == 5, np.nan, 1.0), r"Input y contains NaN"),
        (np.array([None, *CLASSES[1:]], object), r"Input y contains missing labels \(None or NaN\)"),
        (pandas.Series([pandas.NA, *CLASSES[1:]], dtype="string"), "Input y contains missing labels"),
        (Y, "Unknown label type: continuous"),
        (CLASSES[:7], "X has 120, y has 7"),
    ],
)
def test_impossible_classes_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Classifier().fit(FRAME, y)


@pytest.mark.parametrize(
    "y, message",
    [
        (
            np.where(np.arange(120) == 5, np.nan, Y),
            r"Input y contains NaN or infinity\. Drop those rows or fill them in",
        ),
        (np.where(np.arange(120) == 5, np.inf, Y), r"Input y contains NaN or infinity"),
        (CLASSES, "y must hold numbers for GradientBoostingRegressor, got strings"),
        (Y[:7], "X has 120, y has 7"),
        (np.column_stack([Y, Y]), "y should be a 1d array"),
    ],
)
def test_impossible_values_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Regressor().fit(FRAME, y)


# --- with others -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_is_the_same_model(copied):
    model = Classifier(**FEW).fit(FRAME, CLASSES)
    other = copied(model)
    assert other.fingerprint_ == model.fingerprint_
    assert (other.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    assert other.get_params() == model.get_params()
    assert other.set_params(warm_start=True, n_estimators=10).fit(FRAME, CLASSES).n_iter_ == 10
    assert model.n_iter_ == 8


def test_a_clone_is_not_fitted():
    new = clone(Classifier(**FEW).fit(FRAME, CLASSES))
    assert not hasattr(new, "fingerprint_")
    assert not hasattr(new, "feature_importances_")


def test_pipelines_searches_and_cross_validation():
    X, y = np.random.RandomState(0).randn(150, 3), np.arange(150) % 2
    X[:, 1] += 2 * y
    pipeline = make_pipeline(StandardScaler(), Classifier(**FEW))
    search = GridSearchCV(pipeline, {"gradientboostingclassifier__max_leaf_nodes": [2, 8]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.75
    assert search.best_estimator_[-1].n_features_in_ == 3
    scores = cross_val_score(Classifier(**FEW), FRAME, CLASSES, cv=3, scoring="neg_log_loss")
    assert (scores > np.log(0.5)).all()
    parallel = GridSearchCV(Regressor(**FEW), {"max_depth": [1, 3]}, cv=2, n_jobs=2).fit(FRAME, Y)
    assert parallel.best_params_ == {"max_depth": 3}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_labels_of_whole_numbers(dtype):
    """Labels are found by counting, not sorting: the same ones, however far apart, and in y's own type."""
    for labels in ((0, 1), (5, 7), (0, 100, 120)):
        y = np.array(labels, dtype)[np.arange(600) % len(labels)]
        model = Classifier(n_estimators=1).fit(np.arange(600.0)[:, None] % len(labels), y)
        np.testing.assert_array_equal(model.classes_, labels)
        assert model.classes_.dtype == dtype
        np.testing.assert_array_equal(model.predict(np.arange(3.0)[:, None] % len(labels)), y[:3])


def test_labels_from_one_end_of_a_byte_to_the_other():
    y = np.array([-128, 127], np.int8)[np.arange(2000) % 2]
    model = Classifier(n_estimators=1).fit(np.arange(2000.0)[:, None] % 2, y)
    np.testing.assert_array_equal(model.classes_, [-128, 127])
    np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), [-128, 127])


@pytest.mark.parametrize(
    "name",
    [
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "RandomForestClassifier", "ExtraTreesRegressor"),
        *("GradientBoostingClassifier", "GradientBoostingRegressor", "AdaBoostClassifier", "AdaBoostRegressor"),
        *("BaggingClassifier", "BaggingRegressor", "C45Classifier"),
    ],
)
def test_a_masked_target_is_refused(name):
    """In X a mask means missing; a target must not be missing."""
    table, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    model = getattr(spinney, name)()
    with pytest.raises(ValueError, match=r"Input y is a masked array with 2 masked values\. Drop those rows or fill"):
        model.fit(table, np.ma.array(y, mask=np.arange(20) < 2))
    model.fit(table, np.ma.array(y, mask=False))


@pytest.mark.parametrize(
    ("X", "y", "weight", "words"),
    [
        (
            "flights.csv",
            [0, 1],
            None,
            r"X must be a table of rows and columns, got the text 'flights.csv': open the file",
        ),
        (None, [0, 1], None, r"X must be a table of rows and columns, got None"),
        ([[1.0], [2.0]], "late", None, r"y must be one value per row, got the text 'late'. Pass the column itself"),
        ([[1.0], [2.0]], [0, 1], "w", r"sample_weight must be one number per row, got 'w'. Pass the column itself"),
    ],
)
@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "GradientBoostingClassifier"])
def test_names_in_place_of_tables_and_columns(kind, X, y, weight, words):
    with pytest.raises(TypeError, match=words):
        getattr(spinney, kind)().fit(X, y, weight)


@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "GradientBoostingClassifier", "RandomForestClassifier"])
def test_whole_numbers_that_come_as_objects_are_classes(kind):
    X = np.arange(60.0)[:, None]
    for y in (np.array([0, 1] * 30, object), np.array([False, True] * 30, object)):
        model = getattr(spinney, kind)(random_state=0).fit(X, y)
        assert model.classes_.dtype.kind in "ib"
        assert model.fingerprint_ == getattr(spinney, kind)(random_state=0).fit(X, np.array(y.tolist())).fingerprint_
