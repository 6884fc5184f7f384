"""`spinney report`: an HTML report about a model and the table that it was fitted on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.evaluate import Truth, find_truth
from spinney.cli.files import check_place, load_for
from spinney.cli.report import Report, Working
from spinney.cli.terminal import written
from spinney.evaluate.judging import Judged, NotJudged
from spinney.tables.errors import TableError, usage
from spinney.tables.files import open_source
from spinney.tables.reading import check_columns, check_names, survey_one
from spinney.view.numbers import plural

SUFFIXES = (".html", ".htm")


def report(
    model: options.ModelFile,
    data: options.Data,
    out: Annotated[
        Path | None,
        options.option("--out", "-o", help="HTML file to write. By default the name of MODEL with the suffix .html."),
    ] = None,
    target: options.Truth = None,
    weights: options.Weights = None,
    groups: Annotated[
        str | None,
        options.option(
            "--groups",
            help="Column of groups. Rows of a group are held out together. By default the column used at fit.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        options.option(
            "--time", help="Column of dates or numbers: later rows are held out. By default the column used at fit."
        ),
    ] = None,
    cv: Annotated[
        int,
        typer.Option(
            "--cv",
            help="Number of cross-validation folds. 0 evaluates the fitted model, for rows that it has not seen.",
        ),
    ] = 5,
    title: Annotated[str | None, options.option("--title", help="Title of the report.")] = None,
    missing: options.MoreMissing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Write an HTML report about a model: scores, curves, importances, trees and single rows.

    DATA is the table that the model was fitted on; clones of the model are cross-validated on it. With --cv 0, DATA
    holds rows that the model has not seen. The report is one file that needs no network.

    Examples:

        spinney report titanic.spinney titanic.csv

        spinney report titanic.spinney held-out.csv --cv 0 --out held-out.html
    """
    if cv < 0 or cv == 1:
        raise usage(f"--cv must be 0 or a number of folds of at least 2, got {cv}.")
    path = page_path(out or Path(model).with_suffix(".html"), "--out")
    fitted, recipe = load_for(model, data, options.words(missing, ()), threads)
    source = open_source(data, options.dialect(separator, encoding, no_header, sheet))
    truth = find_truth(model, fitted, recipe, source, target, weights)
    check_names(source, {"--groups": [groups] if groups else [], "--time": [time] if time else []})
    together = groups or (None if time or recipe.groups not in source.columns else recipe.groups)
    ordered = time or (None if groups or recipe.times not in source.columns else recipe.times)
    options.check_order(together, ordered)
    clock = None if ordered is None else survey_one(source, ordered, recipe.missing)
    recipe, _, _ = check_columns(source, recipe)
    said = Report(as_json, quiet)
    with Working(not quiet) as work:
        work.say("reading the table")
        known = Truth(recipe, source, truth, weights, together, clock)
        tables, labels, heavy = zip(*known)
        X = recipe.rows(pl.concat(tables))
        work.say("writing the report")
        weight = None if heavy[0] is None else np.concatenate(heavy)
        kept = np.concatenate(known.groups) if together else None
        times = np.concatenate(known.times) if clock is not None else None
        rows: dict[str, Any] = {"weight": weight, "groups": kept, "times": times}
        rows |= {"target": truth.name, "source": source.name}
        write_page(fitted, X, np.concatenate(labels), path, **rows, cv=cv, title=title, seed=seed)
    said.note(file=source.name, rows=len(X), without_target=known.n_without, report=str(path))
    said.say(f"{path}: {plural(len(X), 'row')}; open it in a browser")
    said.end()


def page_path(path: Path, option: str) -> Path:
    """Return the path of the report, checked before any work is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise usage(f"{option} must be an HTML file, such as {path.with_suffix('.html')}, got {path}.")
    check_place(path, option)
    return path


def write_page(
    fitted: Any,
    X: Any,
    y: np.ndarray,
    path: Path,
    *,
    weight: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
    cv: int = 5,
    title: str | None = None,
    target: str | None = None,
    source: str | None = None,
    seed: int = 0,
    judged: Judged | NotJudged | None = None,
) -> None:
    """Write the report of a fitted model, with the scores of `fit` if it was evaluated."""
    from spinney.reporting.making import report as make

    source = source and Path(source).name  # reports are shared: without the folders of their author
    known = judged if isinstance(judged, Judged) and judged.truth is not None else None
    if isinstance(judged, NotJudged):
        cv = 0  # nothing is fitted for the page of `fit`
    rows: dict[str, Any] = {"sample_weight": weight, "groups": groups, "times": times, "cv": cv, "random_state": seed}
    try:
        page = make(fitted, X, y, **rows, title=title, target=target, source=source, judged=known)
    except (ValueError, TypeError, ImportError) as error:
        raise TableError(str(error)) from None
    page.save(path)
    written.append(str(path))
