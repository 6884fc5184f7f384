"""Boosting on a cluster, client side: starts one member per worker, receives their trees, restarts them.

In:  a `DaskDataset`, a task, settings. Out: `RemoteRounds`, in place of `Rounds`: `step` is a round. All that watches
rounds stays in the client: evaluation sets, early stopping, callbacks, the progress bar. Members may be some rounds
ahead of it; rounds that they computed after the end of the fit are dropped.

After every round the client has all trees so far. If a worker is lost, Dask computes its partitions again on others.
The members restart with the trees so far and recompute their scores, with the same bits.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from spinney._team import Team
from spinney.criteria.losses import is_builtin
from spinney.data.weights import Weights
from spinney.distributed.dataset import DaskDataset, Piece, share_out
from spinney.distributed.group import FAREWELL, Group, GroupLost, Mailbox, name_of, wish_of
from spinney.distributed.member import Common, MemberPart, boost
from spinney.distributed.quantiles import total_scale
from spinney.distributed.tasks import (
    Losses,
    WorkersLost,
    check_client,
    insist,
    let_go,
    living_workers,
    place,
    results,
    submit,
    talk,
    workers_now,
)
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.leaf_refit import weight_scale
from spinney.ensemble.boosting.rounds import Rounds
from spinney.ensemble.boosting.start import in_units, start_values
from spinney.grow.boosting.freeze import freeze
from spinney.tree.forest import Forest

# ----------------------------------------------------------------------------------------------------------------------
# Members of a fit, one per worker, client side: started, polled for results, restarted.
#
# In:  pieces of a table on the workers, the work that every member does, what each member gets.
# Out: what the first member reports during the fit, and what all of them return at the end.
#
# If a worker is lost, Dask computes its pieces again on others, and all members restart. The caller makes sure that
# they continue where they were.


_AHEAD = 8  # results that members may be ahead of the client
_PATIENCE = 0.3  # seconds that a worker waits for a result before it answers that there is none yet
_LOOK = 0.5  # seconds between two looks whether all workers are there
_LAST_WORDS = 6 * FAREWELL  # seconds in which members end after one has failed, so that its error is known here

Shares = dict[str, list[Piece]]  # which worker has which pieces


class Members:
    """All attempts of one fit."""

    def __init__(
        self,
        client: Any,
        work: Callable[..., Any],
        name: str,
        pieces: Callable[[], list[Piece]],
        tell: Callable[[Shares], dict[str, Any]],
        few: int = 0,
    ) -> None:
        """`work` is called with (group, team, what `tell` says, data of the pieces) at every member.

        Up to `few` rows are for one member alone, who need not wait for others.
        """
        self.client, self.work, self.name, self.pieces, self.tell = client, work, name, pieces, tell
        self._few = few
        self._fit = uuid4().hex[:12]
        self._wish: list[Any] = []  # a task that the scheduler knows for as long as this client wants the fit
        self._is_plugged = False
        self._now: Attempt | None = None
        self._losses = Losses()

    def take(self) -> list[Any]:
        """What the first member has told since, at least one thing; waits for it."""
        found = self._insist(lambda attempt: attempt.take())
        self._losses = Losses()
        return found

    def returned(self) -> list[tuple[list[Piece], Any]]:
        """What each member returned, with its pieces; when the first has told all that it will."""
        return self._insist(lambda attempt: attempt.returned())

    def close(self) -> None:
        """End the members' tasks, and leave nothing on the workers."""
        self._let_go()
        self.pieces, self.tell = list, dict  # which may know us, and the data
        if self._wish:
            with contextlib.suppress(Exception):  # mailboxes that are not reached leave by themselves
                name = name_of(self._fit)
                talk(self.client, lambda: self.client.unregister_worker_plugin(name), workers_now(self.client))
            let_go(self.client, self._wish)

    def _insist(self, ask: Callable[[Attempt], Any]) -> Any:
        """Ask the members, who begin again as often as one is lost."""

        def attempt() -> Any:
            try:
                if self._now is None:
                    self._now = self._start()
                return ask(self._now)
            except WorkersLost:
                self._let_go()
                raise

        return insist(attempt, self._losses)

    def _let_go(self) -> None:
        attempt, self._now, self._is_plugged = self._now, None, False
        if attempt is not None:
            attempt.end()

    def _start(self) -> Attempt:
        if not self._is_plugged:
            self._plug_in()
        pieces = self.pieces()
        _wait_for([one.data for one in pieces], lambda: living_workers(self.client))
        shares = share_out(self.client, pieces, living_workers(self.client), self._few)
        return Attempt(self.client, self._fit, shares, self.tell(shares), self.work, self.name)

    def _plug_in(self) -> None:
        """Put mailboxes on all workers, and on those that come later."""
        if not self._wish:
            self._wish = [submit(self.client, int, key=wish_of(self._fit))]
        results(self.client, self._wish)  # the scheduler knows it, or mailboxes would leave at once
        try:
            plugin = Mailbox(self._fit)
            talk(self.client, lambda: self.client.register_plugin(plugin), workers_now(self.client))
        except OSError as error:
            raise WorkersLost(f"a worker could not be prepared: {error}") from error
        self._is_plugged = True


class Attempt:
    """A long task on every worker that has pieces."""

    def __init__(
        self, client: Any, fit: str, shares: Shares, told: dict[str, Any], work: Callable[..., Any], name: str
    ) -> None:
        self.client, self.addresses, self.shares = client, list(shares), shares
        self.op, self.session = name_of(fit), uuid4().hex[:12]
        self.futures: list[Any] = []
        self.n_taken = 0
        try:
            for rank, (worker, pieces) in enumerate(shares.items()):
                what = place(client, told[worker], worker)
                where = fit, self.session, self.addresses, rank
                key = f"spinney-{name}-{self.session}-{rank}"
                data = [one.data for one in pieces]
                self.futures.append(submit(client, _take_part, work, where, what, data, key=key, workers=[worker]))
        except BaseException:
            self.end()
            raise

    def take(self) -> list[Any]:
        """Results that are there, at least one; waits for it."""
        while True:
            message = {"what": "take", "n_taken": self.n_taken, "ahead": _AHEAD, "seconds": _PATIENCE}
            reply = self._ask(message, self.addresses[:1]).get(self.addresses[0])
            if reply is not None and reply["results"]:
                self.n_taken += len(reply["results"])
                return [pickle.loads(one) for one in reply["results"]]
            if reply is None and self.futures[0].status == "finished":
                raise WorkersLost(f"worker {self.addresses[0]} has lost its mailbox")
            self._look("" if reply is None else reply["failure"])

    def returned(self) -> list[tuple[list[Piece], Any]]:
        """What each member returned; waits for it."""
        _wait_for(self.futures, lambda: self._look(""))
        self._judge()
        found = results(self.client, self.futures)
        for one in found:
            if isinstance(one, GroupLost):
                raise WorkersLost(str(one))
        return list(zip(self.shares.values(), found))

    def _look(self, reason: str) -> None:
        """Raise if a member has failed or is gone."""
        self._judge()
        if reason:  # a member that failed says so to the others before its task ends
            deadline = time.monotonic() + _LAST_WORDS
            while self._is_at_work() and time.monotonic() < deadline:
                time.sleep(0.02)
            self._judge()
            raise WorkersLost(reason)
        gone = set(self.addresses) - set(workers_now(self.client))
        if gone:
            raise WorkersLost(f"worker {min(gone)} is lost")

    def _is_at_work(self) -> bool:
        """Whether any member is, on a worker that is there."""
        awaited = {worker for future, worker in zip(self.futures, self.addresses) if future.status == "pending"}
        return bool(awaited) and not awaited.isdisjoint(workers_now(self.client))

    def _judge(self) -> None:
        """Raise what members raised: an error of the fit is the user's, one of the cluster is a lost worker."""
        from distributed import KilledWorker

        for future, worker in zip(self.futures, self.addresses):
            if future.status == "cancelled":  # what it needs was lost
                check_client(self.client)
                raise WorkersLost(f"the data of worker {worker} are lost")
            if future.status != "error":
                continue
            error = future.exception()
            if isinstance(error, (KilledWorker, OSError)):
                raise WorkersLost(str(error)) from error
            error.add_note(f"This was raised on worker {worker}, one of {len(self.addresses)} that fitted the model.")
            raise error

    def end(self) -> None:
        """No member waits or works any longer than to the end of what it is at."""
        with contextlib.suppress(Exception):
            there = set(workers_now(self.client))
            self._ask({"what": "close"}, [one for one in self.addresses if one in there])
        let_go(self.client, self.futures)
        self.shares = {}  # an error that somebody keeps must not keep the data

    def _ask(self, message: dict[str, Any], workers: list[str]) -> dict[str, Any]:
        """Call the handler of some workers, through the scheduler; the answers of those that gave any."""
        message = {"op": self.op, "session": self.session, **message}
        scheduler = self.client.scheduler
        return talk(self.client, lambda: scheduler.broadcast(msg=message, workers=workers, on_error="ignore"), workers)


def _wait_for(futures: list[Any], look: Callable[[], Any]) -> None:
    """Until all are done, one way or another; look now and then whether there is hope."""
    looked = time.monotonic()
    while any(future.status == "pending" for future in futures):
        time.sleep(0.005)
        if time.monotonic() - looked > _LOOK:
            look()
            looked = time.monotonic()


# --- on the workers --------------------------------------------------------------------------------------------------


def _take_part(work: Callable[..., Any], place: tuple[str, str, list[str], int], told: Any, data: list[Any]) -> Any:
    """The task that a member is. Returns what its work does, or why it could not go on."""
    from distributed import secede

    secede()  # other tasks may have this thread's place: it waits as much as it works
    try:
        group = Group(*place)
    except GroupLost as lost:
        return lost
    n_threads = max(1, int(group.worker.state.nthreads))
    try:
        with Team(n_threads, inline=n_threads == 1) as team:
            return work(group, team, told, data)
    except GroupLost as lost:
        group.leave()
        return lost
    except BaseException as error:
        group.fail(f"worker {group.addresses[group.rank]} failed: {type(error).__name__}: {error}")
        raise


# ----------------------------------------------------------------------------------------------------------------------


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
        self.n_trees = self.begun.forest.n_trees
        self.grown: list[Forest] = []
        self._loose: list[Any] = []
        self._freeze = partial(freeze, bins=dataset.bins)
        self._waiting: deque[tuple[list[Any], Any]] = deque()
        self._means = (float("nan"),) * 3
        few = min(_FEW_ROWS, _FEW_CELLS // max(1, dataset.n_columns))
        self._members = Members(dataset.client, boost, "boost", dataset.pieces, self._tell, few)

    def _round(self) -> list[Any]:
        while not self._waiting:
            self._waiting.extend(self._members.take())
        new, self._means = self._waiting.popleft()
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
