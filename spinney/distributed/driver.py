"""Boosting on a cluster, client side: starts one member per worker, receives their trees, restarts them.

In:  a `DaskDataset`, a task, settings. Out: `RemoteRounds`, in place of `Rounds`: `step` is a round. All that watches
rounds stays in the client: evaluation sets, early stopping, callbacks, the progress bar. Members may be some rounds
ahead of it; rounds that they computed after the end of the fit are dropped.

After every round the client has all trees so far. If a worker is lost, Dask computes its partitions again on others.
The members restart with the trees so far and recompute their scores, with the same bits.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.data.weights import Weights
from spinney.distributed.dataset import DaskDataset, Piece
from spinney.distributed.member import Common, MemberPart, boost
from spinney.distributed.members import Members, Shares
from spinney.distributed.quantiles import total_scale
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.gradients import is_builtin
from spinney.ensemble.boosting.leaf_refit import weight_scale
from spinney.ensemble.boosting.rounds import Rounds
from spinney.ensemble.boosting.start import in_units, start_values
from spinney.grow.boosting.freeze import freeze
from spinney.tree.forest import Forest

_FEW_ROWS, _FEW_CELLS = 2**17, 2**27  # of a table that one worker boosts in less time than several need to wait


class RemoteRounds(Rounds):
    """The rounds of a fit whose rows are on a cluster."""

    is_remote = True

    def __init__(
        self,
        dataset: DaskDataset,
        task: Task,
        settings: BoostingSettings,
        team: Team,
        begun: Booster | None = None,
        grow: Any = None,
        offset: np.ndarray | None = None,
    ) -> None:
        self.dataset, self.task, self.settings, self.team, self.offset = dataset, task, settings, team, offset
        self.loss = task.loss
        self.y, self.weights, self.units = in_units(task)
        self.begun = begun or Booster.of_no_rounds(start_values(task), dataset.bins, dataset.n_columns)
        self.grown: list[Forest] = []
        self._loose: list[Any] = []
        self._freeze = partial(freeze, bins=dataset.bins)
        self._waiting: deque[tuple[list[Any], Any]] = deque()
        self._means = (float("nan"),) * 3
        few = min(_FEW_ROWS, _FEW_CELLS // max(1, dataset.n_columns))
        self._members = Members(dataset.client, boost, "boost", dataset.pieces, self._tell, few)

    def step(self) -> list[Any]:
        """The trees of one more round."""
        while not self._waiting:
            self._waiting.extend(self._members.take())
        new, self._means = self._waiting.popleft()
        self._loose.extend(new)
        return new

    def mean_losses(self) -> tuple[float, float, float]:
        return self._means  # type: ignore[return-value]

    def close(self) -> None:
        """End the members' tasks, and leave nothing on the workers."""
        self._members.close()

    def _tell(self, shares: Shares) -> dict[str, tuple[Common, MemberPart]]:
        common = self._common()
        return {worker: (common, self._part(pieces)) for worker, pieces in shares.items()}

    def _common(self) -> Common:
        task, counts = self.task, self.task.weights.counts
        return Common(
            bins=self.dataset.bins,
            layout=self.dataset.layout,
            settings=self.settings,
            loss=self.loss if is_builtin(self.loss) else self.loss.origin,
            n_classes=task.target.n_classes,
            units=self.units,
            begun=self.booster(),
            n_rows=self.dataset.n_rows,
            total_count=self.dataset.n_rows if counts is None else int(counts.sum()),
            most_repeats=1 if counts is None else int(counts.max()),
            all_count=counts is None or bool(counts.all()),
            weight_scale=weight_scale(self.weights),
            total_scale=total_scale(self.weights),
            tells_losses=task.has_value,
        )

    def _part(self, pieces: list[Piece]) -> MemberPart:
        """What a member is told of the rows of some pieces."""
        spans = [slice(one.begin, one.begin + one.n_rows) for one in pieces]

        def own(values: np.ndarray | None) -> Any:
            return None if values is None else np.concatenate([values[..., span] for span in spans], axis=-1)

        weights: Weights = self.weights
        return MemberPart(
            rows=[one.rows for one in pieces],
            n_rows=[one.n_rows for one in pieces],
            first=[one.begin for one in pieces],
            y=own(self.task.y),
            counts=own(weights.counts),
            importance=own(weights.importance),
            offset=own(self.offset),
        )
