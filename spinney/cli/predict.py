"""`spinney predict`: predictions for a table, batch by batch, so that memory does not grow with the table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.files import TableWriter, classes_of, load_for
from spinney.cli.report import Report, Working, label, quoted
from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source, open_source
from spinney.tables.reading import batches, check_columns, check_names, free_name
from spinney.tables.recipe import Recipe
from spinney.view.numbers import plural

PREDICTION = "prediction"
_CALIBRATED = " Models of --model boosting and auto have one, and of --model forest with --param oob_score=true."


def predict(
    model: options.ModelFile,
    data: options.Data,
    proba: Annotated[bool, typer.Option("--proba", help="Also write the probability of every class.")] = False,
    interval: Annotated[
        float | None,
        options.option(
            "--interval",
            help="Also write an interval, or the set of classes, that holds the truth with this probability, such as "
            "0.9.",
            min=0.0,
            max=1.0,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        options.option("--keep", help="Columns of DATA to copy to the output, separated by commas; 'all' copies all."),
    ] = None,
    out: Annotated[
        Path | None,
        options.option(
            "--out",
            "-o",
            help="Output file: .csv, .tsv, .jsonl (also .gz), .parquet or .arrow. By default CSV on standard output.",
        ),
    ] = None,
    missing: options.MoreMissing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Predict the target for the rows of another table.

    Columns are matched by name, in any order. A missing column is an error; further columns are ignored. Categories
    that were not in the training data are treated as missing. Notes about both go to standard error.

    Examples:

        spinney predict titanic.spinney new.csv --proba --keep name --out predicted.csv

        spinney predict prices.spinney new.csv --interval 0.9

        cat new.csv | spinney predict titanic.spinney - > predicted.csv
    """
    if as_json and out is None:
        raise usage("--json needs --out, since predictions would go to standard output, too.")
    fitted, recipe = load_for(model, data, options.words(missing, ()), threads)
    if proba and not hasattr(fitted, "predict_proba"):
        raise usage(f"--proba: {type(fitted).__name__} predicts no probabilities.")
    source = open_source(data, options.dialect(separator, encoding, no_header, sheet))
    recipe, extra, notes = check_columns(source, recipe)
    kept = list(source.columns) if options.names(keep) == ["all"] else options.names(keep)
    check_names(source, {"--keep": kept})
    report = Report(as_json, quiet, stderr=True)
    watch = Unknown(fitted, recipe, notes)
    n_rows = 0
    with Working(not quiet and out is not None) as work, TableWriter(out) as writer:
        work.say("predicting")
        for table, also in batches(source, recipe, {name: pl.col(name) for name in kept}):
            watch.look(table)
            answers = _columns(_answer(fitted, recipe, table, proba, interval), also.columns)
            writer.write(pl.DataFrame([*also.get_columns(), *answers]))
            n_rows += len(table)
            work.step(n_rows, None)
    if n_rows == 0:
        raise TableError(f"{source.name} has a header but no rows.")
    _tell(report, source, watch, extra, kept, n_rows, out)


def _answer(fitted: Any, recipe: Recipe, table: pl.DataFrame, proba: bool, interval: float | None) -> dict[str, Any]:
    """Return the predictions of a batch as columns."""
    X = recipe.rows(table)
    more = {} if interval is None else _interval(fitted, X, interval)
    if not proba:
        return {PREDICTION: fitted.predict(X)} | more
    shares = fitted.predict_proba(X)
    return (
        {PREDICTION: np.asarray(classes_of(fitted))[shares.argmax(axis=1)]}
        | more
        | {f"probability_{label(one)}": shares[:, k] for k, one in enumerate(classes_of(fitted))}
    )


def _interval(fitted: Any, X: Any, level: float) -> dict[str, Any]:
    """Return the interval of each row, or the classes of its set, separated by vertical bars."""
    try:
        if hasattr(fitted, "predict_interval"):
            low, high = fitted.predict_interval(X, level).T
            return {"low": low, "high": high}
        if hasattr(fitted, "predict_set"):
            names = np.array([str(label(one)) for one in fitted.classes_.tolist()], dtype=object)
            return {"set": np.array(["|".join(names[row]) for row in fitted.predict_set(X, level)], dtype=object)}
    except ValueError as error:
        raise usage(f"--interval: {error}{_CALIBRATED if 'no calibration' in str(error) else ''}") from None
    raise usage(f"--interval: {type(fitted).__name__} has no intervals or sets of classes.")


def _columns(answers: dict[str, Any], taken: Sequence[str]) -> list[pl.Series]:
    """Return polars columns. A name that the table already has gets a number."""
    found = []
    for name, values in answers.items():
        values = np.asarray(values)
        found.append(pl.Series(free_name(name, taken), values.tolist() if values.dtype.kind in "OUT" else values))
    return found


class Unknown:
    """Categories that were not in the training data, counted batch by batch, and columns without values.

    `notes` are printed before those about them.
    """

    def __init__(self, fitted: Any, recipe: Recipe, notes: Sequence[str] = ()) -> None:
        schema = getattr(fitted, "schema_", None)
        categories = [None] * len(recipe.features) if schema is None else [one.categories for one in schema.columns]
        if len(categories) != len(recipe.features):
            categories = [None] * len(recipe.features)
        self._known = {
            name: pl.Series(known, dtype=pl.String)
            for name, known in zip(recipe.features, categories)
            if known and isinstance(known[0], str)
        }
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, tuple[str, int]] = {}
        self._rows, self._notes = 0, notes
        self._empty = [column.name for column in recipe.columns]

    def look(self, table: pl.DataFrame) -> None:
        """Count the new categories of a batch."""
        self._empty = [name for name in self._empty if table[name].null_count() == len(table)]
        for name, known in self._known.items():
            cells = table[name].cast(pl.String)
            new = ~cells.is_in(known.implode()) & cells.is_not_null()
            if n := int(new.sum()):
                self.counts[name] += n
                place = int(new.arg_max() or 0)
                self.examples.setdefault(name, (cells[place], self._rows + place + 1))
        self._rows += len(table)

    def sentences(self) -> Iterator[str]:
        """Yield the notes to print."""
        yield from self._notes
        if len(self._empty) == 1 and self._rows:
            yield f"column {self._empty[0]!r} has no value in this table: all its cells are treated as missing"
        elif self._empty and self._rows:
            yield f"columns {quoted(self._empty)} have no value in this table: all their cells are treated as missing"
        for name, n in self.counts.items():
            word, row = self.examples[name]
            yield (
                f"{plural(n, 'value')} of {name!r} {'was' if n == 1 else 'were'} not in the training data and "
                f"{'is' if n == 1 else 'are'} treated as missing, such as {word!r} in row {row}"
            )


def _tell(
    report: Report,
    source: Source,
    watch: Unknown,
    extra: list[str],
    kept: list[str],
    n_rows: int,
    out: Path | None,
) -> None:
    for sentence in (*source.notes, *watch.sentences()):
        report.warn(sentence)
    if n_blank := source.n_blank(n_rows):
        report.warn(f"{plural(n_blank, 'line')} without any value skipped, without predictions")
    ignored = [name for name in extra if name not in kept]
    if ignored:
        report.warn(f"ignored columns that were not in the training data: {quoted(ignored)}")
    report.note(
        file=source.name,
        rows=n_rows,
        ignored=ignored,
        unknown_categories=dict(watch.counts),
        out=None if out is None else str(out),
    )
    if out is not None:
        report.say(f"{plural(n_rows, 'prediction')} in {out}")
    if report.as_json:
        report.end()
    sys.stdout.flush()
