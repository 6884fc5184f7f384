"""What is known of a model of another library once it is read.

`Imported` has the trees in our store, the columns, and two things in which libraries differ: how a value becomes what
trees compare (`Reading`) and how sums of the trees' answers become predictions (`Answering`). Plain data only: arrays,
strings, numbers and our own classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from spinney.data.schema import Schema, SchemaColumn
from spinney.io.errors import ModelFormatError
from spinney.io.nodes import Sets
from spinney.tree.forest import Forest
from spinney.tree.formula import Reading

LINK_NAMES = {  # of `Answering` -> of tree/formula.py
    "identity": "identity",
    "sigmoid": "logistic",
    "sigmoid each": "logistic",
    "softmax": "softmax",
    "exp": "exp",
    "log1p exp": "softplus",
    "signed square": "signed_square",
    "hinge": "hinge",
}
_MOST_COLUMNS = 1 << 22
_MOST_EMPTY = 1 << 16  # outputs of a model without trees
_MOST_CATEGORY = 1 << 24  # XGBoost: numbers from here on are no categories


@dataclass(frozen=True)
class Answering:
    """From the trees' answers to predictions: response(start + sum of the trees), or response(mean of the trees)."""

    link: str = "identity"  # see responses.py
    scale: float = 1.0  # of raw scores before the link: LightGBM's parameter sigmoid
    start: np.ndarray = field(default_factory=lambda: np.zeros(1))  # (outputs,), of the type that sums are made in
    averages: bool = False  # sums are divided by the number of rounds
    # two classes: when it is the second one. Its probability is above 1/2; its score is "above zero", or from "zero" on
    second_from: str = "probability"

    @property
    def n_outputs(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Imported:
    """A model, read."""

    source: str  # library and version
    objective: str  # as that library calls it
    forest: Forest
    schema: Schema
    answering: Answering
    reading: Reading = field(default_factory=Reading)
    classes: Any = None  # None: regression. Labels; several outputs of a forest: a list of them
    criterion: str = "gain"
    n_outputs: int = 1  # numbers that are predicted per row


def make_schema(names: Sequence[str] | None, categories: dict[int, tuple], n_columns: int) -> Schema:
    """Columns by name, if they have names that differ, and with these categories."""
    if not 0 < n_columns <= _MOST_COLUMNS:
        raise ModelFormatError(f"a model can have 1 to {_MOST_COLUMNS:,} columns, this one has {n_columns:,}.")
    if names is not None and (len(names) != n_columns or len(set(names)) < n_columns):
        raise ModelFormatError(f"there are {n_columns} columns, but these are their names: {list(names)!r:.200}.")
    if categories and not 0 <= min(categories) <= max(categories) < n_columns:
        raise ModelFormatError(f"a split is on column {max(categories)}, but there are {n_columns} columns.")
    columns = [SchemaColumn(None)] * n_columns if names is None else [SchemaColumn(name) for name in names]
    for j, own in categories.items():
        columns[j] = SchemaColumn(columns[j].name, own)
    return Schema(tuple(columns))


def ascending(values: Sequence[Any]) -> tuple[tuple, np.ndarray]:
    """(categories in the schema's order, the place there of each one given)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values), np.int64)
    place[order] = np.arange(len(values))
    return tuple(values[k] for k in order), place


def number_categories(feature: np.ndarray, sets: Sets, has_others: bool) -> tuple[dict[int, tuple], Sets]:
    """Categories of columns that are only known by number: those in some set, and perhaps one for all others.

    `feature[k]` is the column of set k. Returns (categories of each column, the sets by place among these).
    """
    categories, member = {}, sets.member.copy()
    column = feature[sets.set]
    for j in np.unique(feature).tolist():
        own = column == j
        known, member[own] = np.unique(sets.member[own], return_inverse=True)
        named = known.tolist()
        categories[j] = (*named, named[-1] + 1 if named else 0) if has_others else tuple(named)
    return categories, Sets(sets.set, member)


def check_outputs(n_outputs: int, n_trees: int) -> None:
    """Raise if no model can have so many outputs."""
    if not 1 <= n_outputs <= max(n_trees, _MOST_EMPTY):
        raise ModelFormatError(f"{n_trees} trees cannot be those of {n_outputs:,} outputs.")


def check_category(member: np.ndarray) -> None:
    """Raise if there is something that cannot be a category."""
    if len(member) and not 0 <= member.min() <= member.max() < _MOST_CATEGORY:
        raise ModelFormatError(f"categories must be numbers from 0 to {_MOST_CATEGORY - 1:,}.")


def read_bytes(given: Any, what: str) -> bytes:
    """A file's bytes; bytes as they are."""
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given)
    if hasattr(given, "__fspath__") or isinstance(given, str):
        return Path(given).read_bytes()
    raise TypeError(f"{what}, got {type(given).__name__}.")
