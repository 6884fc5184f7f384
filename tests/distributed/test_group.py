"""Sums between members of a fit: every way gives the same, and nobody waits for ever."""

import threading
import time

import numpy as np
import pytest
from distributed import secede

from spinney.distributed import group as groups
from spinney.distributed import neighbours
from spinney.distributed.group import Group, GroupLost, Mailbox


@pytest.fixture(scope="module")
def fit(client):
    client.register_plugin(Mailbox("test"))
    yield "test"
    client.unregister_worker_plugin("spinney-test")
    assert not any(client.run(lambda dask_worker: "spinney-test" in dask_worker.handlers).values())


def meet(client, fit, session, size, function, *args):
    """Call function(group, *args) at `size` members; more than one may be on a worker."""
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    addresses = [workers[rank % len(workers)] for rank in range(size)]
    if size > len(workers):
        pytest.skip("needs a worker per member")
    return [
        client.submit(_member, fit, session, addresses, rank, function, *args, workers=[addresses[rank]], pure=False)
        for rank in range(size)
    ]


def _member(fit, session, addresses, rank, function, *args):
    secede()
    return function(Group(fit, session, addresses, rank), *args)


def open_nothing(name):
    return None


def open_of_two_machines(name):
    """Members with even and with odd numbers do not know of each other's memory."""
    from distributed import get_worker

    rank = int(get_worker().get_current_task().rsplit("-", 1)[1])
    return neighbours.SharedFile(f"{name}-{rank % 2}")


WAYS = {
    "shared": (neighbours.open_shared, 1 << 22),
    "doubling": (open_nothing, 1 << 22),
    "slices": (open_nothing, 0),
    "two machines": (open_of_two_machines, 1 << 22),
}


def _add_up(fit, session, addresses, rank, n, way):
    secede()
    before = groups.open_shared, groups._LARGE
    groups.open_shared, groups._LARGE = WAYS[way]
    try:
        return add_up(Group(fit, session, addresses, rank), n, way)
    finally:
        groups.open_shared, groups._LARGE = before


def add_up(group, n, way):
    if group.size > 1:
        n_near = {"shared": group.size, "two machines": (group.size + 1 - group.rank % 2) // 2}.get(way, 1)
        assert (1 if group._neighbours is None else group._neighbours.n) == n_near
    mine = np.arange(n) * (group.rank + 1)
    total = group.sum(mine.reshape(2, -1)).copy()
    largest = group.maximum(-mine)
    again = group.sum(mine)
    large = group.sum((1 << 40) * mine)  # which does not fit into four bytes
    assert np.array_equal(large, again << 40)
    floats = group.maximum(mine / 4)
    assert np.array_equal(floats, np.arange(n) * group.size / 4)
    small = group.sum(np.ones(3, np.int32))
    assert small.tolist() == [group.size] * 3
    every = group.gather(np.full(group.rank + 1, group.rank))
    first = group.to_first(np.full(2, group.rank))
    assert [one.tolist() for one in first] == ([[rank] * 2 for rank in range(group.size)] if group.rank == 0 else [])
    group.sum(mine)
    return total, largest, again, every


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_way_adds_up(client, fit, size, way):
    n = 10 if way != "shared" else 3 * neighbours._ROOM - 2  # in several pieces
    workers = list(client.scheduler_info(n_workers=-1)["workers"])[:size]
    session = f"{size}{way}".replace(" ", "")
    futures = [
        client.submit(_add_up, fit, session, workers, rank, n, way, key=f"add-{session}-{rank}", workers=[one])
        for rank, one in enumerate(workers)
    ]
    for total, largest, again, every in client.gather(futures):
        factor = size * (size + 1) // 2
        assert np.array_equal(total, (np.arange(n) * factor).reshape(2, -1))
        assert np.array_equal(largest, -np.arange(n))
        assert np.array_equal(again, np.arange(n) * factor)
        assert [one.tolist() for one in every] == [[rank] * (rank + 1) for rank in range(size)]
    assert not [one for one in neighbours._SHARED.glob("spinney-*") if session in one.name]


def add_then_fail(group, who):
    group.sum(np.arange(4))
    if group.rank == who:
        raise MemoryError("no room")
    return group.sum(np.arange(4))


def test_a_failed_session_ends_all_waiting(client, fit):
    futures = meet(client, fit, "failing", 3, add_then_fail, 1)
    while futures[1].status == "pending":
        time.sleep(0.01)
    client.sync(
        client.scheduler.broadcast, msg={"op": "spinney-test", "session": "failing", "what": "fail", "reason": "x"}
    )
    for rank, future in enumerate(futures):
        kind = type(future.exception(timeout=10))
        assert kind is (MemoryError if rank == 1 else GroupLost)


def test_a_cancelled_fit_is_noticed(client, fit):
    futures = meet(client, fit, "cancelled", 3, add_then_fail, 1)
    while futures[1].status == "pending":
        time.sleep(0.01)
    client.cancel(futures)
    for _ in range(100):
        if not any(client.run(lambda dask_worker: len(dask_worker.state.tasks)).values()):
            break
        time.sleep(0.1)
    assert threading.active_count()  # the client lives
    assert not any(client.run(lambda dask_worker: len(dask_worker.state.tasks)).values())


def linger(group):
    """Work on until the client has ended the session and no longer wants the task; then clear up."""
    while not group._session.failure or group._is_wanted():
        time.sleep(0.01)
    group.leave()
    group.worker.has_left = True


def wait_until(client, function):
    for _ in range(300):
        if any(client.run(function).values()):
            return
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def test_who_clears_up(client):
    """A late member of an attempt that the client has ended leaves the handler to the next attempt; one whose client
    is gone takes it away everywhere, and from the scheduler, which would give it to new workers."""

    def handlers(dask_worker):
        return "spinney-late" in dask_worker.handlers

    for ends in (True, False):
        client.register_plugin(Mailbox("late"))
        futures = meet(client, "late", f"ended {ends}", 1, linger)
        wait_until(client, lambda dask_worker: any(str(key).startswith("_member") for key in dask_worker.state.tasks))
        message = {"op": "spinney-late", "session": f"ended {ends}", "what": "close" if ends else "fail"}
        client.sync(client.scheduler.broadcast, msg=message | ({} if ends else {"reason": "no client"}))
        client.cancel(futures)
        wait_until(client, lambda dask_worker: vars(dask_worker).pop("has_left", False))
        assert set(client.run(handlers).values()) == {ends}
        known = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.worker_plugins))
        assert ("spinney-late" in known) == ends


def test_a_file_of_a_session_that_ends_early_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbours, "_SHARED", tmp_path)
    shared = neighbours.open_shared("spinney-early")
    assert [one.name for one in tmp_path.iterdir()] == ["spinney-early"]
    shared.close()
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(neighbours, "_SHARED", tmp_path / "nowhere")
    monkeypatch.setattr(neighbours.tempfile, "gettempdir", lambda: str(tmp_path / "nowhere"))
    assert neighbours.open_shared("spinney-early") is None
