"""Boosted trees on a dense table of codes: the steps of the loop in grower.py, with histograms.

In: the state of the loop. Out: the next phase and in how many chunks it is handed out, and what is done in a chunk.

A node on the frontier keeps its histogram, since its children's are made from it. Slots are places for histograms,
packed or wide ones; sparse.py has the same, with packed ones only.
"""

from __future__ import annotations

from spinney._compile import inner_kernel
from spinney.data.dataset import LANES
from spinney.grow.boosting.choose_split import keep_split
from spinney.grow.boosting.histograms import begin_histogram, sum_chunk
from spinney.grow.boosting.leaves import sum_leaf_chunk
from spinney.grow.boosting.memory import NO_SLOT, PARTITION, ROOT, SEARCH, SUMS
from spinney.grow.boosting.partition import LEFT, RIGHT, n_chunks_of, part_rows
from spinney.grow.boosting.scan_bins import fill_goes_left
from spinney.grow.boosting.search import search_chunk
from spinney.grow.rules import NO_SPLIT

_PACKED, _WIDE = 0, 1


@inner_kernel
def begin_tree(table, rows, rules, work):
    """Empty the sums and the slots; the first phase makes the root's statistics, and its histogram by rows."""
    state, root = work.state[0], work.nodes[ROOT]
    free_slots(work, work.packed_pool.shape[0], work.wide_pool.shape[0])
    root.is_wide = work.wide_pool.shape[0] > 0 and rows.n > rows.fields.block_rows
    root.slot = take_slot(work, root.is_wide != 0)
    state.by_words = rows.n <= work.few_rows
    for i in range(work.totals.size):
        work.totals[i] = 0
    for j in range(work.used.size):
        work.used[j] = 0
    for k in range(rules.features.size):
        work.used[rules.features[k]] = 1
    begin_histogram(work)


@inner_kernel
def do_chunk(table, rank, rows, rules, work, chunk, kinds):
    """A chunk of any phase."""
    phase, desk = work.state[0].phase, work.desks[rank]
    if phase == SUMS:
        sum_chunk(rank, table, rows, work, desk, chunk)
    elif phase == SEARCH:
        search_chunk(rank, table, rows, rules, work, desk, chunk, kinds)
    elif phase == PARTITION:
        part_rows(table, work, desk, chunk)
    else:
        sum_leaf_chunk(rows, work, chunk)


@inner_kernel
def begin_search(table, rows, rules, work):
    """Open the phase that searches columns or groups of words; before it, the one that sums the small child by rows."""
    state, lanes = work.state[0], table.first_member.size - 1
    if not (state.small_wanted or state.big_wanted):
        state.phase = SEARCH
        return
    if state.phase == PARTITION:
        _place_histograms(rows.fields, work)
        if not state.by_words:
            begin_histogram(work)
            return
    at_a_time = work.group * LANES if state.by_words else work.lanes_at_a_time
    state.phase, state.n_chunks = SEARCH, (lanes + at_a_time - 1) // at_a_time


@inner_kernel
def _place_histograms(fields, work):
    """Where the children's histograms go. The big one takes over its parent's."""
    state, nodes = work.state[0], work.nodes
    small, big, parent = nodes[state.small], nodes[state.big], nodes[state.node]
    small.is_wide = small.end - small.begin > fields.block_rows
    big.is_wide = big.end - big.begin > fields.block_rows
    # the small child is summed even if only the big one is searched: big = parent - small costs fewer rows
    small.slot = take_slot(work, small.is_wide != 0)
    if state.big_wanted:
        big.slot = parent.slot if parent.is_wide == big.is_wide else take_slot(work, big.is_wide != 0)
    state.by_words = small.end - small.begin <= work.few_rows


@inner_kernel
def keep_best(table, rows, rules, work, node, found):
    """Write the best split into its node, if it is worth making; returns whether it is."""
    return keep_split(rules, rows.fields, node, found)


@inner_kernel
def end_search(table, work):
    """Give back the histograms that nobody needs."""
    state, nodes = work.state[0], work.nodes
    if state.node >= 0:
        # the parent's histogram is needed no more: subtraction has turned it into the larger child's, in place, unless
        # that one is packed and the parent's wide
        parent, big = nodes[state.node], nodes[state.big]
        if state.big_wanted and parent.is_wide == big.is_wide:
            parent.slot = NO_SLOT
        give_slot(work, parent)
    for turn in range(2):
        child = nodes[state.small if turn == 0 else state.big]
        if child.feature == NO_SPLIT:
            give_slot(work, child)


@inner_kernel
def begin_partition(table, rows, work):
    """Open the phase that sends the chosen node's rows to its children."""
    state = work.state[0]
    node = work.nodes[state.node]
    work.cursor[LEFT], work.cursor[RIGHT] = node.begin, node.end
    fill_goes_left(state.goes_left, node, table.columns[node.feature])
    state.phase, state.n_chunks = PARTITION, n_chunks_of(node.end - node.begin)


# --- slots for histograms ------------------------------------------------------------------------------------------


@inner_kernel
def free_slots(work, n_packed, n_wide):
    """Nobody has a histogram yet."""
    state = work.state[0]
    state.n_free_packed, state.n_free_wide = n_packed, n_wide
    for i in range(work.free_slots.shape[1]):
        work.free_slots[_PACKED, i] = work.free_slots[_WIDE, i] = i


@inner_kernel
def take_slot(work, is_wide):
    state = work.state[0]
    if is_wide:
        state.n_free_wide -= 1
        return work.free_slots[_WIDE, state.n_free_wide]
    state.n_free_packed -= 1
    return work.free_slots[_PACKED, state.n_free_packed]


@inner_kernel
def give_slot(work, node):
    state = work.state[0]
    if node.slot == NO_SLOT:
        return
    if node.is_wide:
        work.free_slots[_WIDE, state.n_free_wide] = node.slot
        state.n_free_wide += 1
    else:
        work.free_slots[_PACKED, state.n_free_packed] = node.slot
        state.n_free_packed += 1
    node.slot = NO_SLOT
