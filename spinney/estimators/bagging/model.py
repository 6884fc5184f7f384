"""Methods of a fitted bagging ensemble: predictions, members, and the rows and columns of each member.

Members that are Spinney's trees are stored in one `Forest`, and created from it on access. All others are stored
themselves and receive X unchanged. No algorithm in here: see ensemble/bagging.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.utils import check_array, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema, SchemaColumn
from spinney.estimators.base import CopiesModel, hash_of, take_inputs_of_members
from spinney.estimators.docstrings import LEAVES, LOCAL, PATHS, documented
from spinney.estimators.forests.model import ForestModel
from spinney.estimators.params import count_columns
from spinney.estimators.routing import route_to_copies, router_of_copies
from spinney.estimators.streaming import row_by_row
from spinney.estimators.trees.model import keep_tree
from spinney.estimators.trees.reweighted import can_share
from spinney.gpu import model_methods as on_gpu

if TYPE_CHECKING:
    from spinney.ensemble.bagging import Draws, Subspaces
    from spinney.tree.decision import DecisionTree


EXAMPLE = """
>>> from sklearn.datasets import load_iris
>>> from spinney import BaggingClassifier
>>> X, y = load_iris(return_X_y=True)
>>> model = BaggingClassifier(random_state=0).fit(X, y)
"""


def _of_trees(self: Any) -> bool:
    """Whether the members are Spinney's trees, stored in a forest; for `available_if`."""
    return "forest_" in vars(self) or ("_draws" not in vars(self) and can_share(self._template()))


def in_own_columns(schema: Schema, tree: DecisionTree, subspaces: Subspaces, k: int) -> tuple[Schema, DecisionTree]:
    """The columns of member k alone, and its tree, renumbered from those of the whole table."""
    from spinney.ensemble.bagging import tell_apart
    from spinney.ensemble.forests.fit import renumber

    if subspaces.are_whole:
        return schema, tree
    columns = subspaces.of(k)
    places = np.zeros(subspaces.n_columns, np.int64)
    places[columns[::-1]] = np.arange(len(columns))[::-1]
    some = [schema.columns[j] for j in columns]
    names = [None] * len(some) if schema.names is None else tell_apart([str(one.name) for one in some])
    own = Schema(tuple(SchemaColumn(name, one.categories, one.boolean) for name, one in zip(names, some)))
    return own, renumber(tree.forest, places, len(some)).tree(0)


class BagModel(CopiesModel, ForestModel):
    """Clones of one estimator, fitted on different rows and columns, whose predictions are averaged."""

    _kind: ClassVar[str]  # "classifier" or "regressor"
    _draws: list[Draws]  # the rows and columns of each member
    _seed: int
    _n_rows: int

    def get_metadata_routing(self) -> Any:
        """Return the metadata routing of this estimator, for scikit-learn.

        Returns
        -------
        routing : MetadataRouter
            The arguments that are passed to the base estimators.

        Examples
        --------
        >>> from spinney import BaggingClassifier
        >>> type(BaggingClassifier().get_metadata_routing()).__name__
        'MetadataRouter'
        """
        return router_of_copies(self, self._template())

    def _in_bag(self, k: int) -> np.ndarray:
        """How often each training row is in the sample of a member."""
        return self._draws[k].bags.counts(k)

    def _row_order(self) -> np.ndarray:
        return self._draws[0].bags.order

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each base estimator was fitted on, repeated as often as they were sampled."""
        check_is_fitted(self)
        counts = (self._in_bag(k) for k in range(len(self)))
        return [np.repeat(np.arange(len(one)), one) for one in counts]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each base estimator was fitted on."""
        check_is_fitted(self)
        return [draws.subspaces.of(k) for k, draws in enumerate(self._draws)]

    # --- members ----------------------------------------------------------------------------------------------------

    def _make_tree(self, k: int) -> Any:
        """A tree with its own columns."""
        return self._keep_tree(k, *in_own_columns(self._schema, self.forest_.tree(k), self._draws[k].subspaces, k))

    def _keep_tree(self, k: int, schema: Schema, tree: DecisionTree) -> Any:
        """Member k with this tree."""
        from spinney.ensemble.bagging import seed_member

        bags, n_columns = self._draws[k].bags, self._draws[k].subspaces.n_drawn
        member = seed_member(clone(self.estimator_), bags.seed, k - bags.shift)
        return keep_tree(member, schema, tree, count_columns(member.max_features, n_columns))

    @available_if(_of_trees)
    @row_by_row(on_gpu.bag_leaves)
    @documented(returns=LEAVES, setup=EXAMPLE)
    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree. Supported only with Spinney's trees as base estimators.

        Examples
        --------
        >>> model.apply(X).shape
        (150, 10)
        """
        return super().apply(X)

    @available_if(_of_trees)
    @row_by_row()
    @documented(LOCAL, returns=PATHS, setup=EXAMPLE)
    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """Return the nodes on the path of each row. Supported only with Spinney's trees as base estimators.

        Examples
        --------
        >>> indicator, n_nodes_ptr = model.decision_path(X)
        >>> indicator.shape[1] == n_nodes_ptr[-1]
        np.True_
        """
        return super().decision_path(X)

    @cached_property
    def feature_importances_(self) -> np.ndarray:
        """Each column's fraction of the impurity decrease, averaged over the trees. They add up to 1."""
        check_is_fitted(self)
        if "forest_" not in vars(self):
            raise AttributeError(
                "feature_importances_ needs Spinney's trees as members: set estimator=None, or a tree "
                "without class_weight and n_iter_no_change."
            )
        importances: np.ndarray = ForestModel.feature_importances_.func(self)  # type: ignore[attr-defined]
        return importances

    def _answer_of(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        raise NotImplementedError

    def _mean_answers(self, X: Any) -> np.ndarray:
        """The mean of the members' predictions, (rows, outputs, classes or 1)."""
        check_is_fitted(self)
        return super()._mean_answers(X) if "forest_" in vars(self) else self._mean_of_members(X, self._answer_of)

    def _routed(self, method: str, X: Any, params: dict[str, Any]) -> np.ndarray:
        """The same; arguments that scikit-learn's metadata routing requests are passed to the members."""
        given = route_to_copies(self, method, params) if params else {}
        return self._mean_of_members(X, partial(self._answer_of, **given)) if given else self._mean_answers(X)

    def _mean_of_members(self, X: Any, say: Callable[[Any, Any], np.ndarray]) -> np.ndarray:
        from spinney._team import available_threads
        from spinney.ensemble.bagging import sum_members

        total: np.ndarray = sum_members(
            self.estimators_, self._check(X), self._draws, say, available_threads(self.n_jobs)
        )
        return total / len(self)

    def _read_sparse(self, X: Any) -> Any:
        return check_array(X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False, estimator=self)

    def _check(self, X: Any) -> Any:
        """X as members can read it, checked for the columns of fit."""
        if issparse(X):
            X = self._read_sparse(X)
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    "features as input."
                )
            return X
        return super()._check(X)

    def _fingerprint(self) -> str:
        """A hash of the members and of their columns."""
        if "forest_" in vars(self):
            return self.forest_.fingerprint
        members = zip(self.estimators_, self.estimators_features_)
        return hash_of(member.fingerprint_.encode() + columns.tobytes() for member, columns in members)

    def __len__(self) -> int:
        return len(self._draws)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_draws")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "forest_" not in vars(self) and "estimators_" in vars(self):
            state["estimators_"] = self.estimators_
        return state

    def __sklearn_tags__(self) -> Any:
        tags, template = super().__sklearn_tags__(), self._template()
        if can_share(template) or not hasattr(template, "fit"):  # fit reports what is not an estimator
            return tags
        members = get_tags(template)
        take_inputs_of_members(tags, [members.input_tags])
        tags.target_tags.multi_output = self._kind == "regressor" and members.target_tags.multi_output
        return tags
