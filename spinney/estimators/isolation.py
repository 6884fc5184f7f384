"""Isolation forests with scikit-learn's interface: which rows are unlike the others. No algorithm in here."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney._seed import read_seed
from spinney._warnings import warn_caller
from spinney.data.schema import Schema, learn_and_read, without_idle_categories
from spinney.data.weights import Weights
from spinney.estimators.bagging_model import ask_own_columns
from spinney.estimators.bagging_params import count_columns_of_member
from spinney.estimators.base import all_or_nothing, read_sample_weight
from spinney.estimators.extra_tree import ExtraTreeRegressor
from spinney.estimators.forest_model import ForestModel
from spinney.estimators.params import (
    AT_LEAST_1,
    COMMON,
    FOREST,
    SHARE,
    Parameter,
    check_parameters,
    described,
    keep_parameters,
)
from spinney.estimators.settings import n_categories

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
        'Rows that each tree draws, or their share of all rows; "auto": 256, or all if there are fewer. Trees are at '
        "most ceil(log2(max_samples)) deep.",
        [StrOptions({"auto"}), AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "contamination": Parameter(
        '"auto" or float',
        'Share of the training rows that `predict` calls outliers, up to 0.5; "auto": those that score below -0.5.',
        [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
    ),
    "max_features": Parameter(
        "int or float", "Columns that each tree draws, or their share of all columns.", [AT_LEAST_1, SHARE]
    ),
    "bootstrap": Parameter("bool", "Draw rows with replacement.", ["boolean"]),
    "n_jobs": FOREST["n_jobs"],
    "verbose": FOREST["verbose"],
    "warm_start": FOREST["warm_start"],
}


@described(_ISOLATION)
class IsolationForest(OutlierMixin, ForestModel):
    """An isolation forest: rows that random questions set apart early are outliers.

    Every tree gets a few rows and asks random questions, a column and a threshold between the least and the greatest
    value of the rows there, until each row is alone or the tree is deep enough. The score of a row is
    `-2 ** (-mean depth / c)`, where c is the mean depth of a search in a tree of `max_samples` rows.

    Columns may be numbers, Booleans, strings and categories, with missing values: a category is asked whether it is in
    a random half of the categories, and a missing value goes to a random side (to the larger one in nodes that had
    none, as categories do that were never seen). The same data and `random_state` give the same forest bit for bit, on
    any number of threads and in any order of the rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, made from `forest_` when first asked for; they predict depths.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    estimators_features_ : list of ndarray
        The columns that each tree was grown on.
    estimator_ : ExtraTreeRegressor
        What the trees are like.
    max_samples_ : int
        Rows of each tree.
    offset_ : float
        `decision_function` is `score_samples` less this.
    forest_ : Forest
        All trees in one store.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from spinney import IsolationForest
    >>> model = IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]])
    >>> model.predict([[0.1], [0.0], [90.0]]).tolist()
    [1, 1, -1]
    """

    _draws: list[Draws]  # what each tree was given

    _answers_are = "depth"  # of the trees; see `OneTree`

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table: numbers, Booleans, strings, categories, missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            A row's chance of being drawn; a row of weight 2 is like two rows. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        with all_or_nothing(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            weights = read_sample_weight(sample_weight, table.n_rows)
            schema, table = without_idle_categories(schema, table, weights)
            self._grow(schema, table, weights)
            self.offset_ = _AUTO_OFFSET
            if self.contamination != "auto":
                scores = self._score(table)
                rows = weights.rows()
                self.offset_ = float(np.percentile(scores if rows is None else scores[rows], 100 * self.contamination))
        return self

    def _grow(self, schema: Schema, table: Table, weights: Weights) -> None:
        from spinney.ensemble.callbacks import tell_progress
        from spinney.ensemble.isolation import grow_isolation
        from spinney.tree.join import join

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
        """The trees that are still to be grown."""
        if not self.warm_start or not hasattr(self, "_draws"):
            self._seed = read_seed(self.random_state)
            return range(self.n_estimators)
        n_before = len(self._draws)
        if self.n_estimators < n_before:
            raise ValueError(
                f"with warm_start=True n_estimators must not fall: it was {n_before} and is {self.n_estimators}."
            )
        if schema != self._schema:
            raise ValueError("with warm_start=True X must have the same columns and categories as in the fit before.")
        if self.n_estimators == n_before:
            warn_caller("Warm-start fitting without increasing n_estimators does not fit new trees.")
        return range(n_before, self.n_estimators)

    def _plan_draws(self, table: Table, n_columns: int, weights: Weights) -> Draws:
        from spinney.data.content import order_by_content
        from spinney.ensemble.bagging import Draws, Subspaces
        from spinney.ensemble.bootstrap import Bags

        total = int(weights.counts.sum()) if weights.counts is not None else table.n_rows
        n_draws = self._count_draws(total)
        bags = Bags(
            order_by_content(table, weights=weights.total()), weights.total(), n_draws, self.bootstrap, self._seed
        )
        return Draws(
            bags, Subspaces(n_columns, count_columns_of_member(self.max_features, n_columns), False, self._seed)
        )

    def _count_draws(self, total: int) -> int:
        """Rows of a tree; `total` are all that there are."""
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

    def _make_tree(self, k: int) -> Any:
        from sklearn.base import clone

        tree = clone(self.estimator_)
        tree._keep(self._schema, self.forest_.tree(k))
        tree.max_features_, tree._answers_are = 1, self._answers_are
        ask_own_columns(tree, self._draws[k].subspaces, k)
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, as often as they were drawn."""
        from spinney.ensemble.bootstrap import FewDraws

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
        """There are none: questions are drawn, not chosen."""
        raise AttributeError("IsolationForest has no feature_importances_: its questions are drawn, not chosen.")

    def score_samples(self, X: Any) -> np.ndarray:
        """The opposite of the anomaly score of each row, (n_samples,): from -1, an outlier, to 0.

        Parameters
        ----------
        X : table
        """
        return self._score(self._read(X))

    def _score(self, table: Table) -> np.ndarray:
        from spinney.tree.descend_many import sum_answers

        with self._team(table.n_rows) as team:
            return self._score_of(sum_answers(self.forest_, table, team)[:, 0, 0] / self.forest_.n_trees)

    def _score_of(self, depths: np.ndarray) -> np.ndarray:
        """From mean depths."""
        from spinney.criteria.path_length import anomaly_scores

        return -anomaly_scores(depths, self.max_samples_)

    def decision_function(self, X: Any) -> np.ndarray:
        """`score_samples` less `offset_`, (n_samples,): outliers are below 0."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """-1 for outliers and 1 for all other rows, (n_samples,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
