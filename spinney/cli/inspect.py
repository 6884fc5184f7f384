"""`spinney inspect`: what is in a model file, without building the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney.cli import options
from spinney.cli.model_files import describe_file
from spinney.cli.recipe import KEY
from spinney.cli.report import Report, number, plain, plural

_LONG = 100


def inspect(model: options.ModelFile, as_json: options.Json = False) -> None:
    """Say what is in a model file: the estimator, its parameters, the columns, the target, the size.

    Examples:

        spinney inspect titanic.spinney

        spinney inspect titanic.spinney --json
    """
    found = plain(describe_file(model))
    report = Report(as_json)
    report.note(**found)
    report.say(f"{model}", "bold")
    recipe = (found.pop("metadata", None) or {}).get(KEY)
    report.table(["", ""], [(name.replace("_", " "), text) for name, text in _lines(found)])
    if recipe:
        _tell_recipe(report, recipe)
    report.end()


def _lines(found: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    lines = []
    for name, value in found.items():
        if isinstance(value, Mapping) and value and not before:
            lines += _lines(value, f"{name}.")
        else:
            text = str(value)
            lines.append((f"{before}{name}", text if len(text) <= _LONG else text[:_LONG] + " ..."))
    return lines


def _tell_recipe(report: Report, recipe: Mapping[str, Any]) -> None:
    target = (recipe["target"] or {}).get("name", "")
    report.title(f"Fitted by the command line: {recipe['task']} of {target!r}, --model {recipe['model']}")
    report.table(["column", "type"], [(one["name"], one["kind"]) for one in recipe["columns"]])
    if recipe["left_out"]:
        report.say("  left out: " + ", ".join(f"{name} ({why})" for name, why in recipe["left_out"].items()))
    if recipe["score"]:
        scores = ", ".join(f"{name} {number(value)}" for name, value in recipe["score"]["scores"].items())
        report.say(f"  {recipe['score']['how']}: {scores}")
    report.say(f"  {plural(len(recipe['missing']), 'word')} for missing values: {', '.join(recipe['missing'])}")
