"""The scan for two classes, or one number (`Pairs`): a walk down a list keeps all its sums in registers.

This file, scan_sums.py (classes, several numbers) and scan_medians.py each define, for one kind of statistics,

    totals      the sums over a node's rows
    scan        the best cut of a list: a walk that moves one row after the other from the right side to the left and,
                wherever the value changes, scores the two sides by the criterion
    decrease    by how much the best cut reduces the node's impurity
    same        whether two rows have the same target
    response    of a row: categories are ordered by its mean
    is_significant    whether a cut passes the chi-squared test
    side_values the means of a cut's sides, or their medians, for monotone columns

Missing values are last in a list. They are on the right first; if there are any, a second walk has them on the left.
A cut between all known values and the missing ones is tried too. Ties go to the first.

With w and s the sums of weight and of weighted target on a side, W and S those of the node, the score of squared error
and of Gini with two classes is

    (s_l w_r - s_r w_l)^2 / (w_l w_r)  =  w_l w_r (mean_l - mean_r)^2  =  W^2 (decrease of the variance)

Unlike a difference of sums of squares it does not lose digits, mirrored splits have equal scores bit for bit, and two
integer sums of the left side are all that a walk keeps.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.criteria.impurity import ENTROPY, GINI, SQUARED, may_exceed, table_score, variance_score
from spinney.criteria.significance import number_statistic
from spinney.criteria.user_criterion import code_of, judge_pair
from spinney.data.presort import RANK
from spinney.grow.exact.partition import count_known, note, row_of
from spinney.grow.targets import weight_at


@inner_kernel
def square_at(square, row):
    if square is None:
        return np.int64(0)
    else:
        return square[row]


@inner_kernel
def _sum(amount, weight, square, entries):
    """Sums of weight, amount and square over some rows."""
    w, s, q = np.int64(0), np.int64(0), np.int64(0)
    for i in range(entries.size):
        row = row_of(entries[i])
        w += weight_at(weight, row)
        s += amount[row]
        q += square_at(square, row)
    return w, s, q


@inner_kernel
def totals(statistics, work, node, total):
    rows = work.lists[-1, node.begin : node.end]
    total[0], total[1], total[2] = _sum(statistics.amount, statistics.weight, statistics.square, rows)


@inner_kernel
def keeps_direction(direction, bounds, w_left, s_left, total):
    """Whether the sides' means keep the column's direction and the node's bounds."""
    left, right = float(s_left) / float(w_left), float(total[1] - s_left) / float(total[0] - w_left)
    return values_keep_direction(direction, bounds, left, right)


@inner_kernel
def values_keep_direction(direction, bounds, left, right):
    if min(left, right) < bounds[0] or max(left, right) > bounds[1]:
        return False
    return (right - left) * float(direction) >= 0.0


@inner_kernel
def scan(statistics, criterion, rank, work, rules, node, entries, total, direction, best):
    _walk(
        statistics,
        statistics.weight,
        statistics.square,
        criterion,
        entries,
        (total[0], total[1], total[2]),
        _least(statistics.weight, rules.min_leaf, rules.min_weight),
        work.cuts[rank],
        work.scores[rank],
        (node.lower, node.upper),
        direction,
        best,
    )


@inner_kernel
def _least(weight, min_leaf, min_weight):
    """Rows and weight that a side needs; where all weigh 1, they are the same."""
    if weight is None:
        return max(min_leaf, min_weight), min_weight
    else:
        return min_leaf, min_weight


@part_kernel
def _walk(statistics, weight, square, criterion, entries, total, least, cuts, scores, bounds, direction, best):
    """The scan itself. (Whether there are weights and squares is known when it is compiled, since they are arguments.)

    It goes block by block: add up, list the allowed cuts, score them all, look for the best. Each is a loop without
    branches that the processor could mispredict. Most blocks have no cut near the best so far, of this column or those
    before it: for the variance a loop without divisions finds that out, and the other steps are skipped.
    """
    amount, n, known = statistics.amount, entries.size, count_known(entries)
    w_total, (min_leaf, min_weight) = total[0], least
    places, w_cut, s_cut, q_cut = cuts[0], cuts[1], cuts[2], cuts[3]
    s_total, code = total[1], code_of(criterion)
    by_variance = code == SQUARED or code == GINI
    best_score = best.score
    # position p is the cut before entry p:   entries   [ 0 .. p - 1 | p .. known - 1 | missing ]
    #                                         side        left         right            left or right
    # `extra` missing rows are on the left, so n_left = p + extra
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else 0
        first = max(min_leaf - extra, 1)  # places of the first and last cut that leave enough rows on both sides
        last = min(n - min_leaf - extra, known - missing_left)
        if last < first:
            continue
        w_left, s_left, q_left = _sum(amount, weight, square, entries[n - extra :])
        w_more, s_more, q_more = _sum(amount, weight, square, entries[:first])
        w_left, s_left, q_left = w_left + w_more, s_left + s_more, q_left + q_more
        rank_before = entries[first - 1] >> RANK
        for begin in range(first, min(last, n - 1) + 1, places.size):
            block = entries[begin : min(begin + places.size, min(last, n - 1) + 1)]
            before, rank_before = rank_before, block[-1] >> RANK
            if by_variance:
                w_left, s_left = _add_up(amount, weight, block, w_left, s_left, w_cut, s_cut)
                sums = w_cut[: block.size], s_cut[: block.size]
                if not _may_exceed(weight, sums, begin + extra, w_total, s_total, max(best_score, best.bar)):
                    continue
                n_cuts = _list_cuts(weight, block, before, begin, extra, w_total, min_weight, cuts)
            else:
                # every entry writes to place n_cuts; only a cut that is allowed, between two values, is counted
                n_cuts = np.int64(0)
                for k in range(block.size):
                    places[n_cuts], s_cut[n_cuts] = begin + k, s_left
                    w_cut[n_cuts] = _weight_of_cut(weight, w_left, begin + k + extra)
                    _store(q_cut, n_cuts, square, q_left)
                    rank = block[k] >> RANK
                    n_cuts += np.int64((rank != before) & _is_heavy(weight, w_left, w_total, min_weight))
                    before = rank
                    row = row_of(block[k])
                    w_left += weight_at(weight, row)
                    s_left += amount[row]
                    q_left += square_at(square, row)
            found = w_cut[:n_cuts], s_cut[:n_cuts], q_cut[:n_cuts]
            judge_cuts(criterion, statistics.units, statistics.logs, found, total, scores[:n_cuts])
            for k in range(n_cuts):
                if scores[k] > best_score:
                    fits = True
                    if direction != 0:
                        fits = keeps_direction(direction, bounds, w_cut[k], s_cut[k], total)
                    if fits:
                        best_score = scores[k]
                        note(best, best_score, places[k], missing_left, places[k] + extra, w_cut[k])


@inner_kernel
def _add_up(amount, weight, block, w_left, s_left, w_cut, s_cut):
    """Note the left side's sums before each entry of a block; returns those after it."""
    for k in range(block.size):
        s_cut[k] = s_left
        _store(w_cut, k, weight, w_left)
        row = row_of(block[k])
        w_left += weight_at(weight, row)
        s_left += amount[row]
    return w_left, s_left


@inner_kernel
def _may_exceed(weight, sums, n_left, w_total, s_total, score):
    """Whether any of some cuts, the first of which has n_left rows on the left, may be worth as much as `score`."""
    # cuts within equal values and forbidden ones are tested too: they can only cost time. All are counted, without an
    # early end, because the compiler then tests several of them per instruction.
    w_cut, s_cut = sums
    n_near = np.int64(0)
    for k in range(s_cut.size):
        w = _weight_of_cut(weight, w_cut[k], n_left + k)
        n_near += np.int64(may_exceed(w, s_cut[k], w_total - w, s_total - s_cut[k], score))
    return n_near > 0


@inner_kernel
def _list_cuts(weight, block, before, begin, extra, w_total, min_weight, cuts):
    """Of the noted sums keep those of cuts that are allowed; returns how many these are."""
    places, w_cut, s_cut, n_cuts = cuts[0], cuts[1], cuts[2], np.int64(0)
    for k in range(block.size):
        w = _weight_of_cut(weight, w_cut[k], begin + k + extra)
        places[n_cuts], w_cut[n_cuts], s_cut[n_cuts] = begin + k, w, s_cut[k]
        rank = block[k] >> RANK
        n_cuts += np.int64((rank != before) & _is_heavy(weight, w, w_total, min_weight))
        before = rank
    return n_cuts


@inner_kernel
def _weight_of_cut(weight, w_left, n_left):
    """Weight on the left; where all weigh 1, these are the rows."""
    if weight is None:
        return n_left
    else:
        return w_left


@inner_kernel
def _store(cuts, k, per_row, amount):
    """Note a sum, if rows have something to be summed."""
    if per_row is not None:
        cuts[k] = amount


@inner_kernel
def _is_heavy(weight, w_left, w_total, min_weight):
    """Whether both sides have enough weight; with ones for weights the rows have been counted."""
    if weight is None:
        return True
    else:
        return (w_left >= min_weight) & (w_total - w_left >= min_weight)


@inner_kernel
def judge_cuts(criterion, units, logs, found, total, scores):
    """The score of each of some cuts, from the weight, amount and square on its left."""
    (w, s, q), w_total, s_total = found, total[0], total[1]
    if code_of(criterion) == SQUARED or code_of(criterion) == GINI:
        for k in range(scores.size):
            scores[k] = variance_score(w[k], s[k], w_total - w[k], s_total - s[k])
    elif code_of(criterion) == ENTROPY and logs.size:
        for k in range(scores.size):
            scores[k] = table_score(w[k], s[k], w_total - w[k], s_total - s[k], logs)
    else:
        for k in range(scores.size):
            scores[k] = judge_pair(criterion, units, w[k], s[k], q[k], total, logs)


@inner_kernel
def response(statistics, row, focus):
    return np.int64(statistics.amount[row])


@inner_kernel
def side_values(statistics, work, node):
    rows = work.lists[-1, node.begin : node.end]
    _side_means(statistics.amount, statistics.weight, rows, work.side, node)


@inner_kernel
def no_values(statistics, work, node):
    """Other kinds have no monotone columns."""


@part_kernel
def _side_means(amounts, weights, rows, side, node):
    """Mean amount of the rows on the left and on the right."""
    w_left, s_left, w_right, s_right = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(rows.size):
        row = row_of(rows[i])
        weight, amount = weight_at(weights, row), amounts[row]
        if side[row]:
            w_left += weight
            s_left += amount
        else:
            w_right += weight
            s_right += amount
    node.left_value, node.right_value = float(s_left) / float(w_left), float(s_right) / float(w_right)


@inner_kernel
def is_significant(statistics, rank, work, critical, rows, total):
    """For two classes n R^2 is Pearson's statistic."""
    return number_evidence(statistics.y, statistics.weight, statistics.units[0], rows, work.side) > critical[1]


@part_kernel(returns="float64")
def number_evidence(y, weight, unit, rows, side):
    """n R^2 of the marked split, by sums over the rows in their order."""
    # R^2 = (explained sum of squares) / (total sum of squares); explained = w_l w_r / W * (mean_l - mean_r)^2
    w_left, w_right, s_left, s_right = 0.0, 0.0, 0.0, 0.0
    for i in range(rows.size):
        row = row_of(rows[i])
        w = float(weight_at(weight, row)) * unit
        if side[row]:
            w_left += w
            s_left += w * y[row]
        else:
            w_right += w
            s_right += w * y[row]
    total = w_left + w_right
    mean, before = (s_left + s_right) / total, 0.0
    for i in range(rows.size):
        row = row_of(rows[i])
        before += float(weight_at(weight, row)) * unit * (y[row] - mean) ** 2
    apart = s_left / w_left - s_right / w_right
    explained = apart * apart * w_left * w_right / total
    return number_statistic(total, before, before - explained)
