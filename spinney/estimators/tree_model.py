"""What all models of one decision tree share: predicting, finding leaves, measuring the tree. No algorithm in here.

A fitted model has `tree_` (a `DecisionTree`) and `_schema`; a class model also `classes_` and `n_classes_` (lists of
them if y had several columns). Whoever changes a tree (pruning) copies the model and gives it another `tree_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.estimators.targets import find_classes
from spinney.tree.decision import OneTree

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.tree.decision import DecisionTree

_FEW_ROWS = 4096  # rows below which one thread, in place, is quickest


class TreeModel(OneTree, BaseEstimator):
    """A model that is one `DecisionTree`."""

    def _keep(self, schema: Schema, tree: DecisionTree) -> None:
        """Set the fitted attributes that every tree model has."""
        self._schema, self.tree_ = schema, tree
        self.n_features_in_ = schema.n_columns
        self.n_outputs_ = tree.n_outputs
        if schema.names is not None:
            self.feature_names_in_ = schema.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._schema.read(X, type(self).__name__)

    def _leaves(self, table: Table) -> np.ndarray:
        from spinney.tree.descend import leaf_of_rows

        with self._team(table) as team:
            return leaf_of_rows(self.tree_, table, team)

    def _team(self, table: Table) -> Team:
        from spinney._team import Team, available_threads

        small = table.n_rows < _FEW_ROWS
        return Team(1 if small else available_threads(getattr(self, "n_jobs", None)), inline=small)

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The node in which each row ends."""
        return self._leaves(self._read(X))

    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """The nodes that each row passes, as a sparse matrix of ones, (n_samples, n_nodes)."""
        return self._paths(self._read(X))

    def _paths(self, table: Table) -> csr_matrix:
        from spinney.tree.forest import trails

        leaves, tree = self._leaves(table), self.tree_
        ends, nodes = trails(leaves, tree.parent, tree.depth)
        return csr_matrix((np.ones(len(nodes), np.int64), nodes, ends), shape=(len(leaves), tree.n_nodes))

    def get_depth(self) -> int:
        """How many questions the longest path asks."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of impurity; they add up to 1, or are 0 for a single leaf."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances(n_features=self.n_features_in_)

    @property
    def fingerprint_(self) -> str:
        """A hash of the tree: equal on any machine and any number of threads."""
        if not hasattr(self, "tree_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self.tree_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class ClassTreeModel(ClassifierMixin, TreeModel):
    """A tree that predicts classes."""

    def _keep_classes(self, y: np.ndarray) -> np.ndarray:
        """Set `classes_` and `n_classes_` from checked y, (rows,) or (rows, outputs); return codes (outputs, rows)."""
        found = [find_classes(column) for column in ([y] if y.ndim == 1 else y.T)]
        classes = [one[0] for one in found]
        sizes = [len(one) for one in classes]
        self.classes_: Any = classes[0] if len(classes) == 1 else classes
        self.n_classes_: Any = sizes[0] if len(classes) == 1 else sizes
        return np.array([one[1].ravel() for one in found], dtype=np.int32)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Probability of each class, (n_samples, n_classes): its share in the leaf. A list for several outputs."""
        table = self._read(X)
        if self.tree_.spreads:
            return self._shares(table)
        shares = self._shares_of(self._leaves(table))
        if self.n_outputs_ == 1:
            return shares[:, 0, :]
        return [shares[:, k, : self.n_classes_[k]] for k in range(self.n_outputs_)]

    def _shares_of(self, leaves: np.ndarray) -> np.ndarray:
        """Shares of the classes in some nodes: from all nodes, or, if these are fewer, from those asked for."""
        tree = self.tree_
        if tree.n_nodes < len(leaves):
            return tree.probabilities[leaves]
        weights = tree.answers[leaves]
        return weights / weights.sum(axis=2, keepdims=True)

    def _shares(self, table: Table) -> np.ndarray:
        from spinney.tree.descend import shares

        with self._team(table) as team:
            return shares(self.tree_, table, team)

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            probabilities = self.predict_proba(X)
            if isinstance(probabilities, list):
                return [np.log(one) for one in probabilities]
            return np.log(probabilities)

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The most common class of each row's leaf; of equals the first in `classes_`."""
        table = self._read(X)
        if self.tree_.spreads:
            return self.classes_[self._shares(table).argmax(axis=1)]
        winner = self.tree_.majority[self._leaves(table)]
        if self.n_outputs_ == 1:
            return self.classes_[winner[:, 0]]
        return np.column_stack([self.classes_[k][winner[:, k]] for k in range(self.n_outputs_)])


@contextmanager
def whole(estimator: Any) -> Iterator[None]:
    """A fit that fails or is interrupted leaves the estimator as it was, with its old model if it had one."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
