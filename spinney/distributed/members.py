"""Members of a fit, one per worker, as the client sees them: started, asked for what they find, started again.

In:  pieces of a table that are with workers, the work that every member does, what each is told of its pieces.
Out: what the first member tells on the way, and what all of them return at the end.

If a worker is lost, Dask makes its pieces anew on others, and all members begin again; whoever says what they are told
then sees to it that they go on from where they were.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from spinney._team import Team
from spinney.distributed.dataset import Piece, share_out
from spinney.distributed.group import Group, GroupLost, Mailbox, name_of
from spinney.distributed.tasks import let_go

_AHEAD = 8  # results that members may be ahead of the client
_PATIENCE = 0.3  # seconds that a worker waits for a result before it answers that there is none yet
_LOOK = 0.5  # seconds between two looks whether all workers are there
_REPLACEMENT = 60.0  # seconds to wait for a worker when none is left
_MOST_LOSSES = 5  # attempts without a single new result

Shares = dict[str, list[Piece]]  # which worker has which pieces


class WorkersLost(RuntimeError):
    """A worker that took part in the fit is gone."""


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
        self._fit, self._plugged = uuid4().hex[:12], False
        self._now: Attempt | None = None
        self._n_losses = 0

    def take(self) -> list[Any]:
        """What the first member has told since, at least one thing; waits for it."""
        found = self._insist(lambda attempt: attempt.take())
        self._n_losses = 0
        return found

    def returned(self) -> list[tuple[list[Piece], Any]]:
        """What each member returned, with its pieces; when the first has told all that it will."""
        return self._insist(lambda attempt: attempt.returned())

    def close(self) -> None:
        """End the members' tasks, and leave nothing on the workers."""
        self._let_go()
        self.pieces, self.tell = list, dict  # which may know us, and the data
        if self._plugged:
            self._plugged = False
            if self.client.status != "connecting":  # Dask waits long for a scheduler that is gone
                with contextlib.suppress(Exception):
                    self.client.unregister_worker_plugin(name_of(self._fit))

    def _insist(self, ask: Callable[[Attempt], Any]) -> Any:
        """Ask the members, as often as one is lost."""
        while True:
            try:
                if self._now is None:
                    self._now = self._start()
                return ask(self._now)
            except WorkersLost as lost:
                self._n_losses += 1
                self._let_go()
                if self._n_losses >= _MOST_LOSSES:
                    raise RuntimeError(
                        f"Workers were lost {self._n_losses} times without a round in between, the last time: {lost}. "
                        "If they ran out of memory, use more or larger ones: see docs/scaling.md."
                    ) from lost

    def _let_go(self) -> None:
        attempt, self._now = self._now, None
        if attempt is not None:
            attempt.end()

    def _start(self) -> Attempt:
        if not self._plugged:
            self.client.register_plugin(Mailbox(self._fit))
            self._plugged = True
        pieces = self.pieces()
        _wait_for([one.data for one in pieces], lambda: living_workers(self.client))
        shares = share_out(self.client, pieces, living_workers(self.client), self._few)
        return Attempt(self.client, self._fit, shares, self.tell(shares), self.work, self.name)


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
                what = client.scatter(told[worker], workers=[worker], hash=False)
                place = fit, self.session, self.addresses, rank
                key = f"spinney-{name}-{self.session}-{rank}"
                data = [one.data for one in pieces]
                self.futures.append(
                    client.submit(_take_part, work, place, what, data, key=key, workers=[worker], pure=False)
                )
        except (OSError, TimeoutError, ValueError) as error:
            self.end()
            _check_client(client)
            raise WorkersLost(str(error)) from error

    def take(self) -> list[Any]:
        """Results that are there, at least one; waits for it."""
        while True:
            message = {"what": "take", "n_taken": self.n_taken, "ahead": _AHEAD, "seconds": _PATIENCE}
            reply = self._ask(message, self.addresses[:1]).get(self.addresses[0])
            if reply is not None and reply["results"]:
                self.n_taken += len(reply["results"])
                return [pickle.loads(one) for one in reply["results"]]
            self._look("" if reply is None else reply["failure"])

    def returned(self) -> list[tuple[list[Piece], Any]]:
        """What each member returned; waits for it."""
        _wait_for(self.futures, lambda: self._look(""))
        self._judge()
        try:
            found = self.client.gather(self.futures)
        except Exception as error:  # the worker that had it is gone
            _check_client(self.client)
            raise WorkersLost(str(error)) from error
        for one in found:
            if isinstance(one, GroupLost):
                raise WorkersLost(str(one))
        return list(zip(self.shares.values(), found))

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
        let_go(self.client, self.futures)
        self.shares = {}  # an error that somebody keeps must not keep the data

    def _ask(self, message: dict[str, Any], workers: list[str]) -> dict[str, Any]:
        """Call the handler of some workers, through the scheduler; the answers of those that gave any."""
        return _sync(_ask, self.client, {"op": self.op, "session": self.session, **message}, workers)


def _wait_for(futures: list[Any], look: Callable[[], Any]) -> None:
    """Until all are done, one way or another; look now and then whether there is hope."""
    looked = time.monotonic()
    while any(future.status == "pending" for future in futures):
        time.sleep(0.005)
        if time.monotonic() - looked > _LOOK:
            look()
            looked = time.monotonic()


def _sync(work: Any, client: Any, *args: Any) -> Any:
    """Do something in the client's loop, and wait for it; not if the scheduler is gone, for which Dask waits long."""
    _check_client(client)
    return client.sync(_while_connected, client, work, *args)


async def _while_connected(client: Any, work: Any, *args: Any) -> Any:
    doing = asyncio.ensure_future(work(client, *args))
    try:
        while True:
            await asyncio.wait({doing}, timeout=_LOOK)
            if doing.done():
                return doing.result()
            _check_client(client)
    finally:
        doing.cancel()


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
    if client.status == "connecting":  # anew: all futures are lost, even if it comes back
        raise _scheduler_lost()
    if client.status != "running":
        raise RuntimeError(f"The client of Dask's is {client.status}: the fit has ended with it.")


def _scheduler_lost() -> RuntimeError:
    return RuntimeError("The scheduler of Dask's cannot be reached: the fit has ended with it.")


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
