"""The best splits of a node, column by column."""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import inner_kernel, merged_kernel, part_kernel
from spinney._random import choose
from spinney.criteria.impurity import OWN
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import RANK
from spinney.grow.lists.arrange import MOST_ORDERS, arrange, draw, draw_set, heaviest
from spinney.grow.lists.statistics import scan
from spinney.grow.rules import column_key, order_key

_NEVER = -math.inf
_NO_KEY = np.uint64(0)


@merged_kernel
def search(rank, columns, statistics, criterion, rules, work, slot, node, first, last):
    """Note a node's best splits by some of its columns: the first-th to the last-th that it may use."""
    total, order = work.totals[slot], work.chosen[rank]
    is_drawn = rules.n_features < work.candidates.shape[1]
    if is_drawn:
        choose(rules.seed if rules.per_tree else node.random, last, order)
    # two rows can only be split into one and one: all columns that tell them apart have the same score, the first wins
    two_rows = node.end - node.begin == 2 and code_of(criterion) != OWN
    two_rows &= not (rules.random or is_drawn or rules.is_monotone)
    bar = _NEVER
    for k in range(first, last):
        j = order[k] if is_drawn else k
        entries = work.lists[j, node.begin : node.end]
        if entries[0] >> RANK == entries[-1] >> RANK:
            continue
        best = work.candidates[slot, j]
        best.bar = bar
        direction = np.int64(rules.monotone[j]) if rules.is_monotone else np.int64(0)
        if rules.random or columns.is_categorical[j]:
            _search_otherwise(
                rank, columns, statistics, criterion, rules, work, node, entries, total, direction, best, j
            )
        else:
            scan(statistics, criterion, rank, work, rules, node, entries, total, direction, best)
        if two_rows and best.score > _NEVER:
            return
        if not rules.by_ratio:  # by gain ratio columns are compared by another number than the score
            bar = max(bar, best.score)


@part_kernel
def _search_otherwise(rank, columns, statistics, criterion, rules, work, node, entries, total, direction, best, j):
    """A column of categories, in some orders of them; or one random threshold."""
    out, key = work.entries[rank, : entries.size], column_key(node.random, j)
    best.threshold = np.inf
    if not columns.is_categorical[j]:
        position = draw(entries, columns, j, key, best, out)
        scan(statistics, criterion, rank, work, rules, node, out, total, direction, best)
        if best.position != position:  # between known and missing values
            best.threshold = np.inf
        return
    n_orders = np.int64(1) if rules.random else min(np.int64(MOST_ORDERS), np.int64(rules.n_leans))
    for which in range(n_orders):
        focus = heaviest(total, rules.n_leans, which) if rules.n_leans > 1 else np.int64(1)
        arrange_node(rank, statistics, rules, work, node, entries, j, focus, out)
        if rules.random:
            draw_set(key, out)
        before = best.score
        scan(statistics, criterion, rank, work, rules, node, out, total, direction, best)
        if best.score > before:
            best.focus = focus


@inner_kernel
def arrange_node(rank, statistics, rules, work, node, entries, j, focus, out):
    """Put a node's categories in order."""
    key = _NO_KEY
    if rules.random:
        key = order_key(node.random, j)
    arrange(statistics, entries, focus, key, work.runs[rank], work.run_keys[rank], out)
