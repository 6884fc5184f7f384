"""Trees that ask questions at random, of any kind and with any number of branches, for slow twins to prune."""

from dataclasses import dataclass
from itertools import chain, product

import numpy as np
from sklearn.base import RegressorMixin

from spinney.data.schema import learn_and_read
from spinney.estimators.trees.model import ClassTreeModel, TreeModel
from spinney.tree.decision import BRANCHES, LEAF, NO_FEATURE, NUMBER, SET, STOPS
from tests.tree.nodes import tree_of_nodes

N_CATEGORIES = 3  # columns 0 and 1 are numbers, columns 2 and 3 categories


class RandomClassTree(ClassTreeModel):
    """A class tree of random questions."""

    def fit(self, X, y): ...


class RandomNumberTree(RegressorMixin, TreeModel):
    """A regression tree of random questions."""

    def fit(self, X, y): ...

    def predict(self, X):
        answers = self.tree_.answers[self.apply(X), :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers


@dataclass
class Drawn:
    """A fitted model, and more rows of the kind it was fitted on."""

    model: object
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray


def draw_rows(rng, n, n_outputs, is_class, share_missing=0.0):
    X = np.column_stack([rng.randint(0, 9, (n, 2)), rng.randint(0, N_CATEGORIES, (n, 2))]).astype(np.float64)
    y = rng.randint(0, 3, (n, n_outputs)) if is_class else rng.randint(-9, 10, (n, n_outputs)).astype(float)
    X[rng.rand(n, 4) < share_missing] = np.nan
    return X, y, rng.randint(1, 4, n).astype(np.float64)


def draw(seed, is_class=True, n_outputs=1, missing=0, n_rows=40, smallest=4):
    """A random tree and validation rows, with missing values unless `missing` (a branch, STOPS or SPREADS) is 0."""
    rng = np.random.RandomState(seed)
    X, y, weight = draw_rows(rng, n_rows, n_outputs, is_class)
    X[:N_CATEGORIES, 2:] = np.arange(N_CATEGORIES)[:, None]  # all categories occur
    schema, _ = learn_and_read(X, [2, 3])
    model = RandomClassTree() if is_class else RandomNumberTree()
    if is_class:
        y[:3] = np.arange(3)[:, None]
        model.classes_, model.n_classes_ = np.arange(3), 3
        if n_outputs > 1:
            model.classes_, model.n_classes_ = [np.arange(3)] * n_outputs, [3] * n_outputs
    model._keep(schema, _Growth(rng, X, y, weight, is_class, missing, smallest).tree)
    return Drawn(model, *draw_rows(rng, n_rows, n_outputs, is_class, 0.2 if missing else 0.0))


class _Growth:
    def __init__(self, rng, X, y, weight, is_class, missing, smallest):
        self.rng, self.X, self.y, self.weight = rng, X, y, weight
        self.is_class, self.missing, self.smallest = is_class, missing, smallest
        self.nodes, self.children, self.sets = [], [], []
        self.grow(np.arange(len(X)), None)
        self.tree = self.freeze()

    def grow(self, rows, borrowed):
        """Add the subtree of these rows; returns its number."""
        number = len(self.nodes)
        answers, impurity = self.measure(rows) if len(rows) else borrowed
        node = dict(kind=LEAF, feature=NO_FEATURE, threshold=np.nan, missing=STOPS, answers=answers, impurity=impurity)
        node |= dict(n_samples=len(rows), weight=self.weight[rows].sum())
        self.nodes.append(node)
        self.children.append([])
        self.sets.append([])
        if len(rows) >= self.smallest and self.rng.rand() < 0.9:
            feature = self.rng.randint(4)
            branch = self.ask(node, feature, self.X[rows, feature])
            node |= dict(feature=feature, missing=self.missing)
            n_branches = N_CATEGORIES if node["kind"] == BRANCHES else 2
            self.children[number] = [self.grow(rows[branch == b], (answers, 0.0)) for b in range(n_branches)]
        return number

    def ask(self, node, feature, values):
        """Choose a question; returns the rows' branches."""
        if feature < 2:
            node |= dict(kind=NUMBER, threshold=self.rng.randint(9) + 0.5)
            return (values > node["threshold"]).astype(int)
        if feature == 2:
            node["kind"] = BRANCHES
            return values.astype(int)
        node["kind"] = SET
        members = self.rng.randint(1, 2**N_CATEGORIES - 1)
        self.sets[-1] = [members]
        return 1 - (members >> values.astype(int) & 1)

    def measure(self, rows):
        """(answers, impurity): Gini or variance, the mean over the outputs."""
        y, weight = self.y[rows], self.weight[rows]
        if self.is_class:
            counts = np.array([[weight[column == c].sum() for c in range(3)] for column in y.T])
            return counts, np.mean(1 - ((counts / weight.sum()) ** 2).sum(axis=1))
        mean = np.average(y, axis=0, weights=weight)
        return mean[:, None], np.average((y - mean) ** 2, axis=0, weights=weight).mean()

    def freeze(self):
        def column(name, dtype):
            return np.array([node[name] for node in self.nodes], dtype)

        return tree_of_nodes(
            n_classes=(3,) * self.y.shape[1] if self.is_class else None,
            kind=column("kind", np.uint8),
            child_start=np.cumsum([0] + [len(one) for one in self.children]),
            children=np.array(list(chain(*self.children)), np.int32),
            feature=column("feature", np.int32),
            threshold=column("threshold", np.float64),
            missing=column("missing", np.int32),
            set_start=np.cumsum([0] + [len(one) for one in self.sets]),
            sets=np.array(list(chain(*self.sets)), np.uint64),
            answers=column("answers", np.float64),
            impurity=column("impurity", np.float64),
            n_samples=column("n_samples", np.int64),
            weight=column("weight", np.float64),
        )


def all_subtrees(tree, node=0):
    """Every way to prune: sets of nodes to turn into leaves. For small trees."""
    if tree.is_leaf[node]:
        return [frozenset()]
    ways = product(*(all_subtrees(tree, child) for child in tree.children_of(node)))
    return [frozenset({node}), *(frozenset().union(*way) for way in ways)]


def collapse_at(tree, nodes):
    at = np.zeros(tree.n_nodes, bool)
    at[list(nodes)] = True
    return tree.collapse(at)


def large_tree(n_leaves, rng):
    """A binary tree of random shape, without any data: costs and weights that could be."""
    n = 2 * n_leaves - 1
    sizes, children, waiting = [], [], [(n_leaves, None)]  # leaves of a node; its place among the children
    while waiting:
        leaves, place = waiting.pop()
        if place is not None:
            children[place] = len(sizes)
        sizes.append(leaves)
        if leaves > 1:
            left, first = rng.randint(1, leaves), len(children)
            children += [0, 0]
            waiting += [(leaves - left, first + 1), (left, first)]
    size = np.array(sizes)
    inner = size > 1
    return tree_of_nodes(
        n_classes=None,
        kind=np.where(inner, NUMBER, LEAF).astype(np.uint8),
        child_start=np.concatenate([[0], np.cumsum(2 * inner)]),
        children=np.array(children, np.int32),
        feature=np.where(inner, 0, NO_FEATURE).astype(np.int32),
        threshold=np.where(inner, 0.5, np.nan),
        missing=np.zeros(n, np.int32),
        set_start=np.zeros(n + 1, np.int64),
        sets=np.zeros(0, np.uint64),
        answers=rng.randn(n, 1, 1),
        impurity=np.log2(size) + rng.rand(n),
        n_samples=size,
        weight=size.astype(float),
    )
