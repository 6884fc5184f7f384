"""Every split that is tried, as a threshold on an ordered column.

In: the codes of a table and a target. Out: `Ordered` columns, whose codes up to a threshold go left. A column of the
table becomes one or more of them:

    numbers            one, in the order of its bins
    categories         in the order of the mean target or the rate of the second class; with more classes, one order per
                       class; one against the rest, if there are few; and any set that a greedy tree has used
    missing values     each of these twice: missing values with the last code and with the first

So missing values are tried on both sides of every threshold, and on a side of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.data.encode import Bins
from spinney.data.target import Target

FEW = 16  # categories of which each is tried against the rest


class Ordered(NamedTuple):
    codes: np.ndarray  # uint8 (ordered columns, rows)
    n_codes: np.ndarray  # int64
    column: np.ndarray  # int64: of the table
    missing_left: np.ndarray  # bool: missing values have the first code
    places: list[np.ndarray | None]  # categories: where each code stands; -1: no row has it. None: numbers


def order_columns(codes: np.ndarray, bins: Bins, target: Target, sets: list[tuple[int, np.ndarray]]) -> Ordered:
    """Order the columns; `sets` are (column, which codes go left) of greedy trees."""
    found: list[tuple[int, bool, np.ndarray | None, np.ndarray, int]] = []
    for j in range(bins.n_columns):
        own, n_bins = codes[j], int(bins.n_bins[j])
        is_missing = own == n_bins
        some_missing = bool(is_missing.any())
        orders = _orders(own, n_bins, target, [one for k, one in sets if k == j]) if bins.is_categorical[j] else [None]
        for order in orders:
            known = own if order is None else np.append(order, 0)[own].astype(np.uint8)
            n = n_bins if order is None else int(order.max()) + 1
            if not some_missing:
                if n > 1:
                    found.append((j, False, order, known, n))
                continue
            found.append((j, False, order, np.where(is_missing, n, known).astype(np.uint8), n + 1))
            if n > 1:
                found.append((j, True, order, np.where(is_missing, 0, known).astype(np.uint8), n))
    return Ordered(
        np.array([one[3] for one in found], np.uint8).reshape(len(found), codes.shape[1]),
        np.array([one[4] for one in found], np.int64),
        np.array([one[0] for one in found], np.int64),
        np.array([one[1] for one in found], bool),
        [one[2] for one in found],
    )


def _orders(codes: np.ndarray, n_bins: int, target: Target, sets: list[np.ndarray]) -> list[np.ndarray]:
    """Orders of a column's categories: the place of each code."""
    rates, weight = _rates(codes, n_bins, target)
    there = np.flatnonzero(weight > 0)
    if len(there) == 0:
        return [np.full(n_bins, -1)]
    orders: list[np.ndarray] = []
    tried: set[bytes] = set()

    def keep(place_of_there: np.ndarray) -> None:
        """Add an order, unless all its thresholds have been tried."""
        thresholds = [place_of_there <= at for at in range(int(place_of_there.max()))]
        names = {(one ^ one[0]).tobytes() for one in thresholds}
        if names - tried:
            tried.update(names)
            place = np.full(n_bins, -1)
            place[there] = place_of_there
            orders.append(place)

    for rate in rates:
        keep(np.argsort(np.argsort(rate[there], kind="stable"), kind="stable"))
    if len(there) <= FEW:
        for k in range(len(there)):
            keep((np.arange(len(there)) != k).astype(np.int64))
    for one in sets:
        inside = one[there]
        if inside.any() and not inside.all():
            keep((~inside).astype(np.int64))
    return orders or [np.where(weight > 0, 0, -1)]


def _rates(codes: np.ndarray, n_bins: int, target: Target) -> tuple[list[np.ndarray], np.ndarray]:
    """(means of the target by code, or the rate of each class, in which to order them; weight of each code)."""
    known = codes < n_bins
    weights = target.weights.total()
    each = np.ones(len(codes)) if weights is None else weights
    weight = np.bincount(codes[known], each[known], n_bins)
    if target.labels is None or target.n_classes is None:
        assert target.y is not None
        amounts = [target.y[0] * each]
    else:
        classes = [1] if target.n_classes[0] <= 2 else range(target.n_classes[0])
        amounts = [(target.labels[0] == k) * each for k in classes]
    safe = np.where(weight > 0, weight, 1.0)
    return [np.bincount(codes[known], one[known], n_bins) / safe for one in amounts], weight
