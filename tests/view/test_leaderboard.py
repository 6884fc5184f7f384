"""The leaderboard: the best first, those without a score last, and a text that says why."""

import math
from types import SimpleNamespace

import numpy as np

from spinney.view.summary import leaderboard_columns, leaderboard_text


def record(name, score, note=""):
    return SimpleNamespace(name=name, parameters={"a": 1}, score=score, spread=0.5, seconds=2.0, note=note)


TRIED = [record("one", -3.0), record("two", math.nan, "not tried: no time"), record("three", -1.0)]


def test_order_and_columns():
    columns = leaderboard_columns(TRIED, {"one": 0.25, "three": 0.75})
    assert columns["name"].tolist() == ["three", "one", "two"]
    np.testing.assert_array_equal(columns["weight"], [0.75, 0.25, 0.0])
    np.testing.assert_array_equal(columns["score"], [-1.0, -3.0, math.nan])
    assert columns["parameters"].tolist() == [{"a": 1}] * 3
    assert {len(values) for values in columns.values()} == {3}


def test_text():
    columns = leaderboard_columns(TRIED, {"one": 0.25, "three": 0.75})
    assert leaderboard_text(columns, "accuracy, 5 folds", -0.5).splitlines() == [
        "accuracy, 5 folds",
        "               score    spread   seconds  weight",
        "  three           -1       0.5         2    0.75",
        "  one             -3       0.5         2    0.25",
        "  two              -       0.5         2    0.00  not tried: no time",
        "  combined      -0.5",
    ]
    assert "combined" not in leaderboard_text(columns, "", math.nan)
