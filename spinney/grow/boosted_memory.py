"""The memory of boosted trees with exact thresholds: what the loop in boosted_lists.py reads and writes.

In: an `ExactDataset`, derivatives. Out: `Lists` (the sorted table), `Rows` (their gradients and hessians as whole
numbers), `Work`. Nodes, candidates and columns are records of grow/histogram/memory.py: the tree is the same, only what
splits are found in is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team, next_chunk
from spinney.criteria.fixed_point import scale_exponent
from spinney.data.dataset import aligned, records
from spinney.data.exact import ExactDataset
from spinney.grow.histogram.memory import CANDIDATE, COLUMN, DESK, NODE, STATE
from spinney.grow.histogram.statistics import Fields

BLOCK = 128  # entries of a list looked at together
_SUM_BITS = 61
_CHUNK = 8192  # rows that are made whole numbers at a time


class Lists(NamedTuple):
    """The sorted table.  # in"""

    lists: np.ndarray  # uint64 (columns, rows): see data/presort.py
    codes: np.ndarray  # uint8 (columns, categories): the code of each category; no categories without any
    columns: Any  # COLUMN records: is_categorical, n_bins (codes of categories), n_slots and monotone are set


class Rows(NamedTuple):
    """The rows of this tree and what they add to sums.  # in"""

    chosen: np.ndarray  # int32: the rows, or empty for all of them
    n: int
    amounts: np.ndarray  # int64: each row's gradient and hessian side by side, as often as it counts; or
    paired: bool | None  # None: gradients alone, and hessians are 1
    counts: Any  # int64: how often each row counts; None: once
    fields: Fields  # units
    noise: float  # what rounding may have done to a hessian
    gradient: int  # sums over all rows of the tree
    hessian: int
    count: int  # type: ignore[assignment]


class Work(NamedTuple):
    """Memory that lives as long as the fit."""

    nodes: Any  # NODE records
    state: Any  # one STATE record
    below: np.ndarray  # int64 (nodes): the rows on both sides of a cut; NO_ROW above the last known value
    above: np.ndarray
    rows: np.ndarray  # int32 (2, n): by node, even depths in the first
    lists: np.ndarray  # uint64 (columns, rows): by node, below the root; the root's too if rows are drawn
    side: np.ndarray  # uint8, by row: 1 if it goes left
    spare: np.ndarray  # uint64 (threads, rows)
    cuts: np.ndarray  # int64 (threads, 4, BLOCK): place, gradient, hessian and count of cuts
    scores: np.ndarray  # float64 (threads, BLOCK)
    desks: Any  # DESK records, one a thread: for categories
    best: Any  # CANDIDATE records (threads, 3): as in grow/histogram, but scores are gains; the third is to note things
    heap: np.ndarray  # int64
    cursor: np.ndarray  # int64 (1): rows found so far that go left
    allowed: np.ndarray  # uint8 (2, columns)
    order: np.ndarray  # int64 (columns)
    groups: np.ndarray  # uint8 (nodes, groups)
    pieces: np.ndarray  # int64
    leaf_of_row: np.ndarray  # uint16 or uint32
    leaf_values: np.ndarray  # float64 (threads, pieces)
    leaf_sums: np.ndarray  # int64


def make_lists(dataset: ExactDataset, monotone: np.ndarray, team: Team) -> Lists:
    """The kernels' view of a dataset."""
    columns = records(dataset.n_columns, COLUMN)
    columns["is_categorical"] = dataset.is_categorical
    columns["monotone"] = monotone if monotone.size else 0
    widest = max((len(one) for one in dataset.category_codes), default=0)
    codes = np.zeros((dataset.n_columns, widest), np.uint8)
    for j, own in enumerate(dataset.category_codes):
        codes[j, : len(own)] = own
        columns["n_bins"][j] = int(own.max(initial=0)) + 1
    columns["n_slots"] = columns["n_bins"] + 1
    return Lists(dataset.presorted(team).lists, codes, columns)


def make_work(dataset: ExactDataset, max_leaves: int, draws_rows: bool, n_threads: int, n_groups: int = 0) -> Work:
    """Memory for growing trees of at most `max_leaves` leaves. Stumps of all rows have no lists of their own."""
    n, n_columns, n_nodes = dataset.n_rows, dataset.n_columns, 2 * max_leaves
    return Work(
        nodes=records(n_nodes, NODE),
        state=records(1, STATE),
        below=np.empty(n_nodes, np.int64),
        above=np.empty(n_nodes, np.int64),
        rows=aligned((2, n), np.int32),
        lists=aligned((n_columns if max_leaves > 2 or draws_rows else 0, n), np.uint64),
        side=np.empty(n, np.uint8),
        spare=np.empty((n_threads, n), np.uint64),
        cuts=np.empty((n_threads, 4, BLOCK), np.int64),
        scores=np.empty((n_threads, BLOCK)),
        desks=records(n_threads, DESK),
        best=records((n_threads, 3), CANDIDATE),
        heap=np.empty(2 * max_leaves, np.int64),
        cursor=np.zeros(1, np.int64),
        allowed=np.ones((2, n_columns), np.uint8),
        order=np.empty(n_columns, np.int64),
        groups=np.ones((n_nodes, n_groups), np.uint8),
        pieces=np.empty(max_leaves, np.int64),
        leaf_of_row=np.empty(n, np.uint16 if max_leaves < 1 << 16 else np.uint32),
        leaf_values=np.empty((n_threads, max_leaves)),
        leaf_sums=np.empty(2 * max_leaves, np.int64),
    )


def make_rows(
    chosen: np.ndarray,
    derivatives: np.ndarray,
    counts: np.ndarray | None,
    total_count: int,
    largest: tuple[float, float],
    finest: float,
    unit_hessians: bool,
    team: Team,
) -> Rows:
    """The rows of a tree, that count `total_count` in all.

    `derivatives` are float64 (all rows, 2), `largest` their largest gradient and hessian, none of which is worth
    telling apart from another by less than `finest`. Where all hessians are 1 they are not looked at, unless rows are
    repeated.
    """
    bits = _SUM_BITS - total_count.bit_length()
    gradient, hessian = (scale_exponent(one, bits) for one in largest)
    if finest > 0.0:
        gradient = min(gradient, 1 - math.frexp(finest)[1])
    paired = None if unit_hessians and counts is None else True
    hessian = 0 if unit_hessians else hessian
    scales = math.ldexp(1.0, gradient), math.ldexp(1.0, hessian)
    amounts = np.empty((1 if paired is None else 2) * len(derivatives), np.int64)
    times = np.empty(0, np.int64) if counts is None else counts
    team.run(_make_whole, derivatives.reshape(-1), scales, times, amounts)
    some = amounts.reshape(len(derivatives), -1)
    some = some[chosen] if len(chosen) else some
    sums = some.sum(axis=0).tolist()
    n = len(some)
    return Rows(
        chosen=chosen,
        n=n,
        amounts=amounts,
        paired=paired,
        counts=counts,
        fields=_make_fields(1.0 / scales[0], 1.0 / scales[1]),
        noise=0.0 if unit_hessians else 1.0 / scales[1],
        gradient=sums[0],
        hessian=n if paired is None else sums[1],
        count=total_count,
    )


@kernel
def _make_whole(rank, size, sync, derivatives, scales, counts, amounts):
    """Gradients, and hessians if there is room for them, as whole numbers, as often as their rows count."""
    n_rows = derivatives.size // 2
    paired = amounts.size > n_rows
    while True:
        begin = next_chunk(sync) * _CHUNK
        if begin >= n_rows:
            return
        for i in range(begin, min(n_rows, begin + _CHUNK)):
            times = counts[i] if counts.size else np.int64(1)
            gradient = times * np.int64(np.floor(derivatives[2 * i] * scales[0] + 0.5))
            if paired:
                amounts[2 * i] = gradient
                amounts[2 * i + 1] = times * np.int64(np.floor(derivatives[2 * i + 1] * scales[1] + 0.5))
            else:
                amounts[i] = gradient


def _make_fields(gradient_unit: float, hessian_unit: float) -> Fields:
    """Units; nothing is packed."""
    return Fields(
        count_bits=0,
        gradient_shift=0,
        count_mask=0,
        hessian_mask=0,
        block_rows=0,
        gradient_scale=1.0 / gradient_unit,
        hessian_scale=1.0 / hessian_unit,
        gradient_unit=gradient_unit,
        hessian_unit=hessian_unit,
        fine_gradient_scale=1.0 / gradient_unit,
        fine_hessian_scale=1.0 / hessian_unit,
        fine_gradient_unit=gradient_unit,
        fine_hessian_unit=hessian_unit,
        dither=False,
        is_far=False,
        most_gradient=0.0,
        most_hessian=0.0,
        coarseness=0.0,
    )
