"""Methods of imported models: raw scores, means of trees, leaves, importances.

In:  an `Imported` (io/imported.py), and tables. No algorithm in here: rows are sent down the trees by `tree/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Column, Schema
from spinney.data.tables import Table
from spinney.estimators.base import TableModel, hash_of
from spinney.estimators.explained import Explained
from spinney.estimators.params import THREADS
from spinney.io.imported import Answering, Imported, Reading
from spinney.tree.forest import Forest
from spinney.tree.importance import importances, mean_shares

_CELLS = 1 << 22  # of a sparse table that are converted to a dense array at a time


class ImportedModel(Explained, TableModel):
    """A model that was fitted by another library, with its trees in a `Forest`."""

    forest_: Forest
    _answering: Answering
    _reading: Reading
    n_outputs_: int
    source_: str
    objective_: str
    criterion: str
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_jobs": THREADS}

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """Raise TypeError: imported models cannot be fitted."""
        raise TypeError(
            f"{type(self).__name__} holds a model that another library has fitted, and cannot be fitted again. Fit one "
            "of Spinney's own models, such as GradientBoostingClassifier, or import another model."
        )

    def _take(self, model: Imported) -> Any:
        """Set the fitted attributes from an imported model."""
        self._keep_schema(model.schema)
        self.forest_, self._answering, self._reading = model.forest, model.answering, model.reading
        self.source_, self.objective_, self.criterion = model.source, model.objective, model.criterion
        self.n_outputs_ = model.n_outputs
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    # --- predict ---------------------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Table:
        """X as a table that the trees can read."""
        if not self._says_fitted():
            check_is_fitted(self)
        if not self._reading.numbered:
            table = super()._read(_named_alike(X, self._schema))
        else:
            table = self._plain_schema.read(_named_alike(X, self._schema), type(self).__name__)
        return self._reading.convert(table, self._schema)

    def _row(self, row: Any) -> Any:
        schema = self._plain_schema if self._reading.numbered else self._schema
        table = schema.read_row(row, type(self).__name__)
        return _Ready(self._reading.convert(table, self._schema))

    @property
    def _plain_schema(self) -> Schema:
        """The schema, with numbers for columns whose categories are known only by number."""
        numbered = set(self._reading.numbered)
        columns = (Column(one.name) if j in numbered else one for j, one in enumerate(self._schema.columns))
        return Schema(tuple(columns))

    def _parts(self, X: Any) -> Any:
        """The table; a sparse one in dense parts."""
        if isinstance(X, _Ready):
            yield X.table
        elif not issparse(X):
            yield self._read(X)
        else:
            yield from self._sparse_parts(X)

    def _sparse_parts(self, X: Any) -> Any:
        check_is_fitted(self)
        self._schema.open(X, type(self).__name__)  # is it as wide as it should be?
        X, step = X.tocsr(), max(1, _CELLS // max(X.shape[1], 1))
        fill = np.nan if self._reading.unstored_is_missing else 0.0
        schema = Schema((Column(None),) * X.shape[1])
        for start in range(0, X.shape[0], step):
            part = X[start : start + step].tocoo()
            values = np.full(part.shape, fill)
            values[part.row, part.col] = part.data
            yield self._reading.convert(schema.read(values, type(self).__name__), self._schema)

    def _raw(self, X: Any) -> np.ndarray:
        """Start values and the trees' sums, or their mean: (outputs, rows)."""
        if isinstance(X, Summed):
            return self._of_rounds(X.sums(self.forest_, self._answering.start))
        return np.concatenate([self._raw_of(table) for table in self._parts(X)], axis=1)

    def _raw_of(self, table: Table) -> np.ndarray:
        from spinney.tree.recode import recoded
        from spinney.tree.sweep import raw_scores

        forest, start = self.forest_, self._answering.start
        if table.is_one_row():
            raw = forest.one_row.scores(table, start)
        else:
            quick = recoded(forest)
            if quick is not None:
                forest, table = quick.forest, quick.table(table)
            with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
                raw = raw_scores(forest, table, start, range(forest.n_trees), team)
        return self._of_rounds(raw)

    def _of_rounds(self, raw: np.ndarray) -> np.ndarray:
        return raw / self._n_rounds if self._answering.averages else raw

    def _means(self, X: Any) -> np.ndarray:
        """The trees' mean predictions, (rows, outputs, classes or 1)."""
        if isinstance(X, Summed):
            return X.sums(self.forest_, None) / self.forest_.n_trees
        return np.concatenate([self._means_of(table) for table in self._parts(X)])

    def _means_of(self, table: Table) -> np.ndarray:
        from spinney.tree.descend_many import sum_answers
        from spinney.tree.recode import recoded

        forest = self.forest_
        if table.is_one_row():
            return forest.one_row.sums(table) / forest.n_trees
        quick = recoded(forest)
        if quick is not None:
            forest, table = quick.forest, quick.table(table)
        with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
            return sum_answers(forest, table, team) / forest.n_trees

    def _respond(self, raw: np.ndarray) -> np.ndarray:
        """Predictions (outputs, rows) from raw scores."""
        from spinney.io.responses import respond

        return respond(self._answering.link, raw, self._answering.scale)

    @property
    def _n_rounds(self) -> int:
        return self.forest_.n_trees // self.n_trees_per_iteration_

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_trees), int32
            Node numbers of the leaves, as in plots and in tables of nodes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from spinney import from_sklearn
        >>> X, y = load_iris(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
        >>> model.apply(X[:2]).shape  # 5 rounds of 3 classes
        (2, 15)
        """
        from spinney.tree.recode import recoded
        from spinney.tree.sweep import leaf_numbers

        found = []
        for table in self._parts(X):
            forest, quick = self.forest_, recoded(self.forest_)
            if quick is not None:
                forest, table = quick.forest, quick.table(table)
            with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
                found.append(leaf_numbers(forest, table, team))
        return np.concatenate(found)

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def n_trees_per_iteration_(self) -> int:
        """The number of trees per round: one, or one per output of a boosted model."""
        return self._answering.n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's fraction of the total gain, or of the impurity decrease, averaged over the trees. They add up
        to 1."""
        check_is_fitted(self)
        if self.forest_.criterion is not None:
            return mean_shares(self.forest_)
        total = importances(self.forest_)
        return total / total.sum() if total.sum() > 0 else total

    def _fingerprint(self) -> str:
        own = self._answering
        words = repr((own.link, own.scale, own.averages, own.second_from, self._reading, self._schema.to_dict()))
        return hash_of([self.forest_.fingerprint.encode(), own.start.tobytes(), words.encode()])


class Summed:
    """A table that computes sums of the trees' predictions for its rows itself."""

    def __init__(self, sums: Callable[[Forest, np.ndarray | None], np.ndarray]) -> None:
        self.sums = (
            sums  # from start values (outputs, rows), of a boosted model; of others (rows, outputs, classes or 1)
        )


class _Ready:
    """A row that is read already."""

    def __init__(self, table: Table) -> None:
        self.table = table


def _named_alike(X: Any, schema: Schema) -> Any:
    """A frame under the names of the schema, if they differ in spaces only: LightGBM writes them as underscores."""
    names, columns = schema.names, getattr(X, "columns", None)
    if names is None or columns is None:
        return X
    given, known = list(columns), names.tolist()
    if given == known or [str(one).replace(" ", "_") for one in given] != known:
        return X
    return X.set_axis(known, axis=1) if hasattr(X, "set_axis") else X.rename(dict(zip(given, known)))
