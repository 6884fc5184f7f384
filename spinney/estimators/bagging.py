"""Bagging with scikit-learn's interface: classes and numbers. No algorithm in here.

Members that are our own trees share one table, read and sorted once, and are kept in one `Grove`. All others get rows
and columns of the table as it came: whatever they can read, bagging can.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_array, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, column_or_1d

from spinney._seed import read_seed
from spinney.data.schema import Column, Schema, learn_and_read, learn_names
from spinney.data.weights import Weights, read_weights
from spinney.estimators.forest_model import ClassForest, ForestModel, NumberForest
from spinney.estimators.parameters import check_parameters, count_columns
from spinney.estimators.targets import check_labels, check_numbers, find_classes
from spinney.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor, n_categories
from spinney.estimators.tree_model import whole
from spinney.estimators.tree_series import can_share

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.bagging import Draws
    from spinney.ensemble.forests import Plan
    from spinney.ensemble.out_of_bag import Votes
    from spinney.grow.lists.fit import Settings
    from spinney.grow.lists.freeze import Target
    from spinney.tree.grove import Grove

_SMALL = 50_000  # cells times trees below which a fit runs in the caller's thread
_ROUNDING = 1e-9  # of shares: 0.29 * 100 rows are 29


def _of_trees(model: Any) -> bool:
    """Whether the members are our own trees, kept in a grove; for `available_if`."""
    return "grove_" in vars(model) or ("_draws" not in vars(model) and can_share(model._template()))


class _Bagging(MetaEstimatorMixin, ForestModel):
    """What both estimators share."""

    _kind: ClassVar[str]
    _other_kind: ClassVar[Any]
    _draws: list[Draws]  # what each member was given
    _seed: int
    _n_rows: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean", callable],
        "warm_start": ["boolean"],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "partition": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        partition: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.partition = partition

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members.

        Parameters
        ----------
        X : table
            Whatever the members can read: NumPy array, pandas or polars frame, Arrow table, sparse matrix.
        y : array-like of shape (n_samples,)
            For our own trees, and for regressors that take several numbers, also (n_samples, n_outputs).
        sample_weight : array-like of shape (n_samples,), optional
            A row's chance of being drawn. A row of whole weight, up to 127, is as many rows that are alike; without
            replacement, it can be drawn as often. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._check_together()
        with whole(self):
            template = clone(self._template())
            if can_share(template):
                self._fit_trees(template, X, y, sample_weight)
            else:
                self._fit_members(template, X, y, sample_weight)
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

    def _template(self) -> Any:
        """The estimator that members are copies of."""
        return self._default() if self.estimator is None else self.estimator

    def _default(self) -> Any:
        raise NotImplementedError

    def _fit_trees(self, template: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Members that are our own trees."""
        from spinney._team import Team, available_threads
        from spinney.ensemble.bootstrap import order_by_content

        check_parameters(template)
        schema, table = learn_and_read(X, template.categorical_features, type(self).__name__)
        answers = template._read_target(y, table.n_rows)
        weights = template._read_weights(sample_weight, y, table.n_rows)
        numbers = self._numbers(schema, vars(template).get("classes_"), answers.shape[0])
        if not numbers:
            return
        self._keep_classes_of(template)
        draws = self._plan_draws(order_by_content(table, *answers), schema.n_columns, weights)
        target = template._target(answers, weights, None)
        small = table.n_rows * table.n_columns * len(numbers) < _SMALL
        with Team(1 if small else available_threads(self.n_jobs), inline=small) as team:
            grove = self._grow(template, schema, table, target, draws, numbers, team)
            self._keep_draws(draws, numbers)
            self._keep(schema, grove)
            if self.oob_score:
                from spinney.ensemble.out_of_bag import count_votes

                self._judge(count_votes(grove, table, self._in_bag, team), target, weights)

    def _grow(
        self, template: Any, schema: Schema, table: Table, target: Target, draws: Draws, numbers: range, team: Team
    ) -> Grove:
        from spinney.ensemble.bagging import grow_members
        from spinney.ensemble.callbacks import tell_progress
        from spinney.tree.grove import join

        plan = self._plan(template, schema, target, draws)
        report = tell_progress(self.verbose, len(numbers), "tree")
        categories = n_categories(schema)
        grove = grow_members(table, categories, target, plan, draws, template.max_bins, numbers, team, report)
        return join([self.grove_, grove]) if numbers.start else grove

    def _plan(self, template: Any, schema: Schema, target: Target, draws: Draws) -> Plan:
        from spinney.ensemble.bagging import seed_member
        from spinney.ensemble.forests import Plan
        from spinney.prune.cost_complexity import collapse_by_alpha

        subspaces, seed, alpha = draws.subspaces, self._seed, template.ccp_alpha

        def answers(some: Target) -> Any:
            return some.labels if some.y is None else some.y

        def tailor(number: int, some: Target) -> Settings:
            member = seed_member(clone(template), seed, number)
            settings: Settings = member._settings(schema, answers(some), some.weights)
            if subspaces.are_whole:
                return settings
            columns = subspaces.of(number)
            monotone = settings.monotone[columns] if len(settings.monotone) else settings.monotone
            return settings._replace(
                n_features=count_columns(template.max_features, len(columns), "max_features"), monotone=monotone
            )

        return Plan(
            settings=template._settings(schema, answers(target), target.weights),
            bootstrap=False,
            n_draws=0,
            replace=False,
            weights=target.weights,
            class_weight=None,
            seed=seed,
            prune=(lambda tree: collapse_by_alpha(tree, alpha)) if alpha > 0.0 else None,
            tailor=tailor,
        )

    def _fit_members(self, template: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Members of any other kind."""
        from spinney._team import available_threads
        from spinney.ensemble.bagging import count_votes, fit_bagged

        schema, X = self._learn(X)
        n_rows = _num_samples(X)
        target, answers, classes = self._read_answers(y, n_rows)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
        weights = read_weights(sample_weight, n_rows)
        numbers = self._numbers(schema, classes, answers.shape[0])
        if not numbers:
            return
        codes = answers[0] if classes is not None else None
        if classes is not None:
            self.classes_: Any = classes
            self.n_classes_: Any = len(classes)
        draws, n_jobs = self._plan_draws(_order(X, answers), schema.n_columns, weights), available_threads(self.n_jobs)
        fitted = fit_bagged(template, X, target, codes, draws, numbers, self._seed, n_jobs, self.verbose)
        members = [*(self.estimators_ if numbers.start else ()), *fitted]
        self._keep_draws(draws, numbers)
        self._keep_members(schema, members, answers.shape[0])
        if self.oob_score:
            from spinney.grow.lists.freeze import Target

            votes = count_votes(members, X, self._draws, self._say, n_jobs)
            truth = (
                Target(answers, None, None, weights) if classes is not None else Target(None, None, answers, weights)
            )
            self._judge(votes, truth, weights)

    def _learn(self, X: Any) -> tuple[Schema, Any]:
        """What is known of the columns, and X as members and we can take rows from it."""
        if issparse(X):
            X = self._read_sparse(X)
            return Schema((Column(None),) * X.shape[1]), X
        schema, source = learn_names(X, type(self).__name__)
        return schema, X if hasattr(X, "shape") else source.origin

    def _read_sparse(self, X: Any) -> Any:
        sparse = get_tags(self._template()).input_tags.sparse
        form: Any = "csr" if sparse else False
        return check_array(X, accept_sparse=form, dtype=None, ensure_all_finite=False, estimator=self)

    def _read_answers(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(y as members get it, numbers or class numbers (outputs, rows), the classes if there are any)."""
        raise NotImplementedError

    def _numbers(self, schema: Schema, classes: Any, n_outputs: int) -> range:
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
            warn("warm_start=True and n_estimators has not risen: no member was added.", stacklevel=5)
        same = (
            schema == self._schema and n_outputs == self.n_outputs_ and _are_same(classes, vars(self).get("classes_"))
        )
        if not same or type(self._template()) is not type(self.estimator_):
            raise ValueError(
                "with warm_start=True X, y and estimator must have the same columns, classes and kind as in the fit "
                "before."
            )
        return range(n_before, self.n_estimators)

    def _plan_draws(self, order: np.ndarray, n_columns: int, weights: Weights) -> Draws:
        """Who gets which rows and columns."""
        from spinney.ensemble.bagging import Draws, Subspaces
        from spinney.ensemble.bootstrap import Bags

        total = len(order) if weights.counts is None else int(weights.counts.sum())
        n_draws = self._count_draws(total)
        if self.partition and weights.importance is not None:
            raise ValueError(
                "partition=True takes sample_weight of whole numbers up to 127, which stand for so many rows: nothing "
                "is drawn by chance."
            )
        n_parts = self.n_estimators if self.partition else 0
        bags = Bags(order, weights.total(), n_draws, self.bootstrap, self._seed, n_parts)
        subspaces = Subspaces(n_columns, self._count_columns(n_columns), self.bootstrap_features, self._seed)
        return Draws(bags, subspaces)

    def _count_draws(self, total: int) -> int:
        """Rows that a member draws; a row of whole weight counts as so many."""
        if self.partition and self.n_estimators > total:
            raise ValueError(
                f"partition=True needs a row for each part: n_estimators must be at most {total}, "
                f"got {self.n_estimators}."
            )
        if self.max_samples is None:
            n_draws = total
        elif isinstance(self.max_samples, Integral):
            n_draws = int(self.max_samples)
        else:
            n_draws = max(1, int(float(self.max_samples) * total + _ROUNDING))
        if not self.bootstrap and n_draws > total:
            raise ValueError(
                f"max_samples must be at most the number of rows, {total}, to draw without replacement, got {n_draws}."
            )
        if (
            self.oob_score
            and not self.bootstrap
            and n_draws == total
            and not (self.partition and self.n_estimators > 1)
        ):
            raise ValueError(
                "oob_score=True needs members that leave rows out: set bootstrap=True, or max_samples to fewer rows."
            )
        return n_draws

    def _count_columns(self, n_columns: int) -> int:
        if isinstance(self.max_features, Integral):
            if int(self.max_features) > n_columns:
                raise ValueError(
                    f"max_features must be at most the number of columns, {n_columns}, got {self.max_features}."
                )
            return int(self.max_features)
        return max(1, int(float(self.max_features) * n_columns + _ROUNDING))

    def _keep_draws(self, draws: Draws, numbers: range) -> None:
        before = self._draws if numbers.start else []
        if self.oob_score and any(not np.array_equal(one.bags.order, draws.bags.order) for one in _distinct(before)):
            raise ValueError("oob_score with warm_start=True needs the rows of the fit before: these are others.")
        self._draws = [*before, *[draws] * len(numbers)]
        self._n_rows = len(draws.bags.order)
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _keep_members(self, schema: Schema, members: list[Any], n_outputs: int) -> None:
        self.__dict__.pop("grove_", None)
        self._schema, self.n_outputs_, self.n_features_in_ = schema, n_outputs, schema.n_columns
        self.__dict__.pop("feature_importances_", None)
        self.__dict__["estimators_"] = members
        if schema.names is not None:
            self.feature_names_in_ = schema.names
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _keep_classes_of(self, template: Any) -> None:
        """Take over the classes that a tree has read."""

    # --- out of bag -------------------------------------------------------------------------------------------------

    def _judge(self, votes: Votes, target: Target, weights: Weights) -> None:
        if (votes.n == 0).any():
            warn(
                f"{int((votes.n == 0).sum())} rows were drawn for every member and have no out-of-bag prediction: they "
                "are NaN, and the score leaves them out. More members help.",
                stacklevel=5,
            )
        total = weights.total()
        counted = votes.n > 0 if total is None else (votes.n > 0) & (total > 0)
        with np.errstate(invalid="ignore"):
            answers = votes.sums / votes.n[:, None, None]
        self._keep_oob(answers, target, counted)

    def _keep_oob(self, answers: np.ndarray, target: Target, counted: np.ndarray) -> None:
        raise NotImplementedError

    def _in_bag(self, k: int) -> np.ndarray:
        """How often each training row was drawn for a member."""
        return self._draws[k].bags.counts(k)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each member was fitted to, repeated as often as they were drawn."""
        check_is_fitted(self)
        counts = (self._in_bag(k) for k in range(len(self)))
        return [np.repeat(np.arange(len(one)), one) for one in counts]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each member was fitted to."""
        check_is_fitted(self)
        return [draws.subspaces.of(k) for k, draws in enumerate(self._draws)]

    # --- members ----------------------------------------------------------------------------------------------------

    def _tree_of_table(self, k: int) -> Any:
        """A tree that asks about the columns of the whole table."""
        from spinney.ensemble.bagging import seed_member

        tree = seed_member(clone(self.estimator_), self._seed, k)
        tree._keep(self._schema, self.grove_.tree(k))
        tree.max_features_ = count_columns(tree.max_features, self._draws[k].subspaces.n_drawn, "max_features")
        return tree

    def _make_tree(self, k: int) -> Any:
        """A tree that asks about its own columns."""
        from spinney.ensemble.bagging import tell_apart
        from spinney.ensemble.forests import renumber

        tree, subspaces = self._tree_of_table(k), self._draws[k].subspaces
        if subspaces.are_whole:
            return tree
        columns = subspaces.of(k)
        places = np.zeros(subspaces.n_columns, np.int64)
        places[columns[::-1]] = np.arange(len(columns))[::-1]
        some = [self._schema.columns[j] for j in columns]
        names = [None] * len(some) if self._schema.names is None else tell_apart([str(one.name) for one in some])
        schema = Schema(tuple(Column(name, one.categories) for name, one in zip(names, some)))
        tree._keep(schema, renumber(tree.tree_, places))
        return tree

    @available_if(_of_trees)
    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, (n_samples, n_estimators). Only for members that are our own trees.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of node numbers
        """
        return super().apply(X)

    @available_if(_of_trees)
    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """The nodes that each row passes. Only for members that are our own trees.

        Parameters
        ----------
        X : table

        Returns
        -------
        (indicator, n_nodes_ptr)
            A sparse matrix of ones, and where each tree's nodes begin among its columns.
        """
        return super().decision_path(X)

    @cached_property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the trees of each column's share in the decrease of impurity; they add up to 1."""
        check_is_fitted(self)
        if "grove_" not in vars(self):
            raise AttributeError("feature_importances_ needs members that are our own trees.")
        importances: np.ndarray = ForestModel.feature_importances_.func(self)  # type: ignore[attr-defined]
        return importances

    def _say(self, member: Any, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _mean_answers(self, X: Any) -> np.ndarray:
        """(rows, outputs, classes or 1): the mean of what the members say."""
        from spinney._team import available_threads

        check_is_fitted(self)
        if "grove_" in vars(self):
            return super()._mean_answers(X)
        from spinney.ensemble.bagging import sum_members

        total = sum_members(self.estimators_, self._check(X), self._draws, self._say, available_threads(self.n_jobs))
        mean: np.ndarray = total / len(self)
        return mean

    def _check(self, X: Any) -> Any:
        """X as members can read it, if its columns are those of fit."""
        if issparse(X):
            X = self._read_sparse(X)
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    "features as input."
                )
            return X
        source = self._schema.open(X, type(self).__name__)
        return X if hasattr(X, "shape") else source.origin

    @property
    def fingerprint_(self) -> str:
        """A hash of the members, and of who got which rows and columns."""
        if not hasattr(self, "_draws"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        if "grove_" in vars(self):
            return self.grove_.fingerprint
        digest = blake2b(digest_size=16)
        for k, member in enumerate(self.estimators_):
            digest.update(member.fingerprint_.encode() + self._draws[k].subspaces.of(k).tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self._draws)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_draws")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "grove_" not in vars(self) and "estimators_" in vars(self):
            state["estimators_"] = self.estimators_
        return state

    def __sklearn_tags__(self) -> Any:
        tags, template = super().__sklearn_tags__(), self._template()
        if can_share(template) or not hasattr(template, "fit"):  # what is no model is reported by fit
            return tags
        members = get_tags(template)
        tags.input_tags.allow_nan = members.input_tags.allow_nan
        tags.input_tags.categorical = members.input_tags.categorical
        tags.input_tags.sparse = members.input_tags.sparse
        tags.target_tags.multi_output = self._kind == "regressor" and members.target_tags.multi_output
        return tags


def _distinct(draws: list[Draws]) -> list[Draws]:
    """Those that are not the same object."""
    return list({id(one): one for one in draws}.values())


def _are_same(classes: Any, others: Any) -> bool:
    """Whether classes, of one or several outputs, are the same."""
    if isinstance(classes, list) or isinstance(others, list):
        pairs = zip(classes or [], others or [])
        return type(classes) is type(others) and all(np.array_equal(one, other) for one, other in pairs)
    return classes is others or np.array_equal(classes, others)


def _order(X: Any, answers: np.ndarray) -> np.ndarray:
    """The rows in an order that follows from what they hold; as they stand, if they hold what we cannot read."""
    from spinney.ensemble.bootstrap import order_by_content, order_of_sparse

    if issparse(X):
        plain = csr_matrix(X)
        plain.sum_duplicates()
        return order_of_sparse(plain, *answers)
    try:
        table = learn_and_read(X)[1]
    except (TypeError, ValueError):
        return np.arange(answers.shape[1])
    return order_by_content(table, *answers)


_PARAMETERS = """
    n_estimators : int, default 10
        Members.
    max_samples : int, float or None, default None
        Rows that each member draws, or their share of all rows; None: as many as there are. Rows of whole weight count
        as so many.
    max_features : int or float, default 1.0
        Columns that each member draws, or their share of all columns. Fewer columns and all rows (bootstrap=False) are
        random subspaces, fewer columns and some rows random patches.
    bootstrap : bool, default True
        Draw rows with replacement (bagging); False: without (pasting).
    bootstrap_features : bool, default False
        Draw columns with replacement.
    oob_score : bool or function, default False
        Judge every row by the members that have not seen it: `oob_score_`, by {score}, or by a function
        (y_true, y_pred) -> score; and `{oob}`, NaN for rows that every member has seen. Members must leave
        rows out; it works without replacement too.
    warm_start : bool, default False
        Keep the members of the fit before and add more.
    n_jobs : int or None, default None
        Threads, one member each; None: every core. The model does not depend on it.
    random_state : int, RandomState or None
        For the draws; every member's own random_state is drawn from it.
    verbose : int, default 0
        1: a progress bar; 2: a line for each tree. Other estimators get a line for each member.
    partition : bool, default False
        Split the rows into `n_estimators` disjoint parts of nearly equal size, one for each member; needs
        bootstrap=False. Members see little and are worse than those of bagging: the lectures show why.

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of estimators
        The members. Our own trees are made from `grove_` when first asked for.
    estimators_samples_ : list of ndarray
        The rows that each member was fitted to, as often as they were drawn.
    estimators_features_ : list of ndarray
        The columns that each member was fitted to, ascending.
"""

_NOTES = """
    fingerprint_ : str
        A hash of the members: equal on any machine and any number of threads. Only if the members have one.
    n_features_in_, feature_names_in_
"""


class BaggingClassifier(ClassForest, _Bagging):
    __doc__ = f"""Bagging: the same classifier many times, each time from other rows or columns, and their mean.

    Probabilities are averaged; members without probabilities vote.

    Draws follow from what the rows hold: the same data and `random_state` give the same model on any number of threads,
    in any order of the rows, and whether a row comes twice or weighs 2.

    Parameters
    ----------
    estimator : classifier or None, default None
        What the members are copies of; None: our `DecisionTreeClassifier`. For our own trees (without class_weight and
        n_iter_no_change) the table is read and sorted once. Others get counts as sample_weight if they take it, else
        the rows as often as they were drawn.{_PARAMETERS.format(score="accuracy", oob="oob_decision_function_")}
    grove_ : Grove
        Our own trees in one store; also `feature_importances_`.
    classes_ : ndarray, or list of ndarray for several outputs
    n_classes_ : int or list of int{_NOTES}
    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import BaggingClassifier
    >>> X, y = make_moons(500, noise=0.3, random_state=42)
    >>> model = BaggingClassifier(n_estimators=100, oob_score=True, random_state=0).fit(X, y)
    >>> 0.88 < model.oob_score_ < 0.92
    True
    """

    _kind, _other_kind = "classifier", staticmethod(is_regressor)

    def _default(self) -> Any:
        return DecisionTreeClassifier()

    def _keep_classes_of(self, template: Any) -> None:
        self.classes_, self.n_classes_ = template.classes_, template.n_classes_

    def _tree_of_table(self, k: int) -> Any:
        tree = super()._tree_of_table(k)
        tree.classes_, tree.n_classes_ = self.classes_, self.n_classes_
        return tree

    def _read_answers(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        labels = column_or_1d(y, warn=True)
        check_labels(labels, n_rows)
        classes, codes = find_classes(labels)
        return labels, codes.astype(np.int64)[None, :], classes

    def _say(self, member: Any, X: Any) -> np.ndarray:
        from spinney.ensemble.bagging import say_classes

        return say_classes(member, X, self.classes_)

    def _keep_oob(self, answers: np.ndarray, target: Target, counted: np.ndarray) -> None:
        self.oob_decision_function_ = self._split_outputs(answers)
        assert target.labels is not None
        truth, guess = self._name(target.labels[:, counted].T), self._name(answers[counted].argmax(axis=2))
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(truth, guess)
        else:
            self.oob_score_ = accuracy_score(truth.ravel(), guess.ravel())

    @available_if(lambda self: hasattr(self._template(), "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' `decision_function`.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        from spinney._team import available_threads
        from spinney.ensemble.bagging import sum_members

        check_is_fitted(self)
        for k, member in enumerate(self.estimators_):
            if not np.array_equal(member.classes_, self.classes_):
                raise ValueError(
                    f"decision_function needs members that know all classes, and member '{k}' has not seen some: use "
                    "predict_proba."
                )

        def say(member: Any, some: Any) -> np.ndarray:
            return np.asarray(member.decision_function(some))

        total = sum_members(self.estimators_, self._check(X), self._draws, say, available_threads(self.n_jobs))
        mean: np.ndarray = total / len(self)
        return mean

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = can_share(self._template())
        return tags


class BaggingRegressor(NumberForest, _Bagging):
    __doc__ = f"""Bagging: the same regressor many times, each time from other rows or columns, and their mean.

    Draws follow from what the rows hold: the same data and `random_state` give the same model on any number of threads,
    in any order of the rows, and whether a row comes twice or weighs 2.

    Parameters
    ----------
    estimator : regressor or None, default None
        What the members are copies of; None: our `DecisionTreeRegressor`. For our own trees (without n_iter_no_change)
        the table is read and sorted once. Others get counts as sample_weight if they take it, else the rows as
        often as they were drawn.{_PARAMETERS.format(score="R2", oob="oob_prediction_")}
    grove_ : Grove
        Our own trees in one store; also `feature_importances_`.{_NOTES}
    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=100, oob_score=True, random_state=0).fit(X, y)
    >>> 0.4 < model.oob_score_ < 0.5
    True
    """

    _kind, _other_kind = "regressor", staticmethod(is_classifier)

    def _default(self) -> Any:
        return DecisionTreeRegressor()

    def _read_answers(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        values = np.asarray(y)
        several = values.ndim == 2 and values.shape[1] > 1
        numbers = np.asarray(values if several else column_or_1d(y, warn=True), np.float64)
        check_numbers(numbers, n_rows)
        return numbers, np.ascontiguousarray(numbers.reshape(n_rows, -1).T), None

    def _say(self, member: Any, X: Any) -> np.ndarray:
        from spinney.ensemble.bagging import say_numbers

        return say_numbers(member, X)

    def _keep_oob(self, answers: np.ndarray, target: Target, counted: np.ndarray) -> None:
        guess = answers[:, :, 0]
        assert target.y is not None
        truth = target.y.T
        self.oob_prediction_ = guess[:, 0] if self.n_outputs_ == 1 else guess
        score = self.oob_score if callable(self.oob_score) else r2_score
        some = (one[:, 0] if self.n_outputs_ == 1 else one for one in (truth[counted], guess[counted]))
        self.oob_score_ = score(*some)
