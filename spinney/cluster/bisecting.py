"""Bisecting k-means: one cluster is split in two until there are enough.

In:  `TiledPoints`, what to do (`BisectSettings`), a function that draws two first centres among some rows.
Out: `Bisection`: a tree of splits, whose leaves are the clusters; `leaf_of` sends rows down such a tree.

    nodes, in the order in which they were made:   0: all rows,   2s + 1 and 2s + 2: the two parts of split s

A split is k-means with two centres (`kmeans.py`) on the rows of one leaf, in tiles of their own: the order of rows and
the origin stay, so that rows go down the tree, later, with the very scores that they were split by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.assign import assign_rows, inertia, no_assignment, packed
from spinney.cluster.kmeans import KMeansSettings, best_run, relative_centres
from spinney.cluster.nearest import LANES, SMALL, columns_first, nearest, squared_distances
from spinney.cluster.points import CHUNK_ROWS, TiledPoints, take_points, weight_at

_LARGE = 1 << 20  # products of a pass below which handing it to threads costs more than doing it here

Starts = Callable[[TiledPoints], Iterable[np.ndarray]]  # rows of a leaf -> pairs of first centres, about the origin
Watcher = Callable[[int, int, int], None]  # number of the split, rows of either part


@dataclass(frozen=True)
class BisectSettings:
    """What to do."""

    n_clusters: int
    n_starts: int = 1  # of every split
    by_size: bool = False  # split the leaf with the most rows, rather than the largest sum of squares
    inner: KMeansSettings = field(default_factory=KMeansSettings)


class ClusterTree(NamedTuple):
    """Splits as kernels and estimators read them."""

    split_node: np.ndarray  # int64 (splits,): which node is split
    leaf: np.ndarray  # int32 (nodes,): the number of a leaf, from left to right; -1 for other nodes


class Bisection(NamedTuple):
    """What was found."""

    centres: np.ndarray  # (nodes, columns) in the table's dtype, origin added
    tree: ClusterTree
    labels: np.ndarray  # int32 (rows,), in the table's order: leaves
    inertia: float


@dataclass
class _Leaf:
    """Rows that may be split further."""

    node: int
    places: np.ndarray
    inertia: float
    weight: float

    def worth(self, by_size: bool) -> float:
        """How much it should be split; never if it has but one row."""
        if len(self.places) < 2:
            return -1.0
        return self.weight if by_size else self.inertia


def bisect(
    points: TiledPoints, starts: Starts, settings: BisectSettings, team: Team, watch: Watcher | None
) -> Bisection:
    """Split until there are enough clusters; of leaves that are worth the same, the one further left."""
    middle = _mean(points, team)
    weight = points.weights()
    leaves = [_Leaf(0, np.arange(points.n_rows), 0.0, float(weight.sum()))]
    centres, split_node, worth = [middle], [], np.zeros(1)
    for number in range(settings.n_clusters - 1):
        at = int(worth.argmax())
        leaf = leaves[at]
        own = replace(points, order=None) if number == 0 else take_points(points, leaf.places, team)
        hands = team if 2 * own.tiles.size >= _LARGE else Team(1, inline=True)
        parts, pair = _split(own, leaf, starts(own), settings, hands)
        for side, part in enumerate(parts):
            part.node, part.weight = 2 * number + 1 + side, float(weight[part.places].sum())
        if watch is not None:
            watch(number + 1, len(parts[0].places), len(parts[1].places))
        leaves[at : at + 1] = parts
        worth = np.insert(worth, at, 0.0)
        worth[at : at + 2] = [part.worth(settings.by_size) for part in parts]
        centres.append(pair)
        split_node.append(leaf.node)
    return _finish(points, leaves, np.concatenate(centres), np.array(split_node, np.int64), team)


def _mean(points: TiledPoints, team: Team) -> np.ndarray:
    """(1, columns): of all rows."""
    state = no_assignment(points, 1)
    assign_rows(points, np.zeros((1, points.n_columns), points.tiles.dtype), state, team)
    return (state.means()[0] + points.origin).astype(points.tiles.dtype)


def _split(
    own: TiledPoints, leaf: _Leaf, starts: Iterable[np.ndarray], settings: BisectSettings, team: Team
) -> tuple[list[_Leaf], np.ndarray]:
    """The two parts of a leaf, and their centres."""
    found = best_run(own, starts, replace(settings.inner, with_inertia=settings.n_starts > 1), team)
    sums = [0.0, 0.0]
    if not settings.by_size:
        sums = _sums_of_sides(own, relative_centres(found.centres, own.origin), found.labels, team)
    return [_Leaf(0, leaf.places[found.labels == side], sums[side], 0.0) for side in (0, 1)], found.centres


def _finish(
    points: TiledPoints, leaves: list[_Leaf], centres: np.ndarray, split_node: np.ndarray, team: Team
) -> Bisection:
    labels, numbers = np.zeros(points.n_places, np.int32), np.full(len(centres), -1, np.int32)
    for number, leaf in enumerate(leaves):
        labels[leaf.places] = number
        numbers[leaf.node] = number
    of_leaves = relative_centres(centres[[leaf.node for leaf in leaves]], points.origin)
    total = inertia(points, of_leaves, labels, team)
    return Bisection(centres, ClusterTree(split_node, numbers), points.as_in_table(labels), total)


def _sums_of_sides(points: TiledPoints, pair: np.ndarray, labels: np.ndarray, team: Team) -> list[float]:
    """The sum of squared distances of the rows of either label, by weight; the same for any number of threads."""
    sums, scratch = np.zeros((points.n_chunks, 2)), np.empty((team.size, SMALL * LANES), points.tiles.dtype)
    team.run(_sum_sides, points.rows, points.n_columns, columns_first(pair), labels, sums, scratch)
    return [float(np.cumsum(own)[-1]) for own in sums.T]


@kernel
def _sum_sides(rank, size, sync, rows, n_columns, pair, labels, sums, scratch):
    rows = refer(rows)
    distances = scratch[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= rows.n_rows:
            return
        for first in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, rows.n_rows), LANES):
            squared_distances(rows.tiles, first * n_columns, n_columns, pair, 0, distances, 0)
            for lane in range(min(LANES, rows.n_rows - first)):
                label = labels[first + lane]
                weight = weight_at(first + lane, rows.counts, rows.importance)
                sums[chunk, label] += weight * np.float64(distances[label * LANES + lane])


def leaf_of(points: TiledPoints, centres: np.ndarray, tree: ClusterTree, team: Team) -> np.ndarray:
    """int32 (places,): the leaf of each row; centres (nodes, columns) are about the points' origin."""
    n_splits = len(tree.split_node)
    pairs = [packed(centres[2 * s + 1 : 2 * s + 3]).values for s in range(n_splits)]
    stacked = np.array(pairs) if pairs else np.zeros((0, 1), points.tiles.dtype)
    labels, room = np.zeros(points.n_places, np.int32), np.empty((team.size, 2, LANES), np.int32)
    scores = np.empty((team.size, LANES), points.tiles.dtype)
    team.run(_go_down, points.tiles, points.n_rows, points.n_columns, stacked, *tree, labels, scores, room)
    return labels


@kernel
def _go_down(rank, size, sync, tiles, n_rows, n_columns, pairs, split_node, leaf, labels, scores, room):
    best, side, node = scores[rank], room[rank, 0], room[rank, 1]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            node[:] = 0
            for split in range(split_node.size):
                if _any_at(node, split_node[split]):
                    nearest(tiles, place * n_columns, n_columns, pairs[split], 0, 1, best, best, side, 0)
                    for lane in range(LANES):
                        if node[lane] == split_node[split]:
                            node[lane] = 2 * split + 1 + side[lane]
            for lane in range(LANES):
                labels[place + lane] = leaf[node[lane]]


@inner_kernel
def _any_at(node, wanted):
    found = False
    for lane in range(LANES):
        found |= node[lane] == wanted
    return found
