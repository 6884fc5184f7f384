"""Trees as functions of a programming language: what Python's and C's sources have in common.

In: a `Formula` and a `Language`. Out: lines of functions, one per tree, and the functions around them, which are fixed
texts of the language (runtime_python.txt, runtime_c.txt). Trees too deep for nested blocks are cut into several
functions. Where rows go several ways at once (C4.5's missing values) there is a function for every node.

Trees are nested blocks and not tables of numbers, which take 1.7 times as long in C and 1.9 times in Python.

No text of the user's (names, categories, classes) enters a source but through a literal or `Language.remark`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spinney.ensemble.conformal import Guarantee
from spinney.tree.decision import BRANCHES, SET, DecisionTree
from spinney.tree.formula import Formula, single_formula
from spinney.tree.links import LinkFunction
from spinney.tree.questions import IN_SET, IS_MISSING, Questions, read_questions, spreads

_DEEPEST = 40  # nested blocks of a function
_SHOWN = 5  # categories of a set that a remark names
_C_NAMES = "c_names.txt"
# sections that others call, each after those it calls
_HELPERS = ("exp", "log", "rounded", "greatest", "softly", "size", "deviation", "keep")


@cache
def _taken() -> frozenset[str]:
    """Names that a function cannot have in C, or would take away from the Python module that it stands in."""
    text = (files("spinney.io") / _C_NAMES).read_text(encoding="ascii")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split()) | {*dir(builtins), "math"}


@cache
def _sections(file: str) -> dict[str, str]:
    """The functions around the trees by name; each follows a line `==== name`."""
    _, *parts = re.split("^==== (.+)$", (files("spinney.io") / file).read_text(encoding="ascii"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2]))


class Spot(NamedTuple):
    """A node of a tree whose rows may go several ways."""

    column: int  # -1: a leaf
    threshold: float
    children: list[str]  # names of the functions of all branches
    shares: list[tuple[str, float, float]]  # (function, weight of the branch, weight of all) for missing values
    by_branch: bool
    node: int  # in the store
    members: list[int] | None  # the categories that go to the first branch, if it asks about a set


class Language:
    """How a language says things. What is written here is Python's."""

    runtime: ClassVar[str]  # the file of the functions around the trees
    link_body: ClassVar[str]  # the field of `OfAll` with its text
    functions: ClassVar[Mapping[str, str]]  # names of the functions of links
    scale: ClassVar[str]
    second: ClassVar[Mapping[str, str]]  # when it is the second class, by `Formula.second_from`
    either, unless, end = " or ", "not %s", ""
    when, otherwise, or_when = "if %s:", "else:", "elif %s:"
    constant, spread_head = "", "def %s(x, part, out):"
    close: tuple[str, ...] = ()  # of a block
    idle: tuple[str, ...] = ()  # of a function that asks nothing
    no_leaf: tuple[str, ...] = ("    pass",)  # where nothing is added
    no_way: tuple[str, ...] = ("        pass",)  # where no branch has weight

    def __init__(self, formula: Formula, name: str, prefix: str, guarantee: Guarantee | None) -> None:
        self.formula, self.name, self.prefix = formula, name, prefix  # of the function, and of all names not public
        self.guarantee = guarantee  # of intervals or sets, if there are any

    @property
    def texts(self) -> dict[str, str]:
        return _sections(self.runtime)

    def fill(self, text: str) -> str:
        """A text with the names of this source."""
        return re.sub("NAME_|PREDICT", lambda found: self.prefix if found[0] == "NAME_" else self.name, text).strip(
            "\n"
        )

    def number(self, value: float) -> str:
        raise NotImplementedError

    def remark(self, text: str) -> str:
        raise NotImplementedError

    def head(self, name: str) -> str:
        raise NotImplementedError

    def give(self, end: int, node: int) -> str:
        raise NotImplementedError

    def one_of(self, column: int, members: Sequence[int]) -> str:
        raise NotImplementedError

    def switch(self, children: Sequence[str]) -> list[str]:
        raise NotImplementedError

    def with_terms(self, node: int) -> str:
        """What a leaf adds to one raw score: its value, and the terms of a linear leaf."""
        # terms are added up from the left, as `add_terms` in tree/descend.py does
        terms = self.formula.forest.terms.of(node)
        calls = [f"{self.prefix}term(x[{j}], {', '.join(map(self.number, line))})" for j, line in terms]
        value = self.number(float(self.formula.values[node, 0]))
        return f"{value} + ({' + '.join(['0.0', *calls])})" if calls else value

    def is_missing(self, column: int) -> str:
        return f"x[{column}] != x[{column}]"

    def up_to(self, column: int, threshold: float, missing_yes: bool) -> str:
        number = self.number(threshold)
        return self.unless % f"x[{column}] > {number}" if missing_yes else f"x[{column}] <= {number}"

    def in_set(self, column: int, members: Sequence[int], missing_yes: bool) -> str:
        known = self.one_of(column, members)
        return f"{known}{self.either}{self.is_missing(column)}" if missing_yes else known

    def spread(self, name: str, spot: Spot) -> list[str]:
        """The function of a node whose rows may go several ways."""
        head, end = self.spread_head % name, self.end
        if spot.column < 0:
            says = enumerate(self.formula.adds(spot.node))
            adds = [f"    out[{c}] += part * {self.number(value)}{end}" for c, value in says if value]
            return [head, *self.idle, *(adds or self.no_leaf), *self.close]
        shares = [(f, self.number(a), self.number(b)) for f, a, b in spot.shares]
        ways = [f"        {f}(x, part * {a} / {b}, out){end}" for f, a, b in shares]
        column = self.formula.schema.columns[spot.column]
        about = "" if column.name is None else self.remark(repr(str(column.name)))
        lines = [
            head,
            f"    {self.constant}value = x[{spot.column}]{end}{about}",
            f"    {self.when % 'value != value'}",
        ]
        lines += ways or self.no_way
        last = [*(f"    {one}" for one in self.close), *self.close]
        if spot.by_branch:
            return [*lines, f"    {self.otherwise}", *self.switch(spot.children), *last]
        yes, no = spot.children
        test = f"value <= {self.number(spot.threshold)}"
        test = test if spot.members is None else self.in_set(spot.column, spot.members, False)
        lines += [f"    {self.or_when % test}", f"        {yes}(x, part, out){end}"]
        return [*lines, f"    {self.otherwise}", f"        {no}(x, part, out){end}", *last]


def read_small(model: Any, name: str, max_nodes: int, writer: str) -> Formula:
    """The formula of a model of few nodes, and a name that both languages take."""
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        raise ValueError(f"name must be an identifier of ASCII letters, digits and underscores, got {name!r}.")
    if name in _taken() or name.startswith("_") or "__" in f"{name}_":
        own = f"model_{name.strip('_')}".replace("__", "_")
        raise ValueError(
            f"name must not be {name!r}, which is taken or reserved in C, its library or Python. Use another, such as "
            f"{own!r}."
        )
    formula = single_formula(model, may_be_linear=True)
    n_nodes = formula.forest.n_nodes
    if n_nodes > max_nodes:
        raise ValueError(
            f"this {formula.model} has {n_nodes:,} nodes, but {writer} writes at most max_nodes={max_nodes:,}. "
            "Increase max_nodes if the source may be that long, or use to_onnx, which is made for large models."
        )
    return formula


def plain(value: Any) -> Any:
    """A label or number as one of Python's own, which sources can be written from."""
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"classes must be numbers, strings or Booleans to be exported, got {type(value).__name__}.")


def answer_parts(language: Language) -> list[str]:
    """All functions from a row as trees compare it to predictions."""
    formula, texts = language.formula, language.texts
    link = formula.response
    found = [texts[name] for name in [*_needed(formula), *_guaranteed(language)]]
    if link.of_all is not None:
        found = [part.replace("BODY", getattr(link.of_all, language.link_body)) for part in found]
    found = [part.replace("SECOND", language.second[formula.second_from]) for part in found]
    if language.guarantee is not None:
        level, size = f"{float(language.guarantee.level):g}", _size(language.guarantee)
        found = [part.replace("LEVEL", level).replace("SIZE", size) for part in found]
    if any("NAME_response(" in part for part in found):
        found.insert(0, texts["response"].replace("RESPONSE", link.write(language.functions, language.scale)))
    if not formula.is_single:
        found = [part.replace("NAME_rounded(", "(") for part in found]
    text = "".join(found)
    return [texts[name] for name in _HELPERS if name in texts and f"NAME_{name}(" in text] + found


def _needed(formula: Formula) -> list[str]:
    """Names of `Texts.parts`."""
    spread, link = spreads(formula.forest), formula.response
    if formula.majority is not None and not spread:
        return ["majority" if formula.n_outputs == 1 else "majorities"]
    if link.name == "median":
        return ["median"]
    raw = "raw in turn" if formula.values.shape[1] == 1 else "raw"
    if spread and formula.confidence is not None:
        raw = "raw by confidence"
    elif spread:
        raw = "raw spread" if formula.votes is None else "raw of votes"
    scores = "scores" if link.divides else "undivided"
    if link.name == "margin":
        scores = "discrete" if formula.discrete else "margin"
    return [raw, scores, *_predictions(formula, link)]


def _predictions(formula: Formula, link: LinkFunction) -> list[str]:
    if link.name == "depth":
        return ["depth"]
    if not formula.is_class:
        return ["number" if formula.n_outputs == 1 else "numbers"]
    if formula.n_outputs > 1:
        return ["shares of many"]
    if link.of_all is not None:
        return ["of all", "second" if link.name == "margin" else "largest"]
    if formula.n_scores > 1 or link.name == "shares":
        return ["each class", "largest"]
    return ["second"] if link.name == "hinge" else ["two classes", "second"]


def _guaranteed(language: Language) -> list[str]:
    """Names of the sections of intervals or sets."""
    kept = language.guarantee
    if kept is None:
        return []
    return ["set" if language.formula.is_class else "interval" if kept.residuals is None else "jackknife+"]


def _size(kept: Guarantee) -> str:
    """What the width of an interval is proportional to; x is the prediction."""
    return "1.0" if kept.spread is None else "NAME_deviation(row)" if isinstance(kept.spread, str) else "NAME_size(x)"


def tree_functions(language: Language) -> tuple[list[str], list[str], np.ndarray]:
    """(lines, name of each tree's function, node of the store that each end is)."""
    formula = language.formula
    if spreads(formula.forest):
        return _spread_functions(language)
    q = read_questions(formula.forest, formula.schema)
    lines: list[str] = []
    names: list[str] = []
    for t, root in enumerate(q.roots.tolist()):
        names.append(f"{language.prefix}tree_{t}")
        waiting = [(names[-1], root)]
        while waiting:
            name, place = waiting.pop()
            body = _write(q, language, place, f"{names[-1]}_from_", waiting)
            lines += ["", language.head(name), *(language.idle if len(body) == 1 else ()), *body, *language.close]
    return lines, names, q.ends


def _write(q: Questions, language: Language, root: int, cut_name: str, waiting: list[tuple[str, int]]) -> list[str]:
    """The blocks below a place; subtrees too deep are put on the list of those that wait."""
    lines: list[str] = []
    stack: list[tuple[int, int] | tuple[str, int]] = [(root, 1)]
    while stack:
        place, depth = stack.pop()
        indent = "    " * depth
        if isinstance(place, str):
            lines.append(indent + place)
            continue
        place = _skip_idle(q, place)
        if place < 0:
            lines.append(indent + language.give(-1 - place, int(q.ends[-1 - place])))
        elif depth > _DEEPEST:
            waiting.append((f"{cut_name}{place}", place))
            lines.append(indent + f"return {cut_name}{place}(x){language.end}")
        else:
            condition, remark = _condition(q, language, place)
            lines.append(indent + language.when % condition + remark)
            after: list[Any] = [(one, depth) for one in language.close]
            stack += [*after[::-1], (int(q.no[place]), depth + 1), (language.otherwise, depth)]
            stack.append((int(q.yes[place]), depth + 1))
    return lines


def _skip_idle(q: Questions, place: int) -> int:
    """Past questions to which nothing answers yes."""
    while place >= 0 and q.kind[place] == IS_MISSING and (not q.missing_yes[place] or q.yes[place] == q.no[place]):
        place = int(q.no[place])
    return place


def _condition(q: Questions, language: Language, k: int) -> tuple[str, str]:
    formula = language.formula
    column, missing = int(q.column[k]), bool(q.missing_yes[k])
    learnt = formula.schema.columns[column]
    name = repr(str(learnt.name)) if learnt.name is not None else f"column {column}"
    if q.kind[k] == IS_MISSING:
        return language.is_missing(column), language.remark(f"{name} is missing")
    end = " or missing" if missing else ""
    if q.kind[k] == IN_SET:
        members = q.members[q.set_start[k] : q.set_start[k + 1]].tolist()
        others = len(learnt.categories or ()) - 1 if formula.cells(column).has_others else -1
        known = [repr(one) if k != others else "another number" for k, one in enumerate(learnt.categories or ())]
        some = [known[c] for c in members[:_SHOWN]] if known else []
        more = f" or {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
        return language.in_set(column, members, missing), language.remark(f"{name} is {' or '.join(some)}{more}{end}")
    condition = language.up_to(column, float(q.threshold[k]), missing)
    if learnt.categories is not None:
        name = f"{name} up to {learnt.categories[int(q.threshold[k])]!r}"
    return condition, language.remark(name + end)


def _spread_functions(language: Language) -> tuple[list[str], list[str], np.ndarray]:
    formula = language.formula
    lines: list[str] = []
    names = []
    n_categories = [len(one.categories or ()) for one in formula.schema.columns]
    for t in range(formula.forest.n_trees):
        tree, prefix = formula.forest.tree(t), f"{language.prefix}tree_{t}_node_"
        names.append(f"{prefix}0")
        for node in range(tree.n_nodes - 1, -1, -1):  # children before their parents
            spot = _spot(tree, node, prefix, int(formula.forest.first[t]), n_categories)
            lines += ["", *language.spread(f"{prefix}{node}", spot)]
    return lines, names, np.arange(formula.forest.n_nodes)


def _spot(tree: DecisionTree, node: int, prefix: str, first: int, n_categories: list[int]) -> Spot:
    children = tree.children_of(node).tolist()
    functions, weight = [f"{prefix}{child}" for child in children], tree.weight
    total = 0.0
    for child in children:
        total += float(weight[child])
    shares = [(f, float(weight[c]), total) for f, c in zip(functions, children) if weight[c] > 0.0]
    column = int(tree.feature[node]) if children else -1
    by_branch = bool(tree.kind[node] == BRANCHES)
    known = tree.categories_in(node, n_categories[column]).tolist() if tree.kind[node] == SET else None
    return Spot(column, float(tree.threshold[node]), functions, shares, by_branch, first + node, known)
