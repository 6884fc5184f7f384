"""Sums between members of a fit: every way gives the same, and nobody waits for ever."""

import asyncio
import time
from types import SimpleNamespace

import numpy as np
import pytest
from distributed import secede, wait

from spinney.distributed import group as groups
from spinney.distributed import neighbours
from spinney.distributed.group import Group, GroupLost, Mailbox
from tests.distributed.partitions import slow
from tests.distributed.remains import addresses, complete


@pytest.fixture(scope="module")
def fit(client):
    complete(client)
    wish = client.submit(int, key=groups.wish_of("test"))
    client.register_plugin(Mailbox("test"))
    yield "test"
    wish.release()
    client.unregister_worker_plugin("spinney-test")
    assert not any(client.run(lambda dask_worker: "spinney-test" in dask_worker.handlers).values())


def meet(client, fit, session, size, function, *args):
    """Call function(group, *args) at `size` members; more than one may be on a worker."""
    workers = addresses(client)
    places = [workers[rank % len(workers)] for rank in range(size)]
    if size > len(workers):
        pytest.skip("needs a worker per member")
    return [
        client.submit(_member, fit, session, places, rank, function, *args, workers=[places[rank]], pure=False)
        for rank in range(size)
    ]


def _member(fit, session, places, rank, function, *args):
    secede()
    return function(Group(fit, session, places, rank), *args)


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
    workers = addresses(client)[:size]
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
    wait(futures[1])
    client.sync(
        client.scheduler.broadcast, msg={"op": "spinney-test", "session": "failing", "what": "fail", "reason": "x"}
    )
    for rank, future in enumerate(futures):
        kind = type(future.exception(timeout=300))
        assert kind is (MemoryError if rank == 1 else GroupLost)


def test_a_member_that_cannot_tell_the_others_fails_with_its_own_error(monkeypatch):
    """They may be busy for so long, or lost."""
    monkeypatch.setattr(groups, "FAREWELL", 0.01)
    told = []

    async def answers_late(**message):
        told.append(message["reason"])
        await asyncio.sleep(60)

    async def fail():
        group = object.__new__(Group)
        group.rank, group.addresses, group._op, group._session_name = 0, ["a", "b", "c"], "answer", "busy"
        group.worker = SimpleNamespace(rpc=lambda address: SimpleNamespace(answer=answers_late))
        group._session = groups.Session()
        await group._spread("no room")
        return group._session.failure

    assert asyncio.run(fail()) == "no room"
    assert told == ["no room"] * 2


def test_a_cancelled_fit_is_noticed(client, fit):
    futures = meet(client, fit, "cancelled", 3, add_then_fail, 1)
    wait(futures[1])
    client.cancel(futures)
    keys = [future.key for future in futures]

    def members_at_work(dask_worker):
        return [key for key in keys if key in dask_worker.state.tasks]

    wait_until(client, lambda dask_worker: not members_at_work(dask_worker), all)


def wait_until(client, function, how=any):
    """Until a function is true of any or all workers."""
    for _ in range(3000):
        if how(client.run(function).values()):
            return
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def leave(group):
    group.leave()


@pytest.mark.parametrize("at_work", [slow(True), False])
def test_mailboxes_leave_when_the_client_is_gone(client, at_work):
    """A member that ends while the client still wants the fit leaves them where they are. When the client is gone they
    leave everywhere, and the scheduler gives none to new workers."""
    wish = client.submit(int, key=groups.wish_of("late"))
    client.register_plugin(Mailbox("late"))

    def count_looks(dask_worker):
        plugin = dask_worker.plugins["spinney-late"]
        plugin.n_looks = 0
        clear = plugin.doubt.clear

        def cleared():
            plugin.n_looks += 1
            clear()

        plugin.doubt.clear = cleared

    client.run(count_looks)
    client.gather(meet(client, "late", "a", 3, leave))
    wait_until(client, lambda dask_worker: dask_worker.plugins["spinney-late"].n_looks > 0, all)
    assert all(client.run(lambda dask_worker: "spinney-late" in dask_worker.handlers).values())
    wish.release()
    if at_work:  # or the next regular look finds out
        meet(client, "late", "b", 3, leave)
    wait_until(client, lambda dask_worker: "spinney-late" not in dask_worker.handlers, all)
    known = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.worker_plugins))
    assert "spinney-late" not in known


def test_a_file_of_a_session_that_ends_early_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbours, "_SHARED", tmp_path)
    shared = neighbours.open_shared("spinney-early")
    assert [one.name for one in tmp_path.iterdir()] == ["spinney-early"]
    shared.close()
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(neighbours, "_SHARED", tmp_path / "nowhere")
    monkeypatch.setattr(neighbours.tempfile, "gettempdir", lambda: str(tmp_path / "nowhere"))
    assert neighbours.open_shared("spinney-early") is None
