"""Model files, with the recipe of the command line in their metadata.

In: a fitted model and its recipe, or a path. Out: a file, or both of them again.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from spinney.cli.errors import written
from spinney.cli.report import plain
from spinney.io.errors import ModelFormatError
from spinney.tables.errors import TableError, usage
from spinney.tables.recipe import KEY, Recipe, check_fits, recipe_of

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
        raise usage(f"{option}: {path} is a folder. Name a file in it, such as {path / ('model' + SUFFIX)}.")
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
