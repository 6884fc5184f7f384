"""Bootstrap samples: rows sampled with replacement by weight, without replacement, or in disjoint parts.

In:  the rows' weights and a key. Out: row numbers, or how often each row is in the sample.
A draw is a hash of (seed, round, number of the draw). It picks from the rows in an order that is determined by row
contents. So the same rows are sampled on any machine and in any order of the table, and a row of weight 2 is sampled
like two equal rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._packed_arrays import Packed, pack, unpack
from spinney._random import ROWS, draw_uniforms, mix, stream_key, uniform
from spinney.criteria.weighted_sampling import draw_times
from spinney.data.weights import are_repeats

_TRIES = 16  # draws for each row that is wanted


def draw_rows(order: np.ndarray, weights: np.ndarray, n_draws: int, seed: int, round_number: int) -> np.ndarray:
    """Draw row numbers with replacement, in the order of `order`.

    >>> draw_rows(np.arange(3), np.array([0.0, 1.0, 0.0]), 4, seed=0, round_number=0).tolist()
    [1, 1, 1, 1]
    """
    rows = order[weights[order] > 0]
    shares = np.cumsum(weights[rows])
    draws = np.empty(n_draws)
    draw_uniforms(np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number))), draws)
    places = np.searchsorted(shares, np.sort(draws) * shares[-1], side="right")
    return rows[np.minimum(places, len(rows) - 1)]


def count_draws(
    order: np.ndarray, weights: np.ndarray | None, n_draws: int, seed: int, round_number: int
) -> np.ndarray:
    """How often each row is in a sample with replacement, int64. Rows of equal weight need no search.

    >>> int(count_draws(np.arange(3), None, 6, seed=0, round_number=0).sum())
    6
    """
    if weights is not None:
        rows = draw_rows(order, weights, n_draws, seed, round_number)
        return np.bincount(rows, minlength=len(weights))
    counts = np.zeros(len(order), np.int64)
    _count_uniform(np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number))), order, n_draws, counts)
    return counts


@kernel
def _count_uniform(key, order, n_draws, counts):
    for i in range(n_draws):
        counts[order[min(np.int64(uniform(key, i) * order.size), order.size - 1)]] += 1


def choose_rows(
    order: np.ndarray, n_draws: int, seed: int, round_number: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Row numbers, ascending, sampled without replacement (pasting), by weight if positive weights are given.

    >>> choose_rows(np.arange(3), 3, seed=0, round_number=0).tolist()
    [0, 1, 2]
    """
    return np.sort(_shuffle(order, seed, round_number, weights)[:n_draws])


def _shuffle(order: np.ndarray, seed: int, round_number: int, weights: np.ndarray | None = None) -> np.ndarray:
    """The rows in random order: each place goes to one of the remaining rows, by weight."""
    key = np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number)))
    if weights is None:
        keys = np.empty(len(order), np.uint64)
        fill_keys(key, keys)
        return order[np.argsort(keys, kind="stable")]
    times = np.empty(len(order))
    draw_times(key, weights[order], times)
    return order[np.argsort(times, kind="stable")]


@kernel
def fill_keys(key, keys):
    for i in range(keys.size):
        keys[i] = mix(key, i)


class Bags(NamedTuple):
    """The rows of each member of an ensemble: what is needed to sample them again."""

    order: np.ndarray  # int64: row numbers in an order determined by row contents
    weights: np.ndarray | None  # sampling weights of the rows; None: equal
    n_draws: int
    replace: bool  # False: no row twice, except those of integer weight, which are that many rows
    seed: int
    n_parts: int = 0  # positive: the rows are split into this many parts, one per member
    shift: int = 0  # of the members' numbers, where ensembles have been merged

    def __reduce__(self) -> Any:
        return _unpack_bags, (pack({"order": self.order}), tuple(self[1:]))

    def counts(self, number: int) -> np.ndarray:
        """How often each row is in the sample of the member of this number, int64."""
        number -= self.shift
        if self.replace:
            return count_draws(self.order, self.weights, self.n_draws, self.seed, number)
        rows, chances = self.stock()
        if self.n_parts:
            drawn = _shuffle(rows, self.seed, 0)[number :: self.n_parts]
        else:
            drawn = choose_rows(rows, self.n_draws, self.seed, number, chances)
        return np.bincount(drawn, minlength=len(self.order))

    def stock(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows to sample from without replacement, those of integer weight repeated, and their weights if any."""
        if self.weights is None:
            return self.order, None
        rows = self.order[self.weights[self.order] > 0]
        if are_repeats(self.weights):
            return np.repeat(rows, self.weights[rows].astype(np.int64)), None
        return rows, self.weights


def _unpack_bags(packed: Packed, others: tuple[Any, ...]) -> Bags:
    return Bags(**unpack(packed), **dict(zip(Bags._fields[1:], others)))


class FewDraws:
    """Draws a few of many rows, one tree after the other, without a look at those that are not drawn.

    As likely as the draws of `Bags`, and, like them, the same in any order of the table; but other rows.
    """

    def __init__(self, bags: Bags) -> None:
        self._bags = bags
        self._rows, self._chances = bags.stock()
        self._ends = np.empty(0) if self._chances is None else np.cumsum(self._chances[self._rows])

    def rows(self, number: int) -> np.ndarray:
        """The rows of the tree of this number, repeated as often as they were sampled, in any order."""
        n_draws, seed, n = self._bags.n_draws, self._bags.seed, len(self._rows)
        key = np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(number)))
        places = np.empty(n_draws, np.int64)
        if self._bags.replace:
            _draw_places(key, self._ends, n, np.empty(0, np.bool_), places)
            return self._rows[places]
        is_easy = 2 * n_draws <= n  # else most draws may hit rows that are taken
        if is_easy and _draw_places(key, self._ends, n, np.zeros(n, np.bool_), places) == n_draws:
            return self._rows[places]
        return choose_rows(self._rows, n_draws, seed, number, self._chances)


@kernel
def _draw_places(key, ends, n, is_taken, places):
    """Draw places below n, by the chances that add up to `ends` if there are any; those that are taken are drawn again.

    Returns how many were found: fewer only if a few places have nearly all chances.
    """
    found = 0
    for i in range(_TRIES * places.size):
        if found == places.size:
            break
        chance = uniform(key, i)
        place = np.int64(chance * n) if ends.size == 0 else np.searchsorted(ends, chance * ends[-1], side="right")
        place = min(place, n - 1)
        if is_taken.size == 0 or not is_taken[place]:
            places[found] = place
            found += 1
            if is_taken.size > 0:
                is_taken[place] = True
    return found


class PooledBags(NamedTuple):
    """The same for forests that have been merged: those of each, one after the other."""

    first: tuple[int, ...]  # the number of the first tree of each
    bags: tuple[Bags | None, ...]  # None: each of its trees was grown on all rows
    n_rows: tuple[int, ...]
    seeds: tuple[int, ...]  # of the first tree of each

    def place(self, number: int) -> int:
        """Which of the merged forests the tree of this number is from."""
        return int(np.searchsorted(self.first, number, side="right")) - 1

    def counts(self, number: int) -> np.ndarray:
        """How often each row of its own table is in the sample of the tree of this number, int64."""
        at = self.place(number)
        bags = self.bags[at]
        return np.ones(self.n_rows[at], np.int64) if bags is None else bags.counts(number)

    @property
    def share_rows(self) -> bool:
        """Whether all forests sampled from the same rows in the same order."""
        known = [one.order for one in self.bags if one is not None]
        return len(known) == len(self.bags) and all(np.array_equal(one, known[0]) for one in known)


def pool_bags(parts: Sequence[tuple[int, Bags | PooledBags | None, int, int]]) -> PooledBags:
    """From (trees, bags, rows, seed) of each forest."""
    first, found = 0, []
    for n_trees, bags, n_rows, seed in parts:
        if isinstance(bags, PooledBags):
            for begin, one, *others in zip(*bags):
                found.append((first + begin, _shifted(one, first), *others))
        else:
            found.append((first, _shifted(bags, first), n_rows, seed))
        first += n_trees
    return PooledBags(*zip(*found))


def _shifted(bags: Bags | None, by: int) -> Bags | None:
    return None if bags is None else bags._replace(shift=bags.shift + by)
