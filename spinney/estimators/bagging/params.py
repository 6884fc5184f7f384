"""The parameters of bagging, and the numbers of rows and columns that they give."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt

from spinney.estimators.params import AT_LEAST_1, COMMON, THREADS, Parameter

_ROUNDING = 1e-9  # of fractions: 0.29 * 100 rows are 29

BAGGING = {
    **COMMON,
    "n_estimators": Parameter("int", "Number of base estimators.", [AT_LEAST_1]),
    "max_samples": Parameter(
        "int, float or None",
        "Number of rows sampled for each base estimator. A float is a fraction of all rows, None is as many as there "
        "are. A row of integer weight counts as that many rows.",
        [None, AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "max_features": Parameter(
        "int or float",
        "Number of columns sampled for each base estimator. A float is a fraction of all columns, and a number above "
        "theirs means all. Fewer columns with all rows (bootstrap=False) are called random subspaces, fewer columns "
        "with fewer rows random patches.",
        [AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "bootstrap": Parameter(
        "bool", "Sample rows with replacement (bagging). False samples without (pasting).", ["boolean"]
    ),
    "bootstrap_features": Parameter("bool", "Sample columns with replacement. False samples without.", ["boolean"]),
    "oob_score": Parameter(
        "bool or function",
        "Predict each row by the base estimators that were not fitted on it. This sets `oob_score_`, accuracy or R2 or "
        "the value of a function (y_true, y_pred) -> score, and `oob_decision_function_` or `oob_prediction_`, which "
        "are NaN for rows in the sample of every base estimator. Samples must leave rows out, with or without "
        "replacement.",
        ["boolean", callable],
    ),
    "warm_start": Parameter(
        "bool", "Keep the base estimators of the previous fit and add more. False fits all again.", ["boolean"]
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of threads; each fits one base estimator at a time. None and -1 use every core. The model does not "
        "depend on it.",
        THREADS,
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed of the samples, and of the `random_state` of each base estimator.",
        ["random_state"],
    ),
    "verbose": Parameter(
        "int",
        "0 prints nothing, 1 a progress bar and 2 a line per tree. With other base estimators, 1 prints a line for "
        "each.",
        ["verbose"],
    ),
    "partition": Parameter(
        "bool",
        "Split the rows into `n_estimators` disjoint parts of nearly equal size, one for each base estimator. Needs "
        "bootstrap=False. Each base estimator has few rows, so the model is less accurate than bagging "
        "(docs/bagging.md).",
        ["boolean"],
    ),
}
CLASSIFIER = Parameter(
    "classifier or None",
    "The base estimator. None is `DecisionTreeClassifier()`. For Spinney's trees (without class_weight and "
    "n_iter_no_change) X is read and sorted once. Other estimators receive counts as sample_weight if their fit "
    "accepts it, else each row as often as it was sampled.",
    [HasMethods(["fit", "predict"]), None],
)
REGRESSOR = CLASSIFIER._replace(
    form="regressor or None",
    text=CLASSIFIER.text.replace("TreeClassifier", "TreeRegressor").replace("class_weight and ", ""),
)
ABOUT = """
    Samples are determined by row contents: the same data and `random_state` give the same model with any number of
    threads and in any order of the rows. A row of weight 2 is the same as a row that occurs twice.
"""
FITTED = """
    estimator_ : estimator
        The unfitted base estimator.
    estimators_ : list of estimators
        The fitted base estimators. Spinney's trees are created from `forest_` on first access.
    estimators_samples_ : list of ndarray
        The rows that each base estimator was fitted on, repeated as often as they were sampled.
    estimators_features_ : list of ndarray
        The columns that each base estimator was fitted on, ascending.
    forest_ : Forest
        All trees, stored together; only if the base estimator is a Spinney tree.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the impurity decrease, averaged over the trees; only with `forest_`.
    oob_score_ : float
        The out-of-bag score; only with `oob_score`.
    oob_decision_function_, oob_prediction_ : ndarray
        The out-of-bag predictions of classifiers and of regressors; only with `oob_score`.
    fingerprint_ : str
        A hash of the base estimators, the same on any machine and with any number of threads; only if these have one.
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : ndarray of shape (n_features,)
        The column names of X, if it has any.
"""


def count_draws(model: Any, total: int) -> int:
    """Number of rows sampled for a member; a row of integer weight counts as that many rows."""
    if model.partition and model.n_estimators > total:
        raise ValueError(
            f"partition=True needs a row for each part: n_estimators must be at most {total}, got {model.n_estimators}."
        )
    if model.max_samples is None:
        n_draws = total
    elif isinstance(model.max_samples, Integral):
        n_draws = int(model.max_samples)
    else:
        n_draws = max(1, int(float(model.max_samples) * total + _ROUNDING))
    if not model.bootstrap and n_draws > total:
        raise ValueError(
            f"max_samples must be at most the number of rows, {total}, to sample without replacement, got {n_draws}."
        )
    sees_all = not model.bootstrap and n_draws == total and not (model.partition and model.n_estimators > 1)
    if model.oob_score and sees_all:
        raise ValueError(
            "oob_score=True needs samples that leave rows out. Set bootstrap=True, or max_samples to fewer rows."
        )
    return n_draws


def count_columns_of_member(max_features: Any, n_columns: int) -> int:
    """Number of columns sampled for a member."""
    if isinstance(max_features, Integral):
        return min(int(max_features), n_columns)
    return max(1, int(float(max_features) * n_columns + _ROUNDING))
