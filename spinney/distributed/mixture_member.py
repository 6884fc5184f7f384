"""Gaussian mixtures as one member of the fit runs them: the ordinary loop, on the rows that its worker has.

In:  what the client says, the blocks of this worker. Out: iterations and runs, the same at every member, which the
first one leaves for the client.

A pass over the rows adds up real numbers, chunk by chunk, and chunks in their order: members have whole chunks, and
hand the sum on from one to the next. Everything that follows from the sums every member finds by itself.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spinney._random import draw_rows_of_uniforms
from spinney._team import Team
from spinney.cluster import mixture
from spinney.cluster.e_step import EStepRows, EStepSums, Gaussians, chunk_cuts
from spinney.cluster.mixture import MixtureOutcome, MixtureSettings, in_shares, run_em, shares_from_labels, sums_of_all
from spinney.data.weights import Weights
from spinney.distributed.group import Group
from spinney.distributed.spread import Spread


class Start(NamedTuple):
    """Where a run starts: at a mixture, at random shares by a key, or (neither) at labels that members are told."""

    mixture: Gaussians | None = None
    key: int | None = None


class Reached(NamedTuple):
    """An iteration is over."""

    mixture: Gaussians
    log_likelihood: float
    has_converged: bool
    before: mixture.MixtureStep | None  # with keep_history


class MixtureProgress(NamedTuple):
    """How far a fit is: runs that are over, and where the present one is."""

    done: list[MixtureOutcome]
    begun: MixtureOutcome | None


class Common(NamedTuple):
    """What all members are told alike."""

    origin: np.ndarray
    variances: np.ndarray
    total_weight: float
    n_rows: int
    patterns: np.ndarray  # as in `EStepRows`
    n_components: int
    settings: MixtureSettings
    make_start: Callable[..., Gaussians] | None  # called with (rows, weights, settings, number of the start, team)
    starts: list[Start]
    progress: MixtureProgress


class MixturePart(NamedTuple):
    """What one member is told of its rows, which lie in the order of what is missing."""

    begins: list[int]  # place of each block's first row among all rows
    sizes: list[int]
    weight: np.ndarray | None
    pattern: np.ndarray | None  # None: all alike
    numbers: np.ndarray | None  # of the rows in the table; None: their places
    labels: list[np.ndarray | None]  # one for each start


@dataclass(frozen=True)
class MemberRows(EStepRows):
    """The rows of a member; what is asked of all rows is told, or found together."""

    spread: Spread
    common: Common
    part: MixturePart

    @property
    def total_weight(self) -> float:
        """Of all members' rows."""
        return self.common.total_weight

    @property
    def n_rows(self) -> int:
        """Of all members."""
        return self.common.n_rows

    @property
    def variances(self) -> np.ndarray:
        """Of all members' rows."""
        return self.common.variances

    def cuts(self, n_chunks: int) -> np.ndarray:
        """Of the chunks here."""
        cuts, found = chunk_cuts(self.n_rows, n_chunks), [np.zeros(1, np.int64)]
        for place, begin, size in zip(self.spread.place, self.part.begins, self.part.sizes):
            found.append(cuts[(cuts > begin) & (cuts <= begin + size)] - begin + place)
        return np.concatenate(found)

    def add_up(self, sums: np.ndarray, likelihoods: np.ndarray, n_chunks: int) -> tuple[np.ndarray, float]:
        """Those of all members, handed on in the order of the chunks."""
        cuts, spread = chunk_cuts(self.n_rows, n_chunks), self.spread
        n_each = np.searchsorted(cuts, spread.begin + spread.size) - np.searchsorted(cuts, spread.begin)
        total = spread.add_in_order(np.column_stack([sums, likelihoods]), n_each.tolist())
        return total[:-1], float(total[-1])

    def given_shares(self, start: int) -> np.ndarray:
        """By labels, or by chance."""
        labels, key = self.part.labels[start], self.common.starts[start].key
        if labels is not None:
            return shares_from_labels(labels, self.common.n_components)
        numbers = self.part.numbers
        if numbers is None:
            numbers = np.concatenate([np.arange(a, a + n) for a, n in zip(self.part.begins, self.part.sizes)])
        drawn = np.empty((len(self.values), self.common.n_components))
        draw_rows_of_uniforms(np.uint64(key or 0), numbers, drawn)
        return in_shares(drawn)


def _read(group: Group, told: tuple[Common, MixturePart], blocks: list[np.ndarray]) -> MemberRows:
    common, part = told
    values = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    values = np.require(values, np.float64, ["C", "W"])
    n = len(values)
    pattern = np.zeros(n, np.int32) if part.pattern is None else part.pattern
    weight = np.zeros(0) if part.weight is None else part.weight
    spread = Spread(group, part.begins, part.sizes)
    return MemberRows(values, np.arange(n), pattern, common.patterns, weight, common.origin, spread, common, part)


def find_sums(group: Group, team: Team, told: tuple[Common, MixturePart], blocks: list[np.ndarray]) -> EStepSums:
    """Of all rows as one component."""
    return sums_of_all(_read(group, told, blocks), told[0].settings.form, team)


def fit_mixture(group: Group, team: Team, told: tuple[Common, MixturePart], blocks: list[np.ndarray]) -> None:
    """All runs."""
    common, rows = told[0], _read(group, told, blocks)
    begun = common.progress.begun
    for number in range(len(common.progress.done), len(common.starts)):
        start: Any = common.starts[number].mixture
        if begun is not None:
            start = begun.mixture
        elif start is None:
            assert common.make_start is not None
            start = common.make_start(rows, Weights(None, None), common.settings, number, team)
        found = run_em(rows, start, common.settings, team, None, begun, lambda reached: _tell(group, reached))
        begun = None
        if group.rank == 0:
            group.tell(pickle.dumps(found._replace(mixture=replace(found.mixture))))


def _tell(group: Group, reached: MixtureOutcome) -> None:
    if group.rank == 0:
        before = reached.history[-1] if reached.history else None
        light = replace(reached.mixture)  # without what was found of it on the way
        group.tell(pickle.dumps(Reached(light, reached.log_likelihood, reached.has_converged, before)))
