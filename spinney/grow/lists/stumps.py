"""Stumps of two classes, many from one large table: of most of a list only sums are needed.

Every sorted list is cut into blocks of equal length, and a row has a code a column: twice the number of its block, plus
its class. Known values are in the blocks 0 .. 126, missing ones in block 127. The codes are made once.

    list of a column      [ ......... | ......... | ......... | ... ]      blocks
    weights of a round       a0, a1      b0, b1      c0, c1                sums of both classes in each: a histogram

A cut inside block b leaves all of a on the left, and some of b: the weights of the two classes on the left lie in the
rectangle from (a0, a1) to (a0 + b0, a1 + b1). What a cut is worth is a convex function of these two, so no cut inside
is worth more than the best corner. A block whose corners are worth less than a cut that is known is passed over; any
other is walked entry by entry. The tree is the one that grower.py would grow, bit for bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, end_phases, finish_chunk, next_chunk, open_phase, take_chunk
from spinney.criteria.impurity import GINI, pair_score
from spinney.data.presort import RANK, Presorted
from spinney.grow.lists.entries import count_known, note, row_of
from spinney.grow.lists.grower import can_split
from spinney.grow.lists.partition import partition_lists
from spinney.grow.lists.settle import make_children, open_node, settle

_BLOCKS = 127  # of known values
CODES = 256
LANES = 8  # codes a word
_ROWS = 16_384  # rows that a thread adds up at a time
SUMS, SEARCH = range(2)  # the phases; in the second, state.n_open is the column that was searched before it
_NEVER = -math.inf
_ROOT = np.int64(0)
_BYTE = np.uint64(255)


class Blocks(NamedTuple):
    """The codes of a table and its classes."""

    codes: np.ndarray  # uint64 (groups of eight columns, rows): a byte a column
    known: np.ndarray  # int64: entries of each list that are not missing
    length: np.ndarray  # int64: entries a block, by column


def make_blocks(presorted: Presorted, label: np.ndarray, team: Team) -> Blocks:
    """Cut all lists into blocks; `label` is 0 or 1 for each row."""
    n_columns = presorted.n_columns
    codes = np.zeros((-(-n_columns // LANES), presorted.n_rows, LANES), np.uint8)
    known, length = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    team.run(_fill_codes, presorted.lists, label, codes, known, length)
    return Blocks(codes.view(np.uint64)[:, :, 0], known, length)


@kernel
def _fill_codes(rank, size, sync, lists, label, codes, known, length):
    while True:
        j = next_chunk(sync)
        if j >= known.size:
            return
        entries, group = lists[j], codes[j // LANES]
        known[j] = count_known(entries)
        length[j] = max(np.int64(1), (known[j] + _BLOCKS - 1) // _BLOCKS)
        for i in range(entries.size):
            row = row_of(entries[i])
            block = i // length[j] if i < known[j] else np.int64(_BLOCKS)
            group[row, j % LANES] = 2 * block + label[row]


@kernel
def grow_stump(rank, size, sync, columns, statistics, criterion, rules, work, blocks, sums):
    """Grow one stump into work.nodes; returns how many nodes. `sums`: zeros (threads, columns of all groups, codes)."""
    columns, statistics, rules, work, blocks = (
        refer(columns),
        refer(statistics),
        refer(rules),
        refer(work),
        refer(blocks),
    )
    state, n_rows = work.state[0], blocks.codes.shape[1]
    n_pieces = (n_rows + _ROWS - 1) // _ROWS
    if rank == 0:
        state.phase = SUMS
        open_phase(sync, blocks.codes.shape[0] * n_pieces)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return work.n_nodes[0]
        if state.phase == SUMS:
            group, begin = chunk // n_pieces, chunk % n_pieces * _ROWS
            piece, lanes = slice(begin, min(begin + _ROWS, n_rows)), slice(LANES * group, LANES * (group + 1))
            _add_up(blocks.codes[group, piece], statistics.weight[piece], sums[rank, lanes])
        elif chunk != state.n_open:
            least = work.candidates[0, state.n_open].score
            _search_column(statistics, criterion, rules, work, blocks, sums[0], chunk, least)
        if finish_chunk(sync):
            if state.phase == SUMS and _begin_search(statistics, criterion, rules, work, blocks, sums):
                state.phase = SEARCH
                open_phase(sync, work.candidates.shape[1])
            else:
                if state.phase == SEARCH:
                    _finish(rank, columns, statistics, criterion, rules, work)
                end_phases(sync)


@inner_kernel
def _add_up(codes, weight, sums):
    """sums[lane, code] += weight, for eight lanes."""
    for i in range(codes.size):
        word, w = codes[i], weight[i]
        for lane in range(LANES):
            sums[lane, np.int64((word >> np.uint64(8 * lane)) & _BYTE)] += w


@inner_kernel
def _begin_search(statistics, criterion, rules, work, blocks, sums):
    """Between the phases, by one thread: the root, and the column that promises most. False if it cannot be split."""
    rows, root, total = work.lists[-1], work.nodes[_ROOT], work.totals[0]
    for i in range(rows.size):
        rows[i] = (np.uint64(i) << RANK) | np.uint64(i)
    open_node(work, _ROOT, _ROOT, rows.size, _ROOT, rules.seed)
    root.lower, root.upper = -np.inf, np.inf
    if not can_split(statistics, rules, rows.size):
        return False
    for thread in range(1, sums.shape[0]):
        for j in range(sums.shape[1]):
            for code in range(CODES):
                sums[0, j, code] += sums[thread, j, code]
    total[:] = 0
    for code in range(CODES):
        total[0] += sums[0, 0, code]
        total[1] += sums[0, 0, code] if code % 2 else 0
    promising, promise = np.int64(0), _NEVER
    for j in range(work.candidates.shape[1]):
        work.candidates[0, j].score = _NEVER
        most = _promise(statistics.logs, criterion, total, sums[0, j])
        if most > promise:
            promising, promise = np.int64(j), most
    _search_column(statistics, criterion, rules, work, blocks, sums[0], promising, _NEVER)
    work.open[0], work.state[0].n_open = _ROOT, promising
    return True


@inner_kernel
def _finish(rank, columns, statistics, criterion, rules, work):
    """After the search, by one thread: pick the column, mark the sides, make the children."""
    if settle(rank, columns, statistics, criterion, rules, work, 0, work.nodes[_ROOT]):
        make_children(rules, work, _ROOT)
        partition_lists(rank, work, work.nodes[_ROOT], work.candidates.shape[1], work.lists.shape[0])


@inner_kernel
def _promise(logs, criterion, total, sums):
    """The largest worth of a cut between two blocks, legal or not: where to look first."""
    zeros, ones, most = np.int64(0), np.int64(0), _NEVER
    for b in range(_BLOCKS):
        zeros += sums[2 * b]
        ones += sums[2 * b + 1]
        most = max(most, _worth(criterion, zeros, ones, total, logs))
    return most


@inner_kernel
def _search_column(statistics, criterion, rules, work, blocks, sums, j, least):
    """Walk the blocks of a column in which there may be a cut worth at least `least`, and more than the best so far.

    What is found is the column's best cut if that is worth `least`: so the best of all is never missed.
    """
    entries, best, total = work.lists[j], work.candidates[0, j], work.totals[0]
    n, known, length, column = entries.size, blocks.known[j], blocks.length[j], sums[j]
    slack = _slack(criterion, total)
    for missing_left in range(2 if known < n else 1):
        zeros, ones = np.int64(0), np.int64(0)
        if missing_left:
            zeros, ones = column[2 * _BLOCKS], column[2 * _BLOCKS + 1]
        for b in range((known + length - 1) // length):
            bound = _bound(criterion, zeros, ones, column[2 * b], column[2 * b + 1], total, statistics.logs)
            if bound + slack >= max(least, best.score):
                begin, end = b * length, min((b + 1) * length, known)
                if end == known and known < n and not missing_left:
                    end += 1  # the cut between all known values and the missing ones
                _walk(
                    statistics, criterion, rules, entries, begin, end, zeros, ones, n - known, missing_left, total, best
                )
            zeros += column[2 * b]
            ones += column[2 * b + 1]


@inner_kernel
def _slack(criterion, total):
    """More than rounding can change a worth by."""
    weight = float(total[0])
    return 1e-14 * weight * weight if criterion == GINI else 1e-10 * weight + 1e-6


@inner_kernel
def _bound(criterion, zeros, ones, more_zeros, more_ones, total, logs):
    """The worth of the rectangle's best corner."""
    low = max(_worth(criterion, zeros, ones, total, logs), _worth(criterion, zeros + more_zeros, ones, total, logs))
    high = max(
        _worth(criterion, zeros, ones + more_ones, total, logs),
        _worth(criterion, zeros + more_zeros, ones + more_ones, total, logs),
    )
    return max(low, high)


@inner_kernel
def _worth(criterion, zeros, ones, total, logs):
    """What a cut with these weights on the left is worth, with nothing on one side too."""
    weight = zeros + ones
    if criterion == GINI and (weight <= 0 or weight >= total[0]):
        return 0.0
    return pair_score(criterion, weight, ones, total[0] - weight, total[1] - ones, logs)


@inner_kernel
def _walk(statistics, criterion, rules, entries, begin, end, zeros, ones, n_missing, missing_left, total, best):
    """Try the cuts before the entries begin .. end; `zeros` and `ones`: the classes' weights to the left of these."""
    weight, amount, extra = zeros + ones, ones, n_missing if missing_left else np.int64(0)
    least_rows, least_weight = rules.min_leaf, rules.min_weight
    last = min(entries.size - least_rows - extra, entries.size - 1)
    for at in range(begin, end):
        entry = entries[at]
        if at > 0 and at <= last and at + extra >= least_rows and entry >> RANK != entries[at - 1] >> RANK:
            if weight >= least_weight and total[0] - weight >= least_weight:
                score = pair_score(criterion, weight, amount, total[0] - weight, total[1] - amount, statistics.logs)
                if score > best.score:
                    note(best, score, np.int64(at), missing_left, at + extra, weight)
        row = row_of(entry)
        weight += statistics.weight[row]
        amount += statistics.amount[row]
