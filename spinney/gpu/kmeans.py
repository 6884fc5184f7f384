"""k-means on the GPU: the nearest centre of every row, sums of the rows of each centre, and candidates of k-means++.

In: rows in tiles (cluster/points.py) and centres. Out: labels, integer sums, and integers of squared distances: those
of the CPU, since scores and distances are added up column by column, in the table's own precision, and all sums over
rows are sums of integers. How numbers become integers is up to cluster/, whose own functions the kernels are made with.

A thread has a row; four centres are compared with it at a time.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import Stream, cuda, gpu_function, gpu_kernel
from spinney.gpu.memory import THREADS, blocks_for, check_memory

GROUP = 4  # centres


class TilesOnGpu(NamedTuple):
    """Rows on the GPU, as `TiledRows` has them."""

    tiles: Any  # float32 or float64
    lanes: int  # rows of a tile
    n_rows: int
    counts: Any  # int64, or empty
    importance: Any  # float64, or empty


def send_rows(stream: Stream, rows: Any, lanes: int) -> TilesOnGpu:
    """`TiledRows` on the GPU."""
    check_memory(rows.tiles.nbytes + 12 * rows.n_rows, "this many rows and columns")
    put = stream.put
    return TilesOnGpu(put(rows.tiles), lanes, rows.n_rows, put(rows.counts), put(rows.importance))


@gpu_function
def _start_of(rows, n_columns, place):
    return place // rows.lanes * rows.lanes * n_columns + place % rows.lanes


@gpu_function
def _nearest(rows, n_columns, centres, halves, place):
    """The centre with the lowest score, half its square less its product with the row; of equals the first."""
    start = _start_of(rows, n_columns, place)
    best, who = np.inf, 0
    for group in range(centres.shape[0]):
        a, b, c, d = halves[group, 0], halves[group, 1], halves[group, 2], halves[group, 3]
        for j in range(n_columns):
            x = rows.tiles[start + j * rows.lanes]
            a = a - x * centres[group, j, 0]
            b = b - x * centres[group, j, 1]
            c = c - x * centres[group, j, 2]
            d = d - x * centres[group, j, 3]
        if a < best:
            best, who = np.float64(a), GROUP * group
        if b < best:
            best, who = np.float64(b), GROUP * group + 1
        if c < best:
            best, who = np.float64(c), GROUP * group + 2
        if d < best:
            best, who = np.float64(d), GROUP * group + 3
    return who


@functools.cache
def _assigner(whole_value: Any) -> Any:
    @gpu_kernel
    def assign(rows, centres, halves, scale, labels, sums, n_moved):
        """Labels, and sums (centres, columns + 1) of each centre's rows and of their weights, brought up to date."""
        n_columns, moved = scale.size - 1, 0
        for place in range(cuda.grid(1), rows.n_rows, cuda.gridsize(1)):
            new, old = _nearest(rows, n_columns, centres, halves, place), labels[place]
            if new == old:
                continue
            labels[place] = new
            moved += 1
            count = rows.counts[place] if rows.counts.size > 0 else np.int64(1)
            factor = rows.importance[place] if rows.importance.size > 0 else 1.0
            if count == 0:
                continue
            start = _start_of(rows, n_columns, place)
            for j in range(n_columns + 1):
                value = np.float64(rows.tiles[start + j * rows.lanes]) if j < n_columns else 1.0
                whole = whole_value(value, factor, scale[j]) * count
                cuda.atomic.add(sums, (new, j), whole)
                if old >= 0:
                    cuda.atomic.add(sums, (old, j), -whole)
        if moved > 0:
            cuda.atomic.add(n_moved, 0, moved)

    return assign


@gpu_function
def _distance(rows, n_columns, points, number, place):
    """Squared, of a row to one of some points."""
    start = _start_of(rows, n_columns, place)
    gap = rows.tiles[start] - points[number, 0]
    total = gap * gap
    for j in range(1, n_columns):
        gap = rows.tiles[start + j * rows.lanes] - points[number, j]
        total = total + gap * gap
    return total


@functools.cache
def _trier(whole_distance: Any) -> Any:
    @gpu_kernel
    def try_candidates(rows, chunk_rows, points, scale, closest, sums):
        """closest[row] is brought up to date with the first point; sums[chunk, i] += what the sum of distances in a
        chunk of rows would be with point i as well. A block has a chunk at a time."""
        for chunk in range(cuda.blockIdx.x, sums.shape[0], cuda.gridDim.x):
            begin, end = chunk * chunk_rows, min((chunk + 1) * chunk_rows, rows.n_rows)
            for place in range(begin + cuda.threadIdx.x, end, cuda.blockDim.x):
                new, now = _distance(rows, points.shape[1], points, 0, place), closest[place]
                closest[place] = new if new < now else now
            for i in range(1, points.shape[0]):
                total = np.int64(0)
                for place in range(begin + cuda.threadIdx.x, end, cuda.blockDim.x):
                    new, now = _distance(rows, points.shape[1], points, i, place), closest[place]
                    total += whole_distance(new if new < now else now, place, rows.counts, rows.importance, scale)
                cuda.atomic.add(sums, (chunk, i), total)

    return try_candidates


class Labels:
    """Labels and sums of a run on the GPU; `whole_value(value, factor, scale)` makes integers of numbers."""

    def __init__(self, stream: Stream, rows: TilesOnGpu, scale: np.ndarray, n_centres: int, whole_value: Any) -> None:
        self._stream, self._rows, self._assign = stream, rows, _assigner(whole_value)
        self._scale = stream.put(scale)
        self._labels = stream.put(np.full(rows.n_rows, -1, np.int32))
        self._sums = stream.put(np.zeros((n_centres, len(scale)), np.int64))

    def assign(self, centres: np.ndarray, halves: np.ndarray) -> int:
        """How many rows have another centre now."""
        stream, n = self._stream, self._rows.n_rows
        moved = stream.put(np.zeros(1, np.int64))
        grouped = stream.put(_in_groups(centres, 0.0)), stream.put(_in_groups(halves[:, None], np.inf)[:, 0])
        arguments = self._rows, *grouped, self._scale, self._labels, self._sums, moved
        self._assign.launch(stream, blocks_for(n, THREADS, waves=32), THREADS, arguments)
        return int(stream.read(moved)[0])

    def sums(self) -> np.ndarray:
        """int64 (centres, columns + 1)."""
        return self._stream.read(self._sums)

    def labels(self) -> np.ndarray:
        """int32 (rows,)."""
        return self._stream.read(self._labels)


def _in_groups(rows: np.ndarray, fill: float) -> np.ndarray:
    """(groups, columns, GROUP)."""
    n_groups = -(-len(rows) // GROUP)
    full = np.full((n_groups * GROUP, rows.shape[1]), fill, rows.dtype)
    full[: len(rows)] = rows
    return np.ascontiguousarray(full.reshape(n_groups, GROUP, -1).swapaxes(1, 2))


class Closest:
    """Squared distances to the nearest of the centres so far, on the GPU."""

    def __init__(self, stream: Stream, rows: TilesOnGpu, chunk_rows: int, scale: float, whole_distance: Any) -> None:
        self._stream, self._rows, self._chunk_rows, self._scale = stream, rows, chunk_rows, float(scale)
        self._try = _trier(whole_distance)
        dtype = np.dtype(rows.tiles.dtype)
        self._closest = stream.put(np.full(rows.n_rows, np.inf, dtype))

    def try_points(self, points: np.ndarray) -> np.ndarray:
        """int64 (chunks, points): the first point becomes a centre; sums of distances with each of the others, too."""
        stream, n_chunks = self._stream, -(-self._rows.n_rows // self._chunk_rows)
        sums = stream.put(np.zeros((n_chunks, len(points)), np.int64))
        arguments = self._rows, self._chunk_rows, stream.put(points), self._scale, self._closest, sums
        self._try.launch(stream, blocks_for(n_chunks, 1, waves=32), THREADS, arguments)
        return stream.read(sums)

    def of_chunk(self, chunk: int) -> np.ndarray:
        """The distances of a chunk's rows."""
        begin = chunk * self._chunk_rows
        return self._stream.read(self._closest[begin : min(begin + self._chunk_rows, self._rows.n_rows)])


def open_stream() -> Stream:
    """A queue for one fit."""
    return Stream()
