"""The best split of a node with more than two classes. As search.py, but a bin has a weight for every class.

A cut's worth follows from two whole numbers a side, its weight and its term (see `class_term`), which are kept up to
date bin by bin: the same numbers, in the end, as in grow/exact/scan_sums.py.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, lowest_bit, merged_kernel, part_kernel, separate_kernel
from spinney.criteria.impurity import class_term, term_score
from spinney.data.thresholds import draw_code
from spinney.grow.binned.memory import AT_ONCE, LANES, SLOTS
from spinney.grow.binned.search import (
    all_extremes,
    column_extremes,
    cut_between,
    greatest_known,
    is_allowed,
    list_varying,
)
from spinney.grow.rules import column_key

# ----------------------------------------------------------------------------------------------------------------------
# The best split of a node with a few classes of small weight: all weights of a bin are in one uint64.
#
# In most nodes of a tree, those with few rows, a handful of classes is left, and none of them weighs much. Each of
# these has a field as wide as the largest needs; adding a row to a bin is one addition then, as with two classes, and
# the histograms of eight columns stay in the first-level cache. The scores are those of search_classes.py, from the
# same integers.
#
#     a bin    [ ... | third class present | second | first ]    fields of b bits: 2**b > the node's weight of any class
#
# Any sum of bins holds some of the node's rows, so no field can overflow. Which class has which field is looked up by
# `shift`; classes without rows in the node have none.


_SMALL = 192  # rows of a node below which codes that occur are noted
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_SIX, _63, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)
_WORD = 64


@separate_kernel
def make_fields(total, shift, amounts, fields):
    """Give every class of a node a field; `fields` = (how many, bits of each), or none if they are too wide.

    `total` is [ weight | weight of each class | term ]; amounts[f] is the weight of the class with the f-th field.
    """
    n, most = np.int64(0), np.int64(0)
    for c in range(shift.size):
        if total[1 + c] > 0:
            amounts[n] = total[1 + c]
            most = max(most, total[1 + c])
            n += 1
    bits = np.int64(0)
    while most > 0:
        bits += 1
        most >>= 1
    fields[0], fields[1] = (n, bits) if n * bits <= _WORD else (np.int64(0), np.int64(0))
    at = np.uint64(0)
    for c in range(shift.size):
        if total[1 + c] > 0:
            shift[c] = at
            at += np.uint64(bits)


@part_kernel
def fill_packed(codes, stats, histograms, shift, rows, begin, end, columns, bits):
    """Add the rows to the histograms of some columns; in small nodes note which codes occur."""
    if end - begin < _SMALL:
        for i in range(begin, end):
            row, more = np.uint64(rows[np.uint64(i)]), _field_of(stats[np.uint64(i)], shift)
            for slot in range(columns.size):
                code = np.uint64(codes[row, np.uint64(columns[slot])])
                histograms[np.uint64(slot * SLOTS) + code] += more
                bits[np.uint64(slot), code >> _SIX] |= _ONE << (code & _63)
    else:
        for i in range(begin, end):
            row, more = np.uint64(rows[np.uint64(i)]), _field_of(stats[np.uint64(i)], shift)
            for slot in range(columns.size):
                code = np.uint64(codes[row, np.uint64(columns[slot])])
                histograms[np.uint64(slot * SLOTS) + code] += more


@inner_kernel
def _field_of(one, shift):
    """A row's weight in the field of its class."""
    return (one >> _HALF) << shift[one & _LOW]


@part_kernel
def judge_packed(criterion, logs, least, total, fields, amounts, histograms, slot, found, split, column, n_rows):
    """Look for a better split among the cuts after each of the codes that occur; bins and bits are left empty.

    `found` is (bits, room for codes), `column` (its number, the code of missing values).
    """
    (bits, codes), (j, missing) = found, column
    first = np.uint64(slot * SLOTS)
    n_codes = _noted(bits, codes) if n_rows < _SMALL else _all_codes(histograms, first, missing + 1, codes)
    known = n_codes - 1 if codes[n_codes - 1] == missing else n_codes
    if n_codes > 1:
        for missing_left in range(1 + n_codes - known):
            left = histograms[first + np.uint64(missing)] if missing_left else np.uint64(0)
            n_cuts = known if known < n_codes and missing_left == 0 else known - 1
            for k in range(n_cuts):
                left += histograms[first + np.uint64(codes[k])]
                w, left_term, right_term = _terms(criterion, logs, left, fields, amounts)
                if w >= least and total[0] - w >= least:
                    score = term_score(criterion, left_term, right_term, w, total[0] - w, 1, logs)
                    if score > split.score:
                        split.code = cut_between(codes, k, known, missing)
                        split.score, split.feature = score, j
                        split.missing_left, split.has_missing, split.weight = missing_left, known < n_codes, w
    for k in range(n_codes):
        histograms[first + np.uint64(codes[k])] = 0


@inner_kernel
def _terms(criterion, logs, left, fields, amounts):
    """(weight on the left, terms of both sides) of packed weights."""
    w, left_term, right_term = np.int64(0), np.int64(0), np.int64(0)
    width = np.uint64(fields[1])
    mask = (_ONE << width) - _ONE
    for f in range(np.uint64(fields[0])):
        one = np.int64(left & mask)
        left >>= width
        w += one
        left_term += class_term(criterion, one, logs)
        right_term += class_term(criterion, amounts[f] - one, logs)
    return w, left_term, right_term


@inner_kernel
def _noted(bits, codes):
    """The codes that are noted, ascending; returns how many. The bits are left empty."""
    n = 0
    for word in range(bits.size):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            codes[n] = _WORD * word + lowest_bit(rest)
            rest &= rest - _ONE
            n += 1
    return n


@inner_kernel
def _all_codes(histograms, first, n_codes, codes):
    """The same, from the bins that are not empty."""
    n = np.int64(0)
    for code in range(n_codes):
        codes[n] = code
        n += np.int64(histograms[first + np.uint64(code)] != 0)
    return n


_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_SIX, _63, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)


@merged_kernel
def look_at_classes(statistics, cells, criterion, logs, rules, memory, node, first, last):
    """Try some columns of memory.order, the first-th to the last-th."""
    stats, total, begin, end = statistics.rows, statistics.total, node.begin, node.end
    if first == 0:
        _sum_node(criterion, logs, stats, begin, end, total)
        make_fields(total, statistics.shift, statistics.amounts, statistics.fields)
    least, rows, order, split = (rules.min_leaf, rules.min_weight), memory.rows, memory.order, memory.split[0]
    if rules.random:
        low, high = memory.extremes[0], memory.extremes[1]
        if LANES * (last - first) > low.size:
            all_extremes(cells.codes, rows, begin, end, low, high)
        else:
            for k in range(first, last):
                low[order[k]], high[order[k]] = column_extremes(cells.codes, order[k], rows, begin, end)
        for k in range(first, last):
            j = order[k]
            if low[j] < high[j]:
                column = j, cells.missing[j], np.int64(low[j]), np.int64(high[j])
                segment, sums, key = (begin, end), (total, statistics.sides), node.random
                _cut_once(
                    cells.codes, cells.middles, stats, rows, segment, criterion, logs, least, sums, split, column, key
                )
        return
    n_varying = list_varying(cells.codes, rows, begin, end, order[first:last], memory.varying)
    if statistics.fields[0] > 0 and rules.min_leaf == 1:
        _look_packed(statistics, cells, criterion, logs, rules, memory, node, n_varying)
        return
    for k in range(0, n_varying, AT_ONCE):
        columns = memory.varying[k : min(k + AT_ONCE, n_varying)]
        _fill(cells.codes, stats, statistics.histograms, rows, begin, end, columns, memory.bits)
        for slot in range(columns.size):
            known, found = (columns[slot], cells.missing[columns[slot]]), (memory.bits[slot], memory.sums[0])
            left, n_rows = statistics.sides[0], end - begin
            _judge(criterion, logs, least, total, n_rows, statistics.histograms, slot, found, left, split, known)


@merged_kernel
def _look_packed(statistics, cells, criterion, logs, rules, memory, node, n_varying):
    """The same where the weights of all classes of a bin fit one word, and nobody asks how many rows a side has."""
    stats, histograms, begin, end = statistics.rows, statistics.packed, node.begin, node.end
    total, fields, amounts, split = statistics.total, statistics.fields, statistics.amounts, memory.split[0]
    for k in range(0, n_varying, AT_ONCE):
        columns = memory.varying[k : min(k + AT_ONCE, n_varying)]
        fill_packed(cells.codes, stats, histograms, statistics.shift, memory.rows, begin, end, columns, memory.bits)
        for slot in range(columns.size):
            known, found = (columns[slot], cells.missing[columns[slot]]), (memory.bits[slot], memory.sums[0])
            least, n = rules.min_weight, end - begin
            judge_packed(criterion, logs, least, total, fields, amounts, histograms, slot, found, split, known, n)


@separate_kernel
def _sum_node(criterion, logs, stats, begin, end, total):
    """total = [ weight | weight of each class | term ] of a node."""
    total[:] = 0
    whole = np.int64(0)
    for i in range(begin, end):
        one = stats[np.uint64(i)]
        weight = np.int64(one >> _HALF)
        whole += weight
        total[_ONE + (one & _LOW)] += weight
    total[0] = whole
    for c in range(1, total.size - 1):
        total[-1] += class_term(criterion, total[c], logs)


@part_kernel
def _fill(codes, stats, histograms, rows, begin, end, columns, bits):
    """A bin is [ rows | weight of each class ]."""
    for i in range(begin, end):
        row, one = np.uint64(rows[np.uint64(i)]), stats[np.uint64(i)]
        weight, place = np.int64(one >> _HALF), (one & _LOW) + _ONE
        for slot in range(columns.size):
            code = np.uint64(codes[row, np.uint64(columns[slot])])
            histogram = histograms[np.uint64(slot * SLOTS) + code]
            histogram[0] += 1
            histogram[place] += weight
            bits[np.uint64(slot), code >> _SIX] |= _ONE << (code & _63)


@part_kernel
def _judge(criterion, logs, least, total, n_rows, histograms, slot, found, left, split, column):
    """Look for a better split among the cuts after each of the codes that occur; bins and bits are left empty.

    `found` is (bits, room for codes), `column` (its number, the code of missing values).
    """
    (bits, codes), (j, missing) = found, column
    n_codes = _noted(bits, codes)
    known = n_codes - 1 if codes[n_codes - 1] == missing else n_codes
    first, w_total = slot * SLOTS, total[0]
    if n_codes > 1:
        for missing_left in range(1 + n_codes - known):
            left[:] = 0
            n, w, left_term, right_term = np.int64(0), np.int64(0), np.int64(0), total[-1]
            if missing_left:
                n, w, left_term, right_term = _move(
                    criterion, logs, histograms[first + missing], total, left, n, w, left_term, right_term
                )
            n_cuts = known if known < n_codes and missing_left == 0 else known - 1
            for k in range(n_cuts):
                n, w, left_term, right_term = _move(
                    criterion, logs, histograms[first + codes[k]], total, left, n, w, left_term, right_term
                )
                if is_allowed(least, n, w, n_rows, w_total):
                    score = term_score(criterion, left_term, right_term, w, w_total - w, 1, logs)
                    if score > split.score:
                        split.code = cut_between(codes, k, known, missing)
                        split.score, split.feature = score, j
                        split.missing_left, split.has_missing, split.weight = missing_left, known < n_codes, w
    for k in range(n_codes):
        histograms[first + codes[k]] = 0


@inner_kernel
def _move(criterion, logs, histogram, total, left, n, w, left_term, right_term):
    """Move a bin from the right side to the left; the sides' new sums."""
    for c in range(1, histogram.size):
        more = histogram[c]
        if more != 0:
            before, rest = left[c], total[c] - left[c]
            left_term += class_term(criterion, before + more, logs) - class_term(criterion, before, logs)
            right_term += class_term(criterion, rest - more, logs) - class_term(criterion, rest, logs)
            left[c] = before + more
            w += more
    return n + histogram[0], w, left_term, right_term


# --- random cuts ----------------------------------------------------------------------------------------------------


@part_kernel
def _cut_once(codes, middles, stats, rows, segment, criterion, logs, least, sums, split, column, key):
    """One random cut; where values are missing they go right, or are alone on the right, or go left.

    `sums` is (the node's, room for two sides), `column` (number, code of missing values, least and greatest code).
    """
    (begin, end), (total, sides), (j, missing, low, high) = segment, sums, column
    has_missing = high == missing
    if has_missing:
        high = greatest_known(codes, j, rows, begin, end, missing)
    code = missing
    if low < high:
        code = draw_code(middles, j, low, high, column_key(key, j))
        n = _sum_up_to(codes, j, stats, rows, begin, end, code, sides[0])
        _offer(criterion, logs, least, total, end - begin, n, sides[0], split, j, code, 0, has_missing)
    if has_missing:
        n_known = _sum_up_to(codes, j, stats, rows, begin, end, missing - 1, sides[1])
        _offer(criterion, logs, least, total, end - begin, n_known, sides[1], split, j, missing - 1, 0, True)
        if low < high:
            for c in range(1, total.size - 1):
                sides[0, c] += total[c] - sides[1, c]
            n += end - begin - n_known
            _offer(criterion, logs, least, total, end - begin, n, sides[0], split, j, code, 1, True)


@inner_kernel
def _sum_up_to(codes, j, stats, rows, begin, end, code, side):
    """side = weights of the classes of the rows with codes up to this one; returns how many rows."""
    side[:] = 0
    n, column = np.int64(0), np.uint64(j)
    for i in range(begin, end):
        one = stats[np.uint64(i)]
        goes_left = np.int64(np.int64(codes[np.uint64(rows[np.uint64(i)]), column]) <= code)
        side[(one & _LOW) + _ONE] += goes_left * np.int64(one >> _HALF)
        n += goes_left
    return n


@inner_kernel
def _offer(criterion, logs, least, total, n_rows, n, side, split, column, code, missing_left, has_missing):
    """Note the split if it is allowed and beats what is there."""
    w, left_term, right_term = np.int64(0), np.int64(0), np.int64(0)
    for c in range(1, total.size - 1):
        w += side[c]
        left_term += class_term(criterion, side[c], logs)
        right_term += class_term(criterion, total[c] - side[c], logs)
    if is_allowed(least, n, w, n_rows, total[0]):
        score = term_score(criterion, left_term, right_term, w, total[0] - w, 1, logs)
        if score > split.score:
            split.score, split.feature, split.code = score, column, code
            split.missing_left, split.has_missing, split.weight = missing_left, has_missing, w
