"""Tables for fits on the GPU: read where they are, and coded there.

In:  a table on the GPU (data/on_gpu.py), or one that a schema has read here. Out: `GpuDataset`, whose codes are on the
     GPU. Bins and codes are those of the CPU: edges are learnt here, from the same rows, and values are compared there.

    X on the GPU ── GpuTable ──▶ Schema, panels on the GPU ─┐
    X here ── schema.py ──▶ panels of numbers here ─────────┴─▶ GpuRows ── edges ──▶ codes on the GPU ── GpuDataset

What is here is copied in pieces, through memory that the GPU reads by itself: some pieces are laid out, by a thread
each, while others are under way or coded. Categories are coded here, and their codes copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

from spinney._compile.cuda import SIMULATED, Stream, cuda, enter_thread, float64, gpu_function, gpu_kernel
from spinney._team import Team
from spinney.data.dataset import WordLayout, check_rows, make_layout
from spinney.data.encode import Bins, learn_bins, sample_rows
from spinney.data.on_gpu import OnGpu, copy_here, view_on_gpu
from spinney.data.reading import check_shape, runs_of
from spinney.data.remote_table import RemoteCodes, RemoteDataset, RemoteRows, RemoteTable
from spinney.data.row_hash import end_key, mix_code
from spinney.data.schema import Schema, learn_source
from spinney.data.tables import DictionaryColumn, NumberColumn, Panel, Table, as_floats
from spinney.gpu.memory import SLOTS, THREADS, blocks_for, check_memory

# ----------------------------------------------------------------------------------------------------------------------
# Values to codes on the GPU: `Bins.encode` of data/encode.py, with the same codes.
#
#     code_values      a code per value: how many edges lie below it
#     gather_values    some rows of a table, column by column
#     hash_rows        the key of each row: `row_keys` of data/dataset.py
#
# A table is a line of numbers and the steps from row to row and from column to column, so that every layout is read by
# the same kernel.


GROUP = 16  # columns of a block: so many columns' edges are in shared memory
_EDGES = GROUP * SLOTS


@gpu_kernel
def code_values(values, first, row_step, column_step, n_rows, at, edges, columns, missing, codes, found):
    """codes[columns[k], at + i] of the value in row i and column k; found[columns[k]] = 1 where one is missing.

    Blocks (x) share the rows, (y) are for some columns each. Edges are compared as float64: where those of the CPU are
    rounded down to float32, the answer is the same.
    """
    own = cuda.shared.array(_EDGES, float64)
    begin = np.int64(GROUP * cuda.blockIdx.y)
    n_columns = min(np.int64(GROUP), columns.size - begin)
    for place in range(cuda.threadIdx.x, n_columns * SLOTS, cuda.blockDim.x):
        own[place] = edges[columns[begin + place // SLOTS], place % SLOTS]
    cuda.syncthreads()
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for k in range(n_columns):
            column = columns[begin + k]
            value = np.float64(values[first + i * row_step + (begin + k) * column_step])
            if value == value:
                codes[column, at + i] = _code_of(own, SLOTS * k, value)
            else:
                codes[column, at + i] = missing[column]
                found[column] = 1


@gpu_function
def _code_of(edges, begin, value):
    """How many of the 256 edges of a column, padded with infinity, lie below a value."""
    place = begin
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        if edges[place + half - 1] < value:
            place += half
    return np.uint8(place - begin)


@gpu_kernel
def gather_values(values, first, row_step, column_step, rows, out):
    """out[k, i] = the value of row rows[i] in column k; of row i, where no rows are given."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        row = rows[i] if rows.size else np.int64(i)
        for k in range(out.shape[0]):
            out[k, i] = values[first + row * row_step + k * column_step]


@gpu_kernel
def hash_rows(codes, keys):
    """One hash per row, of its codes."""
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        key = np.uint32(0)
        for j in range(codes.shape[0]):
            key = mix_code(key, codes[j, i])
        keys[i] = end_key(key)


# ----------------------------------------------------------------------------------------------------------------------


_PIECE = 256 if SIMULATED else 4 << 20  # bytes that are copied at a time
_MOST_STAGES = 10  # pieces under way
Room = TypeVar("Room")


class GpuTable(RemoteTable):
    """A table on the GPU, for `fit`."""

    def __init__(self, X: Any) -> None:
        self._original = X
        self.shape = view_on_gpu(X).shape

    def learn(self, categorical_features: Any, owner: str) -> tuple[Schema, RemoteRows]:
        schema, table = learn_source(GpuSource(view_on_gpu(self._original), owner), categorical_features)
        return schema, GpuRows(table)

    def read(self, schema: Schema, owner: str = "this model", strict: bool = False) -> RemoteRows:
        source = GpuSource(view_on_gpu(self._original), owner)
        schema.check_source(source, owner)
        return GpuRows(schema.read_source(source, owner, strict))

    def original(self) -> Any:
        return copy_here(self._original)

    def __len__(self) -> int:
        return self.shape[0]


class GpuSource:
    """A table on the GPU, opened: numbers stay there, labels come here."""

    def __init__(self, view: OnGpu, owner: str) -> None:
        self.view, self.stream = view, Stream()
        self.origin = check_shape(np.broadcast_to(np.float32(0), view.shape), owner)  # no names, and of the right shape
        self.n_rows, self.n_columns = view.shape

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Nothing but numbers in here, or nothing but Booleans."""
        return with_booleans and self.is_boolean(index)

    def is_boolean(self, index: int) -> bool:
        """All columns are of one type."""
        return self.view.is_boolean

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """One panel for each run of neighbours."""
        return [Panel(self._some(run), tuple(run)) for run in runs_of(columns)]

    def _some(self, run: range) -> Any:
        return self.view.some_columns(run.start, run.stop)

    def labels(self, index: int) -> DictionaryColumn:
        """Each distinct number is a label."""
        values = fetch(self.stream, self._some(range(index, index + 1)), None)[0]
        return NumberColumn(values.view(bool) if self.is_boolean(index) else values).labels()


def fetch(stream: Stream, view: Any, rows: np.ndarray | None) -> np.ndarray:
    """(columns, rows) a copy here of some rows (None: all) of a table on the GPU."""
    n = view.shape[0] if rows is None else len(rows)
    line, first = view.as_line()
    values = stream.view(line.as_numbers())
    out = stream.empty((view.shape[1], n), values.dtype)
    wanted = stream.put(np.empty(0, np.int64) if rows is None else rows.astype(np.int64))
    gather_values.launch(stream, blocks_for(n, THREADS), THREADS, (values, first, *view.steps, wanted, out))
    return stream.read(out)


class GpuRows(RemoteRows):
    """Rows that a schema has read: panels on the GPU, here, or both."""

    def __init__(self, table: Table) -> None:
        self.table, self.n_rows, self.n_columns = table, table.n_rows, table.n_columns
        self.stream = Stream()

    def used_categories(self, sizes: dict[int, int], rows: np.ndarray) -> dict[int, np.ndarray]:
        return self.table.used_categories(sizes, rows)  # categories are always here

    def recoded(self, schema: Schema, used: dict[int, np.ndarray]) -> GpuRows:
        return GpuRows(self.table.recoded(schema, used))

    def open_dataset(
        self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int | None, team: Team
    ) -> GpuDataset:
        assert max_bins is not None  # such tables are the CPU's: see `table_for` in gpu/__init__.py
        return self.encode_dataset(self.bins(is_categorical, counts, max_bins, team), team)

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """The CPU's bins: of numbers on the GPU those rows come here that the CPU would look at."""
        here = [panel for panel in self.table.panels if isinstance(panel.values, np.ndarray)]
        there = [panel for panel in self.table.panels if not isinstance(panel.values, np.ndarray)]
        if not there:
            return learn_bins(self.table, is_categorical, counts, max_bins, team)
        rows = sample_rows(self.n_rows, counts)
        some = [Panel(as_floats(fetch(self.stream, one.values, rows)).T, one.columns) for one in there]
        parts = [(some, None if counts is None or rows is None else counts[rows]), (here, counts)]
        found: dict[int, Any] = {}
        for panels, repeats in parts:
            columns = sorted(column for panel in panels for column in panel.columns)
            if columns:
                bins = learn_bins(_renumbered(panels, columns), is_categorical[columns], repeats, max_bins, team)
                found |= dict(zip(columns, zip(bins.edges, bins.category_codes, bins.n_bins)))
        edges, categories, n_bins = zip(*(found[j] for j in range(self.n_columns)))
        return Bins(edges, categories, np.array(n_bins, np.int32), np.asarray(is_categorical, bool))

    def encode_dataset(self, bins: Bins, team: Team) -> GpuDataset:
        check_rows(self.n_rows, "boosting")
        codes, has_missing = self._encode(bins, team)
        return GpuDataset(self.n_rows, bins, GpuCodes(codes, self.stream), make_layout(bins, has_missing))

    def encode(self, bins: Bins, team: Team) -> np.ndarray:
        return self.stream.read(self._encode(bins, team)[0])

    def _encode(self, bins: Bins, team: Team) -> tuple[Any, np.ndarray]:
        """Codes on the GPU (columns, rows), and which columns have missing values."""
        check_memory(self.n_rows * self.n_columns + _MOST_STAGES * _PIECE, "this many rows")
        coder = Coder(bins, self.n_rows, self.stream)
        try:
            for panel in self.table.panels:
                if not isinstance(panel.values, np.ndarray):
                    coder.code_there(panel)
                elif bins.is_categorical[list(panel.columns)].any():
                    coder.code_here(panel, team)
                else:
                    coder.code_pieces(panel, team)
        finally:
            coder.wait()  # also where it was cut off: memory goes when the GPU has done with it
        return coder.codes, coder.has_missing()


def _renumbered(panels: list[Panel], columns: list[int]) -> Table:
    """A table of some panels alone."""
    numbers = {column: number for number, column in enumerate(columns)}
    own = tuple(Panel(one.values, tuple(numbers[column] for column in one.columns)) for one in panels)
    return Table(len(own[0].values), len(columns), own)


class Coder:
    """Makes the codes of one table on the GPU, panel by panel."""

    def __init__(self, bins: Bins, n_rows: int, stream: Stream) -> None:
        self.bins, self.n_rows, self.stream = bins, n_rows, stream
        self.codes = stream.empty((bins.n_columns, n_rows), np.uint8)
        self._edges = stream.put(bins.edge_table())
        self._missing = stream.put(bins.n_bins.astype(np.uint8))
        self._found = stream.put(np.zeros(bins.n_columns, np.uint8))
        self._stages: list[Stage] = []

    def code_there(self, panel: Panel) -> None:
        """A panel on the GPU."""
        view: Any = panel.values
        line, first = view.as_line()
        self._launch(self.stream, panel.columns, self.stream.view(line.as_numbers()), first, view.steps, self.n_rows, 0)

    def _launch(self, stream: Stream, columns: Any, values: Any, first: int, steps: Any, n_rows: int, at: int) -> None:
        own = stream.put(np.array(columns, np.int32)) if isinstance(columns, tuple) else columns
        grid = blocks_for(n_rows, THREADS), -(-len(own) // GROUP)
        arguments = values, first, *steps, n_rows, at, self._edges, own, self._missing, self.codes, self._found
        code_values.launch(stream, grid, THREADS, arguments)

    def code_pieces(self, panel: Panel, team: Team) -> None:
        """A panel of numbers here."""
        values, columns = panel.values, self.stream.put(np.array(panel.columns, np.int32))
        each = max(1, _PIECE // (values.itemsize * values.shape[1]))
        pieces = range(0, self.n_rows, each)
        widest = 8 * self.bins.n_columns  # bytes of a row, at most
        while len(self._stages) < min(_MOST_STAGES, team.size + 2, len(pieces)):
            self._stages.append(Stage(max(widest, _PIECE)))
        free: SimpleQueue[Stage] = SimpleQueue()
        for stage in self._stages:
            free.put(stage)

        def send(begin: int) -> None:
            stage, rows = take_free(free), values[begin : begin + each]
            try:
                line, steps = stage.send(rows)
                self._launch(stage.stream, columns, line, 0, steps, len(rows), begin)
            finally:
                free.put(stage)

        send(0)  # here, since the first may have to compile
        team.map(send, pieces[1:])

    def code_here(self, panel: Panel, team: Team) -> None:
        """A panel with categories: its codes are made here."""
        table = Table(self.n_rows, self.bins.n_columns, (panel,))
        codes = np.empty((self.bins.n_columns, self.n_rows), np.uint8)  # only the panel's own columns are ever touched
        self.bins.encode_into(table, team, codes, 0, 0, self.n_rows)
        found = self.stream.read(self._found)
        for column in panel.columns:
            self.stream.write(self.codes[column], codes[column])
            found[column] = (codes[column] == self.bins.n_bins[column]).any()
        self.stream.write(self._found, found)

    def wait(self) -> None:
        """Until all is done."""
        for stage in self._stages:
            stage.stream.wait()
        self.stream.wait()

    def has_missing(self) -> np.ndarray:
        """Which columns have missing values."""
        return self.stream.read(self._found) != 0


def take_free(free: SimpleQueue[Room]) -> Room:
    """One that is free. A thread that only waited could not be interrupted."""
    while True:
        with suppress(Empty):
            return free.get(timeout=0.1)


class Stage:
    """Room for a piece of a table, here and on the GPU."""

    def __init__(self, n_bytes: int) -> None:
        self.stream = Stream()
        self._room = self.stream.mirror(piece=(n_bytes // 8 * 8, np.uint8))
        self._lines = {kind: self._room.there["piece"].view(kind) for kind in (np.dtype("f4"), np.dtype("f8"))}

    def send(self, rows: np.ndarray) -> tuple[Any, tuple[int, int]]:
        """(room on the GPU that begins with the numbers of some rows, steps from row to row and column to column)."""
        enter_thread()
        self.stream.wait()  # for the piece before
        n, columns = rows.shape
        here = self._room.here["piece"][: rows.nbytes].view(rows.dtype)
        by_column = rows.strides[0] == rows.itemsize
        np.copyto(here.reshape(columns, n).T if by_column else here.reshape(n, columns), rows)
        self._room.push(rows.nbytes)
        return self._lines[rows.dtype], (1, n) if by_column else (columns, 1)


class GpuCodes(RemoteCodes):
    """Codes on the GPU: `there`, (columns, rows)."""

    def __init__(self, there: Any, stream: Stream) -> None:
        self.there, self.stream = there, stream

    def some(self, rows: np.ndarray) -> GpuCodes:
        """Those of some rows, on the GPU."""
        columns, n = self.there.shape
        out = self.stream.empty((columns, len(rows)), np.uint8)
        line, wanted = self.there.reshape(columns * n), self.stream.put(rows.astype(np.int64))
        if len(rows):
            gather_values.launch(self.stream, blocks_for(len(rows), THREADS), THREADS, (line, 0, 1, n, wanted, out))
            self.stream.wait()
        return GpuCodes(out, self.stream)

    def take(self, rows: np.ndarray) -> np.ndarray:
        return self.stream.read(self.some(rows).there)

    def all(self) -> np.ndarray:
        return self.stream.read(self.there)


class GpuDataset(RemoteDataset):
    """An encoded table whose codes are on the GPU."""

    codes: GpuCodes

    def __init__(self, n_rows: int, bins: Bins, codes: GpuCodes, layout: WordLayout) -> None:
        self.n_rows, self.n_columns, self.bins, self.codes, self.layout = n_rows, bins.n_columns, bins, codes, layout

    def take(self, rows: np.ndarray) -> GpuDataset:
        return GpuDataset(len(rows), self.bins, self.codes.some(rows), self.layout)

    def row_keys(self, team: Team) -> np.ndarray:
        stream = self.codes.stream
        keys = stream.empty(self.n_rows, np.uint32)
        hash_rows.launch(stream, blocks_for(self.n_rows, THREADS), THREADS, (self.codes.there, keys))
        return stream.read(keys)

    def open_rounds(self, *arguments: Any, **more: Any) -> Any:
        from spinney.gpu.rounds import open_on_gpu

        return open_on_gpu(self, *arguments, **more)


def codes_on(stream: Stream, codes: Any) -> Any:
    """Codes as a fit has them on the GPU: those that are there already, or a copy."""
    return codes.there if isinstance(codes, GpuCodes) else stream.put(codes)
