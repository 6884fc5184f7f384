"""What random forests and extra-trees share: how they are fitted and judged."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.utils import Bunch, compute_sample_weight
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney._seed import read_seed
from spinney.data.schema import learn_and_read
from spinney.data.weights import Weights
from spinney.estimators.base import all_or_nothing, read_sample_weight
from spinney.estimators.forest_model import ClassForest, ForestModel, NumberForest
from spinney.estimators.params import check_parameters
from spinney.estimators.settings import n_categories, tree_settings
from spinney.estimators.targets import Answers, read_answers
from spinney.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.bootstrap import Bags
    from spinney.ensemble.forests import Opened, Plan
    from spinney.ensemble.quantiles import LeafTargets
    from spinney.grow.lists.freeze import Target

_TREE_PARAMETERS = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "monotonic_cst",
    "categorical_features",
)
_OTHER_DATA = "with warm_start=True X and y must have the same columns and classes as in the fit before."
_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_")

_LIMITS = DecisionTreeRegressor._parameter_constraints


class _Forest(ForestModel):
    """What the four estimators share."""

    _takes_opened_tables = True
    _tree_kind: ClassVar[Any]
    _splitter: ClassVar[str]
    _bags: Bags | None
    _seed: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: _LIMITS[name] for name in _TREE_PARAMETERS if name != "criterion"},
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "ccp_alpha": _LIMITS["ccp_alpha"],
        "max_samples": [
            None,
            Interval(RealNotInt, 0.0, None, closed="neither"),
            Interval(Integral, 1, None, closed="left"),
        ],
        "features_per": [StrOptions({"split", "tree"})],
        "max_bins": _LIMITS["max_bins"],
        "random_state": ["random_state"],
        "n_jobs": _LIMITS["n_jobs"],
    }

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the forest.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table: numbers, Booleans, strings, categories, missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            With bootstraps, a row's chance of being drawn; a row of weight 2 is drawn like two rows that are alike.
            Without, its weight in every tree. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        if not self.bootstrap and self.oob_score:
            raise ValueError("oob_score=True needs bootstrap=True: without bootstraps every tree has seen every row.")
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError("max_samples is for bootstrap=True: without bootstraps every tree gets all rows.")
        with all_or_nothing(self):
            schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            self.estimator_ = self._make_template()
            answers = read_answers(self.estimator_, y, table.n_rows, type(self).__name__)
            self._check_same(answers)
            answers.keep_classes(self)
            plan = self._plan(schema, answers, self._weights(sample_weight, y, table.n_rows), y)
            with self._make_team("tree", table.n_rows * table.n_columns * self.n_estimators) as team:
                self._grow(schema, table, answers.target(plan.weights), plan, team)
            self.max_features_ = min(plan.settings.n_features, schema.n_columns)
        return self

    def _grow(self, schema: Any, table: Table, target: Target, plan: Plan, team: Team) -> None:
        from spinney.ensemble.callbacks import tell_progress
        from spinney.ensemble.forests import grow_trees, open_table
        from spinney.tree.grove import join

        before = self.grove_ if self.warm_start and hasattr(self, "grove_") else None
        n_before = 0 if before is None else before.n_trees
        if self.n_estimators < n_before:
            raise ValueError(
                f"with warm_start=True n_estimators must not fall: it was {n_before} and is {self.n_estimators}."
            )
        if self.n_estimators == n_before:
            warn("warm_start=True and n_estimators has not risen: no tree was added.", stacklevel=3)
            return
        if before is not None and (before.n_classes != target.n_classes or schema != self._schema):
            raise ValueError(_OTHER_DATA)
        if before is not None:
            plan = plan._replace(seed=self._seed)
        opened = open_table(table, n_categories(schema), target, plan, self.max_bins, team)
        numbers = range(n_before, self.n_estimators)
        grove = grow_trees(opened, target, plan, numbers, team, tell_progress(self.verbose, len(numbers), "tree"))
        self._keep(schema, grove if before is None else join([before, grove]))
        self._seed, self._n_rows = plan.seed, table.n_rows
        self._bags = opened.bags
        for name in _OUT_OF_BAG:  # of the fit before
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._judge(table, target, team)
        self._note_targets(table, target, opened, plan, team)

    def _make_template(self) -> Any:
        """The tree that all trees are like."""
        parameters = {name: self._setting(name) for name in _TREE_PARAMETERS}
        return self._tree_kind(splitter=self._splitter, max_bins=self.max_bins, n_jobs=1, **parameters)

    def _setting(self, name: str) -> Any:
        """What a parameter is set to; a forest that lacks it says what that means."""
        return getattr(self, name)

    def _make_tree(self, k: int) -> Any:
        from sklearn.base import clone

        from spinney.ensemble.forests import tree_seed

        tree = clone(self.estimator_).set_params(random_state=tree_seed(self._seed, k))
        tree._keep(self._schema, self.grove_.tree(k))
        tree.max_features_ = self.max_features_
        return tree

    def _plan(self, schema: Any, answers: Answers, weights: Weights, y: Any) -> Plan:
        from spinney.ensemble.forests import Plan

        n_draws = self._count_draws(weights, answers.values.shape[1])
        settings = tree_settings(self.estimator_, schema, answers, weights)
        if self.bootstrap:
            settings = settings._replace(min_weight=float(self._setting("min_weight_fraction_leaf")) * n_draws)
        settings = settings._replace(per_tree=self._setting("features_per") == "tree")
        return Plan(
            settings=settings,
            bootstrap=self.bootstrap,
            n_draws=n_draws,
            replace=True,
            weights=weights,
            class_weight=self._class_factors(y) if self.bootstrap else None,
            seed=read_seed(self.random_state),
            prune=self._pruner(),
            structure=self._structure(),
        )

    def _count_draws(self, weights: Weights, n_rows: int) -> int:
        """Rows that a bootstrap draws: whole weights count as so many rows."""
        total = n_rows if weights.counts is None else int(weights.counts.sum())
        if self.max_samples is None:
            return total
        if isinstance(self.max_samples, Integral):
            return int(self.max_samples)
        return max(1, round(float(self.max_samples) * total))

    def _structure(self) -> int | None:
        """Depth of trees whose questions are all drawn; None where trees are grown."""
        return None

    def _pruner(self) -> Callable[[Any], Any] | None:
        from spinney.prune.cost_complexity import collapse_by_alpha

        alpha = self._setting("ccp_alpha")
        return (lambda tree: collapse_by_alpha(tree, alpha)) if alpha > 0.0 else None

    def _weights(self, sample_weight: Any, y: Any, n_rows: int) -> Weights:
        return read_sample_weight(sample_weight, n_rows)

    def _class_factors(self, y: Any) -> Callable[[np.ndarray], np.ndarray] | None:
        return None

    def _check_same(self, answers: Answers) -> None:
        """With warm_start the classes must be those of the fit before."""

    # --- out of bag -------------------------------------------------------------------------------------------------

    def _judge(self, table: Table, target: Target, team: Team) -> None:
        """What is learnt of the rows that trees have not seen."""
        from spinney.ensemble.out_of_bag import count_votes

        votes = count_votes(self.grove_, table, self._in_bag, team)
        if (votes.n == 0).any():
            warn(
                f"{int((votes.n == 0).sum())} rows were drawn for every tree and have no out-of-bag prediction: they "
                "are NaN, and the score leaves them out. More trees help.",
                stacklevel=4,
            )
        with np.errstate(invalid="ignore"):
            answers = votes.sums / votes.n[:, None, None]
        truth = target.labels if target.y is None else target.y
        assert truth is not None
        self._keep_oob(answers, truth, votes.n > 0)

    def _note_targets(self, table: Table, target: Target, opened: Opened, plan: Plan, team: Team) -> None: ...

    def _in_bag(self, k: int) -> np.ndarray:
        """How often each training row was drawn for a tree."""
        return np.ones(self._n_rows, np.int64) if self._bags is None else self._bags.counts(k)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, repeated as often as they were drawn."""
        check_is_fitted(self, "grove_")
        rows = np.arange(self._n_rows)
        return [np.repeat(rows, self._in_bag(k)) for k in range(self.grove_.n_trees)]

    def oob_permutation_importances(self, X: Any, y: Any, random_state: Any = 0) -> Bunch:
        """How much worse the trees are on rows they have not seen when a column is shuffled.

        Each tree is judged on its own out-of-bag rows, by misclassification or squared error, before and after the
        values of one column are exchanged among these. Unlike `feature_importances_` this is not drawn to columns of
        many values, and what a tree has merely learnt by heart counts for nothing.

        Parameters
        ----------
        X, y
            The rows that the forest was fitted on, in the same order.
        random_state : int, RandomState or None, default 0

        Returns
        -------
        Bunch with `importances` (n_features, n_estimators), `importances_mean` and `importances_std`
        """
        from spinney.ensemble.out_of_bag import permutation_importances

        table = self._read(X)
        if self._bags is None:
            raise ValueError("out-of-bag importances need bootstrap=True: without it every tree has seen every row.")
        if table.n_rows != self._n_rows:
            raise ValueError(f"X must be the {self._n_rows} rows that the forest was fitted on, got {table.n_rows}.")
        error = self._error(y, table.n_rows)
        with self._team(table.n_rows) as team:
            each = permutation_importances(self.grove_, table, self._in_bag, error, read_seed(random_state), team)
        return Bunch(
            importances=each, importances_mean=np.nanmean(each, axis=1), importances_std=np.nanstd(each, axis=1)
        )

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        raise NotImplementedError


class ForestClassifier(ClassForest, _Forest):
    _tree_kind = DecisionTreeClassifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Forest._parameter_constraints,
        "criterion": DecisionTreeClassifier._parameter_constraints["criterion"],
        "class_weight": [StrOptions({"balanced", "balanced_subsample"}), dict, list, None],
    }

    def _check_same(self, answers: Answers) -> None:
        if self.warm_start and hasattr(self, "grove_"):
            kept, found = self.classes_ if isinstance(self.classes_, list) else [self.classes_], answers.classes or []
            if len(kept) != len(found) or not all(map(np.array_equal, kept, found)):
                raise ValueError(_OTHER_DATA)

    def _make_tree(self, k: int) -> Any:
        tree = super()._make_tree(k)
        tree.classes_, tree.n_classes_ = self.classes_, self.n_classes_
        return tree

    def _weights(self, sample_weight: Any, y: Any, n_rows: int) -> Weights:
        by_class = self.class_weight
        if by_class == "balanced_subsample":  # of each bootstrap, see `_class_factors`; all rows are one without
            by_class = None if self.bootstrap else "balanced"
        return read_sample_weight(sample_weight, n_rows, by_class, y)

    def _class_factors(self, y: Any) -> Callable[[np.ndarray], np.ndarray] | None:
        if self.class_weight != "balanced_subsample":
            return None
        labels = np.asarray(y)

        def factors(counts: np.ndarray) -> np.ndarray:
            drawn = np.repeat(np.arange(len(counts)), counts)
            return compute_sample_weight("balanced", labels, indices=drawn)

        return factors

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        labels = np.asarray(y).reshape(n_rows, -1)

        def error(answers: np.ndarray, rows: np.ndarray) -> float:
            guess = self._name(answers.argmax(axis=2)).reshape(len(rows), -1)
            return float(np.mean(guess != labels[rows]))

        return error


class ForestRegressor(NumberForest, _Forest):
    _tree_kind = DecisionTreeRegressor
    _leaf_targets: LeafTargets

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Forest._parameter_constraints,
        "criterion": DecisionTreeRegressor._parameter_constraints["criterion"],
        "keep_targets": ["boolean"],
    }

    def _note_targets(self, table: Table, target: Target, opened: Opened, plan: Plan, team: Team) -> None:
        if hasattr(self, "_leaf_targets"):
            del self._leaf_targets
        if self.keep_targets:
            from spinney.ensemble.forests import draw
            from spinney.ensemble.quantiles import note_targets

            def bag(k: int) -> tuple[np.ndarray | None, np.ndarray | None]:
                rows, weights = draw(opened, plan, k)
                return rows, weights.total()

            assert target.y is not None
            self._leaf_targets = note_targets(self.grove_, table, target.y, bag, team)

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        truth = np.asarray(y, np.float64).reshape(n_rows, -1)
        return lambda answers, rows: float(np.mean((answers[:, :, 0] - truth[rows]) ** 2))

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Quantiles of the target for each row, from the training rows in its leaves. Needs `keep_targets=True`.

        Each tree spreads a weight of 1 over the training rows that share the row's leaf; a quantile is the least target
        at or below which at least that share of the whole weight lies.

        Parameters
        ----------
        X : table
        quantiles : float or sequence of floats from 0 to 1

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles); (n_samples,) for a single number; with several outputs
        (n_samples, n_outputs, n_quantiles)
        """
        from spinney.ensemble.quantiles import forest_quantiles

        table = self._read(X)
        if not hasattr(self, "_leaf_targets"):
            raise ValueError("predict_quantiles needs the targets of the training rows: fit with keep_targets=True.")
        wanted = np.atleast_1d(np.asarray(quantiles, np.float64))
        if wanted.ndim != 1 or len(wanted) == 0 or not ((wanted >= 0.0) & (wanted <= 1.0)).all():
            raise ValueError(f"quantiles must be numbers from 0 to 1, got {quantiles!r}.")
        order = np.argsort(wanted, kind="stable")
        with self._team(table.n_rows) as team:
            found = forest_quantiles(self.grove_, self._leaf_targets, table, wanted[order], team)
        found[:, :, order] = found.copy()
        found = found[:, 0] if self.n_outputs_ == 1 else found
        return found[..., 0] if np.ndim(quantiles) == 0 else found
