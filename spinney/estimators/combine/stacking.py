"""Stacking and blending: a final estimator fitted on the predictions of others, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, TransformerMixin, clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_feature_names_in, _num_samples, check_is_fitted

from spinney.data.reading import with_rows
from spinney.data.target import read_indicators, read_numbers
from spinney.ensemble.cross_fitting import (
    FitParams,
    Member,
    beside,
    class_numbers,
    fit_members,
    fit_one,
    meta_columns,
    naming,
    predict_held_out,
    split_off,
    takes_weights,
)
from spinney.estimators.base import LogProbabilities, all_or_nothing
from spinney.estimators.combine.composition import (
    FITTED_MEMBERS,
    MEMBERS,
    Combination,
    ask,
    encode_labels,
    read_row_weights,
    read_splits,
)
from spinney.estimators.docstrings import NUMBERS, OF_MEMBERS, documented
from spinney.estimators.intervals import PredictsIntervals, PredictsSets
from spinney.estimators.params import INSIDE_0_1, Parameter, described, keep_parameters
from spinney.estimators.routing import add_final, route_to_final
from spinney.estimators.streaming import row_by_row

# ----------------------------------------------------------------------------------------------------------------------
# Parameters of stacking: what they may be and what they mean.


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
        The method used for each member's predictions.
    holdout_indices_ : ndarray of int
        The rows that the final estimator was fitted on, and the members were not; only with `cv="holdout"`."""
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


_STACKED = """
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> from spinney import DecisionTreeClassifier, StackingClassifier
>>> X, y = load_iris(return_X_y=True)
>>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
"""


def _final_has(method: str) -> Any:
    def check(self: Any) -> bool:
        final = getattr(self, "final_estimator_", None) or self.final_estimator or self._default_final()
        getattr(final, method)  # its AttributeError is the cause of ours
        return True

    return check


class _Stacking(TransformerMixin, Combination):
    """What both share: predictions for rows the members have not seen, and the model that learns from them."""

    takes_weights = True
    _strata_are_classes: ClassVar[bool] = False

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        holdout_fraction: float = 0.2,
        stack_method: str = "auto",
        passthrough: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    def _default_final(self) -> Any:
        raise NotImplementedError

    @documented(OF_MEMBERS, setup=_STACKED)
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Fit the members and the final estimator.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Class labels or numbers. Classifiers also accept multilabel targets, as an array of zeros and ones of shape
            (n_samples, n_labels), if all members and the final estimator do.
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,). With scikit-learn's metadata routing also other
            arguments, for members that request them; the final estimator receives only `sample_weight`.

        Examples
        --------
        >>> model = StackingClassifier(members, cv="holdout", random_state=0).fit(X, y)
        >>> model.stack_method_
        ['predict_proba', 'predict_proba']
        """
        members = self._members()
        with all_or_nothing(self):
            (X,) = indexable(with_rows(X))
            self._fit_layers(X, self._read_target(X, y), fit_params, members)
        return self

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        raise NotImplementedError

    def _fit_layers(self, X: Any, y: np.ndarray, given: dict[str, Any], members: list[Member]) -> None:
        """Fit the members, then the final estimator on what they say of rows they have not seen."""
        params = self._fit_params(members, X, given)
        weights = read_row_weights(X, given.get("sample_weight"))
        final = self._final(weights)
        methods = [self._method_of(name, model) for name, model in members]
        rows = None
        self.__dict__.pop("holdout_indices_", None)
        if self.cv == "prefit":
            for name, model in members:
                with naming(name, "check of cv='prefit'"):
                    check_is_fitted(model)
            fitted = [model for _, model in members]
        elif self.cv == "holdout":
            strata = self._strata(y)
            learn, rows = split_off(strata, self.holdout_fraction, check_random_state(self.random_state))
            fitted = self._fit_members(members, X, y, params, learn)
        else:
            fitted = self._fit_members(members, X, y, params, None)
        self.stack_method_ = methods
        self._keep_members(members, fitted)
        if rows is not None:
            self.holdout_indices_ = np.asarray(rows)
            X, y = _safe_indexing(X, rows), y[rows]
            weights = None if weights is None else weights[rows]
        asked = self.cv in ("prefit", "holdout")
        answers = self._member_answers(X) if asked else self._held_out_answers(members, X, y, params)
        with naming("final_estimator", "fit"):
            also = {} if weights is None else {"sample_weight": weights}
            self.final_estimator_ = fit_one(final, self._meta_table(X, answers), y, also)

    def _strata(self, y: np.ndarray) -> np.ndarray:
        """What rows are held out by: their classes, or combinations of labels."""
        if not self._strata_are_classes:
            return np.zeros(len(y), np.intp)
        return y if y.ndim == 1 else np.unique(y, axis=0, return_inverse=True)[1].ravel()

    def _fit_members(self, members: list[Member], X: Any, y: Any, params: FitParams, rows: Any) -> list[Any]:
        own = self._own_targets(members, y)
        return fit_members(members, X, y, params, rows=rows, own=own, n_jobs=self.n_jobs, verbose=self.verbose)

    def _own_targets(self, members: list[Member], y: np.ndarray) -> dict[str, np.ndarray]:
        """The targets of members that cannot have y."""
        return {}

    def _held_out_answers(self, members: list[Member], X: Any, y: np.ndarray, params: FitParams) -> list[np.ndarray]:
        splits = read_splits(self.cv, X, y, self._strata_are_classes)
        own, options = self._own_targets(members, y), {"n_jobs": self.n_jobs, "verbose": self.verbose}
        return predict_held_out(members, self.stack_method_, X, y, splits, params, own=own, **options)

    def _final(self, weights: np.ndarray | None) -> Any:
        final = self._default_final() if self.final_estimator is None else clone(self.final_estimator)
        right, kind = (is_classifier, "classifier") if self._strata_are_classes else (is_regressor, "regressor")
        if not right(final):
            raise ValueError(f"final_estimator must be a {kind}, got {final!r}.")
        if weights is not None and not takes_weights(final):
            raise TypeError(
                f"final_estimator {type(final).__name__} does not support sample weights. Leave sample_weight out, or "
                "choose another final_estimator."
            )
        return final

    def _method_of(self, name: str, model: Any) -> str:
        wanted = METHODS if self.stack_method == "auto" else (self.stack_method,)
        for method in wanted:
            if hasattr(model, method):
                return method
        raise ValueError(
            f"member {name!r} ({type(model).__name__}) does not implement the method {' or '.join(wanted)} "
            "(stack_method). Set another stack_method, or the member to 'drop'."
        )

    def _member_answers(self, X: Any) -> list[np.ndarray]:
        return [ask(name, model, method, X) for (name, model), method in zip(self._fitted(), self.stack_method_)]

    def _meta_table(self, X: Any, answers: list[np.ndarray]) -> Any:
        asked = zip(self._fitted(), self.stack_method_, answers)
        numbers = [self._as_numbers(name, model, method, answer) for (name, model), method, answer in asked]
        blocks = meta_columns(numbers, self._are_pairs())
        self._widths = [block.shape[1] for block in blocks]
        columns = np.hstack(blocks)
        return beside(columns, self._meta_names(), with_rows(X)) if self.passthrough else columns

    def _as_numbers(self, name: str, model: Any, method: str, answer: np.ndarray) -> np.ndarray:
        return answer

    def _are_pairs(self) -> list[bool]:
        return [False] * len(self.stack_method_)

    def _meta_names(self) -> list[str]:
        own = type(self).__name__.lower()
        return [
            f"{own}_{name}{k if width > 1 else ''}"
            for (name, _), width in zip(self._fitted(), self._widths)
            for k in range(width)
        ]

    @row_by_row()
    @documented(OF_MEMBERS, setup=_STACKED)
    def transform(self, X: Any) -> Any:
        """Return the input of the final estimator: the members' predictions, and X with `passthrough=True`.

        Returns
        -------
        ndarray, sparse matrix or DataFrame of shape (n_samples, n_columns)
            The columns of the first member, then those of the second, and so on.

        Examples
        --------
        >>> model = StackingClassifier(members).fit(X, y)
        >>> model.transform(X).shape
        (150, 6)
        """
        check_is_fitted(self)
        return self._meta_table(X, self._member_answers(X))

    @documented(setup=_STACKED)
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Get the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X, if it had none.

        Returns
        -------
        ndarray of str
            One name per column.

        Examples
        --------
        >>> model = StackingClassifier(members).fit(X, y)
        >>> model.get_feature_names_out()[:2].tolist()
        ['stackingclassifier_bayes0', 'stackingclassifier_bayes1']
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features, generate_names=self.passthrough)
        return np.asarray([*self._meta_names(), *(names if self.passthrough else [])], object)

    @available_if(_final_has("predict"))
    @row_by_row()
    @documented(OF_MEMBERS, returns=NUMBERS, setup=_STACKED)
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """Predict classes or numbers with the final estimator.

        Parameters
        ----------
        **predict_params : dict
            Arguments for the `predict` of the final estimator. With scikit-learn's metadata routing, it must request
            them.

        Examples
        --------
        >>> model = StackingClassifier(members).fit(X, y)
        >>> model.predict(X[:2]).tolist()
        [0, 0]
        """
        check_is_fitted(self)
        answer = self.final_estimator_.predict(self.transform(X), **route_to_final(self, predict_params))
        return np.asarray(answer) if self._strata_are_classes else answer  # regressors may give standard deviations too

    def _sk_visual_block_(self) -> Any:
        from sklearn.utils._repr_html.estimator import _VisualBlock

        final = self._default_final() if self.final_estimator is None else self.final_estimator
        last = _VisualBlock("parallel", [final], names=["final_estimator"], dash_wrapped=False)
        return _VisualBlock("serial", (super()._sk_visual_block_(), last), dash_wrapped=False)

    @documented()
    def get_metadata_routing(self) -> Any:
        """Get the metadata routing: arguments of `fit` for the members, of `predict` for the final estimator.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier, StackingClassifier
        >>> model = StackingClassifier([("tree", DecisionTreeClassifier())])
        >>> type(model.get_metadata_routing()).__name__
        'MetadataRouter'
        """
        final = getattr(self, "final_estimator_", self.final_estimator)
        return add_final(super().get_metadata_routing(), final)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


@described(STACKING, {"final_estimator": FINAL_CLASSIFIER}, about=ABOUT, fitted=FITTED)
class StackingClassifier(LogProbabilities, PredictsSets, ClassifierMixin, _Stacking):
    """Combine classifiers by a final classifier that is fitted on their predictions.

    {about}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; a list of arrays for multilabel targets.
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from spinney import DecisionTreeClassifier, StackingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
    >>> StackingClassifier(members).fit(X, y).score(X, y) > 0.95
    True
    """

    _strata_are_classes = True

    def _default_final(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        several = read_indicators(y, _num_samples(X))
        if several is not None:
            self.classes_ = [np.unique(label) for label in several.T]
            return several
        encoder, codes = encode_labels(X, y, type(self).__name__)
        self.classes_ = encoder.classes_
        return self.classes_[codes]

    def _own_targets(self, members: list[Member], y: np.ndarray) -> dict[str, np.ndarray]:
        """Members that are no classifiers (regressors, for classes in order) get numbers instead of strings."""
        if y.dtype.kind in "iuf":
            return {}
        codes = np.searchsorted(self.classes_, y)
        return {name: codes for name, model in members if not is_classifier(model)}

    def _as_numbers(self, name: str, model: Any, method: str, answer: np.ndarray) -> np.ndarray:
        """Predicted labels as numbers of classes; members fitted before (`cv="prefit"`) may have other numbers."""
        if method != "predict" or isinstance(self.classes_, list):
            return answer
        if answer.dtype.kind in "biuf" and (self.cv == "prefit" or not is_classifier(model)):
            return answer
        with naming(name, method):
            return class_numbers(answer, self.classes_)

    def _are_pairs(self) -> list[bool]:
        are_two = not isinstance(self.classes_, list) and len(self.classes_) == 2
        return [method == "predict_proba" and are_two for method in self.stack_method_]

    @available_if(_final_has("predict_proba"))
    @row_by_row()
    @documented(OF_MEMBERS, setup=_STACKED)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities with the final estimator.

        Examples
        --------
        >>> model = StackingClassifier(members).fit(X, y)
        >>> model.predict_proba(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        return self.final_estimator_.predict_proba(self.transform(X))

    @available_if(_final_has("decision_function"))
    @row_by_row()
    @documented(OF_MEMBERS, setup=_STACKED)
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the final estimator's decision function.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.

        Examples
        --------
        >>> model = StackingClassifier(members).fit(X, y)
        >>> model.decision_function(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        return self.final_estimator_.decision_function(self.transform(X))


@described(STACKING, {"final_estimator": FINAL_REGRESSOR}, about=ABOUT, fitted=FITTED)
class StackingRegressor(PredictsIntervals, RegressorMixin, _Stacking):
    """Combine regressors by a final regressor that is fitted on their predictions.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from spinney import DecisionTreeRegressor, StackingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=3))]
    >>> StackingRegressor(members, cv="holdout", random_state=0).fit(X, y).score(X, y) > 0.4
    True
    """

    def _default_final(self) -> Any:
        from sklearn.linear_model import RidgeCV

        return RidgeCV()

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        return read_numbers(y, _num_samples(X), type(self).__name__)
