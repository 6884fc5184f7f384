"""The slow, obvious twin of grow/exact, in plain Python: the oracle of CART's tests.

A node tries every cut of every column, with its missing values on the right and on the left, and takes the sums of both
sides anew each time. Nothing is presorted, kept up to date or shared with the kernels. A table is a float array, NaN
for missing and whole numbers for categories; a target has a column an output, of class numbers or of numbers.

Where target and weights are of an integer dtype, all but entropy and Poisson deviance comes out in fractions: ties are
ties. Of equal splits the first wins: the column further left, missing values on the right, the lower threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

MOST_ORDERS = 16  # orders of the categories that are tried
_NO_LIMIT = 1 << 40


class Data(NamedTuple):
    X: np.ndarray  # float64 (rows, columns)
    is_categorical: tuple[bool, ...]
    y: np.ndarray  # (rows, outputs)
    weight: np.ndarray  # (rows,), all above 0
    n_classes: tuple[int, ...] | None  # None: numbers


class Rules(NamedTuple):
    criterion: str
    by_ratio: bool = False
    max_depth: int = _NO_LIMIT
    max_leaves: int | None = None  # a number grows the tree best-first
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    significance: float | None = None
    monotone: tuple[int, ...] = ()


class Split(NamedTuple):
    feature: int
    threshold: float  # NaN for categories
    missing_left: bool
    left: np.ndarray  # rows
    right: np.ndarray
    gain: Any  # decrease of impurity, times weight


@dataclass
class Node:
    rows: np.ndarray
    depth: int = 0
    lower: Any = -math.inf  # bounds of its value
    upper: Any = math.inf
    split: Split | None = None
    children: list[Node] = field(default_factory=list)


# --- impurity -------------------------------------------------------------------------------------------------------


def divide(a: Any, b: Any) -> Any:
    """a / b, without rounding if both are whole."""
    if isinstance(a, int | np.integer) and isinstance(b, int | np.integer):
        return Fraction(int(a), int(b))
    return a / b


def weights_of_classes(labels: np.ndarray, weight: np.ndarray, n_classes: int) -> list[Any]:
    return [weight[labels == k].sum() for k in range(n_classes)]


def mean(y: np.ndarray, weight: np.ndarray) -> Any:
    return divide((weight * y).sum(), weight.sum())


def median(y: np.ndarray, weight: np.ndarray) -> Any:
    """The value with half the weight on either side; midway between two if there are two."""
    values = sorted(set(y.tolist()))
    low = next(v for v in values if 2 * weight[y <= v].sum() >= weight.sum())
    if 2 * weight[y <= low].sum() > weight.sum():
        return low
    return (low + values[values.index(low) + 1]) / 2


def class_impurity(criterion: str, weights: list[Any]) -> Any:
    total = sum(weights)
    if criterion == "gini":
        return 1 - sum(divide(w, total) ** 2 for w in weights)
    if criterion == "error":
        return 1 - divide(max(weights), total)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def number_impurity(criterion: str, y: np.ndarray, weight: np.ndarray) -> Any:
    total, centre = weight.sum(), mean(y, weight)
    if criterion == "absolute_error":
        middle = median(y, weight)
        return divide((weight * abs(y - (int(middle) if y.dtype.kind == "i" else middle))).sum(), total)
    if criterion == "poisson":
        return sum(w * v * math.log(v / centre) for v, w in zip(y.tolist(), weight.tolist()) if v > 0) / total
    if isinstance(centre, Fraction):
        return divide((weight * y * y).sum(), total) - centre**2
    return (weight * (y - centre) ** 2).sum() / total


def impurity(data: Data, criterion: str, rows: np.ndarray) -> Any:
    """Of some rows, on average over the outputs."""
    weight, n_outputs, total = data.weight[rows], data.y.shape[1], 0
    for o in range(n_outputs):
        y = data.y[rows, o]
        if data.n_classes is None:
            total += number_impurity(criterion, y, weight)
        else:
            total += class_impurity(criterion, weights_of_classes(y, weight, data.n_classes[o]))
    return divide(total, n_outputs)


# --- splits ---------------------------------------------------------------------------------------------------------


def splits_of(data: Data, rules: Rules, node: Node) -> list[Split]:
    """Every split that the rules allow, in the order of preference among equals."""
    before = data.weight[node.rows].sum() * impurity(data, rules.criterion, node.rows)
    found = []
    for j in range(data.X.shape[1]):
        for threshold, missing_left, left, right in cuts(data, node.rows, j):
            if is_allowed(data, rules, node, j, left, right):
                after = sum(data.weight[rows].sum() * impurity(data, rules.criterion, rows) for rows in (left, right))
                found.append(Split(j, threshold, missing_left, left, right, before - after))
    return found


def cuts(data: Data, rows: np.ndarray, j: int) -> Iterator[tuple[float, bool, np.ndarray, np.ndarray]]:
    """(threshold, missing_left, left rows, right rows) of every way to cut a column."""
    x = data.X[rows, j]
    missing = rows[np.isnan(x)]
    values = sorted(set(x[~np.isnan(x)].tolist()))
    parts = {v: rows[x == v] for v in values}
    for order in orders(data, rows, parts) if data.is_categorical[j] else [values]:
        groups = [parts[v] for v in order]
        for missing_left in (False, True) if len(missing) else (False,):
            tail = [missing] if len(missing) and not missing_left else []
            head = [missing] if len(missing) and missing_left else []
            for k in range(1, len(groups) + len(tail)):
                left, right = np.concatenate(head + groups[:k]), np.concatenate(groups[k:] + tail)
                threshold = math.nan if data.is_categorical[j] else midway(order, k)
                yield threshold, missing_left, np.sort(left), np.sort(right)


def midway(values: list[float], k: int) -> float:
    """Between values k - 1 and k; infinite after the last one."""
    if k == len(values):
        return math.inf
    middle = values[k - 1] / 2 + values[k] / 2
    return middle if values[k - 1] <= middle < values[k] else values[k - 1]


def orders(data: Data, rows: np.ndarray, parts: dict[float, np.ndarray]) -> Iterator[list[float]]:
    """Orders of the categories: by the mean of each output, or by the share of each class, the heaviest first."""
    leans: list[tuple[Any, np.ndarray]] = []  # (how heavy, what each row adds)
    for o in range(data.y.shape[1]):
        if data.n_classes is None:
            leans.append((1, data.y[:, o]))
        else:
            for k in range(data.n_classes[o]):
                is_k = (data.y[:, o] == k).astype(data.weight.dtype)
                leans.append(((data.weight * is_k)[rows].sum(), is_k))
    if data.n_classes == (2,):
        leans = leans[1:]
    for _, lean in sorted(leans, key=lambda one: -one[0])[:MOST_ORDERS]:
        key = {v: mean(lean[some], data.weight[some]) for v, some in parts.items()}
        yield sorted(parts, key=lambda v: (key[v], v))


def is_allowed(data: Data, rules: Rules, node: Node, j: int, left: np.ndarray, right: np.ndarray) -> bool:
    if min(len(left), len(right)) < rules.min_leaf:
        return False
    if min(data.weight[left].sum(), data.weight[right].sum()) < rules.min_weight * (1 - 1e-12):
        return False
    if rules.criterion == "poisson" and min(data.y[left].sum(axis=0).min(), data.y[right].sum(axis=0).min()) <= 0:
        return False
    if rules.monotone and rules.monotone[j]:
        a, b = value(data, rules, left), value(data, rules, right)
        return node.lower <= min(a, b) and max(a, b) <= node.upper and (b - a) * rules.monotone[j] >= 0
    return True


def value(data: Data, rules: Rules, rows: np.ndarray) -> Any:
    """What monotone columns bound: the mean, the share of the second class, or the median."""
    if rules.criterion == "absolute_error":
        return median(data.y[rows, 0], data.weight[rows])
    return mean(data.y[rows, 0], data.weight[rows])


def choose(data: Data, rules: Rules, found: list[Split]) -> Split | None:
    """The best split; with gain ratio, the best of the columns' best ones among those of at least average gain."""
    if not found:
        return None
    if not rules.by_ratio:
        return max(found, key=lambda split: split.gain)
    best = best_of_columns(found)
    average = sum(split.gain for split in best) / len(best)
    return max((s for s in best if s.gain >= average * (1 - 1e-9)), key=lambda split: ratio(data, split))


def best_of_columns(found: list[Split]) -> list[Split]:
    columns = sorted({split.feature for split in found})
    return [max((s for s in found if s.feature == j), key=lambda split: split.gain) for j in columns]


def ratio(data: Data, split: Split) -> Any:
    sides = [data.weight[split.left].sum(), data.weight[split.right].sum()]
    return split.gain / (sum(sides) * class_impurity("entropy", sides))


def is_significant(data: Data, rules: Rules, split: Split) -> bool:
    """Pearson's chi-squared test for classes, n R^2 for numbers; outputs add up."""
    if rules.significance is None:
        return True
    rows = np.concatenate([split.left, split.right])
    statistic, degrees = 0.0, 0
    for o in range(data.y.shape[1]):
        if data.n_classes is None:
            y, total = data.y[:, o].astype(float), data.weight[rows].sum()
            before = number_impurity("squared_error", y[rows], data.weight[rows])
            sides = (split.left, split.right)
            after = sum(
                number_impurity("squared_error", y[s], data.weight[s]) * data.weight[s].sum() / total for s in sides
            )
            statistic += total * (before - after) / before if before > 0 else 0.0
            degrees += 1
        else:
            sides_of = [
                weights_of_classes(data.y[s, o], data.weight[s], data.n_classes[o]) for s in (split.left, split.right)
            ]
            table = np.array(sides_of, float)
            table = table[:, table.sum(axis=0) > 0]
            expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
            statistic += ((table - expected) ** 2 / expected).sum()
            degrees += table.shape[1] - 1
    return bool(degrees > 0 and chi2.sf(statistic, degrees) < rules.significance)


# --- trees ----------------------------------------------------------------------------------------------------------


def may_split(data: Data, rules: Rules, node: Node) -> bool:
    """Whether a node is large, shallow and mixed enough to look for a split."""
    n = len(node.rows)
    if node.depth >= rules.max_depth or n < rules.min_split or n < 2 * rules.min_leaf:
        return False
    return bool((data.y[node.rows] != data.y[node.rows[0]]).any())


def find_split(data: Data, rules: Rules, node: Node) -> Split | None:
    """What a node is split by; None for a leaf."""
    if not may_split(data, rules, node):
        return None
    split = choose(data, rules, splits_of(data, rules, node))
    if split is None or split.gain / data.weight.sum() + 1e-16 < rules.min_decrease:
        return None
    return split if is_significant(data, rules, split) else None


def make_children(data: Data, rules: Rules, node: Node, split: Split) -> None:
    """Split a node: bounds go down, a monotone column's with a wall midway between the sides' values."""
    left = Node(split.left, node.depth + 1, node.lower, node.upper)
    right = Node(split.right, node.depth + 1, node.lower, node.upper)
    direction = rules.monotone[split.feature] if rules.monotone else 0
    if direction:
        wall = (value(data, rules, split.left) + value(data, rules, split.right)) / 2
        low, high = (left, right) if direction > 0 else (right, left)
        low.upper = high.lower = wall
    node.split, node.children = split, [left, right]


def grow(data: Data, rules: Rules) -> Node:
    """Grow a tree; returns its root."""
    root = Node(np.arange(len(data.X)))
    n_leaves, most = 1, rules.max_leaves or _NO_LIMIT
    waiting = [(root, split) for split in [find_split(data, rules, root)] if split is not None]
    while waiting and n_leaves < most:
        node, split = max(waiting, key=lambda one: one[1].gain)  # of equals the oldest
        waiting = [one for one in waiting if one[0] is not node]
        make_children(data, rules, node, split)
        n_leaves += 1
        waiting += [(child, s) for child in node.children if (s := find_split(data, rules, child)) is not None]
    return root


def answer(data: Data, rules: Rules, node: Node) -> list[list[Any]]:
    """What a node says, (output, class): weights of the classes, or the number."""
    weight = data.weight[node.rows]
    if data.n_classes is not None:
        sums = [weights_of_classes(data.y[node.rows, o], weight, k) for o, k in enumerate(data.n_classes)]
        if rules.monotone:
            total, share = weight.sum(), min(max(value(data, rules, node.rows), node.lower), node.upper)
            sums = [[total * (1 - share), total * share]]
        return sums
    middle = median if rules.criterion == "absolute_error" else mean
    numbers = [middle(data.y[node.rows, o], weight) for o in range(data.y.shape[1])]
    if rules.monotone:
        numbers = [min(max(one, node.lower), node.upper) for one in numbers]
    return [[one] for one in numbers]
