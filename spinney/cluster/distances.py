"""Distances of rows to every centre."""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel
from spinney._team import Team, next_chunk
from spinney.cluster.assign import packed
from spinney.cluster.nearest import LANES, SMALL, nearest, squared_distances
from spinney.cluster.plusplus import columns_first
from spinney.cluster.points import CHUNK_ROWS, TiledPoints


def nearest_centres(points: TiledPoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """int32 (places,), the nearest centre of each row."""
    labels, room = np.empty(points.n_places, np.int32), np.empty((team.size, LANES), np.int32)
    scores = np.empty((team.size, LANES), points.tiles.dtype)
    team.run(_label, points.tiles, points.n_rows, points.n_columns, *packed(centres), labels, scores, room)
    return labels


def squared_distances_to_all(points: TiledPoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """(rows, centres) in the points' dtype."""
    out = np.empty((points.n_rows, len(centres)), points.tiles.dtype)
    scratch = np.empty((team.size, SMALL * LANES), points.tiles.dtype)
    team.run(_measure, points.tiles, points.n_columns, columns_first(centres), out, scratch)
    return out


@kernel
def _label(rank, size, sync, tiles, n_rows, n_columns, centres, n_large, n_small, labels, scores, room):
    best, label = scores[rank], room[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            nearest(tiles, place * n_columns, n_columns, centres, n_large, n_small, best, best, label, 0)
            for lane in range(LANES):
                labels[place + lane] = label[lane]


@kernel
def _measure(rank, size, sync, tiles, n_columns, centres, out, scratch):
    n_rows, n_centres = out.shape
    distances = scratch[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            for first in range(0, n_centres, SMALL):
                squared_distances(tiles, place * n_columns, n_columns, centres, first * n_columns, distances, 0)
                for i in range(min(SMALL, n_centres - first)):
                    for lane in range(min(LANES, n_rows - place)):
                        out[place + lane, first + i] = distances[i * LANES + lane]
