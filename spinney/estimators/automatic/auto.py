"""Automatic models: several families of trees, scored on the same folds and combined, with scikit-learn's interface.

No algorithm in here: the comparison is in fit.py, the combination in ensemble/selection.py.
"""

from __future__ import annotations

import math
import time
from contextlib import closing
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from spinney.data.holdout import read_order
from spinney.data.opened_table import OpenedTable
from spinney.data.reading import with_rows
from spinney.data.target import find_classes, need_two_classes, read_labels, read_numbers
from spinney.data.weights import read_sample_weight
from spinney.distributed.fits import spread
from spinney.ensemble.callbacks import Clock
from spinney.ensemble.cross_fitting import naming
from spinney.ensemble.selection import select
from spinney.estimators.automatic.fit import (
    AUTO,
    DEFAULT,
    FAMILIES,
    FITTED,
    Candidate,
    Choices,
    Contest,
    Family,
    Sheet,
    answer_fold,
    calibrate_held_out,
    fit_rows,
    keep_answers,
    keep_fitted,
    make_contest,
    make_parts,
    run_contest,
    tell,
)
from spinney.estimators.base import OfTrees, TableClassifier, TableModel, TableRegressor, all_or_nothing, hash_of
from spinney.estimators.docstrings import CLASSES, LABELS, NUMBERS, TO_FIT, documented
from spinney.estimators.params import check_parameters, described, keep_parameters, read_seed
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.evaluate.runs import wants_cluster
from spinney.tree.formula import Mixture, mixture_of
from spinney.view.frame import as_frame
from spinney.view.summary import leaderboard_columns, leaderboard_text

# ----------------------------------------------------------------------------------------------------------------------
# On a cluster: the comparison with all families at once, then the folds of all of them.
#
# In:  a contest, and the families to try. Out: the candidates that `run_contest` returns. Each worker receives the
# table once.


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


_ABOUT = """
    Gradient boosting (with default parameters, with large trees and with small trees; the number of rounds is chosen
    automatically), a random forest and extra-trees are scored on the same folds. Their predictions for the held-out
    rows are combined by ensemble selection: votes are given one by one, each to the model that makes the mean of all
    votes best, and the fractions of the votes are the weights. Models without votes are dropped. The others, fitted on
    all rows, predict the weighted mean. The data is read, sorted and binned once for all fits.

    Columns may hold numbers, Booleans, strings, categories and missing values; X may be sparse. A row with an integer
    weight w counts as w rows, in the folds as well.
"""


_EXAMPLE = """
>>> from spinney import AutoClassifier
>>> from spinney.datasets import load_penguins
>>> X, y = load_penguins()
>>> model = AutoClassifier(["extra_trees"], random_state=0).fit(X, y)
"""


class _AutoModel(OfTrees, TableModel):
    """What both automatic models share."""

    takes_weights = True
    _calibration: Any

    def __init__(
        self,
        families: Any = None,
        *,
        time_budget: float | None = None,
        scoring: Any = None,
        cv: Any = None,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
        random_state: Any = None,
        n_jobs: Any = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    # --- fit --------------------------------------------------------------------------------------------------------

    @known_arguments
    @documented(TO_FIT, setup=_EXAMPLE)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, times: Any = None, gap: Any = None
    ) -> Any:
        """Fit the families, combine them, and keep those with a weight.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, for fits and scores.
        groups : array-like of shape (n_samples,), default=None
            Groups; the rows of a group stay in one fold. `cv` must then be a number of folds, None (5), "grouped" or a
            splitter that supports groups.
        times : array-like of shape (n_samples,) or str, default=None
            Time of each row (numbers or dates), the name of a column of X, or "order" for the order of the rows. Every
            fold is predicted by models fitted on earlier rows. See docs/time-and-groups.md.
        gap : float, timedelta or str, default=None
            Time between training and held-out rows: rows within it are left out.

        Examples
        --------
        >>> model.names_
        ['extra_trees']
        """
        check_parameters(self)
        families, clock = self._families(), Clock(time.perf_counter(), self.time_budget)
        run = run_contest_remotely if wants_cluster(self.n_jobs) else run_contest
        with all_or_nothing(self):
            opened = OpenedTable(with_rows(X))
            weights = read_sample_weight(sample_weight, len(opened))
            opened.counts = weights.counts
            schema, table = opened.learn(self.categorical_features, type(self).__name__)
            classes, truth = self._read_target(y, table.n_rows)
            seed = read_seed(self.random_state)
            order = read_order(groups, times, gap, X, table.n_rows)
            sheet = Sheet(opened, schema, table, truth, classes, weights, order)
            parts = make_parts(sheet, self.cv, groups, seed, self._n_threads(), self.time_budget)
            contest = make_contest(sheet, parts, self.scoring, clock)
            self._keep_schema(schema)
            self._keep(run(contest, families, self._shared_parameters(seed), self.verbose), contest)
        return self

    def _families(self) -> dict[str, Family]:
        names = list(DEFAULT if self.families is None else self.families)
        unknown = [name for name in names if name not in FAMILIES]
        if unknown or not names or len(set(names)) < len(names):
            raise ValueError(f"families must name some of {list(FAMILIES)}, each once, got {names}.")
        return {name: FAMILIES[name] for name in names}

    def _n_threads(self) -> int | None:
        """For fits on this machine."""
        return None if isinstance(self.n_jobs, str) else self.n_jobs

    def _shared_parameters(self, seed: int) -> dict[str, Any]:
        """What every member is given, as far as it has it."""
        names = ("categorical_features", "handle_unknown")
        return {name: getattr(self, name) for name in names} | {
            "n_jobs": self._n_threads(),
            "random_state": seed,
            "verbose": max(0, self.verbose - 1),
        }

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray | None, np.ndarray]:
        """(classes, class numbers), or (None, numbers)."""
        raise NotImplementedError

    def _keep(self, tried: list[Candidate], contest: Contest) -> None:
        """Weigh the candidates, and set the fitted attributes."""
        weights, self.score_, answers = _weigh(tried, contest)
        members = [one for one in tried if weights.get(one.name, 0.0) > 0.0]
        self.names_, self.estimators_ = [one.name for one in members], [one.model for one in members]
        self.weights_ = np.array([weights[name] for name in self.names_])
        judged = [one for one in tried if not math.isnan(one.score)]
        self.best_ = max(judged, key=lambda one: one.score).name if judged else self.names_[0]
        self._columns = leaderboard_columns(tried, weights)
        judge = contest.judge
        if answers is not None and judge is not None:
            self._calibration = calibrate_held_out(answers, contest)
        how = "nothing held out" if judge is None else f"{judge.name}, {_folds(len(contest.parts))}"
        self._title = f"{type(self).__name__}: {how}, {contest.clock.seconds:.3g} s"

    # --- predict ----------------------------------------------------------------------------------------------------

    def _mean(self, X: Any, method: str) -> np.ndarray:
        """The weighted mean of the members' predictions; X is read once for all."""
        table = self._read(X)
        said = [
            weight * getattr(model, method)(table) for model, weight in zip(self.estimators_, self.weights_.tolist())
        ]
        return sum(said[1:], said[0])

    # --- reading ----------------------------------------------------------------------------------------------------

    @property
    def leaderboard_(self) -> Any:
        """Scores, weights and parameters, one row per family."""
        check_is_fitted(self)
        return as_frame({name: values.copy() for name, values in self._columns.items()})

    def leaderboard(self) -> str:
        """Return the leaderboard as text, to be printed.

        Returns
        -------
        str
            A line per family, best first, and the score of the combination.

        Examples
        --------
        >>> from spinney import AutoClassifier
        >>> from spinney.datasets import load_penguins
        >>> model = AutoClassifier(["random_forest", "extra_trees"], random_state=0).fit(*load_penguins())
        >>> print(model.leaderboard().splitlines()[1].split())
        ['score', 'spread', 'seconds', 'weight']
        """
        check_is_fitted(self)
        return leaderboard_text(self._columns, self._title, self.score_)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Weighted mean of the models' importances."""
        check_is_fitted(self)
        return sum(weight * model.feature_importances_ for model, weight in zip(self.estimators_, self.weights_))

    def _formula(self) -> Mixture:
        return mixture_of(self, self.weights_, 1.0)

    def _fingerprint(self) -> str:
        return hash_of([*(one.fingerprint_.encode() for one in self.estimators_), self.weights_.tobytes()])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")


def _weigh(tried: list[Candidate], contest: Contest) -> tuple[dict[str, float], float, np.ndarray | None]:
    """(weights by name, score of the weighted mean, its predictions for held-out rows as the judge reads them).

    Without scores, the first model alone.
    """
    judged = [one for one in tried if one.answers is not None]
    if not judged or contest.judge is None:
        return {next(one.name for one in tried if one.model is not None): 1.0}, math.nan, None
    weights, _ = select([one.answers for one in judged if one.answers is not None], contest.judge)
    answers = np.asarray(sum(weight * one.answers for one, weight in zip(judged, weights.tolist()) if weight))
    by_name = dict(zip([one.name for one in judged], weights.tolist()))
    return by_name, float(contest.judge.folds(answers).mean()), answers


def _folds(n: int) -> str:
    return f"{n} folds" if n > 1 else "one part held out"


@described(AUTO, about=_ABOUT, fitted=CLASSES + FITTED)
class AutoClassifier(TableClassifier, _AutoModel):
    """Automatic classifier: fits several families of tree models and combines the best.

    {about}

    Examples
    --------
    >>> from spinney import AutoClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = AutoClassifier(["boosting_of_small_trees", "random_forest"], random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    ['Adelie', 'Adelie']
    >>> model.leaderboard_.columns.tolist()
    ['name', 'parameters', 'score', 'spread', 'seconds', 'weight', 'note']
    """

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray | None, np.ndarray]:
        self.classes_, numbers = find_classes(read_labels(y, n_rows, type(self).__name__))
        need_two_classes(self.classes_)
        return self.classes_, numbers.astype(np.int64)

    @row_by_row()
    @documented(setup=_EXAMPLE)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict class probabilities, the weighted mean of the models'.

        Examples
        --------
        >>> model.predict_proba(X).shape
        (344, 3)
        """
        return self._mean(X, "predict_proba")

    @row_by_row()
    @documented(returns=LABELS, setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each row.

        Examples
        --------
        >>> model.predict(X.head(2)).tolist()
        ['Adelie', 'Adelie']
        """
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]


@described(AUTO, about=_ABOUT, fitted=FITTED)
class AutoRegressor(TableRegressor, _AutoModel):
    """Automatic regressor: fits several families of tree models and combines the best.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import AutoRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AutoRegressor(random_state=0).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray | None, np.ndarray]:
        return None, read_numbers(y, n_rows, type(self).__name__)

    @row_by_row()
    @documented(returns=NUMBERS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the weighted mean of the models' predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import AutoRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = AutoRegressor(["extra_trees"], random_state=0).fit(X, y)
        >>> model.predict(X[:3]).shape
        (3,)
        """
        return self._mean(X, "predict")
