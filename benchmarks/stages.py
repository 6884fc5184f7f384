"""What each hot kernel costs, one thread, nanoseconds a unit of work: the first place to look when a fit got slower.

python -m benchmarks.stages [--rows 1000000] [--repeats 9]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._jit import kernel
from spinney._team import Team
from spinney.criteria.gains import Penalty
from spinney.criteria.losses import LogLoss
from spinney.data.dataset import Runs
from spinney.data.weights import Weights
from spinney.ensemble.gradients import fill_derivatives
from spinney.grow import histogram, memory, partition, splits, statistics
from spinney.grow.limits import Limits

COLUMNS, BINS = 28, 255


@kernel
def _accumulate(words, runs, rows, packed, out):
    histogram.accumulate(words, runs, rows, packed, 0, rows.size, out)


@kernel
def _quantise(derivatives, packed, fields):
    for i in range(packed.size):
        gradient, hessian = derivatives[i, 0], derivatives[i, 1]
        packed[i] = statistics.quantise(gradient, hessian, np.int64(1), np.uint64(7), np.uint64(i), fields)


@kernel
def _partition(column, goes_left, desks, rows, packed, target, target_packed, cursor):
    for begin in range(0, rows.size, partition.CHUNK):
        part, its = rows[begin : begin + partition.CHUNK], packed[begin : begin + partition.CHUNK]
        partition.partition_chunk(column, goes_left, desks[0], part, its, target, target_packed, cursor)


@kernel
def _search(bins, columns, fields, desks, nodes, limits, candidates):
    for k in range(columns.size):
        splits.load_bins(bins, False, columns[k].start, columns[k].n_bins, fields, desks[0])
        splits.search_column(nodes[0], columns[k], fields, limits, desks[0], candidates[0, k])


def best_of(repeats: int, call: Callable[[], Any]) -> float:
    """Seconds of the quickest of several calls, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    """Time every stage and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    n, random = options.rows, np.random.default_rng(0)
    codes = np.zeros((n, 32), np.uint8)
    codes[:, :COLUMNS] = random.integers(0, BINS, (n, COLUMNS), dtype=np.uint8)
    words, runs = codes.view(np.uint64).reshape(-1), Runs(3, 0, 0, 0, True, 256)
    column, goes_left = np.ascontiguousarray(codes[:, 3]), (np.arange(256) < 100).astype(np.uint8)
    every, some = np.arange(n, dtype=np.int32), np.sort(random.permutation(n)[: n // 16]).astype(np.int32)
    y, raw = (random.random(n) < 0.5).astype(np.float64), random.standard_normal(n)
    derivatives, packed, bins = np.empty((n, 2), np.float32), np.empty(n, np.int64), np.zeros(32 * 256, np.int64)
    fields = statistics.make_fields(n, n, 1, 1.0, 0.25)
    desks, target, target_packed = memory.records(1, memory.DESK), np.empty(n, np.int32), np.empty(n, np.int64)
    features, no_groups = np.arange(COLUMNS, dtype=np.int32), np.zeros((0, COLUMNS), np.uint8)
    penalty = Penalty(0.0, 1.0)
    sizes = (True, 31, 99, 20, 1e-3, 0.0)
    limits = Limits(*sizes, penalty, penalty, 10.0, 20, 0.1, False, no_groups, features, COLUMNS, np.uint64(3))
    columns = memory.records(COLUMNS, memory.COLUMN)
    columns.start, columns.n_bins, columns.n_slots = np.arange(COLUMNS) * 256, BINS, BINS
    nodes, candidates = memory.records(1, memory.NODE), memory.records((2, COLUMNS), memory.CANDIDATE)
    nodes[0].count, nodes[0].hessian = 20 * BINS, 10**6

    def part(rows: np.ndarray) -> None:
        cursor = np.zeros(16, np.int64)
        cursor[partition.RIGHT] = rows.size
        _partition(column, goes_left, desks, rows, packed, target, target_packed, cursor)

    with Team(inline=True) as team:
        stages: list[tuple[str, float, str, Callable[[], Any]]] = [
            (
                "derivatives",
                n,
                "row",
                lambda: fill_derivatives(team, LogLoss(), raw, y, Weights(None, None), derivatives),
            ),
            ("quantise", n, "row", lambda: _quantise(derivatives, packed, fields)),
            ("histogram, all rows", n * COLUMNS, "update", lambda: _accumulate(words, runs, every, packed, bins)),
            (
                "histogram, every 16th",
                n // 16 * COLUMNS,
                "update",
                lambda: _accumulate(words, runs, some, packed, bins),
            ),
            ("partition, all rows", n, "row", lambda: part(every)),
            ("partition, every 16th", n // 16, "row", lambda: part(some)),
            ("search", COLUMNS * BINS, "bin", lambda: _search(bins, columns, fields, desks, nodes, limits, candidates)),
        ]
        for name, units, unit, call in stages:
            seconds = best_of(options.repeats, call)
            print(f"{name:24s} {seconds * 1e3:8.3f} ms   {seconds / units * 1e9:7.3f} ns a {unit}")


if __name__ == "__main__":
    main()
