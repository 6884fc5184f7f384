"""One tree of a `Forest`, to read, plot and prune: the tree of CART, ID3 and C4.5, and each tree of an ensemble.

Nodes are numbered in preorder: the root is node 0, a node's first child is the node after it, and a subtree is a
run of consecutive nodes. A node has one condition, and a branch for each outcome:

    kind      condition                                  branches
    LEAF      none                                       none
    NUMBER    is x[feature] <= threshold?                0: yes, 1: no
    SET       is the category x[feature] in the set?     0: yes, 1: no
    BRANCHES  which category is x[feature]?              one for each category of the column, in the schema's order

The arrays are created from the forest on first access, with one entry per node:

| array        | dtype   |                                                                              |
|--------------|---------|------------------------------------------------------------------------------|
| kind         | uint8   | LEAF, NUMBER, SET or BRANCHES                                                |
| child_start  | int64   | its children are children[child_start[node] : child_start[node + 1]]         |
| children     | int32   | (all nodes' children, end to end) the child of branch 0, branch 1, ...       |
| feature      | int64   | column of the split; -2 in leaves                                            |
| threshold    | float64 | NUMBER: x <= threshold is branch 0; -2 in leaves, NaN elsewhere              |
| missing      | int32   | branch of missing and unknown values; or STOPS: this node predicts them; or  |
|              |         | SPREADS: they go down every branch, in proportion to its training weight     |
| set_start    | int64   | SET: its set is in sets[set_start[node] : set_start[node + 1]]               |
| sets         | uint64  | (all nodes' sets, end to end) bit c % 64 of word c // 64: category c is in   |
| answers      | float64 | (node, output, class): weight of each class, for class trees;                |
|              |         | (node, output, 1): the predicted number, for regression                      |
| impurity     | float64 | by the criterion the tree was grown with; NaN in a boosted tree              |
| n_samples    | int64   | training rows                                                                |
| weight       | float64 | their weight; the sum of the hessian in a boosted tree                       |
| gain         | float64 | gain of the split of a boosted tree; 0 elsewhere                             |

The tree does not know how it was grown, and of tables only the column numbers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.tree.arrays import ends_of, small
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_LEFT, MISSING_SPREADS, MISSING_STOPS, Forest
from spinney.tree.shape import Shape
from spinney.tree.sklearn_tree import SklearnTree

LEAF, NUMBER, SET, BRANCHES = range(4)
STOPS, SPREADS = -1, -2  # what `missing` can be besides a branch
NO_FEATURE, NO_THRESHOLD = -2, -2.0  # what scikit-learn's trees have in leaves
_QUESTIONS = ("kind", "child_start", "children", "feature", "threshold", "missing", "set_start", "sets")
_SAYS = ("answers", "impurity", "n_samples", "weight")


class DecisionTree(SklearnTree):
    """One fitted tree, as read-only arrays over its nodes, with scikit-learn's names as well (`children_left`, ...).

    The arrays are described at the top of spinney/tree/decision.py.
    """

    def __init__(self, forest: Forest) -> None:
        self.forest = forest  # of this tree alone

    # --- from the store --------------------------------------------------------------------------------------------

    @property
    def is_class(self) -> bool:
        """Whether the tree predicts classes."""
        return self.forest.n_classes is not None

    @property
    def is_boosted(self) -> bool:
        """Whether the tree is one of a boosted model."""
        return self.forest.criterion is None

    @cached_property
    def kind(self) -> np.ndarray:
        turn = self.forest.turn
        asks = np.where(turn & ASKS_SET, SET, np.where(turn & ASKS_BRANCHES, BRANCHES, NUMBER)).astype(np.uint8)
        return self.forest.of_questions(asks, np.uint8(LEAF))

    @cached_property
    def child_start(self) -> np.ndarray:
        return ends_of(np.bincount(self.parent[1:], minlength=self.n_nodes))

    @cached_property
    def children(self) -> np.ndarray:
        return (np.argsort(self.parent[1:], kind="stable") + 1).astype(np.int32)

    @cached_property
    def feature(self) -> np.ndarray:
        return self.forest.of_questions(self.forest.feature.astype(np.int64), NO_FEATURE)

    @cached_property
    def threshold(self) -> np.ndarray:
        return self.forest.of_questions(self.forest.thresholds(), NO_THRESHOLD)

    @cached_property
    def missing(self) -> np.ndarray:
        turn = self.forest.turn
        branch = np.where(turn & MISSING_LEFT, 0, 1)
        way = np.where(turn & MISSING_STOPS, STOPS, np.where(turn & MISSING_SPREADS, SPREADS, branch))
        return self.forest.of_questions(way.astype(np.int32), np.int32(STOPS))

    @cached_property
    def _sets(self) -> tuple[np.ndarray, np.ndarray]:
        set_start, sets = self.forest.category_sets()
        lengths = np.zeros(self.n_nodes, np.int64)
        lengths[self.kind == SET] = np.diff(set_start)
        return ends_of(lengths), sets

    @property
    def set_start(self) -> np.ndarray:
        return self._sets[0]

    @property
    def sets(self) -> np.ndarray:
        return self._sets[1]

    @cached_property
    def answers(self) -> np.ndarray:
        return self.forest.answers.astype(np.float64, copy=False)

    @cached_property
    def impurity(self) -> np.ndarray:
        return self.forest.impurities()

    @cached_property
    def n_samples(self) -> np.ndarray:
        return self.forest.counts()

    @cached_property
    def weight(self) -> np.ndarray:
        return self.forest.weights()

    @cached_property
    def gain(self) -> np.ndarray:
        gains = self.forest.gain if self.is_boosted else np.zeros(len(self.forest.feature))
        return self.forest.of_questions(gains, 0.0)

    # --- shape -----------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return self.forest.n_nodes

    @property
    def n_outputs(self) -> int:
        return self.forest.n_outputs

    @property
    def is_leaf(self) -> np.ndarray:
        return self.forest.is_leaf

    @property
    def n_leaves(self) -> int:
        return self.n_nodes - len(self.forest.feature)

    @property
    def is_binary(self) -> bool:
        """Whether every split has two branches."""
        return not self._has(ASKS_BRANCHES) or bool(np.isin(np.diff(self.child_start), (0, 2)).all())

    def _has(self, bits: int) -> bool:
        return bool((self.forest.turn & bits).any())

    def children_of(self, node: int) -> np.ndarray:
        """The child of each branch, in order."""
        return self.children[self.child_start[node] : self.child_start[node + 1]]

    def categories_in(self, node: int, n_categories: int) -> np.ndarray:
        """SET: the categories that go to branch 0, ascending."""
        words = self.sets[self.set_start[node] : self.set_start[node + 1]]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[:n_categories])

    @property
    def _shape(self) -> Shape:
        return self.forest.shape

    @property
    def parent(self) -> np.ndarray:
        """The parent of every node; -1 for the root."""
        return self._shape.parent

    @cached_property
    def branch(self) -> np.ndarray:
        """The branch of its parent that leads to every node; -1 for the root."""
        branch = np.full(self.n_nodes, -1, np.int32)
        first = np.repeat(self.child_start[:-1], np.diff(self.child_start))
        branch[self.children] = np.arange(len(self.children)) - first
        return branch

    @property
    def depth(self) -> np.ndarray:
        """Distance of every node from the root."""
        return self._shape.depth

    @property
    def subtree_end(self) -> np.ndarray:
        """One past the last node below every node: its subtree is node .. subtree_end[node] - 1."""
        return self._shape.end

    # --- predictions -----------------------------------------------------------------------------------------------

    @property
    def probabilities(self) -> np.ndarray:
        """Classification trees: the fraction of each class in every node, (node, output, class)."""
        total = self.answers.sum(axis=2, keepdims=True)
        return np.divide(self.answers, total, out=np.zeros_like(self.answers), where=total > 0)

    @cached_property
    def majority(self) -> np.ndarray:
        """Classification trees: the class with the largest weight, (node, output); ties go to the first."""
        return self.answers.argmax(axis=2)

    # --- for predictions (descend.py) --------------------------------------------------------------------------------

    @property
    def columns_asked(self) -> set[int]:
        """The columns that are used by a split."""
        return self.forest.columns_asked

    @property
    def spreads(self) -> bool:
        """Whether a row can go down several branches."""
        return self._has(MISSING_SPREADS)

    # --- changes: each returns another tree ------------------------------------------------------------------------

    def collapse(self, at: np.ndarray) -> DecisionTree:
        """The tree with the nodes marked in `at` (Booleans) turned into leaves, without the nodes below them."""
        return DecisionTree(self.forest.collapse(np.asarray(at, dtype=bool)))

    def with_answers(
        self,
        answers: np.ndarray,
        n_samples: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        impurity: np.ndarray | None = None,
    ) -> DecisionTree:
        """The same splits with other predictions, and optionally other counts, weights and impurities."""
        forest = self.forest
        return DecisionTree(
            replace(
                forest,
                answers=answers,
                n_samples=forest.n_samples if n_samples is None else small(n_samples, np.uint32),
                weight=forest.weights() if weight is None else weight,
                impurity=forest.impurities() if impurity is None else impurity,
            )
        )

    # --- identity --------------------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every bit of the tree."""
        digest = blake2b(digest_size=16)
        digest.update(repr(self.forest.n_classes).encode())
        for name in (*_QUESTIONS, *_SAYS, *(("gain",) if self.is_boosted else ())):
            array = np.ascontiguousarray(getattr(self, name), np.int32 if name == "feature" else None)
            if name == "threshold":
                array = np.where(self.is_leaf, np.nan, array)  # which leaves had when model files were first written
            digest.update(f"{name}{array.shape}{array.dtype.str}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {"forest": self.forest}


class OneTree:
    """Attributes of a fitted model of one tree."""

    tree_: DecisionTree
    _schema: Schema
    _answers_are: str = "value"  # "depth" in isolation trees, which measure no impurity
