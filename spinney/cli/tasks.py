"""Tasks: whether a target is for classification or for regression, and why."""

from __future__ import annotations

from shlex import quote

import numpy as np

from spinney.tables.errors import TableError
from spinney.tables.kinds import Column

_FEW = 10  # most distinct integers that are treated as classes
_PER_CLASS = 5  # fewest rows per class, on average
_TOO_MANY = 1000
_NAMES = 20  # from this many distinct strings, and more than half as many as rows: names
_FEW_NUMBERS = 50  # most distinct integers that may be classes after all


def guess_task(target: Column, y: np.ndarray, wanted: str | None) -> tuple[str, str]:
    """Return (task, reason). Raise an error for targets that cannot be learned."""
    distinct = len(np.unique(y))
    if distinct == 1:
        raise TableError(
            f"the target {target.name!r} holds the same value, {y[0]!s}, in all {len(y):,} rows: there is nothing to "
            "learn."
        )
    if wanted == "regression" and target.kind == "category":
        raise TableError(
            f"--task regression: the target {target.name!r} holds text, such as {y[0]!r}, not numbers. Name strings "
            "that mean missing in --missing, or use --task classification."
        )
    if wanted == "classification" and y.dtype.kind == "f" and not bool((y == np.rint(y)).all()):
        raise TableError(
            f"--task classification: the target {target.name!r} holds fractions, such as {y[y != np.rint(y)][0]:g}; "
            f"--types {quote(target.name + '=category')} treats every number as a class."
        )
    task, why = (wanted, "as given by --task") if wanted else _guess(target, y, distinct)
    names = distinct > _NAMES and distinct > len(y) / 2
    if task == "classification" and (names or (distinct > _TOO_MANY and distinct > len(y) / 10)):
        raise TableError(
            f"the target {target.name!r} has {distinct:,} different values in {len(y):,} rows, such as {str(y[0])!r}: "
            "too many classes to learn. It looks like a name or an id"
            + (
                f". If it holds numbers, --types {quote(target.name + '=number')} finds the cell that is not one."
                if target.kind == "category"
                else "; --task regression treats its values as amounts."
            )
        )
    return task, why


def _guess(target: Column, y: np.ndarray, distinct: int) -> tuple[str, str]:
    if target.kind == "boolean":
        return "classification", "since it holds true and false"
    if target.kind == "category":
        return "classification", f"since it holds {distinct} different strings"
    if distinct == 2:
        return "classification", f"since it holds only two values, {y.min():g} and {y.max():g}"
    if y.dtype.kind == "i" and distinct <= _FEW and len(y) >= _PER_CLASS * distinct:
        return (
            "classification",
            f"since it holds only {distinct} different integers (--task regression if they are amounts)",
        )
    doubt = (
        " (--task classification if they are class labels)" if y.dtype.kind == "i" and distinct <= _FEW_NUMBERS else ""
    )
    return "regression", f"since it holds numbers, {distinct:,} different ones{doubt}"


def alike(classes: np.ndarray) -> list[list[str]]:
    """Return the classes that differ only in upper and lower case, such as Yes and yes."""
    found: dict[str, list[str]] = {}
    for one in classes.tolist():
        found.setdefault(str(one).casefold(), []).append(str(one))
    return [same for same in found.values() if len(same) > 1]
