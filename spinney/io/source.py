"""Trees as functions of a programming language: what Python's and C's sources have in common.

In: a `Formula`, a `Syntax` and `Texts`. Out: lines of functions, one per tree, and the functions around them. Trees too
deep for nested blocks are cut into several functions. Where rows go several ways at once (C4.5's missing values) there
is a function for every node.

No text of the user's (names, categories, classes) enters a source but through a literal or `Syntax.remark`.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np

from spinney.tree.decision import BRANCHES, SET, DecisionTree
from spinney.tree.formula import Formula, single_formula
from spinney.tree.links import LinkFunction, OfAll
from spinney.tree.questions import IN_SET, IS_MISSING, Questions, read_questions, spreads

_DEEPEST = 40  # nested blocks of a function
_SHOWN = 5  # categories of a set that a remark names
_C_NAMES = "c_names.txt"


@cache
def _taken() -> frozenset[str]:
    """Names that a function cannot have in C, or would take away from the Python module that it stands in."""
    text = (files("spinney.io") / _C_NAMES).read_text(encoding="ascii")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split()) | {*dir(builtins), "math"}


class Syntax(Protocol):
    """How a language says things."""

    prefix: str  # of all names that are not public

    def up_to(self, column: int, threshold: float, missing_yes: bool) -> str: ...
    def in_set(self, column: int, members: Sequence[int], missing_yes: bool) -> str: ...
    def is_missing(self, column: int) -> str: ...
    def remark(self, text: str) -> str: ...
    def when(self, condition: str) -> str: ...
    def otherwise(self) -> str: ...
    def close(self) -> list[str]: ...
    def head(self, name: str) -> str: ...
    def give(self, end: int, node: int) -> str: ...
    def hand_on(self, name: str) -> str: ...
    def idle(self) -> list[str]: ...
    def spread(self, name: str, spot: Spot) -> list[str]: ...


class Spot(NamedTuple):
    """A node of a tree whose rows may go several ways."""

    column: int  # -1: a leaf
    threshold: float
    children: list[str]  # names of the functions of all branches
    shares: list[tuple[str, float, float]]  # (function, weight of the branch, weight of all) for missing values
    by_branch: bool
    node: int  # in the store
    members: list[int] | None  # the categories that go to the first branch, if it asks about a set


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
    formula = single_formula(model)
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


class Texts(NamedTuple):
    """The functions around the trees in one language; NAME_ and PREDICT in them are replaced."""

    parts: dict[str, str]
    helpers: dict[str, str]  # what they may call, each after what it calls itself
    functions: dict[str, str]  # names of the functions of links
    scale: str
    when: dict[str, str]  # by `Formula.second_from`


def answer_parts(formula: Formula, texts: Texts, body: Callable[[OfAll], str]) -> list[str]:
    """All functions from a row as trees compare it to predictions; `body` is that of a link of all scores."""
    parts, link = texts.parts, formula.response
    found = [parts[name] for name in _needed(formula)]
    if link.of_all is not None:
        found = [part.replace("BODY", body(link.of_all)) for part in found]
    found = [part.replace("SECOND", texts.when[formula.second_from]) for part in found]
    if any("NAME_response(" in part for part in found):
        found.insert(0, parts["response"].replace("RESPONSE", link.write(texts.functions, texts.scale)))
    if not formula.is_single:
        found = [part.replace("NAME_rounded(", "(") for part in found]
    text = "".join(found)
    return [part for name, part in texts.helpers.items() if f"NAME_{name}(" in text] + found


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


def tree_functions(formula: Formula, syntax: Syntax) -> tuple[list[str], list[str], np.ndarray]:
    """(lines, name of each tree's function, node of the store that each end is)."""
    if spreads(formula.forest):
        return _spread_functions(formula, syntax)
    q = read_questions(formula.forest, formula.schema)
    lines: list[str] = []
    names: list[str] = []
    for t, root in enumerate(q.roots.tolist()):
        names.append(f"{syntax.prefix}tree_{t}")
        waiting = [(names[-1], root)]
        while waiting:
            name, place = waiting.pop()
            body = _write(q, formula, place, f"{names[-1]}_from_", syntax, waiting)
            nothing_asked = syntax.idle() if len(body) == 1 else []
            lines += ["", syntax.head(name), *nothing_asked, *body, *syntax.close()]
    return lines, names, q.ends


def _write(
    q: Questions, formula: Formula, root: int, cut_name: str, syntax: Syntax, waiting: list[tuple[str, int]]
) -> list[str]:
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
            lines.append(indent + syntax.give(-1 - place, int(q.ends[-1 - place])))
        elif depth > _DEEPEST:
            waiting.append((f"{cut_name}{place}", place))
            lines.append(indent + syntax.hand_on(f"{cut_name}{place}"))
        else:
            condition, remark = _condition(q, formula, place, syntax)
            lines.append(indent + syntax.when(condition) + remark)
            after: list[Any] = [(one, depth) for one in syntax.close()]
            stack += [*after[::-1], (int(q.no[place]), depth + 1), (syntax.otherwise(), depth)]
            stack.append((int(q.yes[place]), depth + 1))
    return lines


def _skip_idle(q: Questions, place: int) -> int:
    """Past questions to which nothing answers yes."""
    while place >= 0 and q.kind[place] == IS_MISSING and (not q.missing_yes[place] or q.yes[place] == q.no[place]):
        place = int(q.no[place])
    return place


def _condition(q: Questions, formula: Formula, k: int, syntax: Syntax) -> tuple[str, str]:
    column, missing = int(q.column[k]), bool(q.missing_yes[k])
    learnt = formula.schema.columns[column]
    name = repr(str(learnt.name)) if learnt.name is not None else f"column {column}"
    if q.kind[k] == IS_MISSING:
        return syntax.is_missing(column), syntax.remark(f"{name} is missing")
    end = " or missing" if missing else ""
    if q.kind[k] == IN_SET:
        members = q.members[q.set_start[k] : q.set_start[k + 1]].tolist()
        others = len(learnt.categories or ()) - 1 if formula.cells(column).has_others else -1
        known = [repr(one) if k != others else "another number" for k, one in enumerate(learnt.categories or ())]
        some = [known[c] for c in members[:_SHOWN]] if known else []
        more = f" or {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
        return syntax.in_set(column, members, missing), syntax.remark(f"{name} is {' or '.join(some)}{more}{end}")
    condition = syntax.up_to(column, float(q.threshold[k]), missing)
    if learnt.categories is not None:
        name = f"{name} up to {learnt.categories[int(q.threshold[k])]!r}"
    return condition, syntax.remark(name + end)


def _spread_functions(formula: Formula, syntax: Syntax) -> tuple[list[str], list[str], np.ndarray]:
    lines: list[str] = []
    names = []
    n_categories = [len(one.categories or ()) for one in formula.schema.columns]
    for t in range(formula.forest.n_trees):
        tree, prefix = formula.forest.tree(t), f"{syntax.prefix}tree_{t}_node_"
        names.append(f"{prefix}0")
        for node in range(tree.n_nodes - 1, -1, -1):  # children before their parents
            spot = _spot(tree, node, prefix, int(formula.forest.first[t]), n_categories)
            lines += ["", *syntax.spread(f"{prefix}{node}", spot)]
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
