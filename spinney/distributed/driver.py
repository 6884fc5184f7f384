"""The client's side of boosting on a cluster: starts one member per worker, takes their trees, starts again.

In:  a `RemoteDataset`, a task, settings. Out: `RemoteRounds`, which stands where `Rounds` stands: `step` is a round.
Everything that looks at rounds stays here, with the user: evaluation sets, early stopping, callbacks, the progress bar.
Members may be some rounds ahead of it; what they did in vain when the fit ends is thrown away.

All trees so far are here after every round. If a worker is lost, Dask makes its partitions anew on others, and members
begin again with the trees so far, whose scores they replay: the same bits as if nothing had happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import time
from collections import deque
from typing import Any
from uuid import uuid4

import numpy as np

from spinney._team import Team
from spinney.data.weights import Weights
from spinney.distributed.dataset import Piece, RemoteDataset
from spinney.distributed.group import Mailbox, name_of
from spinney.distributed.member import Common, Part, boost
from spinney.distributed.quantiles import total_scale
from spinney.ensemble.booster import Booster
from spinney.ensemble.boosting import Rounds
from spinney.ensemble.boosting_settings import BoostingSettings
from spinney.ensemble.finishing import weight_scale
from spinney.ensemble.gradients import is_builtin
from spinney.ensemble.starting import in_units, start_values
from spinney.ensemble.task import Task
from spinney.grow.histogram.freeze import no_trees
from spinney.tree.forest import Forest

_AHEAD = 8  # rounds that members may be ahead of the client
_PATIENCE = 0.3  # seconds that a worker waits for a round before it answers that there is none yet
_LOOK = 0.5  # seconds between two looks whether all workers are there
_REPLACEMENT = 60.0  # seconds to wait for a worker when none is left
_MOST_LOSSES = 5  # attempts without a single new round


class WorkersLost(RuntimeError):
    """A worker that took part in the fit is gone."""


class RemoteRounds(Rounds):
    """The rounds of a fit whose rows are on a cluster."""

    is_elsewhere = True

    def __init__(
        self,
        dataset: RemoteDataset,
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
        self.begun = begun or Booster(start_values(task), no_trees(dataset.bins, dataset.n_columns))
        self.grown: list[Forest] = []
        self._loose: list[Any] = []
        self.chosen = np.empty(0, np.int32)
        self._waiting: deque[tuple[list[Any], Any]] = deque()
        self._means = (float("nan"),) * 3
        self._members: Members | None = None
        self._fit = uuid4().hex[:12]
        self._plugged = False

    def step(self) -> list[Any]:
        """The trees of one more round."""
        n_losses = 0
        while not self._waiting:
            try:
                if self._members is None:
                    self._members = self._start()
                self._waiting.extend(self._members.take())
            except WorkersLost as lost:
                n_losses += 1
                self._let_go()
                if n_losses >= _MOST_LOSSES:
                    raise RuntimeError(
                        f"Workers were lost {n_losses} times without a round in between, the last time: {lost}. If "
                        "they ran out of memory, use more or larger ones: see docs/scaling.md."
                    ) from lost
        new, self._means = self._waiting.popleft()
        self._loose.extend(new)
        return new

    def mean_losses(self) -> tuple[float, float, float]:
        return self._means  # type: ignore[return-value]

    def close(self) -> None:
        """End the members' tasks, and leave nothing on the workers."""
        self._let_go()
        if self._plugged:
            self._plugged = False
            with contextlib.suppress(Exception):
                self.dataset.client.unregister_worker_plugin(name_of(self._fit))

    def _let_go(self) -> None:
        members, self._members = self._members, None
        if members is not None:
            members.end()

    def _start(self) -> Members:
        client = self.dataset.client
        if not self._plugged:
            client.register_plugin(Mailbox(self._fit))
            self._plugged = True
        workers = living_workers(client)
        shares = self.dataset.share_out(workers)
        common = self._common()
        told = {worker: (common, self._part(pieces)) for worker, pieces in shares.items()}
        return Members(client, self._fit, shares, told)

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

    def _part(self, pieces: list[Piece]) -> Part:
        """What a member is told of the rows of some pieces."""
        spans = [slice(one.begin, one.begin + one.n_rows) for one in pieces]

        def own(values: np.ndarray | None) -> Any:
            return None if values is None else np.concatenate([values[..., span] for span in spans], axis=-1)

        weights: Weights = self.weights
        return Part(
            rows=[one.rows for one in pieces],
            n_rows=[one.n_rows for one in pieces],
            first=[one.begin for one in pieces],
            y=own(self.task.y),
            counts=own(weights.counts),
            importance=own(weights.importance),
            offset=own(self.offset),
        )


class Members:
    """One attempt: a long task on every worker that has rows."""

    def __init__(self, client: Any, fit: str, shares: dict[str, list[Piece]], told: dict[str, Any]) -> None:
        self.client, self.addresses = client, list(shares)
        self.op, self.session = name_of(fit), uuid4().hex[:12]
        self.futures: list[Any] = []
        self.n_taken = 0
        try:
            for rank, (worker, pieces) in enumerate(shares.items()):
                what = client.scatter(told[worker], workers=[worker], hash=False)
                place = fit, self.session, self.addresses, rank
                key = f"spinney-boost-{self.session}-{rank}"
                codes = [one.codes for one in pieces]
                self.futures.append(client.submit(boost, place, what, codes, key=key, workers=[worker], pure=False))
        except (OSError, TimeoutError, ValueError) as error:
            self.end()
            _check_client(client)
            raise WorkersLost(str(error)) from error

    def take(self) -> list[Any]:
        """Rounds that are done, at least one; waits for it."""
        while True:
            message = {"what": "take", "n_taken": self.n_taken, "ahead": _AHEAD, "seconds": _PATIENCE}
            reply = self._ask(message, self.addresses[:1]).get(self.addresses[0])
            if reply is not None and reply["results"]:
                self.n_taken += len(reply["results"])
                return [pickle.loads(one) for one in reply["results"]]
            self._look("" if reply is None else reply["failure"])

    def _look(self, reason: str) -> None:
        """Raise if a member has failed or is gone."""
        self._judge()
        if reason:  # a member that failed says so to the others before its task ends
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline and any(future.status == "pending" for future in self.futures):
                time.sleep(0.01)
            self._judge()
            raise WorkersLost(reason)
        gone = set(self.addresses) - set(_sync(_workers_now, self.client))
        if gone:
            raise WorkersLost(f"worker {min(gone)} is lost")

    def _judge(self) -> None:
        """Raise what members raised: an error of the fit is the user's, one of the cluster is a lost worker."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        for future, worker in zip(self.futures, self.addresses):
            if future.status != "error":
                continue
            error = future.exception()
            if isinstance(error, (KilledWorker, FutureCancelledError, OSError)):
                raise WorkersLost(str(error)) from error
            error.add_note(f"This was raised on worker {worker}, one of {len(self.addresses)} that fitted the model.")
            raise error

    def end(self) -> None:
        """No member waits or works any longer than to the end of what it is at."""
        with contextlib.suppress(Exception):
            there = set(_sync(_workers_now, self.client))
            self._ask({"what": "close"}, [one for one in self.addresses if one in there])
        with contextlib.suppress(Exception):
            self.client.cancel(self.futures)
        self.futures = []

    def _ask(self, message: dict[str, Any], workers: list[str]) -> dict[str, Any]:
        """Call the handler of some workers, through the scheduler; the answers of those that gave any."""
        return _sync(_ask, self.client, {"op": self.op, "session": self.session, **message}, workers)


def _sync(work: Any, client: Any, *args: Any) -> Any:
    """Do something in the client's loop, and wait for it."""
    _check_client(client)
    return client.sync(work, client, *args)


async def _ask(client: Any, message: dict[str, Any], workers: list[str]) -> dict[str, Any]:
    """What workers answer. Dask tries for half a minute to reach one that is gone: the scheduler knows earlier."""
    answers = asyncio.ensure_future(client.scheduler.broadcast(msg=message, workers=workers, on_error="ignore"))
    try:
        while True:
            await asyncio.wait({answers}, timeout=_LOOK)
            if answers.done():
                return answers.result()
            if not set(workers) <= set(await _workers_now(client)):
                return {}
    except OSError as error:
        raise _scheduler_lost() from error
    finally:
        answers.cancel()


async def _workers_now(client: Any) -> list[str]:
    try:
        return sorted((await client.scheduler.identity(n_workers=-1))["workers"])
    except OSError as error:
        raise _scheduler_lost() from error


def living_workers(client: Any) -> list[str]:
    """Addresses of the workers that are there now; waits for one."""
    deadline = time.monotonic() + _REPLACEMENT
    while True:
        found = _sync(_workers_now, client)
        if found:
            return found
        if time.monotonic() > deadline:
            raise RuntimeError(f"No worker was left, and none came within {_REPLACEMENT:.0f} seconds.")
        time.sleep(0.1)


def _check_client(client: Any) -> None:
    if client.status != "running":
        raise RuntimeError(f"The client of Dask's is {client.status}: the fit has ended with it.")


def _scheduler_lost() -> RuntimeError:
    return RuntimeError("The scheduler of Dask's cannot be reached: the fit has ended with it.")
