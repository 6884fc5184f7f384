"""The comparison of an automatic model on a cluster: all families at once, then the folds of all of them.

In:  a contest, and the families to try. Out: the candidates that `run_contest` returns. Each worker receives the table
once.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney.distributed.fits import spread
from spinney.ensemble.members import naming
from spinney.estimators.auto_fit import Candidate, Contest, answer_fold, fit_rows, keep_answers, keep_fitted, tell
from spinney.estimators.auto_params import Choices, Family


def run_contest_remotely(
    contest: Contest, families: dict[str, Family], parameters: Choices, verbose: int
) -> list[Candidate]:
    """Try all families: first on all rows, which settles their sizes, then on the folds."""
    if contest.clock.budget is not None:
        raise ValueError("time_budget is not supported with n_jobs='dask'. Leave one of them out.")
    light = contest._replace(sheet=contest.sheet._replace(table=None), judge=None)  # type: ignore[arg-type]
    models = [family.make(contest.sheet.classes is not None, parameters) for family in families.values()]
    candidates, templates, begun = [], [], time.perf_counter()
    with closing(spread(_fit_whole, light, models, "family")) as fitted:
        for name, family in families.items():
            candidates.append(Candidate(name))
            with naming(name, "fit"):
                templates.append(keep_fitted(candidates[-1], next(fitted), family, contest))
    n_folds = len(contest.parts)
    jobs = [(one, k) for one in templates for k in range(n_folds)]
    with closing(spread(_answer, light, jobs, "fold")) as answers:
        for k, candidate in enumerate(candidates):
            if n_folds:
                with naming(candidate.name, "fit"):
                    keep_answers(candidate, np.concatenate([next(answers) for _ in range(n_folds)]), contest)
            candidate.seconds = time.perf_counter() - begun
            if verbose:
                tell(candidate, candidates[: k + 1], k + 1, contest)
    return candidates


# --- on the workers --------------------------------------------------------------------------------------------------


def _fit_whole(contest: Contest, model: Any) -> Any:
    n_jobs = model.n_jobs
    return fit_rows(model.set_params(n_jobs=1), contest, None).set_params(n_jobs=n_jobs)


def _answer(contest: Contest, call: tuple[Any, int]) -> np.ndarray:
    template, k = call
    return answer_fold(clone(template).set_params(n_jobs=1), contest, *contest.parts[k])
