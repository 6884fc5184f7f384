"""What all models of one decision tree share: predicting, finding leaves, measuring the tree. No algorithm in here.

A fitted model has `tree_` (a `DecisionTree`) and `_schema`; a class model also `classes_` and `n_classes_` (lists of
them if y had several columns). Whoever changes a tree (pruning) copies the model and gives it another `tree_`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.estimators.base import TableModel, log_probabilities
from spinney.estimators.explained import Explained
from spinney.tree.decision import OneTree

if TYPE_CHECKING:
    from spinney.data.tables import Table
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import Forest


class TreeModel(Explained, OneTree, TableModel):
    """A model that is one `DecisionTree`."""

    def _keep(self, schema: Schema, tree: DecisionTree) -> None:
        """Set the fitted attributes that every tree model has."""
        self._keep_schema(schema)
        self.tree_, self.n_outputs_ = tree, tree.n_outputs

    @property
    def forest_(self) -> Forest:
        """The store of the tree."""
        check_is_fitted(self)
        return self.tree_.forest

    def _leaves(self, table: Table) -> np.ndarray:
        if table.is_one_row():
            return self.tree_.forest.one_row.leaves(table)
        from spinney.tree.descend import leaf_of_rows

        with self._make_team("descend", table.n_rows) as team:
            return leaf_of_rows(self.tree_, table, team)

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The node in which each row ends."""
        return self._leaves(self._read(X))

    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """The nodes that each row passes, as a sparse matrix of ones, (n_samples, n_nodes)."""
        return self.forest_.paths(self.apply(X)[:, None])

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
        return self.tree_.compute_feature_importances()

    def _fingerprint(self) -> str:
        return self.tree_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")


class ClassTreeModel(ClassifierMixin, TreeModel):
    """A tree that predicts classes."""

    classes_: Any
    n_classes_: Any

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

        with self._make_team("descend", table.n_rows) as team:
            return shares(self.tree_, table, team)

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`."""
        return log_probabilities(self.predict_proba(X))

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The most common class of each row's leaf; of equals the first in `classes_`."""
        table = self._read(X)
        if self.n_outputs_ == 1:
            return self.classes_[self.class_numbers(table)]
        winner = self.tree_.majority[self._leaves(table)]
        return np.column_stack([self.classes_[k][winner[:, k]] for k in range(self.n_outputs_)])

    def class_numbers(self, table: Table) -> np.ndarray:
        """The answers to a table that has been read, as places in `classes_`; of one output."""
        if self.tree_.spreads:
            return self._shares(table).argmax(axis=1)
        return self.tree_.majority[self._leaves(table), 0]
