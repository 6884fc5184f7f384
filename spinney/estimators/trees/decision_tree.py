"""CART: decision trees for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch

from spinney.data.holdout import hold_out
from spinney.data.schema import Schema
from spinney.data.target import (
    Target,
    Training,
    check_labels,
    check_numbers,
    class_target,
    number_target,
    read_training,
    read_y,
)
from spinney.data.weights import read_sample_weight
from spinney.estimators.base import TableRegressor, all_or_nothing
from spinney.estimators.docstrings import CLASSES_OF_OUTPUTS, NUMBERS_OF_OUTPUTS, SEVERAL_TARGETS, TO_FIT, documented
from spinney.estimators.params import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    TREE,
    Parameter,
    check_parameters,
    count_columns,
    described,
    keep_parameters,
    n_categories,
    read_seed,
    tree_settings,
)
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.model import ClassTreeModel, TreeModel
from spinney.gpu import model_methods as on_gpu

if TYPE_CHECKING:
    from spinney.data.tables import Table
    from spinney.prune.stopping import HeldOutRows
    from spinney.tree.decision import DecisionTree


# ----------------------------------------------------------------------------------------------------------------------
# Rows that validate a decision tree while it grows: held out of the training rows, or given as `eval_set`.
#
# In: an estimator with `n_iter_no_change`, its training rows, and what was given as `eval_set`. Out: the rows to grow
# from, and a `HeldOutRows`. No algorithm in here: see prune/stopping.py.


def find_judges(model: Any, data: Training, eval_set: Any) -> tuple[np.ndarray | None, HeldOutRows | None]:
    """(rows to fit on, rows to validate on); (None, None) without early stopping."""
    if model.n_iter_no_change is None:
        if eval_set is not None:
            raise ValueError("eval_set is used only with n_iter_no_change. Set n_iter_no_change, for example to 5.")
        return None, None
    from spinney.prune.stopping import HeldOutRows

    patience = int(model.n_iter_no_change)
    target = data.target
    rows = target.weights.rows()
    rows = np.arange(data.table.n_rows) if rows is None else rows
    if eval_set is not None:
        return rows, HeldOutRows(*_read(model, data.schema, target, eval_set), patience)
    if len(rows) < 2:
        raise ValueError("n_iter_no_change needs at least two rows of positive weight: one to fit, one to hold out.")
    labels = target.labels[0, rows] if target.labels is not None and target.n_outputs == 1 else None
    kept, held = hold_out(rows, model.validation_fraction, read_seed(model.random_state), labels)
    return kept, HeldOutRows(data.table.take(held), target.take(held), patience)


def _read(model: Any, schema: Schema, target: Target, eval_set: Any) -> tuple[Table, Target]:
    """The caller's rows as a table and a target."""
    if not isinstance(eval_set, tuple | list) or len(eval_set) not in (2, 3):
        raise ValueError(f"eval_set must be (X, y) or (X, y, sample_weight), got {eval_set!r:.60}.")
    owner = type(model).__name__
    X, y, weight = (*eval_set, None)[:3]
    table = schema.read(X, owner)
    values = read_y(y, None if target.classes is not None else np.float64, owner)
    n_outputs = target.n_outputs
    if (1 if values.ndim == 1 else values.shape[1]) != n_outputs:
        raise ValueError(f"y of eval_set must have as many columns as y, {n_outputs}, got shape {values.shape}.")
    weights = read_sample_weight(weight, table.n_rows, getattr(model, "class_weight", None), y)
    if target.classes is None:
        check_numbers(values, table.n_rows)
        return table, number_target(values, weights)
    check_labels(values, table.n_rows)
    return table, class_target(values, target.classes, weights)


class _CartTree(TreeModel):
    """Fitting and pruning, shared by both estimators."""

    takes_opened_tables = True  # see data/opened_table.py

    # --- fit --------------------------------------------------------------------------------------------------------

    @known_arguments
    @documented(TO_FIT, SEVERAL_TARGETS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True, *, eval_set: Any = None) -> Any:
        """Fit the tree.

        Parameters
        ----------
        eval_set : tuple (X, y) or (X, y, sample_weight), default=None
            Validation rows for `n_iter_no_change`. None holds out a fraction of X instead.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([["red"], ["green"], [None]], ["stop", "go", "stop"]).predict([["green"]])
        array(['go'], dtype='<U4')
        """
        check_parameters(self)
        with all_or_nothing(self):
            data = read_training(self, X, y, sample_weight, class_weight=getattr(self, "class_weight", None))
            data.target.keep_classes(self)
            self.finish(data.schema, self._grow(data, eval_set))
        return self

    def finish(self, schema: Schema, tree: DecisionTree) -> None:
        """Prune a grown tree and keep it, for internal use."""
        if self.ccp_alpha > 0.0:
            from spinney.prune.cost_complexity import collapse_by_alpha

            tree = collapse_by_alpha(tree, self.ccp_alpha)
        self._keep(schema, tree)
        self.max_features_ = count_columns(self.max_features, self.n_features_in_)

    def _grow(self, data: Training, eval_set: Any) -> DecisionTree:
        """With held-out rows, best-first until their error no longer falls."""
        from spinney.grow.exact.fit import grow_exact_tree

        schema, table, target = data
        settings, sizes, weights = tree_settings(self, schema, target), n_categories(schema), target.weights
        kept, judges = find_judges(self, data, eval_set)
        rows = weights.rows() if judges is None else kept
        counts = weights.counts if kept is None else weights.only(kept, table.n_rows).counts
        with self._make_team("tree", table.n_rows * table.n_columns) as team:
            target, max_bins = target.take(rows), self.max_bins
            bins = None if max_bins is None else table.bins(schema.is_categorical, counts, max_bins, team)
            if judges is not None and rows is not None:
                from spinney.prune.stopping import grow_while_better

                return grow_while_better(table, sizes, target, settings, team, rows, bins, judges)
            return grow_exact_tree(table, sizes, target, settings, team, rows, bins).tree

    # --- reading ----------------------------------------------------------------------------------------------------

    @documented(TO_FIT, SEVERAL_TARGETS)
    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Compute the pruning path of minimal cost-complexity pruning.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        ccp_path : Bunch
            `ccp_alphas`, the values of `ccp_alpha` at which the tree changes, and `impurities`, the total impurity of
            the leaves of each pruned tree.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import DecisionTreeClassifier
        >>> path = DecisionTreeClassifier(max_depth=2).cost_complexity_pruning_path(*load_iris(return_X_y=True))
        >>> path.ccp_alphas.round(2).tolist()
        [0.0, 0.26, 0.33]
        """
        from sklearn.base import clone

        from spinney.prune.cost_complexity import pruning_path

        alphas, impurities = pruning_path(clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


FITTED = """
    tree_ : DecisionTree
        The tree as arrays, with scikit-learn's names.
    max_features_ : int
        The number of columns that each split may choose from.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the total impurity decrease.
    fingerprint_ : str
        A hash of the tree, the same on any machine and with any number of threads.
    n_outputs_ : int
        The number of outputs.
"""
CLASS_CRITERION = Parameter(
    "str or function",
    'Measure of the quality of a split: "gini"; "entropy" or "log_loss"; "error" (misclassification rate); '
    '"gain_ratio" (thresholds are chosen by information gain, and columns by gain ratio among those of at least '
    "average gain); or a function (left, right) -> gain. The function receives the class weights of both children as "
    "arrays and returns the gain per unit of weight. Splits with a negative gain are not made. It is compiled into the "
    "split search.",
    CLASS_CRITERIA,
)
NUMBER_CRITERION = Parameter(
    "str or function",
    'Measure of the quality of a split: "squared_error" ("friedman_mse" makes the same splits); "absolute_error" '
    '(leaves predict medians); "poisson"; or a function (left, right) -> gain. The function receives the sums of both '
    "children, `left.weight`, `left.total` and `left.squares`, and returns the gain per unit of weight. Splits with a "
    "negative gain are not made. It is compiled into the split search.",
    NUMBER_CRITERIA,
)


@described(TREE, {"criterion": CLASS_CRITERION}, fitted=CLASSES_OF_OUTPUTS + FITTED)
class DecisionTreeClassifier(ClassTreeModel, _CartTree):
    """A decision tree for classification (CART).

    Numeric columns are split at thresholds midway between neighbouring values, all of which are tried. Categorical
    columns are split by sets of categories: the best set for two classes; with more classes, the best split of one
    order per class. Missing values go to the side with the larger gain, or to the side with more weight if a node has
    none in training. Unknown categories are treated as missing.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> model.get_n_leaves()
    7
    """

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
        handle_unknown: str = "missing",
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


@described(TREE, {"criterion": NUMBER_CRITERION}, fitted=FITTED)
class DecisionTreeRegressor(TableRegressor, _CartTree):
    """A decision tree for regression (CART).

    Numeric columns are split at thresholds midway between neighbouring values, all of which are tried. Categorical
    columns are split by sets of categories, by the best set for squared error. Missing values go to the side with the
    larger gain, or to the side with more weight if a node has none in training. Unknown categories are treated as
    missing.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import DecisionTreeRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = DecisionTreeRegressor(max_leaf_nodes=8).fit(X, y)
    >>> model.get_n_leaves()
    8
    """

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
        handle_unknown: str = "missing",
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @row_by_row(on_gpu.tree_numbers)
    @documented(returns=NUMBERS_OF_OUTPUTS)
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Predict the value of each row's leaf.

        Examples
        --------
        >>> from spinney import DecisionTreeRegressor
        >>> DecisionTreeRegressor().fit([[0], [1]], [2.0, 4.0]).predict([[0.2], [9.0]])
        array([2., 4.])
        """
        leaves = self._leaves(self._read(X))
        values = self.tree_.answers[leaves, :, 0]
        return values[:, 0] if self.n_outputs_ == 1 else values
