"""Members of one fit, one per worker, that add integers up: an all-reduce through the workers' own servers.

In:  arrays of integers, one from every member. Out: their sum (or maximum, or all of them) at every member.
No port is opened: a `Mailbox`, a plugin of the workers, adds one handler to their servers, and members call each
other through the connections that workers have anyway.

    two members, or few numbers    everybody sends all to everybody                 one message's time
    some members                   each adds up one slice and sends the sum back    two, and no member is a bottleneck
    many                           up a binary tree and down again                  two a level

Integers commute, so the way makes no difference. A member that is lost, or a fit that is no longer wanted, ends every
waiting with `GroupLost`: nothing waits for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, cast

import numpy as np
from distributed import WorkerPlugin, get_worker
from distributed.protocol.serialize import to_serialize

_FEW_BYTES, _FEW_MEMBERS, _MANY_MEMBERS = 16_384, 8, 32
_LINGER = 0.03  # seconds that results wait for others
_SHORT = 2**31 - 1
_LOOK = 0.5  # seconds between two looks whether the fit is still wanted
_RUNNING = ("executing", "long-running")


class GroupLost(RuntimeError):
    """A member of the fit is gone, or nobody wants the fit any more."""


class Session:
    """One run of a fit on one worker: letters from other members, and results that wait for the client."""

    def __init__(self) -> None:
        self.letters: dict[tuple[int, int], asyncio.Future] = {}
        self.results: list[bytes] = []
        self.n_taken = 0  # results that the client has; those in the list come after them
        self.wanted = 0  # results that the client has room for
        self.changed = asyncio.Event()  # something for the client,
        self.room = asyncio.Event()  # or from it
        self.failure = ""
        self.ended = asyncio.get_running_loop().create_future()

    def letter(self, step: int, sender: int) -> asyncio.Future:
        """That of a step, from one of the members: perhaps it is not here yet."""
        key = step, sender
        if key not in self.letters:
            self.letters[key] = asyncio.get_running_loop().create_future()
            if self.failure:
                self.letters[key].set_exception(GroupLost(self.failure))
                self.letters[key].exception()
        return self.letters[key]

    def fail(self, reason: str) -> None:
        """Nobody waits any longer."""
        self.failure = self.failure or reason
        if not self.ended.done():
            self.ended.set_result(None)
        for letter in self.letters.values():
            if not letter.done():
                letter.set_exception(GroupLost(self.failure))
                letter.exception()  # or asyncio complains where nobody asks for it
        self.changed.set()
        self.room.set()


class Mailbox(WorkerPlugin):
    """The handler on a worker's server, for as long as a fit lasts; found by its name among the worker's plugins."""

    def __init__(self, fit: str) -> None:
        self.name = name_of(fit)
        self.sessions: dict[str, Session] = {}
        self.closed: set[str] = set()

    def setup(self, worker: Any) -> None:
        self.worker = worker
        worker.handlers[self.name] = self.answer

    def teardown(self, worker: Any) -> None:
        worker.handlers.pop(self.name, None)
        for session in list(self.sessions):
            self.close(session, "the fit is over")

    def session(self, name: str) -> Session:
        if name in self.closed:
            session = Session()
            session.fail("the fit is over")
            return session
        return self.sessions.setdefault(name, Session())

    def close(self, name: str, reason: str) -> None:
        self.closed.add(name)
        session = self.sessions.pop(name, None)
        if session is not None:
            session.fail(reason)

    async def answer(self, session: str, what: str, **message: Any) -> Any:
        """Somebody calls: another member, or the client."""
        if what == "letter":
            letter = self.session(session).letter(message["step"], message["sender"])
            if not letter.done():
                letter.set_result(message["array"])
            return None
        if what == "fail":
            self.session(session).fail(message["reason"])
            return None
        if what == "close":
            self.close(session, "the fit is over")
            return None
        return await self._hand_over(self.session(session), **message)

    async def _hand_over(self, session: Session, n_taken: int, ahead: int, seconds: float) -> dict[str, Any]:
        """The results after the first `n_taken`, once there are any; members may be `ahead` of the client."""
        done = max(0, n_taken - session.n_taken)
        del session.results[:done]
        session.n_taken += done
        session.wanted = n_taken + ahead
        session.room.set()
        await self._wait_for(session, 1, seconds)
        if session.results:  # a call takes longer than a small round: several at a time
            await self._wait_for(session, ahead, _LINGER)
        return {"results": list(session.results), "failure": session.failure}

    async def _wait_for(self, session: Session, n: int, seconds: float) -> None:
        """Until there are n results, or the session ends, or the time."""
        deadline = asyncio.get_running_loop().time() + seconds
        while len(session.results) < n and not session.failure:
            session.changed.clear()
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(session.changed.wait(), left)


def name_of(fit: str) -> str:
    """What a fit's plugin and handler are called."""
    return f"spinney-{fit}"


class Group:
    """What a member knows of the others. Its methods are called in the member's own thread."""

    def __init__(self, fit: str, session: str, addresses: list[str], rank: int) -> None:
        self.rank, self.size, self.addresses = rank, len(addresses), addresses
        self._session_name, self._op = session, name_of(fit)
        self.worker = cast(Any, get_worker())
        self._key = self.worker.get_current_task()
        self._mailbox: Mailbox = self.worker.plugins[self._op]
        self._step = 0
        self._loop = self.worker.loop.asyncio_loop
        self._session: Session = self._run(self._open())

    # --- what members say together -----------------------------------------------------------------------------------

    def sum(self, array: np.ndarray) -> np.ndarray:
        """The sum of all members' arrays of integers, which have one shape."""
        return self._reduce(array, np.add)

    def maximum(self, array: np.ndarray) -> np.ndarray:
        """The largest of all members' numbers, place by place."""
        return self._reduce(array, np.maximum)

    def gather(self, array: np.ndarray) -> list[np.ndarray]:
        """All members' arrays, of whatever lengths, by rank."""
        if self.size == 1:
            return [array]
        return self._run(self._gather(np.ascontiguousarray(array)))

    def to_first(self, array: np.ndarray) -> list[np.ndarray]:
        """All members' arrays at the first member, which alone waits for them; elsewhere nothing."""
        if self.size == 1:
            return [array]
        return self._run(self._to_first(np.ascontiguousarray(array)))

    def _reduce(self, array: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
        if self.size == 1:
            return array
        flat = np.ascontiguousarray(array).reshape(-1)
        if self.size == 2 or (flat.nbytes <= _FEW_BYTES and self.size <= _FEW_MEMBERS):
            work = self._by_exchange(flat, combine)
        elif self.size <= _MANY_MEMBERS:
            work = self._by_slices(flat, combine)
        else:
            work = self._by_tree(flat, combine)
        return self._run(work).reshape(array.shape)

    async def _by_exchange(self, array: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
        others = [rank for rank in range(self.size) if rank != self.rank]
        arrived = await self._swap({rank: array for rank in others}, others)
        return _combined([array, *arrived], combine)

    async def _by_slices(self, array: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
        others = [rank for rank in range(self.size) if rank != self.rank]
        cuts = [len(array) * k // self.size for k in range(self.size + 1)]
        slices = [array[begin:end] for begin, end in pairwise(cuts)]
        arrived = await self._swap({rank: slices[rank] for rank in others}, others)
        own = _combined([slices[self.rank], *arrived], combine)
        arrived = await self._swap({rank: own for rank in others}, others)
        return np.concatenate([*arrived[: self.rank], own, *arrived[self.rank :]])

    async def _by_tree(self, array: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
        above = (self.rank - 1) // 2
        below = [rank for rank in (2 * self.rank + 1, 2 * self.rank + 2) if rank < self.size]
        up, down = self._step, self._step + 1
        total = _combined([array, *await self._swap({}, below, up)], combine)
        if self.rank:
            await self._swap({above: total}, [], up)
            (total,) = await self._swap({}, [above], down)
        await self._swap({rank: total for rank in below}, [], down)
        self._step = down + 1
        return total

    async def _gather(self, array: np.ndarray) -> list[np.ndarray]:
        others = [rank for rank in range(self.size) if rank != self.rank]
        arrived = await self._swap({rank: array for rank in others}, others)
        return [*arrived[: self.rank], array, *arrived[self.rank :]]

    def leave(self) -> None:
        """Clear up where the client no longer can: it has neither ended this session nor wants its task."""
        if self._session_name not in self._mailbox.closed and not self._is_wanted():
            self._run(self._forget())

    async def _forget(self) -> None:
        with contextlib.suppress(Exception):  # another member may have been first
            await self.worker.scheduler.unregister_worker_plugin(name=self._op)
        await self.worker.plugin_remove(self._op)

    def fail(self, reason: str) -> None:
        """Tell all members that this one cannot go on."""
        self._run(self._spread(reason))

    async def _to_first(self, array: np.ndarray) -> list[np.ndarray]:
        if self.rank == 0:
            return [array, *await self._swap({}, range(1, self.size))]
        step, self._step = self._step, self._step + 1
        sending = asyncio.ensure_future(self._send(0, step, array))
        sending.add_done_callback(lambda done: done.cancelled() or done.exception())  # it has told the session
        return []

    # --- results for the client --------------------------------------------------------------------------------------

    def tell(self, result: bytes) -> None:
        """Leave a result for the client; waits while the client is far behind."""
        self._run(self._tell(result))

    async def _tell(self, result: bytes) -> None:
        session = self._session
        session.results.append(result)
        session.changed.set()
        while session.n_taken + len(session.results) > max(1, session.wanted) and not session.failure:
            session.room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(session.room.wait(), _LOOK)
            self._look()
        if session.failure:
            raise GroupLost(session.failure)

    # --- letters -----------------------------------------------------------------------------------------------------

    async def _open(self) -> Session:
        return self._mailbox.session(self._session_name)

    async def _swap(
        self, outgoing: dict[int, np.ndarray], senders: Iterable[int], step: int | None = None
    ) -> list[np.ndarray]:
        """Send arrays to some members and wait for those of others, in the order of `senders`."""
        if step is None:
            step, self._step = self._step, self._step + 1
        letters = [self._session.letter(step, rank) for rank in senders]
        sending = [self._send(rank, step, array) for rank, array in outgoing.items()]
        work = asyncio.ensure_future(asyncio.gather(*sending, *(self._arrival(letter) for letter in letters)))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # or asyncio complains
        await asyncio.wait({work, self._session.ended}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():  # Dask tries for long to reach a worker that is gone
            work.cancel()
            raise GroupLost(self._session.failure)
        arrived = work.result()
        for rank in senders:
            self._session.letters.pop((step, rank), None)
        return [_lengthened(np.asarray(array)) for array in arrived[len(sending) :]]

    async def _send(self, rank: int, step: int, array: np.ndarray) -> None:
        try:
            call = getattr(self.worker.rpc(self.addresses[rank]), self._op)
            letter = {"session": self._session_name, "step": step, "sender": self.rank}
            await call(what="letter", **letter, array=to_serialize(_shortened(array)))
        except Exception as error:
            reason = f"worker {self.addresses[rank]} is lost ({type(error).__name__}: {error})"
            await self._spread(reason)
            raise GroupLost(reason) from error

    async def _spread(self, reason: str) -> None:
        """End all members' waiting; those that cannot be reached are gone anyway."""
        if self._session.failure:
            return
        self._session.fail(reason)
        others = [one for rank, one in enumerate(self.addresses) if rank != self.rank]
        message = {"session": self._session_name, "what": "fail", "reason": reason}
        calls = [getattr(self.worker.rpc(one), self._op)(**message) for one in others]
        await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 5)

    async def _arrival(self, letter: asyncio.Future) -> Any:
        while True:
            await asyncio.wait({letter}, timeout=_LOOK)
            if letter.done():
                return letter.result()
            self._look()

    def _look(self) -> None:
        """Raise if the scheduler or the client has let go of this task."""
        if self._session.failure or not self._is_wanted():
            self._session.fail("the fit was cancelled")
            raise GroupLost(self._session.failure)

    def _is_wanted(self) -> bool:
        state = self.worker.state.tasks.get(self._key)
        return state is not None and state.state in _RUNNING

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _shortened(array: np.ndarray) -> np.ndarray:
    """Half the bytes, where integers are small: most histograms."""
    if array.dtype != np.int64 or not array.size or array.max() > _SHORT or array.min() < -_SHORT:
        return array
    return array.astype(np.int32)


def _lengthened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype == np.int32 else array


def _combined(arrays: list[np.ndarray], combine: Callable[..., np.ndarray]) -> np.ndarray:
    total = combine(arrays[0], arrays[1]) if len(arrays) > 1 else arrays[0]
    for one in arrays[2:]:
        combine(total, one, out=total)
    return total
