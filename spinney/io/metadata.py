"""Metadata: what else its owner keeps in a model file, in JSON's types. The command line keeps its recipe there.

In: a dict. Out: the same, checked; nothing in it is looked at by whoever loads the model. One key is the command line's
own: what is there must be a recipe, when it is written and when it is read.
"""

from __future__ import annotations

import math
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from spinney.io.checks import Check, Maybe, boolean, dict_of, fail, integer, kept_or_none, list_of, number, text
from spinney.io.errors import ModelFormatError

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
