"""Gaussian mixtures of a dask collection, client side: what members get, their progress.

In:  a `RemoteMatrix`, weights, initial centroids. Out: a `MixtureOutcome`, equal to that of one machine, bit for bit.
Each worker gets a range of rows, whole chunks of those that one machine would use (`mixture_member.py`). Rows with
missing values are sorted by which values are missing. The client receives the mixture of every iteration, and
restarted members continue from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from spinney.cluster.e_step import EStepSums, Gaussians, RemoteEStepRows, as_words, chunk_cuts, n_chunks_of
from spinney.cluster.mixture import MixtureOutcome, MixtureSettings, Watcher, middle_of
from spinney.distributed.dataset import Piece
from spinney.distributed.matrix import RemoteMatrix
from spinney.distributed.members import Members, Shares
from spinney.distributed.mixture_member import (
    Common,
    MixturePart,
    MixtureProgress,
    Reached,
    Start,
    find_sums,
    fit_mixture,
)
from spinney.distributed.tasks import insist, living_workers, results


class MixtureRows(RemoteEStepRows):
    """What is known here of rows that are elsewhere."""

    def __init__(self, matrix: RemoteMatrix, weight: np.ndarray | None) -> None:
        """`weight`: what each row counts in sums; None: 1."""
        self.matrix, self.weight = matrix, weight
        self.n_rows, self.n_columns = matrix.n_rows, matrix.n_columns
        self.order: np.ndarray | None = None  # which row is at each place; None: the same
        self.pattern: np.ndarray | None = None  # of each place
        self.patterns = np.ones((1, self.n_columns), np.uint8)
        self.origin = self._find_origin()
        if matrix.has_missing:
            self._sort()

    def _find_origin(self) -> np.ndarray:
        """The weighted mean of each column's known values; NaN if there are none."""
        if self.n_columns == 1:  # NumPy adds up a single column in another way
            return middle_of(self._column, self.weight)
        total = self._chain(_add_values)
        with np.errstate(invalid="ignore"):
            return total[0] / total[1]

    @cached_property
    def variances(self) -> np.ndarray:
        """As `Rows.variances`."""
        if self.n_columns == 1:
            found = np.nanvar(self._column.astype(np.float64), axis=0)
        else:
            known, total = self._chain(_add_known)
            (found,) = self._chain(_add_squares, total / known)
            found = found / known
        return np.where(found > 0, found, 1.0)

    @cached_property
    def _column(self) -> np.ndarray:
        return self.matrix.rows(0, 1)

    @property
    def total_weight(self) -> float:
        """What all rows count."""
        return float(self.n_rows) if self.weight is None else float(self.weight.sum())

    def _chain(self, add: Callable[..., Any], *args: Any) -> np.ndarray:
        """Go through the partitions one after the other, in their order: sums as of all rows in one place."""
        total: Any = None
        for k, part in enumerate(self.matrix.partitions):
            own = args
            if self.weight is not None and add is _add_values:  # sent with the task, which may have to be done again
                own = (self.weight[self.matrix.starts[k] : self.matrix.starts[k + 1]],)
            total = self.matrix.submit(add, "middle", total, part, *own)
        return self._here([total])[0]

    def _here(self, futures: list[Any]) -> list[Any]:
        return insist(lambda: results(self.matrix.client, futures))

    def _sort(self) -> None:
        """Put rows with the same values missing side by side, as `read_rows`."""
        matrix = self.matrix
        self._found = [matrix.submit(patterns_of, "patterns", one) for one in matrix.partitions]
        found = self._here(self._found)
        words, known = np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])
        _, first, number = np.unique(words, return_index=True, return_inverse=True)
        number = number.reshape(-1).astype(np.int32)
        begins = np.cumsum([0, *(len(one[0]) for one in found)])
        of_row = np.concatenate([number[a + one[2]] for a, one in zip(begins.tolist(), found)])
        self.order = np.argsort(of_row, kind="stable")
        self.pattern, self.patterns = of_row[self.order], known[first].astype(np.uint8)
        counts = np.zeros((len(found), len(first)), np.int64)  # of each partition's rows, by pattern
        for own, a, one in zip(counts, begins.tolist(), found):
            own[number[a : a + len(one[0])]] = np.bincount(one[2], minlength=len(one[0]))
        before = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0)
        places = before + np.cumsum(counts, axis=0) - counts  # where the rows of a pattern and partition begin
        self._places = [own[number[a : a + len(one[0])]] for own, a, one in zip(places, begins.tolist(), found)]

    def cut(self, n_chunks: int) -> list[Piece]:
        """A range of whole chunks for each worker that is there."""
        cuts = chunk_cuts(self.n_rows, n_chunks)
        n = min(n_chunks, len(living_workers(self.matrix.client)))
        bounds = cuts[np.arange(n + 1) * n_chunks // n]
        if self.order is None:
            return self.matrix.pieces_between(bounds)
        return [Piece(self._ordered(a, b), a, b - a, None) for a, b in pairwise(bounds.tolist())]

    def _ordered(self, begin: int, end: int) -> Any:
        """The rows at some places."""
        matrix = self.matrix
        every = zip(matrix.partitions, self._found, self._places)
        taken = [matrix.submit(_take, "take", *one, begin, end) for one in every]
        return matrix.submit(_placed, "block", matrix.dtype, end - begin, *taken)

    def sums_of_all(self, form: str) -> EStepSums:
        """Of rows that all belong to one component."""
        common = _common(self, 1, MixtureSettings(form), None, [])
        members = _members(self, common, find_sums, [], lambda: common)
        try:
            found: EStepSums = members.returned()[0][1]
        finally:
            members.close()
        return found

    def part(self, pieces: list[Piece], labels: list[np.ndarray | None]) -> MixturePart:
        """What a member is told of its pieces."""
        spans = [slice(one.begin, one.begin + one.n_rows) for one in pieces]

        def own(values: np.ndarray | None, of_rows: bool) -> Any:
            if values is None:
                return None
            places = [span if self.order is None or not of_rows else self.order[span] for span in spans]
            return np.concatenate([values[place] for place in places])

        return MixturePart(
            [one.begin for one in pieces],
            [one.n_rows for one in pieces],
            own(self.weight, True),
            own(self.pattern, False),
            own(self.order, False),
            [own(one, True) for one in labels],
        )


def run_mixture(
    rows: MixtureRows,
    n_components: int,
    settings: MixtureSettings,
    make_start: Callable[..., Gaussians],
    starts: list[Start],
    labels: list[np.ndarray | None],
    watcher_of: Callable[[int], Watcher | None],
    tell: Callable[[int, MixtureOutcome], None],
) -> MixtureOutcome:
    """As `mixture.best_em`."""
    progress = MixtureProgress([], None)
    common = _common(rows, n_components, settings, make_start, starts)
    members = _members(rows, common, fit_mixture, labels, lambda: common._replace(progress=progress))
    try:
        while len(progress.done) < len(starts):
            for news in members.take():
                progress = _after(progress, news, settings.reached, watcher_of, tell)
    finally:
        members.close()
    return max(progress.done, key=lambda one: one.log_likelihood)


def _after(
    progress: MixtureProgress,
    news: Reached | MixtureOutcome,
    begun_at: float,
    watcher_of: Callable[[int], Watcher | None],
    tell: Callable[[int, MixtureOutcome], None],
) -> MixtureProgress:
    number = len(progress.done)
    if isinstance(news, MixtureOutcome):
        tell(number, news)
        return MixtureProgress([*progress.done, news], None)
    before = progress.begun or MixtureOutcome(news.mixture, begun_at, 0, False, [], [])
    watch = watcher_of(number)
    if watch is not None:
        watch(before.n_iter + 1, news.log_likelihood, news.log_likelihood - before.log_likelihood)
    history = before.history if news.before is None else [*before.history, news.before]
    likelihoods = [*before.log_likelihoods, news.log_likelihood]
    reached = news.mixture, news.log_likelihood, before.n_iter + 1, news.has_converged, likelihoods, history
    return MixtureProgress(progress.done, MixtureOutcome(*reached))


def _common(
    rows: MixtureRows, n_components: int, settings: MixtureSettings, make_start: Any, starts: list[Start]
) -> Common:
    about = rows.origin, rows.variances, rows.total_weight, rows.n_rows, rows.patterns
    return Common(*about, n_components, settings, make_start, starts, MixtureProgress([], None))


def _members(
    rows: MixtureRows, common: Common, work: Any, labels: list[np.ndarray | None], now: Callable[[], Common]
) -> Members:
    is_full = common.settings.form in ("full", "tied")
    pieces = rows.cut(n_chunks_of(rows.n_rows, common.n_components, rows.n_columns, is_full))

    def tell(shares: Shares) -> dict[str, tuple[Common, MixturePart]]:
        told = now()
        return {worker: (told, rows.part(own, labels)) for worker, own in shares.items()}

    return Members(rows.matrix.client, work, "mixture", lambda: pieces, tell)


# --- on the workers --------------------------------------------------------------------------------------------------


def _sum_on(total: np.ndarray | None, values: np.ndarray) -> np.ndarray:
    """The sum over the rows of a matrix, added one after the other to what those before it add up to."""
    return (values if total is None else np.concatenate([total[None], values])).sum(axis=0)


def _add_values(total: Any, values: np.ndarray, weight: np.ndarray | None = None) -> Any:
    """Weighted sums of the known values, and their weights, as `mixture.middle_of`."""
    if not len(values):
        return total
    known, weight = ~np.isnan(values), np.ones(len(values)) if weight is None else weight
    sums = None if total is None else total[0], None if total is None else total[1]
    weighted = np.where(known, values, 0.0) * weight[:, None]
    return np.stack([_sum_on(sums[0], weighted), _sum_on(sums[1], known * weight[:, None])])


def _add_known(total: Any, values: np.ndarray) -> Any:
    """How many values are known, and their sums, as `numpy.nanvar`."""
    if not len(values):
        return total
    values = values.astype(np.float64)
    known = ~np.isnan(values)
    before = (None, None) if total is None else total
    sums = _sum_on(before[1], np.where(known, values, 0.0))
    return np.stack([_sum_on(before[0], known.astype(np.float64)), sums])


def _add_squares(total: Any, values: np.ndarray, mean: np.ndarray) -> Any:
    """The sums of their squares about the mean."""
    if not len(values):
        return total
    values = values.astype(np.float64)
    gaps = np.where(np.isnan(values), 0.0, values - mean)
    return _sum_on(None if total is None else total[0], gaps * gaps)[None]


def patterns_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The patterns of known columns: a word for each, what is known, and which one each row has."""
    known = ~np.isnan(values)
    words, first, number = np.unique(as_words(known), return_index=True, return_inverse=True)
    return words, known[first], number.reshape(-1).astype(np.int32)


def _take(
    values: np.ndarray, found: tuple[np.ndarray, np.ndarray, np.ndarray], first: np.ndarray, begin: int, end: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a partition whose places are from begin to end, and these; `first`: of each pattern's rows."""
    number = found[2]
    order = np.argsort(number, kind="stable")
    reached = np.cumsum(np.bincount(number, minlength=len(first)))
    ahead = np.arange(len(number)) - (reached - np.diff(reached, prepend=0))[number[order]]
    places = np.empty(len(number), np.int64)
    places[order] = first[number[order]] + ahead
    here = np.flatnonzero((begin <= places) & (places < end))
    return values[here], places[here] - begin


def _placed(dtype: np.dtype, n_rows: int, *parts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Rows in the order of their places."""
    out = np.empty((n_rows, parts[0][0].shape[1]), dtype)
    for values, places in parts:
        out[places] = values
    return out
