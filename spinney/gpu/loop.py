"""The launches of a fit: which kernel runs when, and what is copied.

    derivatives            values ->, clear, fill, -> extremes
    a tree                 orders ->, quantise, plant, sum, search, settle; then (part, sum, search, settle) until it is
                           done; lay steps, find leaves, -> report
    losses                 sum, fold, -> their sum

Each of these is recorded when it is done for the second time, and from then on replayed as one launch. How many steps a
tree takes is guessed from the tree before; where they did not do, more are made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import SIMULATED, GpuError, Stream, multiprocessors
from spinney.data.weights import Weights
from spinney.ensemble.boosting.gradients import LOSSES_OF_PART
from spinney.gpu.histogram import SHARED, sum_rows
from spinney.gpu.leaves import MOST_COLUMNS, MOST_PLACES, find_leaves, lay_steps, sum_chosen
from spinney.gpu.memory import (
    COLUMN,
    DONE,
    LANES,
    N_DRAFTS,
    N_LEAVES,
    N_NODES,
    N_STEPS,
    SEARCHERS,
    SUMMARY,
    SUMMERS,
    THREADS,
    RowsOnGpu,
    Shape,
    blocks_for,
    check_memory,
    make_orders,
    make_report,
    make_tree,
    stride_of,
)
from spinney.gpu.partition import TILE, part_rows
from spinney.gpu.scores import add_values, forget_leaves
from spinney.gpu.search import find_splits
from spinney.gpu.settle import plant, settle
from spinney.gpu.statistics import (
    clear_sums,
    count_exponents,
    derivatives_of,
    fill_class_derivatives,
    fill_log_totals,
    lay_lines,
    loss_record,
    quantise_rows,
)
from spinney.gpu.tables import codes_on
from spinney.grow.boosting.statistics import N_EXPONENTS

_LEAF_SHARED = 1 << 8 if SIMULATED else 40 << 10  # bytes for sums of leaves
_SMALL = 1 << 17  # bytes that are copied without asking how many are of use


class Grown(NamedTuple):
    """A tree as it comes from the GPU, by draft."""

    n_nodes: int
    n_leaves: int
    nodes: np.ndarray
    number: np.ndarray
    leaf_sums: np.ndarray


class Loop:
    """One fit's memory on the GPU, and its launches."""

    def __init__(
        self, dataset: Any, y: np.ndarray, weights: Weights, scores: np.ndarray, settings: Any, max_leaves: int
    ) -> None:
        n, columns = dataset.n_rows, dataset.n_columns
        self.restricted = settings.tree_features < 1.0 or settings.node_features < 1.0 or len(settings.groups) > 0
        self.shape = Shape(n, columns, max_leaves, len(settings.groups), self.restricted, settings.best_first)
        if columns >= MOST_COLUMNS or self.shape.n_drafts >= MOST_PLACES:
            raise GpuError("The GPU does not support this many columns or leaves. Use device='cpu'.")
        stride = stride_of(columns)
        per_row = columns + stride + 8 * (len(scores) + 1) + 36 + 8 * (weights.importance is not None)
        check_memory(n * per_row, "this many rows")
        self.stream = stream = Stream()
        self.has_counts, self.output, self.n_rows = weights.counts is not None, 0, n
        self.orders, self.report = make_orders(stream), make_report(stream, self.shape)
        self.values = stream.mirror(values=(self.shape.n_drafts, np.float64))
        self.found = stream.mirror(summary=(SUMMARY, np.int64))
        self.rows = RowsOnGpu(
            codes=codes_on(stream, dataset.codes),
            lines=stream.empty(n * stride, np.uint8),
            stride=stream.put(np.array([stride])),
            columns=stream.put(_columns_of(dataset, settings.monotone)),
            y=stream.put(y),
            importance=stream.put(np.empty(0) if weights.importance is None else weights.importance),
            counts=stream.put(np.empty(0, np.int64) if weights.counts is None else weights.counts),
            keys=stream.empty(n, np.uint32),
            scores=stream.put(scores),
            log_totals=stream.empty(n if len(scores) > 1 else 0, np.float64),
            derivatives=stream.empty(2 * n, np.float32),
            shorts=stream.empty(n, np.uint32),
            leaf_of_row=stream.empty(n, np.int32),
            summary=self.found.there["summary"],
            exponents=stream.empty((2, N_EXPONENTS), np.int64),
        )
        self.bits = self.rows.derivatives.view(np.int32)
        self.tree = make_tree(stream, self.shape, self.orders, self.report, self.values.there["values"])
        if len(settings.groups):
            stream.write(self.tree.groups, settings.groups)
        self.n_blocks = blocks_for(n, THREADS)
        self._is_filling = False  # whether derivatives are on their way
        self.pending = False  # whether the last tree's values are still to be added
        self.n_steps, self.best_first = 1, settings.best_first
        self._recorded: dict[Hashable, Callable[[], Any] | None] = {}
        self._loss: Any = None
        self._losses: Any = None
        self._launch(lay_lines, self.rows)
        self._launch(forget_leaves, self.rows)

    def _launch(self, entry: Any, *arguments: Any, grid: Any = None, block: int = THREADS, shared: int = 0) -> None:
        entry.launch(self.stream, self.n_blocks if grid is None else grid, block, arguments, shared)

    def _do(self, name: Hashable, launches: Callable[[], None]) -> None:
        """Launch, and remember how; the second time it is recorded, from then on replayed."""
        if name not in self._recorded:
            self._recorded[name] = None
            launches()
            return
        again = self._recorded[name]
        if again is None:
            again = self._recorded[name] = self.stream.record(launches)
        again()

    # --- derivatives and scores ------------------------------------------------------------------------------------

    def fill_log_totals(self) -> None:
        self._do("totals", lambda: self._launch(fill_log_totals, self.rows))

    def fill_derivatives(self, loss: Any, output: int) -> np.ndarray:
        """Of all rows, for one output; returns the summary of them."""
        self.output = output
        if len(self.rows.scores) > 1:
            self.orders.here["params"]["output"] = output
            self._do("classes", self._fill_classes)
        elif not self._is_filling:
            self.begin_derivatives(loss)
        self._is_filling = False
        self.stream.wait()
        return self.found.here["summary"].copy()

    def begin_derivatives(self, loss: Any) -> None:
        """The same, for one output, without waiting: the next call will find them."""
        self._write_loss(loss)
        self._do(("derivatives", type(loss)), lambda: self._fill(loss))
        self.pending, self._is_filling = False, True

    def _fill(self, loss: Any) -> None:
        self.values.push()
        self._clear()
        self._launch(derivatives_of(loss), self.rows, self.tree, self.bits, self._loss[1])
        self.found.pull()

    def _fill_classes(self) -> None:
        self.orders.push()
        self._clear()
        self._launch(fill_class_derivatives, self.rows, self.tree, self.bits)
        self.found.pull()

    def _clear(self) -> None:
        self._launch(clear_sums, self.rows, self.tree, grid=1, block=max(SUMMARY, THREADS))

    def _write_loss(self, loss: Any) -> None:
        """The loss's own numbers, which may be others in every round."""
        if self._loss is None:
            self._loss = (loss, self.stream.put(loss_record(loss)))
        elif self._loss[0] != loss:
            self.stream.write(self._loss[1], loss_record(loss))
            self._loss = (loss, self._loss[1])

    def count_exponents(self) -> np.ndarray:
        self.stream.write(self.rows.exponents, np.zeros((2, N_EXPONENTS), np.int64))
        self._do("exponents", lambda: self._launch(count_exponents, self.rows, self.bits))
        return self.stream.read(self.rows.exponents)

    def add_later(self, drafts: np.ndarray, values: np.ndarray, at_once: bool) -> None:
        """The values of the tree just grown, of these drafts: rows get them with the next derivatives, or at once."""
        self.values.here["values"][drafts] = values
        self.pending = True
        if at_once:
            self._add()

    def _add(self) -> None:
        self._do("add", self._add_now)
        self.stream.wait()
        self.pending = False

    def _add_now(self) -> None:
        self.values.push()
        self._launch(add_values, self.rows, self.tree)

    def read_scores(self) -> np.ndarray:
        if self.pending:
            self._add()
        return self.stream.read(self.rows.scores)

    def read_leaves(self) -> np.ndarray:
        return self.stream.read(self.rows.leaf_of_row)

    def sum_of_losses(self, entry: Any, loss: Any) -> float:
        """The sum of all rows' losses."""
        if self._losses is None:
            self._losses = self.stream.mirror(sums=(-(-self.n_rows // LOSSES_OF_PART), np.float64))
        self._write_loss(loss)
        self._do(("losses", type(loss)), lambda: self._sum_losses(entry))
        self.stream.wait()
        return float(np.add.reduce(self._losses.here["sums"]))

    def _sum_losses(self, entry: Any) -> None:
        self.values.push()
        self._launch(entry, self.rows, self.tree, self._loss[1], self._losses.there["sums"])
        self._losses.pull()

    # --- a tree ----------------------------------------------------------------------------------------------------

    def write_features(self, features: np.ndarray) -> None:
        """The columns of the next trees, where not all are allowed."""
        if len(features) != len(self.tree.features):
            self.tree = self.tree._replace(features=self.stream.empty(len(features), np.int32))
            self._recorded.clear()
        self.stream.write(self.tree.features, features)

    def grow(self, chosen: np.ndarray) -> Grown:
        """One tree, from derivatives to the sums of its leaves; `orders` have been written."""
        if len(chosen):
            if len(self.tree.chosen) < self.n_rows:
                self.tree = self.tree._replace(chosen=self.stream.empty(self.n_rows, np.int32))
                self._recorded.clear()
            self.stream.write(self.tree.chosen[: len(chosen)], chosen)
        here, sampled = self.report.here, len(chosen) > 0
        if self.best_first:  # any number of steps
            self._do("begin", self._begin)
            self._more(self.n_steps, sampled)
        else:
            self._do((self.n_steps, sampled), lambda: self._grow(sampled))
            self.stream.wait()
        while not here["state"][DONE]:
            self._more(1, sampled)
        self.n_steps = int(here["state"][N_STEPS]) + self.best_first
        n = int(here["state"][N_DRAFTS])
        if self.report.n_bytes > _SMALL:
            self.report.pull(self.report.n_bytes - (self.shape.n_drafts - n) * here["nodes"].dtype.itemsize)
            self.stream.wait()
        state = here["state"]
        return Grown(
            int(state[N_NODES]), int(state[N_LEAVES]), here["nodes"][:n], here["number"][:n], here["leaf_sums"][:n]
        )

    def _more(self, n_steps: int, sampled: bool) -> None:
        for _ in range(n_steps):
            self._do("step", self._step)
        self._do(("end", sampled), lambda: self._end(sampled))
        self.stream.wait()

    def _grow(self, sampled: bool) -> None:
        self._begin()
        for _ in range(self.n_steps):
            self._step()
        self._end(sampled)

    def _begin(self) -> None:
        self.orders.push()
        self._launch(quantise_rows, self.rows, self.tree)
        self._launch(plant, self.rows, self.tree, grid=1, block=SUMMERS)
        self._sum_and_settle()

    def _sum_and_settle(self) -> None:
        columns = self.shape.n_columns
        grid = (multiprocessors(), -(-columns // LANES))
        self._launch(sum_rows, self.rows, self.tree, grid=grid, block=SUMMERS, shared=SHARED)
        searchers = min(columns * self.shape.max_leaves, 16 * multiprocessors())
        self._launch(find_splits, self.rows, self.tree, grid=max(1, searchers), block=SEARCHERS)
        self._launch(settle, self.rows, self.tree, grid=1, block=SUMMERS)

    def _step(self) -> None:
        self._launch(part_rows, self.rows, self.tree, grid=blocks_for(self.n_rows, TILE))
        self._sum_and_settle()

    def _end(self, sampled: bool) -> None:
        self._launch(lay_steps, self.rows, self.tree, grid=blocks_for(self.shape.n_drafts, THREADS))
        self._launch(find_leaves, self.rows, self.tree, shared=_LEAF_SHARED)
        if sampled:
            self._launch(sum_chosen, self.rows, self.tree)
        self.report.pull(self.report.n_bytes if self.report.n_bytes <= _SMALL else _STATE_BYTES)


_STATE_BYTES = 256  # the report begins with the state


def _columns_of(dataset: Any, monotone: np.ndarray) -> np.ndarray:
    layout = dataset.layout
    columns = np.zeros(dataset.n_columns, COLUMN)
    columns["n_slots"], columns["n_bins"] = layout.n_slots, layout.n_bins
    columns["is_categorical"] = dataset.bins.is_categorical
    columns["monotone"] = monotone if monotone.size else 0
    return columns
