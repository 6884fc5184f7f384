"""The recipe: how a table is read for a model. The command line stores it in the model file.

In: the choices made at fit. Out: JSON types, and back. A model that was saved from Python has no recipe; `recipe_of`
makes one from the columns of the model, so that the command line can use such models, too.

A recipe has a sketch of the rows that the model was fitted on: the smallest hashes of their contents, a few kilobytes.
The same hashes find rows that are duplicates of others.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl

from spinney.io.checks import RECIPE, ModelFormatError, check_recipe
from spinney.tables.errors import TableError
from spinney.tables.kinds import KINDS, MISSING, Column

_FEWEST, _MORE = (
    0.01,
    10.0,
)  # smallest fraction of duplicates that is reported; factor above the number expected by chance
_KEPT = 512  # hashes of a sketch
_MOST_CELLS = 2**28  # of tables whose rows are hashed
_SHIFT = np.uint64(32)  # 32 bits of a hash are kept


def hash_rows(X: pl.DataFrame, y: np.ndarray) -> np.ndarray | None:
    """Return a hash per row, including its target; None for tables so large that it would be slow."""
    from spinney.data.row_hash import hashes_of_keys

    if len(y) * (X.width + 1) > _MOST_CELLS:
        return None
    target = pl.Series(y.tolist() if y.dtype.kind in "OU" else y)
    columns = [_numbers(column) for column in (*X.get_columns(), target)]
    return hashes_of_keys(0, np.zeros(len(y), np.uint64), *columns)


def _numbers(column: pl.Series) -> np.ndarray:
    """Convert cells to float64; text to digests. Neither column types nor the order of categories matter."""
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        found = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return np.where(np.isnan(found), np.nan, found + 0.0)  # one NaN and one zero
    words = column.cast(pl.String).fill_null("\0")
    places = words.rank("dense").to_numpy().astype(np.int64) - 1
    digests = [blake2b(word.encode("utf-8", "replace"), digest_size=6).digest() for word in words.unique().sort()]
    return np.array([float(int.from_bytes(one, "big")) for one in digests])[places]


@dataclass(frozen=True)
class Copies:
    """Rows that are duplicates of others."""

    n: int  # rows that duplicate an earlier one
    of: np.ndarray  # per row, the number of its contents


def find_copies(X: pl.DataFrame, hashes: np.ndarray) -> Copies | None:
    """Find duplicates, if they are more than 1 % of the rows and many more than expected by chance."""
    _, of = np.unique(hashes, return_inverse=True)
    n, n_copies = len(of), len(of) - int(of.max()) - 1
    possible = sum(float(np.log(max(1, column.n_unique()))) for column in X.get_columns())  # different rows, at most
    by_chance = 2.0 * np.log(n) - np.log(2.0) - possible
    if n_copies < _FEWEST * n or np.log(n_copies) < np.log(_MORE) + by_chance:
        return None
    return Copies(n_copies, of)


@dataclass(frozen=True)
class Sketch:
    """The smallest hashes of the rows of a table: a sample of its distinct rows, independent of their order."""

    least: np.ndarray  # uint32, in order
    below: int  # all hashes below this are in the sample

    @classmethod
    def of(cls, hashes: np.ndarray) -> Sketch:
        """Return the sketch of rows."""
        every = np.unique((hashes >> _SHIFT).astype(np.uint32))
        return cls(every[:_KEPT], 2**32 if len(every) <= _KEPT else int(every[_KEPT]))

    def share_of(self, hashes: np.ndarray) -> float:
        """Estimate the fraction of other rows that are in the table; NaN if none is in the range of the sample."""
        short = (hashes >> _SHIFT).astype(np.uint32)
        asked = short[short < self.below]
        return float(np.isin(asked, self.least).mean()) if len(asked) else np.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the sketch in JSON types."""
        return {"least": b64encode(self.least.astype("<u4").tobytes()).decode("ascii"), "below": self.below}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Sketch:
        """Return the sketch that `to_dict` described."""
        return cls(np.frombuffer(b64decode(str(stored["least"])), "<u4"), int(stored["below"]))


# --- the recipe -------------------------------------------------------------------------------------------------------


KEY = RECIPE  # of the recipe in a file's metadata
_VERSION = 1
_UNUSABLE = "the recipe of the command line in the model file cannot be used"
_REMEDY = f"Fit the model again by spinney fit, or save it without the metadata {KEY!r}."


@dataclass(frozen=True)
class Recipe:
    """How a table is read for a model."""

    task: str  # classification, regression
    columns: tuple[Column, ...]  # that the model is fitted on
    target: Column | None = None
    missing: tuple[str, ...] = MISSING
    left_out: dict[str, str] = field(default_factory=dict)  # column -> why
    weights: str | None = None
    groups: str | None = None
    times: str | None = None
    model: str = ""  # name in --model
    score: dict[str, Any] = field(default_factory=dict)  # from the evaluation at fit
    by_place: bool = False  # the model has no column names: columns are matched by position
    scaling: dict[str, list[float]] | None = None  # of clusters' columns: "fill" (may be empty), "centre", "spread"
    sketch: Sketch | None = None  # of the rows that the model was fitted on

    @property
    def features(self) -> list[str]:
        """The columns of the model."""
        return [name for column in self.columns for name in column.features]

    def rows(self, table: Any) -> Any:
        """Convert a polars table of features to the input of the model."""
        if self.scaling is None:
            return table.to_numpy() if self.by_place else table
        values = numbers_of(table)
        if self.scaling["fill"]:
            values = np.where(np.isnan(values), self.scaling["fill"], values)
        return (values - self.scaling["centre"]) / self.scaling["spread"]

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe in JSON types."""
        return {
            "version": _VERSION,
            "task": self.task,
            "model": self.model,
            "target": None if self.target is None else self.target.to_dict(),
            "columns": [column.to_dict() for column in self.columns],
            "missing": list(self.missing),
            "left_out": dict(self.left_out),
            "weights": self.weights,
            "groups": self.groups,
            "score": self.score,
            **({} if self.times is None else {"times": self.times}),
            **({} if self.scaling is None else {"scaling": self.scaling}),
            **({} if self.sketch is None else {"rows": self.sketch.to_dict()}),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Recipe:
        """Return the recipe that `to_dict` described, after checking it, since the file may be untrusted."""
        version = stored.get("version") if isinstance(stored, Mapping) else None
        if type(version) is int and version != _VERSION:
            raise TableError(
                f"the model file was written by another version of the command line ({version}, this is {_VERSION}). "
                "Fit the model again."
            )
        try:
            check_recipe(stored)
        except ModelFormatError as error:
            raise TableError(f"{_UNUSABLE}: {str(error).rstrip('.')}. {_REMEDY}") from None
        target = [stored["target"]] if stored["target"] else []
        unknown = [one["kind"] for one in (*stored["columns"], *target) if one["kind"] not in KINDS]
        if unknown:
            raise TableError(f"{_UNUSABLE}: columns of the type {unknown[0]!r:.40} are not known. {_REMEDY}")
        return cls(
            task=str(stored["task"]),
            model=str(stored["model"]),
            target=Column.from_dict(stored["target"]) if stored["target"] else None,
            columns=tuple(Column.from_dict(one) for one in stored["columns"]),
            missing=tuple(stored["missing"]),
            left_out=dict(stored["left_out"]),
            weights=stored["weights"],
            groups=stored["groups"],
            times=stored.get("times"),
            score=_with_nan(stored["score"]),
            scaling=stored.get("scaling"),
            sketch=Sketch.from_dict(stored["rows"]) if "rows" in stored else None,
        )


def _with_nan(score: Mapping[str, Any]) -> dict[str, Any]:
    """Return scores with NaN for null."""
    scores = {name: np.nan if one is None else one for name, one in score.get("scores", {}).items()}
    return {**score, "scores": scores} if score else {}


def check_fits(recipe: Recipe, model: Any) -> None:
    """Raise an error unless the model has the columns of the recipe."""
    wanted = getattr(model, "n_features_in_", len(recipe.features))
    names = getattr(model, "feature_names_in_", None)
    scaled = recipe.scaling or {}
    good = len(recipe.features) == wanted and (names is None or names.tolist() == recipe.features)
    if not good or any(len(own) not in (wanted, 0 if name == "fill" else wanted) for name, own in scaled.items()):
        raise TableError(
            f"{_UNUSABLE}: its columns ({len(recipe.features)}) do not match those of the model ({wanted}). {_REMEDY}"
        )


def numbers_of(table: Any) -> np.ndarray:
    """Convert a polars table to numbers, with NaN for missing values. Infinite values raise an error."""
    values = np.column_stack([table[name].cast(float).to_numpy() for name in table.columns])
    for name, column in zip(table.columns, np.isinf(values).T):
        if column.any():
            raise TableError(
                f"column {name!r} holds an infinite number, which has no finite distance to other rows. Correct the "
                "cell, or name it in --missing to treat it as missing."
            )
    return values


def recipe_of(model: Any) -> Recipe:
    """Return a recipe for a model that was saved from Python."""
    from sklearn.base import is_classifier, is_regressor  # here, since it takes long to import

    names = getattr(model, "feature_names_in_", None)
    schema = getattr(model, "schema_", None)
    known = [None] * model.n_features_in_ if schema is None else [column.categories for column in schema.columns]
    named = [f"column_{k + 1}" for k in range(len(known))] if names is None else [str(name) for name in names]
    columns = tuple(Column(name, _kind(categories)) for name, categories in zip(named, known))
    task = "classification" if is_classifier(model) else "regression" if is_regressor(model) else "other"
    target = Column("", _kind_of_labels(model.classes_)) if task == "classification" else Column("", "number")
    return Recipe(task, columns, target, model=type(model).__name__, by_place=names is None)


def _kind(categories: tuple | None) -> str:
    return "number" if categories is None else "category"


def _kind_of_labels(classes: np.ndarray) -> str:
    return {"b": "boolean", "i": "number", "u": "number", "f": "number"}.get(np.asarray(classes).dtype.kind, "category")
