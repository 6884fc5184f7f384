"""CART: decision trees for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch, compute_sample_weight
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_array

from spinney._seed import read_seed
from spinney.data.schema import Schema, learn_and_read
from spinney.data.weights import Weights, read_weights
from spinney.estimators.parameters import check_parameters, count_columns, read_monotone
from spinney.estimators.targets import check_labels, check_numbers
from spinney.estimators.tree_model import ClassTreeModel, TreeModel, whole

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.grow.settings import TreeSettings
    from spinney.tree.decision import DecisionTree

_SMALL = 50_000  # cells below which a fit runs in the caller's thread
_NO_LIMIT = 1 << 40
_FIRST_LEAVES = 64  # with n_iter_no_change: leaves of the first tree grown; then four times as many, and so on


class _CartTree(TreeModel):
    """What both estimators share."""

    _takes_opened_tables = True  # see data/shared.py
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0, None, closed="left")],
        "significance": [Interval(Real, 0, 1, closed="neither"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "ccp_alpha": [Interval(Real, 0, None, closed="left")],
        "monotonic_cst": ["array-like", dict, None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "max_bins": [Interval(Integral, 2, 255, closed="both"), None],
        "random_state": ["random_state"],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
    }

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Grow the tree.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table: numbers, Booleans, strings, categories, missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            Rows of weight 0 are left out.
        check_input : bool
            Has no effect; scikit-learn's trees have it.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            answers = self._read_target(y, table.n_rows)
            weights = self._read_weights(sample_weight, y, table.n_rows)
            with self._make_team(table) as team:
                tree = self._grow(schema, table, answers, weights, team)
            self._finish(schema, tree)
        return self

    def _make_team(self, table: Table) -> Team:
        from spinney._team import Team, available_threads

        small = table.n_rows * table.n_columns < _SMALL
        return Team(1 if small else available_threads(self.n_jobs), inline=small)

    def _finish(self, schema: Schema, tree: DecisionTree) -> None:
        """Prune the grown tree and set the fitted attributes."""
        if self.ccp_alpha > 0.0:
            from spinney.prune.cost_complexity import collapse_by_alpha

            tree = collapse_by_alpha(tree, self.ccp_alpha)
        self._keep(schema, tree)
        self.max_features_ = count_columns(self.max_features, schema.n_columns, "max_features")

    def _grow(self, schema: Schema, table: Table, answers: np.ndarray, weights: Weights, team: Team) -> DecisionTree:
        from spinney.grow.lists.fit import grow_exact_tree

        rows = weights.rows()
        settings = self._settings(schema, answers, weights)
        if self.n_iter_no_change is not None:
            return self._grow_while_better(schema, table, answers, weights, settings, team)
        target = self._target(answers, weights, rows)
        bins = self._bins(schema, table, weights, team)
        return grow_exact_tree(table, n_categories(schema), target, settings, team, rows, bins).tree

    def _bins(self, schema: Schema, table: Table, weights: Weights, team: Team) -> Any:
        if self.max_bins is None:
            return None
        from spinney.data.binning import learn_bins

        return learn_bins(table, schema.is_categorical, weights.counts, self.max_bins, team)

    def _grow_while_better(
        self, schema: Schema, table: Table, answers: np.ndarray, weights: Weights, settings: TreeSettings, team: Team
    ) -> DecisionTree:
        """Best-first, until the held-out rows are no longer answered better."""
        from spinney.grow.lists.fit import grow_exact_tree
        from spinney.prune.stopping import errors_by_turn, stopping_turn, tree_at

        seed = read_seed(self.random_state)
        kept, held = self._hold_out(answers, weights, seed)
        target, some_rows = self._target(answers, weights, kept), table.take(held)
        counts = np.zeros(table.n_rows, np.int64)
        counts[kept] = 1 if weights.counts is None else weights.counts[kept]
        bins = self._bins(schema, table, Weights(counts, None), team)
        most = _NO_LIMIT if self.max_leaf_nodes is None else self.max_leaf_nodes
        n_leaves = min(_FIRST_LEAVES, most)
        while True:
            some = settings._replace(max_leaves=n_leaves)
            grown = grow_exact_tree(table, n_categories(schema), target, some, team, kept, bins)
            judged = self._judge(grown.tree, some_rows, answers, weights, held, team)
            n_splits, stopped = stopping_turn(errors_by_turn(grown.tree, grown.turn, judged), self.n_iter_no_change)
            if stopped or grown.tree.n_leaves < n_leaves or n_leaves == most:
                return tree_at(grown.tree, grown.turn, n_splits)
            n_leaves = min(4 * n_leaves, most)

    def _judge(
        self, tree: DecisionTree, some: Table, answers: np.ndarray, weights: Weights, held: np.ndarray, team: Team
    ) -> Any:
        from spinney.prune.validation import Judged
        from spinney.tree.descend import leaf_of_rows

        weight = weights.take(held).total()
        weight = np.ones(len(held)) if weight is None else weight
        return Judged(leaf_of_rows(tree, some, team), weight, answers[:, held].T)

    def _hold_out(self, answers: np.ndarray, weights: Weights, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rows = weights.rows()
        rows = np.arange(answers.shape[1]) if rows is None else rows
        if len(rows) < 2:
            raise ValueError("n_iter_no_change needs at least two rows of positive weight: one to grow, one to judge.")
        kept, held = train_test_split(
            rows, test_size=self.validation_fraction, random_state=seed, stratify=self._strata(answers, rows)
        )
        return np.sort(kept), np.sort(held)

    def _strata(self, answers: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        return None

    def _settings(self, schema: Schema, answers: np.ndarray, weights: Weights) -> TreeSettings:
        from spinney.criteria.impurity import NAMES, OWN
        from spinney.grow.settings import TreeSettings

        n, n_rows = schema.n_columns, answers.shape[1]
        own = None if isinstance(self.criterion, str) else self.criterion
        n_features = count_columns(self.max_features, n, "max_features")
        is_random = self.splitter == "random" or n_features < n
        total = weights.total()
        weight = float(n_rows) if total is None else float(total.sum())
        return TreeSettings(
            criterion=NAMES[self.criterion] if own is None else OWN,
            own=own,
            max_depth=_NO_LIMIT if self.max_depth is None else int(self.max_depth),
            max_leaves=self.max_leaf_nodes,
            min_split=_share_of_rows(self.min_samples_split, n_rows),
            min_leaf=_share_of_rows(self.min_samples_leaf, n_rows),
            min_weight=float(self.min_weight_fraction_leaf) * weight,
            min_decrease=float(self.min_impurity_decrease),
            by_ratio=self.criterion == "gain_ratio",
            random=self.splitter == "random",
            n_features=n_features,
            monotone=self._read_monotone(schema, len(answers)),
            significance=self.significance,
            seed=read_seed(self.random_state) if is_random else 0,
        )

    def _read_monotone(self, schema: Schema, n_outputs: int) -> np.ndarray:
        monotone = read_monotone(self.monotonic_cst, schema.names, schema.is_categorical)
        if monotone.any():
            if n_outputs > 1:
                raise ValueError("Monotonicity constraints are not supported with several outputs.")
            self._check_monotone()
        return monotone

    def _check_monotone(self) -> None:
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _read_weights(self, sample_weight: Any, y: Any, n_rows: int) -> Weights:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
        return read_weights(sample_weight, n_rows)

    def _target(self, answers: np.ndarray, weights: Weights, rows: np.ndarray | None) -> Target:
        raise NotImplementedError

    # --- reading ----------------------------------------------------------------------------------------------------

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow a tree on X, y and list the alphas at which minimal cost-complexity pruning changes it.

        Returns
        -------
        Bunch with `ccp_alphas` and `impurities`, as scikit-learn's.
        """
        from sklearn.base import clone

        from spinney.prune.cost_complexity import pruning_path

        alphas, impurities = pruning_path(clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def n_categories(schema: Schema) -> np.ndarray:
    """Categories of each column; 0 for numbers. A column without any value counts as one."""
    sizes = [0 if column.categories is None else max(1, len(column.categories)) for column in schema.columns]
    return np.array(sizes, np.int64)


def _share_of_rows(value: Any, n_rows: int) -> int:
    return int(value) if isinstance(value, Integral) else int(np.ceil(value * n_rows))


_PARAMETERS = """
    splitter : {"best", "random"}, default "best"
        "random": one random threshold a column, and the best of these.
    max_depth : int or None, default None
        Most questions on a path.
    min_samples_split : int or float, default 2
        Rows that a node must have to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default 1
        Rows that a leaf must have; a float is a share of all rows.
    min_weight_fraction_leaf : float, default 0.0
        Share of the whole weight that a leaf must have.
    max_features : int, float, "sqrt", "log2" or None, default None
        Columns that each split may choose from, drawn anew for every node. If none of those drawn can split the node,
        more are drawn.
    random_state : int, RandomState or None
        For splitter="random", max_features and validation_fraction. Without these nothing is random: of equally good
        splits the column further left wins, and on one column the lower threshold. (Of columns that were drawn, the
        first.)
    max_leaf_nodes : int or None, default None
        Grow best-first, always splitting the leaf whose split takes off the most impurity, to so many leaves.
    min_impurity_decrease : float, default 0.0
        What a split must take off the impurity of the whole tree: the node's decrease times its share of the weight.
    significance : float or None, default None
        Split a node only if the split passes a chi-squared test at this level, for example 0.05.
    validation_fraction : float or int, default 0.1
        Rows held out for `n_iter_no_change`.
    n_iter_no_change : int or None, default None
        Grow best-first and stop when so many splits in a row have not lowered the error on the held-out rows; the tree
        is the one with the least.
    ccp_alpha : float, default 0.0
        Prune the grown tree: each leaf must be worth so much impurity. See `spinney.prune.cost_complexity`.
    monotonic_cst : sequence of -1, 0, 1, or dict from column name to such, optional
        Columns along which the answer may only fall or rise.
    categorical_features : "from_dtype", mask, column numbers or names, or None
        By default strings and categories are categorical.
    max_bins : int or None, default None
        Cut each column into at most so many bins first, up to 255; None tries every threshold.
    n_jobs : int or None
        Threads; None: every core. The tree does not depend on it.
"""

_NOTES = """
    tree_ : DecisionTree
        The tree as flat arrays, with scikit-learn's names for them.
    max_features_ : int
    feature_importances_ : ndarray
        Shares of the total decrease of impurity.
    fingerprint_ : str
        A hash of the tree: equal on any machine and any number of threads.
    n_features_in_, feature_names_in_, n_outputs_
"""


class DecisionTreeClassifier(ClassTreeModel, _CartTree):
    __doc__ = f"""A decision tree for classification (CART).

    Numbers are split at thresholds midway between neighbouring values, all of which are tried; categories by sets of
    values (the best one for two classes; with more, the best of one order a class). Missing values go to the side that
    is better for them; where a node had none, to the larger one, and so do categories it has not seen.

    Parameters
    ----------
    criterion : str or function, default "gini"
        "gini"; "entropy" or "log_loss"; "error" (misclassification); "gain_ratio" (thresholds by information gain,
        columns by gain ratio among those of at least average gain); or a function of your own, (left, right) -> gain.
        It takes the weights of the classes on both sides as arrays and returns what the split gains per unit of weight;
        splits with a negative gain are not made. It is compiled into the search.{
        _PARAMETERS.replace(
            "    max_leaf_nodes",
            '''    class_weight : dict, list of dicts, "balanced" or None, default None
        Weights of the classes; they multiply sample_weight.
    max_leaf_nodes''',
        )
    }
    Attributes
    ----------
    classes_ : ndarray, or list of ndarray for several outputs
    n_classes_ : int or list of int{_NOTES}
    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> model.get_n_leaves()
    7
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CartTree._parameter_constraints,
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "error", "gain_ratio"}), callable],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        significance: float | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.significance = significance
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        """Class numbers (outputs, rows)."""
        y = _one_or_two_dimensions(y, None, type(self).__name__)
        check_labels(y, n_rows)
        return self._keep_classes(y)

    def _read_weights(self, sample_weight: Any, y: Any, n_rows: int) -> Weights:
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, np.asarray(y))
            if sample_weight is not None:
                by_class *= _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
            sample_weight = by_class
        return super()._read_weights(sample_weight, y, n_rows)

    def _target(self, answers: np.ndarray, weights: Weights, rows: np.ndarray | None) -> Target:
        from spinney.data.target import Target

        sizes = (self.n_classes_,) if np.ndim(self.n_classes_) == 0 else tuple(self.n_classes_)
        return Target(answers, sizes, None, weights).take(rows)

    def _strata(self, answers: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        labels = answers[0, rows]
        counts = np.bincount(labels)
        return labels if len(answers) == 1 and counts[counts > 0].min() > 1 else None

    def _check_monotone(self) -> None:
        if self.n_classes_ > 2:
            raise ValueError("Monotonicity constraints are not supported with more than two classes.")
        if callable(self.criterion):
            raise ValueError("Monotonicity constraints are not supported with a criterion of your own.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class DecisionTreeRegressor(RegressorMixin, _CartTree):
    __doc__ = f"""A decision tree for regression (CART).

    Numbers are split at thresholds midway between neighbouring values, all of which are tried; categories by sets of
    values, the best one for squared error. Missing values go to the side that is better for them; where a node had
    none, to the larger one, and so do categories it has not seen.

    Parameters
    ----------
    criterion : str or function, default "squared_error"
        "squared_error" ("friedman_mse" makes the same splits); "absolute_error" (leaves are medians); "poisson"; or a
        function of your own, (left, right) -> gain. It takes both sides' sums, `left.weight`, `left.total` and
        `left.squares`, and returns what the split gains per unit of weight; splits with a negative gain are not made.
        It is compiled into the search.{_PARAMETERS}
    Attributes
    ----------{_NOTES}
    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import DecisionTreeRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = DecisionTreeRegressor(max_leaf_nodes=8).fit(X, y)
    >>> model.get_n_leaves()
    8
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CartTree._parameter_constraints,
        "criterion": [StrOptions({"squared_error", "friedman_mse", "absolute_error", "poisson"}), callable],
    }

    def __init__(
        self,
        *,
        criterion: Any = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        significance: float | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.significance = significance
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The number in each row's leaf, (n_samples,) or (n_samples, n_outputs)."""
        leaves = self._leaves(self._read(X))
        values = self.tree_.answers[leaves, :, 0]
        return values[:, 0] if self.n_outputs_ == 1 else values

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        y = _one_or_two_dimensions(y, np.float64, type(self).__name__)
        check_numbers(y, n_rows)
        if self.criterion == "poisson":
            if (y < 0).any():
                raise ValueError("criterion='poisson' needs y of at least 0, got negative values.")
            if y.sum() <= 0:
                raise ValueError("criterion='poisson' needs a positive sum of y: all its values are 0.")
        if callable(self.criterion) and y.ndim == 2 and y.shape[1] > 1:
            raise ValueError("A criterion of your own is for one output; y has several columns.")
        # one layout, so that one kernel does: y may be a column of a table, or may not be written to
        return np.require(y[None, :] if y.ndim == 1 else y.T, requirements=["C", "W"])

    def _target(self, answers: np.ndarray, weights: Weights, rows: np.ndarray | None) -> Target:
        from spinney.data.target import Target

        return Target(None, None, answers, weights).take(rows)

    def _check_monotone(self) -> None:
        if callable(self.criterion) or self.criterion == "absolute_error":
            raise ValueError(
                "Monotonicity constraints are supported with criterion 'squared_error', 'friedman_mse' and 'poisson', "
                f"got {self.criterion!r}."
            )


def _one_or_two_dimensions(y: Any, dtype: Any, owner: str) -> np.ndarray:
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None.")
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf":
        return y if dtype is None else y.astype(dtype, copy=False)
    y = check_array(y, ensure_2d=False, ensure_all_finite=False, dtype=dtype, estimator=owner, input_name="y")
    return y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
