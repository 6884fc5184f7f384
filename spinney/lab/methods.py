"""All methods of the lab, in the order of the page.

`METHODS` maps names to titles, the tables that a method accepts, its parameters, steps and code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from spinney.lab import adaboost, boosting, classic, combining, committee, kmeans, mixture, optimal, pruning, tree
from spinney.lab.panels import Step
from spinney.lab.parameters import LabParameter, Values
from spinney.lab.tables import SOURCES, LabTable, Source

_Steps = Callable[[LabTable, Values], list[Step]]
_Code = Callable[[LabTable, Values, int], list[str]]
PLANE, WORDS, ANY = "plane", "words", "any"  # the kinds of tables that a method accepts


class Method(NamedTuple):
    """One method."""

    name: str
    title: str
    about: str
    kind: str  # of the tables it accepts: planes, tables of any columns, or both
    default: str  # default table
    parameters: tuple[LabParameter, ...]
    steps: _Steps
    code: _Code
    needs_classes: bool = True
    only_words: bool = False  # of tables of any columns, those whose columns all hold words

    def suits(self, source: Source) -> bool:
        """Whether the page offers a table."""
        if self.needs_classes and not source.has_classes:
            return False
        if self.kind == WORDS:
            return source.has_words is not None and (source.has_words or not self.only_words)
        return source.is_plane or self.kind == ANY

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs."""
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "kind": self.kind,
            "tables": [name for name, one in SOURCES.items() if self.suits(one)],
            "default": self.default,
            "parameters": [one.as_json() for one in self.parameters],
        }


def _method(name: str, module: Any, kind: str = PLANE, default: str = "moons", **more: Any) -> Method:
    """Return a method of a file; files of several methods have dicts by name."""
    found = (getattr(module, what) for what in ("TITLE", "ABOUT", "PARAMETERS", "steps", "code"))
    title, about, parameters, steps, code = (one[name] if isinstance(one, dict) else one for one in found)
    return Method(name, title, about, kind, default, parameters, steps, code, **more)


_ALL = (
    _method("tree", tree, ANY),
    _method("optimal", optimal, ANY, "decoy"),
    _method("id3", classic, WORDS, "restaurant", only_words=True),
    _method("c45", classic, WORDS, "tennis"),
    _method("pruning", pruning),
    _method("bagging", committee),
    _method("forest", committee),
    _method("extra_trees", committee),
    _method("adaboost", adaboost),
    _method("boosting", boosting, default="curve", needs_classes=False),
    _method("voting", combining),
    _method("stacking", combining),
    _method("kmeans", kmeans, default="blobs", needs_classes=False),
    _method("em", mixture, default="blobs", needs_classes=False),
)
METHODS: dict[str, Method] = {one.name: one for one in _ALL}


class Preset(NamedTuple):
    """An example from a lecture: a method, a table and parameters."""

    title: str
    method: str
    table: str
    params: Values = {}  # noqa: RUF012  never changed
    table_params: Values = {}  # noqa: RUF012

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs."""
        found: dict[str, Any] = {"title": self.title, "method": self.method, "table": self.table}
        return {**found, "params": self.params, "tableParams": self.table_params}


_STUMPS = {"max_depth": 1, "learning_rate": 1.0}
PRESETS: tuple[Preset, ...] = (
    Preset("Restaurant: information gain", "id3", "restaurant"),
    Preset("Restaurant: thresholds of the minutes", "c45", "restaurant", {}, {"waiting": "minutes"}),
    Preset("Tennis: ID3", "id3", "tennis"),
    Preset("Exclusive or with a decoy: greedy and optimal", "optimal", "decoy"),
    Preset("Ten points: three rounds of AdaBoost", "adaboost", "ten_points", {**_STUMPS, "n_estimators": 3}),
    Preset("80 and 20 rows: one round of AdaBoost", "adaboost", "eighty", {**_STUMPS, "n_estimators": 1}),
    Preset("Heart: a stump and its weight", "adaboost", "heart", {**_STUMPS, "n_estimators": 1}),
    Preset(
        "EM: responsibilities at x = 0",
        "em",
        "gaussians",
        {"n_components": 2, "covariance_type": "spherical", "init_params": "given"},
        {"rows": 1000},
    ),
)
