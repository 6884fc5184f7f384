"""Many trees in one store: what a forest keeps.

Nodes of all trees stand end to end, each tree in preorder, so that the left child is the next node. The store holds
what predictions and pictures need, in as few bytes as hold it exactly:

| array     | bytes a node              | meaning                                                                    |
|-----------|---------------------------|----------------------------------------------------------------------------|
| steps     | 16                        | question: threshold, column, missing rule, right child (see descend.py)     |
| n_samples | 4                         | training rows                                                              |
| answers   | 4 a class, or 8 a number  | weights of the classes as float32 if all are whole numbers below 2**24,     |
|           |                           | else float64; or the predicted numbers                                     |
| weight    | 0; 4 or 8 for numbers     | weight of the training rows; whole weights of classes are sums of answers   |
| impurity  | 0; 8 for numbers          | that of classes follows from the answers                                   |
| set_at    | 0; 8 with categories      | where the node's set of categories begins in `sets`                         |

28 bytes a node for two classes, 36 for one number. `tree(k)` gives any of them back as a `DecisionTree`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b

import numpy as np

from spinney.criteria.impurity import class_impurity
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, SET, STOPS, DecisionTree
from spinney.tree.descend import ASKS_SET, MISSING_LEFT, make_short_steps

_MOST_EXACT = 2**24  # whole numbers that float32 holds


@dataclass(frozen=True)
class Grove:
    """See the table above."""

    n_classes: tuple[int, ...] | None  # of each output; None for numbers
    criterion: int  # of the impurities
    first: np.ndarray  # int64: where each tree's nodes begin, and where the last one's end
    first_set: np.ndarray  # int64: the same for words of `sets`
    steps: np.ndarray
    n_samples: np.ndarray
    answers: np.ndarray  # (node, output, class or 1)
    weight: np.ndarray
    impurity: np.ndarray
    set_at: np.ndarray
    sets: np.ndarray  # uint64

    @property
    def n_trees(self) -> int:
        return len(self.first) - 1

    @property
    def n_nodes(self) -> int:
        return int(self.first[-1])

    @property
    def n_bytes(self) -> int:
        """Size of the store."""
        return sum(getattr(self, one.name).nbytes for one in fields(self)[2:])

    @cached_property
    def columns_asked(self) -> set[int]:
        """Columns that some question is about."""
        inner = self.steps["right"] != np.arange(self.n_nodes) - np.repeat(self.first[:-1], np.diff(self.first))
        return set(np.unique(self.steps["feature"][inner] & ~(ASKS_SET | MISSING_LEFT)).tolist())

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def tree(self, k: int) -> DecisionTree:
        """One of the trees."""
        some = slice(self.first[k], self.first[k + 1])
        steps, answers = self.steps[some], self.answers[some].astype(np.float64)
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

    def join(self, other: Grove) -> Grove:
        """These trees and the others'."""
        return join([self, other])

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
    answers = _narrow(tree.answers) if classes else tree.answers
    adds_up = classes and np.array_equal(tree.weight, tree.answers[:, 0].sum(axis=1))
    return Grove(
        n_classes=tree.n_classes,
        criterion=criterion,
        first=np.array([0, tree.n_nodes]),
        first_set=np.array([0, len(tree.sets)]),
        steps=make_short_steps(tree),
        n_samples=tree.n_samples.astype(np.uint32),
        answers=answers,
        weight=np.empty(0, np.float32) if adds_up else _narrow(tree.weight),
        impurity=np.empty(0) if classes else tree.impurity,
        set_at=tree.set_start[:-1] if len(tree.sets) else np.empty(0, np.int64),
        sets=tree.sets,
    )


def _narrow(values: np.ndarray) -> np.ndarray:
    """As float32 where nothing is lost."""
    short = values.astype(np.float32)
    return short if values.max(initial=0.0) < _MOST_EXACT and np.array_equal(short, values) else values


def join(groves: Sequence[Grove]) -> Grove:
    """The trees of several groves in one."""
    if len(groves) == 1:
        return groves[0]
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
        n_samples=together("n_samples"),
        answers=together("answers"),
        weight=np.concatenate([weight(one) for one in groves]),
        impurity=together("impurity"),
        set_at=np.concatenate([set_at(one) for one in groves]) if has_sets else np.empty(0, np.int64),
        sets=together("sets"),
    )
