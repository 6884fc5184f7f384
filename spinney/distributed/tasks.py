"""Tasks on a cluster: named tasks, data sent to workers, results; steps are repeated when a worker is lost.

In:  a client, functions and their arguments. Out: futures and results. Two failures are handled here and nowhere else
in this package:

    a worker is lost                      `WorkersLost`, and `insist` repeats the step
    the client or the scheduler is lost   a RuntimeError that explains it, which ends the fit

An error raised by a task itself is the user's error, and is passed on unchanged.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import CancelledError, wait
from typing import Any
from uuid import uuid4

_LOOK = 0.5  # seconds between two looks whether client, scheduler and workers are there
_REPLACEMENT = 60.0  # seconds to wait for a worker when none is left
_MOST_LOSSES = 5  # repetitions without anything gained
_PAUSE = 0.1  # seconds before the first repetition, twice that before the second, ...: the scheduler finds out


class WorkersLost(RuntimeError):
    """A worker that took part in a step is gone."""


class Losses:
    """How often a step was repeated since something was gained."""

    def __init__(self) -> None:
        self.n = 0

    def add(self, lost: WorkersLost) -> None:
        """Wait a little before the next attempt; after too many of them, raise."""
        self.n += 1
        if self.n >= _MOST_LOSSES:
            reason = " ".join(str(lost).split()).rstrip(".")
            raise RuntimeError(
                f"Workers were lost {self.n} times without any progress in between. The last time: {reason}. "
                "If they ran out of memory, use more or larger workers. If X was scattered to the workers, it cannot "
                "be computed again: fit a collection that is read from files. See docs/scaling.md."
            ) from lost
        time.sleep(_PAUSE * 2 ** (self.n - 1))


def insist(attempt: Callable[[], Any], losses: Losses | None = None) -> Any:
    """What an attempt returns; it is repeated as often as a worker is lost."""
    losses = losses or Losses()
    while True:
        try:
            return attempt()
        except WorkersLost as lost:
            losses.add(lost)


# --- tasks -----------------------------------------------------------------------------------------------------------


def submit_all(client: Any, function: Any, calls: list[tuple], name: str) -> list[Any]:
    """Futures of one task per call, called `spinney-name` on Dask's dashboard."""
    token = uuid4().hex[:12]
    return [submit(client, function, *call, key=f"spinney-{name}-{token}-{k}") for k, call in enumerate(calls)]


def submit(client: Any, function: Any, *args: Any, **how: Any) -> Any:
    """A future of one task."""
    return request(client, lambda: client.submit(function, *args, pure=False, **how))


def request(client: Any, work: Callable[[], Any]) -> Any:
    """What a method of the client's returns at once, without any answer from the cluster."""
    try:
        return work()
    except Exception:
        check_client(client)
        raise


def run_all(client: Any, function: Any, calls: list[tuple], name: str) -> list[Any]:
    """The results of one task per call, here."""

    def attempt() -> list[Any]:
        futures = submit_all(client, function, calls, name)
        try:
            return results(client, futures)
        except BaseException:
            let_go(client, futures)
            raise

    return insist(attempt)


def results(client: Any, futures: list[Any]) -> list[Any]:
    """What tasks have returned, here; waits for them. Dask makes again what was lost, where it can."""
    from distributed import KilledWorker
    from distributed import wait as wait_for

    try:
        while True:
            talk(client, lambda: wait_for(futures))
            try:
                return talk(client, lambda: client.gather(futures), workers_now(client))
            except WorkersLost:
                if any(future.cancelled() for future in futures):
                    raise
    except KilledWorker as error:  # Dask itself has tried several workers
        raise RuntimeError(
            f"A task of the fit was lost with every worker that ran it: {error} If they ran out of memory, use larger "
            "workers or smaller partitions."
        ) from error
    except OSError as error:
        if any(future.status == "error" for future in futures):
            raise  # by the task
        raise WorkersLost(str(error)) from error


def let_go(client: Any, futures: list[Any]) -> None:
    """Leave nothing of our own tasks on the workers, whoever still knows of them: an error keeps all that led to it."""
    if client.status == "running":  # Dask waits long for a scheduler that is gone
        with contextlib.suppress(Exception):
            client.cancel(futures)
    futures.clear()


# --- data that goes to workers ---------------------------------------------------------------------------------------


def place(client: Any, value: Any, worker: str | None = None) -> Any:
    """A future of a value that is sent to a worker, to any one if none is named. It is lost with that worker."""
    key = f"spinney-told-{uuid4().hex}"
    to = [worker or living_workers(client)[0]]
    try:
        return talk(client, lambda: client.scatter({key: value}, workers=to, hash=False), to)[key]
    except (OSError, KeyError) as error:  # KeyError: the scheduler does not know the worker any more
        raise WorkersLost(f"nothing could be sent to worker {to[0]}: {error}") from error


def place_everywhere(client: Any, value: Any) -> Any:
    """The same with a copy on every worker. Dask's own broadcast never ends if one of them is lost meanwhile."""
    kept = place(client, value)
    others, n_holders = living_workers(client), 1
    while others:
        now, others = others[:n_holders], others[n_holders:]  # whoever has it hands it on
        token = uuid4().hex[:12]
        copies = [
            submit(client, _have, kept, key=f"spinney-copy-{token}-{k}", workers=[one], allow_other_workers=True)
            for k, one in enumerate(now)
        ]
        try:
            results(client, copies)
        except BaseException:
            let_go(client, [kept, *copies])
            raise
        n_holders += len(now)
    return kept


def _have(value: Any) -> None:
    """A worker that does this has the value."""


# --- messages --------------------------------------------------------------------------------------------------------


def talk(client: Any, work: Callable[[], Awaitable[Any]], workers: Iterable[str] = ()) -> Any:
    """What `work()` returns, which runs in the client's loop.

    Raises `WorkersLost` if one of these workers goes meanwhile, or data of futures with a worker. Dask would try for
    half a minute to reach a worker that is gone, and for longer to reach the scheduler; and waiting in the loop of a
    client that another thread closes may never end.
    """
    awaited = set(workers)
    doing = _begin(client, work)
    try:
        while not doing.done():
            wait([doing], _LOOK)
            check_client(client)
            if awaited and not doing.done() and (gone := awaited - set(workers_now(client))):
                raise WorkersLost(f"worker {min(gone)} is lost")
        return doing.result()
    except CancelledError as error:  # Dask's FutureCancelledError, too
        check_client(client)
        raise WorkersLost(str(error)) from error
    except OSError:
        workers_now(client)  # raises if the scheduler is gone, which the client may not know yet
        raise
    except Exception:
        check_client(client)
        raise
    finally:
        doing.cancel()


def workers_now(client: Any) -> list[str]:
    """Addresses of the workers that the scheduler knows."""
    return sorted(_known_workers(client))


def _known_workers(client: Any) -> dict[str, Any]:
    """What the scheduler knows of each worker, by address.

    `Client.scheduler_info` may say that there are none: it returns what the client has asked for last, which another
    thread asks for every two seconds, without workers.
    """
    doing = _begin(client, lambda: client.scheduler.identity(n_workers=-1))
    try:
        while not doing.done():
            wait([doing], _LOOK)
            check_client(client)
        return doing.result()["workers"]
    except OSError as error:
        check_client(client)
        raise _scheduler_lost() from error
    finally:
        doing.cancel()


def living_workers(client: Any) -> list[str]:
    """Addresses of the workers that are there now; waits for one."""
    return sorted(describe_workers(client))


def describe_workers(client: Any) -> dict[str, Any]:
    """What the scheduler knows of the workers that are there now, by address; waits for one."""
    deadline = time.monotonic() + _REPLACEMENT
    while True:
        found = _known_workers(client)
        if found:
            return found
        if time.monotonic() > deadline:
            raise RuntimeError(f"No worker was left, and none came within {_REPLACEMENT:.0f} seconds.")
        time.sleep(0.1)


def check_client(client: Any) -> None:
    """Raise if the client or its scheduler is gone."""
    if client.status == "connecting":  # anew: all futures are lost, even if it comes back
        raise _scheduler_lost()
    if client.status != "running":
        raise RuntimeError(f"The Dask client is {client.status}, so the fit has ended. Open another one and fit again.")


def _scheduler_lost() -> RuntimeError:
    return RuntimeError("The Dask scheduler cannot be reached, so the fit has ended.")


def _begin(client: Any, work: Callable[[], Awaitable[Any]]) -> Any:
    async def begin() -> Any:
        return await work()

    check_client(client)
    return asyncio.run_coroutine_threadsafe(begin(), client.loop.asyncio_loop)
