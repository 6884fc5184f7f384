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
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from spinney.data.schema import Schema
from spinney.tree.forest import (
    ASKS_BRANCHES,
    ASKS_SET,
    MISSING_LEFT,
    MISSING_SPREADS,
    MISSING_STOPS,
    Forest,
    TreeShape,
    ends_of,
    small,
    unpack_sets,
)
from spinney.tree.importance import decreases, importances

if TYPE_CHECKING:
    from spinney.tree.forest import Forest


# ----------------------------------------------------------------------------------------------------------------------
# The attributes of scikit-learn's `tree_`, for code that was written for it. Binary trees only.
#
# Arrays have scikit-learn's dtypes and are read-only. X is an array or a sparse matrix of floats, in which categories
# are numbered in the order of the schema. Thresholds are compared with float64 values, not with float32 as in
# scikit-learn.


class SklearnTree:
    """A view of one tree under scikit-learn's names."""

    forest: Forest

    @property
    def node_count(self) -> int:
        return self.forest.n_nodes

    capacity = node_count

    @property
    def max_depth(self: Any) -> int:
        return int(self._shape.depth.max())

    @property
    def n_features(self) -> int:
        return self.forest.n_columns

    @property
    def n_classes(self) -> np.ndarray:
        """The number of classes of each output; 1 for regression."""
        return np.array(self.forest.n_classes or [1] * self.forest.n_outputs, np.int64)

    @property
    def max_n_classes(self) -> int:
        return int(self.n_classes.max())

    @property
    def n_node_samples(self: Any) -> np.ndarray:
        return read_only(self.n_samples)

    @property
    def weighted_n_node_samples(self: Any) -> np.ndarray:
        return read_only(self.weight)

    @property
    def children_left(self) -> np.ndarray:
        """The child for which the condition of the node holds; -1 in leaves."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """The child for which the condition of the node does not hold; -1 in leaves."""
        return self._child(1)

    @property
    def missing_go_to_left(self: Any) -> np.ndarray:
        return read_only((self.missing == 0).astype(np.uint8))

    @property
    def value(self: Any) -> np.ndarray:
        """The prediction of every node, (node, output, class): class fractions, or the number."""
        return read_only(self.probabilities if self.is_class else self.answers)

    def _child(self: Any, branch: int) -> np.ndarray:
        if not self.is_binary:
            raise AttributeError("This tree has nodes with more than two branches. Use children_of(node).")
        size = self.forest.size.astype(np.int64)
        asks = np.flatnonzero(size > 1)
        child = np.full(len(size), -1, np.int64)
        child[asks] = asks + 1 if branch == 0 else asks + 1 + size[asks + 1]
        return read_only(child)

    def impurity_decreases(self) -> np.ndarray:
        """The impurity decrease of each node's split, times its fraction of the total weight; 0 in leaves. For a
        boosted tree, the gains."""
        return self.forest.of_questions(decreases(self.forest), 0.0)

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The impurity decrease of each column's splits; fractions of the total if `normalize`."""
        total = importances(self.forest)
        return total / total.sum() if normalize and total.sum() > 0 else total

    def apply(self: Any, X: Any) -> np.ndarray:
        """The index of the leaf of each row."""
        from spinney._team import Team
        from spinney.data.sparse import is_sparse, open_sparse
        from spinney.data.tables import Panel, Table
        from spinney.tree.descend import leaf_of_rows

        X = X if is_sparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features or X.dtype not in (np.float32, np.float64):
            raise ValueError(
                f"X must be an array or a sparse matrix of floats with {self.n_features} columns, got {X.dtype} "
                f"{X.shape}."
            )
        if is_sparse(X):
            table = open_sparse(X, "tree_").table()
        else:
            table = Table(len(X), X.shape[1], (Panel(X, tuple(range(X.shape[1]))),))
        with Team(1, inline=True) as team:
            return leaf_of_rows(self, table, team)

    def predict(self: Any, X: Any) -> np.ndarray:
        """The predictions, (rows, classes or 1), or (rows, outputs, classes or 1) for several outputs."""
        answers = self.value[self.apply(X)]
        return answers[:, 0] if self.forest.n_outputs == 1 else answers

    def decision_path(self: Any, X: Any) -> csr_matrix:
        """The nodes on the path of each row, as a sparse matrix of ones (rows, nodes)."""
        return self.forest.paths(self.apply(X)[:, None])

    def compute_partial_dependence(self: Any, X: Any, target_features: Any, out: np.ndarray) -> None:
        """Add to out[i] the mean prediction for rows whose `target_features` have the values X[i].

        At splits on other columns, both branches count, in proportion to the weight of their training rows.
        """
        X, columns = np.asarray(X, np.float64), {int(j): k for k, j in enumerate(target_features)}
        asked = self.forest.of_questions(self.forest.feature.astype(np.int64), -2)
        threshold = self.forest.of_questions(self.forest.thresholds(), np.nan)
        left, right, weight = self.children_left, self.children_right, self.weight
        waiting = [(0, np.arange(len(X)), np.ones(len(X)))]
        while waiting:
            node, rows, share = waiting.pop()
            if left[node] < 0:
                out[rows] += share * self.value[node, 0, 0]
            elif asked[node] in columns:
                goes = X[rows, columns[asked[node]]] <= threshold[node]
                waiting += [(right[node], rows[~goes], share[~goes]), (left[node], rows[goes], share[goes])]
            else:
                part = weight[left[node]] / weight[node]
                waiting += [(right[node], rows, share * (1.0 - part)), (left[node], rows, share * part)]


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


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
        return np.flatnonzero(unpack_sets(words)[:n_categories])

    @property
    def _shape(self) -> TreeShape:
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
    schema_: Schema
    _answers_are: str = "value"

    @property
    def answers_are(self) -> str:
        """What nodes answer: "depth" in isolation trees, which measure no impurity. For internal use."""
        return self._answers_are

    @answers_are.setter
    def answers_are(self, name: str) -> None:
        self._answers_are = name
