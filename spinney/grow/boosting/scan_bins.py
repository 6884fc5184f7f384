"""The best split of one node on one column.

In: the node's sums, the column's bins, loaded into the thread's workspace (`desk`), and the best split so far.
Out: that, or a better one (score, column, code, side of missing, left sums; for categories the set of codes that go
left). Ties go to the first column, then the smaller code, then to missing on the right.

Sums are integers until the very end: a prefix pass adds them up, then one loop without branches turns every
prefix into a score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, part_kernel, view_as_float, view_as_int
from spinney.criteria.gains import clip, leaf_score, leaf_value, value_score
from spinney.grow.boosting.memory import SLOTS
from spinney.grow.boosting.statistics import packed_count, packed_gradient, packed_hessian
from spinney.grow.rules import larger_side
from spinney.tree.predict_boosted import in_set

POOL = np.int64(SLOTS)  # represents all categories with few rows in the node
# Scores are computed so many at a time, also where fewer are left: loops of a length that the compiler knows take a
# few vector instructions, the rest of other loops goes place by place.
AT_ONCE = 8
_FEW = 64  # scores
_NONE = -np.inf
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ALL_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)


class Sums(NamedTuple):
    """Integer sums of some rows."""

    gradient: np.int64
    hessian: np.int64
    count: np.int64  # type: ignore[assignment]


@inner_kernel
def load_packed(histogram, fields, desk):
    """One column's bins from a packed histogram, as three rows of integers."""
    for i in range(histogram.size):
        desk.gradient[i] = packed_gradient(histogram[i], fields)
        desk.hessian[i] = packed_hessian(histogram[i], fields)
        desk.count[i] = packed_count(histogram[i], fields)


@inner_kernel
def load_wide(histogram, desk):
    """The same from a wide one."""
    for i in range(histogram.shape[1]):
        desk.gradient[i] = histogram[0, i]
        desk.hessian[i] = histogram[1, i]
        desk.count[i] = histogram[2, i]


@inner_kernel
def add_up_packed(histogram, fields, desk):
    """Sums up to each bin that holds rows; returns how many there are.

    Empty bins have no place: to cut after one is to cut after the bin before it.
    """
    # Without a branch: every bin writes to place n, but only one with rows moves n on, so the next bin overwrites what
    # an empty one wrote. One prefix sum of packed numbers is three at once.
    n = np.uint64(0)
    total = np.int64(0)
    for i in range(histogram.size):
        total += histogram[i]
        desk.sums[n] = total
        n += np.uint64(histogram[i] != 0)
    for i in range(np.int64(n)):
        desk.gradient[i] = packed_gradient(desk.sums[i], fields)
        desk.hessian[i] = packed_hessian(desk.sums[i], fields)
        desk.count[i] = packed_count(desk.sums[i], fields)
    return np.int64(n)


@inner_kernel
def add_up_wide(histogram, desk):
    """The same from a wide histogram."""
    n = np.uint64(0)
    gradient = hessian = count = np.int64(0)
    for i in range(histogram.shape[1]):
        gradient += histogram[0, i]
        hessian += histogram[1, i]
        count += histogram[2, i]
        desk.gradient[n] = gradient
        desk.hessian[n] = hessian
        desk.count[n] = count
        n += np.uint64(histogram[2, i] != 0)
    return np.int64(n)


@inner_kernel
def bin_at(counts, place):
    """The bin at a place: as many bins before it hold rows."""
    code = -1
    while place >= 0:
        code += 1
        place -= counts[code] != 0
    return code


@inner_kernel
def search_numbers(node, feature, column, counts, n, fields, rules, desk, best, monotone):
    """Best `code <= t` split; missing rows are tried on both sides. `desk` holds the sums up to n places.

    `counts` are the bins' counts, or packed sums: 0 just where there are no rows.
    """
    if n == 0:
        return
    last = n - 1
    missing = Sums(
        node.gradient - desk.gradient[last], node.hessian - desk.hessian[last], node.count - desk.count[last]
    )
    nothing = Sums(np.int64(0), np.int64(0), np.int64(0))
    for side in range(2 if missing.count > 0 else 1):
        extra = missing if side == 1 else nothing
        # with missing on the right, the last place separates all numbers from missing
        n_cuts = n if missing.count > 0 and side == 0 else last
        _score(desk, n_cuts, extra, node, fields, rules.penalty, rules)
        if monotone is not None:
            _score_bounded(desk, n_cuts, extra, node, fields, rules.penalty, column.monotone)
        largest = _largest(desk.score, n_cuts)
        if is_better(largest, feature, best):
            place = _place_of(desk.score, largest)
            best.code = bin_at(counts, place)
            for w in range(4):
                best.bits[w] = 0
            _store(best, feature, desk, place, extra)
            best.missing_left = side
            if missing.count == 0:
                best.missing_left = larger_side(best.count, node.count)


@part_kernel
def search_categories(node, feature, column, fields, rules, desk, best, monotone):
    """Best set of categories: order them by gradient / hessian, then cut the order once. Missing is one of them."""
    # The score G**2 / H is convex in the sums, so the best of all 2**(k-1) - 1 partitions of k categories is among the
    # k - 1 cuts of the order by G / H (Fisher, 1958). That is exact without smoothing, pooling, penalties and limits on
    # leaves, and a good guide with them.
    n = _order_categories(column, fields, rules, desk)
    if n < 2:
        return
    _add_up(desk, n)
    nothing = Sums(np.int64(0), np.int64(0), np.int64(0))
    _score(desk, n - 1, nothing, node, fields, rules.category_penalty, rules)
    if monotone is not None:
        _score_bounded(desk, n - 1, nothing, node, fields, rules.category_penalty, np.int64(0))
    largest = _largest(desk.score, n - 1)
    if not is_better(largest, feature, best):
        return
    place = _place_of(desk.score, largest)
    best.code = 0
    _store(best, feature, desk, place, nothing)
    # categories with few or no rows here go with the pool; where there is none, to the larger side
    others_left = larger_side(best.count, node.count) == 1
    for i in range(n):
        if desk.order[i] == POOL:
            others_left = i <= place
    _mark(best.bits, desk.order, place + 1, n, others_left)
    best.missing_left = in_set(best.bits, column.n_bins)


@inner_kernel
def is_better(score, feature, best):
    """Ties go to the first column, in whatever order columns are searched."""
    return score > best.score or (score == best.score and score > _NONE and feature < best.feature)


@inner_kernel
def _order_categories(column, fields, rules, desk):
    """Bring the bins that hold rows into the order of their gradient; returns how many places there are.

    Categories with few rows here share one place, POOL: alone, their gradients would be noise to sort by.
    """
    n = 0
    desk.spare[0, POOL] = desk.spare[1, POOL] = desk.spare[2, POOL] = 0
    for code in range(column.n_slots):
        desk.spare[0, code] = desk.gradient[code]
        desk.spare[1, code] = desk.hessian[code]
        desk.spare[2, code] = desk.count[code]
        if desk.count[code] >= rules.category_count:
            n = _insert_category(desk, code, n, fields, rules)
        else:
            for part in range(3):
                desk.spare[part, POOL] += desk.spare[part, code]
    if desk.spare[2, POOL] > 0:
        n = _insert_category(desk, POOL, n, fields, rules)
    for i in range(n):
        desk.gradient[i] = desk.spare[0, desk.order[i]]
        desk.hessian[i] = desk.spare[1, desk.order[i]]
        desk.count[i] = desk.spare[2, desk.order[i]]
    return n


@inner_kernel
def _insert_category(desk, code, n, fields, rules):
    """Insertion sort by smoothed gradient; ties stay in the order in which they came."""
    key = category_key(desk.spare[0, code], desk.spare[1, code], fields, rules)
    at = n
    while at > 0 and desk.key[at - 1] > key:
        desk.key[at] = desk.key[at - 1]
        desk.order[at] = desk.order[at - 1]
        at -= 1
    desk.key[at] = key
    desk.order[at] = code
    return n + 1


@inner_kernel
def category_key(gradient, hessian, fields, rules):
    """What categories are ordered by, from their sums."""
    weight = hessian * fields.hessian_unit + rules.category_smoothing
    return (gradient * fields.gradient_unit) / weight if weight > 0.0 else 0.0


@inner_kernel
def _add_up(desk, n):
    gradient = hessian = count = np.int64(0)
    for i in range(n):
        gradient += desk.gradient[i]
        hessian += desk.hessian[i]
        count += desk.count[i]
        desk.gradient[i] = gradient
        desk.hessian[i] = hessian
        desk.count[i] = count


@inner_kernel
def _score(desk, n, extra, node, fields, penalty, rules):
    """score[i] of the split after place i, with `extra` sums added to the left; -inf where a side is too small.

    Places that follow, up to a multiple of AT_ONCE, get scores of whatever is there.
    """
    total_count = node.count
    total_gradient = node.gradient * fields.gradient_unit
    total_hessian = node.hessian * fields.hessian_unit
    for first in range(0, n, AT_ONCE):
        for k in range(AT_ONCE):
            i = np.uint64(first + k)
            count = desk.count[i] + extra.count
            gradient = (desk.gradient[i] + extra.gradient) * fields.gradient_unit
            hessian = (desk.hessian[i] + extra.hessian) * fields.hessian_unit
            desk.score[i] = cut_score(
                count, gradient, hessian, total_count, total_gradient, total_hessian, penalty, rules
            )


@inner_kernel
def cut_score(count, gradient, hessian, total_count, total_gradient, total_hessian, penalty, rules):
    """What the sides of a cut score together, from the sums of the left one and of both; -inf if one is too small."""
    other = total_hessian - hessian
    legal = (
        (count >= rules.min_count)
        & (total_count - count >= rules.min_count)
        & (hessian >= rules.min_hessian)
        & (other >= rules.min_hessian)
    )
    score = leaf_score(gradient, hessian, penalty) + leaf_score(total_gradient - gradient, other, penalty)
    return score if legal else _NONE


@inner_kernel
def _score_bounded(desk, n, extra, node, fields, penalty, direction):
    """`_score` again where leaf values have bounds, and must rise (`direction` 1) or fall (-1) from left to right."""
    total_gradient = node.gradient * fields.gradient_unit
    total_hessian = node.hessian * fields.hessian_unit
    for i in range(n):
        if desk.score[i] == _NONE:
            continue
        gradient = (desk.gradient[i] + extra.gradient) * fields.gradient_unit
        hessian = (desk.hessian[i] + extra.hessian) * fields.hessian_unit
        left, right = (gradient, hessian), (total_gradient - gradient, total_hessian - hessian)
        desk.score[i] = bounded_cut_score(left, right, node.lower, node.upper, penalty, direction)


@inner_kernel
def bounded_cut_score(left, right, lower, upper, penalty, direction):
    """The same of a legal cut whose sides have bounds, and a direction if that is not 0; a side is its two sums."""
    left_value = clip(leaf_value(left[0], left[1], penalty), lower, upper)
    right_value = clip(leaf_value(right[0], right[1], penalty), lower, upper)
    if (right_value - left_value) * direction < 0.0:
        return _NONE
    score = value_score(left_value, left[0], left[1], penalty)
    return score + value_score(right_value, right[0], right[1], penalty)


@inner_kernel
def _largest(score, n):
    """The largest of n scores, -inf if there is none. As integers, since those the compiler compares many at a time.

    What follows them, up to a multiple of AT_ONCE, is overwritten.
    """
    largest = _sortable(_NONE)
    if n > _FEW:
        for i in range(n):
            bits = _sortable(score[i])
            largest = bits if bits > largest else largest
    else:
        end = (n + AT_ONCE - 1) // AT_ONCE * AT_ONCE
        for i in range(n, end):
            score[np.uint64(i)] = _NONE
        for first in range(0, end, AT_ONCE):
            of_these = _sortable(_NONE)
            for k in range(AT_ONCE):
                bits = _sortable(score[np.uint64(first + k)])
                of_these = bits if bits > of_these else of_these
            largest = of_these if of_these > largest else largest
    return view_as_float(_sortable_bits(largest))


@inner_kernel
def _sortable(number):
    """A float64's bits as an integer that sorts like the number."""
    return _sortable_bits(view_as_int(number))


@inner_kernel
def _sortable_bits(bits):
    """Bits to a sortable integer, and back."""
    # negative floats sort backwards as integers: flipping all their bits but the sign puts them in order, and doing so
    # twice changes nothing
    return bits ^ ((bits >> 63) & _ALL_BUT_SIGN)


@inner_kernel
def _place_of(score, wanted):
    """The first place with that score; it must be there."""
    place = 0
    while score[place] != wanted:
        place += 1
    return place


@inner_kernel
def _store(out, feature, desk, place, extra):
    out.feature = feature
    out.score = desk.score[place]
    out.gradient = desk.gradient[place] + extra.gradient
    out.hessian = desk.hessian[place] + extra.hessian
    out.count = desk.count[place] + extra.count


@inner_kernel
def _mark(bits, order, n_left, n, others_left):
    """Set the bits of the codes that go left."""
    for w in range(4):
        bits[w] = _ALL if others_left else np.uint64(0)
    for i in range(n):
        code = order[i]
        if code == POOL:
            continue
        bit = _ONE << np.uint64(code & 63)
        if i < n_left:
            bits[code >> 6] |= bit
        else:
            bits[code >> 6] &= ~bit


@inner_kernel
def fill_goes_left(table, node, column):
    """table[c] = 1 if a row of code c goes left: one rule for numbers, categories and missing."""
    if column.is_categorical:
        for c in range(SLOTS):
            table[c] = in_set(node.bits, c)
    else:
        code = node.code
        for c in range(SLOTS):
            table[c] = c <= code
        table[column.n_bins] = node.missing_left
