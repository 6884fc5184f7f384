"""Many trees in one store: what a forest keeps.

Nodes of all trees stand end to end, each tree in preorder, so that the left child is the next node. The store holds
what predictions and pictures need, in as few bytes as hold it exactly:

| array     | bytes a node              | meaning                                                                    |
|-----------|---------------------------|----------------------------------------------------------------------------|
| steps     | 16; 8 if from codes       | question: threshold or code, column, missing rule, right child (descend.py, |
|           |                           | words.py)                                                                   |
| n_samples | 4                         | training rows                                                              |
| answers   | 4 a class, or 8 a number  | weights of the classes as float32 if all are whole numbers below 2**24,     |
|           |                           | else float64; or the predicted numbers                                     |
| weight    | 0; 4 or 8 for numbers     | weight of the training rows; whole weights of classes are sums of answers   |
| impurity  | 0; 8 for numbers          | that of classes follows from the answers                                   |
| set_at    | 0; 8 with categories      | where the node's set of categories begins in `sets`                         |

Trees from codes have 20 bytes a node for two classes, 32 for one number. `tree(k)` gives any of them back as a
`DecisionTree`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from spinney.criteria.impurity import class_impurity
from spinney.data.binning import round_down
from spinney.tree import questions
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, SET, STOPS, DecisionTree
from spinney.tree.descend import ASKS_SET, MISSING_LEFT, make_short_steps
from spinney.tree.forest import Forest

MOST_EXACT = 2**24  # whole numbers that float32 holds


@dataclass(frozen=True)
class Grove(Forest):
    """See the table above."""

    n_classes: tuple[int, ...] | None  # of each output; None for numbers
    criterion: int  # of the impurities
    first: np.ndarray  # int64: where each tree's nodes begin, and where the last one's end
    first_set: np.ndarray  # int64: the same for words of `sets`
    steps: np.ndarray  # SHORT_STEP records, or uint64 words
    edges: np.ndarray  # float64 (columns, codes): the thresholds that words stand for
    n_samples: np.ndarray
    answers: np.ndarray  # (node, output, class or 1)
    weight: np.ndarray
    impurity: np.ndarray
    set_at: np.ndarray
    sets: np.ndarray  # uint64

    @property
    def steps_right(self) -> np.ndarray:
        right = (self.steps >> questions.RIGHT).astype(np.int64) if self.has_words else self.steps["right"]
        return right - np.arange(self.n_nodes) + np.repeat(self.first[:-1], np.diff(self.first))

    @cached_property
    def columns_asked(self) -> set[int]:
        """Columns that some question is about."""
        if self.has_words:
            inner = (self.steps >> questions.LIMIT) & questions.LIMIT_MASK != 0
            return set(np.unique((self.steps[inner] >> questions.COLUMN) & questions.COLUMN_MASK).tolist())
        return set(np.unique(self.steps["feature"][~self.is_leaf] & ~(ASKS_SET | MISSING_LEFT)).tolist())

    @property
    def has_words(self) -> bool:
        """Whether the trees are grown from codes."""
        return self.steps.dtype == np.uint64

    @cached_property
    def edges32(self) -> np.ndarray:
        """The edges for float32 tables: rounded down, so that `x <= edge` keeps its meaning."""
        return round_down(self.edges, np.float32)

    def with_steps(self) -> Grove:
        """The same with thresholds instead of codes."""
        if not self.has_words:
            return self
        return replace(self, steps=questions.as_steps(self.steps, self.edges), edges=np.empty((0, 0)))

    def tree(self, k: int) -> DecisionTree:
        """One of the trees."""
        some = slice(self.first[k], self.first[k + 1])
        answers = self.answers[some].astype(np.float64)
        steps = questions.as_steps(self.steps[some], self.edges) if self.has_words else self.steps[some]
        n = len(steps)
        is_leaf = steps["right"] == np.arange(n)
        is_set = (steps["feature"] & ASKS_SET) != 0
        kind = np.where(is_leaf, LEAF, np.where(is_set, SET, NUMBER)).astype(np.uint8)
        inner = np.flatnonzero(~is_leaf)
        set_at = self.set_at[some] if len(self.set_at) else np.zeros(n, np.int64)
        set_start = np.append(set_at, self.first_set[k + 1] - self.first_set[k])
        classes = self.n_classes is not None
        return DecisionTree(
            n_classes=self.n_classes,
            kind=kind,
            child_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(2 * ~is_leaf, dtype=np.int64)]),
            children=np.column_stack([inner + 1, steps["right"][inner]]).astype(np.int32).ravel(),
            feature=np.where(is_leaf, NO_FEATURE, steps["feature"] & ~(ASKS_SET | MISSING_LEFT)).astype(np.int32),
            threshold=np.where(kind == NUMBER, steps["threshold"], np.nan),
            missing=np.where(is_leaf, STOPS, np.where(steps["feature"] & MISSING_LEFT, 0, 1)).astype(np.int32),
            set_start=set_start,
            sets=self.sets[self.first_set[k] : self.first_set[k + 1]],
            answers=answers,
            impurity=class_impurity(self.criterion, answers) if classes else self.impurity[some],
            n_samples=self.n_samples[some].astype(np.int64),
            weight=self.weight[some].astype(np.float64) if len(self.weight) else answers[:, 0].sum(axis=1),
        )

    @property
    def fingerprint(self) -> str:
        """A hash of every bit of every tree."""
        digest = blake2b(digest_size=16)
        digest.update(repr((self.n_classes, self.criterion)).encode())
        for field in fields(self)[2:]:
            array = np.ascontiguousarray(getattr(self, field.name))
            digest.update(f"{field.name}{array.shape}{array.dtype.descr}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()


def pack(tree: DecisionTree, criterion: int) -> Grove:
    """A grove of one binary tree."""
    classes = tree.n_classes is not None
    answers = narrow(tree.answers) if classes else tree.answers
    adds_up = classes and np.array_equal(tree.weight, tree.answers[:, 0].sum(axis=1))
    return Grove(
        n_classes=tree.n_classes,
        criterion=criterion,
        first=np.array([0, tree.n_nodes]),
        first_set=np.array([0, len(tree.sets)]),
        steps=make_short_steps(tree),
        edges=np.empty((0, 0)),
        n_samples=tree.n_samples.astype(np.uint32),
        answers=answers,
        weight=np.empty(0, np.float32) if adds_up else narrow(tree.weight),
        impurity=np.empty(0) if classes else tree.impurity,
        set_at=tree.set_start[:-1] if len(tree.sets) else np.empty(0, np.int64),
        sets=tree.sets,
    )


def narrow(values: np.ndarray) -> np.ndarray:
    """As float32 where nothing is lost."""
    if not values.max(initial=0.0) < MOST_EXACT:
        return values
    short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values


def join(groves: Sequence[Grove]) -> Grove:
    """The trees of several groves in one."""
    if len(groves) == 1:
        return groves[0]
    if not all(np.array_equal(one.edges, groves[0].edges) for one in groves):
        groves = [one.with_steps() for one in groves]
    has_sets, has_weights = any(len(one.sets) for one in groves), any(len(one.weight) for one in groves)

    def ends(name: str) -> np.ndarray:
        lengths = [np.diff(getattr(one, name)) for one in groves]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in groves])

    def weight(one: Grove) -> np.ndarray:
        return one.weight if len(one.weight) or not has_weights else one.answers[:, 0].sum(axis=1, dtype=np.float64)

    def set_at(one: Grove) -> np.ndarray:
        return one.set_at if len(one.set_at) else np.zeros(one.n_nodes, np.int64)

    return Grove(
        n_classes=groves[0].n_classes,
        criterion=groves[0].criterion,
        first=ends("first"),
        first_set=ends("first_set"),
        steps=together("steps"),
        edges=groves[0].edges,
        n_samples=together("n_samples"),
        answers=together("answers"),
        weight=np.concatenate([weight(one) for one in groves]),
        impurity=together("impurity"),
        set_at=np.concatenate([set_at(one) for one in groves]) if has_sets else np.empty(0, np.int64),
        sets=together("sets"),
    )
