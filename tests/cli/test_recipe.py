"""The recipe in a model file: checked when it is written and when it is read, since files come from anywhere."""

import numpy as np
import polars as pl
import pytest

import spinney
from spinney.tables.recipe import KEY
from tests.cli.run import refusal, run
from tests.io.forging import Parts

X = np.sin(np.arange(40.0))
ROWS = pl.DataFrame({"x": X, "town": ["Riga", "Turku"] * 20, "y": X**2})


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipe") / "t.csv"
    ROWS.write_csv(path)
    return path


@pytest.fixture(scope="module")
def model(table):
    path = table.with_suffix(".spinney")
    run("fit", table, "-t", "y", "--model", "tree", "--cv", 0, "--out", path)
    return path


def without(key):
    return lambda recipe: recipe.pop(key)


def put(key, value):
    return lambda recipe: recipe.__setitem__(key, value)


def column(key, value):
    return lambda recipe: recipe["columns"][0].__setitem__(key, value)


BAD = [
    (without("task"), "The field 'task' is missing (in command_line). Fit the model again by spinney fit, or save it"),
    (put("more", 1), "The field 'more' is not known (in command_line)"),
    (put("columns", {}), "Expected a list, got {} (in command_line.columns)"),
    (put("columns", [3]), "Expected an object, got 3 (in command_line.columns[0])"),
    (put("target", "y"), "Expected an object, got 'y' (in command_line.target)"),
    (put("missing", [None]), "Expected a string, got None (in command_line.missing[0])"),
    (put("score", {"how": "?"}), "The field 'scores' is missing (in command_line.score)"),
    (put("version", "one"), "(in command_line.version)"),
    (column("tokens", "abc"), "(in command_line.columns[0].tokens)"),
    (column("kind", "picture"), "columns of the type 'picture' are not known"),
]


@pytest.mark.parametrize(("change", "problem"), BAD, ids=range(len(BAD)))
def test_a_recipe_that_is_none(model, table, tmp_path, change, problem):
    parts = Parts(model.read_bytes())
    change(parts.header["metadata"][KEY])
    path = tmp_path / "forged.spinney"
    path.write_bytes(parts.content())
    for command in (["predict", path, table], ["show", path], ["evaluate", path, table]):
        said = refusal(*command)
        assert said.startswith("the recipe of the command line in the model file cannot be used: ")
        assert problem in said
    assert problem in " ".join("".join(filter(None, run("inspect", path))).split())  # beside what else the file holds


def test_no_recipe_at_all(model, table, tmp_path):
    for value in (3, "recipe", [], {}, None):
        parts = Parts(model.read_bytes())
        parts.header["metadata"][KEY] = value
        path = tmp_path / "forged.spinney"
        path.write_bytes(parts.content())
        if value is None:
            assert run("predict", path, table)[0]  # as a model that was saved from Python
        else:
            assert "cannot be used" in refusal("predict", path, table)


@pytest.mark.parametrize(
    "change",
    [
        lambda recipe: recipe["columns"].pop(),
        column("name", "other"),
        put("scaling", {"fill": [], "centre": [0.0], "spread": [1.0]}),
    ],
)
def test_the_recipe_of_another_model(model, table, tmp_path, change):
    parts = Parts(model.read_bytes())
    change(parts.header["metadata"][KEY])
    path = tmp_path / "forged.spinney"
    path.write_bytes(parts.content())
    assert "do not match those of the model (2)" in refusal("predict", path, table)


def test_another_version(model, table, tmp_path):
    parts = Parts(model.read_bytes())
    parts.header["metadata"][KEY] = {"version": 2, "plan": []}
    path = tmp_path / "later.spinney"
    path.write_bytes(parts.content())
    assert "written by another version of the command line (2, this is 1)" in refusal("predict", path, table)


def test_scores_that_are_no_numbers(model, table, tmp_path):
    parts = Parts(model.read_bytes())
    parts.header["metadata"][KEY]["score"] = {"how": "by heart", "scores": {"R2": None}, "spread": {}, "baseline": {}}
    path = tmp_path / "nan.spinney"
    path.write_bytes(parts.content())
    for command in ("show", "inspect"):
        assert "by heart: R2 -" in run(command, path)[0]


def test_python_writes_no_other_value_there(tmp_path):
    tree = spinney.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    for value in ("spinney fit", {"task": "classification"}, None):
        with pytest.raises(
            TypeError, match=r"metadata\['command_line'\] is not a recipe of the command line: .*another key"
        ):
            spinney.save(tree, tmp_path / "m", metadata={KEY: value})
