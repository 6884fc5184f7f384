"""The attributes of scikit-learn's `tree_`, for code that was written for it. Binary trees only.

Arrays have scikit-learn's dtypes and are read-only. X is an array or a sparse matrix of floats, in which categories are
numbered in the order of the schema. Thresholds are compared with float64 values, not with float32 as in scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from spinney.tree.importance import decreases, importances

if TYPE_CHECKING:
    from spinney.tree.forest import Forest


class SklearnTree:
    """A view of one tree under scikit-learn's names."""

    forest: Forest

    @property
    def node_count(self) -> int:
        return self.forest.n_nodes

    capacity = node_count

    @property
    def max_depth(self: Any) -> int:
        return int(self._shape.depth.max())

    @property
    def n_features(self) -> int:
        return self.forest.n_columns

    @property
    def n_classes(self) -> np.ndarray:
        """The number of classes of each output; 1 for regression."""
        return np.array(self.forest.n_classes or [1] * self.forest.n_outputs, np.int64)

    @property
    def max_n_classes(self) -> int:
        return int(self.n_classes.max())

    @property
    def n_node_samples(self: Any) -> np.ndarray:
        return read_only(self.n_samples)

    @property
    def weighted_n_node_samples(self: Any) -> np.ndarray:
        return read_only(self.weight)

    @property
    def children_left(self) -> np.ndarray:
        """The child for which the condition of the node holds; -1 in leaves."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """The child for which the condition of the node does not hold; -1 in leaves."""
        return self._child(1)

    @property
    def missing_go_to_left(self: Any) -> np.ndarray:
        return read_only((self.missing == 0).astype(np.uint8))

    @property
    def value(self: Any) -> np.ndarray:
        """The prediction of every node, (node, output, class): class fractions, or the number."""
        return read_only(self.probabilities if self.is_class else self.answers)

    def _child(self: Any, branch: int) -> np.ndarray:
        if not self.is_binary:
            raise AttributeError("This tree has nodes with more than two branches. Use children_of(node).")
        size = self.forest.size.astype(np.int64)
        asks = np.flatnonzero(size > 1)
        child = np.full(len(size), -1, np.int64)
        child[asks] = asks + 1 if branch == 0 else asks + 1 + size[asks + 1]
        return read_only(child)

    def impurity_decreases(self) -> np.ndarray:
        """The impurity decrease of each node's split, times its fraction of the total weight; 0 in leaves. For a
        boosted tree, the gains."""
        return self.forest.of_questions(decreases(self.forest), 0.0)

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The impurity decrease of each column's splits; fractions of the total if `normalize`."""
        total = importances(self.forest)
        return total / total.sum() if normalize and total.sum() > 0 else total

    def apply(self: Any, X: Any) -> np.ndarray:
        """The index of the leaf of each row."""
        from spinney._team import Team
        from spinney.data.sparse import is_sparse, open_sparse
        from spinney.data.tables import Panel, Table
        from spinney.tree.descend import leaf_of_rows

        X = X if is_sparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features or X.dtype not in (np.float32, np.float64):
            raise ValueError(
                f"X must be an array or a sparse matrix of floats with {self.n_features} columns, got {X.dtype} "
                f"{X.shape}."
            )
        if is_sparse(X):
            table = open_sparse(X, "tree_").table()
        else:
            table = Table(len(X), X.shape[1], (Panel(X, tuple(range(X.shape[1]))),))
        with Team(1, inline=True) as team:
            return leaf_of_rows(self, table, team)

    def predict(self: Any, X: Any) -> np.ndarray:
        """The predictions, (rows, classes or 1), or (rows, outputs, classes or 1) for several outputs."""
        answers = self.value[self.apply(X)]
        return answers[:, 0] if self.forest.n_outputs == 1 else answers

    def decision_path(self: Any, X: Any) -> csr_matrix:
        """The nodes on the path of each row, as a sparse matrix of ones (rows, nodes)."""
        return self.forest.paths(self.apply(X)[:, None])

    def compute_partial_dependence(self: Any, X: Any, target_features: Any, out: np.ndarray) -> None:
        """Add to out[i] the mean prediction for rows whose `target_features` have the values X[i].

        At splits on other columns, both branches count, in proportion to the weight of their training rows.
        """
        X, columns = np.asarray(X, np.float64), {int(j): k for k, j in enumerate(target_features)}
        asked = self.forest.of_questions(self.forest.feature.astype(np.int64), -2)
        threshold = self.forest.of_questions(self.forest.thresholds(), np.nan)
        left, right, weight = self.children_left, self.children_right, self.weight
        waiting = [(0, np.arange(len(X)), np.ones(len(X)))]
        while waiting:
            node, rows, share = waiting.pop()
            if left[node] < 0:
                out[rows] += share * self.value[node, 0, 0]
            elif asked[node] in columns:
                goes = X[rows, columns[asked[node]]] <= threshold[node]
                waiting += [(right[node], rows[~goes], share[~goes]), (left[node], rows[goes], share[goes])]
            else:
                part = weight[left[node]] / weight[node]
                waiting += [(right[node], rows, share * (1.0 - part)), (left[node], rows, share * part)]


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view
