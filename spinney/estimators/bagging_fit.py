"""How bags of models are fitted, of classes and of numbers: a table, a target and parameters in, members out.

No algorithm in here: see ensemble/bagging.py; what a fitted bag can do is in bagging_model.py.

Members that are our own trees share one table, read and sorted once, and are kept in one `Forest`. All others get rows
and columns of the table as it came: whatever they can read, bagging can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from spinney._seed import read_seed
from spinney._warnings import warn_caller
from spinney.data.schema import Column, Schema, learn_and_read, without_idle_categories
from spinney.data.weights import Weights
from spinney.distributed.collections import fit_by, is_remote
from spinney.estimators.bagging_model import BagModel
from spinney.estimators.bagging_params import (
    count_columns_of_member,
    count_draws,
)
from spinney.estimators.base import all_or_nothing, read_sample_weight
from spinney.estimators.forest_model import mean_votes
from spinney.estimators.params import check_parameters
from spinney.estimators.routing import route_to_copies, wants_weights
from spinney.estimators.settings import count_columns, n_categories, tree_settings
from spinney.estimators.targets import (
    Answers,
    answers_of,
    read_answers,
)
from spinney.estimators.tree_series import can_share

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.ensemble.bagging import Draws
    from spinney.ensemble.forests import Plan
    from spinney.ensemble.out_of_bag import Votes
    from spinney.grow.settings import TreeSettings
    from spinney.tree.forest import Forest


class BagFit(BagModel):
    """What both estimators share."""

    _other_kind: ClassVar[Any]

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None, **fit_params: Any) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : table
            Whatever the members can read: NumPy array, pandas or polars frame, Arrow table, sparse matrix. With our
            own trees as members also a dask DataFrame or Array; y and sample_weight may then be dask collections, too.
        y : array-like of shape (n_samples,)
            For our own trees, and for regressors that take several numbers, also (n_samples, n_outputs).
        sample_weight : array-like of shape (n_samples,), optional
            A row's chance of being drawn. A row of whole weight, up to 127, is as many rows that are alike; without
            replacement, it can be drawn as often. Rows of weight 0 are left out.
        client : distributed.Client, optional
            Who fits a dask collection: the current one, unless another is named.
        **fit_params : dict
            Only with scikit-learn's metadata routing: other arguments, for members that ask for them.

        Returns
        -------
        self
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
        """Parameters that do not go together."""
        if self._other_kind(self._template()):
            raise ValueError(f"estimator must be a {self._kind}, got {type(self._template()).__name__}.")
        if not self.partition:
            return
        if self.bootstrap:
            raise ValueError("partition=True needs bootstrap=False: parts are disjoint, no row is drawn twice.")
        if self.max_samples is not None:
            raise ValueError(f"partition=True needs max_samples=None: the parts hold all rows, got {self.max_samples}.")
        if self.warm_start and hasattr(self, "_draws"):
            raise ValueError("partition=True needs warm_start=False: more members would need smaller parts.")

    def _fit_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Members that are our own trees."""
        if is_remote(X, y, sample_weight):
            return self._fit_remote_trees(template, X, y, sample_weight)
        from spinney.data.content import order_by_content
        from spinney.ensemble.out_of_bag import count_votes

        check_parameters(template)
        schema, table = learn_and_read(X, template.categorical_features, type(self).__name__)
        answers = read_answers(template, y, table.n_rows, type(self).__name__)
        weights = read_sample_weight(sample_weight, table.n_rows)
        schema, table = without_idle_categories(schema, table, weights)
        numbers = self._numbers(schema, answers)
        if not numbers and not self._lacks_oob():
            return
        answers.keep_classes(self)
        draws = self._plan_draws(
            order_by_content(table, *answers.values, weights=weights.total()), schema.n_columns, weights
        )
        with self._make_team("tree", table.n_rows * table.n_columns * len(numbers)) as team:
            if numbers:
                forest = self._grow(template, schema, table, answers.target(weights), draws, numbers, team)
                self._keep(schema, forest)
            self._keep_draws(draws, numbers)
            if self.oob_score:
                self._judge(count_votes(self.forest_, table, self._in_bag, team, self._says()), answers, weights)

    def _grow(
        self, template: Any, schema: Schema, table: Table, target: Target, draws: Draws, numbers: range, team: Team
    ) -> Forest:
        from spinney.ensemble.bagging import grow_members
        from spinney.ensemble.callbacks import tell_progress
        from spinney.tree.join import join

        plan = self._plan(template, schema, target, draws)
        report = tell_progress(self.verbose, len(numbers), "tree")
        categories = n_categories(schema)
        forest = grow_members(table, categories, target, plan, draws, template.max_bins, numbers, team, report)
        return join([self.forest_, forest]) if numbers.start else forest

    def _plan(self, template: Any, schema: Schema, target: Target, draws: Draws) -> Plan:
        from spinney.ensemble.bagging import seed_member
        from spinney.ensemble.forests import Plan
        from spinney.prune.cost_complexity import collapse_by_alpha

        subspaces, seed, alpha = draws.subspaces, self._seed, template.ccp_alpha

        def tailor(number: int, some: Target) -> TreeSettings:
            member = seed_member(clone(template), seed, number)
            settings = tree_settings(member, schema, answers_of(some), some.weights)
            if subspaces.are_whole:
                return settings
            columns = subspaces.of(number)
            monotone = settings.monotone[columns] if len(settings.monotone) else settings.monotone
            return settings._replace(n_features=count_columns(template.max_features, len(columns)), monotone=monotone)

        return Plan(
            settings=tree_settings(template, schema, answers_of(target), target.weights),
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
        """The same of a dask collection: workers grow some of the trees each."""
        from spinney.ensemble.callbacks import tell_progress
        from spinney.estimators.bagging_remote import grow_remote_bag

        if self.oob_score or self.warm_start:
            raise ValueError(
                "oob_score and warm_start of bagging are for tables in memory: leave them out for a dask collection, "
                "or pass X.compute()."
            )
        check_parameters(template)
        self._seed, numbers = read_seed(self.random_state), range(self.n_estimators)
        report = tell_progress(self.verbose, len(numbers), "tree")
        grown = grow_remote_bag(self, template, X, y, sample_weight, numbers, report)
        grown.answers.keep_classes(self)
        self._keep_draws(grown.draws, numbers)
        self._keep(grown.schema, grown.forest)

    def plan_of_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """(schema, opened table, target, plan, draws) of members that are our own trees; X is in memory."""
        from spinney._team import Team
        from spinney.data.content import order_by_content
        from spinney.ensemble.bagging import open_for_members

        schema, table = learn_and_read(X, template.categorical_features, type(self).__name__)
        answers = read_answers(template, y, table.n_rows, type(self).__name__)
        weights = read_sample_weight(sample_weight, table.n_rows)
        schema, table = without_idle_categories(schema, table, weights)
        draws = self._plan_draws(
            order_by_content(table, *answers.values, weights=weights.total()), schema.n_columns, weights
        )
        target = answers.target(weights)
        plan = self._plan(template, schema, target, draws)
        with Team(1, inline=True) as alone:
            made = open_for_members(table, n_categories(schema), target, plan, draws, template.max_bins, alone)
        return schema, made[0], target, made[1], draws

    def _fit_members(self, template: Any, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        """Members of any other kind."""
        from spinney._team import available_threads
        from spinney.data.content import order_of_any
        from spinney.ensemble.bagging import Asks, count_votes, fit_bagged

        schema, X = self._learn(X)
        n_rows, n_jobs = _num_samples(X), available_threads(self.n_jobs)
        target, answers = self._read_answers(y, n_rows)
        weights = read_sample_weight(sample_weight, n_rows)
        numbers = self._numbers(schema, answers)
        if not numbers and not self._lacks_oob():
            return
        answers.keep_classes(self)
        codes = None if answers.classes is None else answers.values[0]
        draws = self._plan_draws(order_of_any(X, answers.values, weights.total()), schema.n_columns, weights)
        asks = Asks(wants_weights(template), params)
        fitted = fit_bagged(template, X, target, codes, draws, numbers, self._seed, n_jobs, self.verbose, asks)
        members = [*(self.estimators_ if numbers.start else ()), *fitted]
        self._keep_draws(draws, numbers)
        self._keep_members(schema, members, len(answers.values))
        if self.oob_score:
            self._judge(count_votes(members, X, self._draws, self._say, n_jobs), answers, weights)

    def _learn(self, X: Any) -> tuple[Schema, Any]:
        """What is known of the columns, and X as members and we can take rows from it."""
        if issparse(X):
            X = self._read_sparse(X)
            return Schema((Column(None),) * X.shape[1]), X
        return super()._learn(X)

    def _read_answers(self, y: Any, n_rows: int) -> tuple[np.ndarray, Answers]:
        """y as members get it, and as numbers."""
        raise NotImplementedError

    def _numbers(self, schema: Schema, answers: Answers) -> range:
        """The members that are still to be fitted."""
        if not self.warm_start or not hasattr(self, "_draws"):
            self._seed = read_seed(self.random_state)
            return range(self.n_estimators)
        n_before = len(self._draws)
        if self.n_estimators < n_before:
            raise ValueError(
                f"with warm_start=True n_estimators must not fall: it was {n_before} and is {self.n_estimators}."
            )
        if self.n_estimators == n_before:
            warn_caller("Warm-start fitting without increasing n_estimators does not fit new members.")
        known = schema == self._schema and len(answers.values) == self.n_outputs_ and self._knows_classes(answers)
        if not known or type(self._template()) is not type(self.estimator_):
            raise ValueError(
                "with warm_start=True X, y and estimator must have the same columns, classes and kind as in the fit "
                "before."
            )
        return range(n_before, self.n_estimators)

    def _lacks_oob(self) -> bool:
        """Whether `oob_score` was set after the members had been fitted."""
        return bool(self.oob_score) and not hasattr(self, "oob_score_")

    def _knows_classes(self, answers: Answers) -> bool:
        known = vars(self).get("classes_", [])
        return all(map(np.array_equal, known if isinstance(known, list) else [known], answers.classes or []))

    def _plan_draws(self, order: np.ndarray, n_columns: int, weights: Weights) -> Draws:
        """Who gets which rows and columns."""
        from spinney.ensemble.bagging import Draws, Subspaces
        from spinney.ensemble.bootstrap import Bags

        total = weights.n_samples(len(order))
        n_draws = count_draws(self, total)
        if self.partition and weights.importance is not None:
            raise ValueError(
                "partition=True takes sample_weight of whole numbers up to 127, which stand for so many rows: nothing "
                "is drawn by chance."
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
            raise ValueError("oob_score with warm_start=True needs the rows of the fit before: these are others.")
        self._draws = [*before, *[draws] * len(numbers)]
        self._n_rows = len(draws.bags.order)
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _keep_members(self, schema: Schema, members: list[Any], n_outputs: int) -> None:
        for name in ("forest_", "feature_importances_"):
            self.__dict__.pop(name, None)
        self._keep_schema(schema)
        self.n_outputs_, self.__dict__["estimators_"] = n_outputs, members

    # --- out of bag -------------------------------------------------------------------------------------------------

    def _judge(self, votes: Votes, truth: Answers, weights: Weights) -> None:
        answers, total = mean_votes(votes, "member"), weights.total()
        counted = votes.n > 0 if total is None else (votes.n > 0) & (total > 0)
        self._keep_oob(answers, truth.values, counted)
