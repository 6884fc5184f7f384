"""Kinds of columns (number, category, boolean, date), and how cells become values of each.

In: the columns of a lazy frame, of strings or typed. Out: polars expressions that turn cells into columns for a model.
fit and predict use the same expressions, so that a table may be CSV for one and Parquet for the other.

A date becomes several columns: days since 1970, month, weekday and, where there are times, hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from spinney.data.files.csv import NULLS

KINDS = ("number", "category", "boolean", "date")
ALSO = {
    "numeric": "number",
    "float": "number",
    "int": "number",
    "integer": "number",
    "string": "category",
    "text": "category",
    "bool": "boolean",
    "datetime": "date",
    "time": "date",
}
MISSING = NULLS  # and empty cells, always
CURRENCIES = (
    r"US\$|R\$|[$€£¥₹₩₽₺₪₫₱฿₴₦]|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|Rs\.?|kr\.?|zł"
)
_SPACES = (
    " '\u2019\u00a0\u2009\u202f"  # that separate thousands, as may the comma, or the point where commas are decimal
)
_TRUE, _FALSE = ["true", "t", "yes", "y", "1"], ["false", "f", "no", "n", "0"]


@dataclass(frozen=True)
class Column:
    """A column of the user's table: its kind, and what was found in it."""

    name: str
    kind: str
    comma: bool = False  # numbers have a decimal comma
    dressed: bool = False  # numbers have currency signs, percent signs or thousands separators
    format: str = ""  # of dates in text
    tokens: tuple[str, ...] = ()  # strings among numbers that are treated as missing, in this column only
    # seen at fit, not needed later
    out: str = ""  # why it is left out
    note: str = ""
    missing: int = 0
    distinct: int = 0
    approximate: bool = False  # whether `distinct` is an estimate
    example: str = ""
    dtype: Any = field(default=pl.Float64, compare=False)  # of numbers, a small one for integers

    def to_dict(self) -> dict[str, Any]:
        """Return what predict needs, in JSON types."""
        known = asdict(self)
        kept: dict[str, Any] = {"name": self.name, "kind": self.kind}
        return kept | {
            key: list(known[key]) if key == "tokens" else known[key]
            for key in ("comma", "dressed", "format", "tokens")
            if known[key]
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Column:
        """Return the column that `to_dict` described."""
        return cls(
            str(stored["name"]),
            str(stored["kind"]),
            bool(stored.get("comma", False)),
            bool(stored.get("dressed", False)),
            str(stored.get("format", "")),
            tuple(stored.get("tokens", ())),
        )

    @property
    def features(self) -> list[str]:
        """The names of the columns that the model sees."""
        if self.kind != "date":
            return [self.name]
        return [
            self.name,
            f"{self.name} month",
            f"{self.name} weekday",
            *([f"{self.name} hour"] if self.has_times else []),
        ]

    @property
    def has_times(self) -> bool:
        return "%H" in self.format


# --- cells to values --------------------------------------------------------------------------------------------------


def clean(name: str, dtype: Any, missing: Iterable[str]) -> pl.Expr:
    """Return a column with stripped text and with nulls for missing values."""
    cells = pl.col(name)
    if dtype in (pl.Categorical, pl.Enum):
        cells, dtype = cells.cast(pl.String), pl.String
    if dtype != pl.String:
        return cells
    text = cells.str.strip_chars()
    return pl.when(text.is_in(["", *missing])).then(None).otherwise(text)


def staged(column: Column, dtype: Any, missing: Iterable[str]) -> pl.Expr:
    """Return the cleaned cells of a column under its name: the first of two steps, so that cells are cleaned once."""
    return clean(column.name, dtype, (*missing, *column.tokens)).alias(column.name)


def values(column: Column, dtype: Any) -> pl.Expr:
    """Convert cleaned cells to values of the column's kind; null for missing and invalid cells."""
    cells, text = pl.col(column.name), _is_text(dtype)
    if column.kind == "number":
        return _numbers(cells, text, dtype, column)
    if column.kind == "boolean":
        return _booleans(cells, text, dtype)
    if column.kind == "date":
        return dates(cells, text, dtype, column.format)
    return _categories(cells, text, dtype)


def features(column: Column, dtype: Any, compact: bool = False) -> list[pl.Expr]:
    """Convert cleaned cells to the columns of a model.

    `compact` uses the smallest integer types, and NaN for missing values of floats, so that NumPy need not copy them.
    """
    found, names = values(column, dtype), column.features
    if column.kind == "number":
        if compact and column.dtype == pl.Float64:
            found = found.fill_null(float("nan"))
        elif compact:
            found = found.cast(column.dtype, strict=False)
    elif column.kind == "category":
        found = found.cast(pl.Categorical)
    elif column.kind == "date":
        parts = [found.dt.epoch("s").cast(pl.Float64) / 86_400, found.dt.month(), found.dt.weekday(), found.dt.hour()]
        return [part.alias(name) for part, name in zip(parts, names)]
    return [found.alias(names[0])]


def _is_text(dtype: Any) -> bool:
    return dtype in (pl.String, pl.Categorical, pl.Enum)


def _numbers(cells: pl.Expr, text: bool, dtype: Any, column: Column) -> pl.Expr:
    if text and column.dressed:
        return undressed(cells, column.comma)
    if text:
        return with_point(cells, column.comma).cast(pl.Float64, strict=False)
    if dtype.is_temporal():
        return pl.lit(None, pl.Float64)
    return cells.cast(pl.Float64, strict=False)


def with_point(cells: pl.Expr, comma: bool) -> pl.Expr:
    """Replace a decimal comma, if the text may have one, by a point."""
    return cells.str.replace(",", ".", literal=True) if comma else cells


def undressed(cells: pl.Expr, comma: bool) -> pl.Expr:
    """Convert formatted numbers: `$1,234.50`, `-3 %`, `(12)`, or `1.234,50 EUR` with a decimal comma."""
    plain = without_signs(cells)
    tight = plain.str.replace_all(f"[{'.' if comma else ','}{_SPACES}]", "")
    found = with_point(pl.when(is_grouped(plain, comma)).then(tight).otherwise(plain), comma)
    return found.cast(pl.Float64, strict=False)


def without_signs(cells: pl.Expr) -> pl.Expr:
    """Remove currency and percent signs; `(12)`, as in accounting, becomes -12."""
    return (
        cells.str.replace(r"^\((.+)\)$", "-$1")
        .str.replace("^\u2212", "-")
        .str.replace(rf"^([+-]?)\s*(?:{CURRENCIES})\s*([+-]?)", "$1$2")
        .str.replace(rf"\s*(?:{CURRENCIES}|%)$", "")
    )


def is_grouped(plain: pl.Expr, comma: bool, fractions: bool = True) -> pl.Expr:
    """Whether numbers without signs have thousands separators (also `12,34,567`), and possibly `fractions`."""
    separators, decimal = ("." if comma else ",") + _SPACES, "," if comma else r"\."
    groups = rf"(?:[{separators}]\d{{3}})+" + ("" if comma else r"|(?:,\d\d)+,\d{3}")
    end = rf"(?:{decimal}\d*)?" if fractions else ""
    return plain.str.contains(rf"^[+-]?[1-9]\d{{0,2}}(?:{groups}){end}$")


def _booleans(cells: pl.Expr, text: bool, dtype: Any) -> pl.Expr:
    if dtype == pl.Boolean:
        return cells
    if not text:
        return cells.cast(pl.Float64, strict=False) != 0
    low = cells.str.to_lowercase()
    return pl.when(low.is_in(_TRUE)).then(True).when(low.is_in(_FALSE)).then(False)


def _categories(cells: pl.Expr, text: bool, dtype: Any) -> pl.Expr:
    """Convert to text; numbers as in a file, 1 and not 1.0."""
    if text:
        return cells
    if dtype.is_float():
        return (
            pl.when(cells == cells.round())
            .then(cells.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(cells.cast(pl.String))
        )
    return cells.cast(pl.String)


def dates(cells: pl.Expr, text: bool, dtype: Any, form: str) -> pl.Expr:
    if dtype.is_temporal() and dtype not in (pl.Time, pl.Duration):
        return cells.cast(pl.Datetime("us"))
    if not text:
        return pl.lit(None, pl.Datetime("us"))
    plain = plain_date(cells)
    return plain.str.to_datetime(form, time_unit="us", strict=False) if form else pl.lit(None, pl.Datetime("us"))


def plain_date(cells: pl.Expr) -> pl.Expr:
    """Remove the T between date and time, fractions of seconds, and time zones."""
    return cells.str.replace(r"(\d)T(\d)", "$1 $2").str.replace(r"(:\d\d)(\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$", "$1")
