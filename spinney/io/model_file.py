"""Model files: save, load and inspect them.

In: a fitted estimator. Out: a file that holds it whole (layout.py: its bytes; state.py: its values; records.py and
estimator_records.py: what there can be), and the other way round. Loading runs nothing that a file brings along, checks
sizes before memory is taken, and audits every tree before it is used. The format is docs/model-format.md's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.io import layout
from spinney.io.errors import ModelFormatError

if TYPE_CHECKING:
    from spinney.io.state import Reader, Writer

_FOREIGN = (
    "a model file holds Spinney's own models only. Use pickle or joblib, for files that you alone write and read, or "
    "skops (skops.io.dump)"
)
_HEADER = ["library", "class", "fingerprint", "sources", "records", "arrays"]


def save(model: Any, path: Any, *, metadata: dict[str, Any] | None = None) -> None:
    """Save a fitted model to a file of Spinney's own format.

    The file has everything that the model has: parameters, names and categories of the columns, classes, trees. It is
    written beside its place and then moved there, so that there is never half a file; saving a model twice gives the
    same bytes.

    Parameters
    ----------
    model : estimator
        Any estimator of Spinney, fitted or not; of voting, stacking, bagging and AdaBoost the members too.
    path : str, path or file
        Where to, or a binary file that is open for writing.
    metadata : dict, optional
        What else should be in the file, in JSON's types; `spinney.io.inspect` shows it.

    Raises
    ------
    TypeError
        If the model, or a part of it, is not Spinney's, or holds a function whose source is not known.

    Examples
    --------
    >>> import io, spinney
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> tree = spinney.DecisionTreeClassifier().fit(X, y)
    >>> file = io.BytesIO()
    >>> spinney.save(tree, file)
    >>> spinney.load(file.getvalue()).predict(X.head(2)).tolist()
    ['No', 'No']
    """
    parts = _to_parts(model, metadata)
    _verify(parts, model)
    if hasattr(path, "write"):
        for part in parts:
            path.write(part)
        return
    _replace(Path(path), parts)


def _replace(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file whole, or not at all."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _to_parts(model: Any, metadata: Any = None) -> list[bytes | memoryview]:
    """All bytes of the file, in order."""
    import spinney
    from spinney.io.metadata import check_metadata
    from spinney.io.own_code import is_function, source_of
    from spinney.io.state import Writer

    writer = Writer(_write_record, is_function, source_of)
    name = type(model).__name__
    writer.value(model, name)
    arrays, body = layout.pack_arrays(writer.arrays)
    header = {
        "library": spinney.__version__,
        "class": name,
        "fingerprint": _fingerprint(model),
        "sources": writer.sources,
        "records": writer.records,
        "arrays": arrays,
        **({"metadata": check_metadata(metadata)} if metadata else {}),
    }
    return layout.file_parts(header, body)


def _fingerprint(model: Any) -> str | None:
    """None for unfitted models, and for those that have none."""
    from sklearn.exceptions import NotFittedError

    try:
        found = getattr(model, "fingerprint_", None)
    except NotFittedError:
        return None
    return found if isinstance(found, str) else None


def _write_record(value: Any, writer: Writer, place: str) -> dict[str, Any]:
    """Values that are none of the plain ones."""
    from spinney.io.estimator_records import by_type, estimator_records
    from spinney.io.records import store_records

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


def _write_estimator(model: Any, name: str, record: Any, writer: Writer, place: str) -> dict[str, Any]:
    from spinney.io.own_code import as_loss

    state = dict(model.__getstate__())
    state.pop("_sklearn_version", None)
    parameters = {one: state.pop(one) for one in record.parameters}
    fitted = {one: value for one, value in state.items() if one not in record.made}
    unknown = [one for one in fitted if one not in record.fitted]
    if unknown:
        raise TypeError(
            f"{place} has an attribute {unknown[0]!r} that {name} does not have of itself: delete it, or use pickle."
        )
    if "loss" in parameters:
        parameters["loss"] = as_loss(parameters["loss"])
    given = {one: writer.value(value, f"{place}.{one}") for one, value in parameters.items()}
    found = {one: writer.value(fitted[one], f"{place}.{one}") for one in record.fitted if one in fitted}
    return {"is": name, "parameters": given, "fitted": found}


def _verify(parts: Sequence[bytes | memoryview], model: Any) -> None:
    """What is written can be read."""
    buffer = np.frombuffer(b"".join(parts), np.uint8)
    try:
        _read(buffer, (), verify=False)
    except ModelFormatError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {error}") from error


def load(path: Any, *, mmap: bool = False, trust: Sequence[Any] = ()) -> Any:
    """Load a model from a file that `save` has written.

    Nothing that the file brings along is run, and nothing is imported by a name in it. Whatever could make a prediction
    crash, loop or read what it should not is found here.

    Parameters
    ----------
    path : str, path, bytes or file
        The file, its bytes, or a binary file that is open for reading.
    mmap : bool, default=False
        Map large arrays from the file in place of reading them: processes that do so share one copy in memory. The
        file must not be changed while it is used; a new model belongs in a new file, which `save` sees to.
    trust : sequence of str or functions
        Losses and criteria of your own are saved as their source, which is shown by `spinney.io.inspect` and compiled
        only if its hash, as shown there, is in this list, or the function itself. Without it the model loads, and
        predicts as far as it can do without them.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFormatError
        If the file is damaged, forged, or of a newer format.

    Examples
    --------
    >>> import os, spinney, tempfile
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> place = os.path.join(tempfile.mkdtemp(), "tennis.spinney")
    >>> spinney.save(spinney.RandomForestClassifier(5, random_state=0).fit(X, y), place)
    >>> spinney.load(place)
    RandomForestClassifier(n_estimators=5, random_state=0)
    """
    return _read(_buffer_of(path, mmap), trust)


def _buffer_of(path: Any, mmap: bool) -> np.ndarray:
    """All bytes of a file, writable (mapped ones as private copies of their pages), beginning at a multiple of 64."""
    if mmap:
        if isinstance(path, bytes | bytearray | memoryview) or hasattr(path, "read"):
            raise ValueError("mmap=True needs the path of a file.")
        return _map(Path(path))
    if isinstance(path, bytes | bytearray | memoryview):
        content = np.frombuffer(path, np.uint8)
        buffer = _aligned_bytes(len(content))
        buffer[:] = content
        return buffer
    if hasattr(path, "read"):
        return _buffer_of(path.read(), False)
    with Path(path).open("rb") as file:
        first = file.read(layout.PREFIX)
        layout.read_prefix(first, os.fstat(file.fileno()).st_size)  # no memory is taken for what is no model
        buffer = _aligned_bytes(os.fstat(file.fileno()).st_size)
        file.seek(0)
        if file.readinto(buffer.data) != len(buffer):
            raise ModelFormatError("The file has become shorter while it was read", "the file")
        return buffer


def _map(path: Path) -> np.ndarray:
    with path.open("rb") as file:
        layout.read_prefix(file.read(layout.PREFIX), os.fstat(file.fileno()).st_size)
        # "c": pages are shared until somebody writes to them, and kernels need arrays that could be written to
        return np.memmap(file, np.uint8, mode="c").view(np.ndarray)


def _aligned_bytes(n: int) -> np.ndarray:
    room = np.empty(n + layout.ALIGNMENT, np.uint8)
    begin = -room.ctypes.data % layout.ALIGNMENT
    return room[begin : begin + n]


def _read(buffer: np.ndarray, trust: Sequence[Any], verify: bool = True) -> Any:
    prefix = layout.read_prefix(bytes(buffer[: layout.PREFIX]), len(buffer))
    header = layout.read_header(prefix, bytes(buffer[layout.PREFIX : layout.PREFIX + prefix.header_length]))
    _check_header(header)
    if verify:
        layout.check_body(prefix, buffer)
    n_stream, entries = layout.read_entries(header["arrays"], prefix)
    layout.check_padding(buffer, prefix, n_stream, entries)
    arrays = layout.unpack_arrays(buffer, prefix, n_stream, entries)
    return _read_model(header, arrays, trust)


def _check_header(header: dict[str, Any]) -> None:
    kinds = {"library": str, "class": str, "fingerprint": str | None, "sources": list, "records": list, "arrays": list}
    if list(header) not in (_HEADER, [*_HEADER, "metadata"]) or not isinstance(header.get("metadata", {}), dict):
        raise ModelFormatError(f"The header must have {_HEADER}, not {list(header)!r:.100}", "the header")
    for name, kind in kinds.items():
        if not isinstance(header[name], kind):  # type: ignore[arg-type]
            raise ModelFormatError(f"{header[name]!r:.80} is not what is wanted", f"the header's {name}")


def _read_model(header: dict[str, Any], arrays: list[np.ndarray], trust: Sequence[Any]) -> Any:
    import spinney
    from spinney.io.own_code import read_sources
    from spinney.io.state import Reader

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
    _check_fingerprint(model, header["fingerprint"])
    return model


def _check_fingerprint(model: Any, stated: str | None) -> None:
    found = _fingerprint(model)
    if found != stated:
        raise ModelFormatError(
            f"The model's fingerprint is {found}, and the file says {stated!r:.80}", "the fingerprint"
        )


def _read_record(stored: Any, reader: Reader, place: str, is_ours: bool) -> Any:
    from spinney.io.estimator_records import estimator_records
    from spinney.io.records import make, store_records

    if not isinstance(stored, dict) or not isinstance(stored.get("is"), str):
        raise ModelFormatError("A record must say what it is", place)
    name = stored["is"]
    if name in estimator_records() and list(stored) == ["is", "parameters", "fitted"]:
        return _read_estimator(stored, estimator_records()[name], reader, place, is_ours)
    if name not in store_records() or list(stored) != ["is", "fields"] or not isinstance(stored["fields"], dict):
        raise ModelFormatError(f"Records of the kind {name!r:.80} are not known, or not like this", place)
    record, found = store_records()[name], stored["fields"]
    if not record.is_json:
        found = {field: reader.value(one, f"{place}.{field}") for field, one in found.items()}
    return make(record, found, place)


def _read_estimator(stored: Any, record: Any, reader: Reader, place: str, is_ours: bool) -> Any:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils._param_validation import validate_parameter_constraints

    from spinney.io.records import check_fields

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
    if fitted:
        check_fields(fitted, record.fitted, place)
        vars(model).update(fitted)
        try:
            record.audit(model, place)
        except (AttributeError, TypeError, ValueError, IndexError, KeyError, NotFittedError) as error:
            if isinstance(error, ModelFormatError):
                raise
            raise ModelFormatError(f"Its parts do not fit: {str(error).rstrip('.')}", place) from None
    return model


def inspect(path: Any) -> dict[str, Any]:
    """What a model file holds, from its header alone.

    Parameters
    ----------
    path : str, path, bytes or file

    Returns
    -------
    dict
        "class", "parameters", "schema" (a dict for each column: its name, and the categories of those that have any;
        None for models that leave tables to their members), "classes", "trees", "nodes", "bytes", "fingerprint",
        "library" (the release that wrote it), "format", "sources" (functions of the user's: "name", "hash" and
        "source") and "metadata" (what the file was given besides, {} if nothing).

    Raises
    ------
    ModelFormatError
        If it is no model file, or its header is damaged. Trees are not looked at.

    Examples
    --------
    >>> import io, spinney
    >>> from spinney.datasets import load_tennis
    >>> file = io.BytesIO()
    >>> spinney.save(spinney.DecisionTreeClassifier().fit(*load_tennis()), file)
    >>> found = spinney.io.inspect(file.getvalue())
    >>> found["class"], found["classes"], found["trees"], found["schema"][0]["name"]
    ('DecisionTreeClassifier', ['No', 'Yes'], 1, 'Outlook')
    """
    from spinney.io.summary import summary

    return summary(_Opened(path))


class _Opened:
    """The header of a file, and arrays that are read one by one."""

    def __init__(self, path: Any) -> None:
        buffer = (
            _map(Path(path))
            if not isinstance(path, bytes | bytearray | memoryview) and not hasattr(path, "read")
            else _buffer_of(path, False)
        )
        self.prefix = layout.read_prefix(bytes(buffer[: layout.PREFIX]), len(buffer))
        begin = layout.PREFIX
        self.header = layout.read_header(self.prefix, bytes(buffer[begin : begin + self.prefix.header_length]))
        _check_header(self.header)
        self.n_stream, self.entries = layout.read_entries(self.header["arrays"], self.prefix)
        self._buffer = buffer

    def arrays(self) -> list[np.ndarray]:
        return layout.unpack_arrays(self._buffer, self.prefix, self.n_stream, self.entries)
