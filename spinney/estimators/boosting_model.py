"""What both boosted models share: one fit, raw scores, importances.

In:  a table, a target, evaluation sets, parameters. Out: a `Booster`. No algorithm in here: see ensemble/boosting.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney._seed import read_seed
from spinney.data.holdout import hold_out
from spinney.data.schema import Schema, learn_and_read
from spinney.data.weights import Weights, read_weights
from spinney.ensemble.metrics import Metric, find_metrics
from spinney.estimators.base import TableModel, all_or_nothing, read_sample_weight
from spinney.estimators.boosting_rounds import Rounds
from spinney.estimators.params import check_parameters
from spinney.estimators.settings import NO_LIMIT, count_share, read_groups, read_monotone
from spinney.tree.importance import importances

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.booster import Booster
    from spinney.ensemble.boosting import BoostingSettings
    from spinney.ensemble.callbacks import EarlyStopping, Progress
    from spinney.ensemble.scoring import EvalSet, Watch
    from spinney.ensemble.task import Task


class BoostedModel(Rounds, TableModel):
    """A model that is a `Booster`."""

    _takes_opened_tables = True  # see data/shared.py

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
        if isinstance(eval_set, list | dict) and not eval_set:
            eval_set = None
        begun = self._booster if self.warm_start and hasattr(self, "_booster") else None
        with all_or_nothing(self):
            if begun is not None:
                schema, table = self._schema, self._read(X)
            else:
                schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            y = self._read_target(y, table.n_rows, begun is not None)
            weights = self._read_weights(sample_weight, y, table.n_rows)
            with self._make_team("boosting", table.n_rows * table.n_columns) as team:
                self._fit(schema, table, y, weights, eval_set, eval_metric, team, begun)
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
        begun: Booster | None,
    ) -> None:
        from spinney.data.binning import learn_bins
        from spinney.data.dataset import encode_dataset
        from spinney.ensemble.boosting import train
        from spinney.ensemble.scoring import some_rows, start_sets

        seed = read_seed(self.random_state) if begun is None else self._seed
        stops = self._stops_early(table.n_rows)
        kept, held = self._hold_out(y, seed) if stops and eval_set is None else (None, None)
        if begun is None:
            bins = learn_bins(table, schema.is_categorical, _counts_without(held, weights, len(y)), self.max_bins, team)
        else:
            bins = begun.bins
        dataset, task = encode_dataset(table, bins, team), self._task(y, weights)
        sets = self._eval_sets(eval_set, schema, bins, task.n_outputs, team)
        if kept is not None and held is not None:
            sets = [some_rows("valid", dataset.codes, task, held)]
            dataset, task = dataset.take(kept), task.take(kept)
        start_sets(sets, task, begun)
        metrics = find_metrics(eval_metric, self._known_metrics(), self._loss_metric(task))
        watch, stopping, progress = self._watchers(sets, metrics, task, team, stops, begun)
        settings = self._settings(schema, seed)
        try:
            booster = train(dataset, task, settings, team, watch, begun)
        finally:
            if progress is not None:
                progress.close(watch.last)
        self._keep(schema, booster, stopping, watch.scores, seed)

    def _watchers(
        self, sets: list[EvalSet], metrics: list[Metric], task: Task, team: Team, stops: bool, begun: Booster | None
    ) -> tuple[Watch, EarlyStopping | None, Progress | None]:
        """What is told of every round: the scores, and what they mean for early stopping and the progress bar."""
        from spinney.ensemble.callbacks import EarlyStopping, Progress
        from spinney.ensemble.scoring import Watch

        stopping = EarlyStopping(sets[0].name, metrics[0], self.n_iter_no_change, self.tol) if stops else None
        progress = Progress(every_round=self.verbose > 1) if self.verbose else None
        callbacks = [one for one in (progress, stopping, *self._callbacks()) if one is not None]
        watch = Watch(sets, metrics, callbacks, task, team)
        watch.n_rounds = self.n_estimators
        if begun is not None:
            if begun.n_rounds > self.n_estimators:
                raise ValueError(
                    f"n_estimators={self.n_estimators} must be at least the {begun.n_rounds} rounds already fitted "
                    "when warm_start=True."
                )
            watch.go_on_from(self.evals_result_, begun.n_rounds)
            if stopping is not None:
                stopping.go_on_from(watch.scores, begun.n_rounds)
        return watch, stopping, progress

    def _hold_out(self, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train on and rows to stop by."""
        labels = y.astype(np.int64) if isinstance(self, ClassifierMixin) else None
        return hold_out(np.arange(len(y)), self.validation_fraction, seed, labels)

    def _keep(self, schema: Schema, booster: Booster, stopping: Any, scores: dict[str, Any], seed: int) -> None:
        """Set the fitted attributes."""
        self.n_iter_ = booster.n_rounds
        self.best_iteration_ = stopping.best_round if stopping else booster.n_rounds
        self._booster = booster.cut(self.best_iteration_)
        self._keep_schema(schema)
        self._seed, self.evals_result_ = seed, scores

    def _fingerprint(self) -> str:
        return self._booster.fingerprint

    def _settings(self, schema: Schema, seed: int) -> BoostingSettings:
        from spinney.ensemble.boosting import BoostingSettings

        n = schema.n_columns
        return BoostingSettings(
            n_rounds=self.n_estimators,
            learning_rate=float(self.learning_rate),
            best_first=self.growth == "best_first",
            max_leaves=self.max_leaf_nodes or NO_LIMIT,
            max_depth=self.max_depth or NO_LIMIT,
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

    def _callbacks(self) -> list[Any]:
        if self.callbacks is None:
            return []
        callbacks = [self.callbacks] if callable(self.callbacks) else list(self.callbacks)
        for one in callbacks:
            if not callable(one):
                raise TypeError(f"callbacks must be functions that take a Round, got {one!r}.")
        return callbacks

    def _eval_sets(self, eval_set: Any, schema: Schema, bins: Any, n_outputs: int, team: Team) -> list[EvalSet]:
        """The tables to score after every round, encoded."""
        from spinney.ensemble.scoring import EvalSet, named_sets

        sets = []
        for name, (X, y, weight) in named_sets(eval_set).items():
            table = schema.read(X, type(self).__name__, strict=self._refuses_unknown())
            answers, weights = self._read_target(y, table.n_rows, True), read_weights(weight, table.n_rows)
            sets.append(EvalSet(name, bins.encode(table, team), answers, weights, np.empty((n_outputs, table.n_rows))))
        return sets

    def _read_weights(self, sample_weight: Any, y: np.ndarray, n_rows: int) -> Weights:
        return read_sample_weight(sample_weight, n_rows)

    # --- predict ---------------------------------------------------------------------------------------------------

    def _raw(self, X: Any) -> np.ndarray:
        """Raw scores (outputs, rows)."""
        from spinney.tree.descend_one import is_one_row, scores_of_row
        from spinney.tree.sweep import raw_scores

        table, booster = self._read(X), self._booster
        if is_one_row(table):
            return scores_of_row(booster.forest, table, booster.start)
        with self._team(table) as team:
            return raw_scores(booster.forest, table, booster.start, range(booster.forest.n_trees), team)

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        """Raw scores after each round; the same array, growing."""
        from spinney.tree.sweep import add_scores

        table, booster = self._read(X), self._booster
        scores = np.empty((booster.n_outputs, table.n_rows))
        scores[:] = booster.start[:, None]
        with self._team(table) as team:
            codes = booster.bins.encode(table, team)
            for first in range(0, booster.forest.n_trees, booster.n_outputs):
                add_scores(booster.forest, codes, range(first, first + booster.n_outputs), scores, team)
                yield scores

    def _team(self, table: Table) -> Team:
        """For sending rows through all trees."""
        return self._make_team("descend many", table.n_rows * self._booster.forest.n_trees)

    def _respond(self, raw: np.ndarray) -> np.ndarray:
        """Predicted values, or probabilities (rows, classes)."""
        from spinney._team import Team
        from spinney.ensemble.scoring import predictions

        with Team(1, inline=True) as alone:
            return predictions(self._task(np.empty(0), Weights(None, None)), raw, alone)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row reaches in each tree, as node numbers: (n_samples, n_rounds), and for classifiers
        a last axis of one tree per output, as in scikit-learn."""
        from spinney.tree.sweep import leaf_numbers

        table, booster = self._read(X), self._booster
        with self._team(table) as team:
            return leaf_numbers(booster.forest, table, team)

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
        total = importances(self._booster.forest, kind)
        return total / total.sum() if total.any() else total

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_booster")


def _counts_without(held: np.ndarray | None, weights: Weights, n_rows: int) -> np.ndarray | None:
    """How often rows count for the bins: those that are held out do not."""
    if held is None:
        return weights.counts
    counts = np.ones(n_rows, np.int64) if weights.counts is None else weights.counts.copy()
    counts[held] = 0
    return counts
