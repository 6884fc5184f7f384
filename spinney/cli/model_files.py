"""Model files, with the recipe of the command line in their metadata.

In: a fitted model and its recipe, or a path. Out: a file, or both of them again.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from spinney.cli.errors import CommandError, usage
from spinney.cli.recipe import KEY, Recipe

SUFFIX = ".spinney"


def save_model(model: Any, path: Path, recipe: Recipe) -> None:
    """Write a model and how its tables are read."""
    path.write_bytes(pickle.dumps({"model": model, "metadata": {KEY: recipe.to_dict()}}))


def load_model(path: str) -> tuple[Any, Recipe]:
    """Read a model and how its tables are read."""
    if not Path(path).exists():
        raise usage(f"{path} does not exist.")
    try:
        stored = pickle.loads(Path(path).read_bytes())
    except Exception:
        raise CommandError(f"{path} is not a model file.") from None
    return stored["model"], Recipe.from_dict(stored["metadata"][KEY])


def describe_file(path: str) -> dict[str, Any]:
    """What is in a model file."""
    model, recipe = load_model(path)
    return {"model": type(model).__name__, "metadata": {KEY: recipe.to_dict()}}
