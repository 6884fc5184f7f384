"""Checks of record fields: small functions (value, place) that raise `ModelFormatError`, for use in tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from spinney.io.errors import ModelFormatError

Check = Callable[[Any, str], None]


class Maybe:
    """A field that need not be there."""

    def __init__(self, check: Check) -> None:
        self.check = check


def fail(wanted: str, value: Any, place: str) -> NoReturn:
    raise ModelFormatError(f"Expected {wanted}, got {shown(value)}", place)


def shown(value: Any) -> str:
    """A value in an error message."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.str[1:]} with {value.ndim} dimensions"
    return (
        f"{value!r:.80}" if isinstance(value, str | int | float | list | tuple | dict | None) else type(value).__name__
    )


def demand(holds: Any, problem: str, place: str) -> None:
    """Raise unless it holds."""
    if not holds:
        raise ModelFormatError(problem, place)


def integer(low: int = 0, high: int = (1 << 63) - 1) -> Check:
    """A whole number from low to high."""

    def check(value: Any, place: str) -> None:
        known = type(value) is int or isinstance(value, np.integer)
        demand(known and low <= value <= high, f"Expected an integer from {low} to {high}, got {value!r:.80}", place)

    return check


def boolean(value: Any, place: str) -> None:
    if not isinstance(value, bool | np.bool_):
        fail("True or False", value, place)


def number(value: Any, place: str) -> None:
    if not _is_number(value):
        fail("a number", value, place)


def finite(value: Any, place: str) -> None:
    if not _is_number(value) or not np.isfinite(value):
        fail("a finite number", value, place)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        fail("a string", value, place)


def anything(value: Any, place: str) -> None:
    """Parameters are checked by their estimator."""


def none(value: Any, place: str) -> None:
    if value is not None:
        fail("None", value, place)


def one_of(*checks: Check) -> Check:
    """What passes any of these checks."""

    def check(value: Any, place: str) -> None:
        problems = []
        for one in checks:
            try:
                return one(value, place)
            except ModelFormatError as error:
                problems.append(error)
        raise problems[-1]

    return check


def kept_or_none(check: Check) -> Check:
    return lambda value, place: None if value is None else check(value, place)


def is_a(*kinds: type) -> Check:
    def check(value: Any, place: str) -> None:
        if type(value) not in kinds:
            fail(f"a {' or '.join(kind.__name__ for kind in kinds)}", value, place)

    return check


def list_of(one: Check, kind: Any = list) -> Check:
    def check(value: Any, place: str) -> None:
        if type(value) is not kind:
            fail(f"a {kind.__name__}", value, place)
        for k, element in enumerate(value):
            one(element, f"{place}[{k}]")

    return check


def tuple_of(one: Check) -> Check:
    return list_of(one, tuple)


def dict_of(one: Check) -> Check:
    """A dictionary whose keys are strings."""

    def check(value: Any, place: str) -> None:
        if type(value) is not dict:
            fail("a dictionary", value, place)
        for key, element in value.items():
            text(key, place)
            one(element, f"{place}[{key!r}]")

    return check


def array(kinds: str, *dimensions: int) -> Check:
    """An array of one of these kinds, such as "f8" or "u2 u4", with so many dimensions."""
    allowed = kinds.split()

    def check(value: Any, place: str) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] not in allowed or value.ndim not in dimensions:
            fail(f"an array of {kinds} with {' or '.join(map(str, dimensions))} dimensions", value, place)

    return check


def finite_array(kinds: str, *dimensions: int) -> Check:
    plain = array(kinds, *dimensions)

    def check(value: Any, place: str) -> None:
        plain(value, place)
        demand(np.isfinite(value).all(), "Numbers must be finite", place)

    return check


def labels(value: Any, place: str) -> None:
    """Classes: an array of values, no two the same."""
    if not (isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biufUOM"):
        fail("an array of classes", value, place)
    found = value.tolist()
    try:
        distinct = len(set(found)) == len(found)
    except TypeError:
        distinct = False
    demand(distinct and all(one == one for one in found), "Classes must differ", place)
    demand(len(found), "There must be classes", place)


def names(value: Any, place: str) -> None:
    """Names of columns."""
    known = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == object
    demand(known and all(type(one) is str for one in value), "Expected an array of names", place)
