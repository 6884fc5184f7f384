"""Random forests: bootstraps, and random columns at every split."""

from __future__ import annotations

from typing import Any

from spinney.estimators.forest import ForestClassifier, ForestRegressor


class RandomForestClassifier(ForestClassifier):
    """A random forest for classification.

    Every tree is grown on rows drawn with replacement, and every split chooses among a few random columns. The mean of
    many such trees is better than any of them.

    Columns may be numbers, Booleans, strings and categories, with missing values. The same data and `random_state` give
    the same forest bit for bit, on any number of threads and in any order of the rows. A row of weight 2 is drawn and
    counted like two rows.

    Parameters
    ----------
    n_estimators : int, default 100
        Trees.
    criterion : str or function, default "gini"
        "gini", "entropy", "log_loss", "error", "gain_ratio", or a function of your own; see `DecisionTreeClassifier`.
    max_depth : int or None, default None
    min_samples_split : int or float, default 2
        Rows that a node must have to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default 1
        Rows that a leaf must have; a float is a share of all rows.
    min_weight_fraction_leaf : float, default 0.0
        Share of a tree's whole weight that a leaf must have.
    max_features : int, float, "sqrt", "log2" or None, default "sqrt"
        Columns to choose from; see `features_per`. If none of a split's columns can split the node, more are drawn.
    max_leaf_nodes : int or None, default None
        Grow each tree best-first to so many leaves.
    min_impurity_decrease : float, default 0.0
        What a split must take off the impurity of its tree.
    bootstrap : bool, default True
        Grow each tree on rows drawn with replacement; False: on all rows.
    oob_score : bool or function, default False
        Judge every row by the trees that have not seen it: `oob_score_`, by accuracy or R2, or by a function
        (y_true, y_pred) -> score.
    n_jobs : int or None, default None
        Threads, one tree each; None: every core. The forest does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default 0
        1: a progress bar; 2: a line for each tree.
    warm_start : bool, default False
        Keep the trees of the fit before and add more.
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None
        Weights of the classes; "balanced": all classes weigh the same, "balanced_subsample": in every bootstrap.
    ccp_alpha : float, default 0.0
        Prune every tree by cost-complexity.
    max_samples : int, float or None, default None
        Rows that a bootstrap draws, or their share of all rows; None: as many as there are.
    monotonic_cst : sequence of -1, 0, 1, or dict from column name to such, optional
        Columns along which the answer may only fall or rise.
    features_per : {"split", "tree"}, default "split"
        "split": every split draws its own columns; "tree": every tree draws once, and all its splits use those.
    max_bins : int or None, default 255
        Cut each column into at most so many bins first; None tries every threshold.
    categorical_features : "from_dtype", mask, column numbers or names, or None
        By default strings and categories are categorical.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees, made from `grove_` when first asked for.
    grove_ : Grove
        All trees in one store; `grove_.n_bytes` is its size.
    feature_importances_ : ndarray
        Mean shares of the columns in the decrease of impurity.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    oob_score_ : float
        With `oob_score`; also `oob_decision_function_`, NaN for rows that every tree has seen.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    n_features_in_, feature_names_in_, n_outputs_, max_features_, classes_, n_classes_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    _splitter = "best"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        features_per: str = "split",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.features_per = features_per
        self.max_bins = max_bins
        self.categorical_features = categorical_features


class RandomForestRegressor(ForestRegressor):
    """A random forest for regression.

    Every tree is grown on rows drawn with replacement, and every split chooses among a few random columns. The mean of
    many such trees is better than any of them.

    Columns may be numbers, Booleans, strings and categories, with missing values. The same data and `random_state` give
    the same forest bit for bit, on any number of threads and in any order of the rows. A row of weight 2 is drawn and
    counted like two rows.

    Parameters
    ----------
    n_estimators : int, default 100
        Trees.
    criterion : str or function, default "squared_error"
        "squared_error", "friedman_mse", "absolute_error", "poisson", or a function of your own; see
        `DecisionTreeRegressor`.
    max_depth : int or None, default None
    min_samples_split : int or float, default 2
        Rows that a node must have to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default 1
        Rows that a leaf must have; a float is a share of all rows.
    min_weight_fraction_leaf : float, default 0.0
        Share of a tree's whole weight that a leaf must have.
    max_features : int, float, "sqrt", "log2" or None, default 1.0
        Columns to choose from; see `features_per`. If none of a split's columns can split the node, more are drawn.
    max_leaf_nodes : int or None, default None
        Grow each tree best-first to so many leaves.
    min_impurity_decrease : float, default 0.0
        What a split must take off the impurity of its tree.
    bootstrap : bool, default True
        Grow each tree on rows drawn with replacement; False: on all rows.
    oob_score : bool or function, default False
        Judge every row by the trees that have not seen it: `oob_score_`, by accuracy or R2, or by a function
        (y_true, y_pred) -> score.
    n_jobs : int or None, default None
        Threads, one tree each; None: every core. The forest does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default 0
        1: a progress bar; 2: a line for each tree.
    warm_start : bool, default False
        Keep the trees of the fit before and add more.
    ccp_alpha : float, default 0.0
        Prune every tree by cost-complexity.
    max_samples : int, float or None, default None
        Rows that a bootstrap draws, or their share of all rows; None: as many as there are.
    monotonic_cst : sequence of -1, 0, 1, or dict from column name to such, optional
        Columns along which the answer may only fall or rise.
    keep_targets : bool, default False
        Keep the training rows of every leaf, for `predict_quantiles`.
    features_per : {"split", "tree"}, default "split"
        "split": every split draws its own columns; "tree": every tree draws once, and all its splits use those.
    max_bins : int or None, default 255
        Cut each column into at most so many bins first; None tries every threshold.
    categorical_features : "from_dtype", mask, column numbers or names, or None
        By default strings and categories are categorical.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees, made from `grove_` when first asked for.
    grove_ : Grove
        All trees in one store; `grove_.n_bytes` is its size.
    feature_importances_ : ndarray
        Mean shares of the columns in the decrease of impurity.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    oob_score_ : float
        With `oob_score`; also `oob_prediction_`, NaN for rows that every tree has seen.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    n_features_in_, feature_names_in_, n_outputs_, max_features_

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import RandomForestRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = RandomForestRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _splitter = "best"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        keep_targets: bool = False,
        features_per: str = "split",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.keep_targets = keep_targets
        self.features_per = features_per
        self.max_bins = max_bins
        self.categorical_features = categorical_features
