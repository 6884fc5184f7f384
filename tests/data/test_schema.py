"""Schema: what is learnt does not depend on the table's form, survives JSON, and guards what is read later."""

import copy
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.data.schema import Schema, SchemaColumn, learn_and_read, without_idle_categories
from spinney.data.weights import read_weights

STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
NUMBERS = st.floats(allow_nan=False) | st.integers(-(2**40), 2**40) | st.booleans()
COLUMNS = st.one_of(*(st.lists(st.none() | values, min_size=1, max_size=12) for values in (STRINGS, NUMBERS)))


def objects(values) -> pd.DataFrame:
    return pd.DataFrame({"c": pd.Series(values, dtype=object)})


# --- learning --------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(COLUMNS, st.randoms(use_true_random=False))
def test_row_order_does_not_change_the_schema(values, random):
    shuffled = random.sample(values, len(values))
    stored = [Schema.learn(objects(rows), ["c"]).to_dict() for rows in (values, shuffled)]
    assert json.dumps(stored[0]) == json.dumps(stored[1])


@settings(max_examples=100, deadline=None)
@given(COLUMNS)
def test_json_round_trip_keeps_values_and_their_types(values):
    schema = Schema.learn(objects(values), ["c"])
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict(), allow_nan=False)))
    assert again == schema
    types = [[type(value) for value in stored.columns[0].categories] for stored in (again, schema)]
    assert types[0] == types[1]


@settings(max_examples=100, deadline=None)
@given(COLUMNS, COLUMNS)
def test_codes_are_category_indices_and_unseen_is_missing(values, later):
    schema = Schema.learn(objects(values), ["c"])
    known = schema.columns[0].categories
    kinds = {isinstance(value, str) for value in [*known, *later] if value is not None}
    if known and len(kinds) > 1:
        with pytest.raises(TypeError, match=r"Column 'c' holds (strings|numbers|Booleans), such as .*, but held"):
            schema.read(objects(later))
        return
    codes = schema.read(objects(later)).column(0)
    for value, code in zip(later, codes.tolist(), strict=True):
        if value in known:
            assert known[int(code)] == value
        else:
            assert np.isnan(code)


def test_category_order_and_unused_categories_do_not_matter():
    first = pd.DataFrame({"c": pd.Categorical(["b", "a"], categories=["b", "z", "a"], ordered=True)})
    second = pd.DataFrame({"c": ["a", "b"]})
    assert Schema.learn(first) == Schema.learn(second) == Schema((SchemaColumn("c", ("a", "b")),))


def test_the_declared_order_is_kept_for_readers():
    """It is no part of what a model is: schemas that differ only in it are equal."""
    declared = pd.DataFrame({"c": pd.Categorical(["b", "a", None], categories=["b", "z", "a"]), "d": ["y", "x", "y"]})
    schema = Schema.learn(declared)
    assert [column.shown for column in schema.columns] == [(1, 0), None]
    again = Schema.from_dict(schema.to_dict())
    assert [column.shown for column in again.columns] == [(1, 0), None]
    for dtype, shown in ((pl.Enum(["b", "a"]), (1, 0)), (pl.Categorical, None), (pl.Enum(["a", "b"]), None)):
        table = pl.DataFrame({"c": pl.Series(["b", "a"], dtype=dtype)})
        assert Schema.learn(table).columns[0].shown == shown
    with pytest.raises(ValueError, match="shown of column 'c' must have the number of each category once"):
        Schema.from_dict({"columns": [{"name": "c", "type": "str", "categories": ["a", "b"], "shown": [0, 0]}]})


def test_the_declared_order_without_idle_categories():
    table = pd.DataFrame({"c": pd.Categorical(["c", "b", "a"], categories=["c", "b", "a"])})
    schema, read = learn_and_read(table)
    few, _ = without_idle_categories(schema, read, read_weights(np.array([1.0, 0.0, 1.0]), 3))
    assert (few.columns[0].categories, few.columns[0].shown) == (("a", "c"), (1, 0))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, 3], (1, 3)),
        ([True, False, True], (False, True)),
        ([0.5, -0.0, np.nan], (0.0, 0.5)),
        ([np.inf, -np.inf, 1.0], (-np.inf, 1.0, np.inf)),
        ([2**60 + 1, 2**60], (2**60, 2**60 + 1)),
    ],
)
def test_numbers_named_as_categories_keep_their_type(values, expected):
    for X in (np.array(values)[:, None], pd.DataFrame({"c": values}), pl.DataFrame({"c": values})):
        (categories,) = (column.categories for column in Schema.learn(X, [0]).columns)
        assert categories == expected
        assert [type(value) for value in categories] == [type(value) for value in expected]
        assert str(categories) == str(expected)  # -0.0 is stored as 0.0


def test_integers_with_nulls_stay_integers():
    frame = pl.DataFrame({"c": [2**60 + 1, None, 2**60]})
    assert Schema.learn(frame, ["c"]).columns[0].categories == (2**60, 2**60 + 1)


def test_longdouble_categories_are_plain_floats():
    schema = Schema.learn(np.array([[1.5]], dtype=np.longdouble), [0])
    assert type(schema.columns[0].categories[0]) is float


def test_from_dtype_makes_categories_of_strings_alone():
    frame = pd.DataFrame({"b": [True, False], "n": [1, 2], "s": ["x", "y"], "k": pd.Categorical([7, 5])})
    schema, table = learn_and_read(frame)
    assert schema.is_categorical.tolist() == [False, False, True, True]
    assert schema.columns[3].categories == (5, 7)
    np.testing.assert_array_equal(table.column(0), [1, 0])
    np.testing.assert_array_equal(table.column(3), [1, 0])


@pytest.mark.parametrize("chosen", [["a", "c"], [0, 2], (True, False, True), np.array([2, 0]), pd.Index(["c", "a"])])
def test_ways_to_name_the_categories(chosen):
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": ["x", "y"]})
    assert Schema.learn(frame, chosen).is_categorical.tolist() == [True, False, True]


@pytest.mark.parametrize("chosen", [None, [], [False, False]])
def test_ways_to_name_no_category(chosen):
    assert not Schema.learn(np.zeros((2, 2)), chosen).is_categorical.any()


def test_a_category_dtype_over_numbers_can_be_read_as_numbers():
    frame = pd.DataFrame({"c": pd.Categorical([7, None, 5])})
    schema, table = learn_and_read(frame, None)
    assert schema.columns[0].categories is None
    np.testing.assert_array_equal(table.column(0), [7, np.nan, 5])


def test_a_string_column_of_nothing_has_no_categories():
    frame = pl.DataFrame({"c": [None, None]}, schema={"c": pl.String})
    schema, table = learn_and_read(frame)
    assert schema.columns[0].categories == ()
    assert np.isnan(table.column(0)).all()
    assert Schema.from_dict(schema.to_dict()) == schema


def test_names_follow_scikit_learn():
    assert Schema.learn(np.zeros((1, 2))).names is None
    assert Schema.learn(pd.DataFrame([[1, 2]])).names is None
    names = Schema.learn(pa.table({"a": [1], "b": [2]})).names
    assert names is not None
    assert names.dtype == object
    assert names.tolist() == ["a", "b"]
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        Schema.learn(pd.DataFrame([[1, 2]], columns=["a", 1]))


def test_two_level_column_names_are_no_names():
    columns = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    schema, table = learn_and_read(pd.DataFrame([[1.0, 2.0]], columns=columns))
    assert schema.names is None
    np.testing.assert_array_equal(table.column(1), [2.0])


# --- what categorical_features may not be ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("colour", r"got 'colour': to name one column, write \['colour'\]"),
        ([True], r"got \[True\]: a mask needs one Boolean per column \(2\), but this one has 1"),
        ([0, 2], r"got \[0, 2\]: indices must lie in 0..1"),
        ([-1], r"got \[-1\]: indices must lie in 0..1"),
        (["a", "z"], r"got \['a', 'z'\]: X has no column 'z'; its columns are \['a', 'b'\]"),
        ([0.5], r"got \[0.5\]: its values must be all Booleans, all integers or all strings"),
        ([[0]], r"got \[\[0\]\]: a sequence of one dimension is needed"),
        (3, "got 3: a sequence of one dimension is needed"),
    ],
)
def test_wrong_categorical_features_are_explained(chosen, message):
    with pytest.raises(ValueError, match="categorical_features must be 'from_dtype'.*" + message):
        Schema.learn(pd.DataFrame({"a": [1], "b": [2]}), chosen)


def test_names_need_a_table_with_names():
    with pytest.raises(ValueError, match="X has no column names, so a mask or indices are needed"):
        Schema.learn(np.zeros((1, 2)), ["a"])


@pytest.mark.parametrize("chosen", [None, ["n"]])
def test_a_string_column_not_named_is_explained(chosen):
    frame = pd.DataFrame({"s": ["x", "y"], "n": [1, 2]})
    with pytest.raises(TypeError, match=r"Column 's' holds strings, such as 'x', not numbers. Name the column in cat"):
        Schema.learn(frame, chosen)


# --- reading later ---------------------------------------------------------------------------------------------------


FITTED = pd.DataFrame({"n": [1.0, 2.0, 3.0], "s": ["b", "a", None]})
LATER = {"n": [1.0, 2.0, 3.0], "s": ["a", "new", "b"]}


@pytest.mark.parametrize(
    "later",
    [
        pd.DataFrame(LATER),
        pd.DataFrame(LATER).astype({"s": "category"}),
        pd.DataFrame(LATER).astype({"s": object}),
        pl.DataFrame(LATER),
        pl.DataFrame(LATER).with_columns(pl.col("s").cast(pl.Categorical)),
        pa.table(LATER),
    ],
)
@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_categories_are_compared_by_value(dtype, later):
    table = Schema.learn(FITTED.astype({"s": dtype})).read(later)
    np.testing.assert_array_equal(table.column(0), [1, 2, 3])
    np.testing.assert_array_equal(table.column(1), [0, np.nan, 1])


@pytest.mark.parametrize(
    ("learnt", "later", "expected"),
    [
        ([1, 2], [2.0, 1.5], [1, np.nan]),
        ([False, True], [1, 5], [1, np.nan]),
        ([0, 1], [True, False], [1, 0]),
        ([1.0, 2.0], [2, 1], [1, 0]),
    ],
)
def test_numbers_and_booleans_are_compared_by_value(learnt, later, expected):
    schema = Schema.learn(pd.DataFrame({"c": learnt}), ["c"])
    np.testing.assert_array_equal(schema.read(pd.DataFrame({"c": later})).column(0), expected)


def ways(values):
    """One column of these values, in every form of table."""
    frame = pd.DataFrame({"c": values})
    yield frame
    yield frame.astype(object)
    yield frame.astype("category")
    yield pl.DataFrame({"c": values})
    yield pa.table({"c": values})
    yield pa.table({"c": pa.array(values).dictionary_encode()})
    if isinstance(values[0], str):
        yield frame.astype("string")
        yield pl.DataFrame({"c": values}).with_columns(pl.col("c").cast(pl.Categorical))


KINDS = {"strings": ["7", "5"], "numbers": [7, 5], "Booleans": [True, False]}


@pytest.mark.parametrize(
    ("learnt", "later"),
    [("strings", "numbers"), ("strings", "Booleans"), ("numbers", "strings"), ("Booleans", "strings")],
)
def test_another_kind_of_category_is_explained(learnt, later):
    values = {**KINDS, "strings": ["True", "False"] if "Booleans" in (learnt, later) else KINDS["strings"]}
    example = {kind: min(set(values[kind])) for kind in (learnt, later)}
    message = (
        rf"Column 'c' holds {later}, such as (.*), but held {learnt}, such as {example[learnt]!r}, when GB was fitted. "
        rf"Convert it to {learnt} first"
    )
    for fitted in ways(values[learnt]):
        schema = Schema.learn(fitted, ["c"])
        for X in ways(values[later]):
            with pytest.raises(TypeError, match=message):
                schema.read(X, owner="GB")


def test_another_kind_of_category_in_arrays_is_explained():
    strings = Schema.learn(np.array([[0.5, "7"], [1.5, "5"]], dtype=object))
    for later in (np.array([[0.5, 7]], dtype=object), np.array([[0.5, 7.0]]), np.array([[1, 7]]), [[1, 7]]):
        with pytest.raises(TypeError, match=r"Column 1 holds numbers, such as 7(\.0)?, but held strings, such as '5'"):
            strings.read(later)
    with pytest.raises(TypeError, match="Column 1 holds Booleans, such as True, but held strings"):
        strings.read(np.array([[True, True]]))
    numbers = Schema.learn(np.array([[0.5, 7], [1.5, 5]]), [1])
    with pytest.raises(TypeError, match=r"Column 1 holds strings, such as '7', but held numbers, such as 5\.0"):
        numbers.read(np.array([[0.5, "7"]], dtype=object))


@pytest.mark.parametrize("learnt", KINDS)
def test_nothing_but_missing_values_is_of_every_kind(learnt):
    schema = Schema.learn(pd.DataFrame({"c": KINDS[learnt]}), ["c"])
    frames = [
        pd.DataFrame({"c": [np.nan, np.nan]}),
        pd.DataFrame({"c": [None, None]}, dtype=object),
        pd.DataFrame({"c": [None, None]}, dtype="string"),
        pd.DataFrame({"c": [None, None]}, dtype="Int64"),
        pd.DataFrame({"c": pd.Categorical([None, None], categories=[1, 2])}),
        pl.DataFrame({"c": [None, None]}),
        pl.DataFrame({"c": [None, None]}, schema={"c": pl.String}),
        pl.DataFrame({"c": [None, None]}, schema={"c": pl.Int64}),
        pa.table({"c": pa.nulls(2)}),
    ]
    for frame in frames:
        np.testing.assert_array_equal(schema.read(frame).column(0), [np.nan, np.nan])


def test_a_column_learnt_from_nothing_takes_every_kind():
    schema = Schema.learn(pd.DataFrame({"c": [None, None]}, dtype="string"))
    for values in KINDS.values():
        np.testing.assert_array_equal(schema.read(pd.DataFrame({"c": values})).column(0), [np.nan, np.nan])


@pytest.mark.parametrize("learnt", ["strings", "numbers"])
def test_a_mix_of_kinds_is_explained(learnt):
    schema = Schema.learn(pd.DataFrame({"c": KINDS[learnt]}), ["c"])
    with pytest.raises(TypeError, match=r"Column 'c' mixes strings and numbers, such as '7' and 5\. Make it one kind"):
        schema.read(objects(["7", 5, None]))


def test_booleans_are_categories_where_wanted():
    frames = [
        pd.DataFrame({"b": [True, False, True], "n": [1, 0, 1]}),
        pl.DataFrame({"b": [True, False, True], "n": [1, 0, 1]}),
        pa.table({"b": [True, False, True], "n": [1, 0, 1]}),
        pd.DataFrame({"b": [True, False, True], "n": [1, 0, 1]}).astype({"b": object}),
        pd.DataFrame({"b": [True, False, None], "n": [1, 0, 1]}).astype({"b": "boolean"}),
    ]
    for frame in frames:
        schema, table = learn_and_read(frame, with_booleans=True)
        assert schema.columns == (SchemaColumn("b", (False, True)), SchemaColumn("n"))
        np.testing.assert_array_equal(table.column(0)[:2], [1, 0])
        assert not learn_and_read(frame)[0].is_categorical.any()
        assert not learn_and_read(frame, None, with_booleans=True)[0].is_categorical.any()
    array = np.array([[True], [False]])
    assert Schema.learn(array).columns[0].categories is None
    assert learn_and_read(array, with_booleans=True)[0].columns[0].categories == (False, True)
    assert learn_and_read(array.astype(int), with_booleans=True)[0].columns[0].categories is None


def test_strings_where_numbers_were_are_explained():
    schema = Schema.learn(pd.DataFrame({"n": [1.0, 2.0]}))
    with pytest.raises(TypeError, match=r"Column 'n' holds strings, such as 'x', not numbers. It held numbers when GB"):
        schema.read(pd.DataFrame({"n": ["x", "y"]}), owner="GB")
    missing = schema.read(pd.DataFrame({"n": [None, None]}, dtype="string"))
    assert np.isnan(missing.column(0)).all()


def test_learning_and_reading_agree():
    schema, table = learn_and_read(FITTED)
    assert schema == Schema.learn(FITTED)
    again = schema.read(FITTED)
    assert [panel.columns for panel in again.panels] == [panel.columns for panel in table.panels]
    for index in range(2):
        np.testing.assert_array_equal(again.column(index), table.column(index))


def test_wrong_number_of_columns_in_scikit_learn_words():
    schema = Schema.learn(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="X has 3 features, but GradientBoostingClassifier is expecting 4 features as"):
        schema.read(np.zeros((2, 3)), owner="GradientBoostingClassifier")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["b", "a"], "Feature names must be in the same order as they were in fit."),
        (["a", "z"], "Feature names unseen at fit time:\n- z\nFeature names seen at fit time, yet now missing:\n- b"),
        (["a"], "Feature names seen at fit time, yet now missing:\n- b"),
    ],
)
@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_wrong_names_in_scikit_learn_words(columns, message, convert):
    schema = Schema.learn(pd.DataFrame({"a": [1], "b": [2]}))
    later = convert(pd.DataFrame({name: [1] for name in columns}))
    expected = "The feature names should match those that were passed during fit.\n" + message
    with pytest.raises(ValueError, match=expected):
        schema.read(later)


def test_names_on_one_side_alone_are_a_warning():
    named, nameless = pd.DataFrame({"a": [1.0]}), np.array([[1.0]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but GB was fitted with feature names"):
        Schema.learn(named).read(nameless, owner="GB")
    with pytest.warns(UserWarning, match="X has feature names, but this model was fitted without feature names"):
        Schema.learn(nameless).read(named)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Schema.learn(named).read(named)
        Schema.learn(nameless).read(nameless)
        Schema.learn(nameless).read(pd.DataFrame([[1.0]]))


# --- storing ---------------------------------------------------------------------------------------------------------


def test_pickles_and_copies_hold_the_columns_alone():
    schema, _ = learn_and_read(FITTED)
    assert "index_of" in vars(schema.columns[1])
    for again in (pickle.loads(pickle.dumps(schema)), copy.deepcopy(schema)):
        assert again == schema
        assert set(vars(again)) == {"columns"}
        assert set(vars(again.columns[1])) == {"name", "categories", "boolean", "shown"}
        np.testing.assert_array_equal(again.read(FITTED).column(1), [1, 0, np.nan])


@pytest.mark.parametrize(
    "stored",
    [
        {},
        [],
        None,
        {"columns": 3},
        {"columns": [None]},
        {"columns": [{"name": "a"}]},
        {"columns": [{"name": 1, "categories": None}]},
        {"columns": [{"name": "a", "categories": ["x"]}]},
        {"columns": [{"name": "a", "type": "bytes", "categories": ["x"]}]},
        {"columns": [{"name": "a", "type": [], "categories": ["x"]}]},
        {"columns": [{"name": "a", "type": "str", "categories": [1]}]},
        {"columns": [{"name": "a", "type": "int", "categories": [True]}]},
        {"columns": [{"name": "a", "type": "float", "categories": ["nan"]}]},
        {"columns": [{"name": "a", "type": "float", "categories": [float("nan"), 1.0]}]},
        {"columns": [{"name": "a", "type": "str", "categories": ["b", "a"]}]},
        {"columns": [{"name": "a", "type": "str", "categories": 5}]},
        {"columns": [{"name": "a", "categories": None}, {"name": "a", "categories": None}]},
        {"columns": [{"name": "a", "categories": None}, {"name": None, "categories": None}]},
    ],
)
def test_a_damaged_schema_is_refused(stored):
    with pytest.raises(ValueError, match=r"stored schema|column"):
        Schema.from_dict(stored)
