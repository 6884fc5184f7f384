"""A bucket of models: the member with the best cross-validation score, with scikit-learn's interface.

No algorithm in here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils import indexable
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.data.reading import with_rows
from spinney.ensemble.cross_fitting import fit_one, naming, score_held_out
from spinney.ensemble.selection import best_name
from spinney.estimators.base import LogProbabilities, OfTrees, all_or_nothing
from spinney.estimators.combine.composition import (
    MEMBERS,
    EitherKind,
    ask,
    read_row_weights,
    read_splits,
)
from spinney.estimators.docstrings import CLASSES, OF_MEMBERS, documented
from spinney.estimators.intervals import PredictsIntervals, PredictsSets
from spinney.estimators.params import Parameter, described, keep_parameters
from spinney.estimators.streaming import row_by_row
from spinney.tree.formula import Formula, Mixture, formula_of

_TABLE = {
    **MEMBERS,
    "scoring": Parameter(
        "str, callable or None",
        "Score that members are compared by, higher is better: a scikit-learn name or a scorer. None: accuracy for "
        "classifiers, R2 for regressors.",
        [StrOptions(set(get_scorer_names())), callable, None],
    ),
}
_FITTED = """
    best_name_ : str
        The name of the best member.
    best_estimator_ : estimator
        The best member, fitted on all rows.
    scores_ : dict of str to float
        Each member's mean score.
    fold_scores_ : dict of str to ndarray
        Each member's scores, one per fold.
    n_features_in_ : int
        Number of columns of X, if the best member knows it.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had names.
"""


_BUCKET = """
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> from spinney import DecisionTreeClassifier, BucketOfModels
>>> X, y = load_iris(return_X_y=True)
>>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
>>> model = BucketOfModels(members).fit(X, y)
"""


def _has(method: str) -> Any:
    """Whether the best member, or before fit all members, have a method of classifiers."""

    def check(self: Any) -> bool:
        if not self._classifies():
            return False
        if hasattr(self, "best_estimator_"):
            return hasattr(self.best_estimator_, method)
        return all(hasattr(model, method) for _, model in self.estimators if not isinstance(model, str))

    return check


@described(_TABLE, fitted=_FITTED)
class BucketOfModels(LogProbabilities, OfTrees, EitherKind):
    """Select the best of several models by cross-validation.

    All members are scored on the same folds. The one with the highest mean score (ties go to the first) is then fitted
    on all rows and predicts alone. With classifiers it is a classifier, with regressors a regressor.
    `BucketOfModelsClassifier` and `BucketOfModelsRegressor` accept members of one kind only.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, with classifiers.
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from spinney import BucketOfModels, DecisionTreeRegressor
    >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor())]
    >>> BucketOfModels(members).fit(*load_diabetes(return_X_y=True)).best_name_
    'line'
    """

    takes_weights = True

    def __init__(
        self, estimators: Any, *, cv: Any = 5, scoring: Any = None, n_jobs: int | None = None, verbose: bool = False
    ) -> None:
        keep_parameters(self, locals())

    @documented(OF_MEMBERS, setup=_BUCKET)
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Score the members by cross-validation, and fit the best one on all rows.

        Parameters
        ----------
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,): weights for fits and scores. Folds are made without
            regard to it. With scikit-learn's metadata routing also other arguments, for members that request them.

        Examples
        --------
        >>> sorted(model.scores_)
        ['bayes', 'tree']
        """
        members = self._members()
        with all_or_nothing(self):
            (X,) = indexable(with_rows(X))
            target, _ = self._read_target(X, y)
            params = self._fit_params(members, X, fit_params)
            weights = read_row_weights(X, fit_params.get("sample_weight"))
            splits = read_splits(self.cv, X, target, self._classifies())
            scorers = [check_scoring(model, self.scoring) for _, model in members]
            scores = score_held_out(
                members, scorers, X, target, splits, params, weights, n_jobs=self.n_jobs, verbose=self.verbose
            )
            self.fold_scores_ = dict(zip([name for name, _ in members], scores))
            self.scores_ = {name: float(one.mean()) for name, one in self.fold_scores_.items()}
            self.best_name_ = best_name(self.scores_)
            with naming(self.best_name_, "fit"):
                best = clone(dict(members)[self.best_name_])
                self.best_estimator_ = fit_one(best, X, target, params[self.best_name_])
            self._keep_columns([self.best_estimator_])
        return self

    @row_by_row()
    @documented(OF_MEMBERS, setup=_BUCKET)
    def predict(self, X: Any) -> np.ndarray:
        """Predict with the best member.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels or numbers.

        Examples
        --------
        >>> model.predict(X[:2]).tolist()
        [0, 0]
        """
        return self._ask_best("predict", X)

    @available_if(_has("predict_proba"))
    @row_by_row()
    @documented(OF_MEMBERS, setup=_BUCKET)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities with the best member.

        Examples
        --------
        >>> model.predict_proba(X).shape
        (150, 3)
        """
        return self._ask_best("predict_proba", X)

    @available_if(_has("decision_function"))
    @row_by_row()
    @documented(OF_MEMBERS)
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the best member's decision function.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> from spinney import BucketOfModels
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BucketOfModels([("lda", LinearDiscriminantAnalysis())]).fit(X, y)
        >>> model.decision_function(X).shape
        (150, 3)
        """
        return self._ask_best("decision_function", X)

    def _formula(self) -> Formula | Mixture:
        return replace(formula_of(self.best_estimator_), model=type(self).__name__)

    def _ask_best(self, method: str, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return ask(self.best_name_, self.best_estimator_, method, X)


@described(_TABLE, fitted=CLASSES + _FITTED)
class BucketOfModelsClassifier(PredictsSets, ClassifierMixin, BucketOfModels):
    """Select the best of several classifiers by cross-validation: `BucketOfModels` for classifiers only.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from spinney import BucketOfModelsClassifier, DecisionTreeClassifier
    >>> members = [("guess", DummyClassifier()), ("tree", DecisionTreeClassifier())]
    >>> model = BucketOfModelsClassifier(members).fit(*load_iris(return_X_y=True))
    >>> model.best_name_, round(model.scores_["guess"], 3)
    ('tree', 0.333)
    """

    _member_kind = "classifier"


@described(_TABLE, fitted=_FITTED)
class BucketOfModelsRegressor(PredictsIntervals, RegressorMixin, BucketOfModels):
    """Select the best of several regressors by cross-validation: `BucketOfModels` for regressors only.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from spinney import BucketOfModelsRegressor, DecisionTreeRegressor
    >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor())]
    >>> BucketOfModelsRegressor(members).fit(*load_diabetes(return_X_y=True)).best_name_
    'line'
    """

    _member_kind = "regressor"
