"""Tables: every kind of table gives the same numbers, floats are not copied, and each refusal says what to do."""

import datetime
import decimal
import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.data.reading import open_table, read_objects, with_rows
from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import DictionaryColumn, NumberColumn, Table

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
INTEGERS = st.integers(-(2**53), 2**53)
STRING = "str" if int(pd.__version__.split(".")[0]) >= 3 else "string"  # what pandas makes of a list of strings
STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)


def dense(table: Table) -> np.ndarray:
    """Put the panels together again, and check that they cover each column once."""
    covered = sorted(index for panel in table.panels for index in panel.columns)
    assert covered == list(range(table.n_columns))
    for panel in table.panels:
        assert panel.values.shape == (table.n_rows, len(panel.columns))
        assert panel.values.dtype in (np.float32, np.float64)
        assert list(panel.columns) == sorted(panel.columns)
    return np.column_stack([table.column(index).astype(np.float64) for index in range(table.n_columns)])


def read(X, categorical_features="from_dtype") -> Table:
    return learn_and_read(X, categorical_features)[1]


def expect_no_copy(X: np.ndarray) -> None:
    (panel,) = read(X).panels
    assert panel.values.shape == X.shape
    assert panel.values.strides == X.strides
    assert panel.values.__array_interface__["data"] == X.__array_interface__["data"]


# --- the same table in every form ------------------------------------------------------------------------------------


@st.composite
def mixed_columns(draw):
    """Columns of floats, integers, Booleans and strings, each with missing values and at least one value."""
    n_rows = draw(st.integers(1, 8))

    def column(values):
        drawn = draw(st.lists(st.none() | values, min_size=n_rows, max_size=n_rows))
        drawn[draw(st.integers(0, n_rows - 1))] = draw(values)
        return drawn

    return {"f": column(FLOATS), "i": column(INTEGERS), "b": column(st.booleans()), "s": column(STRINGS)}


def forms_of(columns):
    """The same columns as tables of every library and dtype."""
    arrow = pa.table({"f": pa.array(columns["f"], pa.float64()), **{k: columns[k] for k in "ibs"}})
    polars = pl.DataFrame(columns, schema={"f": pl.Float64, "i": pl.Int64, "b": pl.Boolean, "s": pl.String})
    objects = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    yield objects.to_numpy()
    yield [list(row) for row in zip(*columns.values(), strict=True)]
    yield objects
    yield objects.astype({"f": "float64", "i": "Int64", "b": "boolean", "s": STRING})
    yield objects.astype({"f": "Float64", "i": "Int64", "b": "boolean", "s": "string"})
    yield objects.astype({"f": "float64", "i": "Int64", "b": "boolean", "s": "category"})
    yield arrow.to_pandas(types_mapper=pd.ArrowDtype)
    yield polars
    yield polars.with_columns(pl.col("s").cast(pl.Categorical))
    yield polars.with_columns(pl.col("s").cast(pl.Enum(sorted(set(columns["s"]) - {None}, reverse=True))))
    yield nw.from_native(polars)
    yield arrow
    yield arrow.set_column(3, "s", arrow["s"].dictionary_encode())
    yield pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])


@settings(max_examples=60, deadline=None)
@given(mixed_columns())
def test_every_form_gives_the_same_table(columns):
    first, *others = forms_of(columns)
    schema, table = learn_and_read(first)
    expected = dense(table)
    for index, name in enumerate("fib"):
        given_values = [np.nan if value is None else float(value) for value in columns[name]]
        np.testing.assert_array_equal(expected[:, index], given_values)
    for form in others:
        other_schema, other_table = learn_and_read(form)
        np.testing.assert_array_equal(dense(other_table), expected)
        assert [c.categories for c in other_schema.columns] == [c.categories for c in schema.columns]


@settings(max_examples=30, deadline=None)
@given(mixed_columns())
def test_every_form_gives_the_same_categories_by_value(columns):
    schemas = [learn_and_read(form, [True] * 4) for form in forms_of(columns)]
    for schema, table in schemas:
        assert [c.categories for c in schema.columns] == [c.categories for c in schemas[0][0].columns]
        np.testing.assert_array_equal(dense(table), dense(schemas[0][1]))


# --- no copies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "layout",
    [
        np.ascontiguousarray,
        np.asfortranarray,
        lambda X: X[::2, ::-1],
        lambda X: np.broadcast_to(X[:1], X.shape),
    ],
)
def test_float_arrays_are_not_copied(dtype, layout):
    X = layout(np.arange(24, dtype=dtype).reshape(6, 4))
    X.flags.writeable = False
    expect_no_copy(X)


def test_a_mapped_file_is_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    expect_no_copy(np.load(tmp_path / "x.npy", mmap_mode="r"))


def test_columns_beside_a_category_are_slices():
    X = np.arange(20.0).reshape(4, 5)
    table = read(X, [2])
    assert [panel.columns for panel in table.panels] == [(0, 1), (3, 4), (2,)]
    assert all(np.shares_memory(panel.values, X) for panel in table.panels[:2])
    np.testing.assert_array_equal(table.column(2), [0, 1, 2, 3])


def test_a_pandas_block_is_one_panel_without_a_copy():
    frame = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=["a", "b", "d"])
    frame.insert(2, "c", ["x", "y", "x", None])
    table = read(frame)
    assert [panel.columns for panel in table.panels] == [(0, 1, 3), (2,)]
    assert np.shares_memory(table.panels[0].values, frame["d"].to_numpy())
    np.testing.assert_array_equal(dense(table)[:, [0, 1, 3]], np.arange(12.0).reshape(4, 3))
    np.testing.assert_array_equal(table.column(2), [0, 1, 0, np.nan])


def test_separate_pandas_columns_stay_separate_panels():
    frame = pd.DataFrame({"a": np.arange(3.0)})
    frame["b"] = np.arange(3.0) + 7
    frame["c"] = np.arange(3, dtype=np.float32)
    table = read(frame)
    assert len(table.panels) == 3
    np.testing.assert_array_equal(dense(table), frame.to_numpy())


@pytest.mark.parametrize("convert", [pl.DataFrame, pa.table])
def test_polars_and_arrow_floats_are_not_copied(convert):
    values = convert({"a": np.arange(5.0)})
    first, second = read(values).column(0), read(values).column(0)
    assert np.shares_memory(first, second)


# --- dtypes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(name, np.float32) for name in ("bool", "i1", "u1", "i2", "u2", "f2", ">f4", ">i2")]
    + [(name, np.float64) for name in ("i4", "u4", "i8", "u8", "longdouble", ">f8")],
)
def test_other_dtypes_are_cast_without_loss(dtype, expected):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    (panel,) = read(X).panels
    assert panel.values.dtype == expected
    assert panel.values.dtype.isnative
    np.testing.assert_array_equal(panel.values, X)


def test_unaligned_floats_are_copied_to_where_kernels_can_read_them():
    records = np.zeros(3, dtype=[("flag", "i1"), ("x", "f8", (2,))])
    assert not records["x"].flags.aligned
    assert read(records["x"]).panels[0].values.flags.aligned


def test_infinity_is_a_value():
    X = np.array([[np.inf], [-np.inf], [np.nan]])
    np.testing.assert_array_equal(dense(read(X)), X)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "O", "U1"])
def test_masked_values_are_missing(dtype):
    X = np.ma.array(np.array([[1, 2], [3, 4]]).astype(dtype), mask=[[True, False], [False, False]])
    np.testing.assert_array_equal(np.isnan(dense(read(X))), X.mask)


def test_frame_numbers_of_rarer_dtypes():
    frame = pl.DataFrame({
        "decimal": pl.Series(["1.5", None, "2"]).cast(pl.Decimal(10, 2)),
        "wide": pl.Series([1, 2, None], dtype=pl.Int128),
        "null": pl.Series([None] * 3),
        "small": pl.Series([1, None, 3], dtype=pl.Int8),
    })  # fmt: skip
    table = read(frame)
    nan = np.nan
    np.testing.assert_array_equal(dense(table), [[1.5, 1, nan, 1], [nan, 2, nan, nan], [2, nan, nan, 3]])
    assert table.column(3).dtype == np.float32
    np.testing.assert_array_equal(dense(read(frame.drop("wide").to_arrow())), dense(read(frame.drop("wide"))))
    np.testing.assert_array_equal(
        dense(read(frame.drop("wide").to_arrow().to_pandas(types_mapper=pd.ArrowDtype))),
        dense(read(frame.drop("wide"))),
    )


def test_pandas_sparse_columns_are_read():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, np.nan])})
    np.testing.assert_array_equal(dense(read(frame)), [[0], [1], [np.nan]])


def test_polars_null_and_nan_are_missing():
    frame = pl.DataFrame({"f": [1.0, None, float("nan")]})
    np.testing.assert_array_equal(dense(read(frame)), [[1], [np.nan], [np.nan]])


def test_lists_of_rows_keep_numbers_beside_strings():
    schema, table = learn_and_read([["b", 1.5], ["a", 2]])
    assert [column.categories for column in schema.columns] == [("a", "b"), None]
    np.testing.assert_array_equal(dense(table), [[1, 1.5], [0, 2]])
    np.testing.assert_array_equal(dense(read([[1, None], [2, 3]])), [[1, np.nan], [2, 3]])


@pytest.mark.parametrize("dtype", ["U2", np.dtypes.StringDType()])
def test_arrays_of_strings_are_categories(dtype):
    schema, table = learn_and_read(np.array([["b"], ["a"], ["b"]], dtype=dtype))
    assert schema.columns[0].categories == ("a", "b")
    np.testing.assert_array_equal(table.column(0), [1, 0, 1])


def test_arrow_dictionaries_that_differ_by_chunk_are_unified():
    chunks = [pa.array(["b", None]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
    table = read(pa.table({"s": pa.chunked_array(chunks)}))
    np.testing.assert_array_equal(table.column(0), [1, np.nan, 0, 1])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_arrow_strings_of_every_type(kind):
    table = read(pa.table({"s": pa.array(["b", None, "a"], kind)}))
    np.testing.assert_array_equal(table.column(0), [1, np.nan, 0])


# --- columns of objects ----------------------------------------------------------------------------------------------


def test_objects_that_are_numbers():
    values = [1, True, 2.5, np.float32(3), np.int8(4), decimal.Decimal("5.5"), None, pd.NA, pd.NaT, np.nan]
    column = read_objects(values, "Column 0")
    assert isinstance(column, NumberColumn)
    X = np.array(values, dtype=object)[:, None]
    nan = np.nan
    np.testing.assert_array_equal(dense(read(X))[:, 0], [1, 1, 2.5, 3, 4, 5.5, nan, nan, nan, nan])


def test_objects_that_are_strings():
    column = read_objects(["b", None, np.str_("a"), pd.NA, float("nan"), "b"], "Column 0")
    assert isinstance(column, DictionaryColumn)
    assert column.values == ["b", "a"]
    assert [type(value) for value in column.values] == [str, str]
    np.testing.assert_array_equal(column.spread([0, 1], np.float32), [0, np.nan, 1, np.nan, np.nan, 0])


def test_objects_that_are_all_missing_are_numbers():
    np.testing.assert_array_equal(dense(read(pd.DataFrame({"a": [None, None]}, dtype=object))), [[np.nan], [np.nan]])


def test_huge_integers_do_not_overflow():
    np.testing.assert_array_equal(dense(read([[10**30], [-(10**400)], [10**400]])), [[1e30], [-np.inf], [np.inf]])


def test_strings_after_the_first_rows_of_an_object_column_are_seen():
    frame = pd.DataFrame({"a": pd.Series(["x"] * 200 + [1], dtype=object)})
    with pytest.raises(TypeError, match="Column 'a' mixes strings and numbers, such as 'x' and 1"):
        read(frame)


# --- refusals --------------------------------------------------------------------------------------------------------


def test_lazy_frames_are_refused():
    with pytest.raises(TypeError, match=r"LazyFrame. Call .collect\(\) on it first"):
        open_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("X", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_equal_column_names_are_refused(X):
    with pytest.raises(ValueError, match=r"column names of X must be unique.*'a' 2 times"):
        open_table(X)


DATES = [datetime.datetime(2020, 1, 1), None]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"when": pd.to_datetime(DATES)}),
        pd.DataFrame({"when": pd.to_datetime(DATES).tz_localize("UTC")}),
        pd.DataFrame({"when": pd.to_timedelta([1, 2])}),
        pl.DataFrame({"when": DATES}),
        pl.DataFrame({"when": [datetime.date(2020, 1, 1)]}),
        pl.DataFrame({"when": [[1, 2]]}),
        pl.DataFrame({"when": [{"a": 1}]}),
        pl.DataFrame({"when": [b"a"]}),
        pa.table({"when": DATES}),
        pa.table({"when": [[1], [2]]}),
        pd.DataFrame({"when": [1j, 2j]}),
    ],
)
def test_dates_and_nested_columns_are_refused(frame):
    with pytest.raises(TypeError, match=r"Column 'when' holds .* Derive numbers from it"):
        read(frame)


def test_times_of_day_are_refused():
    with pytest.raises(TypeError, match="Column 'when'"):
        read(pl.DataFrame({"when": [datetime.time(1)]}))


def test_arrays_of_dates_are_refused():
    with pytest.raises(TypeError, match=r"X holds datetime64.* Derive numbers from it"):
        read(np.array([["2020-01-01"]], dtype="M8[D]"))


@pytest.mark.parametrize("value", [{"foo": "bar"}, [1], b"a", 1j, datetime.date(2020, 1, 1), object()])
def test_other_objects_are_refused_in_scikit_learn_words(value):
    X = np.empty((2, 1), dtype=object)
    X[:, 0] = [1.0, value]
    expected = f"Column 0: argument must be a string or a number, not {type(value).__name__!r}"
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        read(X)
    with pytest.raises(TypeError, match=expected):
        read(X)


def test_categories_of_other_objects_are_refused():
    with pytest.raises(TypeError, match="Column 'c': argument must be a string or a number, not 'bytes'"):
        read(pd.DataFrame({"c": pd.Categorical([b"a"])}))


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(["2020-05-01", "2021-01-01"]),
        pd.interval_range(0, 2),
        pd.PeriodIndex(["2020-05", "2021-01"], freq="M"),
        pd.to_timedelta([1, 2], unit="D"),
    ],
    ids=lambda values: type(values).__name__,
)
def test_categories_of_intervals_and_times_are_what_they_are_called(values):
    frame = pd.DataFrame({"c": pd.Categorical([values[1], None, values[0]])})
    schema, table = learn_and_read(frame)
    assert schema.columns[0].categories == tuple(sorted(map(str, values)))
    np.testing.assert_array_equal(table.column(0), [1, np.nan, 0])
    objects = np.array([[values[1]], [None], [values[0]]], dtype=object)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(schema.read(objects).column(0), table.column(0))
    strings = pl.DataFrame({"c": [str(values[1]), None, str(values[0])]})
    np.testing.assert_array_equal(schema.read(strings).column(0), table.column(0))


def test_columns_of_intervals_are_categories_and_of_dates_only_on_request():
    intervals = pd.DataFrame({"c": pd.arrays.IntervalArray.from_breaks([0, 1, 2])})
    assert learn_and_read(intervals)[0].columns[0].categories == ("(0, 1]", "(1, 2]")
    dates = pd.DataFrame({"c": [datetime.date(2020, 5, 1), datetime.date(2021, 1, 1)]}, dtype=object)
    with pytest.raises(TypeError, match="Column 'c': argument must be a string or a number, not 'date'"):
        learn_and_read(dates)
    with pytest.raises(TypeError, match="Column 'c': argument must be a string or a number, not 'date'"):
        learn_and_read(dates, None)
    assert learn_and_read(dates, ["c"])[0].columns[0].categories == ("2020-05-01", "2021-01-01")


def test_a_signalling_nan_is_missing():
    values = [decimal.Decimal("sNaN"), decimal.Decimal("1.5")]
    np.testing.assert_array_equal(read(pd.DataFrame({"c": values})).column(0), [np.nan, 1.5])


def test_record_batches_keep_their_names_and_views_their_strings():
    batch = pa.record_batch({"a": [1.0, 2.0], "c": pa.array(["x", "y"], pa.string_view())})
    schema, table = learn_and_read(batch)
    assert schema.names.tolist() == ["a", "c"]
    np.testing.assert_array_equal(table.column(1), [0, 1])
    rows = with_rows(batch)
    assert isinstance(rows, pa.Table)
    assert rows.take([1]).to_pylist() == [{"a": 2.0, "c": "y"}]
    array = np.zeros((2, 2))
    assert with_rows(array) is array
    with pytest.raises(TypeError, match=r"got the lazy LazyFrame. Call .collect\(\) on it first"):
        with_rows(pl.LazyFrame({"a": [1]}))


def test_categories_that_mix_strings_and_numbers_are_refused():
    with pytest.raises(TypeError, match="Column 'c' mixes strings and numbers"):
        read(pd.DataFrame({"c": pd.Categorical(["a", 1])}))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(3), "Expected 2D array, got 1D array instead"),
        (pd.Series([1.0, 2.0]), "Expected 2D array, got 1D array instead"),
        (pl.Series([1.0, 2.0]), "Expected 2D array, got 1D array instead"),
        ([1.0, 2.0], "Expected 2D array, got 1D array instead"),
        (3.0, "Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (np.zeros((0, 3)), re.escape("Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required")),
        (np.zeros((3, 0)), re.escape("Found array with 0 feature(s) (shape=(3, 0)) while a minimum of 1 is required")),
        (pd.DataFrame({"a": []}), re.escape("Found array with 0 sample(s) (shape=(0, 1))")),
        (pl.DataFrame({"a": []}), re.escape("Found array with 0 sample(s) (shape=(0, 1)) while a minimum of 1 is")),
        (pd.DataFrame(index=[0, 1]), re.escape("Found array with 0 feature(s) (shape=(2, 0))")),
        (np.array([[1j]]), "Complex data not supported"),
    ],
)
def test_what_is_no_table_gets_scikit_learn_errors(X, message):
    with pytest.raises(ValueError, match=message):
        open_table(X, "Model")


def test_sparse_matrices_are_opened():
    assert open_table(scipy.sparse.eye_array(3)).n_columns == 3


def test_a_table_says_which_columns_it_has():
    with pytest.raises(IndexError, match="column 2 is not in a table of 2 columns"):
        Schema.learn(np.zeros((1, 2))).read(np.zeros((1, 2))).column(2)
