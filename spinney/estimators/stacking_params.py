"""Parameters of stacking: what they may be and what they mean."""

from __future__ import annotations

from sklearn.utils._param_validation import HasMethods, StrOptions

from spinney.estimators.composition import FITTED_MEMBERS, MEMBERS
from spinney.estimators.params import INSIDE_0_1, Parameter

METHODS = ("predict_proba", "decision_function", "predict")


ABOUT = """
    The final estimator is fitted on predictions for held-out rows; otherwise it would favour members that overfit.
    `cv` determines how these predictions are made.

    `fit(X, y, sample_weight=...)` passes weights to the members and the final estimator, which must all accept them.
    Folds are made without regard to weights, so a weight of 2 is not quite the same as two rows.
"""
FITTED = (
    """
    final_estimator_ : estimator
        The fitted final estimator.
    stack_method_ : list of str
        The method used for each member's predictions."""
    + FITTED_MEMBERS
)
STACKING = {
    **MEMBERS,
    "cv": Parameter(
        'int, splitter, iterable, "prefit", "holdout" or None',
        "How the rows for the final estimator are predicted. Cross-validation (None: 5 folds, stratified for classes): "
        "every row is predicted by clones fitted on the other folds, and the members are then fitted on all rows. "
        '"holdout" (blending): members are fitted on one part of the rows, the final estimator on their predictions '
        "for the rest. Members are not refitted, since the final estimator was fitted on the predictions of these "
        'very members. Blending is faster but uses fewer rows. "prefit": the members are already fitted, on other '
        "rows.",
        ["cv_object", StrOptions({"prefit", "holdout"})],
    ),
    "holdout_fraction": Parameter(
        "float", 'Fraction of the rows (of each class) that is held out with `cv="holdout"`.', [INSIDE_0_1]
    ),
    "stack_method": Parameter(
        '{"auto", "predict_proba", "decision_function", "predict"}',
        'Method used for the members\' predictions. "auto": the first of these that the member has. With two classes, '
        "only the probability of the second is used.",
        [StrOptions({"auto", *METHODS})],
    ),
    "passthrough": Parameter(
        "bool",
        "Whether the final estimator also receives X. A DataFrame with strings or categories then stays a DataFrame.",
        ["boolean"],
    ),
    "random_state": Parameter(
        "int, RandomState or None", 'Seed for the held-out rows with `cv="holdout"`.', ["random_state"]
    ),
    "verbose": Parameter("int", "Whether to print the time that each member takes.", ["verbose"]),
}
FINAL_CLASSIFIER = Parameter(
    "classifier or None",
    "Estimator fitted on the members' predictions. None: scikit-learn's `LogisticRegression`.",
    [HasMethods("fit"), None],
)
FINAL_REGRESSOR = FINAL_CLASSIFIER._replace(
    form="regressor or None", text=FINAL_CLASSIFIER.text.replace("LogisticRegression", "RidgeCV")
)
