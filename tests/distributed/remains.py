"""What a fit must not leave behind, and workers for the next one."""

import time

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
    """Wait for exactly `n` workers, none of them still starting: moments are counted by the messages to each.

    A worker that was killed while it started may never be started again, so others are started in its place.
    """
    cluster = client.cluster
    while (n_alive := len(client.scheduler_info(n_workers=-1)["workers"])) != n or len(cluster.worker_spec) != n:
        if n_alive >= n:
            cluster.scale(n)
            time.sleep(0.05)
            continue
        try:
            client.wait_for_workers(n, timeout=30)
        except TimeoutError:
            cluster.scale(len(cluster.worker_spec) + 1)
