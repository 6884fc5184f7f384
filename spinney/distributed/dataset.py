"""`DaskDataset`: the partitions of a dask collection as codes on the workers, in place of a `Dataset`.

In:  futures of the partitions' codes. Out: which worker gets which partitions, the codes of some rows, and the rounds
of boosting. The futures keep the codes on the workers; Dask computes them again if a worker is lost.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.dataset import WordLayout, make_layout
from spinney.data.encode import Bins
from spinney.data.remote_table import RemoteCodes, RemoteDataset
from spinney.distributed import parts
from spinney.distributed.tasks import run_all, talk

if TYPE_CHECKING:
    from spinney.ensemble.boosting.rounds import Rounds

_FULL = 1.1  # times its share of the rows: no further partition goes to a worker that has so many


class Piece(NamedTuple):
    """A partition as a member of the fit gets it."""

    data: Any  # future: of codes, or of a matrix of numbers
    begin: int  # number of its first row among the rows of the fit
    n_rows: int  # that take part
    rows: np.ndarray | None  # which of the partition's; None: all


class DaskDataset(RemoteDataset):
    """Rows as codes, with the workers of a cluster."""

    def __init__(
        self, client: Any, partitions: list[Any], starts: np.ndarray, bins: Bins, layout: WordLayout, rows: Any = None
    ) -> None:
        self.client, self.partitions, self.starts, self.bins, self.layout = client, partitions, starts, bins, layout
        self.rows: np.ndarray | None = rows  # ascending; None: all
        self.n_rows, self.n_columns = int(starts[-1]) if rows is None else len(rows), bins.n_columns

    @property
    def codes(self) -> DaskCodes:  # type: ignore[override]
        """Not kept: two that know each other would keep the data on the workers until Python looks for cycles."""
        return DaskCodes(self)

    def take(self, rows: np.ndarray) -> DaskDataset:
        some = rows if self.rows is None else self.rows[rows]
        return DaskDataset(self.client, self.partitions, self.starts, self.bins, self.layout, some)

    def row_keys(self, team: Team) -> np.ndarray:
        found = run_all(self.client, parts.keys_of_rows, [(one, self.bins) for one in self.partitions], "keys")
        keys = np.concatenate(found)
        return keys if self.rows is None else keys[self.rows]

    def open_rounds(
        self, task: Any, settings: Any, team: Team, begun: Any = None, grow: Any = None, offset: Any = None
    ) -> Rounds:
        from spinney.distributed.driver import RemoteRounds

        return RemoteRounds(self, task, settings, team, begun, grow, offset)

    def pieces(self) -> list[Piece]:
        """The partitions that have rows of this dataset."""
        found, begin = [], 0
        for k, codes in enumerate(self.partitions):
            first, last = int(self.starts[k]), int(self.starts[k + 1])
            rows = None
            if self.rows is not None:
                own = self.rows[np.searchsorted(self.rows, first) : np.searchsorted(self.rows, last)] - first
                rows = None if len(own) == last - first else own
            n = last - first if rows is None else len(rows)
            if n:
                found.append(Piece(codes, begin, n, rows))
            begin += n
        return found


class DaskCodes(RemoteCodes):
    """The codes of a remote dataset, for rows that are judged by here."""

    def __init__(self, dataset: DaskDataset) -> None:
        self.dataset = dataset

    def take(self, rows: np.ndarray) -> np.ndarray:
        some = self.dataset.take(np.sort(rows))
        every = [(one.data, np.arange(one.n_rows) if one.rows is None else one.rows) for one in some.pieces()]
        codes = np.concatenate(run_all(self.dataset.client, parts.take_codes, every, "held-out"), axis=1)
        order = np.argsort(rows, kind="stable")
        if (order == np.arange(len(rows))).all():
            return codes
        out = np.empty_like(codes)
        out[:, order] = codes
        return out

    def all(self) -> np.ndarray:
        return self.take(np.arange(self.dataset.n_rows))


def open_remote_dataset(client: Any, partitions: list[Any], starts: np.ndarray, bins: Bins) -> DaskDataset:
    """Futures of codes as a dataset; waits for them."""
    found = run_all(client, parts.find_missing, [(one, bins.n_bins) for one in partitions], "missing")
    return DaskDataset(client, partitions, starts, bins, make_layout(bins, np.any(found, axis=0)))


def share_out(client: Any, pieces: list[Piece], workers: list[str], few: int = 0) -> dict[str, list[Piece]]:
    """Which worker gets which pieces: those it has, as long as no worker has much more than its share.

    Up to `few` rows all go to the worker that has most of them.
    """
    holders = talk(client, lambda: client.who_has([one.data for one in pieces]))
    if sum(one.n_rows for one in pieces) <= few:
        held: Counter[str] = Counter()
        for one in pieces:
            held.update(dict.fromkeys(holders.get(one.data.key, ()), one.n_rows))
        workers = [max(workers, key=held.__getitem__)]
    room = _FULL * sum(one.n_rows for one in pieces) / len(workers)
    shares: dict[str, list[Piece]] = {worker: [] for worker in workers}
    load = dict.fromkeys(workers, 0)
    waiting = []
    for one in sorted(pieces, key=lambda piece: -piece.n_rows):
        homes = [worker for worker in holders.get(one.data.key, ()) if worker in load]
        home = min(homes, key=load.__getitem__, default=None)
        if home is None or (load[home] and load[home] + one.n_rows > room):
            waiting.append(one)
        else:
            shares[home].append(one)
            load[home] += one.n_rows
    for one in waiting:
        home = min(workers, key=load.__getitem__)
        shares[home].append(one)
        load[home] += one.n_rows
    return {worker: sorted(own, key=lambda piece: piece.begin) for worker, own in shares.items() if own}
