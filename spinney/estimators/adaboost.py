"""AdaBoost for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Options, StrOptions
from sklearn.utils.metadata_routing import _raise_for_unsupported_routing, _RoutingNotSupportedMixin
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter

from spinney.data.reading import as_frame
from spinney.data.schema import Schema, SchemaColumn
from spinney.data.target import find_classes, read_labels, read_numbers
from spinney.data.weights import Weights, read_sample_weight
from spinney.ensemble.cross_fitting import draw_seed, seeded
from spinney.estimators.base import (
    CopiesModel,
    Explained,
    OfTrees,
    TableClassifier,
    TableRegressor,
    all_or_nothing,
    hash_of,
    take_inputs_of_members,
)
from spinney.estimators.docstrings import LABELS, LOCAL, NUMBERS, documented
from spinney.estimators.params import (
    AT_LEAST_1,
    COMMON,
    POSITIVE,
    Parameter,
    check_parameters,
    described,
    keep_parameters,
    read_seed,
)
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.estimators.trees.reweighted import TreeSeries, are_of_one_series, can_share, leaves_of_members
from spinney.gpu import model_methods as on_gpu
from spinney.tree.decision import OneTree
from spinney.tree.forest import join
from spinney.tree.formula import Formula, not_of_trees
from spinney.tree.questions import spreads

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.adaboost import AdaBoostRounds, ByLeaves, FitMember, MemberEvaluator
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import Forest


# ----------------------------------------------------------------------------------------------------------------------
# Base class of both AdaBoost models: fits and evaluates members. No algorithm in here: see ensemble/adaboost.py.
#
# Members receive X unchanged, so AdaBoost accepts whatever they do. For Spinney's trees it is read and sorted once, for
# all rounds (trees/reweighted.py).


_EXAMPLE = """
>>> from sklearn.datasets import load_iris
>>> from spinney import AdaBoostClassifier
>>> X, y = load_iris(return_X_y=True)
>>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
"""


class AdaBoostModel(OfTrees, _RoutingNotSupportedMixin, CopiesModel):
    """Members fitted in turn on changing weights, and their weighted vote."""

    estimators_: list[Any]
    estimator_weights_: np.ndarray

    @known_arguments
    @documented()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the base estimators in turn.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Input data that the base estimator accepts. With Spinney's trees, NumPy arrays and pandas, polars or Arrow
            tables may hold numbers, Booleans, strings, categories and missing values.
        sample_weight : array-like of shape (n_samples,), default=None
            Row weights of the first round. None gives all rows the same weight. Rows of weight 0 are left out.

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
        return (Schema((SchemaColumn(None),) * X.shape[1]), X) if self._is_deep(X) else super()._learn(X)

    def _check(self, X: Any) -> Any:
        """X as members can read it, checked for the columns of fit."""
        if isinstance(X, on_gpu.SummedTable):
            return X
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

    def _keep_rounds(self, rounds: AdaBoostRounds) -> None:
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
        from spinney.data.row_hash import order_of_any
        from spinney.ensemble.forests.bootstrap import draw_rows

        order = order_of_any(X, target[None], weights.total())
        seed = read_seed(self.random_state)
        n_draws = weights.n_samples(len(target))
        return lambda now, number: draw_rows(order, now, n_draws, seed, number)

    def _joined(self) -> dict[str, Any]:
        """What the formula begins with: the members' trees, put together."""
        if not all(isinstance(one, OneTree) for one in self.estimators_):
            raise not_of_trees(self)
        members = [one.formula() for one in self.estimators_]
        if any(one.schema != members[0].schema for one in members):
            raise ValueError(
                f"the members of this {type(self).__name__} have different categories, so they cannot share a table."
            )
        return self._facts(members[0].schema, join([one.forest for one in members]))

    def _resamples(self) -> bool:
        raise NotImplementedError

    def _refuse(self, error: float) -> NoReturn:
        """Raise because the first member is no better than guessing."""
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return target

    def _judge(self, target: np.ndarray, first: np.ndarray) -> MemberEvaluator:
        raise NotImplementedError

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """A member's predictions, as the judge wants them."""
        raise NotImplementedError

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        """The same for rows in these leaves of a tree."""
        raise NotImplementedError

    def _all_answers(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's predictions in turn."""
        on_cpu = not isinstance(X, on_gpu.SummedTable)
        ends = leaves_of_members(self.estimators_, X) if on_cpu else iter(X.leaves().T)
        if ends is None:
            yield from (self._answers(member, X) for member in self.estimators_)
        else:
            yield from (self._answers_in(leaves, member.tree_) for member, leaves in zip(self.estimators_, ends))

    @row_by_row()
    def predict(self, X: Any) -> np.ndarray:
        """Predict with all members."""
        raise NotImplementedError

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Compute `predict` after each round.

        Yields
        ------
        y : ndarray of shape (n_samples,)
            The predictions after this round.

        Examples
        --------
        >>> len(list(model.staged_predict(X)))
        3
        """
        return self._staged(X)

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        raise NotImplementedError

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Compute the score after each round.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the score.

        Yields
        ------
        score : float
            The accuracy, or R2 for regression, after this round.

        Examples
        --------
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
        from spinney.tree.forest import join

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
        votes = np.abs(self.estimator_weights_)
        votes = votes if votes.any() else np.ones(len(votes))
        return np.average([member.feature_importances_ for member in self.estimators_], axis=0, weights=votes)

    def _fingerprint(self) -> str:
        """A hash of the members' fingerprints and weights; only if the members have fingerprints."""
        return hash_of([self.estimator_weights_.tobytes(), *(one.fingerprint_.encode() for one in self.estimators_)])

    @property
    def reader_on_gpu(self) -> Any:
        """The first of the members that are trees of one table, for internal use; None for other members."""
        return self.estimators_[0] if are_of_one_series(self.estimators_) else None

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
        self._unfitted = clone(series.template)

    def _make(self) -> Any:
        """A new member: like `seeded` and `clone`, in a tenth of the time, which matters for stumps."""
        member = copy.deepcopy(self._unfitted)
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


_TABLE = {
    **COMMON,
    "n_estimators": Parameter(
        "int",
        "Maximum number of rounds. An estimator without errors ends the fit early, and for regression one with a mean "
        "loss of 1/2 or more.",
        [AT_LEAST_1],
    ),
    "learning_rate": Parameter(
        "float", "Factor of the estimator weights, and so of the change of the row weights.", [POSITIVE]
    ),
    "algorithm": Parameter(
        '{"SAMME", "SAMME.R", "discrete"}',
        '"SAMME" supports any number of classes; the estimator weight is ln((1 - error) / error) + ln(n_classes - 1). '
        'In "SAMME.R", estimators vote with the logarithms of their probabilities. "discrete" is the original '
        "algorithm for two classes; the estimator weight is 1/2 ln((1 - error) / error).",
        [StrOptions({"SAMME", "SAMME.R", "discrete"})],
    ),
    "on_weak": Parameter(
        '{"stop", "flip"}',
        'How to treat an estimator that is no better than guessing (error of 1 - 1/n_classes or more). "stop" leaves '
        'it out and ends the fit, or with reweight="resample" goes on with the next bootstrap sample. "flip" keeps it '
        "with a negative weight if it is worse than guessing. SAMME.R keeps all estimators.",
        [StrOptions({"stop", "flip"})],
    ),
    "reweight": Parameter(
        'True or "resample"',
        'True passes the weights to the estimators. "resample" fits each estimator on as many rows as there are, '
        "sampled with replacement by weight; `fit` need not accept weights then.",
        [Options(bool, {True}), StrOptions({"resample"})],
    ),
    "keep_weights": Parameter(
        "bool", "Whether to store the row weights of every round in `sample_weight_history_`.", ["boolean"]
    ),
    "loss": Parameter(
        '{"linear", "square", "exponential"}',
        "How the loss of a row depends on its absolute error, divided by the largest error.",
        [StrOptions({"linear", "square", "exponential"})],
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed of the bootstrap samples, and of base estimators with a `random_state`.",
        ["random_state"],
    ),
    "n_jobs": COMMON["n_jobs"]._replace(
        text="Number of threads of the default stump. None and -1 use every core. The model does not depend on it."
    ),
}
_CLASSIFIER = Parameter(
    "classifier or None",
    "The base estimator: any classifier whose `fit` accepts sample_weight. None is a decision stump, "
    "`DecisionTreeClassifier(max_depth=1)`.",
    [HasMethods(["fit", "predict"]), None],
)
_REGRESSOR = _CLASSIFIER._replace(
    form="regressor or None", text="The base estimator: any regressor. None is `DecisionTreeRegressor(max_depth=3)`."
)


_FITTED = """
    feature_importances_ : ndarray of shape (n_features,)
        The importances of the base estimators, averaged by estimator weight.
    forest_ : Forest
        All trees, stored together; only if the base estimator is a Spinney tree.
    fingerprint_ : str
        A hash of the base estimators and their weights; only if the base estimators have one.
"""


@described(_TABLE, {"estimator": _CLASSIFIER}, fitted=_FITTED)
class AdaBoostClassifier(Explained, TableClassifier, AdaBoostModel):
    """AdaBoost for classification: a weighted vote of weak classifiers.

    Classifiers are fitted in turn, each with larger weights for the rows that those before it misclassified.

    Attributes
    ----------
    estimator_ : classifier
        The unfitted base estimator.
    estimators_ : list of classifiers
        The fitted base estimators. There may be fewer than `n_estimators`.
    estimator_weights_ : ndarray of shape (n_fitted,)
        The weight of each base estimator in the vote.
    estimator_errors_ : ndarray of shape (n_fitted,)
        The weighted error of each base estimator.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
        The number of classes.
    sample_weight_history_ : ndarray of shape (n_fitted + 1, n_samples) or None
        Row weights at the start and after each round, which add up to 1. None without `keep_weights`.
    {fitted}

    Examples
    --------
    >>> from spinney import AdaBoostClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.estimator_errors_[:3].round(3).tolist()
    [0.209, 0.202, 0.106]
    """

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
        """Row weights at the start and after each round, (n_fitted + 1, n_samples); None without `keep_weights`."""
        check_is_fitted(self)
        return self._history

    def _default(self) -> Any:
        return DecisionTreeClassifier(max_depth=1, n_jobs=self.n_jobs)

    def _resamples(self) -> bool:
        return self.reweight == "resample"

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        """Class indices."""
        self.classes_, codes = find_classes(read_labels(y, n_rows, type(self).__name__))
        self.n_classes_ = len(self.classes_)
        if self.algorithm == "discrete" and self.n_classes_ > 2:
            raise ValueError(
                f"algorithm='discrete' supports two classes, and y has {self.n_classes_}. "
                "Use algorithm='SAMME' or 'SAMME.R'."
            )
        if self.algorithm == "SAMME.R" and not hasattr(self._template(), "predict_proba"):
            name = type(self._template()).__name__
            raise ValueError(
                f"algorithm='SAMME.R' needs an estimator with predict_proba, and {name} has none. "
                "Use algorithm='SAMME'."
            )
        return codes.astype(np.int64)

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return self.classes_[target]

    def _judge(self, target: np.ndarray, first: np.ndarray) -> MemberEvaluator:
        from spinney.ensemble.adaboost import Discrete, Samme, SammeR

        if self.algorithm == "SAMME.R":
            return SammeR(target, self.learning_rate)
        kind = Discrete if self.algorithm == "discrete" else Samme
        return kind(target, self.n_classes_, self.learning_rate, self.on_weak == "flip", goes_on=self._resamples())

    def _refuse(self, error: float) -> NoReturn:
        raise ValueError(
            f"The first member has a weighted error of {error:.3g}, which is no better than guessing among "
            f"{self.n_classes_} classes. Use a stronger estimator, such as a deeper tree."
        )

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """Class indices, or probabilities for SAMME.R; a member need not know all classes."""
        if self.algorithm != "SAMME.R":
            return np.searchsorted(self.classes_, member.predict(X))
        known = member.predict_proba(X)
        if known.shape[1] == self.n_classes_:
            return known
        probabilities = np.zeros((len(known), self.n_classes_))
        probabilities[:, np.searchsorted(self.classes_, member.classes_)] = known
        return probabilities

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        """A member's class indices or probabilities for rows in these leaves."""
        return (tree.probabilities if self.algorithm == "SAMME.R" else tree.majority)[:, 0].take(leaves, axis=0)

    def _member_votes(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's votes for every class, (n_samples, n_classes)."""
        yield from map(self._votes_of, self._all_answers(X))

    def _votes_of(self, answers: np.ndarray) -> np.ndarray:
        """A member's votes, from its answers."""
        from spinney.criteria.adaboost_weights import class_votes, log_votes

        return log_votes(answers) if self.algorithm == "SAMME.R" else class_votes(answers, self.n_classes_)

    def _formula(self) -> Formula:
        facts, votes, n_classes = self._joined(), self.estimator_weights_, self.n_classes_
        trees = [(one.tree_, np.searchsorted(self.classes_, one.classes_)) for one in self.estimators_]
        spread = spreads(facts["forest"])
        if spread and self.algorithm == "SAMME.R":
            raise ValueError(
                "SAMME.R of trees that send rows with missing values down several branches cannot be exported."
            )
        values = []
        for (tree, own), vote in zip(trees, votes.tolist()):
            if spread or self.algorithm == "SAMME.R":
                shares = np.zeros((tree.n_nodes, n_classes))
                shares[:, own] = tree.probabilities[:, 0]
                values.append(shares if spread else vote * self._votes_of(shares))
            else:
                values.append(vote * self._votes_of(own[tree.majority[:, 0]]))
        facts |= {"values": np.concatenate(values), "start": np.zeros(n_classes), "votes": votes if spread else None}
        norm = float(np.cumsum(np.abs(votes))[-1])
        if n_classes != 2:
            return Formula(**facts, link="votes", divisor=norm, scale=float(max(n_classes - 1, 1)))
        if self.algorithm == "discrete":
            return Formula(**facts, link="margin", discrete=True)
        return Formula(**facts, link="margin", divisor=norm, scale=0.5)

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Compute `decision_function` after each round.

        Yields
        ------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            The scores after this round.

        Examples
        --------
        >>> [scores.shape for scores in model.staged_decision_function(X)]
        [(150, 3), (150, 3), (150, 3)]
        """
        from spinney.ensemble.adaboost import staged_sums

        X = self._check(X)
        norms = np.cumsum(np.abs(self.estimator_weights_))
        for total, norm in zip(staged_sums(self._member_votes(X), self.estimator_weights_), norms):
            yield self._decide(total, norm)

    def _decide(self, total: np.ndarray, norm: float) -> np.ndarray:
        """The decision, from the weighted sums of votes."""
        if self.algorithm == "discrete" and self.n_classes_ == 2:
            return total[:, 1]
        return (total[:, 1] - total[:, 0]) / norm if self.n_classes_ == 2 else total / norm

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_EXAMPLE)
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the weighted vote for each class.

        With SAMME and SAMME.R these are scikit-learn's numbers, divided by the sum of the estimator weights. With
        "discrete" it is the sum of the estimator weights, each times +1 or -1.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            (n_samples,) for two classes, positive for the second.

        Examples
        --------
        >>> model.decision_function(X[:2]).shape
        (2, 3)
        """
        if isinstance(X, on_gpu.SummedTable):
            return self._decide(X.totals(), np.cumsum(np.abs(self.estimator_weights_))[-1])
        *_, last = self.staged_decision_function(X)
        return last

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        for decision in self.staged_decision_function(X):
            yield self._choose_classes(decision)

    @row_by_row(on_gpu.finished_here)
    @documented(returns=LABELS, setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the largest weighted vote.

        Examples
        --------
        >>> model.predict(X[[0, 60, 120]]).tolist()
        [0, 1, 2]
        """
        return self._choose_classes(self.decision_function(X))

    def _choose_classes(self, decision: np.ndarray) -> np.ndarray:
        """The labels, from the decision."""
        return self.classes_[(decision > 0).astype(np.int64) if decision.ndim == 1 else decision.argmax(axis=1)]

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Compute `predict_proba` after each round.

        Yields
        ------
        proba : ndarray of shape (n_samples, n_classes)
            The probabilities after this round, with columns in the order of `classes_`.

        Examples
        --------
        >>> len(list(model.staged_predict_proba(X)))
        3
        """
        for decision in self.staged_decision_function(X):
            yield self._probabilities_of(decision)

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_EXAMPLE)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities from the weighted vote.

        With SAMME and SAMME.R they are scikit-learn's: the softmax of `decision_function` / (n_classes - 1). With
        "discrete" they are 1 / (1 + exp(-2 decision)), since the decision estimates half of the log odds.

        Examples
        --------
        >>> model.predict_proba(X[:2]).shape
        (2, 3)
        """
        return self._probabilities_of(self.decision_function(X))

    def _probabilities_of(self, decision: np.ndarray) -> np.ndarray:
        """The probabilities, from the decision."""
        from scipy.special import softmax

        if decision.ndim == 1:
            scale = 1.0 if self.algorithm == "discrete" else 0.5
            return softmax(np.column_stack([-decision, decision]) * scale, axis=1)
        return softmax(decision / max(self.n_classes_ - 1, 1), axis=1)


@described(_TABLE, {"estimator": _REGRESSOR}, fitted=_FITTED)
class AdaBoostRegressor(TableRegressor, AdaBoostModel):
    """AdaBoost for regression: AdaBoost.R2.

    Regressors are fitted in turn on bootstrap samples, in which rows with large errors are more frequent. The
    prediction is the median of the regressors' predictions, weighted by the estimator weights.

    Attributes
    ----------
    estimator_ : regressor
        The unfitted base estimator.
    estimators_ : list of regressors
        The fitted base estimators. There may be fewer than `n_estimators`.
    estimator_weights_ : ndarray of shape (n_fitted,)
        The weight of each base estimator in the median.
    estimator_errors_ : ndarray of shape (n_fitted,)
        The weighted mean loss of each base estimator.
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import AdaBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRegressor(n_estimators=10, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    """

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
        return read_numbers(y, n_rows, type(self).__name__)

    def _judge(self, target: np.ndarray, first: np.ndarray) -> MemberEvaluator:
        from spinney.ensemble.adaboost import R2

        return R2(target, self.loss, self.learning_rate)

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), np.float64)

    def _formula(self) -> Formula:
        facts = self._joined()
        values = np.concatenate([one.tree_.answers[:, 0] for one in self.estimators_])
        return Formula(**facts, values=values, start=np.zeros(1), link="median", votes=self.estimator_weights_)

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        return tree.answers[leaves, 0, 0]

    def _predictions(self, X: Any) -> np.ndarray:
        """The predictions of all members, (n_samples, n_fitted)."""
        X = self._check(X)
        return np.column_stack(list(self._all_answers(X)))

    @row_by_row(on_gpu.finished_here)
    @documented(returns=NUMBERS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the weighted median of the base estimators' predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import AdaBoostRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y)
        >>> model.predict(X[:2]).shape
        (2,)
        """
        from spinney.ensemble.adaboost import weighted_median

        return weighted_median(self._predictions(X), self.estimator_weights_)

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        from spinney.ensemble.adaboost import weighted_median

        predictions = self._predictions(X)
        for n_members in range(1, len(self.estimators_) + 1):
            yield weighted_median(predictions[:, :n_members], self.estimator_weights_[:n_members])
