"""What is done to lists before scans: put categories in order, draw a threshold."""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney._random import mix, uniform
from spinney.data.bin_values import draw_code
from spinney.data.presort import RANK, ROW
from spinney.grow.lists.entries import count_known, row_of
from spinney.grow.lists.statistics import lean
from spinney.grow.targets import weight_at

MOST_ORDERS = 16  # orders of the categories that a split tries, with more than two classes or several outputs


# --- categories -----------------------------------------------------------------------------------------------------


@inner_kernel
def heaviest(total, n_sums, which):
    """The place of the which-th largest of the sums; ties go to the first."""
    last, last_place = np.int64(0), np.int64(0)
    for turn in range(which + 1):
        best, best_place = np.int64(-1), np.int64(1)
        for k in range(1, n_sums + 1):
            amount = abs(total[k])
            comes_later = turn == 0 or amount < last or (amount == last and k > last_place)
            if comes_later and amount > best:
                best, best_place = amount, np.int64(k)
        last, last_place = best, best_place
    return last_place


@part_kernel
def arrange(statistics, entries, focus, random_key, runs, keys, out):
    """Write the entries of a column of categories to `out` in an order of the categories, ranks being their places.

    The order is that of lean / weight, or, with a random key other than 0, a random one. Missing ones stay last.
    """
    known = count_known(entries)
    starts, order, spare = runs[0], runs[1], runs[2]
    n_runs = 0
    i = 0
    while i < known:
        code = entries[i] >> RANK
        starts[n_runs] = i
        weight, amount = np.int64(0), np.int64(0)
        while i < known and entries[i] >> RANK == code:
            row = row_of(entries[i])
            weight += weight_at(statistics.weight, row)
            amount += lean(statistics, row, focus)
            i += 1
        keys[n_runs] = uniform(random_key, code) if random_key != np.uint64(0) else float(amount) / float(weight)
        order[n_runs] = n_runs
        n_runs += 1
    sort_by_key(order[:n_runs], spare[:n_runs], keys)
    at = 0
    for k in range(n_runs):
        run = order[k]
        end = starts[run + 1] if run + 1 < n_runs else known
        for i in range(starts[run], end):
            out[at] = (np.uint64(k) << RANK) | (entries[i] & ROW)
            at += 1
    for i in range(known, entries.size):
        out[i] = entries[i]


@inner_kernel
def sort_by_key(order, spare, keys):
    """Merge sort, bottom up: equals stay in their order."""
    width = 1
    while width < order.size:
        for begin in range(0, order.size, 2 * width):
            middle, end = min(begin + width, order.size), min(begin + 2 * width, order.size)
            a, b = begin, middle
            for at in range(begin, end):
                if a < middle and (b >= end or keys[order[a]] <= keys[order[b]]):
                    spare[at] = order[a]
                    a += 1
                else:
                    spare[at] = order[b]
                    b += 1
        for at in range(order.size):
            order[at] = spare[at]
        width *= 2


# --- random thresholds ----------------------------------------------------------------------------------------------


@inner_kernel
def draw(entries, columns, j, random_key, best, out):
    """Draw a threshold for a column of numbers: into best.threshold; `out` are the entries cut in two by it.

    Returns how many lie at or below it.
    """
    if columns.is_binned:
        position, best.threshold = draw_edge(entries, columns.values[j], columns.middles, j, random_key)
    else:
        position, best.threshold = draw_cut(entries, columns.values[j], random_key)
    cut_in_two(entries, position, out)
    return position


@part_kernel
def draw_set(random_key, entries):
    """Cut ordered categories in two at random."""
    cut_in_two(entries, random_place(random_key, entries, count_known(entries)), entries)


@inner_kernel
def draw_cut(entries, values, random_key):
    """(how many entries lie at or below a random threshold, the threshold), between the node's extremes."""
    known = count_known(entries)
    if known == 0 or entries[0] >> RANK == entries[known - 1] >> RANK:  # all but the missing ones
        return known, np.inf
    low, high = values[np.int64(entries[0] >> RANK)], values[np.int64(entries[known - 1] >> RANK)]
    threshold = low + uniform(random_key, 0) * (high - low)
    if not (low <= threshold < high):  # rounded up, or one end is infinite
        threshold = low
    first, last = 0, known
    while first < last:
        middle = (first + last) // 2
        if values[np.int64(entries[middle] >> RANK)] <= threshold:
            first = middle + 1
        else:
            last = middle
    return first, threshold


@inner_kernel
def draw_edge(entries, edges, middles, j, random_key):
    """The same for bins, whose ranks are codes; the threshold is the edge of one of them."""
    known = count_known(entries)
    if known == 0 or entries[0] >> RANK == entries[known - 1] >> RANK:
        return known, np.inf
    code = draw_code(middles, j, np.int64(entries[0] >> RANK), np.int64(entries[known - 1] >> RANK), random_key)
    position = known
    while np.int64(entries[position - 1] >> RANK) > code:
        position -= 1
    return position, edges[code]


@inner_kernel
def cut_in_two(entries, position, out):
    """The entries with rank 0 up to a position and 1 after it; missing ones stay last."""
    known = count_known(entries)
    for i in range(known):
        out[i] = (np.uint64(0 if i < position else 1) << RANK) | (entries[i] & ROW)
    for i in range(known, entries.size):
        out[i] = entries[i]


@inner_kernel
def random_place(random_key, entries, known):
    """A random change of rank among known entries in order; `known` if there is none."""
    last = np.int64(entries[known - 1] >> RANK) if known > 0 else np.int64(0)
    if last == 0:
        return known
    wanted = np.uint64(1) + mix(random_key, 1) % np.uint64(last)
    i = 0
    while entries[i] >> RANK < wanted:
        i += 1
    return i
