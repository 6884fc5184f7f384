"""Voting of different models, for labels, numbers and rankings, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.data.reading import with_rows
from spinney.data.target import read_numbers
from spinney.ensemble.cross_fitting import Member, fit_members, naming
from spinney.ensemble.voting import RANKINGS, aggregate_ranks, majority, mean, median, read_weights
from spinney.estimators.base import LogProbabilities, OfTrees, all_or_nothing
from spinney.estimators.combine.composition import (
    FITTED_MEMBERS,
    MEMBERS,
    VOTERS,
    Combination,
    ask_classes,
    ask_probabilities,
    encode_labels,
    require_method,
)
from spinney.estimators.docstrings import NUMBERS, OF_MEMBERS, documented
from spinney.estimators.intervals import PredictsIntervals, PredictsSets
from spinney.estimators.params import Parameter, described, keep_parameters
from spinney.estimators.streaming import row_by_row
from spinney.tree.formula import Mixture, mixture_of

_TABLE = {
    **MEMBERS,
    "voting": Parameter(
        '{"hard", "soft"}',
        '"hard": the majority class. "soft": the class with the highest mean probability.',
        [StrOptions({"hard", "soft"})],
    ),
    "flatten_transform": Parameter(
        "bool",
        "With soft voting, whether `transform` concatenates the members' probabilities, or stacks them in a third "
        "dimension.",
        ["boolean"],
    ),
    "how": Parameter(
        '{"mean", "median"}',
        "How predictions are combined. The median is robust to a single member that is far off. The weighted median is "
        "the smallest prediction at which the predictions up to it hold half of the total weight. If they hold exactly "
        "half, it is the midpoint between that prediction and the next.",
        [StrOptions({"mean", "median"})],
    ),
}


class _Voting(OfTrees, TransformerMixin, Combination):
    """What voters share: weights, one fit, a column per member."""

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"sample_weight": UNUSED}  # it is the members' to ask for it

    def _fit_all(self, X: Any, y: np.ndarray, given: dict[str, Any], members: list[Member]) -> None:
        read_weights(self.weights, len(self.estimators))
        params = self._fit_params(members, X, given)
        fitted = fit_members(members, X, y, params, n_jobs=self.n_jobs, verbose=self.verbose)
        self._keep_members(members, fitted)

    def _member_weights(self) -> np.ndarray | None:
        """The weights of the members that are not dropped."""
        weights = read_weights(self.weights, len(self.estimators))
        if weights is None:
            return None
        here = [not isinstance(model, str) for _, model in self.estimators]
        return read_weights(weights[here], sum(here))

    def _formula(self) -> Mixture:
        if getattr(self, "how", "mean") == "median":
            raise ValueError(
                "a median of several models cannot be exported, because it is not a sum. Export the members."
            )
        given = self._member_weights()
        weights = np.ones(len(self.estimators_)) if given is None else given
        return mixture_of(self, weights, float(weights.sum()), by_votes=getattr(self, "voting", "soft") == "hard")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Get the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : object, default=None
            Ignored. Accepted for compatibility with scikit-learn.

        Returns
        -------
        ndarray of str
            One name per column.

        Examples
        --------
        >>> from spinney import DecisionTreeRegressor, ExtraTreeRegressor, VotingRegressor
        >>> members = [("cart", DecisionTreeRegressor()), ("extra", ExtraTreeRegressor(random_state=0))]
        >>> model = VotingRegressor(members).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
        >>> model.get_feature_names_out().tolist()
        ['votingregressor_cart', 'votingregressor_extra']
        """
        check_is_fitted(self)
        own = type(self).__name__.lower()
        return np.asarray([f"{own}_{name}" for name, _ in self._fitted()], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


@described(_TABLE, fitted=FITTED_MEMBERS)
class VotingClassifier(LogProbabilities, PredictsSets, ClassifierMixin, _Voting):
    """Combine several classifiers by majority vote or by mean probabilities.

    Hard voting predicts the class that most members predict; ties go to the first in `classes_`. Soft voting predicts
    the class with the highest mean probability, so a confident member has more influence.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    le_ : LabelEncoder
        Transforms labels to class indices and back.
    {fitted}

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from spinney import DecisionTreeClassifier, VotingClassifier
    >>> members = [("line", LogisticRegression()), ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier())]
    >>> X, y = [[0], [1], [2], [3], [4], [5]], ["a", "a", "a", "b", "b", "b"]
    >>> VotingClassifier(members, voting="soft").fit(X, y).predict([[0.5], [4.5]])
    array(['a', 'b'], dtype='<U1')
    """

    _member_kind = "classifier"

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "hard",
        weights: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    @documented(OF_MEMBERS, setup=VOTERS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Any:
        """Fit the members.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, passed to all members. Each must accept them.
        **fit_params : dict
            Other arguments for the members that request them; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> model = VotingClassifier(members).fit(X, y)
        >>> list(model.named_estimators_)
        ['cart', 'c45']
        """
        members = self._members()
        if self.voting == "soft":
            require_method(members, "predict_proba", "voting='soft'")
        with all_or_nothing(self):
            X = with_rows(X)
            self.le_, codes = encode_labels(X, y, type(self).__name__)
            self.classes_ = self.le_.classes_
            self._fit_all(X, self.classes_[codes], {"sample_weight": sample_weight, **fit_params}, members)
        return self

    @row_by_row()
    @documented(OF_MEMBERS, setup=VOTERS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict classes.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class with the most votes, or with the highest mean probability.

        Examples
        --------
        >>> model = VotingClassifier(members, voting="soft").fit(X, y)
        >>> model.predict([[0.5], [2.5]]).tolist()
        ['a', 'b']
        """
        check_is_fitted(self)
        if self.voting == "soft":
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return self.classes_[majority(self._votes(X), len(self.classes_), self._member_weights())]

    def _is_soft(self) -> bool:
        if self.voting != "soft":
            raise AttributeError(f"predict_proba is not available when voting={self.voting!r}. Set voting='soft'.")
        return True

    @available_if(_is_soft)
    @row_by_row()
    @documented(OF_MEMBERS, setup=VOTERS)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities, the mean of the members'. Only with `voting="soft"`.

        Examples
        --------
        >>> model = VotingClassifier(members, voting="soft").fit(X, y)
        >>> model.predict_proba([[0.5]]).round(3).tolist()
        [[1.0, 0.0]]
        """
        check_is_fitted(self)
        return mean(np.stack(self._probabilities(X)), self._member_weights())

    def _votes(self, X: Any) -> np.ndarray:
        return np.column_stack([ask_classes(name, model, X, self.classes_) for name, model in self._fitted()])

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        return [ask_probabilities(name, model, X, self.classes_) for name, model in self._fitted()]

    @row_by_row()
    @documented(OF_MEMBERS, setup=VOTERS)
    def transform(self, X: Any) -> np.ndarray:
        """Return each member's predictions.

        Returns
        -------
        ndarray
            Hard voting: class indices, of shape (n_samples, n_members). Soft voting: probabilities, of shape
            (n_samples, n_members * n_classes), or (n_members, n_samples, n_classes) with `flatten_transform=False`.

        Examples
        --------
        >>> model = VotingClassifier(members, voting="soft").fit(X, y)
        >>> model.transform([[0.5]]).shape
        (1, 4)
        """
        check_is_fitted(self)
        if self.voting == "hard":
            return self._votes(X)
        answers = self._probabilities(X)
        return np.hstack(answers) if self.flatten_transform else np.stack(answers)

    @documented(setup=VOTERS)
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Get the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : object, default=None
            Ignored. Accepted for compatibility with scikit-learn.

        Returns
        -------
        ndarray of str
            One name per column.

        Examples
        --------
        >>> model = VotingClassifier(members, voting="soft").fit(X, y)
        >>> model.get_feature_names_out().tolist()
        ['votingclassifier_cart0', 'votingclassifier_cart1', 'votingclassifier_c450', 'votingclassifier_c451']
        """
        names = super().get_feature_names_out(input_features)
        if self.voting == "hard":
            return names
        if not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`. Set "
                "flatten_transform=True."
            )
        return np.asarray([f"{name}{k}" for name in names for k in range(len(self.classes_))], object)


_NUMBER_VOTERS = """
>>> from sklearn.linear_model import LinearRegression
>>> from spinney import DecisionTreeRegressor, VotingRegressor
>>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
>>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=1))]
"""


@described(_TABLE, fitted=FITTED_MEMBERS)
class VotingRegressor(PredictsIntervals, RegressorMixin, _Voting):
    """Combine several regressors by the mean or median of their predictions.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from spinney import VotingRegressor
    >>> members = [(f"m{k}", DummyRegressor(strategy="constant", constant=k)) for k in (5.43, 5.44, 5.38)]
    >>> VotingRegressor(members, how="median").fit([[0]], [5]).predict([[0]])
    array([5.43])
    """

    _member_kind = "regressor"

    def __init__(
        self,
        estimators: Any,
        *,
        weights: Any = None,
        how: str = "mean",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    @documented(OF_MEMBERS, setup=_NUMBER_VOTERS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Any:
        """Fit the members.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Numeric target.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, passed to all members. Each must accept them.
        **fit_params : dict
            Other arguments for the members that request them; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> model = VotingRegressor(members, how="median").fit(X, y)
        >>> list(model.named_estimators_)
        ['line', 'tree']
        """
        members = self._members()
        with all_or_nothing(self):
            X = with_rows(X)
            numbers = read_numbers(y, _num_samples(X), type(self).__name__)
            self._fit_all(X, numbers, {"sample_weight": sample_weight, **fit_params}, members)
        return self

    @row_by_row()
    @documented(OF_MEMBERS, returns=NUMBERS, setup=_NUMBER_VOTERS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the mean or median of the members' predictions.

        Examples
        --------
        >>> model = VotingRegressor(members).fit(X, y)
        >>> model.predict([[1.0]]).round(3).tolist()
        [0.75]
        """
        predictions, weights = self.transform(X), self._member_weights()
        return median(predictions, weights) if self.how == "median" else mean(predictions.T, weights)

    @row_by_row()
    @documented(OF_MEMBERS, setup=_NUMBER_VOTERS)
    def transform(self, X: Any) -> np.ndarray:
        """Return each member's predictions.

        Returns
        -------
        ndarray of shape (n_samples, n_members)
            A column per member.

        Examples
        --------
        >>> model = VotingRegressor(members).fit(X, y)
        >>> model.transform([[1.0]]).round(3).tolist()
        [[1.0, 0.5]]
        """
        check_is_fitted(self)
        return np.column_stack(self._answers(X, "predict"))


# ----------------------------------------------------------------------------------------------------------------------
# Rankings from the rankings of several models.


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


_RANKS = """
>>> from sklearn.linear_model import LinearRegression
>>> from spinney import DecisionTreeRegressor, RankVoting
>>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
>>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=1))]
>>> model = RankVoting(members).fit(X, y)
"""


@described(_RANKING, fitted=FITTED_MEMBERS)
class RankVoting(Combination, BaseEstimator):
    """Combine the rankings of several models into scores for one ranking.

    Members score items: a regressor by its prediction, a binary classifier by the probability of the second class (or
    its decision function). `predict` returns one score per item; higher is better. With "borda" and "mean_rank", the
    score is relative to the other rows of X, so the same item may score differently in other data.

    Members that are already fitted can be used without calling `fit`.

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

    @documented(setup=_RANKS)
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

        Examples
        --------
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
    @documented(setup=_RANKS)
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
