"""Model files: save, load and inspect them.

In: a fitted estimator. Out: a file that holds it whole (layout.py: its bytes; parts.py: its values; records.py and
estimator_records.py: what there can be), and the other way round. Loading runs nothing that a file brings along, checks
sizes before memory is taken, and audits every tree before it is used. The format is docs/model-format.md's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from io import BufferedReader, TextIOBase
from pathlib import Path
from typing import Any

import numpy as np

from spinney._whole_file import whole_file
from spinney.io import layout
from spinney.io.checks import ModelFormatError


def save(model: Any, path: Any, *, metadata: dict[str, Any] | None = None) -> None:
    """Save a model to a file in Spinney's model format.

    The file holds the whole model: parameters, column names and categories, classes and trees. It is written next to
    `path` and then moved there, so an incomplete file is never visible. Saving a model twice gives the same bytes.

    Parameters
    ----------
    model : estimator
        Any Spinney estimator, fitted or not. Ensembles are saved with their base estimators.
    path : str, path or file
        Where to write the model: a path, or a binary file that is open for writing.
    metadata : dict, default=None
        Additional JSON values to store in the file; `spinney.io.inspect` returns them. The key "command_line" is
        reserved for the command line.

    Raises
    ------
    TypeError
        If the model or a part of it is not a Spinney estimator, or holds a function whose source is not known.

    See Also
    --------
    load, io.inspect

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
    from spinney.io.parts import check_kind, to_parts

    check_kind(model)
    try:
        parts = to_parts(model, metadata)
    except ModelFormatError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {error}") from error
    if hasattr(path, "write"):
        _check_binary(path)
        _verify(np.frombuffer(b"".join(parts), np.uint8), model)
        for part in parts:
            path.write(part)
        return
    with whole_file(path, lambda written: _verify(_map(written), model)) as file:
        for part in parts:
            file.write(part)


def _verify(buffer: np.ndarray, model: Any) -> None:
    """What is written can be read."""
    from spinney.io.parts import read_file

    try:
        read_file(buffer, (), verify=False)
    except ModelFormatError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {error}") from error


def load(path: Any, *, mmap: bool = False, trust: Sequence[Any] = ()) -> Any:
    """Load a model from a file that `save` has written.

    Loading runs no code from the file and imports nothing by name. The file is checked completely, so that damaged or
    forged contents raise an error here and not in a prediction.

    Parameters
    ----------
    path : str, path, bytes or file
        The model file: its path, its bytes, or a binary file that is open for reading.
    mmap : bool, default=False
        Whether to map large arrays from the file instead of reading them. Processes that do so share one copy in
        memory. The file must not be changed while it is in use; `save` always replaces it by a new one.
    trust : sequence of str or functions, default=()
        Custom losses and criteria that may be compiled: their hashes, as `spinney.io.inspect` returns them, or the
        functions themselves. Custom functions are saved as source, and a hash covers all functions that a function
        uses. Without it the model loads, and supports all predictions that do not need its custom functions.

    Returns
    -------
    estimator
        The model, with the same `fingerprint_` as the saved one.

    Raises
    ------
    ModelFormatError
        If the file is damaged, forged, or of a newer format.
    FileNotFoundError
        If there is no such file. The message names model files in the folder.

    See Also
    --------
    save, io.inspect

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
    from spinney.io.parts import read_file

    return read_file(_buffer_of(path, mmap), trust)


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
        _check_binary(path)
        return _buffer_of(path.read(), False)
    with _open(Path(path)) as file:
        first = file.read(layout.PREFIX)
        layout.read_prefix(first, os.fstat(file.fileno()).st_size)  # no memory is taken for what is no model
        buffer = _aligned_bytes(os.fstat(file.fileno()).st_size)
        file.seek(0)
        if file.readinto(buffer.data) != len(buffer):
            raise ModelFormatError("The file has become shorter while it was read", "the file")
        return buffer


def _check_binary(file: Any) -> None:
    if isinstance(file, TextIOBase):
        raise TypeError("The file is open as text: model files are binary, open it with mode 'rb' or 'wb'.")


def _open(path: Path) -> BufferedReader:
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder, not a model file. Name a file in it.")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {str(path)!r}. {_where_else(path)}") from None


def _where_else(path: Path) -> str:
    """What may help who looks for a model file that is not there."""
    folder = path.absolute().parent
    if not folder.is_dir():
        return f"The folder {str(folder)!r} does not exist."
    there = sorted(one.name for one in folder.glob("*.spinney"))
    close = get_close_matches(path.name, there, n=1)
    if close:
        return f"Did you mean {str(path.with_name(close[0]))!r}?"
    if there:
        return f"Model files in {str(folder)!r}: {', '.join(there[:5])}{', ...' if len(there) > 5 else ''}."
    return f"The folder {str(folder)!r} has no model files; spinney.save(model, path) writes one."


def _map(path: Path) -> np.ndarray:
    with _open(path) as file:
        layout.read_prefix(file.read(layout.PREFIX), os.fstat(file.fileno()).st_size)
        # "c": pages are shared until somebody writes to them, and kernels need arrays that could be written to
        return np.memmap(file, np.uint8, mode="c").view(np.ndarray)


def _aligned_bytes(n: int) -> np.ndarray:
    room = np.empty(n + layout.ALIGNMENT, np.uint8)
    begin = -room.ctypes.data % layout.ALIGNMENT
    return room[begin : begin + n]


def inspect(path: Any) -> dict[str, Any]:
    """Read a summary of a model file from its header, without loading the model.

    Parameters
    ----------
    path : str, path, bytes or file
        The model file: its path, its bytes, or a binary file that is open for reading.

    Returns
    -------
    dict
        With these keys:

        - "class", "parameters", "classes", "fingerprint": of the model.
        - "is_fitted": whether the model is fitted.
        - "schema": a dict for each column, with its name and, if it has any, its categories. None for models whose base
          estimators read the data.
        - "trees", "nodes", "bytes": the size of the model.
        - "library", "format": the release that wrote the file, and the version of the format.
        - "sources": a dict for each custom function and each function that it uses: "name", "hash", "source" (the text
          that `load` would compile) and "captured" (the values that it takes from outside).
        - "metadata": the values given to `save`; {} if there are none.

    Raises
    ------
    ModelFormatError
        If this is not a model file, or its header is damaged. Trees are not checked.

    See Also
    --------
    save, load

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
    from spinney.io.parts import Opened, summary

    is_path = not isinstance(path, bytes | bytearray | memoryview) and not hasattr(path, "read")
    return summary(Opened(_map(Path(path)) if is_path else _buffer_of(path, False)))
