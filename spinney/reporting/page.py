"""The page: all sections, put into the template.

In: a model and a `Sample`. Out: HTML. jinja2 escapes every name; what comes as `Markup` was escaped in charts.py.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from sklearn.base import clone

import spinney
from spinney.data.schema import learn_and_read
from spinney.data.tables import Table
from spinney.reporting.charts import short
from spinney.reporting.columns import describe_columns, share
from spinney.reporting.judged import judge, n_trees
from spinney.reporting.looked import Looked
from spinney.reporting.quality import learning_chart, quality_charts, threshold_counts
from spinney.reporting.sample import Sample
from spinney.reporting.trees import first_trees, ways_of_rows
from spinney.view.phrases import column_names

_MOST_COLUMNS = 200  # in the table of columns


def make_page(model: Any, sample: Sample, cv: int, title: str, seed: int) -> str:
    """All of it."""
    schema, table = learn_and_read(sample.X)
    names = column_names(schema.columns)
    judged = judge(model, sample, cv, seed)
    looked = Looked(model, sample, names, seed)
    trees = first_trees(model)
    rows = looked.rows()
    rows["ways"] = ways_of_rows(model, looked.shown, len(trees))
    counts = threshold_counts(judged)
    return _template().render(
        title=title,
        facts=_facts(model, sample, table),
        columns=describe_columns(schema, table)[:_MOST_COLUMNS],
        n_more=max(0, table.n_columns - _MOST_COLUMNS),
        target=_target(sample),
        judged=judged,
        scores=[_shown(one) for one in judged.table],
        learning=learning_chart(judged),
        quality=quality_charts(judged),
        counts=counts,
        looked=looked,
        importance_bars=looked.importance_bars(),
        shap_bars=looked.shap_bars(),
        swarms=looked.swarms(),
        curves=looked.curves(),
        trees=trees,
        rows=rows,
        parameters=_parameters(model),
        data=_json({"counts": counts, "rows": rows}),
        style=_text("page.css"),
        script=_text("page.js"),
    )


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment
    except ImportError as error:
        raise ImportError("report needs jinja2: pip install 'spinney[report]'") from error
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_text("page.html"))


def _text(name: str) -> str:
    return resources.files("spinney.reporting").joinpath(name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """For a script element: nothing in it can end it."""
    text = json.dumps(value, separators=(",", ":"), default=float)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028")


def _facts(model: Any, sample: Sample, table: Table) -> list[tuple[str, str]]:
    facts = [
        ("model", type(model).__name__),
        ("task", sample.task),
        ("rows", f"{table.n_rows:,}" + (f" of {sample.n_all:,}" if sample.n_all > table.n_rows else "")),
        ("columns", f"{table.n_columns:,}"),
    ]
    if n_trees(model) > 1:
        facts.append(("trees", f"{n_trees(model):,}"))
    fingerprint = getattr(model, "fingerprint_", None)
    if fingerprint:
        facts.append(("fingerprint", str(fingerprint)))
    return [*facts, ("made by", f"Spinney {spinney.__version__}")]


def _target(sample: Sample) -> str:
    if sample.classes is None:
        low, middle, high = (short(value) for value in (sample.y.min(), np.median(sample.y), sample.y.max()))
        return f"numbers, {low} … {middle} … {high}"
    values, counts = np.unique(sample.y, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:8]
    listed = ", ".join(f"{values[k]} {share(counts[k] / len(sample.y))}" for k in order.tolist())
    return f"{len(sample.classes)} classes: {listed}" + (", …" if len(values) > 8 else "")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A score as the page shows it, and whether it is better than the baseline."""
    base = row["baseline"]
    better = None if base is None else (row["mean"] > base) == row["higher"] and row["mean"] != base
    return {
        "name": row["name"],
        "mean": f"{row['mean']:.4g}",
        "spread": "" if row["spread"] is None else f"± {row['spread']:.2g}",
        "baseline": "" if base is None else f"{base:.4g}",
        "better": better,
        "higher": "higher is better" if row["higher"] else "lower is better",
    }


def _parameters(model: Any) -> list[dict[str, Any]]:
    own = model.get_params(deep=False)
    try:
        usual = clone(type(model)()).get_params(deep=False)
    except (TypeError, ValueError):
        usual = {}
    found = []
    for name, value in own.items():
        changed = name not in usual or repr(usual[name]) != repr(value)
        found.append({"name": name, "value": f"{value!r:.200}", "changed": changed})
    return sorted(found, key=lambda one: (not one["changed"], one["name"]))
