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
    """Wait for so many workers; a worker that was killed while it started may never be started again."""
    while True:
        try:
            return client.wait_for_workers(n, timeout=30)
        except TimeoutError:
            client.cluster.scale(len(client.cluster.worker_spec) + 1)
