"""Parameters of stacking: what they may be and what they mean."""

from __future__ import annotations

from sklearn.utils._param_validation import HasMethods, StrOptions

from spinney.estimators.composition import FITTED_MEMBERS, MEMBERS
from spinney.estimators.params import INSIDE_0_1, Parameter

METHODS = ("predict_proba", "decision_function", "predict")


ABOUT = """
    It must learn from predictions for rows the members have not seen, or it would trust those that know the rows by
    heart. `cv` says how such predictions are made.

    `fit(X, y, sample_weight=...)` gives weights to the members and the final estimator, all of which must take them.
    Rows are parted without regard to weights, so a weight of 2 is not quite the same as two rows.
"""
FITTED = (
    """
    final_estimator_ : model
        The fitted final estimator.
    stack_method_ : list of str
        What each member is asked."""
    + FITTED_MEMBERS
)
STACKING = {
    **MEMBERS,
    "cv": Parameter(
        'int, splitter, iterable, "prefit", "holdout" or None',
        "Cross-validation (None: 5 parts, for classes stratified): every row is predicted by clones fitted to the "
        'other parts; the members themselves are fitted to all rows. "holdout": blending; members are fitted to one '
        "part of the rows and the final estimator to their predictions for the rest. They are not fitted again, since "
        'it has learnt to trust these very members. Quicker, and wastes rows. "prefit": the members are fitted '
        "already, to other rows.",
        ["cv_object", StrOptions({"prefit", "holdout"})],
    ),
    "holdout_fraction": Parameter(
        "float", 'The share of the rows, for classes of each class, that is held out with `cv="holdout"`.', [INSIDE_0_1]
    ),
    "stack_method": Parameter(
        '{"auto", "predict_proba", "decision_function", "predict"}',
        'What members are asked; "auto": the first of these they have. Of two classes, the second one\'s probability '
        "is used.",
        [StrOptions({"auto", *METHODS})],
    ),
    "passthrough": Parameter(
        "bool",
        "Whether the final estimator also sees X. A frame with strings or categories stays a frame then.",
        ["boolean"],
    ),
    "random_state": Parameter(
        "int, RandomState or None", 'Which rows are held out with `cv="holdout"`.', ["random_state"]
    ),
    "verbose": Parameter("int", "Whether to print each member's time.", ["verbose"]),
}
FINAL_CLASSIFIER = Parameter(
    "classifier or None",
    "What learns from the members' predictions. None: scikit-learn's `LogisticRegression`.",
    [HasMethods("fit"), None],
)
FINAL_REGRESSOR = FINAL_CLASSIFIER._replace(
    form="regressor or None", text=FINAL_CLASSIFIER.text.replace("LogisticRegression", "RidgeCV")
)
