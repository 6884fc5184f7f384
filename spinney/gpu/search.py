"""The best split of each child of the batch: grow/boosting/dense.py and scan_bins.py on the GPU.

In: the smaller children's histograms, and their parents' in the bigger children's slots. Out: the bigger children's
histograms, and in `nodes` the best split of each child that was wanted.

A block does one column of one pair: first the smaller child, then parent minus smaller child. A thread has some bins
side by side. Whichever block is a pair's last (`tickets`) compares its columns. Ties go as on the CPU: to the first
column, then to missing on the right, then to the smaller code.
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel, int32, int64
from spinney.gpu.memory import (
    BIG_SLOT,
    DONE,
    FIRST,
    N_BATCH,
    PARENT,
    SEARCHERS,
    SLOTS,
    SMALL_SIDE,
    SMALL_SLOT,
    best_of,
    running_sum,
)
from spinney.grow.boosting.choose_split import keep_split
from spinney.grow.boosting.scan_bins import bounded_cut_score, category_key, cut_score
from spinney.grow.rules import larger_side
from spinney.tree.predict_boosted import in_set

_NONE = -np.inf
_PER = SLOTS // SEARCHERS  # bins of a thread
_POOL = SLOTS  # stands for all categories with few rows in the node
_PLACES = SLOTS + 1
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@gpu_kernel
def find_splits(rows, tree):
    """Every pair of the batch, column by column."""
    bins = cuda.shared.array((3, SLOTS), int64)
    sums = cuda.shared.array(SEARCHERS, int64)
    scores = cuda.shared.array(SEARCHERS, float64)
    places = cuda.shared.array(SEARCHERS, int32)
    last = cuda.shared.array(1, int32)
    if tree.state[DONE]:
        return
    n_columns = rows.columns.size
    for item in range(cuda.blockIdx.x, tree.state[N_BATCH] * n_columns, cuda.gridDim.x):
        place, j = item // n_columns, item % n_columns
        pair = tree.pairs[place]
        if pair[SMALL_SLOT] < 0:
            continue
        for turn in range(2):
            side = pair[SMALL_SIDE] if turn == 0 else 1 - pair[SMALL_SIDE]
            if turn == 1 and pair[BIG_SLOT] < 0:
                continue
            cuda.syncthreads()
            _load(tree, pair, j, turn, bins)
            cuda.syncthreads()
            child = pair[FIRST] + side
            out = tree.found[2 * place + side, j]
            if cuda.threadIdx.x == 0:
                out.score = _NONE
            if not tree.wanted[child] or (tree.params[0].restricted and not tree.allowed[child, j]):
                continue
            if rows.columns[j].is_categorical:
                _search_categories(rows, tree, child, j, out, bins, sums, scores, places)
            else:
                _search_numbers(rows, tree, child, j, out, bins, sums, scores, places)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            cuda.threadfence()
            last[0] = cuda.atomic.add(tree.tickets, place, 1) == n_columns - 1
        cuda.syncthreads()
        if last[0]:
            cuda.threadfence()
            _choose_splits(tree, place, n_columns, scores, places)
            if cuda.threadIdx.x == 0:
                tree.tickets[place] = 0


@gpu_function
def _load(tree, pair, j, turn, bins):
    """One column's sums of the smaller child; of the bigger one by subtraction, for later as well."""
    for code in range(cuda.threadIdx.x, SLOTS, cuda.blockDim.x):
        at = SLOTS * j + code
        for part in range(3):
            value = tree.histograms[pair[SMALL_SLOT], part, at]
            if turn == 1:
                value = tree.histograms[pair[BIG_SLOT], part, at] - value
                tree.histograms[pair[BIG_SLOT], part, at] = value
            bins[part, code] = value


@gpu_function
def _add_up(bins, sums, n_bins):
    """Sums up to each of this thread's bins are those of its own and what is returned: of the threads before it."""
    begin = cuda.threadIdx.x * _PER
    gradient = hessian = count = np.int64(0)
    for code in range(begin, begin + _PER):
        if code < n_bins:
            gradient += bins[0, code]
            hessian += bins[1, code]
            count += bins[2, code]
    last = cuda.blockDim.x - 1
    gradient = running_sum(sums, gradient) - gradient
    total_gradient = sums[last]
    hessian = running_sum(sums, hessian) - hessian
    total_hessian = sums[last]
    count = running_sum(sums, count) - count
    return gradient, hessian, count, total_gradient, total_hessian, sums[last]


@gpu_function
def _score(gradient, hessian, count, node, fields, penalty, direction, rules):
    """What a cut scores, from its left side's sums; see scan_bins.py."""
    total_gradient, total_hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    left_gradient, left_hessian = gradient * fields.gradient_unit, hessian * fields.hessian_unit
    score = cut_score(count, left_gradient, left_hessian, node.count, total_gradient, total_hessian, penalty, rules)
    if rules.has_monotone and score > _NONE:
        left, right = (left_gradient, left_hessian), (total_gradient - left_gradient, total_hessian - left_hessian)
        score = bounded_cut_score(left, right, node.lower, node.upper, penalty, direction)
    return score


@gpu_function
def _search_numbers(rows, tree, child, j, out, bins, sums, scores, places):
    """Best `code <= t`; missing rows on either side."""
    node, column, fields, rules = tree.nodes[child], rows.columns[j], tree.fields[0], tree.rules[0]
    gradient, hessian, count, all_gradient, all_hessian, all_count = _add_up(bins, sums, column.n_bins)
    missing_gradient, missing_hessian = node.gradient - all_gradient, node.hessian - all_hessian
    missing_count = node.count - all_count
    begin = cuda.threadIdx.x * _PER
    best, best_place = _NONE, 2 * SLOTS
    best_gradient = best_hessian = best_count = np.int64(0)
    for code in range(begin, begin + _PER):
        if code < column.n_bins and bins[2, code] != 0:
            gradient += bins[0, code]
            hessian += bins[1, code]
            count += bins[2, code]
            if count < all_count or missing_count > 0:
                score = _score(gradient, hessian, count, node, fields, rules.penalty, column.monotone, rules)
                if score > best or (score == best and score > _NONE and code < best_place):
                    best, best_place = score, code
                    best_gradient, best_hessian, best_count = gradient, hessian, count
            if missing_count > 0 and count < all_count:
                g, h, c = gradient + missing_gradient, hessian + missing_hessian, count + missing_count
                score = _score(g, h, c, node, fields, rules.penalty, column.monotone, rules)
                if score > best:
                    best, best_place = score, SLOTS + code
                    best_gradient, best_hessian, best_count = g, h, c
    best_of(scores, places, best, best_place, SEARCHERS)
    if best > _NONE and places[0] == best_place:
        out.score = best
        out.feature = j
        out.code = best_place % SLOTS
        out.gradient, out.hessian, out.count = best_gradient, best_hessian, best_count
        out.missing_left = best_place // SLOTS if missing_count > 0 else larger_side(best_count, node.count)
        for w in range(4):
            out.bits[w] = np.uint64(0)


@gpu_function
def _search_categories(rows, tree, child, j, out, bins, sums, scores, places):
    """Best set of categories, cut from their order; each thread ranks some of them."""
    keys = cuda.shared.array(_PLACES, float64)
    order = cuda.shared.array(_PLACES, int32)
    pool = cuda.shared.array(3, int64)
    sorted_bins = cuda.shared.array((3, SLOTS), int64)
    node, column, fields, rules = tree.nodes[child], rows.columns[j], tree.fields[0], tree.rules[0]
    thread = cuda.threadIdx.x
    for part in range(thread, 3, cuda.blockDim.x):
        pool[part] = 0
    cuda.syncthreads()
    kept = np.int64(0)
    for code in range(thread, SLOTS, cuda.blockDim.x):
        for part in range(3):
            sorted_bins[part, code] = 0
        if code < column.n_slots and bins[2, code] >= rules.category_count:
            keys[code] = category_key(bins[0, code], bins[1, code], fields, rules)
            kept += 1
        elif code < column.n_slots:
            for part in range(3):
                cuda.atomic.add(pool, part, bins[part, code])
    running_sum(sums, kept)
    n = sums[cuda.blockDim.x - 1]
    has_pool = pool[2] > 0
    pool_key = category_key(pool[0], pool[1], fields, rules)
    cuda.syncthreads()
    for code in range(thread, column.n_slots, cuda.blockDim.x):
        if bins[2, code] >= rules.category_count:
            rank = 1 if has_pool and pool_key < keys[code] else 0
            for other in range(column.n_slots):
                if bins[2, other] >= rules.category_count:
                    if keys[other] < keys[code] or (keys[other] == keys[code] and other < code):
                        rank += 1
            order[rank] = code
            for part in range(3):
                sorted_bins[part, rank] = bins[part, code]
    if has_pool and thread == 0:
        rank = 0
        for other in range(column.n_slots):
            if bins[2, other] >= rules.category_count and keys[other] <= pool_key:
                rank += 1
        order[rank] = _POOL
        for part in range(3):
            sorted_bins[part, rank] = pool[part]
    n += 1 if has_pool else 0
    cuda.syncthreads()
    _cut_order(node, j, fields, rules, n, out, sorted_bins, sums, scores, places)
    cuda.syncthreads()
    if thread == 0 and out.score > _NONE:
        _mark(out, column, node, order, places[0], n)


@gpu_function
def _cut_order(node, j, fields, rules, n, out, bins, sums, scores, places):
    """The best cut of categories in their order."""
    gradient, hessian, count, _, _, _ = _add_up(bins, sums, SLOTS)
    begin = cuda.threadIdx.x * _PER
    best, best_place = _NONE, SLOTS
    best_gradient = best_hessian = best_count = np.int64(0)
    for place in range(begin, begin + _PER):
        if place < n - 1:
            gradient += bins[0, place]
            hessian += bins[1, place]
            count += bins[2, place]
            score = _score(gradient, hessian, count, node, fields, rules.category_penalty, np.int64(0), rules)
            if score > best:
                best, best_place = score, place
                best_gradient, best_hessian, best_count = gradient, hessian, count
    best_of(scores, places, best, best_place, SEARCHERS)
    if best > _NONE and places[0] == best_place:
        out.score = best
        out.feature = j
        out.code = 0
        out.gradient, out.hessian, out.count = best_gradient, best_hessian, best_count


@gpu_function
def _mark(out, column, node, order, place, n):
    """The set of codes that go left."""
    others_left = larger_side(out.count, node.count) == 1
    for i in range(n):
        if order[i] == _POOL:
            others_left = i <= place
    for w in range(4):
        out.bits[w] = _ALL if others_left else np.uint64(0)
    for i in range(n):
        code = order[i]
        if code != _POOL:
            bit = np.uint64(1) << np.uint64(code & 63)
            if i <= place:
                out.bits[code >> 6] |= bit
            else:
                out.bits[code >> 6] &= ~bit
    out.missing_left = in_set(out.bits, column.n_bins)


@gpu_function
def _choose_splits(tree, place, n_columns, scores, places):
    """The best of all columns, for both children of a pair."""
    pair, thread = tree.pairs[place], cuda.threadIdx.x
    for side in range(2):
        child = pair[FIRST] + side
        if pair[PARENT] < 0 and side == 1:
            continue
        if tree.wanted[child]:
            best, best_column = _NONE, n_columns
            for j in range(thread, n_columns, cuda.blockDim.x):
                score = tree.found[2 * place + side, j].score
                if score > best:
                    best, best_column = score, j
            best_of(scores, places, best, best_column, SEARCHERS)
            if thread == 0 and scores[0] > _NONE:
                keep_split(tree.rules[0], tree.fields[0], tree.nodes[child], tree.found[2 * place + side, places[0]])
            cuda.syncthreads()
