"""The page from slides to calls names what there is."""

import importlib
import re

import pytest

import spinney
from tests.docs.pages import DOCS, ROOT

PAGE = (DOCS / "lectures.md").read_text(encoding="utf-8")
CODE = re.findall(r"`([^`]+)`", PAGE)


def test_names_of_the_page_exist():
    calls = [name for one in CODE for name in re.findall(r"(?<![\w.])((?:[a-z]+\.)?[A-Za-z]\w+)\(", one)]
    assert len(calls) > 50
    for name in calls:
        room, _, own = name.rpartition(".")
        if room in ("", "m") or own in ("fit",):
            known = hasattr(spinney, own) or own in ("len", "range", "LeaveOneOut", "fit", "load_restaurant")
            assert known or room == "m", name
        elif room == "GradientBoostingRegressor":
            assert hasattr(spinney.GradientBoostingRegressor, own)
        else:
            assert hasattr(importlib.import_module(f"spinney.{room}"), own), name


def test_every_deck_has_its_script():
    scripts = re.findall(r"python (examples/\w+\.py)", PAGE)
    assert [f"examples/deck_00{k}.py" in scripts for k in range(5)] == [True] * 5
    assert all((ROOT / script).exists() for script in scripts)


@pytest.mark.parametrize("deck", range(5))
def test_rows_have_four_cells(deck):
    part = PAGE.split(f"## Deck 00{deck}")[1].split("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("|")]
    assert len(rows) > 15
    for row in rows:
        assert len(re.sub(r"`[^`]*`", "", row).split("|")) == 6, row
