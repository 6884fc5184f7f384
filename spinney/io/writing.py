"""A model as the parts of a file.

In: an estimator. Out: bytes (layout.py), its values as JSON (state.py), one record for each part of it.
"""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError

import spinney
from spinney.io import layout
from spinney.io.estimator_records import by_type, estimator_records
from spinney.io.metadata import check_metadata
from spinney.io.own_code import as_loss, is_function, source_of
from spinney.io.records import store_records
from spinney.io.state import StateWriter

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
