"""Totally random trees as a transformer, with scikit-learn's interface.

No algorithm in here: see ensemble/forests/fit.py.

In:  a table. Out: a sparse matrix of zeros and ones, with one column per leaf of each tree.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from spinney.data.schema import learn_and_read, without_idle_categories
from spinney.data.target import Training, number_target
from spinney.data.weights import read_sample_weight
from spinney.estimators.base import all_or_nothing
from spinney.estimators.docstrings import NO_TARGET, TO_FIT, documented
from spinney.estimators.forests.fit import GrownForest
from spinney.estimators.params import FOREST, Parameter, check_parameters, described, keep_parameters
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.extra_tree import ExtraTreeRegressor
from spinney.tree.formula import not_of_trees

# Parameters of other forests, and the values that apply here.
_WITHOUT = {
    "criterion": "squared_error",
    "max_features": 1,
    "monotonic_cst": None,
    "ccp_alpha": 0.0,
    "features_per": "split",
}
_EMBEDDING = {
    **FOREST,
    "max_depth": FOREST["max_depth"]._replace(
        text="Maximum depth of each tree, which has at most 2 ** max_depth leaves. None grows trees until the rows of "
        "every leaf are equal."
    ),
    "sparse_output": Parameter(
        "bool", "Whether `transform` returns a sparse matrix. False returns an array.", ["boolean"]
    ),
    "max_bins": FOREST["max_bins"]._replace(
        text="Maximum number of bins per column, up to 255. Thresholds are random bin edges. None samples thresholds "
        "anywhere between the values."
    ),
}


_EXAMPLE = """
>>> from spinney import RandomTreesEmbedding
>>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
>>> embedding = RandomTreesEmbedding(n_estimators=5, max_depth=1, random_state=0)
"""


@described(_EMBEDDING)
class RandomTreesEmbedding(TransformerMixin, GrownForest):
    """An embedding by totally random trees: a one-hot encoding of the leaf of each row in every tree.

    Every split has a random column, and a random threshold between its smallest and largest value in the node; no
    target is used. Rows that share many leaves are similar, so a linear model of the leaves can learn local structure.
    Columns may hold numbers, Booleans, strings and categories, with missing values. The same data and `random_state`
    give the same trees, with any number of threads and in any order of the rows.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, created from `forest_` on first access.
    estimator_ : ExtraTreeRegressor
        An unfitted tree with the parameters of all trees.
    one_hot_encoder_ : OneHotEncoder
        The encoder that turns leaves into columns, created on access.
    forest_ : Forest
        All trees, stored together.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of the columns, which are random here.
    fingerprint_ : str
        A hash of all trees, the same on any machine and with any number of threads.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    n_outputs_, max_features_ : int
        1; exist for compatibility with scikit-learn.

    Examples
    --------
    >>> from spinney import RandomTreesEmbedding
    >>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> embedding = RandomTreesEmbedding(n_estimators=5, max_depth=1, random_state=0).fit(X)
    >>> embedding.transform(X).shape
    (5, 10)
    """

    _tree_kind: ClassVar[Any] = ExtraTreeRegressor
    _splitter = "random"
    bootstrap, oob_score, max_samples = False, False, None

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 5,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sparse_output: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    def _setting(self, name: str) -> Any:
        return _WITHOUT[name] if name in _WITHOUT else getattr(self, name)

    @known_arguments
    @documented(TO_FIT, NO_TARGET, setup=_EXAMPLE)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Fit the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which count for `min_weight_fraction_leaf`. Rows of weight 0 are left out.

        Examples
        --------
        >>> len(embedding.fit(X))
        5
        """
        from spinney.data.row_hash import chances_by_content

        check_parameters(self)
        with all_or_nothing(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            weights = read_sample_weight(sample_weight, table.n_rows)
            schema, table = without_idle_categories(schema, table, weights)
            self.estimator_ = self._make_template()
            # a target for the choices that remain, such as the side of missing values: pseudo-random, and determined by
            # the row contents
            self._fit(Training(schema, table, number_target(chances_by_content(table), weights)))
        return self

    @known_arguments
    @documented(TO_FIT, NO_TARGET, setup=_EXAMPLE)
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the trees and transform X.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which count for `min_weight_fraction_leaf`. Rows of weight 0 are left out.

        Returns
        -------
        X_transformed : csr_matrix of shape (n_samples, n_leaves)
            Ones and zeros; an array with `sparse_output=False`.

        Examples
        --------
        >>> embedding.fit_transform(X).shape
        (5, 10)
        """
        return self.fit(X, y, sample_weight).transform(X)

    def _formula(self) -> NoReturn:
        raise not_of_trees(self)  # it predicts nothing

    @row_by_row()
    @documented(setup=_EXAMPLE)
    def transform(self, X: Any) -> Any:
        """Encode the leaf of each row in each tree.

        Returns
        -------
        X_transformed : csr_matrix of shape (n_samples, n_leaves)
            A one for the leaf of the row in each tree; an array with `sparse_output=False`.

        Examples
        --------
        >>> embedding.fit(X).transform(X[:1]).sum()
        np.float64(5.0)
        """
        leaves = self.apply(X)
        columns = (np.cumsum(self.forest_.is_leaf) - 1).astype(np.int32)[leaves + self.forest_.first[:-1]]
        n_rows, n_trees = leaves.shape
        ends = np.arange(0, n_rows * n_trees + 1, n_trees, dtype=np.int64 if columns.size > 2**31 - 1 else np.int32)
        shape = n_rows, int(self.forest_.n_leaves.sum())
        found: Any = csr_matrix((np.ones(columns.size), columns.ravel(), ends), shape=shape)
        return found if self.sparse_output else found.toarray()

    @documented(setup=_EXAMPLE)
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of `transform`: randomtreesembedding_{tree}_{leaf}.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Column names of X. They are only compared with those of `fit`.

        Returns
        -------
        names : ndarray of shape (n_leaves,)
            Names with the number of the tree and of the node.

        Examples
        --------
        >>> embedding.fit(X).get_feature_names_out()[0]
        'randomtreesembedding_0_1'
        """
        check_is_fitted(self, "n_features_in_")
        _check_feature_names_in(self, input_features, generate_names=False)
        return np.array(
            [f"randomtreesembedding_{k}_{leaf}" for k, leaves in enumerate(self._leaves()) for leaf in leaves], object
        )

    def _leaves(self) -> list[np.ndarray]:
        """The node numbers of each tree's leaves."""
        nodes, first = np.flatnonzero(self.forest_.is_leaf), self.forest_.first
        return [part - start for part, start in zip(np.split(nodes, np.searchsorted(nodes, first[1:-1])), first[:-1])]

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """The encoder that turns leaves into columns, as in scikit-learn."""
        check_is_fitted(self)
        leaves = self._leaves()
        encoder = OneHotEncoder(sparse_output=self.sparse_output, categories=leaves)
        return encoder.fit(np.array([[some[0] for some in leaves]]))
