"""Bayesian model averaging: models weighted by how likely they make held-out rows, with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import indexable
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.ensemble.bucket import (
    class_log_likelihood,
    gaussian_log_likelihood,
    mixture_moments,
    posterior,
    residual_variance,
)
from spinney.ensemble.members import Member, fit_members, predict_held_out
from spinney.ensemble.voting import mean, read_weights
from spinney.estimators.bucket import all_classify
from spinney.estimators.composition import (
    Combination,
    ask_probabilities,
    encode_labels,
    only_row_weights,
    read_row_weights,
    read_splits,
    require_method,
)
from spinney.estimators.targets import read_numbers

_LEAST_SHARE = 1e-12  # of the target's mean square: the least variance a model is credited with


def BayesianModelAveraging(estimators: Any, **options: Any) -> Any:
    """A `BayesianModelAveragingClassifier` if the members are classifiers, else a `BayesianModelAveragingRegressor`.

    Parameters
    ----------
    estimators : list of (str, model)
        The members and their names.
    **options : dict
        Parameters of those classes.

    Returns
    -------
    BayesianModelAveragingClassifier or BayesianModelAveragingRegressor

    Examples
    --------
    >>> from spinney import BayesianModelAveraging, DecisionTreeClassifier
    >>> type(BayesianModelAveraging([("tree", DecisionTreeClassifier())])).__name__
    'BayesianModelAveragingClassifier'
    """
    kind = BayesianModelAveragingClassifier if all_classify(estimators) else BayesianModelAveragingRegressor
    return kind(estimators, **options)


class _Averaging(Combination):
    """What both share: held-out predictions, weights from their likelihood, members fitted to all rows."""

    _takes_weights = True
    _method: ClassVar[str]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Combination._parameter_constraints,
        "prior": ["array-like", None],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, estimators: Any, *, prior: Any = None, cv: Any = 5, n_jobs: int | None = None, verbose: bool = False
    ) -> None:
        self.estimators = estimators
        self.prior = prior
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_all(
        self, X: Any, y: np.ndarray, sample_weight: Any, members: list[Member], truth: np.ndarray | None = None
    ) -> None:
        """Fit the members to y and judge them by `truth` (None: y itself)."""
        prior = self._read_prior()
        (X,) = indexable(X)
        weights = read_row_weights(X, sample_weight)
        splits = read_splits(self.cv, X, y, self._member_kind == "classifier")
        held_out = predict_held_out(
            members, [self._method] * len(members), X, y, splits, weights, n_jobs=self.n_jobs, verbose=self.verbose
        )
        self.log_likelihoods_ = self._judge(held_out, y if truth is None else truth, weights)
        self.weights_ = posterior(self.log_likelihoods_, prior)
        fitted = fit_members(members, X, y, weights, n_jobs=self.n_jobs, verbose=self.verbose)
        self._keep_members(members, fitted)

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

    def _judge(self, held_out: list[np.ndarray], y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        raise NotImplementedError


class BayesianModelAveragingClassifier(ClassifierMixin, _Averaging):
    """Classes by the mean of several classifiers' probabilities, weighted by Bayes' rule.

    The weight of member m is

        prior(m) * exp(L(m)) / sum over k of prior(k) * exp(L(k)),

    L(m) being the sum over all rows of the log of the probability that m, fitted to the other parts of
    cross-validation, gives to the row's class (at least 2.2e-16). It is computed by logarithms and does not underflow.

    The formula asks which one member is right, so with many rows the likeliest takes nearly all weight. To combine
    members that are all wrong, each in its own way, use stacking.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members and their names, with `predict_proba`; "drop" leaves one out. Fit uses clones.
    prior : array-like of shape (n_members,), default=None
        How probable each member is beforehand, up to a factor; None: all alike.
    cv : int, splitter, iterable or None, default=5
        The parts of cross-validation; a number: of stratified parts. They must hold every row once.
    n_jobs : int or None, default=None
        Members fitted at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them while it is fitted; scikit-learn's models read None as one thread and keep it.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    weights_ : ndarray of shape (n_members,)
        The members' weights; they add up to 1.
    log_likelihoods_ : ndarray of shape (n_members,)
        L of each member.
    estimators_ : list of classifiers
        The members, fitted to all rows; they answer in the labels of y.
    named_estimators_ : Bunch
        The same by name.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

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
    _method = "predict_proba"

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Weigh the members by held-out rows, and fit them to all rows.

        Parameters
        ----------
        X : table
            Whatever the members take.
        y : array-like of shape (n_samples,)
            Class labels.
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,), or nothing: weighs rows in fitting and in L. Rows are
            parted without regard to it.

        Returns
        -------
        self
        """
        members = self._members()
        require_method(members, "predict_proba", "averaging")
        sample_weight = only_row_weights(self, fit_params)
        encoder, codes = encode_labels(X, y)
        self.classes_ = encoder.classes_
        self._fit_all(X, self.classes_[codes], sample_weight, members, codes)
        return self

    def _judge(self, held_out: list[np.ndarray], y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        return np.array([class_log_likelihood(one, y, weights) for one in held_out])

    def predict_proba(self, X: Any) -> np.ndarray:
        """The weighted mean of the members' probabilities.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        answers = [ask_probabilities(name, model, X, self.classes_) for name, model in self._fitted()]
        return mean(np.stack(answers), self.weights_)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


class BayesianModelAveragingRegressor(RegressorMixin, _Averaging):
    """Numbers by the mean of several regressors, weighted by Bayes' rule.

    The weight of member m is

        prior(m) * exp(L(m)) / sum over k of prior(k) * exp(L(k)),

    L(m) being the log-likelihood of all rows under normal distributions around what m, fitted to the other parts of
    cross-validation, predicts; their variance is the mean square of m's residuals there. It is computed by logarithms
    and does not underflow. The prediction is a mixture of the members' normal distributions.

    The formula asks which one member is right, so with many rows the likeliest takes nearly all weight. To combine
    members that are all wrong, each in its own way, use stacking.

    Parameters
    ----------
    estimators : list of (str, regressor)
        The members and their names; "drop" in place of a regressor leaves it out. Fit uses clones.
    prior : array-like of shape (n_members,), default=None
        How probable each member is beforehand, up to a factor; None: all alike.
    cv : int, splitter, iterable or None, default=5
        The parts of cross-validation. They must hold every row once.
    n_jobs : int or None, default=None
        Members fitted at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them while it is fitted; scikit-learn's models read None as one thread and keep it.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        The members' weights; they add up to 1.
    log_likelihoods_ : ndarray of shape (n_members,)
        L of each member.
    variances_ : ndarray of shape (n_members,)
        The mean square of each member's held-out residuals.
    estimators_ : list of regressors
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same by name.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

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
    _method = "predict"

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Any:
        """Weigh the members by held-out rows, and fit them to all rows.

        Parameters
        ----------
        X : table
            Whatever the members take.
        y : array-like of shape (n_samples,)
            Numbers.
        **fit_params : dict
            `sample_weight`, array-like of shape (n_samples,), or nothing: weighs rows in fitting and in L. Rows are
            parted without regard to it.

        Returns
        -------
        self
        """
        members = self._members()
        sample_weight = only_row_weights(self, fit_params)
        self._fit_all(X, read_numbers(y, _num_samples(X)), sample_weight, members)
        return self

    def _judge(self, held_out: list[np.ndarray], y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        least = max(_LEAST_SHARE * float(np.mean(y**2)), float(np.finfo(np.float64).tiny))
        residuals = [y - one for one in held_out]
        self.variances_ = np.array([residual_variance(one, weights, least) for one in residuals])
        return np.array([gaussian_log_likelihood(*pair, weights) for pair in zip(residuals, self.variances_)])

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the mixture, and on request its standard deviation.

        Parameters
        ----------
        X : table
        return_std : bool, default=False
            Whether to give the standard deviation too: of the members' errors, and between the members.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        centre, deviation = mixture_moments(np.stack(self._answers(X, "predict")), self.variances_, self.weights_)
        return (centre, deviation) if return_std else centre
