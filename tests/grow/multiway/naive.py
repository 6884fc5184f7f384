"""ID3 and C4.5 as plain recursion: slow, obvious, and the oracle of the kernels.

A table is a list of columns, each a list of values; None is missing. Categories are whole numbers from 0 on. Weights
are whole numbers of units, as in the kernels, so that parts of rows come out the same; all else is floats.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.stats import chi2

from spinney.criteria.information import ROW
from spinney.criteria.pessimism import extra_errors
from spinney.tree.decision import BRANCHES, NUMBER

TIE = 1e-9
SLACK = 1e-3


@dataclass
class Rules:
    ratio: bool
    min_leaf: int
    min_split: int
    n_classes: int
    spreads: bool = True
    mdl: bool = True
    min_gain: float = 0.0
    max_depth: int = 1 << 30
    cf: float = 0.25
    raises: bool = True
    min_decrease: float = 0.0
    total: int = 0
    significance: float | None = None


@dataclass
class Table:
    columns: list
    n_categories: list  # None for numbers
    classes: list


@dataclass
class Node:
    sums: Counter
    feature: int | None = None
    threshold: float | None = None
    children: dict = field(default_factory=dict)

    @property
    def weight(self):
        return sum(self.sums.values())

    @property
    def wrong(self):
        return self.weight - max(self.sums.values(), default=0)


def tally(table, rows):
    sums = Counter()
    for row, units in rows:
        sums[table.classes[row]] += units
    return sums


def information(weights):
    """Entropy times weight, in bits and rows."""
    total = sum(weights)
    return -sum(w / ROW * math.log2(w / total) for w in weights if w > 0)


def branch(table, node, row):
    """None where the value is missing."""
    value = table.columns[node.feature][row]
    if value is None or node.threshold is None:
        return value
    return int(value > node.threshold)


def by_branch(table, node, rows):
    """(rows that miss the value, rows of each branch)."""
    parts, missing = {}, []
    for row, units in rows:
        b = branch(table, node, row)
        missing.append((row, units)) if b is None else parts.setdefault(b, []).append((row, units))
    return missing, dict(sorted(parts.items()))


def children_rows(table, node, rows, spreads=True):
    """The rows of each branch, with their parts of those that miss the value if these spread."""
    missing, parts = by_branch(table, node, rows)
    weigh = {b: sum(units for _, units in part) for b, part in parts.items()}
    known = sum(weigh.values())
    for b, part in parts.items() if spreads else ():
        extra = [(row, math.floor(units * (weigh[b] / known) + 0.5)) for row, units in missing]
        part += [(row, units) for row, units in extra if units > 0]
    return parts


def judge(table, rules, rows, feature):
    """(gain, split information, threshold) of a column, or None."""
    known = [(row, units) for row, units in rows if table.columns[feature][row] is not None]
    total, here = sum(u for _, u in rows), sum(u for _, u in known)
    before = information(list(tally(table, known).values()))
    if table.n_categories[feature] is None:
        return judge_cuts(table, rules, known, feature, total, before)
    node = Node(Counter(), feature)
    parts = by_branch(table, node, known)[1].values()
    sizes = [sum(u for _, u in part) for part in parts]
    if sum(size >= rules.min_leaf for size in sizes) < 2:
        return None
    after = sum(information(list(tally(table, part).values())) for part in parts)
    return (before - after) / (total / ROW), information([*sizes, total - here]) / (total / ROW), None


def judge_cuts(table, rules, known, feature, total, before):
    here = sum(u for _, u in known)
    least = max(rules.min_leaf, min(here // (10 * rules.n_classes), 25 * ROW))
    values = sorted({table.columns[feature][row] for row, _ in known})
    best, n_cuts = None, 0
    for low, high in pairwise(values):
        left = [(row, u) for row, u in known if table.columns[feature][row] <= low]
        right = [(row, u) for row, u in known if table.columns[feature][row] >= high]
        below = sum(u for _, u in left)
        if below < least or here - below < least:
            continue
        n_cuts += 1
        after = sum(information(list(tally(table, part).values())) for part in (left, right))
        if best is None or after < best[0] - TIE:
            best = after, below, low / 2 + high / 2
    if best is None:
        return None
    after, below, threshold = best
    gain = (before - after) / (total / ROW) - (math.log2(n_cuts) / (total / ROW) if rules.mdl else 0.0)
    return (gain, information([below, here - below, total - here]) / (total / ROW), threshold) if gain > 0 else None


def in_average(table, n_rows):
    few = [
        k is None or len(set(c) - {None}) < 0.3 * n_rows for c, k in zip(table.columns, table.n_categories, strict=True)
    ]
    return few if any(few) else [True] * len(few)


def choose(table, rules, judged, n_rows):
    """The best column of {column: (gain, info, threshold)}."""
    best, most = None, -1.0
    if not rules.ratio:
        for column, (gain, _, _) in judged.items():
            if gain >= rules.min_gain - TIE and gain > most + TIE:
                best, most = column, gain
        return best
    counts = in_average(table, n_rows)
    gains = [judged[column][0] for column in judged if counts[column]]
    for column, (gain, info, _) in judged.items():
        if gains and gain >= sum(gains) / len(gains) - SLACK and info > SLACK and gain / info > most + TIE:
            best, most = column, gain / info
    return best


def grow(table, rules, rows, n_rows, depth=0, used=()):
    node = Node(tally(table, rows))
    if node.wrong == 0 or node.weight < rules.min_split or depth >= rules.max_depth:
        return node
    free = [f for f in range(len(table.columns)) if f not in used]
    judged = {f: found for f in free if (found := judge(table, rules, rows, f))}
    best = choose(table, rules, judged, n_rows)
    if best is None or (judged[best][0] + TIE) * node.weight < rules.min_decrease * rules.total:
        return node
    node.feature, node.threshold = best, judged[best][2]
    if rules.significance is not None and not is_significant(table, rules, node, rows):
        node.feature = node.threshold = None
        return node
    used = used if node.threshold is not None else (*used, best)
    for b, part in children_rows(table, node, rows, rules.spreads).items():
        node.children[b] = grow(table, rules, part, n_rows, depth + 1, used)
    return node


def is_significant(table, rules, node, rows):
    """Pearson's test of branches by classes, from its definition."""
    parts = [tally(table, part) for part in by_branch(table, node, rows)[1].values()]
    total = sum(parts, Counter())
    n, statistic = total.total() / ROW, 0.0
    for part in parts:
        for c, weight in total.items():
            expected = part.total() / ROW * weight / ROW / n
            statistic += (part[c] / ROW - expected) ** 2 / expected
    degrees = (len(parts) - 1) * (len(total) - 1)
    return degrees > 0 and statistic > chi2.isf(rules.significance, degrees)


def best_first(table, root, max_leaves):
    """Keep the splits that a best-first loop would make up to so many leaves."""
    numbers = {}

    def number(node):
        numbers[id(node)] = len(numbers)
        for child in node.children.values():
            number(child)

    def fall(node):
        known = sum((child.sums for child in node.children.values()), Counter())
        after = sum(information(list(child.sums.values())) for child in node.children.values())
        return round(information(list(known.values())) - after, 8)

    number(root)
    frontier, kept, n_leaves = [root], set(), 1
    while frontier:
        node = min(frontier, key=lambda one: (-fall(one), numbers[id(one)]))
        frontier.remove(node)
        more = 0 if node.feature is None else (table.n_categories[node.feature] or 2) - 1
        if node.feature is not None and n_leaves + more <= max_leaves:
            n_leaves += more
            kept.add(id(node))
            frontier += node.children.values()

    def cut(node):
        if id(node) not in kept:
            node.feature, node.threshold, node.children = None, None, {}
        for child in node.children.values():
            cut(child)

    cut(root)


def collapse(node):
    """Training errors of the subtree, after nodes without use became leaves."""
    if node.feature is None:
        return node.wrong
    below = sum(collapse(child) for child in node.children.values())
    if below >= node.wrong - ROW // 1000:
        node.feature, node.children = None, {}
        return node.wrong
    return below


def leaf_errors(sums, cf):
    weight = sum(sums.values())
    wrong = weight - max(sums.values(), default=0)
    return wrong / ROW + extra_errors(weight / ROW, wrong / ROW, cf)


def estimate(table, rules, node, rows):
    """Pessimistic errors of a subtree on these rows."""
    if node is None or node.feature is None:
        return leaf_errors(tally(table, rows), rules.cf)
    return sum(
        estimate(table, rules, node.children.get(b), part) for b, part in children_rows(table, node, rows).items()
    )


def prune(table, rules, node, rows):
    """Prune below the node, then at it; returns its pessimistic errors."""
    node.sums = tally(table, rows)
    leaf = leaf_errors(node.sums, rules.cf)
    if node.feature is None:
        return leaf
    parts = children_rows(table, node, rows)
    own = {b: sum(u for _, u in part) for b, part in by_branch(table, node, rows)[1].items()}
    tree = sum(prune(table, rules, node.children.setdefault(b, Node(Counter())), part) for b, part in parts.items())
    largest = max(own, key=lambda b: (own[b], b))
    raised = estimate(table, rules, node.children[largest], rows) if rules.raises else math.inf
    if leaf <= tree + 0.1 and leaf <= raised + 0.1:
        node.feature, node.children = None, {}
        return leaf
    if raised > tree + 0.1:
        return tree
    branch = node.children[largest]
    node.feature, node.threshold, node.children = branch.feature, branch.threshold, branch.children
    return prune(table, rules, node, rows)


def as_tuples(table, node, n_classes, parent=None):
    """A tree that can be compared: (answers, column, threshold, children)."""
    if node is None:
        return [parent.sums[c] / ROW for c in range(n_classes)], None, None, ()
    answers = [node.sums[c] / ROW for c in range(n_classes)]
    if node.feature is None:
        return answers, None, None, ()
    n_branches = table.n_categories[node.feature] or 2
    children = tuple(as_tuples(table, node.children.get(b), n_classes, node) for b in range(n_branches))
    return answers, node.feature, node.threshold, children


def tree_as_tuples(tree, node=0):
    """The same of a `DecisionTree`."""
    answers = tree.answers[node, 0].tolist()
    if tree.kind[node] not in (NUMBER, BRANCHES):
        return answers, None, None, ()
    threshold = float(tree.threshold[node]) if tree.kind[node] == NUMBER else None
    children = tuple(tree_as_tuples(tree, child) for child in tree.children_of(node))
    return answers, int(tree.feature[node]), threshold, children


def make_table(X, n_categories, classes):
    """From an array with NaN and the number of categories of each column (None: numbers)."""
    columns = [
        [None if np.isnan(v) else (int(v) if k else float(v)) for v in c]
        for c, k in zip(X.T, n_categories, strict=True)
    ]
    return Table(columns, n_categories, list(classes))
