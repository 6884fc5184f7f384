"""Cross-validation at every boosting round.

All folds share one encoded table: a fold is the same Dataset with the held-out rows' counts set to zero. The folds
advance together, a round at a time, so that the mean over folds is known after each round and can end the search early.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv

from spinney._seed import repeated_seed
from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import with_sides
from spinney.data.weights import Weights
from spinney.ensemble.metrics import find_metrics

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
        from spinney.view.staged import plot_staged_errors

        return plot_staged_errors(self, ax=ax)

    def __repr__(self) -> str:
        spread = self.std()[self.best_iteration - 1]
        return (
            f"BoostingCV({self.metric} {self.best_score:.5g} +- {spread:.2g} at round {self.best_iteration} "
            f"of {len(self.mean())}, {self.test[self.metric].shape[1]} folds)"
        )


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
    y : array-like of shape (n_samples,), optional
        Targets, as for `fit`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, as for `fit`.
    init_score : array-like, optional
        Raw scores to start from, as for `fit`.
    groups : array-like of shape (n_samples,), optional
        Groups of the rows, passed to the splitter.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn: an integer means (stratified) K-fold.
    eval_metric : str, callable, or list of these, optional
        Metrics, as for `fit`; the first is monitored. Default: the training loss.
    n_iter_no_change : int, optional
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
    from spinney.ensemble.boosting.round_search import PATIENCE, Fold, advance
    from spinney.ensemble.boosting.rounds import open_rounds
    from spinney.ensemble.boosting.scoring import some_rows
    from spinney.ensemble.callbacks import Progress

    if not hasattr(estimator, "_task"):
        raise TypeError(
            "estimator must be a GradientBoostingClassifier or a GradientBoostingRegressor of Spinney, "
            f"got {estimator!r:.80}. For other models, use evaluate.cross_validate."
        )
    y, sample_weight = with_sides(X, y, sample_weight)
    model = clone(estimator)
    model._validate_params()
    schema, table = learn_and_read(X, model.categorical_features, type(model).__name__)
    answers = model._read_target(y, table.n_rows, False)
    weights = model._read_weights(sample_weight, answers, table.n_rows)
    splitter = check_cv(cv, answers, classifier=is_classifier(model))
    folds = list(splitter.split(np.zeros((table.n_rows, 1)), answers, groups))
    seed = repeated_seed(model.random_state)
    with Team(available_threads(model.n_jobs)) as team:
        dataset = table.open_dataset(schema.is_categorical, weights.counts, model.max_bins, team)
        task = model._task(answers, weights)
        metrics = find_metrics(eval_metric, model._known_metrics(), model._loss_metric(task))
        runs, models = [], []
        for kept, held in folds:
            own = task.with_weights(_counting(weights, kept, table.n_rows))
            offset = model._offset_of_fit(X, answers, weights, init_score, kept)
            first = model._nothing_yet(dataset, own, offset)
            settings = model._settings(schema, seed, own)
            rounds = open_rounds(dataset, own, settings, team, first, offset=offset)
            parts = {"test": held, "train": kept} if return_train_score else {"test": held}
            sets = [some_rows(name, dataset.codes, task, rows, offset) for name, rows in parts.items()]
            runs.append(Fold(rounds, sets, metrics))
            models.append((copy(model), settings))
        patience = n_iter_no_change or (PATIENCE if model._follows_table() else settings.n_rounds + 1)
        progress = Progress(every_round=verbose > 1) if verbose else None
        best, _ = advance(runs, metrics[0], settings.n_rounds, patience, progress, insists=True)
        fitted = [_finish(*one, run, schema, best) for one, run in zip(models, runs)] if return_estimator else []
    return BoostingCV(_gather(runs, "test"), _gather(runs, "train"), metrics[0].name, best, fitted)


def _finish(model: Any, settings: BoostingSettings, run: Fold, schema: Schema, n_rounds: int) -> Any:
    """The model of a fold, as if it had been fitted with this number of rounds."""
    booster = run.rounds.booster().cut(n_rounds)
    model._keep(schema, booster, None, {}, replace(settings, n_rounds=n_rounds))
    model.do_early_stopping_, model.scorer_, model.validation_score_ = False, None, np.empty(0)
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
