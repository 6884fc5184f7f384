"""Gradient boosting with exact thresholds: the rounds of boosting.py, with trees from sorted lists.

In: an `ExactDataset` in place of codes. Out: a `Booster` whose trees ask about values. Derivatives are float64, and
become whole numbers of as many bits as their sums leave room for: splits and leaves are those of exact arithmetic but
for the last digits.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from spinney.criteria.losses import AbsoluteError, Huber, Quantile, SquaredError
from spinney.ensemble.boosting import Rounds
from spinney.ensemble.gradients import Largest
from spinney.grow.boosted_freeze import freeze
from spinney.grow.boosted_lists import grow_from_lists
from spinney.grow.boosted_memory import make_lists, make_rows, make_work
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.forest import Forest
from spinney.tree.join import join

_UNIT_HESSIANS = (SquaredError, AbsoluteError, Quantile, Huber)
_LEAST_GAIN = 5e-324  # splits that gain nothing are taken back


class ExactRounds(Rounds):
    """The state of one fit."""

    def _make_memory(self) -> None:
        draws_rows = self.settings.subsample < 1.0 or not (self.counts is None or self.counts.all())
        self.derivatives = np.empty((self.dataset.n_rows, 2))
        self.table = make_lists(self.dataset, self.settings.monotone, self.team)
        self.work = make_work(self.dataset, self.max_leaves, draws_rows, self.team.size, len(self.settings.groups))

    def _make_rows(self, chosen: np.ndarray, largest: Largest, number: int) -> tuple[Any, int]:
        total = self._count(chosen)[2]
        extremes = largest.gradient, largest.hessian
        has_units = isinstance(self.loss, _UNIT_HESSIANS) and self.weights.importance is None
        args = chosen, self.derivatives, self.counts, total, extremes, self._finest(), has_units
        return make_rows(*args, self.team), total

    def _finest(self) -> float:
        """Differences of residuals that are nothing but rounding."""
        if not isinstance(self.loss, SquaredError):
            return 0.0
        largest = max(abs(float(self.scores.max())), abs(float(self.scores.min())))
        return largest * sys.float_info.epsilon

    def _draw_rules(self, number: int) -> BoostingRules:
        rules = super()._draw_rules(number)
        return rules._replace(min_gain=max(rules.min_gain, _LEAST_GAIN))

    def _grow(self, table: Any, rows: Any, rules: BoostingRules, work: Any) -> int:
        kinds = Kinds(bool(self.dataset.is_categorical.any()) or None, rules.has_monotone or None)
        n_nodes: int = self.team.run(grow_from_lists, table, rows, rules, work, kinds)
        return n_nodes

    def _take_tree(self, n_nodes: int, rows: Any) -> Forest:
        return freeze(self.work, n_nodes, self.dataset, rows.fields)

    def _freeze(self, trees: list[Any]) -> Forest:
        return join(trees)
