"""The user's table: bytes of a file in, a `Source` out, like any other table of the lab.

It is read like tables of the command line (spinney/tables), with the same types, left-out columns and errors.

Files stay in this process under a digest of their contents. The page sends a file once and then refers to its digest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from spinney.lab.parameters import LabError, Values
from spinney.lab.tables import MOST_CLASSES, Source
from spinney.tables.errors import TableError
from spinney.tables.files import open_bytes
from spinney.tables.kinds import MISSING
from spinney.tables.reading import read_table, survey

MOST_ROWS = 1000  # that the lab uses: of larger tables, a random sample
_MOST_COLUMNS = 30
_MOST_READ = 200
_KEPT = 8  # files


class OwnTables:
    """The files of this session, by digest."""

    def __init__(self) -> None:
        self._frames: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def add(self, content: bytes | str) -> dict[str, Any]:
        """Keep a file; return what the page needs."""
        content = content.encode("utf-8", "replace") if isinstance(content, str) else content
        frame, notes = read_own(content)
        key = blake2b(content, digest_size=12).hexdigest()
        with self._lock:
            self._frames[key] = frame
            self._frames.move_to_end(key)
            while len(self._frames) > _KEPT:
                self._frames.popitem(last=False)
        return {"id": key, **describe(frame), "notes": notes}

    def source(self, given: Mapping[str, Any], *, plane: bool) -> Source:
        """Return the table with its chosen columns."""
        return _source(*self._find(given), plane)

    def is_plane(self, given: Mapping[str, Any]) -> bool:
        """Whether the table has two numeric columns besides its class."""
        return len(_numbers(*self._find(given))) >= 2

    def _find(self, given: Mapping[str, Any]) -> tuple[Any, str]:
        """Return the frame and its class column."""
        with self._lock:
            frame = self._frames.get(str(given.get("own")))
        if frame is None:
            raise LabError("This table is a file that the lab does not have. Load the file again.")
        target = given.get("target") or describe(frame)["target"]
        if target not in frame.columns:
            raise LabError(f"This table has no column {target!r:.60}. Choose a class column.")
        return frame, str(target)


def read_own(content: bytes) -> tuple[Any, list[str]]:
    """Return a pandas frame of the bytes of a file, and notes. Text columns stay text."""
    if not content.strip():
        raise LabError("The table is empty. Paste comma-separated lines, with the column names in the first.")
    try:
        source = open_bytes(content, "the table")
        found = survey(source, MISSING, {})
        columns = [one for one in found.columns if not one.out]
        table = read_table(source, columns, MISSING)
    except TableError as error:
        raise LabError(f"{str(error)[:1].upper()}{str(error)[1:]}") from None
    if len(table) < 2 or len(found.columns) < 2:
        raise LabError("A table needs at least two rows and two columns, and a first line with the column names.")
    if len(found.columns) > _MOST_READ:
        raise LabError(f"At most {_MOST_READ} columns are supported, but this table has {len(found.columns)}.")
    notes = [*source.notes, *(f"{one.name!r}: {one.note}" for one in columns if one.note)]
    notes += [f"{one.name!r} is left out: {one.out}" for one in found.columns if one.out]
    return _as_pandas(table), notes


def _as_pandas(table: Any) -> Any:
    """Convert to pandas without pyarrow: integers to int64 if none is missing, text to Python strings."""
    import pandas as pd

    found = {}
    for column in table.get_columns():
        dtype = column.dtype
        if dtype.is_float() or (dtype.is_integer() and column.null_count()):
            found[column.name] = column.cast(pl.Float64).to_numpy()
        elif dtype.is_integer():
            found[column.name] = column.cast(pl.Int64).to_numpy()
        elif dtype == pl.Boolean and not column.null_count():
            found[column.name] = column.to_numpy()
        else:
            words = column.replace_strict({True: "true", False: "false"}) if dtype == pl.Boolean else column
            found[column.name] = np.array([*words.cast(pl.String).to_list(), None], object)[:-1]
    return pd.DataFrame(found)


def describe(frame: Any) -> dict[str, Any]:
    """Return the numeric columns, the columns that can be classes, and the likeliest of these."""
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "iuf"]
    classes = [name for name in frame.columns if 2 <= frame[name].nunique() <= MOST_CLASSES]
    if not classes:
        raise LabError(f"No column can be the class, which needs 2 to {MOST_CLASSES} different values.")
    words = [name for name in classes if name not in numbers]
    target = words[-1] if words else classes[-1]
    columns = [name for name in numbers if name != target]
    return {"rows": len(frame), "numbers": numbers, "targets": classes, "target": target, "columns": columns}


def _numbers(frame: Any, target: str) -> list[str]:
    return [name for name in describe(frame)["numbers"] if name != target]


def _source(frame: Any, target: str, plane: bool) -> Source:
    columns = _numbers(frame, target)
    if plane and len(columns) < 2:
        raise LabError("This method needs two numeric columns besides the class, but this table has fewer.")

    def make(values: Values, chosen: list[str]) -> tuple[Any, Any, list[str], list[str], str]:
        names = chosen if plane else [name for name in frame.columns if name != target][:_MOST_COLUMNS]
        kept, note = _rows(frame, [*names, target])
        X, y = kept[names], kept[target].to_numpy()
        y = y.astype(str) if y.dtype.kind == "O" else y
        if len(np.unique(y)) < 2:
            raise LabError(
                f"The rows without missing values have only one class in {target!r:.60}. Choose another class column."
            )
        return (X.to_numpy(dtype=np.float64) if plane else X), y, names, _code(kept, names, target, plane), note

    return Source("own", "Your own table", make, columns=columns if plane else ())


def _rows(frame: Any, names: list[str]) -> tuple[Any, str]:
    """Return the rows without missing values, or a random sample of them, and notes."""
    numbers = [name for name in names if frame[name].dtype.kind == "f"]
    kept = frame[names].copy()
    kept[numbers] = kept[numbers].replace([np.inf, -np.inf], np.nan)
    kept = kept.dropna()
    notes = [f"{len(frame) - len(kept)} rows with missing values are left out."] if len(kept) < len(frame) else []
    if not len(kept):
        raise LabError("No row has a value in all chosen columns.")
    if len(kept) > MOST_ROWS:
        notes.append(f"A random sample of {MOST_ROWS} of {len(kept)} rows is used.")
        kept = kept.sample(MOST_ROWS, random_state=0)
    return kept.reset_index(drop=True), " ".join(notes)


def _code(kept: Any, names: list[str], target: str, plane: bool) -> list[str]:
    """Return code that contains the rows, so that it needs no file."""
    text = kept.to_csv(index=False).rstrip("\n").replace("\r", " ")
    number = ".to_numpy(dtype=float)" if plane else ""
    words = ".astype(str)" if kept[target].dtype.kind not in "iufb" else ""
    strings = {name: "str" for name in [*names, target] if kept[name].dtype.kind not in "iufb"}
    keep = f", dtype={strings!r}, keep_default_na=False" if strings else ""
    return [
        "import io",
        "",
        "import pandas as pd",
        "",
        "lines = [",
        *(f"    {line!r}," for line in text.split("\n")),
        "]",
        f'table = pd.read_csv(io.StringIO("\\n".join(lines)){keep})',
        f"X, y = table[{names!r}]{number}, table[{target!r}]{words}.to_numpy()" + (".astype(str)" if words else ""),
    ]
