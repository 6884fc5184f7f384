"""Bayesian model averaging: models weighted by the likelihood of held-out rows, with scikit-learn's interface.

No algorithm in here: the formulas are in ensemble/selection.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.data.reading import with_rows
from spinney.ensemble.cross_fitting import Member, fit_members, predict_held_out
from spinney.ensemble.selection import (
    class_log_likelihood,
    gaussian_log_likelihood,
    mixture_moments,
    posterior,
    residual_variance,
)
from spinney.ensemble.voting import mean, read_weights
from spinney.estimators.base import LogProbabilities, OfTrees, all_or_nothing
from spinney.estimators.combine.composition import (
    FITTED_MEMBERS,
    MEMBERS,
    EitherKind,
    ask_probabilities,
    read_row_weights,
    read_splits,
    require_method,
)
from spinney.estimators.docstrings import CLASSES, OF_MEMBERS, documented
from spinney.estimators.intervals import PredictsIntervals, PredictsSets
from spinney.estimators.params import Parameter, described, keep_parameters
from spinney.estimators.streaming import row_by_row
from spinney.tree.formula import Mixture, mixture_of

_LEAST_SHARE = 1e-12  # of the target's mean square: the least variance a model is credited with
_TABLE = {
    **MEMBERS,
    "prior": Parameter(
        "array-like of shape (n_members,) or None",
        "Prior probabilities of the members, up to a factor. None: all equal.",
        ["array-like", None],
    ),
}
_FITTED = (
    """
    weights_ : ndarray of shape (n_members,)
        Weights (posterior probabilities) of the members. They add up to 1.
    log_likelihoods_ : ndarray of shape (n_members,)
        L of each member."""
    + FITTED_MEMBERS
)
_FORMULA = """
    The weight of member m is

        prior(m) * exp(L(m)) / sum over k of prior(k) * exp(L(k)),

    where L(m) is the log-likelihood of all rows, each predicted by a clone of m that was fitted on the other folds. It
    is computed in logarithms and does not underflow.

    For classification, L is the sum of the log probabilities of the true classes (at least 2.2e-16 each). For
    regression, it is that of normal distributions around the predictions, whose variance is the mean square of m's
    held-out residuals. The prediction is then a mixture of the members' normal distributions.

    The formula assumes that exactly one member is right, so with many rows the most likely one takes nearly all the
    weight. To combine members that make different errors, use stacking.
"""
_TEXTS = {"formula": _FORMULA, "fitted": _FITTED}


_AVERAGED = """
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> from spinney import DecisionTreeClassifier, BayesianModelAveraging
>>> X, y = load_iris(return_X_y=True)
>>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
>>> model = BayesianModelAveraging(members).fit(X, y)
"""


@described(_TABLE, **_TEXTS)
class BayesianModelAveraging(LogProbabilities, OfTrees, EitherKind):
    """Average several classifiers or regressors, weighted by Bayes' rule.

    {formula}

    With classifiers it is a classifier, with regressors a regressor; `BayesianModelAveragingClassifier` and
    `BayesianModelAveragingRegressor` accept members of one kind only.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, with classifiers.
    variances_ : ndarray of shape (n_members,)
        The mean square of each member's held-out residuals, with regressors.
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from spinney import BayesianModelAveraging
    >>> members = [("guess", DummyClassifier()), ("bayes", GaussianNB())]
    >>> BayesianModelAveraging(members).fit(*load_iris(return_X_y=True)).weights_.round(6)
    array([0., 1.])
    """

    takes_weights = True

    def __init__(
        self, estimators: Any, *, prior: Any = None, cv: Any = 5, n_jobs: int | None = None, verbose: bool = False
    ) -> None:
        keep_parameters(self, locals())

    @documented(OF_MEMBERS, setup=_AVERAGED)
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Weight the members by held-out rows, and fit them on all rows.

        Parameters
        ----------
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,): weights for fits and for L. Folds are made without regard
            to it. With scikit-learn's metadata routing also other arguments, for members that request them.

        Examples
        --------
        >>> model.weights_.shape
        (2,)
        """
        members = self._members()
        with all_or_nothing(self):
            (X,) = indexable(with_rows(X))
            self.__dict__.pop("variances_", None)
            if self._classifies():
                require_method(members, "predict_proba", "averaging")
            target, truth = self._read_target(X, y)
            self._fit_all(X, target, fit_params, members, truth)
        return self

    def _fit_all(self, X: Any, y: np.ndarray, given: dict[str, Any], members: list[Member], truth: np.ndarray) -> None:
        """Fit the members to y and judge them by `truth`, class numbers or numbers."""
        prior = self._read_prior()
        params = self._fit_params(members, X, given)
        weights = read_row_weights(X, given.get("sample_weight"))
        splits = read_splits(self.cv, X, y, self._classifies())
        methods = ["predict_proba" if self._classifies() else "predict"] * len(members)
        options = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        held_out = predict_held_out(members, methods, X, y, splits, params, **options)
        self.log_likelihoods_ = self._judge(held_out, truth, weights)
        self.weights_ = posterior(self.log_likelihoods_, prior)
        self._keep_members(members, fit_members(members, X, y, params, **options))

    def _read_prior(self) -> np.ndarray | None:
        """The prior of the members that are not dropped."""
        if self.prior is None:
            return None
        here = [not isinstance(model, str) for _, model in self.estimators]
        try:
            prior = read_weights(self.prior, len(here))
            return None if prior is None else read_weights(prior[here], sum(here))
        except ValueError as error:
            raise ValueError(str(error).replace("weights", "prior", 1)) from None

    def _formula(self) -> Mixture:
        return mixture_of(self, self.weights_, float(self.weights_.sum()) if self._classifies() else 1.0)

    def _judge(self, held_out: list[np.ndarray], truth: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """L of each member."""
        if self._classifies():
            return np.array([class_log_likelihood(one, truth, weights) for one in held_out])
        least = max(_LEAST_SHARE * float(np.mean(truth**2)), float(np.finfo(np.float64).tiny))
        residuals = [truth - one for one in held_out]
        self.variances_ = np.array([residual_variance(one, weights, least) for one in residuals])
        return np.array([gaussian_log_likelihood(*pair, weights) for pair in zip(residuals, self.variances_)])

    @available_if(lambda self: self._classifies())
    @row_by_row()
    @documented(OF_MEMBERS, setup=_AVERAGED)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities, the weighted mean of the members'. Only with classifiers.

        Examples
        --------
        >>> model.predict_proba(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        answers = [ask_probabilities(name, model, X, self.classes_) for name, model in self._fitted()]
        return mean(np.stack(answers), self.weights_)

    @row_by_row()
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the most probable class, or the mean of the mixture of numbers.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data, in any form that the members accept.
        return_std : bool, default=False
            For regressors, whether to return the standard deviation of the mixture too. It includes the members' errors
            and the differences between the members.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
            Predictions and, with `return_std=True`, their standard deviations.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from spinney import DecisionTreeRegressor, BayesianModelAveraging
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
        >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=1))]
        >>> model = BayesianModelAveraging(members, cv=2).fit(X, y)
        >>> mean, deviation = model.predict([[1.0]], return_std=True)
        >>> mean.round(3).tolist()
        [1.0]
        """
        check_is_fitted(self)
        if self._classifies():
            if return_std:
                raise ValueError("return_std=True is supported only with regressors. Use predict_proba for classes.")
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        centre, deviation = mixture_moments(np.stack(self._answers(X, "predict")), self.variances_, self.weights_)
        return (centre, deviation) if return_std else centre


@described(_TABLE, formula=_FORMULA, fitted=CLASSES + _FITTED)
class BayesianModelAveragingClassifier(PredictsSets, ClassifierMixin, BayesianModelAveraging):
    """Average the probabilities of several classifiers, weighted by Bayes' rule.

    {formula}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from spinney import BayesianModelAveragingClassifier
    >>> members = [("guess", DummyClassifier()), ("bayes", GaussianNB())]
    >>> BayesianModelAveragingClassifier(members).fit(*load_iris(return_X_y=True)).weights_.round(6)
    array([0., 1.])
    """

    _member_kind = "classifier"


@described(_TABLE, **_TEXTS)
class BayesianModelAveragingRegressor(PredictsIntervals, RegressorMixin, BayesianModelAveraging):
    """Average the predictions of several regressors, weighted by Bayes' rule.

    {formula}

    Attributes
    ----------
    variances_ : ndarray of shape (n_members,)
        The mean square of each member's held-out residuals.
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from spinney import BayesianModelAveragingRegressor
    >>> members = [("line", LinearRegression()), ("ridge", Ridge(0.1))]
    >>> model = BayesianModelAveragingRegressor(members).fit(*load_diabetes(return_X_y=True))
    >>> round(float(model.weights_.sum()), 6)
    1.0
    """

    _member_kind = "regressor"
