"""C5.0's boosting: C4.5 trees in turn, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spinney.data.schema import Schema, learn_and_read
from spinney.data.weights import Weights
from spinney.estimators.adaboost import AdaBoostClassifier
from spinney.estimators.base import all_or_nothing, read_sample_weight
from spinney.estimators.classic import CLASSIC, C45Classifier
from spinney.estimators.params import AT_LEAST_1, Parameter, check_parameters, described, keep_parameters
from spinney.estimators.targets import Answers

if TYPE_CHECKING:
    from spinney.data.tables import Table
    from spinney.ensemble.adaboost import FitMember, Rounds

_TABLE = {
    **CLASSIC,
    "trials": Parameter(
        "int", "Maximum number of trees; one that makes no mistake on its weighted rows ends the trials.", [AT_LEAST_1]
    ),
    "keep_weights": Parameter(
        "bool", "Keep the rows' weights of every trial in `sample_weight_history_`.", ["boolean"]
    ),
}
_OF_MEMBERS = (
    *("min_samples_leaf", "cf", "prune", "subtree_raising", "mdl", "max_depth", "categorical_features"),
    *("min_samples_split", "max_leaf_nodes", "min_impurity_decrease", "significance", "n_jobs"),
)


@described(_TABLE)
class C50Classifier(AdaBoostClassifier):
    """C5.0: boosted C4.5. Pruned trees in turn, each fitted to what those before it got wrong, and a weighted vote.

    Every trial grows a `C45Classifier` on weighted rows. Rows that it gets wrong weigh more in the next trial, and the
    vote of a tree is ln((1 - error) / error) + ln(n_classes - 1): SAMME, which is AdaBoost for two classes. A tree that
    is no better than guessing ends the trials and is left out; if it is the first, it answers alone. The table is read
    and put in order once for all trials. C5.0's winnowing, costs and rule sets are not part of it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_ : list of C45Classifier
    estimator_weights_ : ndarray of shape (n_members,)
        The votes.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted errors.
    classes_ : ndarray
    n_classes_ : int
    sample_weight_history_ : ndarray of shape (n_members + 1, n_samples), or None without keep_weights
        Weights at the start and after each trial; each row adds up to 1.
    feature_importances_ : ndarray
        The members', averaged by vote.
    fingerprint_ : str
        A hash of the members' fingerprints and votes.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from spinney import C45Classifier, C50Classifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = C50Classifier(trials=10).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > C45Classifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    True
    """

    # what AdaBoost has as parameters, and here is settled
    estimator, learning_rate, algorithm, on_weak, reweight, random_state = None, 1.0, "SAMME", "stop", True, None

    def __init__(
        self,
        *,
        trials: int = 10,
        min_samples_leaf: float = 2,
        cf: float = 0.25,
        prune: bool = True,
        subtree_raising: bool = True,
        mdl: bool = True,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: float | None = None,
        categorical_features: Any = "from_dtype",
        keep_weights: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    _takes_sparse = False

    @property
    def n_estimators(self) -> int:
        """`trials`, as ensembles call it."""
        return int(self.trials)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees in turn.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table; missing values are welcome.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            The weights of the first trial; equal by default. Rows of weight 0 take no part.

        Returns
        -------
        self
        """
        check_parameters(self)
        with all_or_nothing(self):
            self._check_sparse(X)
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__, with_booleans=True)
            target = self._read_target(y, table.n_rows)
            self._boost((schema, table), target, read_sample_weight(sample_weight, table.n_rows))
            self._keep_schema(schema)
        return self

    def _template(self) -> C45Classifier:
        return C45Classifier(**{name: getattr(self, name) for name in _OF_MEMBERS})

    @contextmanager
    def _fitter(self, X: tuple[Schema, Table], target: np.ndarray, weights: Weights) -> Iterator[FitMember]:
        from spinney.grow.branches.columns import read_columns

        (schema, table), answers = X, Answers(target[None].astype(np.int32), [self.classes_])
        columns = read_columns(table, schema, None)
        repeats = np.ones(table.n_rows, np.int64) if weights.counts is None else np.maximum(weights.counts, 1)
        with self._make_team("branches", table.n_rows * table.n_columns) as team:

            def fit_member(now: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
                member = self._template()
                member.grow_from(schema, table, answers, _units(now, repeats), team, columns=columns)
                return member, member.class_numbers(table)

            yield fit_member

    def _guess(self, fit_member: FitMember, first: np.ndarray, rounds: Rounds) -> Rounds:
        """A first tree that is no better than guessing is all there is."""
        member, _ = fit_member(first / first.sum(), 0)
        return rounds._replace(members=[member], votes=np.ones(1), errors=np.array([rounds.last_error]))

    def _refuse(self, error: float) -> NoReturn:
        raise NotImplementedError

    def _all_answers(self, X: Any) -> Iterator[np.ndarray]:
        table = self._read(X)
        for member in self.estimators_:
            yield member.class_numbers(table)


def _units(weights: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Weights in units, one row each on average; a row that stands for several weighs as much as all of them."""
    from spinney.criteria.information import ROW

    n_rows = repeats[weights > 0].sum()
    each = np.rint(weights / repeats * (ROW * (n_rows / weights.sum()))).astype(np.int64)
    return repeats * np.maximum(each, weights > 0)
