"""A model as the parts of a file, and back: bytes (layout.py), values as JSON, a record for each part of it.

In: an estimator. Out: all bytes of a file. In: these. Out: an estimator whose every part has been checked, or
`ModelFormatError`; or, from the header alone, what the file holds in words and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import validate_parameter_constraints

import spinney
from spinney.evaluate.scoring import Scoring
from spinney.io import layout
from spinney.io.audit import calibration as audit_calibration
from spinney.io.checks import At, ModelFormatError, check_metadata
from spinney.io.estimator_records import by_type, estimator_records
from spinney.io.layout import DTYPES
from spinney.io.own_code import as_loss, every_source, is_function, read_sources, source_of
from spinney.io.records import check_fields, make, store_records

_FOREIGN = (
    "a model file can hold only Spinney's models. Use pickle or joblib, for files that only you write and read, or "
    "skops (skops.io.dump)"
)


def check_kind(model: Any) -> None:

    if isinstance(model, type):
        raise TypeError(f"save needs a model, got the class {model.__name__}.")
    if not hasattr(model, "fit"):
        raise TypeError(f"save needs a Spinney estimator, got {model!r:.100}.")
    if type(model) not in by_type() or not type(model).__module__.startswith("spinney."):
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        raise TypeError(f"this is a {kind}, and {_FOREIGN}.")


def to_parts(model: Any, metadata: dict[str, Any] | None = None) -> list[bytes | memoryview]:
    """All bytes of the file, in order."""

    writer = StateWriter(_write_record, is_function, source_of)
    name = type(model).__name__
    writer.value(model, name)
    arrays, body = layout.pack_arrays(writer.arrays)
    header = {
        "library": spinney.__version__,
        "class": name,
        "fingerprint": fingerprint_of(model),
        "sources": writer.sources,
        "records": writer.records,
        "arrays": arrays,
        **({"metadata": check_metadata(metadata)} if metadata else {}),
    }
    return layout.file_parts(header, body)


def fingerprint_of(model: Any) -> str | None:
    """None for unfitted models, and for those that have none."""

    try:
        found = getattr(model, "fingerprint_", None)
    except NotFittedError:
        return None
    return found if isinstance(found, str) else None


def _write_record(value: Any, writer: StateWriter, place: str) -> dict[str, Any]:
    """Values that are none of the plain ones."""

    name = by_type().get(type(value))
    if name is not None:
        return _write_estimator(value, name, estimator_records()[name], writer, place)
    for record in store_records().values():
        if type(value) is record.kind:
            found = record.split(value)
            if not record.is_json:
                found = {field: writer.value(one, f"{place}.{field}") for field, one in found.items()}
            return {"is": record.name, "fields": found}
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "fit"):
        raise TypeError(f"{place} is a {kind}, and {_FOREIGN}.")
    raise TypeError(f"{place} is {value!r:.100} ({kind}), which a model file cannot hold.")


def _write_estimator(model: Any, name: str, record: Any, writer: StateWriter, place: str) -> dict[str, Any]:

    state = dict(model.__getstate__())
    state.pop("_sklearn_version", None)
    parameters = {one: state.pop(one) for one in record.parameters}
    fitted = {one: value for one, value in state.items() if one not in record.made}
    unknown = [one for one in fitted if one not in record.fitted]
    if unknown:
        raise TypeError(
            f"{place} has an attribute {unknown[0]!r} that does not belong to {name}. Delete it, or use pickle."
        )
    if "loss" in parameters:
        parameters["loss"] = as_loss(parameters["loss"])
    if fitted.get("scorer_") is not None:
        fitted["scorer_"] = True  # it follows from `scoring`
    given = {one: writer.value(value, f"{place}.{one}") for one, value in parameters.items()}
    found = {one: writer.value(fitted[one], f"{place}.{one}") for one in record.fitted if one in fitted}
    return {"is": name, "parameters": given, "fitted": found}


# --- from a file ------------------------------------------------------------------------------------------------------


_HEADER = ["library", "class", "fingerprint", "sources", "records", "arrays"]
_MOST_THREADS = 4096  # that a file may ask for: each is started


def read_file(buffer: np.ndarray, trust: Sequence[Any], verify: bool = True) -> Any:
    prefix = layout.read_prefix(bytes(buffer[: layout.PREFIX]), len(buffer))
    header = layout.read_header(prefix, bytes(buffer[layout.PREFIX : layout.PREFIX + prefix.header_length]))
    check_header(header)
    if verify:
        layout.check_body(prefix, buffer)
    n_stream, entries = layout.read_entries(header["arrays"], prefix)
    layout.check_padding(buffer, prefix, n_stream, entries)
    arrays = layout.unpack_arrays(buffer, prefix, n_stream, entries)
    return _read_model(header, arrays, trust)


def check_header(header: dict[str, Any]) -> None:
    kinds = {"library": str, "class": str, "fingerprint": str | None, "sources": list, "records": list, "arrays": list}
    if list(header) not in (_HEADER, [*_HEADER, "metadata"]) or not isinstance(header.get("metadata", {}), dict):
        raise ModelFormatError(f"The header must have {_HEADER}, not {list(header)!r:.100}", "the header")
    for name, kind in kinds.items():
        if not isinstance(header[name], kind):  # type: ignore[arg-type]
            raise ModelFormatError(f"{header[name]!r:.80} is not valid", f"the header's {name}")


def _read_model(header: dict[str, Any], arrays: list[np.ndarray], trust: Sequence[Any]) -> Any:

    reader = Reader(arrays)
    reader.sources += read_sources(header["sources"], trust)
    is_ours = header["library"] == spinney.__version__
    for number, stored in enumerate(header["records"]):
        last = number == len(header["records"]) - 1
        reader.records.append(_read_record(stored, reader, header["class"] if last else f"record {number}", is_ours))
    if not reader.records or type(reader.records[-1]).__name__ != header["class"]:
        raise ModelFormatError(f"The last record must be the {header['class']!r:.80}", "the header")
    reader.check_all_used()
    model = reader.records[-1]
    check_fingerprint(model, header["fingerprint"])
    return model


def check_fingerprint(model: Any, stated: str | None) -> None:
    found = fingerprint_of(model)
    if found != stated:
        raise ModelFormatError(
            f"The model's fingerprint is {found}, but the file has {stated!r:.80}", "the fingerprint"
        )


def _read_record(stored: Any, reader: Reader, place: str, is_ours: bool) -> Any:

    if not isinstance(stored, dict) or not isinstance(stored.get("is"), str):
        raise ModelFormatError("A record must name its kind", place)
    name = stored["is"]
    if name in estimator_records() and list(stored) == ["is", "parameters", "fitted"]:
        return _read_estimator(stored, estimator_records()[name], reader, place, is_ours)
    if name not in store_records() or list(stored) != ["is", "fields"] or not isinstance(stored["fields"], dict):
        raise ModelFormatError(f"Records of the kind {name!r:.80} are unknown, or have other fields", place)
    record, found = store_records()[name], stored["fields"]
    if not record.is_json:
        found = {field: reader.value(one, f"{place}.{field}") for field, one in found.items()}
    return make(record, found, place)


def _read_estimator(stored: Any, record: Any, reader: Reader, place: str, is_ours: bool) -> Any:
    given, found = stored["parameters"], stored["fitted"]
    if not isinstance(given, dict) or not isinstance(found, dict):
        raise ModelFormatError("Parameters and fitted attributes must be objects", place)
    unknown = [name for name in given if name not in record.parameters]
    missing = [name for name in record.parameters if name not in given]
    if unknown or (missing and is_ours):  # an older release may not have had all
        raise ModelFormatError(f"The parameter {(unknown + missing)[0]!r:.80} is unknown or missing", place)
    parameters = {name: reader.value(one, f"{place}.{name}") for name, one in given.items()}
    fitted = {name: reader.value(one, f"{place}.{name}") for name, one in found.items()}
    model = record.kind.__new__(record.kind)
    vars(model).update({name: parameters.get(name, default) for name, default in record.parameters.items()})
    try:
        if record.parameters:
            validate_parameter_constraints(record.kind._parameter_constraints, parameters, record.kind.__name__)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelFormatError(f"A parameter cannot be used: {str(error).rstrip('.')}", place) from None
    if abs(parameters.get("n_jobs") or 0) > _MOST_THREADS:
        raise ModelFormatError(f"n_jobs is {parameters['n_jobs']}: at most {_MOST_THREADS} threads are read", place)
    if fitted:
        check_fields(fitted, record.fitted, place)
        vars(model).update(fitted)
        try:
            record.audit(model, At(place))
            audit_calibration(model, At(place))
            if fitted.get("scorer_"):  # the file says that there is one: it follows from `scoring`
                (model.scorer_,) = Scoring(model, model.scoring).scorers.values()
        except (AttributeError, TypeError, ValueError, IndexError, KeyError, NotFittedError) as error:
            if isinstance(error, ModelFormatError):
                raise
            raise ModelFormatError(f"Its parts do not fit: {str(error).rstrip('.')}", place) from None
    return model


# --- what a file holds ------------------------------------------------------------------------------------------------


class Opened:
    """The header of a file, and its arrays when they are asked for."""

    def __init__(self, buffer: np.ndarray) -> None:
        self.prefix = layout.read_prefix(bytes(buffer[: layout.PREFIX]), len(buffer))
        text = bytes(buffer[layout.PREFIX : layout.PREFIX + self.prefix.header_length])
        self.header = layout.read_header(self.prefix, text)
        check_header(self.header)
        self.n_stream, self.entries = layout.read_entries(self.header["arrays"], self.prefix)
        self._buffer = buffer

    def arrays(self) -> list[np.ndarray]:
        return layout.unpack_arrays(self._buffer, self.prefix, self.n_stream, self.entries)


def summary(opened: Opened) -> dict[str, Any]:
    """See `spinney.io.inspect`."""
    header = opened.header
    records = [one if isinstance(one, dict) else {} for one in header["records"]]
    model = records[-1] if records else {}
    given, fitted = model.get("parameters"), model.get("fitted")
    if not isinstance(given, dict) or not isinstance(fitted, dict):
        raise ModelFormatError("The last record must be a model", "the header")
    trees, nodes = _count_trees(records, opened.entries)
    reader = Reader([])  # one: it counts the memory of all strings
    return {
        "class": header["class"],
        "parameters": {name: _shown(value, records, reader) for name, value in given.items()},
        "schema": _schema(fitted, records),
        "classes": _classes(fitted, opened),
        "is_fitted": bool(fitted),
        "trees": trees,
        "nodes": nodes,
        "bytes": opened.prefix.file_length,
        "fingerprint": header["fingerprint"],
        "library": header["library"],
        "format": layout.FORMAT_VERSION,
        "sources": every_source(header["sources"]),
        "metadata": header.get("metadata", {}),
    }


def _record(value: Any, records: list[dict[str, Any]]) -> dict[str, Any]:
    number = value.get("record") if isinstance(value, dict) else None
    return records[number] if type(number) is int and 0 <= number < len(records) else {}


def _shown(value: Any, records: list[dict[str, Any]], reader: Reader) -> Any:
    """A parameter: plain values as they are, others by what they are."""
    if isinstance(value, list):
        return [_shown(one, records, reader) for one in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_shown(one, records, reader) for one in value["tuple"])
    if "record" in value:
        return f"<{_record(value, records).get('is')}>"
    try:
        return reader.value(value, "a parameter")
    except ModelFormatError:
        return f"<{next(iter(value), '')}>"


def _schema(fitted: dict[str, Any], records: list[dict[str, Any]]) -> Any:
    fields = _record(fitted.get("_schema"), records).get("fields")
    if isinstance(fields, dict):
        return fields.get("columns")
    named = fitted.get("feature_names_in_")
    names = named.get("objects") if isinstance(named, dict) else None
    return [{"name": name} for name in names] if isinstance(names, list) else None


def _classes(fitted: dict[str, Any], opened: Opened) -> Any:
    stored = fitted.get("classes_")
    if stored is None:
        return None
    found = Reader(opened.arrays()).value(stored, "classes_")
    several = found if isinstance(found, list) else [found]
    if not all(isinstance(one, np.ndarray) for one in several):
        raise ModelFormatError(f"Expected an array of classes, got {found!r:.80}", "classes_")
    return [one.tolist() for one in found] if isinstance(found, list) else found.tolist()


def _count_trees(records: list[dict[str, Any]], entries: list[Any]) -> tuple[int, int]:
    trees = nodes = 0
    for record in records:
        if record.get("is") == "Forest" and isinstance(record.get("fields"), dict):
            trees += _length(record["fields"].get("first"), entries) - 1
            nodes += _length(record["fields"].get("size"), entries)
    return trees, nodes


def _length(stored: Any, entries: list[Any]) -> int:
    number = stored.get("array") if isinstance(stored, dict) else None
    if type(number) is not int or not 0 <= number < len(entries) or len(entries[number].shape) != 1:
        raise ModelFormatError("A forest has no nodes", "the header")
    return int(entries[number].shape[0])


# ----------------------------------------------------------------------------------------------------------------------
# Values of models as JSON, and back.
#
# JSON's own values stand for themselves; all others are objects of one key that says what they are:
#
# | JSON                                  | value                                                                   |
# |---------------------------------------|-------------------------------------------------------------------------|
# | {"float": "nan", "inf" or "-inf"}     | a float that JSON has no number for                                     |
# | {"tuple": [...]}                      | a tuple                                                                 |
# | {"dict": [[key, value], ...]}         | a dictionary, in its order                                              |
# | {"array": n}                          | array n of the file                                                     |
# | {"strings": [...], "width": w}        | an array of strings of at most w characters                             |
# | {"objects": [...]}                    | an array of Python objects: strings, numbers, Booleans, None, dicts;    |
# |                                       | also of strings of which one is far longer than the others              |
# | {"scalar": ["<f8", value]}            | a scalar of NumPy                                                       |
# | {"dtype": "<f8"}                      | a dtype of NumPy                                                        |
# | {"record": n}                         | record n of the file, which stands before the record that refers to it  |
# | {"source": n}                         | a user's function, by its source (own_code.py)                          |
#
# In: values. Out: JSON, and lists of arrays and records. What records there are is records.py's affair.


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
