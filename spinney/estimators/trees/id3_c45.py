"""ID3 and C4.5 with scikit-learn's interface."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema, learn_and_read
from spinney.data.target import Training, read_training
from spinney.data.weights import Weights
from spinney.estimators.base import all_or_nothing
from spinney.estimators.docstrings import documented
from spinney.estimators.params import (
    NOT_NEGATIVE,
    POSITIVE,
    TREE,
    Parameter,
    check_parameters,
    described,
    keep_parameters,
)
from spinney.estimators.streaming import known_arguments
from spinney.estimators.trees.decision_tree import find_judges
from spinney.estimators.trees.model import ClassTreeModel
from spinney.grow import NO_LIMIT

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.grow.multiway.columns import MultiwayColumns
    from spinney.grow.multiway.limits import BranchSettings, Choose
    from spinney.prune.stopping import HeldOutRows

CLASSIC = {
    **TREE,
    "min_samples_split": TREE["min_samples_split"]._replace(
        text="Minimum weight, in rows, that a node needs to be split. A float is a fraction of all rows."
    ),
    "min_samples_leaf": Parameter(
        "int or float", "Minimum weight, in rows, that at least two branches of a split must reach.", [POSITIVE]
    ),
    "min_gain": Parameter(
        "float",
        "Minimum information gain of a split, in bits. With 0, nodes are split until their rows have one class or no "
        "column is left, even if no single column gains anything, so that XOR can be learned.",
        [NOT_NEGATIVE],
    ),
    "max_leaf_nodes": TREE["max_leaf_nodes"]._replace(
        text="Maximum number of leaves, empty ones included. The tree is then grown best-first: the next leaf to be "
        "split is the one that reduces entropy most. A split with too many branches for the remaining leaves is "
        "skipped. None sets no limit."
    ),
    "min_impurity_decrease": TREE["min_impurity_decrease"]._replace(
        text="Minimum reduction of the entropy of the whole tree by a split, in bits: its gain times the node's "
        "fraction of the weight."
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed for `validation_fraction`. Nothing else is random.",
        ["random_state"],
    ),
    "categorical_features": TREE["categorical_features"]._replace(
        text='Categorical columns. "from_dtype" selects columns of strings, category dtypes and Booleans, and for ID3 '
        "also category codes, see above."
    ),
    "cf": Parameter(
        "float in (0, 0.5]",
        "Confidence of the pessimistic error estimate. Smaller values prune more.",
        [Interval(Real, 0, 0.5, closed="right")],
    ),
    "prune": Parameter(
        "bool",
        "Whether to prune. With False, only subtrees that do not reduce the number of training errors become leaves.",
        ["boolean"],
    ),
    "subtree_raising": Parameter("bool", "Whether pruning may also replace a node by its largest branch.", ["boolean"]),
    "subset": Parameter(
        "bool",
        "Whether a branch may stand for a group of categories (C4.5's option -s). Categories are merged two at a time, "
        "and the step with the largest gain ratio is the split. Not supported with `n_iter_no_change`.",
        ["boolean"],
    ),
    "mdl": Parameter(
        "bool",
        "Whether the gain of a numeric split is reduced by the bits that encode its threshold (release 8).",
        ["boolean"],
    ),
}
_FITTED = """
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
        Number of classes.
    tree_ : DecisionTree
        The tree as flat arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Fraction of each column in the total reduction of entropy.
    fingerprint_ : str
        Hash of the tree, the same on any machine and any number of threads.
    n_outputs_ : int
        Number of outputs, always 1.
"""


class _ClassicTree(ClassTreeModel):
    """What both share: one fit, a table and a target in, a tree out."""

    _takes_sparse = False

    @known_arguments
    @documented()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None) -> Any:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data: a NumPy array, or a pandas, polars or Arrow table. It may have missing values.
        sample_weight : array-like of shape (n_samples,), default=None
            Integer weights up to 127 are repetitions of the row. Other weights are scaled to a mean of one row each.
        eval_set : (X, y) or (X, y, sample_weight), default=None
            Validation rows for `n_iter_no_change`, instead of a part of X.

        Examples
        --------
        >>> from spinney import C45Classifier
        >>> from spinney.datasets import load_penguins
        >>> X, y = load_penguins()
        >>> C45Classifier(max_depth=2).fit(X, y).get_depth()
        2
        """
        check_parameters(self)
        with all_or_nothing(self):
            self._check_sparse(X)
            data = read_training(self, X, y, sample_weight, one_output=True, learn=self._learn)
            kept, judges = find_judges(self, data, eval_set)
            weights = data.target.weights if kept is None else data.target.weights.only(kept, data.table.n_rows)
            with self._make_team("branches", data.table.n_rows * data.table.n_columns) as team:
                self.grow_from(data, weights, team, _ask(judges, team))
        return self

    def grow_from(
        self,
        data: Training,
        weights: Weights | np.ndarray,
        team: Team,
        choose: Choose | None = None,
        columns: MultiwayColumns | None = None,
    ) -> None:
        """Fit on a table that has been read, for internal use by C5.0. Use `fit` instead."""
        from spinney.grow.multiway.columns import read_columns

        schema, table, target = data
        target.keep_classes(self)
        columns = read_columns(table, schema, None) if columns is None else columns
        grow, settings = self._engine(self._settings(weights, table.n_rows), choose)
        self._keep(schema, grow(columns, target.values[0], self.n_classes_, weights, settings, team, choose))

    _learn = staticmethod(partial(learn_and_read, with_booleans=True))

    def _engine(self, settings: BranchSettings, choose: Choose | None) -> tuple[Any, BranchSettings]:
        """The function that grows the tree, and its settings, of which those that both engines have are given."""
        raise NotImplementedError

    def _settings(self, weights: Weights | np.ndarray, n_rows: int) -> BranchSettings:
        from spinney.criteria.information import ROW
        from spinney.grow.multiway.columns import read_units
        from spinney.grow.multiway.limits import BranchSettings

        min_split = 0.0 if self.min_samples_split == 2 else float(self.min_samples_split)  # 2: whatever has two leaves
        if not isinstance(self.min_samples_split, Integral):
            min_split = max(2.0, np.ceil(min_split * float(read_units(weights, n_rows)[0].sum() / ROW)))
        return BranchSettings(
            max_depth=NO_LIMIT if self.max_depth is None else int(self.max_depth),
            min_samples_leaf=float(self.min_samples_leaf),
            min_split=min_split,
            max_leaves=None if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            min_decrease=float(self.min_impurity_decrease),
            significance=None if self.significance is None else float(self.significance),
        )


def _ask(judges: HeldOutRows | None, team: Team) -> Choose | None:
    """How many splits of a tree the judges would keep."""
    if judges is None:
        return None
    found = judges
    return lambda tree, split_number: found.count_splits(tree, split_number, team)


@described(CLASSIC, fitted=_FITTED)
class ID3Classifier(_ClassicTree):
    """ID3: a decision tree on categorical columns with one branch per value, split by information gain.

    Each column is used at most once on a path. A category without training rows in a node leads to a leaf that predicts
    the majority class of the node. Missing values, and categories that were not in the training data, stop at the node
    that splits on the column, which makes the prediction. During training, rows with missing values count in the
    entropy of their node and are not passed on.

    Columns must be categorical: strings, category dtypes, Booleans, and columns named in `categorical_features`.
    Numeric columns are treated as category codes if they hold integers from 0 to 31 in a DataFrame, or at most 32
    distinct values in an array, which has no category dtype. Other numeric columns raise an error: bin them, or use
    `C45Classifier`.

    Examples
    --------
    >>> from spinney import ID3Classifier
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> model = ID3Classifier().fit(X, y)
    >>> X.columns[model.tree_.feature[0]], model.get_n_leaves()
    ('Outlook', 5)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_gain: float = 0.0,
        categorical_features: Any = "from_dtype",
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: float | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    @staticmethod
    def _learn(X: Any, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
        from spinney.grow.multiway.columns import learn_categories

        return learn_categories(X, categorical_features, owner)

    def _engine(self, settings: BranchSettings, choose: Choose | None) -> tuple[Any, BranchSettings]:
        from spinney.grow.multiway.id3 import grow_id3

        least = 0.0 if self.min_samples_leaf == 1 else settings.min_samples_leaf  # 1: any row will do
        return grow_id3, settings._replace(min_gain=float(self.min_gain), min_samples_leaf=least)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Fraction of each column in the total reduction of entropy; they add up to 1, or are 0 for a single leaf.

        Examples
        --------
        >>> from spinney import ID3Classifier
        >>> from spinney.datasets import load_tennis
        >>> X, y = load_tennis()
        >>> ID3Classifier().fit(X, y).feature_importances_.round(2).tolist()
        [0.26, 0.0, 0.37, 0.37]
        """
        check_is_fitted(self)
        from spinney.grow.multiway.id3 import decreases

        asks = ~self.tree_.is_leaf
        total = np.bincount(self.tree_.feature[asks], decreases(self.tree_)[asks], minlength=self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total


@described(CLASSIC, fitted=_FITTED)
class C45Classifier(_ClassicTree):
    """C4.5 release 8: a decision tree split by gain ratio, with missing values and pruning.

    Categorical columns have one branch per value, or one per group of values with `subset=True`. Numeric splits are
    binary, with the threshold midway between neighbouring values. Rows with a missing value go down all branches with
    fractional weights, in training and in prediction; so do unknown categories. The tree is pruned by a pessimistic
    estimate of its errors.

    Examples
    --------
    >>> from spinney import C45Classifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = C45Classifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

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
        min_samples_split: float = 2,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: float | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        handle_unknown: str = "missing",
        subset: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    def _engine(self, settings: BranchSettings, choose: Choose | None) -> tuple[Any, BranchSettings]:
        if self.subset and choose is not None:
            raise ValueError("subset=True does not work with n_iter_no_change. Leave one of them out.")
        from spinney.grow.multiway.c45 import grow_c45

        return grow_c45, settings._replace(
            mdl=bool(self.mdl),
            prune=bool(self.prune),
            cf=float(self.cf),
            subtree_raising=bool(self.subtree_raising),
            subset=bool(self.subset),
        )
