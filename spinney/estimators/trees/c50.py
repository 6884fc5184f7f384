"""C5.0's boosting: C4.5 trees in turn, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.schema import learn_and_read
from spinney.data.target import Training, read_training
from spinney.data.weights import Weights
from spinney.estimators.adaboost import AdaBoostClassifier
from spinney.estimators.base import all_or_nothing
from spinney.estimators.docstrings import DENSE, LABELS, documented
from spinney.estimators.params import AT_LEAST_1, Parameter, check_parameters, described, keep_parameters
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.id3_c45 import CLASSIC, C45Classifier
from spinney.tree.formula import Confidence, Formula
from spinney.tree.questions import spreads

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.adaboost import AdaBoostRounds, FitMember, MemberEvaluator
    from spinney.tree.decision import DecisionTree

_TABLE = {
    **CLASSIC,
    "trials": Parameter(
        "int",
        "Maximum number of trees. The trials end early with a tree that makes no mistake on its weighted rows, or one "
        "that is wrong on 49 % of their weight.",
        [AT_LEAST_1],
    ),
    "global_pruning": Parameter(
        "bool",
        "Whether to prune every tree a second time: the subtrees that save the fewest training errors per leaf are "
        "removed, as long as total errors rise by at most one standard error. Requires `prune=True`.",
        ["boolean"],
    ),
    "keep_weights": Parameter(
        "bool", "Whether to keep the sample weights of every trial in `sample_weight_history_`.", ["boolean"]
    ),
}
_OF_MEMBERS = (
    *("min_samples_leaf", "cf", "prune", "subtree_raising", "mdl", "max_depth", "categorical_features"),
    *("min_samples_split", "max_leaf_nodes", "min_impurity_decrease", "significance", "subset", "n_jobs"),
)


_TRIALS = """
>>> from spinney import C50Classifier
>>> from spinney.datasets import load_penguins
>>> X, y = load_penguins()
>>> model = C50Classifier(trials=3).fit(X, y)
"""


@described(_TABLE)
class C50Classifier(AdaBoostClassifier):
    """C5.0: boosted C4.5 trees.

    Each trial grows a `C45Classifier` on weighted rows and prunes it a second time as a whole. Weights then move
    halfway to the point where the rows that the tree misclassifies hold half of the total weight. In the second half of
    the trials, rows that the remaining trees can no longer correct get weight 0.

    The trees vote. Each votes for the most common class of the row's leaf with the confidence
    (weight * fraction + prior) / (weight + 1), where weight is that of the leaf in rows, fraction that of the class in
    the leaf, and prior that of the class at the root, all with the weights of the trial.

    The trials end early if fewer than 0.1 rows are misclassified, or with a tree that is wrong on 49 % of the weight or
    more, or is a single leaf; such a tree is dropped. If two trees remain, only the first is kept. A single tree
    predicts as it does by itself. The data is read and sorted once for all trials. C5.0's winnowing, costs and rule
    sets are not supported.

    Attributes
    ----------
    estimators_ : list of C45Classifier
        The trees.
    estimator_weights_ : ndarray of shape (n_members,)
        1 for every tree: confidences are those of the leaves.
    estimator_errors_ : ndarray of shape (n_members,)
        Weighted training error of each tree.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
        Number of classes.
    sample_weight_history_ : ndarray of shape (n_members + 1, n_samples), or None without keep_weights
        Sample weights at the start and after each trial; each row of the array adds up to 1.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the trees' importances.
    fingerprint_ : str
        Hash of the trees' fingerprints.

    Examples
    --------
    >>> from spinney import C45Classifier, C50Classifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = C50Classifier(trials=10).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > C45Classifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    True
    """

    # AdaBoost's parameters that are fixed for C5.0
    estimator, learning_rate, algorithm, on_weak, reweight, random_state = None, 1.0, "C5.0", "stop", True, None

    def __init__(
        self,
        *,
        trials: int = 10,
        min_samples_leaf: float = 2,
        cf: float = 0.25,
        prune: bool = True,
        subtree_raising: bool = True,
        global_pruning: bool = True,
        mdl: bool = True,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: float | None = None,
        categorical_features: Any = "from_dtype",
        keep_weights: bool = False,
        n_jobs: int | None = None,
        subset: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    _takes_sparse = False

    @property
    def n_estimators(self) -> int:
        """Maximum number of trees, the same as `trials`."""
        return int(self.trials)

    @known_arguments
    @documented()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees one after another.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data: a NumPy array, or a pandas, polars or Arrow table. It may have missing values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the first trial; equal by default. Rows of weight 0 are ignored.

        Examples
        --------
        >>> from spinney import C50Classifier
        >>> from spinney.datasets import load_penguins
        >>> X, y = load_penguins()
        >>> len(C50Classifier(trials=3).fit(X, y).estimators_)
        3
        """
        check_parameters(self)
        with all_or_nothing(self):
            self._check_sparse(X)
            learn = partial(learn_and_read, with_booleans=True)
            data = read_training(self, X, y, sample_weight, one_output=True, learn=learn)
            data.target.keep_classes(self)
            self._boost(data, data.target.values[0].astype(np.int64), data.target.weights)
            self._keep_schema(data.schema)
        return self

    def _template(self) -> C45Classifier:
        return C45Classifier(**{name: getattr(self, name) for name in _OF_MEMBERS})

    @contextmanager
    def _fitter(self, X: Training, target: np.ndarray, weights: Weights) -> Iterator[FitMember]:
        from spinney.grow.multiway.columns import read_columns
        from spinney.prune.cost_complexity import collapse_within_standard_error

        schema, table = X.schema, X.table
        columns = read_columns(table, schema, None)
        repeats = np.ones(table.n_rows, np.int64) if weights.counts is None else np.maximum(weights.counts, 1)
        with self._make_team("branches", table.n_rows * table.n_columns) as team:

            def fit_member(now: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
                member = self._template()
                member.grow_from(X, _units(now, repeats), team, columns=columns)
                if self.prune and self.global_pruning:
                    member.tree_ = collapse_within_standard_error(member.tree_)
                return member, _votes(member.tree_, table, team)[1]

            yield fit_member

    def _judge(self, target: np.ndarray, first: np.ndarray) -> MemberEvaluator:
        from spinney.ensemble.adaboost import HalfWay, first_weights

        return HalfWay(target, first_weights(first)[1], self.n_estimators)

    def _keep_rounds(self, rounds: AdaBoostRounds) -> None:
        from spinney.ensemble.adaboost import give_up_early

        super()._keep_rounds(give_up_early(rounds, self.n_estimators))

    def _all_answers(self, X: Any) -> Iterator[np.ndarray]:
        """Each tree's votes, (n_samples, n_classes); the shares of a single tree."""
        table, alone = self._read(X), len(self.estimators_) == 1
        with self._make_team("descend", table.n_rows) as team:
            for member in self.estimators_:
                shares, votes = _votes(member.tree_, table, team)
                yield shares if alone else votes

    def _votes_of(self, answers: np.ndarray) -> np.ndarray:
        """They are votes already."""
        return answers

    def _staged_votes(self, X: Any) -> Iterator[np.ndarray]:
        """The sums of votes after each trial."""
        from spinney.ensemble.adaboost import staged_sums

        return staged_sums(self._member_votes(self._check(X)), self.estimator_weights_)

    def _formula(self) -> Formula:
        if len(self.estimators_) == 1:  # it answers as it does by itself
            return replace(self.estimators_[0].formula(), model=type(self).__name__, fingerprint=self.fingerprint_)
        trees = [one.tree_ for one in self.estimators_]
        weight = np.concatenate([one.answers[:, 0] for one in trees]).sum(axis=1)
        formula = Formula(
            **self._joined(),
            values=np.concatenate([one.probabilities[:, 0] for one in trees]),
            start=np.zeros(self.n_classes_),
            link="confidence",
            divisor=float(len(trees)),
            confidence=Confidence(weight, np.stack([one.probabilities[0, 0] for one in trees])),
        )
        if spreads(formula.forest):
            return formula
        return replace(formula, values=formula.at(np.arange(len(weight))), confidence=None)  # leaves alone

    @row_by_row()
    @documented(DENSE, setup=_TRIALS)
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the mean vote of the trees.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            Mean votes per class. With two classes, the second class's mean vote minus the first's.

        Examples
        --------
        >>> model.decision_function(X).shape
        (344, 3)
        """
        return super().decision_function(X)

    @documented(DENSE, setup=_TRIALS)
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predict classes after each trial.

        Yields
        ------
        ndarray of shape (n_samples,)
            Class labels, as from `predict`, one array per trial.

        Examples
        --------
        >>> [int((labels == y).sum()) for labels in model.staged_predict(X)]
        [339, 341, 343]
        """
        for votes in self._staged_votes(X):
            yield self.classes_[votes.argmax(axis=1)]

    @row_by_row()
    @documented(DENSE, returns=LABELS, setup=_TRIALS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the largest sum of votes; ties go to the first in `classes_`.

        Examples
        --------
        >>> model.predict(X.head(2)).tolist()
        ['Adelie', 'Adelie']
        """
        *_, last = self.staged_predict(X)
        return last

    @documented(DENSE, setup=_TRIALS)
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Predict class probabilities after each trial.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            Fractions of the votes, one array per trial; after the first trial, the probabilities of the first tree.

        Examples
        --------
        >>> len(list(model.staged_predict_proba(X)))
        3
        """
        from spinney.ensemble.adaboost import shares_of_votes

        for number, votes in enumerate(self._staged_votes(X)):
            yield shares_of_votes(votes) if number else self.estimators_[0].predict_proba(X)

    @row_by_row()
    @documented(DENSE, setup=_TRIALS)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities, each class's fraction of the votes.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`. A single tree predicts its own probabilities.

        Examples
        --------
        >>> model.predict_proba(X.head(1)).round(2).tolist()
        [[1.0, 0.0, 0.0]]
        """
        *_, last = self.staged_predict_proba(X)
        return last


def _votes(tree: DecisionTree, table: Table, team: Team) -> tuple[np.ndarray, np.ndarray]:
    """(shares of the classes, the tree's votes) for each row."""
    from spinney.criteria.adaboost_weights import votes_by_confidence
    from spinney.tree.descend import spread_sums

    known = np.column_stack([tree.probabilities[:, 0], tree.answers[:, 0].sum(axis=1)])
    sums = spread_sums(tree, known, table, team)
    shares = np.ascontiguousarray(sums[:, :-1])
    return shares, votes_by_confidence(shares, sums[:, -1], tree.probabilities[0, 0])


def _units(weights: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Weights in units, one row each on average; a row that stands for several weighs as much as all of them."""
    from spinney.criteria.information import ROW

    n_rows = repeats[weights > 0].sum()
    each = np.rint(weights / repeats * (ROW * (n_rows / weights.sum()))).astype(np.int64)
    return repeats * np.maximum(each, weights > 0)
