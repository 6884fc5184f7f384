"""Teams of threads under fire: forks, Python threads, Ctrl-C, exceptions; and how many threads there are."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, _team
from spinney._compile import uncached_kernel
from spinney._interruptible_threads import NO_MEMORY
from spinney._team import (
    Team,
    available_threads,
    end_phases,
    finish_chunk,
    next_chunk,
    open_phase,
    stop_wanted,
    take_chunk,
)

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX systems")


def draw(seed=0, n_rows=30_000):
    """A table large enough for threads."""
    X = np.random.RandomState(seed).randn(n_rows, 4)
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def fit(seed=0, n_jobs=2, n_rows=30_000):
    X, y = draw(seed, n_rows)
    return GradientBoostingRegressor(n_estimators=3, random_state=0, n_jobs=n_jobs).fit(X, y)


def team_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("spinney")]


# --- how many --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n_jobs, limit, expected",
    [
        (None, None, 8),
        (-1, None, 8),
        (-2, None, 7),
        (-100, None, 1),
        (3, None, 3),
        (20, None, 20),  # taken at its word
        (None, "4", 4),
        (-1, "4", 4),
        (-2, "4", 3),
        (None, "99", 8),
        (None, "0", 1),
        (6, "4", 6),
    ],
)
@pytest.mark.parametrize("name", ["NUMBA_NUM_THREADS", "OMP_NUM_THREADS"])
def test_how_many_threads_a_wish_means(monkeypatch, name, n_jobs, limit, expected):
    monkeypatch.setattr(_team, "cpu_count", lambda: 8)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if limit is not None:
        monkeypatch.setenv(name, limit)
    assert available_threads(n_jobs) == expected


def test_the_least_limit_counts_and_odd_ones_do_not(monkeypatch):
    monkeypatch.setattr(_team, "cpu_count", lambda: 8)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "5")
    for limit, expected in (("3,2", 3), (" 4 ", 4), ("6", 5), ("", 5), ("many", 5)):
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        assert available_threads(None) == expected


def test_no_threads_are_no_wish():
    with pytest.raises(ValueError, match="n_jobs must be a positive number of threads, None or -1"):
        available_threads(0)


@pytest.mark.parametrize("n_jobs, limit, expected", [(1, None, 1), (3, None, 3), (None, "1", 1)])
def test_a_fit_uses_the_threads_it_may_and_leaves_none(monkeypatch, n_jobs, limit, expected):
    if limit is not None:
        monkeypatch.setenv("NUMBA_NUM_THREADS", limit)
    seen = []
    X, y = draw()
    model = GradientBoostingRegressor(n_estimators=3, n_jobs=n_jobs, callbacks=lambda info: seen.append(team_threads()))
    model.fit(X, y)
    assert len(seen[-1]) == expected
    assert team_threads() == []
    model.predict(X)
    next(model.staged_predict(X))
    assert team_threads() == []


def test_a_small_table_needs_no_thread():
    seen = []
    X, y = draw(n_rows=100)
    GradientBoostingRegressor(n_estimators=1, n_jobs=2, callbacks=lambda info: seen.extend(team_threads())).fit(X, y)
    assert seen == []


# --- a team ----------------------------------------------------------------------------------------------------------


@uncached_kernel
def count_chunks(rank, size, sync, seen, done):
    """seen[phase, chunk] += 1 for every chunk handed out; done[0] counts the phases."""
    if rank == 0:
        open_phase(sync, seen.shape[1])
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return done[0]
        seen[done[0], chunk] += 1
        if finish_chunk(sync):
            done[0] += 1
            if done[0] == seen.shape[0] or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, seen.shape[1])


@pytest.mark.parametrize("size, n_chunks", [(1, 9), (2, 1), (2, 300), (5, 3)])
def test_every_chunk_of_every_phase_is_given_out_once(size, n_chunks):
    seen, done = np.zeros((200, n_chunks), np.int64), np.zeros(1, np.int64)
    with Team(size) as team:
        assert team.run(count_chunks, seen, done) == 200
    assert (seen == 1).all()


@uncached_kernel
def one_pass(rank, size, sync, seen):
    while True:
        chunk = next_chunk(sync)
        if chunk >= seen.size:
            return rank
        seen[chunk] += 1


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_single_pass_gives_out_every_chunk_once(size):
    with Team(size) as team:
        for _ in range(20):
            seen = np.zeros(1000, np.int64)
            assert team.run(one_pass, seen) == 0
            assert (seen == 1).all()


@uncached_kernel
def die(rank, size, sync, victim):
    """One thread of the team raises; the others wait for a phase that will never be opened."""
    if rank == victim:
        raise ValueError("a team mate died")
    return take_chunk(sync)


@pytest.mark.parametrize("victim", [0, 2])
def test_a_thread_that_dies_does_not_hold_up_the_others(victim):
    with Team(3) as team, pytest.raises(ValueError, match="a team mate died"):
        team.run(die, victim)
    assert team_threads() == []


def test_map_keeps_the_order_and_hands_on_errors():
    for size in (1, 3):
        with Team(size) as team:
            assert team.map(lambda k: k * k, range(20)) == [k * k for k in range(20)]
            with pytest.raises(ZeroDivisionError):
                team.map(lambda k: 1 // k, [1, 0])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_each_calls_kernels_in_the_threads_of_the_team(size):
    def call(k):
        seen, done = np.zeros((3, k + 1), np.int64), np.zeros(1, np.int64)
        for _again in range(2):  # a part may be used again
            done[0] = 0
            assert parts[k].run(count_chunks, seen, done) == 3
        names.add(threading.current_thread().name)
        return seen.min(), seen.max()

    names = set()
    with Team(size) as team:
        parts = [team.part() for _ in range(7)]
        assert team.each(call, range(7)) == 7 * [(2, 2)]
        with pytest.raises(ZeroDivisionError):
            team.each(lambda k: 1 // k, [1, 0])
    assert names
    assert all(name.startswith("spinney") for name in names)


def test_a_team_in_the_callers_thread_is_its_own_part():
    with Team(inline=True) as team:
        assert team.part() is team
        assert team.each(lambda k: team.run(one_pass, np.zeros(k)), [1, 2]) == [0, 0]
    assert team_threads() == []


@uncached_kernel
def work_until_stopped(rank, size, sync):
    while not stop_wanted(sync):
        pass


@posix
@pytest.mark.parametrize("size", [1, 2])
def test_ctrl_c_ends_the_kernels_of_the_parts(size):
    def call(k):
        if k == size - 1:
            os.kill(os.getpid(), signal.SIGINT)
        parts[k].run(work_until_stopped)
        finished.append(k)

    finished = []
    with Team(size) as team:
        parts = [team.part() for _ in range(size)]
        with pytest.raises(KeyboardInterrupt):
            team.each(call, range(size))
    assert team_threads() == finished == []


def test_an_exception_in_a_callback_ends_the_fit_and_its_threads():
    def fail(info):
        assert len(team_threads()) == 2
        raise RuntimeError("enough")

    X, y = draw()
    model = GradientBoostingRegressor(n_estimators=3, n_jobs=2, callbacks=fail)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X, y)
    assert team_threads() == []
    assert model.set_params(callbacks=None, random_state=0).fit(X, y).fingerprint_ == fit().fingerprint_


# --- several at once -------------------------------------------------------------------------------------------------


def test_fits_in_several_python_threads_at_once():
    expected = [fit(seed, n_jobs=1).fingerprint_ for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda seed: fit(seed).fingerprint_, range(4))) == expected


def test_one_model_predicts_in_several_python_threads_at_once():
    X, y = draw()
    model = GradientBoostingClassifier(n_estimators=3, n_jobs=2).fit(X, y > 0)
    expected = model.predict_proba(X)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: model.predict_proba(X), range(6)):
            assert (answer == expected).all()


def start(code):
    """A new process that runs functions of this file."""
    prelude = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); from test_team import *\n"
    return subprocess.Popen([sys.executable, "-c", prelude + code], stdout=subprocess.PIPE, text=True)


def finish(process):
    try:
        out, _ = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail("the process hangs")
    assert process.returncode == 0
    return out.splitlines()


@pytest.mark.slow
@posix
def test_a_forked_child_fits_after_its_parent_did():
    lines = finish(
        start("""
print(fit().fingerprint_, flush=True)
child = os.fork()
os.write(1, (fit().fingerprint_ + "\\n").encode())  # at once: print would let the other's line in
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    )
    assert lines == 3 * [fit().fingerprint_]


@pytest.mark.slow
@posix
def test_forked_workers_fit_while_a_fit_runs_in_the_parent():
    lines = finish(
        start("""
import multiprocessing
def fork_once(info):
    if info.number == 2:  # the parent's team is alive: its threads do not exist in the children
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(*pool.map(fingerprint, [0, 1]), sep="\\n", flush=True)

def fingerprint(seed):
    return fit(seed).fingerprint_

X, y = draw()
model = GradientBoostingRegressor(n_estimators=3, random_state=0, n_jobs=2, callbacks=fork_once).fit(X, y)
print(model.fingerprint_)
""")
    )
    first, second = fit(0).fingerprint_, fit(1).fingerprint_
    assert lines == [first, second, first]


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@posix
def test_ctrl_c_ends_a_long_fit_and_leaves_the_old_model_whole():
    process = start("""
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
X, y = draw()
for rows, n_jobs in ((30_000, 2), (30_000, 1), (500, 1)):  # a team, one thread beside the caller's, the caller's own
    model = GradientBoostingClassifier(n_estimators=2, n_jobs=n_jobs, random_state=0).fit(X[:rows], y[:rows] > 0)
    fingerprint, before = model.fingerprint_, model.predict(X)
    long = lambda info: print("started", flush=True) if info.number == 3 else None
    try:
        model.set_params(n_estimators=10**9, callbacks=long).fit(X[:rows], np.digitize(y[:rows], [-1, 1]))
        print("not interrupted")
    except KeyboardInterrupt:
        pass
    assert not team_threads()
    assert model.fingerprint_ == fingerprint
    assert (model.predict(X) == before).all()
    model.set_params(n_estimators=2, callbacks=None).fit(X[:rows], y[:rows] > 0)
    assert model.fingerprint_ == fingerprint
    print("whole", flush=True)
""")
    watchdog = threading.Timer(600, process.kill)
    watchdog.start()
    for _ in range(3):
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "whole\n"
    watchdog.cancel()
    assert finish(process) == []


@pytest.mark.slow
def test_ctrl_c_at_any_step_of_the_caller_neither_hangs_nor_leaves_threads():
    """A KeyboardInterrupt at the first line that the caller runs inside `Team.run`, then at the second, and so on."""
    lines = finish(
        start("""
import faulthandler, itertools

def interrupt_at(step):
    lines = itertools.count(1)
    def trace(frame, event, argument):
        if event == "line" and next(lines) == step:
            raise KeyboardInterrupt
        return trace
    return trace

def call(step):
    seen, done = np.zeros((3, 4), np.int64), np.zeros(1, np.int64)
    faulthandler.dump_traceback_later(290, exit=True)
    with Team(2) as team:
        team.run(count_chunks, seen.copy(), done.copy())  # the threads are there, the kernel is compiled
        sys.settrace(interrupt_at(step))
        try:
            team.run(count_chunks, seen, done)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
    assert (seen == 1).all()
    return False

interrupted = list(itertools.takewhile(call, itertools.count(1)))
assert not team_threads()
print(len(interrupted) > 5)
""")
    )
    assert lines == ["True"]


@pytest.mark.slow
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "RuntimeError"])
def test_a_team_that_could_not_be_gathered_does_not_wait(error):
    """Ctrl-C between the first thread's start and the last one's, or a machine without another thread to give."""
    lines = finish(
        start(f"""
real, started = threading.Thread.start, []
def refuse(thread):
    started.append(thread)
    if len(started) == 3:
        raise {error}("no third thread")
    real(thread)
threading.Thread.start = refuse
try:
    with Team(3) as team:
        team.run(count_chunks, np.zeros((50, 9), np.int64), np.zeros(1, np.int64))
except {error}:
    print("out", len(team_threads()))
""")
    )
    assert lines == ["out 0"]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["_bootstrap", "run"])
@pytest.mark.parametrize("rank", [0, 2])
def test_a_thread_that_dies_at_birth_is_not_waited_for(step, rank):
    """Where no memory is left, a thread can die before its first line, or before it takes its first job."""
    lines = finish(
        start(f"""
real, born = threading.Thread.{step}, []
def die(thread):
    born.append(thread)
    if len(born) == {rank} + 1:
        raise MemoryError
    return real(thread)
threading.Thread.{step} = die
sys.unraisablehook = threading.excepthook = lambda report: None
try:
    with Team(3) as team:
        team.run(count_chunks, np.zeros((50, 9), np.int64), np.zeros(1, np.int64))
except MemoryError as error:
    print(error, len(team_threads()), threading.active_count())
""")
    )
    assert lines == [f"{NO_MEMORY} 0 1"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
def test_a_fit_without_memory_to_spare_ends():
    """However little is left: it works, or says that there is no memory."""
    lines = finish(
        start("""
import faulthandler, resource
faulthandler.dump_traceback_later(290, exit=True)

def in_use():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

def attempt(spare):
    '''A fit in a child that has so many bytes left.'''
    child = os.fork()
    if child == 0:
        threading.excepthook = sys.unraisablehook = lambda report: None
        resource.setrlimit(resource.RLIMIT_AS, (in_use() + spare,) * 2)
        try:
            fit()
        except (MemoryError, RuntimeError, OSError):
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

fit()
print(*(attempt(spare) for spare in (0, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20)))
""")
    )
    assert set(lines[0].split()) <= {"0", "3"}
    assert lines[0].startswith("3")
