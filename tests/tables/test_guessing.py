"""What columns are taken for."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.tables.files import open_source
from spinney.tables.kinds import MISSING
from spinney.tables.reading import read_table, survey
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
        (["01", "12"], "category", "leading zeros: treated as a category"),
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
        ([f"{k}" for k in range(40)], "row numbers"),
        ([f"{k}" for k in range(140, 100, -1)], "row numbers"),
        ([f"name {k}" for k in range(40)], "text: nearly every value is unique"),
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
    assert [column.out for column in found.columns] == ["an id: nearly every value is unique", ""]


def test_ids_of_duplicated_rows(tmp_path):
    """An id stays one when rows are there several times; a number that other rows have, too, is none."""
    rows = [f"{7 * k},{k},{k % 5},town {k}\n" for k in range(40)]
    columns = look(tmp_path, "customer_id,place,x,city\n" + "".join(rows * 3))[1].columns
    assert [one.out for one in columns] == ["an id: nearly every value is unique", "row numbers", "", ""]
    rows = [f"C{k:03},town {k}\n" for k in range(40)]
    columns = look(tmp_path, "customer_id,city\n" + "".join(rows * 3))[1].columns
    assert [one.out for one in columns] == ["an id: nearly every value is unique", ""]
    rows = [f"C{k % 40},{k / 2}\n" for k in range(120)]
    assert look(tmp_path, "customer_id,x\n" + "".join(rows))[1].columns[0].out == ""
    rows = [f"{7 * (k % 40)},{k % 40},{k}\n" for k in range(120)]
    columns = look(tmp_path, "customer_id,place,x\n" + "".join(rows))[1].columns
    assert [one.out for one in columns] == ["", "", "row numbers"]


def test_a_few_words_among_numbers_count_as_missing(tmp_path):
    cells = [f"{k}" for k in range(100, 158)] + ["unknown", "unknown"]
    column = column_of(tmp_path, cells)
    assert (column.kind, column.missing, column.tokens) == ("number", 2, ("unknown",))
    assert column.note == "'unknown' treated as missing"
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


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["$1,234.50", "$ 7", "-$3.25"], [1234.5, 7.0, -3.25], "thousands separators, $ removed"),
        (["1.234,50 €", "7 €", "-3,25 €"], [1234.5, 7.0, -3.25], "decimal comma, thousands separators, € removed"),
        (
            ["1.234 EUR", "12.000 EUR", "7 EUR"],
            [1234.0, 12000.0, 7.0],
            "decimal comma, thousands separators, EUR removed",
        ),
        (["$1,234", "$12,000", "$7"], [1234.0, 12000.0, 7.0], "thousands separators, $ removed"),
        (["97.2%", "3 %", "-1%"], [97.2, 3.0, -1.0], "% removed"),
        (["12'345", "7", "1'000'000"], [12345.0, 7.0, 1e6], "thousands separators"),
        (["12,34,567", "7", "1.5"], [1234567.0, 7.0, 1.5], "thousands separators"),
        (["(1,250.00)", "3.5", "7"], [-1250.0, 3.5, 7.0], "thousands separators"),
        (["$1", "€2", "$3.5"], [1.0, 2.0, 3.5], "several currencies, read as one: $, €"),
    ],
)
@pytest.mark.parametrize("separator", ["|", ","])
def test_numbers_as_people_write_them(tmp_path, cells, values, note, separator):
    text = f"a{separator}b\n" + "".join(f'"{cell}"{separator}{k % 3}\n' for k in range(12) for cell in cells)
    source, found = look(tmp_path, text)
    assert (found.columns[0].kind, found.columns[0].note) == ("number", note)
    assert read_table(source, found.columns[:1], MISSING)["a"].to_list() == values * 12
    _, given = look(tmp_path, text, {"a": "number"})
    assert given.columns[0].dressed


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (["97.2%", "0.5"], "percent signs in some cells only"),
        (["555 123 456", "555 123 457"], ""),
        (["+49 555 123 456", "+49 555 123 457"], ""),
        (["49 30 123 456", "49 30 123"], ""),
        (["$ or so", "$5"], ""),
        (["1,23", "1,2,3"], ""),
    ],
)
def test_what_is_no_number(tmp_path, cells, note):
    column = column_of(tmp_path, [f'"{cell}"' for cell in cells], n=5)
    assert (column.kind, column.note) == ("category", note)


def test_a_few_words_among_money(tmp_path):
    column = column_of(tmp_path, [*(f'"${k},000"' for k in range(100, 158)), "unknown", "unknown"])
    assert (column.kind, column.dressed, column.tokens, column.missing) == ("number", True, ("unknown",), 2)
