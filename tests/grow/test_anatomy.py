"""Four engines of one anatomy; what two of them share stands above them."""

import ast
from pathlib import Path

import pytest

import spinney.grow

ROOM = Path(spinney.grow.__file__).parent
ENGINES = ("boosting", "exact", "binned", "multiway")
KNOWN = {"boosting": {"spinney.grow.exact"}}  # boosting with exact thresholds stands on the same sorted lists
SEARCH = "optimal"  # grows nothing: it chooses among all trees
ORGANS = ("memory", "grower")
SEARCHES = {"boosting": ("dense", "sparse", "sorted")}  # by layout; elsewhere search.py


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_all_organs(engine):
    organs = (*ORGANS, *SEARCHES.get(engine, ("search",)))
    assert {f"{organ}.py" for organ in organs} <= {path.name for path in (ROOM / engine).glob("*.py")}


@pytest.mark.parametrize("engine", [*ENGINES, SEARCH])
def test_a_tree_is_frozen_in_one_place(engine):
    bodies = [node for path in (ROOM / engine).glob("*.py") for node in ast.parse(path.read_text()).body]
    assert [node.name for node in bodies if isinstance(node, ast.FunctionDef)].count("freeze") == 1


def test_the_search_has_the_organs_that_do_not_grow():
    assert {"memory.py", "search.py", "fit.py"} <= {path.name for path in (ROOM / SEARCH).glob("*.py")}


def test_these_are_all_engines():
    assert {path.parent.name for path in ROOM.glob("*/__init__.py")} == {*ENGINES, SEARCH}


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_do_not_know_each_other(engine):
    others = {f"spinney.grow.{other}" for other in ENGINES if other != engine} - KNOWN.get(engine, set())
    for path in (ROOM / engine).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                assert ".".join(node.module.split(".")[:3]) not in others, f"{path.name} imports {node.module}"
