"""The error of model files, `ModelFormatError`, and small functions (value, place) that raise it; checks of metadata.

Metadata is what else its owner keeps in a model file, in JSON's types; nothing in it is looked at by whoever loads the
model. One key is the command line's own: what is there must be a recipe, when it is written and when it is read.
"""

from __future__ import annotations

import math
from base64 import b64decode
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np


class ModelFormatError(ValueError):
    """Raised for a model file that is damaged, forged, or of a format or kind that cannot be read.

    Parameters
    ----------
    problem : str
        What is wrong, as the beginning of a sentence.
    place : str, default=""
        Where it is wrong: a part of the file, or the path of a value, such as "model.forest_.size". Empty if `problem`
        states it.

    Examples
    --------
    >>> import spinney
    >>> try:
    ...     spinney.load(b"no model")
    ... except spinney.ModelFormatError as error:
    ...     print(error.place)
    the first bytes
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem, place)
        self.problem, self.place = problem, place

    def __str__(self) -> str:
        return f"{self.problem} (in {self.place})." if self.place else self.problem


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


class At:
    """A place in a file at which something must hold: `at(holds, problem, field)` raises unless it does."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self, holds: Any, problem: str, field: str = "") -> None:
        demand(holds, problem, self.at(field).place)

    def at(self, field: str) -> At:
        """A field of this place, or an element, such as "[0]"."""
        return At(f"{self.place}{'.' * (field[:1] not in ('', '['))}{field}")


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


# --- metadata ---------------------------------------------------------------------------------------------------------


RECIPE = "command_line"  # the key of the command line's recipe (tables/recipe.py)


def check_metadata(metadata: Any) -> dict[str, Any]:
    """A dict from str to None, bool, int, finite float, str, or lists and dicts of such; else a TypeError."""
    if not isinstance(metadata, dict):
        raise TypeError(f"metadata must be a dict, got {metadata!r:.80}.")
    _check(metadata, "metadata")
    if RECIPE in metadata:
        try:
            check_recipe(metadata[RECIPE])
        except ModelFormatError as error:
            raise TypeError(
                f"metadata[{RECIPE!r}] is not a recipe of the command line: {error} Use another key: the command line "
                "reads this one."
            ) from None
    return metadata


def _check(value: Any, place: str) -> None:
    kind = type(value)
    if kind is dict:
        for name, one in value.items():
            if type(name) is not str:
                raise TypeError(f"the keys of {place} must be strings, got {name!r:.80}.")
            _check(one, f"{place}[{name!r}]")
    elif kind is list:
        for number, one in enumerate(value):
            _check(one, f"{place}[{number}]")
    elif not (value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value))):
        raise TypeError(f"{place} must be None, a bool, int, finite float, str, list or dict, got {value!r:.80}.")


def _object(**fields: Check | Maybe) -> Check:
    """A dictionary with these fields and no others."""

    def check(value: Any, place: str) -> None:
        if type(value) is not dict:
            fail("an object", value, place)
        unknown = value.keys() - fields.keys()
        if unknown:
            raise ModelFormatError(f"The field {min(unknown)!r:.60} is not known", place)
        for name, one in fields.items():
            if name in value:
                (one.check if isinstance(one, Maybe) else one)(value[name], f"{place}.{name}")
            elif not isinstance(one, Maybe):
                raise ModelFormatError(f"The field {name!r} is missing", place)

    return check


_COLUMN = _object(
    name=text,
    kind=text,
    comma=Maybe(boolean),
    dressed=Maybe(boolean),
    format=Maybe(text),
    tokens=Maybe(list_of(text)),
)
_NUMBERS = dict_of(kept_or_none(number))


def _score(value: Any, place: str) -> None:
    if value != {}:
        _object(how=text, scores=_NUMBERS, spread=Maybe(_NUMBERS), baseline=Maybe(_NUMBERS))(value, place)


def _hashes(value: Any, place: str) -> None:
    """Numbers of four bytes each, in base 64."""
    text(value, place)
    try:
        n_bytes = len(b64decode(value, validate=True))
    except ValueError:
        n_bytes = -1
    if n_bytes < 0 or n_bytes % 4:
        fail("numbers of four bytes in base 64", value, place)


_RECIPE: Callable[[Any, str], None] = _object(
    version=integer(0),
    task=text,
    model=text,
    target=kept_or_none(_COLUMN),
    columns=list_of(_COLUMN),
    missing=list_of(text),
    left_out=dict_of(text),
    weights=kept_or_none(text),
    groups=kept_or_none(text),
    times=Maybe(text),
    score=_score,
    scaling=Maybe(_object(fill=list_of(number), centre=list_of(number), spread=list_of(number))),
    rows=Maybe(_object(least=_hashes, below=integer(0, 2**32))),
)


def check_recipe(stored: Any) -> None:
    """Raise ModelFormatError unless these are the fields of a recipe, each of its type."""
    _RECIPE(stored, RECIPE)
