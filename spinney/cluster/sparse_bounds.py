"""Sparse bounds: which sparse rows cannot have moved since they were looked at last; labels are the same without.

When a row is looked at, its *lead* is kept: by how much its centre's score is below all others, less what rounding can
make of the scores. When a centre c moves to c', a row's score for it changes by no more than

    |c' - c| (|x| + |c + c'| / 2)

and what rounding can make of it by a small share of that. While the lead is larger than what the row's centre and any
other can have changed, all in all, the row is passed over. As in `bounds.py`, leads are kept as they would have been at
the start, so that a row that is passed over is not written either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney._team import Team
from spinney.cluster.sparse_points import SparsePoints, squared_lengths

_OUTWARD = 1.0 + 2.0**-20  # drifts are rounded up by more than their arithmetic can be off
_TINY = 2.0**-100  # what numbers that are too small for float32 may add
_LOOSE = 2.0**-40  # share of a lead that its own arithmetic can be off


class Leads(NamedTuple):
    """What kernels know of rows and centres before a pass."""

    lead: np.ndarray  # float64 (rows,), or empty: none are kept  # in and out
    length: np.ndarray  # float64 (rows,), at least that of the stored cells
    drift: np.ndarray  # float64 (2, centres + 1): by row length and besides; the largest last
    are_known: bool


class SparseBounds:
    """Leads of all rows, for one run of k-means."""

    def __init__(self, points: SparsePoints, n_centres: int, team: Team) -> None:
        self.length = np.sqrt(squared_lengths(points, team)) * _OUTWARD
        self.lead = np.zeros(points.n_rows)
        self.drift = np.zeros((2, n_centres + 1))
        self.of_zeros = float(np.sqrt(np.sum(np.square(points.zeros, dtype=np.float64)))) * _OUTWARD
        self.factor = (1.0 + points.rounding_share) * _OUTWARD
        self.are_known = False

    def add_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """The centres have moved."""
        old, new = before.astype(np.float64, copy=False), after.astype(np.float64, copy=False)
        moved = np.sqrt(np.sum((new - old) ** 2, axis=1)) * _OUTWARD
        sizes = np.sqrt(np.sum(old * old, axis=1)) + np.sqrt(np.sum(new * new, axis=1))
        steps = self.factor * np.array([moved, moved * (0.5 * sizes + 2.0 * self.of_zeros + _TINY)])
        self.drift[:, :-1] += steps
        self.drift[:, -1] += steps.max(axis=1)

    def known(self) -> Leads:
        """What kernels need to know."""
        return Leads(self.lead, self.length, self.drift, self.are_known)


def no_bounds() -> Leads:
    """No leads are kept."""
    return Leads(np.zeros(0), np.zeros(0), np.zeros((2, 1)), False)


@inner_kernel
def _drifted(place, label, leads):
    """By how much a row's lead can have shrunk since the start."""
    drift, last = leads.drift, leads.drift.shape[1] - 1
    return leads.length[place] * (drift[0, label] + drift[0, last]) + (drift[1, label] + drift[1, last])


@inner_kernel
def is_settled(place, label, leads):
    """Whether a row is certain to have kept its label."""
    lead = leads.lead[place]
    return lead - _drifted(place, label, leads) > _LOOSE * lead


@inner_kernel
def keep_lead(place, label, lead, leads):
    """Keep what was found."""
    if leads.lead.size > 0:
        leads.lead[place] = lead + _drifted(place, label, leads) if lead > 0.0 else 0.0
