"""What a user's function is made of: equal for equal code and values, another one for any that differ."""

import enum
import math
import types
from typing import NamedTuple

import numba
import numpy as np
import pytest

from spinney._compile import Kept, key_of


class Thing:
    pass


class Pair(NamedTuple):
    a: float
    b: float


class Level(enum.IntEnum):
    LOW = 1


def capture(value):
    return lambda y, raw: (raw - y) * value


def use_module(settings):
    return lambda y, raw: settings.alpha * math.exp(raw)


VALUES = [
    1, 2, 1.0, True, 0.0, -0.0, math.nan, "1", None, np.float32(1), np.int64(1), (1, 2), (1, 2.0), [1, 2], {"a": 1},
    {1, 2}, np.arange(3), np.arange(3.0), np.arange(4.0), np.arange(4.0).reshape(2, 2), Pair(1, 2), Level, Level.LOW,
    math.exp, math.log, np.exp, math, np, Thing, Thing(), Thing(), np.array([Thing()], object), capture(1), capture(2),
    numba.njit(capture(1)), numba.njit(fastmath=True)(capture(1)), numba.float64,
]  # fmt: skip


def test_every_value_has_a_key_of_its_own():
    keys = [key_of(capture(value)) for value in VALUES]
    assert len(set(keys)) == len(keys)
    assert keys == [key_of(capture(value)) for value in VALUES]


@pytest.mark.parametrize("make", [lambda: (1, "a"), lambda: np.arange(5), lambda: {"a": [1]}, lambda: capture(3.5)])
def test_equal_values_are_equal(make):
    assert key_of(capture(make())) == key_of(capture(make()))


def test_values_count_as_they_are_at_the_moment():
    table, settings = np.zeros(3), types.ModuleType("settings")
    settings.alpha, settings.other = 1.0, 1.0
    function, by_module = capture(table), use_module(settings)
    before = key_of(function), key_of(by_module)
    settings.other = 2.0  # nobody reads it
    assert key_of(by_module) == before[1]
    table[1], settings.alpha = 1.0, 2.0
    assert key_of(function) != before[0]
    assert key_of(by_module) != before[1]


def test_globals_are_read_and_names_of_attributes_are_not():
    space = {"alpha": 1.0, "weight": 1.0}
    function = eval("lambda left, right: left.weight * alpha", space)
    before = key_of(function)
    space["weight"] = 2.0
    assert key_of(function) == before
    space["alpha"] = 2.0
    assert key_of(function) != before


def test_code_and_defaults_count_and_places_do_not():
    first, second = eval("lambda y: y + 1"), eval("\n\nlambda y: y + 1")
    assert key_of(first) == key_of(second)
    assert key_of(first) != key_of(eval("lambda y: y + 2"))
    assert key_of(eval("lambda y, a=1.0: y + a")) != key_of(eval("lambda y, a=2.0: y + a"))
    assert key_of(first, None) != key_of(first, second)


def test_circles_and_strange_objects_do_no_harm():
    circle = [1]
    circle.append(circle)

    class Strange:
        @property
        def py_func(self):
            raise RuntimeError("no")

    def endless(y):
        return endless(y - 1)

    deep = ()
    for _ in range(5000):
        deep = (deep,)
    for value in (circle, Strange(), endless, deep):
        function = capture(value)
        assert key_of(function) == key_of(function)


def test_only_the_last_few_are_kept():
    kept, made = Kept(2), []

    def get(key):
        return kept.get(key, lambda: made.append(key) or key)

    assert [get(key) for key in "abaca"] == list("abaca")
    assert made == ["a", "b", "c"]
    get("b")
    assert made == ["a", "b", "c", "b"]
