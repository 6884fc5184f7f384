"""Classes of one or more outputs, and several numbers: the walk down a list keeps its sums in memory. See pairs.py.

sums of classes    [ weight | class | class | ... | left terms | right terms ]
sums of values     [ weight | output | output | ... ]
"""

from __future__ import annotations

import numpy as np

from spinney._jit import by_type, inner_kernel, separate_kernel
from spinney.criteria.impurity import (
    ENTROPY,
    GINI,
    OWN,
    SQUARED,
    class_term,
    pair_decrease,
    pair_score,
    side_score,
    term_score,
)
from spinney.criteria.own import code_of, judge_classes
from spinney.criteria.significance import chi_squared
from spinney.data.presort import RANK
from spinney.grow.exact.entries import count_known, note, row_of, weight_at
from spinney.grow.exact.pairs import number_evidence
from spinney.grow.exact.statistics import Classes, Values


@inner_kernel
def _has_terms(statistics, code):
    """Whether the score is kept up to date row by row."""
    return statistics.by_terms and (code == GINI or code == ENTROPY)


# --- classes --------------------------------------------------------------------------------------------------------


@inner_kernel
def _add_classes(statistics, row, sums):
    weight = weight_at(statistics.weight, row)
    sums[0] += weight
    for o in range(statistics.place.shape[0]):
        sums[statistics.place[o, row]] += weight


@inner_kernel
def _start_classes(statistics, code, missing, left, total):
    """The left side's sums before the first row: those of the rows with missing values that go there."""
    left[:] = 0
    for i in range(missing.size):
        _add_classes(statistics, row_of(missing[i]), left)
    if _has_terms(statistics, code):
        for k in range(1, statistics.first[-1]):
            left[-2] += class_term(code, left[k], statistics.logs)
            left[-1] += class_term(code, total[k] - left[k], statistics.logs)


@inner_kernel
def _move_classes(statistics, code, row, left, total):
    """Move a row to the left side."""
    if not _has_terms(statistics, code):
        _add_classes(statistics, row, left)
        return
    logs, weight = statistics.logs, weight_at(statistics.weight, row)
    left[0] += weight
    for o in range(statistics.place.shape[0]):
        k = statistics.place[o, row]
        before, after = left[k], left[k] + weight
        left[k] = after
        left[-2] += class_term(code, after, logs) - class_term(code, before, logs)
        left[-1] += class_term(code, total[k] - after, logs) - class_term(code, total[k] - before, logs)


@inner_kernel
def _judge_class_sums(statistics, criterion, left, total, right, floats):
    """What the two sides are worth: by the terms, or going over all classes of all outputs."""
    code, logs, n_outputs = code_of(criterion), statistics.logs, statistics.place.shape[0]
    if _has_terms(statistics, code):
        return term_score(code, left[-2], left[-1], left[0], total[0] - left[0], n_outputs, logs)
    for k in range(statistics.first[-1]):
        right[k] = total[k] - left[k]
    weights, score = (left[0], right[0]), 0.0
    for o in range(n_outputs):
        begin, end = statistics.first[o], statistics.first[o + 1]
        score += judge_classes(criterion, left[begin:end], right[begin:end], weights, logs, statistics.unit, floats)
    return score / float(n_outputs) if code == OWN else score


@inner_kernel
def totals_of_classes(statistics, work, node, total):
    total[:] = 0
    rows = work.lists[-1, node.begin : node.end]
    for i in range(rows.size):
        _add_classes(statistics, row_of(rows[i]), total)


@inner_kernel
def decrease_of_classes(statistics, code, score, total, node):
    if code == OWN:
        return score * float(total[0]) * statistics.unit
    before = 0.0
    for o in range(statistics.first.size - 1):
        part = total[statistics.first[o] : statistics.first[o + 1]]
        before += side_score(code, part, total[0], statistics.logs)
    return max(0.0, score - before) * statistics.unit / float(statistics.first.size - 1)


@inner_kernel
def same_classes(statistics, a, b):
    for o in range(statistics.place.shape[0]):
        if statistics.place[o, a] != statistics.place[o, b]:
            return False
    return True


@inner_kernel
def lean_of_classes(statistics, row, focus):
    for o in range(statistics.place.shape[0]):
        if statistics.place[o, row] == focus:
            return weight_at(statistics.weight, row)
    return np.int64(0)


@inner_kernel
def evidence_of_classes(statistics, rank, work, rows, total):
    left, floats = work.left[rank, 0], work.floats[rank]
    left[:] = 0
    for i in range(rows.size):
        row = row_of(rows[i])
        if work.side[row]:
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
    return statistic, degrees


# --- values ---------------------------------------------------------------------------------------------------------


@inner_kernel
def _move_values(statistics, code, row, left, total):
    left[0] += weight_at(statistics.weight, row)
    for o in range(statistics.amounts.shape[0]):
        left[o + 1] += statistics.amounts[o, row]


@inner_kernel
def _start_values(statistics, code, missing, left, total):
    left[:] = 0
    for i in range(missing.size):
        _move_values(statistics, code, row_of(missing[i]), left, total)


@inner_kernel
def _judge_value_sums(statistics, criterion, left, total, right, floats):
    """Sum of the outputs' scores; -inf if the criterion forbids one."""
    score = 0.0
    for o in range(1, statistics.amounts.shape[0] + 1):
        score += pair_score(criterion, left[0], left[o], total[0] - left[0], total[o] - left[o], statistics.logs)
    return score


@inner_kernel
def totals_of_values(statistics, work, node, total):
    _start_values(statistics, 0, work.lists[-1, node.begin : node.end], total, total)


@inner_kernel
def decrease_of_values(statistics, code, score, total, node):
    scale, weight = statistics.units[1] / statistics.units[0], float(total[0])
    n_outputs = statistics.amounts.shape[0]
    if code == SQUARED:
        value = score / (weight * weight) * scale * scale
    else:
        value = score / weight * scale
        for o in range(1, n_outputs + 1):  # a score of 0 has the node's own deviance to fall by
            value += pair_decrease(code, 0.0, total[0], total[o], statistics.logs) * scale
    return max(0.0, value) * weight * statistics.units[0] / float(n_outputs)


@inner_kernel
def same_values(statistics, a, b):
    for o in range(statistics.ys.shape[0]):
        if statistics.ys[o, a] != statistics.ys[o, b]:
            return False
    return True


@inner_kernel
def lean_of_values(statistics, row, focus):
    return statistics.amounts[focus - 1, row]


@inner_kernel
def evidence_of_values(statistics, rank, work, rows, total):
    statistic, n_outputs = 0.0, statistics.ys.shape[0]
    for o in range(n_outputs):
        statistic += number_evidence(statistics.ys[o], statistics.weight, statistics.units[0], rows, work.side)
    return statistic, n_outputs


# --- the walk -------------------------------------------------------------------------------------------------------

start_left = by_type({Classes: _start_classes, Values: _start_values})
move_left = by_type({Classes: _move_classes, Values: _move_values})
judge_sums = by_type({Classes: _judge_class_sums, Values: _judge_value_sums})


@inner_kernel
def scan(statistics, criterion, rank, work, rules, node, entries, total, direction, best, has_monotone):
    left, right, floats = work.left[rank, 0], work.left[rank, 1], work.floats[rank]
    least = (rules.min_leaf, rules.min_weight)
    _walk(statistics, criterion, entries, total, least, left, right, floats, best)


@separate_kernel
def _walk(statistics, criterion, entries, total, least, left, right, floats, best):
    code, (min_leaf, min_weight) = code_of(criterion), least
    n, known = entries.size, count_known(entries)
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else 0
        start_left(statistics, code, entries[n - extra :], left, total)
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
            move_left(statistics, code, row_of(entry), left, total)
