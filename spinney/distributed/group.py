"""All-reduce among the members of one fit, one member per worker, through the workers' own servers.

In:  arrays of integers, one from every member. Out: their sum (or maximum, or all of them) at every member.
Members on one machine add up in memory that they share (neighbours.py), and one of them, the *speaker*, exchanges
messages with other machines. No port is opened: a `Mailbox`, a plugin of the workers, adds one handler to their
servers, and members call each other through the connections that workers have anyway, without waiting for replies.

    most sums     recursive doubling: swap all with a partner, then with one twice as far, ...    log2(n) messages' time
    large ones    each speaker adds up one slice and sends the sum back to all                    fewer bytes

Six members (4 is the largest power of two):

    first      4 -> 0      5 -> 1                          those beyond the power of two hand their arrays over
    level 0    0 <-> 1     2 <-> 3                         both have the sum of 2 of the four
    level 1    0 <-> 2     1 <-> 3                         all four have the sum of all
    last       0 -> 4      1 -> 5

By slices every member sends and receives about 2 arrays, however many members there are; by doubling log2(n) arrays.

Integer addition is associative and commutative, so either way gives the same bits. A lost member, or a cancelled fit,
ends all waiting with `GroupLost`: nothing waits for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, cast

import numpy as np
from distributed import WorkerPlugin, get_worker
from distributed.protocol.serialize import to_serialize

from spinney.distributed.neighbours import Neighbours, open_shared

_LARGE, _SOME_MEMBERS = 1 << 22, 32  # bytes; members that may all call each other
_STEPS = 64  # messages of a member in one sum, at most
_LINGER = 0.03  # seconds that results wait for others
_SHORT = 2**31 - 1
_LOOK = 0.5  # seconds between two looks whether the fit is still wanted
FAREWELL = 5.0  # seconds that a member that fails tries to tell the others
_WATCH = 5.0  # seconds between two looks whether the client is still there
_RUNNING = ("executing", "long-running")


class GroupLost(RuntimeError):
    """A member of the fit is gone, or nobody wants the fit any more."""


class Session:
    """One run of a fit on one worker: messages ("letters") from other members, and results that wait for the client."""

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
        """The message of a step from one of the members, which may not have arrived yet.

        Whoever comes first makes the future, the message or the member that waits for it: members need not be in step.
        """
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
        self.name, self._wish = name_of(fit), wish_of(fit)
        self.sessions: dict[str, Session] = {}
        self.closed: set[str] = set()

    def setup(self, worker: Any) -> None:
        self.worker = worker
        worker.handlers[self.name] = self.answer
        self.doubt = asyncio.Event()
        self._watching = asyncio.ensure_future(self._watch())

    def teardown(self, worker: Any) -> None:
        self._watching.cancel()
        worker.handlers.pop(self.name, None)
        for session in list(self.sessions):
            self.close(session, "the fit is over")

    async def _watch(self) -> None:
        """Leave when the client is gone: it may be closed or killed at any moment, also when no member is at work.

        The mailbox of one worker sees to it that all of them are removed; one that was not reached removes itself.
        """
        n_missed = 0
        while n_missed < 2:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.doubt.wait(), _WATCH)
            self.doubt.clear()
            with contextlib.suppress(
                Exception
            ):  # a scheduler that is gone, a worker that is lost, a fit that has ended
                scheduler = self.worker.scheduler
                if (await scheduler.get_task_status(keys=[self._wish]))[self._wish] is not None:
                    continue
                n_missed += 1
                if min((await scheduler.identity(n_workers=-1))["workers"]) == self.worker.address:
                    await scheduler.unregister_worker_plugin(name=self.name)
        if self.worker.plugins.get(self.name) is self:
            await self.worker.plugin_remove(self.name)

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


def wish_of(fit: str) -> str:
    """A task that the client wants as long as it wants the fit: the scheduler forgets it with the client."""
    return f"spinney-fit-{fit}"


class Group:
    """What a member knows of the others. Its methods are called in the member's own thread."""

    def __init__(self, fit: str, session: str, addresses: list[str], rank: int) -> None:
        self.rank, self.size, self.addresses = rank, len(addresses), addresses
        self._session_name, self._op = session, name_of(fit)
        self.worker = cast(Any, get_worker())
        self._key = self.worker.get_current_task()
        if self._op not in self.worker.plugins:
            raise GroupLost("the fit is over")
        self._mailbox: Mailbox = self.worker.plugins[self._op]
        self._n_talks = self._turn = 0  # sums and the like so far, and the number of this one's next message
        self._sending: set[asyncio.Future] = set()
        self._loop = self.worker.loop.asyncio_loop
        self._session: Session = self._run(self._open())
        self._looked = 0.0
        self._speakers, self._neighbours = self._settle_in() if self.size > 1 else ([0], None)

    def _settle_in(self) -> tuple[list[int], Neighbours | None]:
        """Find out who is on the same machine: who speaks for each machine, and the neighbours of this member."""
        shared = open_shared(f"spinney-{self._session_name}")
        try:
            own = f"{self.rank}" if shared is None else shared.identity
            homes = [bytes(one).decode() for one in self.gather(np.frombuffer(own.encode(), np.uint8))]
            if shared is not None:
                shared.unlink()
            ranks = [rank for rank, home in enumerate(homes) if home == own]
            numbers = None if shared is None or len(ranks) == 1 else shared.numbers(len(ranks))
            is_open = [bool(one[0]) for one in self.gather(np.array([numbers is not None]))]
        finally:
            if shared is not None:
                shared.close()
        whole = {home for home in homes if all(is_open[rank] for rank, one in enumerate(homes) if one == home)}
        speakers = [rank for rank, home in enumerate(homes) if home not in whole or homes.index(home) == rank]
        if numbers is None or own not in whole:
            return speakers, None
        return speakers, Neighbours(numbers, ranks.index(self.rank), len(ranks), self._look_now_and_then)

    # --- collective operations ---------------------------------------------------------------------------------------

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
        self._begin()
        return self._run(self._gather(np.ascontiguousarray(array)))

    def to_first(self, array: np.ndarray) -> list[np.ndarray]:
        """All members' arrays at the first member, which alone waits for them; elsewhere nothing."""
        if self.size == 1:
            return [array]
        self._begin()
        return self._run(self._to_first(np.ascontiguousarray(array)))

    def _reduce(self, array: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
        if self.size == 1:
            return array
        flat = np.ascontiguousarray(array).reshape(-1)
        self._begin()
        if flat.itemsize != 8:
            total = self._by_messages(flat, combine, list(range(self.size)))
        elif self._neighbours is None:
            total = self._by_messages(flat, combine, self._speakers)
        elif len(self._speakers) == 1:
            total = self._neighbours.reduce(flat, combine)
        else:
            total = self._neighbours.reduce(flat, combine, lambda one: self._by_messages(one, combine, self._speakers))
        return total.reshape(array.shape)

    def _begin(self) -> None:
        """Number this operation: all members do the same ones in the same order, so (number, step) names a message."""
        self._n_talks += 1
        self._turn = self._n_talks << 32

    def _by_messages(self, array: np.ndarray, combine: Callable[..., np.ndarray], ranks: list[int]) -> np.ndarray:
        """The sum of some members' arrays, for each of them."""
        by_slices = array.nbytes >= _LARGE and 2 < len(ranks) <= _SOME_MEMBERS
        total = self._run((self._by_slices if by_slices else self._by_doubling)(array, combine, ranks))
        self._turn += _STEPS
        return total

    async def _by_doubling(self, array: np.ndarray, combine: Callable[..., np.ndarray], ranks: list[int]) -> np.ndarray:
        """Recursive doubling: the partner at level l has the number that differs in bit l."""
        me, levels, last = ranks.index(self.rank), len(ranks).bit_length() - 1, self._turn + _STEPS - 1
        most = 1 << levels
        if me >= most:
            await self._swap({ranks[me - most]: array}, [], self._turn)
            return (await self._swap({}, [ranks[me - most]], last))[0]
        beyond = ranks[me + most : me + most + 1]
        array = _combined([array, *await self._swap({}, beyond, self._turn)], combine)
        for level in range(levels):
            other = ranks[me ^ (1 << level)]
            array = _combined([array, *await self._swap({other: array}, [other], self._turn + 1 + level)], combine)
        await self._swap({rank: array for rank in beyond}, [], last)
        return array

    async def _by_slices(self, array: np.ndarray, combine: Callable[..., np.ndarray], ranks: list[int]) -> np.ndarray:
        # reduce-scatter, then all-gather: first everybody gets its own slice of all arrays, then everybody's sum
        me, others = ranks.index(self.rank), [rank for rank in ranks if rank != self.rank]
        cuts = [len(array) * k // len(ranks) for k in range(len(ranks) + 1)]
        slices = {rank: array[begin:end] for rank, (begin, end) in zip(ranks, pairwise(cuts))}
        arrived = await self._swap({rank: slices[rank] for rank in others}, others, self._turn)
        own = _combined([slices[self.rank], *arrived], combine)
        arrived = await self._swap({rank: own for rank in others}, others, self._turn + 1)
        return np.concatenate([*arrived[:me], own, *arrived[me:]])

    async def _gather(self, array: np.ndarray) -> list[np.ndarray]:
        others = [rank for rank in range(self.size) if rank != self.rank]
        arrived = await self._swap({rank: array for rank in others}, others, self._turn)
        return [*arrived[: self.rank], array, *arrived[self.rank :]]

    def leave(self) -> None:
        """This session has ended early: perhaps because the client is gone, and somebody has to clear up."""
        self.worker.loop.add_callback(self._mailbox.doubt.set)

    def fail(self, reason: str) -> None:
        """Tell all members that this one cannot go on."""
        self._run(self._spread(reason))

    async def _to_first(self, array: np.ndarray) -> list[np.ndarray]:
        if self.rank == 0:
            return [array, *await self._swap({}, range(1, self.size), self._turn)]
        await self._swap({0: array}, [], self._turn)
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

    # --- messages ----------------------------------------------------------------------------------------------------

    async def _open(self) -> Session:
        return self._mailbox.session(self._session_name)

    async def _swap(self, outgoing: dict[int, np.ndarray], senders: Iterable[int], step: int) -> list[np.ndarray]:
        """Send arrays to some members, and wait for those of others, in the order of `senders`."""
        if self._session.failure:
            raise GroupLost(self._session.failure)
        for rank, array in outgoing.items():
            sending = asyncio.ensure_future(self._send(rank, step, _copied(array)))
            self._sending.add(sending)
            sending.add_done_callback(self._sent)
        arrived = []
        for rank in senders:
            letter = self._session.letter(step, rank)
            while not letter.done():
                await asyncio.wait({letter, self._session.ended}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                self._look()
            arrived.append(_lengthened(np.asarray(letter.result())))
            self._session.letters.pop((step, rank), None)
        return arrived

    def _sent(self, sending: asyncio.Future) -> None:
        self._sending.discard(sending)
        if not sending.cancelled():
            sending.exception()  # the session has been told

    async def _send(self, rank: int, step: int, array: np.ndarray) -> None:
        """Without waiting for a reply. The array must not change: Dask may write it later."""
        try:
            call = getattr(self.worker.rpc(self.addresses[rank]), self._op)
            letter = {"session": self._session_name, "step": step, "sender": self.rank}
            await call(what="letter", **letter, array=to_serialize(array), reply=False)
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
        with contextlib.suppress(TimeoutError):  # or it would take the place of the error that is told
            await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), FAREWELL)

    def _look(self) -> None:
        """Raise if the scheduler or the client has let go of this task."""
        if self._session.failure or not self._is_wanted():
            self._session.fail("the fit was cancelled")
            raise GroupLost(self._session.failure)

    def _look_now_and_then(self) -> None:
        """For a caller that waits outside of the event loop, and calls this often."""
        if self._session.failure:
            raise GroupLost(self._session.failure)
        now = time.monotonic()
        if now > self._looked + _LOOK:
            self._looked = now
            self._run(self._look_there())

    async def _look_there(self) -> None:
        self._look()

    def _is_wanted(self) -> bool:
        state = self.worker.state.tasks.get(self._key)
        return state is not None and state.state in _RUNNING

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _copied(array: np.ndarray) -> np.ndarray:
    """In half the bytes, where integers are small: most histograms."""
    if array.dtype != np.int64 or not array.size or array.max() > _SHORT or array.min() < -_SHORT:
        return array.copy()
    return array.astype(np.int32)


def _lengthened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype == np.int32 else array


def _combined(arrays: list[np.ndarray], combine: Callable[..., np.ndarray]) -> np.ndarray:
    total = combine(arrays[0], arrays[1]) if len(arrays) > 1 else arrays[0]
    for one in arrays[2:]:
        combine(total, one, out=total)
    return total
