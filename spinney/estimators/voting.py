"""Voting of different models, with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.ensemble.members import Member, fit_members, naming
from spinney.ensemble.voting import RANKINGS, aggregate_ranks, majority, mean, median, read_weights
from spinney.estimators.composition import (
    Combination,
    ask_classes,
    ask_probabilities,
    encode_labels,
    read_row_weights,
    require_method,
)
from spinney.estimators.targets import read_numbers


class _Voting(TransformerMixin, Combination):
    """What voters share: weights, one fit, a column a member."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Combination._parameter_constraints,
        "weights": ["array-like", None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def _fit_all(self, X: Any, y: np.ndarray, sample_weight: Any, members: list[Member]) -> None:
        read_weights(self.weights, len(self.estimators))
        weights = read_row_weights(X, sample_weight)
        fitted = fit_members(members, X, y, weights, n_jobs=self.n_jobs, verbose=self.verbose)
        self._keep_members(members, fitted)

    def _member_weights(self) -> np.ndarray | None:
        """The weights of the members that are not dropped."""
        weights = read_weights(self.weights, len(self.estimators))
        if weights is None:
            return None
        here = [not isinstance(model, str) for _, model in self.estimators]
        return read_weights(weights[here], sum(here))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        own = type(self).__name__.lower()
        return np.asarray([f"{own}_{name}" for name, _ in self._fitted()], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class VotingClassifier(ClassifierMixin, _Voting):
    """Classes by the vote of several classifiers.

    Hard voting takes the class that most members predict; of equals the first in `classes_`. Soft voting takes the
    class of the highest mean probability, so a member that is sure counts for more.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members and their names; "drop" in place of a classifier leaves it out. Fit uses clones.
    voting : {"hard", "soft"}, default="hard"
        Majority of classes, or mean of probabilities.
    weights : array-like of shape (n_members,), default=None
        How much each member's vote counts.
    n_jobs : int or None, default=None
        Members fitted at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them while it is fitted; scikit-learn's models read None as one thread and keep it.
    flatten_transform : bool, default=True
        With soft voting, whether `transform` puts the members' probabilities side by side, or has them in layers.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    estimators_ : list of classifiers
        The fitted members; they answer in the labels of y.
    named_estimators_ : Bunch
        The same by name.
    le_ : LabelEncoder
        From labels to numbers and back.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Voting._parameter_constraints,
        "voting": [StrOptions({"hard", "soft"})],
        "flatten_transform": ["boolean"],
    }

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
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : table
            Whatever the members take.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            For the members, all of which must take it.

        Returns
        -------
        self
        """
        members = self._members()
        if self.voting == "soft":
            require_method(members, "predict_proba", "voting='soft'")
        self.le_, codes = encode_labels(X, y)
        self.classes_ = self.le_.classes_
        self._fit_all(X, self.classes_[codes], sample_weight, members)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, or of the highest mean probability.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if self.voting == "soft":
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return self.classes_[majority(self._votes(X), len(self.classes_), self._member_weights())]

    def _is_soft(self) -> bool:
        if self.voting != "soft":
            raise AttributeError(f"predict_proba needs voting='soft', got {self.voting!r}.")
        return True

    @available_if(_is_soft)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' probabilities; only with soft voting.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return mean(np.stack(self._probabilities(X)), self._member_weights())

    def _votes(self, X: Any) -> np.ndarray:
        return np.column_stack([ask_classes(name, model, X, self.classes_) for name, model in self._fitted()])

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        return [ask_probabilities(name, model, X, self.classes_) for name, model in self._fitted()]

    def transform(self, X: Any) -> np.ndarray:
        """What each member says: numbers of classes (hard), or probabilities (soft).

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray
            Hard: (n_samples, n_members). Soft: (n_samples, n_members * n_classes), or
            (n_members, n_samples, n_classes) with `flatten_transform=False`.
        """
        check_is_fitted(self)
        if self.voting == "hard":
            return self._votes(X)
        answers = self._probabilities(X)
        return np.hstack(answers) if self.flatten_transform else np.stack(answers)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        names = super().get_feature_names_out(input_features)
        if self.voting == "hard":
            return names
        if not self.flatten_transform:
            raise ValueError("flatten_transform must be True for columns to have names, got False with soft voting.")
        return np.asarray([f"{name}{k}" for name in names for k in range(len(self.classes_))], object)


class VotingRegressor(RegressorMixin, _Voting):
    """Numbers by the vote of several regressors: their mean or median.

    Parameters
    ----------
    estimators : list of (str, regressor)
        The members and their names; "drop" in place of a regressor leaves it out. Fit uses clones.
    weights : array-like of shape (n_members,), default=None
        How much each member's vote counts.
    how : {"mean", "median"}, default="mean"
        The weighted median is the smallest prediction at which the predictions up to it hold half of all weight; if
        exactly half, the middle between it and the next. One member that is far off does not move it.
    n_jobs : int or None, default=None
        Members fitted at once, in threads; None for one. A member with an open `n_jobs` (None) of its own then gets
        an even share of them while it is fitted; scikit-learn's models read None as one thread and keep it.
    verbose : bool, default=False
        Whether to print each member's time.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    named_estimators_ : Bunch
        The same by name.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from spinney import VotingRegressor
    >>> members = [(f"m{k}", DummyRegressor(strategy="constant", constant=k)) for k in (5.43, 5.44, 5.38)]
    >>> VotingRegressor(members, how="median").fit([[0]], [5]).predict([[0]])
    array([5.43])
    """

    _member_kind = "regressor"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Voting._parameter_constraints,
        "how": [StrOptions({"mean", "median"})],
    }

    def __init__(
        self,
        estimators: Any,
        *,
        weights: Any = None,
        how: str = "mean",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.how = how
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : table
            Whatever the members take.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), optional
            For the members, all of which must take it.

        Returns
        -------
        self
        """
        self._fit_all(X, read_numbers(y, _num_samples(X)), sample_weight, self._members())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The mean or median of the members' predictions.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        predictions, weights = self.transform(X), self._member_weights()
        return median(predictions, weights) if self.how == "median" else mean(predictions.T, weights)

    def transform(self, X: Any) -> np.ndarray:
        """Each member's predictions.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_members)
        """
        check_is_fitted(self)
        return np.column_stack(self._answers(X, "predict"))


class RankVoting(Combination, BaseEstimator):
    """Scores for a ranking, from the rankings of several models.

    Members score items: a regressor by its prediction, a classifier of two classes by the probability of the second
    (or its decision function). `predict` gives one score an item, higher is better. By "borda" and "mean_rank" it says
    where the item stands among the rows of X, so the same item may score otherwise in another table.

    Members that are fitted already can be used without calling `fit`.

    Parameters
    ----------
    estimators : list of (str, model)
        The members and their names; "drop" in place of a model leaves it out. Fit uses clones.
    how : {"borda", "mean_rank", "mean_relevance"}, default="borda"
        "borda": from each member a point for every item below and half a point for every tie, summed. "mean_rank":
        minus the mean rank, 1 being the best; ties share the mean of their ranks. "mean_relevance": the mean of the
        members' scores.
    weights : array-like of shape (n_members,), default=None
        How much each member counts.

    Attributes
    ----------
    estimators_ : list of models
        The fitted members.
    named_estimators_ : Bunch
        The same by name.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from spinney import DecisionTreeRegressor, RankVoting
    >>> X, relevance = [[0], [1], [2]], [0, 0, 3]
    >>> model = RankVoting([("line", LinearRegression()), ("tree", DecisionTreeRegressor())])
    >>> model.fit(X, relevance).predict(X)
    array([0.5, 1.5, 4. ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Combination._parameter_constraints,
        "how": [StrOptions(set(RANKINGS))],
        "weights": ["array-like", None],
    }

    def __init__(self, estimators: Any, *, how: str = "borda", weights: Any = None) -> None:
        self.estimators = estimators
        self.how = how
        self.weights = weights

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : table
            Whatever the members take; a row an item.
        y : array-like of shape (n_samples,)
            How relevant each item is.
        sample_weight : array-like of shape (n_samples,), optional
            For the members, all of which must take it.

        Returns
        -------
        self
        """
        members = self._members()
        read_weights(self.weights, len(self.estimators))
        relevance, weights = read_numbers(y, _num_samples(X)), read_row_weights(X, sample_weight)
        self._keep_members(members, fit_members(members, X, relevance, weights))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """One score an item, higher is better.

        Parameters
        ----------
        X : table
            The items to rank, a row each.

        Returns
        -------
        ndarray of shape (n_samples,)
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
            raise ValueError(f"a classifier ranks by its second class of two, this one has {scores.shape[1]} classes.")
        return scores
