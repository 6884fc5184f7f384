"""A fitted model in short: facts under scikit-learn's diagram in a notebook, and the leaderboard of an automatic model.

In: a model. Out: HTML, or nothing for a model that is not fitted; names from the table are escaped. In: one record per
candidate. Out: a dict of arrays; lines of text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from spinney.tree.models import trees_of
from spinney.view.numbers import short
from spinney.view.phrases import column_names

_MOST = 5  # columns


def summary_html(model: Any) -> str:
    """Facts about a fitted model."""
    schema = vars(model).get("_schema")
    if schema is None:
        return ""
    facts = [("columns", f"{schema.n_columns:,}"), *_answers(model), *_trees(model)]
    fingerprint = getattr(model, "fingerprint_", None)
    if fingerprint:
        facts.append(("fingerprint", f"<code>{escape(str(fingerprint))}</code>"))
    cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts)
    style = "font-size:12px;line-height:1.5;margin-top:.4em"
    return f'<div style="{style}"><table>{cells}</table>{_importances(model, column_names(schema.columns))}</div>'


def _answers(model: Any) -> list[tuple[str, str]]:
    classes = getattr(model, "classes_", None)
    if not isinstance(classes, np.ndarray):
        return []
    shown = ", ".join(escape(str(one)) for one in classes[:6].tolist()) + (", ..." if len(classes) > 6 else "")
    return [("classes", f"{len(classes)}: {shown}")]


def _trees(model: Any) -> list[tuple[str, str]]:
    try:
        trees = trees_of(model)
    except (TypeError, ValueError):
        return []
    if len(trees) == 1:
        tree = trees.read(0).tree_
        return [("leaves", f"{tree.n_leaves:,}"), ("depth", f"{int(tree.depth.max())}")]
    return [("trees", f"{len(trees):,}")]


def _importances(model: Any, names: list[str]) -> str:
    """The columns that matter most, as bars."""
    values = getattr(model, "feature_importances_", None)
    if values is None or len(values) != len(names) or not np.max(values) > 0:
        return ""
    rows = []
    for j in np.argsort(-np.asarray(values), kind="stable")[:_MOST].tolist():
        width = 100 * values[j] / np.max(values)
        bar = f'<span style="display:inline-block;height:.7em;width:{width:.0f}px;background:#4fa6df"></span>'
        rows.append(f"<tr><td>{escape(names[j])}</td><td>{bar} {100 * values[j]:.1f} %</td></tr>")
    return f"<table><tr><th colspan=2>importances</th></tr>{''.join(rows)}</table>"


# --- leaderboards -----------------------------------------------------------------------------------------------------


def leaderboard_columns(tried: Sequence[Any], weights: Mapping[str, float]) -> dict[str, np.ndarray]:
    """One row per family: the best score first, those without one last.

    A record has a name, parameters, a score and its spread, seconds and a note; `weights` are those of the models that
    predict, by name.
    """
    rows = sorted(tried, key=lambda one: math.inf if math.isnan(one.score) else -one.score)
    return {
        "name": np.array([one.name for one in rows], object),
        "parameters": np.fromiter((dict(one.parameters) for one in rows), object, len(rows)),
        "score": np.array([one.score for one in rows], np.float64),
        "spread": np.array([one.spread for one in rows], np.float64),
        "seconds": np.array([one.seconds for one in rows], np.float64),
        "weight": np.array([weights.get(one.name, 0.0) for one in rows], np.float64),
        "note": np.array([one.note for one in rows], object),
    }


def leaderboard_text(columns: Mapping[str, np.ndarray], title: str, combined: float) -> str:
    """The same to be read; `combined` is the score of the weighted mean, NaN if there is none.

    >>> columns = {"name": ["boosting"], "score": [-0.25], "spread": [0.125], "seconds": [1.5], "weight": [1.0]}
    >>> print(leaderboard_text({**columns, "note": [""]}, "neg_log_loss, 5 folds", math.nan))
    neg_log_loss, 5 folds
                   score    spread   seconds  weight
      boosting     -0.25     0.125       1.5    1.00
    """
    width = max(len(name) for name in [*columns["name"], "combined"])
    lines = [title, f"  {'':{width}} {'score':>9} {'spread':>9} {'seconds':>9} {'weight':>7}"]
    for k, name in enumerate(columns["name"]):
        numbers = [short(columns[one][k]) for one in ("score", "spread", "seconds")]
        cells = " ".join(f"{one:>9}" for one in numbers)
        note = f"  {columns['note'][k]}" if columns["note"][k] else ""
        lines.append(f"  {name:{width}} {cells} {columns['weight'][k]:>7.2f}{note}")
    if not math.isnan(combined):
        lines.append(f"  {'combined':{width}} {short(combined):>9}")
    return "\n".join(lines)
