"""Model files, with the recipe of the command line in their metadata.

In: a fitted model and its recipe, or a path. Out: a file, or both of them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spinney.cli.errors import CommandError, usage
from spinney.cli.recipe import KEY, Recipe, recipe_of
from spinney.cli.report import plain
from spinney.io.errors import ModelFormatError

SUFFIX = ".spinney"


def save_model(model: Any, path: Path, recipe: Recipe) -> None:
    """Write a model and how its tables are read."""
    from spinney.io import save

    save(model, path, metadata={KEY: plain(recipe.to_dict())})


def load_model(path: str) -> tuple[Any, Recipe]:
    """Read a model and how its tables are read."""
    from spinney.io import load

    stored = describe_file(path)["metadata"].get(KEY)
    try:
        model = load(path)
    except ModelFormatError as error:
        raise CommandError(f"{path}: {error}") from None
    return model, recipe_of(model) if stored is None else Recipe.from_dict(stored)


def describe_file(path: str) -> dict[str, Any]:
    """What is in a model file, from its header."""
    from spinney.io import inspect

    if not Path(path).exists():
        raise usage(f"{path} does not exist.")
    if Path(path).is_dir():
        raise usage(f"{path} is a folder, not a model file.")
    try:
        return inspect(path)
    except ModelFormatError as error:
        raise CommandError(f"{path}: {error}") from None
