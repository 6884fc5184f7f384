"""What a model file holds, in words and numbers, from its header. No model is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.io import layout
from spinney.io.errors import ModelFormatError
from spinney.io.own_code import every_source
from spinney.io.reading import check_header
from spinney.io.state import Reader


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
