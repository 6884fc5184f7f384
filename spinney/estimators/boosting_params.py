"""The parameters of gradient boosting: what they may be, and what they mean."""

from __future__ import annotations

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from spinney.estimators.params import (
    AT_LEAST_1,
    COLUMNS,
    COMMON,
    INSIDE_0_1,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Parameter,
)

BOOSTING = {
    **COMMON,
    "learning_rate": Parameter("float", "Shrinks every tree's contribution.", [POSITIVE]),
    "n_estimators": Parameter(
        "int", "Rounds; a round is one tree, or one per class with more than two classes.", [AT_LEAST_1]
    ),
    "max_leaf_nodes": Parameter(
        "int or None", "Maximum number of leaves of a tree.", [Interval(Integral, 2, None, closed="left"), None]
    ),
    "growth": Parameter(
        '{"best_first", "level_wise"}',
        "Which leaf to split next: the one with the largest gain, or the oldest.",
        [StrOptions({"best_first", "level_wise"})],
    ),
    "min_samples_leaf": Parameter(
        "int", "Samples that a leaf must hold; a row of whole weight w counts w times.", [AT_LEAST_1]
    ),
    "min_child_weight": Parameter(
        "float",
        "Hessian sum that a leaf must hold; weights that are not repetitions count relative to their mean.",
        [NOT_NEGATIVE],
    ),
    "min_split_gain": Parameter(
        "float", "Splits that gain less are pruned, from the leaves up, after the tree is grown.", [NOT_NEGATIVE]
    ),
    "l1_regularization": Parameter("float", "L1 penalty on leaf values.", [NOT_NEGATIVE]),
    "l2_regularization": Parameter("float", "L2 penalty on leaf values.", [NOT_NEGATIVE]),
    "category_smoothing": Parameter(
        "float", "For splits by category: weight that pulls rare categories to the middle of the order.", [NOT_NEGATIVE]
    ),
    "category_l2": Parameter("float", "For splits by category: extra L2 penalty.", [NOT_NEGATIVE]),
    "min_samples_category": Parameter(
        "int", "Categories with fewer samples in a node are treated there as one.", [AT_LEAST_1]
    ),
    "max_bins": Parameter(
        "int",
        "Maximum number of bins per column; missing has one more.",
        [Interval(Integral, 2, 255, closed="both")],
    ),
    "max_features": Parameter(
        'float, int, "sqrt", "log2" or None', "Columns that each split may choose from.", COLUMNS
    ),
    "max_features_per_tree": Parameter(
        'float, int, "sqrt", "log2" or None', "Columns that each tree may choose from.", COLUMNS
    ),
    "subsample": Parameter("float", "Share of rows drawn for each round.", [SHARE]),
    "interaction_cst": Parameter(
        '"pairwise", "no_interactions", groups of columns, or None',
        "Columns that may meet on a path: those of one group.",
        [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
    ),
    "early_stopping": Parameter(
        'bool or "auto"',
        "Stop when the first metric on the first evaluation set no longer improves; without `eval_set` a part of the "
        'rows is held out. "auto": above 10,000 rows. The model then predicts with its best round.',
        ["boolean", StrOptions({"auto"})],
    ),
    "validation_fraction": Parameter(
        "float or int", "Rows held out for early stopping: a share or a number.", [INSIDE_0_1, AT_LEAST_1]
    ),
    "n_iter_no_change": Parameter("int", "Rounds without improvement that early stopping waits for.", [AT_LEAST_1]),
    "tol": Parameter("float", "What counts as an improvement for early stopping.", [NOT_NEGATIVE]),
    "warm_start": Parameter("bool", "Go on from the fitted model, with the same bins.", ["boolean"]),
    "n_jobs": COMMON["n_jobs"]._replace(allowed=[Integral, None]),
    "verbose": Parameter("int", "1: a progress bar with the running metrics; 2: a line per round.", ["verbose"]),
    "callbacks": Parameter(
        "function, list of functions, or None",
        "Called after every round with a `Round` (number, n_rounds, scores, seconds); True ends the fit.",
        [list, tuple, callable, None],
    ),
}
NUMBER_LOSS = {
    "loss": Parameter(
        "str or object",
        '"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or a loss of your own '
        "(see `spinney.Loss`).",
    ),
    "quantile": Parameter("float", 'For loss="quantile".', [INSIDE_0_1]),
    "alpha": Parameter(
        "float",
        'For loss="huber": the quantile of absolute residuals beyond which errors count linearly.',
        [INSIDE_0_1],
    ),
    "power": Parameter("float", 'For loss="tweedie": between 1 and 2.', [Interval(Real, 1, 2, closed="neither")]),
}
CLASS_LOSS = {
    "loss": Parameter(
        '"log_loss" or object',
        "A loss of your own (see `spinney.Loss`) is for two classes, which it sees as 0 and 1.",
    ),
    "class_weight": Parameter(
        'dict, "balanced" or None',
        "Weights of the classes; they multiply sample_weight. They are importances, whole numbers too: a row of a "
        "heavy class still counts once for `min_samples_leaf`.",
        [dict, StrOptions({"balanced"}), None],
    ),
}
FITTED = """
    n_iter_ : int
        Rounds that were fitted.
    best_iteration_ : int
        Rounds the model predicts with: all, or the best number after early stopping.
    evals_result_ : dict
        Evaluation set -> metric -> one value per round.
    estimators_ : ndarray of shape (n_rounds, n_outputs)
        The trees, one per round, or per round and class with more than two classes; their `predict` gives what they
        add to the raw score. `len(model)` is the number of rounds, `model[:k]` the model of the first k.
    feature_importances_ : ndarray
        Shares of gain; `get_feature_importances` has the other kinds.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    n_features_in_, feature_names_in_
"""
