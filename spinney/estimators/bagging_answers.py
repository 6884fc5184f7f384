"""Predictions of bagging, with arguments that scikit-learn's metadata routing passes to the members' predictions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from spinney.estimators.base import log_probabilities
from spinney.estimators.forest_model import ClassForest, NumberForest
from spinney.estimators.routing import route_to_copies


def _routed(bag: Any, method: str, X: Any, params: dict[str, Any]) -> np.ndarray:
    """The mean of the members' predictions, (rows, outputs, classes or 1); requested arguments are passed to them."""
    given = route_to_copies(bag, method, params) if params else {}
    return bag._mean_of_members(X, partial(bag._say, **given)) if given else bag._mean_answers(X)


class BaggedClasses(ClassForest):
    """Predictions of classifiers: the mean of the members' probabilities or votes."""

    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Predict class probabilities: the mean of the base estimators' probabilities, or the fractions of their votes.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes), or list of ndarray
            Columns are in the order of `classes_`; a list of arrays for several outputs.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import BaggingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BaggingClassifier(random_state=0).fit(X, y)
        >>> model.predict_proba(X[:1]).tolist()
        [[1.0, 0.0, 0.0]]
        """
        return self._split_outputs(_routed(self, "predict_proba", X, params))

    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Predict the logarithms of class probabilities.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes), or list of ndarray
            Logarithms of `predict_proba`; minus infinity for a probability of 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import BaggingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BaggingClassifier(random_state=0).fit(X, y)
        >>> model.predict_log_proba(X[:1]).tolist()
        [[0.0, -inf, -inf]]
        """
        return log_probabilities(self._split_outputs(_routed(self, "predict_proba", X, params)))

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted labels. Ties go to the first class in `classes_`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import BaggingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BaggingClassifier(random_state=0).fit(X, y)
        >>> model.predict(X[[0, 60, 120]]).tolist()
        [0, 1, 2]
        """
        return self._name(_routed(self, "predict", X, params).argmax(axis=2))


class BaggedNumbers(NumberForest):
    """Predictions of regressors: the mean of the members' predictions."""

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """Predict the mean of the base estimators' predictions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        **params : dict
            Arguments of the base estimators' `predict`; only with scikit-learn's metadata routing.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted numbers.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import BaggingRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> BaggingRegressor(random_state=0).fit(X, y).predict(X[:2]).shape
        (2,)
        """
        answers = _routed(self, "predict", X, params)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers
