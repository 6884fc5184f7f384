"""A bucket of models: the one that cross-validation likes best, with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils import indexable
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.ensemble.bucket import best_name
from spinney.ensemble.members import fit_one, naming, score_held_out
from spinney.estimators.composition import (
    Combination,
    ask,
    encode_labels,
    only_row_weights,
    read_row_weights,
    read_splits,
)
from spinney.estimators.targets import read_numbers


def BucketOfModels(estimators: Any, **options: Any) -> Any:
    """A `BucketOfModelsClassifier` if the members are classifiers, else a `BucketOfModelsRegressor`.

    Parameters
    ----------
    estimators : list of (str, model)
        The members and their names.
    **options : dict
        Parameters of those classes.

    Returns
    -------
    BucketOfModelsClassifier or BucketOfModelsRegressor

    Examples
    --------
    >>> from spinney import BucketOfModels, DecisionTreeRegressor
    >>> type(BucketOfModels([("tree", DecisionTreeRegressor())])).__name__
    'BucketOfModelsRegressor'
    """
    return (BucketOfModelsClassifier if all_classify(estimators) else BucketOfModelsRegressor)(estimators, **options)


def all_classify(estimators: Any) -> bool:
    """Whether the members are classifiers; raise if some are and some are not."""
    kinds = {is_classifier(model) for _, model in estimators if not isinstance(model, str)}
    if len(kinds) == 2:
        raise ValueError("estimators must be all classifiers or all regressors, got both.")
    return kinds == {True}


def _best_has(method: str) -> Any:
    def check(self: Any) -> bool:
        if hasattr(self, "best_estimator_"):
            return hasattr(self.best_estimator_, method)
        return all(hasattr(model, method) for _, model in self.estimators if not isinstance(model, str))

    return check


class _Bucket(Combination):
    """What both share: scores by cross-validation, the best member fitted to all rows."""

    _takes_weights = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Combination._parameter_constraints,
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, estimators: Any, *, cv: Any = 5, scoring: Any = None, n_jobs: int | None = None, verbose: bool = False
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Judge the members by cross-validation, and fit the best one to all rows.

        Parameters
        ----------
        X : table
            Whatever the members take.
        y : array-like of shape (n_samples,)
            The target.
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,), or nothing: weighs rows in fitting and in judging. Rows
            are parted without regard to it.

        Returns
        -------
        self
        """
        members = self._members()
        (X,) = indexable(X)
        target = self._read_target(X, y)
        weights = read_row_weights(X, only_row_weights(self, fit_params))
        splits = read_splits(self.cv, X, target, self._member_kind == "classifier")
        scorers = [check_scoring(model, self.scoring) for _, model in members]
        scores = score_held_out(members, scorers, X, target, splits, weights, n_jobs=self.n_jobs, verbose=self.verbose)
        self.fold_scores_ = dict(zip([name for name, _ in members], scores))
        self.scores_ = {name: float(one.mean()) for name, one in self.fold_scores_.items()}
        self.best_name_ = best_name(self.scores_)
        with naming(self.best_name_, "fit"):
            self.best_estimator_ = fit_one(clone(dict(members)[self.best_name_]), X, target, weights)
        self._keep_columns([self.best_estimator_])
        return self

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """What the best member predicts.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._ask_best("predict", X)

    def _ask_best(self, method: str, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return ask(self.best_name_, self.best_estimator_, method, X)


class BucketOfModelsClassifier(ClassifierMixin, _Bucket):
    """The classifier that cross-validation likes best.

    Every member is judged on the same held-out parts of the rows; the one with the highest mean score (of equals the
    first) is then fitted to all rows and predicts alone.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members and their names; "drop" in place of a classifier leaves it out. Fit uses clones.
    cv : int, splitter, iterable or None, default=5
        The parts of cross-validation; a number: of stratified parts.
    scoring : str, callable or None, default=None
        What is judged, by scikit-learn's names; None: accuracy. Higher is better.
    n_jobs : int or None, default=None
        Members judged at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them meanwhile; scikit-learn's models read None as one thread and keep it.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    best_name_ : str
        The name of the best member.
    best_estimator_ : classifier
        The best member, fitted to all rows.
    scores_ : dict of str to float
        Each member's mean score.
    fold_scores_ : dict of str to ndarray
        Each member's scores, one a part.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

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

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        encoder, codes = encode_labels(X, y)
        self.classes_ = encoder.classes_
        return self.classes_[codes]

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The best member's probabilities.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._ask_best("predict_proba", X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The best member's decision function.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._ask_best("decision_function", X)


class BucketOfModelsRegressor(RegressorMixin, _Bucket):
    """The regressor that cross-validation likes best.

    Every member is judged on the same held-out parts of the rows; the one with the highest mean score (of equals the
    first) is then fitted to all rows and predicts alone.

    Parameters
    ----------
    estimators : list of (str, regressor)
        The members and their names; "drop" in place of a regressor leaves it out. Fit uses clones.
    cv : int, splitter, iterable or None, default=5
        The parts of cross-validation.
    scoring : str, callable or None, default=None
        What is judged, by scikit-learn's names; None: R2. Higher is better.
    n_jobs : int or None, default=None
        Members judged at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them meanwhile; scikit-learn's models read None as one thread and keep it.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    best_name_ : str
        The name of the best member.
    best_estimator_ : regressor
        The best member, fitted to all rows.
    scores_ : dict of str to float
        Each member's mean score.
    fold_scores_ : dict of str to ndarray
        Each member's scores, one a part.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

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

    def _read_target(self, X: Any, y: Any) -> np.ndarray:
        return read_numbers(y, _num_samples(X))
