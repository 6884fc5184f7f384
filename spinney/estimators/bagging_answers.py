"""What bags answer, with arguments that scikit-learn's metadata routing takes on to the members' own predictions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from spinney.estimators.base import log_probabilities
from spinney.estimators.forest_model import ClassForest, NumberForest
from spinney.estimators.routing import route_to_copies


def _routed(bag: Any, method: str, X: Any, params: dict[str, Any]) -> np.ndarray:
    """(rows, outputs, classes or 1): the mean of what members say who are given what they ask for."""
    given = route_to_copies(bag, method, params) if params else {}
    return bag._mean_of_members(X, partial(bag._say, **given)) if given else bag._mean_answers(X)


class BaggedClasses(ClassForest):
    """The mean of the members' probabilities or votes."""

    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Probability of each class: the mean of the members' probabilities, or of their votes if they have none.

        Parameters
        ----------
        X : table
        **params : dict
            Only with scikit-learn's metadata routing: arguments of the members' `predict_proba` or `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes); a list of such for several outputs
        """
        return self._split_outputs(_routed(self, "predict_proba", X, params))

    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : table
        **params : dict
            Only with scikit-learn's metadata routing: arguments of the members' `predict_proba` or `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes); a list of such for several outputs
        """
        return log_probabilities(self._split_outputs(_routed(self, "predict_proba", X, params)))

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The most probable class of each row; of equals the first in `classes_`.

        Parameters
        ----------
        X : table
        **params : dict
            Only with scikit-learn's metadata routing: arguments of the members' `predict_proba` or `predict`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._name(_routed(self, "predict", X, params).argmax(axis=2))


class BaggedNumbers(NumberForest):
    """The mean of the members' predictions."""

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' predictions.

        Parameters
        ----------
        X : table
        **params : dict
            Only with scikit-learn's metadata routing: arguments of the members' `predict`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        answers = _routed(self, "predict", X, params)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers
