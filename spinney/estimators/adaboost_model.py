"""Base class of both AdaBoost models: fits and evaluates members. No algorithm in here: see ensemble/adaboost.py.

Members receive X unchanged, so AdaBoost accepts whatever they do. For Spinney's trees it is read and sorted once, for
all rounds (tree_series.py).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import _raise_for_unsupported_routing, _RoutingNotSupportedMixin
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter

from spinney._seed import read_seed
from spinney.data.reading import as_frame
from spinney.data.schema import Column, Schema
from spinney.data.weights import Weights
from spinney.ensemble.members import draw_seed, seeded
from spinney.estimators.base import CopiesModel, all_or_nothing, hash_of, read_sample_weight, take_inputs_of_members
from spinney.estimators.params import check_parameters
from spinney.estimators.tree_series import TreeSeries, can_share, leaves_of_members

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.adaboost import ByLeaves, FitMember, Judge, Rounds
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import Forest


class AdaBoostModel(_RoutingNotSupportedMixin, CopiesModel):
    """Members fitted in turn on changing weights, and their weighted vote."""

    estimators_: list[Any]
    estimator_weights_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the base estimators in turn.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Input data that the base estimator accepts. With Spinney's trees, NumPy arrays and pandas, polars or Arrow
            tables may hold numbers, Booleans, strings, categories and missing values.
        y : array-like of shape (n_samples,)
            Target: class labels or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Row weights of the first round. None gives all rows the same weight. Rows of weight 0 are left out.

        Returns
        -------
        self : estimator
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import AdaBoostClassifier
        >>> AdaBoostClassifier(n_estimators=10).fit(*load_iris(return_X_y=True))
        AdaBoostClassifier(n_estimators=10)
        """
        _raise_for_unsupported_routing(self, "fit", sample_weight=sample_weight)
        check_parameters(self)
        with all_or_nothing(self):
            schema, X = self._learn(X)
            n_rows = _num_samples(X)
            target = self._read_target(y, n_rows)
            self._boost(X, target, read_sample_weight(sample_weight, n_rows))
            self._keep_schema(schema)
        return self

    def _learn(self, X: Any) -> tuple[Schema, Any]:
        """The schema of X, and X as members can read it."""
        return (Schema((Column(None),) * X.shape[1]), X) if self._is_deep(X) else super()._learn(X)

    def _check(self, X: Any) -> Any:
        """X as members can read it, checked for the columns of fit."""
        if not self._is_deep(X):
            return super()._check(X)
        check_is_fitted(self)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        return X

    def _is_deep(self, X: Any) -> bool:
        """Whether X is an array of more than two dimensions, which estimators of other libraries may accept."""
        return isinstance(X, np.ndarray) and X.ndim > 2 and not can_share(self._template())

    def _boost(self, X: Any, target: np.ndarray, weights: Weights) -> None:
        from spinney.ensemble.adaboost import boost, run

        first = weights.total()
        first = np.ones(len(target)) if first is None else first
        keep = getattr(self, "keep_weights", False)
        with self._fitter(X, target, weights) as fit_member:
            judge = self._judge(target, first)
            by_leaves = fit_member.by_leaves(judge, first) if isinstance(fit_member, _Trees) and not keep else None
            if by_leaves is None:
                rounds = boost(fit_member, judge, first, self.n_estimators, keep)
            else:
                rounds = run(by_leaves, self.n_estimators)
            if not rounds.members:
                self._refuse(rounds.last_error)
        self._keep_rounds(rounds)

    def _keep_rounds(self, rounds: Rounds) -> None:
        self.estimators_, self.estimator_ = rounds.members, clone(self._template())
        self.estimator_weights_, self.estimator_errors_ = rounds.votes, rounds.errors
        self._history = rounds.history

    @contextmanager
    def _fitter(self, X: Any, target: np.ndarray, weights: Weights) -> Iterator[FitMember]:
        """A function that fits one member to given weights, as `ensemble.adaboost.boost` wants it."""
        draw = self._drawer(X, target, weights) if self._resamples() else None
        random = check_random_state(self.random_state)
        if can_share(self._template()):
            series = TreeSeries(self._template(), X, self._labels(target), weights)
            with series.make_team() as team:
                yield _Trees(self, series, draw, random, team)
        else:
            yield self._fit_member(X, target, draw, random)

    def _fit_member(self, X: Any, target: np.ndarray, draw: Any, random: np.random.RandomState) -> FitMember:
        """Members of any kind."""
        labels = self._labels(target)
        if draw is None and not has_fit_parameter(self._template(), "sample_weight"):
            name = type(self._template()).__name__
            raise ValueError(
                f"{name} doesn't support sample_weight. Set reweight='resample' to fit it on weighted bootstraps."
            )

        def fit_member(weights: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
            member = seeded(clone(self._template()), random)
            if draw is None:
                member.fit(X, labels, sample_weight=weights)
            else:
                rows = draw(weights, number)
                member.fit(_take(X, rows), labels[rows])
            return member, self._answers(member, X)

        return fit_member

    def _drawer(self, X: Any, target: np.ndarray, weights: Weights) -> Any:
        """A function (weights, round) -> rows of a bootstrap; as many as there are rows, repeated ones counted."""
        from spinney.data.content import order_of_any
        from spinney.ensemble.bootstrap import draw_rows

        order = order_of_any(X, target[None], weights.total())
        seed = read_seed(self.random_state)
        n_draws = weights.n_samples(len(target))
        return lambda now, number: draw_rows(order, now, n_draws, seed, number)

    def _resamples(self) -> bool:
        raise NotImplementedError

    def _refuse(self, error: float) -> NoReturn:
        """Raise because the first member is no better than guessing."""
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return target

    def _judge(self, target: np.ndarray, first: np.ndarray) -> Judge:
        raise NotImplementedError

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """A member's predictions, as the judge wants them."""
        raise NotImplementedError

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        """The same for rows in these leaves of a tree."""
        raise NotImplementedError

    def _all_answers(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's predictions in turn."""
        ends = leaves_of_members(self.estimators_, X)
        if ends is None:
            yield from (self._answers(member, X) for member in self.estimators_)
        else:
            yield from (self._answers_in(leaves, member.tree_) for member, leaves in zip(self.estimators_, ends))

    def predict(self, X: Any) -> np.ndarray:
        """Predict with all members."""
        raise NotImplementedError

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Compute `predict` after each round."""
        raise NotImplementedError

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Compute the score after each round.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        y : array-like of shape (n_samples,)
            True labels or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the score.

        Yields
        ------
        score : float
            The accuracy, or R2 for regression, after this round.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import AdaBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
        >>> [round(score, 2) for score in model.staged_score(X, y)]
        [0.67, 0.66, 0.96]
        """
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        for predicted in self.staged_predict(X):
            yield float(measure(y, predicted, sample_weight=sample_weight))

    @property
    def forest_(self) -> Forest:
        """All trees, stored together; only if the base estimator is a Spinney tree."""
        from spinney.tree.join import join

        check_is_fitted(self)
        if not can_share(self._template()):
            raise AttributeError(
                f"forest_ needs Spinney's trees as members, and {type(self.estimators_[0]).__name__} is not one."
            )
        return join([member.tree_.forest for member in self.estimators_])

    @property
    def feature_importances_(self) -> np.ndarray:
        """The importances of the base estimators, averaged by estimator weight."""
        check_is_fitted(self)
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            name = type(self.estimators_[0]).__name__
            raise AttributeError(f"feature_importances_ needs members that have it, and {name} does not.")
        says = np.abs(self.estimator_weights_)
        says = says if says.any() else np.ones(len(says))
        return np.average([member.feature_importances_ for member in self.estimators_], axis=0, weights=says)

    def _fingerprint(self) -> str:
        """A hash of the members' fingerprints and weights; only if the members have fingerprints."""
        return hash_of([self.estimator_weights_.tobytes(), *(one.fingerprint_.encode() for one in self.estimators_)])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        take_inputs_of_members(tags, [get_tags(self._template()).input_tags])
        return tags


class _Trees:
    """Members that are Spinney's trees."""

    def __init__(
        self, model: AdaBoostModel, series: TreeSeries, draw: Any, random: np.random.RandomState, team: Team
    ) -> None:
        self._model, self._series, self._draw, self._random, self._team = model, series, draw, random, team
        self._fresh = clone(model._template())

    def _make(self) -> Any:
        """A new member: like `seeded` and `clone`, in a tenth of the time, which matters for stumps."""
        member = copy.deepcopy(self._fresh)
        member.random_state = draw_seed(self._random)
        return member

    def __call__(self, weights: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
        """A `FitMember`."""
        member = self._make()
        if self._draw is None:
            meant = Weights(None if weights.all() else (weights > 0).astype(np.int64), weights)
        else:
            meant = Weights(np.bincount(self._draw(weights, number), minlength=len(weights)), None)
        return member, self._model._answers_in(self._series.fit(member, meant, self._team), member.tree_)

    def by_leaves(self, judge: Any, first: np.ndarray) -> ByLeaves | None:
        """The rounds of stumps of a large table with two classes; None for anything else."""
        from spinney.ensemble.adaboost import ByLeaves, first_weights

        rounds = self._series.rounds(*first_weights(first), self._team) if self._draw is None else None
        if rounds is None:
            return None

        def fit_tree(number: int) -> tuple[Any, np.ndarray, np.ndarray]:
            member, tree = self._make(), rounds.grow()
            self._series.finish(member, tree)
            leaves = np.flatnonzero(tree.is_leaf)
            return member, tree.answers[leaves, 0], self._model._answers_in(leaves, tree)

        return ByLeaves(fit_tree, rounds.reweigh, judge)


def _take(X: Any, rows: np.ndarray) -> Any:
    frame = as_frame(X)
    return X[rows] if frame is None else frame[rows.tolist()].to_native()
