"""Values of models as JSON, and back.

JSON's own values stand for themselves; all others are objects of one key that says what they are:

| JSON                                  | value                                                                   |
|---------------------------------------|-------------------------------------------------------------------------|
| {"float": "nan", "inf" or "-inf"}     | a float that JSON has no number for                                     |
| {"tuple": [...]}                      | a tuple                                                                 |
| {"dict": [[key, value], ...]}         | a dictionary, in its order                                              |
| {"array": n}                          | array n of the file                                                     |
| {"strings": [...], "width": w}        | an array of strings of at most w characters                             |
| {"objects": [...]}                    | an array of Python objects: strings, numbers, Booleans, None, dicts;    |
|                                       | also of strings of which one is far longer than the others              |
| {"scalar": ["<f8", value]}            | a scalar of NumPy                                                       |
| {"dtype": "<f8"}                      | a dtype of NumPy                                                        |
| {"record": n}                         | record n of the file, which stands before the record that refers to it  |
| {"source": n}                         | a user's function, by its source (own_code.py)                          |

In: values. Out: JSON, and lists of arrays and records. What records there are is records.py's affair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from spinney.io.errors import ModelFormatError
from spinney.io.layout import DTYPES

_MOST_DIGITS = 1 << 64
_WIDE = 1 << 20  # bytes that all arrays of strings of a file may take, whatever the file holds of them
_SPREAD = 64  # bytes per string and per character in the file that they may take besides
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class StateWriter:
    """Turns values into JSON, and collects arrays, records and sources.

    `record` turns a value that is none of the plain ones into the JSON of a record, or raises; equal arrays and records
    that are the same object are written once.
    """

    def __init__(
        self,
        record: Callable[[Any, StateWriter, str], dict[str, Any]],
        is_function: Callable[[Any], bool],
        source: Callable[[Any, str], Any],
    ) -> None:
        self.arrays: list[np.ndarray] = []
        self.records: list[dict[str, Any]] = []
        self.sources: list[Any] = []
        self._record, self._is_function, self._source = record, is_function, source
        self._room = _WIDE  # as the reader counts it
        self._known: dict[int, tuple[dict[str, Any], Any]] = {}  # by identity; the value is kept alive

    def value(self, value: Any, place: str) -> Any:
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int and abs(value) < _MOST_DIGITS:
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.value(one, f"{place}[{k}]") for k, one in enumerate(value)]
        if kind is tuple:
            return {"tuple": [self.value(one, f"{place}[{k}]") for k, one in enumerate(value)]}
        if kind is dict:
            return {"dict": [[self.value(k, place), self.value(v, f"{place}[{k!r}]")] for k, v in value.items()]}
        if isinstance(value, np.generic):
            return self._scalar(value, place)
        if isinstance(value, np.dtype) and value.newbyteorder("<").str in DTYPES:
            return {"dtype": value.newbyteorder("<").str}
        return self._shared(value, place)

    def _scalar(self, value: np.generic, place: str) -> Any:
        dtype = value.dtype.newbyteorder("<").str
        if isinstance(value, np.str_):
            return {"scalar": ["<U", str(value)]}
        if dtype not in DTYPES or value.dtype.kind == "M":
            raise TypeError(f"{place} is {value!r}, which a model file cannot hold.")
        return {"scalar": [dtype, self.value(value.item(), place)]}

    def _shared(self, value: Any, place: str) -> dict[str, Any]:
        """What is written once, however often it comes."""
        if id(value) not in self._known:
            self._known[id(value)] = self._once(value, place), value
        return self._known[id(value)][0]

    def _once(self, value: Any, place: str) -> dict[str, Any]:
        if type(value) is np.ndarray:
            return self._array(value, place)
        if self._is_function(value):
            self.sources.append(self._source(value, place))
            return {"source": len(self.sources) - 1}
        self.records.append(self._record(value, self, place))
        return {"record": len(self.records) - 1}

    def _array(self, array: np.ndarray, place: str) -> dict[str, Any]:
        if array.dtype.kind == "U" and array.ndim == 1:
            values = array.tolist()
            spare = _beyond_file(values, array.dtype.itemsize // 4)
            if spare <= self._room:
                self._room -= spare
                return {"strings": values, "width": array.dtype.itemsize // 4}
            return {"objects": values}
        if array.dtype == object and array.ndim == 1:
            return {"objects": [self.value(one, f"{place}[{k}]") for k, one in enumerate(array.tolist())]}
        if array.dtype.newbyteorder("<").str not in DTYPES:
            raise TypeError(f"{place} is an array of dtype {array.dtype}, which a model file cannot hold.")
        self.arrays.append(array)
        return {"array": len(self.arrays) - 1}


class Reader:
    """Turns JSON into values. `records` and `sources` are made one after the other, by whoever knows them."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self.records: list[Any] = []
        self.sources: list[Any] = []
        self.used: dict[str, set[int]] = {"array": set(), "record": set(), "source": set()}
        self._room = _WIDE  # bytes that arrays of strings may still take
        self._kinds: dict[str, Callable[[Any, str], Any]] = {
            "float": self._float,
            "tuple": self._tuple,
            "dict": self._dict,
            "objects": self._objects,
            "scalar": self._scalar,
            "dtype": self._dtype,
        }

    def value(self, stored: Any, place: str) -> Any:
        kind = type(stored)
        if kind is int:
            if abs(stored) >= _MOST_DIGITS:
                raise ModelFormatError("An integer has more than 64 bits", place)
            return stored
        if kind is list:
            return [self.value(one, f"{place}[{k}]") for k, one in enumerate(stored)]
        if kind is not dict:
            return stored
        if len(stored) == 2 and list(stored) == ["strings", "width"]:
            return self._strings(stored["strings"], stored["width"], place)
        if len(stored) != 1:
            raise ModelFormatError(f"An object must say what it is by one key, not by {list(stored)!r:.80}", place)
        ((what, content),) = stored.items()
        if what in self.used:
            return self._numbered(what, content, place)
        if what not in self._kinds:
            raise ModelFormatError(f"Values of the kind {what!r:.80} are unknown", place)
        return self._kinds[what](content, place)

    def _numbered(self, what: str, number: Any, place: str) -> Any:
        there = getattr(self, what + "s")
        if type(number) is not int or not 0 <= number < len(there):
            raise ModelFormatError(f"There is no {what} {number!r:.80} before this", place)
        self.used[what].add(number)
        return there[number]

    def check_all_used(self) -> None:
        """Raise if the file holds what no record refers to."""
        for what, used in self.used.items():
            there = len(getattr(self, what + "s"))
            if len(used) != there - (what == "record"):  # nothing refers to the model itself
                raise ModelFormatError(f"The file holds {there} {what}s, but {len(used)} are used", "the header")

    def _float(self, name: Any, place: str) -> float:
        if not isinstance(name, str) or name not in _FLOATS:
            raise ModelFormatError(f"{name!r:.80} is not a float", place)
        return _FLOATS[name]

    def _tuple(self, values: Any, place: str) -> tuple[Any, ...]:
        return tuple(self.value(_list(values, place), place))

    def _dict(self, pairs: Any, place: str) -> dict[Any, Any]:
        found = {}
        for pair in _list(pairs, place):
            if len(_list(pair, place)) != 2:
                raise ModelFormatError("A dictionary is a list of pairs", place)
            key = self.value(pair[0], place)
            if isinstance(key, list | dict | np.ndarray) or not _hashable(key):
                raise ModelFormatError(f"{pair[0]!r:.80} cannot be a key", place)
            found[key] = self.value(pair[1], f"{place}[{key!r:.40}]")
        if len(found) != len(pairs):
            raise ModelFormatError("A key of a dictionary occurs twice", place)
        return found

    def _strings(self, values: Any, width: Any, place: str) -> np.ndarray:
        if not all(type(one) is str for one in _list(values, place)) or type(width) is not int:
            raise ModelFormatError("An array of strings holds strings, and a width", place)
        longest = max(map(len, values), default=0)
        if width < longest:
            raise ModelFormatError(f"The width of strings of up to {longest} characters is {width}", place)
        self._room -= _beyond_file(values, width)
        if self._room < 0:
            raise ModelFormatError(
                f"{len(values):,} strings of width {width:,} take far more memory than the file has", place
            )
        return np.array(values, f"<U{width}")

    def _objects(self, values: Any, place: str) -> np.ndarray:
        found = np.empty(len(_list(values, place)), object)
        for k, one in enumerate(values):
            found[k] = self.value(one, f"{place}[{k}]")
            if not isinstance(found[k], str | int | float | bool | dict | None):
                raise ModelFormatError(f"{one!r:.80} cannot be an element of an array of objects", f"{place}[{k}]")
        return found

    def _scalar(self, pair: Any, place: str) -> Any:
        if len(_list(pair, place)) != 2 or not isinstance(pair[0], str):
            raise ModelFormatError("A scalar is a dtype and a value", place)
        value = self.value(pair[1], place)
        if pair[0] == "<U" and type(value) is str:
            return np.str_(value)
        dtype = self._dtype(pair[0], place)
        wanted = {"b": bool, "i": int, "u": int, "f": float}.get(dtype.kind)
        try:
            if type(value) is wanted:
                made = dtype.type(value)
                if made.item() == value or value != value:
                    return made
        except OverflowError:
            pass
        raise ModelFormatError(f"{pair[1]!r:.80} is not a scalar of dtype {pair[0]!r:.80}", place)

    def _dtype(self, name: Any, place: str) -> np.dtype:
        if not isinstance(name, str) or name not in DTYPES:
            raise ModelFormatError(f"{name!r:.80} is not a known dtype", place)
        return DTYPES[name]


def _beyond_file(values: list[str], width: int) -> int:
    """Bytes of an array of strings, all as wide as the longest, beyond a share of what the file holds of them."""
    return max(0, 4 * width * max(1, len(values)) - _SPREAD * (len(values) + sum(map(len, values))))


def _list(value: Any, place: str) -> list[Any]:
    if type(value) is not list:
        raise ModelFormatError(f"Expected a list, got {value!r:.80}", place)
    return value


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
