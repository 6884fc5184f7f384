"""Quantiles from a regression forest: the training targets that share a leaf with a row, tree by tree.

Each tree distributes a weight of 1 over the training rows in the row's leaf, in proportion to how often they are in its
bootstrap sample. A quantile is the smallest target at or below which at least that fraction of the weight lies
(Meinshausen 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._packed_arrays import Packed, pack, unpack
from spinney._team import Team, next_chunk
from spinney.data.tables import Table
from spinney.grow.exact.search import sort_by_key
from spinney.tree.descend import leaves_of_rows
from spinney.tree.forest import Forest

_CHUNK = 64  # rows a thread takes at a time
_ALMOST = 1.0 - 1e-6  # tolerance for the rounding of float32 weights


class LeafTargets(NamedTuple):
    """The training rows of each leaf; those of one leaf are contiguous."""

    start: np.ndarray  # int64, by node of the forest: where its rows begin, and one more: where the last ones end
    row: np.ndarray  # uint32
    weight: np.ndarray  # float32: share of the leaf's weight
    y: np.ndarray  # float64 (outputs, rows)

    def __reduce__(self) -> Any:
        return _unpack_targets, (pack(self._asdict()),)


def _unpack_targets(packed: Packed) -> LeafTargets:
    return LeafTargets(**unpack(packed))


def note_targets(
    forest: Forest,
    table: Table,
    y: np.ndarray,
    bag: Callable[[int], tuple[np.ndarray | None, np.ndarray | None]],
    team: Team,
) -> LeafTargets:
    """Collect the rows of all leaves. `bag(k)`: the rows of tree k (None: all) and their weights (None: ones)."""
    counts, rows, weights = [], [], []
    for k in range(forest.n_trees):
        mine, weight = bag(k)
        mine = np.arange(table.n_rows) if mine is None else mine
        weight = np.ones(len(mine)) if weight is None else weight
        leaf = leaves_of_rows(forest, table, team, range(k, k + 1))[mine, 0]
        order = np.argsort(leaf, kind="stable")
        n_nodes = int(forest.first[k + 1] - forest.first[k])
        total = np.bincount(leaf, weight, minlength=n_nodes)
        counts.append(np.bincount(leaf, minlength=n_nodes))
        rows.append(mine[order].astype(np.uint32))
        weights.append((weight / total[leaf])[order].astype(np.float32))
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])
    return LeafTargets(start, np.concatenate(rows), np.concatenate(weights), y)


def forest_quantiles(forest: Forest, targets: LeafTargets, table: Table, shares: np.ndarray, team: Team) -> np.ndarray:
    """Quantiles of the targets for each row of a table, (rows, outputs, shares); `shares` must ascend."""
    leaves = leaves_of_rows(forest, table, team) + forest.first[:-1]
    most = int(np.diff(targets.start).max()) * forest.n_trees
    out = np.empty((table.n_rows, len(targets.y), len(shares)))
    order, spare = np.empty((team.size, most), np.int64), np.empty((team.size, most), np.int64)
    keys, weights = np.empty((team.size, most)), np.empty((team.size, most))
    team.run(_find, leaves, *targets, shares, order, spare, keys, weights, out)
    return out


@kernel
def _find(rank, size, sync, leaves, start, row, weight, y, shares, orders, spares, all_keys, all_weights, out):
    order, spare, keys, weights = orders[rank], spares[rank], all_keys[rank], all_weights[rank]
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= leaves.shape[0]:
            return
        for i in range(begin, min(begin + _CHUNK, leaves.shape[0])):
            for o in range(y.shape[0]):
                n, total = 0, 0.0
                for t in range(leaves.shape[1]):
                    for k in range(start[leaves[i, t]], start[leaves[i, t] + 1]):
                        order[n], keys[n], weights[n] = n, y[o, row[k]], weight[k]
                        total += weights[n]
                        n += 1
                if n == 0:  # leaves of trees of random structure may have no rows
                    out[i, o, :] = np.nan
                    continue
                sort_by_key(order[:n], spare[:n], keys)
                below, at = weights[order[0]], 0
                for q in range(shares.size):
                    while at + 1 < n and below < shares[q] * total * _ALMOST:
                        at += 1
                        below += weights[order[at]]
                    out[i, o, q] = keys[order[at]]
