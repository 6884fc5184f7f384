"""A fitted model in a notebook: a few facts under scikit-learn's diagram.

In: a model. Out: HTML, or nothing for a model that is not fitted. Names from the table are escaped.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from spinney.tree.models import trees_of
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
