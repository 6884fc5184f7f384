"""The trees of a model, concatenated, as flat arrays over nodes, questions (inner nodes) and leaves.

Each tree is in preorder: a node's first child is the node after it, and a subtree is a run of consecutive nodes. The
sizes of the subtrees determine the shape, with two branches or with many. What only questions or only leaves have is
stored for these alone, in the order of the nodes, and in the smallest type that holds it exactly:

| array       | dtype             | entry per          | meaning                                                       |
|-------------|-------------------|--------------------|---------------------------------------------------------------|
| first       | int64             | tree, and one more | where its nodes start, and where the last one's end           |
| size        | uint16, uint32    | node               | nodes of its subtree, itself included; 1: a leaf              |
| feature     | uint16, uint32    | question           | column                                                        |
| turn        | uint8             | question           | its kind and where missing values go: the bits below          |
| code        | uint8             | question           | numbers, with bins: codes up to it take branch 0              |
| threshold   | float64           | question           | numbers, without bins: values up to it take branch 0          |
| set_start   | int64             | set, and one more  | where the set of each question about one starts in `sets`     |
| sets        | uint64            |                    | bit c % 64 of word c // 64: category c (with bins: code c)    |
| answers     | float32, float64  | node               | (outputs, classes): weight of each class; (outputs, 1): a     |
|             |                   |                    | number; of a boosted model what it adds to the raw score      |
| n_samples   | uint32, uint64    | leaf, or node      | training rows; those of other nodes are sums                  |
| weight      | float32, float64  | node               | of the training rows; none: the sum of the classes' weights   |
|             | int64             | leaf               | ... or in units of the tree; those of other nodes are sums    |
| weight_unit | float64           | tree               | these units; a boosted tree's weights are hessians            |
| impurity    | float64           | node               | none: that of the classes, by the criterion                   |
| gain        | float64           | question           | of a boosted model: what the split gained                     |
| n_terms     | uint8             | leaf               | of linear leaves: how many columns; none: leaves are constant |
| term_column | uint16, uint32    | term               | column                                                        |
| term        | float64           | term               | (slope, centre, low, high): see `LineTerms`                   |

A boosted model without categories takes 22 bytes per node, a forest from bins 14 for two classes (2 more if a tree has
more than 65,535 nodes). `tree(k)` is one of the trees, to read, plot and prune. `words`, `pairs` and `steps` are packed
forms for predictions (packed.py), created when first needed and not kept in pickles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from spinney._packed_arrays import pack, unpack

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins
    from spinney.tree.decision import DecisionTree
    from spinney.tree.descend import OneRow
    from spinney.tree.packed import StepNodes, WordNodes, WordPairNodes


# ----------------------------------------------------------------------------------------------------------------------
# Arrays of trees in the smallest types that hold them exactly.


_MOST = {kind: int(np.iinfo(kind).max) for kind in (np.uint16, np.uint32, np.uint64)}
MOST_EXACT = 2**24  # integers up to this are exact in float32
_MUCH = 1 << 20  # bytes from which threads copy faster
_WORD = 64


def ends_of(lengths: np.ndarray) -> np.ndarray:
    """Where runs of these lengths start, and where the last one ends.

    >>> ends_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def joined(parts: Sequence[np.ndarray], team: Team | None = None) -> np.ndarray:
    """`np.concatenate`, by all threads if there is much to copy."""
    if team is None or team.size == 1 or sum(part.nbytes for part in parts) < _MUCH:
        return np.concatenate(parts)
    ends = ends_of(np.array([len(part) for part in parts]))
    out = np.empty((ends[-1], *parts[0].shape[1:]), np.result_type(*parts))

    def copy(k: int) -> None:
        out[ends[k] : ends[k + 1]] = parts[k]

    team.map(copy, range(len(parts)))
    return out


def small(numbers: np.ndarray, smallest: Any = np.uint16) -> np.ndarray:
    """Integers in the smallest type that holds them."""
    most = int(numbers.max()) if len(numbers) else 0
    for dtype in (smallest, np.uint32, np.uint64):
        if most <= _MOST[dtype]:
            break
    return numbers.astype(dtype, copy=False)


def pack_sets(is_in: np.ndarray) -> np.ndarray:
    """Sets, Booleans (..., categories), as words of 64 bits.

    >>> pack_sets(np.array([True, False, True])).tolist()
    [5]
    """
    padding = [(0, 0)] * (is_in.ndim - 1) + [(0, -is_in.shape[-1] % _WORD)]
    return np.packbits(np.pad(is_in, padding), axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack_sets(words: np.ndarray) -> np.ndarray:
    """Words of sets as Booleans (..., categories).

    >>> np.flatnonzero(unpack_sets(np.array([5], np.uint64))).tolist()
    [0, 2]
    """
    whole = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(whole, axis=-1, bitorder="little").view(bool)


def narrow(values: np.ndarray) -> np.ndarray:
    """Numbers as float32 if nothing is lost."""
    if not values.max(initial=0.0) < MOST_EXACT:
        return values
    short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values


# ----------------------------------------------------------------------------------------------------------------------
# The shape of trees: parent and depth of every node, from the sizes of the subtrees alone.
#
# Trees are concatenated, each in preorder: a subtree is a run of consecutive nodes.


class TreeShape(NamedTuple):
    """Parent, depth and end of every node of some trees."""

    parent: np.ndarray  # int64; -1 for a root
    depth: np.ndarray  # int32
    end: np.ndarray  # int64: one past the last node below


def find_shape(size: np.ndarray) -> TreeShape:
    """The shape of trees whose nodes have subtrees of these sizes.

    >>> shape = find_shape(np.array([5, 1, 3, 1, 1]))
    >>> shape.parent.tolist(), shape.depth.tolist(), shape.end.tolist()
    ([-1, 0, 0, 2, 2], [0, 1, 1, 2, 2], [5, 2, 5, 4, 5])
    """
    n, depth = len(size), find_depths(size)
    end = np.arange(n) + size
    parent = np.full(n, -1, np.int64)
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depth))[:-1]) if n else []
    for above, level in pairwise(levels):
        parent[level] = above[np.searchsorted(above, level) - 1]  # the last one of the level above before it
    return TreeShape(parent, depth, end)


def find_depths(size: np.ndarray) -> np.ndarray:
    """Depths only, int32. A node's depth is the number of subtrees that have started before it and not ended."""
    n, asks = len(size), np.flatnonzero(size > 1)
    rise = np.bincount(asks + 1, minlength=n + 1) - np.bincount(asks + size[asks], minlength=n + 1)
    return np.cumsum(rise)[:n].astype(np.int32)


def trails(leaves: np.ndarray, parent: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paths to some leaves, concatenated: path i is nodes[ends[i] : ends[i + 1]]; returns (ends, nodes)."""
    ends = ends_of(depth[leaves] + 1)
    nodes = np.empty(ends[-1], np.int64)
    place, node = ends[1:] - 1, leaves.astype(np.int64)
    ways = np.arange(len(leaves))
    while len(ways):
        nodes[place[ways]] = node[ways]
        place[ways] -= 1
        node[ways] = parent[node[ways]]
        ways = ways[node[ways] >= 0]
    return ends, nodes


# ----------------------------------------------------------------------------------------------------------------------
# The arrays of a forest in fewer bytes, for pickles and model files, without loss.
#
# In: the arrays of a `Forest` by name. Out: the same dictionary, in which three may be shorter:
#
# | array     | in the forest     | stored as                                                           |
# |-----------|-------------------|---------------------------------------------------------------------|
# | n_samples | uint32            | uint8 or uint16, if these hold it                                   |
# | weight    | float32, per node | uint8, uint16 or uint32 per leaf, if weights are whole and add up   |
# | impurity  | float64, per node | per question, if it is 0 in every leaf                              |
#
# Each is shortened only if the same bits come back. Arrays for predictions are stored unchanged and can be mapped.


Arrays = dict[str, Any]  # by name
_KINDS = (np.uint8, np.uint16, np.uint32)


def shortened(arrays: Arrays) -> Arrays:
    """The arrays as they are stored."""
    return arrays | {"n_samples": _few_bytes(arrays["n_samples"])} | _short_weight(arrays) | _short_impurity(arrays)


def restored(arrays: Arrays) -> Arrays:
    """The arrays of the forest. Weights that are not those of the leaves are left unchanged, for an audit."""
    found = dict(arrays)
    if found["n_samples"].dtype.itemsize < 4:
        found["n_samples"] = found["n_samples"].astype(np.uint32)
    is_question = found["size"] > 1
    if found["weight"].dtype.kind == "u" and len(found["weight"]) == (found["size"] == 1).sum():
        found["weight"] = _sums(found["weight"], found["size"])
    if 0 < len(found["impurity"]) == is_question.sum():
        impurity = np.zeros(len(is_question))
        impurity[is_question] = found["impurity"]
        found["impurity"] = impurity
    return found


def _few_bytes(numbers: np.ndarray) -> np.ndarray:
    most = int(numbers.max(initial=0))
    kind = next((kind for kind in _KINDS if most <= np.iinfo(kind).max), numbers.dtype)
    return numbers.astype(kind, copy=False)


def _short_weight(arrays: Arrays) -> Arrays:
    weight, size = arrays["weight"], arrays["size"]
    if weight.dtype != np.float32 or len(weight) != len(size) or not len(size):
        return {}
    leaves = weight[size == 1]
    if not (leaves.min() >= 0 and weight.max() <= MOST_EXACT):
        return {}
    short = _few_bytes(leaves.astype(np.int64))
    return {"weight": short} if _same_bits(_sums(short, size), weight) else {}


def _short_impurity(arrays: Arrays) -> Arrays:
    impurity, size = arrays["impurity"], arrays["size"]
    is_leaf = size == 1
    if len(impurity) != len(size) or is_leaf.all():
        return {}
    nothing = impurity[is_leaf]
    return {"impurity": impurity[~is_leaf]} if _same_bits(nothing, np.zeros_like(nothing)) else {}


def _sums(of_leaves: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Integer weights of leaves, summed over the leaves below every node."""
    end = np.minimum(np.arange(len(size)) + size.astype(np.int64), len(size))
    before, total = ends_of(size == 1), ends_of(of_leaves)
    return (total[before[end]] - total[before[:-1]]).astype(np.float32)


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one.view(np.uint8), other.view(np.uint8))


# Bits of `turn`. Without the first and the last two, missing values take branch 1.
MISSING_LEFT, ASKS_SET, ASKS_BRANCHES, MISSING_STOPS, MISSING_SPREADS = 1, 2, 4, 8, 16
# What only linear leaves have; it is not stored otherwise.
_NO_TERMS: dict[str, Any] = {
    "n_terms": np.empty(0, np.uint8),
    "term_column": np.empty(0, np.uint16),
    "term": np.empty((0, 4)),
}
_CELLS = 1 << 24  # bits of sets that are unpacked at once


class Starts(NamedTuple):
    """Where each tree's questions and sets start, and one more: where the last one's end."""

    question: np.ndarray  # int64
    set: np.ndarray  # int64


class LineTerms(NamedTuple):
    """What linear leaves add to their values: the sum of slope * (x - centre) over their columns.

    x is clipped to [low, high] first; a missing or infinite one adds nothing.
    """

    first: np.ndarray  # int64 (nodes + 1,): where each node's terms start; empty: all leaves are constant
    column: np.ndarray  # int64 (terms,)
    line: np.ndarray  # float64 (terms, 4): slope, centre, low, high

    def of(self, node: int) -> list[tuple[int, list[float]]]:
        """(column, [slope, centre, low, high]) of every term of a node."""
        if not len(self.first):
            return []
        some = slice(self.first[node], self.first[node + 1])
        return list(zip(self.column[some].tolist(), self.line[some].tolist()))


@dataclass(frozen=True)
class Forest:
    """All trees of a fitted model, stored together: `n_trees`, `n_nodes`, `n_bytes`, `tree(k)`.

    The arrays are described at the top of spinney/tree/forest.py.
    """

    n_columns: int  # of the table
    n_classes: tuple[int, ...] | None  # of each output; None for numbers
    criterion: int | None  # of the impurities; None: the trees are a boosted model's
    bins: Bins | None  # the edges that codes stand for
    first: np.ndarray
    size: np.ndarray
    feature: np.ndarray
    turn: np.ndarray
    answers: np.ndarray
    n_samples: np.ndarray
    code: np.ndarray = field(default_factory=partial(np.empty, 0, np.uint8))
    threshold: np.ndarray = field(default_factory=partial(np.empty, 0))
    set_start: np.ndarray = field(default_factory=partial(np.zeros, 1, np.int64))
    sets: np.ndarray = field(default_factory=partial(np.empty, 0, np.uint64))
    weight: np.ndarray = field(default_factory=partial(np.empty, 0, np.float32))
    weight_unit: np.ndarray = field(default_factory=partial(np.empty, 0))
    impurity: np.ndarray = field(default_factory=partial(np.empty, 0))
    gain: np.ndarray = field(default_factory=partial(np.empty, 0))
    n_terms: np.ndarray = field(default_factory=_NO_TERMS["n_terms"].copy)
    term_column: np.ndarray = field(default_factory=_NO_TERMS["term_column"].copy)
    term: np.ndarray = field(default_factory=_NO_TERMS["term"].copy)

    @cached_property
    def n_trees(self) -> int:
        return len(self.first) - 1

    @cached_property
    def n_nodes(self) -> int:
        return len(self.size)

    @cached_property
    def n_outputs(self) -> int:
        return int(self.answers.shape[1])

    @property
    def n_leaves(self) -> np.ndarray:  # of each tree
        return np.diff(self.first) - np.diff(self.starts.question)

    @property
    def n_bytes(self) -> int:  # of all arrays
        return sum(array.nbytes for array in self._arrays().values())

    def _arrays(self) -> dict[str, np.ndarray]:
        names = [one.name for one in fields(self)[4:]]
        return {name: getattr(self, name) for name in names if self.is_linear or name not in _NO_TERMS}

    def __getstate__(self) -> dict[str, Any]:
        """Small arrays packed, some shortened (below), without what can be recomputed."""
        kept = pack(shortened(self._arrays()))
        return {one.name: getattr(self, one.name) for one in fields(self)[:4]} | {"packed": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        nothing = {name: array.copy() for name, array in _NO_TERMS.items()}
        vars(self).update(nothing | restored(unpack(state.pop("packed"))) | state)

    def to_fields(self) -> dict[str, Any]:
        """All fields as they are stored in model files."""
        return {one.name: getattr(self, one.name) for one in fields(self)[:4]} | shortened(self._arrays())

    @classmethod
    def from_fields(cls, **found: Any) -> Forest:
        """A forest from what `to_fields` returns."""
        return cls(**restored(found))

    # --- shape -------------------------------------------------------------------------------------------------------

    @property
    def is_leaf(self) -> np.ndarray:
        return self.size == 1

    @cached_property
    def shape(self) -> TreeShape:
        """Parent, depth and end of every node."""
        return find_shape(self.size)

    @cached_property
    def starts(self) -> Starts:
        question = ends_of(np.diff(ends_of(~self.is_leaf)[self.first]))
        return Starts(question, ends_of(self.is_set)[question])

    @property
    def is_set(self) -> np.ndarray:
        """Which questions are about sets of categories."""
        return (self.turn & ASKS_SET) != 0

    @property
    def is_linear(self) -> bool:
        """Whether leaves may have slopes."""
        return len(self.n_terms) > 0

    @cached_property
    def terms(self) -> LineTerms:
        """The terms of linear leaves, by node."""
        first = np.empty(0, np.int64)
        if self.is_linear:
            lengths = np.zeros(self.n_nodes, np.int64)
            lengths[self.is_leaf] = self.n_terms
            first = ends_of(lengths)
        return LineTerms(first, self.term_column.astype(np.int64), np.array(self.term))

    @cached_property
    def numbers_only(self) -> bool:
        """Whether all questions are about numbers, and missing values have a branch."""
        return not (self.turn & ~np.uint8(MISSING_LEFT)).any()

    @cached_property
    def columns_asked(self) -> set[int]:
        """The columns that are used by a question."""
        return set(np.unique(self.feature).tolist())

    def paths(self, leaves: np.ndarray) -> csr_matrix:
        """The nodes on the paths to these leaves (rows, trees), as a sparse matrix of ones (rows, nodes)."""
        ends, nodes = trails((leaves + self.first[:-1]).ravel(), self.shape.parent, self.shape.depth)
        rows = ends[:: self.n_trees] if self.n_trees else np.zeros(len(leaves) + 1, np.int64)
        ones: Any = np.ones(len(nodes), np.int64)
        return csr_matrix((ones, nodes, rows), shape=(len(leaves), self.n_nodes))

    # --- values of all nodes -----------------------------------------------------------------------------------------

    def of_questions(self, values: np.ndarray, nothing: Any) -> np.ndarray:
        """Values of the questions as values of all nodes, `nothing` in leaves."""
        whole = np.full((self.n_nodes, *values.shape[1:]), nothing)
        whole[~self.is_leaf] = values
        return whole

    def counts(self) -> np.ndarray:
        """Training samples, int64."""
        whole = self.n_samples.astype(np.int64)
        return self._sums(whole) if self.counts_leaves else whole

    @property
    def counts_leaves(self) -> bool:
        """Whether samples are counted in leaves only."""
        return len(self.n_samples) == self.n_nodes - len(self.feature)

    def weights(self) -> np.ndarray:
        """Weights of the training samples; the hessians of a boosted model."""
        if len(self.weight_unit):
            return self._sums(self.weight) * np.repeat(self.weight_unit, np.diff(self.first))
        return self.weight.astype(np.float64) if len(self.weight) else self.answers[:, 0].sum(axis=1, dtype=np.float64)

    def impurities(self) -> np.ndarray:
        """Impurities by the criterion; NaN in a boosted model, which has gains instead."""
        if self.criterion is None:
            return np.full(self.n_nodes, np.nan)
        if len(self.impurity) or self.n_classes is None:
            return self.impurity
        from spinney.criteria.impurity import class_impurity

        return class_impurity(self.criterion, self.answers.astype(np.float64))

    def thresholds(self) -> np.ndarray:
        """The threshold of each question; NaN for categories."""
        if self.bins is None:
            return self.threshold
        numbers = self.bins.thresholds(self.feature.astype(np.int64), self.code)
        return np.where(self.turn & (ASKS_SET | ASKS_BRANCHES), np.nan, numbers)

    def category_sets(self) -> tuple[np.ndarray, np.ndarray]:
        """(where each question's set starts and the last one ends, all sets): of categories, not of codes."""
        if self.bins is None or not len(self.sets):
            return self.set_start, self.sets
        feature = self.feature[self.is_set].astype(np.int64)
        codes = self.bins.category_codes
        start = ends_of(np.array([-(-len(codes[j]) // _WORD) for j in range(self.n_columns)])[feature])
        sets = np.empty(start[-1], np.uint64)
        for j in np.unique(feature).tolist():
            mine, places = np.flatnonzero(feature == j), codes[j].astype(np.int64)
            for some in np.array_split(mine, -(-len(mine) * len(places) // _CELLS)):
                words = self.sets[self.set_start[some, None] + places // _WORD]
                packed = pack_sets((words >> (places % _WORD).astype(np.uint64)) & np.uint64(1))
                sets[start[some, None] + np.arange(packed.shape[1])] = packed
        return start, sets

    def _sums(self, of_leaves: np.ndarray) -> np.ndarray:
        """Integers of leaves, summed over the leaves below every node, exactly."""
        before, total = ends_of(self.is_leaf), ends_of(of_leaves)
        return total[before[self.shape.end]] - total[before[:-1]]

    # --- trees -------------------------------------------------------------------------------------------------------

    def tree(self, k: int) -> DecisionTree:
        """Return one tree, to read, plot or prune.

        Parameters
        ----------
        k : int
            Number of the tree.

        Returns
        -------
        tree : DecisionTree
            The tree. Its nodes have the numbers that `apply` returns.
        """
        from spinney.tree.decision import DecisionTree

        return DecisionTree(self if self.n_trees == 1 else self.part(range(k, k + 1)))

    def part(self, trees: range) -> Forest:
        """A range of trees, copied, so that the memory of the others can be freed."""
        nodes = slice(self.first[trees.start], self.first[trees.stop])
        asks = slice(*self.starts.question[[trees.start, trees.stop]].tolist())
        leaves = slice(nodes.start - asks.start, nodes.stop - asks.stop)
        sets = slice(*self.starts.set[[trees.start, trees.stop]].tolist())
        some_sets = self.set_start[sets.start : sets.stop + 1]

        def of(array: np.ndarray, some: slice) -> np.ndarray:
            return array[some].copy() if len(array) else array

        return replace(
            self,
            first=self.first[trees.start : trees.stop + 1] - nodes.start,
            size=small(of(self.size, nodes)),
            feature=small(of(self.feature, asks)),
            turn=of(self.turn, asks),
            answers=of(self.answers, nodes),
            n_samples=small(of(self.n_samples, leaves if self.counts_leaves else nodes), np.uint32),
            code=of(self.code, asks),
            threshold=of(self.threshold, asks),
            set_start=some_sets - some_sets[0],
            sets=of(self.sets, slice(some_sets[0], some_sets[-1])),
            weight=of(self.weight, leaves if len(self.weight_unit) else nodes),
            weight_unit=of(self.weight_unit, slice(trees.start, trees.stop)),
            impurity=of(self.impurity, nodes),
            gain=of(self.gain, asks),
            **self._some_terms(slice(nodes.start, nodes.stop)),
        )

    def _some_terms(self, nodes: slice | np.ndarray) -> dict[str, Any]:
        """What the leaves among some nodes have: a range of them, or those marked."""
        if not self.is_linear:
            return {}
        kept = np.zeros(self.n_nodes, bool)
        kept[nodes] = True
        leaves = kept[self.is_leaf]
        terms = np.repeat(leaves, self.n_terms)
        column, term = self.term_column[terms], self.term[terms]
        return {"n_terms": self.n_terms[leaves], "term_column": small(column), "term": term}

    # --- changes: each returns another forest ------------------------------------------------------------------------

    def collapse(self, at: np.ndarray) -> Forest:
        """The trees with the nodes marked in `at` (Booleans) turned into leaves, without the nodes below them."""
        n, end = self.n_nodes, self.shape.end
        marked = np.flatnonzero(at)
        inside = np.cumsum(np.bincount(marked + 1, minlength=n + 1) - np.bincount(end[marked], minlength=n + 1))[:n]
        kept = inside == 0
        before = ends_of(kept)
        size = np.where(at, 1, before[end] - before[:-1])[kept]
        asks = (kept & ~at)[~self.is_leaf]
        chosen, leaves = asks[self.is_set], size == 1
        lengths = np.diff(self.set_start)
        counts, weight = self.counts()[kept], self.weight
        if len(self.weight_unit):
            weight = self._sums(self.weight)[kept][leaves]
        elif len(weight):
            weight = weight[kept]
        terms = self._some_terms(kept)
        if terms:  # branches that become leaves are constant
            of_leaves = np.zeros(len(kept), np.uint8)
            of_leaves[self.is_leaf] = self.n_terms
            terms["n_terms"] = of_leaves[kept][leaves]
        return replace(
            self,
            first=before[self.first],
            size=small(size),
            feature=small(self.feature[asks]),
            turn=self.turn[asks],
            answers=self.answers[kept],
            n_samples=small(counts[leaves] if self.counts_leaves else counts, np.uint32),
            code=self.code[asks] if len(self.code) else self.code,
            threshold=self.threshold[asks] if len(self.threshold) else self.threshold,
            set_start=ends_of(lengths[chosen]),
            sets=self.sets[np.repeat(chosen, lengths)],
            weight=weight,
            impurity=self.impurity[kept] if len(self.impurity) else self.impurity,
            gain=self.gain[asks] if len(self.gain) else self.gain,
            **terms,
        )

    def compact(self) -> Forest:
        """The same in fewer bytes, without loss: what the class weights determine is left out."""
        from spinney.criteria.impurity import OWN

        classes = self.n_classes is not None
        follows = classes and np.array_equal(self.weights(), self.answers[:, 0].sum(axis=1, dtype=np.float64))
        return replace(
            self,
            answers=narrow(self.answers) if classes else self.answers,
            weight=np.empty(0, np.float32) if follows else narrow(self.weight),
            impurity=np.empty(0) if classes and self.criterion != OWN else self.impurity,
        )

    def scaled(self, factor: float) -> Forest:
        """The same with answers, and slopes, times a factor."""
        answers = self.answers * self.answers.dtype.type(factor)
        return replace(self, answers=answers, term=self.term * np.array([factor, 1.0, 1.0, 1.0]))

    def with_thresholds(self) -> Forest:
        """The same without bins: questions compare numbers, and sets contain categories."""
        if self.bins is None:
            return self
        set_start, sets = self.category_sets()
        nothing = np.empty(0, np.uint8)
        return replace(self, bins=None, code=nothing, threshold=self.thresholds(), set_start=set_start, sets=sets)

    @cached_property
    def words(self) -> WordNodes:
        from spinney.tree.packed import pack_words

        return pack_words(self)

    @cached_property
    def pairs(self) -> WordPairNodes:
        from spinney.tree.packed import pack_pairs

        return pack_pairs(self)

    @cached_property
    def steps(self) -> StepNodes:
        from spinney.tree.packed import pack_steps

        return pack_steps(self)

    @cached_property
    def one_row(self) -> OneRow:
        from spinney.tree.descend import OneRow

        return OneRow(self)

    # --- identity ----------------------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every bit of every tree."""
        digest = blake2b(digest_size=16)
        self.update_hash(digest)
        return digest.hexdigest()

    def update_hash(self, digest: Any) -> None:
        """Update a hash with every bit that matters for predictions or reading."""
        digest.update(repr((self.n_columns, self.n_classes, self.criterion)).encode())
        for name, array in self._arrays().items():
            digest.update(f"{name}{array.shape}{array.dtype.str}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        if self.bins is not None:
            digest.update(self.thresholds().tobytes())


# ----------------------------------------------------------------------------------------------------------------------
# Joining: the trees of several forests of the same columns, in their order.


def join(forests: Sequence[Forest], team: Team | None = None) -> Forest:
    """The trees of several forests in one; copied by a team of threads if there is one."""
    forests = [one for one in forests if one.n_trees] or forests[:1]
    if len(forests) == 1:
        return forests[0]
    bins = forests[0].bins
    if not all(_same_bins(one.bins, bins) for one in forests):
        forests, bins = [one.with_thresholds() for one in forests], None

    def together(name: str) -> np.ndarray:
        return joined([getattr(one, name) for one in forests], team)

    def lengths(name: str) -> np.ndarray:
        return ends_of(np.concatenate([np.diff(getattr(one, name)) for one in forests]))

    has_weights = any(len(one.weight) for one in forests)
    has_impurity = any(len(one.impurity) for one in forests)
    in_leaves = all(one.counts_leaves for one in forests)
    has_terms = any(one.is_linear for one in forests)
    n_terms = [one.n_terms if one.is_linear else np.zeros(one.is_leaf.sum(), np.uint8) for one in forests]
    n_samples = together("n_samples") if in_leaves else np.concatenate([one.counts() for one in forests])
    return replace(
        forests[0],
        bins=bins,
        first=lengths("first"),
        size=small(together("size")),
        feature=small(together("feature")),
        turn=together("turn"),
        answers=together("answers"),
        n_samples=small(n_samples, np.uint32),
        code=together("code"),
        threshold=together("threshold"),
        set_start=lengths("set_start"),
        sets=together("sets"),
        weight=joined([one.weight if len(one.weight) or not has_weights else one.weights() for one in forests], team),
        weight_unit=together("weight_unit"),
        impurity=np.concatenate([one.impurities() for one in forests]) if has_impurity else forests[0].impurity,
        gain=together("gain"),
        n_terms=np.concatenate(n_terms) if has_terms else forests[0].n_terms,
        term_column=small(together("term_column")) if has_terms else forests[0].term_column,
        term=together("term") if has_terms else forests[0].term,
    )


def _same_bins(one: Bins | None, other: Bins | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    pairs = [(one.edges, other.edges), (one.category_codes, other.category_codes)]
    return all(len(a) == len(b) and all(map(np.array_equal, a, b)) for a, b in pairs)
