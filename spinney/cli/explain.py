"""`spinney explain`: the contributions to the prediction for one row, and counterfactuals."""

from __future__ import annotations

from shlex import quote
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.files import classes_of, load_for
from spinney.cli.report import Report, answered, label, number
from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source, open_source
from spinney.tables.reading import batches, check_columns
from spinney.tables.recipe import Recipe
from spinney.view.numbers import plural

_MOST = 10  # columns that are shown


def explain(
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", min=1, help="Number of the row to explain. The first row is 1.")] = 1,
    counterfactual: Annotated[
        bool,
        typer.Option("--counterfactual", help="Also find the smallest change of the row that changes the prediction."),
    ] = False,
    target: Annotated[
        str | None,
        options.option(
            "--target",
            "-t",
            help="Prediction that the counterfactual should have: a class, or a range such as 10:20, 10: or :20.",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        options.option("--fixed", help="Columns that the counterfactual must not change, separated by commas."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Number of counterfactuals. They differ in what changes.")] = 1,
    time_limit: Annotated[
        float | None,
        options.option(
            "--time-limit", help="Time limit of the search in seconds. By default 10, or none with --max-nodes."
        ),
    ] = None,
    max_nodes: Annotated[
        int | None,
        options.option(
            "--max-nodes",
            min=1,
            help="Limit of the search in boxes. Unlike a time limit, it gives the same result on any machine.",
        ),
    ] = None,
    missing: options.MoreMissing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    as_json: options.Json = False,
) -> None:
    """Explain the prediction for one row: the contributions of its columns and, if requested, a counterfactual.

    Contributions are SHAP values: they and the base value add up to the raw score of the row.

    Examples:

        spinney explain titanic.spinney titanic.csv --row 17

        spinney explain titanic.spinney titanic.csv --row 17 --counterfactual --fixed sex,age
    """
    fitted, recipe = load_for(model, data, options.words(missing, ()), None)
    source = open_source(data, options.dialect(separator, encoding, no_header, sheet))
    recipe, _, _ = check_columns(source, recipe)
    if (target is not None or fixed) and not counterfactual:
        raise usage("--target and --fixed are supported only with --counterfactual.")
    wanted = _target(fitted, target) if counterfactual else None
    X = _find_row(source, recipe, row)
    report = Report(as_json)
    values = dict(zip(recipe.features, X.row(0)))
    answer = _tell_answer(report, fitted, recipe, X, row)
    _tell_contributions(report, fitted, recipe, X, values, answer)
    if counterfactual:
        limits = {"n": n, "time_limit": time_limit, "max_nodes": max_nodes}
        _tell_counterfactuals(report, fitted, recipe, X, wanted, options.names(fixed), limits)
    report.end()


def _find_row(source: Source, recipe: Recipe, row: int) -> pl.DataFrame:
    """Return one row of the table. Rows before it are read and dropped."""
    before = 0
    for table, _ in batches(source, recipe, {}):
        if row <= before + len(table):
            return table[row - before - 1 : row - before]
        before += len(table)
    raise TableError(f"--row {row}: {source.name} has {plural(before, 'row')}.")


def _tell_answer(report: Report, fitted: Any, recipe: Recipe, X: pl.DataFrame, row: int) -> Any:
    answer = fitted.predict(recipe.rows(X))[0]
    name = recipe.target.name if recipe.target is not None and recipe.target.name else "prediction"
    report.note(row=row, prediction=answer)
    words = f"Row {row}: {name} {answered(answer)}"
    if hasattr(fitted, "predict_proba"):
        shares = fitted.predict_proba(recipe.rows(X))[0]
        report.note(probabilities=dict(zip(map(label, classes_of(fitted)), shares.tolist())))
        words += f" (probability {shares.max():.1%})"
    report.say(words, "bold")
    return answer


def _tell_contributions(
    report: Report, fitted: Any, recipe: Recipe, X: pl.DataFrame, values: dict[str, Any], answer: Any
) -> None:
    found = _contributions(report, fitted, recipe, X, answer)
    if found is None:
        return
    base, shares, of = found
    order = np.argsort(-np.abs(shares), kind="stable")
    report.note(
        contributions={recipe.features[j]: float(shares[j]) for j in order.tolist()},
        base=base,
        contributions_are="SHAP values",
    )
    report.title(f"Contributions of the columns to the score{of} (SHAP values); base value {number(base)}")
    names = [recipe.features[j] for j in order[:_MOST].tolist() if shares[j] != 0.0]
    dates = {column.name for column in recipe.columns if column.kind == "date"}
    rows = [(name, _cell(values[name], name in dates), f"{shares[recipe.features.index(name)]:+.3g}") for name in names]
    if rows:
        report.table(["column", "value", "contribution"], rows, "llr")
    n_more, n_none = int((shares != 0.0).sum()) - len(names), int((shares == 0.0).sum())
    if n_more:
        report.say(f"  and {plural(n_more, 'column')} with smaller contributions", "dim")
    if n_none:
        report.say(f"  and {plural(n_none, 'column')} without a contribution", "dim")


def _cell(value: Any, is_date: bool = False) -> str:
    if value is None:
        return "missing"
    if is_date:
        return str(np.datetime64(int(value), "D"))
    return f"{value:g}" if isinstance(value, float) else label(value)


def _contributions(
    report: Report, fitted: Any, recipe: Recipe, X: pl.DataFrame, answer: Any
) -> tuple[float, np.ndarray, str] | None:
    """Return (base value, SHAP values of the columns, class): the predicted class, or the second of two."""
    from spinney.explain.shapley.shap_values import shap

    try:
        found = shap(fitted, recipe.rows(X))
    except (TypeError, ValueError) as error:  # a model that is not a sum of trees
        report.warn(str(error))
        return None
    values, base = np.asarray(found.values)[0], np.ravel(np.asarray(found.base_values, np.float64))
    values = values.reshape(len(recipe.features), -1)
    classes = getattr(fitted, "classes_", None)
    one = classes is not None and values.shape[1] == 1 and len(classes) == 2
    of = "" if classes is None else f" of {label(classes[1] if one else answer)}"
    return *_pick(base, values, _place(fitted, answer)), of


def _place(fitted: Any, answer: Any) -> int:
    classes = getattr(fitted, "classes_", None)
    return 0 if classes is None else int(np.flatnonzero(np.asarray(classes) == answer)[0])


def _pick(base: np.ndarray, values: np.ndarray, place: int) -> tuple[float, np.ndarray]:
    """Return the score of the prediction. A single score for two classes is that of the second."""
    k = place if values.shape[1] > 1 else 0
    return float(base[min(k, len(base) - 1)]), values[:, k]


def _tell_counterfactuals(
    report: Report,
    fitted: Any,
    recipe: Recipe,
    X: pl.DataFrame,
    wanted: Any,
    fixed: list[str],
    limits: dict[str, Any],
) -> None:
    from spinney.explain.counterfactuals.counterfactual import counterfactual as search

    if recipe.by_place:
        unknown = [one for one in fixed if one not in recipe.features]
        held: list[Any] = [one if one in unknown else recipe.features.index(one) for one in fixed]
    else:
        parts = {column.name: column.features for column in recipe.columns}
        held = [part for one in fixed for part in parts.get(one, [one])]
    found = search(fitted, list(X.row(0)), target=wanted, fixed=held, **limits)
    report.note(
        counterfactuals=[
            {
                "prediction": one.prediction,
                "cost": one.cost,
                "bound": one.bound,
                "optimal": one.optimal,
                "changes": [
                    {"column": _name(recipe, c.column), "before": c.before, "after": c.after} for c in one.changes
                ],
            }
            for one in found
        ]
    )
    goal = str(found.target)
    report.title(f"What would make it {goal.lower() if goal in ('True', 'False') else goal}")
    limit = f"no{' other' if len(found) else 'ne'} was found within the limit; raise --time-limit or --max-nodes"
    if not len(found):
        report.say(f"  {'no allowed change of the row does' if found.optimal else limit}")
    for one in found:
        report.verbatim("\n".join(f"  {line}" for line in _lines(one)))
    if 0 < len(found) < limits["n"]:
        report.say(f"  {'no other one exists' if found.optimal else limit}")
    changed = {_name(recipe, change.column) for one in found for change in one.changes}
    for column in recipe.columns:
        if column.kind == "date" and changed & set(column.features):
            report.warn(
                f"the parts of the date {column.name!r} change one by one; --fixed {quote(column.name)} keeps it"
            )


def _lines(found: Any) -> list[str]:
    """Describe a counterfactual. Its cost is the sum of its changes, each in units of the spread of its column."""
    proved = "the least possible" if found.optimal else f"no less than {found.bound:.4g} is possible"
    known = proved if found.optimal or found.bound > 0.0 else "a lower cost may be possible; raise --time-limit"
    head = f"{answered(found.prediction)}, at a cost of {found.cost:.4g} ({known})"
    if not found.changes:
        return [f"{head}: nothing has to change"]
    return [f"{head}, by", *(f"  {one.words}" for one in found.changes)]


def _name(recipe: Recipe, column: Any) -> str:
    return recipe.features[column] if isinstance(column, int) else str(column)


def _target(fitted: Any, given: str | None) -> Any:
    """A class by its label, or a range of numbers."""
    classes = getattr(fitted, "classes_", None)
    if classes is not None:
        if given is None:
            return None
        known = {label(one): one for one in np.asarray(classes).tolist()}
        if given not in known:
            raise usage(f"--target must be one of {', '.join(map(repr, known))}, got {given!r}.")
        return known[given]
    if given is None:
        raise usage("--counterfactual needs --target for regression: a range such as 10:20, 10: or :20.")
    if ":" not in given:
        raise usage(f"--target must be a range such as 10:20, 10: or :20, got {given!r}.")
    try:
        low, high = (float(one) if one.strip() else None for one in given.split(":"))
    except ValueError:
        raise usage(f"--target must be a range such as 10:20, 10: or :20, got {given!r}.") from None
    return low, high
