"""`spinney datasets`: the bundled datasets, listed or written to a file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.files import TableWriter
from spinney.cli.report import Report
from spinney.datasets.bundled import FLIGHT_COLUMNS, WEEK
from spinney.datasets.lectures import HEART, RESTAURANT, TEN_POINTS, TENNIS
from spinney.tables.errors import suggestion, usage
from spinney.view.numbers import plural


class Bundled(NamedTuple):
    """One of the tables."""

    rows: int
    columns: int
    target: str
    about: str
    groups: str | None = None


TABLES = {
    "flights": Bundled(
        20_000, 18, "late", "will the flight leave late? New York, 2013; numbers, text, missing values", "date"
    ),
    "heart": Bundled(8, 3, "HeartDisease", "a heart disease? one round of AdaBoost by hand; numbers and text"),
    "penguins": Bundled(344, 7, "species", "which species is it? numbers, text, missing values"),
    "restaurant": Bundled(12, 10, "Wait", "wait for a table? Russell and Norvig's example; text"),
    "ten-points": Bundled(10, 2, "label", "which class? AdaBoost in three rounds; numbers"),
    "tennis": Bundled(14, 4, "PlayTennis", "play tennis today? Quinlan's example for ID3; text"),
}
TEXTS = {"heart": HEART, "restaurant": RESTAURANT, "ten-points": TEN_POINTS, "tennis": TENNIS}


def datasets(
    name: Annotated[
        str | None, options.argument(help=f"Dataset: one of {', '.join(TABLES)}. By default, all are listed.")
    ] = None,
    out: Annotated[
        Path | None, options.option("--out", "-o", help="Output file. By default CSV on standard output.")
    ] = None,
    test_out: Annotated[
        Path | None,
        options.option(
            "--test-out", help="Hold out some rows (of flights: whole days) and write them to this file instead."
        ),
    ] = None,
    test_share: Annotated[
        float, typer.Option("--test-share", min=0.01, max=0.99, help="Fraction of the rows to hold out.")
    ] = 0.25,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """List the bundled datasets, or write one of them to a file.

    The last column is the target.

    Examples:

        spinney datasets

        spinney datasets penguins --out penguins.csv

        spinney datasets flights --out flights.csv --test-out other-days.csv
    """
    report = Report(as_json, quiet)
    if name is None:
        _tell_all(report)
        report.end()
        return
    if name not in TABLES:
        raise usage(f"there is no bundled table {name!r}; {suggestion(name, TABLES)}")
    if as_json and out is None:
        raise usage("--json needs --out, since the dataset would go to standard output, too.")
    table = load(name)
    parts = [(table, out)]
    if test_out is not None:
        held_out = _held_out(table, TABLES[name].groups, test_share, seed)
        parts = [(table.filter(~held_out), out), (table.filter(held_out), test_out)]
    for part, path in parts:
        with TableWriter(path) as writer:
            writer.write(part)
    if out is not None:
        report.note(files=[{"file": str(path), "rows": len(part)} for part, path in parts])
        for part, path in parts:
            report.say(f"{plural(len(part), 'row')} of {name} in {path}")
        report.end()


def _tell_all(report: Report) -> None:
    report.note(datasets={name: one._asdict() for name, one in TABLES.items()})
    report.table(
        ["name", "rows", "columns", "target", ""],
        [(name, f"{one.rows:,}", one.columns, one.target, one.about) for name, one in TABLES.items()],
        "lrr",
    )
    report.say()
    report.say("  spinney datasets penguins --out penguins.csv    writes one", "dim")


def load(name: str) -> pl.DataFrame:
    """Return a bundled dataset with the target as the last column."""
    if name in TEXTS:
        return _from_text(TEXTS[name])
    folder = files("spinney.datasets") / "data"
    if name == "penguins":
        return pl.read_csv((folder / "penguins.csv").read_bytes(), null_values=["NA"]).select(
            pl.exclude("species"), "species"
        )
    table = pl.read_csv((folder / "flights.csv.gz").read_bytes(), infer_schema_length=None)
    date = pl.date(2013, pl.col("month"), pl.col("day"))
    weekday = date.dt.weekday().replace_strict(dict(enumerate(WEEK, start=1)), return_dtype=pl.String)
    return table.with_columns(date=date, day_of_week=weekday, late=pl.col("late") == 1).select(
        "date", *FLIGHT_COLUMNS, "late"
    )


def _from_text(text: str) -> pl.DataFrame:
    plain = {"T": "true", "F": "false"}
    lines = (",".join(plain.get(cell, cell) for cell in line.split()) for line in text.strip().splitlines())
    return pl.read_csv("\n".join(lines).encode()).drop("Minutes", strict=False)


def _held_out(table: pl.DataFrame, groups: str | None, share: float, seed: int) -> pl.Series:
    """Which rows are held out; whole groups where the table has some."""
    groups_of = (
        np.arange(len(table))
        if groups is None
        else np.unique(table[groups].cast(pl.String).to_numpy(), return_inverse=True)[1]
    )
    order = np.random.RandomState(seed).permutation(int(groups_of.max()) + 1)
    return pl.Series(np.isin(groups_of, order[: max(1, round(share * len(order)))]))
