"""What cuts are worth, many at a time, from the sums on their left; and the best of them.

In: statistics.cuts, a column for each cut,

    [ rows | weight | sum | sum | ... | code ]        see search_sums.py

Out: statistics.scores. Each score is made in the order in which grow/lists/scan_sums.py makes it; the loops go over
cuts, which the compiler takes eight at a time.
"""

from __future__ import annotations

from spinney._compile import by_type, inner_kernel, separate_kernel
from spinney.criteria.impurity import (
    ENTROPY,
    ERROR,
    GINI,
    OWN,
    SQUARED,
    class_term,
    pair_score,
    side_end,
    side_more,
    term_score,
    variance_score,
)
from spinney.criteria.user_criterion import code_of, judge_classes, judge_pair
from spinney.grow.codes.search import cut_between, is_allowed
from spinney.grow.targets import Classes, Pairs, Values

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
