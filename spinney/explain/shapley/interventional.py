"""SHAP values against many background rows, in a time that does not grow with their number times that of the rows.

In: a `Program`, rows and background rows in tiles. Out: contributions of columns.

On the way to a leaf a row either meets all questions about a column or it does not: a pattern of bits, one per column
of the way. All that a leaf adds to a row's values depends on this pattern and on how many background rows have which
pattern. So those are counted, and a table is made of what every pattern gets:

    R[x] = sum over patterns b of count[b] * product over columns (t x_i + u b_i)     at each point t, u = 1 - t
    value of column i:  x_i = 0: -R[x] / u        x_i = 1: (R[x] - R[x without i] / u) / t

R is found bit by bit, as fast transforms are. Then each row looks its patterns up.

These are the integrals of quadrature.py with o = x and p = b, added up over background rows: where x_i = 0, only rows
with b_i = 1 count, and (x_i - b_i) / A_i = -1 / u; where x_i = 1, only those with b_i = 0, and it is 1 / t. With k
columns on a path each point of a table takes about k 2^k steps, whatever the number of rows: hence the limit
`MOST_BITS`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk, stop_wanted
from spinney.explain.shapley.nodes import Program, answer
from spinney.explain.shapley.quadrature import LANES, Points
from spinney.tree.forest import ends_of

MOST_BITS = 14  # columns on a path
_NUMBERS = 1 << 18  # of tables that are made at a time


class Leaves(NamedTuple):
    """All leaves of a program, in order."""

    entry: np.ndarray  # int64: where it is in the program
    n_bits: np.ndarray  # int64: columns on its path
    column_at: np.ndarray  # int64, and one more: where these begin in `columns`
    columns: np.ndarray  # int64
    table_at: np.ndarray  # int64, and one more: where its table begins
    first: np.ndarray  # int64, per tree and one more


class Desk(NamedTuple):
    """What threads work with."""

    bits: np.ndarray  # uint32 (threads, levels, LANES): patterns on the way down
    answers: np.ndarray  # uint32 (threads, levels, LANES): 1 for yes
    open: np.ndarray  # int64 (threads, levels, 2): the question of a level, the bit of its column
    found: np.ndarray  # uint32 (threads, leaves of a tree, LANES): patterns in leaves
    sums: np.ndarray  # float64 (threads, 2, 2**bits)


def read_leaves(program: Program) -> Leaves:
    """Which columns are tested on the path to each leaf."""
    entry = np.flatnonzero(program.entries["column"] < 0)
    n_bits = np.empty(len(entry), np.int64)
    levels = int(program.depth.max(initial=0)) + 1
    columns = np.empty(len(entry) * min(levels, len(program.columns)), np.int64)
    n = _list_columns(program, n_bits, columns, np.empty(levels, np.int64))
    first = np.searchsorted(entry, program.first)
    table_at = ends_of(n_bits << n_bits)
    return Leaves(entry, n_bits, ends_of(n_bits), columns[:n].copy(), table_at, first.astype(np.int64))


@kernel
def _list_columns(program, n_bits, columns, open_at):
    """`Leaves.n_bits` and `columns`; returns how many there are of the latter."""
    leaf = n = 0
    for at in range(program.entries.size):
        entry = program.entries[at]
        if entry.column >= 0:
            open_at[entry.level] = at
            continue
        begin = n
        for level in range(entry.level):
            asked = program.entries[open_at[level]]
            if asked.above < 0:
                columns[n] = asked.column
                n += 1
        n_bits[leaf] = n - begin
        leaf += 1
    return n


def work_of_tables(leaves: Leaves) -> float:
    """Multiplications that it takes to make them."""
    return float((leaves.n_bits * np.diff(leaves.table_at)).sum())


def add_by_patterns(
    program: Program,
    points: Points,
    leaves: Leaves,
    values: np.ndarray,
    background: np.ndarray,
    n_background: int,
    tiles: np.ndarray,
    out: np.ndarray,
    team: Team,
) -> None:
    """out[row, column, output] += contributions against the rows of `background`, which is in tiles, too.

    `values` as in `add_contributions` of quadrature.py; the number of outputs is that of `out`.
    """
    levels, n_trees = int(program.depth.max(initial=0)) + 2, len(program.first) - 1
    most = int(np.diff(leaves.first).max(initial=1))
    desk = Desk(
        np.empty((team.size, levels, LANES), np.uint32),
        np.empty((team.size, levels, LANES), np.uint32),
        np.empty((team.size, levels, 2), np.int64),
        np.empty((team.size, most, LANES), np.uint32),
        np.empty((team.size, 2, 1 << int(leaves.n_bits.max(initial=0)))),
    )
    found = np.empty((team.size, out.shape[2] * len(program.columns) * LANES))
    ends = leaves.table_at[leaves.first]  # of the trees' tables
    tree = 0
    while tree < n_trees:
        last = max(tree + 1, int(np.searchsorted(ends, ends[tree] + _NUMBERS, side="right")) - 1)
        tables = np.zeros(int(ends[last] - ends[tree]))
        some = np.array([tree, last, ends[tree]])
        team.run(_make_tables, program, points, leaves, background, n_background, some, desk, tables)
        team.run(_look_up, program, leaves, values, tiles, some, desk, tables, found, out)
        tree = last


@kernel
def _make_tables(rank, size, sync, program, points, leaves, background, n_background, some, desk, tables):
    """Counts of patterns first, where each leaf's table begins; then the tables."""
    while True:
        tree = some[0] + next_chunk(sync)
        if tree >= some[1] or stop_wanted(sync):
            return
        first, last = leaves.first[tree], leaves.first[tree + 1]
        for number in range(background.shape[0]):
            _find_patterns(program, tree, background[number], desk, rank)
            for leaf in range(first, last):
                begin, mine = leaves.table_at[leaf] - some[2], desk.found[rank, leaf - first]
                for lane in range(min(LANES, n_background - number * LANES)):
                    if leaves.n_bits[leaf] > 0:
                        tables[begin + np.int64(mine[lane])] += 1.0
        n = points.n[tree]
        known = points.points[points.first[tree] : points.first[tree] + 3 * n]
        for leaf in range(first, last):
            bits = leaves.n_bits[leaf]
            table = tables[leaves.table_at[leaf] - some[2] : leaves.table_at[leaf + 1] - some[2]]
            _transform(table, bits, known, n, n_background, desk.sums[rank, 0], desk.sums[rank, 1])


@inner_kernel
def _transform(table, n_bits, known, n, n_background, counts, sums):
    """From counts (the first numbers of the table) to what each pattern gets, column by column."""
    if n_bits == 0:
        return
    size = np.int64(1) << n_bits
    for x in range(size):
        counts[x] = table[x] / n_background
    for x in range(table.size):
        table[x] = 0.0
    for k in range(n):
        t, u, weight = known[k], known[n + k], known[2 * n + k]
        for x in range(size):
            sums[x] = counts[x]
        for bit in range(n_bits):
            _turn(sums, size, np.int64(1) << bit, t, u)
        for bit in range(n_bits):
            _share(table[bit * size : (bit + 1) * size], sums, np.int64(1) << bit, weight, t, u)


@inner_kernel
def _turn(sums, size, step, t, u):
    """One column of the transform."""
    # x_i = 1:  t for b_i = 0, t + u = 1 for b_i = 1          x_i = 0:  0 for b_i = 0, u for b_i = 1
    for begin in range(0, size, 2 * step):
        for x in range(begin, begin + step):
            other = sums[x + step]
            sums[x + step] = t * sums[x] + other
            sums[x] = u * other


@inner_kernel
def _share(mine, sums, step, weight, t, u):
    """What a column gets at one point."""
    by_t, by_u = weight / t, weight / u
    for begin in range(0, mine.size, 2 * step):
        for x in range(begin, begin + step):
            mine[x] -= by_u * sums[x]
            mine[x + step] += by_t * (sums[x + step] - sums[x] / u)


@inner_kernel
def _find_patterns(program, tree, tile, desk, rank):
    """desk.found[rank, leaf]: the patterns of a tile of rows in the leaves of a tree."""
    entries = program.entries
    leaf = 0
    for lane in range(LANES):
        desk.bits[rank, 0, lane] = 0
    for at in range(program.first[tree], program.first[tree + 1]):
        entry = entries[at]
        level = np.int64(entry.level)
        mine = desk.bits[rank, level]
        if level > 0:
            before, told = desk.bits[rank, level - 1], desk.answers[rank, level - 1]
            _step_down(entries, at, level, mine, before, told, desk.open[rank])
        if entry.column < 0:
            for lane in range(LANES):
                desk.found[rank, leaf, lane] = mine[lane]
            leaf += 1
            continue
        place = np.int64(entry.column) * LANES
        told = desk.answers[rank, level]
        for lane in range(LANES):
            told[lane] = np.uint32(answer(entry, program.sets, tile[place + lane]))
        _number(entries, at, level, desk.open[rank])


@inner_kernel
def _number(entries, at, level, open_at):
    """Which bit the column of a question has: a new one, or that of the question above."""
    open_at[level, 0] = at
    above = np.int64(entries[at].above)
    if above >= 0:
        open_at[level, 1] = open_at[above, 1]
        return
    n = 0
    for other in range(level):
        n += entries[open_at[other, 0]].above < 0
    open_at[level, 1] = n


@inner_kernel
def _step_down(entries, at, level, mine, before, told, open_at):
    """The patterns at an entry, from those of the question above it and the answers there."""
    # a bit is the `and` of all answers about its column: the first question sets it, further ones can only clear it
    asked = open_at[level - 1, 0]
    bit = np.uint32(open_at[level - 1, 1])
    turned = np.uint32(0) if at == asked + 1 else np.uint32(1)
    if entries[asked].above < 0:
        for lane in range(LANES):
            mine[lane] = before[lane] | ((told[lane] ^ turned) << bit)
    else:
        for lane in range(LANES):
            mine[lane] = before[lane] & ~((np.uint32(1) ^ told[lane] ^ turned) << bit)


@kernel
def _look_up(rank, size, sync, program, leaves, values, tiles, some, desk, tables, found, out):
    n_columns, n_outputs = program.columns.size, out.shape[2]
    width, mine = values.shape[1], found[rank]
    while True:
        number = next_chunk(sync)
        if number >= tiles.shape[0] or stop_wanted(sync):
            return
        mine[:] = 0.0
        for tree in range(some[0], some[1]):
            _find_patterns(program, tree, tiles[number], desk, rank)
            shift = tree % n_outputs if width == 1 else 0
            first = leaves.first[tree]
            for leaf in range(first, leaves.first[tree + 1]):
                patterns, bits = desk.found[rank, leaf - first], leaves.n_bits[leaf]
                for k in range(bits):
                    begin = leaves.table_at[leaf] - some[2] + (k << bits)
                    column = leaves.columns[leaves.column_at[leaf] + k]
                    for output in range(width):
                        value = values[program.entries[leaves.entry[leaf]].place, output]
                        place = ((shift + output) * n_columns + column) * LANES
                        for lane in range(LANES):
                            mine[place + lane] += value * tables[begin + np.int64(patterns[lane])]
        for lane in range(min(LANES, out.shape[0] - number * LANES)):
            row = out[number * LANES + lane]
            for column in range(n_columns):
                for output in range(n_outputs):
                    row[column, output] += mine[(output * n_columns + column) * LANES + lane]
