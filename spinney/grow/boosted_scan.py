"""The best split of one node on one sorted column, by second-order gain.

In: the node's segment of the column's list, its rows' gradients and hessians, and the best split of the columns so far.
Out: that, or a better one. Ties go to the first column, then the lower threshold, then to missing on the right. In a
candidate `code` is how many known entries of the segment go left, and `score` what the split gains.

The walk is that of grow/lists/scan_pairs.py: block by block, list the cuts, judge them all, look for the best. Missing
values stand last; they are on the right first, and then, if there are any, on the left.
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.criteria.gains import bounded_score, clip, leaf_score, leaf_value
from spinney.criteria.impurity import variance_score
from spinney.data.presort import MISSING, RANK, ROW
from spinney.grow.histogram.scan_bins import is_better, search_categories
from spinney.grow.lists.entries import count_known
from spinney.grow.rules import larger_side

NOTES = 2  # the place in work.best that is to note things
_NEVER = -math.inf


# Whether there are hessians and counts is known when these are compiled, as of arguments.


@inner_kernel
def gradient_of(amounts, paired, row):
    """What a row adds to its node's gradient."""
    if paired is not None:
        return amounts[row + row]
    else:
        return amounts[row]


@inner_kernel
def hessian_of(amounts, paired, row):
    if paired is not None:
        return amounts[row + row + np.uint64(1)]
    else:
        return np.int64(1)


@inner_kernel
def count_of(counts, row):
    if counts is not None:
        return counts[row]
    else:
        return np.int64(1)


@inner_kernel
def is_plain(rules):
    """Whether a split's gain is how far apart its sides' means are: nothing is penalised, nothing bounded."""
    return rules.penalty.l1 == 0.0 and rules.penalty.l2 == 0.0 and not rules.has_monotone


@inner_kernel
def score_alone(node, fields, rules):
    """What a node scores as a leaf."""
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    if rules.has_monotone:
        return bounded_score(gradient, hessian, node.lower, node.upper, rules.penalty)
    return leaf_score(gradient, hessian, rules.penalty)


@inner_kernel
def _sum(rows, entries):
    """Gradient, hessian and count of some rows."""
    gradient, hessian, count = np.int64(0), np.int64(0), np.int64(0)
    for i in range(entries.size):
        row = entries[i] & ROW
        gradient += gradient_of(rows.amounts, rows.paired, row)
        hessian += hessian_of(rows.amounts, rows.paired, row)
        count += count_of(rows.counts, row)
    return gradient, hessian, count


@part_kernel
def scan_numbers(rows, rules, entries, node, feature, direction, cuts, scores, best, monotone):
    """Best `value <= t` split."""
    n, known = entries.size, count_known(entries)
    places, g_cut, h_cut, c_cut, best_score = cuts[0], cuts[1], cuts[2], cuts[3], best.score
    for missing_left in range(2 if known < n else 1):
        gradient, hessian, count = np.int64(0), np.int64(0), np.int64(0)
        if missing_left:
            gradient, hessian, count = _sum(rows, entries[known:])
        rank_before = entries[0] >> RANK
        stop = known if missing_left or known == n else known + 1
        for begin in range(0, stop, places.size):
            block = entries[begin : min(begin + places.size, stop)]
            n_cuts = np.uint64(0)
            for k in range(block.size):
                entry = block[k]
                places[n_cuts], g_cut[n_cuts], h_cut[n_cuts], c_cut[n_cuts] = begin + k, gradient, hessian, count
                rank = entry >> RANK
                n_cuts += np.uint64(rank != rank_before)
                rank_before = rank
                row = entry & ROW
                gradient += gradient_of(rows.amounts, rows.paired, row)
                hessian += hessian_of(rows.amounts, rows.paired, row)
                count += count_of(rows.counts, row)
            m = np.int64(n_cuts)
            _judge(rows.fields, rules, node, g_cut[:m], h_cut[:m], c_cut[:m], scores[:m])
            if monotone is not None:
                _judge_bounded(rows.fields, rules, node, direction, g_cut[:m], h_cut[:m], scores[:m])
            for k in range(m):
                if scores[k] >= best_score and is_better(scores[k], feature, best):
                    best_score = scores[k]
                    best.score, best.feature, best.code, best.missing_left = scores[k], feature, places[k], missing_left
                    best.gradient, best.hessian, best.count = g_cut[k], h_cut[k], c_cut[k]
                    if known == n:
                        best.missing_left = larger_side(best.count, node.count)


@inner_kernel
def _judge(fields, rules, node, gradients, hessians, counts, scores):
    """What each of some cuts gains; -inf where a side is too small."""
    if is_plain(rules):
        _judge_plain(fields, rules, node, gradients, hessians, counts, scores)
        return
    alone = score_alone(node, fields, rules)
    gradient_unit, hessian_unit, penalty = fields.gradient_unit, fields.hessian_unit, rules.penalty
    for k in range(scores.size):
        left, right = hessians[k] * hessian_unit, (node.hessian - hessians[k]) * hessian_unit
        legal = (counts[k] >= rules.min_count) & (node.count - counts[k] >= rules.min_count)
        legal &= (left >= rules.min_hessian) & (right >= rules.min_hessian)
        score = leaf_score(gradients[k] * gradient_unit, left, penalty)
        score += leaf_score((node.gradient - gradients[k]) * gradient_unit, right, penalty)
        scores[k] = score - alone if legal else _NEVER


@inner_kernel
def _judge_plain(fields, rules, node, gradients, hessians, counts, scores):
    """The same without penalties: the sides' scores less the node's are one square, so that nothing is lost to
    cancellation and equals stay equal."""
    gradient_unit, hessian_unit = fields.gradient_unit, fields.hessian_unit
    scale = gradient_unit * gradient_unit / hessian_unit / float(max(node.hessian, 1))
    least = max(1.0, math.ceil(rules.min_hessian / hessian_unit))
    g_total, h_total, c_total, min_count = node.gradient, node.hessian, node.count, rules.min_count
    for k in range(scores.size):
        left, right = hessians[k], h_total - hessians[k]
        legal = (counts[k] >= min_count) & (c_total - counts[k] >= min_count)
        legal &= (float(left) >= least) & (float(right) >= least)
        score = variance_score(max(left, 1), gradients[k], max(right, 1), g_total - gradients[k]) * scale
        scores[k] = score if legal else _NEVER


@inner_kernel
def _judge_bounded(fields, rules, node, direction, gradients, hessians, scores):
    """`_judge` again where leaf values have bounds, and must rise or fall from left to right if `direction` says so."""
    alone, penalty = score_alone(node, fields, rules), rules.penalty
    for k in range(scores.size):
        if scores[k] == _NEVER:
            continue
        g_left, h_left = gradients[k] * fields.gradient_unit, hessians[k] * fields.hessian_unit
        g_right = (node.gradient - gradients[k]) * fields.gradient_unit
        h_right = (node.hessian - hessians[k]) * fields.hessian_unit
        left = clip(leaf_value(g_left, h_left, penalty), node.lower, node.upper)
        right = clip(leaf_value(g_right, h_right, penalty), node.lower, node.upper)
        if (right - left) * direction < 0.0:
            scores[k] = _NEVER
        else:
            score = bounded_score(g_left, h_left, node.lower, node.upper, penalty)
            scores[k] = score + bounded_score(g_right, h_right, node.lower, node.upper, penalty) - alone


@part_kernel
def scan_categories(table, rows, rules, entries, node, feature, desk, notes, best, monotone):
    """Best set of categories, from the sums of each code; as with histograms (scan_bins.py)."""
    column, codes, fields = table.columns[feature], table.codes[feature], rows.fields
    for code in range(column.n_slots):
        desk.gradient[code] = desk.hessian[code] = desk.count[code] = 0
    for i in range(entries.size):
        rank, row = entries[i] >> RANK, entries[i] & ROW
        place = column.n_bins if rank == MISSING else np.int64(codes[rank])
        desk.gradient[place] += gradient_of(rows.amounts, rows.paired, row)
        desk.hessian[place] += hessian_of(rows.amounts, rows.paired, row)
        desk.count[place] += count_of(rows.counts, row)
    notes.score, notes.feature = _NEVER, -1
    search_categories(node, feature, column, fields, rules, desk, notes, monotone)
    gain = notes.score - score_alone(node, fields, rules)
    if notes.score == _NEVER or not is_better(gain, feature, best):
        return
    best.score, best.feature, best.code, best.missing_left = gain, feature, 0, notes.missing_left
    best.gradient, best.hessian, best.count = notes.gradient, notes.hessian, notes.count
    for w in range(4):
        best.bits[w] = notes.bits[w]
