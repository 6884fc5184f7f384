"""What a fit must not leave behind, and workers for the next one."""

import os
import time

from distributed.core import Status

_PATIENCE, _MOST_PATIENCE = 60.0, 600.0  # seconds for workers to start: then the dead are replaced; then it is an error
_kept_by_dask = set()  # values that were on their way when their client was closed: there until the cluster ends


def assert_nothing_left(client, closed=False):
    """Neither tasks nor values nor plugins of a fit; `closed`: its client was, and Dask may keep a value of it."""

    def what_is_there(dask_worker):
        data, tasks = map(str, dask_worker.data), map(str, dask_worker.state.tasks)
        others = map(str, (*dask_worker.plugins, *dask_worker.handlers))
        return [{key for key in keys if "spinney" in key} for keys in (data, tasks, others)]

    for _ in range(3000):
        found = client.run(what_is_there).values()
        data, tasks, others = (set().union(*sets) for sets in zip(*found))
        if closed:
            _kept_by_dask.update(data)
        left = (data | tasks | others) - _kept_by_dask
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"left on the workers: {sorted(left)}")


def complete(client, n=3):
    """Wait for exactly `n` workers that nothing will end, restart or add to any more: moments are counted by messages,
    of which there are some to each worker.

    A worker that could not be started again is replaced.
    """
    begun = looked = time.monotonic()
    while not is_settled(client, n):
        now = time.monotonic()
        if now > looked + _PATIENCE:
            replace_the_dead(client.cluster, n)
            looked = now
        if now > begun + _MOST_PATIENCE:
            raise AssertionError(f"no {n} workers: {client.cluster.workers}, the scheduler has {addresses(client)}")
        time.sleep(0.05)


def is_settled(client, n):
    """Whether the scheduler, the cluster and the workers themselves agree on who is there.

    The first two learn of a loss some time later. But a worker that was killed gives no answer.
    """
    nannies = dict(client.cluster.workers)
    if set(nannies) != set(client.cluster.worker_spec) or len(nannies) != n or len(addresses(client)) != n:
        return False
    pids = client.run(os.getpid, on_error="ignore")
    processes = [one.process for one in nannies.values()]
    if not all(one is not None and one.status == Status.running for one in processes):
        return False
    return pids == {one.worker_address: one.pid for one in processes} and set(addresses(client)) == set(pids)


def addresses(client):
    """Of the workers that the scheduler knows. (`scheduler_info` of the client's may be without any, see tasks.py.)"""
    return sorted(client.sync(client.scheduler.identity, n_workers=-1)["workers"])


def replace_the_dead(cluster, n):
    for name, nanny in list(cluster.workers.items()):
        if not nanny.is_alive():
            cluster.sync(nanny.close)
            cluster.workers.pop(name, None)
    cluster.scale(n)
