"""What a fit must not leave behind."""

import time


def assert_nothing_left(client):
    """Neither tasks nor data nor plugins of a fit."""

    def what_is_there(dask_worker):
        ours = [str(key) for key in (*dask_worker.data, *dask_worker.state.tasks, *dask_worker.plugins)]
        return [key for key in (*ours, *map(str, dask_worker.handlers)) if "spinney" in key]

    for _ in range(100):
        left = [key for keys in client.run(what_is_there).values() for key in keys]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"left on the workers: {left}")
