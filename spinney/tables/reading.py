"""Reads tables for models.

In: a `Source`. Out, at fit: a `Survey` of its columns, and the table in memory, with small integer types and coded
categories; or, of a large table for models that are fitted on codes, a table opened by `spinney.open_table`, whose
features stay on disk. Out, at predict: the same columns, batch by batch. Invalid cells raise an error with column and
row. Rows are counted from 1, without the header.

Parts of a table are frames of some rows each, so that memory does not grow with it; text is split at the ends of rows.
(Batches from polars would not limit memory: it reads ahead without a limit if they are used more slowly than they are
scanned.) Of a large table text is parsed once, part by part, into Parquet files in a temporary folder; typed files are
read in place. The model is the same as for the table in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from spinney.data.files.csv import blocks_of
from spinney.tables.errors import TableError, suggestion, usage
from spinney.tables.files import Source, explain_scan_failure
from spinney.tables.kinds import ALSO, KINDS, Column, clean, features, guess, staged, values
from spinney.tables.recipe import Recipe

_BYTES = 2**25  # of text in a part
_ROWS = 2**18  # of other tables


def parts_of(source: Source, n_bytes: int = _BYTES) -> Iterator[pl.LazyFrame]:
    """Yield all rows of a source, in parts."""
    if source.is_text:
        first = True
        for block in blocks_of(source.path, n_bytes, b'"'):
            yield source.text_frame(block, first)
            first = False
    elif source.format == "JSON lines":
        schema = source.frame.collect_schema()
        for block in blocks_of(source.path, n_bytes, b""):
            if block.strip():
                yield pl.read_ndjson(block, schema=schema).lazy()
    else:
        n_rows = int(source.frame.select(pl.len()).collect(engine="streaming").item())
        for start in range(0, n_rows, _ROWS):
            yield source.frame.slice(start, _ROWS)


# --- tables in memory, and batches ------------------------------------------------------------------------------------


BATCH = 2**16  # rows per batch of predictions
TARGET, OTHER = "\x00target", "\x00other:"  # columns beside the features
BAD, _ROW = "\x00bad", "\x00row"


@dataclass(frozen=True)
class Survey:
    """The columns and the number of rows of a table."""

    columns: tuple[Column, ...]
    n_rows: int

    def find(self, name: str) -> Column:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)


@contextmanager
def scanning(source: Source) -> Iterator[None]:
    """Turn errors of a scan into errors for users."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise explain_scan_failure(source, error) from None


def read_types(given: Sequence[str]) -> dict[str, str]:
    """Parse `--types a=number,b=category` into a dict."""
    found = {}
    for pair in [one for text in given for one in text.split(",") if one.strip()]:
        name, equals, kind = (part.strip() for part in pair.rpartition("="))
        kind = ALSO.get(kind.lower(), kind.lower())
        if not equals or kind not in KINDS:
            raise usage(
                f"--types must be pairs such as age=number, with one of {', '.join(KINDS)}, got {pair.strip()!r}."
            )
        found[name] = kind
    return found


def check_names(source: Source, names: Mapping[str, Sequence[str]]) -> None:
    """Raise an error for columns that the table does not have; `names` are those of each option."""
    for option, wanted in names.items():
        for name in wanted:
            if name not in source.columns:
                doubt = "".join(f" Perhaps {note}." for note in source.notes if "--no-header" in note)
                doubt += "".join(f" Note that {note}." for note in source.notes if "--sheet" in note)
                raise usage(
                    f"{option}: {source.name} has no column {name!r}; {suggestion(name, source.columns)}{doubt}"
                )


def survey(source: Source, missing: tuple[str, ...], given: Mapping[str, str], leave: Sequence[str] = ()) -> Survey:
    """Scan all rows of all columns, except those to be left out."""
    names = [name for name in source.columns if name not in leave]
    with scanning(source):
        columns, n_rows = guess(source.frame, missing, given, source.is_text and source.separator != ",", names)
    if n_rows == 0:
        raise TableError(f"{source.name} has a header but no rows.")
    for column in columns:
        if column.name in given and column.out:
            raise TableError(f"column {column.name!r} of {source.name} holds {column.out}. Leave it out with --drop.")
        if column.kind == "date" and source.is_text and not column.format:
            raise TableError(
                f"column {column.name!r} of {source.name} has no known date format, such as 2024-12-31 or 31.12.2024: "
                f"{column.example!r}."
            )
    return Survey(tuple(columns), n_rows)


def read_table(
    source: Source,
    columns: Sequence[Column],
    missing: tuple[str, ...],
    target: Column | None = None,
    also: Sequence[str] = (),
    doubtful: Sequence[Column] = (),
) -> pl.DataFrame:
    """Read the features of some columns into memory, for the rows where the target has a value.

    Also read the target, as `TARGET`, and the columns `also`, cleaned, each as `OTHER` plus its name. Invalid cells
    of `doubtful` columns raise an error.
    """
    with scanning(source):
        table = selection(source, columns, missing, target, also, doubtful)(source.frame).collect(engine="streaming")
    if table[BAD].any():
        raise find_bad_cell(source, doubtful, missing)
    pieces = table.drop(BAD).get_columns()
    del table
    for place in range(len(pieces)):  # one by one, so that at most one column is in memory twice
        pieces[place] = pieces[place].rechunk()
    return pl.DataFrame(pieces)


def survey_one(source: Source, name: str, missing: tuple[str, ...]) -> Column:
    """Scan a single column."""
    return survey(source, missing, {}, [other for other in source.columns if other != name]).find(name)


def times_of(source: Source, column: Column, cells: pl.Series) -> np.ndarray:
    """Numbers in the order of the dates or numbers of a column, from its cleaned cells; every row needs one."""
    if column.kind not in ("date", "number"):
        raise TableError(
            f"--time: column {column.name!r} of {source.name} must hold dates or numbers, but it holds "
            f"{column.example!r}."
        )
    found = cells.alias(column.name).to_frame().select(values(column, cells.dtype)).to_series()
    if found.null_count():
        raise TableError(
            f"--time: column {column.name!r} of {source.name} has no value in {found.null_count():,} of {len(found):,} "
            "rows. Fill these cells, or remove the rows."
        )
    return found.to_physical().to_numpy()


def selection(
    source: Source,
    columns: Sequence[Column],
    missing: tuple[str, ...],
    target: Column | None = None,
    also: Sequence[str] = (),
    doubtful: Sequence[Column] = (),
) -> Callable[[pl.LazyFrame], pl.LazyFrame]:
    """Return what `read_table` applies to a frame of the source. Invalid rows are marked as `BAD`."""
    schema = source.frame.collect_schema()
    wanted = [one for column in columns for one in features(column, schema[column.name], compact=True)]
    first = [staged(column, schema[column.name], missing) for column in (*columns, *([target] if target else []))]
    other = [clean(name, schema[name], missing).alias(OTHER + name) for name in also]
    if target is not None:
        found = values(target, schema[target.name])
        wanted.append((found.cast(pl.Categorical) if target.kind == "category" else found).alias(TARGET))
    asked = [*wanted, *(pl.col(OTHER + name) for name in also), _bad_cells(doubtful, schema).alias(BAD)]

    def select(frame: pl.LazyFrame) -> pl.LazyFrame:
        frame = frame.select([*first, *other])
        if target is not None:
            frame = frame.filter(pl.col(target.name).is_not_null())
        return frame.select(asked)

    return select


def batches(
    source: Source, recipe: Recipe, also: Mapping[str, pl.Expr], size: int = BATCH
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield (features, other columns), batch by batch. Invalid cells raise an error."""
    schema = source.frame.collect_schema()
    first = [staged(column, schema[column.name], recipe.missing) for column in recipe.columns]
    other = [expression.alias(OTHER + name) for name, expression in also.items()]
    wanted = [one for column in recipe.columns for one in features(column, schema[column.name])]
    asked = [*wanted, *(pl.col(OTHER + name) for name in also), _bad_cells(recipe.columns, schema).alias(BAD)]
    for part in parts_of(source):
        with scanning(source):
            table = part.select([*first, *other]).select(asked).collect(engine="streaming")
        if table[BAD].any():
            raise find_bad_cell(source, recipe.columns, recipe.missing)
        for batch in table.iter_slices(size):
            yield batch.select(recipe.features), batch.select(pl.col(OTHER + name).alias(name) for name in also)


def as_written_here(
    source: Source, columns: Sequence[Column], missing: tuple[str, ...]
) -> tuple[tuple[Column, ...], list[str]]:
    """Detect the formats of numbers and dates in this file, which may differ from those at fit; also return notes.

    A column that is read without errors stays unchanged, and so does one that no format fits.
    """
    schema = source.frame.collect_schema()
    text = [one for one in columns if one.kind in ("number", "date") and schema[one.name] == pl.String]
    cells = [staged(one, pl.String, missing) for one in text]
    asked = [
        found
        for place, one in enumerate(text)
        for found in (
            pl.col(one.name).count().alias(f"{place} all"),
            values(one, pl.String).count().alias(f"{place} read"),
            pl.col(one.name).str.contains(",", literal=True).any().alias(f"{place} comma"),
            pl.col(one.name).str.contains(r"^[+-]?\d*\.(\d{1,2}|\d{4,})$").any().alias(f"{place} point"),
        )
    ]
    if not asked:
        return tuple(columns), []
    with scanning(source):
        seen = source.frame.select(cells).select(asked).collect(engine="streaming").row(0, named=True)
    doubtful = [
        one
        for place, one in enumerate(text)
        if seen[f"{place} read"] < seen[f"{place} all"]
        or (one.comma and seen[f"{place} point"] and not seen[f"{place} comma"])
    ]
    words = (*missing, *(word for one in doubtful for word in one.tokens))
    comma = source.is_text and source.separator != ","
    guessed, _ = guess(source.frame, words, {}, comma, [one.name for one in doubtful]) if doubtful else ([], 0)
    here = {new.name: new for one, new in zip(doubtful, guessed) if new.kind == one.kind}
    how = ("comma", "dressed", "format")
    found = tuple(
        replace(one, **{key: getattr(here[one.name], key) for key in how}) if one.name in here else one
        for one in columns
    )
    notes = [
        f"{new.name!r} has another format than at fit; it was read with: "
        + (here[new.name].note or new.format or "decimal point")
        for old, new in zip(columns, found)
        if old != new
    ]
    return found, notes


def check_columns(source: Source, recipe: Recipe) -> tuple[Recipe, list[str], list[str]]:
    """Return a recipe for this table, the names of its further columns, and notes on formats.

    Raise an error if the table lacks columns.
    """
    recipe, extra = _found(source, recipe)
    columns, notes = as_written_here(source, recipe.columns, recipe.missing)
    return replace(recipe, columns=columns), extra, notes


def _found(source: Source, recipe: Recipe) -> tuple[Recipe, list[str]]:
    if recipe.by_place:
        return _by_place(source, recipe)
    lacking = [column.name for column in recipe.columns if column.name not in source.columns]
    if lacking:
        names = ", ".join(map(repr, lacking[:8])) + (f" and {len(lacking) - 8} more" if len(lacking) > 8 else "")
        taken = {column.name for column in (*recipe.columns, *([recipe.target] if recipe.target else []))}
        others = [name for name in source.columns if name not in taken]
        hints = [suggestion(name, others) for name in lacking]
        hint = next((one for one in hints if one.startswith("did you mean")), "")
        raise TableError(
            f"{source.name} has no column{'s' if len(lacking) > 1 else ''} {names}, which the model was fitted on"
            + (f"; {hint}" if hint else ".")
        )
    known = {column.name for column in recipe.columns} | set(recipe.left_out)
    known |= {name for name in (recipe.weights, recipe.groups, recipe.times) if name}
    if recipe.target is not None:
        known.add(recipe.target.name)
    return recipe, [name for name in source.columns if name not in known]


def _by_place(source: Source, recipe: Recipe) -> tuple[Recipe, list[str]]:
    if len(source.columns) != len(recipe.columns):
        raise TableError(
            f"{source.name} has {len(source.columns)} columns, but the model was fitted on {len(recipe.columns)} "
            "columns without names."
        )
    columns = tuple(Column(name, column.kind) for name, column in zip(source.columns, recipe.columns))
    return Recipe(recipe.task, columns, None, recipe.missing, model=recipe.model, by_place=True), []


def _bad_cells(columns: Sequence[Column], schema: Any) -> pl.Expr:
    """Find rows with an invalid cell, from cleaned cells."""
    doubtful = [column for column in columns if _may_be_bad(column, schema[column.name])]
    if not doubtful:
        return pl.lit(False)
    return pl.any_horizontal(_is_bad(column, schema[column.name]) for column in doubtful)


def _may_be_bad(column: Column, dtype: Any) -> bool:
    if column.kind == "category":
        return False
    if column.kind == "date":
        return not (dtype.is_temporal() and dtype not in (pl.Time, pl.Duration))
    return not (dtype.is_numeric() or dtype == pl.Boolean)


def _is_bad(column: Column, dtype: Any) -> pl.Expr:
    return pl.col(column.name).is_not_null() & values(column, dtype).is_null()


def find_bad_cell(source: Source, columns: Sequence[Column], missing: tuple[str, ...]) -> TableError:
    """Return the error for the first invalid cell: its place, and the remedy."""
    schema = source.frame.collect_schema()
    first: tuple[int, Column, Any] | None = None
    for column in columns:
        dtype = schema[column.name]
        if not _may_be_bad(column, dtype):
            continue
        cell = pl.col(column.name).cast(pl.String, strict=False)
        found = (
            source.frame.select(staged(column, dtype, missing))
            .select(cell.alias("cell"), _is_bad(column, dtype).alias(BAD))
            .with_row_index(_ROW, offset=1)
            .filter(pl.col(BAD))
            .head(1)
            .collect(engine="streaming")
        )
        if len(found) and (first is None or found[_ROW][0] < first[0]):
            first = found[_ROW][0], column, found["cell"][0]
    if first is None:
        return TableError(f"{source.name} changed while it was read.")
    row, column, cell = first
    kinds = {
        "number": "a number",
        "boolean": "true or false",
        "date": "a date" + (f" like {_day(column.format)}" if "%Y" in column.format else ""),
    }
    return TableError(
        f"column {column.name!r}, row {row} of {source.name}: {cell!r} is not {kinds[column.kind]}. Correct the cell, "
        "or name it in --missing to treat it as missing."
    )


def find_infinite(source: Source, target: Column, missing: tuple[str, ...]) -> TableError:
    """Return the error for the first row with an infinite target."""
    dtype = source.frame.collect_schema()[target.name]
    found = (
        source.frame.select(staged(target, dtype, missing))
        .select(values(target, dtype).alias("number"), pl.col(target.name).cast(pl.String, strict=False).alias("cell"))
        .with_row_index(_ROW, offset=1)
        .filter(pl.col("number").is_infinite())
        .head(1)
        .collect(engine="streaming")
    )
    return TableError(
        f"the target {target.name!r}, row {found[_ROW][0]} of {source.name}: {found['cell'][0]!r} is infinite. "
        "Correct the cell, or name it in --missing to leave out its row."
    )


def weights_of(source: Source, cells: pl.Series, name: str) -> np.ndarray:
    """Return sample weights; raise an error if one is missing, negative or infinite."""
    numbers = cells.cast(pl.Float64, strict=False)
    if numbers.null_count() or not bool((numbers >= 0).all()) or not bool(numbers.is_finite().all()):
        raise TableError(f"--weights: column {name!r} of {source.name} must hold a number of at least 0 in every row.")
    return numbers.to_numpy()


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that no column has yet: with a number, if need be."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _day(form: str) -> str:
    """Return the last second of 2024 in a date format."""
    return datetime(2024, 12, 31, 23, 59, 59).strftime(form)


def labels_of(target: pl.Series, kind: str) -> np.ndarray:
    """Return the target as an array: text as shared Python strings, integers as integers."""
    if kind == "category":
        codes, words = target.to_physical().to_numpy(), target.unique()
        place = np.zeros(int(codes.max()) + 1, np.int64)
        place[words.to_physical().to_numpy()] = np.arange(len(words))
        return np.array(words.cast(pl.String).to_list(), object)[place[codes]]
    found = target.to_numpy()
    if kind == "boolean":
        return found.astype(bool)
    whole = bool(np.isfinite(found).all() and (found == np.round(found)).all() and (np.abs(found) < 2.0**53).all())
    return found.astype(np.int64) if whole else found.astype(np.float64)


# --- large tables -----------------------------------------------------------------------------------------------------


LARGE = 2**28  # bytes from which a table is not read into memory


def is_large(source: Source) -> bool:
    """Whether the table is too large to read into memory."""
    return sum(path.stat().st_size for path in (source.path, *source.others)) >= LARGE


def stream_table(
    source: Source,
    columns: Sequence[Column],
    missing: tuple[str, ...],
    target: Column,
    also: Sequence[str] = (),
    doubtful: Sequence[Column] = (),
) -> tuple[Any, pl.DataFrame]:
    """Open the features of the rows with a target; also return the target and other columns, as `read_table` does."""
    from spinney.data.files.open_table import open_table

    select = selection(source, columns, missing, target, also, doubtful)
    names = [name for column in columns for name in column.features]

    def tables() -> Iterator[pl.DataFrame]:
        for part in parts_of(source):
            with scanning(source):
                table = select(part).collect(engine="streaming")
            if table[BAD].any():
                raise find_bad_cell(source, doubtful, missing)
            if len(table):
                yield table

    if source.is_text:
        folder = tempfile.TemporaryDirectory(prefix="spinney-")
        beside = []
        for k, table in enumerate(tables()):
            table.select(names).write_parquet(Path(folder.name) / f"{k:06}.parquet", compression="lz4")
            beside.append(table.drop(names, BAD))
        opened: Any = open_table(folder.name) if beside else None
        if opened is not None:
            opened.folder = folder  # removed together with the table
    else:
        beside = [table.drop(names, BAD) for table in tables()]
        opened = open_table(lambda: (table.select(names) for table in tables())) if beside else None
    return opened, pl.concat(beside) if beside else pl.DataFrame({"": []})
