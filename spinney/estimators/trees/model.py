"""Base classes of all models of one decision tree: prediction, leaves, size of the tree. No algorithm in here.

A fitted model has `tree_` (a `DecisionTree`) and `_schema`; a classifier also has `classes_` and `n_classes_` (lists if
y has several columns). Code that changes a tree, such as pruning, copies the model and sets another `tree_`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.estimators.base import Explained, TableClassifier, TableModel
from spinney.estimators.docstrings import (
    LABELS_OF_OUTPUTS,
    LOCAL,
    PROBABILITIES_OF_OUTPUTS,
    documented,
)
from spinney.estimators.streaming import row_by_row
from spinney.gpu import model_methods as on_gpu
from spinney.tree.decision import OneTree
from spinney.tree.formula import Formula

if TYPE_CHECKING:
    from typing import Self

    from spinney.data.tables import Table
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import Forest


_EXAMPLE = """
>>> from spinney import DecisionTreeClassifier
>>> tree = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "b"])
"""


def keep_tree(model: Any, schema: Schema, tree: DecisionTree, max_features: int) -> Any:
    """The unfitted tree model, fitted: one tree of an ensemble."""
    model._keep(schema, tree)
    model.max_features_ = max_features
    return model


class TreeModel(Explained, OneTree, TableModel):
    """A model that is one `DecisionTree`."""

    def _keep(self, schema: Schema, tree: DecisionTree) -> None:
        """Set the fitted attributes of all tree models."""
        self._keep_schema(schema)
        self.tree_, self.n_outputs_ = tree, int(tree.forest.answers.shape[1])

    def plant(self, schema: Schema, tree: DecisionTree) -> Self:
        """Become the model of a tree that was not fitted, for internal use."""
        self._keep(schema, tree)
        return self

    @property
    def forest_(self) -> Forest:
        """The tree as a `Forest` of one tree."""
        check_is_fitted(self)
        return self.tree_.forest

    def _formula(self) -> Formula:
        tree, facts = self.tree_, self._facts(self._schema, self.tree_.forest)
        if not tree.is_class:
            values = tree.answers[:, :, 0]
            return Formula(**facts, values=values, start=np.zeros(values.shape[1]), link="identity")
        values, majority = tree.probabilities.reshape(tree.n_nodes, -1), tree.majority.astype(np.int64)
        return Formula(**facts, values=values, start=np.zeros(values.shape[1]), link="shares", majority=majority)

    def _leaves(self, table: Table) -> np.ndarray:
        if table.is_one_row():
            return self.tree_.forest.one_row.leaves(table)
        from spinney.tree.descend import leaf_of_rows

        with self._make_team("descend", table.n_rows) as team:
            return leaf_of_rows(self.tree_, table, team)

    @row_by_row(on_gpu.tree_leaves)
    @documented(setup=_EXAMPLE)
    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Return the index of the leaf that each row falls into.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
            Node numbers of the leaves.

        Examples
        --------
        >>> tree.apply([[0], [5]]).tolist()
        [1, 2]
        """
        return self._leaves(self._read(X))

    @row_by_row()
    @documented(LOCAL, setup=_EXAMPLE)
    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """Return the nodes on the path of each row.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            A one for every node that the row passes.

        Examples
        --------
        >>> tree.decision_path([[0], [5]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        return self.forest_.paths(self.apply(X)[:, None])

    @documented(setup=_EXAMPLE)
    def get_depth(self) -> int:
        """Return the depth of the tree: the number of splits on the longest path.

        Returns
        -------
        depth : int
            0 for a single leaf.

        Examples
        --------
        >>> tree.get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    @documented(setup=_EXAMPLE)
    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        n_leaves : int
            The number of leaves.

        Examples
        --------
        >>> tree.get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's fraction of the total impurity decrease. They add up to 1; all are 0 for a single leaf."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def _fingerprint(self) -> str:
        return self.tree_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")


class ClassTreeModel(TableClassifier, TreeModel):
    """A tree that predicts classes."""

    classes_: Any
    n_classes_: Any

    @row_by_row(on_gpu.tree_probabilities)
    @documented(returns=PROBABILITIES_OF_OUTPUTS, setup=_EXAMPLE)
    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Predict class probabilities: the class fractions in each row's leaf.

        Examples
        --------
        >>> tree.predict_proba([[0], [5]])
        array([[1., 0.],
               [0., 1.]])
        """
        table = self._read(X)
        if self.tree_.spreads:
            return self._shares(table)
        shares = self._shares_of(self._leaves(table))
        if self.n_outputs_ == 1:
            return shares[:, 0, :]
        return [shares[:, k, : self.n_classes_[k]] for k in range(self.n_outputs_)]

    def _shares_of(self, leaves: np.ndarray) -> np.ndarray:
        """Class fractions in some nodes: computed for all nodes or, if fewer, for the given ones."""
        tree = self.tree_
        if tree.n_nodes < len(leaves):
            return tree.probabilities[leaves]
        weights = tree.answers[leaves]
        return weights / weights.sum(axis=2, keepdims=True)

    def _shares(self, table: Table) -> np.ndarray:
        from spinney.tree.descend import shares

        with self._make_team("descend", table.n_rows) as team:
            return shares(self.tree_, table, team)

    @row_by_row(on_gpu.tree_classes)
    @documented(returns=LABELS_OF_OUTPUTS, setup=_EXAMPLE)
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Predict the most common class of each row's leaf.

        Examples
        --------
        >>> tree.predict([[0], [5]]).tolist()
        ['a', 'b']
        """
        table = self._read(X)
        if self.n_outputs_ == 1:
            return self.classes_[self.class_numbers(table)]
        winner = self.tree_.majority[self._leaves(table)]
        return np.column_stack([self.classes_[k][winner[:, k]] for k in range(self.n_outputs_)])

    def class_numbers(self, table: Table) -> np.ndarray:
        """Predict class indices for a table that has been read, for internal use; one output only."""
        if self.tree_.spreads:
            return self._shares(table).argmax(axis=1)
        return self.tree_.majority[self._leaves(table), 0]
