"""The best split of a node with more than two classes. As search.py, but a bin has a weight for every class.

A cut's worth follows from two whole numbers a side, its weight and its term (see `class_term`), which are kept up to
date bin by bin: the same numbers, in the end, as in grow/exact/scan_sums.py.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import (
    MEMBERS,
    inner_kernel,
    lowest_bit,
    merged_kernel,
    part_kernel,
    separate_kernel,
    set_size,
    set_sum,
)
from spinney.criteria.impurity import class_term, term_score
from spinney.grow.binned.memory import AT_ONCE, SLOTS
from spinney.grow.binned.search import compare, cut_between, draw_cuts, is_allowed, list_varying, up_to

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


@merged_kernel
def look_at_classes(statistics, cells, criterion, logs, rules, memory, node, first, last):
    """Try some columns of memory.order, the first-th to the last-th."""
    stats, total, begin, end = statistics.rows, statistics.total, node.begin, node.end
    if first == 0:
        _sum_node(criterion, logs, stats, begin, end, total)
    least, rows, order, split = (rules.min_leaf, rules.min_weight), memory.rows, memory.order, memory.split[0]
    if rules.random:
        draw_cuts(cells, rows, begin, end, order[first:last], node.random, memory.extremes)
        for k in range(first, last, AT_ONCE):
            columns = order[k : min(k + AT_ONCE, last)]
            _sum_left(cells, statistics, memory, begin, end, columns)
            _offer_drawn(criterion, logs, least, total, end - begin, statistics.sides, split, columns, cells, memory)
        return
    if first == 0:
        make_fields(total, statistics.shift, statistics.amounts, statistics.fields)
    n_varying = list_varying(cells.codes, rows, begin, end, order[first:last], memory.varying)
    if statistics.fields[0] > 0 and rules.min_leaf == 1:
        _look_packed(statistics, cells, criterion, logs, rules, memory, node, n_varying)
        return
    for k in range(0, n_varying, AT_ONCE):
        columns = memory.varying[k : min(k + AT_ONCE, n_varying)]
        _fill(cells.codes, stats, statistics.histograms, rows, begin, end, columns, memory.bits)
        for slot in range(columns.size):
            known, found = (columns[slot], cells.missing[columns[slot]]), (memory.bits[slot], memory.sums[0])
            left, n_rows = statistics.sides[0, 0], end - begin
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
def _sum_left(cells, statistics, memory, begin, end, columns):
    """sides[0, k] = rows up to the cut of the k-th column, and weights of their classes; sides[1, k]: of known ones."""
    codes, rows, extremes, words, sides = cells.codes, memory.rows, memory.extremes, memory.words, statistics.sides
    stats, members, weights, lacks = statistics.rows, statistics.members, memory.small.weights, False
    sides[:, : columns.size] = 0
    for k in range(columns.size):
        lacks |= extremes[1, columns[k]] == cells.missing[columns[k]]
    for some in range(begin, end, MEMBERS):
        is_one = find_members(stats, some, min(end, some + MEMBERS), members, weights)
        everybody = compare(codes, rows, some, end, columns, extremes[2], words)
        for k in range(columns.size):
            _add_left(everybody & up_to(words, columns[k], codes), members, weights, is_one, sides[0, k])
        if lacks:
            compare(codes, rows, some, end, columns, extremes[3], words)
            for k in range(columns.size):
                _add_left(everybody & up_to(words, columns[k], codes), members, weights, is_one, sides[1, k])


@inner_kernel
def find_members(stats, begin, end, members, weights):
    """members[c] = those of up to 64 rows that are of this class, and the rows' weights; returns whether all are 1."""
    members[:] = 0
    is_one = True
    for i in range(begin, end):
        one = stats[np.uint64(i)]
        members[one & _LOW] |= _ONE << np.uint64(i - begin)
        weights[i - begin] = np.int64(one >> _HALF)
        is_one &= one >> _HALF == _ONE
    return is_one


@inner_kernel
def _add_left(left, members, weights, is_one, side):
    """Add a set of rows to [ rows | weight of each class ]."""
    side[0] += set_size(left)
    for c in range(members.size):
        side[c + 1] += weigh(left & members[c], weights, is_one)


@inner_kernel
def weigh(rows, weights, is_one):
    """The weight of a set of rows; `is_one`: all weights are."""
    return set_size(rows) if is_one else set_sum(weights, rows)


@part_kernel
def _offer_drawn(criterion, logs, least, total, n_rows, sides, split, columns, cells, memory):
    """The cuts that were drawn; missing values go right, or are alone on the right, or go left."""
    low, high, cut = memory.extremes[0], memory.extremes[1], memory.extremes[2]
    for k in range(columns.size):
        j, missing, code = columns[k], cells.missing[columns[k]], np.int64(cut[columns[k]])
        left, known, has_missing = sides[0, k], sides[1, k], high[j] == missing
        if low[j] < high[j] and code < missing - has_missing:
            _offer(criterion, logs, least, total, n_rows, left[0], left, split, j, code, 0, has_missing)
        if low[j] < high[j] and has_missing:
            _offer(criterion, logs, least, total, n_rows, known[0], known, split, j, missing - 1, 0, True)
            if code < missing - 1:
                n = left[0] + n_rows - known[0]
                for c in range(1, left.size):
                    left[c] += total[c] - known[c]
                _offer(criterion, logs, least, total, n_rows, n, left, split, j, code, 1, True)


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
