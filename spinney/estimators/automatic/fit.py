"""The comparison of an automatic model: families are fitted and scored on folds of one table, one after another.

In:  a table, a target, weights, folds, and the families to try. Out: a `Candidate` for each, with its model fitted on
all rows, its predictions for the held-out rows, and a note.

A model is fitted on all rows first and on the folds after that. So the folds reuse what it has chosen (the rounds of
boosting), and there is a model whenever time runs out. The weights are chosen in ensemble/selection.py.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _num_samples

from spinney.criteria.fixed_point import exact_mean
from spinney.data.holdout import CountedRows, RowOrder, parts_by_content, parts_by_time
from spinney.data.opened_table import OpenedTable
from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.ensemble.callbacks import Clock
from spinney.ensemble.conformal import ConformalScores, from_held_out, from_true_probabilities
from spinney.ensemble.cross_fitting import naming
from spinney.ensemble.selection import LEAST_PROBABILITY
from spinney.estimators.base import make_team
from spinney.estimators.boosting.gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from spinney.estimators.forests.random_forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.estimators.params import COMMON, POSITIVE, THREADS, Parameter
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.evaluate.runs import make_splits
from spinney.evaluate.scoring import find_scorer, takes_weights

# ----------------------------------------------------------------------------------------------------------------------
# Parameters of automatic models, and the families of models that they choose from.
#
# A family is a name, its classifier and its regressor, and the parameters that differ from their defaults. `settled`
# returns what the fit on all rows has chosen, so that fits on folds need not search for it again.


Choices = dict[str, Any]


def _nothing(model: Any, n_samples: int) -> Choices:
    return {}


def _settled_boosting(model: Any, n_samples: int) -> Choices:
    """What boosting has chosen with held-out rows, and what follows from the data."""
    from spinney.ensemble.boosting.round_search import tree_size

    return {
        "n_estimators": model.n_estimators_,
        "learning_rate": model.learning_rate_,
        "max_leaf_nodes": model.max_leaf_nodes_,
        "min_samples_leaf": model.min_samples_leaf_,
        "max_features": model.max_features_,
        "min_samples_category": tree_size(n_samples, model.n_features_in_, 1).min_category,
    }


class Family(NamedTuple):
    """Models that are tried under one name."""

    classifier: Any
    regressor: Any
    changes: Choices  # parameters that are not at their defaults
    settled: Callable[[Any, int], Choices] = _nothing
    grows: str = ""  # "rounds": has a time budget of its own; "trees": a smaller one takes less time

    def make(self, classifies: bool, parameters: Choices) -> Any:
        """A model to be fitted; of the parameters it gets those that it has."""
        kind = self.classifier if classifies else self.regressor
        model = kind(**self.changes)
        return model.set_params(**{name: value for name, value in parameters.items() if hasattr(model, name)})


_BOOSTING = GradientBoostingClassifier, GradientBoostingRegressor
_FOREST = RandomForestClassifier, RandomForestRegressor
_EXTRA = ExtraTreesClassifier, ExtraTreesRegressor
_TREE = DecisionTreeClassifier, DecisionTreeRegressor

# in order of worth per time
FAMILIES = {
    "boosting": Family(*_BOOSTING, {}, _settled_boosting, "rounds"),
    "boosting_of_large_trees": Family(
        *_BOOSTING, {"max_leaf_nodes": 96, "max_features": 0.3, "subsample": 0.7}, _settled_boosting, "rounds"
    ),
    "boosting_of_small_trees": Family(
        *_BOOSTING, {"max_leaf_nodes": 5, "max_features": 1.0}, _settled_boosting, "rounds"
    ),
    "random_forest": Family(*_FOREST, {}, grows="trees"),
    "extra_trees": Family(*_EXTRA, {}, grows="trees"),
    "tree": Family(*_TREE, {"min_samples_leaf": 0.02}),
}
DEFAULT = tuple(name for name in FAMILIES if name != "tree")
_NAMES = ", ".join(f'"{name}"' for name in FAMILIES)

AUTO = {
    **COMMON,
    "families": Parameter(
        "list of str or None",
        f"Families to try, in this order, from {_NAMES}. None: all except the last.",
        ["array-like", None],
    ),
    "time_budget": Parameter(
        "float or None",
        "Time limit for `fit` in seconds, kept to within a few fits of trees. Families that no longer fit into it are "
        "not tried, which `leaderboard_` notes. With a budget, the model depends on the speed of the machine. None: "
        "all families are tried in full.",
        [POSITIVE, None],
    ),
    "scoring": Parameter(
        "str, function or None",
        "Score that models are compared and combined by, higher is better: a scikit-learn name or a function "
        "(model, X, y) -> float. None: negative log loss for classifiers, negative root mean squared error for "
        "regressors.",
        [str, callable, None],
    ),
    "cv": Parameter(
        "int, str, splitter, iterable or None",
        "Folds, as in `spinney.evaluate.cross_validate`. A number gives that many stratified folds, determined by row "
        "contents, so that the order of the rows does not matter. None: 5 folds up to 50,000 rows, 3 up to 200,000. "
        "Above, or if the time budget is small for the data, one part of the rows is held out.",
        ["cv_object", StrOptions({"kfold", "stratified", "grouped", "repeated", "loo"})],
    ),
    "random_state": Parameter("int, RandomState or None", "Seed for the folds and for all models.", ["random_state"]),
    "n_jobs": Parameter(
        'int, "dask" or None',
        'Number of threads. None and -1 use every core. "dask": families and folds are fitted on the cluster of the '
        "current Dask client, without a time budget. The model does not depend on it.",
        [*THREADS, StrOptions({"dask"})],
    ),
    "verbose": Parameter(
        "int",
        "1 prints a line per family on standard error, with its score and time. 2 also prints the models' messages.",
        ["verbose"],
    ),
}
FITTED = """
    best_ : str
        Name of the family with the best score; without scores, of the first.
    estimators_ : list of estimators
        The models with a weight, fitted on all rows.
    names_ : list of str
        Families of these models.
    weights_ : ndarray of shape (n_models,)
        Weights of these models. They add up to 1.
    score_ : float
        Score of the weighted mean on the held-out rows; NaN with too few rows or too little time. It is slightly
        optimistic, since the weights were chosen on the same rows.
    leaderboard_ : pandas.DataFrame, or a dict of arrays if pandas is not installed
        One row per family: name, parameters, score (mean over the folds), spread (standard deviation over the folds),
        seconds, weight and note. `leaderboard()` returns it as text.
    feature_importances_ : ndarray of shape (n_features,)
        Weighted mean of the models' importances.
    fingerprint_ : str
        Hash of all models and weights, the same on any machine and any number of threads, if there is no time budget.
"""


# ----------------------------------------------------------------------------------------------------------------------
# Folds of an automatic model: training rows and validation rows, the same for all families.
#
# In:  an opened table with its target and weights, and the parameter `cv`. Out: (kept, held out) of each fold.
#
# Unless a splitter or groups are given, row contents determine the folds: neither the order of the rows nor whether a
# row is repeated or has a weight makes a difference.


Parts = list[tuple[CountedRows, CountedRows]]
_FEWEST = 10  # samples, below which nothing is held out
_MANY, _VERY_MANY = 50_000, 200_000  # samples above which there are fewer folds
_HELD_SHARE, _HELD_ROWS = 0.2, 100_000  # of one part: the share held out, and at most so many samples
_CELLS_PER_SECOND = 100_000  # of a time budget, below which one part is held out in place of folds
_BINS = 255  # as in boosting and forests, so that they need no others


class Sheet(NamedTuple):
    """A table that is read once, with its target."""

    opened: OpenedTable
    schema: Schema
    table: Table
    truth: np.ndarray  # class numbers, or numbers
    classes: np.ndarray | None
    weights: Weights
    order: RowOrder | None = None  # groups or times of the rows

    @property
    def y(self) -> np.ndarray:
        """The target that models are fitted on: labels, or numbers."""
        return self.truth if self.classes is None else self.classes[self.truth]

    @property
    def n_samples(self) -> int:
        """Rows, each as often as it counts."""
        return self.weights.n_samples(len(self.truth))


def make_parts(
    sheet: Sheet, cv: Any, groups: Any, seed: int, n_jobs: int | None, time_budget: float | None = None
) -> Parts:
    """(rows to learn from, rows held out) of each fold; none where there are too few rows."""
    if sheet.order is not None and sheet.order.times is not None:
        if not (cv is None or isinstance(cv, Integral)):
            raise ValueError(f"cv must be a number of folds with times, got {cv!r}.")
        n_folds = _how_many(sheet, time_budget) if cv is None else int(cv)
        found = parts_by_time(
            sheet.order.times, sheet.order.gap, sheet.weights, n_folds, 1.0 - _HELD_SHARE, _HELD_SHARE
        )
    elif groups is not None or not (cv is None or isinstance(cv, Integral)):
        splits = make_splits(cv, sheet.opened.origin, sheet.truth, groups, sheet.classes is not None)
        found = [(_part(kept, sheet.weights), _part(held, sheet.weights)) for kept, held in splits]
    else:
        n_folds = _how_many(sheet, time_budget) if cv is None else int(cv)  # type: ignore[call-overload]
        if not _can_be_parted(sheet):
            return []
        held = min(_HELD_SHARE, _HELD_ROWS / sheet.n_samples)
        shares = n_folds, 1.0 - held, held
        hashes = _row_hashes(sheet, seed, n_jobs)
        found = parts_by_content(hashes, sheet.truth, sheet.weights, sheet.classes is not None, *shares)
    return [pair for pair in found if len(pair[0].rows) and len(pair[1].rows)]


def _how_many(sheet: Sheet, time_budget: float | None) -> int:
    """Folds; 1: one part is held out."""
    n_samples, cells = sheet.n_samples, sheet.table.n_rows * sheet.table.n_columns
    if n_samples > _VERY_MANY or (time_budget is not None and cells > _CELLS_PER_SECOND * time_budget):
        return 1
    return 5 if n_samples <= _MANY else 3


def _can_be_parted(sheet: Sheet) -> bool:
    """Whether there are enough samples, and two classes in every part to learn from."""
    if sheet.n_samples < _FEWEST:
        return False
    if sheet.classes is None:
        return True
    return int((np.bincount(sheet.truth, weights=sheet.weights.counts) >= 2).sum()) >= 2


def _part(rows: np.ndarray, weights: Weights) -> CountedRows:
    """Rows that a splitter has chosen, as often as they count."""
    if weights.counts is None:
        return CountedRows(rows, None)
    rows = rows[weights.counts[rows] > 0]
    return CountedRows(rows, weights.counts[rows])


def _row_hashes(sheet: Sheet, seed: int, n_jobs: int | None) -> np.ndarray:
    from spinney.data.row_hash import hashes_of_keys

    table = sheet.table
    with make_team("boosting", table.n_rows * table.n_columns, n_jobs) as team:
        bins = table.bins(sheet.schema.is_categorical, sheet.weights.counts, _BINS, team)
        return hashes_of_keys(seed, table.encode_dataset(bins, team).row_keys(team), sheet.truth)


# ----------------------------------------------------------------------------------------------------------------------
# Scoring predictions for held-out rows: of one model, or of a mean of several.
#
# In:  the held-out rows, fold after fold, with their targets and weights, and the score.
# Out: scores, higher is better. By default negative log loss or root mean squared error, by sums that do not depend on
# the order of the rows; else a scikit-learn score or a function, which receives a model that returns these predictions.


_OWN = {True: "neg_log_loss", False: "neg_root_mean_squared_error"}  # by whether there are classes


class HeldOut(NamedTuple):
    """All rows that were held out, fold after fold; a row may be there more than once."""

    rows: np.ndarray
    truth: np.ndarray  # class numbers, or numbers
    weights: Weights
    folds: list[slice]

    @staticmethod
    def of(parts: Parts, truth: np.ndarray, weights: Weights) -> HeldOut:
        held = [one for _, one in parts]
        ends = np.cumsum([len(one.rows) for one in held])
        own = [one.weights(weights) for one in held]
        counts = None if held[0].counts is None else np.concatenate([one.counts for one in own])
        importance = None if weights.importance is None else np.concatenate([one.importance for one in own])
        rows = np.concatenate([one.rows for one in held])
        folds = [slice(int(end) - len(one.rows), int(end)) for one, end in zip(held, ends)]
        return HeldOut(rows, truth[rows], Weights(counts, importance), folds)


class Judge:
    """Scores predictions for the held-out rows."""

    def __init__(self, scoring: Any, sheet: Sheet, held: HeldOut) -> None:
        own = _OWN[sheet.classes is not None]
        self.name = scoring if isinstance(scoring, str) else own if scoring is None else "score"
        self._scorer = None if self.name == own else find_scorer(scoring)
        self._classes, self._X, self.held = sheet.classes, sheet.opened, held
        self._every = slice(0, len(held.rows))

    def read(self, answers: np.ndarray) -> np.ndarray:
        """What is needed of a model's predictions: for log loss, the probability of the true class."""
        if self._scorer is not None or self._classes is None:
            return answers
        return answers[np.arange(len(answers)), self.held.truth]

    def folds(self, answers: np.ndarray) -> np.ndarray:
        """The score of each fold."""
        return np.array([self(answers[part], part) for part in self.held.folds])

    def __call__(self, answers: np.ndarray, part: slice | None = None) -> float:
        """The score of predictions that have been read, for all rows or some."""
        part = self._every if part is None else part
        truth, weights = self.held.truth[part], self.held.weights.take(np.arange(part.start, part.stop))
        if self._scorer is not None:
            return self._ask_scorer(answers, truth, weights, part)
        if self._classes is not None:
            from spinney.criteria.exp_log import logs_of

            return exact_mean(logs_of(np.maximum(answers, LEAST_PROBABILITY)), weights)
        return -_root_mean_square(answers - truth, weights)

    def _ask_scorer(self, answers: np.ndarray, truth: np.ndarray, weights: Weights, part: slice) -> float:
        """NaN where the score is not defined, such as AUC of one class."""
        scorer, total = self._scorer, weights.total()
        assert scorer is not None
        more = {} if total is None or not takes_weights(scorer) else {"sample_weight": total}
        if self._classes is None:
            model, y = _KnownNumbers(answers), truth
        else:
            model, y = _KnownClasses(answers, self._classes), self._classes[truth]
        X = (
            _only_length(len(truth))
            if hasattr(scorer, "_score_func")
            else self._X.take(self.held.rows[part]).original()
        )
        value = scorer(model, X, y, **more)
        if np.ndim(value) != 0:
            raise ValueError(f"scoring must return one number, got {value!r:.60}.")
        return float(value)


def _root_mean_square(residuals: np.ndarray, weights: Weights) -> float:
    """Safe from overflow: numbers are scaled by a power of two."""
    largest = float(np.abs(residuals).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    exponent = math.frexp(largest)[1]
    return math.ldexp(math.sqrt(exact_mean(np.square(np.ldexp(residuals, -exponent)), weights)), exponent)


def _only_length(n_rows: int) -> np.ndarray:
    return np.empty((n_rows, 0))


class _Known(BaseEstimator):
    """A model that returns the predictions it was made with, whatever X is."""

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def _all(self, X: Any, answers: np.ndarray) -> np.ndarray:
        if _num_samples(X) != len(answers):
            raise ValueError("scoring must predict all rows of X in one call.")
        return answers


class _KnownClasses(ClassifierMixin, _Known):
    def __init__(self, answers: Any, classes: Any) -> None:
        self.answers, self.classes = answers, classes
        self.classes_ = classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._all(X, self.answers)

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self._all(X, self.answers).argmax(axis=1)]


class _KnownNumbers(RegressorMixin, _Known):
    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def predict(self, X: Any) -> np.ndarray:
        return self._all(X, self.answers)


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


def calibrate_held_out(answers: np.ndarray, contest: Contest) -> ConformalScores | None:
    """What the held-out rows say about intervals and sets of classes, by predictions as the judge reads them."""
    assert contest.judge is not None
    held, order, total = contest.judge.held, contest.sheet.order, contest.judge.held.weights.total()
    used = slice(None) if total is None else total > 0
    counts = None if held.weights.counts is None else held.weights.counts[used]
    times = None if order is None or order.times is None else order.times[held.rows][used]
    answers, truth = answers[used], held.truth[used]
    if contest.sheet.classes is None:
        return from_held_out(answers, truth, counts, times)
    return from_true_probabilities(
        answers if answers.ndim == 1 else answers[np.arange(len(truth)), truth], counts, times
    )


def _sizes(model: Any) -> Choices:
    return {"n_estimators": model.n_estimators} if isinstance(getattr(model, "n_estimators", None), int) else {}


def fit_rows(model: Any, contest: Contest, part: CountedRows | None) -> Any:
    """Fit on all rows, or on a part of them."""
    sheet = contest.sheet
    if part is None:
        return model.fit(sheet.opened, sheet.y, sample_weight=sheet.weights.total(), **_order_of(model, sheet.order))
    weights, order = part.weights(sheet.weights).total(), _order_of(model, sheet.order, part.rows)
    return model.fit(sheet.opened.take(part.rows), sheet.y[part.rows], sample_weight=weights, **order)


def _order_of(model: Any, order: RowOrder | None, rows: Any = slice(None)) -> dict[str, Any]:
    """Groups or times of some rows, for models that hold rows out by themselves."""
    if order is None or not hasattr(model, "early_stopping"):
        return {}
    if order.groups is not None:
        return {"groups": order.groups[rows]}
    assert order.times is not None
    return {"times": order.times[rows], "gap": order.gap}


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


def answer_fold(template: Any, contest: Contest, kept: CountedRows, held: CountedRows) -> np.ndarray:
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
