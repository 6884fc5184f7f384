"""Stumps of two classes from one sorted table, one after the other: what goes into stumps.py, and what comes out.

In:  sorted columns and the class of every row; then, for each stump, weights, or how they are to change.
Out: trees, as grower.py would grow them.
"""

from __future__ import annotations

import numpy as np

from spinney._team import Team
from spinney.criteria.fixed_point import scale_exponent
from spinney.criteria.impurity import class_impurity
from spinney.data.presort import RANK, ROW, Presorted
from spinney.data.target import Target
from spinney.grow.lists.fit import Grown, Sorted
from spinney.grow.lists.freeze import Cuts, midway
from spinney.grow.lists.stump_memory import Change, Rows, StumpRules, make_blocks, make_desk
from spinney.grow.lists.stumps import KINDS, UNIT, grow_stump
from spinney.grow.rules import NO_ROW
from spinney.grow.settings import TreeSettings
from spinney.grow.targets import make_statistics
from spinney.tree.arrays import small
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import MISSING_LEFT, Forest

_NO_LOGS = np.empty(0, np.int64)
_STAY = Change(np.empty(0), 1.0)


class Stumps:
    """Grows stumps by blocks, which are made once."""

    def __init__(self, given: Sorted, label: np.ndarray, team: Team) -> None:
        assert isinstance(given.presorted, Presorted)
        self._given, self._presorted, self._team = given, given.presorted, team
        self._blocks = make_blocks(given.presorted, label, team)
        self._desk = make_desk(self._blocks, team.size)
        self.kind = label.astype(np.uint8)  # of every row, after a stump: 2 * (whether it went left) + class

    @property
    def most(self) -> np.ndarray:
        """The largest weight of one repetition of a row, by kind."""
        return self._desk.most[0, :KINDS]

    def grow(self, target: Target, settings: TreeSettings) -> Grown:
        """Grow a stump with the target's weights."""
        statistics, _, _ = make_statistics(target, settings.criterion, None)
        rows = Rows(statistics.weight.astype(np.int64), np.empty(0), self.kind)
        rules = self.rules(settings, settings.min_weight)._replace(unit=float(statistics.units[0]), scaled=False)
        tree = self.run(rows, rules, statistics.logs, _STAY)
        went_left = self.kind > 1
        order = np.concatenate([np.flatnonzero(went_left), np.flatnonzero(~went_left)])
        return Grown(tree, np.full(tree.n_nodes, -1), order)

    def rules(self, settings: TreeSettings, min_weight: float) -> StumpRules:
        """For `run`. A negative `min_weight` is a share."""
        n_rows, min_leaf = self._presorted.n_rows, max(1, settings.min_leaf)
        may_split = n_rows >= max(2, settings.min_split) and n_rows >= 2 * min_leaf
        return StumpRules(settings.criterion, may_split, min_leaf, min_weight, settings.min_decrease, UNIT, True)

    def run(self, rows: Rows, rules: StumpRules, logs: np.ndarray, change: Change) -> DecisionTree:
        """Change the weights, and grow a stump."""
        self._team.run(grow_stump, self._blocks, rows, self._desk, rules, logs, change)
        state, cut = self._desk.state[0], self._desk.cuts[0]
        n, is_split = len(rows.weight), bool(state["is_split"])
        sums = [(state["weight"] - state["amount"], state["amount"])]
        if is_split:
            left = (cut["weight"] - cut["amount"], cut["amount"])
            sums += [left, (sums[0][0] - left[0], sums[0][1] - left[1])]
        answers = np.array(sums, np.float64)[:, None] * state["unit"]
        counts = [cut["n_left"], n - cut["n_left"]] if is_split else [n]
        cuts, missing_left = self._cuts(is_split)
        return DecisionTree(
            Forest(
                n_columns=self._presorted.n_columns,
                n_classes=(2,),
                criterion=rules.criterion,
                bins=None,
                first=np.array([0, len(answers)]),
                size=small(np.array([3, 1, 1] if is_split else [1])),
                feature=small(cuts.feature),
                turn=missing_left * np.uint8(MISSING_LEFT),
                answers=answers,
                n_samples=small(np.array(counts), np.uint32),
                threshold=self._thresholds(cuts),
                weight=answers.sum(axis=2)[:, 0],
                impurity=class_impurity(rules.criterion, answers),
            )
        )

    def _cuts(self, is_split: bool) -> tuple[Cuts, np.ndarray]:
        """The cut, if there is one, as freeze.py knows it, and whether missing values go left there."""
        cut = self._desk.cuts[0]
        feature = np.full(int(is_split), cut["column"], np.uint32)
        threshold, below, above = np.zeros(len(feature)), np.zeros(len(feature), np.int64), np.zeros(len(feature), int)
        missing_left = np.zeros(len(feature), np.uint8)
        if is_split:
            j, at = int(cut["column"]), int(cut["position"])
            entries, known = self._presorted.lists[j], int(self._blocks.known[j])
            below[0], above[0] = entries[at - 1] & ROW, entries[at] & ROW if at < known else NO_ROW
            missing_left[0] = cut["missing_left"]
            if self._presorted.is_binned and at < known:
                code = (int(entries[at - 1] >> RANK) + int(entries[at] >> RANK)) // 2
                threshold[0] = self._presorted.values[j, code]
        return Cuts(feature, threshold, below, above), missing_left

    def _thresholds(self, cuts: Cuts) -> np.ndarray:
        if self._given.bins is not None:
            return np.where(cuts.above == NO_ROW, np.inf, cuts.threshold)
        return midway(cuts, self._given.table, self._given.rows)


class StumpRounds:
    """Stumps with weights that change by the kinds of rows, from one stump to the next.

    Weights are whole multiples of `UNIT`, and add up to 1 but for rounding.
    """

    def __init__(self, stumps: Stumps, settings: TreeSettings, share: float, weights: np.ndarray, repeats: np.ndarray):
        """`share` of the weight must be in a leaf; `repeats` are whole numbers of at least 1."""
        self._stumps, self._rules = stumps, stumps.rules(settings, -share)
        self._n_rows = int(repeats.sum())
        whole = np.rint(weights / UNIT).astype(np.int64)
        self._rows = Rows(whole, np.empty(0) if (repeats == 1.0).all() else repeats, stumps.kind)
        self._change = _STAY

    def grow(self) -> DecisionTree:
        """The next stump."""
        return self._stumps.run(self._rows, self._rules, _NO_LOGS, self._change)

    def reweigh(self, change: np.ndarray) -> None:
        """Multiply the weights of rows before the next stump; `change` is for leaves, from the left, and classes."""
        factor = np.ascontiguousarray(change[::-1]).reshape(-1)  # right, left
        largest = float((self._stumps.most[: len(factor)] * factor).max())
        exponent = scale_exponent(largest, 61 - self._n_rows.bit_length(), 2000)
        self._change = Change(factor, 2.0**exponent)
