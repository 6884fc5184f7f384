"""Model files: save, load and inspect them.

In: a fitted estimator. Out: a file that holds it whole (layout.py: its bytes; state.py: its values; records.py and
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
from spinney.io.errors import ModelFormatError


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
        What else should be in the file, in JSON's types; `spinney.io.inspect` shows it. The key "command_line" is the
        command line's.

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
    from spinney.io.writing import check_kind, to_parts

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
    from spinney.io.reading import read_file

    try:
        read_file(buffer, (), verify=False)
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
        only if its hash, as shown there, is in this list, or the function itself. A hash covers the functions that a
        function uses, which are shown there, too. Without it the model loads, and predicts as far as it can do without
        them.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFormatError
        If the file is damaged, forged, or of a newer format.
    FileNotFoundError
        If there is no such file; the message names model files that are there.

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
    from spinney.io.reading import read_file

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
    """What a model file holds, from its header alone.

    Parameters
    ----------
    path : str, path, bytes or file

    Returns
    -------
    dict
        "class", "parameters", "schema" (a dict for each column: its name, and the categories of those that have any;
        None for models that leave tables to their members), "classes", "trees", "nodes", "bytes", "fingerprint",
        "library" (the release that wrote it), "format", "sources" (the user's functions, and those that they use:
        "name", "hash", "source", the text that `load` would compile, and "captured") and "metadata" (what the file was
        given besides, {} if nothing).

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
    from spinney.io.summary import Opened, summary

    is_path = not isinstance(path, bytes | bytearray | memoryview) and not hasattr(path, "read")
    return summary(Opened(_map(Path(path)) if is_path else _buffer_of(path, False)))
