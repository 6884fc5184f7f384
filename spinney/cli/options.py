"""Options that several commands share, each described once."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spinney.tables.errors import usage
from spinney.tables.files import Dialect
from spinney.tables.kinds import MISSING

# options and arguments whose default is described in the help, or is none
option = partial(typer.Option, show_default=False)
argument = partial(typer.Argument, show_default=False)
DATA_HELP = (
    "CSV, TSV, Excel, Parquet, Arrow or JSON lines, optionally compressed with gzip, bzip2 or xz; - is standard input."
)

Data = Annotated[str, argument(metavar="DATA", help=f"Table: {DATA_HELP}")]
ModelFile = Annotated[str, argument(metavar="MODEL", help="Model file, written by `spinney fit` or `spinney.save`.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Page = Annotated[
    Path | None, option("--report", help="Also write an HTML report about the model to this file, such as report.html.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Separator = Annotated[
    str | None, option("--separator", help="Separator between cells, if it is not detected: ',', ';', 'tab', ...")
]
Encoding = Annotated[str | None, option("--encoding", help="Encoding of a text file, if it is not UTF-8: latin-1, ...")]
NoHeader = Annotated[
    bool,
    typer.Option("--no-header", help="The first line is data, not a header. Columns are named column_1, column_2, ..."),
]
Sheet = Annotated[str | None, option("--sheet", help="Sheet of an Excel workbook. By default the first.")]
Missing = Annotated[
    str | None,
    option(
        "--missing",
        help="Strings that mean missing, separated by commas, in addition to empty cells. "
        f"By default {', '.join(MISSING)}.",
    ),
]
MoreMissing = Annotated[
    str | None, option("--missing", help="Further strings that mean missing, in addition to those of the fit.")
]
Types = Annotated[
    list[str] | None,
    option("--types", help="Types of columns that are detected wrongly: age=number,zip=category (also boolean, date)."),
]
Drop = Annotated[list[str] | None, option("--drop", help="Columns to leave out, separated by commas.")]
Weights = Annotated[str | None, option("--weights", help="Column of sample weights.")]
Truth = Annotated[
    str | None, option("--target", "-t", help="Column of true targets, if its name differs from that in training.")
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**32 - 1, help="Seed of all random choices. The same seed gives the same model."
    ),
]
Threads = Annotated[
    int | None,
    option("--threads", min=1, help="Number of threads. By default one per core. The model does not depend on it."),
]


def dialect(separator: str | None, encoding: str | None, no_header: bool, sheet: str | None) -> Dialect:
    """Return the options of a text file or a workbook."""
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "bar": "|"}
    return Dialect(None if separator is None else named.get(separator, separator), encoding, not no_header, sheet)


def words(given: str | None, usual: tuple[str, ...] = MISSING) -> tuple[str, ...]:
    """Split `--missing NA,?` into strings. By default, return the usual ones."""
    return usual if given is None else tuple(one.strip() for one in given.split(",") if one.strip())


def names(given: list[str] | None) -> list[str]:
    """Split `--drop a,b --drop c` into names."""
    return [one.strip() for text in given or [] for one in text.split(",") if one.strip()]


def check_order(groups: str | None, time: str | None) -> None:
    """Raise an error if rows are to be held out both by groups and in time."""
    if groups and time:
        raise usage("--groups and --time cannot be used together. Give the one that tells new rows from known ones.")
