"""A decision tree as flat arrays: what CART, ID3 and C4.5 learn, and what pruning, reading and drawing work on.

Nodes are numbered in preorder: the root is node 0, a node's first child is the node after it, and a subtree is a
run of neighbours. A node asks one question, and each answer is a branch:

    kind      question                                   branches
    LEAF      none                                       none
    NUMBER    is x[feature] <= threshold?                0: yes, 1: no
    SET       is the category x[feature] in the set?     0: yes, 1: no
    BRANCHES  which category is x[feature]?              one for each category of the column, in the schema's order

| array        | dtype   | one entry a node                                                             |
|--------------|---------|------------------------------------------------------------------------------|
| kind         | uint8   | LEAF, NUMBER, SET or BRANCHES                                                |
| child_start  | int64   | its children are children[child_start[node] : child_start[node + 1]]         |
| children     | int32   | (all nodes' children, end to end) the child of branch 0, branch 1, ...       |
| feature      | int32   | column asked about; -2 in leaves                                             |
| threshold    | float64 | NUMBER: x <= threshold is branch 0; NaN elsewhere                            |
| missing      | int32   | branch of missing and unknown values; or STOPS: they are answered here; or   |
|              |         | SPREADS: they go down every branch, in shares of its training weight         |
| set_start    | int64   | SET: its set is in sets[set_start[node] : set_start[node + 1]]               |
| sets         | uint64  | (all nodes' sets, end to end) bit c % 64 of word c // 64: category c is in   |
| answers      | float64 | (node, output, class): weight of each class, for class trees;                |
|              |         | (node, output, 1): the predicted number, for regression                      |
| impurity     | float64 | by the criterion the tree was grown with                                     |
| n_samples    | int64   | training rows                                                                |
| weight       | float64 | their weight                                                                 |

The tree knows nothing of how it was grown, and of tables only their columns' numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.tree.collapse import drop_below

LEAF, NUMBER, SET, BRANCHES = range(4)
STOPS, SPREADS = -1, -2  # what `missing` can be besides a branch
NO_FEATURE = -2
_WORD = 64


@dataclass(frozen=True)
class DecisionTree:
    """See the table above."""

    n_classes: tuple[int, ...] | None  # of each output; None for regression
    kind: np.ndarray
    child_start: np.ndarray
    children: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing: np.ndarray
    set_start: np.ndarray
    sets: np.ndarray
    answers: np.ndarray
    impurity: np.ndarray
    n_samples: np.ndarray
    weight: np.ndarray

    # --- shape -----------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return len(self.kind)

    @property
    def n_outputs(self) -> int:
        return int(self.answers.shape[1])

    @property
    def is_leaf(self) -> np.ndarray:
        return self.kind == LEAF

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @property
    def is_binary(self) -> bool:
        """Whether every question has two answers."""
        return bool((np.isin(np.diff(self.child_start), (0, 2))).all())

    def children_of(self, node: int) -> np.ndarray:
        """The child of each branch, in order."""
        return self.children[self.child_start[node] : self.child_start[node + 1]]

    def categories_in(self, node: int, n_categories: int) -> np.ndarray:
        """SET: the categories that go to branch 0, ascending."""
        words = self.sets[self.set_start[node] : self.set_start[node + 1]]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[:n_categories])

    @cached_property
    def parent(self) -> np.ndarray:
        """The parent of every node; -1 for the root."""
        parent = np.full(self.n_nodes, -1, np.int32)
        parent[self.children] = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.child_start))
        return parent

    @cached_property
    def branch(self) -> np.ndarray:
        """Which branch of its parent every node is; -1 for the root."""
        branch = np.full(self.n_nodes, -1, np.int32)
        branch[self.children] = np.arange(len(self.children)) - np.repeat(
            self.child_start[:-1], np.diff(self.child_start)
        )
        return branch

    @cached_property
    def depth(self) -> np.ndarray:
        """Distance of every node from the root."""
        depth = np.zeros(self.n_nodes, np.int32)
        parent = self.parent.tolist()
        for node in range(1, self.n_nodes):  # parents come before their children
            depth[node] = depth[parent[node]] + 1
        return depth

    @cached_property
    def subtree_end(self) -> np.ndarray:
        """One past the last node below every node: its subtree is node .. subtree_end[node] - 1."""
        end = np.arange(1, self.n_nodes + 1)
        parent = self.parent.tolist()
        for node in range(self.n_nodes - 1, 0, -1):
            end[parent[node]] = max(end[parent[node]], end[node])
        return end

    # --- what a node says ------------------------------------------------------------------------------------------

    @property
    def probabilities(self) -> np.ndarray:
        """Class trees: the share of each class in every node, (node, output, class)."""
        total = self.answers.sum(axis=2, keepdims=True)
        return np.divide(self.answers, total, out=np.zeros_like(self.answers), where=total > 0)

    @cached_property
    def majority(self) -> np.ndarray:
        """Class trees: the heaviest class of every node and output, (node, output); of equals the first."""
        return self.answers.argmax(axis=2)

    # --- for going down (descend.py) ---------------------------------------------------------------------------------

    @cached_property
    def asks_numbers_only(self) -> bool:
        """Whether all questions are about numbers, and missing ones have a branch to take."""
        return bool(((self.kind == LEAF) | ((self.kind == NUMBER) & (self.missing >= 0))).all())

    @cached_property
    def columns_asked(self) -> set[int]:
        """Columns that some question is about."""
        return set(self.feature[~self.is_leaf].tolist())

    @cached_property
    def spreads(self) -> bool:
        """Whether a row can go down several branches."""
        return bool((self.missing == SPREADS).any())

    @cached_property
    def steps(self) -> np.ndarray:
        from spinney.tree.descend import make_steps

        return make_steps(self)

    @cached_property
    def short_steps(self) -> np.ndarray:
        from spinney.tree.descend import make_short_steps

        return make_short_steps(self)

    # --- changes: each returns another tree ------------------------------------------------------------------------

    def collapse(self, at: np.ndarray) -> DecisionTree:
        """The tree with the nodes marked in `at` (Booleans) turned into leaves and all below them gone."""
        at = np.asarray(at, dtype=bool)
        kept, number = drop_below(self.parent, at)
        n_children, n_words = np.diff(self.child_start), np.diff(self.set_start)
        asks, mine = kept & ~at, at[kept]
        children, sets = self.children[np.repeat(asks, n_children)], self.sets[np.repeat(asks, n_words)]
        return DecisionTree(
            n_classes=self.n_classes,
            kind=np.where(mine, np.uint8(LEAF), self.kind[kept]),
            child_start=_ends(np.where(mine, 0, n_children[kept])),
            children=number[children].astype(np.int32),
            feature=np.where(mine, np.int32(NO_FEATURE), self.feature[kept]),
            threshold=np.where(mine, np.nan, self.threshold[kept]),
            missing=np.where(mine, np.int32(STOPS), self.missing[kept]),
            set_start=_ends(np.where(mine, 0, n_words[kept])),
            sets=sets,
            answers=self.answers[kept],
            impurity=self.impurity[kept],
            n_samples=self.n_samples[kept],
            weight=self.weight[kept],
        )

    def with_answers(self, answers: np.ndarray, **counts: Any) -> DecisionTree:
        """The same questions with other answers, and perhaps other `n_samples`, `weight` and `impurity`."""
        return replace(self, answers=answers, **counts)

    # --- identity --------------------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """A hash of every bit of the tree."""
        digest = blake2b(digest_size=16)
        self.update_hash(digest)
        return digest.hexdigest()

    def update_hash(self, digest: Any) -> None:
        """Feed the tree into a hash."""
        digest.update(repr(self.n_classes).encode())
        for field in fields(self)[1:]:
            array = np.ascontiguousarray(getattr(self, field.name))
            digest.update(f"{field.name}{array.shape}{array.dtype.str}".encode())
            digest.update(array.tobytes())

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # --- scikit-learn's names for binary trees ----------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @property
    def n_node_samples(self) -> np.ndarray:
        return self.n_samples

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        return self.weight

    @property
    def children_left(self) -> np.ndarray:
        """The child where the answer is yes; -1 in leaves."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """The child where the answer is no; -1 in leaves."""
        return self._child(1)

    @property
    def missing_go_to_left(self) -> np.ndarray:
        return (self.missing == 0).astype(np.uint8)

    @property
    def value(self) -> np.ndarray:
        """What every node predicts, (node, output, class): shares of the classes, or the number."""
        return self.answers if self.n_classes is None else self.probabilities

    def _child(self, branch: int) -> np.ndarray:
        if not self.is_binary:
            raise AttributeError("this tree has nodes of more than two branches: use children_of(node).")
        child = np.full(self.n_nodes, -1, np.int64)
        inner = ~self.is_leaf
        child[inner] = self.children[self.child_start[:-1][inner] + branch]
        return child

    def impurity_decreases(self) -> np.ndarray:
        """By how much each node's question lowers impurity, times its share of the whole weight; 0 in leaves."""
        mass = self.weight * self.impurity
        below = np.bincount(self.parent[1:], mass[1:], minlength=self.n_nodes) if self.n_nodes > 1 else 0.0
        return np.where(self.is_leaf, 0.0, (mass - below) / self.weight[0])

    def compute_feature_importances(self, normalize: bool = True, n_features: int | None = None) -> np.ndarray:
        """Total impurity decrease of each column's questions; shares of 1 if `normalize`."""
        inner = ~self.is_leaf
        n_features = int(self.feature.max()) + 1 if n_features is None else n_features
        total = np.bincount(self.feature[inner], self.impurity_decreases()[inner], minlength=max(n_features, 1))
        return total / total.sum() if normalize and total.sum() > 0 else total


def _ends(lengths: np.ndarray) -> np.ndarray:
    """Where runs of these lengths begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


@dataclass(frozen=True)
class BoostedTree(DecisionTree):
    """A tree of a boosted model: answers are what it adds to the raw score, weights are sums of the hessian.

    Its questions have a gain, and there is no impurity (NaN).
    """

    gain: np.ndarray  # float64: what each question gained; 0 in leaves

    def impurity_decreases(self) -> np.ndarray:
        """The gain of every question."""
        return self.gain

    def collapse(self, at: np.ndarray) -> DecisionTree:
        raise TypeError("the trees of a boosted model are pruned together: see spinney.prune.cost_complexity.")


class OneTree:
    """What a fitted model of one tree has."""

    tree_: DecisionTree
    _schema: Schema
