"""What every forest can do once it is grown: predict, apply, explain itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.data.tables import Table

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.tree.grove import Grove

_FEW_CELLS = 20_000  # rows times trees below which predictions run in the caller's thread


class ForestModel(BaseEstimator):
    """A model that is a `Grove` of trees whose answers are averaged."""

    grove_: Grove
    _schema: Schema

    def _keep(self, schema: Schema, grove: Grove) -> None:
        """Set the fitted attributes that every forest has."""
        self._schema, self.grove_ = schema, grove
        for name in ("estimators_", "feature_importances_"):
            self.__dict__.pop(name, None)
        self.n_features_in_ = schema.n_columns
        self.n_outputs_ = int(grove.answers.shape[1])
        if schema.names is not None:
            self.feature_names_in_ = schema.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._schema.read(X, type(self).__name__)

    def _team(self, n_rows: int) -> Team:
        from spinney._team import Team, available_threads

        small = n_rows * self.grove_.n_trees < _FEW_CELLS
        return Team(1 if small else available_threads(getattr(self, "n_jobs", None)), inline=small)

    def _mean_answers(self, X: Any) -> np.ndarray:
        """(rows, outputs, classes or 1): the mean of what the trees say."""
        from spinney.tree.descend_many import sum_answers

        table = self._read(X)
        with self._team(table.n_rows) as team:
            return sum_answers(self.grove_, table, team) / self.grove_.n_trees

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, (n_samples, n_estimators).

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of node numbers
        """
        from spinney.tree.descend_many import leaves_of_rows

        table = self._read(X)
        with self._team(table.n_rows) as team:
            return leaves_of_rows(self.grove_, table, team)

    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """The nodes that each row passes.

        Parameters
        ----------
        X : table

        Returns
        -------
        (indicator, n_nodes_ptr)
            A sparse matrix of ones, and where each tree's nodes begin among its columns.
        """
        leaves = self.apply(X)
        return self.grove_.paths(leaves), self.grove_.first.copy()

    @cached_property
    def estimators_(self) -> list[Any]:
        """The trees, each a fitted estimator of its own; made from the common store when first asked for."""
        check_is_fitted(self, "grove_")
        return [self._make_tree(k) for k in range(self.grove_.n_trees)]

    def _make_tree(self, k: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        return self.grove_.n_trees

    def __getitem__(self, k: int) -> Any:
        return self.estimators_[k]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    @cached_property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the trees of each column's share in the decrease of impurity; they add up to 1."""
        check_is_fitted(self, "grove_")
        grove, n = self.grove_, self.n_features_in_
        trees = (grove.tree(k) for k in range(grove.n_trees) if grove.first[k + 1] - grove.first[k] > 1)
        each = [tree.compute_feature_importances(n_features=n) for tree in trees]
        total = np.sum(each, axis=0) if each else np.zeros(n)
        return total / total.sum() if total.sum() > 0 else total

    @property
    def fingerprint_(self) -> str:
        """A hash of all trees: equal on any machine and any number of threads."""
        if not hasattr(self, "grove_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self.grove_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "grove_")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("estimators_", "feature_importances_"):
            state.pop(name, None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.multi_output = True
        return tags


class ClassForest(ClassifierMixin, ForestModel):
    """A forest that predicts classes: the mean of its trees' probabilities."""

    classes_: Any
    n_classes_: Any

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class: the mean of its shares in the trees' leaves.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes); a list of such for several outputs
        """
        return self._split_outputs(self._mean_answers(X))

    def _split_outputs(self, answers: np.ndarray) -> Any:
        if self.n_outputs_ == 1:
            return answers[:, 0, :]
        return [answers[:, o, : self.n_classes_[o]] for o in range(self.n_outputs_)]

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes); a list of such for several outputs
        """
        with np.errstate(divide="ignore"):
            probabilities = self.predict_proba(X)
            return [np.log(one) for one in probabilities] if self.n_outputs_ > 1 else np.log(probabilities)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row; of equals the first in `classes_`.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._name(self._mean_answers(X).argmax(axis=2))

    def _name(self, winner: np.ndarray) -> np.ndarray:
        """Labels of classes by number, (rows, outputs)."""
        if self.n_outputs_ == 1:
            return self.classes_[winner[:, 0]]
        return np.column_stack([self.classes_[o][winner[:, o]] for o in range(self.n_outputs_)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NumberForest(RegressorMixin, ForestModel):
    """A forest that predicts numbers: the mean of its trees' answers."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees' answers.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        answers = self._mean_answers(X)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers
