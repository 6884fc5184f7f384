"""The result of the first pass through batches: the schema, the number of rows, and columns besides the features.

In: columns of batches. Out: a `Look`, which can be stored in a file (`code_store.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from spinney.data.batches import one_column
from spinney.data.code_store import Kept, keep
from spinney.data.frames import read_series
from spinney.data.objects import read_objects
from spinney.data.schema import Schema
from spinney.data.tables import Labels, Numbers


class Side:
    """A column beside the features: the target, or weights. Text is kept as numbers of its words."""

    def __init__(self, values: np.ndarray, words: list | None = None) -> None:
        self.values, self.words = values, words

    def array(self) -> np.ndarray:
        """One value per row. Nobody may write to it."""
        if self.words is None:
            own = self.values.view()
            own.flags.writeable = False
            return own
        return np.array(self.words, object if isinstance(self.words[0], str) else None)[self.values]


class Look:
    """What a first pass has found."""

    def __init__(self, schema: Schema, n_rows: int, sides: dict[str, Side]) -> None:
        self.schema, self.n_rows, self.sides = schema, n_rows, sides


def says_nothing(frame: Any, name: Any) -> bool:
    """Whether all values of a column are missing, and its type tells neither words nor numbers."""
    column = one_column(frame, name)
    if isinstance(column, np.ndarray):
        return column.dtype == object and all(value is None or value != value for value in column)
    is_open = getattr(column.to_native(), "dtype", None) == np.dtype(object) or column.dtype in (nw.Object, nw.Unknown)
    return is_open and column.null_count() == len(column)


def read_column(frame: Any, name: Any) -> Numbers | Labels:
    """One column of a batch."""
    column = one_column(frame, name)
    if not isinstance(column, np.ndarray):
        return read_series(column, f"Column {name!r}")
    return Numbers(column) if column.dtype.kind in "biuf" else read_objects(column.tolist(), f"Column {name}")


def own_column(column: Numbers | Labels) -> Numbers | Labels:
    """A column that neither keeps the batch it is from nor changes with it."""
    return Numbers(column.values.copy(), column.missing) if isinstance(column, Numbers) else column


def add_values(known: set, frame: Any, name: Any) -> None:
    column = read_column(frame, name)
    new = (column if isinstance(column, Labels) else column.labels()).values
    if known and new and isinstance(new[0], str) != isinstance(next(iter(known)), str):
        raise TypeError(
            f"column {name!r} holds {new[0]!r}, but {next(iter(known))!r} in the rows before: strings and numbers in "
            "one column."
        )
    known.update(new)


def join_parts(kind: str, name: Any, parts: list[tuple[str, Numbers | Labels]]) -> Side:
    """The parts of a column beside the features."""
    what = "the target" if kind == "y" else kind
    for where, one in parts:
        if isinstance(one, Numbers):
            missing = one.missing.any() if one.missing is not None else False
            missing = missing or (one.values.dtype.kind == "f" and np.isnan(one.values).any())
        else:
            missing = bool((one.codes < 0).any())
        if missing:
            raise ValueError(f"{where}: {what}, column {name!r}, has missing values: drop those rows first.")
    labelled = [isinstance(one, Labels) for _, one in parts]
    if any(labelled) and not all(labelled):
        where = parts[labelled.index(not labelled[0])][0]
        raise TypeError(f"{where}: {what}, column {name!r}, is strings in some rows and numbers in others.")
    if kind == "sample_weight" and any(labelled):
        word = parts[labelled.index(True)]
        raise TypeError(f"{word[0]}: sample_weight, column {name!r}, holds strings, such as {word[1].values[0]!r}.")  # type: ignore
    if not any(labelled):
        return Side(np.concatenate([one.values for _, one in parts]))  # type: ignore[union-attr]
    words = sorted({value for _, one in parts for value in one.values})  # type: ignore[union-attr]
    place = {value: k for k, value in enumerate(words)}
    small = np.uint8 if len(words) < 256 else np.int32
    numbers = [one.spread([place[value] for value in one.values], np.float64) for _, one in parts]  # type: ignore
    return Side(np.concatenate([part.astype(small) for part in numbers]), words)


def keep_look(path: Path, look: Look) -> None:
    arrays = {kind: side.values for kind, side in look.sides.items()}
    words = {kind: side.words for kind, side in look.sides.items()}
    keep(path, arrays, {"schema": look.schema.to_dict(), "n_rows": look.n_rows, "words": words})


def load_look(path: Path) -> Look:
    kept = Kept(path)
    kept.check(lambda function, parts: [function(one) for one in parts])
    about = kept.header["about"]
    sides = {kind: Side(values, about["words"][kind]) for kind, values in kept.arrays.items()}
    return Look(Schema.from_dict(about["schema"]), about["n_rows"], sides)
