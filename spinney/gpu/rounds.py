"""The engine of boosting on a GPU: rows, scores and derivatives stay there.

In: an `Opening` (ensemble/boosting/rounds.py). Out: the same trees. Per tree two things cross: the extremes of the
derivatives, from which the units follow, and the grown nodes with their leaves' sums, which the CPU finishes as it does
its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from spinney import _random
from spinney._compile import kernel
from spinney.criteria.losses import kind_of
from spinney.ensemble.boosting.gradients import Largest, largest_of, sum_of_losses
from spinney.ensemble.boosting.rounds import Opening, Rounds
from spinney.ensemble.boosting.row_sampling import Drawn
from spinney.gpu.loop import Loop
from spinney.gpu.memory import RULES, as_record
from spinney.gpu.scores import losses_of
from spinney.grow.boosting import memory
from spinney.grow.boosting.freeze import freeze, lay
from spinney.grow.boosting.leaves import finish_nodes, order_pieces
from spinney.grow.boosting.statistics import Fields, make_fields
from spinney.grow.rules import NO_NODE, BoostingRules
from spinney.tree.forest import Forest

_NO_ROWS = np.empty(0, np.int64)
_BYTES = np.dtype((np.void, memory.NODE.itemsize))


def open_on_gpu(dataset: Any, *others: Any, **more: Any) -> Rounds:
    """The rounds of a fit on the GPU."""
    return partial(Rounds, engine=GpuEngine)(dataset, *others, **more)


class GpuEngine:
    """Trees from codes on the GPU."""

    smallest_gain = 0.0

    def __init__(self, fit: Opening) -> None:
        self.dataset, self.settings, self.rows = fit.dataset, fit.settings, fit.rows
        self._loop = Loop(fit.dataset, fit.rows.y, fit.rows.weights, fit.scores, fit.settings, fit.max_leaves)
        self._n_outputs, self.team = len(fit.scores), fit.team
        block_rows = 1  # no histograms here
        self.work = memory.make_work(fit.dataset, 1, fit.max_leaves, block_rows, 1, len(fit.settings.groups))
        self._rules_there: BoostingRules | None = None
        self._drafts: np.ndarray = _NO_ROWS  # the draft that each node was
        self._is_sent = False  # whether the GPU has the last tree's values

    def close(self) -> None:
        """The GPU has done with the memory that is about to go, also where the fit was cut off."""
        self._loop.stream.wait()

    @property
    def scores(self) -> np.ndarray:
        """A copy, with the last tree's values."""
        return self._loop.read_scores()

    @property
    def derivatives(self) -> np.ndarray:
        """A copy."""
        return self._loop.stream.read(self._loop.rows.derivatives).reshape(-1, 2)

    def fill_derivatives(self, loss: Any, k: int, totals: Any) -> Largest:
        """Those of output k at the scores that the round began with."""
        loop = self._loop
        if self._n_outputs > 1 and k == 0:
            loop.fill_log_totals()
        summary = loop.fill_derivatives(loss, k)
        return largest_of(summary, self.dataset.n_rows, loop.has_counts, loop.count_exponents)

    def grow(self, drawn: Drawn, largest: Largest, number: int, rules: BoostingRules, loss: Any) -> int:
        """Grow tree `number` on the derivatives at hand; returns its number of nodes."""
        extremes = largest.gradient, largest.hessian, largest.exponents
        self._fields = make_fields(drawn.n, drawn.total, self.rows.most_repeats, *extremes)
        self._chosen, self._loss = drawn.chosen, loss
        loop, orders, work = self._loop, self._loop.orders.here, self.work
        if rules is not self._rules_there:
            orders["rules"][0] = as_record(rules, RULES)
            if loop.restricted:
                loop.write_features(rules.features)
            self._rules_there = rules
        ahead = rules.node_features >= rules.features.size  # columns are not drawn by the numbers of nodes
        limits = capacity(self._fields), loop.restricted, ahead
        noise_key = np.uint64(_random.stream_key(self.settings.seed, _random.ROUNDING, number))
        orders["params"][0] = drawn.n, len(drawn.chosen) > 0, noise_key, loop.output, *limits
        orders["fields"][0] = self._fields
        grown = loop.grow(drawn.chosen)
        self._drafts = np.empty(grown.n_nodes, np.int64)
        drafts = np.flatnonzero(grown.number >= 0)
        self._drafts[grown.number[drafts]] = drafts
        drafts = self._drafts
        nodes = work.nodes[: len(drafts)]
        nodes.view(_BYTES)[:] = grown.nodes.view(_BYTES)[drafts]  # records themselves are copied slowly
        nodes["fine_gradient"], nodes["fine_hessian"] = grown.leaf_sums[drafts].T
        work.state[0]["n_nodes"], work.state[0]["n_leaves"] = grown.n_nodes, grown.n_leaves
        _finish(self._fields, rules, work, grown.n_nodes)
        self._is_sent = self.settings.ccp_alpha == 0.0 and not kind_of(loss).leaves_are_quantiles
        if self._is_sent:  # at once, so that the GPU has something to do while Python takes the tree
            self._send_values()
        return grown.n_nodes

    def laid_out(self, n_nodes: int) -> memory.BoostingWork:
        """The memory, with the rows of every leaf side by side, as the CPU leaves them behind."""
        nodes, pieces = self.work.nodes[:n_nodes], self.work.pieces[: self.work.state[0]["n_leaves"]]
        leaf_of_row = self._loop.read_leaves()
        rows = self._chosen if len(self._chosen) else np.arange(self.dataset.n_rows, dtype=np.int32)
        piece_of = np.zeros(int(self._drafts.max()) + 1, np.int64)
        piece_of[self._drafts[pieces]] = np.arange(len(pieces))
        piece = piece_of[leaf_of_row[rows]]
        ends = np.cumsum(np.bincount(piece, minlength=len(pieces)))
        nodes["begin"][pieces], nodes["end"][pieces] = np.append(0, ends[:-1]), ends
        for at in range(n_nodes - 1, -1, -1):  # children come after their parents
            if nodes["left"][at] != NO_NODE:
                nodes["begin"][at], nodes["end"][at] = (
                    nodes["begin"][nodes["left"][at]],
                    nodes["end"][nodes["left"][at] + 1],
                )
        return self.work._replace(rows=np.broadcast_to(rows[np.argsort(piece, kind="stable")], (2, len(rows))))

    def take_tree(self, n_nodes: int) -> Any:
        """The tree just grown, for `freeze`."""
        return lay(self.work.nodes, n_nodes, self._fields)

    def freeze(self, trees: list[Any]) -> Forest:
        """Trees as a store, in units of the fit."""
        return freeze(trees, self.dataset.bins)

    def update_scores(self, k: int, tree: Any) -> None:
        """Add the tree just grown to the scores."""
        if not self._is_sent:
            self._send_values()

    def _send_values(self) -> None:
        """The tree's values to the GPU, which goes on to the next derivatives if nothing is to come before them."""
        values = self.work.nodes["value"][: len(self._drafts)]
        self._loop.add_later(self._drafts, values, at_once=self._n_outputs > 1)
        if self._n_outputs == 1 and not hasattr(self._loss, "renewed"):
            self._loop.begin_derivatives(self._loss)

    def sum_of_losses(self, loss: Any, y: np.ndarray, scale: float) -> float:
        entry = losses_of(loss)
        if scale != 1.0 or entry is None:
            return sum_of_losses(self.team, loss, self.scores[0], y, scale)
        return self._loop.sum_of_losses(entry, loss)


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
