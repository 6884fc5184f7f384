"""Gradient boosting for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import compute_sample_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from spinney._seed import read_seed
from spinney.data.schema import Schema, learn_and_read
from spinney.data.weights import Weights, read_weights
from spinney.ensemble.metrics import CLASS_METRICS, VALUE_METRICS, Metric, find_metrics
from spinney.estimators.boosting_rounds import Rounds
from spinney.estimators.parameters import check_parameters, count_share, read_groups, read_monotone
from spinney.estimators.targets import check_labels, check_numbers, find_classes
from spinney.estimators.tree_model import whole

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.booster import Booster
    from spinney.ensemble.boosting import Settings, Target

_SMALL = 100_000  # cells below which one thread, in place, is quickest
_NO_LIMIT = 1 << 30


class _GradientBoosting(Rounds, BaseEstimator):
    """What the two estimators share."""

    _takes_opened_tables = True  # see data/shared.py
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "growth": [StrOptions({"best_first", "level_wise"})],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "min_child_weight": [Interval(Real, 0, None, closed="left")],
        "min_split_gain": [Interval(Real, 0, None, closed="left")],
        "l1_regularization": [Interval(Real, 0, None, closed="left")],
        "l2_regularization": [Interval(Real, 0, None, closed="left")],
        "category_smoothing": [Interval(Real, 0, None, closed="left")],
        "category_l2": [Interval(Real, 0, None, closed="left")],
        "min_samples_category": [Interval(Integral, 1, None, closed="left")],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_features_per_tree": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "early_stopping": ["boolean", StrOptions({"auto"})],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "callbacks": [list, tuple, callable, None],
    }

    # --- fit -------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None, eval_metric: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : table
            NumPy array, pandas or polars frame, Arrow table: numbers, Booleans, strings, categories, missing values.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers up to 127 count as repetitions of the row, exactly. Other weights scale its gradient and
            count relative to their mean.
        eval_set : (X, y), (X, y, weight), a list of such, or a dict from name to such, optional
            Tables to score after every round; see `evals_result_`. The first one decides early stopping.
        eval_metric : str, function, (name, function, greater_is_better), or a list of such, optional
            Default: the training loss. A function takes (y, prediction) and, if it has that parameter, sample_weight;
            for classes the prediction is the matrix of probabilities. The first one decides early stopping.

        Returns
        -------
        self
        """
        check_parameters(self)
        from spinney._team import Team, available_threads

        owner, n_threads = type(self).__name__, available_threads(self.n_jobs)
        if isinstance(eval_set, list | dict) and not eval_set:
            eval_set = None
        goes_on = self.warm_start and hasattr(self, "_booster")
        with whole(self):
            if goes_on:
                schema: Schema = self._schema
                table = schema.read(X, owner)
            else:
                schema, table = learn_and_read(X, self.categorical_features, owner)
            y = self._read_target(y, table.n_rows, goes_on)
            weights = self._read_weights(sample_weight, y, table.n_rows)
            small = table.n_rows * table.n_columns < _SMALL
            with Team(1 if small else n_threads, inline=small) as team:
                self._fit(schema, table, y, weights, eval_set, eval_metric, team, goes_on)
        return self

    def _fit(
        self,
        schema: Schema,
        table: Table,
        y: np.ndarray,
        weights: Weights,
        eval_set: Any,
        eval_metric: Any,
        team: Team,
        goes_on: bool,
    ) -> None:
        from spinney.data.binning import learn_bins
        from spinney.data.dataset import encode_dataset
        from spinney.ensemble.boosting import train
        from spinney.ensemble.callbacks import EarlyStopping, Progress
        from spinney.ensemble.scoring import Watch

        seed = self._seed if goes_on else read_seed(self.random_state)
        stops = self._stops_early(table.n_rows)
        kept, held = self._hold_out(y, seed) if stops and eval_set is None else (np.arange(0), None)
        counts = weights.counts
        if held is not None:
            counts = np.ones(table.n_rows, np.int64) if counts is None else counts.copy()
            counts[held] = 0
        if goes_on:
            begun, bins = self._booster, self._booster.bins
        else:
            begun, bins = None, learn_bins(table, schema.is_categorical, counts, self.max_bins, team)
        dataset = encode_dataset(table, bins, team)
        target = self._target(y, weights)
        sets = self._eval_sets(eval_set, schema, bins, target, team, begun)
        if held is not None:
            sets = [self._part("valid", dataset.codes, target, held, begun, bins, team)]
            dataset, target = dataset.take(kept), target._replace(y=y[kept], weights=weights.take(kept))
        self._set_start(sets, target, begun)
        metrics = find_metrics(eval_metric, self._known_metrics(), self._loss_metric(target))
        stopping = EarlyStopping(sets[0].name, metrics[0], self.n_iter_no_change, self.tol) if stops else None
        progress = Progress(every_round=self.verbose > 1) if self.verbose else None
        callbacks = [c for c in (progress, stopping, *self._callbacks()) if c is not None]
        watch = Watch(sets, metrics, callbacks, target, team)
        watch.n_rounds = self.n_estimators
        if begun is not None:
            watch.go_on_from(self.evals_result_, begun.n_rounds)
            if stopping is not None:
                stopping.go_on_from(watch.scores, begun.n_rounds)
        settings = self._settings(schema, seed)
        if begun is not None and begun.n_rounds > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {begun.n_rounds} rounds already fitted "
                "when warm_start=True."
            )
        try:
            booster = train(dataset, target, settings, team, watch, begun)
        finally:
            if progress is not None:
                progress.close(watch.last)
        self._keep(schema, booster, stopping, watch.scores, seed)

    def _keep(self, schema: Schema, booster: Booster, stopping: Any, scores: dict[str, Any], seed: int) -> None:
        """Set the fitted attributes."""
        self.n_iter_ = booster.n_rounds
        self.best_iteration_ = stopping.best_round if stopping else booster.n_rounds
        self._booster = booster.cut(self.best_iteration_)
        self._schema, self._seed = schema, seed
        self.evals_result_ = scores
        self.n_features_in_ = schema.n_columns
        if schema.names is not None:
            self.feature_names_in_ = schema.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    @property
    def fingerprint_(self) -> str:
        """A hash of everything that predicts: equal models have equal ones, on whatever machine they were fitted."""
        if not hasattr(self, "_booster"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self._booster.fingerprint

    def _settings(self, schema: Schema, seed: int) -> Settings:
        from spinney.ensemble.boosting import Settings

        n = schema.n_columns
        return Settings(
            n_rounds=self.n_estimators,
            learning_rate=float(self.learning_rate),
            best_first=self.growth == "best_first",
            max_leaves=self.max_leaf_nodes or _NO_LIMIT,
            max_depth=self.max_depth or _NO_LIMIT,
            min_count=int(self.min_samples_leaf),
            min_hessian=float(self.min_child_weight),
            min_gain=float(self.min_split_gain),
            l1=float(self.l1_regularization),
            l2=float(self.l2_regularization),
            category_l2=float(self.category_l2),
            category_smoothing=float(self.category_smoothing),
            category_count=int(self.min_samples_category),
            subsample=float(self.subsample),
            tree_features=count_share(self.max_features_per_tree, n, "max_features_per_tree"),
            node_features=count_share(self.max_features, n, "max_features"),
            monotone=read_monotone(self.monotonic_cst, schema.names, schema.is_categorical),
            groups=read_groups(self.interaction_cst, schema.names, n),
            seed=seed,
        )

    def _stops_early(self, n_rows: int) -> bool:
        return n_rows > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping)

    def _hold_out(self, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train on and rows to stop by."""
        strata = y if isinstance(self, ClassifierMixin) and np.bincount(y.astype(np.int64)).min() > 1 else None
        rows = np.arange(len(y))
        kept, held = train_test_split(rows, test_size=self.validation_fraction, random_state=seed, stratify=strata)
        return np.sort(kept), np.sort(held)

    def _callbacks(self) -> list[Any]:
        if self.callbacks is None:
            return []
        callbacks = [self.callbacks] if callable(self.callbacks) else list(self.callbacks)
        for one in callbacks:
            if not callable(one):
                raise TypeError(f"callbacks must be functions that take a Round, got {one!r}.")
        return callbacks

    def _eval_sets(self, eval_set: Any, schema: Schema, bins: Any, target: Target, team: Team, begun: Any) -> list[Any]:
        from spinney.ensemble.scoring import EvalSet

        sets = []
        for name, (X, y, weight) in _named_sets(eval_set).items():
            table = schema.read(X, type(self).__name__)
            answers = self._read_target(y, table.n_rows, True)
            codes = bins.encode(table, team)
            scores = np.empty((target.n_outputs, table.n_rows))
            sets.append(EvalSet(name, codes, answers, read_weights(weight, table.n_rows), scores))
        return sets

    def _part(
        self, name: str, codes: np.ndarray, target: Target, rows: np.ndarray, begun: Any, bins: Any, team: Team
    ) -> Any:
        """Some of the training rows as an evaluation set."""
        from spinney.ensemble.scoring import EvalSet

        scores = np.empty((target.n_outputs, len(rows)))
        own = np.ascontiguousarray(codes[:, rows])
        return EvalSet(name, own, target.y[rows], target.weights.take(rows), scores)

    def _set_start(self, sets: list[Any], target: Target, begun: Booster | None) -> None:
        """Raw scores of the evaluation sets before the first new round."""
        from spinney._team import Team
        from spinney.ensemble.boosting import start_values
        from spinney.tree.sweep import add_scores

        start = start_values(target) if begun is None else begun.start
        for one in sets:
            one.scores[:] = start[:, None]
            if begun is not None and begun.n_rounds:
                with Team(1, inline=True) as alone:
                    add_scores(begun.packed, begun.bins, one.codes, range(begun.forest.n_trees), one.scores, alone)

    def _read_weights(self, sample_weight: Any, y: np.ndarray, n_rows: int) -> Weights:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
        return read_weights(sample_weight, n_rows)

    # --- predict ---------------------------------------------------------------------------------------------------

    def _raw(self, X: Any) -> np.ndarray:
        """Raw scores (outputs, rows)."""
        check_is_fitted(self)
        from spinney.tree.sweep import raw_scores

        table = self._schema.read(X, type(self).__name__)
        booster = self._booster
        with self._team(table) as team:
            return raw_scores(booster.packed, booster.bins, table, booster.start, range(booster.forest.n_trees), team)

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        """Raw scores after each round; the same array, growing."""
        check_is_fitted(self)
        from spinney.tree.sweep import add_scores

        table, booster = self._schema.read(X, type(self).__name__), self._booster
        scores = np.empty((booster.n_outputs, table.n_rows))
        scores[:] = booster.start[:, None]
        with self._team(table) as team:
            codes = booster.bins.encode(table, team)
            for first in range(0, booster.forest.n_trees, booster.n_outputs):
                add_scores(booster.packed, booster.bins, codes, range(first, first + booster.n_outputs), scores, team)
                yield scores

    def _team(self, table: Table) -> Team:
        from spinney._team import Team, available_threads

        small = table.n_rows * self._booster.forest.n_trees < 20_000
        return Team(1 if small else available_threads(self.n_jobs), inline=small)

    def _respond(self, raw: np.ndarray) -> np.ndarray:
        """Predicted values, or probabilities (rows, classes)."""
        from spinney._team import Team
        from spinney.ensemble.scoring import predictions

        with Team(1, inline=True) as alone:
            return predictions(self._target(np.empty(0), Weights(None, None)), raw, alone)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches in each tree, as node numbers: (n_samples, n_rounds), and for classifiers
        a last axis of one tree per output, as in scikit-learn."""
        check_is_fitted(self)
        from spinney.tree.sweep import leaf_numbers

        table, booster = self._schema.read(X, type(self).__name__), self._booster
        with self._team(table) as team:
            return leaf_numbers(booster.packed, booster.forest, table, team)

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total gain of all splits; they add up to 1."""
        return self.get_feature_importances("gain")

    def get_feature_importances(self, kind: str = "gain") -> np.ndarray:
        """Importance of each column, adding up to 1.

        Parameters
        ----------
        kind : {"gain", "split", "cover"}
            Total gain of its splits, their number, or the hessian (for squared error: samples) they decided on.
        """
        check_is_fitted(self)
        if kind not in ("gain", "split", "cover"):
            raise ValueError(f"kind must be 'gain', 'split' or 'cover', got {kind!r}.")
        total = self._booster.forest.importances(kind, self.n_features_in_)
        return total / total.sum() if total.any() else total

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_booster")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _named_sets(eval_set: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Evaluation sets by name, from any of the forms that `fit` takes."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, tuple):
        named = {"valid": eval_set}
    elif isinstance(eval_set, dict):
        named = dict(eval_set)
    elif isinstance(eval_set, list):
        named = {"valid" if len(eval_set) == 1 else f"valid_{k}": one for k, one in enumerate(eval_set)}
    else:
        raise ValueError(f"eval_set must be (X, y), a list or a dict of such pairs, got {type(eval_set).__name__}.")
    for name, one in named.items():
        if not isinstance(one, tuple) or len(one) not in (2, 3):
            raise ValueError(f"eval_set {name!r} must be a tuple (X, y) or (X, y, sample_weight), got {one!r:.80}.")
    return {name: (*one, None)[:3] for name, one in named.items()}  # type: ignore[misc]


_PARAMETERS = """
    learning_rate : float, default 0.1
        Shrinks every tree's say.
    n_estimators : int, default 100
        Rounds; a round is one tree, or one per class with more than two classes.
    max_leaf_nodes : int or None, default 31
    max_depth : int or None, default None
    growth : {"best_first", "level_wise"}, default "best_first"
        Which leaf to split next: the one with the largest gain, or the oldest.
    min_samples_leaf : int, default 20
        Samples a leaf must hold; a row of whole weight w counts w times.
    min_child_weight : float, default 1e-3
        Hessian sum a leaf must hold; weights that are not repetitions count relative to their mean.
    min_split_gain : float, default 0.0
        Splits that gain less are pruned, from the leaves up, after the tree is grown.
    l1_regularization : float, default 0.0
    l2_regularization : float, default 1.0
        Penalties on leaf values.
    category_smoothing : float, default 10.0
    category_l2 : float, default 1.0
        For splits by category: weight that pulls rare categories to the middle of the order, and extra L2 penalty.
    min_samples_category : int, default 20
        Categories with fewer samples in a node are treated there as one.
    max_bins : int, default 255
        Most bins of a column; missing has one more.
    max_features, max_features_per_tree : float, int, "sqrt", "log2" or None, default 1.0
        Columns that each split, or each tree, may choose from.
    subsample : float, default 1.0
        Share of rows drawn for each round.
    categorical_features : "from_dtype", mask, column numbers or names, or None
        By default strings and categories are categorical; see the guide on tables.
    monotonic_cst : sequence of -1, 0, 1, or dict from column name to such, optional
    interaction_cst : "pairwise", "no_interactions", or groups of columns that may meet on a path, optional
    early_stopping : bool or "auto", default False
        Stop when the first metric on the first evaluation set no longer improves; without `eval_set` a part of the
        rows is held out. "auto": above 10,000 rows. The model then predicts with its best round.
    validation_fraction : float or int, default 0.1
    n_iter_no_change : int, default 10
    tol : float, default 1e-7
    warm_start : bool, default False
        Go on from the fitted model, with the same bins.
    random_state : int, RandomState or None
    n_jobs : int or None
        Threads; None: every core. The model does not depend on it.
    verbose : int, default 0
        1: a progress bar with the running metrics; 2: a line a round.
    callbacks : function or list of functions, optional
        Called after every round with a `Round` (number, n_rounds, scores, seconds); True ends the fit.
"""

_ATTRIBUTES = """
    n_iter_ : int
        Rounds that were fitted.
    best_iteration_ : int
        Rounds the model predicts with: all, or the best number after early stopping.
    evals_result_ : dict
        Evaluation set -> metric -> one value a round.
    estimators_ : ndarray of shape (n_rounds, n_outputs)
        The trees, one per round, or per round and class with more than two classes; their `predict` gives what they
        add to the raw score. `len(model)` is the number of rounds, `model[:k]` the model of the first k.
    feature_importances_ : ndarray
        Shares of gain; `get_feature_importances` has the other kinds.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    n_features_in_, feature_names_in_
"""


class GradientBoostingRegressor(RegressorMixin, _GradientBoosting):
    __doc__ = f"""Gradient boosted trees for regression.

    Parameters
    ----------
    loss : str or object, default "squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or a loss of your own
        (see `spinney.Loss`).
    quantile : float, default 0.5
        For loss="quantile".
    alpha : float, default 0.9
        For loss="huber": the quantile of absolute residuals beyond which errors count linearly.
    power : float, default 1.5
        For loss="tweedie": between 1 and 2.{_PARAMETERS}
    Attributes
    ----------{_ATTRIBUTES}
    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import GradientBoostingRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_GradientBoosting._parameter_constraints,
        "quantile": [Interval(Real, 0, 1, closed="neither")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "power": [Interval(Real, 1, 2, closed="neither")],
    }

    def __init__(
        self,
        loss: Any = "squared_error",
        *,
        quantile: float = 0.5,
        alpha: float = 0.9,
        power: float = 1.5,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "best_first",
        min_samples_leaf: int = 20,
        min_child_weight: float = 1e-3,
        min_split_gain: float = 0.0,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        category_smoothing: float = 10.0,
        category_l2: float = 1.0,
        min_samples_category: int = 20,
        max_bins: int = 255,
        max_features: Any = 1.0,
        max_features_per_tree: Any = 1.0,
        subsample: float = 1.0,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool | str = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.alpha = alpha
        self.power = power
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.min_split_gain = min_split_gain
        self.l1_regularization = l1_regularization
        self.l2_regularization = l2_regularization
        self.category_smoothing = category_smoothing
        self.category_l2 = category_l2
        self.min_samples_category = min_samples_category
        self.max_bins = max_bins
        self.max_features = max_features
        self.max_features_per_tree = max_features_per_tree
        self.subsample = subsample
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def predict(self, X: Any) -> np.ndarray:
        """Predicted values, one a row."""
        return self._respond(self._raw(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predicted values after each round."""
        for raw in self._staged_raw(X):
            yield self._respond(raw)

    def _read_target(self, y: Any, n_rows: int, known: bool) -> np.ndarray:
        y = column_or_1d(y, warn=True, dtype=np.float64)
        check_numbers(y, n_rows)
        return y

    def _target(self, y: np.ndarray, weights: Weights) -> Target:
        from spinney.ensemble.boosting import Target

        loss = self._make_loss()
        used = weights.total()
        if len(y):
            loss.check(y if used is None else y[used > 0])
        return Target(y, weights, loss, 1, False)

    def _make_loss(self) -> Any:
        from spinney.criteria.losses import BY_NAME, Huber, Quantile, Tweedie
        from spinney.criteria.user_loss import compile_loss

        if not isinstance(self.loss, str):
            return compile_loss(self.loss, "identity")
        if self.loss not in BY_NAME or self.loss == "log_loss":
            names = sorted(name for name in BY_NAME if name != "log_loss")
            raise ValueError(f"loss must be one of {names} or a loss of your own (spinney.Loss), got {self.loss!r}.")
        kind = BY_NAME[self.loss]
        parameters = {Quantile: (self.quantile,), Huber: (self.alpha,), Tweedie: (self.power,)}
        return kind(*(float(value) for value in parameters.get(kind, ())))

    def _known_metrics(self) -> dict[str, Metric]:
        return VALUE_METRICS

    def _loss_metric(self, target: Target) -> Metric:
        if isinstance(self.loss, str):
            return Metric(self.loss, None, False)
        return Metric("loss", None, False) if target.loss.value is not None else VALUE_METRICS["squared_error"]


class GradientBoostingClassifier(ClassifierMixin, _GradientBoosting):
    __doc__ = f"""Gradient boosted trees for two or more classes.

    Parameters
    ----------
    loss : "log_loss" or object, default "log_loss"
        A loss of your own (see `spinney.Loss`) is for two classes, which it sees as 0 and 1.
    class_weight : dict, "balanced" or None{_PARAMETERS}
    Attributes
    ----------
    classes_ : ndarray
        The class labels.{_ATTRIBUTES}
    Examples
    --------
    >>> from spinney import GradientBoostingClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = GradientBoostingClassifier(random_state=0).fit(X, y)
    >>> model.predict_proba(X.head(3)).shape
    (3, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_GradientBoosting._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        loss: Any = "log_loss",
        *,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "best_first",
        min_samples_leaf: int = 20,
        min_child_weight: float = 1e-3,
        min_split_gain: float = 0.0,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        category_smoothing: float = 10.0,
        category_l2: float = 1.0,
        min_samples_category: int = 20,
        max_bins: int = 255,
        max_features: Any = 1.0,
        max_features_per_tree: Any = 1.0,
        subsample: float = 1.0,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool | str = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        warm_start: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.min_split_gain = min_split_gain
        self.l1_regularization = l1_regularization
        self.l2_regularization = l2_regularization
        self.category_smoothing = category_smoothing
        self.category_l2 = category_l2
        self.min_samples_category = min_samples_category
        self.max_bins = max_bins
        self.max_features = max_features
        self.max_features_per_tree = max_features_per_tree
        self.subsample = subsample
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def decision_function(self, X: Any) -> np.ndarray:
        """Raw scores: (n_samples,) for two classes, else (n_samples, n_classes)."""
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else raw.T

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities, one column a class in the order of `classes_`."""
        return self._respond(self._raw(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        return self._classes_of(self._raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Raw scores after each round."""
        for raw in self._staged_raw(X):
            yield raw[0].copy() if len(raw) == 1 else raw.T.copy()

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round."""
        for raw in self._staged_raw(X):
            yield self._respond(raw)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Classes after each round."""
        for raw in self._staged_raw(X):
            yield self._classes_of(raw)

    def apply(self, X: Any) -> np.ndarray:
        leaves = super().apply(X)
        return leaves.reshape(len(leaves), -1, self._booster.n_outputs)

    apply.__doc__ = _GradientBoosting.apply.__doc__

    def _classes_of(self, raw: np.ndarray) -> np.ndarray:
        if len(raw) > 1:
            return self.classes_[raw.argmax(axis=0)]
        return self.classes_[(self._respond(raw)[:, 1] > 0.5).astype(np.int64)]

    def _read_target(self, y: Any, n_rows: int, known: bool) -> np.ndarray:
        """Class numbers; `known`: the classes must be those already learnt."""
        y = column_or_1d(y, warn=True)
        check_labels(y, n_rows)
        if known:
            return self._class_numbers(y)
        self.classes_, numbers = find_classes(y)
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < 2:
            raise ValueError(
                f"y must hold at least two classes, but has only one class: {self.classes_.tolist()[0]!r}. "
                "Is the table sorted, or filtered too far?"
            )
        return numbers.astype(np.float64, copy=False)

    def _class_numbers(self, y: np.ndarray) -> np.ndarray:
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        labels, place = find_classes(y)
        for label in labels.tolist():
            if label not in number:
                raise ValueError(f"y holds the class {label!r}, which was not among {self.classes_.tolist()} at fit.")
        return np.array([number[label] for label in labels.tolist()], np.float64)[place.astype(np.int64)]

    def _read_weights(self, sample_weight: Any, y: np.ndarray, n_rows: int) -> Weights:
        if self.class_weight is not None:
            labels = self.classes_[y.astype(np.int64)]
            by_class = compute_sample_weight(self.class_weight, labels)
            if sample_weight is not None:
                by_class *= _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
            sample_weight = by_class
        return super()._read_weights(sample_weight, y, n_rows)

    def _target(self, y: np.ndarray, weights: Weights) -> Target:
        from spinney.criteria.losses import LogLoss
        from spinney.criteria.user_loss import compile_loss
        from spinney.ensemble.boosting import Target

        n_outputs = 1 if self.n_classes_ == 2 else self.n_classes_
        if isinstance(self.loss, str):
            if self.loss != "log_loss":
                raise ValueError(f"loss must be 'log_loss' or a loss of your own (spinney.Loss), got {self.loss!r}.")
            return Target(y, weights, LogLoss(), n_outputs, True)
        if n_outputs > 1:
            raise ValueError(f"A loss of your own is for two classes; y has {n_outputs}. Use loss='log_loss'.")
        return Target(y, weights, compile_loss(self.loss, "logistic"), 1, True)

    def _known_metrics(self) -> dict[str, Metric]:
        return CLASS_METRICS

    def _loss_metric(self, target: Target) -> Metric:
        if isinstance(self.loss, str):
            return Metric("log_loss", None, False)
        return Metric("loss", None, False) if target.loss.value is not None else CLASS_METRICS["log_loss"]
