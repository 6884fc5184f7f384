"""Real tables from a folder of Parquet files, named by the environment variable SPINNEY_DATA.

Each file is one table: named columns and the label in `target`. A string column is categorical, all others are
numeric, null is missing. The file's metadata has the `task`: binary, multiclass or regression. The target is a class
index from 0 on, or a number. The folder is not part of the project.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, StratifiedKFold, train_test_split

from benchmarks.data import Task

FOLDER = "SPINNEY_DATA"
FEWEST = 8  # rows that a subsample keeps of every class, so that it can still be split
IN_TIME = ("bank_marketing", "bike_sharing", "electricity", "nyc_flights_delay", "nyc_taxi")  # rows in this order
IN_GROUPS = {  # the column that names the group of a row
    "ames_housing": "Neighborhood",
    "electricity": "date",
    "fars": "CASE_STATE",
    "nyc_flights_delay": "tailnum",
    "nyc_taxi": "pickup_location_id",
}
STRATA = 10  # parts of a numeric target that every split has equally many rows of

Split = Literal["holdout", "folds", "time", "group"]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class RealTable:
    """One table in memory."""

    name: str
    task: Task
    X: pd.DataFrame
    y: NDArray[Any]
    groups: NDArray[Any] | None = None  # of the rows, if whole groups are held out

    @property
    def classes(self) -> int:
        """Number of classes; 1 for regression."""
        return 1 if self.task == "regression" else int(self.y.max()) + 1

    @property
    def categorical(self) -> list[str]:
        """Names of the categorical columns."""
        return [str(c) for c in self.X.columns if isinstance(self.X[c].dtype, pd.CategoricalDtype)]

    @cached_property
    def strata(self) -> NDArray[Any]:
        """What a split keeps in proportion: the class, or the tenth of the target's range of ranks."""
        if self.task != "regression":
            return self.y
        ranks = np.argsort(np.argsort(self.y, kind="stable"))
        return np.asarray(ranks * STRATA // len(ranks))

    def sample(self, rows: int, seed: int = 0, in_order: bool = False) -> "RealTable":
        """At most about `rows` rows, in proportion, with a few rows of even the rarest class; shuffled or in order."""
        if len(self.y) <= rows:
            return self
        rng = np.random.default_rng(seed)
        parts = []
        for stratum in np.unique(self.strata):
            members = np.flatnonzero(self.strata == stratum)
            count = max(round(len(members) * rows / len(self.y)), min(FEWEST, len(members)))
            parts.append(rng.choice(members, count, replace=False))
        drawn = np.concatenate(parts)
        keep = np.sort(drawn) if in_order else rng.permutation(drawn)
        X = self.X.iloc[keep].reset_index(drop=True)
        for column in self.categorical:
            X[column] = X[column].cat.remove_unused_categories()
        return RealTable(self.name, self.task, X, self.y[keep], None if self.groups is None else self.groups[keep])

    def splits(self, kind: Split, seed: int) -> list[tuple[Rows, Rows]]:
        """Training and test rows: one hold-out of a quarter or three folds, shuffled; the last quarter; or a quarter of
        the groups."""
        if kind == "time":
            first = np.arange(len(self.y) * 3 // 4)
            return [(first, np.arange(len(first), len(self.y)))]
        if kind == "group":
            (held_out,) = GroupShuffleSplit(1, test_size=0.25, random_state=seed).split(self.X, groups=self.groups)
            return [held_out]
        if kind == "folds":
            folds = StratifiedKFold(3, shuffle=True, random_state=seed)
            return list(folds.split(np.zeros(len(self.y)), self.strata))
        train, test = train_test_split(np.arange(len(self.y)), test_size=0.25, stratify=self.strata, random_state=seed)
        return [(train, test)]


def folder() -> Path:
    """The folder with the tables."""
    value = os.environ.get(FOLDER)
    if not value or not Path(value).is_dir():
        raise SystemExit(f"Set {FOLDER} to the folder with the Parquet tables; it is {value!r}.")
    return Path(value)


def names() -> list[str]:
    """Names of the tables in the folder."""
    return sorted(path.stem for path in folder().glob("*.parquet"))


def load(name: str, by_group: bool = False) -> RealTable:
    """One table with its text columns as pandas categories; `by_group`: without the column of its groups."""
    table = pq.read_table(folder() / f"{name}.parquet")
    task: Task = (table.schema.metadata or {})[b"task"].decode()
    X = table.to_pandas()
    y = X.pop("target").to_numpy(np.float64 if task == "regression" else np.int64)
    for column in X.columns:
        if not pd.api.types.is_numeric_dtype(X[column]):
            X[column] = X[column].astype("category")
    groups = X.pop(IN_GROUPS[name]).astype(str).to_numpy() if by_group else None
    return RealTable(name, task, X, y, groups)
