"""Rows held out: three in ten, by which pruning, boosting and combinations are judged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from spinney.lab.parameters import LabError
from spinney.lab.tables import Table

CODE = [
    "from sklearn.model_selection import train_test_split",
    "train, held = train_test_split(np.arange(len(y)), test_size=0.3, random_state={seed})  # to fit, to judge",
]


class Parts(NamedTuple):
    """Which rows a model is fitted to, and which judge it."""

    train: np.ndarray
    held: np.ndarray


def hold_out(table: Table, seed: int) -> Parts:
    """Part the rows."""
    if table.n_rows < 8:
        raise LabError(f"This method holds rows out and needs 8 rows at least, and there are {table.n_rows}.")
    train, held = train_test_split(np.arange(table.n_rows), test_size=0.3, random_state=seed)
    if table.has_classes and len(np.unique(table.y[train])) < len(table.classes):
        raise LabError("A class has so few rows that none is left to learn from: take more rows, or another seed.")
    return Parts(np.sort(train), np.sort(held))


def code_of(seed: int) -> list[str]:
    """The same in Python."""
    return [*(line.format(seed=seed) for line in CODE), "train, held = np.sort(train), np.sort(held)"]
