"""The rounds of a fit on the GPU: `ensemble.boosting.Rounds` whose rows stay there.

In: what `Rounds` gets. Out: the same trees. Per tree two things cross: the extremes of the derivatives, from which the
units follow, and the grown nodes with their leaves' sums, which the CPU finishes as it does its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney import _random
from spinney._compile import kernel
from spinney.criteria.losses import kind_of
from spinney.data.dataset import take_rows
from spinney.ensemble.boosting.gradients import Largest, largest_of
from spinney.ensemble.boosting.rounds import Rounds
from spinney.gpu.loop import Loop
from spinney.gpu.memory import RULES, as_record
from spinney.gpu.scores import losses_of
from spinney.grow.boosting import memory
from spinney.grow.boosting.leaves import finish_nodes, order_pieces
from spinney.grow.boosting.statistics import Fields, make_fields
from spinney.grow.rules import NO_NODE, BoostingRules
from spinney.tree.predict_boosted import add_scores

_NO_ROWS = np.empty(0, np.int64)
_BYTES = np.dtype((np.void, memory.NODE.itemsize))


class GpuRounds(Rounds):
    """A fit on the GPU."""

    _loop: Loop
    _is_sent = False  # whether the GPU has the last tree's values
    _first: np.ndarray  # scores before the first round, until they are on the GPU

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        del self.grow  # a method of its own object would keep the memory on the GPU alive

    def grow(self, table: Any, rows: memory.Rows, rules: BoostingRules, work: memory.Work) -> int:  # type: ignore[override]
        return self._grow(table, rows, rules, work)

    def _make_memory(self) -> None:
        self._loop = Loop(self.dataset, self.y, self.weights, self._first, self.settings, self.max_leaves)
        self._first = np.empty(0)
        block_rows = 1  # no histograms here
        self.work = memory.make_work(self.dataset, 1, self.max_leaves, block_rows, 1, len(self.settings.groups))
        self.table = None
        self._rules_there: BoostingRules | None = None
        self._drafts: np.ndarray = _NO_ROWS  # the draft that each node was

    def close(self) -> None:
        """The GPU has done with the memory that is about to go, also where the fit was cut off."""
        if hasattr(self, "_loop"):
            self._loop.stream.wait()

    @property
    def scores(self) -> np.ndarray:  # type: ignore[override]
        """A copy, with the last tree's values."""
        return self._loop.read_scores() if hasattr(self, "_loop") else self._first

    @scores.setter
    def scores(self, first: np.ndarray) -> None:
        self._first = first

    @property
    def derivatives(self) -> np.ndarray:  # type: ignore[override]
        """A copy."""
        return self._loop.stream.read(self._loop.rows.derivatives).reshape(-1, 2)

    def _round(self) -> list[Any]:
        loop, trees = self._loop, []
        if hasattr(self.loss, "renewed"):
            self.loss = self.loss.renewed(self.scores[0], self.y, self.weights)
        if self.task.n_outputs > 1:
            loop.fill_log_totals()
        for k in range(self.task.n_outputs):
            summary = loop.fill_derivatives(self.loss, k)
            largest = largest_of(summary, self.dataset.n_rows, loop.has_counts, loop.count_exponents)
            self._check(largest)
            trees.append(self._tree(k, largest))
        self._totals = None
        return trees

    def _make_rows(self, chosen: np.ndarray, largest: Largest, number: int) -> tuple[memory.Rows, int]:
        _, n, total = self._count(chosen)
        fields = make_fields(n, total, self.most_repeats, largest.gradient, largest.hessian, largest.exponents)
        noise_key = np.uint64(_random.stream_key(self.settings.seed, _random.ROUNDING, number))
        nothing = np.empty((0, 2), np.float32)
        return memory.Rows(chosen, n, nothing, _NO_ROWS, fields, noise_key, np.empty(0, np.uint32)), total

    def _grow(self, table: Any, rows: memory.Rows, rules: BoostingRules, work: memory.Work) -> int:
        loop, orders = self._loop, self._loop.orders.here
        if rules is not self._rules_there:
            orders["rules"][0] = as_record(rules, RULES)
            if loop.restricted:
                loop.write_features(rules.features)
            self._rules_there = rules
        ahead = rules.node_features >= rules.features.size  # columns are not drawn by the numbers of nodes
        limits = capacity(rows.fields), loop.restricted, ahead
        orders["params"][0] = rows.n, len(rows.chosen) > 0, rows.noise_key, loop.output, *limits
        orders["fields"][0] = rows.fields
        grown = loop.grow(rows.chosen)
        self._drafts = np.empty(grown.n_nodes, np.int64)
        drafts = np.flatnonzero(grown.number >= 0)
        self._drafts[grown.number[drafts]] = drafts
        drafts = self._drafts
        nodes = work.nodes[: len(drafts)]
        nodes.view(_BYTES)[:] = grown.nodes.view(_BYTES)[drafts]  # records themselves are copied slowly
        nodes["fine_gradient"], nodes["fine_hessian"] = grown.leaf_sums[drafts].T
        work.state[0]["n_nodes"], work.state[0]["n_leaves"] = grown.n_nodes, grown.n_leaves
        _finish(rows.fields, rules, work, grown.n_nodes)
        self._is_sent = self.settings.ccp_alpha == 0.0 and not kind_of(self.loss).leaves_are_quantiles
        if self._is_sent:  # at once, so that the GPU has something to do while Python takes the tree
            self._send_values()
        return grown.n_nodes

    def _finish(self, n_nodes: int, renews: bool) -> None:
        if renews:
            self._lay_segments(n_nodes)
        super()._finish(n_nodes, renews)

    def _lay_segments(self, n_nodes: int) -> None:
        """The rows of every leaf side by side, as the CPU leaves them behind."""
        nodes, pieces = self.work.nodes[:n_nodes], self.work.pieces[: self.work.state[0]["n_leaves"]]
        leaf_of_row = self._loop.read_leaves()
        rows = self.chosen if len(self.chosen) else np.arange(self.dataset.n_rows, dtype=np.int32)
        piece_of = np.zeros(int(self._drafts.max()) + 1, np.int64)
        piece_of[self._drafts[pieces]] = np.arange(len(pieces))
        piece = piece_of[leaf_of_row[rows]]
        self.work = self.work._replace(rows=np.broadcast_to(rows[np.argsort(piece, kind="stable")], (2, len(rows))))
        ends = np.cumsum(np.bincount(piece, minlength=len(pieces)))
        nodes["begin"][pieces], nodes["end"][pieces] = np.append(0, ends[:-1]), ends
        for at in range(n_nodes - 1, -1, -1):  # children come after their parents
            if nodes["left"][at] != NO_NODE:
                nodes["begin"][at], nodes["end"][at] = (
                    nodes["begin"][nodes["left"][at]],
                    nodes["end"][nodes["left"][at] + 1],
                )

    def _update_scores(self, k: int, tree: Any, rows: Any) -> None:
        if not self._is_sent:
            self._send_values()

    def _add(self, forest: Any, scores: np.ndarray) -> None:
        add_scores(forest, take_rows(self.dataset.codes, None), range(forest.n_trees), scores, self.team)

    def _send_values(self) -> None:
        """The tree's values to the GPU, which goes on to the next derivatives if nothing is to come before them."""
        values = self.work.nodes["value"][: len(self._drafts)]
        self._loop.add_later(self._drafts, values, at_once=self.task.n_outputs > 1)
        if self.task.n_outputs == 1 and not hasattr(self.loss, "renewed"):
            self._loop.begin_derivatives(self.loss)

    def sum_of_losses(self, y: np.ndarray, scale: float) -> float:
        entry = losses_of(self.loss)
        if scale != 1.0 or entry is None:
            return super().sum_of_losses(y, scale)
        return self._loop.sum_of_losses(entry, self.loss)


def capacity(fields: Fields) -> int:
    """Rows whose sums fit 32 bits, from what a block's sums take."""
    hessian_bits = fields.gradient_shift - fields.count_bits
    spare = min(fields.gradient_shift - 33, 32 - hessian_bits, 32 - fields.count_bits)
    return fields.block_rows << max(0, spare)


@kernel
def _finish(fields, rules, work, n_nodes):
    """Pieces, pruning and values of a tree whose leaves have their sums."""
    order_pieces(work)
    finish_nodes(fields, rules, work.nodes, n_nodes)
