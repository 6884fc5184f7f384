"""Stumps of two classes, many from one large table: of most of a list only sums are needed.

Every sorted list is cut into blocks of equal length, and a row has a code per column: twice the number of its block,
plus its class. Known values are in the blocks 0 .. 126, missing ones in block 127. The codes are made once.

    list of a column      [ ......... | ......... | ......... | ... ]      blocks
    weights of a round       a0, a1      b0, b1      c0, c1                sums of both classes in each: a histogram

A cut inside block b leaves all of a on the left, and some of b: the weights of the two classes on the left lie in the
rectangle from (a0, a1) to (a0 + b0, a1 + b1):

    weight of class 1
       ^    (a0, a1 + b1)  + - - - - - .---+  (a0 + b0, a1 + b1)    after the block
       |                   |     .-----'   |
       |                   |  .--'         |      a walk down the block is some staircase from one corner to the other
       |         (a0, a1)  +--' - - - - - -+  (a0 + b0, a1)         before the block
       +-----------------------------------------------> weight of class 0

The score of a cut is a convex function of these two, and a convex function on a rectangle is largest in a corner. So no
cut inside has a higher score than the best corner, its bound. A block whose bound is less than the score of a known cut
is skipped; any other is walked entry by entry. The tree is the one that grower.py would grow, bit for bit.

A round, one call that a team enters together
    total        by rows: the sum of the weights as they change after the round before (left out in the first one)
    sums         by rows: new weights, so that they add up to 1; the histograms, each thread into its own
    bounds       by columns: the threads' histograms added up; every block's bound, and the best cut between two blocks
    walk         by blocks, those of large bounds first: the best cut in each
    sides        by rows: who goes left; the largest weight of every kind, which the next change of weights begins with

The kind of a row is 2 * side + class, side being 1 on the left: rows of one kind are treated alike when weights change.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, end_phases, finish_chunk, next_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.fixed_point import scale_exponent
from spinney.criteria.impurity import (
    ENTROPY,
    ERROR,
    GINI,
    OF_CLASSES,
    check_branches,
    class_impurity,
    pair_decrease,
    pair_score,
)
from spinney.data.presort import RANK, ROW, Presorted
from spinney.data.target import Target
from spinney.grow.exact.freeze import GrownTree, between
from spinney.grow.exact.memory import Sorted
from spinney.grow.exact.partition import count_known, row_of
from spinney.grow.exact.search import sort_by_key
from spinney.grow.rules import TreeSettings, larger_side, takes_enough
from spinney.grow.targets import make_statistics
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import MISSING_LEFT, Forest, small

# ----------------------------------------------------------------------------------------------------------------------
# Memory: blocks of sorted lists and the codes of rows, weights, and the memory of a round.


BLOCKS = 127  # of known values
CODES = 256
LANES = 8  # codes a word
_LINE = 8  # numbers a cache line

CUT = np.dtype(
    [
        ("score", np.float64),  # -inf: none
        ("column", np.int64),
        ("missing_left", np.int64),
        ("position", np.int64),  # entries of the column's list that go left,
        ("n_left", np.int64),  # and missing ones, if they do
        ("weight", np.int64),  # on the left
        ("amount", np.int64),  # of it the second class
        ("room", np.int64),  # a cache line for each thread
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("phase", np.int64),
        ("n_chunks", np.int64),
        ("weight", np.int64),  # of all rows,
        ("amount", np.int64),  # of the second class
        ("shift", np.int64),  # of weights of rows: bits by which sums are larger
        ("unit", np.float64),  # of sums
        ("min_weight", np.int64),
        ("divisor", np.float64),  # what changed weights are divided by
        ("least", np.float64),  # a cut between two blocks is worth this
        ("block", np.int64),  # that is cut in two
        ("is_split", np.int64),
    ],
    align=True,
)


class Blocks(NamedTuple):
    """The sorted lists of a table, and the codes of its rows and their classes."""

    lists: np.ndarray
    codes: np.ndarray  # uint64 (groups of eight columns, rows): a byte a column
    known: np.ndarray  # int64: entries of each list that are not missing
    length: np.ndarray  # int64: entries a block, by column


class StumpRows(NamedTuple):
    """What rounds change."""

    weight: np.ndarray  # int64
    repeats: np.ndarray  # float64: rows that a row stands for; empty: one each
    kind: np.ndarray  # uint8


class StumpWorkspace(NamedTuple):
    """Memory of a round."""

    sums: np.ndarray  # int64 (threads, columns of all groups, codes); zeros between the rounds
    columns: np.ndarray  # int64 (columns, codes): the same of all threads
    bounds: np.ndarray  # float64, by block and column, then the same with missing values on the left; negative
    order: np.ndarray  # int64 (2, blocks): blocks that are walked, and room to sort them
    least: np.ndarray  # float64, by column: the best cut between two blocks
    cuts: Any  # CUT records: each thread's best
    parts: np.ndarray  # int64 (threads, _LINE): sums of weights
    most: np.ndarray  # float64 (threads, _LINE): largest weight of one repetition, by kind
    state: Any  # one STATE record


class StumpRules(NamedTuple):
    criterion: int
    may_split: bool
    min_leaf: int
    min_weight: float  # of a leaf; negative: so large a share of the whole
    min_decrease: float
    unit: float  # of the rows' weights
    scaled: bool  # whether sums are brought to 52 bits: the form that weights of other trees have


class WeightChange(NamedTuple):
    """How weights change before a round."""

    factor: np.ndarray  # float64, by kind; empty: they stay as they are
    scale: float  # a power of two: of weights, when they are added up


def make_blocks(presorted: Presorted, label: np.ndarray, team: Team) -> Blocks:
    """Cut all lists into blocks; `label` is 0 or 1 for each row."""
    n_columns = presorted.n_columns
    codes = np.zeros((-(-n_columns // LANES), presorted.n_rows, LANES), np.uint8)
    known, length = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    team.run(_fill_codes, presorted.lists, label, codes, known, length)
    return Blocks(presorted.lists, codes.view(np.uint64)[:, :, 0], known, length)


def make_desk(blocks: Blocks, n_threads: int) -> StumpWorkspace:
    """Memory for rounds of these blocks."""
    n_columns, n_blocks = len(blocks.known), 2 * len(blocks.known) * BLOCKS
    return StumpWorkspace(
        sums=np.zeros((n_threads, LANES * len(blocks.codes), CODES), np.int64),
        columns=np.empty((n_columns, CODES), np.int64),
        bounds=np.empty(n_blocks),
        order=np.empty((2, n_blocks), np.int64),
        least=np.empty(n_columns),
        cuts=np.zeros(n_threads, CUT),
        parts=np.zeros((n_threads, _LINE), np.int64),
        most=np.zeros((n_threads, _LINE)),
        state=np.zeros(1, STATE),
    )


@kernel
def _fill_codes(rank, size, sync, lists, label, codes, known, length):
    while True:
        j = next_chunk(sync)
        if j >= known.size:
            return
        entries, group = lists[j], codes[j // LANES]
        known[j] = count_known(entries)
        length[j] = max(np.int64(1), (known[j] + BLOCKS - 1) // BLOCKS)
        for i in range(entries.size):
            row = row_of(entries[i])
            block = i // length[j] if i < known[j] else np.int64(BLOCKS)
            group[row, j % LANES] = 2 * block + label[row]


KINDS = 4
UNIT = 2.0**-50  # of weights that change
_BITS = 52  # of a sum of weights in whole numbers: a float64 holds it exactly
_ROWS = 2048  # rows that a thread adds up at a time: their weights stay in its first-level cache
_TOTAL, _SUMS, _BOUNDS, _WALK, _SIDES, _DONE = range(6)  # the phases
_NEVER = -math.inf
_BYTE = np.uint64(255)
_ONE = np.int64(1)


# --- the loop ---------------------------------------------------------------------------------------------------------


@kernel
def grow_stump(rank, size, sync, blocks, rows, desk, rules, logs, change):
    """One round: the best cut into desk.cuts[0], whether it is made into desk.state, the largest weight of each kind of
    row into desk.most[0]."""
    blocks, rows, desk, rules, change = refer(blocks), refer(rows), refer(desk), refer(rules), refer(change)
    state, n_rows = desk.state[0], rows.weight.size
    if rank == 0:
        desk.parts[:] = 0
        desk.most[:] = 0.0
        state.phase, state.n_chunks = _TOTAL if change.factor.size else _SUMS, (n_rows + _ROWS - 1) // _ROWS
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return
        begin, end = chunk * _ROWS, min((chunk + 1) * _ROWS, n_rows)
        if state.phase == _TOTAL:
            _add_changed(rows, change, begin, end, desk.parts[rank])
        elif state.phase == _SUMS:
            _add_up(blocks.codes, rows, change, state.divisor, begin, end, desk.sums[rank], desk.parts[rank])
        elif state.phase == _BOUNDS:
            _find_bounds(blocks, desk, rules, logs, chunk)
        elif state.phase == _WALK:
            _walk_block(blocks, rows, desk, rules, logs, desk.order[0, chunk], desk.cuts[rank])
        else:
            _send(blocks.codes, rows, desk.cuts[0], state, begin, end, desk.most[rank])
        if finish_chunk(sync):
            _go_on(blocks, rows, desk, rules, logs, change)
            if state.phase == _DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


@inner_kernel
def _go_on(blocks, rows, desk, rules, logs, change):
    """What one thread does between two phases; sets the next one."""
    state, n_rows = desk.state[0], rows.weight.size
    if state.phase == _TOTAL:
        total = _add_parts(desk.parts, 0)
        state.divisor = float(total) * (1.0 / change.scale) * UNIT
        desk.parts[:] = 0
        state.phase = _SUMS
    elif state.phase == _SUMS:
        _measure(desk, rules)
        state.phase, state.n_chunks = _BOUNDS, blocks.known.size
    elif state.phase == _BOUNDS:
        state.n_chunks = _list_blocks(desk, rules) if rules.may_split and 0 < state.amount < state.weight else 0
        state.phase = _WALK
    elif state.phase == _SIDES:
        for kind in range(KINDS):
            for rank in range(1, desk.most.shape[0]):
                desk.most[0, kind] = max(desk.most[0, kind], desk.most[rank, kind])
        state.phase = _DONE
        return
    elif state.phase == _WALK:
        state.n_chunks = 0
    if state.phase == _WALK and state.n_chunks == 0:
        _settle(blocks, rows, desk, rules, logs)
        state.phase, state.n_chunks = _SIDES, (n_rows + _ROWS - 1) // _ROWS


@inner_kernel
def _add_parts(parts, which):
    total = np.int64(0)
    for rank in range(parts.shape[0]):
        total += parts[rank, which]
    return total


# --- rows -------------------------------------------------------------------------------------------------------------


@inner_kernel
def _one(weight, repeats, i):
    """What one repetition of a row weighs."""
    return float(weight[i]) * UNIT / repeats[i] if repeats.size else float(weight[i]) * UNIT


@inner_kernel
def _add_changed(rows, change, begin, end, parts):
    """Add up the weights of some rows as they will be, in whole numbers."""
    weight, repeats, kind = rows.weight, rows.repeats, rows.kind
    factor, scale, total = change.factor, change.scale, np.int64(0)
    for i in range(begin, end):
        times = np.int64(repeats[i]) if repeats.size else _ONE
        total += np.int64(np.rint(_one(weight, repeats, i) * factor[kind[i]] * scale)) * times
    parts[0] += total


@inner_kernel
def _add_up(codes, rows, change, divisor, begin, end, sums, parts):
    """New weights of some rows, and these added up: by code, and by class."""
    weight, repeats, kind = rows.weight[begin:end], rows.repeats, rows.kind[begin:end]
    if change.factor.size:
        factor, repeats = change.factor, repeats[begin:end]
        for i in range(weight.size):
            times = np.int64(repeats[i]) if repeats.size else _ONE
            one = np.rint(_one(weight, repeats, i) * factor[kind[i]] / divisor)
            weight[i] = np.int64(max(one, 1.0)) * times
    total, amount = np.int64(0), np.int64(0)
    for i in range(weight.size):
        total += weight[i]
        amount += weight[i] * np.int64(kind[i] & np.uint8(1))
    parts[0] += total
    parts[1] += amount
    for group in range(codes.shape[0]):
        _add_lanes(codes[group, begin:end], weight, sums[LANES * group : LANES * (group + 1)])


@inner_kernel
def _add_lanes(codes, weight, sums):
    """sums[lane, code] += weight, for eight lanes."""
    for i in range(codes.size):
        word, w = codes[i], weight[i]
        for lane in range(LANES):
            sums[lane, np.int64((word >> np.uint64(8 * lane)) & _BYTE)] += w


@inner_kernel
def _send(codes, rows, cut, state, begin, end, most):
    """Set the kinds of some rows. Those of the block that is cut in two have their sides already."""
    word, lane = codes[cut.column // LANES, begin:end], np.uint64(8 * (cut.column % LANES))
    weight, repeats, kind = rows.weight[begin:end], rows.repeats, rows.kind[begin:end]
    repeats = repeats[begin:end] if repeats.size else repeats
    cut_block, missing = state.block, cut.missing_left * state.is_split
    for i in range(kind.size):
        code = np.int64((word[i] >> lane) & _BYTE)
        block, label = code >> 1, code & 1
        side = np.int64(kind[i]) >> 1 if block == cut_block else np.int64(block < cut_block)
        if block == BLOCKS:
            side = missing
        kind[i] = np.uint8(2 * side + label)
        most[kind[i]] = max(most[kind[i]], _one(weight, repeats, i))


# --- columns and blocks -----------------------------------------------------------------------------------------------


@inner_kernel
def _measure(desk, rules):
    """The sums of all rows, and what follows from them."""
    state = desk.state[0]
    weight, amount = _add_parts(desk.parts, 0), _add_parts(desk.parts, 1)
    state.shift, state.unit = np.int64(0), rules.unit
    if rules.scaled:
        while weight << (state.shift + 1) < np.int64(1) << _BITS:
            state.shift += 1
            state.unit *= 0.5
    least = rules.min_weight if rules.min_weight >= 0.0 else -rules.min_weight * (float(weight) * rules.unit)
    state.min_weight = max(_ONE, np.int64(np.ceil(least / state.unit * (1.0 - 1e-12))))
    state.weight, state.amount = weight << state.shift, amount << state.shift


@inner_kernel
def _find_bounds(blocks, desk, rules, logs, j):
    """Add up the threads' histograms of a column, and find the bounds of its blocks and the best cut between two."""
    state, column = desk.state[0], desk.columns[j]
    for code in range(CODES):
        total = np.int64(0)
        for rank in range(desk.sums.shape[0]):
            total += desk.sums[rank, j, code]
            desk.sums[rank, j, code] = 0
        column[code] = total << state.shift
    entries, known, length = blocks.lists[j], blocks.known[j], blocks.length[j]
    desk.least[j] = _NEVER
    for missing_left in range(2):
        bounds = desk.bounds[(2 * j + missing_left) * BLOCKS : (2 * j + missing_left + 1) * BLOCKS]
        zeros, ones, extra = np.int64(0), np.int64(0), np.int64(0)
        if missing_left:
            zeros, ones, extra = column[2 * BLOCKS], column[2 * BLOCKS + 1], entries.size - known
        before = _worth(rules.criterion, zeros, ones, state, logs)
        for b in range(BLOCKS):
            bounds[b] = math.inf
            if b * length >= known or (missing_left and known == entries.size):
                continue
            if _is_cut(entries, b * length, extra, zeros + ones, rules, state):
                desk.least[j] = max(desk.least[j], before)
            more = ones + column[2 * b + 1]
            corner = _worth(rules.criterion, zeros, more, state, logs)
            zeros += column[2 * b]
            corner = max(corner, _worth(rules.criterion, zeros, ones, state, logs))
            ones = more
            after = _worth(rules.criterion, zeros, ones, state, logs)
            bounds[b] = -max(corner, before, after)
            before = after


@inner_kernel
def _worth(criterion, zeros, ones, state, logs):
    """The score of a cut with these weights on the left, also with nothing on one side."""
    weight = zeros + ones
    if criterion == GINI and (weight <= 0 or weight >= state.weight):
        return 0.0
    return pair_score(criterion, weight, ones, state.weight - weight, state.amount - ones, logs)


@inner_kernel
def _is_cut(entries, at, extra, weight, rules, state):
    """Whether a list can be cut before an entry; `extra` missing values go left with those before it."""
    n_left = at + extra
    fits = at > 0 and n_left >= rules.min_leaf and entries.size - n_left >= rules.min_leaf and n_left < entries.size
    fits = fits and weight >= state.min_weight and state.weight - weight >= state.min_weight
    return fits and entries[at] >> RANK != entries[at - 1] >> RANK


@inner_kernel
def _list_blocks(desk, rules):
    """Put the blocks that may hold the best cut in order, those of large bounds first; returns how many."""
    state, order, n_listed = desk.state[0], desk.order[0], 0
    state.least = _NEVER
    for j in range(desk.least.size):
        state.least = max(state.least, desk.least[j])
    slack = _slack(rules.criterion, state.weight)
    for k in range(desk.bounds.size):
        if slack - desk.bounds[k] >= state.least and desk.bounds[k] < math.inf:
            order[n_listed] = k
            n_listed += 1
    sort_by_key(order[:n_listed], desk.order[1, :n_listed], desk.bounds)
    for rank in range(desk.cuts.size):
        desk.cuts[rank].score = _NEVER
    return n_listed


check_branches("stumps._worth and _slack", OF_CLASSES, GINI, ENTROPY, ERROR)  # all are convex


@inner_kernel
def _slack(criterion, weight):
    """More than rounding can change a score by: without it a bound could lie below the best cut in its block."""
    total = float(weight)
    return 1e-14 * total * total if criterion == GINI else 1e-10 * total + 1e-6


@inner_kernel
def _walk_block(blocks, rows, desk, rules, logs, which, best):
    """Try the cuts before the entries of a block, unless a known one is better than all of them can be."""
    state = desk.state[0]
    known_best = state.least
    for rank in range(desk.cuts.size):  # other threads may be writing theirs: an older score skips less, never too much
        known_best = max(known_best, desk.cuts[rank].score)
    if _slack(rules.criterion, state.weight) - desk.bounds[which] < known_best:
        return
    j, missing_left, b = which // (2 * BLOCKS), which // BLOCKS % 2, which % BLOCKS
    entries, column, known = blocks.lists[j], desk.columns[j], blocks.known[j]
    weight, amount, extra = np.int64(0), np.int64(0), np.int64(0)
    if missing_left:
        weight, amount, extra = column[-2] + column[-1], column[-1], entries.size - known
    for k in range(b):
        weight += column[2 * k] + column[2 * k + 1]
        amount += column[2 * k + 1]
    begin, end = b * blocks.length[j], min((b + 1) * blocks.length[j], known)
    if end == known and known < entries.size and not missing_left:
        end += 1  # the cut between all known values and the missing ones
    for at in range(begin, end):
        if _is_cut(entries, at, extra, weight, rules, state):
            score = pair_score(rules.criterion, weight, amount, state.weight - weight, state.amount - amount, logs)
            if score >= best.score and (score > best.score or _comes_first(best, j, missing_left, at)):
                best.score, best.column, best.missing_left, best.position = score, j, missing_left, at
                best.n_left, best.weight, best.amount = at + extra, weight, amount
        row = row_of(entries[at])
        one = rows.weight[row] << state.shift
        weight += one
        amount += one * np.int64(rows.kind[row] & np.uint8(1))


@inner_kernel
def _comes_first(best, column, missing_left, position):
    """Whether a cut goes before another of the same score."""
    if column != best.column:
        return column < best.column
    if missing_left != best.missing_left:
        return missing_left < best.missing_left
    return position < best.position


@inner_kernel
def _settle(blocks, rows, desk, rules, logs):
    """The best cut of all, into desk.cuts[0]; whether it is made; the sides of rows of the block that it is in."""
    state, best = desk.state[0], desk.cuts[0]
    state.is_split, state.block = 0, -1
    if not (rules.may_split and 0 < state.amount < state.weight):
        best.score = _NEVER
    else:
        for rank in range(1, desk.cuts.size):
            one = desk.cuts[rank]
            is_first = _comes_first(best, one.column, one.missing_left, one.position)
            if one.score > best.score or (one.score == best.score and one.score > _NEVER and is_first):
                best.score, best.column, best.missing_left = one.score, one.column, one.missing_left
                best.position, best.n_left = one.position, one.n_left
                best.weight, best.amount = one.weight, one.amount
    if best.score == _NEVER:
        best.column = 0
        return
    total = float(state.weight) * state.unit
    fall = max(0.0, pair_decrease(rules.criterion, best.score, state.weight, state.amount, logs)) * total
    if not takes_enough(fall, rules.min_decrease, total):
        return
    state.is_split = 1
    length, known, entries = blocks.length[best.column], blocks.known[best.column], blocks.lists[best.column]
    if known == entries.size:
        best.missing_left = np.int64(larger_side(best.weight, state.weight))
    state.block = best.position // length
    for at in range(state.block * length, min((state.block + 1) * length, known)):
        row = row_of(entries[at])
        rows.kind[row] = np.uint8(2 * np.int64(at < best.position)) + (rows.kind[row] & np.uint8(1))


# ----------------------------------------------------------------------------------------------------------------------
# `Stumps`: one after the other from one sorted table.
#
# In:  sorted columns and the class of every row; then, for each stump, weights, or how they are to change.
# Out: trees, as grower.py would grow them.


_NO_LOGS = np.empty(0, np.int64)
_STAY = WeightChange(np.empty(0), 1.0)


class Stumps:
    """Grows stumps by blocks, which are made once."""

    def __init__(self, given: Sorted, label: np.ndarray, team: Team) -> None:
        self._given, self._presorted, self._team = given, given.presorted, team
        self._blocks = make_blocks(given.presorted, label, team)
        self._desk = make_desk(self._blocks, team.size)
        self.kind = label.astype(np.uint8)  # of every row, after a stump: 2 * (whether it went left) + class

    @property
    def most(self) -> np.ndarray:
        """The largest weight of one repetition of a row, by kind."""
        return self._desk.most[0, :KINDS]

    def grow(self, target: Target, settings: TreeSettings) -> GrownTree:
        """Grow a stump with the target's weights."""
        statistics, _, _ = make_statistics(target, settings.criterion, None)
        rows = StumpRows(statistics.weight.astype(np.int64), np.empty(0), self.kind)
        rules = self.rules(settings, settings.min_weight)._replace(unit=float(statistics.units[0]), scaled=False)
        tree = self.run(rows, rules, statistics.logs, _STAY)
        went_left = self.kind > 1
        order = np.concatenate([np.flatnonzero(went_left), np.flatnonzero(~went_left)])
        return GrownTree(tree, np.full(tree.n_nodes, -1), order)

    def rules(self, settings: TreeSettings, min_weight: float) -> StumpRules:
        """For `run`. A negative `min_weight` is a share."""
        n_rows, min_leaf = self._presorted.n_rows, max(1, settings.min_leaf)
        may_split = n_rows >= max(2, settings.min_split) and n_rows >= 2 * min_leaf
        return StumpRules(settings.criterion, may_split, min_leaf, min_weight, settings.min_decrease, UNIT, True)

    def run(self, rows: StumpRows, rules: StumpRules, logs: np.ndarray, change: WeightChange) -> DecisionTree:
        """Change the weights, and grow a stump."""
        self._team.run(grow_stump, self._blocks, rows, self._desk, rules, logs, change)
        state, cut = self._desk.state[0], self._desk.cuts[0]
        n, is_split = len(rows.weight), bool(state["is_split"])
        sums = [(state["weight"] - state["amount"], state["amount"])]
        if is_split:
            left = (cut["weight"] - cut["amount"], cut["amount"])
            sums += [left, (sums[0][0] - left[0], sums[0][1] - left[1])]
        answers = np.array(sums, np.float64)[:, None] * state["unit"]
        counts = [cut["n_left"], n - cut["n_left"]] if is_split else [n]
        return DecisionTree(
            Forest(
                n_columns=self._presorted.n_columns,
                n_classes=(2,),
                criterion=rules.criterion,
                bins=None,
                first=np.array([0, len(answers)]),
                size=small(np.array([3, 1, 1] if is_split else [1])),
                feature=small(np.full(int(is_split), cut["column"], np.uint32)),
                turn=np.full(int(is_split), cut["missing_left"], np.uint8) * np.uint8(MISSING_LEFT),
                answers=answers,
                n_samples=small(np.array(counts), np.uint32),
                threshold=np.array([self._threshold()] if is_split else [], np.float64),
                weight=answers.sum(axis=2)[:, 0],
                impurity=class_impurity(rules.criterion, answers),
            )
        )

    def _threshold(self) -> float:
        """That of the cut."""
        cut = self._desk.cuts[0]
        j, at = int(cut["column"]), int(cut["position"])
        entries, given = self._presorted.lists[j], self._given
        if at == self._blocks.known[j]:  # between known and missing values
            return np.inf
        if given.bins is not None:
            code = (int(entries[at - 1] >> RANK) + int(entries[at] >> RANK)) // 2
            return float(self._presorted.values[j, code])
        rows = (entries[at - 1 : at + 1] & ROW).astype(np.int64)
        values = given.table.column(j)[rows if given.rows is None else given.rows[rows]]
        return float(between(*(values.astype(np.float64) + 0.0)))


class StumpRounds:
    """Stumps with weights that change by the kinds of rows, from one stump to the next.

    Weights are whole multiples of `UNIT`, and add up to 1 but for rounding.
    """

    def __init__(self, stumps: Stumps, settings: TreeSettings, share: float, weights: np.ndarray, repeats: np.ndarray):
        """`share` of the weight must be in a leaf; `repeats` are whole numbers of at least 1."""
        self._stumps, self._rules = stumps, stumps.rules(settings, -share)
        self._n_rows = int(repeats.sum())
        whole = np.rint(weights / UNIT).astype(np.int64)
        self._rows = StumpRows(whole, np.empty(0) if (repeats == 1.0).all() else repeats, stumps.kind)
        self._change = _STAY

    def grow(self) -> DecisionTree:
        """The next stump."""
        return self._stumps.run(self._rows, self._rules, _NO_LOGS, self._change)

    def reweigh(self, change: np.ndarray) -> None:
        """Multiply the weights of rows before the next stump; `change` is for leaves, from the left, and classes."""
        factor = np.ascontiguousarray(change[::-1]).reshape(-1)  # right, left
        largest = float((self._stumps.most[: len(factor)] * factor).max())
        exponent = scale_exponent(largest, 61 - self._n_rows.bit_length(), 2000)
        self._change = WeightChange(factor, 2.0**exponent)
