"""The best split of a node by some columns: by all cuts between bins, or by one random cut a column.

A pass over the node's rows fills the histograms of a few columns together, as all codes of a row share a cache line. In
small nodes the codes that occur are noted in a bit set, so that nobody looks at empty bins.

Cuts are tried in the order of codes, missing values on the right; where some are missing, then also all known against
all missing ones, and every cut with missing values on the left. Of equals the first wins, and of columns the one drawn
first. A cut lies midway between the codes of both sides. Exact trees do it alike (grow/exact/scan_classes.py): both
grow the same tree from the same bins.

The loops over rows and bins are functions of their own that take arrays, not tuples of them: inside, the processor
then has all addresses in registers.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import (
    MEMBERS,
    extremes,
    inner_kernel,
    lowest_bit,
    merged_kernel,
    part_kernel,
    rows_up_to,
    separate_kernel,
    set_size,
    set_sum,
    set_with,
)
from spinney.criteria.impurity import GINI, SQUARED, pair_score, variance_score
from spinney.data.thresholds import draw_code
from spinney.grow.binned.memory import (
    AT_ONCE,
    LANES,
    SLOTS,
    add,
    read,
    take,
    weight_and_amount,
)
from spinney.grow.rules import column_key

_SMALL = 192  # rows of a node below which codes that occur are noted
_PAIR = 2  # rows of a node that all columns split alike, if at all
_ALL = ~np.uint64(0)
_SIX, _63, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)


@merged_kernel
def look_at_pairs(statistics, cells, criterion, logs, rules, memory, node, first, last):
    """Try some columns of memory.order, the first-th to the last-th."""
    if rules.random:
        search_random(cells, statistics, rules, criterion, logs, memory, node, first, last)
    else:
        search_best(cells, statistics, rules, criterion, logs, memory, node, first, last)


@merged_kernel
def search_best(cells, statistics, rules, criterion, logs, memory, node, first, last):
    """Try all cuts of the first-th to last-th column of memory.order."""
    codes, stats, histograms = cells.codes, statistics.rows, statistics.histograms
    rows, bits, sums, scores, split = memory.rows, memory.bits, memory.sums, memory.scores, memory.split[0]
    begin, end = node.begin, node.end
    small = end - begin < _SMALL
    least = rules.min_leaf, rules.min_weight
    n_varying = list_varying(codes, rows, begin, end, memory.order[first:last], memory.varying)
    for k in range(0, n_varying, AT_ONCE):
        columns = memory.varying[k : min(k + AT_ONCE, n_varying)]
        if small:
            _fill_small(codes, stats, histograms, rows, begin, end, columns, bits)
        else:
            _fill(codes, stats, histograms, rows, begin, end, columns)
        for slot in range(columns.size):
            j = columns[slot]
            missing = cells.missing[j]
            if small:
                n_codes = _list_noted(histograms, slot, bits, sums)
            else:
                n_codes = _list_all(histograms, slot, missing + 1, sums)
            if n_codes > 1:
                total = sums[1, n_codes - 1], node.weight, node.amount
                _judge(criterion, logs, least, total, sums, scores, split, j, missing, n_codes)


@separate_kernel
def list_varying(codes, rows, begin, end, columns, varying):
    """The columns in which a node's rows differ, and how many; of two rows the first such one: all split them alike."""
    n, first = np.uint64(0), np.uint64(rows[np.uint64(begin)])
    for k in range(columns.size):
        j = np.uint64(columns[k])
        code, i = codes[first, j], begin + 1
        while i < end and codes[np.uint64(rows[np.uint64(i)]), j] == code:
            i += 1
        varying[n] = columns[k]
        n += np.uint64(i < end)
        if i < end and end - begin == _PAIR:
            break
    return np.int64(n)


@part_kernel
def _fill(codes, stats, histograms, rows, begin, end, columns):
    for i in range(begin, end):
        row, one = np.uint64(rows[np.uint64(i)]), read(stats, np.uint64(i))
        for slot in range(columns.size):
            code = np.uint64(codes[row, np.uint64(columns[slot])])
            add(histograms, np.uint64(slot * SLOTS) + code, one)


@part_kernel
def _fill_small(codes, stats, histograms, rows, begin, end, columns, bits):
    for i in range(begin, end):
        row, one = np.uint64(rows[np.uint64(i)]), read(stats, np.uint64(i))
        for slot in range(columns.size):
            code = np.uint64(codes[row, np.uint64(columns[slot])])
            add(histograms, np.uint64(slot * SLOTS) + code, one)
            bits[np.uint64(slot), code >> _SIX] |= _ONE << (code & _63)


@part_kernel(returns="int64")
def _list_noted(histograms, slot, all_bits, sums):
    """Sums up to and with each code that occurs; returns how many do. Histogram and bits are left empty."""
    n, w, s, k = np.int64(0), np.int64(0), np.int64(0), np.uint64(0)
    bits, first = all_bits[slot], np.uint64(slot * SLOTS)
    for word in range(bits.size):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            code = np.uint64(64 * word + lowest_bit(rest))
            rest &= rest - _ONE
            more_n, more_w, more_s = take(histograms, first + code)
            n, w, s = n + more_n, w + more_w, s + more_s
            sums[0, k], sums[1, k], sums[2, k], sums[3, k] = code, n, w, s
            k += _ONE
    return np.int64(k)


@part_kernel(returns="int64")
def _list_all(histograms, slot, n_codes, sums):
    """The same without bits."""
    n, w, s, k = np.int64(0), np.int64(0), np.int64(0), np.uint64(0)
    first = np.uint64(slot * SLOTS)
    for code in range(n_codes):
        more_n, more_w, more_s = take(histograms, first + np.uint64(code))
        n, w, s = n + more_n, w + more_w, s + more_s
        sums[0, k], sums[1, k], sums[2, k], sums[3, k] = code, n, w, s
        k += np.uint64(more_n != 0)
    return np.int64(k)


@part_kernel
def _judge(criterion, logs, least, total, sums, scores, split, j, missing, n_codes):
    """Look for a better split among the cuts after each of the codes that occur."""
    known = n_codes - 1 if sums[0, n_codes - 1] == missing else n_codes
    column = j, missing, known
    if known == n_codes:
        _pick(criterion, logs, least, total, sums, scores, split, column, known - 1, 0, 0)
        return
    last = known - 1
    _pick(criterion, logs, least, total, sums, scores, split, column, known, 0, 1)
    for k in range(last):
        for part in range(1, 4):
            sums[part, k] += sums[part, known] - sums[part, last]
    _pick(criterion, logs, least, total, sums, scores, split, column, last, 1, 1)


@inner_kernel
def _pick(criterion, logs, least, total, sums, scores, split, column, n_cuts, missing_left, has_missing):
    """Score the first cuts and note the best one if it beats what is there.

    `column` is (its number, the code of missing values, how many others occur).
    """
    n, w, s = sums[1], sums[2], sums[3]
    n_total, w_total, s_total = total
    if criterion == SQUARED or criterion == GINI:
        for k in range(n_cuts):
            scores[k] = variance_score(w[k], s[k], w_total - w[k], s_total - s[k])
    else:
        for k in range(n_cuts):
            scores[k] = pair_score(criterion, w[k], s[k], w_total - w[k], s_total - s[k], logs)
    best, at = split.score, np.int64(-1)
    for k in range(n_cuts):
        if scores[k] > best and is_allowed(least, n[k], w[k], n_total, w_total):
            best, at = scores[k], np.int64(k)
    if at >= 0:
        j, missing, known = column
        split.score, split.feature, split.missing_left = best, j, missing_left
        split.code = cut_between(sums[0], at, known, missing)
        split.weight, split.amount, split.has_missing = w[at], s[at], has_missing


@inner_kernel
def cut_between(codes, k, known, missing):
    """The code to cut after, midway between the k-th and the next of the codes that occur; after all of them where only
    missing values are on the other side: greater values to come are known, too."""
    return (codes[k] + codes[k + 1]) // 2 if k < known - 1 else missing - 1


@merged_kernel
def is_allowed(least, n, w, n_total, w_total):
    enough_rows = n >= least[0] and n_total - n >= least[0]
    return enough_rows and w >= least[1] and w_total - w >= least[1]


# --- random cuts ----------------------------------------------------------------------------------------------------


@merged_kernel
def search_random(cells, statistics, rules, criterion, logs, memory, node, first, last):
    """Try one random cut of each of the first-th to last-th column of memory.order.

    Missing values go right, or are alone on the right, or go left.
    """
    codes, stats, rows, split, left = cells.codes, statistics.rows, memory.rows, memory.split[0], memory.left
    begin, end, key, columns = node.begin, node.end, node.random, memory.order[first:last]
    n_rows = end - begin if stats.ndim > 1 else node.weight
    total, least = (n_rows, node.weight, node.amount), (rules.min_leaf, rules.min_weight)
    low, high, cut = memory.extremes[0], memory.extremes[1], memory.extremes[2]
    draw_cuts(cells, rows, begin, end, columns, key, memory.extremes)
    _sum_left(codes, rows, stats, begin, end, columns, memory.extremes, cells.missing, memory.words, left)
    for k in range(columns.size):
        j = columns[k]
        missing = cells.missing[j]
        if low[j] == high[j]:
            continue
        code, up_to_cut = np.int64(cut[j]), (left[0, j], left[1, j], left[2, j])
        if high[j] < missing:
            _offer(criterion, logs, least, split, total, up_to_cut, j, code, 0, False)
            continue
        known = left[3, j], left[4, j], left[5, j]
        if code < missing - 1:
            _offer(criterion, logs, least, split, total, up_to_cut, j, code, 0, True)
        _offer(criterion, logs, least, split, total, known, j, missing - 1, 0, True)
        if code < missing - 1:
            more = (
                up_to_cut[0] + total[0] - known[0],
                up_to_cut[1] + total[1] - known[1],
                up_to_cut[2] + total[2] - known[2],
            )
            _offer(criterion, logs, least, split, total, more, j, code, 1, True)


@merged_kernel
def draw_cuts(cells, rows, begin, end, columns, key, extremes):
    """extremes[:, j] = least and greatest code of some columns, a random cut between the known ones, their last code.

    If one known code is alone the cut comes after all of them.
    """
    low, high, cut, known = extremes[0], extremes[1], extremes[2], extremes[3]
    if LANES * columns.size > low.size:
        all_extremes(cells.codes, rows, begin, end, low, high)
    else:  # it is quicker to look at the columns one by one
        for k in range(columns.size):
            low[columns[k]], high[columns[k]] = column_extremes(cells.codes, columns[k], rows, begin, end)
    for k in range(columns.size):
        j = columns[k]
        to_code = np.int64(high[j])
        if to_code == cells.missing[j]:
            to_code = greatest_known(cells.codes, j, rows, begin, end, cells.missing[j])
        cut[j] = known[j] = cells.missing[j] - 1
        if low[j] < to_code:
            cut[j] = draw_code(cells.middles, j, np.int64(low[j]), to_code, column_key(key, j))


@part_kernel
def _sum_left(codes, rows, stats, begin, end, columns, extremes, missing, words, left):
    """left[:, j] = rows, weight and amount up to the cut of some columns, and of known ones if some are missing."""
    lacks = False
    for k in range(columns.size):
        left[:, columns[k]] = 0
        lacks |= extremes[1, columns[k]] == missing[columns[k]]
    for some in range(begin, end, MEMBERS):
        members = compare(codes, rows, some, end, columns, extremes[2], words)
        for k in range(columns.size):
            _add_left(stats, some, members & up_to(words, columns[k], codes), left, 0, columns[k])
        if lacks:
            compare(codes, rows, some, end, columns, extremes[3], words)
            for k in range(columns.size):
                if extremes[1, columns[k]] == missing[columns[k]]:
                    _add_left(stats, some, members & up_to(words, columns[k], codes), left, 3, columns[k])


@inner_kernel
def compare(codes, rows, begin, end, columns, most, words):
    """Compare up to MEMBERS rows with the limits of some columns at least; returns the set of these rows."""
    end = min(end, begin + MEMBERS)
    if LANES * columns.size > codes.shape[1]:
        for group in range(codes.shape[1] // _lanes(codes)):
            _compare_group(codes, rows, (begin, end), group, most, words)
    else:
        for k in range(columns.size):
            _compare_group(codes, rows, (begin, end), columns[k] // _lanes(codes), most, words)
    return _ALL >> np.uint64(MEMBERS - (end - begin))


@inner_kernel
def up_to(words, j, codes):
    """The set of rows whose code of a column was found to be within the limit."""
    return set_with(words[j // _lanes(codes)], j % _lanes(codes))


@inner_kernel
def _compare_group(codes, rows, some, group, most, words):
    if _lanes(codes) == 2 * LANES:
        rows_up_to(codes, rows, some, 2 * LANES * group, 32, most, words[group])
    else:
        rows_up_to(codes, rows, some, LANES * group, 16, most, words[group])


@inner_kernel
def _lanes(codes):
    """Columns that are compared at once."""
    return LANES if codes.shape[1] % (2 * LANES) else 2 * LANES


@inner_kernel
def _add_left(stats, begin, members, left, first, j):
    """left[first : first + 3, j] += rows, weight and amount of a set of the rows from `begin` on."""
    if stats.ndim == 1:
        total = np.uint64(set_sum(stats[begin : begin + MEMBERS], members))
        w, s = weight_and_amount(stats, (total, total))
        n = w
    else:
        n, end = set_size(members), begin + MEMBERS
        w, s = set_sum(stats[0, begin:end], members), set_sum(stats[1, begin:end], members)
    left[first, j] += n
    left[first + 1, j] += w
    left[first + 2, j] += s


@part_kernel
def all_extremes(codes, rows, begin, end, low, high):
    """The least and the greatest code of every column, many columns at once."""
    if low.size % (2 * LANES) == 0:
        for first in range(0, low.size, 2 * LANES):
            extremes(codes, rows, (begin, end), first, 32, low, high)
    else:
        for first in range(0, low.size, LANES):
            extremes(codes, rows, (begin, end), first, 16, low, high)


@separate_kernel
def column_extremes(codes, j, rows, begin, end):
    """The least and the greatest code of a column."""
    low, high, column = np.uint8(255), np.uint8(0), np.uint64(j)
    for i in range(begin, end):
        code = codes[np.uint64(rows[np.uint64(i)]), column]
        low, high = min(low, code), max(high, code)
    return low, high


@separate_kernel
def greatest_known(codes, j, rows, begin, end, missing):
    greatest, column = np.int64(0), np.uint64(j)
    for i in range(begin, end):
        code = np.int64(codes[np.uint64(rows[np.uint64(i)]), column])
        greatest = max(greatest, code if code < missing else np.int64(0))
    return greatest


@merged_kernel
def _offer(criterion, logs, least, split, total, left, column, code, missing_left, has_missing):
    """Note the split if it is allowed and beats what is there."""
    n, w, s = left
    if not is_allowed(least, n, w, total[0], total[1]):
        return
    score = pair_score(criterion, w, s, total[1] - w, total[2] - s, logs)
    if score > split.score:
        split.score, split.feature, split.code, split.missing_left = score, column, code, missing_left
        split.weight, split.amount, split.has_missing = w, s, has_missing
