"""The page: all sections, put into the template.

In: a model and a `Sample`. Out: HTML. jinja2 escapes every name; what comes as `Markup` was escaped in charts.py.
"""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from sklearn.base import clone

import spinney
from spinney.data.schema import learn_and_read
from spinney.data.tables import Table
from spinney.explain.shapley.plots import DOWN, LOW_TO_HIGH, UP
from spinney.reporting.explanations import ModelExplanations, first_trees, ways_of_rows
from spinney.reporting.quality import judge, learning_charts, n_trees, quality_charts, threshold_counts
from spinney.reporting.sample import Sample, describe_columns, share, text_of
from spinney.view.numbers import short
from spinney.view.phrases import column_names

_MOST_COLUMNS = 200  # in the table of columns
_SHADES = 7  # of the points of a swarm: page.css has the rest of the style


def make_page(
    model: Any, sample: Sample, cv: int, title: str | None, seed: int, made_on: date, given: Any = None
) -> tuple[str, str]:
    """All of it, and its title."""
    schema, table = learn_and_read(sample.X)
    names = column_names(schema.columns)
    title = title or _title(model, sample, table)
    judged = judge(model, sample, cv, seed, given)
    explained = ModelExplanations(model, sample, names, seed)
    trees = first_trees(model, sample.class_names)
    rows = explained.rows()
    rows["ways"] = ways_of_rows(model, explained.shown, len(trees))
    counts = threshold_counts(judged)
    page = _template().render(
        title=title,
        facts=_facts(model, sample, table, made_on),
        baseline=_baseline(sample),
        columns=describe_columns(schema, table)[:_MOST_COLUMNS],
        n_more=max(0, table.n_columns - _MOST_COLUMNS),
        target=_target(sample),
        judged=judged,
        scores=[_shown(one) for one in judged.table],
        learning=learning_charts(judged),
        quality=quality_charts(judged),
        counts=counts,
        explained=explained,
        importance_bars=explained.importance_bars(),
        shap_bars=explained.shap_bars(),
        swarms=explained.swarms(),
        curves=explained.curves(),
        trees=trees,
        rows=rows,
        parameters=_parameters(model),
        data=_json({"counts": counts, "rows": rows}),
        style=_text("page.css") + _palette(),
        script=_text("page.js"),
    )
    return page, title


@cache
def _template() -> Any:
    from jinja2 import Environment

    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_text("page.html"))


def _text(name: str) -> str:
    return resources.files("spinney.reporting").joinpath(name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """For a script element: nothing in it can end it."""
    text = json.dumps(value, separators=(",", ":"), default=float)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028")


def _palette() -> str:
    """The colours of small and large values, as in the pictures of SHAP values."""
    low, middle, high = (_rgb(one) for one in LOW_TO_HIGH)
    shades = []
    for k in range(_SHADES):
        at = 2 * k / (_SHADES - 1)
        mixed = low + at * (middle - low) if at <= 1 else middle + (at - 1) * (high - middle)
        shades.append("#" + "".join(f"{round(one):02x}" for one in mixed.tolist()))
    rules = [f".h{k}{{fill:{shade}}}" for k, shade in enumerate(shades)]
    rules.append(f".ramp{{background:linear-gradient(90deg,{','.join(LOW_TO_HIGH)})}}")
    rules.append(f".signed .fill.up{{background:{UP}}}.signed .fill.down{{background:{DOWN}}}")
    return "".join(rules)


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)


def _title(model: Any, sample: Sample, table: Table) -> str:
    if not sample.target:
        return type(model).__name__
    columns = f"{table.n_columns:,} column{'s' * (table.n_columns != 1)}"
    return f"{sample.target}, by {columns}" + (f" of {sample.source}" if sample.source else "")


def _baseline(sample: Sample) -> str:
    """What the baseline is, in words."""
    weighted = "" if sample.weight is None else "weighted "
    return f"the {weighted}mean" if sample.classes is None else f"the {weighted}class frequencies"


def _facts(model: Any, sample: Sample, table: Table, made_on: date) -> list[tuple[str, str]]:
    facts = [("target", sample.target)] if sample.target else []
    facts += [("data", sample.source)] if sample.source else []
    facts += [
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
    return [*facts, ("created", f"{made_on.day} {made_on:%B %Y}, by Spinney {spinney.__version__}")]


def _target(sample: Sample) -> str:
    named = f"{sample.target}, " if sample.target else ""
    if sample.classes is None:
        low, middle, high = (short(value) for value in (sample.y.min(), np.median(sample.y), sample.y.max()))
        return f"{named}numbers, minimum {low}, median {middle}, maximum {high}"
    values, counts = np.unique(sample.y, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:8]
    listed = ", ".join(f"{text_of(values[k])} {share(counts[k] / len(sample.y))}" for k in order.tolist())
    return f"{named}{len(sample.classes)} classes: {listed}" + (", …" if len(values) > 8 else "")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A score as the page shows it, and whether it is better than the baseline."""
    base = row["baseline"]
    better = None if base is None else (row["mean"] > base) == row["higher"] and row["mean"] != base
    return {
        "name": row["name"],
        "mean": short(row["mean"]),
        "spread": "" if row["spread"] is None else "± " + short(float(format(row["spread"], ".2g"))),
        "baseline": "" if base is None else short(base),
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
