"""The best cut of a column of a sparse table: the scans of scan_classes.py and scan_sums.py, all zeros in one step.

In: the node's sums and the column's stretch of entries. Out: the best cut, as if the list named every row: a position
is how many rows stand before it. What the zeros weigh is what the node weighs less the others, in whole numbers.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import by_type, inner_kernel, part_kernel
from spinney.criteria.impurity import GINI, SQUARED, class_term, term_score, variance_score
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import MISSING, RANK, ROW
from spinney.grow.exact.partition import note, row_of
from spinney.grow.exact.scan_classes import judge_cuts, keeps_direction, square_at
from spinney.grow.exact.search import scan
from spinney.grow.targets import Classes, Medians, Pairs, Values, weight_at

ALL_CUTS = np.int64(-1)  # instead of a place: every change of value is a cut


# --- pairs ------------------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_pairs(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    bounds = node.lower, node.upper
    least = rules.min_leaf, rules.min_weight
    n = _group(statistics, statistics.weight, statistics.square, cells, total, cut)
    desk = work.cuts[0], work.scores[0]
    _judge_groups(statistics, criterion, cells.groups, n, cells.stretch[0], total, least, desk, bounds, direction, best)


@part_kernel(returns="int64")
def _group(statistics, weight, square, cells, total, cut):
    """Sums of the rows of each value, in ascending order, and behind them those of missing values; returns how many
    values there are. With a `cut` there are two: up to that place, and beyond."""
    stretch, groups, amount = cells.stretch[0], cells.groups, statistics.amount
    zero, missing = cells.zero[stretch.column], cells.start[stretch.column + 1] - 1
    n, last = np.int64(-1), np.int64(-1)
    w_zero, s_zero, q_zero = np.int64(total[0]), np.int64(total[1]), np.int64(total[2])
    at_zero = np.int64(-1)
    for k in range(stretch.begin, stretch.end + 1):
        place = np.int64(cells.entries[k] >> RANK) if k < stretch.end else missing + 1
        if at_zero < 0 and place > zero:  # here the zeros come in
            which = np.int64(zero > cut) if cut >= 0 else zero
            if stretch.n_zeros > 0:
                if which != last:
                    n += 1
                    groups[0, n] = groups[1, n] = groups[2, n] = groups[3, n] = 0
                    last = which
                groups[0, n] += stretch.n_zeros
                at_zero = n
            else:
                at_zero = np.int64(0)
        if k == stretch.end:
            break
        which = place
        if cut >= 0:
            which = np.int64(2) if place == missing else np.int64(place > cut)
        if which != last:
            n += 1
            groups[0, n] = groups[1, n] = groups[2, n] = groups[3, n] = 0
            last = which
        row = row_of(cells.entries[k])
        w, s, q = weight_at(weight, row), np.int64(amount[row]), square_at(square, row)
        groups[0, n] += 1
        groups[1, n] += w
        groups[2, n] += s
        groups[3, n] += q
        w_zero, s_zero, q_zero = w_zero - w, s_zero - s, q_zero - q
    if stretch.n_zeros > 0:
        groups[1, at_zero] += w_zero
        groups[2, at_zero] += s_zero
        groups[3, at_zero] += q_zero
    return n + 1 if stretch.n_known == stretch.n_rows else n


@part_kernel
def _judge_groups(statistics, criterion, groups, n_values, stretch, total, least, desk, bounds, direction, best):
    """The cuts between values, and that before missing ones; these are on the right first, then on the left."""
    n, known, (min_leaf, min_weight) = stretch.n_rows, stretch.n_known, least
    cuts, scores = desk
    places, w_cut, s_cut, q_cut = cuts[0], cuts[1], cuts[2], cuts[3]
    code, w_total, s_total = code_of(criterion), total[0], total[1]
    sums = np.int64(total[0]), np.int64(total[1]), np.int64(total[2])
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else np.int64(0)
        n_left, w, s, q = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        if missing_left:
            w, s, q = groups[1, n_values], groups[2, n_values], groups[3, n_values]
        end = n_values if known < n and not missing_left else n_values - 1
        g = np.int64(0)
        while g < end:
            n_cuts = np.int64(0)
            while g < end and n_cuts < places.size:
                n_left += groups[0, g]
                w += groups[1, g]
                s += groups[2, g]
                q += groups[3, g]
                places[n_cuts], w_cut[n_cuts], s_cut[n_cuts], q_cut[n_cuts] = n_left, w, s, q
                rows = n_left + extra
                n_cuts += np.int64(
                    (rows >= min_leaf) & (n - rows >= min_leaf) & (w >= min_weight) & (w_total - w >= min_weight)
                )
                g += 1
            if code == SQUARED or code == GINI:
                for k in range(n_cuts):
                    scores[k] = variance_score(w_cut[k], s_cut[k], w_total - w_cut[k], s_total - s_cut[k])
            else:
                judge_cuts(
                    criterion,
                    statistics.units,
                    statistics.logs,
                    w_cut[:n_cuts],
                    s_cut[:n_cuts],
                    q_cut[:n_cuts],
                    sums,
                    scores[:n_cuts],
                )
            for k in range(n_cuts):
                if scores[k] > best.score:
                    if direction == 0 or keeps_direction(direction, bounds, w_cut[k], s_cut[k], total):
                        note(best, scores[k], places[k], missing_left, places[k] + extra, w_cut[k])


# --- classes ----------------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_classes(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    if not statistics.by_terms or cut >= 0:
        _scan_rows(statistics, criterion, cells, work, rules, node, total, direction, cut, best)
        return
    least = rules.min_leaf, rules.min_weight
    _walk_classes(
        statistics.place,
        statistics.weight,
        statistics.logs,
        code_of(criterion),
        cells,
        total,
        least,
        work.left[0],
        best,
    )


@part_kernel
def _walk_classes(place, weight, logs, code, cells, total, least, sides, best):
    """As `_walk_by_terms` in scan_sums.py. `sides[0]` is zero before and after."""
    stretch, left, zeros = cells.stretch[0], sides[0], sides[1]
    n, known, (min_leaf, min_weight) = stretch.n_rows, stretch.n_known, least
    n_outputs = place.shape[0]
    for k in range(zeros.size):
        zeros[k] = total[k]
    for k in range(stretch.begin, stretch.end):
        row = row_of(cells.entries[k])
        zeros[0] -= weight_at(weight, row)
        for o in range(n_outputs):
            zeros[place[o, row]] -= weight_at(weight, row)
    for missing_left in range(2 if known < n else 1):
        for k in range(left.size):
            left[k] = 0
        n_left, w_left, on_left, on_right = np.int64(0), np.int64(0), np.int64(0), np.int64(total[-1])
        extra = n - known if missing_left else np.int64(0)
        # entries in their order, the zeros at n_below; with missing ones on the left these come first
        steps = stretch.end - stretch.begin + 1
        last = np.int64(-1)
        for step in range(-extra, steps - extra if missing_left else steps):
            e = stretch.begin + step
            if step < 0:
                e = stretch.end + step
            elif step == stretch.n_below:
                e = np.int64(-1)
            elif step > stretch.n_below:
                e -= 1
            if e < 0 and stretch.n_zeros == 0:
                continue
            now = cells.zero[stretch.column] if e < 0 else np.int64(cells.entries[e] >> RANK)
            if step >= 0 and last >= 0 and now != last:
                rows = n_left + extra
                if min(rows, n - rows) >= min_leaf and min(w_left, total[0] - w_left) >= min_weight:
                    score = term_score(code, on_left, on_right, w_left, total[0] - w_left, n_outputs, logs)
                    if score > best.score:
                        note(best, score, n_left, missing_left, rows, w_left)
            if step >= 0:
                last = now
            if e >= 0:
                row = row_of(cells.entries[e])
                w = weight_at(weight, row)
                w_left += w
                n_left += np.int64(step >= 0)
                for o in range(n_outputs):
                    c = place[o, row]
                    here, there = left[c], total[c] - left[c]
                    on_left += class_term(code, here + w, logs) - class_term(code, here, logs)
                    on_right += class_term(code, there - w, logs) - class_term(code, there, logs)
                    left[c] = here + w
            else:
                w_left += zeros[0]
                n_left += stretch.n_zeros
                for c in range(1, total.size - 1):
                    here, there, w = left[c], total[c] - left[c], zeros[c]
                    on_left += class_term(code, here + w, logs) - class_term(code, here, logs)
                    on_right += class_term(code, there - w, logs) - class_term(code, there, logs)
                    left[c] = here + w
    for k in range(left.size):
        left[k] = 0


# --- any statistics ---------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_rows(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    """Name every row, and scan that."""
    entries = work.entries[0, : node.end - node.begin]
    _name_rows(cells, work.lists[-1, node.begin : node.end], cut, entries)
    scan(statistics, criterion, np.int64(0), work, rules, node, entries, total, direction, best)


@part_kernel
def _name_rows(cells, rows, cut, out):
    """The list of a column as data/presort.py would have it for these rows."""
    stretch, at = cells.stretch[0], np.int64(0)
    zero, missing = cells.zero[stretch.column], cells.start[stretch.column + 1] - 1
    for k in range(stretch.begin, stretch.end):
        cells.is_listed[row_of(cells.entries[k])] = 1
    for k in range(stretch.begin, stretch.begin + stretch.n_below):
        out[at] = _named(cells.entries[k], cut, missing)
        at += 1
    for i in range(rows.size):
        row = row_of(rows[i])
        if cells.is_listed[row] == 0:
            out[at] = _named((np.uint64(zero) << RANK) | np.uint64(row), cut, missing)
            at += 1
    for k in range(stretch.begin + stretch.n_below, stretch.end):
        out[at] = _named(cells.entries[k], cut, missing)
        at += 1
    for k in range(stretch.begin, stretch.end):
        cells.is_listed[row_of(cells.entries[k])] = 0


@inner_kernel
def _named(entry, cut, missing):
    place = np.int64(entry >> RANK)
    rank = np.uint64(place)
    if place == missing:
        rank = MISSING
    elif cut >= 0:
        rank = np.uint64(place > cut)
    return (rank << RANK) | (entry & ROW)


scan_stretch = by_type({Pairs: _scan_pairs, Classes: _scan_classes, Values: _scan_rows, Medians: _scan_rows})
