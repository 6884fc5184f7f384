"""The slow, obvious twin of grow/boosting, in plain Python: one boosted tree from rows in whole numbers.

A node holds its rows. It tries every cut of every column, summing the left side's rows anew each time, and its children
are nodes in turn. Nothing is shared with the package: no histogram, no formula, no rule. In: codes, and each row's
gradient, hessian and count as integers, with what a unit of them is worth (powers of two, so that floats are exact
until the last division). Out: nodes in the order in which they were opened.

Of equal splits the first wins: the column further left, missing values on the right, the smaller code. Monotone
columns, interaction groups and columns drawn for each node are not in here (see boosting_batches.py for those).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

N_CODES = 256
LEFT, RIGHT = 0, 1


class Row(NamedTuple):
    """One row; what it adds is already multiplied by how often it counts."""

    codes: list[int]
    gradient: int
    hessian: int
    count: int  # type: ignore[assignment]
    fine_gradient: int  # the same in the finer units of leaves
    fine_hessian: int


class Columns(NamedTuple):
    missing: list[int]  # the code of missing values, by column: the one after the last bin
    is_categorical: list[bool]


class Units(NamedTuple):
    gradient: float
    hessian: float
    fine_gradient: float
    fine_hessian: float
    coarseness: float = 0.0  # what rounding may have done to a row, as a share of it


class Rules(NamedTuple):
    best_first: bool = True
    max_leaves: int = 31
    max_depth: int = 1 << 30
    min_count: int = 1
    min_hessian: float = 0.0
    min_gain: float = 0.0  # splits that gain less are taken back, from the leaves up
    l1: float = 0.0
    l2: float = 0.0
    category_l1: float = 0.0
    category_l2: float = 0.0
    category_smoothing: float = 0.0
    category_count: int = 1  # categories with fewer rows in a node go together there
    learning_rate: float = 1.0
    features: tuple[int, ...] = ()
    min_split: int = 2
    least_gain: float = 0.0  # splits that gain less are not made


class Split(NamedTuple):
    score: float
    gain: float
    feature: int
    code: int  # numbers: codes up to it go left
    left_codes: frozenset[int]
    missing_left: bool


@dataclass
class Node:
    rows: list[Row]
    depth: int
    number: int
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    value: float = 0.0

    def sum(self, name: str) -> int:
        return sum(getattr(row, name) for row in self.rows)


# --- formulas -----------------------------------------------------------------------------------------------------


def shrink(gradient: float, l1: float) -> float:
    """Nearer to zero by l1, at most to zero."""
    if abs(gradient) <= l1:
        return 0.0
    return gradient - l1 if gradient > 0.0 else gradient + l1


def score(gradient: float, hessian: float, l1: float, l2: float) -> float:
    """Twice what a leaf takes off the second-order objective."""
    weight, pull = hessian + l2, shrink(gradient, l1)
    return pull * pull / weight if weight > 0.0 else 0.0


def stands_out(gain: float, both: float, node: Node, units: Units, rules: Rules) -> bool:
    """More than rows that are alike but for their rounding would seem to gain, and than floats are off."""
    gradient, hessian = node.sum("gradient") * units.gradient, node.sum("hessian") * units.hessian
    count, weight = node.sum("count"), hessian + rules.l2
    value = gradient / weight if weight > 0.0 else 0.0
    share = units.coarseness / count
    off_gradient = units.gradient * units.gradient + share * share * gradient * gradient
    off_hessian = units.hessian * units.hessian + share * share * hessian * hessian
    return gain > 1e-12 * both and gain * weight > 5.0 * count * (off_gradient + value * value * off_hessian)


# --- one node -----------------------------------------------------------------------------------------------------


def find_split(node: Node, columns: Columns, units: Units, rules: Rules) -> Split | None:
    """The best split of a node, None if it stays a leaf."""
    hessian, count = node.sum("hessian") * units.hessian, node.sum("count")
    if node.depth >= rules.max_depth or count < 2 * rules.min_count or hessian < 2.0 * rules.min_hessian:
        return None
    if count < rules.min_split:
        return None
    alone = score(node.sum("gradient") * units.gradient, hessian, rules.l1, rules.l2)
    best: Split | None = None
    for feature in sorted(rules.features):
        if columns.is_categorical[feature]:
            cuts = category_cuts(node, feature, units, rules)
            l1, l2 = rules.category_l1, rules.category_l2
        else:
            cuts, l1, l2 = number_cuts(node, feature, columns.missing[feature]), rules.l1, rules.l2
        for left_codes in cuts:
            both = score_cut(node, feature, left_codes, units, rules, l1, l2)
            if both is not None and both > (-math.inf if best is None else best.score):
                best = make_split(node, feature, left_codes, both, both - alone, columns, rules)
    if best is None or best.gain < rules.least_gain or not stands_out(best.gain, best.score, node, units, rules):
        return None
    return best


def number_cuts(node: Node, feature: int, missing: int) -> list[frozenset[int]]:
    """The codes on the left, cut by cut: missing on the right first, and then, where some are, on the left."""
    known = sorted({row.codes[feature] for row in node.rows} - {missing})
    starts = [frozenset(known[: k + 1]) for k in range(len(known))]
    if not any(row.codes[feature] == missing for row in node.rows):
        return starts[:-1]
    return [*starts, *(start | {missing} for start in starts[:-1])]  # the last of the first: all known ones


def category_cuts(node: Node, feature: int, units: Units, rules: Rules) -> list[frozenset[int]]:
    """Codes, missing like any other, in the order of gradient / hessian, cut after each; rare ones go together."""
    counts = count_codes(node, feature)
    groups = [frozenset({code}) for code in range(N_CODES) if counts[code] >= rules.category_count]
    rare = frozenset(code for code in range(N_CODES) if counts[code] < rules.category_count)
    if any(counts[code] for code in rare):
        groups.append(rare)

    def lean(group: frozenset[int]) -> float:
        there = [row for row in node.rows if row.codes[feature] in group]
        weight = sum(row.hessian for row in there) * units.hessian + rules.category_smoothing
        return sum(row.gradient for row in there) * units.gradient / weight if weight > 0.0 else 0.0

    groups.sort(key=lean)  # stable
    return [frozenset().union(*groups[: k + 1]) for k in range(len(groups) - 1)]


def count_codes(node: Node, feature: int) -> list[int]:
    counts = [0] * N_CODES
    for row in node.rows:
        counts[row.codes[feature]] += row.count
    return counts


def score_cut(
    node: Node, feature: int, left_codes: frozenset[int], units: Units, rules: Rules, l1: float, l2: float
) -> float | None:
    """What both sides score together; None if one of them is too small."""
    sides: list[list[Row]] = [[], []]
    for row in node.rows:
        sides[LEFT if row.codes[feature] in left_codes else RIGHT].append(row)
    scores = []
    for side in sides:
        gradient, hessian = (sum(getattr(row, name) for row in side) for name in ("gradient", "hessian"))
        if sum(row.count for row in side) < rules.min_count or hessian * units.hessian < rules.min_hessian:
            return None
        scores.append(score(gradient * units.gradient, hessian * units.hessian, l1, l2))
    return scores[LEFT] + scores[RIGHT]


def make_split(
    node: Node, feature: int, left_codes: frozenset[int], both: float, gain: float, columns: Columns, rules: Rules
) -> Split:
    """A cut with a side for codes that the node has not seen: that of more than half of what counts, else the right."""
    missing, is_set, counts = columns.missing[feature], columns.is_categorical[feature], count_codes(node, feature)
    larger = 2 * sum(counts[code] for code in left_codes) > node.sum("count")
    left = set(left_codes)
    if is_set:
        rare = {code for code in range(N_CODES) if counts[code] < rules.category_count}
        if larger and not any(counts[code] for code in rare):  # rare ones that are there have found their side
            left |= rare
    elif larger and not counts[missing]:
        left.add(missing)
    code = 0 if is_set else max(left_codes - {missing})
    return Split(both, gain, feature, code, frozenset(left), missing in left)


# --- the tree -----------------------------------------------------------------------------------------------------


def grow(rows: list[Row], columns: Columns, units: Units, rules: Rules) -> list[Node]:
    """The nodes of the finished tree, those below pruned ones left out."""
    nodes = [Node(rows, 0, 0)]
    nodes[0].split = find_split(nodes[0], columns, units, rules)
    while waiting := [node for node in nodes if node.split and not node.children]:
        if sum(not node.children for node in nodes) >= rules.max_leaves:
            break
        order = (lambda node: (-node.split.gain, node.number)) if rules.best_first else (lambda node: node.number)
        nodes += split(min(waiting, key=order), len(nodes), columns, units, rules)
    finish(nodes[0], units, rules)
    stay = {id(node) for node in walk(nodes[0])}
    return [node for node in nodes if id(node) in stay]


def split(node: Node, number: int, columns: Columns, units: Units, rules: Rules) -> list[Node]:
    assert node.split is not None
    goes_left = [is_left(node.split, row.codes, columns) for row in node.rows]
    for side in (True, False):
        there = [row for row, left in zip(node.rows, goes_left) if left == side]
        node.children.append(Node(there, node.depth + 1, number + (not side)))
    for child in node.children:
        child.split = find_split(child, columns, units, rules)
    return node.children


def is_left(split: Split, codes: list[int], columns: Columns) -> bool:
    code = codes[split.feature]
    if columns.is_categorical[split.feature] or code == columns.missing[split.feature]:
        return code in split.left_codes
    return code <= split.code


def finish(node: Node, units: Units, rules: Rules) -> None:
    """Prune from the leaves up, and give every node the value it has as a leaf."""
    for child in node.children:
        finish(child, units, rules)
    if node.children and not any(child.children for child in node.children):
        assert node.split is not None
        if node.split.gain < rules.min_gain:
            node.children = []
    gradient, hessian = node.sum("fine_gradient") * units.fine_gradient, node.sum("fine_hessian") * units.fine_hessian
    weight = hessian + rules.l2
    node.value = rules.learning_rate * (-shrink(gradient, rules.l1) / weight if weight > 0.0 else 0.0)


def walk(node: Node) -> list[Node]:
    return [node, *(below for child in node.children for below in walk(child))]
