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
    needs_classes: bool
    default: str  # default table
    parameters: tuple[LabParameter, ...]
    steps: _Steps
    code: _Code
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


def _committee(name: str, steps: _Steps, code: _Code) -> Method:
    titles, about, parameters = committee.TITLES[name], committee.ABOUT[name], committee.PARAMETERS[name]
    return Method(name, titles, about, PLANE, True, "moons", parameters, steps, code)


def _plane(name: str, module: Any, default: str = "moons", needs_classes: bool = True) -> Method:
    about, parameters = module.ABOUT, module.PARAMETERS
    return Method(name, module.TITLE, about, PLANE, needs_classes, default, parameters, module.steps, module.code)


_ALL = (
    Method("tree", tree.TITLE, tree.ABOUT, ANY, True, "moons", tree.PARAMETERS, tree.steps, tree.code),
    Method(
        "optimal",
        optimal.TITLE,
        optimal.ABOUT,
        ANY,
        True,
        "decoy",
        optimal.PARAMETERS,
        optimal.steps,
        optimal.code,
    ),
    Method(
        "id3",
        classic.ID3_TITLE,
        classic.ID3_ABOUT,
        WORDS,
        True,
        "restaurant",
        classic.ID3_PARAMETERS,
        classic.id3_steps,
        classic.id3_code,
        only_words=True,
    ),
    Method(
        "c45",
        classic.C45_TITLE,
        classic.C45_ABOUT,
        WORDS,
        True,
        "tennis",
        classic.C45_PARAMETERS,
        classic.c45_steps,
        classic.c45_code,
    ),
    _plane("pruning", pruning),
    _committee("bagging", committee.bagging_steps, committee.code_bagging),
    _committee("forest", committee.forest_steps, committee.code_forest),
    _committee("extra_trees", committee.extra_trees_steps, committee.code_extra_trees),
    _plane("adaboost", adaboost),
    _plane("boosting", boosting, "curve", needs_classes=False),
    Method(
        "voting",
        combining.VOTING_TITLE,
        combining.VOTING_ABOUT,
        PLANE,
        True,
        "moons",
        combining.VOTING_PARAMETERS,
        combining.voting_steps,
        combining.voting_code,
    ),
    Method(
        "stacking",
        combining.STACKING_TITLE,
        combining.STACKING_ABOUT,
        PLANE,
        True,
        "moons",
        combining.STACKING_PARAMETERS,
        combining.stacking_steps,
        combining.stacking_code,
    ),
    _plane("kmeans", kmeans, "blobs", needs_classes=False),
    _plane("em", mixture, "blobs", needs_classes=False),
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
