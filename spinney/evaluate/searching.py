"""Searching for parameters: every candidate is cross-validated on the same folds, and the best is fitted on all rows.

    grid       all combinations of the space
    random     some combinations, sampled from lists or distributions
    halving    all (or some) on few rows, the best of them on more, and so on (successive halving)

Spinney's trees and boosting read, sort and bin the data once for all folds and candidates, as in `cross_validation.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler

from spinney.evaluate.cross_validation import check_fold_sizes
from spinney.evaluate.folds import Split, make_splits
from spinney.evaluate.halving import Halving
from spinney.evaluate.runs import EvaluationData, Job, Outcome, Wanted, make_sheet, run_jobs, with_parameters
from spinney.evaluate.scoring import Scoring
from spinney.evaluate.search_result import SearchResult, make_results

_WAYS = ("grid", "random", "halving")
_N_RANDOM = 10


def search(
    estimator: Any,
    space: Any,
    X: Any,
    y: Any = None,
    *,
    how: str = "grid",
    n_candidates: int | None = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    params: dict[str, Any] | None = None,
    refit: bool | str = True,
    resource: str = "n_samples",
    factor: int = 3,
    min_resources: int | None = None,
    max_resources: int | None = None,
    random_state: Any = None,
    n_jobs: Any = None,
    verbose: int = 0,
    return_train_score: bool = False,
    error_score: Any = np.nan,
) -> SearchResult:
    """Search for the best parameters of an estimator by cross-validation.

    Parameters
    ----------
    estimator : estimator
        Any estimator that follows scikit-learn's conventions, pipelines included. It is cloned, not fitted.
    space : dict from parameter to values, or list of such dicts
        Values are a list. With how="random", and with how="halving" and `n_candidates`, they may also be a distribution
        of scipy.stats.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Data, as for the estimator's `fit`.
    y : array-like of shape (n_samples,), default=None
        Targets.
    how : {"grid", "random", "halving"}, default="grid"
        "grid": all combinations. "random": a sample of them. "halving": successive halving, which scores all candidates
        with few resources, then the best 1 / `factor` of them with `factor` times as many, until one round is left.
    n_candidates : int, default=None
        Number of sampled candidates. None: 10 for "random", all combinations for "halving".
    cv : int, str, splitter or iterable of (train, test), default=5
        As in `cross_validate`.
    scoring : str, callable, list of str or dict, default=None
        As in `cross_validate`. With several scores, the first chooses the best candidate, or the one named by `refit`.
    groups : array-like of shape (n_samples,), default=None
        Group of each row, for `cv`, as in `cross_validate`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, as in `cross_validate`.
    params : dict, default=None
        Other arguments, as in `cross_validate`.
    error_score : number or "raise", default=NaN
        Score of a fit that fails; "raise" raises its error.
    refit : bool or str, default=True
        Fit the best candidate on all rows. A string names the score that chooses it.
    resource : str, default="n_samples"
        What grows from round to round with how="halving": the number of rows, or a parameter such as "n_estimators".
        Only the training rows of a fold are reduced; candidates are always scored on all held-out rows.
    factor : int, default=3
        With how="halving": how many times more resources each round has.
    min_resources : int, default=None
        With how="halving": resources of the first round. None: what leads to `max_resources` in the last round.
    max_resources : int, default=None
        With how="halving": maximum resources of the last round. None: all rows. A parameter needs a value.
    random_state : int, RandomState or None, default=None
        Seed that samples the candidates, and the rows in halving.
    n_jobs : int or "dask", default=None
        Number of fits in parallel, or a Dask cluster, as in `cross_validate`.
    verbose : int, default=0
        1 shows a progress bar, 2 prints a line per fit.
    return_train_score : bool, default=False
        Also score the training rows.

    Returns
    -------
    SearchResult
        `best_params_`, `best_score_`, `best_estimator_` and `cv_results_` as in scikit-learn's searches. It predicts
        with the best model.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import search
    >>> X, y = load_penguins()
    >>> found = search(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, X, y)
    >>> found.best_params_
    {'max_depth': 3}
    >>> found.predict(X[:1]).tolist()
    ['Adelie']
    """
    if how not in _WAYS:
        raise ValueError(f"how must be one of {list(_WAYS)}, got {how!r}.")
    candidates = _candidates(estimator, space, how, n_candidates, random_state)
    judge = Scoring(estimator, scoring)
    decisive = _decisive(judge, refit)
    sheet = make_sheet(estimator, X, y, sample_weight, params)
    splits = make_splits(cv, sheet.X, sheet.y, groups, is_classifier(estimator))
    check_fold_sizes(judge, splits)
    race = _Race(estimator, sheet, splits, Wanted(judge, return_train_score, error_score=error_score), decisive)
    race.n_jobs, race.verbose = n_jobs, verbose
    extra: dict[str, np.ndarray] = {}
    if how == "halving":
        halving = Halving(resource, factor, min_resources, max_resources, random_state)
        candidates, outcomes, extra = halving.run(race, candidates)
    else:
        outcomes = race.run(candidates)
    results = make_results(candidates, outcomes, len(splits)) | extra
    best = _best(results, decisive, extra)
    return SearchResult(
        cv_results_=results,
        best_index_=best,
        best_params_=candidates[best],
        best_score_=float(results[f"mean_test_{decisive}"][best]),
        best_estimator_=_refit(estimator, candidates[best], sheet) if refit else None,
        metric=race.title,
        n_splits_=len(splits),
    )


class _Race:
    """Candidates on the same folds."""

    def __init__(
        self, estimator: Any, sheet: EvaluationData, splits: list[Split], wanted: Wanted, decisive: str
    ) -> None:
        self.estimator, self.sheet, self.splits, self.wanted = estimator, sheet, splits, wanted
        self.decisive = decisive
        self.title = wanted.scoring.title if wanted.scoring.is_single and wanted.scoring.title else decisive
        self.n_jobs: Any = None
        self.verbose = 0

    def run(self, candidates: Sequence[dict[str, Any]], rows: list[np.ndarray] | None = None) -> list[list[Outcome]]:
        """The outcomes of each candidate, one per fold; `rows` are those to fit on in each fold."""
        some: Sequence[np.ndarray | None] = [None] * len(self.splits) if rows is None else rows
        jobs = [Job(split, part, one) for one, (split, part) in product(candidates, list(zip(self.splits, some)))]
        outcomes = run_jobs(
            self.estimator,
            self.sheet,
            jobs,
            self.wanted,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            unit="fit",
            tell=self._tell_best(),
        )
        n = len(self.splits)
        return [outcomes[first : first + n] for first in range(0, len(outcomes), n)]

    def _tell_best(self) -> Any:
        """The progress bar's text: the best mean of the candidates that are through all folds."""
        waiting: list[float] = []
        means: list[float] = []

        def tell(outcome: Outcome) -> dict[str, Any]:
            waiting.append(outcome.test.get(self.decisive, np.nan))
            if len(waiting) == len(self.splits):
                means.append(float(np.mean(waiting)))
                waiting.clear()
            return {"best": {self.title: [np.nanmax(means)]}} if np.isfinite(means).any() else {}

        return tell


def _refit(estimator: Any, parameters: dict[str, Any], sheet: EvaluationData) -> Any:
    model = with_parameters(estimator, parameters)
    arguments = dict(sheet.params)
    if sheet.weights is not None:
        arguments["sample_weight"] = sheet.weights
    X = sheet.X if sheet.opened is None else sheet.opened
    return model.fit(X, **arguments) if sheet.y is None else model.fit(X, sheet.y, **arguments)


def _best(results: dict[str, Any], decisive: str, extra: dict[str, np.ndarray]) -> int:
    """The candidate with the best mean score, of equals the first; in halving, of the last round."""
    means = np.where(np.isnan(results[f"mean_test_{decisive}"]), -np.inf, results[f"mean_test_{decisive}"])
    if extra:
        means = np.where(extra["iter"] == extra["iter"].max(), means, -np.inf)
    if not np.isfinite(means).any():
        raise ValueError("no candidate has a score in all folds. See the warnings, or set error_score='raise'.")
    return int(means.argmax())


def _decisive(judge: Scoring, refit: bool | str) -> str:
    if isinstance(refit, str) and refit not in judge.names:
        raise ValueError(f"refit must be True, False or one of the scores {judge.names}, got {refit!r}.")
    return refit if isinstance(refit, str) else judge.names[0]


# --- the space -------------------------------------------------------------------------------------------------------


def _candidates(estimator: Any, space: Any, how: str, n_candidates: int | None, random_state: Any) -> list[dict]:
    check_space(estimator, space)
    if n_candidates is not None and (how == "grid" or n_candidates < 1):
        raise ValueError(f"n_candidates must be at least 1 and is not supported with how='grid', got {n_candidates}.")
    if how == "grid" or (how == "halving" and n_candidates is None):
        _check_lists(space, how)
        return list(ParameterGrid(space))
    sampler = ParameterSampler(space, n_candidates or _N_RANDOM, random_state=random_state)
    return list(sampler)


def check_space(estimator: Any, space: Any) -> None:
    """Raise unless every name is a parameter of the estimator and has values."""
    parts = [space] if isinstance(space, Mapping) else space
    if not isinstance(parts, Sequence) or not parts or not all(isinstance(part, Mapping) for part in parts):
        raise TypeError(f"space must be a dict from parameter to values, or a list of such dicts, got {space!r:.80}.")
    for part in parts:
        for name, values in part.items():
            if "__" not in name or name.partition("__")[0] not in part:  # else it is of a model that the space puts in
                check_parameter(estimator, name)
            if hasattr(values, "rvs"):
                continue
            if isinstance(values, str) or not hasattr(values, "__len__") or np.ndim(values) > 1 or len(values) == 0:
                raise ValueError(
                    f"space[{name!r}] must be a list of values, at least one, or a distribution, got {values!r:.60}."
                )


def check_parameter(estimator: Any, name: str) -> None:
    """Raise, with the nearest name, unless the estimator has this parameter."""
    known = estimator.get_params(deep=True)
    if name in known:
        return
    near = get_close_matches(str(name), known, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else f" Its parameters: {sorted(known)}."
    raise ValueError(f"{type(estimator).__name__} has no parameter {name!r}.{hint}")


def _check_lists(space: Any, how: str) -> None:
    for part in [space] if isinstance(space, Mapping) else space:
        for name, values in part.items():
            if hasattr(values, "rvs"):
                what = "Use how='random'" if how == "grid" else "Set n_candidates to sample from it"
                raise ValueError(
                    f"space[{name!r}] is a distribution, which has infinitely many values. {what}, or list some."
                )
