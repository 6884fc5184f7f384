"""The best split of a node whose rows add to any number of sums: several outputs, weights that are not whole, a user's
criterion. As search.py; a bin, a side and the node itself are

    [ rows | weight | sum | sum | ... ]        a sum for every class that the node has, or for every number

In most nodes of a tree, those with few rows, a handful of classes is left: bins are that much shorter there. Scores are
made of the same whole numbers, in the same order, as in grow/exact/scan_sums.py (see below).
"""

from __future__ import annotations

import numpy as np

from spinney._compile import by_type, inner_kernel, lowest_bit, merged_kernel, part_kernel, separate_kernel
from spinney.criteria.impurity import (
    ENTROPY,
    ERROR,
    GINI,
    OF_CLASSES,
    OF_TERMS,
    OWN,
    SQUARED,
    check_branches,
    class_term,
    pair_score,
    side_end,
    side_more,
    term_score,
    variance_score,
)
from spinney.criteria.user_criterion import code_of, judge_classes, judge_pair
from spinney.data.thresholds import draw_code
from spinney.grow.binned.memory import LANES, SLOTS
from spinney.grow.binned.search import (
    all_extremes,
    column_extremes,
    cut_between,
    greatest_known,
    is_allowed,
    list_varying,
)
from spinney.grow.rules import column_key
from spinney.grow.targets import Classes, Pairs, Values

# ----------------------------------------------------------------------------------------------------------------------
# The worth of cuts, many at a time, from the sums on their left; and the best of them.
#
# In: statistics.cuts, a column for each cut,
#
#     [ rows | weight | sum | sum | ... | code ]        see search_sums.py
#
# Out: statistics.scores. Each score is made in the order in which grow/exact/scan_sums.py makes it; the loops go over
# cuts, which the compiler takes eight at a time.


ROWS, WEIGHT, SUMS = 0, 1, 2  # places in a bin, a cut, and the node's sums


@inner_kernel
def _judge_pairs(kinds, criterion, statistics, n):
    """By a user's function; others are judged in search.py."""
    whole, cuts, scores = statistics.node.whole, statistics.cuts, statistics.scores
    total = whole[WEIGHT], whole[SUMS], whole[SUMS + 1]
    for k in range(n):
        w, s, q = cuts[WEIGHT, k], cuts[SUMS, k], cuts[SUMS + 1, k]
        scores[k] = judge_pair(criterion, kinds.units, w, s, q, total, kinds.logs)


@inner_kernel
def _judge_values(kinds, criterion, statistics, n):
    """Sum of the outputs' scores; -inf if the criterion forbids one."""
    whole, cuts, scores = statistics.node.whole, statistics.cuts, statistics.scores[:n]
    scores[:] = 0.0
    for s in range(SUMS, statistics.node.ends[-1]):
        _add_scores(criterion, cuts[WEIGHT, :n], cuts[s, :n], whole[WEIGHT], whole[s], kinds.logs, scores)


@separate_kernel
def _add_scores(criterion, w, s, w_total, s_total, logs, scores):
    if criterion == SQUARED:
        for k in range(scores.size):
            scores[k] += variance_score(w[k], s[k], w_total - w[k], s_total - s[k])
    else:
        for k in range(scores.size):
            scores[k] += pair_score(criterion, w[k], s[k], w_total - w[k], s_total - s[k], logs)


@inner_kernel
def _judge_classes(kinds, criterion, statistics, n):
    sums, cuts, scores, logs = statistics.node, statistics.cuts, statistics.scores[:n], kinds.logs
    ends, whole, w, w_total = sums.ends, sums.whole, cuts[WEIGHT, :n], sums.whole[WEIGHT]
    n_outputs = ends.size - 1
    if code_of(criterion) == OWN:
        _ask_user(kinds, criterion, statistics, n)
        return
    if kinds.by_terms:
        left, right = statistics.terms[0, :n], statistics.terms[1, :n]
        left[:] = 0
        right[:] = 0
        for s in range(SUMS, ends[-1]):
            _add_terms(code_of(criterion), cuts[s, :n], whole[s], logs, left, right)
        for k in range(n):
            scores[k] = term_score(code_of(criterion), left[k], right[k], w[k], w_total - w[k], n_outputs, logs)
        return
    on_left, on_right = statistics.parts[0, :n], statistics.parts[1, :n]
    scores[:] = 0.0
    for o in range(n_outputs):
        on_left[:] = 0.0
        on_right[:] = 0.0
        for s in range(ends[o], ends[o + 1]):
            _add_parts(code_of(criterion), cuts[s, :n], whole[s], logs, on_left, on_right)
        _end_parts(code_of(criterion), w, w_total, logs, on_left, on_right, scores)


check_branches("search_sums._add_terms", OF_TERMS, GINI, ENTROPY)
check_branches("search_sums._add_parts", OF_CLASSES, GINI, ERROR, ENTROPY)


@separate_kernel
def _add_terms(code, sums, total, logs, left, right):
    """One class more, whole numbers."""
    if code == GINI:
        for k in range(sums.size):
            left[k] += class_term(GINI, sums[k], logs)
            right[k] += class_term(GINI, total - sums[k], logs)
    else:
        for k in range(sums.size):
            left[k] += class_term(ENTROPY, sums[k], logs)
            right[k] += class_term(ENTROPY, total - sums[k], logs)


@separate_kernel
def _add_parts(code, sums, total, logs, left, right):
    """One class more."""
    if code == GINI:
        for k in range(sums.size):
            left[k] = side_more(GINI, left[k], sums[k], logs)
            right[k] = side_more(GINI, right[k], total - sums[k], logs)
    elif code == ERROR:
        for k in range(sums.size):
            left[k] = side_more(ERROR, left[k], sums[k], logs)
            right[k] = side_more(ERROR, right[k], total - sums[k], logs)
    else:
        for k in range(sums.size):
            left[k] = side_more(ENTROPY, left[k], sums[k], logs)
            right[k] = side_more(ENTROPY, right[k], total - sums[k], logs)


@separate_kernel
def _end_parts(code, w, w_total, logs, left, right, scores):
    """One output more."""
    for k in range(scores.size):
        scores[k] += side_end(code, left[k], w[k], logs) + side_end(code, right[k], w_total - w[k], logs)


@inner_kernel
def _ask_user(kinds, criterion, statistics, n):
    """The mean over outputs of what a user's function says."""
    sums, cuts, (left, right) = statistics.node, statistics.cuts, (statistics.sides[0], statistics.sides[1])
    ends, whole, n_outputs = sums.ends, sums.whole, sums.ends.size - 1
    for k in range(n):
        score, weights = 0.0, (cuts[WEIGHT, k], whole[WEIGHT] - cuts[WEIGHT, k])
        for s in range(SUMS, ends[-1]):
            left[s], right[s] = cuts[s, k], whole[s] - cuts[s, k]
        for o in range(n_outputs):
            own = ends[o], ends[o + 1]
            sides = left[own[0] : own[1]], right[own[0] : own[1]]
            score += judge_classes(criterion, sides[0], sides[1], weights, kinds.logs, kinds.unit, statistics.floats)
        statistics.scores[k] = score / float(n_outputs)


judge = by_type({Pairs: _judge_pairs, Classes: _judge_classes, Values: _judge_values})


@inner_kernel
def pick(statistics, rules, split, column, n_cuts, missing_left, has_missing):
    """Note the best of the first cuts of a column if it is allowed and beats what is there.

    `column` is (its number, the code of missing values, how many others occur).
    """
    cuts, scores, whole = statistics.cuts, statistics.scores, statistics.node.whole
    best, at, least = split.score, -1, (rules.min_leaf, rules.min_weight)
    for k in range(n_cuts):
        if scores[k] > best and is_allowed(least, cuts[ROWS, k], cuts[WEIGHT, k], whole[ROWS], whole[WEIGHT]):
            best, at = scores[k], k
    if at >= 0:
        j, missing, known = column
        split.score, split.feature, split.missing_left, split.has_missing = best, j, missing_left, has_missing
        split.code, split.weight = cut_between(cuts[-1], at, known, missing), cuts[WEIGHT, at]


@inner_kernel
def pick_drawn(statistics, rules, split, n_cuts):
    """The same of cuts of any columns."""
    cuts, scores, whole, drawn = statistics.cuts, statistics.scores, statistics.node.whole, statistics.drawn
    least = rules.min_leaf, rules.min_weight
    for k in range(n_cuts):
        w = cuts[WEIGHT, k]
        if scores[k] > split.score and is_allowed(least, cuts[ROWS, k], w, whole[ROWS], whole[WEIGHT]):
            split.score, split.feature, split.code = scores[k], drawn[0, k], drawn[1, k]
            split.missing_left, split.has_missing, split.weight = drawn[2, k], drawn[3, k], w


_PAIR = 2  # rows of a node that all cuts split alike
_SIX, _63, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)


@merged_kernel
def look_at_sums(statistics, cells, criterion, logs, rules, memory, node, first, last):
    """Try some columns of memory.order, the first-th to the last-th."""
    kinds, table, rows, begin, end = statistics.kinds, statistics.table, memory.rows, node.begin, node.end
    if first == 0:
        sum_rows(kinds, table, rows, begin, end, statistics.total, statistics.only_some, statistics.node)
    if rules.random:
        _cut_at_random(statistics, cells, criterion, rules, memory, node, first, last)
        return
    columns = memory.order[first:last]
    n_columns = last - first
    if code_of(criterion) != OWN:  # a user's function need not say the same of sides exchanged
        n_columns = list_varying(cells.codes, rows, begin, end, columns, memory.varying)
        columns = memory.varying
    for k in range(0, n_columns, statistics.at_once):
        some = columns[k : min(k + statistics.at_once, n_columns)]
        fill(kinds, table, cells.codes, rows, begin, end, some, statistics.node, statistics.histograms, memory.bits)
        _judge_columns(statistics, criterion, rules, memory, some, cells.missing)


# --- sums of a node -------------------------------------------------------------------------------------------------


@part_kernel
def _sum_classes(kinds, table, rows, begin, end, total, only_some, sums):
    """total = [ weight | weight of each class of each output ] of a node."""
    total[:] = 0
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        weight = table[row, 0]
        total[0] += weight
        for o in range(1, table.shape[1]):
            total[np.uint64(table[row, np.uint64(o)])] += weight
    _find_places(total, end - begin, only_some, sums.first, sums.place, sums.whole, sums.ends)


@part_kernel
def _sum_numbers(kinds, table, rows, begin, end, total, only_some, sums):
    """total = [ weight | sum of each number ] of a node."""
    total[:] = 0
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        for o in range(table.shape[1]):
            total[np.uint64(o)] += table[row, np.uint64(o)]
    _find_places(total, end - begin, only_some, sums.first, sums.place, sums.whole, sums.ends)


@separate_kernel
def _find_places(total, n_rows, only_some, first, place, whole, ends):
    """Give the sums their places in bins: all, or those that are not zero."""
    whole[ROWS], whole[WEIGHT], at = n_rows, total[0], SUMS
    for o in range(ends.size - 1):
        ends[o] = at
        for p in range(first[o], first[o + 1]):
            if total[p] != 0 or not only_some:
                place[p], whole[at] = at, total[p]
                at += 1
    ends[-1] = at


sum_rows = by_type({Pairs: _sum_numbers, Classes: _sum_classes, Values: _sum_numbers})


# --- all cuts -------------------------------------------------------------------------------------------------------


@part_kernel
def _fill_classes(kinds, table, codes, rows, begin, end, columns, sums, histograms, bits):
    """Add the rows to the bins of some columns, and note which codes occur."""
    place, size, n_parts = sums.place, np.uint64(sums.ends[-1]), np.uint64(table.shape[1])
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        weight, at = table[row, 0], np.uint64(place[np.uint64(table[row, 1])])
        for slot in range(columns.size):
            code = np.uint64(codes[row, np.uint64(columns[slot])])
            base = (np.uint64(slot * SLOTS) + code) * size
            histograms[base] += 1
            histograms[base + _ONE] += weight
            histograms[base + at] += weight
            bits[np.uint64(slot), code >> _SIX] |= _ONE << (code & _63)
        for o in range(2, n_parts):
            at = np.uint64(place[np.uint64(table[row, np.uint64(o)])])
            for slot in range(columns.size):
                code = np.uint64(codes[row, np.uint64(columns[slot])])
                histograms[(np.uint64(slot * SLOTS) + code) * size + at] += weight


@part_kernel
def _fill_numbers(kinds, table, codes, rows, begin, end, columns, sums, histograms, bits):
    size, n_parts = np.uint64(sums.ends[-1]), np.uint64(table.shape[1])
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        for slot in range(columns.size):
            code = np.uint64(codes[row, np.uint64(columns[slot])])
            base = (np.uint64(slot * SLOTS) + code) * size
            histograms[base] += 1
            for o in range(n_parts):
                histograms[base + _ONE + np.uint64(o)] += table[row, np.uint64(o)]
            bits[np.uint64(slot), code >> _SIX] |= _ONE << (code & _63)


fill = by_type({Pairs: _fill_numbers, Classes: _fill_classes, Values: _fill_numbers})


@part_kernel
def _judge_columns(statistics, criterion, rules, memory, columns, missing):
    """Look for a better split among the cuts after each of the codes that occur; bins and bits are left empty."""
    cuts, size = statistics.cuts, statistics.node.ends[-1]
    for slot in range(columns.size):
        last_code = missing[columns[slot]]
        n_codes = _list_sums(statistics.histograms, slot, memory.bits[slot], size, cuts)
        if n_codes < 2:
            continue
        known = n_codes - 1 if cuts[-1, n_codes - 1] == last_code else n_codes
        column = columns[slot], last_code, known
        if known == n_codes:
            judge(statistics.kinds, criterion, statistics, known - 1)
            pick(statistics, rules, memory.split[0], column, known - 1, 0, 0)
            continue
        last = known - 1
        judge(statistics.kinds, criterion, statistics, known)
        pick(statistics, rules, memory.split[0], column, known, 0, 1)
        for part in range(size):
            more = cuts[part, known] - cuts[part, last]
            for k in range(last):
                cuts[part, k] += more
        judge(statistics.kinds, criterion, statistics, last)
        pick(statistics, rules, memory.split[0], column, last, 1, 1)


@separate_kernel
def _list_sums(histograms, slot, bits, size, cuts):
    """cuts[:, k] = sums up to and with the k-th code that occurs, and last the code; returns how many do."""
    n, first = np.uint64(0), np.uint64(slot * SLOTS)
    n_parts, code_row = np.uint64(size), np.uint64(cuts.shape[0] - 1)
    for word in range(bits.size):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            code = np.uint64(64 * word + lowest_bit(rest))
            rest &= rest - _ONE
            base = (first + code) * n_parts
            if n == 0:
                for part in range(n_parts):
                    cuts[np.uint64(part), n] = histograms[base + np.uint64(part)]
                    histograms[base + np.uint64(part)] = 0
            else:
                for part in range(n_parts):
                    before = cuts[np.uint64(part), n - _ONE]
                    cuts[np.uint64(part), n] = before + histograms[base + np.uint64(part)]
                    histograms[base + np.uint64(part)] = 0
            cuts[code_row, n] = np.int64(code)
            n += _ONE
    return np.int64(n)


# --- random cuts ----------------------------------------------------------------------------------------------------


@merged_kernel
def _cut_at_random(statistics, cells, criterion, rules, memory, node, first, last):
    """Try one random cut of each of some columns.

    Where values are missing they go right, or are alone on the right, or go left.
    """
    codes, begin, end, rows = cells.codes, node.begin, node.end, memory.rows
    columns = memory.order[first:last]
    if end - begin == _PAIR and code_of(criterion) != OWN:
        columns = memory.varying[: list_varying(codes, rows, begin, end, columns, memory.varying)]
    low, high, drawn, n = memory.extremes[0], memory.extremes[1], statistics.drawn, 0
    if LANES * columns.size > low.size:
        all_extremes(codes, rows, begin, end, low, high)
    else:
        for k in range(columns.size):
            low[columns[k]], high[columns[k]] = column_extremes(codes, columns[k], rows, begin, end)
    for k in range(columns.size):
        j, missing = columns[k], cells.missing[columns[k]]
        from_code, to_code, has_missing = np.int64(low[j]), np.int64(high[j]), np.int64(high[j]) == missing
        if from_code == to_code:
            continue
        if has_missing:
            to_code = greatest_known(codes, j, rows, begin, end, missing)
        if from_code < to_code:
            code = draw_code(cells.middles, j, from_code, to_code, column_key(node.random, j))
            _note(drawn, n, j, code, 0, has_missing)
            n += 1
        if has_missing:
            _note(drawn, n, j, missing - 1, 0, True)
            n += 1
            if from_code < to_code:
                _note(drawn, n, j, code, 1, True)
                n += 1
        if n > SLOTS - 3:
            _judge_drawn(statistics, criterion, rules, memory, begin, end, codes, n)
            n = 0
    if n > 0:
        _judge_drawn(statistics, criterion, rules, memory, begin, end, codes, n)


@merged_kernel
def _note(drawn, n, j, code, missing_left, has_missing):
    drawn[0, n], drawn[1, n], drawn[2, n], drawn[3, n] = j, code, missing_left, has_missing


@part_kernel
def _judge_drawn(statistics, criterion, rules, memory, begin, end, codes, n):
    """Look for a better split among the cuts drawn."""
    cuts, size, whole, drawn = statistics.cuts, statistics.node.ends[-1], statistics.node.whole, statistics.drawn
    for k in range(n):
        if drawn[2, k] == 1:  # missing values go left: those of the cut two before, and those of the cut before
            for part in range(size):
                cuts[part, k] = cuts[part, k - 2] + whole[part] - cuts[part, k - 1]
        else:
            where = drawn[0, k], drawn[1, k], k
            sum_some(statistics.kinds, statistics.table, codes, memory.rows, begin, end, statistics.node, where, cuts)
    judge(statistics.kinds, criterion, statistics, n)
    pick_drawn(statistics, rules, memory.split[0], n)


@separate_kernel
def _sum_some_classes(kinds, table, codes, rows, begin, end, sums, where, cuts):
    """cuts[:, k] = the sums of the rows with codes up to this one."""
    (j, code, k), place, n_parts = where, sums.place, np.uint64(table.shape[1])
    for part in range(sums.ends[-1]):
        cuts[part, k] = 0
    n, w = np.int64(0), np.int64(0)
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        wanted = -np.int64(np.int64(codes[row, np.uint64(j)]) <= code)
        weight = table[row, 0] & wanted
        n -= wanted
        w += weight
        for o in range(1, n_parts):
            cuts[np.uint64(place[np.uint64(table[row, np.uint64(o)])]), np.uint64(k)] += weight
    cuts[ROWS, k], cuts[WEIGHT, k] = n, w


@separate_kernel
def _sum_some_numbers(kinds, table, codes, rows, begin, end, sums, where, cuts):
    (j, code, k), n_parts = where, np.uint64(table.shape[1])
    for part in range(sums.ends[-1]):
        cuts[part, k] = 0
    n = np.int64(0)
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        wanted = -np.int64(np.int64(codes[row, np.uint64(j)]) <= code)
        n -= wanted
        for o in range(n_parts):
            cuts[np.uint64(o) + _ONE, np.uint64(k)] += table[row, np.uint64(o)] & wanted
    cuts[ROWS, k] = n


sum_some = by_type({Pairs: _sum_some_numbers, Classes: _sum_some_classes, Values: _sum_some_numbers})
