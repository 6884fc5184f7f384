"""Columns of Python objects, as lists hold them: numbers or labels, each of one kind."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections import defaultdict
from dataclasses import replace
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np

from spinney.data.tables import Labels, Numbers


def read_objects(values: list, where: str) -> Numbers | Labels:
    """Read a column of Python objects: all numbers, or all strings, with anything missing among them."""
    types = set(map(type, values))
    missing = types & _missing_types()
    strings = {kind for kind in types if issubclass(kind, str)}
    named = {kind for kind in types - missing if _has_a_name(kind)}
    for kind in types - missing - strings - named:
        if not _is_number(kind):
            raise TypeError(_refusal(where, kind))
    if not strings and not named:
        return _read_numbers(values, types - missing, missing)
    codes, distinct = factorize(values)
    labels = label(codes, np.arange(len(distinct)), distinct, where)
    times = [kind for kind in named if not _is_interval(kind)]
    return replace(labels, refusal=_refusal(where, times[0])) if times else labels


def _missing_types() -> set[type]:
    """Types all of whose values are missing; NaN is a float and is found later."""
    pandas = nw.dependencies.get_pandas()
    return {type(None)} if pandas is None else {type(None), type(pandas.NA), type(pandas.NaT)}


def _is_interval(kind: type) -> bool:
    return kind.__name__ == "Interval" and kind.__module__.startswith("pandas")


def _has_a_name(kind: type) -> bool:
    """Whether values are categories by what they are called, `str(value)`: intervals (pandas.cut), dates, periods."""
    times = issubclass(kind, (datetime.date, datetime.time, datetime.timedelta))
    return times or _is_interval(kind) or (kind.__name__ == "Period" and kind.__module__.startswith("pandas"))


def _is_number(kind: type) -> bool:
    return issubclass(kind, (numbers.Real, np.bool_, decimal.Decimal))


def _read_numbers(values: list, types: set[type], missing: set[type]) -> Numbers:
    """Keep Booleans and integers what they are, so that they can also be labels."""
    mask = None
    if missing:
        mask = np.fromiter((type(value) in missing for value in values), dtype=bool, count=len(values))
        values = [0 if gone else value for value, gone in zip(values, mask, strict=True)]
    dtype = _common_dtype(types)
    try:
        return Numbers(np.array(values, dtype=object).astype(dtype), mask)
    except (OverflowError, ValueError):  # an integer of more than 64 bits, a signalling NaN
        return Numbers(np.array([_as_float(value) for value in values]), mask)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except ValueError:
        return float("nan")


def _common_dtype(types: set[type]) -> type:
    """The plainest dtype that holds all these types of numbers: bool, int64 or float64."""
    if types and all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return np.bool_
    integers = types and all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in types)
    return np.int64 if integers else np.float64


def factorize(values: list) -> tuple[np.ndarray, list]:
    """Number the distinct values in order of appearance, in a loop that runs in C."""
    numbering: defaultdict[Any, int] = defaultdict()
    numbering.default_factory = numbering.__len__  # a value not yet there gets the next number
    codes = np.fromiter(map(numbering.__getitem__, values), dtype=np.int64, count=len(values))
    return codes, list(numbering)


def label(codes: np.ndarray, present: np.ndarray, values: list, where: str) -> Labels:
    """Drop missing values from the dictionary and make the others plain; refuse a mix of strings and numbers."""
    missing = _missing_types()
    kept = [type(value) not in missing and bool(value == value) for value in values]
    values = [value for value, keep in zip(values, kept, strict=True) if keep]
    kinds = set(map(type, values))
    named = {kind for kind in kinds if _has_a_name(kind)}
    if named:
        if any(map(_is_number, kinds)):
            raise TypeError(_refusal(where, min(named, key=lambda kind: kind.__name__)))
        values = [str(value) if type(value) in named else value for value in values]
    strings = [value for value in values if isinstance(value, str)]
    others = [value for value in values if not isinstance(value, str)]
    for value in others:
        if not _is_number(type(value)):
            raise TypeError(_refusal(where, type(value)))
    if strings and others:
        raise TypeError(
            f"{where} mixes strings and numbers, such as {strings[0]!r} and {others[0]!r}. Make it one kind: "
            "astype(str) for categories, or turn the strings into numbers."
        )
    plain = [str(value) for value in strings] or _plain_numbers(others)
    return Labels(codes, present[np.array(kept, dtype=bool)], plain)


def _plain_numbers(values: list) -> list:
    read = _read_numbers(values, set(map(type, values)), set()).values
    return (read + 0 if read.dtype.kind == "f" else read).tolist()  # + 0: -0.0 becomes 0.0


def _refusal(where: str, kind: type) -> str:
    return (
        f"{where}: argument must be a string or a number, not {kind.__name__!r}. "
        "Turn such values into numbers or strings first."
    )


def refuse(where: str, dtype: Any) -> NoReturn:
    raise TypeError(
        f"{where} holds {dtype}, which is neither numbers nor categories. Derive numbers from it (from a date: the "
        "year, the weekday, the days since a given day; from a list or struct: one column per part), or drop it."
    )
