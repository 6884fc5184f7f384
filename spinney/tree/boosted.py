"""The trees of a boosted model in one store: flat arrays over their nodes, questions and leaves.

Trees stand end to end, each in preorder: the left child is the next node, and a subtree is a run of neighbours. What
only questions or only leaves have is kept for these alone, in the order of the nodes, and as small as holds it exactly:

| array        | dtype           | entry per    | meaning                                                          |
|--------------|-----------------|--------------|------------------------------------------------------------------|
| bins         |                 |              | how columns are cut: the edges that codes stand for              |
| first        | int64           | tree         | where its nodes begin; one more entry: where the last one's end   |
| step         | uint16, uint32  | node         | how many nodes further the right child is; 0: a leaf             |
| value        | float64         | node         | what a row that ends here adds to the raw score                  |
| feature      | uint16, uint32  | question     | column                                                           |
| code         | uint8           | question     | numbers: codes up to it go left                                  |
| turn         | uint8           | question     | MISSING_LEFT, ASKS_SET                                           |
| gain         | float64         | question     | what the split gained                                            |
| bits         | uint64 (4)      | set          | codes of categories that go left, for each question with ASKS_SET |
| count        | uint32, uint64  | leaf         | training samples; those of other nodes are sums                  |
| hessian      | int64           | leaf         | hessian of the training samples, in units of the tree            |
| hessian_unit | float64         | tree         | a power of two                                                   |

That is 22 bytes per node (24 in trees of more than 65,535 nodes). `collect` makes the store from trees as they are
grown, `tree` gives one of them back to be read and drawn. The bins say what codes mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from spinney.data.binning import Bins
from spinney.tree.collapse import drop_below
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, SET, STOPS, BoostedTree
from spinney.tree.forest import Forest

MISSING_LEFT, ASKS_SET = 1, 2
_WORD = 64


@dataclass(frozen=True)
class GrownTree:
    """A tree as boosting hands it over after a round: children side by side (right = left + 1), the root first."""

    left: np.ndarray  # int32; -1 for a leaf
    feature: np.ndarray  # int32; -1 for a leaf
    code: np.ndarray  # uint8
    missing_left: np.ndarray  # uint8
    is_category: np.ndarray  # bool
    bits: np.ndarray  # uint64 (questions about categories, 4)
    value: np.ndarray  # float64
    gain: np.ndarray  # float64
    count: np.ndarray  # int64
    hessian: np.ndarray  # int64
    hessian_unit: float

    @property
    def n_nodes(self) -> int:
        return len(self.left)

    @property
    def is_leaf(self) -> np.ndarray:
        return self.left < 0


@dataclass(frozen=True)
class BoostedForest(Forest):
    """See the table above."""

    bins: Bins
    first: np.ndarray
    step: np.ndarray
    value: np.ndarray
    feature: np.ndarray
    code: np.ndarray
    turn: np.ndarray
    gain: np.ndarray
    bits: np.ndarray
    count: np.ndarray
    hessian: np.ndarray
    hessian_unit: np.ndarray

    @property
    def steps_right(self) -> np.ndarray:
        return self.step

    # --- nodes -------------------------------------------------------------------------------------------------------

    def of_questions(self, values: np.ndarray, nothing: Any) -> np.ndarray:
        """Values of the questions as values of all nodes, `nothing` in leaves."""
        whole = np.full(self.n_nodes, nothing)
        whole[self.step > 0] = values
        return whole

    def counts(self) -> np.ndarray:
        """Training samples of every node, int64."""
        return self._sums(self.count.astype(np.int64))

    def hessians(self) -> np.ndarray:
        """Hessian of every node's training samples."""
        return self._sums(self.hessian) * np.repeat(self.hessian_unit, np.diff(self.first))

    def _sums(self, of_leaves: np.ndarray) -> np.ndarray:
        """Integers of leaves, summed over the leaves below every node."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.is_leaf, dtype=np.int64)])
        total = np.concatenate([np.zeros(1, np.int64), np.cumsum(of_leaves, dtype=np.int64)])  # differences are exact
        return total[before[self.shape.end]] - total[before[:-1]]

    def thresholds(self) -> np.ndarray:
        """The number that each question compares with; NaN for sets of categories."""
        is_set = (self.turn & ASKS_SET) != 0
        return np.where(is_set, np.nan, self.bins.thresholds(self.feature.astype(np.int64), self.code))

    def importances(self, kind: str, n_columns: int) -> np.ndarray:
        """Sum of the questions' gain, cover or number ("split") by column."""
        amount = self.gain if kind == "gain" else self.hessians()[self.step > 0] if kind == "cover" else None
        return np.bincount(self.feature, amount, minlength=n_columns).astype(np.float64)

    # --- trees -------------------------------------------------------------------------------------------------------

    def part(self, trees: range) -> BoostedForest:
        """Some neighbouring trees."""
        nodes = slice(self.first[trees.start], self.first[trees.stop])
        # of n nodes in t trees, (n - t) / 2 ask and (n + t) / 2 are leaves
        asks = slice((nodes.start - trees.start) // 2, (nodes.stop - trees.stop) // 2)
        leaves = slice((nodes.start + trees.start) // 2, (nodes.stop + trees.stop) // 2)
        is_set = (self.turn & ASKS_SET) != 0
        n_before = int(is_set[: asks.start].sum())
        return BoostedForest(  # copies, so that the other trees can be forgotten
            bins=self.bins,
            first=self.first[trees.start : trees.stop + 1] - nodes.start,
            step=_small(self.step[nodes].copy()),
            value=self.value[nodes].copy(),
            feature=_small(self.feature[asks].copy()),
            code=self.code[asks].copy(),
            turn=self.turn[asks].copy(),
            gain=self.gain[asks].copy(),
            bits=self.bits[n_before : n_before + int(is_set[asks].sum())].copy(),
            count=_small(self.count[leaves].copy(), np.uint32),
            hessian=self.hessian[leaves].copy(),
            hessian_unit=self.hessian_unit[trees.start : trees.stop].copy(),
        )

    def tree(self, k: int) -> BoostedTree:
        """One tree, to be read and drawn, with the same numbers of its nodes."""
        only = self.part(range(k, k + 1))
        is_leaf, n = only.is_leaf, only.n_nodes
        inner = np.flatnonzero(~is_leaf)
        is_set = only.of_questions((only.turn & ASKS_SET) != 0, False)
        goes_left = only.of_questions((only.turn & MISSING_LEFT) != 0, False)
        set_start, sets = only._sets(is_set)
        return BoostedTree(
            n_classes=None,
            kind=np.where(is_leaf, LEAF, np.where(is_set, SET, NUMBER)).astype(np.uint8),
            child_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(2 * ~is_leaf, dtype=np.int64)]),
            children=np.column_stack([inner + 1, inner + only.step[inner]]).astype(np.int32).ravel(),
            feature=only.of_questions(only.feature, np.int32(NO_FEATURE)),
            threshold=only.of_questions(only.thresholds(), np.nan),
            missing=np.where(is_leaf, STOPS, np.where(goes_left, 0, 1)).astype(np.int32),
            set_start=set_start,
            sets=sets,
            answers=only.value.reshape(n, 1, 1),
            impurity=np.full(n, np.nan),
            n_samples=only.counts(),
            weight=only.hessians(),
            gain=only.of_questions(only.gain, 0.0),
        )

    def _sets(self, is_set: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sets of categories instead of sets of codes: where each node's begins, and all of them end to end."""
        bins, columns = self.bins, self.feature[(self.turn & ASKS_SET) != 0]
        lengths, words = np.zeros(self.n_nodes, np.int64), [np.empty(0, np.uint64)]
        lengths[is_set] = [-(-len(bins.category_codes[j]) // _WORD) for j in columns]
        for bits, j in zip(self.bits, columns):
            codes = bins.category_codes[j].astype(np.int64)
            is_in = (bits[codes // _WORD] >> (codes % _WORD).astype(np.uint64)) & np.uint64(1)
            padded = np.zeros(-(-len(codes) // _WORD) * _WORD, np.uint8)
            padded[: len(codes)] = is_in
            words.append(np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64))
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), np.concatenate(words)

    # --- changes: each returns another store -------------------------------------------------------------------------

    def collapse(self, at: np.ndarray) -> BoostedForest:
        """The trees with the nodes marked in `at` (Booleans) turned into leaves and all below them gone."""
        inner = self.step > 0
        kept, number = drop_below(self.shape.parent, at)
        asks = kept & inner & ~at
        step = np.zeros(self.n_nodes, np.int64)
        still = np.flatnonzero(asks)
        step[still] = number[still + self.step[still]] - number[still]
        chosen, leaves = asks[inner], kept & ~asks
        hessians = self._sums(self.hessian)
        return replace(
            self,
            first=np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[self.first],
            step=_small(step[kept]),
            value=self.value[kept],
            feature=_small(self.feature[chosen]),
            code=self.code[chosen],
            turn=self.turn[chosen],
            gain=self.gain[chosen],
            bits=self.bits[chosen[(self.turn & ASKS_SET) != 0]],
            count=_small(self.counts()[leaves], np.uint32),
            hessian=hessians[leaves],
        )

    def update_hash(self, digest: Any) -> None:
        """Feed every bit that matters for prediction or reading into a hash."""
        for field in fields(self)[1:]:
            array = getattr(self, field.name)
            whole = array.astype(np.int64) if array.dtype.kind == "u" and array.ndim == 1 else array
            digest.update(f"{field.name}{whole.shape}".encode())
            digest.update(np.ascontiguousarray(whole).tobytes())
        digest.update(self.thresholds().tobytes())


def collect(trees: Sequence[GrownTree], bins: Bins) -> BoostedForest:
    """The store of trees as they were grown, numbered in preorder."""
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum([tree.n_nodes for tree in trees], dtype=np.int64)])

    def together(name: str, dtype: Any) -> np.ndarray:
        return np.concatenate([np.empty(0, dtype), *(getattr(tree, name) for tree in trees)]).astype(dtype, copy=False)

    left = together("left", np.int64)
    inner = left >= 0
    left += np.where(inner, np.repeat(first[:-1], np.diff(first)), 0)
    place, size = _preorder(left, first)
    order = np.empty(len(left), np.int64)
    order[place] = np.arange(len(left))
    asks = order[inner[order]]
    leaves = order[~inner[order]]
    is_category = together("is_category", bool)
    step = np.zeros(len(left), np.int64)
    step[place[asks]] = 1 + size[left[asks]]
    bits_at = np.cumsum(is_category) - 1
    bits = np.concatenate([np.empty((0, 4), np.uint64), *(tree.bits for tree in trees)])
    return BoostedForest(
        bins=bins,
        first=first,
        step=_small(step),
        value=together("value", np.float64)[order],
        feature=_small(together("feature", np.int64)[asks]),
        code=together("code", np.uint8)[asks],
        turn=(together("missing_left", bool) * MISSING_LEFT | is_category * ASKS_SET).astype(np.uint8)[asks],
        gain=together("gain", np.float64)[asks],
        bits=bits[bits_at[asks[is_category[asks]]]],
        count=_small(together("count", np.int64)[leaves], np.uint32),
        hessian=together("hessian", np.int64)[leaves],
        hessian_unit=np.array([tree.hessian_unit for tree in trees], np.float64),
    )


def join(forests: Sequence[BoostedForest]) -> BoostedForest:
    """The trees of several stores of the same bins in one."""

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in forests])

    sizes = np.concatenate([np.diff(one.first) for one in forests])
    rest = {field.name: together(field.name) for field in fields(BoostedForest)[2:]}
    return BoostedForest(forests[0].bins, np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]), **rest)


def _small(numbers: np.ndarray, smallest: Any = np.uint16) -> np.ndarray:
    """In as few bytes as hold them."""
    most = int(numbers.max(initial=0))
    for dtype in (smallest, np.uint32, np.uint64):
        if most <= np.iinfo(dtype).max:
            break
    return numbers.astype(dtype, copy=False)


def _preorder(left: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where every node stands in preorder, and the size of its subtree; children are side by side."""
    levels = [first[:-1]]
    while len(levels[-1]):
        asks = levels[-1][left[levels[-1]] >= 0]
        levels.append(np.concatenate([left[asks], left[asks] + 1]))
    size, place = np.ones(len(left), np.int64), np.empty(len(left), np.int64)
    for level in reversed(levels):
        asks = level[left[level] >= 0]
        size[asks] += size[left[asks]] + size[left[asks] + 1]
    place[levels[0]] = levels[0]
    for level in levels:
        asks = level[left[level] >= 0]
        place[left[asks]] = place[asks] + 1
        place[left[asks] + 1] = place[asks] + 1 + size[left[asks]]
    return place, size
