"""Prediction on the GPU: sums over all trees of a model, with the bits of the CPU, or the leaves.

In: a `Forest`, what its nodes say, and a table on the GPU or here. Out: arrays where the table is.

A `Program` is a forest as the GPU walks it. It is made once and kept with the forest's other packed forms:

    short_trees.py   trees of up to 2,047 nodes that ask about numbers in bins, each adding one number: rows encoded and
                     trees brought into shared memory, block by block
    descend.py       all others from bins: a piece of the table is encoded, then every row walks down by itself
                     those without bins that are not worth encoding: rows walk by their values

Trees without bins become trees with bins where tree/recode.py says that it is worth it, as on the CPU.
"""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import SIMULATED, Stream
from spinney._team import Team
from spinney.gpu.descend import (
    AnswerSums,
    Coding,
    Steps,
    add_by_codes,
    add_by_pairs,
    add_by_values,
    encode_rows,
    note_by_codes,
    note_by_pairs,
    note_by_values,
)
from spinney.gpu.memory import THREADS, blocks_for, check_memory
from spinney.gpu.short_trees import MOST_TREE_COLUMNS, ROWS, Cells, ShortTrees, add_short, pack_short, threads_for
from spinney.gpu.tables import GpuTable, Stage, gather_values, take_free
from spinney.tree.forest import Forest
from spinney.tree.packed import MISSING
from spinney.tree.recode import recoded

_CODES = 1 << 8 if SIMULATED else 1 << 27  # bytes of codes at a time
_MOST_PIECES, _PIECE = 10, 1 << 9 if SIMULATED else 8 << 20  # of a table here that are under way, and their bytes


class TableOnGpu(NamedTuple):
    """A table on the GPU."""

    cells: Cells
    n_rows: int


class Program:
    """A forest on the GPU. Tree t adds answers[leaf], (numbers,), to the numbers of a row that begin at t % outputs."""

    def __init__(self, forest: Forest, answers: np.ndarray, n_outputs: int = 1) -> None:
        other = recoded(forest)
        copies = () if other is None else other.copies
        self._forest = forest if other is None else other.forest
        self._columns = np.array([*range(forest.n_columns), *copies], np.int32)  # that codes are made of
        self.stream, self.n_outputs, self.width = Stream(), n_outputs, answers.shape[1]
        self._answers = answers
        self._kept: dict[Any, Any] = {}
        self._short = self._pack_short()

    def _pack_short(self) -> ShortTrees | None:
        forest = self._forest
        if forest.bins is None or self.width > 1:
            return None
        short = pack_short(forest, self._answers[:, 0], self.n_outputs)
        if short is None or len(short.columns) > MOST_TREE_COLUMNS:
            return None
        return short

    def _keep(self, key: Any, make: Any) -> Any:
        """What is on the GPU already, or is put there now: arrays, or tuples of arrays."""
        if key not in self._kept:
            made, put = make(), self.stream.put
            self._kept[key] = type(made)(*map(put, made)) if isinstance(made, tuple) else put(made)
        return self._kept[key]

    # --- sums ------------------------------------------------------------------------------------------------------

    def add(self, given: TableOnGpu, out: Any, stream: Stream) -> None:
        """Add to sums on the GPU: (outputs, rows); or, for trees that add several numbers, (rows, numbers)."""
        n = given.n_rows
        if not self._forest.n_trees:
            return
        short = self._short
        if short is not None and out.dtype == np.float64:
            trees = self._keep("short", lambda: short._replace(columns=self._columns[short.columns]))
            edges = self._edges(given, short.columns)
            threads = threads_for(len(short.columns))
            arguments = trees, given.cells, edges, out.reshape((self.n_outputs, n))
            shared = 4 * max(1, len(short.columns)) * threads
            add_short.launch(stream, -(-n // (ROWS * threads)), threads, arguments, shared)
            return
        row_step, number_step = (1, n) if self.width == 1 else (self.width, 1)
        answers = self._keep("answers", lambda: self._answers)
        sums = AnswerSums(answers, out.reshape(n * self.n_outputs * self.width), row_step, number_step, self.n_outputs)
        self._walk(given, stream, (add_by_codes, add_by_pairs, add_by_values), sums)

    def leaves(self, given: TableOnGpu, dtype: Any, stream: Stream) -> Any:
        """(rows, trees) on the GPU: the number of the leaf, within its tree, that each row reaches."""
        shape = given.n_rows, self._forest.n_trees
        check_memory(shape[0] * shape[1] * np.dtype(dtype).itemsize, "the leaves of these rows and trees")
        out = stream.empty(shape, dtype)
        self._walk(given, stream, (note_by_codes, note_by_pairs, note_by_values), out)
        return out

    def _walk(self, given: TableOnGpu, stream: Stream, kernels: tuple[Any, Any, Any], out: Any) -> None:
        forest, (cells, n) = self._forest, given
        by_codes, by_pairs, by_values = kernels
        first = self._keep("first", lambda: forest.first)
        if forest.bins is None:
            steps = self._keep("steps", self._steps)
            by_values.launch(stream, -(-n // THREADS), THREADS, (steps, first, cells, n, out))
            return
        coding = self._coding(given)
        width = len(self._columns)
        piece = max(1, min(n, _CODES // width))
        codes = stream.empty(piece * width, np.uint8)
        for begin in range(0, n, piece):
            some = min(piece, n - begin)
            encode_rows.launch(stream, blocks_for(some * width, THREADS), THREADS, (cells, coding, begin, some, codes))
            rest = first, codes, width, begin, some, out
            if len(forest.sets):
                pairs = self._keep("pairs", lambda: forest.pairs.pairs)
                sets = self._keep("sets", lambda: _at_least_one(forest.pairs.sets))
                by_pairs.launch(stream, -(-some // THREADS), THREADS, (pairs, sets, *rest))
            else:
                words = self._keep("words", lambda: forest.words.words)
                by_codes.launch(stream, -(-some // THREADS), THREADS, (words, *rest))
        stream.wait()  # for the codes, before they go

    def _steps(self) -> Steps:
        packed = self._forest.steps
        children, sets = _at_least_one(packed.children), _at_least_one(packed.sets)
        return Steps(packed.steps, children, sets)

    def _edges(self, given: TableOnGpu, columns: np.ndarray) -> Any:
        bins = self._forest.bins
        assert bins is not None
        dtype = _edge_dtype(given)
        return self._keep(("edges", dtype), lambda: bins.edge_table(dtype)[columns])

    def _coding(self, given: TableOnGpu) -> Coding:
        forest, bins = self._forest, self._forest.bins
        assert bins is not None
        is_category = np.zeros(bins.n_columns, np.uint8)
        is_category[forest.feature[forest.is_set]] = 1
        missing = np.where(is_category, bins.n_bins, MISSING).astype(np.uint8)
        dtype = _edge_dtype(given)

        def make() -> Coding:
            return Coding(bins.edge_table(dtype), bins.category_table, missing, is_category, self._columns)

        found: Coding = self._keep(("coding", dtype), make)
        return found


def _at_least_one(array: np.ndarray) -> np.ndarray:
    """There are no arrays of nothing on a GPU."""
    return array if array.size else np.zeros(1, array.dtype)


def _edge_dtype(given: TableOnGpu) -> Any:
    return np.dtype(np.float32 if given.cells.line.dtype == np.float32 else np.float64)


def program_of(forest: Forest, name: Any, answers: Any, n_outputs: int = 1) -> Program:
    """The program that adds up what the nodes say under a name; `answers()` is asked for it once."""
    known = vars(forest).setdefault("on_gpu", {})
    if name not in known:
        known[name] = Program(forest, np.ascontiguousarray(answers()), n_outputs)
    found: Program = known[name]
    return found


def scores_of(forest: Forest, n_outputs: int) -> Program:
    """The program that adds up raw scores of a boosted model."""
    return program_of(forest, "scores", lambda: forest.answers.reshape(-1, 1).astype(np.float64), n_outputs)


def numbers_of(forest: Forest, answers: np.ndarray) -> np.ndarray:
    """(nodes, numbers): what `add_shares` of tree/descend.py adds in each node, shares of classes or numbers."""
    numbers = answers.astype(np.float64)
    if forest.n_classes is not None:
        with np.errstate(invalid="ignore"):
            numbers /= np.cumsum(numbers, axis=2)[:, :, -1:]
    return numbers.reshape(len(numbers), -1)


# --- tables ----------------------------------------------------------------------------------------------------------


def read_there(X: Any, schema: Any, owner: str, strict: bool) -> TableOnGpu:
    """A table on the GPU as a schema knows it; categories, which are looked up here, are copied back."""
    table: Any = GpuTable(X).read(schema, owner, strict)
    stream, panels, n = table.stream, table.table.panels, table.n_rows
    if len(panels) == 1 and not isinstance(panels[0].values, np.ndarray):
        view = panels[0].values
        line, begin = view.as_line()
        return TableOnGpu(Cells(stream.view(line.as_numbers()), begin, *view.steps), n)
    narrow = all(one.values.dtype == np.float32 for one in panels)
    dtype = np.dtype(np.float32 if narrow else np.float64)
    check_memory(n * table.n_columns * dtype.itemsize, "a copy of these rows with categories")
    whole = stream.empty((table.n_columns, n), dtype)
    nobody = stream.empty(0, np.int64)
    for panel in panels:
        for k, column in enumerate(panel.columns):
            if isinstance(panel.values, np.ndarray):
                stream.write(whole[column], panel.values[:, k].astype(dtype))
                continue
            view = panel.values.some_columns(k, k + 1)
            line, begin = view.as_line()
            arguments = stream.view(line.as_numbers()), begin, *view.steps, nobody, whole[column : column + 1]
            gather_values.launch(stream, blocks_for(n, THREADS), THREADS, arguments)
    stream.wait()
    return TableOnGpu(Cells(whole.reshape(table.n_columns * n), 0, 1, n), n)


def add_here(program: Program, values: np.ndarray, out: np.ndarray, team: Team) -> None:
    """Add to sums (outputs, rows) of a table here, (rows, columns) of float32 or float64. It goes to the GPU in pieces,
    each by one of the threads, while others are laid out, under way or predicted."""
    n, n_columns = values.shape
    each = max(1, _PIECE // (n_columns * values.itemsize))
    pieces = range(0, n, each)
    n_bytes = -(-n_columns * values.itemsize * each // 8) * 8
    free: SimpleQueue[_Piece] = SimpleQueue()
    for _ in range(min(_MOST_PIECES, team.size, len(pieces))):
        free.put(_Piece(len(out), n_bytes, each))

    def send(begin: int) -> None:
        piece = take_free(free)
        try:
            piece.run(program, values[begin : begin + each], out[:, begin : begin + each])
        finally:
            free.put(piece)

    send(0)  # here, since the first may have to compile
    team.map(send, pieces[1:])


class _Piece:
    """Room for a piece of a table here that goes to the GPU, and for its sums, which come back."""

    def __init__(self, n_outputs: int, n_bytes: int, n_rows: int) -> None:
        self._stage = Stage(n_bytes)
        self._sums = self._stage.stream.mirror(sums=(n_outputs * n_rows, np.float64))

    def run(self, program: Program, rows: np.ndarray, out: np.ndarray) -> None:
        stream, here = self._stage.stream, self._sums.here["sums"][: out.size].reshape(out.shape)
        line, steps = self._stage.send(rows)
        here[:] = out
        self._sums.push(8 * out.size)
        there = self._sums.there["sums"][: out.size].reshape(out.shape)
        try:
            program.add(TableOnGpu(Cells(line, 0, *steps), len(rows)), there, stream)
            self._sums.pull(8 * out.size)
        finally:
            stream.wait()
        out[:] = here
