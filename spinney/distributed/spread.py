"""Which rows of a table are whose: blocks of whole chunks, each with one member of a fit.

In:  the blocks of this member, the others. Out: numbers of one row, chunk or block brought together in the order of the
whole table, so that what is added up there is added up as on one machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Spread:
    """The blocks of all members, in the order of the table."""

    def __init__(self, group: Any, begins: list[int], sizes: list[int]) -> None:
        """`begins`: the number of each own block's first row in the whole table; `sizes`: its rows."""
        self.group = group
        own = np.array([begins, sizes], np.int64)
        every = [one.reshape(2, -1) for one in group.gather(own.reshape(-1))]
        begin, size = np.concatenate(every, axis=1)
        rank = np.repeat(np.arange(len(every)), [one.shape[1] for one in every])
        order = np.argsort(begin, kind="stable")
        self.begin, self.size, self.rank = begin[order], size[order], rank[order]
        self.mine = np.flatnonzero(self.rank == group.rank)  # own blocks among all
        self.place = np.concatenate([[0], np.cumsum(self.size[self.mine])])  # where own blocks begin here

    @property
    def n_blocks(self) -> int:
        """Of all members."""
        return len(self.begin)

    def number(self, place: int) -> int:
        """Which row of the table is at a place here."""
        block = int(np.searchsorted(self.place, place, side="right")) - 1
        return int(self.begin[self.mine[block]]) + place - int(self.place[block])

    def places(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of some rows of the table are here, and at which places."""
        block = np.searchsorted(self.begin, rows, side="right") - 1
        here = np.flatnonzero(self.rank[block] == self.group.rank)
        own = np.searchsorted(self.mine, block[here])
        return here, self.place[own] + rows[here] - self.begin[block[here]]

    def rows_at(self, rows: np.ndarray, points: Any) -> np.ndarray:
        """The values of some rows of the table, at every member."""
        here, places = self.places(np.asarray(rows, np.int64))
        bits = np.zeros((len(rows), points.n_columns), np.int64)
        kind = np.int32 if points.dtype == np.float32 else np.int64
        if len(here):
            bits[here] = np.ascontiguousarray(points.rows_at(places)).view(kind)
        return self.group.sum(bits).astype(kind).view(points.dtype)

    def of_blocks(self, own: np.ndarray) -> np.ndarray:
        """Integers (n, own blocks) -> (n, all blocks), at every member."""
        every = np.zeros((len(own), self.n_blocks), np.int64)
        every[:, self.mine] = own
        return self.group.sum(every)

    def chunks_of(self, rows_each: int) -> list[int]:
        """How many chunks of so many rows each block has."""
        return (-(-self.size // rows_each)).tolist()

    def in_order(self, own: np.ndarray, n_each: list[int]) -> np.ndarray:
        """One number per chunk, of own blocks one after the other -> those of all blocks, which have so many chunks."""
        every, at = self.group.gather(own), [0] * self.group.size
        found = []
        for rank, n in zip(self.rank.tolist(), n_each):
            found.append(every[rank][at[rank] : at[rank] + n])
            at[rank] += n
        return np.concatenate(found)

    def add_in_order(self, own: np.ndarray, n_each: list[int]) -> np.ndarray:
        """The sum of real numbers over all members' chunks (first axis), one after the other from the first on."""
        total, at = np.zeros(own.shape[1:]), 0
        for block, (rank, n) in enumerate(zip(self.rank.tolist(), n_each)):
            if rank == self.group.rank:
                for part in own[at : at + n]:
                    total = total + part
                at += n
            if block == self.n_blocks - 1 or self.rank[block + 1] != rank:  # hand it on
                bits = np.ascontiguousarray(total).view(np.int64)
                total = self.group.sum(bits if rank == self.group.rank else np.zeros_like(bits)).view(np.float64)
        return total
