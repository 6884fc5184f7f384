"""Values to codes: learn the bins of every column, then turn tables into uint8 codes.

In: a `Table` of numeric panels (categories already stand there as indices). Out: `Bins`, which is stored with the
model, and arrays of codes. Bins depend on the values (and whole-number weights) alone, never on threads or blocks.

    code of a number     how many edges lie below it: 0 .. n_bins - 1, so `code <= b` means `value <= edge[b]`
    code of a category   its own; past the most frequent ones all rare categories share the last
    code of missing      n_bins

This stage knows nothing of targets, trees or histograms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel, view_as_int
from spinney._packed_arrays import Packed, unpack
from spinney._team import Team
from spinney.data.edges import learn_edges
from spinney.data.tables import Panel, Table

# ----------------------------------------------------------------------------------------------------------------------
# Bins in few bytes, for pickles and model files.
#
# In: `Bins`. Out: some flat arrays, and the other way round. Edges are written as steps from one to the next, counted
# in float64 numbers that lie between: exact, and mostly small.


_SIGN_64, _ONES = np.uint64(1 << 63), np.uint64((1 << 64) - 1)


def split_bins(bins: Bins) -> dict[str, np.ndarray]:
    """Flat arrays: all columns' edges end to end, all columns' codes end to end."""
    return {
        "n_edges": np.array([len(one) for one in bins.edges], np.uint8),
        "edges": np.concatenate([_steps(one) for one in bins.edges]),
        "n_codes": np.array([len(one) for one in bins.category_codes], np.int32),
        "codes": np.concatenate(bins.category_codes),
        "n_bins": bins.n_bins,
        "is_categorical": bins.is_categorical,
    }


def make_bins(n_edges: Any, edges: Any, n_codes: Any, codes: Any, n_bins: Any, is_categorical: Any) -> Bins:
    """Bins from flat arrays; lengths that do not add up are a ValueError."""
    same = len(n_edges) == len(n_codes) == len(is_categorical) == len(n_bins) and (n_codes >= 0).all()
    first, first_code = _ends(n_edges), _ends(n_codes)
    if not same or first[-1] != len(edges) or first_code[-1] != len(codes):
        raise ValueError("Every column needs its edges and codes")
    own = tuple(_from_ordered(np.cumsum(edges[a:b], dtype=np.uint64)) for a, b in pairwise(first))
    return Bins(own, tuple(codes[a:b] for a, b in pairwise(first_code)), n_bins, is_categorical)


def unpack_bins(packed: Packed) -> Bins:
    """From a pickle."""
    return make_bins(**unpack(packed))


def _ends(lengths: np.ndarray) -> list[int]:
    ends: list[int] = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
    return ends


def _steps(edges: np.ndarray) -> np.ndarray:
    return np.diff(_ordered(edges), prepend=np.uint64(0))


def _ordered(numbers: np.ndarray) -> np.ndarray:
    """uint64 in the order of the float64: their bits, all turned for negative numbers, else the sign's."""
    bits = np.ascontiguousarray(numbers).view(np.uint64)
    return bits ^ np.where(bits & _SIGN_64, _ONES, _SIGN_64)


def _from_ordered(order: np.ndarray) -> np.ndarray:
    return (order ^ np.where(order & _SIGN_64, _SIGN_64, _ONES)).view(np.float64)


# ----------------------------------------------------------------------------------------------------------------------
# Fast encoding of many numbers: a number's cell gives most of its code.
#
# In: the edges of columns. Out: for each column a division of all numbers into 65,536 cells, and a table: how many
# edges are in earlier cells. These are below a number of that cell, and edges of later cells are not; only those of the
# same cell are compared with it, one or two in most columns, where bisection takes eight comparisons.
#
#     cells        |      0      |      1      |      2      |      3      |
#     edges        |   e0    e1  |             |     e2      |             |
#     starts       |   0         |   2         |   2         |   3         |    code: starts + edges of the cell below x
#
# The codes are the very same, since a cell is a function of the number that never falls where numbers rise: numbers in
# different cells are in the order of their cells. Rounding cannot change that. Two such functions:
#
#     by bits      the first 16 bits of the number as float32: relative precision, for columns about zero and long tails
#     evenly       between the first edge and the last, for columns far from zero
#
# Columns whose edges crowd in few cells either way are left to bisection. It pays for tables of many rows.


_CELLS = 1 << 16
_LAST = 65535.0
_MOST_STEPS = 2
_SIGN, _ZERO = np.uint32(0x80000000), np.float32(0.0)
_S16, _S31 = np.uint32(16), np.int32(31)
_TWO_EDGES_SHIFT, _ONE_EDGE_SHIFT = np.uint32(1), np.uint32(0)  # see `_step`: past 1 << shift edges

# What the cells of a column are.
CELLS = np.dtype([("least", np.float64), ("scale", np.float64), ("steps", np.int64)], align=True)


def find_cells(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(starts, cells) of columns whose edges are padded with infinity, (columns, 256).

    `scale` is 0 for cells by bits; `steps` are the comparisons within a cell, -1 where they would be too many.
    """
    starts, cells = np.empty((len(edges), _CELLS), np.uint8), np.zeros(len(edges), CELLS)
    n_edges = (edges < np.inf).sum(axis=1)
    for cell, own, n in zip(cells, edges.astype(np.float64), n_edges.tolist()):
        if n > 1:
            with np.errstate(over="ignore", divide="ignore"):
                cell["least"], cell["scale"] = own[0], _LAST / (own[n - 1] - own[0])
    cells["scale"][~np.isfinite(cells["scale"])] = 0.0
    _fill_starts(edges, n_edges, starts, cells)
    return starts, cells


@inner_kernel
def _by_bits(number):
    """0 .. 65535, never falling where numbers rise; 0 and -0 are one."""
    # As unsigned integers, the bits of positive floats are in order, below those of negative ones, which are in reverse
    # order. So set the sign bit of positive numbers, and flip all bits of negative ones (bits >> 31 is all ones there).
    bits = view_as_int(np.float32(number) + _ZERO)
    turned = np.uint32(bits) ^ (np.uint32(bits >> _S31) | _SIGN)
    return np.uint32(turned >> _S16)


@inner_kernel
def _evenly(number, least, scale):
    """The same; NaN is in the first cell."""
    place = (np.float64(number) - least) * scale
    place = place if place > 0.0 else 0.0
    return np.uint32(place if place < _LAST else _LAST)


@kernel
def _fill_starts(edges, n_edges, starts, cells):
    """starts[k, cell] = edges of column k in earlier cells. Of both ways to cut, the one with fewer steps is taken."""
    for k in range(n_edges.size):
        cell, n = cells[k], n_edges[k]
        evenly, even_steps = cell.scale, np.int64(9)
        if evenly > 0.0:
            even_steps = _steps_of(edges[k], n, cell.least, evenly)
        bit_steps = _steps_of(edges[k], n, cell.least, 0.0)
        cell.scale = evenly if even_steps < bit_steps else 0.0
        cell.steps = min(even_steps, bit_steps)
        if cell.steps > _MOST_STEPS:
            cell.steps = -1
            continue
        at = 0
        for place in range(_CELLS):
            starts[k, place] = at
            while at < n and _cell_of(edges[k, at], cell.least, cell.scale) == place:
                at += 1


@inner_kernel
def _cell_of(number, least, scale):
    return np.int64(_evenly(number, least, scale)) if scale > 0.0 else np.int64(_by_bits(number))


@inner_kernel
def _steps_of(edges, n, least, scale):
    """Comparisons (by bisection) that find a place among the edges of the fullest cell."""
    most = together = np.int64(0)
    before = np.int64(-1)
    for i in range(n):
        own = _cell_of(edges[i], least, scale)
        together = together + 1 if own == before else np.int64(1)
        most, before = max(most, together), own
    steps = np.int64(0)
    while (np.int64(1) << steps) <= most:
        steps += 1
    return steps


@inner_kernel
def encode_by_cells(values, edges, starts, cell, missing, out):
    """out[i] = how many edges lie below values[i]. Loops without a branch or a loop inside."""
    least, scale = cell.least, cell.scale
    if scale > 0.0 and cell.steps <= 1:
        for i in range(values.size):
            place = np.uint32(starts[_evenly(values[i], least, scale)])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    elif scale > 0.0:
        for i in range(values.size):
            place = np.uint32(starts[_evenly(values[i], least, scale)])
            place = _step(edges, place, _TWO_EDGES_SHIFT, values[i])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    elif cell.steps <= 1:
        for i in range(values.size):
            place = np.uint32(starts[_by_bits(values[i])])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    else:
        for i in range(values.size):
            place = np.uint32(starts[_by_bits(values[i])])
            place = _step(edges, place, _TWO_EDGES_SHIFT, values[i])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)


@inner_kernel
def _code(place, value, missing):
    return np.uint8(place) if value == value else missing


@inner_kernel
def _step(edges, place, shift, value):
    """Past one or two edges (1 << shift) if the last of them is below the value.

    The comparison is shifted, since a product would become a branch. Edges of later cells and the infinite ones after
    the last are never below the value, so looking past the end of a cell does no harm.
    """
    ahead = np.uint32((np.uint32(1) << shift) - np.uint32(1))
    return np.uint32(place + (np.uint32(edges[np.uint32(place + ahead)] < value) << shift))


MAX_BINS = 255  # one uint8 holds 255 bins and the missing code
_EDGE_SLOTS = 256  # edges of a column, padded with +inf: eight halvings find the place
_SAMPLE = 200_000  # rows that the edges are learnt from
_LINE, _TILE = 64, 1024  # bytes of a cache line; rows that are turned into columns at a time
_MANY = 1 << 18  # rows from which on it pays to look at numbers' first bits
_MOST_COLUMNS = 256  # of a panel: a column's cells take 64 KiB
_NO_CELLS = np.empty((0, 0), np.uint8), np.empty(0, CELLS)
_BLOCK = 4096  # rows encoded at a time: the block of a row-major table stays in the second-level cache


@dataclass(frozen=True)
class Bins:
    """How each column is cut. `edges[j]` is empty for a category column, `category_codes[j]` for a number column."""

    edges: tuple[np.ndarray, ...]  # float64, ascending
    category_codes: tuple[np.ndarray, ...]  # uint8: index of the category -> code
    n_bins: np.ndarray  # int32, per column; also the code of missing
    is_categorical: np.ndarray  # bool, per column

    def __repr__(self) -> str:
        """Short: notebooks write it beside every fitted model that has bins."""
        return f"<Bins of {self.n_columns:,} columns, at most {self.n_bins.max(initial=0)} of a column>"

    @property
    def n_columns(self) -> int:
        return len(self.n_bins)

    def thresholds(self, columns: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Numbers t with `code_of(x) <= code` just when `x <= t`; +inf where every number passes."""
        edges, first = self.edge_list
        return edges[first[columns] + np.minimum(codes, first[columns + 1] - first[columns] - 1)]

    def edge_table(self, dtype: Any = np.float64) -> np.ndarray:
        """(columns, codes) the upper edge of every bin, rounded down so that `x <= edge` keeps its meaning; +inf where
        there is none."""
        dtype = np.dtype(dtype)
        if dtype not in self._edge_tables:
            edges = np.full((self.n_columns, _EDGE_SLOTS), np.inf, dtype)
            for j, column in enumerate(self.edges):
                edges[j, : len(column)] = round_down(column, dtype)
            self._edge_tables[dtype] = edges
        return self._edge_tables[dtype]

    @cached_property
    def _edge_tables(self) -> dict[Any, np.ndarray]:
        return {}

    @cached_property
    def edge_list(self) -> tuple[np.ndarray, np.ndarray]:
        """All columns' edges end to end, each followed by +inf, and where each column's begin."""
        first = np.cumsum([0] + [len(edges) + 1 for edges in self.edges])
        edges = np.full(first[-1], math.inf)
        for own, begin in zip(self.edges, first.tolist()):
            edges[begin : begin + len(own)] = own
        return edges, first

    @cached_property
    def category_table(self) -> np.ndarray:
        """uint8 (columns, categories): the code of each category, by its index."""
        table = np.zeros((self.n_columns, max(1, *map(len, self.category_codes))), np.uint8)
        for j, codes in enumerate(self.category_codes):
            table[j, : len(codes)] = codes
        return table

    def encode(self, table: Table, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Codes of the rows start..stop of a table of panels, (columns, rows) uint8; any table has `codes`."""
        stop = table.n_rows if stop is None else stop
        codes = np.empty((self.n_columns, stop - start), np.uint8)
        self.encode_into(table, team, codes, 0, start, stop)
        return codes

    def encode_into(
        self,
        table: Table,
        team: Team,
        codes: np.ndarray,
        at: int,
        start: int,
        stop: int,
        cells: CellCache | None = None,
    ) -> None:
        """The same, into codes[:, at : at + stop - start].

        Tables that follow each other share their `cells`, if they are many rows in all.
        """
        if cells is None:
            cells = CellCache(stop - start)
        pieces, work = pieces_of(stop - start, team.size), []
        many = len(table.panels) >= len(pieces)
        for panel in table.panels:
            plan = self._plan(panel)
            own = [(0, stop - start)] if many and len(panel.columns) == 1 else pieces
            work += [(panel.values[start:stop], plan, cells.of(plan), piece) for piece in own]
        team.map(partial(_encode_piece, codes, at), work)

    def _plan(self, panel: Panel) -> tuple[np.ndarray, ...]:
        """What the encoding kernel needs to know of a panel's columns; kept, as one row takes less time than this."""
        key = (panel.values.dtype, *panel.columns)
        if key not in self._plans:
            self._plans[key] = self._make_plan(panel)
        return self._plans[key]

    @cached_property
    def _plans(self) -> dict[Any, tuple[np.ndarray, ...]]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields, for libraries such as skops that keep objects by these; pickles are smaller still."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __reduce__(self) -> Any:
        from spinney._packed_arrays import pack

        return unpack_bins, (pack(split_bins(self)),)

    def _make_plan(self, panel: Panel) -> tuple[np.ndarray, ...]:
        columns = np.array(panel.columns, np.int64)
        edges = np.full((len(columns), _EDGE_SLOTS), np.inf, panel.values.dtype)
        for k, j in enumerate(columns):
            edges[k, : len(self.edges[j])] = round_down(self.edges[j], panel.values.dtype)
        return columns, edges, self.category_table[columns], self.n_bins[columns], self.is_categorical[columns]


class CellCache:
    """Cells of columns (`encode.py`) for so many rows, in one table or several; none where that would not pay."""

    def __init__(self, n_rows: int) -> None:
        self._pays = n_rows >= _MANY
        self._known: dict[Any, tuple[np.ndarray, Any]] = {}

    def of(self, plan: tuple[np.ndarray, ...]) -> tuple[np.ndarray, Any]:
        """Those of a panel's columns."""
        columns, edges = plan[:2]
        if not self._pays or len(columns) > _MOST_COLUMNS:
            return _NO_CELLS
        key = (edges.dtype, *columns.tolist())
        if key not in self._known:
            self._known[key] = find_cells(edges)
        return self._known[key]


def _encode_piece(codes: np.ndarray, at: int, work: tuple[np.ndarray, tuple[np.ndarray, ...], Any, Any]) -> None:
    rows, plan, cells, piece = work
    _encode(rows, *plan, *cells, codes, at, *piece)


def learn_bins(table: Table, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
    """Learn the bins of every column of a table of panels; any table has `bins`.

    `counts` says how often a row counts (0: not at all; None: each once), so that a row of weight 3 and three equal
    rows give the same bins. Above 200,000 rows the edges come from an evenly spread sample of the rows.
    """
    rows = sample_rows(table.n_rows, counts)
    weights = None if counts is None or rows is None else counts[rows]

    def learn_some(group: tuple[Panel, range]) -> list[tuple[int, Any]]:
        panel, places = group
        names = [k for k in places if is_categorical[panel.columns[k]]]
        some = [(panel.columns[k], _categories(panel.values[:, k], counts, max_bins)) for k in names]
        numbers = [k for k in places if not is_categorical[panel.columns[k]]]
        if numbers:
            columns = _side_by_side(panel.values, rows, places)
            if names:
                columns = columns[[k - places.start for k in numbers]]
            for k, edges in zip(numbers, learn_edges(columns, weights, max_bins)):
                some.append((panel.columns[k], (edges, np.empty(0, np.uint8), len(edges) + 1)))
        return some

    groups = [group for panel in table.panels for group in _groups(panel, team.size)]
    found = dict(pair for some in team.map(learn_some, groups) for pair in some)
    learnt = [found[j] for j in range(table.n_columns)]
    return Bins(
        edges=tuple(one[0] for one in learnt),
        category_codes=tuple(one[1] for one in learnt),
        n_bins=np.array([one[2] for one in learnt], np.int32),
        is_categorical=np.asarray(is_categorical, bool),
    )


def _groups(panel: Panel, n_threads: int) -> list[tuple[Panel, range]]:
    """Columns that are learnt together: those of a cache line, or fewer if threads would go without."""
    n = len(panel.columns)
    size = max(1, min(_LINE // panel.values.itemsize, -(-n // n_threads)))
    return [(panel, range(k, min(k + size, n))) for k in range(0, n, size)]


def _side_by_side(values: np.ndarray, rows: np.ndarray | None, places: range) -> np.ndarray:
    """Some columns, each in one piece, (columns, rows): what lies row by row is read once for all of them."""
    some = values[:, places.start : places.stop]
    if rows is None and (len(places) == 1 or values.strides[0] == values.itemsize):
        return some.T
    n_rows = len(values) if rows is None else len(rows)
    out = np.empty((len(places), n_rows), values.dtype)
    for start in range(0, n_rows, _TILE):
        part = slice(start, start + _TILE)
        out[:, part] = (some[part] if rows is None else some[rows[part]]).T
    return out


def sample_rows(n_rows: int, counts: np.ndarray | None) -> np.ndarray | None:
    """The rows that edges are learnt from; None for all."""
    rows = None if counts is None else np.flatnonzero(counts)
    n = n_rows if rows is None else len(rows)
    if n <= _SAMPLE:
        return rows
    # one row from each of 200,000 even stretches, at a place that looks random but depends on nothing else
    stretch = np.arange(_SAMPLE, dtype=np.int64)
    first, after = stretch * n // _SAMPLE, (stretch + 1) * n // _SAMPLE
    jitter = (stretch * 2_654_435_761 % 4_294_967_296) / 4_294_967_296
    places = first + (jitter * (after - first)).astype(np.int64)
    return places if rows is None else rows[places]


def _categories(values: np.ndarray, counts: np.ndarray | None, max_bins: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A column of categories: no edges, codes, number of bins."""
    codes = _category_codes(values, counts, max_bins)
    return np.empty(0), codes, int(codes.max()) + 1 if len(codes) else 1


def _category_codes(values: np.ndarray, counts: np.ndarray | None, max_bins: int) -> np.ndarray:
    """Each category its own code while they last; then the most frequent keep theirs and the rest share one."""
    present = ~np.isnan(values)
    if not present.any():
        return np.empty(0, np.uint8)
    index = values[present].astype(np.int64)
    return codes_by_frequency(np.bincount(index, weights=None if counts is None else counts[present]), max_bins)


def codes_by_frequency(frequency: np.ndarray, max_bins: int, fewest: int = 0) -> np.ndarray:
    """The code of each category, by how often it is there; past max_bins, those of fewer rows share one, too."""
    if len(frequency) <= max_bins:
        return np.arange(len(frequency), dtype=np.uint8)
    codes = np.full(len(frequency), max_bins - 1, np.uint8)
    common = np.argsort(-frequency, kind="stable")[: max_bins - 1]
    common = np.sort(common[frequency[common] >= fewest])
    codes[common] = np.arange(len(common), dtype=np.uint8)
    return codes


def round_down(edges: np.ndarray, dtype: Any) -> np.ndarray:
    """The largest value of `dtype` not above each edge: for x of that dtype, `x <= edge` keeps its meaning."""
    if edges.dtype == dtype:
        return edges
    with np.errstate(over="ignore"):
        rounded = edges.astype(dtype)
    return np.where(rounded > edges, np.nextafter(rounded, np.array(-np.inf, dtype)), rounded).astype(dtype)


def pieces_of(n_rows: int, n_threads: int) -> list[tuple[int, int]]:
    """Row ranges to hand out, several a thread."""
    n_pieces = 1 if n_threads == 1 else max(1, min(4 * n_threads, n_rows // _BLOCK))
    return [(n_rows * k // n_pieces, n_rows * (k + 1) // n_pieces) for k in range(n_pieces)]


@kernel
def _encode(values, columns, edges, categories, n_bins, is_categorical, starts, cells, codes, at, start, stop):
    """codes[columns[k], at + i] for rows start..stop, block by block."""
    for block in range(start, stop, _BLOCK):
        end = min(stop, block + _BLOCK)
        for k in range(columns.size):
            missing = np.uint8(n_bins[k])
            out = codes[columns[k], at + block : at + end]
            if is_categorical[k]:
                encode_categories(values[block:end, k], categories[k], missing, out)
            elif cells.size and cells[k].steps >= 0:
                encode_by_cells(values[block:end, k], edges[k], starts[k], cells[k], missing, out)
            else:
                encode_numbers(values[block:end, k], edges[k], missing, out)


@inner_kernel
def encode_categories(values, codes, missing, out):
    for i in range(values.size):
        out[i] = codes[np.int64(values[i])] if values[i] == values[i] else missing


@inner_kernel
def encode_numbers(values, edges, missing, out):
    """Four values at a time, so that one's halving does not wait for another's."""
    whole = values.size - values.size % 4
    for i in range(0, whole, 4):
        a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
        at_a = at_b = at_c = at_d = np.uint32(0)
        for half in (128, 64, 32, 16, 8, 4, 2, 1):
            at_a = _halve(edges, at_a, half, a)
            at_b = _halve(edges, at_b, half, b)
            at_c = _halve(edges, at_c, half, c)
            at_d = _halve(edges, at_d, half, d)
        out[i] = np.uint8(at_a) if a == a else missing
        out[i + 1] = np.uint8(at_b) if b == b else missing
        out[i + 2] = np.uint8(at_c) if c == c else missing
        out[i + 3] = np.uint8(at_d) if d == d else missing
    for i in range(whole, values.size):
        at = np.uint32(0)
        for half in (128, 64, 32, 16, 8, 4, 2, 1):
            at = _halve(edges, at, half, values[i])
        out[i] = np.uint8(at) if values[i] == values[i] else missing


@inner_kernel
def _halve(edges, place, half, value):
    """One of eight steps, without a branch, towards the number of edges below a value."""
    return place + np.uint32(half) * np.uint32(edges[place + np.uint32(half - 1)] < value)
