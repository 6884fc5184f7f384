"""Totally random trees as a transformer, with scikit-learn's interface. No algorithm in here: see ensemble/forests.py.

In:  a table. Out: a sparse matrix of zeros and ones, a column for each leaf of each tree.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from spinney.data.schema import learn_and_read, without_idle_categories
from spinney.estimators.base import all_or_nothing, read_sample_weight
from spinney.estimators.extra_tree import ExtraTreeRegressor
from spinney.estimators.forest import GrownForest
from spinney.estimators.params import FOREST, Parameter, check_parameters, described, keep_parameters
from spinney.estimators.targets import Answers

# Parameters of other forests, and what stands for them here.
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
        text="Maximum depth of each tree, which has at most 2 ** max_depth leaves; None: until the rows of every leaf "
        "are alike."
    ),
    "sparse_output": Parameter("bool", "Whether `transform` returns a sparse matrix, or an array.", ["boolean"]),
    "max_bins": FOREST["max_bins"]._replace(
        text="Cut each column into at most this many bins first, and draw thresholds between these; None draws them "
        "between the values themselves."
    ),
}


@described(_EMBEDDING)
class RandomTreesEmbedding(TransformerMixin, GrownForest):
    """An embedding by totally random trees: which leaf each row comes to, in every tree, as zeros and ones.

    Every split draws a column and a threshold between its least and greatest value in the node; there is no target.
    Rows that share many leaves are alike, and a linear model of the leaves is a model of the rows' neighbourhoods.
    Columns may be numbers, Booleans, strings and categories, with missing values. The same data and `random_state` give
    the same trees, on any number of threads and in any order of the rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, made from `forest_` when first asked for.
    estimator_ : ExtraTreeRegressor
        What the trees are like.
    one_hot_encoder_ : OneHotEncoder
        What turns leaves into columns, made when asked for.
    forest_ : Forest
        All trees in one store.
    feature_importances_ : ndarray
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    estimators_samples_, n_features_in_, feature_names_in_, n_outputs_, max_features_

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Grow the trees.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table: numbers, Booleans, strings, categories, missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Rows of weight 0 are left out; other weights count for `min_weight_fraction_leaf`.

        Returns
        -------
        self
        """
        from spinney.data.content import chances_by_content

        check_parameters(self)
        with all_or_nothing(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            weights = read_sample_weight(sample_weight, table.n_rows)
            schema, table = without_idle_categories(schema, table, weights)
            self.estimator_ = self._make_template()
            # something to choose by where a choice is left, such as the side of missing values: it looks random, and
            # follows from what the rows hold
            chances = Answers(chances_by_content(table)[None, :], None)
            self._fit(schema, table, chances, weights)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Grow the trees, and transform X; see `fit` and `transform`."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """A one for the leaf of each row in each tree.

        Parameters
        ----------
        X : table

        Returns
        -------
        csr_matrix of shape (n_samples, n_leaves), or an array with `sparse_output=False`
        """
        leaves = self.apply(X)
        columns = (np.cumsum(self.forest_.is_leaf) - 1).astype(np.int32)[leaves + self.forest_.first[:-1]]
        n_rows, n_trees = leaves.shape
        ends = np.arange(0, n_rows * n_trees + 1, n_trees, dtype=np.int64 if columns.size > 2**31 - 1 else np.int32)
        shape = n_rows, int(self.forest_.n_leaves.sum())
        found: Any = csr_matrix((np.ones(columns.size), columns.ravel(), ends), shape=shape)
        return found if self.sparse_output else found.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of `transform`: randomtreesembedding_{tree}_{leaf}.

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the names of the columns in `fit`, and not used.
        """
        check_is_fitted(self, "n_features_in_")
        _check_feature_names_in(self, input_features, generate_names=False)
        return np.array(
            [f"randomtreesembedding_{k}_{leaf}" for k, leaves in enumerate(self._leaves()) for leaf in leaves], object
        )

    def _leaves(self) -> list[np.ndarray]:
        """The numbers of each tree's leaves."""
        nodes, first = np.flatnonzero(self.forest_.is_leaf), self.forest_.first
        return [part - start for part, start in zip(np.split(nodes, np.searchsorted(nodes, first[1:-1])), first[:-1])]

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """What turns leaves into columns, as scikit-learn has it."""
        check_is_fitted(self)
        leaves = self._leaves()
        encoder = OneHotEncoder(sparse_output=self.sparse_output, categories=leaves)
        return encoder.fit(np.array([[some[0] for some in leaves]]))
