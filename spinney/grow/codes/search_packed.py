"""The best split of a node with a few classes of small weight: all weights of a bin are in one uint64.

In most nodes of a tree, those with few rows, a handful of classes is left, and none of them weighs much. Each of
these has a field as wide as the largest needs; adding a row to a bin is one addition then, as with two classes, and the
histograms of eight columns stay in the first-level cache. The scores are those of search_classes.py, from the same
integers.

    a bin    [ ... | third class present | second | first ]      fields of b bits: 2**b > the node's weight of any class

Any sum of bins holds some of the node's rows, so no field can overflow. Which class has which field is looked up by
`shift`; classes without rows in the node have none.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, lowest_bit, part_kernel, separate_kernel
from spinney.criteria.impurity import class_term, term_score
from spinney.grow.codes.memory import SLOTS
from spinney.grow.codes.search import cut_between

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
