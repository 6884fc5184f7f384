"""The parts of a file as a model.

In: all bytes of a file. Out: an estimator whose every part has been checked; or `ModelFormatError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import validate_parameter_constraints

import spinney
from spinney.evaluate.scoring import Scoring
from spinney.io import layout
from spinney.io.errors import ModelFormatError
from spinney.io.estimator_audit import calibration as audit_calibration
from spinney.io.estimator_records import estimator_records
from spinney.io.own_code import read_sources
from spinney.io.records import check_fields, make, store_records
from spinney.io.state import Reader
from spinney.io.writing import fingerprint_of

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
            record.audit(model, place)
            audit_calibration(model, place)
            if fitted.get("scorer_"):  # the file says that there is one: it follows from `scoring`
                (model.scorer_,) = Scoring(model, model.scoring).scorers.values()
        except (AttributeError, TypeError, ValueError, IndexError, KeyError, NotFittedError) as error:
            if isinstance(error, ModelFormatError):
                raise
            raise ModelFormatError(f"Its parts do not fit: {str(error).rstrip('.')}", place) from None
    return model
