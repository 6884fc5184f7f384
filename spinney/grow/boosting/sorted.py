"""Boosted trees with exact thresholds: the steps of the loop in grower.py, on sorted lists of values.

A node is a segment of every column's list, in which its rows stand in the order of their values (data/presort.py). The
root's lists are those of the table, which all trees of a fit share and nobody writes to; below it they are copies, cut
in two with every split. What a tree is, its rules, leaves and values are as in other layouts.

The phases here
    sums         the root's rows, or if only some rows are drawn, their lists; the root's sums are known already
    search       column by column: cut the parent's list in two by its rows' sides, and scan both children's parts
    partition    the chosen node's rows get their sides, to be cut in two by the next search
    leaves       which piece each row is in

A split that gains nothing is made where nothing is penalised, or exclusive-or could not be learnt, and taken back at
the end unless one below it gains. Sums are integers: nothing that decides depends on which thread did what.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import atomic_add, inner_kernel, kernel, part_kernel
from spinney._team import Team, next_chunk
from spinney.criteria.fixed_point import scale_exponent
from spinney.criteria.gains import leaf_score
from spinney.criteria.impurity import variance_score
from spinney.data.dataset import ExactDataset, aligned, records
from spinney.data.presort import MISSING, RANK, ROW
from spinney.grow.boosting.choose_split import exceeds_noise, node_score, write_split
from spinney.grow.boosting.freeze import lay_out
from spinney.grow.boosting.histograms import COUNT, GRADIENT, HESSIAN
from spinney.grow.boosting.leaves import piece_at
from spinney.grow.boosting.memory import CANDIDATE, COLUMN, LEAVES, PARTITION, ROOT, SEARCH, SUMS, shared_memory
from spinney.grow.boosting.partition import CHUNK, LEFT, n_chunks_of
from spinney.grow.boosting.scan_bins import bounded_cut_score, is_better, search_categories
from spinney.grow.exact.freeze import Cuts, midway
from spinney.grow.exact.partition import BOTH, LEFT_ONLY, RIGHT_ONLY, count_known, partition
from spinney.grow.rules import NO_NODE, NO_ROW, larger_side
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, pack_sets, small, unpack_sets
from spinney.tree.predict_boosted import in_set

# ----------------------------------------------------------------------------------------------------------------------
# The memory of boosted trees with exact thresholds: what the loop reads and writes.
#
# In: an `ExactDataset`, derivatives. Out: `SortedTable`, `SortedRows` (their gradients and hessians as whole numbers),
# `SortedWork`. Nodes, candidates and columns are records of grow/boosting/memory.py: the tree is the same, only what
# splits are found in is not.


BLOCK = 128  # entries of a list looked at together
_SUM_BITS = 61
_WHOLE = 8192  # rows that are made whole numbers at a time


class SortedUnits(NamedTuple):
    """What integers are worth; leaves' sums are those that splits were found by."""

    gradient_unit: float
    hessian_unit: float
    fine_gradient_unit: float
    fine_hessian_unit: float


class SortedTable(NamedTuple):
    """The sorted table.  # in"""

    lists: np.ndarray  # uint64 (columns, rows): see data/presort.py
    codes: np.ndarray  # uint8 (columns, categories): the code of each category; no categories without any
    columns: Any  # COLUMN records: is_categorical, n_bins (codes of categories), n_slots and monotone are set


class SortedRows(NamedTuple):
    """The rows of this tree and what they add to sums.  # in"""

    chosen: np.ndarray  # int32: the rows, or empty for all of them
    n: int
    amounts: np.ndarray  # int64: each row's gradient and hessian side by side, as often as it counts; or
    paired: bool | None  # None: gradients alone, and hessians are 1
    counts: Any  # int64: how often each row counts; None: once
    fields: SortedUnits
    noise: float  # what rounding may have done to a hessian
    gradient: int  # sums over all rows of the tree
    hessian: int
    count: int  # type: ignore[assignment]


class SortedWork(NamedTuple):
    """Memory that lives as long as the fit."""

    nodes: Any  # NODE records
    state: Any  # one STATE record
    below: np.ndarray  # int64 (nodes): the rows on both sides of a cut; NO_ROW above the last known value
    above: np.ndarray
    rows: np.ndarray  # int32 (2, n): by node, even depths in the first
    lists: np.ndarray  # uint64 (columns, rows): by node, below the root; the root's too if rows are drawn
    side: np.ndarray  # uint8, by row: 1 if it goes left
    spare: np.ndarray  # uint64 (threads, rows)
    cuts: np.ndarray  # int64 (threads, 4, BLOCK): place, gradient, hessian and count of cuts
    scores: np.ndarray  # float64 (threads, BLOCK)
    desks: Any  # DESK records, one a thread: for categories
    best: Any  # CANDIDATE records (threads, 3): scores are gains; the third is to note things
    heap: np.ndarray  # int64
    cursor: np.ndarray  # int64: where the right child begins, as far as is known
    totals: np.ndarray  # int64: the root's gradient, hessian and count, 8 apart
    allowed: np.ndarray  # uint8 (2, columns)
    order: np.ndarray  # int64 (columns)
    groups: np.ndarray  # uint8 (nodes, groups)
    pieces: np.ndarray  # int64
    leaf_of_row: np.ndarray  # uint16 or uint32
    leaf_values: np.ndarray  # float64 (threads, pieces)
    leaf_sums: np.ndarray  # int64


def make_sorted_table(dataset: ExactDataset, monotone: np.ndarray, team: Team) -> SortedTable:
    """The kernels' view of a dataset."""
    columns = records(dataset.n_columns, COLUMN)
    columns["is_categorical"] = dataset.is_categorical
    columns["monotone"] = monotone if monotone.size else 0
    widest = max((len(one) for one in dataset.category_codes), default=0)
    codes = np.zeros((dataset.n_columns, widest), np.uint8)
    for j, own in enumerate(dataset.category_codes):
        codes[j, : len(own)] = own
        columns["n_bins"][j] = int(own.max(initial=0)) + 1
    columns["n_slots"] = columns["n_bins"] + 1
    return SortedTable(dataset.presorted(team).lists, codes, columns)


def make_sorted_work(
    dataset: ExactDataset, max_leaves: int, draws_rows: bool, n_threads: int, n_groups: int = 0
) -> SortedWork:
    """Memory for growing trees of at most `max_leaves` leaves. Stumps of all rows have no lists of their own."""
    n, n_columns = dataset.n_rows, dataset.n_columns
    return SortedWork(
        **shared_memory(n, n, n_columns, max_leaves, n_threads, n_groups),
        best=records((n_threads, 3), CANDIDATE),
        below=np.empty(2 * max_leaves - 1, np.int64),
        above=np.empty(2 * max_leaves - 1, np.int64),
        lists=aligned((n_columns if max_leaves > 2 or draws_rows else 0, n), np.uint64),
        side=np.empty(n, np.uint8),
        spare=np.empty((n_threads, n), np.uint64),
        cuts=np.empty((n_threads, 4, BLOCK), np.int64),
        scores=np.empty((n_threads, BLOCK)),
    )


def make_sorted_rows(
    chosen: np.ndarray,
    derivatives: np.ndarray,
    counts: np.ndarray | None,
    total_count: int,
    largest: tuple[float, float],
    finest: float,
    unit_hessians: bool,
    team: Team,
) -> SortedRows:
    """The rows of a tree, that count `total_count` in all.

    `derivatives` are float64 (all rows, 2), `largest` their largest gradient and hessian, none of which is worth
    telling apart from another by less than `finest`. Where all hessians are 1 they are not looked at, unless rows are
    repeated.
    """
    bits = _SUM_BITS - total_count.bit_length()
    gradient, hessian = (scale_exponent(one, bits) for one in largest)
    if finest > 0.0:
        gradient = min(gradient, 1 - math.frexp(finest)[1])
    paired = None if unit_hessians and counts is None else True
    hessian = 0 if unit_hessians else hessian
    scales = math.ldexp(1.0, gradient), math.ldexp(1.0, hessian)
    amounts = np.empty((1 if paired is None else 2) * len(derivatives), np.int64)
    times = np.empty(0, np.int64) if counts is None else counts
    team.run(_make_whole, derivatives.reshape(-1), scales, times, amounts)
    some = amounts.reshape(len(derivatives), -1)
    some = some[chosen] if len(chosen) else some
    sums = some.sum(axis=0).tolist()
    n = len(some)
    return SortedRows(
        chosen=chosen,
        n=n,
        amounts=amounts,
        paired=paired,
        counts=counts,
        fields=SortedUnits(1.0 / scales[0], 1.0 / scales[1], 1.0 / scales[0], 1.0 / scales[1]),
        noise=0.0 if unit_hessians else 1.0 / scales[1],
        gradient=sums[0],
        hessian=n if paired is None else sums[1],
        count=total_count,
    )


@kernel
def _make_whole(rank, size, sync, derivatives, scales, counts, amounts):
    """Gradients, and hessians if there is room for them, as whole numbers, as often as their rows count."""
    n_rows = derivatives.size // 2
    paired = amounts.size > n_rows
    while True:
        begin = next_chunk(sync) * _WHOLE
        if begin >= n_rows:
            return
        for i in range(begin, min(n_rows, begin + _WHOLE)):
            times = counts[i] if counts.size else np.int64(1)
            gradient = times * np.int64(np.floor(derivatives[2 * i] * scales[0] + 0.5))
            if paired:
                amounts[2 * i] = gradient
                amounts[2 * i + 1] = times * np.int64(np.floor(derivatives[2 * i + 1] * scales[1] + 0.5))
            else:
                amounts[i] = gradient


# ----------------------------------------------------------------------------------------------------------------------
# The best split of one node on one sorted column, by second-order gain.
#
# In: the node's segment of the column's list, its rows' gradients and hessians, and the best split of the columns so
# far. Out: that, or a better one. Ties go to the first column, then the lower threshold, then to missing on the right.
# In a candidate `code` is how many known entries of the segment go left, and `score` what the split gains.
#
# The walk is that of grow/exact/scan_classes.py: block by block, list the cuts, judge them all, look for the best.
# Missing values stand last; they are on the right first, and then, if there are any, on the left.


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
    alone = node_score(node, fields, rules)
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
    alone, penalty = node_score(node, fields, rules), rules.penalty
    for k in range(scores.size):
        if scores[k] == _NEVER:
            continue
        g_left, h_left = gradients[k] * fields.gradient_unit, hessians[k] * fields.hessian_unit
        g_right = (node.gradient - gradients[k]) * fields.gradient_unit
        h_right = (node.hessian - hessians[k]) * fields.hessian_unit
        left, right = (g_left, h_left), (g_right, h_right)
        scores[k] = bounded_cut_score(left, right, node.lower, node.upper, penalty, direction) - alone


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
    gain = notes.score - node_score(node, fields, rules)
    if notes.score == _NEVER or not is_better(gain, feature, best):
        return
    best.score, best.feature, best.code, best.missing_left = gain, feature, 0, notes.missing_left
    best.gradient, best.hessian, best.count = notes.gradient, notes.hessian, notes.count
    for w in range(4):
        best.bits[w] = notes.bits[w]


# ----------------------------------------------------------------------------------------------------------------------
# Which splits of boosted trees with exact thresholds are made.


_ALIKE = 4  # units by which rounding may part rows that are alike


@inner_kernel
def keep_best(table, rows, rules, work, node, found):
    """Write the best split into its node, if it is worth making; returns whether it is."""
    gain = found.score
    if gain == _NEVER:
        return False
    if _stands_out(rows, rules, node, gain):
        if gain < rules.least_gain:
            return False
        write_split(node, found, gain)
        return True
    if not is_plain(rules) or rules.least_gain > 0.0 or gain < 0.0 or not _is_mixed(rows, work, node):
        return False
    write_split(node, found, 0.0)
    return True


@inner_kernel
def _stands_out(rows, rules, node, gain):
    """Whether a gain is more than rounding can make."""
    fields = rows.fields
    gradient_noise, hessian_noise = fields.gradient_unit * fields.gradient_unit, rows.noise * rows.noise
    if not exceeds_noise(gain, node, gradient_noise, hessian_noise, fields, rules):
        return False
    return is_plain(rules) or gain > 1e-12 * (gain + node_score(node, fields, rules))


@inner_kernel
def _is_mixed(rows, work, node):
    """Whether a node's rows differ by more than rounding."""
    own, amounts, paired = work.rows[node.depth & 1, node.begin : node.end], rows.amounts, rows.paired
    first = np.uint64(own[0])
    gradient, hessian = gradient_of(amounts, paired, first), hessian_of(amounts, paired, first)
    for i in range(1, own.size):
        row = np.uint64(own[i])
        if abs(gradient_of(amounts, paired, row) - gradient) > _ALIKE:
            return True
        if abs(hessian_of(amounts, paired, row) - hessian) > _ALIKE:
            return True
    return False


# ----------------------------------------------------------------------------------------------------------------------
# From a grown boosted tree with exact thresholds to a `Forest` of one tree; see grow/boosting/freeze.py.


def freeze_sorted(work: SortedWork, n_nodes: int, dataset: ExactDataset, fields: SortedUnits) -> Forest:
    """The finished tree: thresholds midway between the values on both sides, sets of categories."""
    order, size = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    grown = work.nodes
    n = lay_out(grown[:n_nodes], np.empty(n_nodes + 1, np.int64), order, size)
    order, size = order[:n], size[:n]
    is_leaf = size == 1
    leaves, asks = order[is_leaf], order[~is_leaf]
    feature = grown["feature"][asks]
    is_set = dataset.is_categorical[feature]
    cuts = Cuts(feature, np.empty(0), work.below[asks], work.above[asks])
    threshold = np.where(is_set, np.nan, midway(cuts, dataset.values, None))
    of_categories = zip(grown["bits"][asks[is_set]], feature[is_set])
    sets = [pack_sets(unpack_sets(bits)[dataset.category_codes[j]]) for bits, j in of_categories]
    return Forest(
        n_columns=dataset.n_columns,
        n_classes=None,
        criterion=None,
        bins=None,
        first=np.array([0, n]),
        size=small(size),
        feature=small(feature),
        turn=grown["missing_left"][asks] * np.uint8(MISSING_LEFT) | is_set * np.uint8(ASKS_SET),
        answers=grown["value"][order].reshape(n, 1, 1),
        n_samples=small(grown["count"][leaves], np.uint32),
        threshold=threshold,
        set_start=ends_of(np.array([len(one) for one in sets], np.int64)),
        sets=np.concatenate([np.empty(0, np.uint64), *sets]),
        weight=grown["fine_hessian"][leaves],
        weight_unit=np.array([fields.fine_hessian_unit]),
        gain=grown["gain"][asks],
    )


# ----------------------------------------------------------------------------------------------------------------------
# The steps of the loop in grower.py.


BATCH = 8192  # rows whose sides are found at a time
_FEW_ENTRIES = 4096  # columns are handed out in groups of about so many entries
_ZERO, _ONE = np.uint8(0), np.uint8(1)


@inner_kernel
def do_chunk(table, rank, rows, rules, work, chunk, kinds):
    """A chunk of any phase."""
    if work.state[0].phase == SEARCH:
        _search_chunk(rank, table, rows, rules, work, chunk, kinds)
    else:
        _work_chunk(table, rows, rules, work, chunk)


@part_kernel
def _work_chunk(table, rows, rules, work, chunk):
    """A chunk of any other phase."""
    phase = work.state[0].phase
    if phase == PARTITION:
        _mark(table, rows, work, chunk * BATCH)
    elif phase == LEAVES:
        _note_pieces(rows, work, chunk * CHUNK)
    elif rows.chosen.size:
        j = np.int64(rules.features[chunk])
        _take(table.lists[j], work.side, work.lists[j])
    else:
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, rows.n)):
            work.rows[0, i] = i


# --- root ----------------------------------------------------------------------------------------------------------


@inner_kernel
def begin_tree(table, rows, rules, work):
    """The root's sums are known; the first phase makes its rows, or the lists of the rows that are drawn."""
    state = work.state[0]
    work.totals[GRADIENT], work.totals[HESSIAN], work.totals[COUNT] = rows.gradient, rows.hessian, rows.count
    state.phase, state.n_chunks = SUMS, n_chunks_of(rows.n)
    if rows.chosen.size:
        for i in range(work.side.size):
            work.side[i] = 0
        for i in range(rows.n):
            work.rows[0, i] = rows.chosen[i]
            work.side[rows.chosen[i]] = 1
        state.n_chunks = rules.features.size


@inner_kernel
def _take(source, is_in, goal):
    """The entries of the rows that are in it. Written whether they stay or not: no branch to guess."""
    k = np.int64(0)
    for i in range(source.size):
        entry = source[i]
        goal[k] = entry
        k += np.int64(is_in[entry & ROW])
        if k == goal.size:
            break


# --- search --------------------------------------------------------------------------------------------------------


@inner_kernel
def begin_search(table, rows, rules, work):
    """Open the phase that searches columns. After the columns' chunks, one parts the rows of a node that is split."""
    state, n_features = work.state[0], rules.features.size
    node = work.nodes[max(ROOT, state.node)]
    state.summed = 1 + _FEW_ENTRIES // max(np.int64(1), node.end - node.begin)  # columns of a chunk
    wanted = state.small_wanted or state.big_wanted
    state.n_chunks = (n_features + state.summed - 1) // state.summed if wanted else 0
    state.n_chunks += state.node != NO_NODE
    state.phase = SEARCH


@part_kernel
def _search_chunk(rank, table, rows, rules, work, chunk, kinds):
    """Some columns: cut the parent's lists in two, and search both children. Or the rows of the parent."""
    state, n_features = work.state[0], rules.features.size
    if state.node != NO_NODE and chunk == state.n_chunks - 1:
        _part_rows(work)
        return
    for k in range(chunk * state.summed, min((chunk + 1) * state.summed, n_features)):
        j = np.int64(rules.features[k])
        if state.node != NO_NODE:
            _part_list(rank, table, rows, work, j)
        for turn in range(2):
            if state.small_wanted if turn == 0 else state.big_wanted:
                at = state.small if turn == 0 else state.big
                _search(rank, table, rows, rules, work, at, j, kinds.categories, kinds.monotone)


@inner_kernel
def _is_shared(rows, node):
    """Whether a node's lists are those of the table."""
    return node.depth == 0 and rows.chosen.size == 0


@inner_kernel
def _part_list(rank, table, rows, work, j):
    """One list of a node that is split, cut in two; only for children that are searched."""
    state = work.state[0]
    node = work.nodes[state.node]
    middle = work.nodes[node.left].end
    left_wanted = state.small_wanted if state.small == node.left else state.big_wanted
    right_wanted = state.big_wanted if state.small == node.left else state.small_wanted
    if _is_shared(rows, node):
        _part_copy(table.lists[j], work.side, work.lists[j], np.int64(0), np.int64(middle))
        return
    entries = work.lists[j, node.begin : node.end]
    if entries[0] >> RANK != entries[-1] >> RANK:  # else its children are as constant
        keep = BOTH if left_wanted and right_wanted else (LEFT_ONLY if left_wanted else RIGHT_ONLY)
        partition(entries, work.side, work.spare[rank], np.int64(keep))


@inner_kernel
def _part_copy(source, side, goal, left, right):
    """Rows, or a list that nobody writes to, into two parts of another."""
    for i in range(source.size):
        one = source[i]
        goes_left = np.int64(side[np.uint64(one) & ROW])
        goal[left if goes_left else right] = one
        left += goes_left
        right += 1 - goes_left


@inner_kernel
def _part_rows(work):
    """The rows of the node that is split, to the buffer of its children."""
    node = work.nodes[work.state[0].node]
    source, goal = work.rows[node.depth & 1, node.begin : node.end], work.rows[1 - (node.depth & 1)]
    _part_copy(source, work.side, goal, node.begin, work.nodes[node.left].end)


@inner_kernel
def _search(rank, table, rows, rules, work, at, j, categories, monotone):
    """The best split of one node on one column, if it is better than what this thread has found before."""
    side, node = at - work.state[0].first, work.nodes[at]
    if not work.allowed[side, j]:
        return
    lists = table.lists if _is_shared(rows, node) else work.lists
    best, entries = work.best[rank, side], lists[j, node.begin : node.end]
    if entries[0] >> RANK == entries[-1] >> RANK:
        return
    if categories is not None:
        if table.columns[j].is_categorical:
            notes = work.best[rank, NOTES]
            scan_categories(table, rows, rules, entries, node, j, work.desks[rank], notes, best, monotone)
            return
    direction = table.columns[j].monotone
    scan_numbers(rows, rules, entries, node, j, direction, work.cuts[rank], work.scores[rank], best, monotone)


@inner_kernel
def end_search(table, work):
    """Nothing to give back: lists are cut in place."""


# --- partition -----------------------------------------------------------------------------------------------------


@inner_kernel
def begin_partition(table, rows, work):
    """The chosen node: what its threshold is between; its rows' sides, if they are few, or a phase that finds them."""
    state = work.state[0]
    node = work.nodes[state.node]
    lists = table.lists if _is_shared(rows, node) else work.lists
    entries = lists[node.feature, node.begin : node.end]
    work.below[state.node] = work.above[state.node] = NO_ROW
    if not table.columns[node.feature].is_categorical:
        work.below[state.node] = np.int64(entries[node.code - 1] & ROW)
        if entries[node.code] >> RANK != MISSING:
            work.above[state.node] = np.int64(entries[node.code] & ROW)
    work.cursor[LEFT] = node.begin
    state.phase = PARTITION
    if entries.size > BATCH:
        state.n_chunks = (entries.size + BATCH - 1) // BATCH
    else:
        _mark(table, rows, work, np.int64(0))


@part_kernel
def _mark(table, rows, work, begin):
    """side[row] = whether the row goes left, for some entries of the node that is split; counts them, too."""
    node = work.nodes[work.state[0].node]
    lists, column = table.lists if _is_shared(rows, node) else work.lists, table.columns[node.feature]
    entries = lists[node.feature, node.begin : node.end]
    end, n_left = min(begin + BATCH, entries.size), np.int64(0)
    missing = _ONE if node.missing_left else _ZERO
    for i in range(begin, end):
        rank = entries[i] >> RANK
        if column.is_categorical:
            code = column.n_bins if rank == MISSING else np.int64(table.codes[node.feature, rank])
            goes_left = np.uint8(in_set(node.bits, code))
        else:
            goes_left = missing if rank == MISSING else (_ONE if i < node.code else _ZERO)
        work.side[entries[i] & ROW] = goes_left
        n_left += np.int64(goes_left)
    atomic_add(work.cursor, LEFT, n_left)


# --- leaves --------------------------------------------------------------------------------------------------------


@inner_kernel
def _note_pieces(rows, work, begin):
    """Which piece some rows are in, by their places. A leaf's sums are those that splits were found by."""
    piece = piece_at(work.nodes, work.pieces, work.state[0].n_leaves, begin)
    chunk_end = min(rows.n, begin + CHUNK)
    while begin < chunk_end:
        node = work.nodes[work.pieces[piece]]
        if begin == node.begin:
            work.leaf_sums[2 * piece], work.leaf_sums[2 * piece + 1] = node.gradient, node.hessian
        end = min(chunk_end, node.end)
        segment = work.rows[node.depth & 1, begin:end]
        for k in range(segment.size):
            work.leaf_of_row[segment[k]] = piece
        begin = end
        piece += 1
