"""Tasks: whether a target is to be classified or to be regressed on, and why."""

from __future__ import annotations

import numpy as np

from spinney.cli.errors import CommandError
from spinney.cli.kinds import Column

_FEW = 10  # distinct whole numbers that pass for classes
_PER_CLASS = 5  # rows of each at least, in the mean
_TOO_MANY = 1000


def guess_task(target: Column, y: np.ndarray, wanted: str | None) -> tuple[str, str]:
    """(task, why); refuse targets from which nothing can be learnt."""
    distinct = len(np.unique(y))
    if distinct == 1:
        raise CommandError(
            f"the target {target.name!r} holds the same value, {y[0]!s}, in all {len(y):,} rows: there is nothing to "
            "learn."
        )
    if wanted == "regression" and target.kind == "category":
        raise CommandError(
            f"--task regression: the target {target.name!r} holds words, such as {y[0]!r}, not numbers; name words "
            "that stand for "
            "missing values in --missing, or use --task classification."
        )
    if wanted == "classification" and y.dtype.kind == "f" and not bool((y == np.rint(y)).all()):
        raise CommandError(
            f"--task classification: the target {target.name!r} holds fractions, such as {y[y != np.rint(y)][0]:g}; "
            f"--types {target.name}=category takes every number for a class."
        )
    task, why = (wanted, "as --task says") if wanted else _guess(target, y, distinct)
    if task == "classification" and distinct > _TOO_MANY and distinct > len(y) / 10:
        raise CommandError(
            f"the target {target.name!r} has {distinct:,} different values in {len(y):,} rows: too many classes to "
            "learn; it looks "
            "like a name or an id."
        )
    return task, why


def _guess(target: Column, y: np.ndarray, distinct: int) -> tuple[str, str]:
    if target.kind == "boolean":
        return "classification", "since it is true or false"
    if target.kind == "category":
        return "classification", f"since it holds {distinct} different words"
    if distinct == 2:
        return "classification", f"since it holds two values only, {y.min():g} and {y.max():g}"
    if y.dtype.kind == "i" and distinct <= _FEW and len(y) >= _PER_CLASS * distinct:
        return (
            "classification",
            f"since it holds {distinct} different whole numbers only (--task regression if they are amounts)",
        )
    return "regression", f"since it holds numbers, {distinct:,} different ones"
