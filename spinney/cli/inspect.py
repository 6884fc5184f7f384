"""`spinney inspect`: the contents of a model file, without loading the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any

import spinney
from spinney.cli import options
from spinney.cli.files import describe_file
from spinney.cli.report import Report, label, number, plain
from spinney.tables.errors import TableError
from spinney.tables.recipe import KEY, Recipe
from spinney.view.numbers import plural

_LONG = 100


def inspect(model: options.ModelFile, as_json: options.Json = False) -> None:
    """Print the contents of a model file: estimator, parameters, columns, target and size.

    The model is not loaded. Parameters at their defaults are not printed.

    Examples:

        spinney inspect titanic.spinney

        spinney inspect titanic.spinney --json
    """
    found = plain(describe_file(model))
    report = Report(as_json)
    report.note(**found)
    report.say(f"{model}", "bold")
    stored = (found.pop("metadata", None) or {}).get(KEY)
    report.table(
        ["", ""], [(name, text if len(text) <= _LONG else text[:_LONG] + " ...") for name, text in _lines(found)]
    )
    if stored is not None:
        try:
            recipe = Recipe.from_dict(stored)
        except TableError as error:
            report.warn(str(error))
        else:
            _tell_recipe(report, recipe)
    report.end()


def _lines(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines to print. Parameters are those that differ from their defaults."""
    for name, value in found.items():
        if name == "parameters":
            changed = _changed(found["class"], value)
            yield "parameters", ", ".join(f"{one}={text!r}" for one, text in changed.items()) or "all at their defaults"
        elif name == "schema":
            columns = value or []
            words = [one for one in columns if one.get("categories") is not None]
            known = any("categories" in one for one in columns)  # not if only base estimators read the data
            yield "columns", f"{len(columns)}" + (f", {len(words)} of them categories" if known else "")
        elif name == "sources":
            yield from (("function", f"{one['name']} ({one['hash']})") for one in value)
        elif name == "classes":
            if value is not None:
                yield "classes", ", ".join(map(label, value))
        elif name != "is_fitted" and value is not None:
            yield name, f"{value:,}" if isinstance(value, int) else str(value)


def _changed(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if kind not in spinney.__all__:
        return dict(given)
    defaults = {one.name: one.default for one in signature(getattr(spinney, kind)).parameters.values()}
    return {name: value for name, value in given.items() if name not in defaults or plain(defaults[name]) != value}


def _tell_recipe(report: Report, recipe: Recipe) -> None:
    target = recipe.target.name if recipe.target else ""
    of = f"{recipe.task} of {target!r}, --model" if target else f"{recipe.task}, --method"
    report.title(f"Fitted by the command line: {of} {recipe.model}")
    report.table(["column", "type"], [(one.name, one.kind) for one in recipe.columns])
    if recipe.left_out:
        report.say("  left out: " + ", ".join(f"{name} ({why})" for name, why in recipe.left_out.items()))
    if recipe.score:
        scores = ", ".join(f"{name} {number(value)}" for name, value in recipe.score["scores"].items())
        report.say(f"  {recipe.score['how']}: {scores}")
    report.say(f"  {plural(len(recipe.missing), 'string')} read as missing: {', '.join(recipe.missing)}")
