"""Many small fits spread over a cluster: of folds, candidates, sizes. The data is in the client's memory.

In:  a function of (shared objects, a job), the shared objects, jobs. Out: the results, in the order of the jobs, as
they arrive. Shared objects are sent to each worker once and stay one object there, so what their table has sorted or
binned for one job is used for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from spinney.distributed.collections import find_client
from spinney.distributed.tasks import Losses, WorkersLost, let_go, place_everywhere, results, submit_all


def wants_cluster(n_jobs: Any) -> bool:
    """Whether fits go to a cluster: `n_jobs="dask"`, or joblib's backend "dask" is in use."""
    if isinstance(n_jobs, str):
        if n_jobs != "dask":
            raise ValueError(f"n_jobs must be a number, None or 'dask', got {n_jobs!r}.")
        return True
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__name__ == "DaskDistributedBackend"


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
