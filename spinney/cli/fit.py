"""`spinney fit`: fit a model that predicts a column of a table, and print every decision on the way.

The steps: open, survey, decide (types, task, columns left out), read, evaluate on held-out rows, fit on all rows, save,
report.
"""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.files import SUFFIX, check_place, save_model, what_is_there
from spinney.cli.models import MODELS, alike, check_id3, guess_task, make_model, read_parameters
from spinney.cli.report import (
    EXACT,
    Report,
    Working,
    label,
    quoted,
    shares,
    tell_columns,
    tell_importances,
    tell_leaderboard,
    tell_scores,
)
from spinney.cli.report_page import page_path, write_page
from spinney.evaluate.judging import Judged, NotJudged, hints_of_fit, judge, plan
from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source, is_pattern, open_source
from spinney.tables.kinds import Column
from spinney.tables.reading import (
    OTHER,
    TARGET,
    Survey,
    check_names,
    find_infinite,
    is_large,
    labels_of,
    read_table,
    read_types,
    stream_table,
    survey,
    times_of,
    weights_of,
)
from spinney.tables.recipe import Copies, Recipe, Sketch, find_copies, hash_rows
from spinney.view.numbers import plural

TASKS = ("classification", "regression")
_PATTERN = re.compile(r"[*?[]")
_LONG = 10.0  # remaining seconds from which a message is printed
_TIMES = {"fitting": "fitting", "judging": "evaluation", "in all": "total"}  # key with --json -> what is printed
_SHOWN = {"tree": "--rules", "c45": "--rules", "id3": "--rules", "stack": ""}  # what `spinney show` prints of a model


@dataclass(frozen=True)
class Wishes:
    """The options that the user gave."""

    target: str
    model: str
    task: str | None
    cv: int | None
    parameters: dict[str, Any]
    types: dict[str, str]
    drop: list[str]
    missing: tuple[str, ...]
    weights: str | None
    groups: str | None
    times: str | None
    seed: int
    threads: int | None
    budget: float | None
    quality: int | None
    page: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Learning:
    """A table that a model can be fitted on."""

    X: Any  # a frame, or a table opened from files
    y: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    times: np.ndarray | None

    def in_order(self, times: np.ndarray) -> Learning:
        """The rows in the order of some times."""
        order = np.argsort(times, kind="stable")
        rest = (None if one is None else one[order] for one in (self.weights, self.groups, self.times))
        return Learning(self.X[order], self.y[order], *rest)


_Target = Annotated[str, options.option("--target", "-t", help="Column to predict.")]
_Model = Annotated[str, typer.Option("--model", "-m", help=f"Type of model: one of {', '.join(MODELS)}.")]
_Task = Annotated[
    str | None, options.option("--task", help="classification or regression. By default, detected from the target.")
]
_Folds = Annotated[
    int | None,
    options.option(
        "--cv",
        help="Number of cross-validation folds. 1 holds out 20 % of the rows; 0 skips the evaluation. By default 5 for "
        "tables of at most 250,000 cells, 1 for larger ones and for the models auto and stack.",
    ),
]
_Out = Annotated[
    Path | None,
    options.option("--out", "-o", help=f"Model file to write. By default the name of DATA with the suffix {SUFFIX}."),
]
_Parameters = Annotated[
    list[str] | None,
    options.option("--param", "-p", help="Parameter of the estimator, such as max_depth=5. May be repeated."),
]
_Groups = Annotated[
    str | None,
    options.option(
        "--groups", help="Column of groups, such as days or patients. Rows of a group are held out together."
    ),
]
_Times = Annotated[
    str | None,
    options.option(
        "--time", help="Column of dates or numbers by which rows are ordered in time. Later rows are held out."
    ),
]
_Budget = Annotated[
    float | None,
    options.option("--time-budget", help="Time limit for all fits together, in seconds (boosting and auto)."),
]
_Quality = Annotated[
    int | None,
    options.option(
        "--quality",
        min=1,
        max=5,
        help=r"Boosting: from 1, the fastest fit, to 5, the most accurate model.  \[default: 3]",
    ),
]


def fit(
    data: options.Data,
    target: _Target,
    model: _Model = "boosting",
    task: _Task = None,
    cv: _Folds = None,
    out: _Out = None,
    param: _Parameters = None,
    types: options.Types = None,
    drop: options.Drop = None,
    weights: options.Weights = None,
    groups: _Groups = None,
    time: _Times = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    time_budget: _Budget = None,
    quality: _Quality = None,
    page: options.Page = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model that predicts a column of a table, evaluate it, and save it.

    Column types and the task are detected and printed. Columns that number or identify the rows are left out.

    Examples:

        spinney fit titanic.csv --target survived

        spinney fit houses.parquet -t price --model forest --param n_estimators=300 --drop id

        zcat sales.csv.gz | spinney fit - -t amount --types shop=category --out sales.spinney
    """
    if model not in MODELS:
        raise usage(f"--model must be one of {', '.join(MODELS)}, got {model!r}.")
    if task is not None and task not in TASKS:
        raise usage(f"--task must be classification or regression, got {task!r}.")
    if cv is not None and cv < 0:
        raise usage(f"--cv must be 0 or more, got {cv}.")
    if time_budget is not None and time_budget <= 0:
        raise usage(f"--time-budget must be a positive number of seconds, got {time_budget:g}.")
    options.check_order(groups, time)
    wishes = Wishes(
        target, model, task, cv, read_parameters(param or []), read_types(types or []), options.names(drop),
        options.words(missing), weights, groups, time, seed, threads, time_budget, quality,
        None if page is None else page_path(page, "--report"), quiet or as_json,
    )  # fmt: skip
    report = Report(as_json, quiet)
    path = out or _default_path(data)
    check_place(path)
    what_is_there(path)
    with Working(not quiet) as work:
        run(open_source(data, options.dialect(separator, encoding, no_header, sheet)), wishes, path, report, work)
    report.end()


def _default_path(data: str) -> Path:
    if data == "-":
        return Path(f"model{SUFFIX}")
    name = Path(data).name
    if is_pattern(data):  # sales-*.csv: sales; parts/*.csv: parts
        name = _PATTERN.split(name)[0].rstrip("-_ ") or Path(data).parent.name
        name = "model" if _PATTERN.search(name) else name or "model"
    return Path(name.partition(".")[0] + SUFFIX)


def run(source: Source, wishes: Wishes, path: Path, report: Report, work: Working) -> None:
    """Run all steps."""
    begun = time.perf_counter()
    work.say("scanning the table")
    found = look(source, wishes)
    target = found.find(wishes.target)
    if target.out == "lists or records, not values":
        raise TableError(f"--target: column {target.name!r} holds {target.out}.")
    if target.kind == "date" and wishes.task != "classification":
        raise TableError(
            f"the target {target.name!r} holds dates, which cannot be predicted. Use a numeric column, such as days "
            "since a fixed date, or --task classification if there are few different dates."
        )
    if target.distinct == 1:
        raise TableError(
            f"the target {target.name!r} holds the same value, {target.example}, in all rows of {source.name}: "
            "there is nothing to learn."
        )
    work.say("reading the table")
    columns = _to_learn_from(source, found, wishes)
    table, columns, target = read(source, columns, target, wishes, found)
    clock = None if wishes.times or wishes.groups else _clock(columns, table.X)
    task, why = guess_task(target, table.y, wishes.task)
    if wishes.model == "id3":
        check_id3(columns)
    model = make_model(
        wishes.model, task, wishes.parameters, wishes.seed, wishes.threads, wishes.budget, wishes.quality
    )
    recipe = Recipe(
        task,
        tuple(columns),
        target,
        wishes.missing,
        {one.name: one.out for one in found.columns if one.out} | dict.fromkeys(wishes.drop, "--drop"),
        wishes.weights,
        wishes.groups,
        wishes.times,
        wishes.model,
    )
    hashes = hash_rows(table.X, table.y) if isinstance(table.X, pl.DataFrame) else None
    copies = None if hashes is None else find_copies(table.X, hashes)
    work.pause()
    tell_columns(report, source, found, columns, target, wishes, len(table.y))
    _tell_task(report, model, wishes, target, task, why, table.y)
    _tell_copies(report, copies, len(table.y), wishes)
    if replaced := what_is_there(path):
        report.note(replaces=replaced)
        report.say(f"  replaces {path}: {replaced}", "yellow")
    ordered = table
    if clock is not None and copies is None:  # so that a fit can compare rows close in time; it changes nothing else
        ordered = table.in_order(table.X[clock.features[0]].to_numpy())
    judged, seconds = _learn(model, ordered, task, wishes, copies, report, work)
    sketch = None if hashes is None else Sketch.of(hashes)
    recipe = replace(recipe, score=judged.to_dict() if isinstance(judged, Judged) else {}, sketch=sketch)
    save_model(model, path, recipe)
    if wishes.page is not None:
        work.say("writing the report")
        rows: dict[str, Any] = {
            "weight": table.weights,
            "groups": table.groups,
            "times": table.times,
            "target": wishes.target,
            "source": source.name,
            "seed": wishes.seed,
            "judged": judged,
        }
        write_page(model, table.X, table.y, wishes.page, **rows)
        report.note(report=str(wishes.page))
    work.pause()
    seconds["in all"] = time.perf_counter() - begun
    if clock is not None:
        report.say(
            f"  {clock.name!r} holds dates. If new rows come later than these, --time {shlex.quote(clock.name)} "
            "evaluates the model on later rows."
        )
    _tell_result(report, model, recipe, judged, path, seconds, source)
    if wishes.page is not None:
        report.say(f"  report: {wishes.page}")


def look(source: Source, wishes: Wishes) -> Survey:
    """Check the column names in the options, and scan all columns except the dropped ones."""
    asked: dict[str, list[str]] = {"--target": [wishes.target], "--drop": wishes.drop, "--types": list(wishes.types)}
    asked |= {
        "--weights": [wishes.weights] if wishes.weights else [],
        "--groups": [wishes.groups] if wishes.groups else [],
        "--time": [wishes.times] if wishes.times else [],
    }
    check_names(source, asked)
    if wishes.target in wishes.drop:
        raise usage(f"--drop: {wishes.target!r} is the target.")
    for option, name in (("--weights", wishes.weights), ("--groups", wishes.groups), ("--time", wishes.times)):
        if name == wishes.target:
            raise usage(f"{option}: {name!r} is the target.")
    return survey(source, wishes.missing, wishes.types, [name for name in wishes.drop if name != wishes.times])


def _to_learn_from(source: Source, found: Survey, wishes: Wishes) -> list[Column]:
    apart = {wishes.target, wishes.weights, wishes.groups, *wishes.drop}
    columns = [column for column in found.columns if column.name not in apart and not column.out]
    if not columns:
        left = [f"{column.name!r} ({column.out})" for column in found.columns if column.out]
        raise TableError(
            f"{source.name} has no column besides the target to fit on"
            + (f"; left out: {', '.join(left)}; --types keeps a column." if left else ".")
        )
    return columns


def read(
    source: Source, columns: list[Column], target: Column, wishes: Wishes, found: Survey
) -> tuple[Learning, list[Column], Column]:
    """Read the rows that have a target; also return the columns, with what is known about them now."""
    if wishes.task == "classification" and target.kind == "date":
        target = replace(target, kind="category")
    also = [name for name in (wishes.weights, wishes.groups, wishes.times) if name]
    given = [column for column in (*columns, target) if column.name in wishes.types]
    streams = MODELS[wishes.model].by_codes and wishes.parameters.get("max_bins", True) and is_large(source)
    X: Any = None
    if streams:
        X, frame = stream_table(source, columns, wishes.missing, target, also, given)
    else:
        frame = read_table(source, columns, wishes.missing, target, also, given)
    if not len(frame):
        raise TableError(f"the target {target.name!r} is missing in all {found.n_rows:,} rows of {source.name}.")
    y = labels_of(frame[TARGET], target.kind)
    if y.dtype.kind == "f" and not bool(np.isfinite(y).all()):
        raise find_infinite(source, target, wishes.missing)
    weights = weights_of(source, frame[OTHER + wishes.weights], wishes.weights) if wishes.weights else None
    groups = frame[OTHER + wishes.groups].cast(pl.String).fill_null("").to_numpy() if wishes.groups else None
    times = times_of(source, found.find(wishes.times), frame[OTHER + wishes.times]) if wishes.times else None
    if not streams:
        X = frame.select(name for column in columns for name in column.features)
        columns = [_counted(column, X) for column in columns]
    return (
        Learning(X, y, weights, groups, times),
        columns,
        replace(target, distinct=len(np.unique(y)), approximate=False, missing=found.n_rows - len(y)),
    )


def _clock(columns: list[Column], X: Any) -> Column | None:
    """The first column of dates without missing values, by which the rows can be ordered; None if there is none."""
    dates = [column for column in columns if column.kind == "date"] if isinstance(X, pl.DataFrame) else []
    return next((column for column in dates if not X[column.features[0]].null_count()), None)


def _counted(column: Column, X: pl.DataFrame) -> Column:
    """Return the column with its distinct values counted exactly, if they are few."""
    if column.kind == "date" or (column.kind == "number" and column.approximate and column.distinct > EXACT):
        return column
    values = X[column.name].drop_nulls()
    distinct = (values.drop_nans() if values.dtype.is_float() else values).n_unique()
    return replace(column, distinct=distinct, approximate=False)


def _tell_copies(report: Report, copies: Copies | None, n_rows: int, wishes: Wishes) -> None:
    if copies is None:
        return
    report.note(copies=copies.n)
    are = "is an exact duplicate" if copies.n == 1 else "are exact duplicates"
    what = f"{plural(copies.n, 'row')} of {n_rows:,} {are} of another row"
    kept = (
        ""
        if wishes.groups or wishes.times or wishes.cv == 0
        else "; duplicates are held out together, since the scores would be optimistic otherwise"
    )
    report.warn(what + kept)


def _tell_time_left(seconds: float, n_fits: int, wishes: Wishes) -> None:
    """Print how long the fits after the first will take, if that is long; they compile nothing."""
    from spinney._compile import say, seconds_spent  # here, since it imports the compiler

    compiling = min(seconds, seconds_spent())
    to_go = (seconds - compiling) * (n_fits - 1)
    if to_go >= _LONG and not wishes.quiet:
        part = f", {compiling:.0f} s of them for compiling" if compiling >= 1.0 else ""
        say(f"the first of {n_fits} fits took {seconds:.0f} s{part}: about {to_go:.0f} s left")


def _learn(
    model: Any, table: Learning, task: str, wishes: Wishes, copies: Copies | None, report: Report, work: Working
) -> tuple[Judged | NotJudged, dict[str, float]]:
    """Evaluate the model and fit it on all rows; also return the seconds of both."""
    n_folds = plan(table.X.shape[0], table.X.shape[1], wishes.cv, MODELS[wishes.model].slow)
    n_fits = max(n_folds, 0) + 1
    if wishes.budget is not None:
        model.set_params(time_budget=wishes.budget / n_fits)
    each = "" if wishes.budget is None else f"; {wishes.budget / n_fits:.3g} s each"
    begun = time.perf_counter()

    def tick(done: int, of: int) -> None:
        if done == 0:
            work.pause()
            report.say(f"  {n_fits} fits: {of} to evaluate the model on held-out rows, 1 on all rows{each}")
            work.say("evaluating on held-out rows")
        work.step(done, of)
        if done == 1:
            _tell_time_left(time.perf_counter() - begun, n_fits, wishes)

    judged = judge(
        model,
        table.X,
        table.y,
        task,
        n_folds,
        weights=table.weights,
        groups=table.groups,
        times=table.times,
        copies=None if copies is None else copies.of,
        seed=wishes.seed,
        tick=tick,
    )
    judging = time.perf_counter() - begun
    work.say("fitting on all rows")
    watched = "callbacks" in model.get_params() and model.get_params()["callbacks"] is None
    if watched:
        model.set_params(callbacks=work.rounds("fitting on all rows"))
    begun = time.perf_counter()
    weights = {} if table.weights is None else {"sample_weight": table.weights}
    model.fit(table.X, table.y, **weights, **hints_of_fit(model, table.groups, table.times))
    if watched:
        model.set_params(callbacks=None)
    if wishes.budget is not None:
        model.set_params(time_budget=wishes.budget)
    return judged, {"fitting": time.perf_counter() - begun, "judging": judging}


def _tell_task(report: Report, model: Any, wishes: Wishes, target: Column, task: str, why: str, y: np.ndarray) -> None:
    report.note(
        target=target.name,
        task=task,
        why=why,
        model=wishes.model,
        estimator=type(model).__name__,
        parameters=wishes.parameters,
    )
    report.title(f"Task: {task} of {target.name!r}, {why}")
    if task == "classification":
        classes, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        report.note(classes={label(one): int(n) for one, n in zip(classes.tolist(), counts)})
        percents = shares(counts.tolist())
        shown = ", ".join(f"{label(classes[k])} {percents[k]}" for k in order[:6])
        report.say(
            f"  {plural(len(classes), 'class', 'classes')}: {shown}"
            + (f" and {len(classes) - 6} more" if len(classes) > 6 else "")
        )
        for same in alike(classes):
            report.warn(f"classes that differ in upper and lower case only: {quoted(same)}")
    else:
        report.note(range=[float(y.min()), float(y.max())])
        report.say(f"  from {y.min():g} to {y.max():g}, mean {y.mean():.6g}")
    about = MODELS[wishes.model].about
    chosen = ", ".join(f"{name}={value}" for name, value in wishes.parameters.items())
    report.say(f"  model: {about}" + (f" ({chosen})" if chosen else ""))


def _tell_result(
    report: Report,
    model: Any,
    recipe: Recipe,
    judged: Judged | NotJudged,
    path: Path,
    seconds: dict[str, float],
    source: Source,
) -> None:
    tell_scores(report, judged)
    tell_importances(report, model, recipe, judged)
    tell_leaderboard(report, model)
    report.note(
        out=str(path),
        seconds=round(seconds["fitting"], 3),
        seconds_of={name: round(value, 3) for name, value in seconds.items()},
        fingerprint=getattr(model, "fingerprint_", None),
    )
    times = ", ".join(f"{_TIMES[name]} {value:.1f} s" for name, value in seconds.items())
    report.title(f"Saved to {path} ({times})")
    data = source.name if source.name != "standard input" else "DATA"
    new = "NEW-DATA" if is_pattern(data) else f"NEW-{Path(data).name}"
    quoted_path = shlex.quote(str(path))
    report.say("  next:", "dim")
    report.say(f"    spinney predict {quoted_path} {shlex.quote(new)}", "dim")
    report.say(f"    spinney show {quoted_path} {_SHOWN.get(recipe.model, '--tree 0')}".rstrip(), "dim")
    if recipe.model == "boosting":
        target = "" if recipe.target is None else shlex.quote(recipe.target.name)
        apart = "" if recipe.groups is None else f" --groups {shlex.quote(recipe.groups)}"
        apart += "" if recipe.times is None else f" --time {shlex.quote(recipe.times)}"
        other = shlex.quote(f"{path.stem}-auto{SUFFIX}")
        report.say(f"    spinney fit {shlex.quote(data)} --target {target}{apart} --model auto --out {other}", "dim")
