"""Options that several verbs share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spinney.tables.files import Dialect
from spinney.tables.kinds import MISSING

DATA_HELP = "CSV, TSV, Excel, Parquet, Arrow or JSON lines, also compressed by gzip, bzip2 or xz; - is standard input."

Data = Annotated[str, typer.Argument(metavar="DATA", help=f"The table: {DATA_HELP}", show_default=False)]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, as `spinney fit` writes it.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object in place of words.")]
Page = Annotated[
    Path | None,
    typer.Option("--report", help="Also write a page about the model, such as report.html.", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help="What stands between cells, if it cannot be told: ',', ';', 'tab', ...", show_default=False
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", help="The encoding of a text file, if it is not UTF-8: latin-1, ...", show_default=False
    ),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is data; columns are called column_1, column_2, ...")
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", help="The sheet of an Excel workbook; by default the first.", show_default=False),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help=f"Words that stand for missing values, as empty cells do; by default {', '.join(MISSING)}.",
        show_default=False,
    ),
]
MoreMissing = Annotated[
    str | None,
    typer.Option(
        "--missing", help="More words that stand for missing values, beside those of the fit.", show_default=False
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--types",
        help="What columns are, if the guess is wrong: age=number,zip=category (also boolean, date).",
        show_default=False,
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Columns to leave out, separated by commas.", show_default=False)
]
Weights = Annotated[str | None, typer.Option("--weights", help="A column of weights of the rows.", show_default=False)]
Truth = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="The column with the truth, if it is not called as in training.", show_default=False
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**32 - 1, help="Seed of all random choices: the same seed gives the same model."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        help="Threads; by default one for each core. The model does not depend on it.",
        show_default=False,
    ),
]


def dialect(separator: str | None, encoding: str | None, no_header: bool, sheet: str | None) -> Dialect:
    """What was said of a text file or a workbook."""
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "bar": "|"}
    return Dialect(None if separator is None else named.get(separator, separator), encoding, not no_header, sheet)


def words(given: str | None, usual: tuple[str, ...] = MISSING) -> tuple[str, ...]:
    """`--missing NA,?` as words; the usual ones if nothing was said."""
    return usual if given is None else tuple(one.strip() for one in given.split(",") if one.strip())


def names(given: list[str] | None) -> list[str]:
    """`--drop a,b --drop c` as names."""
    return [one.strip() for text in given or [] for one in text.split(",") if one.strip()]
