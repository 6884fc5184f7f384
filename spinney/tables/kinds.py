"""Kinds of columns (number, category, boolean, date), how they are detected, and how cells become values of each.

In: the columns of a lazy frame, of strings or typed. Out: polars expressions that turn cells into columns for a model.
fit and predict use the same expressions, so that a table may be CSV for one and Parquet for the other.

A date becomes several columns: days since 1970, month, weekday and, where there are times, hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
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


# ----------------------------------------------------------------------------------------------------------------------
# Detects the type of each column of a table from all rows, in one pass and in little memory.
#
# In: a lazy frame, of strings or typed. Out: a `Column` per column, with its numbers of missing and distinct values, an
# example, and the reason why it is left out, if it is.


_DATES = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%Y/%m/%d",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M",
)
_LOOKS_LIKE_A_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
_NAMES_OF_IDS = re.compile(r"(^|[_\s-])(id|uuid|guid|key|index|nr|no)$|[a-z](Id|ID|Key)$", re.ASCII)
_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64)
_AS_NUMBER = "\x00number"
_COUNTED = 200_000  # rows up to which distinct values are counted; for more rows they are estimated
_HEAD = 1000  # rows from which date formats are detected
_NUMBERS_AT_LEAST = 0.95  # fraction of numbers in a numeric column with a few strings among them
_FEW_WORDS = 20
_MANY_ROWS = 30  # rows from which unique values are suspicious
_ID = "an id: nearly every value is unique"
_OWN_VALUES = 0.9  # fraction of distinct values from which categories are treated as text


def guess(
    frame: pl.LazyFrame, missing: tuple[str, ...], given: Mapping[str, str], decimal_comma: bool, names: list[str]
) -> tuple[list[Column], int]:
    """Detect the kinds of the named columns from all rows; `given` fixes some. Also return the number of rows."""
    schema = frame.collect_schema()
    head = frame.select(clean(name, pl.String, missing).alias(name) for name in names if schema[name] == pl.String)
    head = head.head(_HEAD).collect()
    formats = _date_formats(head)
    cleaned = [clean(name, schema[name], missing).alias(name) for name in names]
    numbers = [
        _as_number(pl.col(name), schema[name], decimal_comma).alias(f"{name}{_AS_NUMBER}")
        for name in names
        if _may_be_numbers(schema[name])
    ]
    asked: list[pl.Expr] = [pl.len().alias("rows")]
    for place, name in enumerate(names):
        asked += _questions(f"{place}:", name, schema[name], formats.get(name), decimal_comma)
    answers = frame.select(cleaned).with_columns(numbers).select(asked).collect(engine="streaming").row(0, named=True)
    n_rows = answers["rows"]
    seen = {name: _of(answers, place) for place, name in enumerate(names)}
    known = [name for name in names if "distinct" in seen[name]]
    if known and n_rows <= _COUNTED:  # few enough for an exact count
        counts = frame.select(cleaned).select(pl.col(known).drop_nulls().n_unique()).collect(engine="streaming")
        for name in known:
            seen[name] |= {"distinct": counts[name][0], "counted": True}
    doubtful = [
        name
        for name in head.columns
        if given.get(name, "number") == "number"
        and _is_no_plain_number(seen[name], formats.get(name))
        and (seen[name]["numbers"] or _has_dressed(head[name]))
    ]
    for name, found in _look_again(frame, missing, doubtful, decimal_comma).items():
        if found.get("numbers", seen[name]["n"]) > seen[name]["numbers"]:
            seen[name] |= found
    n_distinct = n_rows
    if n_rows <= _COUNTED and any(_may_be_id_of_duplicates(name, seen[name], n_rows) for name in names):
        n_distinct = frame.select(cleaned).select(pl.struct(names).n_unique()).collect(engine="streaming").item()
    columns = [
        _judge(name, schema[name], seen[name], n_rows, n_distinct, formats.get(name), given.get(name)) for name in names
    ]
    return _with_tokens(frame, schema, missing, columns), n_rows


def _of(answers: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Return the results of one column."""
    return {key.partition(":")[2]: value for key, value in answers.items() if key.startswith(f"{place}:")}


# --- formatted numbers: money, percentages, thousands separators --------------------------------------------


def _is_no_plain_number(seen: dict[str, Any], form: str | None) -> bool:
    kind, _, note = _kind(pl.String, seen, form)
    return kind == "category" or note.endswith(" cells")


def _has_dressed(cells: pl.Series) -> bool:
    """Whether some of the first cells are numbers with signs or separators, and most are numbers of some kind."""
    one = pl.lit(cells.drop_nulls())
    plain = pl.select(one.cast(pl.Float64, strict=False)).to_series()
    found = pl.select(pl.coalesce(undressed(one, False), undressed(one, True))).to_series()
    return found.count() > plain.count() and found.count() >= _NUMBERS_AT_LEAST * len(found)


def _look_again(frame: pl.LazyFrame, missing: tuple[str, ...], names: list[str], comma: bool) -> dict[str, Any]:
    """Scan columns of formatted numbers."""
    asked: list[pl.Expr] = []
    for place, name in enumerate(names):
        cells = pl.col(name)
        asked += [expression.alias(f"{place}:{key}") for key, expression in _about_dress(cells).items()]
    if not asked:
        return {}
    cleaned = frame.select(clean(name, pl.String, missing).alias(name) for name in names)
    answers = cleaned.select(asked).collect(engine="streaming").row(0, named=True)
    return {name: _dress(_of(answers, place), comma) for place, name in enumerate(names)}


def _about_dress(cells: pl.Expr) -> dict[str, pl.Expr]:
    plain = without_signs(cells)
    asked = {
        "percents": cells.str.ends_with("%").sum(),
        "signs": cells.str.extract(f"({CURRENCIES})").drop_nulls().unique().implode(),
        "lengths": cells.str.len_chars().n_unique(),
        "digits": cells.str.contains(r"^[\d\s+]+$").all(),
        "points": cells.str.contains(".", literal=True).sum(),
        "commas": cells.str.contains(",", literal=True).sum(),
    }
    for mark, comma in (("point ", False), ("comma ", True)):
        number = undressed(cells, comma)
        asked |= {
            f"{mark}numbers": number.count(),
            f"{mark}low": number.min(),
            f"{mark}high": number.max(),
            f"{mark}whole": (number == number.round()).all(),
            f"{mark}first": number.first(),
            f"{mark}last": number.last(),
            f"{mark}thousands": is_grouped(plain, comma).sum(),
            f"{mark}grouped": is_grouped(plain, comma, fractions=False).sum(),
        }
    return asked


def _dress(found: dict[str, Any], comma: bool) -> dict[str, Any]:
    """Return the decimal sign and what was removed; nothing if that is in doubt."""
    signs = sorted(found["signs"])
    if 0 < found["percents"] < max(found["point numbers"], found["comma numbers"]):
        return {"doubt": "percent signs in some cells only"}
    if found["digits"] and found["lengths"] == 1:  # +49 555 123 456: rather an identifier
        return {}
    if found["point numbers"] != found["comma numbers"]:
        comma = found["comma numbers"] > found["point numbers"]
    elif signs:  # money does not have three decimals: 1.234 EUR is more than a thousand
        comma = 0 < found["points"] == found["comma grouped"]
    else:
        comma = comma and found["commas"] > 0
    mark = "comma " if comma else "point "
    own = {key.removeprefix(mark): value for key, value in found.items() if key.startswith(mark)}
    notes = ["decimal comma"] * comma + ["thousands separators"] * (own.pop("thousands") > 0)
    notes += [f"{signs[0]} removed"] if len(signs) == 1 else []
    notes += [f"several currencies, read as one: {', '.join(signs)}"] if len(signs) > 1 else []
    notes += ["% removed"] if found["percents"] else []
    return own | {"dressed": True, "comma": comma, "dress": ", ".join(notes)}


# --- all kinds -------------------------------------------------------------------------------------------------------


def _questions(mark: str, name: str, dtype: Any, form: str | None, comma: bool) -> list[pl.Expr]:
    """Return the expressions to compute for a cleaned column and its conversion to numbers."""
    cells, number = pl.col(name), pl.col(f"{name}{_AS_NUMBER}")
    asked = {"n": cells.count()}
    if dtype == pl.String:
        asked |= {
            "numbers": (cells.cast(pl.Float64, strict=False) if comma else number).count(),
            "booleans": cells.str.to_lowercase().is_in(["true", "false"]).sum(),
            "zeros": cells.str.contains(r"^0\d").any(),
        }
        if comma:
            asked["commas"] = number.count()
        if form is not None:
            asked["dates"] = dates(cells, True, dtype, form).count()
    if _may_be_numbers(dtype):
        asked |= {
            "low": number.min(),
            "high": number.max(),
            "whole": (number == number.round()).all(),
            "first": number.first(),
            "last": number.last(),
        }
    if not dtype.is_nested() and dtype not in (pl.Binary, pl.Object):
        asked["distinct"] = cells.drop_nulls().approx_n_unique()
        asked["example"] = cells.drop_nulls().first().cast(pl.String, strict=False)
    return [expression.alias(mark + key) for key, expression in asked.items()]


def _as_number(cells: pl.Expr, dtype: Any, comma: bool) -> pl.Expr:
    """Convert to numbers with a decimal point or, in text that may have one, a decimal comma."""
    return with_point(cells, comma and dtype == pl.String).cast(pl.Float64, strict=False)


def _may_be_numbers(dtype: Any) -> bool:
    return bool(dtype == pl.String or dtype.is_numeric())


def _date_formats(head: pl.DataFrame) -> dict[str, str]:
    """Return the date formats that all of the first rows have."""
    found = {}
    for name in head.columns:
        cells = head[name].drop_nulls()
        if not len(cells) or not _LOOKS_LIKE_A_DATE.match(cells[0]):
            continue
        plain = pl.select(plain_date(pl.lit(cells))).to_series()
        for form in _DATES:
            if plain.str.to_datetime(form, time_unit="us", strict=False).null_count() == 0:
                found[name] = form
                break
    return found


def _judge(
    name: str, dtype: Any, seen: dict[str, Any], n_rows: int, n_distinct: int, form: str | None, given: str | None
) -> Column:
    n, distinct = seen["n"], min(seen.get("distinct", 0), seen["n"])
    kind, comma, note = _kind(dtype, seen, form)
    column = Column(
        name,
        given or kind,
        comma=comma,
        dressed=bool(seen.get("dressed")) and (given or kind) == "number",
        format=(form or "") if dtype == pl.String else ("%H" if isinstance(dtype, pl.Datetime) else ""),
        note=seen.get("dress", "") if given else note,
        missing=n_rows - n,
        distinct=distinct,
        approximate=not seen.get("counted") and "distinct" in seen,
        example=seen.get("example") or "",
        dtype=_smallest(seen) if dtype == pl.String or dtype.is_integer() else pl.Float64,
    )
    if given == "number" and not column.dressed and seen.get("commas", 0) > seen.get("numbers", 0):
        column = replace(column, comma=True)
    if given is None or kind == "nested":
        column = replace(column, out=_why_out(column, seen, n_rows, n_distinct))
    return column


def _kind(dtype: Any, seen: dict[str, Any], form: str | None) -> tuple[str, bool, str]:
    """Return (kind, whether numbers have decimal commas, note)."""
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        return "nested", False, ""
    if dtype.is_numeric():
        return "number", False, ""
    if dtype == pl.Boolean:
        return "boolean", False, ""
    if dtype.is_temporal() and dtype not in (pl.Time, pl.Duration):
        return "date", False, ""
    n = seen["n"]
    if dtype != pl.String or n == 0:
        return "category", False, ""
    if seen["numbers"] == n:
        if seen["zeros"]:
            return "category", False, "leading zeros: treated as a category"
        return "number", bool(seen.get("comma")), seen.get("dress", "")
    if seen.get("commas") == n:
        return "number", True, "decimal comma"
    if seen["booleans"] == n:
        return "boolean", False, ""
    if form is not None and seen["dates"] == n:
        return "date", False, _date_note(form)
    if seen["numbers"] >= _NUMBERS_AT_LEAST * n and seen["distinct"] > _FEW_WORDS and not seen["zeros"]:
        # _with_tokens completes it, or undoes it
        return "number", bool(seen.get("comma")), f"{n - seen['numbers']} cells"
    return "category", False, seen.get("doubt", "")


def _date_note(form: str) -> str:
    order = {"%d": "day", "%m": "month", "%Y": "year"}
    return "" if form.startswith("%Y") else "/".join(order[one] for one in re.findall("%[dmY]", form))


def _smallest(seen: dict[str, Any]) -> Any:
    """Return the smallest type that holds all numbers exactly."""
    low, high = seen.get("low"), seen.get("high")
    if low is None or high is None or not seen["whole"]:
        return pl.Float64
    for dtype in _WHOLE:
        bits = {pl.Int8: 7, pl.Int16: 15, pl.Int32: 31, pl.Int64: 53}[dtype]
        if -(2**bits) <= low and high < 2**bits:
            return dtype
    return pl.Float64


def _why_out(column: Column, seen: dict[str, Any], n_rows: int, n_distinct: int) -> str:
    """Return the reason why a column is left out; empty if it is not. `n_distinct` rows differ from each other."""
    n, distinct = seen["n"], column.distinct
    if column.kind == "nested":
        return "lists or records, not values"
    if n == 0:
        return "empty"
    if distinct == 1 and n == n_rows:
        return "the same value in every row"
    if column.kind == "category" and n >= _MANY_ROWS and distinct >= _OWN_VALUES * n:
        return "text: nearly every value is unique"
    if column.kind == "category" and n == n_rows and _is_id_of_duplicates(column.name, distinct, n_distinct):
        return _ID
    if column.kind == "number" and n == n_rows:
        return _why_id(column.name, seen, distinct, n_distinct)
    return ""


def _why_id(name: str, seen: dict[str, Any], distinct: int, n_distinct: int) -> str:
    """Return why numbers are row numbers or ids of so many distinct rows; empty if they are not."""
    if n_distinct < _MANY_ROWS or distinct < _OWN_VALUES * n_distinct or not seen.get("whole"):
        return ""
    if seen["high"] - seen["low"] == n_distinct - 1 and {seen["first"], seen["last"]} == {seen["low"], seen["high"]}:
        return "row numbers"
    return _ID if _NAMES_OF_IDS.search(name) else ""


def _is_id_of_duplicates(name: str, distinct: int, n_distinct: int) -> bool:
    """Whether strings are ids: nearly as many as there are distinct rows, and named so."""
    return distinct >= max(_MANY_ROWS, _OWN_VALUES * n_distinct) and bool(_NAMES_OF_IDS.search(name))


def _may_be_id_of_duplicates(name: str, seen: dict[str, Any], n_rows: int) -> bool:
    """Whether values without missing ones repeat, but would be ids if all rows that repeat one were duplicates."""
    distinct = seen.get("distinct", 0)
    if seen["n"] < n_rows or distinct >= _OWN_VALUES * n_rows:
        return False  # missing values, or rows that are not duplicates
    if seen.get("numbers", n_rows) < n_rows:
        return _is_id_of_duplicates(name, distinct, distinct)
    return bool(_why_id(name, seen, distinct, distinct))


def _with_tokens(frame: pl.LazyFrame, schema: Any, missing: tuple[str, ...], columns: list[Column]) -> list[Column]:
    """Find the strings in numeric columns. A few are treated as missing; with many, the column is a category."""
    for place, column in enumerate(columns):
        if not column.note.endswith(" cells"):
            continue
        cells = clean(column.name, schema[column.name], missing)
        words = (
            frame.select(cells.alias(column.name))
            .select(pl.col(column.name).alias("word"), values(column, schema[column.name]).alias("number"))
            .filter(pl.col("number").is_null(), pl.col("word").is_not_null())
            .select(pl.col("word").unique().sort())
        )
        found = words.collect(engine="streaming")["word"].to_list()
        if len(found) > _FEW_WORDS:
            columns[place] = replace(column, kind="category", dressed=False, comma=False, note="numbers and text")
            continue
        n_cells = int(column.note.split()[0])
        shown = ", ".join(map(repr, found[:3])) + (" ..." if len(found) > 3 else "")
        columns[place] = replace(
            column, tokens=tuple(found), missing=column.missing + n_cells, note=f"{shown} treated as missing"
        )
    return columns
