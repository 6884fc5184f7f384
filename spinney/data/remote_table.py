"""Tables whose rows are in other processes: on the workers of a cluster.

In: nothing; these are the interfaces of such tables. Out: what `schema.py`, `dataset.py` and the rounds of
boosting need from them, so that a fit uses the same code wherever the rows are. The subpackages below this one never
learn where that is: whoever creates such a table supplies the methods that reach it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spinney.data.tables import TableHandle

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins
    from spinney.data.schema import Schema


def is_dask(value: Any) -> bool:
    """Whether a value is a dask DataFrame, Series, Array, Bag or Delayed; a process without dask cannot hold one."""
    if "dask" not in sys.modules:
        return False
    return type(value).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(value, "__dask_graph__")


def is_remote(*values: Any) -> bool:
    """Whether any of some values is a dask collection."""
    return any(map(is_dask, values))


class RemoteTable(TableHandle):
    """Stands for X in `fit`."""

    shape: tuple[int, ...]


class RemoteRows:
    """Rows that a schema has read: stands where a `Table` stands."""

    n_rows: int
    n_columns: int

    def used_categories(self, sizes: dict[int, int], rows: np.ndarray) -> dict[int, np.ndarray]:
        """bool: which categories of some columns (their number by column) occur in some of the rows."""
        raise NotImplementedError

    def recoded(self, schema: Schema, used: dict[int, np.ndarray]) -> RemoteRows:
        """The rows as a schema reads them that has only some of the categories."""
        raise NotImplementedError

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """Those that the table would have here."""
        raise NotImplementedError

    def open_dataset(
        self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int | None, team: Team
    ) -> RemoteDataset:
        """Bins learnt from rows that count so often, and the rows as codes."""
        raise NotImplementedError

    def encode_dataset(self, bins: Bins, team: Team) -> RemoteDataset:
        """The rows as codes."""
        raise NotImplementedError

    def encode(self, bins: Bins, team: Team) -> np.ndarray:
        """(columns, rows) uint8: the codes of all rows, brought here."""
        raise NotImplementedError

    def grow_forest(self, *plan: Any) -> Any:
        """(forest, bags) of (n_categories, target, plan, max_bins, numbers, report): see ensemble/forests/fit.py."""
        raise NotImplementedError

    def count_votes(self, forest: Any, in_bag: Any, answers: np.ndarray | None) -> Any:
        """What trees grown here say of rows that they have not seen: see ensemble/forests/out_of_bag.py."""
        raise NotImplementedError


class RemoteCodes:
    """The codes of such rows."""

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Those of some rows, brought here."""
        raise NotImplementedError

    def all(self) -> np.ndarray:
        """All of them."""
        raise NotImplementedError


class RemoteDataset:
    """Encoded rows: stands where a `Dataset` stands."""

    n_rows: int
    n_columns: int
    bins: Bins
    codes: RemoteCodes

    def take(self, rows: np.ndarray) -> RemoteDataset:
        """Some of the rows, ascending."""
        raise NotImplementedError

    def row_keys(self, team: Team) -> np.ndarray:
        """One hash per row, of its codes."""
        raise NotImplementedError

    def open_rounds(
        self, task: Any, settings: Any, team: Team, begun: Any = None, grow: Any = None, offset: Any = None
    ) -> Any:
        """The rounds of boosting on these rows (ensemble/boosting/rounds.py), wherever they are run."""
        raise NotImplementedError


class Together(Protocol):
    """Machines that have a part of the rows each, this one among them."""

    def sum(self, array: np.ndarray) -> np.ndarray:
        """The sum of all machines' integers."""
        ...

    def gather(self, array: np.ndarray) -> list[np.ndarray]:
        """All machines' arrays."""
        ...
