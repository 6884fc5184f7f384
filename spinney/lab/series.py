"""A request in, its series of steps out; each series is fitted once and kept.

A request is an object: `method`, `params`, `table`, `tableParams`, `columns`, `points`, and for the user's table `own`
and `target`.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits

from spinney._distribution import install_command
from spinney.lab.methods import ANY, METHODS, PLANE, PRESETS, Method
from spinney.lab.own_table import OwnTables
from spinney.lab.parameters import LabError, Values, read_values
from spinney.lab.tables import SOURCES, LabTable, Source, make_table
from spinney.view.figures import class_colours

_ASKED = ("method", "params", "table", "tableParams", "columns", "points", "own", "target")
_KEPT = 48  # series


class Lab:
    """The state between requests: tables, and series of steps."""

    def __init__(self) -> None:
        self.own = OwnTables()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()  # for the kept series
        self._fitting = Lock()  # one fit at a time, since each uses all cores

    @staticmethod
    def about() -> dict[str, Any]:
        """Return what the page is made from: methods, tables, colours."""
        return {
            "methods": [one.as_json() for one in METHODS.values()],
            "tables": [one.as_json() for one in SOURCES.values()],
            "presets": [one.as_json() for one in PRESETS],
            "colours": class_colours(8),
        }

    def series(self, request: Any) -> bytes:
        """Return all steps of a request, as JSON."""
        key = _key(request)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with self._fitting, threadpool_limits(1, "blas"):  # tables are small: BLAS's threads only wait for one another
            method, table, values = self._read(request)
            found = {"table": table.as_json(), "steps": method.steps(table, values)}
        answer = json.dumps(found, separators=(",", ":"), allow_nan=False, default=_plain).encode()
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return answer

    def code(self, request: Any, at: Any) -> str:
        """Return one step as Python code."""
        n_steps = len(json.loads(self.series(request))["steps"])
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < n_steps:
            raise LabError(f"step must be an integer from 0 to {n_steps - 1}, got {at!r:.40}.")
        with self._fitting:
            return write(*self._read(request), at)

    def _read(self, request: Any) -> tuple[Method, LabTable, Values]:
        if not isinstance(request, Mapping):
            raise LabError("A request must be an object with a method and a table.")
        method = METHODS.get(str(request.get("method")))
        if method is None:
            raise LabError(f"method must be one of {', '.join(METHODS)}, got {request.get('method')!r:.40}.")
        values = read_values(method.parameters, request.get("params") or {})
        plane = method.kind == PLANE or (method.kind == ANY and self._is_plane(request))
        table = make_table(self._source(request, method, plane), request, plane=plane)
        if method.kind == PLANE and not table.is_plane:
            raise LabError(f"{method.title} needs two numeric columns. Choose another table.")
        if method.needs_classes and (not table.has_classes or len(table.classes) < 2):
            raise LabError(f"{method.title} needs at least two classes. Choose another table.")
        return method, table, values

    def _is_plane(self, request: Mapping[str, Any]) -> bool:
        """Whether a method for both kinds of tables is drawn on a plane."""
        return request.get("table") != "own" or self.own.is_plane(request)

    def _source(self, request: Mapping[str, Any], method: Method, plane: bool) -> Source:
        name = request.get("table") or method.default
        if name == "own":
            return self.own.source(request, plane=plane)
        if name not in SOURCES:
            raise LabError(f"table must be one of {', '.join([*SOURCES, 'own'])}, got {name!r:.40}.")
        return SOURCES[name]


def _key(request: Any) -> str:
    asked = {name: request.get(name) for name in _ASKED} if isinstance(request, Mapping) else None
    return json.dumps(asked, sort_keys=True)


def _plain(value: Any) -> Any:
    """Convert NumPy values for JSON."""
    return value.tolist()


# ----------------------------------------------------------------------------------------------------------------------
# Python code that reproduces a step: table, model, numbers and figure.
#
# In: a method, its table and parameters, and the number of the step. Out: a program that runs without changes.


def write(method: Method, table: LabTable, values: Values, at: int) -> str:
    """Return the program of one step."""
    body = method.code(table, values, at)
    *others, last = body
    picture = [f"plt.figure(figsize=({'13, 7' if last.startswith('plot_tree') else '7, 5.5'}))", last, "plt.show()"]
    if last.startswith(("plot_adaboost", "plot_residual", "plot_kmeans", "plot_em")):  # these make their own figures
        picture = picture[1:]
    lines = [*table.code, *others]
    imports = sorted(
        {line for line in lines if line.startswith(("import ", "from "))},
        key=lambda line: (_home(line), line.startswith("from"), line),
    )
    rest = [line for line in lines if line and not line.startswith(("import ", "from "))]
    return "\n".join(
        [
            f"# {method.title}, {table.name}: step {at + 1}, as the lab shows it",
            *_blocks(imports),
            "",
            *rest,
            "print(step)",
            "",
            "try:",
            "    import matplotlib.pyplot as plt",
            "except ImportError:",
            f"    print({'for the figure: ' + install_command('plot')!r})",
            "else:",
            *(f"    {line}" for line in picture),
            "",
        ]
    )


def _home(line: str) -> int:
    """Order of imports: standard library, other libraries, Spinney."""
    module = line.split()[1].split(".")[0]
    return 0 if module in ("copy", "io", "warnings") else 2 if module == "spinney" else 1


def _blocks(imports: list[str]) -> list[str]:
    """Return imports with a blank line between their groups."""
    found: list[str] = []
    for place, line in enumerate(imports):
        if place and _home(line) != _home(imports[place - 1]):
            found.append("")
        found.append(line)
    return found
