"""Opened tables: a table that is read, sorted and binned once for many fits on some of its rows.

    X ──OpenedTable──> .take(rows), .take(other rows), ...  ── fit, predict ──> models

In:  any table.
Out: an `OpenedTable`, which stands for X (or some rows of it) wherever a model reads its table through
     `schema.learn_and_read` and `Schema.read`. What a model gets there is `OpenedRows`: a `Table` whose lists and bins
     are taken from the columns that are sorted or binned already.

Lists sorted once give the trees that sorting the part would give. Bins are learnt from all rows of the whole table (by
their whole-number weights, if it is opened with any), not from the part's alone; so are the categories' numbers, which
only random splits of categories and n-ary trees can tell: the latter do not take opened tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from spinney.data.reading import with_rows
from spinney.data.sparse import SparseTable
from spinney.data.tables import Panel, Table, TableHandle, TreeOrTrees

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins
    from spinney.data.presort import Presorted
    from spinney.data.schema import Schema


def takes_opened_tables(estimator: Any) -> bool:
    """Whether an estimator reads tables that are opened once for many fits."""
    return getattr(estimator, "takes_opened_tables", False)


class OpenedTable(TableHandle):
    """A table that is read, sorted and binned once for many fits on its rows.

    Pass it as X to scikit-learn's `GridSearchCV`, `cross_validate`, `learning_curve` and similar tools, with a decision
    tree, forest or boosted model of Spinney. `spinney.evaluate` does this by itself.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The table. It is read at the first fit.
    counts : array-like of int, default=None
        How often each row counts for the bins. None: once.

    Notes
    -----
    Trees without bins are those of the rows that a fit gets. Bins are learned from the values of all rows.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import OpenedTable
    >>> X, y = load_penguins()
    >>> found = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}).fit(OpenedTable(X), y)
    >>> found.best_params_
    {'max_depth': 3}
    """

    def __init__(self, X: Any, counts: np.ndarray | None = None) -> None:
        if isinstance(X, OpenedTable):
            X = X.original()
        self.origin, self.counts = with_rows(X), counts
        self.rows: np.ndarray | None = None
        self.shape = (_num_samples(X),)
        self._readings: dict[Any, tuple[Schema, Whole]] = {}
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: what has been read stays here, and is read there when it is asked for."""
        return {**vars(self), "_readings": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = Lock()

    def take(self, rows: Any, axis: int = 0) -> Self:
        """Return some rows of this table, in this order.

        Parameters
        ----------
        rows : array-like of int
            Row numbers in this table. They may repeat.
        axis : int, default=0
            0, the rows.

        Returns
        -------
        OpenedTable
            The table of these rows. Nothing is copied.

        Examples
        --------
        >>> from spinney.datasets import load_tennis
        >>> from spinney.evaluate import OpenedTable
        >>> len(OpenedTable(load_tennis()[0]).take([3, 5, 5]))
        3
        """
        return self[np.asarray(rows, np.int64)]

    def __getitem__(self, rows: Any) -> Self:
        """Rows by numbers, a mask or a slice."""
        known = np.arange(len(self)) if self.rows is None else self.rows
        part = object.__new__(type(self))
        vars(part).update(vars(self))
        part.rows = np.atleast_1d(known[rows])
        part.shape = (len(part.rows), *self.shape[1:])
        return part

    @property
    def iloc(self) -> Self:
        """This table: scikit-learn takes rows of what has `iloc`."""
        return self

    loc = iloc

    def __len__(self) -> int:
        return self.shape[0]

    def original(self) -> Any:
        """The rows as they were passed, for internal use."""
        return self.origin if self.rows is None else _safe_indexing(self.origin, self.rows)

    def learn(self, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
        """The schema of the whole table and the rows read through it, for internal use."""
        from spinney.data.schema import learn_and_read

        key = key_of(categorical_features)
        with self._lock:
            if key not in self._readings:
                schema, table = learn_and_read(self.origin, categorical_features, owner)
                self._readings[key] = schema, Whole(table, schema.is_categorical, self.counts)
        schema, whole = self._readings[key]
        return schema, whole.take(self.rows)

    def read(self, schema: Schema, owner: str = "this model", strict: bool = False) -> Table:
        """The rows as a schema reads them, for internal use; with what is known of them if it was learned here."""
        for known, whole in self._readings.values():
            if known is schema:
                return whole.take(self.rows)
        return schema.read(self.original(), owner, strict=strict)


def key_of(categorical_features: Any) -> Any:
    """What tells one choice of categories from another."""
    if categorical_features is None or isinstance(categorical_features, str):
        return categorical_features
    wanted = np.asarray(categorical_features)
    return wanted.dtype.kind, *wanted.ravel().tolist()


class Whole:
    """All rows of a table, and what has been made of them so far."""

    def __init__(self, table: Table, is_categorical: np.ndarray, counts: np.ndarray | None) -> None:
        self.table, self._is_categorical, self._counts = table, is_categorical, counts
        self._made: dict[Any, Any] = {}
        self._lock = Lock()

    def take(self, rows: np.ndarray | None) -> Table:
        if self.table.is_sparse:  # its rows are few numbers: they are taken, and know their bins
            some = self.table if rows is None else self.table.take(rows)
            return SparseTable(some.by_rows, self)
        return OpenedRows(self, np.arange(self.table.n_rows) if rows is None else rows)

    def recoded(self, schema: Schema, used: dict[int, np.ndarray]) -> Whole:
        return Whole(self.table.recoded(schema, used), self._is_categorical, self._counts)

    def sorted(self, with_values: bool, team: Team) -> Presorted:
        """The whole table sorted. Nobody may write to it."""
        return self._once(
            ("sorted", with_values),
            lambda: self.table.sorted(self._is_categorical, team, with_values=with_values),
        )

    def bins(self, max_bins: int, team: Team) -> Bins:
        """Bins of all rows."""
        return self._once(
            ("bins", max_bins), lambda: self.table.bins(self._is_categorical, self._counts, max_bins, team)
        )

    def codes(self, bins: Bins, team: Team) -> np.ndarray | None:
        """(columns, rows) uint8: all rows encoded, if these bins were learnt here."""
        if not any(made is bins for made in list(self._made.values())):
            return None
        return self._once(("codes", id(bins)), lambda: self.table.codes(bins, team))

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
        return self._made[key]


class OpenedRows(Table):
    """Some rows of a whole table. They are copied only if somebody asks for their values."""

    whole: Whole
    rows: np.ndarray

    def __init__(self, whole: Whole, rows: np.ndarray) -> None:
        vars(self).update(whole=whole, rows=rows, n_rows=len(rows), n_columns=whole.table.n_columns)

    @cached_property
    def panels(self) -> tuple[Panel, ...]:  # type: ignore[override]
        return self.whole.table.take(self.rows).panels

    def take(self, rows: np.ndarray) -> OpenedRows:
        """Some of these rows."""
        return OpenedRows(self.whole, self.rows[rows])

    def recoded(self, schema: Any, used: dict[int, np.ndarray]) -> OpenedRows:
        """As in `Table`, with lists and bins of its own."""
        return OpenedRows(self.whole.recoded(schema, used), self.rows)

    def column(self, index: int) -> np.ndarray:
        """Return one column."""
        return self.whole.table.column(index)[self.rows]

    def blocks(self, trees: TreeOrTrees) -> Iterator[tuple[int, np.ndarray]]:
        """Values that have the rows' codes, for trees that ask about such codes."""
        from spinney.data.thresholds import blocks_of_stand_ins

        return blocks_of_stand_ins(self, trees.bins, sorted(trees.columns_asked))

    def sorted(
        self,
        is_categorical: np.ndarray,
        team: Team,
        rows: np.ndarray | None = None,
        bins: Bins | None = None,
        n_others: int = 0,
        with_values: bool = False,
    ) -> Presorted:
        """Taken from the whole table's lists, unless a row is there twice."""
        some = self.rows if rows is None else self.rows[rows]
        if bins is not None or np.bincount(some).max(initial=0) > 1:
            lists: Presorted = super().sorted(is_categorical, team, rows, bins, n_others, with_values)
            return lists
        return self.whole.sorted(with_values, team).take(some, team, n_others)

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """Bins of the whole table, whatever these rows count."""
        return self.whole.bins(max_bins, team)

    def codes(self, bins: Bins, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Some of the whole table's, if it has these bins."""
        codes = self.whole.codes(bins, team)
        if codes is None:
            return super().codes(bins, team, start, stop)
        return np.take(codes, self.rows[start:stop], axis=1)
