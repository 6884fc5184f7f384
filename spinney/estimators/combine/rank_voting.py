"""Rankings from the rankings of several models, with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.data.reading import with_rows
from spinney.ensemble.cross_fitting import Member, fit_members, naming
from spinney.ensemble.voting import RANKINGS, aggregate_ranks, read_weights
from spinney.estimators.base import all_or_nothing
from spinney.estimators.combine.composition import FITTED_MEMBERS, MEMBERS, Combination
from spinney.estimators.params import Parameter, described, keep_parameters
from spinney.estimators.streaming import row_by_row
from spinney.estimators.targets import read_numbers

_RANKING = {
    **MEMBERS,
    "how": Parameter(
        '{"borda", "mean_rank", "mean_relevance"}',
        'How rankings are combined. "borda": each member gives an item a point for every item below it and half a '
        'point for every tie; points are summed. "mean_rank": minus the mean rank, 1 being the best; ties get the mean '
        'of their ranks. "mean_relevance": the mean of the members\' scores.',
        [StrOptions(set(RANKINGS))],
    ),
}


@described(_RANKING, fitted=FITTED_MEMBERS)
class RankVoting(Combination, BaseEstimator):
    """Combine the rankings of several models into scores for one ranking.

    Members score items: a regressor by its prediction, a binary classifier by the probability of the second class (or
    its decision function). `predict` returns one score per item; higher is better. With "borda" and "mean_rank", the
    score is relative to the other rows of X, so the same item may score differently in other data.

    Members that are already fitted can be used without calling `fit`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from spinney import DecisionTreeRegressor, RankVoting
    >>> X, relevance = [[0], [1], [2]], [0, 0, 3]
    >>> model = RankVoting([("line", LinearRegression()), ("tree", DecisionTreeRegressor())])
    >>> model.fit(X, relevance).predict(X)
    array([0.5, 1.5, 4. ])
    """

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"sample_weight": UNUSED}  # it is the members' to ask for it

    def __init__(self, estimators: Any, *, how: str = "borda", weights: Any = None) -> None:
        keep_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data, in any form that the members accept. Each row is an item.
        y : array-like of shape (n_samples,)
            Relevance of each item.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, passed to all members. Each must accept them.
        **fit_params : dict
            Other arguments for the members that request them; only with scikit-learn's metadata routing.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from spinney import DecisionTreeRegressor, RankVoting
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
        >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=1))]
        >>> model = RankVoting(members).fit(X, y)
        >>> list(model.named_estimators_)
        ['line', 'tree']
        """
        members = self._members()
        read_weights(self.weights, len(self.estimators))
        X = with_rows(X)
        relevance = read_numbers(y, _num_samples(X), type(self).__name__)
        params = self._fit_params(members, X, {"sample_weight": sample_weight, **fit_params})
        with all_or_nothing(self):
            self._keep_members(members, fit_members(members, X, relevance, params))
        return self

    @row_by_row()
    def predict(self, X: Any) -> np.ndarray:
        """Predict one score per item; higher is better.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The items to rank, one per row.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from spinney import DecisionTreeRegressor, RankVoting
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
        >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=1))]
        >>> model = RankVoting(members).fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist()
        [0.0, 2.0]
        """
        weights = read_weights(self.weights, len(self.estimators))
        if weights is not None:
            weights = weights[[not isinstance(model, str) for _, model in self.estimators]]
        scores = [_relevance(name, model, X) for name, model in self._scorers()]
        return aggregate_ranks(np.column_stack(scores), self.how, weights)

    def _scorers(self) -> list[Member]:
        if hasattr(self, "named_estimators_"):
            return self._fitted()
        members = self._members()
        try:
            for _, model in members:
                check_is_fitted(model)
        except NotFittedError:
            raise NotFittedError("This RankVoting is not fitted, and not all of its members are: call fit.") from None
        return members


def _relevance(name: str, model: Any, X: Any) -> np.ndarray:
    """A member's score of each item."""
    with naming(name, "predict"):
        if not is_classifier(model):
            return np.asarray(model.predict(X))
        if hasattr(model, "predict_proba"):
            scores = np.asarray(model.predict_proba(X))
            scores = scores[:, 1] if scores.shape[1] == 2 else scores
        else:
            scores = np.asarray(model.decision_function(X))
        if scores.ndim != 1:
            raise ValueError(f"ranking needs two classes, but this classifier has {scores.shape[1]}. Use a regressor.")
        return scores
