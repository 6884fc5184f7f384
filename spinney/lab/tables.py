"""The tables of the lab: generated ones, well-known ones, and the user's.

In: a name and settings (columns, rows, points added by hand). Out: a `LabTable` of one of two kinds. A *plane* has two
numeric columns, which can be drawn; a table of *words* has any columns, for trees with categories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from spinney.lab.parameters import SEED, LabError, LabParameter, Values, read_values

MOST_POINTS = 500  # that can be added by hand
_FAR = 1e300  # beyond which squared distances overflow
MOST_CLASSES = 8  # as many as there are colours and shapes
_ROWS = LabParameter("rows", "rows", 150, 20, 1000, 10)


@dataclass(frozen=True)
class LabTable:
    """The input of a method."""

    name: str
    X: Any  # (rows, 2) numbers, or a pandas frame
    y: np.ndarray  # the class of each row
    names: list[str]  # of the columns
    code: list[str]  # Python code that makes X and y
    is_plane: bool = True
    has_classes: bool = True
    note: str = ""
    is_whole: bool = False  # whether AdaBoost holds out no rows: an example with known numbers

    @cached_property
    def classes(self) -> list[Any]:
        """The sorted classes."""
        return np.unique(self.y).tolist()

    @property
    def labels(self) -> list[str]:
        """The names of the classes."""
        return [one if isinstance(one, str) else f"class {one}" for one in self.classes]

    @cached_property
    def codes(self) -> np.ndarray:
        """The class index of each row."""
        return np.unique(self.y, return_inverse=True)[1].ravel()

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs."""
        found: dict[str, Any] = {
            "name": self.name,
            "names": self.names,
            "classes": self.labels if self.has_classes else [],
            "rows": self.n_rows,
            "isPlane": self.is_plane,
            "note": self.note,
        }
        if not self.is_plane:
            return found
        places = self.codes if self.has_classes else np.zeros(self.n_rows, np.int64)
        points = {"x": _short(self.X[:, 0]), "y": _short(self.X[:, 1]), "class": places.tolist()}
        return {**found, "points": points, "ranges": [list(one) for one in self.ranges]}

    @cached_property
    def ranges(self) -> list[tuple[float, float]]:
        """The ranges of the axes of a plane."""
        from spinney.view.predictions import Grid

        return Grid(self.X, (0, 1), 2).ranges


class Source:
    """A source of tables; `make(values, columns)` returns (X, y, names, code, note)."""

    def __init__(
        self,
        name: str,
        title: str,
        make: Callable[[Values, list[str]], tuple[Any, Any, list[str], list[str], str]],
        parameters: Sequence[LabParameter] = (),
        *,
        columns: Sequence[str] = (),
        is_plane: bool = True,
        has_classes: bool = True,
        is_whole: bool = False,
        has_words: bool | None = None,
    ) -> None:
        self.name, self.title, self.make, self.parameters = name, title, make, tuple(parameters)
        self.is_whole, self.has_words = is_whole, has_words  # whether all columns are words; None: for planes only
        self.columns, self.is_plane, self.has_classes = list(columns), is_plane, has_classes

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs."""
        return {
            "name": self.name,
            "title": self.title,
            "parameters": [one.as_json() for one in self.parameters],
            "columns": self.columns,
        }


class Program:
    """Python code that makes a table: the page shows the code that has run."""

    def __init__(self, *code: str, names: Sequence[str] = ("x1", "x2"), note: Any = "") -> None:
        """Take a note, or a function of what the code has made that returns one."""
        self._code, self._names, self._note = code, list(names), note

    def __call__(self, values: Values, columns: list[str]) -> Any:
        """Return X, y, the names of the columns, the code and the note."""
        numbers = ".to_numpy()" if len(columns) == 2 else ""
        code = [line.format(**values, columns=columns, numbers=numbers) for line in self._code]
        made: dict[str, Any] = {"np": np}
        exec("\n".join(code), made)  # code of this file, with values that were checked
        X = made["X"]
        names = columns or (list(X.columns) if hasattr(X, "columns") else self._names)
        return X, np.asarray(made["y"]), names, code, self._note if isinstance(self._note, str) else self._note(made)


def _left_out(made: dict[str, Any]) -> str:
    """Say how many rows have missing values."""
    n, gone = len(made["known"]), int((~made["known"]).sum())
    return f"{gone} of {n} rows with missing values are left out." if gone else ""


def _restaurant(values: Values, columns: list[str]) -> Any:
    call = f"X, y = load_restaurant({'minutes=True' if values['waiting'] == 'minutes' else ''})"
    begin = "from spinney.datasets import load_restaurant", ""
    return Program(*begin, call, 'y = np.where(y, "wait", "leave")')({}, columns)


def _noise(default: float) -> LabParameter:
    return LabParameter("noise", "noise", default, 0.0, 0.5, 0.05)


_IRIS = ["petal length (cm)", "petal width (cm)", "sepal length (cm)", "sepal width (cm)"]
_PENGUINS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
_WORDS_OF_PENGUINS = [*_PENGUINS, "island", "sex"]
_WAITING = LabParameter(
    "waiting", "waiting time", "ranges", choices=(("ranges", "in ranges"), ("minutes", "in minutes (a number)"))
)

SOURCES: dict[str, Source] = {
    one.name: one
    for one in (
        Source(
            "moons",
            "Two moons",
            Program(
                "from sklearn.datasets import make_moons",
                "",
                "X, y = make_moons({rows}, noise={noise}, random_state={random_state})",
            ),
            (_ROWS, _noise(0.25), SEED),
        ),
        Source(
            "circles",
            "Two circles",
            Program(
                "from sklearn.datasets import make_circles",
                "",
                "X, y = make_circles({rows}, noise={noise}, factor=0.5, random_state={random_state})",
            ),
            (_ROWS, _noise(0.15), SEED),
        ),
        Source(
            "blobs",
            "Blobs",
            Program(
                "from sklearn.datasets import make_blobs",
                "",
                "X, y = make_blobs({rows}, centers={centers}, cluster_std={spread}, random_state={random_state})",
            ),
            (
                _ROWS,
                LabParameter("centers", "blobs", 4, 2, 8),
                LabParameter("spread", "spread", 1.2, 0.2, 4.0, 0.1),
                SEED,
            ),
        ),
        Source(
            "iris",
            "Iris flowers",
            Program(
                "from sklearn.datasets import load_iris",
                "",
                "iris = load_iris(as_frame=True)",
                "X = iris.data[{columns!r}]{numbers}",
                "y = iris.target_names[iris.target]",
            ),
            columns=_IRIS,
            has_words=False,
        ),
        Source(
            "penguins",
            "Penguins",
            Program(
                "from spinney.datasets import load_penguins",
                "",
                "X, y = load_penguins()",
                "columns = {columns!r}",
                "known = X[columns].notna().all(axis=1)",
                "X, y = X.loc[known, columns]{numbers}, y[known].to_numpy()",
                note=_left_out,
            ),
            columns=_PENGUINS,
            has_words=False,
        ),
        Source(
            "tennis",
            "Tennis (14 days)",
            Program("from spinney.datasets import load_tennis", "", "X, y = load_tennis()"),
            is_plane=False,
            has_words=True,
        ),
        Source(
            "restaurant",
            "Restaurant (12 visits)",
            _restaurant,
            (_WAITING,),
            is_plane=False,
            has_words=True,
        ),
        Source(
            "decoy",
            "Exclusive or with a decoy",
            Program(
                "import pandas as pd",
                "random = np.random.RandomState({random_state})",
                'X = pd.DataFrame(random.randint(0, 2, ({rows}, 3)).astype(bool), columns=["A", "B", "C"])',
                'same = X["A"] == X["B"]',
                'X["C"] = np.where(random.rand({rows}) < 0.7, same, ~same)',
                'y = np.where(same, "same", "different")',
                note="Whether A and B are the same. C agrees with the answer in 70 % of the rows, A and B by "
                "themselves do not.",
            ),
            (LabParameter("rows", "rows", 200, 20, 1000, 10), SEED),
            is_plane=False,
        ),
        Source(
            "ten_points",
            "Ten points",
            Program(
                "from spinney.datasets import load_ten_points",
                "",
                "X, y = load_ten_points()",
                'X, y = X.to_numpy(), np.where(y > 0, "plus", "minus")',
            ),
            is_whole=True,
        ),
        Source(
            "eighty",
            "80 and 20 rows",
            Program(
                "X = np.array([[i, j] for i in range(5) for j in range(4)], float).repeat(5, axis=0)",
                'y = np.tile(["plus", "plus", "plus", "plus", "minus"], 20)',
                note="Four positive rows and a negative one at each of 20 places, so that no column helps.",
            ),
            is_whole=True,
        ),
        Source(
            "heart",
            "Heart (8 patients)",
            Program(
                "from spinney.datasets import load_heart",
                "",
                "X, y = load_heart()",
                "X, y = X[{columns!r}].to_numpy(float), y.to_numpy()",
            ),
            columns=["Weight", "BlockedArteries", "ChestPain"],
            is_whole=True,
        ),
        Source(
            "gaussians",
            "Two Gaussians",
            Program(
                "random = np.random.default_rng({random_state})",
                "X = 2 * random.standard_normal(({rows}, 2))",
                "X[:, 0] += np.where(np.arange({rows}) % 2, 4, -4)",
                'y = np.full({rows}, "row")',
            ),
            (_ROWS, SEED),
            has_classes=False,
        ),
        Source(
            "curve",
            "A noisy curve",
            Program(
                "random = np.random.default_rng({random_state})",
                "x = random.random({rows}) - 0.5",
                "X = np.column_stack([x, 3 * x**2 + {noise} * random.standard_normal({rows})])",
                'y = np.full({rows}, "row")',
                names=["x", "y"],
            ),
            (LabParameter("rows", "rows", 100, 20, 1000, 10), _noise(0.05), SEED),
            has_classes=False,
        ),
    )
}


def make_table(source: Source, given: Mapping[str, Any], *, plane: bool) -> LabTable:
    """Return the table of a request; `plane`: as two numeric columns."""
    values = read_values(source.parameters, given.get("tableParams") or {})
    columns = _chosen(source, given.get("columns"), plane)
    X, y, names, code, note = source.make(values, columns)
    code = ["import numpy as np", *code]
    X, y, more = _with_points(X, y, given.get("points") or [], plane and source.is_plane)
    table = LabTable(
        source.name,
        X,
        np.asarray(y),
        names,
        code + more,
        plane and source.is_plane,
        source.has_classes,
        note,
        source.is_whole,
    )
    if table.has_classes and len(table.classes) > MOST_CLASSES:
        raise LabError(f"At most {MOST_CLASSES} classes are supported, but this column has {len(table.classes)}.")
    return table


def _chosen(source: Source, columns: Any, plane: bool) -> list[str]:
    """Return the columns of a plane: the chosen ones, or the first two."""
    if not source.columns:
        return []
    if not plane:
        return _WORDS_OF_PENGUINS if source.name == "penguins" else list(source.columns)
    wanted = list(source.columns[:2]) if not columns else list(columns)
    if len(wanted) != 2 or wanted[0] == wanted[1] or any(one not in source.columns for one in wanted):
        raise LabError(f"Choose two different columns of {', '.join(map(str, source.columns[:8]))}.")
    return [str(one) for one in wanted]


def _with_points(X: Any, y: Any, points: Any, plane: bool) -> tuple[Any, Any, list[str]]:
    """Return the table with points added by hand, each [x, y, class index]."""
    if not points or not plane:
        return X, y, []
    if not isinstance(points, list) or len(points) > MOST_POINTS:
        raise LabError(f"At most {MOST_POINTS} points can be added.")
    classes = np.unique(y).tolist()
    places, labels = [], []
    for one in points:
        well = isinstance(one, list) and len(one) == 3 and all(isinstance(v, int | float) for v in one)
        if not well or not all(abs(v) < _FAR for v in one[:2]) or one[2] not in range(len(classes)):
            raise LabError("A point must be two finite numbers and a class index.")
        places.append([float(one[0]), float(one[1])])
        labels.append(classes[int(one[2])])
    code = ["# points added by hand", f"X = np.vstack([X, {places!r}])", f"y = np.append(y, {labels!r})"]
    return np.vstack([X, places]), np.append(y, labels), code


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]


# ----------------------------------------------------------------------------------------------------------------------
# Held-out rows: 30 % of the rows, to evaluate pruning, boosting and combinations.


CODE = [
    "from sklearn.model_selection import train_test_split",
    "train, held = train_test_split(np.arange(len(y)), test_size=0.3, random_state={seed})  # to fit, to evaluate",
]


class Parts(NamedTuple):
    """Rows that a model is fitted on, and rows that it is evaluated on."""

    train: np.ndarray
    held: np.ndarray


def hold_out(table: LabTable, seed: int) -> Parts:
    """Split the rows."""
    if table.n_rows < 8:
        raise LabError(
            f"This method holds out rows and needs at least 8, but the table has {table.n_rows}. Choose more rows."
        )
    train, held = train_test_split(np.arange(table.n_rows), test_size=0.3, random_state=seed)
    if table.has_classes and len(np.unique(table.y[train])) < len(table.classes):
        raise LabError("A class has no training rows left. Choose more rows, or another seed.")
    return Parts(np.sort(train), np.sort(held))


def hold_out_unless_whole(table: LabTable, seed: int) -> Parts:
    """Split the rows; of examples with known numbers, hold none out."""
    return Parts(np.arange(table.n_rows), np.arange(0)) if table.is_whole else hold_out(table, seed)


def code_of(seed: int, is_whole: bool = False) -> list[str]:
    """Return Python code that splits the rows."""
    if is_whole:
        return ["train = np.arange(len(y))  # all rows"]
    return [*(line.format(seed=seed) for line in CODE), "train, held = np.sort(train), np.sort(held)"]
