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
# Headings of the docstring, each with its parameters.
GROUPS = {
    "Loss and start value": ("loss", "quantile", "alpha", "power", "class_weight", "init"),
    "Rounds and learning rate": (
        "n_estimators",
        "max_iter",
        "quality",
        "learning_rate",
        "time_budget",
        "warm_start",
    ),
    "Trees": (
        "max_leaf_nodes",
        "max_depth",
        "growth",
        "criterion",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "min_child_weight",
        "max_bins",
        "leaves",
        "extrapolate",
    ),
    "Regularisation and pruning": (
        "l1_regularization",
        "l2_regularization",
        "min_split_gain",
        "min_impurity_decrease",
        "ccp_alpha",
    ),
    "Sampling of rows and columns": ("subsample", "max_features", "max_features_per_tree", "random_state"),
    "Held-out rows and early stopping": (
        "early_stopping",
        "scoring",
        "validation_fraction",
        "n_iter_no_change",
        "tol",
    ),
    "Categories": (
        "categorical_features",
        "handle_unknown",
        "min_samples_category",
        "category_smoothing",
        "category_l2",
    ),
    "Constraints": ("monotonic_cst", "interaction_cst"),
    "Machine and output": ("n_jobs", "device", "verbose", "callbacks"),
}
BOOSTING = {
    **COMMON,
    "learning_rate": Parameter(
        'float or "auto"',
        'Factor that shrinks the contribution of each tree. "auto" chooses it together with the number of rounds. It '
        "is 0.1 if that number is given.",
        [POSITIVE, AUTO],
    ),
    "n_estimators": Parameter(
        'int or "auto"',
        'Number of boosting rounds. A round is one tree, or one per class with more than two classes. "auto" chooses '
        "the number that scores best on held-out rows (folds on small data), then refits on all rows. Row contents, "
        'not row order, determine which rows are held out. Below 100 samples, "auto" is 100; with early stopping, at '
        'most 1,500. Other "auto" parameters then also adapt to the data; given a number of rounds, they take the '
        "values stated there.",
        [AT_LEAST_1, AUTO],
    ),
    "max_iter": Parameter(
        "int or None",
        "Alias of `n_estimators`, named as in scikit-learn's histogram boosting. If given, it takes precedence.",
        [AT_LEAST_1, None],
    ),
    "quality": Parameter(
        "int",
        'From 1, the fastest fit, to 5, the most accurate model: the time that `n_estimators="auto"` may take. 1 and 2 '
        "take larger steps and fewer rounds; 1 also searches faster. 4 and 5 fit up to four and seven models of "
        "different trees, and return their mean as one model. Parameters that are given apply to all of them. "
        "docs/boosting.md has times and losses. Other levels than 3 need the choice of the rounds.",
        [Interval(Integral, 1, 5, closed="both")],
    ),
    "max_leaf_nodes": Parameter(
        'int, "auto" or None',
        'Maximum number of leaves per tree. "auto" is 12 to 48, more with more samples, or 31 if the number of rounds '
        "is given. None sets no limit.",
        [Interval(Integral, 2, None, closed="left"), AUTO, None],
    ),
    "growth": Parameter(
        '{"best_first", "level_wise"}',
        'Which leaf to split next. "best_first" splits the leaf with the largest gain, "level_wise" the oldest one.',
        [StrOptions({"best_first", "level_wise"})],
    ),
    "criterion": Parameter(
        '{"friedman_mse", "squared_error"} or None',
        "No effect; accepted for compatibility with scikit-learn. Splits are always chosen by their second-order gain.",
        [StrOptions({"friedman_mse", "squared_error"}), Hidden(StrOptions({"deprecated"})), None],
    ),
    "min_samples_split": Parameter(
        "int or float",
        "Minimum number of samples that a node needs to be split. A float is a fraction of all samples.",
        TREE["min_samples_split"].allowed,
    ),
    "min_samples_leaf": Parameter(
        'int, float or "auto"',
        "Minimum number of samples in a leaf. A row with an integer weight w counts as w samples. A float is a "
        'fraction of all samples. "auto" is 1 to 5 (with linear leaves 1 to 20), and less than the rarest class has. '
        "If the number of rounds is given, it is 20, or a tenth of the samples on small data.",
        [AT_LEAST_1, INSIDE_0_1, AUTO],
    ),
    "min_weight_fraction_leaf": Parameter(
        "float",
        "Minimum fraction of the total weight in a leaf. With weights that are not repetitions, each row counts as one "
        "here, unless the loss is the squared, absolute, quantile or Huber loss.",
        TREE["min_weight_fraction_leaf"].allowed,
    ),
    "min_child_weight": Parameter(
        "float",
        "Minimum sum of hessians in a leaf. Weights that are not repetitions count relative to their mean.",
        [NOT_NEGATIVE],
    ),
    "min_split_gain": Parameter(
        "float",
        "Minimum gain of a split. Weaker splits are pruned after the tree is grown, from the leaves upwards, so that a "
        "weak split above a strong one stays.",
        [NOT_NEGATIVE],
    ),
    "min_impurity_decrease": Parameter(
        "float",
        "Minimum gain of a split per sample of the tree. Weaker splits are not made. With `l2_regularization=0` and "
        "squared error, this is scikit-learn's impurity decrease. For other losses, it is that of their second-order "
        "approximation.",
        [NOT_NEGATIVE],
    ),
    "ccp_alpha": Parameter(
        "float",
        "Complexity parameter of cost-complexity pruning. Each tree is pruned before the next one is grown: a branch "
        "is removed if its splits gain at most this much on average. The unit is that of `min_split_gain`. See "
        "`spinney.prune.cost_complexity`.",
        [NOT_NEGATIVE],
    ),
    "l1_regularization": Parameter("float", "L1 penalty on leaf values.", [NOT_NEGATIVE]),
    "l2_regularization": Parameter("float", "L2 penalty on leaf values.", [NOT_NEGATIVE]),
    "category_smoothing": Parameter(
        "float",
        "Smoothing of the order of the categories in a split. It is a weight that pulls rare categories towards the "
        "middle of the order.",
        [NOT_NEGATIVE],
    ),
    "category_l2": Parameter("float", "Additional L2 penalty in splits on categorical columns.", [NOT_NEGATIVE]),
    "min_samples_category": Parameter(
        'int or "auto"',
        'Categories with fewer samples in a node are treated there as one category. "auto" is 20, or less on small '
        "data.",
        [AT_LEAST_1, AUTO],
    ),
    "max_bins": Parameter(
        "int or None",
        "Maximum number of bins per column; missing values have an additional one. None uses no bins: thresholds are "
        "midway between neighbouring values of a node, as in exact trees, and gradients have 64 bits. Such a fit takes "
        "longer.",
        [Interval(Integral, 2, 255, closed="both"), None],
    ),
    "leaves": Parameter(
        '{"constant", "linear", "auto"}',
        'What a leaf adds to the raw score. "constant" is a number. "linear" is a number and slopes in up to four '
        "numeric columns of its path, fitted with a ridge penalty: more accurate where the target changes smoothly. It "
        "needs a dense table in memory, bins, and a loss whose leaves are not quantiles. "
        '"auto" tries both on the held-out rows that the number of rounds is chosen on, and uses linear leaves if they '
        "gain more than the standard error; without such rows, or where linear leaves are not supported, leaves are "
        "constant. See docs/boosting.md.",
        [StrOptions({"constant", "linear", "auto"})],
    ),
    "extrapolate": Parameter(
        "bool",
        "Whether linear leaves continue beyond the values of their training rows. False clips each column to their "
        "range.",
        ["boolean"],
    ),
    "max_features": Parameter(
        'float, int, "auto", "sqrt", "log2" or None',
        "Number of columns that each split may choose from. A float is a fraction of the columns, None is all of them. "
        '"auto" is half of the columns and at least four, or all of them if the number of rounds is given.',
        [*COLUMNS, AUTO],
    ),
    "max_features_per_tree": Parameter(
        'float, int, "sqrt", "log2" or None',
        "Number of columns that each tree may choose from. A float is a fraction of the columns, None is all of them.",
        COLUMNS,
    ),
    "subsample": Parameter("float", "Fraction of the rows that is sampled for each round.", [SHARE]),
    "interaction_cst": Parameter(
        '"pairwise", "no_interactions", groups of columns, or None',
        "Interaction constraints: only columns of the same group may occur together on a path of a tree. A group is a "
        "list of column names or numbers. Columns in no group form one of their own.",
        [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
    ),
    "early_stopping": Parameter(
        'bool, "auto" or None',
        "Stop when the score on the last evaluation set no longer improves; the model then predicts with its best "
        "round. The score is `scoring`, or the first metric of `eval_metric`. Without `eval_set`, some rows are held "
        'out. "auto" stops early above 10,000 rows. None does so if `n_iter_no_change` is given.',
        ["boolean", StrOptions({"auto"}), None],
    ),
    "scoring": Parameter(
        "str, function or None",
        'Score that early stopping monitors: "loss" (or the first `eval_metric`), the name of a scikit-learn scorer, a '
        "function (model, X, y) -> float, or None for the `score` method of the model.",
        [str, callable, None],
    ),
    "validation_fraction": Parameter(
        "float, int or None",
        "Rows to hold out for early stopping. A float is a fraction, an int is a number of rows. None holds out no "
        "rows and monitors the training rows.",
        [INSIDE_0_1, AT_LEAST_1, None],
    ),
    "n_iter_no_change": Parameter(
        "int or None",
        "Number of rounds without improvement after which early stopping ends the fit. None waits for 10 rounds.",
        [AT_LEAST_1, None],
    ),
    "tol": Parameter(
        "float",
        "Minimum improvement of the score that counts for early stopping. It does not choose the round: the model "
        "predicts with the best one.",
        [NOT_NEGATIVE],
    ),
    "time_budget": Parameter(
        "float or None",
        "Time limit of the fit in seconds. Choosing the rounds ends after 40 % of it, and the fit on all rows takes "
        "larger steps or fewer rounds. The model then depends on the speed of the machine. None sets no limit.",
        [POSITIVE, None],
    ),
    "warm_start": Parameter(
        "bool",
        "Continue from the previous fit, with its bins if it had any. False fits from the beginning.",
        ["boolean"],
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed for sampling rows and columns and for holding out rows. None is the seed 0, so that every fit gives the "
        "same model.",
        ["random_state"],
    ),
    "n_jobs": COMMON["n_jobs"]._replace(allowed=[Integral, None]),
    "device": Parameter(
        '{"cpu", "cuda", "auto"}',
        f'Device to fit on. "cuda" is an NVIDIA GPU (`{install_command("gpu")}`) and gives the same model, bit for '
        'bit. "auto" uses a GPU if there is one.',
        [StrOptions({"cpu", "cuda", "auto"})],
    ),
    "verbose": Parameter(
        "int",
        "1 shows a progress bar with the metrics of the evaluation sets, 2 prints a line per round, 0 prints nothing.",
        ["verbose"],
    ),
    "callbacks": Parameter(
        "function, list of functions, or None",
        "Functions to call after every round with a `Round` (number, n_rounds, scores, seconds). If one returns True, "
        "the fit ends.",
        [list, tuple, callable, None],
    ),
}
_START = "Start value that the trees are added to. None is the best constant{}. "
_ESTIMATOR = "An estimator is fitted first, and its predictions are the raw scores"
NUMBER_LOSS = {
    "init": Parameter(
        'estimator, float, "zero" or None',
        f'{_START.format("")}"zero" is 0. A number is the prediction for every row before the first tree. {_ESTIMATOR} '
        "(their logarithms, if the loss has a log link).",
        [StrOptions({"zero"}), None, HasMethods(["fit", "predict"]), Interval(Real, None, None, closed="neither")],
    ),
    "loss": Parameter(
        "str or object",
        'Loss to minimise: "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or a '
        "custom loss (see `spinney.Loss`).",
    ),
    "quantile": Parameter(
        "float or None", 'Quantile to predict with loss="quantile". None is `alpha`.', [INSIDE_0_1, None]
    ),
    "alpha": Parameter(
        "float",
        'With loss="huber", the quantile of the absolute residuals beyond which errors count linearly. With '
        'loss="quantile", the quantile to predict, unless `quantile` is given.',
        [INSIDE_0_1],
    ),
    "power": Parameter(
        "float", 'Variance power of loss="tweedie", between 1 and 2.', [Interval(Real, 1, 2, closed="neither")]
    ),
}
CLASS_LOSS = {
    "init": Parameter(
        'estimator, float, "zero" or None',
        f'{_START.format(": the class frequencies")}"zero" is a raw score of 0. A number is the probability of the '
        f"second of two classes before the first tree. {_ESTIMATOR} (log odds of its probabilities).",
        [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"]), INSIDE_0_1],
    ),
    "loss": Parameter(
        '"log_loss", "exponential" or object',
        'Loss to minimise. "exponential" (the loss of AdaBoost) and custom losses (see `spinney.Loss`) are supported '
        "only with two classes. A custom loss gets them as 0 and 1.",
    ),
    "class_weight": Parameter(
        'dict, "balanced" or None',
        'Weights of the classes, which multiply `sample_weight`. "balanced" gives all classes the same total weight. '
        "Class weights are importances, even if they are integers: each row counts once for `min_samples_leaf`, "
        "whereas an integer `sample_weight` counts as repetitions.",
        [dict, StrOptions({"balanced"}), None],
    ),
}
FITTED = """
    n_iter_ : int
        Number of rounds that were fitted.
    learning_rate_, max_leaf_nodes_, min_samples_leaf_ : float, int, int
        The values of these parameters in the fit, with "auto" resolved.
    best_iteration_ : int
        Number of rounds that the model predicts with: all, or the best number after early stopping.
    n_estimators_ : int
        The same, named as in scikit-learn.
    leaves_ : str
        "constant" or "linear", which `leaves="auto"` chooses from.
    evals_result_ : dict
        Evaluation set -> metric -> one value per round. "held_out" has the scores by which "auto" chose the rounds.
    train_score_ : ndarray of shape (n_estimators_,)
        Loss of the training rows after each round, with scikit-learn's factors: mean squared error is not halved, and
        the log loss of two classes is doubled. Missing with a custom loss without `value`. With `subsample < 1` it is
        the loss of the sampled rows. The loss of the other rows is then `oob_scores_`, its decrease per round is
        `oob_improvement_`, and its last value is `oob_score_`.
    validation_score_ : ndarray of shape (n_iter_ + 1,), or empty without early stopping
        Score that early stopping used, before the first round and after each. Higher is better, so losses are
        negative. The loss of squared error is halved, as in scikit-learn.
    do_early_stopping_ : bool
        Whether the fit could stop early.
    scorer_ : function or None
        The scorer of `scoring`, if early stopping used one.
    init_ : estimator or "zero"
        The fitted initial estimator. Without one, a dummy estimator that predicts the start value.
    n_trees_per_iteration_ : int
        Number of trees per round.
    max_features_ : int
        Number of columns that each split could choose from.
    is_categorical_ : ndarray of bool, or None
        Mask of the categorical columns. None if there are none.
    estimators_ : ndarray of shape (n_rounds, n_outputs)
        The trees, one per round, or one per round and class with more than two classes. The `predict` of a tree
        returns what it adds to the raw score. `len(model)` is the number of rounds, and `model[:k]` is the model of
        the first k rounds.
    feature_importances_ : ndarray
        Fraction of the total gain per column. `get_feature_importances` has the other kinds.
    fingerprint_ : str
        A hash of all trees, the same on any machine and with any number of threads.
"""
