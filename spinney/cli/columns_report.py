"""What fit and evaluate tell of columns, scores and importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.cli.files import Source
from spinney.cli.judging import Judged
from spinney.cli.kinds import Column
from spinney.cli.reading import Survey
from spinney.cli.recipe import Recipe
from spinney.cli.report import Report, number, plural, quoted
from spinney.evaluate.measures import HIGHER_IS_BETTER

EXACT = 2_000  # below about so many distinct numbers they are counted
_MOST = 40  # columns that are shown
_ALL_BY_ITSELF = 0.9  # the importance of a column that may know the target


def tell_columns(
    report: Report, source: Source, found: Survey, columns: Sequence[Column], target: Column, wishes: Any, n_used: int
) -> None:
    """What was read: the types that were guessed, and what is left out."""
    by_name = {column.name: column for column in (*columns, target)}
    roles = {wishes.target: "target", wishes.weights: "weights", wishes.groups: "groups"}
    everything = [by_name.get(column.name, column) for column in found.columns]
    report.note(
        table={
            "file": source.name,
            "format": source.format,
            "rows": found.n_rows,
            "columns": [_facts(column, roles, wishes) for column in everything],
            "dropped": list(wishes.drop),
        }
    )
    report.say(
        f"{source.name}: {plural(found.n_rows, 'row')}, {plural(len(source.columns), 'column')} ({source.described})",
        "bold",
    )
    report.table(
        ["column", "type", "missing", "distinct", "example", ""],
        [_row(column, roles, wishes) for column in everything[:_MOST]],
        "llrr",
    )
    if len(everything) > _MOST:
        report.say(f"  and {len(everything) - _MOST} more columns (--json lists all)", "dim")
    for text in source.notes:
        report.warn(text)
    left = [column.name for column in found.columns if column.out and column.name not in roles]
    if left:
        kept = next((column for column in found.columns if column.name in left and column.kind != "nested"), None)
        how = f"; --types {kept.name}={kept.kind} keeps a column" if kept else ""
        report.warn(f"left out: {quoted(left)}{how}")
    if wishes.drop:
        report.say(f"  dropped, as --drop says: {quoted(wishes.drop)}")
    if n_used < found.n_rows:
        report.warn(f"{plural(found.n_rows - n_used, 'row')} without {target.name!r} left out")


def _facts(column: Column, roles: dict[Any, str], wishes: Any) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.kind,
        "guessed": column.name not in wishes.types,
        "missing": column.missing,
        "distinct": column.distinct,
        "example": column.example,
        "role": roles.get(column.name, "left out" if column.out else "feature"),
        "note": column.out or column.note,
    }


def _row(column: Column, roles: dict[Any, str], wishes: Any) -> tuple[str, ...]:
    out = f"left out: {column.out}" if column.out else ""
    note = "; ".join(one for one in (roles.get(column.name, out), column.note) if one)
    kind = "-" if column.kind == "nested" else column.kind + ("" if column.name not in wishes.types else " (given)")
    example = column.example if len(column.example) <= 24 else column.example[:23] + "…"
    about = "~" if column.kind in ("number", "date") and column.distinct > EXACT else ""
    return (
        column.name,
        kind,
        f"{column.missing:,}" if column.missing else "",
        f"{about}{column.distinct:,}",
        example,
        note,
    )


def tell_scores(report: Report, judged: Judged | None) -> None:
    """The scores beside those of the baseline."""
    if judged is None:
        report.note(score=None)
        report.title("Not judged: no rows were held out.")
        return
    report.note(score=judged.to_dict())
    report.title(f"How good it is: {judged.how}")
    rows = []
    for name, value in judged.scores.items():
        spread = f"± {number(judged.spread[name])}" if name in judged.spread else ""
        better = "higher is better" if HIGHER_IS_BETTER[name] else "lower is better"
        rows.append((name, number(value), spread, number(judged.baseline.get(name, np.nan)), better))
    report.table(["", "model", "", "baseline", ""], rows, "lrlr")
    first = "log loss" if "log loss" in judged.scores else "RMSE" if "RMSE" in judged.scores else "accuracy"
    ours, base = judged.scores[first], judged.baseline.get(first, np.nan)
    is_better = ours > base if HIGHER_IS_BETTER[first] else ours < base
    if not is_better and judged.scores.get("balanced accuracy", 0.0) > judged.baseline.get("balanced accuracy", 0.0):
        report.warn(
            "the classes are better than the baseline's, the probabilities are not (log loss): the model is too sure "
            "of some rows"
        )
    elif not is_better:
        report.warn(
            "the model is no better than the baseline, which says the same of every row: the columns may not know "
            "the target"
        )


def importances_of(model: Any, names: Sequence[str]) -> list[tuple[str, float]]:
    """(column, importance), the largest first; empty for models that have none."""
    found = getattr(model, "feature_importances_", None)
    if found is None or len(found) != len(names):
        return []
    return [(names[k], float(found[k])) for k in np.argsort(-np.asarray(found), kind="stable")]


def tell_importances(report: Report, model: Any, recipe: Recipe, judged: Judged | None = None, most: int = 10) -> None:
    """The most important columns, and a word on one that knows too much."""
    shares = importances_of(model, recipe.features)
    if not shares:
        return
    report.note(importances=dict(shares))
    report.title("What it looks at")
    report.bars(shares, most)
    if judged is not None and shares[0][1] >= _ALL_BY_ITSELF and _is_perfect(judged):
        report.warn(
            f"{shares[0][0]!r} alone says nearly all about the target: would it be known before? --drop leaves it out"
        )


def _is_perfect(judged: Judged) -> bool:
    return judged.scores.get("accuracy", 0.0) > 0.995 or judged.scores.get("R2", 0.0) > 0.999
