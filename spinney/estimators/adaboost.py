"""AdaBoost with scikit-learn's interface: classes and numbers. No algorithm in here.

Members get the table as it came: whatever they can read, AdaBoost can. For our own trees it is read and sorted once,
for all rounds (tree_series.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from spinney._seed import read_seed
from spinney.data.schema import learn_and_read, learn_names
from spinney.data.tables import as_frame
from spinney.data.weights import Weights
from spinney.ensemble.members import seeded
from spinney.estimators.base import TableModel, all_or_nothing, hash_of, read_sample_weight
from spinney.estimators.params import check_parameters, keep_parameters
from spinney.estimators.targets import find_classes, read_labels, read_numbers
from spinney.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.estimators.tree_series import TreeSeries, can_share, leaves_of_members

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.adaboost import FitMember, Judge
    from spinney.tree.decision import DecisionTree


class _AdaBoost(MetaEstimatorMixin, TableModel):
    """What both estimators share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }
    estimators_: list[Any]
    estimator_weights_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members in turn.

        Parameters
        ----------
        X : table
            Whatever the members can read: NumPy array, pandas or polars frame, Arrow table.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weights of the first round; equal by default. Rows of weight 0 take no part.

        Returns
        -------
        self
        """
        check_parameters(self)
        with all_or_nothing(self):
            schema, source = learn_names(X, type(self).__name__)
            X = X if hasattr(X, "shape") else source.origin
            target = self._read_target(y, source.n_rows)
            self._boost(X, target, read_sample_weight(sample_weight, source.n_rows))
            self._keep_schema(schema)
        return self

    def _boost(self, X: Any, target: np.ndarray, weights: Weights) -> None:
        from spinney.ensemble.adaboost import boost

        first = weights.total()
        first = np.ones(len(target)) if first is None else first
        keep = getattr(self, "keep_weights", False)
        with self._fitter(X, target, weights) as fit_member:
            rounds = boost(fit_member, self._judge(target), first, self.n_estimators, keep)
        if not rounds.members:
            self._refuse(rounds.last_error)
        self.estimators_ = rounds.members
        self.estimator_weights_, self.estimator_errors_ = rounds.votes, rounds.errors
        self._history = rounds.history

    @contextmanager
    def _fitter(self, X: Any, target: np.ndarray, weights: Weights) -> Iterator[FitMember]:
        """A function that fits one member to given weights, as `ensemble.adaboost.boost` wants it."""
        draw = self._drawer(X, target, weights) if self._resamples() else None
        random = check_random_state(self.random_state)
        if can_share(self._template()):
            series = TreeSeries(self._template(), X, self._labels(target))
            with series.make_team() as team:
                yield self._fit_tree(series, draw, random, team)
        else:
            yield self._fit_member(X, target, draw, random)

    def _fit_tree(self, series: TreeSeries, draw: Any, random: np.random.RandomState, team: Team) -> FitMember:
        """Members that are our own trees."""

        def fit_member(weights: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
            member = seeded(clone(self._template()), random)
            if draw is None:
                meant = Weights(None if weights.all() else (weights > 0).astype(np.int64), weights)
            else:
                meant = Weights(np.bincount(draw(weights, number), minlength=len(weights)), None)
            return member, self._answers_in(series.fit(member, meant, team), member.tree_)

        return fit_member

    def _fit_member(self, X: Any, target: np.ndarray, draw: Any, random: np.random.RandomState) -> FitMember:
        """Members of any kind."""
        labels = self._labels(target)
        if draw is None and not has_fit_parameter(self._template(), "sample_weight"):
            name = type(self._template()).__name__
            raise ValueError(
                f"estimator must take sample_weight in fit, and {name} does not: "
                "set reweight='resample' to fit it on weighted bootstraps."
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
        from spinney.ensemble.bootstrap import draw_rows, order_by_content

        order = order_by_content(learn_and_read(X, owner=type(self).__name__)[1], target)
        seed = read_seed(self.random_state)
        n_draws = len(target) if weights.counts is None else int(weights.counts.sum())
        return lambda now, number: draw_rows(order, now, n_draws, seed, number)

    def _template(self) -> Any:
        """The estimator that members are copies of."""
        return self._default() if self.estimator is None else self.estimator

    def _default(self) -> Any:
        raise NotImplementedError

    def _resamples(self) -> bool:
        raise NotImplementedError

    def _refuse(self, error: float) -> None:
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return target

    def _judge(self, target: np.ndarray) -> Judge:
        raise NotImplementedError

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """A member's answers, as the judge wants them."""
        raise NotImplementedError

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        """The same of rows that end in these leaves of a tree."""
        raise NotImplementedError

    def _all_answers(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's answers in turn."""
        ends = leaves_of_members(self.estimators_, X)
        if ends is None:
            yield from (self._answers(member, X) for member in self.estimators_)
        else:
            yield from (self._answers_in(leaves, member.tree_) for member, leaves in zip(self.estimators_, ends))

    def _check(self, X: Any) -> Any:
        """X as members can read it, if its columns are those of fit."""
        check_is_fitted(self)
        source = self._schema.open(X, type(self).__name__)
        return X if hasattr(X, "shape") else source.origin

    def predict(self, X: Any) -> np.ndarray:
        """The answer of all members together."""
        raise NotImplementedError

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        raise NotImplementedError

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """`score` after each round."""
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        for predicted in self.staged_predict(X):
            yield float(measure(y, predicted, sample_weight=sample_weight))

    @property
    def feature_importances_(self) -> np.ndarray:
        """The members' importances, averaged by how much each has to say."""
        check_is_fitted(self)
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            name = type(self.estimators_[0]).__name__
            raise AttributeError(f"feature_importances_ needs members that have it, and {name} does not.")
        says = np.abs(self.estimator_weights_)
        says = says if says.any() else np.ones(len(says))
        return np.average([member.feature_importances_ for member in self.estimators_], axis=0, weights=says)

    def _fingerprint(self) -> str:
        """Of the members' fingerprints and votes; only if the members have fingerprints."""
        return hash_of([self.estimator_weights_.tobytes(), *(one.fingerprint_.encode() for one in self.estimators_)])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags, members = super().__sklearn_tags__(), get_tags(self._template()).input_tags
        tags.input_tags.allow_nan = members.allow_nan
        tags.input_tags.categorical = members.categorical
        return tags


def _take(X: Any, rows: np.ndarray) -> Any:
    frame = as_frame(X)
    return X[rows] if frame is None else frame[rows.tolist()].to_native()


class AdaBoostClassifier(ClassifierMixin, _AdaBoost):
    """AdaBoost: weak classifiers in turn, each fitted to what those before it got wrong, and a weighted vote.

    Parameters
    ----------
    estimator : classifier or None, default None
        What the members are copies of: any classifier whose `fit` takes sample_weight. None: our stump,
        `DecisionTreeClassifier(max_depth=1)`.
    n_estimators : int, default 50
        Most rounds; a perfect member ends them early.
    learning_rate : float, default 1.0
        Factor of every vote, and so of how far weights move.
    algorithm : {"SAMME", "SAMME.R", "discrete"}, default "SAMME"
        "SAMME": any number of classes, a vote is ln((1 - error) / error) + ln(n_classes - 1). "SAMME.R": members vote
        with the logarithms of their probabilities. "discrete": the original, two classes, a vote is
        1/2 ln((1 - error) / error).
    on_weak : {"stop", "flip"}, default "stop"
        What to do with a member no better than guessing (error of 1 - 1/n_classes or more): end the rounds without it,
        or give it a negative vote. SAMME.R keeps all members. With bootstraps "stop" only leaves it out: the next one
        may be luckier.
    reweight : True or "resample", default True
        True: members get the weights. "resample": members are fitted on as many rows, drawn with replacement by weight;
        then the estimator need not take weights.
    keep_weights : bool, default False
        Keep the rows' weights of every round in `sample_weight_history_`.
    random_state : int, RandomState or None
        For "resample", and for members with a random_state.
    n_jobs : int or None
        Threads of the default stump; None: every core. The model does not depend on it.

    Attributes
    ----------
    estimators_ : list of classifiers
    estimator_weights_ : ndarray of shape (n_members,)
        The votes.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted errors.
    classes_ : ndarray
    n_classes_ : int
    sample_weight_history_ : ndarray of shape (n_members + 1, n_samples), or None without keep_weights
        Weights at the start and after each round; each row adds up to 1.
    feature_importances_ : ndarray
        The members', averaged by vote.
    fingerprint_ : str
        A hash of the members' fingerprints and votes.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from spinney import AdaBoostClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.estimator_errors_[:3].round(3).tolist()
    [0.209, 0.202, 0.106]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_AdaBoost._parameter_constraints,
        "algorithm": [StrOptions({"SAMME", "SAMME.R", "discrete"})],
        "on_weak": [StrOptions({"stop", "flip"})],
        "reweight": [Options(bool, {True}), StrOptions({"resample"})],
        "keep_weights": ["boolean"],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
    }
    classes_: np.ndarray
    n_classes_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        algorithm: str = "SAMME",
        on_weak: str = "stop",
        reweight: Any = True,
        keep_weights: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @property
    def sample_weight_history_(self) -> np.ndarray | None:
        """Weights at the start and after each round, (n_members + 1, n_samples); None without keep_weights."""
        check_is_fitted(self)
        return self._history

    def _default(self) -> Any:
        return DecisionTreeClassifier(max_depth=1, n_jobs=self.n_jobs)

    def _resamples(self) -> bool:
        return self.reweight == "resample"

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        """Class numbers."""
        self.classes_, codes = find_classes(read_labels(y, n_rows))
        self.n_classes_ = len(self.classes_)
        if self.algorithm == "discrete" and self.n_classes_ > 2:
            raise ValueError(
                f"algorithm='discrete' is for two classes, and y has {self.n_classes_}: "
                "use algorithm='SAMME' or 'SAMME.R'."
            )
        if self.algorithm == "SAMME.R" and not hasattr(self._template(), "predict_proba"):
            name = type(self._template()).__name__
            raise ValueError(
                f"algorithm='SAMME.R' needs an estimator with predict_proba, and {name} has none: "
                "use algorithm='SAMME'."
            )
        return codes.astype(np.int64)

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return self.classes_[target]

    def _judge(self, target: np.ndarray) -> Judge:
        from spinney.ensemble.adaboost import Discrete, Samme, SammeR

        if self.algorithm == "SAMME.R":
            return SammeR(target, self.learning_rate)
        kind = Discrete if self.algorithm == "discrete" else Samme
        return kind(target, self.n_classes_, self.learning_rate, self.on_weak == "flip", goes_on=self._resamples())

    def _refuse(self, error: float) -> None:
        raise ValueError(
            f"The first member is wrong on {error:.3g} of the weight, no better than guessing among {self.n_classes_} "
            "classes: use a stronger estimator, such as a deeper tree."
        )

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """Class numbers, or probabilities for SAMME.R; a member need not know all classes."""
        if self.algorithm != "SAMME.R":
            return np.searchsorted(self.classes_, member.predict(X))
        known = member.predict_proba(X)
        if known.shape[1] == self.n_classes_:
            return known
        probabilities = np.zeros((len(known), self.n_classes_))
        probabilities[:, np.searchsorted(self.classes_, member.classes_)] = known
        return probabilities

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        return (tree.probabilities if self.algorithm == "SAMME.R" else tree.majority)[:, 0].take(leaves, axis=0)

    def _says(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's say on every class, (n_samples, n_classes)."""
        from spinney.ensemble.adaboost import class_votes, log_votes

        for answers in self._all_answers(X):
            yield log_votes(answers) if self.algorithm == "SAMME.R" else class_votes(answers, self.n_classes_)

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        from spinney.ensemble.adaboost import staged_sums

        X = self._check(X)
        norms = np.cumsum(np.abs(self.estimator_weights_))
        for total, norm in zip(staged_sums(self._says(X), self.estimator_weights_), norms):
            if self.algorithm == "discrete" and self.n_classes_ == 2:
                yield total[:, 1]
            elif self.n_classes_ == 2:
                yield (total[:, 1] - total[:, 0]) / norm
            else:
                yield total / norm

    def decision_function(self, X: Any) -> np.ndarray:
        """How the vote goes: (n_samples,) for two classes, positive for the second; else (n_samples, n_classes).

        SAMME and SAMME.R: scikit-learn's numbers, divided by the sum of the votes. "discrete": the sum of vote times
        +1 or -1.
        """
        *_, last = self.staged_decision_function(X)
        return last

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        for decision in self.staged_decision_function(X):
            yield self._choose(decision)

    def predict(self, X: Any) -> np.ndarray:
        """The class that gets most of the vote."""
        return self._choose(self.decision_function(X))

    def _choose(self, decision: np.ndarray) -> np.ndarray:
        return self.classes_[(decision > 0).astype(np.int64) if decision.ndim == 1 else decision.argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each round."""
        for decision in self.staged_decision_function(X):
            yield self._probabilities(decision)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities from the vote, (n_samples, n_classes).

        SAMME and SAMME.R: scikit-learn's, the softmax of `decision_function` / (n_classes - 1). "discrete":
        1 / (1 + exp(-2 decision)), what the sum of votes estimates.
        """
        return self._probabilities(self.decision_function(X))

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        from scipy.special import softmax

        if decision.ndim == 1:
            scale = 1.0 if self.algorithm == "discrete" else 0.5
            return softmax(np.column_stack([-decision, decision]) * scale, axis=1)
        return softmax(decision / max(self.n_classes_ - 1, 1), axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))


class AdaBoostRegressor(RegressorMixin, _AdaBoost):
    """AdaBoost.R2: regressors in turn, each fitted to a bootstrap with more of the rows that were predicted badly.

    The prediction is the median of the members' predictions, weighted by their votes.

    Parameters
    ----------
    estimator : regressor or None, default None
        What the members are copies of. None: our `DecisionTreeRegressor(max_depth=3)`.
    n_estimators : int, default 50
        Most rounds; a perfect member, or one with a mean loss of 1/2 or more, ends them early.
    learning_rate : float, default 1.0
        Factor of every vote, and so of how far weights move.
    loss : {"linear", "square", "exponential"}, default "linear"
        How a row's error, as a share of the largest, counts.
    random_state : int, RandomState or None
        For the bootstraps, and for members with a random_state.

    Attributes
    ----------
    estimators_ : list of regressors
    estimator_weights_ : ndarray of shape (n_members,)
        The votes.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted mean losses.
    feature_importances_ : ndarray
        The members', averaged by vote.
    fingerprint_ : str
        A hash of the members' fingerprints and votes.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import AdaBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRegressor(n_estimators=10, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_AdaBoost._parameter_constraints,
        "loss": [StrOptions({"linear", "square", "exponential"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    def _default(self) -> Any:
        return DecisionTreeRegressor(max_depth=3)

    def _resamples(self) -> bool:
        return True

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        return read_numbers(y, n_rows)

    def _judge(self, target: np.ndarray) -> Judge:
        from spinney.ensemble.adaboost import R2

        return R2(target, self.loss, self.learning_rate)

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), np.float64)

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        return tree.answers[leaves, 0, 0]

    def _predictions(self, X: Any) -> np.ndarray:
        """Every member's, (n_samples, n_members)."""
        X = self._check(X)
        return np.column_stack(list(self._all_answers(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The weighted median of the members' predictions."""
        from spinney.ensemble.adaboost import weighted_median

        return weighted_median(self._predictions(X), self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        from spinney.ensemble.adaboost import weighted_median

        predictions = self._predictions(X)
        for n_members in range(1, len(self.estimators_) + 1):
            yield weighted_median(predictions[:, :n_members], self.estimator_weights_[:n_members])
