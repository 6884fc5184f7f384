"""The slow, obvious twin of boosting with exact thresholds, in plain Python: one boosted tree from rows of values.

A node holds its rows. It tries every cut between two values of every column, summing both sides anew each time, in
fractions: gains are exact, and equals are equal. Nothing is shared with the package. In: rows with their gradients,
hessians and how often they count. Out: nodes with their questions and values, and answers for other rows.

Of equal splits the first wins: the column further left, missing values on the right, the lower cut; for categories the
shorter left side in their order. A split that gains nothing is made where nothing is penalised and its rows differ; it
goes again, from the leaves up, unless one below it stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

INFINITE = Fraction(10**400)


class Row(NamedTuple):
    values: tuple[Any, ...]  # a number, the number of a category, or None if it is missing
    gradient: Fraction
    hessian: Fraction
    count: int = 1  # type: ignore[assignment]


class Rules(NamedTuple):
    is_categorical: tuple[bool, ...]
    best_first: bool = True
    max_leaves: int = 10**9
    max_depth: int = 10**9
    min_count: int = 1
    min_hessian: Fraction = Fraction(0)
    min_gain: Fraction = Fraction(0)
    l1: Fraction = Fraction(0)
    l2: Fraction = Fraction(0)
    category_l2: Fraction = Fraction(0)  # besides l2
    smoothing: Fraction = Fraction(0)
    category_count: int = 1
    monotone: tuple[int, ...] = ()
    groups: tuple[frozenset[int], ...] = ()

    @property
    def is_plain(self) -> bool:
        return self.l1 == 0 and self.l2 == 0 and not any(self.monotone)


class Split(NamedTuple):
    gain: Fraction
    column: int
    left: frozenset[Any]  # the values that go left, None among them if missing ones do
    threshold: float | None  # None: a set of categories; infinite: all numbers go left
    others_left: bool  # where values go that the node has not seen: categories, or missing ones


@dataclass
class Node:
    rows: list[Row]
    depth: int
    number: int
    lower: Fraction = -INFINITE
    upper: Fraction = INFINITE
    groups: tuple[frozenset[int], ...] = ()
    split: Split | None = None
    children: list[Node] = field(default_factory=list)


def total(rows: list[Row]) -> tuple[Fraction, Fraction, int]:
    gradient = sum((row.gradient * row.count for row in rows), Fraction(0))
    return gradient, sum((row.hessian * row.count for row in rows), Fraction(0)), sum(row.count for row in rows)


def best_value(gradient: Fraction, hessian: Fraction, l1: Fraction, l2: Fraction, node: Node) -> Fraction:
    """What minimises g w + (h + l2) w^2 / 2 + l1 |w| within the node's bounds."""
    pull = max(abs(gradient) - l1, Fraction(0)) * (-1 if gradient > 0 else 1)
    value = pull / (hessian + l2) if hessian + l2 > 0 else Fraction(0)
    return min(max(value, node.lower), node.upper)


def worth(value: Fraction, gradient: Fraction, hessian: Fraction, l1: Fraction, l2: Fraction) -> Fraction:
    """Twice what a leaf's value takes off the objective."""
    return -(2 * gradient * value + (hessian + l2) * value * value + 2 * l1 * abs(value))


# --- one node --------------------------------------------------------------------------------------------------------


def cuts(node: Node, column: int, rules: Rules) -> list[frozenset[Any]]:
    """The values on the left, cut by cut."""
    known = sorted({row.values[column] for row in node.rows if row.values[column] is not None})
    has_missing = any(row.values[column] is None for row in node.rows)
    if rules.is_categorical[column]:
        return category_cuts(node, column, rules)
    starts = [frozenset(known[:k]) for k in range(1, len(known) + 1)]
    if not has_missing:
        return starts[:-1]
    return [*starts, *(start | {None} for start in starts[:-1])]


def category_cuts(node: Node, column: int, rules: Rules) -> list[frozenset[Any]]:
    """Categories in order of gradient over hessian; the rare ones together. Missing is a category."""
    by_value: dict[Any, list[Row]] = {}
    for row in node.rows:
        by_value.setdefault(row.values[column], []).append(row)
    order = sorted(by_value, key=lambda value: (value is None, value))
    frequent = [value for value in order if total(by_value[value])[2] >= rules.category_count]
    rare = [value for value in order if value not in frequent]
    places = [frozenset([value]) for value in frequent] + ([frozenset(rare)] if rare else [])

    def key(place: frozenset[Any]) -> Fraction:
        gradient, hessian, _ = total([row for value in place for row in by_value[value]])
        weight = hessian + rules.smoothing
        return gradient / weight if weight > 0 else Fraction(0)

    ranked = sorted(places, key=key)
    return [frozenset().union(*ranked[:k]) for k in range(1, len(ranked))]


def find_split(node: Node, rules: Rules) -> Split | None:
    gradient, hessian, count = total(node.rows)
    if node.depth >= rules.max_depth or count < 2 * rules.min_count or hessian < 2 * rules.min_hessian:
        return None
    alone = worth(best_value(gradient, hessian, rules.l1, rules.l2, node), gradient, hessian, rules.l1, rules.l2)
    best: Split | None = None
    for column in range(len(rules.is_categorical)):
        if rules.groups and not any(column in group for group in node.groups):
            continue
        l2 = rules.l2 + (rules.category_l2 if rules.is_categorical[column] else 0)
        for left in cuts(node, column, rules):
            both = judge(node, column, left, l2, rules)
            if both is not None and (best is None or both - alone > best.gain):
                best = describe(node, column, left, both - alone, rules)
    if best is None or best.gain < 0:
        return None
    differ = len({(row.gradient, row.hessian) for row in node.rows}) > 1
    return best if best.gain > 0 or (rules.is_plain and differ) else None


def judge(node: Node, column: int, left: frozenset[Any], l2: Fraction, rules: Rules) -> Fraction | None:
    """What both sides are worth together; None if the split is not allowed."""
    sides = [[row for row in node.rows if (row.values[column] in left) == side] for side in (True, False)]
    both, values = Fraction(0), []
    for rows in sides:
        gradient, hessian, count = total(rows)
        if count < rules.min_count or hessian < rules.min_hessian or (rules.is_plain and hessian == 0):
            return None
        values.append(best_value(gradient, hessian, rules.l1, l2, node))
        both += worth(values[-1], gradient, hessian, rules.l1, l2)
    direction = rules.monotone[column] if rules.monotone else 0
    return None if (values[1] - values[0]) * direction < 0 else both


def describe(node: Node, column: int, left: frozenset[Any], gain: Fraction, rules: Rules) -> Split:
    n_left = sum(row.count for row in node.rows if row.values[column] in left)
    more_left = 2 * n_left > sum(row.count for row in node.rows)
    values = {row.values[column] for row in node.rows}
    if rules.is_categorical[column]:
        rare = [
            value
            for value in values
            if sum(row.count for row in node.rows if row.values[column] == value) < rules.category_count
        ]
        return Split(gain, column, left, None, rare[0] in left if rare else more_left)
    low = max(value for value in left if value is not None)
    above = [value for value in values - left if value is not None]
    threshold = float("inf") if not above else low / 2 + min(above) / 2
    return Split(gain, column, left, threshold, None in left if None in values else more_left)


# --- the tree --------------------------------------------------------------------------------------------------------


def grow(rows: list[Row], rules: Rules) -> Node:
    root = Node(rows, 0, 0, groups=rules.groups)
    root.split = find_split(root, rules)
    frontier, n_nodes, n_leaves = [root] if root.split else [], 1, 1
    while frontier and n_leaves < rules.max_leaves:
        frontier.sort(key=lambda node: (-node.split.gain if rules.best_first else 0, node.number))
        node = frontier.pop(0)
        node.children = part(node, n_nodes, rules)
        n_nodes, n_leaves = n_nodes + 2, n_leaves + 1
        for child in node.children:
            child.split = find_split(child, rules)
            if child.split is not None:
                frontier.append(child)
    prune(root, rules)
    return root


def part(node: Node, number: int, rules: Rules) -> list[Node]:
    split = node.split
    groups = tuple(group for group in node.groups if split.column in group)
    children = []
    for side in (True, False):
        rows = [row for row in node.rows if (row.values[split.column] in split.left) == side]
        children.append(Node(rows, node.depth + 1, number + len(children), node.lower, node.upper, groups))
    direction = rules.monotone[split.column] if rules.monotone else 0
    if direction:
        left, right = (best_value(*total(one.rows)[:2], rules.l1, rules.l2, node) for one in children)
        rising, falling = children if direction > 0 else children[::-1]
        rising.upper = falling.lower = (left + right) / 2
    return children


def prune(node: Node, rules: Rules) -> None:
    for child in node.children:
        prune(child, rules)
    if node.children and not any(child.children for child in node.children):
        if node.split.gain < rules.min_gain or node.split.gain == 0:
            node.children = []


def answer(node: Node, values: tuple[Any, ...], rules: Rules) -> float:
    """What the tree says of a row."""
    while node.children:
        split, value = node.split, values[node.split.column]
        if split.threshold is not None and value is not None:
            goes_left = value <= split.threshold
        elif value in {row.values[split.column] for row in node.rows}:
            goes_left = value in split.left
        else:
            goes_left = split.others_left
        node = node.children[0 if goes_left else 1]
    gradient, hessian, _ = total(node.rows)
    return float(best_value(gradient, hessian, rules.l1, rules.l2, node))


def questions(node: Node) -> list[tuple[int, float | None]]:
    """(column, threshold) of every split, in preorder."""
    if not node.children:
        return []
    below = [question for child in node.children for question in questions(child)]
    return [(node.split.column, node.split.threshold), *below]
