"""Time each hot kernel on one thread, in nanoseconds per unit of work: look here first when a fit is slower.

python -m benchmarks.stages [--rows 1000000] [--repeats 9]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney._team import Team
from spinney.criteria.gains import Link, Penalty
from spinney.criteria.losses import LogLoss
from spinney.data.dataset import aligned, records
from spinney.data.weights import Weights
from spinney.ensemble.boosting.gradients import fill_derivatives
from spinney.grow.boosting import histograms as histogram
from spinney.grow.boosting import memory, partition, statistics
from spinney.grow.boosting import scan_bins as splits
from spinney.grow.rules import BoostingRules

COLUMNS, BINS = 28, 255


@kernel
def _accumulate(words, lanes, n_words, rows, fields, out):
    for begin in range(0, rows.size, partition.CHUNK):
        histogram.accumulate(words, lanes, n_words, rows[begin : begin + partition.CHUNK], fields, out)


@kernel
def _accumulate_far(words, lanes, n_words, rows, fields, out):
    for begin in range(0, rows.size, partition.CHUNK):
        histogram.accumulate_far(words, lanes, n_words, rows[begin : begin + partition.CHUNK], fields, out)


@kernel
def _quantise(derivatives, keys, shorts, fields):
    for i in range(shorts.size):
        shorts[i] = statistics.quantise(derivatives[2 * i], derivatives[2 * i + 1], np.uint64(7), keys[i], fields)


@kernel
def _quantise_far(derivatives, keys, shorts, fields):
    for i in range(shorts.size):
        shorts[i] = statistics.quantise_far(derivatives[2 * i], derivatives[2 * i + 1], np.uint64(7), keys[i], fields)


@kernel
def _partition(column, goes_left, desks, rows, target, cursor):
    for begin in range(0, rows.size, partition.CHUNK):
        partition.partition_chunk(column, goes_left, desks[0], rows[begin : begin + partition.CHUNK], target, cursor)


@kernel
def _search(bins, columns, fields, desks, nodes, limits, best):
    best[0].score = -np.inf
    for k in range(columns.size):
        own = bins[columns[k].begin : columns[k].begin + columns[k].n_bins]
        n = splits.add_up_packed(own, fields, desks[0])
        splits.search_numbers(nodes[0], k, columns[k], own, n, fields, limits, desks[0], best[0], None)


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
    rows = aligned((n, COLUMNS + 4), np.uint8)
    rows[:] = random.integers(0, BINS, rows.shape, dtype=np.uint8)
    lanes, words, n_words = rows.reshape(-1), rows.reshape(-1).view(np.uint32), (COLUMNS + 4) // 4
    column, goes_left = np.ascontiguousarray(rows[:, 3]), (np.arange(256) < 100).astype(np.uint8)
    every, some = np.arange(n, dtype=np.int32), np.sort(random.permutation(n)[: n // 16]).astype(np.int32)
    y, raw = (random.random(n) < 0.5).astype(np.float64), random.standard_normal(n)
    derivatives, shorts, bins = np.empty((n, 2), np.float32), np.empty(n, np.int64), np.zeros(COLUMNS * 264, np.int64)
    keys = random.integers(0, 2**32, n, dtype=np.uint32)
    fields = statistics.make_fields(n, n, 1, 1.0, 0.25)
    desks, target = records(1, memory.DESK), np.empty(n, np.int32)
    features, no_groups = np.arange(COLUMNS, dtype=np.int32), np.zeros((0, COLUMNS), np.uint8)
    penalty = Penalty(0.0, 1.0)
    sizes = (True, 31, 99, 20, 1e-3, 0.0)
    link, key = Link(), np.uint64(3)
    limits = BoostingRules(*sizes, penalty, penalty, 10.0, 20, 0.1, link, None, None, no_groups, features, COLUMNS, key)
    columns = records(COLUMNS, memory.COLUMN)
    columns["begin"], columns["n_bins"], columns["n_slots"] = np.arange(COLUMNS) * 264, BINS, BINS
    nodes, best = records(1, memory.NODE), records(2, memory.CANDIDATE)
    nodes["count"], nodes["hessian"] = 20 * BINS, 10**6

    def part(rows: np.ndarray) -> None:
        cursor = np.zeros(16, np.int64)
        cursor[partition.RIGHT] = rows.size
        _partition(column, goes_left, desks, rows, target, cursor)

    with Team(inline=True) as team:
        stages: list[tuple[str, float, str, Callable[[], Any]]] = [
            (
                "derivatives",
                n,
                "row",
                lambda: fill_derivatives(team, LogLoss(), raw, y, Weights(None, None), derivatives),
            ),
            ("quantise", n, "row", lambda: _quantise(derivatives.reshape(-1), keys, shorts, fields)),
            ("quantise, far", n, "row", lambda: _quantise_far(derivatives.reshape(-1), keys, shorts, fields)),
            (
                "histogram, all rows",
                n * COLUMNS,
                "update",
                lambda: _accumulate(words, lanes, n_words, every, fields, bins),
            ),
            (
                "histogram, every 16th",
                n // 16 * COLUMNS,
                "update",
                lambda: _accumulate(words, lanes, n_words, some, fields, bins),
            ),
            (
                "histogram, far rows",
                n * COLUMNS,
                "update",
                lambda: _accumulate_far(words, lanes, n_words, every, fields, bins),
            ),
            ("partition, all rows", n, "row", lambda: part(every)),
            ("partition, every 16th", n // 16, "row", lambda: part(some)),
            ("search", COLUMNS * BINS, "bin", lambda: _search(bins, columns, fields, desks, nodes, limits, best)),
        ]
        for name, units, unit, call in stages:
            seconds = best_of(options.repeats, call)
            print(f"{name:24s} {seconds * 1e3:8.3f} ms   {seconds / units * 1e9:7.3f} ns a {unit}")


if __name__ == "__main__":
    main()
