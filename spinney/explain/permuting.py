"""Permutation importance: how much a model's score falls when a column's values are exchanged among rows.

In: any fitted model, rows and targets, groups of columns. Out: the fall of the score, (groups, repeats). The columns of
a group are shuffled together, by the same rows, so that no other column of the group can replace one. Spinney's models
that accept opened tables read the rows once; columns are then shuffled in their encoded form.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from spinney.data.opened_table import OpenedTable, takes_opened_tables
from spinney.data.tables import Panel, Table
from spinney.evaluate.scoring import only_predicts
from spinney.explain.axes import Columns
from spinney.tree.formula import trees_formula


def permute(
    model: Any,
    X: Any,
    y: Any,
    columns: Columns,
    groups: list[list[int]],
    *,
    scoring: Any,
    n_repeats: int,
    sample_weight: Any,
    random_state: Any,
) -> np.ndarray:
    """(groups, repeats)."""
    score = check_scoring(model, scoring=scoring)
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    before = float(score(model, X, y, **options))
    random = check_random_state(random_state)
    falls = np.empty((len(groups), n_repeats))
    reads = takes_opened_tables(model) and (scoring is None or only_predicts(score))
    table = next(iter(trees_formula(model).tables(X))) if reads else None
    own = Read(table) if type(table) is Table else columns
    for k in range(n_repeats):
        rows = random.permutation(columns.n_rows)
        for g, group in enumerate(groups):
            falls[g, k] = before - float(score(model, own.shuffled(group, rows), y, **options))
    return falls


class Read(OpenedTable):
    """Rows that a model has read: it need not do so again."""

    def __init__(self, table: Table) -> None:
        self._table, self.shape, self.rows = table, (table.n_rows,), None

    def original(self) -> NoReturn:
        """What they were is not known here."""
        raise TypeError("these rows are for the model that has read them.")

    def read(self, schema: Any, owner: str = "this model", strict: bool = False) -> Table:
        return self._table

    def shuffled(self, group: list[int], rows: np.ndarray) -> Read:
        """The same with some columns' values exchanged among rows."""
        panels = []
        for panel in self._table.panels:
            for k, j in enumerate(panel.columns):
                values = panel.values[:, k : k + 1]
                panels.append(Panel(values[rows] if j in group else values, (j,)))
        return Read(Table(self._table.n_rows, self._table.n_columns, tuple(panels)))
