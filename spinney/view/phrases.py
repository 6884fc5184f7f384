"""Words: a node's question, a branch's answer and the lines of a node's box. Every phrase has its one home here.

In: a fitted model and the names to use. Out: `TreePhrases`, which text, rules, dot and pictures are put together from.

    question(node)         petal width <= 0.80      island in {Biscoe, Dream}     Outlook
    answer(node, branch)   petal width >  0.80      island = Torgersen            Outlook = Sunny
    tag(node, branch)      no                       no                            Sunny

Booleans are true or false, whether a tree takes them for numbers or for categories. `Limits` are what the answers on a
path leave open, an interval of numbers or a set of categories: x <= 5, x <= 3, x > 2   ->   2 < x <= 3.

`choose_tree` finds the tree of an ensemble:

    decision tree, ID3, C4.5             None
    forests, bagging, AdaBoost           tree=k          tree k
    gradient boosting                    tree=k          of round k
    ... with more than two classes       tree=(k, c)     of round k and class index c
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from operator import index
from typing import Any

import numpy as np

from spinney.data.schema import SchemaColumn
from spinney.tree.decision import BRANCHES, NUMBER, SPREADS, DecisionTree
from spinney.tree.models import ReadTree, trees_of
from spinney.view.numbers import spell, write, write_amount, write_boolean, write_value


@dataclass(frozen=True)
class Limits:
    """What a value of one column can be at a node: low < x <= high, or one of the categories; and perhaps missing."""

    low: float = -inf
    high: float = inf
    categories: frozenset[int] | None = None  # None: a column of numbers
    missing: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether no value at all is left, so that only missing ones come here."""
        return self.low == inf or (self.categories is not None and not self.categories)


def limits_of_nodes(tree: DecisionTree, n_categories: Sequence[int | None]) -> list[dict[int, Limits]]:
    """For every node: column -> what its values can be there. `n_categories` of each column, None for numbers."""
    known: list[dict[int, Limits]] = [{} for _ in range(tree.n_nodes)]
    for node in np.flatnonzero(~tree.is_leaf).tolist():  # parents come before their children
        column = int(tree.feature[node])
        before = known[node].get(column) or _anything(n_categories[column])
        for branch, child in enumerate(tree.children_of(node).tolist()):
            known[child] = {**known[node], column: _narrow(tree, node, branch, before)}
    return known


def _anything(n_categories: int | None) -> Limits:
    return Limits(categories=None if n_categories is None else frozenset(range(n_categories)))


def _narrow(tree: DecisionTree, node: int, branch: int, before: Limits) -> Limits:
    """What the answer `branch` to the node's question leaves of `before`."""
    missing = before.missing and int(tree.missing[node]) in (branch, SPREADS)
    if tree.kind[node] == NUMBER:
        threshold = float(tree.threshold[node])
        if branch == 0:
            return replace(before, high=min(before.high, threshold), missing=missing)
        return replace(before, low=max(before.low, threshold), missing=missing)
    categories = before.categories or frozenset()
    if tree.kind[node] == BRANCHES:
        return replace(before, categories=categories & {branch}, missing=missing)
    chosen = frozenset(tree.categories_in(node, max(categories, default=-1) + 1).tolist())
    return replace(before, categories=categories & chosen if branch == 0 else categories - chosen, missing=missing)


# --- words ------------------------------------------------------------------------------------------------------------


LABELS = ("all", "root", "none")
EMPTY = "empty"  # what is said of a leaf without training rows
OR_MISSING = " or missing"  # after a condition that rows without a value pass too
_SHORT_LIST = 3  # so many categories are always named one by one, not by those left out
_MANY_CLASSES = 8  # a box with more names only the most common
_COMMON = 2


@dataclass(frozen=True)
class Box:
    """What the box of a node shows."""

    label: str = "all"  # which nodes have the words "samples = " and so on: all, root or none
    impurity: bool = True
    node_ids: bool = False
    proportion: bool = False  # shares instead of counts
    classes: bool = True  # the class, if it is a class tree

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise ValueError(f"label must be 'all', 'root' or 'none', got {self.label!r}.")


@dataclass(frozen=True)
class TreePhrases:
    """A fitted tree in words."""

    tree: DecisionTree
    names: Sequence[str]  # of the columns
    categories: Sequence[Sequence[str] | None]  # of each column; None for numbers
    classes: Sequence[Sequence[str]] | None  # names of each output's classes; None for regression
    criterion: str
    decimals: int
    trim: bool = False  # 0.8 instead of 0.80
    at_most: str = "<="
    most: int | None = None  # so many categories are named, the others counted; None: all
    booleans: frozenset[int] = frozenset()  # columns of numbers that are Booleans: false is 0, true is 1
    says: str = "value"  # what numbers that nodes answer are called
    shown: Sequence[Sequence[int] | None] = ()  # of each column: the declared order of its categories; None: ascending

    # --- the order in which a tree is read -----------------------------------------------------------------------

    def _order(self, column: int) -> Sequence[int] | None:
        return self.shown[column] if self.shown else None

    def children(self, node: int) -> list[int]:
        """The children; one per category in the declared order of these."""
        below = self.tree.children_of(node).tolist()
        order = self._order(int(self.tree.feature[node])) if self.tree.kind[node] == BRANCHES else None
        return below if order is None or len(order) != len(below) else [below[k] for k in order]

    @cached_property
    def nodes(self) -> list[int]:
        """All nodes: each before what is below it, its children in order."""
        found, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += self.children(node)[::-1]
        return found

    # --- questions and answers -----------------------------------------------------------------------------------

    @cached_property
    def limits(self) -> list[dict[int, Limits]]:
        """For every node, the possible values of the columns on its path."""
        return limits_of_nodes(self.tree, [None if one is None else len(one) for one in self.categories])

    @cached_property
    def _thresholds(self) -> list[dict[float, str]]:
        """For every column: its thresholds as text. Those that bound each other on a path can be told apart."""
        asked: list[set[float]] = [set() for _ in self.names]
        ordered: list[set[tuple[float, float]]] = [set() for _ in self.names]
        for node in np.flatnonzero(self.tree.kind == NUMBER).tolist():
            column, threshold = int(self.tree.feature[node]), float(self.tree.threshold[node])
            before = self.limits[node].get(column, Limits())
            asked[column].add(threshold)
            ordered[column].update(
                (low, high)
                for low, high in ((before.low, threshold), (threshold, before.high))
                if -inf < low < high < inf
            )
        return [spell(values, self.decimals, self.trim, pairs) for values, pairs in zip(asked, ordered)]

    def question(self, node: int) -> str:
        """The condition of a node; for one with a branch per category, the name of the column."""
        if self.tree.kind[node] == BRANCHES:
            return self.names[self.tree.feature[node]]
        return self.answer(node, 0)

    def answer(self, node: int, branch: int) -> str:
        """The condition of a branch, given the conditions of its node."""
        column, threshold = int(self.tree.feature[node]), float(self.tree.threshold[node])
        if self.tree.kind[node] == NUMBER:
            if branch == 1 and threshold < inf and column not in self.booleans:
                return f"{self.names[column]} >  {self._thresholds[column][threshold]}"  # as wide as <=
            return self.condition(column, Limits(high=threshold) if branch == 0 else Limits(low=threshold))
        before = self.limits[node].get(column)
        after = self.limits[self.tree.children_of(node)[branch]][column]
        return self.condition(column, after, among=before.categories if before else None)

    def tag(self, node: int, branch: int) -> str:
        """The branch in a word: yes, no or the category."""
        if self.tree.kind[node] != BRANCHES:
            return "no" if branch else "yes"
        categories = self.categories[self.tree.feature[node]]
        return categories[branch] if categories else str(branch)

    @cached_property
    def _has_branches(self) -> bool:
        return bool((self.tree.kind == BRANCHES).any())

    def needs_tag(self, node: int) -> bool:
        """Whether a drawing must say which branch is which: yes comes first, so once is enough, at the root."""
        return node == 0 or self._has_branches

    def takes_missing(self, node: int, branch: int) -> bool:
        """Whether missing values reach the node and then follow this branch only."""
        limits = self.limits[self.tree.children_of(node)[branch]][int(self.tree.feature[node])]
        return limits.missing and not limits.is_empty and int(self.tree.missing[node]) == branch

    def condition(self, column: int, limits: Limits, among: Collection[int] | None = None) -> str:
        """What `limits` say of a column; `among`: the categories that were possible before."""
        name = self.names[column]
        if limits.is_empty:
            return f"{name} is missing"
        if limits.categories is None and column in self.booleans and (limits.low > -inf or limits.high < inf):
            return f"{name} = {write_boolean(limits.low > -inf)}"
        if limits.categories is None:
            return self._interval(name, limits, self._thresholds[column])
        categories = self.categories[column] or ()
        among = range(len(categories)) if among is None else among
        return self._set(column, limits.categories, among, categories)

    def _interval(self, name: str, limits: Limits, texts: dict[float, str]) -> str:
        if limits.low == -inf and limits.high == inf:
            return f"{name} is not missing"
        if limits.high == inf:
            return f"{name} > {texts[limits.low]}"
        bound = f"{name} {self.at_most} {texts[limits.high]}"
        return bound if limits.low == -inf else f"{texts[limits.low]} < {bound}"

    def _set(self, column: int, chosen: Collection[int], among: Collection[int], categories: Sequence[str]) -> str:
        """The chosen categories, or those left out if they are fewer."""
        name = self.names[column]
        if len(chosen) == len(among):
            return f"{name} is not missing"
        if len(chosen) == 1:
            return f"{name} = {categories[min(chosen)]}"
        others = set(among) - set(chosen)
        if len(chosen) <= max(_SHORT_LIST, len(others)):
            return f"{name} in {{{self._listed(column, chosen, categories)}}}"
        if len(others) == 1:
            return f"{name} != {categories[min(others)]}"
        return f"{name} not in {{{self._listed(column, others, categories)}}}"

    def _listed(self, column: int, chosen: Collection[int], categories: Sequence[str]) -> str:
        """A, B, ... 5 more"""
        order = self._order(column)
        named = [categories[index] for index in (sorted(chosen) if order is None else order) if index in chosen]
        if self.most is None or len(named) <= self.most + 1:
            return ", ".join(named)
        return f"{', '.join(named[: self.most])}, ... {len(named) - self.most} more"

    # --- what a node says ------------------------------------------------------------------------------------------

    def prediction(self, node: int) -> str:
        """The class, or the number; in brackets for several outputs."""
        if self.classes is None:
            values = [write_value(value, self.decimals, self.trim) for value in self.tree.answers[node, :, 0]]
            return _bracket(values) + self.line(node)
        winners = self.tree.answers[node].argmax(axis=1)
        return _bracket([names[winner] for names, winner in zip(self.classes, winners)])

    def line(self, node: int) -> str:
        """What a linear leaf adds to its value: " + 0.31 (age - 40)"."""
        text = ""
        for column, (slope, centre, _, _) in self.tree.forest.terms.of(node):
            # slopes have the unit of a column, which decimals of thresholds know nothing of
            sign, below = "-" if slope < 0 else "+", write_value(abs(centre), self.decimals, self.trim)
            text += f" {sign} {abs(slope):.3g} ({self.names[column]} {'+' if centre < 0 else '-'} {below})"
        return text

    @cached_property
    def shares(self) -> np.ndarray:
        """Classification: the fraction of each class, (node, output, class)."""
        return self.tree.probabilities

    def is_empty(self, node: int) -> bool:
        """Whether no training row reached the node, which then predicts like its parent."""
        return self.counts_known and int(self.tree.n_samples[node]) == 0

    @property
    def counts_known(self) -> bool:
        """Whether it is known how many training rows came to a node; not so in XGBoost's trees."""
        return int(self.tree.n_samples[0]) > 0

    def weights(self, node: int) -> np.ndarray:
        """Class trees: the weight of each class, (output, class); none in an empty node."""
        answers: np.ndarray = self.tree.answers[node]
        return answers * 0.0 if self.is_empty(node) else answers

    def measure(self, node: int) -> float | None:
        """The impurity; in boosted trees the gain of the question, None in leaves, and where nothing is measured."""
        if self.says == "depth":
            return None
        if self.tree.is_boosted:
            return None if self.tree.is_leaf[node] else float(self.tree.gain[node])
        return float(self.tree.impurity[node])

    def box(self, node: int, show: Box) -> list[str]:
        """The lines of a node's box: its question, impurity, samples, value and class."""
        named = show.label == "all" or (show.label == "root" and node == 0)
        lines: list[tuple[str | None, str]] = [(None, self.question(node))] if not self.tree.is_leaf[node] else []
        if show.node_ids:
            lines.insert(0, (None, f"node #{node}" if named else f"#{node}"))
        if show.impurity and (measure := self.measure(node)) is not None:
            lines.append((self.criterion, write(measure, self.decimals, trim=True)))
        if self.counts_known:
            lines.append(("samples", self._samples(node, show.proportion)))
        lines.append((self.says, self._value(node, show.proportion)))
        if self.classes is not None and show.classes:
            lines.append(("class", self.prediction(node)))
        return [f"{word} = {text}" if word and named else text for word, text in lines]

    def _samples(self, node: int, proportion: bool) -> str:
        count = int(self.tree.n_samples[node])
        total = int(self.tree.n_samples[0])
        told = f"{100 * count / max(total, 1):.1f}%" if proportion else str(count)
        return f"{told} ({EMPTY})" if self.is_empty(node) else told

    def _value(self, node: int, proportion: bool) -> str:
        if self.classes is None:
            return self.prediction(node)
        answers = self.shares[node] if proportion and not self.is_empty(node) else self.weights(node)
        return _bracket([self._weights(row, names, proportion) for row, names in zip(answers, self.classes)])

    def _weights(self, weights: np.ndarray, names: Sequence[str], proportion: bool) -> str:
        """The weight of each class; of many classes, those that weigh most."""
        few = len(names) <= _MANY_CLASSES
        shown = range(len(names)) if few else np.argsort(-weights, kind="stable")[:_COMMON].tolist()
        numbers = [write_amount(weights[i], self.decimals, whole=not proportion) for i in shown]
        if few:
            return f"[{', '.join(numbers)}]"
        named = ", ".join(f"{names[i]}: {number}" for i, number in zip(shown, numbers))
        return f"{named}, ..."


def _bracket(parts: Sequence[str]) -> str:
    """One part as it is, several in brackets."""
    return parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"


# --- from a model ------------------------------------------------------------------------------------------------


def words_of(
    model: ReadTree, feature_names: Any, class_names: Any, generic: str = "feature_{}", **style: Any
) -> TreePhrases:
    """The model in words; `generic` names columns that have no name, `style` is for `TreePhrases`."""
    columns = model.schema.columns
    own = column_names(columns, generic)
    return TreePhrases(
        tree=model.tree_,
        names=own if feature_names is None else _names("feature_names", feature_names, len(own)),
        categories=[
            c.categories if c.categories is None else [_category(value) for value in c.categories] for c in columns
        ],
        classes=_class_names(model, class_names),
        criterion=_criterion(model),
        says=model.answers_are,
        shown=[column.shown for column in columns],
        booleans=frozenset(index for index, column in enumerate(columns) if column.boolean),
        **style,
    )


def column_names(columns: Sequence[SchemaColumn], generic: str = "feature_{}") -> list[str]:
    """The names of the table's columns, on one line each."""
    return [generic.format(i) if column.name is None else _line(column.name) for i, column in enumerate(columns)]


def _criterion(model: ReadTree) -> str:
    """What the impurity is called. ID3 and C4.5 have no choice: theirs is entropy, and so it is for gain ratio."""
    if model.tree_.is_boosted:
        return "gain"
    if not isinstance(model.criterion, str):
        return "impurity"
    return "entropy" if model.criterion == "gain_ratio" else model.criterion


def class_labels(model: ReadTree) -> list[Sequence[Any]]:
    """The classes of each output, as they were in y."""
    classes = model.classes_
    return [np.asarray(one).tolist() for one in ([classes] if model.tree_.n_outputs == 1 else classes)]


def _class_names(model: ReadTree, names: Any) -> list[list[str]] | None:
    """`names` for the classes of each output; None, True and False stand for the labels of y."""
    tree = model.tree_
    if not tree.is_class:
        return None
    if names is None or isinstance(names, bool):
        return [[str(value) for value in values] for values in class_labels(model)]
    if tree.n_outputs == 1:
        return [_names("class_names", names, tree.n_classes[0])]
    outputs = list(names)
    if len(outputs) != tree.n_outputs or any(isinstance(one, str) for one in outputs):
        raise ValueError(f"class_names must be {tree.n_outputs} lists of names, one for each output, got {names!r}.")
    return [_names("class_names", one, n) for one, n in zip(outputs, tree.n_classes)]


def _names(parameter: str, names: Any, expected: int) -> list[str]:
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != expected:
        found = f"{len(names)}: {names!r}" if hasattr(names, "__len__") and not isinstance(names, str) else repr(names)
        raise ValueError(f"{parameter} must be a list of {expected} names, got {found}.")
    return [_line(name) for name in names]


def _line(name: Any) -> str:
    """A name on one line."""
    return " ".join(str(name).splitlines())


def _category(value: Any) -> str:
    """A category as it is, in quotes if it could be misread."""
    if isinstance(value, bool):
        return write_boolean(value)
    text = str(value)
    return repr(value) if text != text.strip() or not text.isprintable() or set(text) & set(",{}") or not text else text


def check_count(parameter: str, value: Any, least: int = 0) -> int:
    """Return `value` if it is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        wanted = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{parameter} must be {wanted}, got {value!r}.")
    return int(value)


def check_choice(parameter: str, value: Any, known: Iterable[str]) -> None:
    """Raise unless `value` is one of the known ones."""
    if value not in (names := list(known)):
        raise ValueError(f"{parameter} must be one of {', '.join(map(repr, names))}, got {value!r}.")


def check_depth(max_depth: int | None) -> float:
    """`max_depth` as a number: None is no limit."""
    return inf if max_depth is None else check_count("max_depth", max_depth)


# --- the tree that is meant -------------------------------------------------------------------------------------------


def choose_tree(model: Any, tree: Any = None) -> ReadTree:
    """The tree of `model` that `tree` chooses."""
    trees = trees_of(model)
    if not trees.shape:
        if tree is not None and tree != 0:
            raise ValueError(f"tree must be None or 0 for a {type(model).__name__}, which is one tree, got {tree!r}.")
        return trees.read(0)
    if tree is None:
        raise TypeError(f"{type(model).__name__} has several trees. Set tree to {_range(trees.shape)}.")
    if len(trees) == 0:
        raise ValueError(f"tree={tree!r}: this {type(model).__name__} has no trees.")
    place = tuple(tree) if isinstance(tree, (tuple, list)) else (tree,)
    if len(trees.shape) == 1 and len(place) == 2 and place[1] == 0:  # as in `estimators_`, which has one class here
        place = place[:1]
    if len(place) != len(trees.shape):
        raise ValueError(f"tree must be {_range(trees.shape)}, got {tree!r}.")
    number = 0
    for one, length in zip(place, trees.shape):
        at = _read_index(one, tree, trees.shape)
        if not -length <= at < length:
            raise ValueError(f"tree must be {_range(trees.shape)}, got {tree!r}.")
        number = number * length + at % length
    return trees.read(number)


def _read_index(value: Any, tree: Any, shape: tuple[int, ...]) -> int:
    try:
        return index(value)
    except TypeError:
        raise ValueError(f"tree must be {_range(shape)}, got {tree!r}.") from None


def _range(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"a number from 0 to {shape[0] - 1}"
    return f"(round, class number) from (0, 0) to ({shape[0] - 1}, {shape[1] - 1})"
