"""Small tables, targets and rules to grow one exact tree on, drawn by Hypothesis; and a check of every node."""

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.impurity import NAMES
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.weights import Weights, read_weights
from spinney.grow.exact import fit, memory
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.exact.freeze import GrownTree
from spinney.grow.exact.memory import make_work
from spinney.grow.rules import TreeSettings
from spinney.tree.decision import LEAF, NUMBER, SET, DecisionTree
from tests.oracles import exact_tree as twin

NUMBERS = ("few", "many", "gaps", "constant", "missing", "infinite")
CATEGORIES = ("categories", "category gaps", "many categories")
CLASS_CRITERIA = ("gini", "entropy", "error", "gain_ratio")


@dataclass(frozen=True)
class Variant:
    """What decides which machine code is used: one is compiled for each."""

    kind: str  # pairs, classes, values, medians
    weighted: bool = False
    categories: bool = False
    monotone: bool = False

    def __str__(self) -> str:
        return "-".join([self.kind, *(name for name in ("weighted", "categories", "monotone") if getattr(self, name))])


# every kind with and without weights and categories, in as few ways as will do
VARIANTS = (
    Variant("pairs"),
    Variant("pairs", weighted=True, categories=True),
    Variant("pairs", weighted=True, monotone=True),
    Variant("classes", categories=True),
    Variant("classes", weighted=True),
    Variant("values", weighted=True, categories=True),
    Variant("medians", weighted=True),
    Variant("medians", weighted=True, monotone=True),
    Variant("medians", categories=True),
)


@dataclass(frozen=True)
class Case:
    """One tree to grow."""

    X: np.ndarray
    n_categories: np.ndarray  # 0 for numbers
    y: np.ndarray  # (rows, outputs): class numbers or numbers
    n_classes: tuple[int, ...] | None
    sample_weight: np.ndarray | None
    criterion: str
    options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """What may have mattered; the numbers can be drawn again."""
        weights = None if self.sample_weight is None else self.sample_weight.dtype.kind
        kinds = self.n_categories.tolist()
        return f"Case({self.X.shape}, {kinds}, {self.n_classes}, {self.criterion}, {weights}, {self.options})"

    @property
    def table(self) -> Table:
        return Table(*self.X.shape, (Panel(self.X, tuple(range(self.X.shape[1]))),))

    @property
    def weights(self) -> Weights:
        """An array for every case with weights, even if all are 1."""
        if self.sample_weight is None:
            return Weights(None, None)
        if self.sample_weight.dtype.kind == "i":
            return Weights(self.sample_weight, None)
        return read_weights(self.sample_weight, len(self.X))

    @property
    def target(self) -> Target:
        if self.n_classes is None:
            return Target(None, None, np.ascontiguousarray(self.y.T.astype(np.float64)), self.weights)
        return Target(np.ascontiguousarray(self.y.T.astype(np.int32)), self.n_classes, None, self.weights)

    @property
    def settings(self) -> TreeSettings:
        options = {**self.options, "monotone": np.array(self.options.get("monotone", ()), np.int8)}
        return TreeSettings(NAMES[self.criterion], by_ratio=self.criterion == "gain_ratio", **options)

    @cached_property
    def data(self) -> twin.Data:
        weight = np.ones(len(self.X), np.int64) if self.sample_weight is None else self.sample_weight
        return twin.Data(self.X, tuple(self.n_categories > 0), self.y, weight, self.n_classes)

    @property
    def rules(self) -> twin.Rules:
        name = {"gain_ratio": "entropy"}.get(self.criterion, self.criterion)
        return twin.Rules(name, by_ratio=self.criterion == "gain_ratio", **self.options)

    def tolerance(self, rows: np.ndarray) -> float:
        """What two computations of a gain may differ by: rounding of floats, of tabled logarithms, of weights."""
        mass = float(self.data.weight[rows].sum() * twin.impurity(self.data, self.rules.criterion, rows))
        if self.rules.criterion == "entropy" and self.data.weight.dtype.kind == "i":
            return 1e-9 * mass + 2.0**-23 * (1 + sum(self.n_classes or ()))
        return (1e-6 if self.criterion == "absolute_error" else 1e-9) * mass


def grow(case: Case, n_threads: int = 1, **rest: Any) -> GrownTree:
    """By the kernels."""
    with Team(n_threads) as team:
        return grow_exact_tree(case.table, case.n_categories, case.target, case.settings, team, **rest)


def set_way(patch: Any, team_rows: int, block: int) -> None:
    """How a tree is grown, which must not matter.

    A team works together on nodes of more than so many rows, and one thread as if it were a team; scans look at so many
    entries at a time.
    """
    patch.setattr(fit, "make_work", partial(make_work, team_rows=team_rows))
    patch.setattr(memory, "BLOCK", block)


# --- drawing --------------------------------------------------------------------------------------------------------


def draw_column(kind: str, n: int, random: np.random.RandomState) -> np.ndarray:
    if kind in ("few", "categories"):
        return random.randint(0, 5, n).astype(float)
    if kind == "many categories":
        return random.randint(0, max(2, n // 2), n).astype(float)
    if kind == "constant":
        return np.full(n, 3.5)
    if kind == "missing":
        return np.full(n, np.nan)
    column = random.randint(0, 5, n).astype(float) if kind == "category gaps" else random.randn(n)
    if kind in ("gaps", "category gaps"):
        column[random.rand(n) < 0.3] = np.nan
    if kind == "infinite":
        column = np.round(column, 1)
        column[random.rand(n) < 0.2] = np.inf
        column[random.rand(n) < 0.2] = -np.inf
        column[random.rand(n) < 0.1] = np.nan
    return column


OPTIONS = {
    "max_depth": lambda random, n: int(random.randint(1, 5)),
    "max_leaves": lambda random, n: int(random.randint(2, 9)),
    "min_split": lambda random, n: int(random.randint(2, max(3, n // 2))),
    "min_leaf": lambda random, n: int(random.randint(2, max(3, n // 4))),
    "min_weight": lambda random, n: float(random.choice((1.0, n / 7.3))),
    "min_decrease": lambda random, n: float(random.choice((1e-3, 0.0317))),
    "significance": lambda random, n: float(random.choice((0.05, 0.5))),
}


def cases(variant: Variant, most_rows: int = 40) -> Any:
    """Trees to grow with any of the rules that there are."""
    return st.integers(0, 10**6).map(lambda seed: draw_case(variant, most_rows, seed))


def draw_case(variant: Variant, most_rows: int, seed: int) -> Case:
    random = np.random.RandomState(seed)
    n = int(random.choice((most_rows, most_rows // 2, 12, 3, 1), p=(0.6, 0.2, 0.1, 0.06, 0.04)))
    kinds = random.choice(NUMBERS, random.randint(1, 4), p=(0.25, 0.3, 0.2, 0.05, 0.05, 0.15)).tolist()
    if variant.categories:
        kinds += random.choice(CATEGORIES, random.randint(1, 3)).tolist()
    columns = [draw_column(kind, n, random) for kind in kinds]
    sizes = [1 + int(np.nan_to_num(column).max()) if kind in CATEGORIES else 0 for kind, column in zip(kinds, columns)]
    signal = sum(np.clip(np.nan_to_num(column, nan=1.0), -3, 3) % 3 for column in columns)
    y, n_classes, criterion = _draw_target(variant, n, signal, random)
    weight = None
    if variant.weighted:
        weight = random.randint(1, 5, n) if random.rand() < 0.5 else random.uniform(0.1, 3.0, n)
    options = {name: draw(random, n) for name, draw in OPTIONS.items() if random.rand() < 0.15}
    if variant.monotone:
        y = y[:, :1]  # of one output only
        options["monotone"] = (*random.randint(-1, 2, len(kinds) - 1).tolist(), int(random.choice((-1, 1))))
    return Case(np.column_stack(columns), np.array(sizes), y, n_classes, weight, criterion, options)


def _draw_target(
    variant: Variant, n: int, signal: np.ndarray, random: np.random.RandomState
) -> tuple[np.ndarray, tuple[int, ...] | None, str]:
    """(y, n_classes, criterion). No two categories have the same mean: how these would be ordered is not told."""
    if variant.kind == "classes" or (variant.kind == "pairs" and random.rand() < 0.5):
        n_classes = (2,) if variant.kind == "pairs" else ((3,), (5,), (2, 3), (20,))[random.randint(4)]
        noise = [random.randint(0, k, n) for k in n_classes]
        y = [np.where(random.rand(n) < 0.3, one, signal.astype(int) % k) for one, k in zip(noise, n_classes)]
        return np.column_stack(y), n_classes, str(random.choice(CLASS_CRITERIA))
    n_outputs = {"pairs": 1, "values": 2, "medians": random.choice((1, 3))}[variant.kind]
    if variant.kind != "medians" and random.rand() < 0.4:
        y = random.poisson(np.exp(signal - 1)[:, None], (n, n_outputs)) * random.uniform(1.0, 1.1, (n, n_outputs))
        return y, None, "poisson" if y.sum() > 0 else "squared_error"
    criterion = "absolute_error" if variant.kind == "medians" else "squared_error"
    return signal[:, None] + random.randn(n, n_outputs), None, criterion


# --- checking -------------------------------------------------------------------------------------------------------


def goes_left(tree: DecisionTree, node: int, X: np.ndarray, n_categories: np.ndarray) -> np.ndarray:
    """Which rows of a table go to a node's first child."""
    j = tree.feature[node]
    x = X[:, j]
    if tree.kind[node] == NUMBER:
        left = x <= tree.threshold[node]
    else:
        left = np.isin(x, tree.categories_in(node, n_categories[j]))
    return np.where(np.isnan(x), tree.missing[node] == 0, left)


def check(case: Case, grown: GrownTree) -> int:
    """Assert that every node of a tree is as the twin would have it, up to ties; returns how many were looked at."""
    tree, split_number = grown.tree, grown.split_number
    one = _Check(case, tree, split_number)
    one.visit(0, twin.Node(np.arange(len(case.X))))
    assert tree.n_leaves == (tree.n_nodes + 1) // 2
    if case.rules.max_leaves is not None:
        one.check_turns()
    return tree.n_nodes


class _Check:
    """A walk down a tree beside the twin."""

    def __init__(self, case: Case, tree: DecisionTree, split_number: np.ndarray) -> None:
        self.case, self.data, self.rules, self.tree, self.split_number = case, case.data, case.rules, tree, split_number
        self.gain: dict[int, float] = {}  # of nodes that are, or could be, split
        self.full = self.rules.max_leaves is not None and tree.n_leaves >= min(self.rules.max_leaves, len(case.X))

    def visit(self, at: int, node: twin.Node) -> None:
        self.check_description(at, node)
        found = twin.splits_of(self.data, self.rules, node) if twin.may_split(self.data, self.rules, node) else []
        if self.tree.kind[at] == LEAF:
            self.check_leaf(at, node, found)
            return
        split = self.check_split(at, node, found)
        twin.make_children(self.data, self.rules, node, split)
        for child, part in zip(self.tree.children_of(at), node.children, strict=True):
            assert self.tree.depth[child] == part.depth
            self.visit(int(child), part)

    def check_description(self, at: int, node: twin.Node) -> None:
        tree, rows = self.tree, node.rows
        assert tree.n_samples[at] == len(rows)
        np.testing.assert_allclose(tree.weight[at], float(self.data.weight[rows].sum()), rtol=1e-12)
        impurity = float(twin.impurity(self.data, self.rules.criterion, rows))
        root = float(twin.impurity(self.data, self.rules.criterion, np.arange(len(self.case.X))))
        np.testing.assert_allclose(tree.impurity[at], impurity, rtol=1e-9, atol=1e-12 * (1 + root))
        for o, expected in enumerate(twin.answer(self.data, self.rules, node)):
            answer = tree.answers[at, o, : len(expected)]
            np.testing.assert_allclose(answer, [float(v) for v in expected], rtol=1e-9, atol=1e-9)
            assert (tree.answers[at, o, len(expected) :] == 0).all()

    def is_leaf(self, rows: np.ndarray, split: twin.Split | None, slack: float) -> bool:
        """Whether the rules after the choice of a split make the node a leaf; slack < 0 sees a leaf sooner."""
        if split is None:
            return True
        if float(split.gain) + slack < self.rules.min_decrease * float(self.data.weight.sum()):
            return True
        alpha = self.rules.significance
        strict = self.rules._replace(significance=alpha and alpha * (1 + np.sign(slack) * 1e-6))
        return not twin.is_significant(self.data, strict, split)

    def check_leaf(self, at: int, node: twin.Node, found: list) -> None:
        """No split is good enough; or there could be one, but there are enough leaves."""
        assert self.split_number[at] == -1
        split = twin.choose(self.data, self.rules, found)
        slack = self.case.tolerance(node.rows)
        if self.full:
            if not self.is_leaf(node.rows, split, -slack):
                self.gain[at] = float(split.gain)
            return
        if self.rules.significance is not None and split is not None:
            # of equal splits one may be significant and another not
            best = float(split.gain) - slack
            assert any(self.is_leaf(node.rows, s, -slack) for s in found if float(s.gain) >= best)
            return
        assert self.is_leaf(node.rows, split, -slack)

    def check_split(self, at: int, node: twin.Node, found: list) -> twin.Split:
        """The split is one that the rules allow, none is better, and it says where missing values go."""
        tree, j = self.tree, int(self.tree.feature[at])
        is_left = goes_left(tree, at, self.case.X, self.case.n_categories)[node.rows]
        left = node.rows[is_left]
        same = [s for s in found if s.feature == j and np.array_equal(s.left, left)]
        assert same, "this split is not allowed"
        split, slack = same[0], self.case.tolerance(node.rows)
        if tree.kind[at] == NUMBER:
            assert tree.threshold[at] in [s.threshold for s in same]
        else:
            assert tree.kind[at] == SET
            assert np.isnan(tree.threshold[at])
        if not np.isnan(self.case.X[node.rows, j]).any():
            weight = self.data.weight
            assert tree.missing[at] == (0 if 2 * weight[left].sum() > weight[node.rows].sum() else 1)
        self.check_best(split, found, slack)
        assert not self.is_leaf(node.rows, split, slack)
        self.gain[at] = float(split.gain)
        return split

    def check_best(self, split: twin.Split, found: list, slack: float) -> None:
        if not self.rules.by_ratio:
            assert split.gain >= max(s.gain for s in found) - slack
            return
        best = twin.best_of_columns(found)
        average = sum(s.gain for s in best) / len(best)
        assert split.gain >= max(s.gain for s in best if s.feature == split.feature) - slack
        assert split.gain >= average - slack
        ratios = [twin.ratio(self.data, s) for s in best if s.gain > average + slack]
        assert twin.ratio(self.data, split) >= max(ratios, default=0.0) * (1 - 1e-6) - 1e-6

    def check_turns(self) -> None:
        """Best-first: at every turn no node on the frontier promises more than the one that is split."""
        tree, split = self.tree, np.flatnonzero(~self.tree.is_leaf)
        order = split[np.argsort(self.split_number[split])]
        assert self.split_number[order].tolist() == list(range(len(order)))
        assert tree.n_leaves <= max(1, self.rules.max_leaves or 1)
        frontier = {0}
        slack = self.case.tolerance(np.arange(len(self.case.X)))
        for node in order.tolist():
            assert self.gain[node] >= max(self.gain.get(other, 0.0) for other in frontier) - slack
            frontier = (frontier - {node}) | set(tree.children_of(node).tolist())
