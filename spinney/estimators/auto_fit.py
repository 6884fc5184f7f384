"""The comparison of an automatic model: families are fitted and scored on folds of one table, one after another.

In:  a table, a target, weights, folds, and the families to try. Out: a `Candidate` for each, with its model fitted on
all rows, its predictions for the held-out rows, and a note.

A model is fitted on all rows first and on the folds after that. So the folds reuse what it has chosen (the rounds of
boosting), and there is a model whenever time runs out. The weights are chosen in ensemble/selection.py.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from spinney.data.holdout import Part
from spinney.ensemble.members import naming
from spinney.estimators.auto_folds import Parts, Sheet
from spinney.estimators.auto_judge import HeldOut, Judge
from spinney.estimators.auto_params import Choices, Family
from spinney.estimators.boosting_auto import Clock

NO_TIME = "not tried: no time"
_NOT_JUDGED = "not scored: no time"
_TOO_FEW = "not scored: too few rows"
_FIRST_SHARE = 0.6  # of the time left, for boosting and its folds
_PROBE_TREES, _FEWEST_TREES = 2, 10
_PROBE_SHARE = 0.1  # of the budget must be left for a forest to be timed
_SAFETY = 1.15  # times what a fit is expected to take


@dataclass
class Candidate:
    """One family, tried or not."""

    name: str
    model: Any = None  # fitted on all rows
    parameters: Choices = field(default_factory=dict)
    answers: np.ndarray | None = None  # for the rows held out, as the judge reads them
    fold_scores: np.ndarray | None = None
    seconds: float = 0.0
    note: str = ""

    @property
    def score(self) -> float:
        return float("nan") if self.fold_scores is None else float(self.fold_scores.mean())

    @property
    def spread(self) -> float:
        if self.fold_scores is None:
            return float("nan")
        unit = float(np.abs(self.fold_scores).max()) or 1.0  # squares of huge scores would overflow
        return unit * float((self.fold_scores / unit).std())


class Contest(NamedTuple):
    """What all families are tried on."""

    sheet: Sheet
    parts: Parts  # none: nothing is held out
    judge: Judge | None
    clock: Clock


def make_contest(sheet: Sheet, parts: Parts, scoring: Any, clock: Clock) -> Contest:
    """With a judge, if rows are held out."""
    judge = Judge(scoring, sheet, HeldOut.of(parts, sheet.truth, sheet.weights)) if parts else None
    return Contest(sheet, parts, judge, clock)


# --- the contest -----------------------------------------------------------------------------------------------------


def run_contest(contest: Contest, families: dict[str, Family], parameters: Choices, verbose: int) -> list[Candidate]:
    """Try all families in their order, as long as there is time."""
    candidates: list[Candidate] = []
    for name, family in families.items():
        candidate, begun = Candidate(name), time.perf_counter()
        candidates.append(candidate)
        if contest.clock.is_over() and len(candidates) > 1:
            candidate.note = NO_TIME
        else:
            with naming(name, "fit"):
                _try(candidate, family, contest, parameters, is_first=len(candidates) == 1)
        candidate.seconds = time.perf_counter() - begun
        if verbose:
            tell(candidate, candidates, len(families), contest)
    return candidates


def _try(candidate: Candidate, family: Family, contest: Contest, parameters: Choices, is_first: bool) -> None:
    model = family.make(contest.sheet.classes is not None, parameters)
    if contest.clock.budget is not None and not _fit_into_time(model, family, contest, is_first):
        candidate.note = NO_TIME
        return
    begun = time.perf_counter()
    template = keep_fitted(candidate, fit_rows(model, contest, None), family, contest)
    if contest.judge is not None:
        keep_answers(candidate, _answer_folds(template, contest, time.perf_counter() - begun), contest)


def keep_fitted(candidate: Candidate, model: Any, family: Family, contest: Contest) -> Any:
    """Note a model that was fitted on all rows; returns what its folds are fitted with."""
    candidate.model = model
    if hasattr(model, "time_budget"):  # of this fit
        model.set_params(time_budget=None)
    settled = family.settled(model, contest.sheet.n_samples)
    candidate.parameters = {**family.changes, **_sizes(model), **settled}
    if contest.judge is None:
        candidate.note = _TOO_FEW
    return clone(model).set_params(**settled)


def keep_answers(candidate: Candidate, answers: np.ndarray | None, contest: Contest) -> None:
    """Score the predictions for the held-out rows; None: there was no time for them."""
    if answers is None or contest.judge is None:
        candidate.note = _NOT_JUDGED
        return
    candidate.answers = contest.judge.read(answers)
    candidate.fold_scores = contest.judge.folds(candidate.answers)


def _sizes(model: Any) -> Choices:
    return {"n_estimators": model.n_estimators} if isinstance(getattr(model, "n_estimators", None), int) else {}


def fit_rows(model: Any, contest: Contest, part: Part | None) -> Any:
    """Fit on all rows, or on a part of them."""
    if part is None:
        return model.fit(contest.sheet.opened, contest.sheet.y, sample_weight=contest.sheet.weights.total())
    weights = part.weights(contest.sheet.weights).total()
    return model.fit(contest.sheet.opened.take(part.rows), contest.sheet.y[part.rows], sample_weight=weights)


def _answer_folds(template: Any, contest: Contest, expected: float) -> np.ndarray | None:
    """Predictions for all held-out rows, or None if time ran out; a fold is expected to take as long as the last."""
    found = []
    for kept, held in contest.parts:
        clock, begun = contest.clock, time.perf_counter()
        if clock.budget is not None and clock.seconds + expected > clock.budget:
            return None
        found.append(answer_fold(template, contest, kept, held))
        expected = time.perf_counter() - begun
    return np.concatenate(found)


def answer_fold(template: Any, contest: Contest, kept: Part, held: Part) -> np.ndarray:
    """The predictions of a model that is fitted on some rows, for others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit on all rows has issued them
        model = fit_rows(clone(template), contest, kept)
    return _ask(model, contest, contest.sheet.opened.take(held.rows))


def _ask(model: Any, contest: Contest, X: Any) -> np.ndarray:
    """Numbers, or probabilities with a column for every class: 0 for those that the rows of a fold lacked."""
    if contest.sheet.classes is None:
        return model.predict(X)
    shares = model.predict_proba(X)
    if len(model.classes_) == len(contest.sheet.classes):
        return shares
    filled = np.zeros((len(shares), len(contest.sheet.classes)))
    filled[:, np.searchsorted(contest.sheet.classes, model.classes_)] = shares
    return filled


# --- time ------------------------------------------------------------------------------------------------------------


def _fit_into_time(model: Any, family: Family, contest: Contest, is_first: bool) -> bool:
    """Make a model such that it and its folds end in time; False: there is not enough. The first is always tried."""
    clock, n_fits = contest.clock, 1 + len(contest.parts)
    assert clock.budget is not None
    left = clock.budget - clock.seconds
    if family.grows == "rounds":
        model.set_params(time_budget=max(_FIRST_SHARE * left / n_fits, 1e-3))
    elif family.grows == "trees":
        if left < _PROBE_SHARE * clock.budget and not is_first:
            return False
        begun, wanted = time.perf_counter(), model.n_estimators
        fit_rows(clone(model).set_params(n_estimators=_PROBE_TREES), contest, None)
        per_tree = _SAFETY * (time.perf_counter() - begun) / _PROBE_TREES
        affordable = int((clock.budget - clock.seconds) / (per_tree * n_fits))
        if affordable < _FEWEST_TREES and not is_first:
            return False
        model.set_params(n_estimators=max(1, min(wanted, affordable)))
    return True


def tell(candidate: Candidate, tried: list[Candidate], n_families: int, contest: Contest) -> None:
    """One line on standard error."""
    what = candidate.note
    if candidate.fold_scores is not None and contest.judge is not None:
        what = f"{contest.judge.name} {candidate.score:.5g} (spread {candidate.spread:.2g})"
    line = f"{candidate.name}: {what}, {candidate.seconds:.1f} s"
    n_left = n_families - len(tried)
    if n_left:
        ahead = n_left * sum(one.seconds for one in tried) / len(tried)
        budget = contest.clock.budget
        ahead = ahead if budget is None else max(0.0, min(ahead, budget - contest.clock.seconds))
        line += f"; {n_left} more, about {ahead:.0f} s"
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
