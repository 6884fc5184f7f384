"""One's own table: what is read, what is refused, what is said."""

import json

import numpy as np
import pytest

from spinney.lab.own_table import MOST_ROWS, OwnTables, describe, read_csv
from spinney.lab.parameters import LabError


def test_columns_are_recognised():
    found = describe(
        read_csv("size\tweight\tkind\tid\n" + "\n".join(f"{i}\t{i / 3}\t{'ab'[i % 2]}\t{i}" for i in range(12)))
    )
    assert found["numbers"] == ["size", "weight", "id"]
    assert found["targets"] == ["kind"]
    assert found["target"] == "kind"
    assert found["columns"] == ["size", "weight", "id"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  \n ", "The table is empty"),
        ("a\n1\n2", "needs two rows and two columns"),
        ('a,b\n"1,2\n3', "cannot be read as CSV|needs two rows"),
        ("a,b\n1,2\n3,4,5\n", "cannot be read as CSV"),
        ("a, a\n1,2\n3,4", "different names"),
        ("a,b\n" + "\n".join(f"{i},{i}" for i in range(9)), "No column has from 2 to 8 different values"),
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
    assert many == f"The lab takes {MOST_ROWS} of {MOST_ROWS + 50} rows, drawn at random."


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
        ("x,c\n1,a\n2,b\n3,a\n", {"method": "kmeans", "params": {}}, "two columns of numbers beside the class"),
        ("x,y,c\n1,2,a\n2,3,b\n", {"target": "z"}, "this table has no column 'z'"),
        ("x,y,c\n1,2,a\n2,,b\n", {}, "only one class"),
        ("x,y,c\n1,,a\n2,,b\n", {}, "No row has a value|two columns of numbers"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(lab, text, more, said):
    with pytest.raises(LabError, match=said):
        own(lab, text, **more)


def test_few_rows_get_a_sentence(lab):
    text = "x,y,c\n" + "\n".join(f"{i},{i * i},{'ab'[i % 2]}" for i in range(6))
    for method, said in (("pruning", "needs 8 rows at least"), ("em", "too few different rows"), ("kmeans", None)):
        request = {"method": method, "table": "own", "own": lab.own.add(text)["id"]}
        if method == "em":
            request["params"] = {"n_components": 8}
        if said is None:
            assert len(json.loads(lab.series(request))["steps"]) >= 1
        else:
            with pytest.raises(LabError, match=said):
                lab.series(request)
    three = {"method": "forest", "table": "own", "own": lab.own.add("x,y,c\n1,2,a\n2,3,b\n3,1,a")["id"]}
    with pytest.raises(LabError, match="holds every row, and none is left to judge it"):
        lab.series({**three, "params": {"n_estimators": 60}})
    many = "x,y,c\n" + "\n".join(f"{i % 2},{i % 2},{'ab'[i % 2]}" for i in range(12))
    with pytest.raises(LabError, match="fewer different rows than the 4 clusters"):
        lab.series({"method": "kmeans", "table": "own", "own": lab.own.add(many)["id"]})


def test_files_are_forgotten_one_after_another():
    tables = OwnTables()
    ids = [tables.add(f"x,y,c\n{k},1,a\n2,3,b\n")["id"] for k in range(10)]
    with pytest.raises(LabError, match="load the file again"):
        tables.source({"own": ids[0]}, plane=True)
    assert tables.source({"own": ids[-1]}, plane=True).columns == ["x", "y"]
    assert np.unique(ids).size == 10
