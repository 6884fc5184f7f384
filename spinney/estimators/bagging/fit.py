"""Fits bagging ensembles: a table, a target and parameters in, members out.

No algorithm in here: see ensemble/bagging.py. The methods of a fitted ensemble are in model.py.

Members that are Spinney's trees share one table, read and sorted once, and are stored in one `Forest`. All other
members receive rows and columns of X unchanged, so bagging accepts whatever they do.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.validation import _num_samples

from spinney.data.remote_table import is_dask, is_remote
from spinney.data.schema import Schema, SchemaColumn
from spinney.data.target import Target, Training, read_target, read_training
from spinney.data.weights import Weights, read_sample_weight
from spinney.distributed.collections import fit_by, vector_here
from spinney.estimators.bagging.model import BagModel
from spinney.estimators.base import all_or_nothing
from spinney.estimators.docstrings import documented
from spinney.estimators.forests.model import FOLLOWS, mean_votes
from spinney.estimators.params import (
    AT_LEAST_1,
    COMMON,
    THREADS,
    Parameter,
    check_parameters,
    count_columns,
    n_categories,
    read_seed,
    tree_settings,
)
from spinney.estimators.routing import route_to_copies, wants_weights
from spinney.estimators.trees.reweighted import can_share

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.schema import Schema
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.ensemble.bagging import Draws
    from spinney.ensemble.forests.fit import Plan
    from spinney.ensemble.forests.out_of_bag import Votes
    from spinney.grow.rules import TreeSettings
    from spinney.tree.forest import Forest


# ----------------------------------------------------------------------------------------------------------------------
# The parameters of bagging, and the numbers of rows and columns that they give.


_ROUNDING = 1e-9  # of fractions: 0.29 * 100 rows are 29

BAGGING = {
    **COMMON,
    "n_estimators": Parameter("int", "Number of base estimators.", [AT_LEAST_1]),
    "max_samples": Parameter(
        "int, float or None",
        "Number of rows sampled for each base estimator. A float is a fraction of all rows, None is as many as there "
        "are. A row of integer weight counts as that many rows.",
        [None, AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "max_features": Parameter(
        "int or float",
        "Number of columns sampled for each base estimator. A float is a fraction of all columns, and a number above "
        "theirs means all. Fewer columns with all rows (bootstrap=False) are called random subspaces, fewer columns "
        "with fewer rows random patches.",
        [AT_LEAST_1, Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "bootstrap": Parameter(
        "bool", "Sample rows with replacement (bagging). False samples without (pasting).", ["boolean"]
    ),
    "bootstrap_features": Parameter("bool", "Sample columns with replacement. False samples without.", ["boolean"]),
    "oob_score": Parameter(
        "bool or function",
        "Predict each row by the base estimators that were not fitted on it. This sets `oob_score_`, accuracy or R2 or "
        "the value of a function (y_true, y_pred) -> score, and `oob_decision_function_` or `oob_prediction_`, which "
        "are NaN for rows in the sample of every base estimator. Samples must leave rows out, with or without "
        "replacement.",
        ["boolean", callable],
    ),
    "warm_start": Parameter(
        "bool", "Keep the base estimators of the previous fit and add more. False fits all again.", ["boolean"]
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of threads; each fits one base estimator at a time. None and -1 use every core. The model does not "
        "depend on it.",
        THREADS,
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed of the samples, and of the `random_state` of each base estimator.",
        ["random_state"],
    ),
    "verbose": Parameter(
        "int",
        "0 prints nothing, 1 a progress bar and 2 a line per tree. With other base estimators, 1 prints a line for "
        "each.",
        ["verbose"],
    ),
    "partition": Parameter(
        "bool",
        "Split the rows into `n_estimators` disjoint parts of nearly equal size, one for each base estimator. Needs "
        "bootstrap=False. Each base estimator has few rows, so the model is less accurate than bagging "
        "(docs/bagging.md).",
        ["boolean"],
    ),
}
CLASSIFIER = Parameter(
    "classifier or None",
    "The base estimator. None is `DecisionTreeClassifier()`. For Spinney's trees (without class_weight and "
    "n_iter_no_change) X is read and sorted once. Other estimators receive counts as sample_weight if their fit "
    "accepts it, else each row as often as it was sampled.",
    [HasMethods(["fit", "predict"]), None],
)
REGRESSOR = CLASSIFIER._replace(
    form="regressor or None",
    text=CLASSIFIER.text.replace("TreeClassifier", "TreeRegressor").replace("class_weight and ", ""),
)
ABOUT = """
    Samples are determined by row contents: the same data and `random_state` give the same model with any number of
    threads and in any order of the rows. A row of weight 2 is the same as a row that occurs twice.
"""
FITTED = """
    estimator_ : estimator
        The unfitted base estimator.
    estimators_ : list of estimators
        The fitted base estimators. Spinney's trees are created from `forest_` on first access.
    estimators_samples_ : list of ndarray
        The rows that each base estimator was fitted on, repeated as often as they were sampled.
    estimators_features_ : list of ndarray
        The columns that each base estimator was fitted on, ascending.
    forest_ : Forest
        All trees, stored together; only if the base estimator is a Spinney tree.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the impurity decrease, averaged over the trees; only with `forest_`.
    oob_score_ : float
        The out-of-bag score; only with `oob_score`.
    oob_decision_function_, oob_prediction_ : ndarray
        The out-of-bag predictions of classifiers and of regressors; only with `oob_score`.
    fingerprint_ : str
        A hash of the base estimators, the same on any machine and with any number of threads; only if these have one.
"""


def count_draws(model: Any, total: int) -> int:
    """Number of rows sampled for a member; a row of integer weight counts as that many rows."""
    if model.partition and model.n_estimators > total:
        raise ValueError(
            f"partition=True needs a row for each part: n_estimators must be at most {total}, got {model.n_estimators}."
        )
    if model.max_samples is None:
        n_draws = total
    elif isinstance(model.max_samples, Integral):
        n_draws = int(model.max_samples)
    else:
        n_draws = max(1, int(float(model.max_samples) * total + _ROUNDING))
    if not model.bootstrap and n_draws > total:
        raise ValueError(
            f"max_samples must be at most the number of rows, {total}, to sample without replacement, got {n_draws}."
        )
    sees_all = not model.bootstrap and n_draws == total and not (model.partition and model.n_estimators > 1)
    if model.oob_score and sees_all:
        raise ValueError(
            "oob_score=True needs samples that leave rows out. Set bootstrap=True, or max_samples to fewer rows."
        )
    return n_draws


def count_columns_of_member(max_features: Any, n_columns: int) -> int:
    """Number of columns sampled for a member."""
    if isinstance(max_features, Integral):
        return min(int(max_features), n_columns)
    return max(1, int(float(max_features) * n_columns + _ROUNDING))


# ----------------------------------------------------------------------------------------------------------------------
# Bagging of Spinney's trees on a cluster: each worker with enough memory receives all rows and grows some trees.
#
# In:  an ensemble, a template, dask collections. Out: what `BagFit` keeps of a fit. Rows are sampled by their contents,
# and values are sorted, so workers need the table itself and not only its codes.


_COPIES = 6.0  # of the table on a worker, sorted lists and those of a tree included


class GrownMembers(NamedTuple):
    schema: Schema
    forest: Forest
    draws: Draws
    target: Target


def grow_remote_bag(
    bag: Any, template: Any, X: Any, y: Any, sample_weight: Any, numbers: range, report: Callable[[], object]
) -> GrownMembers:
    """The members of these numbers."""
    from spinney.distributed.forests import Sharing, grow_everywhere
    from spinney.distributed.gathered import plan_gathering

    if not is_dask(X):
        raise TypeError("y or sample_weight is a dask collection, but X is not: pass .compute() of it.")
    y, weight = vector_here(y, "y"), vector_here(sample_weight, "sample_weight")
    rows = plan_gathering(X, type(bag).__name__, _COPIES)
    target = read_target(y, rows.n_rows, type(bag).__name__, is_classifier(template), template.criterion)
    copy = clone(bag)
    copy._seed = bag._seed
    how = Sharing(_open, _grow, _facts, (copy, template, y, weight))
    forest, (schema, draws) = grow_everywhere(rows.client, rows.partitions, how, rows.workers, numbers, report)
    return GrownMembers(schema, forest, draws, target)


# --- on the workers --------------------------------------------------------------------------------------------------


def _open(partitions: list[Any], told: Any) -> Any:
    from spinney.distributed.gathered import joined

    bag, template, y, sample_weight = told
    return bag.plan_of_trees(template, joined(partitions), y, sample_weight)


def _grow(opened: Any, told: Any, numbers: range) -> Forest:
    from spinney.ensemble.forests.fit import grow_trees

    _, table, target, plan, _ = opened
    from spinney._team import Team

    with Team(1, inline=True) as alone:
        return grow_trees(table, target, plan, numbers, alone)


def _facts(opened: Any) -> tuple[Any, Any]:
    return opened[0], opened[4]


class BagFit(BagModel):
    """Fitting, shared by both estimators."""

    _other_kind: ClassVar[Any]

    # --- fit --------------------------------------------------------------------------------------------------------

    @documented()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None, **fit_params: Any) -> Any:
        """Fit the base estimators.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Input data that the base estimator accepts: NumPy arrays, pandas, polars or Arrow tables, SciPy sparse
            matrices. Dask DataFrames and Arrays are supported only with Spinney's trees as base estimators.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target: class labels or numbers. Several outputs are supported with Spinney's trees, and with regressors
            that accept them. May be a dask collection if X is.
        sample_weight : array-like of shape (n_samples,), default=None
            Proportional to a row's probability of being sampled. A row of integer weight up to 127 is like that many
            equal rows, and can be sampled as often without replacement. Rows of weight 0 are left out.
        **fit_params : dict
            Other arguments for base estimators that request them; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import BaggingClassifier
        >>> len(BaggingClassifier(n_estimators=20).fit(*load_iris(return_X_y=True)))
        20
        """
        if client is not None:
            return fit_by(client, self.fit, X, y, sample_weight, **fit_params)
        check_parameters(self)
        self._check_together()
        with all_or_nothing(self):
            template, params = clone(self._template()), route_to_copies(self, "fit", fit_params)
            if can_share(template) and not params:
                self._fit_trees(template, X, y, sample_weight)
            else:
                self._fit_members(template, X, y, sample_weight, params)
            self.estimator_ = template
        return self

    def _check_together(self) -> None:
        """Raise for parameters that cannot be combined."""
        if self._other_kind(self._template()):
            raise ValueError(f"estimator must be a {self._kind}, got {type(self._template()).__name__}.")
        if not self.partition:
            return
        if self.bootstrap:
            raise ValueError("partition=True needs bootstrap=False: the parts are disjoint, no row is sampled twice.")
        if self.max_samples is not None:
            raise ValueError(f"partition=True needs max_samples=None: the parts hold all rows, got {self.max_samples}.")
        if self.warm_start and hasattr(self, "_draws"):
            raise ValueError("partition=True needs warm_start=False: more members would need smaller parts.")

    def _fit_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit members that are Spinney's trees."""
        if is_remote(X, y, sample_weight):
            return self._fit_remote_trees(template, X, y, sample_weight)
        from spinney.ensemble.forests.out_of_bag import count_votes

        check_parameters(template)
        data = read_training(template, X, y, sample_weight, owner=type(self).__name__)
        schema, table, target = data
        numbers = self._numbers(schema, target)
        if not numbers and not self._lacks_oob():
            return
        target.keep_classes(self)
        draws = self._draws_by_content(data)
        with self._make_team("tree", table.n_rows * table.n_columns * len(numbers)) as team:
            if numbers:
                forest = self._grow(template, schema, table, target, draws, numbers, team)
                self._keep(schema, forest)
            self._keep_draws(draws, numbers)
            if self.oob_score:
                self._judge(count_votes(self.forest_, table, self._in_bag, team, self.node_answers()), target)

    def _grow(
        self, template: Any, schema: Schema, table: Table, target: Target, draws: Draws, numbers: range, team: Team
    ) -> Forest:
        from spinney.ensemble.bagging import grow_members
        from spinney.ensemble.callbacks import tell_progress
        from spinney.tree.forest import join

        plan = self._plan(template, schema, target, draws)
        report = tell_progress(self.verbose, len(numbers), "tree")
        categories = n_categories(schema)
        forest = grow_members(table, categories, target, plan, draws, template.max_bins, numbers, team, report)
        return join([self.forest_, forest]) if numbers.start else forest

    def _plan(self, template: Any, schema: Schema, target: Target, draws: Draws) -> Plan:
        from spinney.ensemble.bagging import seed_member
        from spinney.ensemble.forests.fit import Plan
        from spinney.prune.cost_complexity import collapse_by_alpha

        subspaces, seed, alpha = draws.subspaces, self._seed, template.ccp_alpha

        def tailor(number: int, some: Target) -> TreeSettings:
            member = seed_member(clone(template), seed, number)
            settings = tree_settings(member, schema, some)
            if subspaces.are_whole:
                return settings
            columns = subspaces.of(number)
            monotone = settings.monotone[columns] if len(settings.monotone) else settings.monotone
            return settings._replace(n_features=count_columns(template.max_features, len(columns)), monotone=monotone)

        return Plan(
            settings=tree_settings(template, schema, target),
            bootstrap=False,
            n_draws=0,
            replace=False,
            weights=target.weights,
            class_weight=None,
            seed=seed,
            prune=(lambda tree: collapse_by_alpha(tree, alpha)) if alpha > 0.0 else None,
            tailor=tailor,
        )

    def _fit_remote_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """The same for a dask collection: each worker grows some of the trees."""
        from spinney.ensemble.callbacks import tell_progress

        if self.oob_score or self.warm_start:
            raise ValueError(
                "bagging supports oob_score and warm_start only with data in memory, and X is a dask collection. Leave "
                "them out, or pass X.compute()."
            )
        check_parameters(template)
        self._seed, numbers = read_seed(self.random_state), range(self.n_estimators)
        report = tell_progress(self.verbose, len(numbers), "tree")
        grown = grow_remote_bag(self, template, X, y, sample_weight, numbers, report)
        grown.target.keep_classes(self)
        self._keep_draws(grown.draws, numbers)
        self._keep(grown.schema, grown.forest)

    def plan_of_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """Prepare a fit of Spinney's trees on data in memory, for internal use."""
        from spinney._team import Team
        from spinney.ensemble.bagging import open_for_members

        data = read_training(template, X, y, sample_weight, owner=type(self).__name__)
        draws, schema, target = self._draws_by_content(data), data.schema, data.target
        plan = self._plan(template, schema, target, draws)
        with Team(1, inline=True) as alone:
            made = open_for_members(data.table, n_categories(schema), target, plan, draws, template.max_bins, alone)
        return schema, made[0], target, made[1], draws

    def keep_parts(self, parts: list[Any]) -> None:
        """Become the ensemble of all trees of these fitted ones, for internal use."""
        from spinney.tree.forest import join

        self._keep(parts[0].schema_, join([one.forest_ for one in parts]))
        starts = np.cumsum([0, *map(len, parts)])
        self._draws = [one.shifted(int(by)) for by, part in zip(starts, parts) for one in part._draws]

    def _fit_members(self, template: Any, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        """Fit members of any other kind."""
        from spinney._team import available_threads
        from spinney.data.row_hash import order_of_any
        from spinney.ensemble.bagging import Asks, count_member_votes, fit_bagged

        schema, X = self._learn(X)
        n_rows, n_jobs = _num_samples(X), available_threads(self.n_jobs)
        own, target = self._read_target(y, n_rows)
        weights = read_sample_weight(sample_weight, n_rows)
        numbers, target = self._numbers(schema, target), target._replace(weights=weights)
        if not numbers and not self._lacks_oob():
            return
        target.keep_classes(self)
        codes = None if target.labels is None else target.labels[0]
        draws = self._plan_draws(order_of_any(X, target.values, weights.total()), schema.n_columns, weights)
        asks = Asks(wants_weights(template), params)
        fitted = fit_bagged(template, X, own, codes, draws, numbers, self._seed, n_jobs, self.verbose, asks)
        members = [*(self.estimators_ if numbers.start else ()), *fitted]
        self._keep_draws(draws, numbers)
        self._keep_members(schema, members, target.n_outputs)
        if self.oob_score:
            self._judge(count_member_votes(members, X, self._draws, self._answer_of, n_jobs), target)

    def _learn(self, X: Any) -> tuple[Schema, Any]:
        """The schema of X, and X in a form that rows can be taken from."""
        if issparse(X):
            X = self._read_sparse(X)
            return Schema((SchemaColumn(None),) * X.shape[1]), X
        return super()._learn(X)

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray, Target]:
        """y as members receive it, and as numbers."""
        raise NotImplementedError

    def _numbers(self, schema: Schema, target: Target) -> range:
        """Numbers of the members that are still to be fitted."""
        if not self.warm_start or not hasattr(self, "_draws"):
            self._seed = read_seed(self.random_state)
            return range(self.n_estimators)
        numbers = self._still_to_fit(len(self._draws), "members")
        known = schema == self._schema and target.n_outputs == self.n_outputs_ and self._knows_classes(target)
        if not known or type(self._template()) is not type(self.estimator_):
            raise ValueError(
                "with warm_start=True X, y and estimator must have the same columns, classes and kind as in the "
                "previous fit."
            )
        return numbers

    def _lacks_oob(self) -> bool:
        """Whether `oob_score` was set after the members had been fitted."""
        return bool(self.oob_score) and not hasattr(self, "oob_score_")

    def _knows_classes(self, target: Target) -> bool:
        known = vars(self).get("classes_", [])
        return all(map(np.array_equal, known if isinstance(known, list) else [known], target.classes or []))

    def _draws_by_content(self, data: Training) -> Draws:
        from spinney.data.row_hash import order_by_content

        order = order_by_content(data.table, *data.target.values, weights=data.target.weights.total())
        return self._plan_draws(order, data.schema.n_columns, data.target.weights)

    def _plan_draws(self, order: np.ndarray, n_columns: int, weights: Weights) -> Draws:
        """The rows and columns of each member."""
        from spinney.ensemble.bagging import Draws, Subspaces
        from spinney.ensemble.forests.bootstrap import Bags

        total = weights.n_samples(len(order))
        n_draws = count_draws(self, total)
        if self.partition and weights.importance is not None:
            raise ValueError(
                "partition=True supports only integer sample_weight up to 127, which stands for that many rows: rows "
                "are not sampled by probability. Pass such weights, or set partition=False."
            )
        n_parts = self.n_estimators if self.partition else 0
        bags = Bags(order, weights.total(), n_draws, self.bootstrap, self._seed, n_parts)
        subspaces = Subspaces(
            n_columns, count_columns_of_member(self.max_features, n_columns), self.bootstrap_features, self._seed
        )
        return Draws(bags, subspaces)

    def _keep_draws(self, draws: Draws, numbers: range) -> None:
        before = self._draws if numbers.start else []
        others = {id(one): one for one in before}.values()
        if self.oob_score and any(not np.array_equal(one.bags.order, draws.bags.order) for one in others):
            raise ValueError(
                "oob_score with warm_start=True needs the rows of the previous fit, but X or y has changed."
            )
        self._draws = [*before, *[draws] * len(numbers)]
        self._n_rows = len(draws.bags.order)

    def _keep_members(self, schema: Schema, members: list[Any], n_outputs: int) -> None:
        for name in ("forest_", *FOLLOWS):
            self.__dict__.pop(name, None)
        self._keep_schema(schema)
        self.n_outputs_, self.__dict__["estimators_"] = n_outputs, members

    # --- out of bag -------------------------------------------------------------------------------------------------

    def _judge(self, votes: Votes, target: Target) -> None:
        answers, total = mean_votes(votes, "member"), target.weights.total()
        counted = votes.n > 0 if total is None else (votes.n > 0) & (total > 0)
        self._keep_oob(answers, target.values, counted)
        self._calibrate_oob(answers, target.values, counted)
