"""The scan for absolute error: a side is as good as its rows are near their median.

To know the sum of distances from the median of a growing set, its rows are kept in a Fenwick tree by their place in the
order of the target: one array of partial sums of weights, one of weighted numbers. Adding a row and finding the median
take a logarithm of the node's size.

    tree[k] holds the sum of the places k - lowbit(k) .. k - 1, lowbit(k) being the lowest bit of k that is set:

    place     0   1   2   3   4   5   6   7
    tree[1]   -
    tree[2]   -----
    tree[3]           -
    tree[4]   -------------
    tree[5]                   -
    tree[6]                   -----
    tree[7]                           -
    tree[8]   -----------------------------

    error = sum over rows of weight * |number - median|
          = (numbers above) - median * (weight above) + median * (weight below) - (numbers below)

The left sides' errors come from a walk down the list, the right sides' from a walk up. Where columns are monotone, so
do their medians.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.data.presort import RANK
from spinney.grow.exact.partition import count_known, note, row_of
from spinney.grow.exact.scan_classes import values_keep_direction
from spinney.grow.targets import weight_at


@inner_kernel
def _add(tree, place, amount):
    # k + lowbit(k) is the next larger segment that covers this place
    k = place + 1
    while k < tree.size:
        tree[k] += amount
        k += k & -k


@inner_kernel
def _error(weights, amounts, w_total, s_total, by_place):
    """Sum of distances from the median of what is in the tree; by_place[k] is the number at place k."""
    # Down from the largest power of two: tree[at + step] is just the sum of the next `step` places, since `at` is a
    # multiple of 2 * step. Invariant: the places before `at` have less than half of the weight. At the end no larger
    # `at` has this property, so place `at` reaches half: it holds the lower median.
    step = 1
    while 2 * step < weights.size:
        step *= 2
    at, w_below, s_below = 0, np.int64(0), np.int64(0)
    while step > 0:
        ahead = at + step
        if ahead < weights.size and 2 * (w_below + weights[ahead]) < w_total:
            at = ahead
            w_below += weights[ahead]
            s_below += amounts[ahead]
        step //= 2
    median = by_place[at]
    return float((s_total - s_below) - median * (w_total - w_below) + (median * w_below - s_below))


@inner_kernel
def _median(weights, w_total, ys, by_target):
    """The median of what is in the tree; of two in the middle their mean."""
    low, high = _place_of_half(weights, w_total, False), _place_of_half(weights, w_total, True)
    return ys[row_of(by_target[low])] / 2.0 + ys[row_of(by_target[high])] / 2.0


@inner_kernel
def _place_of_half(weights, w_total, beyond):
    """The first place up to which half of the weight lies, or more than half."""
    step, at, w_below = 1, 0, np.int64(0)
    while 2 * step < weights.size:
        step *= 2
    while step > 0:
        ahead = at + step
        if ahead < weights.size:
            reached = 2 * (w_below + weights[ahead])
            if reached < w_total or (beyond and reached == w_total):
                at = ahead
                w_below += weights[ahead]
        step //= 2
    return at


@inner_kernel
def side_values(statistics, work, node):
    """The medians of the rows on the left and on the right."""
    by_target = work.lists[_by_target(statistics, work.lists, 0), node.begin : node.end]
    node.left_value = _median_of_side(statistics, by_target, work.side, np.uint8(1))
    node.right_value = _median_of_side(statistics, by_target, work.side, np.uint8(0))


@part_kernel(returns="float64")
def _median_of_side(statistics, by_target, side, which):
    total, below, low, ys = np.int64(0), np.int64(0), np.nan, statistics.ys[0]
    for k in range(by_target.size):
        row = row_of(by_target[k])
        total += weight_at(statistics.weight, row) if side[row] == which else 0
    for k in range(by_target.size):
        row = row_of(by_target[k])
        if side[row] == which:
            below += weight_at(statistics.weight, row)
            if low != low and 2 * below >= total:
                low = ys[row]
            if 2 * below > total:
                return low / 2.0 + ys[row] / 2.0
    return low


@inner_kernel
def fill_places(numbers, by_target, place, out):
    """place[row] = the row's place in its node by target; out[k] = the number at place k."""
    for k in range(by_target.size):
        row = row_of(by_target[k])
        place[row] = k
        out[k] = numbers[row]


@inner_kernel
def _by_target(statistics, lists, output):
    """Which list has the rows in order of the target: one for each output, before the last one."""
    return lists.shape[0] - 1 - statistics.numbers.shape[0] + output


@inner_kernel
def totals(statistics, work, node, total):
    """Only the weight; the error goes into the node, as mean over outputs."""
    rows = work.lists[-1, node.begin : node.end]
    total[:] = 0
    for i in range(rows.size):
        total[0] += weight_at(statistics.weight, row_of(rows[i]))
    error, n_outputs = 0.0, statistics.numbers.shape[0]
    for o in range(n_outputs):
        by_target = work.lists[_by_target(statistics, work.lists, o), node.begin : node.end]
        error += _node_error(statistics, by_target, o, total[0])
    node.impurity = error * statistics.units[1] / (float(n_outputs) * float(total[0]))


@inner_kernel
def _node_error(statistics, by_target, output, w_total):
    """Weighted sum of distances from the median."""
    below, k = np.int64(0), 0
    while True:
        below += weight_at(statistics.weight, row_of(by_target[k]))
        if 2 * below >= w_total:
            break
        k += 1
    median = statistics.numbers[output, row_of(by_target[k])]
    error = np.int64(0)
    for k in range(by_target.size):
        row = row_of(by_target[k])
        error += weight_at(statistics.weight, row) * abs(statistics.numbers[output, row] - median)
    return float(error)


@inner_kernel
def _walk(statistics, output, entries, first, known, step, places, trees, errors, medians, adds):
    """errors[i] += error of the rows before position i (step 1) or from it on (step -1), at every change of value.

    `first` are entries that are on this side from the beginning. Medians likewise, if there is room for them.
    """
    (place, by_place, by_target), (weights, amounts) = places, trees
    weights[:] = 0
    amounts[:] = 0
    w_total, s_total = np.int64(0), np.int64(0)
    for i in range(first.size):
        w_total, s_total = _enter(statistics, output, first[i], place, weights, amounts, w_total, s_total)
    i = 0 if step > 0 else known
    while True:
        changes = i == known or i == 0 or entries[i] >> RANK != entries[i - 1] >> RANK
        if changes and w_total > 0:
            error = _error(weights, amounts, w_total, s_total, by_place)
            errors[i] = error + (errors[i] if adds else 0.0)
            if medians.size:
                medians[i] = _median(weights, w_total, statistics.ys[output], by_target)
        elif changes and not adds:
            errors[i] = 0.0
        if step > 0:
            if i == known:
                return
            w_total, s_total = _enter(statistics, output, entries[i], place, weights, amounts, w_total, s_total)
            i += 1
        else:
            if i == 0:
                return
            i -= 1
            w_total, s_total = _enter(statistics, output, entries[i], place, weights, amounts, w_total, s_total)


@inner_kernel
def _enter(statistics, output, entry, place, weights, amounts, w_total, s_total):
    row = row_of(entry)
    weight = weight_at(statistics.weight, row)
    amount = weight * statistics.numbers[output, row]
    _add(weights, place[row], weight)
    _add(amounts, place[row], amount)
    return w_total + weight, s_total + amount


@part_kernel
def scan(statistics, criterion, rank, work, rules, node, entries, total, direction, best):
    n, known = entries.size, count_known(entries)
    weights, amounts = work.fenwick[rank, 0, : n + 1], work.fenwick[rank, 1, : n + 1]
    errors, by_place, medians = work.errors[rank], work.by_place[rank, :n], work.medians[rank]
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else 0
        left, right = entries[n - extra :], entries[known + extra :]
        for o in range(statistics.numbers.shape[0]):
            place = work.place[o]
            by_target = work.lists[_by_target(statistics, work.lists, o), node.begin : node.end]
            fill_places(statistics.numbers[o], by_target, place, by_place)
            places, trees = (place, by_place, by_target), (weights, amounts)
            _walk(statistics, o, entries, left, known, 1, places, trees, errors, medians[0], o > 0)
            _walk(statistics, o, entries, right, known, -1, places, trees, errors, medians[1], True)
        limits = direction, (node.lower, node.upper)
        _choose_cut(statistics, entries, known, missing_left, total, rules, errors, medians, limits, best)


@inner_kernel
def _choose_cut(statistics, entries, known, missing_left, total, rules, errors, medians, limits, best):
    n = entries.size
    extra = n - known if missing_left else 0
    w_left = np.int64(0)
    for i in range(n - extra, n):
        w_left += weight_at(statistics.weight, row_of(entries[i]))
    last = entries[0] >> RANK
    for i in range(known if missing_left else n):
        if entries[i] >> RANK != last:
            last = entries[i] >> RANK
            n_left = i + extra
            allowed = min(n_left, n - n_left) >= rules.min_leaf and min(w_left, total[0] - w_left) >= rules.min_weight
            if allowed and -errors[i] > best.score:
                if limits[0] != 0 and not values_keep_direction(limits[0], limits[1], medians[0, i], medians[1, i]):
                    w_left += weight_at(statistics.weight, row_of(entries[i]))
                    continue
                note(best, -errors[i], i, missing_left, n_left, w_left)
        w_left += weight_at(statistics.weight, row_of(entries[i]))


@inner_kernel
def decrease(statistics, code, score, total, node):
    after = -score * statistics.units[1] / float(statistics.numbers.shape[0])
    return max(0.0, node.impurity * float(total[0]) - after) * statistics.units[0]


@inner_kernel
def response(statistics, row, focus):
    return statistics.numbers[focus - 1, row] * weight_at(statistics.weight, row)
