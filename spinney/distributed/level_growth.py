"""The loop of grow/boosting/grower.py, one batch of nodes a step, for machines that cannot run inside its kernel.

In: a backend, which holds the rows and the histograms somewhere else, and what `grow_tree` gets. Out: the same `work`
that `grow_tree` leaves behind, so that all that follows (freezing, scores, leaf renewal) does not notice.

A step takes the next nodes of the frontier, *opens* them (parts their rows, makes their children, searches those),
and then *splits* them in the frontier's order. Level by level, a batch is a whole level. Best-first, it is the first
node and, with `lookahead`, the next few as well: those whose turn never comes were opened in vain and stay leaves.

    frontier, best first      7  4  9  5          lookahead 1: 7 and 4 are opened
    7 is split, 11 and 12     11 4  9  5  12      11 comes before 4: it is opened next (4 is open already)

Nodes get their numbers when they are split, so the trees are those of the CPU, byte for byte. The policy of the
frontier, the rules and the formulas are the CPU's own; this file knows nothing of codes, bins or gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.data.dataset import LANES, STRIDE, records
from spinney.grow.boosting.choose_split import is_promising, keep_split, make_pair, open_root, put_on_frontier
from spinney.grow.boosting.dense import free_slots, give_slot, take_slot
from spinney.grow.boosting.histograms import (
    COUNT,
    GRADIENT,
    HESSIAN,
    begin_histogram,
    drop_digit,
    read_digit,
    reduce_packed,
    reduce_wide,
    sum_chunk,
    sum_words,
)
from spinney.grow.boosting.leaves import finish_tree, order_pieces, sum_leaf_chunk
from spinney.grow.boosting.memory import CANDIDATE, NO_SLOT, NODE, ROOT, STATE, BinnedTable, BoostingRows, BoostingWork
from spinney.grow.boosting.partition import LEFT, RIGHT, n_chunks_of, part_rows
from spinney.grow.boosting.scan_bins import (
    Sums,
    add_up_wide,
    fill_goes_left,
    is_better,
    load_wide,
    search_categories,
    search_numbers,
)
from spinney.grow.boosting.statistics import packed_count, packed_gradient, packed_hessian
from spinney.grow.rules import NO_SPLIT, BoostingRules, Kinds, allow_features, narrow_groups, pop

# ----------------------------------------------------------------------------------------------------------------------
# This machine's cores as a backend of the loop above, for rows of which other machines have further ones.
#
# In:  what the loop asks for: nodes to sum, to search, to part. Out: the same, of the rows of all machines together:
# each sums its own rows with the kernels of grow/boosting/, and `add_up` puts the machines' integers together (on one
# machine it is the identity). Only the smaller child's histogram is summed and sent; the bigger one's is its parent's
# minus that.
#
# A node's segment is that of the rows that are here; its sums and counts are those of all rows.


AddUp = Callable[[np.ndarray], np.ndarray]  # this machine's integers -> those of all machines


def alone(sums: np.ndarray) -> np.ndarray:
    """`add_up` of one machine."""
    return sums


class CpuBackend:
    """One fit's backend; `work` is the memory that the loop is called with.

    `nodes` are tables of NODE records, copies that a backend may keep but not change. A node's rows are known by its
    segment (`depth`, `begin`, `end`), its histogram by its `slot`, a small number that the loop gives out and takes.
    """

    def __init__(self, work: BoostingWork, layout_size: int, kinds: Kinds, team: Team, add_up: AddUp = alone) -> None:
        self.work, self.kinds, self.team, self.add_up = work, kinds, team, add_up
        self._size = layout_size
        # nobody touches the memory of slots that are not handed out
        self._pool = np.empty((2 * len(work.pieces) + 2, 3, layout_size), np.int64)
        self._state, self._root = records(1, STATE), records(1, NODE)

    def open(self, table: BinnedTable, rows: BoostingRows, rules: BoostingRules) -> Sums:
        """Begin a tree: quantise its rows. Returns the root's sums; the root's segment is 0 .. rows.n at depth 0.

        The root's histogram is summed on the way, and sent with its sums.
        """
        self.table, self.rows, self.rules = table, rows, rules
        self.work.totals[:] = 0
        self._root[0]["begin"], self._root[0]["end"], self._root[0]["depth"] = 0, rows.n, 0
        found = np.zeros(3 + 3 * self._size, np.int64)
        self._sum_nodes(self._root, 0, found[3:].reshape(1, 3, self._size))
        found[:3] = self.work.totals[[GRADIENT, HESSIAN, COUNT]]
        found = self.add_up(found)
        self._histogram = found[3:].reshape(3, self._size)
        return Sums(*found[:3])

    def build_histograms(self, nodes: Any) -> None:
        """Fill the slots of some nodes: the root alone, or pairs of siblings, the left one first.

        In the slot of a pair's bigger child still stands the parent's histogram, ready for subtracting the smaller
        one's (that which counts less, the left one of equals). NO_SLOT: this histogram is not needed.
        """
        if len(nodes) == 1:
            self._pool[nodes[0]["slot"]] = self._histogram
            return
        left, right = nodes[0::2], nodes[1::2]
        is_right = left["count"] > right["count"]
        smalls, bigs = left.copy(), right.copy()
        smalls[is_right], bigs[is_right] = right[is_right], left[is_right]
        sums = np.zeros((len(smalls), 3, self._size), np.int64)
        # number 0 is the root to the kernels, which quantise its rows
        self._sum_nodes(np.concatenate([self._root, smalls]), 1, sums)
        sums = self.add_up(sums)
        for small, big, own in zip(smalls["slot"].tolist(), bigs["slot"].tolist(), sums):
            self._pool[small] = own
            if big != NO_SLOT:
                self._pool[big] -= own

    def _sum_nodes(self, nodes: Any, first: int, sums: np.ndarray) -> None:
        """Histograms of the nodes from `first` on, from the rows that are here."""
        nodes["is_wide"] = nodes["end"] - nodes["begin"] > self.rows.fields.block_rows
        work = self.work._replace(nodes=nodes, state=self._state)
        if self.team.size == 1:
            self.team.run(_sum_nodes, self.table, self.rows, work, first, len(nodes), sums)
            return
        for k in range(first, len(nodes)):
            _begin_sums(work, k)
            self.team.run(_sum_by_rows, self.table, self.rows, work)
            self.team.run(_sum_nodes, self.table, self.rows, work, k, k + 1, sums[k - first : k - first + 1])

    def find_splits(self, nodes: Any, allowed: np.ndarray) -> Any:
        """The best split of each node, as CANDIDATE records; score -inf where there is none.

        allowed[i, j] says whether node i may use column j. Ties go to the first column.
        """
        best = records((self.team.size, len(nodes)), CANDIDATE)
        work = self.work._replace(nodes=nodes)
        self.team.run(_search, self.table, self.rows.fields, self.rules, work, self._pool, allowed, best, self.kinds)
        for others in best[1:]:
            _keep_better(others, best[0])
        return best[0]

    def partition_rows(self, nodes: Any) -> np.ndarray:
        """Send each node's rows to its two children, as its split says. Returns where the right children begin.

        The node's own segment must stay readable: it may be a leaf in the end.
        """
        work = self.work._replace(nodes=nodes, state=self._state)
        middles = np.empty(len(nodes), np.int64)
        if self.team.size == 1:
            self.team.run(_part_nodes, self.table, work, 0, len(nodes), middles)
            return middles
        for k in range(len(nodes)):
            _begin_partition(self.table, work, k)
            self.team.run(_part_nodes, self.table, work, k, k + 1, middles)
            middles[k] = work.cursor[LEFT]
        return middles

    def sum_leaves(self, rows: BoostingRows, work: BoostingWork) -> None:
        """Write every row into its leaf's segment of work.rows, where it stands already, and the leaves' sums in the
        finer units."""
        self.team.run(_sum_leaves_by_team, rows, work)
        n = 2 * int(work.state[0]["n_leaves"])
        work.leaf_sums[:n] = self.add_up(work.leaf_sums[:n])


# --- histograms ------------------------------------------------------------------------------------------------------


@kernel
def _begin_sums(work, small):
    _open_sums(work, small)


@inner_kernel
def _open_sums(work, small):
    state, node = work.state[0], work.nodes[small]
    state.small = small
    state.by_words = node.end - node.begin <= work.few_rows
    begin_histogram(work)


@kernel
def _sum_by_rows(rank, size, sync, table, rows, work):
    """Each thread some rows of a node, into its scratch; the root's are quantised on the way."""
    table, rows, work = refer(table), refer(rows), refer(work)
    state = work.state[0]
    if state.by_words and state.small != ROOT:
        return
    while True:
        chunk = next_chunk(sync)
        if chunk >= state.n_chunks:
            return
        sum_chunk(rank, table, rows, work, work.desks[rank], chunk)


@kernel
def _sum_nodes(rank, size, sync, table, rows, work, first, last, out):
    """Histograms (3, places) of some nodes: by words, or from what threads have summed by rows.

    One thread does it all; a team comes with one node at a time, whose rows `_sum_by_rows` has summed.
    """
    table, rows, work = refer(table), refer(rows), refer(work)
    state = work.state[0]
    for k in range(first, last):
        if size == 1:
            _open_sums(work, k)
            if k == ROOT or not state.by_words:
                for part in range(state.n_chunks):
                    sum_chunk(rank, table, rows, work, work.desks[rank], np.int64(part))
        lanes = table.first_member.size - 1
        at_a_time = work.group * LANES if state.by_words else work.lanes_at_a_time
        n_chunks = (lanes + at_a_time - 1) // at_a_time
        chunk = np.int64(0)
        if size > 1:
            chunk = next_chunk(sync)
        while chunk < n_chunks:
            _read_lanes(rank, table, rows, work, chunk, at_a_time, out[k - first])
            chunk = chunk + 1 if size == 1 else next_chunk(sync)


@inner_kernel
def _read_lanes(rank, table, rows, work, chunk, at_a_time, out):
    """Some lanes' sums, from the threads' scratches to columns of `out`."""
    ranks, offset = (np.int64(0), np.int64(work.desks.size)), np.int64(0)
    if work.state[0].by_words:
        ranks, first = (np.int64(rank), np.int64(rank + 1)), chunk * work.group
        offset = first * LANES * STRIDE
        sum_words(rank, table, rows, work, work.desks[rank], first, min(first + work.group, table.n_words - 1))
    for lane in range(chunk * at_a_time, min((chunk + 1) * at_a_time, table.first_member.size - 1)):
        if table.first_member[lane] < table.first_member[lane + 1]:
            _read_lane(rank, table, rows.fields, work, lane, ranks, lane * STRIDE - offset, out)


@inner_kernel
def _read_lane(rank, table, fields, work, lane, ranks, begin, out):
    desk, node = work.desks[rank], work.nodes[work.state[0].small]
    first, last = table.first_member[lane], table.first_member[lane + 1]
    n = table.columns[table.members[first]].lane_slots
    if node.is_wide:
        reduce_wide(work.wide_scratch, work.packed_scratch, work.desks, ranks, begin, fields, desk.lane[:, :n])
    else:
        reduce_packed(work.packed_scratch, work.desks, ranks, begin, desk.lane[0, :n])
        for i in range(n):
            value = desk.lane[0, i]
            desk.lane[0, i] = packed_gradient(value, fields)
            desk.lane[1, i] = packed_hessian(value, fields)
            desk.lane[2, i] = packed_count(value, fields)
    for m in range(last - 1, first - 1, -1):
        column = table.columns[table.members[m]]
        for part in range(3):
            read_digit(desk.lane[part], column.divisor, out[part, column.begin : column.begin + column.n_slots])
            if m > first:
                drop_digit(desk.lane[part], column.divisor, column.n_slots)


# --- splits ----------------------------------------------------------------------------------------------------------


@kernel
def _search(rank, size, sync, table, fields, rules, work, pool, allowed, best, kinds):
    """best[rank, i] = the best split of node i on the columns that this thread has searched."""
    table, rules, work = refer(table), refer(rules), refer(work)
    n_features = rules.features.size
    for i in range(work.nodes.size):
        best[rank, i].score = -np.inf
        best[rank, i].feature = NO_SPLIT
    while True:
        chunk = next_chunk(sync)
        at = chunk // n_features
        if at >= work.nodes.size:
            return
        feature = np.int64(rules.features[chunk % n_features])
        if allowed[at, feature]:
            histogram = pool[work.nodes[at].slot]
            _search_column(rank, table, fields, rules, work, histogram, at, feature, best[rank, at], kinds)


@inner_kernel
def _search_column(rank, table, fields, rules, work, histogram, at, feature, best, kinds):
    desk, node, column = work.desks[rank], work.nodes[at], table.columns[feature]
    first, last = column.begin, column.begin + column.n_bins
    if kinds.categories is not None:
        if column.is_categorical:
            load_wide(histogram[:, first : first + column.n_slots], desk)
            search_categories(node, feature, column, fields, rules, desk, best, kinds.monotone)
            return
    n = add_up_wide(histogram[:, first:last], desk)
    search_numbers(node, feature, column, histogram[2, first:last], n, fields, rules, desk, best, kinds.monotone)


@kernel
def _keep_better(others, found):
    for i in range(found.size):
        if is_better(others[i].score, others[i].feature, found[i]):
            found[i] = others[i]


# --- rows ------------------------------------------------------------------------------------------------------------


@kernel
def _begin_partition(table, work, at):
    _open_partition(table, work, at)


@inner_kernel
def _open_partition(table, work, at):
    state, node = work.state[0], work.nodes[at]
    state.node = at
    work.cursor[LEFT], work.cursor[RIGHT] = node.begin, node.end
    fill_goes_left(state.goes_left, node, table.columns[node.feature])


@kernel
def _part_nodes(rank, size, sync, table, work, first, last, middles):
    """The rows of some nodes to their children; a team comes with one node at a time, which is begun already."""
    table, work = refer(table), refer(work)
    for k in range(first, last):
        n_chunks = n_chunks_of(work.nodes[k].end - work.nodes[k].begin)
        if size == 1:
            _open_partition(table, work, k)
            for chunk in range(n_chunks):
                part_rows(table, work, work.desks[rank], np.int64(chunk))
            middles[k] = work.cursor[LEFT]
        else:
            while True:
                chunk = next_chunk(sync)
                if chunk >= n_chunks:
                    break
                part_rows(table, work, work.desks[rank], chunk)


@kernel
def _sum_leaves_by_team(rank, size, sync, rows, work):
    rows, work = refer(rows), refer(work)
    while True:
        chunk = next_chunk(sync)
        if chunk >= n_chunks_of(rows.n):
            return
        sum_leaf_chunk(rows, work, chunk)


class Drafts(NamedTuple):
    """What is known ahead of the splits: the children of node p stand at 2p and 2p + 1."""

    nodes: Any  # NODE records, those with a split worth making have a feature
    wanted: np.ndarray  # uint8: children that are to be searched
    is_open: np.ndarray  # uint8, per node: whether its children are here
    queue: np.ndarray  # int64: a copy of the frontier to look ahead in


def grow_batched(
    backend: CpuBackend,
    table: BinnedTable,
    rows: BoostingRows,
    rules: BoostingRules,
    work: BoostingWork,
    lookahead: int = 0,
) -> int:
    """Grow one tree on a backend; returns its number of nodes. Leaves' values and pieces are in `work`."""
    nodes, state = work.nodes, work.state[0]
    drafts = _make_drafts(work)
    # at most `max_leaves` nodes are in the frontier, and each may have two children that hold slots
    work = work._replace(free_slots=np.empty((2, 2 * rules.max_leaves + 2), np.int64))
    _open_root(rows, rules, work, backend.open(table, rows, rules))
    if rules.max_leaves > 1 and rules.max_depth > 0:
        backend.build_histograms(nodes[:1])
        _keep_root(rules, rows.fields, work, backend.find_splits(nodes[:1], work.allowed[:1]))
    batch = np.empty(rules.max_leaves, np.int64)
    while n := _next_batch(rules, work, drafts, _width(rules, state, lookahead), batch):
        _open(backend, table, rows, rules, work, drafts, batch[:n])
        _split(rules, work, drafts)
    _end_growth(work)
    backend.sum_leaves(rows, work)
    _finish(rows, rules, work)
    return int(state["n_nodes"])


def _make_drafts(work: BoostingWork) -> Drafts:
    n_nodes = len(work.nodes)
    return Drafts(
        nodes=records(2 * n_nodes, NODE),
        wanted=np.zeros(2 * n_nodes, np.uint8),
        is_open=np.zeros(n_nodes, np.uint8),
        queue=np.empty(len(work.heap), np.int64),
    )


def _width(rules: BoostingRules, state: Any, lookahead: int) -> int:
    """How many nodes to open at a time."""
    room = int(rules.max_leaves - state["n_leaves"])
    if not rules.best_first:
        return room
    if rules.node_features < rules.features.size:  # columns are drawn by the children's numbers: not known ahead
        lookahead = 0
    return min(room, 1 + lookahead)


def _open(
    backend: CpuBackend,
    table: BinnedTable,
    rows: BoostingRows,
    rules: BoostingRules,
    work: BoostingWork,
    drafts: Drafts,
    batch: np.ndarray,
) -> None:
    """Part the rows of some nodes, make their children and find those children's splits."""
    middles = backend.partition_rows(work.nodes[batch])
    allowed = np.empty((len(batch), 2, work.allowed.shape[1]), np.uint8)
    _make_children(table.columns, rows.fields, rules, work, drafts, batch, middles, allowed)
    pairs = np.stack((2 * batch, 2 * batch + 1), axis=1)
    wanted = drafts.wanted[pairs] > 0
    if wanted.any():
        backend.build_histograms(drafts.nodes[pairs[wanted.any(axis=1)].ravel()])
        splits = backend.find_splits(drafts.nodes[pairs[wanted]], allowed[wanted])
        _keep_splits(rules, rows.fields, work, drafts, pairs.ravel(), splits)


# --- the frontier ------------------------------------------------------------------------------------------------


@kernel
def _open_root(rows, rules, work, sums):
    """A tree of one node."""
    open_root(rules, work, rows.n)
    free_slots(work, work.free_slots.shape[1], 0)
    root = work.nodes[ROOT]
    root.gradient, root.hessian, root.count = sums.gradient, sums.hessian, sums.count
    root.is_wide = 0
    root.slot = take_slot(work, False)


@kernel
def _keep_root(rules, fields, work, splits):
    root = work.nodes[ROOT]
    if is_promising(fields, rules, root) and keep_split(rules, fields, root, splits[0]):
        put_on_frontier(rules, work, ROOT)
    else:
        give_slot(work, root)


@kernel
def _next_batch(rules, work, drafts, width, batch):
    """The nodes to open next, in the frontier's order, into `batch`; returns how many."""
    size = work.state[0].heap_size
    for i in range(size):
        drafts.queue[i] = work.heap[i]
    found = 0
    for _ in range(min(width, size)):
        node, size = pop(drafts.queue, size, work.nodes)
        if not drafts.is_open[node]:
            batch[found] = node
            found += 1
    return found


@kernel
def _split(rules, work, drafts):
    """Split nodes in the frontier's order for as long as the next one is open: its children become nodes."""
    state, nodes = work.state[0], work.nodes
    while state.heap_size > 0 and state.n_leaves < rules.max_leaves and drafts.is_open[work.heap[0]]:
        parent, state.heap_size = pop(work.heap, state.heap_size, nodes)
        left = state.n_nodes
        nodes[parent].left = left
        state.n_nodes += 2
        state.n_leaves += 1
        for side in range(2):
            nodes[left + side] = drafts.nodes[2 * parent + side]
            narrow_groups(rules, work.groups[parent], nodes[parent].feature, work.groups[left + side])
            if nodes[left + side].feature != NO_SPLIT:
                put_on_frontier(rules, work, left + side)


# --- children ----------------------------------------------------------------------------------------------------


@kernel
def _make_children(columns, fields, rules, work, drafts, batch, middles, allowed):
    """The children of every node of the batch, as drafts; allowed[i, side] = the columns that a child may use."""
    state = work.state[0]
    for i in range(batch.size):
        drafts.is_open[batch[i]] = 1
        node = work.nodes[batch[i]]
        left, right = drafts.nodes[2 * batch[i]], drafts.nodes[2 * batch[i] + 1]
        make_pair(columns, fields, rules, node, left, right, middles[i])
        left.is_wide = right.is_wide = 0
        # level by level the batch is split as a whole; best-first, this node is split after those before it
        n_leaves = state.n_leaves + (i + 1 if rules.best_first else batch.size)
        for side in range(2):
            child = 2 * batch[i] + side
            drafts.wanted[child] = n_leaves < rules.max_leaves and is_promising(fields, rules, drafts.nodes[child])
            live = work.groups[state.n_nodes]  # not in use yet
            narrow_groups(rules, work.groups[batch[i]], node.feature, live)
            allow_features(rules, state.n_nodes + 2 * i + side, live, allowed[i, side], work.order)
        _plan_slots(work, drafts, batch[i], node)


@inner_kernel
def _plan_slots(work, drafts, parent, node):
    """The bigger child takes over its parent's slot. The smaller one's histogram is needed for either."""
    left, right = drafts.nodes[2 * parent], drafts.nodes[2 * parent + 1]
    left_is_small = left.count <= right.count  # not the segments: they may be of some of the rows only
    small, big = (left, right) if left_is_small else (right, left)
    if drafts.wanted[2 * parent + left_is_small]:
        big.slot = node.slot
        node.slot = NO_SLOT
    else:
        give_slot(work, node)
    if drafts.wanted[2 * parent] or drafts.wanted[2 * parent + 1]:
        small.slot = take_slot(work, False)


@kernel
def _keep_splits(rules, fields, work, drafts, children, splits):
    """Give the children that were searched their splits, and take back the slots of those without one."""
    found = 0
    for i in range(children.size):
        child = drafts.nodes[children[i]]
        if drafts.wanted[children[i]]:
            keep_split(rules, fields, child, splits[found])
            found += 1
        if child.feature == NO_SPLIT:
            give_slot(work, child)


# --- leaves ------------------------------------------------------------------------------------------------------


@kernel
def _end_growth(work):
    """The grown leaves from left to right."""
    order_pieces(work)


@kernel
def _finish(rows, rules, work):
    """Pruning and values."""
    finish_tree(rows.fields, rules, work)
