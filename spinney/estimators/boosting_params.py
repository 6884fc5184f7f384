"""The parameters of gradient boosting: what they may be, and what they mean."""

from __future__ import annotations

from numbers import Integral, Real

from sklearn.utils._param_validation import HasMethods, Hidden, Interval, StrOptions

from spinney._distribution import install_command
from spinney.estimators.params import (
    AT_LEAST_1,
    COLUMNS,
    COMMON,
    INSIDE_0_1,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    TREE,
    Parameter,
)

AUTO = StrOptions({"auto"})
BOOSTING = {
    **COMMON,
    "learning_rate": Parameter(
        'float or "auto"',
        'Shrinks every tree\'s contribution. "auto": chosen with the rounds; 0.1 where their number is given.',
        [POSITIVE, AUTO],
    ),
    "n_estimators": Parameter(
        'int or "auto"',
        'Rounds; a round is one tree, or one per class with more than two classes. "auto": as many as predict rows '
        "held out best (folds of small tables), then fitted on all rows; those rows are chosen by what they hold, "
        "so their order in the table does not matter. Below 100 samples 100 rounds; with early stopping at most "
        '1,500. What else is "auto" follows the table, too; where a number of rounds is given, it is as said '
        "there.",
        [AT_LEAST_1, AUTO],
    ),
    "max_iter": Parameter(
        "int or None",
        "The same under the name that scikit-learn's histogram boosting has for it; if given, it counts.",
        [AT_LEAST_1, None],
    ),
    "max_leaf_nodes": Parameter(
        'int, "auto" or None',
        'Maximum number of leaves of a tree. "auto": 12 to 48, the more the more samples there are; 31 where the '
        "number of rounds is given.",
        [Interval(Integral, 2, None, closed="left"), AUTO, None],
    ),
    "growth": Parameter(
        '{"best_first", "level_wise"}',
        "Which leaf to split next: the one with the largest gain, or the oldest.",
        [StrOptions({"best_first", "level_wise"})],
    ),
    "criterion": Parameter(
        '{"friedman_mse", "squared_error"} or None',
        "Accepted as scikit-learn's and without effect: splits are always chosen by their second-order gain.",
        [StrOptions({"friedman_mse", "squared_error"}), Hidden(StrOptions({"deprecated"})), None],
    ),
    "min_samples_split": Parameter(
        "int or float",
        "Samples that a node must hold to be split; a float is a share of all.",
        TREE["min_samples_split"].allowed,
    ),
    "min_samples_leaf": Parameter(
        'int, float or "auto"',
        'Samples that a leaf must hold; a row of whole weight w counts w times. A float is a share of all. "auto": 1 '
        "to 5, less than the rarest class has; where the number of rounds is given 20, or a tenth of a small table.",
        [AT_LEAST_1, INSIDE_0_1, AUTO],
    ),
    "min_weight_fraction_leaf": Parameter(
        "float",
        "Share of the whole weight that a leaf must hold. With weights that are no repetitions each row counts once "
        "here, unless the loss is squared, absolute or quantile error or Huber's.",
        TREE["min_weight_fraction_leaf"].allowed,
    ),
    "min_child_weight": Parameter(
        "float",
        "Hessian sum that a leaf must hold; weights that are not repetitions count relative to their mean.",
        [NOT_NEGATIVE],
    ),
    "min_split_gain": Parameter(
        "float", "Splits that gain less are pruned, from the leaves up, after the tree is grown.", [NOT_NEGATIVE]
    ),
    "min_impurity_decrease": Parameter(
        "float",
        "A split is made only if it gains this much per sample of the tree: with `l2_regularization=0` and squared "
        "error scikit-learn's decrease of impurity, of other losses that of their second-order form.",
        [NOT_NEGATIVE],
    ),
    "ccp_alpha": Parameter(
        "float",
        "Prune each tree by cost-complexity before the next one is grown: a branch is cut if its splits gain at most "
        "this much on average. In units of gain, as `min_split_gain`; see `spinney.prune.cost_complexity`.",
        [NOT_NEGATIVE],
    ),
    "l1_regularization": Parameter("float", "L1 penalty on leaf values.", [NOT_NEGATIVE]),
    "l2_regularization": Parameter("float", "L2 penalty on leaf values.", [NOT_NEGATIVE]),
    "category_smoothing": Parameter(
        "float", "For splits by category: weight that pulls rare categories to the middle of the order.", [NOT_NEGATIVE]
    ),
    "category_l2": Parameter("float", "For splits by category: extra L2 penalty.", [NOT_NEGATIVE]),
    "min_samples_category": Parameter(
        'int or "auto"',
        'Categories with fewer samples in a node are treated there as one. "auto": 20, or less on a small table.',
        [AT_LEAST_1, AUTO],
    ),
    "max_bins": Parameter(
        "int or None",
        "Maximum number of bins per column; missing has one more. None: no bins; thresholds are midway between "
        "neighbouring values of a node, as in exact trees, and gradients have 64 bits. Such a fit takes longer.",
        [Interval(Integral, 2, 255, closed="both"), None],
    ),
    "max_features": Parameter(
        'float, int, "auto", "sqrt", "log2" or None',
        'Columns that each split may choose from. "auto": half of them and at least four; all where the number of '
        "rounds is given.",
        [*COLUMNS, AUTO],
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
        'bool, "auto" or None',
        "Stop when `scoring`, or the first metric, on the last evaluation set no longer improves; without `eval_set` "
        'a part of the rows is held out. "auto": above 10,000 rows. None: if `n_iter_no_change` is given. The model '
        "then predicts with its best round.",
        ["boolean", StrOptions({"auto"}), None],
    ),
    "scoring": Parameter(
        "str, function or None",
        'What early stopping goes by: "loss" (or the first `eval_metric`), the name of a score of scikit-learn\'s, a '
        "function (model, X, y) -> float, or None for the model's own `score`.",
        [str, callable, None],
    ),
    "validation_fraction": Parameter(
        "float, int or None",
        "Rows held out for early stopping: a share or a number. None: none are, and the training rows decide.",
        [INSIDE_0_1, AT_LEAST_1, None],
    ),
    "n_iter_no_change": Parameter(
        "int or None", "Rounds without improvement that early stopping waits for; None: 10.", [AT_LEAST_1, None]
    ),
    "tol": Parameter(
        "float",
        "How much the score must improve for early stopping to go on. It does not choose the round: the model predicts "
        "with the best one.",
        [NOT_NEGATIVE],
    ),
    "time_budget": Parameter(
        "float or None",
        "Seconds that the fit may take: choosing rounds ends after two fifths of them, and the fit on all rows takes "
        "larger steps or fewer rounds. The model then depends on how fast the machine is.",
        [POSITIVE, None],
    ),
    "warm_start": Parameter("bool", "Go on from the fitted model, with the bins that it has, or without.", ["boolean"]),
    "random_state": Parameter(
        "int, RandomState or None",
        "For columns and rows that are sampled and rows that are held out. None is the seed 0, so that every fit gives "
        "the same model.",
        ["random_state"],
    ),
    "n_jobs": COMMON["n_jobs"]._replace(allowed=[Integral, None]),
    "device": Parameter(
        '{"cpu", "cuda", "auto"}',
        f'Where to fit: "cuda" is an NVIDIA GPU (`{install_command("gpu")}`), which gives the same model, bit for '
        'bit; "auto" is a GPU if there is one.',
        [StrOptions({"cpu", "cuda", "auto"})],
    ),
    "verbose": Parameter("int", "1: a progress bar with the running metrics; 2: a line per round.", ["verbose"]),
    "callbacks": Parameter(
        "function, list of functions, or None",
        "Called after every round with a `Round` (number, n_rounds, scores, seconds); True ends the fit.",
        [list, tuple, callable, None],
    ),
}
_BEGINS = "What the trees are added to: an estimator, which is fitted first and whose predictions are taken as raw "
NUMBER_LOSS = {
    "init": Parameter(
        'estimator, float, "zero" or None',
        f'{_BEGINS}scores (their logarithms with a log link); a number: this prediction for every row; "zero": '
        "nothing; None: the best constant.",
        [StrOptions({"zero"}), None, HasMethods(["fit", "predict"]), Interval(Real, None, None, closed="neither")],
    ),
    "loss": Parameter(
        "str or object",
        '"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or a loss of your own '
        "(see `spinney.Loss`).",
    ),
    "quantile": Parameter("float or None", 'For loss="quantile"; None: `alpha`.', [INSIDE_0_1, None]),
    "alpha": Parameter(
        "float",
        'For loss="huber": the quantile of absolute residuals beyond which errors count linearly. For loss="quantile" '
        "the quantile, unless `quantile` is given.",
        [INSIDE_0_1],
    ),
    "power": Parameter("float", 'For loss="tweedie": between 1 and 2.', [Interval(Real, 1, 2, closed="neither")]),
}
CLASS_LOSS = {
    "init": Parameter(
        'estimator, float, "zero" or None',
        f"{_BEGINS}scores (log odds of its probabilities); a number: this probability of the second of two classes; "
        '"zero": nothing; None: the classes\' shares.',
        [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"]), INSIDE_0_1],
    ),
    "loss": Parameter(
        '"log_loss", "exponential" or object',
        '"exponential" (AdaBoost\'s) and a loss of your own (see `spinney.Loss`) are for two classes; the latter sees '
        "them as 0 and 1.",
    ),
    "class_weight": Parameter(
        'dict, "balanced" or None',
        "Weights of the classes; they multiply sample_weight. They are importances, whole numbers too: a row of a "
        "heavy class still counts once for `min_samples_leaf`, where an integer `sample_weight` counts as repetitions.",
        [dict, StrOptions({"balanced"}), None],
    ),
}
FITTED = """
    n_iter_ : int
        Rounds that were fitted.
    learning_rate_, max_leaf_nodes_, min_samples_leaf_ : float, int, int
        What these parameters were in the fit, with "auto" resolved.
    best_iteration_ : int
        Rounds the model predicts with: all, or the best number after early stopping.
    n_estimators_ : int
        The same under scikit-learn's name.
    evals_result_ : dict
        Evaluation set -> metric -> one value per round. "held_out": the scores that the number of rounds was chosen by.
    train_score_ : ndarray of shape (n_estimators_,)
        The loss of the training rows after each round, with scikit-learn's factors: mean squared error, and twice the
        log loss of two classes. Not there with a loss of your own without `value`. With `subsample < 1` it is that of
        the rows drawn, and `oob_scores_` is that of the others, `oob_improvement_` what each round takes off it, and
        `oob_score_` its last value.
    validation_score_ : ndarray of shape (n_iter_ + 1,), or empty without early stopping
        The score that early stopping used, before the first round and after each. Higher is better, so losses are
        negative; as in scikit-learn, the loss of squared error is halved.
    do_early_stopping_ : bool
        Whether the fit could have ended early.
    scorer_ : function or None
        The scorer of `scoring`, if early stopping went by one.
    init_ : estimator or "zero"
        The initial estimator, fitted; without one, a dummy estimator that gives the start value.
    n_trees_per_iteration_ : int
        Trees per round.
    max_features_ : int
        Columns that each split could choose from.
    is_categorical_ : ndarray of bool, or None
        Which columns are categories; None if none is.
    estimators_ : ndarray of shape (n_rounds, n_outputs)
        The trees, one per round, or per round and class with more than two classes; their `predict` gives what they
        add to the raw score. `len(model)` is the number of rounds, `model[:k]` the model of the first k.
    feature_importances_ : ndarray
        Shares of gain; `get_feature_importances` has the other kinds.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    n_features_in_, feature_names_in_
"""
