"""The slow, obvious twin of the CPU's kernels, in NumPy: the oracle of every kernel test.

Sums are three int64 each and never packed; every histogram is built from its rows; a node's rows are parted with
boolean masks; the best split is looked for cut by cut. Only the formulas of criteria/gains.py are shared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.criteria.gains import Penalty, bounded_score, clip, leaf_score, leaf_value
from spinney.data.dataset import records
from spinney.distributed.level_growth import grow_batched
from spinney.grow.boosting.leaves import sum_leaf_chunk
from spinney.grow.boosting.memory import CANDIDATE, NO_SLOT, SLOTS, BinnedTable, BoostingRows, BoostingWork
from spinney.grow.boosting.partition import n_chunks_of
from spinney.grow.boosting.scan_bins import Sums
from spinney.grow.boosting.statistics import Fields
from spinney.grow.rules import BoostingRules


def grow(table: BinnedTable, rows: BoostingRows, limits: BoostingRules, work: BoostingWork, lookahead: int = 0) -> int:
    """Grow one tree; returns its number of nodes."""
    return grow_batched(ReferenceBackend(), table, rows, limits, work, lookahead)


class ReferenceBackend:
    """One tree at a time; see `Backend`."""

    table: BinnedTable
    limits: BoostingRules
    fields: Fields

    def open(self, table: BinnedTable, rows: BoostingRows, limits: BoostingRules) -> Sums:
        self.table, self.limits, self.fields = table, limits, rows.fields
        self.rows = rows.chosen.astype(np.int64) if rows.chosen.size else np.arange(rows.n)
        self.statistics = quantise(rows, self.rows)
        self.places = {(0, 0): np.arange(rows.n)}  # (depth, begin) of a node -> places of its rows in self.rows
        self.histograms: dict[int, np.ndarray] = {}
        return Sums(*self.statistics.sum(axis=0))

    def build_histograms(self, nodes: Any) -> None:
        for node in nodes:
            if node["slot"] != NO_SLOT:
                self.histograms[int(node["slot"])] = self.histogram(self.places[node["depth"], node["begin"]])

    def histogram(self, places: np.ndarray) -> np.ndarray:
        """(columns, codes, 3): per column and code the sums of gradient, hessian and count."""
        sums = np.zeros((len(self.table.codes), SLOTS, 3), np.int64)
        for column, codes in enumerate(self.table.codes):
            np.add.at(sums[column], codes[self.rows[places]], self.statistics[places])
        return sums

    def find_splits(self, nodes: Any, allowed: np.ndarray) -> Any:
        found = records(len(nodes), CANDIDATE)
        for i, node in enumerate(nodes):
            found[i]["score"] = -np.inf
            for feature in self.limits.features:
                if allowed[i, feature]:
                    sums = self.histograms[int(node["slot"])][feature]
                    best = search(node, self.table.columns[feature], sums, self.fields, self.limits)
                    if best is not None and best.score > found[i]["score"]:
                        _write(found[i], feature, best)
        return found

    def partition_rows(self, nodes: Any) -> np.ndarray:
        middles = np.empty(len(nodes), np.int64)
        for i, node in enumerate(nodes):
            places = self.places[node["depth"], node["begin"]]
            codes = self.table.codes[node["feature"]][self.rows[places]]
            left = goes_left(node, self.table.columns[node["feature"]], codes)
            middles[i] = node["begin"] + left.sum()
            self.places[node["depth"] + 1, node["begin"]] = places[left]
            self.places[node["depth"] + 1, middles[i]] = places[~left]
        return middles

    def sum_leaves(self, rows: BoostingRows, work: BoostingWork) -> None:
        for leaf in work.nodes[work.pieces[: work.state[0]["n_leaves"]]]:
            places = np.sort(self.places[leaf["depth"], leaf["begin"]])
            work.rows[leaf["depth"] & 1, leaf["begin"] : leaf["begin"] + len(places)] = self.rows[places]
        _sum_leaves(rows, work)


@kernel
def _sum_leaves(rows, work):
    for chunk in range(n_chunks_of(rows.n)):
        sum_leaf_chunk(rows, work, chunk)


# --- statistics --------------------------------------------------------------------------------------------------


def quantise(rows: BoostingRows, chosen: np.ndarray) -> np.ndarray:
    """(rows, 3) int64: gradient, hessian and count of every row in whole units."""
    fields = rows.fields
    noise = uniform(rows.noise_key, rows.keys[chosen]) if fields.dither else 0.5
    count = rows.counts[chosen] if rows.counts.size else np.ones(len(chosen), np.int64)
    real = rows.derivatives[chosen].astype(np.float64)
    if fields.is_far:
        gradient = round_far(
            np.clip(real[:, 0], -fields.most_gradient, fields.most_gradient), 10, noise, fields.gradient_scale
        )
        hessian = round_far(np.minimum(real[:, 1], fields.most_hessian), 11, noise, fields.hessian_scale)
    else:
        gradient = np.floor(real[:, 0] * fields.gradient_scale + noise).astype(np.int64)
        hessian = np.floor(real[:, 1] * fields.hessian_scale + noise).astype(np.int64)
    return np.stack((gradient * count, hessian * count, count), axis=1)


def round_far(real: np.ndarray, bits: int, noise: Any, scale: float) -> np.ndarray:
    """Whole numbers of at most so many bits, times a power of two each."""
    shift = np.maximum(np.frexp(real * scale)[1] - bits, 0)
    return np.floor(np.ldexp(real * scale, -shift) + noise).astype(np.int64) << shift


def uniform(key: np.uint64, index: np.ndarray) -> np.ndarray:
    """SplitMix64: the index-th number of the stream that begins at `key`, as floats in [0, 1)."""
    z = np.asarray(key, np.uint64) + (index.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- search ------------------------------------------------------------------------------------------------------


class Whole(NamedTuple):
    """What a search needs to know of a node."""

    gradient: int
    hessian: int
    count: int  # type: ignore[assignment]
    lower: float
    upper: float


class Found(NamedTuple):
    """The best cut of one column."""

    score: float
    code: int
    missing_left: bool
    bits: np.ndarray
    sums: np.ndarray  # of the left side


def search(node: Any, column: Any, sums: np.ndarray, fields: Fields, limits: BoostingRules) -> Found | None:
    """The best cut of a node on one column, the first of equals; `sums` is (codes, 3)."""
    if column["is_categorical"]:
        cuts, penalty, direction = category_cuts(sums, fields, limits), limits.category_penalty, 0
    else:
        cuts, penalty, direction = number_cuts(sums, int(column["n_bins"])), limits.penalty, int(column["monotone"])
    left_sums = cuts.astype(np.int64) @ sums
    whole = Whole(*(node[name].item() for name in Whole._fields))
    best, best_score = -1, -np.inf
    for i, sums_of_left in enumerate(left_sums.tolist()):
        score = score_cut(whole, sums_of_left, penalty, direction, fields, limits)
        if score > best_score:
            best, best_score = i, score
    if best < 0:
        return None
    left, larger = cuts[best].copy(), bool(2 * left_sums[best, 2] > whole.count)
    if not column["is_categorical"]:
        if sums[column["n_bins"], 2] == 0:
            left[column["n_bins"]] = larger
        code, bits = int(left[: column["n_bins"]].sum()) - 1, np.zeros(4, np.uint64)
    else:
        if not sums[is_rare(sums, limits), 2].any():
            left[is_rare(sums, limits)] = larger
        code, bits = 0, np.packbits(left, bitorder="little").view(np.uint64)
    return Found(best_score, code, bool(left[column["n_bins"]]), bits, left_sums[best])


def number_cuts(sums: np.ndarray, n_bins: int) -> np.ndarray:
    """(cuts, codes) bool: the codes up to t on the left, first with missing on the right, then on the left."""
    up_to = np.arange(SLOTS) <= np.arange(n_bins)[:, None]
    if sums[n_bins, 2] == 0:
        return up_to[:-1]
    missing = np.arange(SLOTS) == n_bins
    some = np.cumsum(sums[:n_bins, 2])[:-1] > 0  # missing is never alone on the left: it has been alone on the right
    return np.concatenate((up_to & ~missing, (up_to[:-1] | missing)[some]))  # last t: all numbers from missing


def is_rare(sums: np.ndarray, limits: BoostingRules) -> np.ndarray:
    """Which codes have too few rows in a node to be told apart."""
    return sums[:, 2] < limits.category_count


def category_cuts(sums: np.ndarray, fields: Fields, limits: BoostingRules) -> np.ndarray:
    """(cuts, codes) bool: codes (missing like any) in the order of gradient / hessian, cut after each.

    Rare codes go together, and with them those without rows, as if they were one.
    """
    rare = is_rare(sums, limits)
    parts = [np.arange(SLOTS) == code for code in np.flatnonzero(~rare)]
    if sums[rare, 2].any():
        parts.append(rare)
    totals = np.array([sums[part].sum(axis=0) for part in parts]).reshape(-1, 3)
    gradient, hessian = totals[:, 0] * fields.gradient_unit, totals[:, 1] * fields.hessian_unit
    weight = hessian + limits.category_smoothing
    order = np.argsort(np.divide(gradient, weight, out=np.zeros(len(weight)), where=weight > 0), kind="stable")
    cuts = np.zeros((max(0, len(order) - 1), SLOTS), bool)
    for i in range(len(cuts)):
        for k in order[: i + 1]:
            cuts[i] |= parts[k]
    return cuts


def score_cut(
    node: Whole, left_sums: list[int], penalty: Penalty, direction: int, fields: Fields, limits: BoostingRules
) -> float:
    """What both sides score together; -inf if the limits forbid the cut."""
    left = left_sums[0] * fields.gradient_unit, left_sums[1] * fields.hessian_unit
    right = node.gradient * fields.gradient_unit - left[0], node.hessian * fields.hessian_unit - left[1]
    if min(left_sums[2], node.count - left_sums[2]) < limits.min_count or min(left[1], right[1]) < limits.min_hessian:
        return -np.inf
    if not limits.has_monotone:
        return _leaf_score(*left, *penalty) + _leaf_score(*right, *penalty)
    bounds = node.lower, node.upper
    if (_bounded_value(*right, *bounds, *penalty) - _bounded_value(*left, *bounds, *penalty)) * direction < 0.0:
        return -np.inf
    return _bounded_score(*left, *bounds, *penalty) + _bounded_score(*right, *bounds, *penalty)


@kernel
def _leaf_score(gradient, hessian, l1, l2):
    return leaf_score(gradient, hessian, Penalty(l1, l2))


@kernel
def _bounded_value(gradient, hessian, lower, upper, l1, l2):
    return clip(leaf_value(gradient, hessian, Penalty(l1, l2)), lower, upper)


@kernel
def _bounded_score(gradient, hessian, lower, upper, l1, l2):
    return bounded_score(gradient, hessian, lower, upper, Penalty(l1, l2))


def _write(split: Any, feature: int, found: Found) -> None:
    split["feature"], split["score"], split["code"] = feature, found.score, found.code
    split["missing_left"], split["bits"] = found.missing_left, found.bits
    split["gradient"], split["hessian"], split["count"] = found.sums


# --- partition ---------------------------------------------------------------------------------------------------


def goes_left(node: Any, column: Any, codes: np.ndarray) -> np.ndarray:
    """Which of some codes go left at a node."""
    if column["is_categorical"]:
        in_set = np.unpackbits(np.ascontiguousarray(node["bits"]).view(np.uint8), bitorder="little") > 0
        return in_set[codes]
    return np.where(codes == column["n_bins"], node["missing_left"] > 0, codes <= node["code"])
