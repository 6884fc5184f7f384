"""Fits all forests: random forests, extra-trees, random-structure forests.

In:  a table, a target, parameters. Out: all trees in one `Forest`. No algorithm in here: see ensemble/forests/fit.py.
The methods of a fitted forest are in model.py.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spinney._warnings import warn_caller
from spinney.data.remote_table import RemoteRows, is_remote
from spinney.data.tables import with_sides
from spinney.data.target import Training, read_training
from spinney.data.weights import Weights
from spinney.distributed.collections import fit_by, open_collections
from spinney.estimators.base import opened_for_fit
from spinney.estimators.docstrings import documented
from spinney.estimators.forests.model import ClassForest, JudgedForest, QuantileForest
from spinney.estimators.params import keep_parameters, n_categories, read_seed, tree_settings
from spinney.estimators.streaming import known_arguments
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.estimators.trees.model import keep_tree

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.ensemble.forests.bootstrap import Bags, PooledBags
    from spinney.ensemble.forests.fit import ForestTable, Plan

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
    "handle_unknown",
)
_OTHER_DATA = "with warm_start=True X and y must have the same columns and classes as in the previous fit."


class GrownForest(JudgedForest):
    """Base class of all forests."""

    takes_opened_tables = True
    _tree_kind: ClassVar[Any]
    _splitter: ClassVar[str]
    _seed: int

    # --- fit --------------------------------------------------------------------------------------------------------

    @known_arguments
    @documented()
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None) -> Any:
        """Fit the forest.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Input data. NumPy arrays and pandas, polars or Arrow tables may hold numbers, Booleans, strings, categories
            and missing values. Unstored cells of SciPy sparse matrices are zero. Also accepted: dask DataFrames and
            Arrays (`docs/scaling.md`), and `spinney.open_table`, which supplies `y` and `sample_weight` if they are not
            given.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Target: class labels or numbers. May be a dask collection if X is.
        sample_weight : array-like of shape (n_samples,), default=None
            With bootstraps, proportional to a row's probability of being sampled; a row of weight 2 is sampled like two
            equal rows. Without bootstraps, the weight of a row in every tree. Rows of weight 0 are left out.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> RandomForestClassifier(random_state=0).fit(X, y)
        RandomForestClassifier(random_state=0)
        """
        if client is not None:
            return fit_by(client, self.fit, X, y, sample_weight)
        with opened_for_fit(self, X, y, sample_weight) as (X, y, sample_weight):
            if not self.bootstrap and self.oob_score:
                raise ValueError(
                    "Out of bag estimation only available if bootstrap=True: without bootstraps every tree is grown "
                    "on all rows. Set bootstrap=True, or oob_score=False."
                )
            if not self.bootstrap and self.max_samples is not None:
                raise ValueError(
                    "max_samples needs bootstrap=True: without bootstraps every tree is grown on all rows. Set "
                    "bootstrap=True, or max_samples=None."
                )
            self.estimator_ = self._make_template()
            data = read_training(self, X, y, sample_weight, class_weight=self._class_weight())
            if self.warm_start and hasattr(self, "classes_") and data.target.classes is not None:
                self._check_same(data.target.classes)
            data.target.keep_classes(self)
            self._fit(data)
        return self

    def _open_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """X in files or in a dask collection, whose rows stay on the workers, and what belongs to its rows."""
        y, sample_weight = with_sides(X, y, sample_weight)
        if not is_remote(X, y, sample_weight):
            return X, y, sample_weight
        if getattr(self, "keep_targets", False):
            raise ValueError(
                "keep_targets=True needs the rows, but a dask collection keeps them on the workers. Set "
                "keep_targets=False, or pass X.compute()."
            )
        return open_collections(X, y, sample_weight)

    def _fit(self, data: Training) -> None:
        """Grow the trees on a table that has been read."""
        schema, table, target = data
        plan = self._plan(data)
        with self._make_team("tree", table.n_rows * table.n_columns * self.n_estimators) as team:
            self._grow(schema, table, target, plan, team)
        self.max_features_ = min(plan.settings.n_features, self.n_features_in_)

    def _grow(self, schema: Any, table: Table, target: Target, plan: Plan, team: Team) -> None:
        from spinney.ensemble.callbacks import tell_progress
        from spinney.ensemble.forests.fit import grow_trees, open_table
        from spinney.tree.forest import join

        before = self.forest_ if self.warm_start and hasattr(self, "forest_") else None
        n_before = 0 if before is None else before.n_trees
        numbers = self._still_to_fit(n_before)
        if not numbers and (not self.oob_score or hasattr(self, "oob_score_")):
            return
        if before is not None and (before.n_classes != target.n_classes or schema != self._schema):
            raise ValueError(_OTHER_DATA)
        if not numbers:
            return self._judge_again(table, target, team)
        if before is not None:
            plan = plan._replace(seed=self._seed)
        sizes, report = n_categories(schema), tell_progress(self.verbose, len(numbers), "tree")
        if isinstance(table, RemoteRows):
            opened = None
            forest, bags = table.grow_forest(sizes, target, plan, self.max_bins, numbers, report)
        else:
            opened = open_table(table, sizes, target, plan, self.max_bins, team)
            forest, bags = grow_trees(opened, target, plan, numbers, team, report), opened.bags
        self._keep(schema, forest if before is None else join([before, forest]))
        self._seed, self._n_rows = plan.seed, table.n_rows
        self._bags = self._add_bags(n_before, len(numbers), bags)
        if self.oob_score:
            self._judge(table, target, team)
        if opened is not None:
            self._note_targets(table, target, opened, plan, team)

    def _judge_again(self, table: Table, target: Target, team: Team) -> None:
        """Compute out-of-bag scores of a forest that was fitted without them."""
        if table.n_rows != self._n_rows:
            raise ValueError(
                f"oob_score=True with warm_start=True and no new trees needs the rows of the previous fit: these were "
                f"{self._n_rows}, X has {table.n_rows}. Pass the same X and y."
            )
        self._judge(table, target, team)

    def _add_bags(self, n_before: int, n_more: int, bags: Bags | None) -> Bags | PooledBags | None:
        """The bags of all trees; merged forests keep those of each part."""
        from spinney.ensemble.forests.bootstrap import PooledBags, pool_bags
        from spinney.ensemble.forests.fit import tree_seed

        before = getattr(self, "_bags", None) if n_before else None
        if not isinstance(before, PooledBags):
            return bags
        own = None if bags is None else bags._replace(shift=-n_before)
        return pool_bags([(n_before, before, 0, 0), (n_more, own, self._n_rows, tree_seed(self._seed, n_before))])

    @property
    def estimator(self) -> Any:
        """An unfitted tree with the parameters of all trees; named as in scikit-learn."""
        return self._make_template()

    def _make_template(self) -> Any:
        """An unfitted tree with the parameters of all trees."""
        parameters = {name: self._setting(name) for name in _TREE_PARAMETERS}
        return self._tree_kind(splitter=self._splitter, max_bins=self.max_bins, n_jobs=1, **parameters)

    def _setting(self, name: str) -> Any:
        """The value of a parameter; forests without the parameter return the value that applies instead."""
        return getattr(self, name)

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each tree may split: a sample with `features_per="tree"`, otherwise all."""
        from sklearn.utils.validation import check_is_fitted

        from spinney.ensemble.forests.random_structure import tree_columns

        check_is_fitted(self, "forest_")
        n_columns, n_drawn = self.n_features_in_, int(self.max_features_)
        if self._setting("features_per") == "split" or n_drawn >= n_columns:
            return [np.arange(n_columns) for _ in range(self.forest_.n_trees)]
        return [tree_columns(self._tree_seed(k), n_columns, n_drawn) for k in range(self.forest_.n_trees)]

    def _tree_seed(self, k: int) -> int:
        """The seed that a tree was grown with."""
        from spinney.ensemble.forests.bootstrap import PooledBags
        from spinney.ensemble.forests.fit import tree_seed

        seed, number = self._seed, k
        if isinstance(self._bags, PooledBags):
            at = self._bags.place(k)
            seed, number = self._bags.seeds[at], k - self._bags.first[at]
        return tree_seed(seed, number)

    def _make_tree(self, k: int) -> Any:
        from sklearn.base import clone

        tree = clone(self.estimator_).set_params(random_state=self._tree_seed(k))
        return keep_tree(tree, self._schema, self.forest_.tree(k), self.max_features_)

    def keep_parts(self, parts: list[Any]) -> None:
        """Become the forest of all trees of these fitted forests, for internal use."""
        from spinney.ensemble.forests.bootstrap import pool_bags
        from spinney.tree.forest import join

        self._keep(parts[0].schema_, join([one.forest_ for one in parts]))
        self._bags = pool_bags([(len(one), one._bags, one._n_rows, one._seed) for one in parts])

    def _plan(self, data: Training) -> Plan:
        from spinney.ensemble.forests.fit import Plan

        weights = data.target.weights
        n_draws = self._count_draws(weights, data.table.n_rows)
        settings = tree_settings(self.estimator_, data.schema, data.target)
        if self.bootstrap:
            settings = settings._replace(min_weight=float(self._setting("min_weight_fraction_leaf")) * n_draws)
        settings = settings._replace(per_tree=self._setting("features_per") == "tree")
        return Plan(
            settings=settings,
            bootstrap=self.bootstrap,
            n_draws=n_draws,
            replace=True,
            weights=weights,
            class_weight=self._class_factors(data.target) if self.bootstrap else None,
            seed=read_seed(self.random_state),
            prune=self._pruner(),
            structure=self._structure(),
        )

    def _count_draws(self, weights: Weights, n_rows: int) -> int:
        """Number of rows in a bootstrap sample; integer weights count as that many rows."""
        total = weights.n_samples(n_rows)
        if self.max_samples is None:
            return total
        if isinstance(self.max_samples, Integral):
            return int(self.max_samples)
        return max(1, round(float(self.max_samples) * total))

    def _structure(self) -> int | None:
        """Depth of random-structure trees; None where trees are grown."""
        return None

    def _pruner(self) -> Callable[[Any], Any] | None:
        from spinney.prune.cost_complexity import collapse_by_alpha

        alpha = self._setting("ccp_alpha")
        return (lambda tree: collapse_by_alpha(tree, alpha)) if alpha > 0.0 else None

    def _class_weight(self) -> Any:
        """The weights of the classes, but for those of each bootstrap (`_class_factors`)."""
        return None

    def _class_factors(self, target: Target) -> Callable[[np.ndarray], np.ndarray] | None:
        return None

    def _note_targets(self, table: Table, target: Target, opened: ForestTable, plan: Plan, team: Team) -> None: ...

    def _check_same(self, found: list[np.ndarray]) -> None:
        """Raise if the classes are not those of the previous fit."""
        kept = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        if len(kept) != len(found) or not all(map(np.array_equal, kept, found)):
            raise ValueError(_OTHER_DATA)


class ForestClassifier(ClassForest, GrownForest):
    _tree_kind = DecisionTreeClassifier

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        features_per: str = "split",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        voting: str = "soft",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    def _make_tree(self, k: int) -> Any:
        tree = super()._make_tree(k)
        tree.classes_, tree.n_classes_ = self.classes_, self.n_classes_
        return tree

    def _class_weight(self) -> Any:
        by_class = self.class_weight
        if self.warm_start and isinstance(by_class, str):
            warn_caller(
                f"class_weight={by_class!r} with warm_start=True computes the class weights from the rows of each fit "
                "alone. If the rows change between fits, pass a dict of weights, such as scikit-learn's "
                "compute_class_weight computes from a sample of all rows."
            )
        if by_class == "balanced_subsample":  # all rows are the bootstrap of every tree without bootstraps
            return None if self.bootstrap else "balanced"
        return by_class

    def _class_factors(self, target: Target) -> Callable[[np.ndarray], np.ndarray] | None:
        if self.class_weight != "balanced_subsample":
            return None

        def factors(counts: np.ndarray) -> np.ndarray:
            """compute_sample_weight("balanced", labels, indices=rows drawn) of the rows drawn, one count per class."""
            factor = np.ones(len(counts))
            for label in target.values:
                n_of_class = np.bincount(label, counts)
                n_classes = np.count_nonzero(n_of_class)
                factor *= (counts.sum() / (n_classes * np.maximum(n_of_class, 1.0)))[label]
            return factor

        return factors


class ForestRegressor(QuantileForest, GrownForest):
    _tree_kind = DecisionTreeRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        keep_targets: bool = False,
        features_per: str = "split",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

    def _note_targets(self, table: Table, target: Target, opened: ForestTable, plan: Plan, team: Team) -> None:
        if hasattr(self, "_leaf_targets"):
            del self._leaf_targets
        if self.keep_targets:
            from spinney.ensemble.forests.fit import draw
            from spinney.ensemble.forests.quantiles import note_targets

            def bag(k: int) -> tuple[np.ndarray | None, np.ndarray | None]:
                rows, weights = draw(opened, plan, k)
                return rows, weights.total()

            assert target.y is not None
            self._leaf_targets = note_targets(self.forest_, table, target.y, bag, team)
