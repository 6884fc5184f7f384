"""Cross-validation at every boosting round.

All folds share one encoded table: a fold is the same Dataset with the held-out rows' counts set to zero. The folds
advance together, a round at a time, so that the mean over folds is known after each round and can end the search early.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from spinney._docstrings import completed
from spinney.data.schema import Schema
from spinney.data.tables import with_sides
from spinney.data.weights import Weights
from spinney.evaluate.cross_validation import cross_validate

if TYPE_CHECKING:
    from spinney.ensemble.boosting.booster import BoostingSettings
    from spinney.ensemble.boosting.round_search import Fold


@dataclass(frozen=True)
class BoostingCV:
    """Scores of every fold after every round of boosting.

    Attributes
    ----------
    test : dict from metric name to ndarray (rounds, folds)
        Scores on the held-out rows.
    train : dict from metric name to ndarray (rounds, folds)
        Scores on the training rows; empty unless `return_train_score=True`.
    metric : str
        The monitored metric: the first of `eval_metric`.
    best_iteration : int
        Number of rounds with the best mean of that metric over the folds.
    estimators : list of models
        The models of the folds with `best_iteration` rounds, in the order of the folds. Empty unless
        `return_estimator=True`.
    """

    test: dict[str, np.ndarray]
    train: dict[str, np.ndarray]
    metric: str
    best_iteration: int
    estimators: list[Any] = field(default_factory=list, repr=False, compare=False)

    def mean(self, metric: str | None = None) -> np.ndarray:
        """Return the mean of a metric over the folds after each round. Default: the monitored metric."""
        return self.test[metric or self.metric].mean(axis=1)

    def std(self, metric: str | None = None) -> np.ndarray:
        """Return the standard deviation of a metric over the folds after each round. Default: the monitored metric."""
        return self.test[metric or self.metric].std(axis=1)

    @property
    def best_score(self) -> float:
        """Mean of the monitored metric at the best round."""
        return float(self.mean()[self.best_iteration - 1])

    def plot(self, ax: Any = None) -> Any:
        """Plot the scores by round, like `spinney.plot_staged_errors`."""
        from spinney.view.rounds import plot_staged_errors

        return plot_staged_errors(self, ax=ax)

    def __repr__(self) -> str:
        spread = self.std()[self.best_iteration - 1]
        return (
            f"BoostingCV({self.metric} {self.best_score:.5g} +- {spread:.2g} at round {self.best_iteration} "
            f"of {len(self.mean())}, {self.test[self.metric].shape[1]} folds)"
        )


@completed(cross_validate)
def boosting_cv(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    init_score: Any = None,
    groups: Any = None,
    cv: Any = 5,
    eval_metric: Any = None,
    n_iter_no_change: int | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    verbose: int = 0,
) -> BoostingCV:
    """Cross-validate a boosted model at every round, with the data binned once for all folds.

    Parameters
    ----------
    estimator : GradientBoostingClassifier or GradientBoostingRegressor
        Its parameters are used. It is cloned, not fitted.
    X : array-like, DataFrame or out-of-core table
        Data, as for `fit`. A table opened with `spinney.open_table` supplies its own targets and weights. An `init`
        estimator is fitted on the training rows of each fold.
    y : array-like of shape (n_samples,), default=None
        Targets, as for `fit`.
    init_score : array-like, default=None
        Raw scores to start from, as for `fit`.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn: an integer means (stratified) K-fold.
    eval_metric : str, callable, or list of these, default=None
        Metrics, as for `fit`; the first is monitored. None: the training loss.
    n_iter_no_change : int, default=None
        Stop when the mean of the monitored metric has not improved for this number of rounds. None runs all
        `n_estimators`.
    return_train_score : bool, default=False
        Also score the training rows after every round.
    return_estimator : bool, default=False
        Keep the models of the folds, truncated at the best round.
    verbose : int, default=0
        1 shows a progress bar with the mean scores.

    Returns
    -------
    BoostingCV
        The scores, the best round, and the models if `return_estimator=True`.

    Notes
    -----
    Bins are learned from the values of all rows, never from their targets.

    Examples
    --------
    >>> from spinney import GradientBoostingClassifier, boosting_cv
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> result = boosting_cv(GradientBoostingClassifier(random_state=0), X, y, cv=3, n_iter_no_change=5)
    >>> 1 <= result.best_iteration <= 100
    True
    """
    from spinney._team import Team, available_threads
    from spinney.ensemble.boosting.fit import open_data
    from spinney.ensemble.boosting.round_search import PATIENCE, Fold, advance
    from spinney.ensemble.boosting.rounds import open_rounds
    from spinney.ensemble.boosting.scoring import some_rows
    from spinney.ensemble.callbacks import Progress

    if not hasattr(estimator, "read_job"):
        raise TypeError(
            "estimator must be a GradientBoostingClassifier or a GradientBoostingRegressor of Spinney, "
            f"got {estimator!r:.80}. For other models, use evaluate.cross_validate."
        )
    y, sample_weight = with_sides(X, y, sample_weight)
    model = clone(estimator)
    schema, job = model.read_job(X, y, sample_weight, init_score, eval_metric)
    task, n_rows = job.task, job.table.n_rows
    splitter = check_cv(cv, task.y, classifier=task.is_classes)
    folds = list(splitter.split(np.zeros((n_rows, 1)), task.y, groups))
    with Team(available_threads(model.n_jobs)) as team:
        dataset = open_data(job, task.weights.counts, team)
        runs, fitted_by = [], []
        for kept, held in folds:
            own = task.with_weights(_counting(task.weights, kept, n_rows))
            offset = job.initial.of_fit(X, task.y, task.weights, job.init_score, kept)
            first, settings = job.initial.no_rounds(dataset, own, offset), job.settings_for(own, dataset.n_columns)
            rounds = open_rounds(dataset, own, settings, team, first, offset=offset)
            parts = {"test": held, "train": kept} if return_train_score else {"test": held}
            sets = [some_rows(name, dataset.codes, task, rows, offset) for name, rows in parts.items()]
            runs.append(Fold(rounds, sets, job.metrics))
            fitted_by.append((settings, job.initial.fitted))
        patience = n_iter_no_change or (PATIENCE if job.searches else settings.n_rounds + 1)
        progress = Progress(every_round=verbose > 1) if verbose else None
        best, _ = advance(runs, job.metrics[0], settings.n_rounds, patience, team, progress, insists=True)
        models = []
        if return_estimator:
            models = [_finish(copy(model), *by, run, schema, best) for by, run in zip(fitted_by, runs)]
    return BoostingCV(_gather(runs, "test"), _gather(runs, "train"), job.metrics[0].name, best, models)


def _finish(model: Any, settings: BoostingSettings, init: Any, run: Fold, schema: Schema, n_rounds: int) -> Any:
    """The model of a fold, as if it had been fitted with this number of rounds."""
    booster = run.rounds.booster().cut(n_rounds)
    booster.loss = run.rounds.task.loss
    model.keep_rounds(schema, booster, settings, init)
    return model


def _counting(weights: Weights, kept: np.ndarray, n_rows: int) -> Weights:
    """The weights of all rows, of which only those of a fold count."""
    counts = np.zeros(n_rows, np.int64)
    counts[kept] = 1 if weights.counts is None else weights.counts[kept]
    return Weights(counts, weights.importance)


def _gather(runs: list[Fold], name: str) -> dict[str, np.ndarray]:
    if name not in runs[0].watch.scores:
        return {}
    return {key: np.array([run.watch.scores[name][key] for run in runs]).T for key in runs[0].watch.scores[name]}
