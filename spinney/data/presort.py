"""Sort every column once, so that exact trees never sort again.

In: a `Table`. Out: `Presorted`, one list a column of its rows in ascending order of value. An entry of a list is

    [ rank of the value : 32 bits | row : 32 bits ]

Equal values have equal ranks and keep the order of their rows.
The rank of a category is its index, and missing values come last with the rank MISSING. In columns of more than
MAX_BINS categories those of few rows share a rank. With `bins` a value's rank is its bin, and the value that stands for
it the bin's upper edge.

Numbers are sorted by their bits, eleven at a time: passes of counting, no comparisons. float64 values that are
not float32 values are sorted by their leading 32 bits first, then each run of equal ones by the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, part_kernel, view_as_int
from spinney._team import Team, next_chunk
from spinney.data.encode import MAX_BINS, codes_by_frequency
from spinney.data.tables import ALL_ROWS, Sorting, Table

MISSING = np.uint64(0xFFFFFFFF)
MOST_ROWS = 2**31 - 1
ROW, RANK = np.uint64(0xFFFFFFFF), np.uint64(32)  # mask of an entry's row, place of its rank

FEWEST = 12  # rows of a category with a rank of its own, in columns of many
_COLUMNS = 4  # columns that a thread reads at a time: neighbours in a row share cache lines
_DIGIT, DIGITS = 11, 3  # bits of a digit; digits of a 32-bit key
BUCKETS = 1 << _DIGIT
_LEFT_OUT = np.int32(-1)
_SHORT = 24  # a run up to this length is sorted by insertion
_SIGN32, _ONES32 = np.uint32(0x80000000), np.uint32(0xFFFFFFFF)
_SIGN64, _ONES64 = np.uint64(0x8000000000000000), np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_MASK = np.uint64(BUCKETS - 1)


class Presorted(NamedTuple):
    """A table sorted column by column."""

    lists: np.ndarray  # uint64 (columns and what was asked for besides, rows)
    n_ranks: np.ndarray  # int64, ranks of each column, without the one for missing
    values: np.ndarray  # float64 (columns, most ranks), the values that ranks stand for, if asked for; or edges of bins
    is_categorical: np.ndarray  # bool
    is_binned: bool

    @property
    def n_columns(self) -> int:
        return len(self.n_ranks)

    @property
    def n_rows(self) -> int:
        return self.lists.shape[1]

    @property
    def n_others(self) -> int:
        """Lists besides the columns'."""
        return len(self.lists) - self.n_columns

    def take(
        self,
        rows: np.ndarray | None,
        team: Team,
        n_others: int = 0,
        room: np.ndarray | None = None,
        columns: np.ndarray | None = None,
    ) -> Presorted:
        """The same of some of the rows (int64, none twice; None: all): row k is row rows[k] here. Nothing is sorted.

        A tree grown on it is the tree of a table of these rows. Ranks stay as they are, so some may have no row.
        `n_others` lists are added after the columns', for the caller to fill. The lists lie in `room` (uint64, of
        enough entries), if it is given. Column k is column columns[k] here (None: all columns).
        """
        chosen = np.arange(self.n_columns) if columns is None else columns
        n_rows = self.n_rows if rows is None else len(rows)
        size = (len(chosen) + n_others) * n_rows
        lists = (np.empty(size, np.uint64) if room is None else room[:size]).reshape(-1, n_rows)
        place = np.empty(0, np.int32)
        if rows is not None:
            place = np.full(self.n_rows, _LEFT_OUT, np.int32)
            place[rows] = np.arange(n_rows, dtype=np.int32)
        team.run(_take, self.lists, place, lists, chosen)
        if columns is None:
            return self._replace(lists=lists)
        ranks, values = self.n_ranks[columns], self.values[columns]
        return Presorted(lists, ranks, values, self.is_categorical[columns], self.is_binned)


def presort(table: Table, is_categorical: np.ndarray, team: Team, how: Sorting = ALL_ROWS) -> Presorted:
    """Sort the columns of a table of panels, or its codes; any table has `sorted`."""
    rows, bins = how.rows, how.bins
    n_rows = table.n_rows if rows is None else len(rows)
    if table.n_rows > MOST_ROWS:
        raise ValueError(f"exact trees support at most {MOST_ROWS:,} rows, got {table.n_rows:,}.")
    lists = np.empty((table.n_columns + how.n_others, n_rows), np.uint64)
    n_ranks = np.zeros(table.n_columns, np.int64)
    some = np.empty(0, np.int64) if rows is None else rows
    memory = np.empty((team.size, n_rows), np.uint64), np.empty((team.size, _COLUMNS, n_rows))
    counts = np.empty((team.size, DIGITS, BUCKETS), np.int64)
    if bins is not None:
        missing = bins.n_bins.astype(np.int64)
        team.run(_sort_codes, table.codes(bins, team), missing, some, lists, counts)
        return Presorted(lists, missing, bins.edge_table(), is_categorical, True)
    values = np.empty((table.n_columns, n_rows if how.with_values else 0))
    for panel in table.panels:
        columns = np.array(panel.columns, np.int64)
        categorical = is_categorical[columns]
        numbers = pooled(panel.values, np.flatnonzero(categorical), some)
        team.run(_sort_panel, numbers, columns, categorical, some, lists, values, n_ranks, *memory, counts)
    return Presorted(lists, n_ranks, values, is_categorical, False)


@kernel
def _sort_codes(rank, size, sync, codes, missing, rows, lists, counts):
    """Lists of a table of bins: one counting pass a column."""
    buckets = counts[rank, 0]
    while True:
        j = next_chunk(sync)
        if j >= missing.size:
            return
        buckets[:257] = 0
        column = codes[j]
        for i in range(lists.shape[1]):
            buckets[np.int64(column[rows[i] if rows.size else i]) + 1] += 1
        for b in range(256):
            buckets[b + 1] += buckets[b]
        for i in range(lists.shape[1]):
            code = np.int64(column[rows[i] if rows.size else i])
            key = MISSING if code == missing[j] else np.uint64(code)
            lists[j, buckets[code]] = (key << RANK) | np.uint64(i)
            buckets[code] += 1


@kernel
def _take(rank, size, sync, lists, place, some, columns):
    """Lists of the rows that have a place, in the same order; without places, of all. Entries are written whether they
    stay or not: no branch to guess. Writing ends at the last one that stays."""
    while True:
        j = next_chunk(sync)
        if j >= columns.size:
            return
        source, goal = lists[columns[j]], some[j]
        if place.size == 0:
            for i in range(source.size):
                goal[i] = source[i]
            continue
        k = 0
        for i in range(source.size):
            if k == goal.size:
                break
            entry = source[i]
            at = place[np.int64(entry & ROW)]
            goal[k] = (entry & ~ROW) | np.uint64(np.uint32(at))
            k += at >= 0


def pooled(values: np.ndarray, categorical: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A panel whose columns of many categories have one number for all that are rare among some rows (none: all).

    A category of a row or two says little about other rows, and an order of thousands knows the target by heart.
    """
    found = values
    for k in categorical:
        column = values[:, k]
        some = column[rows] if rows.size else column
        frequency = np.bincount(some[~np.isnan(some)].astype(np.int64))
        if np.count_nonzero(frequency) > MAX_BINS:
            codes = codes_by_frequency(frequency, MAX_BINS, FEWEST)
            found = values.copy() if found is values else found
            is_known = column < len(codes)
            found[is_known, k] = codes[column[is_known].astype(np.int64)]
    return found


@kernel
def _sort_panel(
    rank, size, sync, panel, columns, categorical, rows, lists, values, n_ranks, spare_lists, copies, counts
):
    """Sort a panel's columns into their lists, a few neighbours at a time."""
    copy, spare, buckets = copies[rank], spare_lists[rank], counts[rank]
    while True:
        first = next_chunk(sync) * _COLUMNS
        if first >= columns.size:
            return
        last = min(columns.size, first + _COLUMNS)
        for i in range(lists.shape[1]):
            row = rows[i] if rows.size else i
            for k in range(last - first):
                copy[k, i] = np.float64(panel[row, first + k]) + 0.0  # -0.0 + 0.0 = 0.0
        for k in range(last - first):
            j = columns[first + k]
            n_ranks[j] = sort_column(copy[k], categorical[first + k], lists[j], spare, buckets, values[j])


@part_kernel(returns="int64")
def sort_column(column, is_categorical, entries, spare, buckets, values):
    """Sort one column; returns how many ranks it has."""
    if is_categorical:
        return _sort_categories(column, entries, spare, buckets)
    return _sort_numbers(column, entries, spare, buckets, values)


@inner_kernel
def _sort_categories(column, entries, spare, buckets):
    """Sort one column of categories; returns one more than the largest."""
    n_ranks = np.int64(0)
    for i in range(column.size):
        x = column[i]
        key = MISSING if x != x else np.uint64(np.int64(x))
        n_ranks = n_ranks if x != x else max(n_ranks, np.int64(x) + 1)
        entries[i] = (key << RANK) | np.uint64(i)
    radix_sort(entries, spare, buckets)
    return n_ranks


@inner_kernel
def _sort_numbers(column, entries, spare, buckets, values):
    """Sort one column and rank it; returns how many values it has."""
    if _fits_float32(column):
        for i in range(column.size):
            entries[i] = (_key32(column[i]) << RANK) | np.uint64(i)
        radix_sort(entries, spare, buckets)
    else:
        for i in range(column.size):
            entries[i] = (_key64(column[i]) & ~ROW) | np.uint64(i)
        radix_sort(entries, spare, buckets)
        _sort_runs(column, entries, spare, buckets)
    return _rank(column, entries, values)


@inner_kernel
def _fits_float32(column):
    """Whether every value that is not missing is a float32 value."""
    fits = True
    for i in range(column.size):
        x = column[i]
        fits &= (np.float64(np.float32(x)) == x) | (x != x)
    return fits


@inner_kernel
def _key32(x):
    """32 bits of a float32 value that sort like it; missing is last."""
    if x != x:
        return MISSING
    bits = np.uint32(view_as_int(np.float32(x)))
    return np.uint64(bits ^ (_ONES32 if bits & _SIGN32 else _SIGN32))


@inner_kernel
def _key64(x):
    """64 bits of a float64 value that sort like it; missing is last."""
    if x != x:
        return _ONES64
    bits = np.uint64(view_as_int(x))
    return bits ^ (_ONES64 if bits & _SIGN64 else _SIGN64)


@inner_kernel
def radix_sort(entries, spare, buckets):
    """Sort by the upper 32 bits, keeping the order of equals."""
    buckets[:] = 0
    for i in range(entries.size):
        key = entries[i] >> RANK
        for digit in range(DIGITS):
            buckets[digit, np.int64((key >> np.uint64(_DIGIT * digit)) & _LOW_MASK)] += 1
    source, goal = entries, spare
    in_spare = False
    for digit in range(DIGITS):
        places = buckets[digit]
        shift = RANK + np.uint64(_DIGIT * digit)
        if places[np.int64((source[0] >> shift) & _LOW_MASK)] == entries.size:  # all have the same digit
            continue
        total = np.int64(0)
        for b in range(BUCKETS):
            count = places[b]
            places[b] = total
            total += count
        for i in range(entries.size):
            entry = source[i]
            bucket = np.int64((entry >> shift) & _LOW_MASK)
            goal[places[bucket]] = entry
            places[bucket] += 1
        source, goal = goal, source
        in_spare = not in_spare
    if in_spare:
        for i in range(entries.size):
            entries[i] = spare[i]


@inner_kernel
def merge(entries, middle, spare):
    """Two sorted parts, up to the middle and from it on, into one."""
    for i in range(middle):
        spare[i] = entries[i]
    a, b = 0, middle
    for i in range(entries.size):
        if a == middle:
            return
        if b < entries.size and entries[b] < spare[a]:
            entries[i] = entries[b]
            b += 1
        else:
            entries[i] = spare[a]
            a += 1


@inner_kernel
def _sort_runs(column, entries, spare, buckets):
    """Entries agree in their upper bits within a run: sort each run by the whole value."""
    begin = 0
    while begin < entries.size:
        end = begin + 1
        prefix = entries[begin] >> RANK
        value = column[np.int64(entries[begin] & ROW)]
        differ = False
        while end < entries.size and entries[end] >> RANK == prefix:
            differ |= column[np.int64(entries[end] & ROW)] != value
            end += 1
        if differ and prefix != MISSING:
            run = entries[begin:end]
            if run.size <= _SHORT:
                _insertion_sort(column, run)
            else:
                for i in range(run.size):
                    row = run[i] & ROW
                    run[i] = (_key64(column[np.int64(row)]) << RANK) | row
                radix_sort(run, spare, buckets)
        begin = end


@inner_kernel
def _insertion_sort(column, run):
    for i in range(1, run.size):
        entry = run[i]
        x = column[np.int64(entry & ROW)]
        k = i
        while k > 0 and column[np.int64(run[k - 1] & ROW)] > x:
            run[k] = run[k - 1]
            k -= 1
        run[k] = entry


@inner_kernel
def _rank(column, entries, values):
    """Replace keys by ranks and note the value of each; returns how many there are."""
    n_ranks = 0
    last = 0.0
    for i in range(entries.size):
        row = entries[i] & ROW
        x = column[np.int64(row)]
        if x != x:
            entries[i] = (MISSING << RANK) | row
            continue
        if n_ranks == 0 or x != last:
            if values.size:
                values[n_ranks] = x
            n_ranks += 1
            last = x
        entries[i] = (np.uint64(n_ranks - 1) << RANK) | row
    return n_ranks
