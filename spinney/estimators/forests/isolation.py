"""Isolation forests for outlier detection, with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.schema import Schema, learn_and_read, without_idle_categories
from spinney.data.weights import Weights, read_sample_weight
from spinney.estimators.bagging.fit import count_columns_of_member
from spinney.estimators.bagging.model import in_own_columns
from spinney.estimators.base import all_or_nothing
from spinney.estimators.docstrings import NO_TARGET, TO_FIT, documented
from spinney.estimators.forests.model import ForestModel
from spinney.estimators.params import (
    AT_LEAST_1,
    COMMON,
    FOREST,
    SHARE,
    Parameter,
    check_parameters,
    described,
    keep_parameters,
    n_categories,
    read_seed,
)
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.extra_tree import ExtraTreeRegressor
from spinney.estimators.trees.model import keep_tree
from spinney.gpu import model_methods as on_gpu
from spinney.tree.formula import Formula

if TYPE_CHECKING:
    from spinney.data.tables import Table
    from spinney.ensemble.bagging import Draws

_AUTO_ROWS = 256  # as Liu, Ting and Zhou advise
_AUTO_OFFSET = -0.5  # the score of a row of average depth

_ISOLATION = {
    **COMMON,
    "n_estimators": FOREST["n_estimators"],
    "max_samples": Parameter(
        '"auto", int or float',
        'Number of rows sampled for each tree. A float is a fraction of all rows, "auto" is 256, or all rows if there '
        "are fewer. The depth of a tree is at most ceil(log2(max_samples)).",
        [StrOptions({"auto"}), AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "contamination": Parameter(
        '"auto" or float',
        'Fraction of the training rows that `predict` labels as outliers, up to 0.5. "auto" labels rows with a score '
        "below -0.5.",
        [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
    ),
    "max_features": Parameter(
        "int or float",
        "Number of columns sampled for each tree. A float is a fraction of all columns.",
        [AT_LEAST_1, SHARE],
    ),
    "bootstrap": Parameter("bool", "Sample rows with replacement. False samples without.", ["boolean"]),
    "n_jobs": FOREST["n_jobs"],
    "verbose": FOREST["verbose"],
    "warm_start": FOREST["warm_start"],
}


_EXAMPLE = """
>>> from spinney import IsolationForest
>>> model = IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]])
"""


@described(_ISOLATION)
class IsolationForest(OutlierMixin, ForestModel):
    """An isolation forest for outlier detection: random splits isolate outliers early.

    Each tree is grown on a small sample of the rows. Splits are random, a column and a threshold between its smallest
    and largest value in the node, until every row is alone or the tree is deep enough. The score of a row is
    `-2 ** (-mean depth / c)`, where c is the mean depth of a search in a tree of `max_samples` rows.

    Columns may hold numbers, Booleans, strings and categories, with missing values. Categories are split into random
    halves. Missing values go to a random side, or to the larger side if a node has none in training; unknown
    categories are treated as missing. The same data and `random_state` give the same forest, bit for bit, with any
    number of threads and in any order of the rows.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, created from `forest_` on first access. They predict depths.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    estimators_features_ : list of ndarray
        The columns that each tree was grown on.
    estimator_ : ExtraTreeRegressor
        An unfitted tree with the parameters of all trees.
    max_samples_ : int
        The number of rows of each tree.
    offset_ : float
        The threshold of the scores: `decision_function` is `score_samples` minus `offset_`.
    forest_ : Forest
        All trees, stored together.
    fingerprint_ : str
        A hash of all trees, the same on any machine and with any number of threads.

    Examples
    --------
    >>> from spinney import IsolationForest
    >>> model = IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]])
    >>> model.predict([[0.1], [0.0], [90.0]]).tolist()
    [1, 1, -1]
    """

    _draws: list[Draws]  # the rows and columns of each tree

    answers_are = "depth"  # of the trees; see `OneTree`

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        max_samples: Any = "auto",
        contamination: Any = "auto",
        max_features: float = 1.0,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    @known_arguments
    @documented(TO_FIT, NO_TARGET)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the isolation forest.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Proportional to a row's probability of being sampled. A row of weight 2 is like two rows; rows of weight 0
            are left out.

        Examples
        --------
        >>> from spinney import IsolationForest
        >>> IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]])
        IsolationForest(random_state=0)
        """
        check_parameters(self)
        with all_or_nothing(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            weights = read_sample_weight(sample_weight, table.n_rows)
            schema, table = without_idle_categories(schema, table, weights)
            self._grow(schema, table, weights)
            self.offset_ = _AUTO_OFFSET
            if self.contamination != "auto":
                scores = self.score_samples(table)
                rows = weights.rows()
                self.offset_ = float(np.percentile(scores if rows is None else scores[rows], 100 * self.contamination))
        return self

    def _grow(self, schema: Schema, table: Table, weights: Weights) -> None:
        from spinney.ensemble.callbacks import tell_progress
        from spinney.ensemble.forests.isolation import grow_isolation
        from spinney.tree.forest import join

        numbers = self._numbers(schema)
        if not numbers:
            return
        draws = self._plan_draws(table, schema.n_columns, weights)
        n_rows, depth = draws.bags.n_draws, (max(draws.bags.n_draws, 2) - 1).bit_length()
        report = tell_progress(self.verbose, len(numbers), "tree")
        with self._make_team("tree", n_rows * depth * len(numbers)) as team:
            forest = grow_isolation(table, n_categories(schema), draws, depth, numbers, team, report)
        self._keep(schema, join([self.forest_, forest]) if numbers.start else forest)
        self._draws = [*(self._draws if numbers.start else ()), *[draws] * len(numbers)]
        self.max_samples_ = n_rows
        self.estimator_ = ExtraTreeRegressor(max_features=1, max_depth=depth, max_bins=None, n_jobs=1)

    def _numbers(self, schema: Schema) -> range:
        """Numbers of the trees that are still to be grown."""
        if not self.warm_start or not hasattr(self, "_draws"):
            self._seed = read_seed(self.random_state)
            return range(self.n_estimators)
        if schema != self._schema:
            raise ValueError("with warm_start=True X must have the same columns and categories as in the previous fit.")
        return self._still_to_fit(len(self._draws))

    def _plan_draws(self, table: Table, n_columns: int, weights: Weights) -> Draws:
        from spinney.data.row_hash import order_by_content
        from spinney.ensemble.bagging import Draws, Subspaces
        from spinney.ensemble.forests.bootstrap import Bags

        total = int(weights.counts.sum()) if weights.counts is not None else table.n_rows
        n_draws = self._count_draws(total)
        bags = Bags(
            order_by_content(table, weights=weights.total()), weights.total(), n_draws, self.bootstrap, self._seed
        )
        return Draws(
            bags, Subspaces(n_columns, count_columns_of_member(self.max_features, n_columns), False, self._seed)
        )

    def _count_draws(self, total: int) -> int:
        """Number of rows of a tree; `total` is the number of all rows."""
        if self.max_samples == "auto":
            return min(_AUTO_ROWS, total)
        if not isinstance(self.max_samples, Integral):
            return max(1, int(float(self.max_samples) * total))
        if int(self.max_samples) > total:
            warn_caller(
                f"max_samples ({self.max_samples}) is greater than the number of rows ({total}). "
                "max_samples will be set to n_samples for estimation."
            )
        return min(int(self.max_samples), total)

    def _formula(self) -> Formula:
        from spinney.ensemble.forests.isolation import average_path_length

        forest, length = self.forest_, float(average_path_length(np.array([self.max_samples_]))[0])
        facts = self._facts(self._schema, forest) | {"link": "depth", "offset": float(self.offset_)}
        if length == 0.0:  # trees of single rows: the score of every row is the same
            return Formula(**facts, values=np.zeros((forest.n_nodes, 1)), start=np.ones(1))
        values, divisor = forest.answers[:, 0].astype(np.float64), float(forest.n_trees)
        return Formula(**facts, values=values, start=np.zeros(1), divisor=divisor, scale=length)

    def _make_tree(self, k: int) -> Any:
        from sklearn.base import clone

        own = in_own_columns(self._schema, self.forest_.tree(k), self._draws[k].subspaces, k)
        tree = keep_tree(clone(self.estimator_), *own, 1)
        tree.answers_are = self.answers_are
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, repeated as often as they were sampled."""
        from spinney.ensemble.forests.bootstrap import FewDraws

        check_is_fitted(self)
        fits = {id(draws): FewDraws(draws.bags) for draws in {id(one): one for one in self._draws}.values()}
        return [np.sort(fits[id(draws)].rows(k)) for k, draws in enumerate(self._draws)]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each tree was grown on."""
        check_is_fitted(self)
        return [draws.subspaces.of(k) for k, draws in enumerate(self._draws)]

    @property
    def feature_importances_(self) -> np.ndarray:  # type: ignore[override]
        """Not available: splits are random, so that they have no importance."""
        raise AttributeError("IsolationForest has no feature_importances_: its splits are random, not chosen.")

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_EXAMPLE)
    def score_samples(self, X: Any) -> np.ndarray:
        """Compute the opposite of the anomaly score of each row.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            From -1, an outlier, to 0.

        Examples
        --------
        >>> scores = model.score_samples([[0.1], [90.0]])
        >>> bool(scores[1] < scores[0])
        True
        """
        from spinney.ensemble.forests.isolation import anomaly_scores

        return -anomaly_scores(self._mean_answers(X)[:, 0, 0], self.max_samples_)

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_EXAMPLE)
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute `score_samples` minus `offset_`.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Negative for outliers.

        Examples
        --------
        >>> (model.decision_function([[0.1], [90.0]]) < 0).tolist()
        [False, True]
        """
        return self.score_samples(X) - self.offset_

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict whether rows are outliers.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            -1 for outliers, and 1 for all other rows.

        Examples
        --------
        >>> model.predict([[0.1], [90.0]]).tolist()
        [1, -1]
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
