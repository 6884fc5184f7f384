"""One's own table: text of a CSV file in, a `Source` out, which then serves as any other table of the lab.

Files stay in this process, under a digest of what they hold; the page sends a file once and names it by
its digest afterwards.
"""

from __future__ import annotations

import csv
import io
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np

from spinney.lab.parameters import LabError, Values
from spinney.lab.tables import MOST_CLASSES, Source

MOST_ROWS = 1000  # that the lab draws: of more, so many are taken
_MOST_COLUMNS = 30
_KEPT = 8  # files


class OwnTables:
    """The files of this session, by their digests."""

    def __init__(self) -> None:
        self._frames: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def add(self, text: str) -> dict[str, Any]:
        """Keep a file; what the page needs to know of it."""
        frame = read_csv(text)
        key = blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
        with self._lock:
            self._frames[key] = frame
            self._frames.move_to_end(key)
            while len(self._frames) > _KEPT:
                self._frames.popitem(last=False)
        return {"id": key, **describe(frame)}

    def source(self, given: Mapping[str, Any], *, plane: bool) -> Source:
        """The table with its columns chosen."""
        return _source(*self._find(given), plane)

    def is_plane(self, given: Mapping[str, Any]) -> bool:
        """Whether the table has two columns of numbers beside its class."""
        return len(_numbers(*self._find(given))) >= 2

    def _find(self, given: Mapping[str, Any]) -> tuple[Any, str]:
        """The frame, and its class column."""
        with self._lock:
            frame = self._frames.get(str(given.get("own")))
        if frame is None:
            raise LabError("This table was somebody's own file, and the lab does not have it: load the file again.")
        target = given.get("target") or describe(frame)["target"]
        if target not in frame.columns:
            raise LabError(f"Choose a class column: this table has no column {target!r:.60}.")
        return frame, str(target)


def read_csv(text: str) -> Any:
    """A frame of text; columns of words stay words."""
    import pandas as pd

    if not text.strip():
        raise LabError("The table is empty: paste lines of values with commas between them, names first.")
    try:
        separator = csv.Sniffer().sniff("\n".join(text.splitlines()[:20]), delimiters=",;\t|").delimiter
    except csv.Error:
        separator = ","
    try:
        frame = pd.read_csv(io.StringIO(text), sep=separator)
    except (ValueError, OverflowError, RecursionError) as error:  # pandas' own are ValueErrors
        raise LabError(f"This cannot be read as CSV: {str(error).splitlines()[0]:.200}") from error
    frame.columns = [str(one).strip() for one in frame.columns]
    if frame.shape[0] < 2 or frame.shape[1] < 2:
        raise LabError("A table needs two rows and two columns at least, and a first line with their names.")
    if frame.shape[1] > 200 or len(set(frame.columns)) < frame.shape[1]:
        raise LabError("Columns must have different names, and there can be at most 200 of them.")
    return frame


def describe(frame: Any) -> dict[str, Any]:
    """Columns of numbers, columns that can be classes, and the likeliest of these."""
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "iuf"]
    classes = [name for name in frame.columns if 2 <= frame[name].nunique() <= MOST_CLASSES]
    if not classes:
        raise LabError(f"No column has from 2 to {MOST_CLASSES} different values and so could be the class.")
    words = [name for name in classes if name not in numbers]
    target = words[-1] if words else classes[-1]
    columns = [name for name in numbers if name != target]
    return {"rows": len(frame), "numbers": numbers, "targets": classes, "target": target, "columns": columns}


def _numbers(frame: Any, target: str) -> list[str]:
    return [name for name in describe(frame)["numbers"] if name != target]


def _source(frame: Any, target: str, plane: bool) -> Source:
    columns = _numbers(frame, target)
    if plane and len(columns) < 2:
        raise LabError("A picture needs two columns of numbers beside the class: this table has fewer.")

    def make(values: Values, chosen: list[str]) -> tuple[Any, Any, list[str], list[str], str]:
        names = chosen if plane else [name for name in frame.columns if name != target][:_MOST_COLUMNS]
        kept, note = _rows(frame, [*names, target])
        X, y = kept[names], kept[target].to_numpy()
        y = y.astype(str) if y.dtype.kind == "O" else y
        if len(np.unique(y)) < 2:
            raise LabError(f"The rows without missing values have only one class in {target!r:.60}.")
        return (X.to_numpy(dtype=np.float64) if plane else X), y, names, _code(kept, names, target, plane), note

    return Source("own", "One's own table", make, columns=columns if plane else ())


def _rows(frame: Any, names: list[str]) -> tuple[Any, str]:
    """Rows that can be drawn, and no more than can be seen."""
    numbers = [name for name in names if frame[name].dtype.kind == "f"]
    kept = frame[names].copy()
    kept[numbers] = kept[numbers].replace([np.inf, -np.inf], np.nan)
    kept = kept.dropna()
    notes = [f"{len(frame) - len(kept)} rows with missing values are left out."] if len(kept) < len(frame) else []
    if not len(kept):
        raise LabError("No row has a value in all columns that are needed.")
    if len(kept) > MOST_ROWS:
        notes.append(f"The lab takes {MOST_ROWS} of {len(kept)} rows, drawn at random.")
        kept = kept.sample(MOST_ROWS, random_state=0)
    return kept.reset_index(drop=True), " ".join(notes)


def _code(kept: Any, names: list[str], target: str, plane: bool) -> list[str]:
    """The rows themselves, so that the code needs no file."""
    text = kept.to_csv(index=False).rstrip("\n").replace("\r", " ")
    number = ".to_numpy(dtype=float)" if plane else ""
    words = ".astype(str)" if kept[target].dtype.kind not in "iufb" else ""
    keep = ", keep_default_na=False" if any(kept[name].dtype.kind == "O" for name in names) else ""
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
