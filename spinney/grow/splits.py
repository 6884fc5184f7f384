"""The best split of one node on one column.

In: the node's sums and the column's histogram. Out: a candidate (gain, code, side of missing, left sums; for categories
the set of codes that go left). Ties go to the smaller code, and to missing on the right.

Sums are integers until the very end: a prefix pass adds them up, then one loop without branches turns every
prefix into a score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._jit import kernel
from spinney.criteria.gains import bounded_score, clip, leaf_score, leaf_value
from spinney.grow.statistics import packed_count, packed_gradient, packed_hessian

SLOTS = 256
_NONE = -np.inf
_ONE = np.uint64(1)


class Sums(NamedTuple):
    """Integer sums of some rows."""

    gradient: int
    hessian: int
    count: int


class Candidates(NamedTuple):
    """The best split of each column, for the two children searched at a time: [child, position of the column]."""

    gain: np.ndarray  # float64: score of both sides; -inf if no legal split
    code: np.ndarray  # int32: codes up to it go left (numbers)
    missing_left: np.ndarray  # uint8
    gradient: np.ndarray  # int64, left sums
    hessian: np.ndarray
    count: np.ndarray
    bits: np.ndarray  # uint64 (child, column, 4): codes that go left (categories)


class Prefixes(NamedTuple):
    """One thread's scratch for one column: sums up to and including each place, and their scores."""

    gradient: np.ndarray  # int64 (257,)
    hessian: np.ndarray
    count: np.ndarray
    score: np.ndarray  # float64
    key: np.ndarray  # float64, order of categories
    order: np.ndarray  # int64


@kernel
def load_bins(histogram, is_wide, first, n, fields, prefixes):
    """One column's bins, as three rows of integers."""
    if is_wide:
        for i in range(n):
            prefixes.gradient[i] = histogram[3 * (first + i)]
            prefixes.hessian[i] = histogram[3 * (first + i) + 1]
            prefixes.count[i] = histogram[3 * (first + i) + 2]
    else:
        for i in range(n):
            value = histogram[first + i]
            prefixes.gradient[i] = packed_gradient(value, fields)
            prefixes.hessian[i] = packed_hessian(value, fields)
            prefixes.count[i] = packed_count(value, fields)


@kernel
def _add_up(prefixes, n):
    gradient = hessian = count = np.int64(0)
    for i in range(n):
        gradient += prefixes.gradient[i]
        hessian += prefixes.hessian[i]
        count += prefixes.count[i]
        prefixes.gradient[i] = gradient
        prefixes.hessian[i] = hessian
        prefixes.count[i] = count


@kernel
def _score(prefixes, n, extra, node, fields, penalty, limits):
    """score[i] of the split after place i, with `extra` sums added to the left; -inf where a side is too small."""
    total_gradient = node.gradient * fields.gradient_unit
    total_hessian = node.hessian * fields.hessian_unit
    for i in range(n):
        count = prefixes.count[i] + extra.count
        gradient = (prefixes.gradient[i] + extra.gradient) * fields.gradient_unit
        hessian = (prefixes.hessian[i] + extra.hessian) * fields.hessian_unit
        other = total_hessian - hessian
        legal = (
            (count >= limits.min_count)
            & (node.count - count >= limits.min_count)
            & (hessian >= limits.min_hessian)
            & (other >= limits.min_hessian)
        )
        score = leaf_score(gradient, hessian, penalty) + leaf_score(total_gradient - gradient, other, penalty)
        prefixes.score[i] = score if legal else _NONE


@kernel
def _score_bounded(prefixes, n, extra, node, fields, penalty, limits, direction, bounds):
    """`_score` when leaf values have bounds, and must rise or fall from left to right if `direction` says so."""
    lower, upper = bounds
    total_gradient = node.gradient * fields.gradient_unit
    total_hessian = node.hessian * fields.hessian_unit
    for i in range(n):
        if prefixes.score[i] == _NONE:
            continue
        gradient = (prefixes.gradient[i] + extra.gradient) * fields.gradient_unit
        hessian = (prefixes.hessian[i] + extra.hessian) * fields.hessian_unit
        other_gradient, other_hessian = total_gradient - gradient, total_hessian - hessian
        left = clip(leaf_value(gradient, hessian, penalty), lower, upper)
        right = clip(leaf_value(other_gradient, other_hessian, penalty), lower, upper)
        if (right - left) * direction < 0.0:
            prefixes.score[i] = _NONE
        else:
            prefixes.score[i] = bounded_score(gradient, hessian, lower, upper, penalty) + bounded_score(
                other_gradient, other_hessian, lower, upper, penalty
            )


@kernel
def _score_all(prefixes, n, extra, node, fields, penalty, limits, direction, bounds):
    _score(prefixes, n, extra, node, fields, penalty, limits)
    if limits.has_monotone:
        _score_bounded(prefixes, n, extra, node, fields, penalty, limits, direction, bounds)


@kernel
def _first_best(score, n):
    """Place of the largest score, the first of equals; -1 if there is none."""
    best, place = _NONE, -1
    for i in range(n):
        if score[i] > best:
            best = score[i]
            place = i
    return place


@kernel
def _store(out, child, k, score, code, missing_left, left):
    out.gain[child, k] = score
    out.code[child, k] = code
    out.missing_left[child, k] = missing_left
    out.gradient[child, k] = left.gradient
    out.hessian[child, k] = left.hessian
    out.count[child, k] = left.count


@kernel
def _sums_at(prefixes, place, extra):
    return Sums(
        prefixes.gradient[place] + extra.gradient,
        prefixes.hessian[place] + extra.hessian,
        prefixes.count[place] + extra.count,
    )


@kernel
def search_numbers(node, n_bins, fields, limits, direction, bounds, prefixes, out, child, k):
    """Best `code <= t` split; missing rows are tried on both sides."""
    _add_up(prefixes, n_bins)
    last = n_bins - 1
    nothing = Sums(np.int64(0), np.int64(0), np.int64(0))
    missing = Sums(
        node.gradient - prefixes.gradient[last],
        node.hessian - prefixes.hessian[last],
        node.count - prefixes.count[last],
    )
    n_places = n_bins if missing.count > 0 else last  # all numbers left, missing right: the last place
    _score_all(prefixes, n_places, nothing, node, fields, limits.penalty, limits, direction, bounds)
    place = _first_best(prefixes.score, n_places)
    best = _NONE
    out.gain[child, k] = _NONE
    if place >= 0:
        best = prefixes.score[place]
        left = _sums_at(prefixes, place, nothing)
        larger_left = missing.count == 0 and 2 * left.count >= node.count  # never seen here: to the larger side
        _store(out, child, k, best, place, larger_left, left)
    if missing.count > 0:
        _score_all(prefixes, last, missing, node, fields, limits.penalty, limits, direction, bounds)
        place = _first_best(prefixes.score, last)
        if place >= 0 and prefixes.score[place] > best:
            _store(out, child, k, prefixes.score[place], place, True, _sums_at(prefixes, place, missing))


@kernel
def search_categories(node, n_bins, n_slots, fields, limits, bounds, prefixes, out, child, k):
    """Best set of categories: order them by gradient / hessian, then cut the order once. Missing is one of them."""
    n = 0
    for code in range(n_slots):
        if prefixes.count[code] > 0:
            gradient = prefixes.gradient[code] * fields.gradient_unit
            hessian = prefixes.hessian[code] * fields.hessian_unit
            key = gradient / (hessian + limits.category_smoothing)
            at = n
            while at > 0 and prefixes.key[at - 1] > key:  # insertion: few categories, ties stay in code order
                prefixes.key[at] = prefixes.key[at - 1]
                prefixes.order[at] = prefixes.order[at - 1]
                at -= 1
            prefixes.key[at] = key
            prefixes.order[at] = code
            n += 1
    out.gain[child, k] = _NONE
    if n < 2:
        return
    _reorder(prefixes, n)
    _add_up(prefixes, n)
    nothing = Sums(np.int64(0), np.int64(0), np.int64(0))
    _score_all(prefixes, n - 1, nothing, node, fields, limits.category_penalty, limits, 0, bounds)
    place = _first_best(prefixes.score, n - 1)
    if place < 0:
        return
    left = _sums_at(prefixes, place, nothing)
    _store(out, child, k, prefixes.score[place], 0, False, left)
    absent_left = 2 * left.count >= node.count  # categories without rows here follow the larger side
    _mark(out.bits[child, k], prefixes.order, place + 1, n, absent_left)
    out.missing_left[child, k] = in_set(out.bits[child, k], n_bins)


@kernel
def _reorder(prefixes, n):
    """Bring the bins into the order of their keys."""
    gradient = prefixes.gradient.copy()
    hessian = prefixes.hessian.copy()
    count = prefixes.count.copy()
    for i in range(n):
        prefixes.gradient[i] = gradient[prefixes.order[i]]
        prefixes.hessian[i] = hessian[prefixes.order[i]]
        prefixes.count[i] = count[prefixes.order[i]]


@kernel
def _mark(bits, order, n_left, n, absent_left):
    """Set the bits of the codes that go left."""
    for w in range(4):
        bits[w] = ~np.uint64(0) if absent_left else np.uint64(0)
    for i in range(n):
        code = order[i]
        bit = _ONE << np.uint64(code & 63)
        if i < n_left:
            bits[code >> 6] |= bit
        else:
            bits[code >> 6] &= ~bit


@kernel
def in_set(bits, code):
    """Whether a code is in a set of 256 bits."""
    return (bits[code >> 6] >> np.uint64(code & 63)) & _ONE


@kernel
def fill_goes_left(table, is_categorical, code, missing_left, missing_code, bits):
    """table[c] = 1 if a row of code c goes left: one rule for numbers, categories and missing."""
    for c in range(SLOTS):
        if is_categorical:
            table[c] = in_set(bits, c)
        else:
            table[c] = c <= code
    if not is_categorical:
        table[missing_code] = missing_left
