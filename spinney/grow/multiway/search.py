"""What a question is worth: information gain and split information of one column in one node.

In: the node, and the column's runs (below). Out, in the desk: `gain`, bits per row that the column's best
question saves, negative if it has none; `info`, bits per row that it takes to tell the branch; and for numbers `low`
and `high`, the codes on either side of the cut. Missing values: entropy is that of the rows that have the value, times
their share of the node's weight; for the split information missing is one more branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.exp_log import log
from spinney.criteria.information import ROW, bits_per_row, term
from spinney.criteria.significance import cell

NO_GAIN = -1.0
_PER_LOG = 1.4426950408889634  # 1 / ln 2
_ALL, _LEFT_TERM, _RIGHT, _RIGHT_TERM = range(4)  # rows of desk.sums
_UNITS, _MIXED, _PARTNER, _RISE, _INTO, _GONE = range(6)  # rows of desk.groups; the last two by merger
_TIE = 1e-9  # gain ratios that differ by less are equal
_MOST_ASIDE = 25 * ROW  # C4.5: no side of a cut need be larger than that


@inner_kernel
def judge_column(columns, column, node, n_runs, rules, terms, desk):
    """Fill gain, info, low and high of one column."""
    desk.gain[column], desk.info[column] = NO_GAIN, 0.0
    known = _sum_classes(n_runs, desk)
    if columns.is_number[column]:
        _judge_cuts(column, node, n_runs, known, rules, terms, desk)
    elif rules.subset:
        _judge_groups(columns, column, node, n_runs, known, rules, terms, desk)
    else:
        _judge_categories(column, node, n_runs, known, rules, terms, desk)


@inner_kernel
def _sum_classes(n_runs, desk):
    """Weight of each class among the rows that have the value; returns that of all."""
    sums = desk.sums[_ALL]
    sums[:] = 0
    known = np.int64(0)
    for k in range(n_runs):
        sums[desk.run_class[k]] += desk.run_units[k]
        known += desk.run_units[k]
    return known


@inner_kernel
def _before(known, terms, desk):
    """Entropy times weight of the rows that have the value."""
    before = term(known, terms)
    for c in range(desk.sums.shape[1]):
        before -= term(desk.sums[_ALL, c], terms)
    return before


@inner_kernel
def _judge_categories(column, node, n_runs, known, rules, terms, desk):
    before = _before(known, terms, desk)
    after, sizes, n_large = np.int64(0), np.int64(0), 0
    sums = desk.sums[_RIGHT]
    sums[:] = 0
    begin = 0
    while begin < n_runs:
        end, units = begin, np.int64(0)
        while end < n_runs and desk.run_code[end] == desk.run_code[begin]:
            sums[desk.run_class[end]] += desk.run_units[end]
            units += desk.run_units[end]
            end += 1
        sizes += term(units, terms)
        for k in range(begin, end):  # each class once, and its sum is gone
            after -= term(sums[desk.run_class[k]], terms)
            sums[desk.run_class[k]] = 0
        n_large += units >= rules.min_leaf
        begin = end
    if n_large >= 2:
        after += sizes
        desk.gain[column] = bits_per_row(before - after, node.units, terms)
        desk.info[column] = _split_info(sizes, known, node, terms)


@inner_kernel
def _judge_groups(columns, column, node, n_runs, known, rules, terms, desk):
    """Merge categories two by two, and keep the stage of the largest gain ratio; of equals the first.

    Categories of the same mix of classes are merged before any stage counts, as long as there are more than two.
    """
    n_codes, group = columns.n_values[column], desk.group[column]
    n_groups = _fill_groups(n_codes, n_runs, terms, desk)
    for code in range(n_codes):
        group[code] = code
    if n_groups < 2:
        return
    before, best, n_merged, n_best = _before(known, terms, desk), -1.0, 0, 0
    while True:
        left, right, rise = _cheapest_merger(n_codes, desk)
        if rise > terms.tie or n_groups == 2:
            after, sizes, n_large = np.int64(0), np.int64(0), 0
            for code in range(n_codes):
                units = desk.groups[_UNITS, code]
                if units > 0:
                    after += desk.groups[_MIXED, code]
                    sizes += term(units, terms)
                    n_large += units >= rules.min_leaf
            gain, info = bits_per_row(before - after, node.units, terms), _split_info(sizes, known, node, terms)
            ratio = gain / info if info > 0.0 else 0.0
            if n_large >= 2 and ratio > best + _TIE:
                best, n_best = ratio, n_merged
                desk.gain[column], desk.info[column] = gain, info
        if n_groups == 2:
            break
        _merge(left, right, n_codes, terms, desk)
        desk.groups[_INTO, n_merged], desk.groups[_GONE, n_merged] = left, right
        n_groups -= 1
        n_merged += 1
    for k in range(n_best):
        for code in range(n_codes):
            if group[code] == desk.groups[_GONE, k]:
                group[code] = desk.groups[_INTO, k]


@inner_kernel
def _fill_groups(n_codes, n_runs, terms, desk):
    """Each category is a group of its own, and knows which of those after it is the cheapest to merge with."""
    desk.groups[_UNITS, :n_codes] = 0
    desk.group_sums[:n_codes] = 0
    for k in range(n_runs):
        desk.groups[_UNITS, desk.run_code[k]] += desk.run_units[k]
        desk.group_sums[desk.run_code[k], desk.run_class[k]] += desk.run_units[k]
    n_groups = 0
    for code in range(n_codes):
        if desk.groups[_UNITS, code] > 0:
            desk.groups[_MIXED, code] = _mixed_with(code, code, terms, desk)
            n_groups += 1
    for code in range(n_codes):
        _find_partner(code, n_codes, terms, desk)
    return n_groups


@inner_kernel
def _mixed_with(a, b, terms, desk):
    """Entropy times weight of two groups together, or of one."""
    both = np.int64(a != b)
    mixed = term(desk.groups[_UNITS, a] + both * desk.groups[_UNITS, b], terms)
    for c in range(desk.group_sums.shape[1]):
        mixed -= term(desk.group_sums[a, c] + both * desk.group_sums[b, c], terms)
    return mixed


@inner_kernel
def _find_partner(a, n_codes, terms, desk):
    groups = desk.groups
    groups[_PARTNER, a] = -1
    if groups[_UNITS, a] == 0:
        return
    for b in range(a + 1, n_codes):
        if groups[_UNITS, b] > 0:
            rise = _mixed_with(a, b, terms, desk) - groups[_MIXED, a] - groups[_MIXED, b]
            if groups[_PARTNER, a] < 0 or rise < groups[_RISE, a]:
                groups[_PARTNER, a], groups[_RISE, a] = b, rise


@inner_kernel
def _cheapest_merger(n_codes, desk):
    """(group, group after it, how much entropy times weight rises); of equals the first."""
    best = np.int64(-1)
    for a in range(n_codes):
        if desk.groups[_PARTNER, a] >= 0 and (best < 0 or desk.groups[_RISE, a] < desk.groups[_RISE, best]):
            best = np.int64(a)
    return best, desk.groups[_PARTNER, best], desk.groups[_RISE, best]


@inner_kernel
def _merge(left, right, n_codes, terms, desk):
    """The right group goes into the left one, whose number is smaller."""
    groups = desk.groups
    groups[_UNITS, left] += groups[_UNITS, right]
    for c in range(desk.group_sums.shape[1]):
        desk.group_sums[left, c] += desk.group_sums[right, c]
    groups[_UNITS, right], groups[_PARTNER, right] = 0, -1
    groups[_MIXED, left] = _mixed_with(left, left, terms, desk)
    for a in range(n_codes):
        partner = groups[_PARTNER, a]
        if a == left or partner == left or partner == right:
            _find_partner(a, n_codes, terms, desk)
        elif partner >= 0 and a < left:
            rise = _mixed_with(a, left, terms, desk) - groups[_MIXED, a] - groups[_MIXED, left]
            if rise < groups[_RISE, a] or (rise == groups[_RISE, a] and left < partner):
                groups[_PARTNER, a], groups[_RISE, a] = left, rise


@inner_kernel
def _split_info(sizes, known, node, terms):
    return bits_per_row(term(node.units, terms) - sizes - term(node.units - known, terms), node.units, terms)


@inner_kernel
def least_side(known, rules):
    """Weight that each side of a cut must have: a tenth of the mean class, but at most 25 rows."""
    tenth = known // (10 * rules.n_classes)
    return max(np.int64(rules.min_leaf), min(tenth, np.int64(_MOST_ASIDE)))


@inner_kernel
def _judge_cuts(column, node, n_runs, known, rules, terms, desk):
    """The cut of least entropy; of equals the lowest."""
    least = least_side(known, rules)
    if known < 2 * least:
        return
    before = _before(known, terms, desk)
    left_sum, right_sum = np.int64(0), _begin_right(terms, desk)
    below, best, best_below, n_cuts = np.int64(0), np.int64(0), np.int64(0), 0
    for k in range(n_runs - 1):
        units, c = desk.run_units[k], desk.run_class[k]
        below += units
        desk.sums[_RIGHT, c] -= units
        left, right = term(desk.sums[_ALL, c] - desk.sums[_RIGHT, c], terms), term(desk.sums[_RIGHT, c], terms)
        left_sum += left - desk.sums[_LEFT_TERM, c]
        right_sum += right - desk.sums[_RIGHT_TERM, c]
        desk.sums[_LEFT_TERM, c], desk.sums[_RIGHT_TERM, c] = left, right
        if below < least or desk.run_code[k] == desk.run_code[k + 1]:
            continue
        if known - below < least:
            break
        n_cuts += 1
        after = term(below, terms) + term(known - below, terms) - left_sum - right_sum
        if n_cuts == 1 or after < best - terms.tie:
            best, best_below = after, below
            desk.low[column], desk.high[column] = desk.run_code[k], desk.run_code[k + 1]
    if n_cuts == 0:
        return
    gain = bits_per_row(before - best, node.units, terms)
    if rules.mdl:
        gain -= log(float(n_cuts)) * _PER_LOG / (float(node.units) / ROW)
    if gain > 0.0:
        desk.gain[column] = gain
        sizes = term(best_below, terms) + term(known - best_below, terms)
        desk.info[column] = _split_info(sizes, known, node, terms)


@inner_kernel
def _begin_right(terms, desk):
    """All rows are on the right; returns the sum of their classes' terms."""
    total = np.int64(0)
    for c in range(desk.sums.shape[1]):
        desk.sums[_RIGHT, c] = desk.sums[_ALL, c]
        desk.sums[_LEFT_TERM, c] = 0
        desk.sums[_RIGHT_TERM, c] = term(desk.sums[_ALL, c], terms)
        total += desk.sums[_RIGHT_TERM, c]
    return total


@inner_kernel
def is_significant(columns, column, n_runs, rules, desk):
    """Whether the column's question passes the chi-squared test; rows without the value take no part."""
    known = _sum_classes(n_runs, desk)
    sums, total = desk.sums[_RIGHT], float(known) / ROW
    sums[:] = 0
    if rules.subset and not columns.is_number[column]:
        n_runs = _sum_groups(columns, column, n_runs, desk)
    statistic, n_branches, begin = 0.0, 0, 0
    while begin < n_runs:
        end, units, branch = begin, np.int64(0), _branch_at(columns, column, begin, desk)
        while end < n_runs and _branch_at(columns, column, end, desk) == branch:
            sums[desk.run_class[end]] += desk.run_units[end]
            units += desk.run_units[end]
            end += 1
        for c in range(sums.size):
            if desk.sums[_ALL, c] > 0:
                statistic += cell(float(sums[c]) / ROW, float(units) / ROW, float(desk.sums[_ALL, c]) / ROW, total)
            sums[c] = 0
        n_branches += 1
        begin = end
    n_classes = 0
    for c in range(sums.size):
        n_classes += desk.sums[_ALL, c] > 0
    return statistic > rules.critical[(n_branches - 1) * (n_classes - 1)]


@inner_kernel
def _sum_groups(columns, column, n_runs, desk):
    """Runs of groups in place of those of categories; returns how many entries there are."""
    n_codes, n_classes = columns.n_values[column], desk.group_sums.shape[1]
    desk.group_sums[:n_codes] = 0
    for k in range(n_runs):
        desk.group_sums[desk.group[column, desk.run_code[k]], desk.run_class[k]] += desk.run_units[k]
    n = 0
    for code in range(n_codes):
        for c in range(n_classes):
            if desk.group_sums[code, c] > 0:
                desk.run_code[n], desk.run_class[n], desk.run_units[n] = code, c, desk.group_sums[code, c]
                n += 1
    return n


@inner_kernel
def _branch_at(columns, column, k, desk):
    """The branch of a run: a category, or one of the two sides of the cut."""
    code = np.int64(desk.run_code[k])
    return np.int64(code > desk.low[column]) if columns.is_number[column] else code


# ----------------------------------------------------------------------------------------------------------------------
# The statistics of a node by one column: its rows, summed or sorted by their codes. What the search reads.
#
# Out, in the desk: `run_code`, `run_class`, `run_units`, ascending by code, without the rows whose value is missing.
# Where a node has more rows than the column has values times classes, each pair of them is one entry, summed; elsewhere
# each row is one, sorted: a few by insertion, more by their digits.


_FEW = 32  # rows sorted by insertion
_MANY = 4096  # rows that are worth a digit of 11 bits; others take 8
_LOW = np.int64(0xFFFFFFFF)
_HALF = np.int64(32)


class MultiwayWorkspace(NamedTuple):
    """Scratch memory."""

    run_code: np.ndarray  # int32
    run_class: np.ndarray  # int32
    run_units: np.ndarray  # int64
    keys: np.ndarray  # int64: [ code | place in the segment ], or [ code | class ] if every row weighs the same
    spare: np.ndarray  # int64
    cells: np.ndarray  # int64: sums by value and class
    digits: np.ndarray  # int64 (2**11 + 1)
    sums: np.ndarray  # int64 (4, classes)
    group_sums: np.ndarray  # int64 (categories, classes): of a group, in the place of its first category
    groups: np.ndarray  # int64 (6, categories): see search.py
    gain: np.ndarray  # float64, by column: see search.py
    info: np.ndarray  # float64
    low: np.ndarray  # int64
    high: np.ndarray  # int64
    used: np.ndarray  # int64: whether the column was asked about further up
    group: np.ndarray  # int64 (columns, categories): the first category of each one's group, itself if it has no rows


def make_desk(n_rows: int, n_columns: int, n_classes: int, room: int = 0) -> MultiwayWorkspace:
    """A desk for nodes of up to n_rows; `room`: of how many categories there may be groups."""
    whole, halves = np.int64, np.int32
    return MultiwayWorkspace(
        np.empty(n_rows, halves),
        np.empty(n_rows, halves),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty((1 << 11) + 1, whole),
        np.zeros((4, n_classes), whole),
        np.zeros((room, n_classes), whole),
        np.zeros((6, room), whole),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns, whole),
        np.empty(n_columns, whole),
        np.zeros(n_columns, whole),
        np.zeros((n_columns if room else 0, room), whole),
    )


def make_desks(n_threads: int, n_rows: int, n_columns: int, n_classes: int, room: int) -> MultiwayWorkspace:
    """Desks of a team in one: what is private, up to `groups`, has a row for each thread."""
    one = make_desk(n_rows, n_columns, n_classes, room)
    private = tuple(np.empty((n_threads, *part.shape), part.dtype) for part in one[:10])
    return MultiwayWorkspace._make((*private, *one[10:]))


@inner_kernel
def desk_of(desks, rank):
    """A thread's desk."""
    return MultiwayWorkspace(
        desks.run_code[rank],
        desks.run_class[rank],
        desks.run_units[rank],
        desks.keys[rank],
        desks.spare[rank],
        desks.cells[rank],
        desks.digits[rank],
        desks.sums[rank],
        desks.group_sums[rank],
        desks.groups[rank],
        desks.gain,
        desks.info,
        desks.low,
        desks.high,
        desks.used,
        desks.group,
    )


@inner_kernel
def fill_runs(columns, column, rows, begin, end, alike, desk):
    """Fill the runs; returns how many entries they have. `alike`: every row of the segment weighs one row."""
    n_cells = columns.n_values[column] * desk.sums.shape[1]
    if n_cells <= end - begin:
        return _sum_cells(columns.codes[column], rows, begin, end, desk, n_cells)
    n = _read_keys(columns.codes[column], rows, begin, end, alike, desk)
    in_spare = False
    if n <= _FEW:
        _insert(desk.keys, n)
    else:
        in_spare = _sort_by_digits(desk, n)
    keys = desk.spare if in_spare else desk.keys
    for k in range(n):
        low = keys[k] & _LOW
        desk.run_code[k] = keys[k] >> _HALF
        desk.run_class[k] = low if alike else rows.classes[rows.rows[low]]
        desk.run_units[k] = ROW if alike else rows.units[low]
    return n


@inner_kernel
def _sum_cells(codes, rows, begin, end, desk, n_cells):
    cells, n_classes = desk.cells, desk.sums.shape[1]
    cells[:n_cells] = 0
    for k in range(begin, end):
        code = codes[rows.rows[k]]
        if code >= 0:
            cells[code * n_classes + rows.classes[rows.rows[k]]] += rows.units[k]
    n = 0
    for at in range(n_cells):
        if cells[at] > 0:
            desk.run_code[n] = at // n_classes
            desk.run_class[n] = at % n_classes
            desk.run_units[n] = cells[at]
            n += 1
    return n


@inner_kernel
def _read_keys(codes, rows, begin, end, alike, desk):
    n = 0
    for k in range(begin, end):
        row = rows.rows[k]
        code = np.int64(codes[row])
        if code >= 0:
            desk.keys[n] = (code << _HALF) | (np.int64(rows.classes[row]) if alike else np.int64(k))
            n += 1
    return n


@inner_kernel
def _insert(keys, n):
    for k in range(1, n):
        key, place = keys[k], k
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key


@inner_kernel
def _sort_by_digits(desk, n):
    """Sort by code, the lowest digit first; returns whether the result is in `spare`."""
    lowest = highest = desk.keys[0]
    for k in range(1, n):
        lowest, highest = min(lowest, desk.keys[k]), max(highest, desk.keys[k])
    lowest = (lowest >> _HALF) << _HALF
    span = (highest - lowest) >> _HALF
    bits = np.int64(11 if n >= _MANY else 8)
    shift, in_spare = np.int64(0), False
    while span >> shift > 0:
        if in_spare:
            _deal(desk.spare, desk.keys, desk.digits, n, lowest, shift, bits)
        else:
            _deal(desk.keys, desk.spare, desk.digits, n, lowest, shift, bits)
        in_spare = not in_spare
        shift += bits
    return in_spare


@inner_kernel
def _deal(source, target, digits, n, lowest, shift, bits):
    """One pass: stable, by one digit of the code."""
    mask, down = (np.int64(1) << bits) - 1, shift + _HALF
    digits[: mask + 2] = 0
    for k in range(n):
        digits[(((source[k] - lowest) >> down) & mask) + 1] += 1
    for d in range(1, mask + 1):
        digits[d] += digits[d - 1]
    for k in range(n):
        digit = ((source[k] - lowest) >> down) & mask
        target[digits[digit]] = source[k]
        digits[digit] += 1
