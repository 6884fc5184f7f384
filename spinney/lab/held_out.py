"""Held-out rows: 30 % of the rows, to evaluate pruning, boosting and combinations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from spinney.lab.parameters import LabError
from spinney.lab.tables import LabTable

CODE = [
    "from sklearn.model_selection import train_test_split",
    "train, held = train_test_split(np.arange(len(y)), test_size=0.3, random_state={seed})  # to fit, to evaluate",
]


class Parts(NamedTuple):
    """Rows that a model is fitted on, and rows that it is evaluated on."""

    train: np.ndarray
    held: np.ndarray


def hold_out(table: LabTable, seed: int) -> Parts:
    """Split the rows."""
    if table.n_rows < 8:
        raise LabError(
            f"This method holds out rows and needs at least 8, but the table has {table.n_rows}. Choose more rows."
        )
    train, held = train_test_split(np.arange(table.n_rows), test_size=0.3, random_state=seed)
    if table.has_classes and len(np.unique(table.y[train])) < len(table.classes):
        raise LabError("A class has no training rows left. Choose more rows, or another seed.")
    return Parts(np.sort(train), np.sort(held))


def hold_out_unless_whole(table: LabTable, seed: int) -> Parts:
    """Split the rows; of examples with known numbers, hold none out."""
    return Parts(np.arange(table.n_rows), np.arange(0)) if table.is_whole else hold_out(table, seed)


def code_of(seed: int, is_whole: bool = False) -> list[str]:
    """Return Python code that splits the rows."""
    if is_whole:
        return ["train = np.arange(len(y))  # all rows"]
    return [*(line.format(seed=seed) for line in CODE), "train, held = np.sort(train), np.sort(held)"]
