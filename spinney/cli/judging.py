"""Judging: how good a model is on rows it has not seen, beside the best that can be said without looking at a row.

In: a model and a table. Out: scores by name. `cross_validate` fits; evaluate/measures.py measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.cli.errors import CommandError
from spinney.evaluate.measures import measure, measure_baseline

_SMALL = 250_000  # cells of a table that is judged by folds
_FOLDS, _HELD_OUT = 5, 0.2
_LARGE, _MOST_HELD_OUT = 10_000_000, 200_000  # cells from which on half of the rows are learnt from; rows to judge by


@dataclass(frozen=True)
class Judged:
    """Scores on rows held out."""

    how: str
    scores: dict[str, float]  # means over the folds
    spread: dict[str, float]  # standard deviations; empty for one part
    baseline: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"how": self.how, "scores": self.scores, "spread": self.spread, "baseline": self.baseline}


def plan(n_rows: int, n_columns: int, cv: int | None, slow: bool) -> int:
    """How many folds: 0 for none, 1 for one part held out."""
    if cv is not None:
        return cv
    return 1 if slow or n_rows * n_columns > _SMALL else _FOLDS


def judge(
    model: Any,
    X: Any,
    y: np.ndarray,
    task: str,
    n_folds: int,
    *,
    weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    seed: int = 0,
    tick: Callable[[int, int], object] = lambda done, of: None,
) -> Judged | None:
    """Fit to some rows and judge on the others, in turn; None where there are too few rows."""
    from spinney.evaluate.cross_validation import cross_validate

    is_large = n_folds == 1 and X.shape[0] * X.shape[1] >= _LARGE
    splits = _splits(y, task, n_folds, groups, seed, is_large)
    if not splits:
        return None
    several = task == "classification" and len(np.unique(y)) > 2
    done = 0
    tick(0, len(splits))

    def score(fitted: Any, held_out: Any, truth: Any, sample_weight: Any = None) -> dict[str, float]:
        nonlocal done
        train = splits[done][0]
        said = measure(fitted, held_out, truth, sample_weight)
        base = measure_baseline(truth, sample_weight, y[train], None if weights is None else weights[train], task)
        if several:  # of three classes a fold may have two
            said.pop("AUC", None)
        done += 1
        tick(done, len(splits))
        return said | {f"baseline {name}": value for name, value in base.items()}

    result = cross_validate(model, X, y, scoring=score, cv=splits, sample_weight=weights, error_score="raise")
    names = [name for name in result.metrics if not name.startswith("baseline ")]
    if len(splits) > 1:
        how = f"{len(splits)}-fold cross-validation"
    else:
        how = f"{len(splits[0][1]):,} rows held out" + (
            f", {len(splits[0][0]):,} others learnt from" if is_large else ""
        )
    return Judged(
        how + (", groups kept together" if groups is not None else ""),
        {name: float(np.nanmean(result[f"test_{name}"])) for name in names},
        {name: float(np.nanstd(result[f"test_{name}"])) for name in names} if len(splits) > 1 else {},
        {
            name: float(np.nanmean(result[f"test_baseline {name}"]))
            for name in names
            if f"baseline {name}" in result.metrics
        },
    )


def _splits(
    y: np.ndarray, task: str, n_folds: int, groups: np.ndarray | None, seed: int, is_large: bool = False
) -> list[tuple[Any, Any]]:
    """Rows to fit and rows to judge on: shuffled, classes in their shares where there are enough of each.

    Of a large table half of the rows are learnt from, so that judging takes no more memory than the fit that follows.
    """
    from sklearn import model_selection

    rare = int(np.unique(y, return_counts=True)[1].min()) if task == "classification" else len(y)
    if n_folds == 0 or len(y) < 10:
        return []
    if n_folds > len(y):
        raise CommandError(f"--cv {n_folds}: {len(y):,} rows cannot be parted into more folds than rows.")
    stratified = task == "classification" and rare >= max(2, n_folds)
    part: dict[str, Any] = {"test_size": _HELD_OUT, "random_state": seed}
    if is_large:
        part |= {"test_size": min(_HELD_OUT, _MOST_HELD_OUT / len(y)), "train_size": 0.5}
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_groups < max(2, n_folds):
            raise CommandError(
                f"--groups: {n_groups} group{'s' * (n_groups != 1)} cannot be parted into {max(2, n_folds)} folds."
            )
        if n_folds == 1:
            return list(model_selection.GroupShuffleSplit(1, **part).split(y, y, groups))
        return list(model_selection.GroupKFold(n_folds, shuffle=True, random_state=seed).split(y, y, groups))
    if n_folds == 1:
        kind: Any = model_selection.StratifiedShuffleSplit if stratified else model_selection.ShuffleSplit
        return list(kind(1, **part).split(y, y))
    kind = model_selection.StratifiedKFold if stratified else model_selection.KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(y, y))
