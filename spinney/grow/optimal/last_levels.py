"""The best tree of up to two levels of a node, without looking at any row twice.

In: the entries of a node. Out: for each test at the root, the cost of the best left and right child, each a leaf or one
more test; and the best root. Every pair of tests on two columns is scored from counts of pairs of codes:

    column a:  codes up to x | above        rows (a <= x, b <= y)  LL  |  LR  (a <= x, b > y)
    column b:  codes up to y | above        rows (a > x, b <= y)   RL  |  RR  (a > x, b > y)

LL + LR are the two leaves of a left child that asks b, of a root that asks a; LL + RL those of a left child that asks
a, of a root that asks b; and so on: the four costs serve four pairs. Counts come from the cells that entries list; the
most frequent code of a column, which is not listed, has what is left. Cells are taken in tiles, so that the memory for
counts does not depend on their number.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.criteria.impurity import SQUARED
from spinney.grow.optimal.memory import NO_TEST
from spinney.grow.optimal.statistics import NEVER, cost_of_two, is_allowed, leaf_cost

_N_COLUMNS, _N_CELLS, _BEST, _ROOT = range(4)  # places in `state`

OWN, FIRST, SECOND = range(3)


@part_kernel
def solve_last_levels(problem, costs, pairs, rows, depth, limited, kept, counts_from):
    """Fill `pairs` for a node with these entries; `depth` is 1 or 2; `limited`: leaves need their rows.

    `counts_from`: OWN entries; for the FIRST child of a node whose counts are kept, by the numbers of its cells; for
    the SECOND, what the first child leaves of them.
    """
    _count_cells(problem, costs, pairs, rows)
    _number_cells(problem, costs, pairs, kept, counts_from)
    _start_children(costs, pairs, limited)
    if depth > 1:
        if counts_from == OWN:
            _copy_rows(problem, pairs, rows, pairs.place)
            _try_pairs(problem, costs, pairs, rows, limited)
        else:
            n = kept.state[0]
            if counts_from == FIRST:
                _copy_rows(problem, pairs, rows, kept.place)
                _count_pairs(problem, pairs, rows, (0, n, 0, n))
            else:
                _subtract(pairs.counts, kept.counts, n * n)
            _try_tile(costs, pairs, (0, pairs.state[_N_COLUMNS], 0, pairs.state[_N_COLUMNS]), (0, 0, n), limited)
    _choose_root(pairs)


@inner_kernel
def n_tests_of(pairs):
    """How many cells there are; the last one of each column is no test."""
    return pairs.state[_N_CELLS]


@inner_kernel
def best_cost(pairs):
    """The cost of the best tree with a test at the root; NEVER: there is none."""
    return pairs.state[_BEST]


@inner_kernel
def best_root(pairs):
    return pairs.state[_ROOT]


# --- codes of the node -----------------------------------------------------------------------------------------------


@inner_kernel
def _count_cells(problem, costs, pairs, rows):
    hist, total = pairs.hist, pairs.total
    for k in range(total.size):
        total[k] = 0
        for cell in range(hist.shape[1]):
            hist[k, cell] = 0
    for i in rows:
        begin, end = problem.row_first[i], problem.row_first[i + 1]
        if problem.label.size:
            k, w = problem.label[i], problem.weight[i]
            total[k] += w
            for at in range(begin, end):
                hist[k, problem.row_cells[at]] += w
        for p in range(problem.amounts.shape[0]):
            k, w = total.size - problem.amounts.shape[0] + p, problem.amounts[p, i]
            total[k] += w
            for at in range(begin, end):
                hist[k, problem.row_cells[at]] += w
    for c in range(problem.default.size):
        for k in range(total.size):
            rest = total[k]
            for cell in range(problem.first[c], problem.first[c + 1]):
                rest -= hist[k, cell]
            hist[k, problem.default[c]] += rest


@inner_kernel
def _is_there(costs, hist, cell):
    if costs.code == SQUARED:
        return hist[0, cell] > 0
    for k in range(costs.n_parts):
        if hist[k, cell] > 0:
            return True
    return False


@inner_kernel
def _number_cells(problem, costs, pairs, kept, counts_from):
    """Number the cells that rows have, of columns with several of them."""
    n_columns, n_cells = 0, 0
    for c in range(problem.default.size):
        n = 0
        for cell in range(problem.first[c], problem.first[c + 1]):
            pairs.place[cell] = -1
            n += _is_there(costs, pairs.hist, cell)
        if n < 2:
            continue
        pairs.column[n_columns], pairs.first[n_columns], pairs.default[n_columns] = c, n_cells, -1
        for cell in range(problem.first[c], problem.first[c + 1]):
            if _is_there(costs, pairs.hist, cell):
                for k in range(pairs.total.size):
                    before = pairs.cum[k, n_cells - 1] if n_cells > pairs.first[n_columns] else np.int64(0)
                    pairs.cum[k, n_cells] = before + pairs.hist[k, cell]
                if cell == problem.default[c]:
                    pairs.default[n_columns] = n_cells
                pairs.place[cell], pairs.cell[n_cells] = n_cells, cell
                pairs.base[n_cells] = n_cells if counts_from == OWN else kept.place[cell]
                n_cells += 1
        n_columns += 1
    pairs.first[n_columns] = n_cells
    pairs.state[_N_COLUMNS], pairs.state[_N_CELLS] = n_columns, n_cells


@inner_kernel
def _start_children(costs, pairs, limited):
    """Both children of each test as leaves."""
    left, right = pairs.spare[0], pairs.spare[1]
    for c in range(pairs.state[_N_COLUMNS]):
        for z in range(pairs.first[c], pairs.first[c + 1]):
            for k in range(left.size):
                left[k], right[k] = pairs.cum[k, z], pairs.total[k] - pairs.cum[k, z]
            pairs.left[z] = leaf_cost(costs, left) if is_allowed(costs, left, limited) else NEVER
            pairs.right[z] = leaf_cost(costs, right) if is_allowed(costs, right, limited) else NEVER
            pairs.left_child[z] = pairs.right_child[z] = NO_TEST


@inner_kernel
def _copy_rows(problem, pairs, rows, place):
    """The entries' cells by their numbers, without those of columns with one code."""
    at = 0
    for n in range(rows.size):
        i = rows[n]
        pairs.row_first[n] = at
        for source in range(problem.row_first[i], problem.row_first[i + 1]):
            z = place[problem.row_cells[source]]
            if z >= 0:
                pairs.row_cells[at] = z
                at += 1
    pairs.row_first[rows.size] = at


# --- pairs of codes --------------------------------------------------------------------------------------------------


@inner_kernel
def _try_pairs(problem, costs, pairs, rows, limited):
    """Tile by tile; `a` are the columns of a tile's lines, `b` those of its columns."""
    n_columns, size = pairs.state[_N_COLUMNS], np.int64(np.sqrt(float(pairs.counts.shape[1])))
    a_begin = 0
    while a_begin < n_columns:
        a_end = _tile_end(pairs, a_begin, size)
        b_begin = a_begin
        while b_begin < n_columns:
            b_end = _tile_end(pairs, b_begin, size)
            low, high = (pairs.first[a_begin], pairs.first[b_begin]), (pairs.first[a_end], pairs.first[b_end])
            _count_pairs(problem, pairs, rows, (low[0], high[0], low[1], high[1]))
            _try_tile(costs, pairs, (a_begin, a_end, b_begin, b_end), (low[0], low[1], high[1] - low[1]), limited)
            b_begin = b_end
        a_begin = a_end


@part_kernel
def _try_tile(costs, pairs, columns, place, limited):
    """All pairs of tests on columns of a tile; `place`: the first cells of its lines and columns, and its width."""
    a_begin, a_end, b_begin, b_end = columns
    plain = costs.n_parts == 2 and not limited
    for a in range(a_begin, a_end):
        if a_begin == b_begin:
            _try_same_column(costs, pairs, a, limited)
        pairs_of_two = plain and _has_two_codes(pairs, a)
        for b in range(max(a + 1, b_begin), b_end):
            if pairs_of_two and _has_two_codes(pairs, b):
                _try_two_by_two(costs, pairs, a, b, place)
                continue
            _fill_block(pairs, a, b, place)
            if plain:
                _try_block_of_two(costs, pairs, a, b)
            else:
                _try_block(costs, pairs, a, b, limited)


@inner_kernel
def keep_counts(pairs, kept):
    """Keep the counts of a node with two levels, if they are one tile."""
    n = pairs.state[_N_CELLS]
    kept.state[0] = n if n * n <= pairs.counts.shape[1] else 0
    if kept.state[0] > 0:
        for cell in range(kept.place.size):
            kept.place[cell] = pairs.place[cell]
        for k in range(kept.counts.shape[0]):
            source, goal = pairs.counts[k], kept.counts[k]
            for at in range(n * n):
                goal[at] = source[at]


@inner_kernel
def _subtract(counts, whole, n):
    """From the counts of one child to those of the other."""
    for k in range(counts.shape[0]):
        own, all_ = counts[k], whole[k]
        for at in range(n):
            own[at] = all_[at] - own[at]


@inner_kernel
def _tile_end(pairs, begin, size):
    """One past the last column of a tile."""
    end = begin + 1
    while end < pairs.state[_N_COLUMNS] and pairs.first[end + 1] - pairs.first[begin] <= size:
        end += 1
    return end


@part_kernel
def _count_pairs(problem, pairs, rows, tile):
    """counts[line of the first cell, column of the second] of all pairs of cells in a tile."""
    a_low, a_high, b_low, b_high = tile
    width, counts, cells = b_high - b_low, pairs.counts, pairs.row_cells
    for k in range(counts.shape[0]):
        for at in range((a_high - a_low) * width):
            counts[k, at] = 0
    n_amounts = problem.amounts.shape[0]
    for n in range(rows.size):
        i, begin, end = rows[n], pairs.row_first[n], pairs.row_first[n + 1]
        while begin < end and cells[begin] < a_low:
            begin += 1
        while end > begin and cells[end - 1] >= b_high:
            end -= 1
        middle = begin
        while middle < end and cells[middle] < b_low:
            middle += 1
        for x in range(begin, end):
            if cells[x] >= a_high:
                break
            line, start = (cells[x] - a_low) * width - b_low, max(x + 1, middle)
            if problem.label.size:
                own, w = counts[problem.label[i]], problem.weight[i]
                for y in range(start, end):
                    own[np.uint64(line + cells[y])] += w
            for p in range(n_amounts):
                own, w = counts[counts.shape[0] - n_amounts + p], problem.amounts[p, i]
                for y in range(start, end):
                    own[np.uint64(line + cells[y])] += w


@inner_kernel
def _has_two_codes(pairs, a):
    """Whether a column has two codes, of which one is listed."""
    return pairs.first[a + 1] - pairs.first[a] == 2 and pairs.default[a] >= 0


@inner_kernel
def _try_two_by_two(costs, pairs, a, b, place):
    """The only pair of tests on two columns of two codes, for two classes: from the only pair of codes that is
    listed."""
    za, zb = pairs.first[a], pairs.first[b]
    a_listed, b_listed = 1 - (pairs.default[a] - za), 1 - (pairs.default[b] - zb)
    at = np.uint64((pairs.base[za + a_listed] - place[0]) * place[2] + pairs.base[zb + b_listed] - place[1])
    l0, l1 = np.int64(pairs.counts[0, at]), np.int64(pairs.counts[1, at])
    a0, a1, b0, b1 = pairs.cum[0, za], pairs.cum[1, za], pairs.cum[0, zb], pairs.cum[1, zb]
    t0, t1 = pairs.total[0], pairs.total[1]
    if a_listed and b_listed:
        l0, l1 = a0 + b0 - t0 + l0, a1 + b1 - t1 + l1
    elif a_listed:
        l0, l1 = b0 - l0, b1 - l1
    elif b_listed:
        l0, l1 = a0 - l0, a1 - l1
    ll, lr = cost_of_two(costs, l0, l1), cost_of_two(costs, a0 - l0, a1 - l1)
    rl, rr = cost_of_two(costs, b0 - l0, b1 - l1), cost_of_two(costs, t0 - a0 - b0 + l0, t1 - a1 - b1 + l1)
    _improve(pairs.left, pairs.left_child, za, ll + lr, zb)
    _improve(pairs.right, pairs.right_child, za, rl + rr, zb)
    _improve(pairs.left, pairs.left_child, zb, ll + rl, za)
    _improve(pairs.right, pairs.right_child, zb, lr + rr, za)


@inner_kernel
def _fill_block(pairs, a, b, place):
    """block[x, y] = sums of rows with a's code up to x and b's up to y."""
    a_first, b_first = pairs.first[a], pairs.first[b]
    n_a, n_b = pairs.first[a + 1] - a_first, pairs.first[b + 1] - b_first
    a_default, b_default = pairs.default[a] - a_first, pairs.default[b] - b_first
    for k in range(pairs.total.size):
        counts, block = pairs.counts[k], pairs.block[k]
        for x in range(n_a):
            if x == a_default:
                continue
            source, rest = (pairs.base[a_first + x] - place[0]) * place[2] - place[1], np.int64(0)
            for y in range(n_b):
                one = np.int64(counts[np.uint64(source + pairs.base[b_first + y])])
                block[x * n_b + y] = one
                rest += one
            if b_default >= 0:
                own = pairs.cum[k, a_first + x] - (pairs.cum[k, a_first + x - 1] if x > 0 else np.int64(0))
                block[x * n_b + b_default] += own - rest
        if a_default >= 0:
            for y in range(n_b):
                rest = pairs.cum[k, b_first + y] - (pairs.cum[k, b_first + y - 1] if y > 0 else np.int64(0))
                for x in range(n_a):
                    if x != a_default:
                        rest -= block[x * n_b + y]
                block[a_default * n_b + y] = rest
        for x in range(n_a):
            for y in range(1, n_b):
                block[x * n_b + y] += block[x * n_b + y - 1]
            if x > 0:
                for y in range(n_b):
                    block[x * n_b + y] += block[(x - 1) * n_b + y]


@inner_kernel
def _improve(cost, child, z, value, test):
    if value < cost[z]:
        cost[z], child[z] = value, test


@inner_kernel
def _try_block_of_two(costs, pairs, a, b):
    """All pairs of tests on two columns, for two classes."""
    a_first, b_first = pairs.first[a], pairs.first[b]
    n_a, n_b = pairs.first[a + 1] - a_first, pairs.first[b + 1] - b_first
    zeros, ones, t0, t1 = pairs.block[0], pairs.block[1], pairs.total[0], pairs.total[1]
    for x in range(n_a - 1):
        za = a_first + x
        a0, a1 = pairs.cum[0, za], pairs.cum[1, za]
        left, right, left_child, right_child = pairs.left[za], pairs.right[za], np.int64(-1), np.int64(-1)
        for y in range(n_b - 1):
            zb = b_first + y
            l0, l1 = zeros[x * n_b + y], ones[x * n_b + y]
            b0, b1 = pairs.cum[0, zb], pairs.cum[1, zb]
            ll, lr = cost_of_two(costs, l0, l1), cost_of_two(costs, a0 - l0, a1 - l1)
            rl, rr = cost_of_two(costs, b0 - l0, b1 - l1), cost_of_two(costs, t0 - a0 - b0 + l0, t1 - a1 - b1 + l1)
            if ll + lr < left:
                left, left_child = ll + lr, zb
            if rl + rr < right:
                right, right_child = rl + rr, zb
            _improve(pairs.left, pairs.left_child, zb, ll + rl, za)
            _improve(pairs.right, pairs.right_child, zb, lr + rr, za)
        if left_child >= 0:
            pairs.left[za], pairs.left_child[za] = left, left_child
        if right_child >= 0:
            pairs.right[za], pairs.right_child[za] = right, right_child


@inner_kernel
def _try_block(costs, pairs, a, b, limited):
    """The same for any sums."""
    a_first, b_first = pairs.first[a], pairs.first[b]
    n_a, n_b = pairs.first[a + 1] - a_first, pairs.first[b + 1] - b_first
    for x in range(n_a - 1):
        za = a_first + x
        for y in range(n_b - 1):
            zb = b_first + y
            for k in range(pairs.total.size):
                ll, from_a, from_b = pairs.block[k, x * n_b + y], pairs.cum[k, za], pairs.cum[k, zb]
                pairs.spare[0, k], pairs.spare[1, k], pairs.spare[2, k] = ll, from_a - ll, from_b - ll
                pairs.spare[3, k] = pairs.total[k] - from_a - from_b + ll
            ll, lr = _cost_of(costs, pairs.spare[0], limited), _cost_of(costs, pairs.spare[1], limited)
            rl, rr = _cost_of(costs, pairs.spare[2], limited), _cost_of(costs, pairs.spare[3], limited)
            _improve(pairs.left, pairs.left_child, za, ll + lr, zb)
            _improve(pairs.right, pairs.right_child, za, rl + rr, zb)
            _improve(pairs.left, pairs.left_child, zb, ll + rl, za)
            _improve(pairs.right, pairs.right_child, zb, lr + rr, za)


@inner_kernel
def _cost_of(costs, sums, limited):
    return leaf_cost(costs, sums) if is_allowed(costs, sums, limited) else np.int64(NEVER)


@inner_kernel
def _try_same_column(costs, pairs, a, limited):
    """Children that ask the same column again: three ranges of codes."""
    first, last, spare = pairs.first[a], pairs.first[a + 1] - 1, pairs.spare
    for low in range(first, last):
        for high in range(low + 1, last):
            for k in range(pairs.total.size):
                below, above = pairs.cum[k, low], pairs.cum[k, high]
                spare[0, k], spare[1, k], spare[2, k] = below, above - below, pairs.total[k] - above
            middle = _cost_of(costs, spare[1], limited)
            _improve(pairs.left, pairs.left_child, high, _cost_of(costs, spare[0], limited) + middle, low)
            _improve(pairs.right, pairs.right_child, low, middle + _cost_of(costs, spare[2], limited), high)


@inner_kernel
def _choose_root(pairs):
    """The first of the best tests."""
    best, root = np.int64(NEVER), np.int64(NO_TEST)
    for c in range(pairs.state[_N_COLUMNS]):
        for z in range(pairs.first[c], pairs.first[c + 1] - 1):
            if pairs.left[z] + pairs.right[z] < best:
                best, root = pairs.left[z] + pairs.right[z], np.int64(z)
    pairs.state[_BEST], pairs.state[_ROOT] = best, root
