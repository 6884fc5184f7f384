"""The scan for classes of one or more outputs, and several numbers: a walk down a list keeps its sums in memory.

sums of classes    [ weight | class | class | ... | left terms | right terms ]
sums of values     [ weight | output | output | ... ]
"""

from __future__ import annotations

import numpy as np

from spinney._compile import by_type, inner_kernel, part_kernel, separate_kernel
from spinney.criteria.impurity import ENTROPY, GINI, OF_TERMS, OWN, check_branches, class_term, pair_score, term_score
from spinney.criteria.significance import chi_squared
from spinney.criteria.user_criterion import code_of, judge_classes
from spinney.data.presort import RANK
from spinney.grow.exact.partition import count_known, note, row_of
from spinney.grow.exact.scan_classes import number_evidence
from spinney.grow.targets import Classes, Values, weight_at

# --- classes --------------------------------------------------------------------------------------------------------


@inner_kernel
def _add_classes(statistics, row, sums):
    weight = weight_at(statistics.weight, row)
    sums[0] += weight
    for o in range(statistics.place.shape[0]):
        sums[statistics.place[o, row]] += weight


@inner_kernel
def _judge_class_sums(statistics, criterion, left, total, right, floats):
    """The score of the two sides, going over all classes of all outputs."""
    logs, n_outputs, unit = statistics.logs, statistics.place.shape[0], statistics.unit
    for k in range(statistics.first[-1]):
        right[k] = total[k] - left[k]
    weights, score = (left[0], right[0]), 0.0
    for o in range(n_outputs):
        begin, end = statistics.first[o], statistics.first[o + 1]
        score += judge_classes(criterion, left[begin:end], right[begin:end], weights, logs, unit, floats)
    return score / float(n_outputs) if code_of(criterion) == OWN else score


@inner_kernel
def totals_of_classes(statistics, work, node, total):
    _add_up(statistics, work.lists[-1, node.begin : node.end], total)
    if statistics.by_terms:
        for k in range(1, statistics.first[-1]):
            total[-1] += class_term(statistics.code, total[k], statistics.logs)


@inner_kernel
def response_of_classes(statistics, row, focus):
    for o in range(statistics.place.shape[0]):
        if statistics.place[o, row] == focus:
            return weight_at(statistics.weight, row)
    return np.int64(0)


@inner_kernel
def is_significant_for_classes(statistics, rank, work, critical, rows, total):
    left, floats = work.left[rank, 1], work.floats[rank]  # the first one stays zero for walks by terms
    return _is_significant(statistics, left, floats, critical, rows, work.side, total)


@part_kernel(returns="bool")
def _is_significant(statistics, left, floats, critical, rows, side, total):
    left[:] = 0
    for i in range(rows.size):
        row = row_of(rows[i])
        if side[row]:
            _add_classes(statistics, row, left)
    for k in range(statistics.first[-1]):
        floats[0, k] = float(left[k]) * statistics.unit
        floats[1, k] = float(total[k] - left[k]) * statistics.unit
    statistic, degrees = 0.0, 0
    for o in range(statistics.first.size - 1):
        begin, end = statistics.first[o], statistics.first[o + 1]
        more, more_degrees = chi_squared(floats[0, begin:end], floats[1, begin:end])
        statistic += more
        degrees += more_degrees
    return statistic > critical[degrees]


# --- values ---------------------------------------------------------------------------------------------------------


@inner_kernel
def _add_values(statistics, row, left):
    left[0] += weight_at(statistics.weight, row)
    for o in range(statistics.amounts.shape[0]):
        left[o + 1] += statistics.amounts[o, row]


@inner_kernel
def _judge_value_sums(statistics, criterion, left, total, right, floats):
    """Sum of the outputs' scores; -inf if the criterion forbids one."""
    score = 0.0
    for o in range(1, statistics.amounts.shape[0] + 1):
        score += pair_score(criterion, left[0], left[o], total[0] - left[0], total[o] - left[o], statistics.logs)
    return score


@inner_kernel
def totals_of_values(statistics, work, node, total):
    _add_up(statistics, work.lists[-1, node.begin : node.end], total)


@inner_kernel
def response_of_values(statistics, row, focus):
    return statistics.amounts[focus - 1, row]


@inner_kernel
def is_significant_for_values(statistics, rank, work, critical, rows, total):
    statistic, n_outputs = 0.0, statistics.ys.shape[0]
    for o in range(n_outputs):
        statistic += number_evidence(statistics.ys[o], statistics.weight, statistics.units[0], rows, work.side)
    return statistic > critical[n_outputs]


# --- the walk -------------------------------------------------------------------------------------------------------

move_left = by_type({Classes: _add_classes, Values: _add_values})
judge_sums = by_type({Classes: _judge_class_sums, Values: _judge_value_sums})


@inner_kernel
def _add_up(statistics, entries, sums):
    """What some rows add up to."""
    sums[:] = 0
    for i in range(entries.size):
        move_left(statistics, row_of(entries[i]), sums)


@inner_kernel
def scan_classes(statistics, criterion, rank, work, rules, node, entries, total, direction, best):
    if not statistics.by_terms:
        scan_values(statistics, criterion, rank, work, rules, node, entries, total, direction, best)
        return
    _walk_by_terms(
        statistics.place,
        statistics.weight,
        statistics.logs,
        code_of(criterion),
        entries,
        total,
        (rules.min_leaf, rules.min_weight),
        work.left[rank, 0],
        work.cuts[rank],
        work.scores[rank],
        best,
    )


@inner_kernel
def scan_values(statistics, criterion, rank, work, rules, node, entries, total, direction, best):
    left, right, floats = work.left[rank, 0], work.left[rank, 1], work.floats[rank]
    _walk(statistics, criterion, entries, total, (rules.min_leaf, rules.min_weight), left, right, floats, best)


@part_kernel
def _walk(statistics, criterion, entries, total, least, left, right, floats, best):
    min_leaf, min_weight = least
    n, known = entries.size, count_known(entries)
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else 0
        _add_up(statistics, entries[n - extra :], left)
        last = entries[0] >> RANK
        for i in range(known if missing_left else n):
            entry = entries[i]
            if entry >> RANK != last:
                last = entry >> RANK
                n_left, w_left = i + extra, left[0]
                if min(n_left, n - n_left) >= min_leaf and min(w_left, total[0] - w_left) >= min_weight:
                    score = judge_sums(statistics, criterion, left, total, right, floats)
                    if score > best.score:
                        note(best, score, i, missing_left, n_left, w_left)
            move_left(statistics, row_of(entry), left)


check_branches("scan_sums._walk_by_terms", OF_TERMS, GINI, ENTROPY)


@separate_kernel
def _walk_by_terms(place, weight, logs, code, entries, total, least, left, cuts, scores, best):
    """Block by block, as in scan_classes.py: list the cuts with both sides' terms, score them all, look for the best.

    A side's term is the sum over classes of c^2 (Gini) or c log c (entropy), c the class's weight there. When a row of
    weight w moves from right to left, only its own class changes, so a walk takes as long for 100 classes as for 3:

        left    (c + w)^2 - c^2  =   w (2 c + w)
        right   (c - w)^2 - c^2  =  -w (2 c - w)

    All terms are integers, hence exact, however many updates there were. `left` is zero before and after.
    """
    n, known = entries.size, count_known(entries)
    w_total, (min_leaf, min_weight), n_outputs = total[0], least, place.shape[0]
    places, w_cut, left_cut, right_cut = cuts[0], cuts[1], cuts[2], cuts[3]
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else 0
        stop = known if missing_left else n
        w_left, on_left, on_right = np.int64(0), np.int64(0), total[-1]
        rank_before = entries[0] >> RANK
        for begin in range(-extra, stop, places.size):  # what is before 0 are the missing ones
            n_cuts = np.int64(0)
            for i in range(begin, min(begin + places.size, stop)):
                entry = entries[i if i >= 0 else n + i]
                if i >= 0:
                    rank = entry >> RANK
                    n_left = i + extra
                    places[n_cuts], w_cut[n_cuts], left_cut[n_cuts], right_cut[n_cuts] = i, w_left, on_left, on_right
                    allowed = (n_left >= min_leaf) & (n - n_left >= min_leaf) & (w_left >= min_weight)
                    n_cuts += np.int64((rank != rank_before) & allowed & (w_total - w_left >= min_weight))
                    rank_before = rank
                row = row_of(entry)
                w = weight_at(weight, row)
                w_left += w
                for o in range(n_outputs):
                    k = place[o, row]
                    here, there = left[k], total[k] - left[k]
                    left[k] = here + w
                    if code == GINI:
                        on_left += w * (here + here + w)
                        on_right -= w * (there + there - w)
                    else:
                        on_left += logs[here + w] - logs[here]
                        on_right += logs[there - w] - logs[there]
            for k in range(n_cuts):
                w = w_cut[k]
                scores[k] = term_score(code, left_cut[k], right_cut[k], w, w_total - w, n_outputs, logs)
            for k in range(n_cuts):
                if scores[k] > best.score:
                    note(best, scores[k], places[k], missing_left, places[k] + extra, w_cut[k])
        for i in range(n):
            for o in range(n_outputs):
                left[place[o, row_of(entries[i])]] = 0
