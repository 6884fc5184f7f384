"""Searching for parameters with scikit-learn's searches, on data that Spinney's models read, sort and bin once."""

from __future__ import annotations

import math
from typing import Any

from sklearn import model_selection

from spinney._docstrings import completed
from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.runs import Run, model_of

_N_RANDOM = 10


@completed(cross_validate)
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
    random_state: Any = None,
    n_jobs: Any = None,
    verbose: int = 0,
    **more: Any,
) -> Any:
    """Search for the best parameters of an estimator by cross-validation.

    Parameters
    ----------
    estimator : estimator
        Any estimator that follows scikit-learn's conventions, pipelines included. It is cloned, not fitted.
    space : dict from parameter to values, or list of such dicts
        Values are a list. With `how="random"`, and with `how="halving"` and `n_candidates`, they may also be a
        distribution of scipy.stats.
    how : {"grid", "random", "halving"}, default="grid"
        "grid": all combinations (`GridSearchCV`). "random": a sample of them (`RandomizedSearchCV`). "halving":
        successive halving (`HalvingGridSearchCV`; with `n_candidates`, `HalvingRandomSearchCV`).
    n_candidates : int, default=None
        Number of sampled candidates. None: 10 for "random", all combinations for "halving".
    scoring : str, callable, list of str or dict, default=None
        As in `cross_validate`. With several scores, the first chooses the best candidate, or the one named by `refit`.
    refit : bool or str, default=True
        Fit the best candidate on all rows. A string names the score that chooses it.
    random_state : int, RandomState or None, default=None
        Seed that samples the candidates, and the rows in halving.
    **more : dict
        Other parameters of scikit-learn's search, such as `return_train_score`, `error_score`, `factor`, `resource`.

    Returns
    -------
    GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or HalvingRandomSearchCV
        scikit-learn's fitted search, with `best_params_`, `best_score_`, `best_estimator_` and `cv_results_`. It
        predicts with the best model.

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
    kind, arguments = _kind(space, how, n_candidates, random_state)
    run = Run(estimator, X, y, sample_weight, params, cv, groups, scoring, more.get("error_score", math.nan))
    if not run.scoring.is_single and refit is True:
        refit = run.scoring.names[0]
    n_fits = _n_candidates(space, how, n_candidates, more.get("factor", 3)) * run.cv.get_n_splits()
    with run.running(n_jobs, verbose, n_fits, with_train=more.get("return_train_score", False)) as n_jobs:
        found = kind(run.estimator, **arguments, **more, scoring=run.scores, cv=run.cv, refit=refit, n_jobs=n_jobs)
        found.fit(run.X, run.y, **run.params)
    found.set_params(estimator=estimator, scoring=scoring, cv=cv)
    run.scores.weights = None
    if refit:
        found.best_estimator_ = model_of(found.best_estimator_)
    return found


def _kind(space: Any, how: str, n_candidates: int | None, random_state: Any) -> tuple[Any, dict[str, Any]]:
    """scikit-learn's class, and its arguments."""
    if how not in ("grid", "random", "halving"):
        raise ValueError(f"how must be one of ['grid', 'random', 'halving'], got {how!r}.")
    if n_candidates is not None and (how == "grid" or n_candidates < 1):
        raise ValueError(f"n_candidates must be at least 1 and is not supported with how='grid', got {n_candidates}.")
    if how == "grid":
        return model_selection.GridSearchCV, {"param_grid": space}
    if how == "random":
        chosen = {"param_distributions": space, "n_iter": n_candidates or _N_RANDOM, "random_state": random_state}
        return model_selection.RandomizedSearchCV, chosen
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401

    if n_candidates is None:
        return model_selection.HalvingGridSearchCV, {"param_grid": space, "random_state": random_state}
    chosen = {"param_distributions": space, "n_candidates": n_candidates, "random_state": random_state}
    return model_selection.HalvingRandomSearchCV, chosen


def _n_candidates(space: Any, how: str, n_candidates: int | None, factor: float) -> int:
    """For the progress bar; halving may make fewer rounds."""
    n = n_candidates or (_N_RANDOM if how == "random" else len(model_selection.ParameterGrid(space)))
    if how != "halving":
        return n
    return sum(math.ceil(n / factor**k) for k in range(1 + int(math.log(n, factor) + 1e-9)))
