"""Several files as one table: `spinney fit 'folder/*.parquet'`.

In: a pattern. Out: one `Source`. Text files are concatenated in a temporary file, with the header of the first. All
must have the same header.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from dataclasses import replace
from glob import glob
from pathlib import Path

import polars as pl

from spinney.tables.errors import TableError, usage
from spinney.tables.files import Dialect, Source, open_source


def open_pattern(given: str, dialect: Dialect) -> Source:
    """Open the files that match a pattern, in the order of their names."""
    paths = sorted(glob(given, recursive=True))
    if not paths:
        raise usage(f"no file matches {given}.")
    sources = [open_source(path, dialect) for path in paths]
    first = sources[0]
    for one in sources:
        if one.format != first.format:
            raise TableError(f"{given}: {first.name} is {first.format}, but {one.name} is {one.format}.")
        if set(one.columns) != set(first.columns):
            other = sorted(set(one.columns) ^ set(first.columns))[0]
            raise TableError(f"{given}: only one of {first.name} and {one.name} has a column {other!r}.")
        if first.is_text and one.columns != first.columns:
            raise TableError(f"{given}: the columns of {first.name} and {one.name} are in another order.")
    if first.is_text:
        return replace(
            open_source(str(_laid_end_to_end(sources)), replace(dialect, separator=first.separator)), name=given
        )
    frame = pl.concat([one.frame.select(first.columns) for one in sources])
    return replace(first, name=given, frame=frame, others=tuple(one.path for one in sources[1:]))


def _laid_end_to_end(sources: list[Source]) -> Path:
    handle, name = tempfile.mkstemp(prefix="spinney-", suffix=".csv")
    atexit.register(_remove, name)
    with os.fdopen(handle, "wb") as target:
        for place, source in enumerate(sources):
            with open(source.path, "rb") as file:
                for _ in range(source.skip if place else 0):
                    file.readline()
                shutil.copyfileobj(file, target, 2**20)
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    target.write(b"\n")
    return Path(name)


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)
