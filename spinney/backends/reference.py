"""The slow, obvious twin of the CPU's kernels, in NumPy: the oracle of every kernel test.

Sums are three int64 each and never packed; every histogram is built from its rows; a node's rows are parted with
boolean masks; the best split is looked for cut by cut. Only the formulas of criteria/gains.py are shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from spinney._jit import kernel
from spinney.backends.base import SPLIT, grow_batched
from spinney.criteria.gains import Penalty, bounded_score, clip, leaf_score, leaf_value
from spinney.grow.limits import Limits
from spinney.grow.memory import NO_SLOT, SLOTS, Rows, Table, Work, records
from spinney.grow.splits import Sums
from spinney.grow.statistics import Fields


def grow(table: Table, rows: Rows, limits: Limits, work: Work, lookahead: int = 0) -> int:
    """Grow one tree; returns its number of nodes."""
    return grow_batched(ReferenceBackend(), table, rows, limits, work, lookahead)


class ReferenceBackend:
    """One tree at a time; see `Backend`."""

    table: Table
    limits: Limits
    fields: Fields

    def open(self, table: Table, rows: Rows, limits: Limits) -> Sums:
        self.table, self.limits, self.fields = table, limits, rows.fields
        self.rows = rows.chosen.astype(np.int64) if rows.chosen.size else np.arange(rows.n)
        self.statistics = quantise(rows, self.rows)
        self.places = {(0, 0): np.arange(rows.n)}  # (depth, start) of a node -> places of its rows in self.rows
        self.histograms: dict[int, np.ndarray] = {}
        return Sums(*(int(total) for total in self.statistics.sum(axis=0)))

    def build_histograms(self, nodes: Any) -> None:
        for node in nodes:
            if node.slot != NO_SLOT:
                self.histograms[int(node.slot)] = self.histogram(self.places[node.depth, node.start])

    def histogram(self, places: np.ndarray) -> np.ndarray:
        """(columns, codes, 3): per column and code the sums of gradient, hessian and count."""
        sums = np.zeros((len(self.table.codes), SLOTS, 3), np.int64)
        for column, codes in enumerate(self.table.codes):
            np.add.at(sums[column], codes[self.rows[places]], self.statistics[places])
        return sums

    def find_splits(self, nodes: Any, allowed: np.ndarray) -> Any:
        found = records(len(nodes), SPLIT)
        for i, node in enumerate(nodes):
            found[i].score = -np.inf
            for k, feature in enumerate(self.limits.features):
                if allowed[i, k]:
                    sums = self.histograms[int(node.slot)][feature]
                    best = search(node, self.table.columns[feature], sums, self.fields, self.limits)
                    if best is not None and best.score > found[i].score:
                        _write(found[i], feature, best)
        return found

    def partition_rows(self, nodes: Any) -> np.ndarray:
        middles = np.empty(len(nodes), np.int64)
        for i, node in enumerate(nodes):
            places = self.places[node.depth, node.start]
            codes = self.table.codes[node.feature][self.rows[places]]
            left = goes_left(node, self.table.columns[node.feature], codes)
            middles[i] = node.start + left.sum()
            self.places[node.depth + 1, node.start] = places[left]
            self.places[node.depth + 1, middles[i]] = places[~left]
        return middles

    def leaf_of_rows(self, leaves: Any) -> np.ndarray:
        leaf_of_rows = np.full(len(self.rows), -1)
        for place, leaf in enumerate(leaves):
            leaf_of_rows[self.places[leaf.depth, leaf.start]] = place
        return leaf_of_rows


# --- statistics --------------------------------------------------------------------------------------------------


def quantise(rows: Rows, chosen: np.ndarray) -> np.ndarray:
    """(rows, 3) int64: gradient, hessian and count of every row in whole units."""
    fields = rows.fields
    shift = uniform(rows.noise_key, chosen) if fields.dither else 0.5
    count = rows.counts[chosen] if rows.counts.size else np.ones(len(chosen), np.int64)
    real = rows.derivatives[chosen].astype(np.float64)
    gradient = np.floor(real[:, 0] * fields.gradient_scale + shift).astype(np.int64)
    hessian = np.floor(real[:, 1] * fields.hessian_scale + shift).astype(np.int64)
    return np.stack((gradient * count, hessian * count, count), axis=1)


def uniform(key: np.uint64, index: np.ndarray) -> np.ndarray:
    """SplitMix64: the index-th number of the stream that begins at `key`, as floats in [0, 1)."""
    z = np.asarray(key, np.uint64) + (index.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- search ------------------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """One way to split a node on one column: which of the 256 codes go left."""

    code: int  # numbers: the largest code on the left
    left: np.ndarray  # bool (256): codes with rows that go left
    others_left: bool  # where codes without rows in this node go
    penalty: Penalty
    direction: int  # 1: the right side's value must not be below the left side's, -1: not above


class Found(NamedTuple):
    """A legal cut and what it is worth."""

    score: float
    cut: Cut
    sums: Sums  # of the left side
    missing_left: bool
    bits: np.ndarray


def search(node: Any, column: Any, sums: np.ndarray, fields: Fields, limits: Limits) -> Found | None:
    """The best cut of a node on one column, the first of equals; `sums` is (codes, 3)."""
    best, best_score = None, -np.inf
    for cut in _category_cuts(node, column, sums, fields, limits) if column.is_categorical else _number_cuts(
        node, column, sums, limits
    ):
        score = score_cut(node, cut, sums, fields, limits)
        if score > best_score:
            best, best_score = cut, score
    if best is None:
        return None
    present = sums[:, 2] > 0
    left = np.where(present, best.left, best.others_left)
    bits = np.packbits(left, bitorder="little").view(np.uint64) if column.is_categorical else np.zeros(4, np.uint64)
    total = Sums(*(int(total) for total in sums[best.left].sum(axis=0)))
    return Found(best_score, best, total, bool(left[column.n_bins]), bits)


def _number_cuts(node: Any, column: Any, sums: np.ndarray, limits: Limits) -> Iterator[Cut]:
    """`code <= t` for every t, first with missing on the right, then on the left."""
    codes, missing = np.arange(SLOTS), int(column.n_bins)
    some_missing = sums[missing, 2] > 0
    direction = int(column.monotone) if limits.has_monotone else 0
    for missing_left in (False, True) if some_missing else (False,):
        # all numbers on the left and nothing but missing on the right is a cut too
        for t in range(missing if some_missing and not missing_left else missing - 1):
            left = codes <= t
            left[missing] = missing_left
            most_left = 2 * sums[left, 2].sum() >= node.count
            yield Cut(t, left, bool(most_left), limits.penalty, direction)


def _category_cuts(node: Any, column: Any, sums: np.ndarray, fields: Fields, limits: Limits) -> Iterator[Cut]:
    """Categories (missing is one of them) in the order of gradient / hessian, cut after each."""
    present = np.flatnonzero(sums[:, 2])
    keys = [
        (sums[code, 0] * fields.gradient_unit) / (sums[code, 1] * fields.hessian_unit + limits.category_smoothing)
        for code in present
    ]
    order = [code for _, code in sorted(zip(keys, present))]
    for n_left in range(1, len(order)):
        left = np.zeros(SLOTS, bool)
        left[order[:n_left]] = True
        most_left = 2 * sums[left, 2].sum() >= node.count
        yield Cut(0, left, bool(most_left), limits.category_penalty, 0)


def score_cut(node: Any, cut: Cut, sums: np.ndarray, fields: Fields, limits: Limits) -> float:
    """What both sides score together; -inf if the limits forbid the cut."""
    gradient, hessian, count = sums[cut.left].sum(axis=0)
    left = gradient * fields.gradient_unit, hessian * fields.hessian_unit
    right = node.gradient * fields.gradient_unit - left[0], node.hessian * fields.hessian_unit - left[1]
    if min(count, node.count - count) < limits.min_count or min(left[1], right[1]) < limits.min_hessian:
        return -np.inf
    if not limits.has_monotone:
        return _leaf_score(*left, cut.penalty) + _leaf_score(*right, cut.penalty)
    bounds = node.lower, node.upper
    left_value, right_value = _bounded_value(*left, *bounds, cut.penalty), _bounded_value(*right, *bounds, cut.penalty)
    if (right_value - left_value) * cut.direction < 0.0:
        return -np.inf
    return _bounded_score(*left, *bounds, cut.penalty) + _bounded_score(*right, *bounds, cut.penalty)


@kernel
def _leaf_score(gradient, hessian, penalty):
    return leaf_score(gradient, hessian, penalty)


@kernel
def _bounded_value(gradient, hessian, lower, upper, penalty):
    return clip(leaf_value(gradient, hessian, penalty), lower, upper)


@kernel
def _bounded_score(gradient, hessian, lower, upper, penalty):
    return bounded_score(gradient, hessian, lower, upper, penalty)


def _write(split: Any, feature: int, found: Found) -> None:
    split.feature, split.score, split.code = feature, found.score, found.cut.code
    split.missing_left, split.bits = found.missing_left, found.bits
    split.gradient, split.hessian, split.count = found.sums


# --- partition ---------------------------------------------------------------------------------------------------


def goes_left(node: Any, column: Any, codes: np.ndarray) -> np.ndarray:
    """Which of some codes go left at a node."""
    if column.is_categorical:
        in_set = np.unpackbits(np.ascontiguousarray(node.bits).view(np.uint8), bitorder="little") > 0
        return in_set[codes]
    return np.where(codes == column.n_bins, node.missing_left > 0, codes <= node.code)
