"""Many small fits spread over a cluster: of folds, candidates, sizes. The data is in the client's memory.

In:  a function of (shared objects, a job), the shared objects, jobs. Out: the results, in the order of the jobs, as
they arrive. Shared objects are sent to each worker once and stay one object there, so what their table has sorted or
binned for one job is used for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextvars import copy_context
from threading import Lock
from typing import Any, NamedTuple

from spinney.distributed.collections import find_client
from spinney.distributed.tasks import (
    Losses,
    WorkersLost,
    describe_workers,
    insist,
    let_go,
    place_everywhere,
    results,
    submit_all,
)


def spread(work: Callable[[Any, Any], Any], shared: Any, jobs: Sequence[Any], name: str) -> Generator[Any, None, None]:
    """The results of all jobs; if the iterator is closed early, the rest is cancelled."""
    client, losses, n_done = find_client(), Losses(), 0
    while n_done < len(jobs):
        futures: list[Any] = []
        try:
            futures.append(place_everywhere(client, shared))
            futures += submit_all(client, work, [(futures[0], job) for job in jobs[n_done:]], name)
            while len(futures) > 1:
                found = results(client, futures[1:2])[0]
                del futures[1]  # there, too
                n_done, losses = n_done + 1, Losses()
                yield found
        except WorkersLost as lost:
            losses.add(lost)
        finally:
            let_go(client, futures)


class Calls:
    """Calls that share some objects, each by any thread here, which waits for it."""

    def __init__(self, shared: Sequence[Any]) -> None:
        self._client, self._shared, self._lock = find_client(), list(shared), Lock()
        self._context = copy_context()  # other threads have another current client, whom Dask would ask
        self._placed: list[Any] = []
        self._is_placed = False

    def n_threads(self) -> int:
        """Of all workers."""
        return sum(one["nthreads"] for one in describe_workers(self._client).values())

    def run(self, calls: Sequence[tuple[Any, Sequence[Any], dict[str, Any]]]) -> list[Any]:
        """`[function(*args, **more) for function, args, more in calls]` by a worker."""
        light = [
            (function, [self._light(one) for one in args], {name: self._light(one) for name, one in more.items()})
            for function, args, more in calls
        ]

        def attempt() -> list[Any]:
            futures: list[Any] = []
            shared = self._place()
            try:
                futures += submit_all(self._client, _call, [(shared, light)], "fold")
                return results(self._client, futures)[0]  # type: ignore[no-any-return]
            except WorkersLost:
                with self._lock:
                    self._is_placed = self._is_placed and shared is not self._placed[-1]
                raise
            finally:
                let_go(self._client, futures)

        return self._context.copy().run(insist, attempt)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Leave nothing on the workers."""
        let_go(self._client, self._placed)

    def _light(self, value: Any) -> Any:
        """What is sent with a call in place of a value."""
        return next((_Shared(k) for k, one in enumerate(self._shared) if one is value and one is not None), value)

    def _place(self) -> Any:
        """The shared objects on every worker; again if a worker was lost, perhaps with the only copy."""
        with self._lock:
            if not self._is_placed:
                self._placed.append(place_everywhere(self._client, self._shared))
                self._is_placed = True
            return self._placed[-1]


class _Shared(NamedTuple):
    """Stands for a shared object."""

    number: int


def _call(shared: list[Any], calls: list[Any]) -> list[Any]:
    def whole(value: Any) -> Any:
        return shared[value.number] if isinstance(value, _Shared) else value

    return [
        function(*map(whole, args), **{name: whole(one) for name, one in more.items()})
        for function, args, more in calls
    ]
