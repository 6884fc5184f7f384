"""The nearest centre of every sparse row: what `assign.py` finds, label for label and bit for bit, from stored cells.

A row's scores are added up from its stored cells, in float32, on top of those of a row of zeros. In `assign.py` they
are added up column by column, with other rounding. Both are off the true scores by less than a bound that is known
(Higham's, n roundings of sums of so many sizes): where the best score leads by more than that, the label is certain.
The other rows are laid out, sixteen at a time, and go through the very loop of `nearest.py`.

Sums of rows are integers, so that a cell that is not stored need not be added by itself: in a column all of them are
the same integer, unless rows have importances of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, prefetch, refer
from spinney._team import Team, next_chunk
from spinney.cluster.assign import Assignment, packed, squares
from spinney.cluster.nearest import LANES, SMALL, columns_first, nearest, squared_distances
from spinney.cluster.points import CHUNK_ROWS, weight_at
from spinney.cluster.sparse_points import (
    SparsePoints,
    add_columns,
    clear_row,
    lay_abreast,
    put_row,
    row_at,
    squared_lengths,
    subtract_products,
)

# ----------------------------------------------------------------------------------------------------------------------
# Bounds: which rows cannot have moved since they were looked at last; labels are the same without.
#
# When a row is looked at, its *lead* is kept: by how much its centre's score is below all others, less what rounding
# can make of the scores. When a centre c moves to c', a row's score for it changes by no more than
#
#     |c' - c| (|x| + |c + c'| / 2)
#
# and what rounding can make of it by a small share of that. While the lead is larger than what the row's centre and any
# other can have changed, all in all, the row is passed over. As with the bounds of `assign.py`, leads are
# kept as they would have been at the start, so that a row that is passed over is not written either.


_OUTWARD = 1.0 + 2.0**-20  # drifts are rounded up by more than their arithmetic can be off
_TINY = 2.0**-100  # what numbers that are too small for float32 may add
_LOOSE = 2.0**-40  # share of a lead that its own arithmetic can be off


class Leads(NamedTuple):
    """What kernels know of rows and centres before a pass."""

    lead: np.ndarray  # float64 (rows,), or empty: none are kept  # in and out
    length: np.ndarray  # float64 (rows,), at least that of the stored cells
    drift: np.ndarray  # float64 (2, centres + 1): by row length and besides; the largest last
    are_known: bool


class SparseBounds:
    """Leads of all rows, for one run of k-means."""

    def __init__(self, points: SparsePoints, n_centres: int, team: Team) -> None:
        self.length = np.sqrt(squared_lengths(points, team)) * _OUTWARD
        self.lead = np.zeros(points.n_rows)
        self.drift = np.zeros((2, n_centres + 1))
        self.of_zeros = float(np.sqrt(np.sum(np.square(points.zeros, dtype=np.float64)))) * _OUTWARD
        self.factor = (1.0 + points.rounding_share) * _OUTWARD
        self.are_known = False

    def add_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """The centres have moved."""
        old, new = before.astype(np.float64, copy=False), after.astype(np.float64, copy=False)
        moved = np.sqrt(np.sum((new - old) ** 2, axis=1)) * _OUTWARD
        sizes = np.sqrt(np.sum(old * old, axis=1)) + np.sqrt(np.sum(new * new, axis=1))
        steps = self.factor * np.array([moved, moved * (0.5 * sizes + 2.0 * self.of_zeros + _TINY)])
        self.drift[:, :-1] += steps
        self.drift[:, -1] += steps.max(axis=1)

    def known(self) -> Leads:
        """What kernels need to know."""
        return Leads(self.lead, self.length, self.drift, self.are_known)


def no_bounds() -> Leads:
    """No leads are kept."""
    return Leads(np.zeros(0), np.zeros(0), np.zeros((2, 1)), False)


@inner_kernel
def _drifted(place, label, leads):
    """By how much a row's lead can have shrunk since the start."""
    drift, last = leads.drift, leads.drift.shape[1] - 1
    return leads.length[place] * (drift[0, label] + drift[0, last]) + (drift[1, label] + drift[1, last])


@inner_kernel
def is_settled(place, label, leads):
    """Whether a row is certain to have kept its label."""
    lead = leads.lead[place]
    return lead - _drifted(place, label, leads) > _LOOSE * lead


@inner_kernel
def keep_lead(place, label, lead, leads):
    """Keep what was found."""
    if leads.lead.size > 0:
        leads.lead[place] = lead + _drifted(place, label, leads) if lead > 0.0 else 0.0


class SparseCentres(NamedTuple):
    """Centres as rows of stored cells want them.  # in"""

    table: np.ndarray
    of_zeros: np.ndarray  # the scores of a row of zeros; infinite where there is no centre
    off: np.ndarray  # float64: by how much scores of a row of zeros can be off
    share: float  # of the sizes of products by which scores of other rows can be off besides


class Exact(NamedTuple):
    """Centres as `nearest` wants them, and room for rows that are laid out. Each thread's own."""

    values: np.ndarray  # in
    n_large: int
    n_small: int
    tile: np.ndarray  # (threads, columns times lanes): holds zeros
    places: np.ndarray  # int64 (threads, lanes)
    scores: np.ndarray  # (threads, lanes)
    label: np.ndarray  # int32 (threads, lanes)


class SparseMoves(NamedTuple):
    """What a pass changes; sums, members and tallies: each thread's own."""

    labels: np.ndarray  # int32 (rows,)
    scale: np.ndarray  # float64 (columns + 1,), or empty: labels alone are wanted
    sums: np.ndarray  # int64 (threads, centres, columns + 1): what is added to the sums, less zeros
    members: np.ndarray  # int64 (threads, centres): by how many rows centres have grown
    tallies: np.ndarray  # int64 (threads, 8): rows that have moved
    cell: np.ndarray  # (threads, 1): a number of the table's dtype


def assign_sparse(
    points: SparsePoints, centres: np.ndarray, state: Assignment, bounds: SparseBounds, team: Team
) -> int:
    """Bring labels and sums up to date with the centres; how many rows have moved."""
    sums, members = np.zeros((team.size, *state.sums.shape), np.int64), np.zeros((team.size, len(centres)), np.int64)
    moves = SparseMoves(state.labels, state.scale, sums, members, *_tallies(points, team))
    _run(points, centres, moves, bounds.known(), team)
    bounds.are_known = True
    state.sums += sums.sum(axis=0)
    if len(points.importance) == 0:
        whole = np.rint(points.zeros.astype(np.float64) * state.scale[:-1]).astype(np.int64)
        state.sums[:, :-1] += members.sum(axis=0)[:, None] * whole
    return int(moves.tallies.sum())


def nearest_centres_sparse(points: SparsePoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """int32 (rows,), the nearest centre of each row."""
    labels = np.full(points.n_rows, -1, np.int32)
    nothing = np.zeros((team.size, 1, 1), np.int64)
    moves = SparseMoves(labels, np.zeros(0), nothing, nothing[0], *_tallies(points, team))
    _run(points, centres, moves, no_bounds(), team)
    return labels


def _tallies(points: SparsePoints, team: Team) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((team.size, 8), np.int64), np.empty((team.size, 1), points.dtype)


def _run(points: SparsePoints, centres: np.ndarray, moves: SparseMoves, leads: Leads, team: Team) -> None:
    scores = make_scores(points, centres)
    tile, places = points.tiles_of_zeros(team.size), np.empty((team.size, LANES), np.int64)
    exact = Exact(
        *packed(centres),
        tile,
        places,
        np.empty((team.size, LANES), points.dtype),
        np.empty((team.size, LANES), np.int32),
    )
    room = np.empty((team.size, scores.of_zeros.size + LANES), np.float32)
    team.run(_assign, points.rows, scores, exact, moves, leads, room)


def make_scores(points: SparsePoints, centres: np.ndarray) -> SparseCentres:
    """Centres for the kernel, and how far scores can be off."""
    wide, zeros = centres.astype(np.float64, copy=False), points.zeros.astype(np.float64, copy=False)
    half = 0.5 * squares(wide)
    most = np.abs(wide).max(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        table = lay_abreast(wide, most, np.float32)
        of_zeros = np.full(table.shape[1], np.inf, np.float32)
        of_zeros[: len(centres)] = half - wide @ zeros
        share, tiny = points.rounding_share, float(np.finfo(np.float32).smallest_subnormal)
        least = 4.0 * (points.n_columns + points.n_roundings) * tiny * (1.0 + points.largest + float(most.max()))
        off = np.zeros(table.shape[1])
        off[: len(centres)] = share * (half + 2.0 * (np.abs(wide) @ np.abs(zeros))) + least
    is_finite = np.isfinite(off).all() and np.isfinite(of_zeros[: len(centres)]).all()
    return SparseCentres(table.ravel(), of_zeros, off, share if is_finite else np.inf)  # infinite: nothing is certain


@kernel
def _assign(rank, size, sync, rows, scores, exact, moves, leads, room):
    rows, scores, exact = refer(rows), refer(scores), refer(exact)
    moves, leads = refer(moves), refer(leads)
    n_rows, n_places, n_waiting = moves.labels.size, scores.of_zeros.size, 0
    sums, places, tile = room[rank], exact.places[rank], exact.tile[rank]
    while True:
        chunk = next_chunk(sync)
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows)):
            if leads.are_known and is_settled(place, moves.labels[place], leads):
                continue
            row = row_at(rows, place)
            for i in range(n_places):
                sums[i] = scores.of_zeros[i]
            begin, end = rows.first[row], rows.first[row + 1]
            subtract_products(scores.table, rows.values, rows.columns, begin, end, n_places, sums)
            size_of_products = np.float64(sums[n_places - 1])
            sums[n_places - 1] = np.inf  # no centre
            label = _lowest(sums, n_places)
            lead = _lead(scores, sums, label, size_of_products)
            keep_lead(place, label, lead, leads)
            if lead > 0.0 or _is_certain(rows, row, scores, sums, label, size_of_products):
                if moves.labels[place] != label:
                    _move(rows, place, row, label, moves, rank)
                continue
            put_row(rows, row, tile, n_waiting)
            places[n_waiting] = place
            n_waiting += 1
            if n_waiting == LANES:
                _look(rank, rows, exact, places, moves)
                n_waiting = 0
        if chunk * CHUNK_ROWS >= n_rows:
            break
    if n_waiting > 0:
        _look(rank, rows, exact, places[:n_waiting], moves)


@inner_kernel
def _lowest(sums, n_places):
    """The first of the lowest scores; four minima at a time, which need not wait for each other."""
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for i in range(4, n_places, 4):
        a = sums[i] if sums[i] < a else a
        b = sums[i + 1] if sums[i + 1] < b else b
        c = sums[i + 2] if sums[i + 2] < c else c
        d = sums[i + 3] if sums[i + 3] < d else d
    a, c = b if b < a else a, d if d < c else c
    a = c if c < a else a
    for i in range(n_places):
        if sums[i] == a:
            return np.int32(i)
    return np.int32(0)


@inner_kernel
def _lead(scores, sums, label, size_of_products):
    """By how much a centre leads, whatever rounding has made of the scores: with one bound for all products."""
    off, best = scores.off, sums[label]
    sums[label] = np.inf
    a, b = np.float64(sums[0]) - off[0], np.float64(sums[1]) - off[1]
    c, d = np.float64(sums[2]) - off[2], np.float64(sums[3]) - off[3]
    for i in range(4, off.size, 4):
        a = a if a <= np.float64(sums[i]) - off[i] else np.float64(sums[i]) - off[i]
        b = b if b <= np.float64(sums[i + 1]) - off[i + 1] else np.float64(sums[i + 1]) - off[i + 1]
        c = c if c <= np.float64(sums[i + 2]) - off[i + 2] else np.float64(sums[i + 2]) - off[i + 2]
        d = d if d <= np.float64(sums[i + 3]) - off[i + 3] else np.float64(sums[i + 3]) - off[i + 3]
    sums[label] = best
    a, c = a if a <= b else b, c if c <= d else d
    return (a if a <= c else c) - (np.float64(best) + off[label] + 2.0 * scores.share * size_of_products)


@inner_kernel
def _is_certain(rows, row, scores, sums, label, size_of_products):
    """Whether a centre leads, with a bound for the products of each centre."""
    share, best = scores.share, np.float64(sums[label]) + scores.off[label]
    limit = best + 2.0 * share * size_of_products
    own = _size(rows, row, scores, label)
    for i in range(scores.of_zeros.size - 1):
        low = np.float64(sums[i]) - scores.off[i]
        if i == label or low > limit:
            continue
        if not low > best + share * (own + _size(rows, row, scores, i)):  # or NaN
            return False
    return True


@inner_kernel
def _size(rows, row, scores, label):
    """The sizes of the products of a row and a centre, added up."""
    total, n_places = 0.0, scores.of_zeros.size
    for i in range(rows.first[row], rows.first[row + 1]):
        total += abs(np.float64(rows.values[i]) * np.float64(scores.table[rows.columns[i] * n_places + label]))
    return total


@inner_kernel
def _look(rank, rows, exact, places, moves):
    """Find the centres of the rows that were laid out, whose places are given."""
    tile, best, label = exact.tile[rank], exact.scores[rank], exact.label[rank]
    nearest(tile, 0, rows.zeros.size, exact.values, exact.n_large, exact.n_small, best, best, label, 0)
    for lane in range(places.size):
        row = row_at(rows, places[lane])
        clear_row(rows, row, tile, lane)
        if moves.labels[places[lane]] != label[lane]:
            _move(rows, places[lane], row, label[lane], moves, rank)


@inner_kernel
def _move(rows, place, row, new, moves, rank):
    """Give a row another label: take it from one centre's sums and add it to another's."""
    scale, old, cell = moves.scale, moves.labels[place], moves.cell[rank]
    moves.labels[place] = new
    moves.tallies[rank, 0] += 1
    count = rows.counts[place] if rows.counts.size > 0 else np.int64(1)
    if scale.size == 0 or count == 0:
        return
    factor = rows.importance[place] if rows.importance.size > 0 else 1.0
    added = moves.sums[rank, new]
    taken = moves.sums[rank, max(old, 0)]
    was_there = np.int64(old >= 0)
    for i in range(rows.first[row], rows.first[row + 1]):
        j = rows.columns[i]
        cell[0] = rows.values[i] - rows.origin[j]
        whole = np.int64(np.rint(np.float64(cell[0]) * factor * scale[j]))
        whole = (whole - np.int64(np.rint(np.float64(rows.zeros[j]) * factor * scale[j]))) * count
        added[j] += whole
        taken[j] -= whole * was_there
    if rows.importance.size > 0:
        for j in range(rows.zeros.size):
            whole = np.int64(np.rint(np.float64(rows.zeros[j]) * factor * scale[j])) * count
            added[j] += whole
            taken[j] -= whole * was_there
    whole = np.int64(np.rint(factor * scale[rows.zeros.size])) * count
    added[rows.zeros.size] += whole
    taken[rows.zeros.size] -= whole * was_there
    moves.members[rank, new] += count
    moves.members[rank, max(old, 0)] -= count * was_there


# ----------------------------------------------------------------------------------------------------------------------
# Distances: squared distances of rows to centres, those of `assign.py` bit for bit.
#
# A distance is added up column by column, as there; rows are laid out sixteen at a time.


_BLOCK = 1024  # columns of sixteen rows that stay in the cache


def inertia_sparse(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> float:
    """The sum of squared distances of rows to their centres, by weight; the same for any number of threads."""
    distances, sums = _own_distances(points, centres, labels, team), np.zeros(points.n_chunks)
    _sum_chunks(distances, points.counts, points.importance, sums)
    return float(np.cumsum(sums)[-1]) * points.unit


def own_distances_sparse(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """float64 (rows,), squared, of each row to its centre; rows that count nothing have -1."""
    distances = _own_distances(points, centres, labels, team)
    distances[points.weights() == 0] = -1.0
    return distances


def _own_distances(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """Rows go by label after label: so all differ from their centre by the same numbers, but for stored cells."""
    distances = np.empty(points.n_rows)
    places = np.argsort(labels, kind="stable")
    tiles, at = np.empty((team.size, _BLOCK * LANES)), np.empty((team.size, CHUNK_ROWS + _BLOCK * LANES), np.int64)
    sums, cell = np.empty((team.size, CHUNK_ROWS + LANES)), np.empty((team.size, 1), points.dtype)
    team.run(_measure_own, points.rows, centres, labels, places, tiles, at, sums, cell, distances)
    return distances


@kernel
def _measure_own(rank, size, sync, rows, centres, labels, places, tiles, cells, sums, cell, distances):
    rows = refer(rows)
    tile, at, total, x = tiles[rank], cells[rank], sums[rank], cell[rank]
    n_rows, n_columns = labels.size, rows.zeros.size
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        first, stop = chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows)
        while first < stop:
            centre, n = centres[labels[places[first]]], 1
            while first + n < stop and labels[places[first + n]] == labels[places[first]]:
                n += 1
            own = places[first : first + n]
            for i in range(n):
                at[i] = rows.first[row_at(rows, own[i])]
                total[i] = 0.0
            for begin in range(0, n_columns, _BLOCK):
                _add_block(rows, own, centre, begin, min(n_columns, begin + _BLOCK), tile, at, total, x)
            for i in range(n):
                distances[own[i]] = total[i]
            first += n


@inner_kernel
def _add_block(rows, own, centre, begin, end, tile, at, total, x):
    """Add the squares of some columns to the sums of some rows of one centre.

    `at` has the next stored cell of each row, and after these room to note which cells of the tile were written.
    """
    written = at[CHUNK_ROWS:]
    for j in range(begin, end):
        gap = np.float64(rows.zeros[j]) - np.float64(centre[j])
        for lane in range(LANES):
            tile[(j - begin) * LANES + lane] = gap * gap
    for first in range(0, own.size, LANES):
        n_lanes, n_written = min(LANES, own.size - first), 0
        for ahead in range(first + LANES, min(first + 2 * LANES, own.size)):
            prefetch(rows.columns, at[ahead])
            prefetch(rows.values, at[ahead])
        for lane in range(n_lanes):
            i, last = at[first + lane], rows.first[row_at(rows, own[first + lane]) + 1]
            while i < last and rows.columns[i] < end:
                j = rows.columns[i]
                x[0] = rows.values[i] - rows.origin[j]
                gap = np.float64(x[0]) - np.float64(centre[j])
                written[n_written] = (j - begin) * LANES + lane
                tile[written[n_written]] = gap * gap
                n_written += 1
                i += 1
            at[first + lane] = i
        add_columns(tile, end - begin, total, first)
        for k in range(n_written):
            j = begin + written[k] // LANES
            gap = np.float64(rows.zeros[j]) - np.float64(centre[j])
            tile[written[k]] = gap * gap


@kernel
def _sum_chunks(distances, counts, importance, sums):
    for chunk in range(sums.size):
        total = 0.0
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, distances.size)):
            total += weight_at(place, counts, importance) * distances[place]
        sums[chunk] = total


def distances_to_all_sparse(points: SparsePoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """(rows, centres) in the points' dtype, squared; rows are laid out sixteen at a time."""
    out = np.empty((points.n_rows, len(centres)), points.dtype)
    scratch = np.empty((team.size, SMALL * LANES), points.dtype)
    team.run(_measure_all, points.rows, columns_first(centres), out, scratch, points.tiles_of_zeros(team.size))
    return out


@kernel
def _measure_all(rank, size, sync, rows, centres, out, scratch, tiles):
    rows = refer(rows)
    n_rows, n_centres = out.shape
    n_columns, distances, tile = rows.zeros.size, scratch[rank], tiles[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            n_lanes = min(LANES, n_rows - place)
            for lane in range(n_lanes):
                put_row(rows, row_at(rows, place + lane), tile, lane)
            for first in range(0, n_centres, SMALL):
                squared_distances(tile, 0, n_columns, centres, first * n_columns, distances, 0)
                for i in range(min(SMALL, n_centres - first)):
                    for lane in range(n_lanes):
                        out[place + lane, first + i] = distances[i * LANES + lane]
            for lane in range(n_lanes):
                clear_row(rows, row_at(rows, place + lane), tile, lane)
