"""ID3 and C4.5 with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema, learn_and_read
from spinney.data.weights import Weights
from spinney.estimators.base import all_or_nothing, make_team, read_sample_weight
from spinney.estimators.params import check_parameters, keep_parameters
from spinney.estimators.settings import NO_LIMIT
from spinney.estimators.targets import find_answers, read_labels
from spinney.estimators.tree_model import ClassTreeModel

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.tree.decision import DecisionTree


class _ClassicTree(ClassTreeModel):
    """What both share: one fit, a table and a target in, a tree out."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "handle_unknown": [StrOptions({"missing", "error"})],
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the tree.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table; missing values are welcome.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers up to 127 count as repetitions of the row. Other weights are taken in proportion: they weigh
            one row each on average.

        Returns
        -------
        self
        """
        check_parameters(self)
        with all_or_nothing(self):
            schema, table = self._learn(X)
            answers = find_answers(read_labels(y, table.n_rows, type(self).__name__))
            answers.keep_classes(self)
            weights = read_sample_weight(sample_weight, table.n_rows)
            with make_team("branches", table.n_rows * table.n_columns, n_jobs=1) as team:
                self._keep(schema, self._grow(table, schema, answers.values[0], weights, team))
        return self

    def _learn(self, X: Any) -> tuple[Schema, Table]:
        return learn_and_read(X, self.categorical_features, type(self).__name__, with_booleans=True)

    def _grow(self, table: Table, schema: Schema, classes: np.ndarray, weights: Weights, team: Team) -> DecisionTree:
        raise NotImplementedError

    @property
    def _depth_limit(self) -> int:
        return NO_LIMIT if self.max_depth is None else int(self.max_depth)


class ID3Classifier(_ClassicTree):
    """ID3: a tree of categories with one branch per value, chosen by information gain.

    Every column is asked about once on a path. A value that no training row of a node had leads to a leaf with that
    node's majority. Missing values, and values that were not in the training table at all, are answered by the node
    that asks; in training such rows count for the entropy of their node and go no further.

    Columns must be categories: strings, category dtypes, Booleans, and columns named in `categorical_features`. Numbers
    pass for codes of categories if they are whole and from 0 to 31 in a frame, or of at most 32 distinct values in an
    array, which cannot hold categories in another way. Other numbers are an error: bin them, or use `C45Classifier`.

    Parameters
    ----------
    max_depth : int or None, default=None
        Maximum depth of the tree.
    min_samples_split : int, default=2
        Weight, in rows, that a node must have to be split.
    min_gain : float, default=0.0
        Least information gain of a split, in bits. With 0 a node is split even by columns that gain nothing by
        themselves, as in exclusive or, until its rows are of one class or no column is left.
    categorical_features : "from_dtype", None, or array-like of bool, int or str, default="from_dtype"
        Columns whose values are categories whatever they are: a mask, indices or names. "from_dtype": those of strings
        and category dtypes. Codes of categories need not be named.
    handle_unknown : {"missing", "error"}, default="missing"
        What `predict` does with a category that was not there in training: "missing" takes it for a missing value,
        "error" raises a ValueError that names the column and the value.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
    tree_ : DecisionTree
        The tree as flat arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total decrease of entropy.
    fingerprint_ : str
        A hash of the tree.
    n_features_in_ : int
    n_outputs_ : int
        1.
    feature_names_in_ : ndarray of str
        If X had names.

    Examples
    --------
    >>> from spinney import ID3Classifier
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> model = ID3Classifier().fit(X, y)
    >>> X.columns[model.tree_.feature[0]], model.get_n_leaves()
    ('Outlook', 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_ClassicTree._parameter_constraints,
        "min_samples_split": [Interval(Integral, 2, None, closed="left")],
        "min_gain": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_gain: float = 0.0,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    def _learn(self, X: Any) -> tuple[Schema, Table]:
        from spinney.grow.branches.categories import learn_categories

        return learn_categories(X, self.categorical_features, type(self).__name__)

    def _grow(self, table: Table, schema: Schema, classes: np.ndarray, weights: Weights, team: Team) -> DecisionTree:
        from spinney.grow.branches.id3 import ID3Settings, grow_id3

        settings = ID3Settings(self._depth_limit, int(self.min_samples_split), float(self.min_gain))
        return grow_id3(table, schema, classes, self.n_classes_, weights, settings, team)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of entropy; they add up to 1, or are 0 for a single leaf."""
        check_is_fitted(self)
        from spinney.grow.branches.id3 import decreases

        asks = ~self.tree_.is_leaf
        total = np.bincount(self.tree_.feature[asks], decreases(self.tree_)[asks], minlength=self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total


class C45Classifier(_ClassicTree):
    """C4.5 release 8: numbers and categories, chosen by gain ratio, with missing values and pruning.

    Categories have one branch per value; numbers are cut in two, midway between neighbouring values. Rows whose value
    is missing go down all branches in parts, in training and in prediction, and so do categories never seen. The tree
    is pruned by a pessimistic estimate of its errors.

    Parameters
    ----------
    min_samples_leaf : int or float, default=2
        Weight, in rows, that at least two branches of a split must have.
    cf : float in (0, 0.5], default=0.25
        Confidence of the pessimistic estimate: smaller values prune more.
    prune : bool, default=True
        Whether to prune. Without it, only nodes below which no fewer training rows are wrong become leaves.
    subtree_raising : bool, default=True
        Whether pruning may also put the largest branch of a node in the node's place.
    mdl : bool, default=True
        Whether the gain of a cut is lowered by the bits that it takes to name the cut (release 8).
    max_depth : int or None, default=None
        Maximum depth of the tree.
    categorical_features : "from_dtype", None, or array-like of bool, int or str, default="from_dtype"
        Which columns are categories: a mask, indices or names. "from_dtype": those of strings, category dtypes and
        Booleans.
    handle_unknown : {"missing", "error"}, default="missing"
        What `predict` does with a category that was not there in training: "missing" takes it for a missing value,
        "error" raises a ValueError that names the column and the value.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
    tree_ : DecisionTree
        The tree as flat arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total decrease of entropy.
    fingerprint_ : str
        A hash of the tree.
    n_features_in_ : int
    n_outputs_ : int
        1.
    feature_names_in_ : ndarray of str
        If X had names.

    Examples
    --------
    >>> from spinney import C45Classifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = C45Classifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_ClassicTree._parameter_constraints,
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "cf": [Interval(Real, 0, 0.5, closed="right")],
        "prune": ["boolean"],
        "subtree_raising": ["boolean"],
        "mdl": ["boolean"],
    }

    def __init__(
        self,
        *,
        min_samples_leaf: float = 2,
        cf: float = 0.25,
        prune: bool = True,
        subtree_raising: bool = True,
        mdl: bool = True,
        max_depth: int | None = None,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    def _grow(self, table: Table, schema: Schema, classes: np.ndarray, weights: Weights, team: Team) -> DecisionTree:
        from spinney.grow.branches.c45 import C45Settings, grow_c45

        settings = C45Settings(
            min_samples_leaf=float(self.min_samples_leaf),
            max_depth=self._depth_limit,
            mdl=bool(self.mdl),
            prune=bool(self.prune),
            cf=float(self.cf),
            subtree_raising=bool(self.subtree_raising),
        )
        return grow_c45(table, schema, classes, self.n_classes_, weights, settings, team)
