"""What both boosted models can do once they are fitted: raw scores, answers, importances.

In:  a fitted model (boosting_fit.py), which has a `_booster`, and a table. No algorithm in here: see tree/sweep.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney.estimators.base import frame_of_records, frame_of_row, hash_of
from spinney.estimators.boosting_fit import BoostingFit
from spinney.estimators.boosting_rounds import Rounds
from spinney.estimators.boosting_start import constant_init, read_offset
from spinney.estimators.explained import Explained
from spinney.tree.importance import importances

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table


_KINDS_OF_XGBOOST = {"total_gain": "gain", "weight": "split", "total_cover": "cover"}


class BoostedModel(Explained, Rounds, BoostingFit):
    """A model that is a `Booster`."""

    _takes_opened_tables = True  # see data/shared.py
    _predicts_by_codes = True

    # --- predict ---------------------------------------------------------------------------------------------------

    def _raw(self, X: Any, init_score: Any = None) -> np.ndarray:
        """Raw scores (outputs, rows)."""
        table, booster = self._read(X), self._booster
        start = self._start(X, init_score, table.n_rows)
        if table.is_one_row():
            return booster.forest.one_row.scores(table, start.reshape(-1))
        from spinney.gpu import raw_scores_by
        from spinney.tree.sweep import raw_scores

        with self._team(table) as team:
            there = raw_scores_by(self.device, booster.forest, table, start, team)
            return (
                raw_scores(booster.forest, table, start, range(booster.forest.n_trees), team)
                if there is None
                else there
            )

    def _start(self, X: Any, init_score: Any, n_rows: int) -> np.ndarray:
        """What the trees are added to: (outputs,), or (outputs, rows) where rows begin each with its own."""
        start = self._booster.start
        offset = self._offset(X, read_offset(init_score, n_rows, len(start)))
        return start if offset is None else start[:, None] + offset

    def _staged_raw(self, X: Any, init_score: Any = None) -> Iterator[np.ndarray]:
        """Raw scores after each round; the same array, growing."""
        from spinney.data.dataset import encode_table
        from spinney.tree.sweep import add_scores

        table, booster = self._read(X), self._booster
        scores = np.empty((booster.n_outputs, table.n_rows))
        start = self._start(X, init_score, table.n_rows)
        scores[:] = start[:, None] if start.ndim == 1 else start
        with self._team(table) as team:
            codes = encode_table(table, booster.bins, team)
            for first in range(0, booster.forest.n_trees, booster.n_outputs):
                add_scores(booster.forest, codes, range(first, first + booster.n_outputs), scores, team)
                yield scores

    def _row(self, row: Any) -> Any:
        """One row as a table; as the initial estimator can read it, if there is one."""
        return super()._row(row) if self._init is None else frame_of_row(self._schema, row)

    def _of_records(self, X: list[Any]) -> Any:
        """A list of dicts as a table; as the initial estimator can read it, if there is one."""
        return super()._of_records(X) if self._init is None else frame_of_records(self._schema, X)

    def _team(self, table: Table) -> Team:
        """For sending rows through all trees."""
        return self._make_team("descend many", table.n_rows * self._booster.forest.n_trees)

    def _respond(self, raw: np.ndarray) -> np.ndarray:
        """Predicted values, or probabilities (rows, classes)."""
        from spinney.ensemble.scoring import predictions

        return predictions(self._bare_task(), raw)

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf that each row reaches in each tree.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection
            Input data with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_rounds) or (n_samples, n_rounds, n_outputs)
            Node numbers. Classifiers have the last axis, with one tree per output, as in scikit-learn.

        Examples
        --------
        >>> from sklearn.datasets import make_regression
        >>> from spinney import GradientBoostingRegressor
        >>> X, y = make_regression(random_state=0)
        >>> model = GradientBoostingRegressor(n_estimators=10).fit(X, y)
        >>> model.apply(X).shape
        (100, 10)
        """
        from spinney.tree.sweep import leaf_numbers

        table, booster = self._read(X), self._booster
        with self._team(table) as team:
            return leaf_numbers(booster.forest, table, team)

    def _fingerprint(self) -> str:
        own = self._booster.fingerprint
        if self._init is None:
            return own
        init = getattr(self._init, "fingerprint_", None) or joblib.hash(self._init)
        return hash_of([own.encode(), str(init).encode()])

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def init_(self) -> Any:
        """The fitted initial estimator; without one, a dummy estimator that predicts the start value, or "zero"."""
        self._need_rounds()
        if self._init is not None or isinstance(self.init, str):
            return self._init or self.init
        classes = self.classes_ if isinstance(self, ClassifierMixin) else None
        return constant_init(self._respond(self._booster.start[:, None]), classes)

    @property
    def n_estimators_(self) -> int:
        """Number of rounds that the model predicts with."""
        return self._need_rounds().n_rounds

    @property
    def n_trees_per_iteration_(self) -> int:
        """Number of trees per round: one, or one per class with more than two classes."""
        return self._need_rounds().n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """Fraction of the total gain of all splits per column; they add up to 1."""
        return self.get_feature_importances("gain")

    def get_feature_importances(self, kind: str = "gain") -> np.ndarray:
        """Compute the importance of each column.

        Parameters
        ----------
        kind : {"gain", "split", "cover"}, default="gain"
            "gain" is the total gain of the column's splits, "split" is their number, and "cover" is the total hessian
            (for squared error: the number of samples) of their nodes. XGBoost's names of these three, "total_gain",
            "weight" and "total_cover", are accepted. (XGBoost's "gain" and "cover" are means per split.)

        Returns
        -------
        ndarray of shape (n_features,)
            Importances that add up to 1, or zeros if the model has no splits.

        Examples
        --------
        >>> from spinney import GradientBoostingClassifier
        >>> from spinney.datasets import load_penguins
        >>> X, y = load_penguins()
        >>> model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> model.get_feature_importances("split").shape == (X.shape[1],)
        True
        """
        check_is_fitted(self)
        kind = _KINDS_OF_XGBOOST.get(kind, kind)
        if kind not in ("gain", "split", "cover"):
            raise ValueError(f"kind must be 'gain', 'split' or 'cover', got {kind!r}.")
        total = importances(self._booster.forest, kind)
        return total / total.sum() if total.any() else total

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_booster")
