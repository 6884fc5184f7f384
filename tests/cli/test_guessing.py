"""What columns are taken for."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.cli.files import open_source
from spinney.cli.kinds import MISSING
from spinney.cli.reading import read_table, survey
from tests.oracles.columns import read_column

CELLS = st.sampled_from(
    [
        "1",
        "2.5",
        "-3",
        "1e3",
        "+4",
        ".5",
        "7.",
        "0",
        "007",
        " 8 ",
        "",
        "NA",
        "?",
        "NaN",
        "true",
        "False",
        "x",
        "y z",
        "1,5",
        "é",
    ]
)
COLUMN = st.one_of(
    st.lists(CELLS, min_size=12, max_size=12),
    st.lists(st.sampled_from(["1", "2.5", "", "NA", "300"]), min_size=12, max_size=12),
    st.lists(st.sampled_from(["true", "FALSE", ""]), min_size=12, max_size=12),
)


def look(tmp_path, text, types=(), name="t.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    source = open_source(str(path))
    found = survey(source, MISSING, dict(types))
    return source, found


def column_of(tmp_path, cells, types=(), n=1):
    """A column of some cells, n times over."""
    _, found = look(tmp_path, "a|b\n" + "".join(f"{cell}|1\n" for cell in cells) * n, types, "t.txt")
    return found.columns[0]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(COLUMN, min_size=2, max_size=3))
def test_columns_are_read_as_cell_by_cell(tmp_path_factory, columns):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([[f"c{k}" for k in range(len(columns))], *zip(*columns)])
    source, found = look(tmp_path_factory.mktemp("t"), text.getvalue())
    table = read_table(source, found.columns, MISSING)
    twins = [read_column(column) for column in columns]
    for column, (kind, values) in zip(found.columns, twins):
        assert (column.kind, column.missing) == (kind, sum(value is None for value in values))
        ours = table[column.name]
        ours = (
            ours.cast(pl.String).to_list()
            if kind == "category"
            else ours.fill_nan(None).to_list()
            if ours.dtype.is_float()
            else ours.to_list()
        )
        assert ours == values


@pytest.mark.parametrize(
    ("cells", "kind", "note"),
    [
        (["1", "2"], "number", ""),
        (["1,5", "2"], "number", "decimal comma"),
        (["01", "12"], "category", "leading zeros: taken for names"),
        (["2024-01-31", "1999-12-01"], "date", ""),
        (["2024-01-31T10:00:00Z", "2024-01-31T10:00:00.123+02:00"], "date", ""),
        (["31.01.2024", "01.12.1999"], "date", "day/month/year"),
        (["01/31/2024", "12/01/1999"], "date", "month/day/year"),
        (["31/01/2024", "12/01/1999"], "date", "day/month/year"),
        (["true", "FALSE"], "boolean", ""),
        (["yes", "no"], "category", ""),
        (["2024-01-31", "soon"], "category", ""),
        (["1", "many"], "category", ""),
    ],
)
def test_kinds(tmp_path, cells, kind, note):
    column = column_of(tmp_path, cells, n=5)
    assert (column.kind, column.note, column.out) == (kind, note, "")


@pytest.mark.parametrize(
    ("cells", "out"),
    [
        ([f"{k}" for k in range(40)], "numbers the rows"),
        ([f"{k}" for k in range(140, 100, -1)], "numbers the rows"),
        ([f"name {k}" for k in range(40)], "text: nearly every row has a value of its own"),
        (["7"] * 40, "the same value in every row"),
        (["NA"] * 40, "empty"),
        (["7", ""] * 20, ""),
        ([f"{k * 37 % 41}" for k in range(40)], ""),
        ([f"{k / 2}" for k in range(40)], ""),
        ([f"name {k}" for k in range(20)], ""),
    ],
)
def test_columns_that_are_left_out(tmp_path, cells, out):
    assert column_of(tmp_path, cells).out == out
    if not out.startswith("empty"):
        assert column_of(tmp_path, cells, {"a": "category"}).out == ""


def test_ids_by_their_name(tmp_path):
    cells = [k * 37 % 411 for k in range(60)]
    _, found = look(tmp_path, "customer_id,amount\n" + "".join(f"{k},{k}\n" for k in cells))
    assert [column.out for column in found.columns] == ["an id: every row has a value of its own", ""]


def test_a_few_words_among_numbers_count_as_missing(tmp_path):
    cells = [f"{k}" for k in range(100, 158)] + ["unknown", "unknown"]
    column = column_of(tmp_path, cells)
    assert (column.kind, column.missing, column.tokens) == ("number", 2, ("unknown",))
    assert column.note == "'unknown' taken for missing"
    many = [f"{k}" for k in range(1000)] + [f"word {k}" for k in range(30)]
    assert column_of(tmp_path, many).kind == "category"


def test_dates_are_days_and_their_parts(tmp_path):
    source, found = look(tmp_path, "when,b\n2024-02-29 12:00:00,1\n1970-01-01 00:00:00,2\n,3\n")
    table = read_table(source, found.columns[:1], MISSING)
    assert table.columns == ["when", "when month", "when weekday", "when hour"]
    assert table["when"].to_list() == [19782.5, 0.0, None]
    assert table.drop("when").rows() == [(2, 4, 12), (1, 4, 0), (None, None, None)]


def test_numbers_are_as_small_as_they_can_be(tmp_path):
    text = "a,b,c,d,e\n127,-129,70000,0.5,99999999999\n-128,1,1,1,\n"
    source, found = look(tmp_path, text)
    table = read_table(source, found.columns, MISSING)
    assert [str(one) for one in table.dtypes] == ["Int8", "Int16", "Int32", "Float64", "Int64"]
    assert table["e"].to_list() == [99999999999, None]


def test_typed_tables(tmp_path):
    frame = pl.DataFrame(
        {
            "i": [1, 2, 3],
            "f": [0.5, None, 2.0],
            "b": [True, False, None],
            "s": ["x", "y", "x"],
            "c": pl.Series(["u", "v", None], dtype=pl.Categorical),
            "t": pl.Series([0, 1, 2]).cast(pl.Date),
            "n": [[1], [2], [3]],
            "d": pl.Series(["1.5", "2.5", "3.5"]).cast(pl.Decimal(10, 2)),
            "z": pl.Series([None, None, None]),
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    source = open_source(str(tmp_path / "t.parquet"))
    found = survey(source, MISSING, {"i": "category"})
    kinds = {column.name: column.kind for column in found.columns if not column.out}
    expected = {
        "i": "category",
        "f": "number",
        "b": "boolean",
        "s": "category",
        "c": "category",
        "t": "date",
        "d": "number",
    }
    assert kinds == expected
    assert found.find("n").out == "lists or records, not values"
    assert found.find("z").out == "empty"
    table = read_table(source, [column for column in found.columns if not column.out], MISSING)
    assert table["i"].cast(pl.String).to_list() == ["1", "2", "3"]
    assert np.isclose(table["d"].to_list(), [1.5, 2.5, 3.5]).all()
