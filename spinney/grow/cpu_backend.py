"""This machine's cores as a backend of batched.py, for rows of which other machines have further ones.

In:  what the loop asks for: nodes to sum, to search, to part. Out: the same, of the rows of all machines together: each
sums its own rows with the kernels of histogram/, and `add_up` puts the machines' integers together (on one machine it
is the identity). Only the smaller child's histogram is summed and sent; the bigger one's is its parent's minus that.

A node's segment is that of the rows that are here; its sums and counts are those of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.data.dataset import LANES, STRIDE, records
from spinney.grow.histogram.histograms import drop_digit, read_digit, reduce_packed, reduce_wide
from spinney.grow.histogram.leaves import sum_leaf_chunk
from spinney.grow.histogram.memory import CANDIDATE, NO_SLOT, NODE, ROOT, STATE, Rows, Table, Work
from spinney.grow.histogram.partition import LEFT, RIGHT, n_chunks_of, part_rows
from spinney.grow.histogram.scan_bins import (
    Sums,
    add_up_wide,
    fill_goes_left,
    is_better,
    load_wide,
    search_categories,
    search_numbers,
)
from spinney.grow.histogram.statistics import packed_count, packed_gradient, packed_hessian
from spinney.grow.histogram.sums import COUNT, GRADIENT, HESSIAN, begin_histogram, sum_chunk, sum_words
from spinney.grow.rules import NO_SPLIT, BoostingRules, Kinds

AddUp = Callable[[np.ndarray], np.ndarray]  # this machine's integers -> those of all machines


def alone(sums: np.ndarray) -> np.ndarray:
    """`add_up` of one machine."""
    return sums


class CpuBackend:
    """One fit's backend; see `Backend` in batched.py. `work` is the memory that the loop is called with."""

    def __init__(self, work: Work, layout_size: int, kinds: Kinds, team: Team, add_up: AddUp = alone) -> None:
        self.work, self.kinds, self.team, self.add_up = work, kinds, team, add_up
        self._size = layout_size
        # nobody touches the memory of slots that are not handed out
        self._pool = np.empty((2 * len(work.pieces) + 2, 3, layout_size), np.int64)
        self._state, self._root = records(1, STATE), records(1, NODE)

    def open(self, table: Table, rows: Rows, rules: BoostingRules) -> Sums:
        """The root's histogram is summed on the way, and sent with its sums."""
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
        best = records((self.team.size, len(nodes)), CANDIDATE)
        work = self.work._replace(nodes=nodes)
        self.team.run(_search, self.table, self.rows.fields, self.rules, work, self._pool, allowed, best, self.kinds)
        for others in best[1:]:
            _keep_better(others, best[0])
        return best[0]

    def partition_rows(self, nodes: Any) -> np.ndarray:
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

    def leaf_of_rows(self, leaves: Any) -> None:
        """Rows stand in their leaves' segments of `work` already."""

    def sum_leaves(self, rows: Rows, work: Work) -> None:
        """The leaves' sums in the finer units, into work.leaf_sums."""
        self.team.run(_sum_leaves, rows, work)
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
def _sum_leaves(rank, size, sync, rows, work):
    rows, work = refer(rows), refer(work)
    while True:
        chunk = next_chunk(sync)
        if chunk >= n_chunks_of(rows.n):
            return
        sum_leaf_chunk(rows, work, chunk)
