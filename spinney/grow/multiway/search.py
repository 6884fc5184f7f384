"""What a question is worth: information gain and split information of one column in one node.

In: the node, and the column's runs (statistics.py). Out, in the desk: `gain`, bits per row that the column's best
question saves, negative if it has none; `info`, bits per row that it takes to tell the branch; and for numbers `low`
and `high`, the codes on either side of the cut. Missing values: entropy is that of the rows that have the value, times
their share of the node's weight; for the split information missing is one more branch.
"""

from __future__ import annotations

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
