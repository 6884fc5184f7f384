"""What fit and evaluate print about columns, scores and importances."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from shlex import quote
from typing import Any

import numpy as np

from spinney.cli.report import Report, number, quoted
from spinney.evaluate.judging import HIGHER_IS_BETTER, Judged, NotJudged
from spinney.tables.files import Source
from spinney.tables.kinds import Column
from spinney.tables.reading import Survey
from spinney.tables.recipe import Recipe
from spinney.view.numbers import plural

EXACT = 2_000  # up to about this many distinct numbers are counted exactly
_MOST = 40  # columns that are shown
_DIGITS = 10  # of an example
_ALL_BY_ITSELF = 0.9  # the importance from which a column may leak the target


def tell_columns(
    report: Report, source: Source, found: Survey, columns: Sequence[Column], target: Column, wishes: Any, n_used: int
) -> None:
    """Print what was read: the detected types, and the columns that are left out."""
    by_name = {column.name: column for column in (*columns, target)}
    roles = {wishes.target: "target", wishes.weights: "weights", wishes.groups: "groups", wishes.times: "time"}
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
    few = everything[:_MOST] + [column for column in everything[_MOST:] if column.name in roles]
    report.table(
        ["column", "type", "missing", "distinct", "example", ""],
        [_row(column, roles, wishes) for column in few],
        "llrr",
    )
    if len(everything) > len(few):
        report.say(f"  and {plural(len(everything) - len(few), 'more column')} (--json lists all)", "dim")
    for text in source.notes:
        report.warn(text)
    left = [column.name for column in found.columns if column.out and column.name not in roles]
    if left:
        kept = next((column for column in found.columns if column.name in left and column.kind != "nested"), None)
        how = f"; --types {quote(f'{kept.name}={kept.kind}')} keeps a column" if kept else ""
        report.warn(f"left out: {quoted(left)}{how}")
    if wishes.drop:
        report.say(f"  dropped with --drop: {quoted(wishes.drop)}")
    if n_used < found.n_rows:
        report.warn(f"{plural(found.n_rows - n_used, 'row')} without {target.name!r} left out")


def _facts(column: Column, roles: dict[Any, str], wishes: Any) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.kind,
        "guessed": column.name not in wishes.types,
        "missing": column.missing,
        "distinct": column.distinct,
        "distinct_is_estimated": column.approximate,
        "example": column.example,
        "role": roles.get(column.name, "left out" if column.out else "feature"),
        "note": column.out or column.note,
    }


def _row(column: Column, roles: dict[Any, str], wishes: Any) -> tuple[str, ...]:
    out = f"left out: {column.out}" if column.out else ""
    note = "; ".join(one for one in (roles.get(column.name, out), column.note) if one)
    kind = "-" if column.kind == "nested" else column.kind + ("" if column.name not in wishes.types else " (given)")
    example = _short(column)
    about = "~" if column.approximate else ""
    return (
        column.name,
        kind,
        f"{column.missing:,}" if column.missing else "",
        f"{about}{column.distinct:,}",
        example,
        note,
    )


def _short(column: Column) -> str:
    """An example that fits into a table: numbers with many digits are rounded."""
    text = column.example
    if column.kind == "number" and len(text) > _DIGITS:
        with contextlib.suppress(ValueError):  # not a plain number, such as $1,234.50: shown as in the file
            return f"{float(text):.6g}"
    return text if len(text) <= 24 else text[:23] + "…"


def tell_scores(report: Report, judged: Judged | NotJudged) -> None:
    """Print the scores and those of the baseline."""
    if isinstance(judged, NotJudged):
        report.note(score=None, not_judged=judged.why)
        report.title(f"Not evaluated: {judged.why}.")
        return
    report.note(score=judged.to_dict())
    report.title(f"Scores: {judged.how}")
    rows = []
    for name, value in judged.scores.items():
        spread = f"± {number(judged.spread[name])}" if name in judged.spread else ""
        better = "higher is better" if HIGHER_IS_BETTER[name] else "lower is better"
        rows.append((name, number(value), spread, number(judged.baseline.get(name, np.nan)), better))
    report.table(["", "model", "", "baseline", ""], rows, "lrlr")
    first = "log loss" if "log loss" in judged.scores else "RMSE" if "RMSE" in judged.scores else "accuracy"
    ours, base = judged.scores[first], judged.baseline.get(first, np.nan)
    is_better = ours > base if HIGHER_IS_BETTER[first] else ours < base
    classes_are = all(
        judged.scores.get(name, 0.0) > judged.baseline.get(name, 0.0) for name in ("accuracy", "balanced accuracy")
    )
    if not is_better and classes_are:
        report.warn(
            "the predicted classes are better than the baseline, but the probabilities are not (log loss): the model "
            "is overconfident for some rows"
        )
    elif not is_better:
        report.warn(
            "the model is no better than the baseline, which predicts the same for every row: the columns may not be "
            "informative about the target"
        )


def importances_of(model: Any, names: Sequence[str]) -> list[tuple[str, float]]:
    """(column, importance), the largest first; empty for models that have none."""
    found = getattr(model, "feature_importances_", None)
    if found is None or len(found) != len(names):
        return []
    return [(names[k], float(found[k])) for k in np.argsort(-np.asarray(found), kind="stable")]


def tell_importances(
    report: Report, model: Any, recipe: Recipe, judged: Judged | NotJudged | None = None, most: int = 10
) -> None:
    """Print the most important columns, and a note on one that may leak the target."""
    shares = importances_of(model, recipe.features)
    if not shares:
        return
    report.note(importances=dict(shares))
    report.title("Feature importances")
    report.bars(shares, most)
    if isinstance(judged, Judged) and shares[0][1] >= _ALL_BY_ITSELF and _is_perfect(judged):
        report.warn(
            f"{shares[0][0]!r} alone predicts the target almost perfectly; if its value is not known at prediction "
            "time, leave it out with --drop"
        )


def _is_perfect(judged: Judged) -> bool:
    return judged.scores.get("accuracy", 0.0) > 0.995 or judged.scores.get("R2", 0.0) > 0.999
