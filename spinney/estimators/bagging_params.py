"""The parameters of bagging: what they may be, what they mean, and how many rows and columns that makes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt

from spinney.estimators.params import AT_LEAST_1, COMMON, THREADS, Parameter

_ROUNDING = 1e-9  # of shares: 0.29 * 100 rows are 29

BAGGING = {
    **COMMON,
    "n_estimators": Parameter("int", "Members.", [AT_LEAST_1]),
    "max_samples": Parameter(
        "int, float or None",
        "Rows that each member draws, or their share of all rows; None: as many as there are. Rows of whole weight "
        "count as so many.",
        [None, AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "max_features": Parameter(
        "int or float",
        "Columns that each member draws, or their share of all columns; a number above theirs means all. Fewer columns "
        "and all rows (bootstrap=False) are random subspaces, fewer columns and some rows random patches.",
        [AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "bootstrap": Parameter("bool", "Draw rows with replacement (bagging); False: without (pasting).", ["boolean"]),
    "bootstrap_features": Parameter("bool", "Draw columns with replacement.", ["boolean"]),
    "oob_score": Parameter(
        "bool or function",
        "Judge every row by the members that have not seen it: `oob_score_`, by accuracy or R2, or by a function "
        "(y_true, y_pred) -> score; and `oob_decision_function_` or `oob_prediction_`, NaN for rows that every member "
        "has seen. Members must leave rows out; it works without replacement too.",
        ["boolean", callable],
    ),
    "warm_start": Parameter("bool", "Keep the members of the fit before and add more.", ["boolean"]),
    "n_jobs": Parameter(
        "int or None", "Threads, one member each; None: every core. The model does not depend on it.", THREADS
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "For the draws; every member's own random_state is drawn from it.",
        ["random_state"],
    ),
    "verbose": Parameter(
        "int",
        "1: a progress bar; 2: a line for each tree. Other estimators get a line for each member.",
        ["verbose"],
    ),
    "partition": Parameter(
        "bool",
        "Split the rows into `n_estimators` disjoint parts of nearly equal size, one for each member; needs "
        "bootstrap=False. Members see little and are worse than those of bagging: the lectures show why.",
        ["boolean"],
    ),
}
CLASSIFIER = Parameter(
    "classifier or None",
    "What the members are copies of; None: our `DecisionTreeClassifier`. For our own trees (without class_weight and "
    "n_iter_no_change) the table is read and sorted once. Others get counts as sample_weight if they take it, else the "
    "rows as often as they were drawn.",
    [HasMethods(["fit", "predict"]), None],
)
REGRESSOR = CLASSIFIER._replace(
    form="regressor or None",
    text=CLASSIFIER.text.replace("TreeClassifier", "TreeRegressor").replace("class_weight and ", ""),
)
ABOUT = """
    Draws follow from what the rows hold: the same data and `random_state` give the same model on any number of threads,
    in any order of the rows, and whether a row comes twice or weighs 2.
"""
FITTED = """
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of estimators
        The members. Our own trees are made from `forest_` when first asked for.
    estimators_samples_ : list of ndarray
        The rows that each member was fitted to, as often as they were drawn.
    estimators_features_ : list of ndarray
        The columns that each member was fitted to, ascending.
    forest_ : Forest
        Our own trees in one store; also `feature_importances_`.
    fingerprint_ : str
        A hash of the members: equal on any machine and any number of threads. Only if the members have one.
    n_features_in_, feature_names_in_
"""


def count_draws(model: Any, total: int) -> int:
    """Rows that a member draws; a row of whole weight counts as so many."""
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
            f"max_samples must be at most the number of rows, {total}, to draw without replacement, got {n_draws}."
        )
    sees_all = not model.bootstrap and n_draws == total and not (model.partition and model.n_estimators > 1)
    if model.oob_score and sees_all:
        raise ValueError(
            "oob_score=True needs members that leave rows out: set bootstrap=True, or max_samples to fewer rows."
        )
    return n_draws


def count_columns_of_member(max_features: Any, n_columns: int) -> int:
    """Columns that a member draws."""
    if isinstance(max_features, Integral):
        return min(int(max_features), n_columns)
    return max(1, int(float(max_features) * n_columns + _ROUNDING))
