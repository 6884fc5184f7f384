"""One's own table: what is read, what is refused, what is said."""

import json

import numpy as np
import polars
import pytest

from spinney.lab.own_table import MOST_ROWS, OwnTables, describe, read_own
from spinney.lab.parameters import LabError
from tests.tables.workbook import write_workbook

pytestmark = pytest.mark.skipif(
    tuple(map(int, polars.__version__.split(".")[:2])) < (2, 1), reason="the command line's reader needs polars 2.1"
)


def test_columns_are_recognised():
    rows = "\n".join(f"{i}\t{i / 3}\t{'ab'[i % 2]}\t{i}" for i in range(12))
    found = describe(read_own(f"size\tweight\tkind\tid\n{rows}".encode())[0])
    assert found["numbers"] == ["size", "weight", "id"]
    assert found["targets"] == ["kind"]
    assert found["target"] == "kind"
    assert found["columns"] == ["size", "weight", "id"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  \n ", "The table is empty"),
        ("a\n1\n2", "needs at least two rows and two columns"),
        ('a,b\n"1,2\n3', "The table, row 1: unexpected end of data. A quote may not be closed"),
        ("a,b\n1,2\n3,4,5\n", "The table, row 2: 3 cells, but the header has 2"),
        ("<html><body>Sign in</body></html>", "The table is an HTML page"),
        ("PK\x03\x04 and what is no workbook", "The table is a zip archive or a damaged workbook"),
        (
            "a,b\n" + "\n".join(f"{i},{i}" for i in range(9)),
            "No column can be the class, which needs 2 to 8 different values",
        ),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(text, said):
    with pytest.raises(LabError, match=said):
        OwnTables().add(text)


def own(lab, text, **more):
    found = lab.own.add(text)
    request = {"method": "tree", "table": "own", "own": found["id"], "params": {"max_depth": 1}, **more}
    return json.loads(lab.series(request))


def test_missing_and_many_rows_are_said(lab):
    lines = [f"{i % 97},{i % 89},{'ab'[i % 2]}" for i in range(MOST_ROWS + 50)]
    found = own(lab, "\n".join(["x,y,c", *lines, "inf,2,a", ",3,b"]))["table"]
    assert found["rows"] == MOST_ROWS
    missing, many = found["note"].split(". ")
    assert missing == "2 rows with missing values are left out"
    assert many == f"A random sample of {MOST_ROWS} of {MOST_ROWS + 50} rows is used."


def test_a_table_of_words(lab):
    """A decision tree takes it as it is."""
    rows = [f"{'pqr'[i % 3]},{'st'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(20)]
    found = own(lab, "\n".join(["w,v,c", *rows]))
    assert not found["table"]["isPlane"]
    assert found["steps"][1]["numbers"]["feature"] == 0


def test_names_are_kept_as_they_are(lab):
    text = "<b>x</b>,y&,c\n" + "\n".join(f"{i},{-i},{'<i>' if i > 5 else '&amp;'}" for i in range(10))
    found = own(lab, text)
    assert found["table"]["names"] == ["<b>x</b>", "y&"]
    assert found["table"]["classes"] == ["&amp;", "<i>"]


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("x,c\n1,a\n2,b\n3,a\n", {"method": "kmeans", "params": {}}, "two numeric columns besides the class"),
        ("x,y,c\n1,2,a\n2,3,b\n", {"target": "z"}, "This table has no column 'z'"),
        ("x,y,c\n1,2,a\n2,,b\n", {}, "only one class"),
        ("x,y,c\n1,,a\n,2,b\n", {}, "No row has a value"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(lab, text, more, said):
    with pytest.raises(LabError, match=said):
        own(lab, text, **more)


def test_few_rows_get_a_sentence(lab):
    text = "x,y,c\n" + "\n".join(f"{i},{i * i},{'ab'[i % 2]}" for i in range(6))
    for method, said in (("pruning", "needs at least 8"), ("em", "too few distinct rows"), ("kmeans", None)):
        request = {"method": method, "table": "own", "own": lab.own.add(text)["id"]}
        if method == "em":
            request["params"] = {"n_components": 8}
        if said is None:
            assert len(json.loads(lab.series(request))["steps"]) >= 1
        else:
            with pytest.raises(LabError, match=said):
                lab.series(request)
    three = {"method": "forest", "table": "own", "own": lab.own.add("x,y,c\n1,2,a\n2,3,b\n3,1,a")["id"]}
    with pytest.raises(LabError, match="has every row, so that it cannot be evaluated"):
        lab.series({**three, "params": {"n_estimators": 60}})
    many = "x,y,c\n" + "\n".join(f"{i % 2},{i % 2},{'ab'[i % 2]}" for i in range(12))
    with pytest.raises(LabError, match="fewer distinct rows than the 4 clusters"):
        lab.series({"method": "kmeans", "table": "own", "own": lab.own.add(many)["id"]})


def test_files_are_forgotten_one_after_another():
    tables = OwnTables()
    ids = [tables.add(f"x,y,c\n{k},1,a\n2,3,b\n")["id"] for k in range(10)]
    with pytest.raises(LabError, match="Load the file again"):
        tables.source({"own": ids[0]}, plane=True)
    assert tables.source({"own": ids[-1]}, plane=True).columns == ["x", "y"]
    assert np.unique(ids).size == 10


def test_it_is_read_as_the_command_line_reads_it():
    """Ids left out, decimal commas and money as numbers, the same columns by name; and said."""
    rows = "".join(f"{i};{i / 4};${i + 1},000;{'ja' if i % 2 else 'nein'};{i % 3};1\n" for i in range(40))
    found = OwnTables().add("customer_id;size;price;kind;n;n\n" + rows.replace(".", ","))
    assert (found["numbers"], found["target"]) == (["size", "price", "n"], "kind")
    assert found["notes"] == [
        "column name 'n' occurs more than once; column 6 is renamed 'n (2)'",
        "'size': decimal comma",
        "'price': thousands separators, $ removed",
        "'customer_id' is left out: row numbers",
        "'n (2)' is left out: the same value in every row",
    ]


def test_workbooks(tmp_path, lab):
    pytest.importorskip("fastexcel")
    rows = [[i % 7, (i * i) % 11 / 4, "ab"[i % 7 > 3]] for i in range(40)]
    book = write_workbook(tmp_path / "t.xlsx", sheet=[["size", "weight", "kind"], *rows]).read_bytes()
    found = lab.own.add(book)
    assert (found["numbers"], found["target"]) == (["size", "weight"], "kind")
    request = {"method": "tree", "table": "own", "own": found["id"], "params": {"max_depth": 2}}
    assert json.loads(lab.series(request))["table"]["rows"] == 40
