"""A good tree in little time: each node asks what the best tree of two levels asks at its root.

In: a `Problem`. Out: a tree as a heap of tests. It is where the search begins, and what it falls back on. Near the
leaves, where two levels are left, it is optimal; above them it is greedy with a look ahead, which is nearly as good as
an optimal tree on most tables (Babbar, McTavish, Rudin and Seltzer 2025).
"""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel
from spinney._team import Team
from spinney.grow.optimal.last_levels import OWN, best_cost, best_root, solve_last_levels
from spinney.grow.optimal.memory import NO_TEST, OptimalWork, Problem
from spinney.grow.optimal.search import TIME, Root
from spinney.grow.optimal.statistics import Costs, leaf_cost


def look_ahead(problem: Problem, costs: Costs, work: OptimalWork, depth: int, root: Root, team: Team) -> np.ndarray:
    """A tree of this depth; smaller if time is up."""
    heap, top = np.full(2 << depth, NO_TEST, np.int32), np.empty(4, np.int32)
    waiting = [(1, depth, np.arange(problem.codes.shape[1], dtype=np.int32))]
    while waiting and not root.state[TIME]:
        at, levels, rows = waiting.pop()
        team.run(_best_of_two_levels, problem, costs, work, rows, min(levels, 2), top)
        heap[at] = top[1]
        if levels <= 2:
            if levels == 2:
                heap[2 * at : 2 * at + 2] = top[2:]
            continue
        if top[1] == NO_TEST:
            continue
        v = int(np.searchsorted(problem.first, top[1], side="right")) - 1
        left = problem.codes[v, rows] <= top[1] - problem.first[v]
        waiting += [(2 * at + 1, levels - 1, rows[~left]), (2 * at, levels - 1, rows[left])]
    return heap


@kernel
def _best_of_two_levels(rank, size, sync, problem, costs, work, rows, depth, top):
    """The heap of the best tree of a node."""
    if rank > 0:
        return
    pairs = work.pairs
    solve_last_levels(problem, costs, pairs, rows, depth, costs.limited, work.kept, OWN)
    top[1] = top[2] = top[3] = NO_TEST
    if best_cost(pairs) < leaf_cost(costs, pairs.total):
        z = best_root(pairs)
        top[1] = pairs.cell[z]
        if depth > 1:
            left, right = pairs.left_child[z], pairs.right_child[z]
            top[2] = pairs.cell[left] if left >= 0 else NO_TEST
            top[3] = pairs.cell[right] if right >= 0 else NO_TEST
