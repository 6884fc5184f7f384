"""Files that commands write: tables of predictions, and model files with the recipe of the command line.

All files are written whole or not at all, tables batch by batch where the format allows it. In: a fitted model and its
recipe, or a path. Out: a file, or both of them again.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, cast

import polars as pl

from spinney import _whole_file
from spinney.cli.report import plain
from spinney.cli.terminal import write_data, written
from spinney.io.checks import ModelFormatError
from spinney.tables.errors import TableError, usage
from spinney.tables.files import SUFFIXES
from spinney.tables.recipe import KEY, Recipe, check_fits, recipe_of


@contextmanager
def whole_file(path: Path, option: str = "--out") -> Iterator[BinaryIO]:
    """Open a file that appears at its path once it is complete. Raise an error if the option names no such path."""
    check_place(path, option)
    with _whole_file.whole_file(path) as stream:
        yield stream
    written.append(str(path))


class TableWriter:
    """Writes a table in parts. The file appears once it is complete."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._format = "CSV" if path is None else _format_of(path)
        self._parts: list[pl.DataFrame] = []
        self._open = ExitStack()
        self._stream: BinaryIO | None = None
        self._begun = False

    def __enter__(self) -> TableWriter:
        if self._path is not None:
            self._stream = self._open.enter_context(whole_file(self._path))
            if self._path.suffix == ".gz":
                packed = gzip.GzipFile(fileobj=self._stream, mode="wb", filename="")
                self._stream = cast(BinaryIO, self._open.enter_context(packed))
        return self

    def write(self, table: pl.DataFrame) -> None:
        """Add rows."""
        if self._format in ("Parquet", "Arrow"):
            self._parts.append(table)
        elif self._format == "JSON lines":
            self._put(table.write_ndjson())
        else:
            text = table.write_csv(include_header=not self._begun, separator="\t" if self._format == "TSV" else ",")
            self._put(text)
        self._begun = True

    def _put(self, text: str) -> None:
        if self._stream is None:
            write_data(text)
        else:
            self._stream.write(text.encode())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._open.__exit__(kind, error, trace)
            return
        with self._open:
            if self._stream is None:
                sys.stdout.flush()
            elif self._parts:
                whole, written = pl.concat(self._parts), BytesIO()  # so that errors of the disk are raised by Python
                (whole.write_parquet if self._format == "Parquet" else whole.write_ipc)(written)
                self._stream.write(written.getbuffer())


def _format_of(path: Path) -> str:
    suffixes = [one.lower() for one in path.suffixes]
    last = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    if last not in SUFFIXES:
        raise usage(f"--out: {path.name} must end in .csv, .tsv, .jsonl (also .gz), .parquet or .arrow.")
    return SUFFIXES[last]


# --- model files ------------------------------------------------------------------------------------------------------


SUFFIX = ".spinney"


def save_model(model: Any, path: Path, recipe: Recipe) -> None:
    """Save a model and its recipe."""
    from spinney.io import save

    save(model, path, metadata={KEY: plain(recipe.to_dict())})
    written.append(str(path))


def load_model(path: str, table: str = "-") -> tuple[Any, Recipe]:
    """Load a model and its recipe. `table` is the file given as the table, to notice swapped arguments."""
    from spinney.io import load

    if table != "-" and is_model(Path(table)) and not is_model(Path(path)):
        raise usage(f"the model file comes first, then the table: {table} {path}.")
    stored = (describe_file(path)["metadata"] or {}).get(KEY)
    try:
        model = load(path)
    except ModelFormatError as error:
        raise TableError(f"{path}: {error}") from None
    if stored is None:
        return model, recipe_of(model)
    recipe = Recipe.from_dict(stored)
    check_fits(recipe, model)
    return model, recipe


def load_for(path: str, table: str, missing: tuple[str, ...], threads: int | None) -> tuple[Any, Recipe]:
    """Load a model and its recipe, with further strings read as missing and a number of threads."""
    model, recipe = load_model(path, table)
    if threads is not None and "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=threads)
    return model, replace(recipe, missing=(*recipe.missing, *missing))


def classes_of(fitted: Any) -> list[Any]:
    """The classes of the columns of `predict_proba`; of a mixture, its clusters."""
    return fitted.classes_.tolist() if hasattr(fitted, "classes_") else list(range(fitted.n_components))


def is_model(path: Path) -> bool:
    """Whether a file begins like a model file."""
    from spinney.io.layout import MAGIC

    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def check_place(path: Path, option: str = "--out") -> None:
    """Raise an error if no file can be written at a path, before any work is done."""
    if not path.absolute().parent.is_dir():
        raise usage(f"{option}: the folder {path.parent} does not exist.")
    if path.is_dir():
        raise usage(f"{option}: {path} is a folder. Name a file in it.")
    if not os.access(path.absolute().parent, os.W_OK):
        raise TableError(f"{option}: no permission to write in the folder {path.absolute().parent}.")


def what_is_there(path: Path, option: str = "--out") -> str:
    """Describe the model file that saving replaces; empty if none. Raise an error if the file is not a model file."""
    if not path.exists() or path.stat().st_size == 0:
        return ""
    if not is_model(path):
        raise usage(f"{option}: {path} exists and is not a model file. Name another file, or remove it.")
    try:
        found = describe_file(str(path))
    except TableError:
        return "a model file that cannot be read"
    recipe = (found.get("metadata") or {}).get(KEY)
    target = (recipe.get("target") or {}).get("name") if isinstance(recipe, dict) else None
    return str(found["class"]) + (f" of {target!r}" if target else "")


def describe_file(path: str) -> dict[str, Any]:
    """Return the contents of a model file, from its header."""
    from spinney.io import inspect

    if not Path(path).exists():
        raise usage(f"{path} does not exist.")
    if Path(path).is_dir():
        raise usage(f"{path} is a folder, not a model file.")
    try:
        return inspect(path)
    except ModelFormatError as error:
        raise TableError(f"{path}: {error}") from None
