"""From growing trees to a `Forest`: nodes in preorder, without what pruning took back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.data.encode import Bins
from spinney.grow.boosting.statistics import Fields
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small
from spinney.tree.packed import BareTrees, WordNodes, word_of, word_of_leaf

_SET_WORDS = 4  # of 64 codes each


class Laid(NamedTuple):
    """A grown tree without what pruning took back."""

    nodes: np.ndarray  # NODE records (memory.py), in preorder
    size: np.ndarray  # int64: nodes of each one's subtree
    hessian_unit: float


def lay(nodes: Any, n_nodes: int, fields: Fields) -> Laid:
    """Take the tree out of the memory that the next one will be grown in."""
    order, size = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    grown = nodes[:n_nodes]
    n = lay_out(grown, np.empty(n_nodes + 1, np.int64), order, size)
    return Laid(grown.take(order[:n]), size[:n], fields.fine_hessian_unit)


def freeze(trees: Sequence[Laid], bins: Bins) -> Forest:
    """Finished trees as a store. Many at a time take little longer than one."""
    kind = trees[0].nodes.dtype
    nodes = np.concatenate([one.nodes.view(np.uint8) for one in trees]).view(kind)  # records themselves join slowly
    size = np.concatenate([one.size for one in trees])
    is_leaf = size == 1
    leaves, asks = nodes[is_leaf], nodes[~is_leaf]
    feature = asks["feature"]
    is_set = bins.is_categorical[feature]
    return Forest(
        n_columns=bins.n_columns,
        n_classes=None,
        criterion=None,
        bins=bins,
        first=ends_of(np.array([len(one.size) for one in trees], np.int64)),
        size=small(size),
        feature=small(feature),
        turn=asks["missing_left"] * np.uint8(MISSING_LEFT) | is_set * np.uint8(ASKS_SET),
        answers=nodes["value"].reshape(len(nodes), 1, 1).copy(),
        n_samples=small(leaves["count"], np.uint32),
        code=asks["code"].astype(np.uint8),
        set_start=np.arange(0, _SET_WORDS * (int(is_set.sum()) + 1), _SET_WORDS),
        sets=asks["bits"][is_set].ravel(),
        weight=leaves["fine_hessian"].copy(),
        weight_unit=np.array([one.hessian_unit for one in trees]),
        gain=asks["gain"].copy(),
    )


def bare(trees: Sequence[Laid], bins: Bins) -> BareTrees:
    """The same trees for `add_scores` alone, which takes a fraction of the time."""
    first = ends_of(np.array([len(one.size) for one in trees], np.int64))
    n, has_sets, nothing = int(first[-1]), bins.is_categorical.any(), np.empty(0, np.uint8)
    words, values, bits = np.empty(n, np.uint64), np.empty(n), np.empty((n if has_sets else 0, _SET_WORDS), np.uint64)
    for tree, begin in zip(trees, first.tolist()):
        part = slice(begin, begin + len(tree.size))
        _pack(tree.nodes, tree.size, bins.is_categorical, words[part], values[part], bits[part])
    bits_at = np.arange(len(bits), dtype=np.int32)
    return BareTrees(bins, values, WordNodes(words, bits, bits_at, first, np.empty(0, np.int64), nothing))


@kernel
def _pack(nodes, size, is_categorical, words, values, bits):
    """One tree's nodes as words, values and sets."""
    for at in range(size.size):
        node = nodes[at]
        values[at] = node.value
        words[at] = word_of_leaf(at)
        if size[at] > 1:
            turn, is_set = np.uint64(node.missing_left), np.uint64(is_categorical[node.feature])
            words[at] = word_of(at + 1 + size[at + 1], node.feature, node.code, is_set, turn)
        for w in range(_SET_WORDS if bits.size else 0):
            bits[at, w] = node.bits[w]


@kernel
def lay_out(nodes, waiting, order, size):
    """order[k] = the grown node that is number k in preorder, size[k] = nodes of its subtree; returns how many stay."""
    n, top = 0, 1
    waiting[0] = 0
    while top > 0:
        top -= 1
        at = waiting[top]
        order[n] = at
        n += 1
        if nodes[at].left >= 0 and not nodes[at].is_leaf:
            waiting[top], waiting[top + 1] = nodes[at].left + 1, nodes[at].left
            top += 2
    for k in range(n - 1, -1, -1):  # children come after their parents
        node = nodes[order[k]]
        size[k] = 1
        if node.left >= 0 and not node.is_leaf:
            size[k] += size[k + 1] + size[k + 1 + size[k + 1]]
    return n
