"""The assistant: helps where it can, is never needed, and is never left behind."""

import multiprocessing
import os
import pickle
import signal
import sys
import time

import pytest
from numba.core import types

from spinney._compile import PLAIN_PYTHON, assistant
from spinney._compile import folder as folders
from spinney._compile.parts import Need
from tests._compile.processes import COUNTED, is_running, run, start, warm_cache

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")
NUMBERS = types.Array(types.float64, 1, "C")
FILL = Need("tests._compile.kernels", "fill", (NUMBERS, types.float64))


@pytest.fixture
def alone(monkeypatch):
    """A process that has no assistant yet, on a machine where one would be of use."""
    monkeypatch.setattr(assistant, "_process", None)
    monkeypatch.setattr(assistant, "_n_cores", lambda: 2)
    monkeypatch.delenv("SPINNEY_ASSISTANT", raising=False)
    yield
    if assistant._process is not None:
        assistant._dismiss()
        assistant._process.wait(timeout=300)


def wait_until(is_so):
    deadline = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- whether there is one ---------------------------------------------------------------------------------------------


@pytest.fixture
def started(alone, monkeypatch):
    """How often a process would have been started."""
    calls = []

    def refuse(*args, **kwargs):
        calls.append(kwargs["env"])
        raise OSError("no more processes")  # which does not matter

    monkeypatch.setattr(assistant.subprocess, "Popen", refuse)
    return calls


def test_there_is_one_where_it_is_of_use(started):
    assistant.start_assistant()
    assert [(env["SPINNEY_ASSISTANT"], env["SPINNEY_QUIET"]) for env in started] == [("0", "1")]
    assistant.hand_over(FILL)  # to nobody


@pytest.mark.parametrize(
    "circumstance",
    ["switched off", "one core", "worker process", "frozen program", "no interpreter", "embedded"],
)
def test_there_is_none_where_it_is_not(started, monkeypatch, circumstance):
    if circumstance == "switched off":
        monkeypatch.setenv("SPINNEY_ASSISTANT", "0")
    elif circumstance == "one core":
        monkeypatch.setattr(assistant, "_n_cores", lambda: 1)
    elif circumstance == "worker process":
        monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    elif circumstance == "frozen program":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", "" if circumstance == "no interpreter" else "/usr/sbin/server")
    assistant.start_assistant()
    assert started == []


def tell(queue):
    queue.put(assistant.is_useful())


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_of_any_kind_have_none(alone, method):
    if method == "fork" and sys.platform == "darwin":
        pytest.skip("forks of macOS are not safe")
    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    worker = context.Process(target=tell, args=(queue,))
    worker.start()
    assert queue.get() is False
    worker.join()


# --- what it does -----------------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(tmp_path))
    path = os.pathsep.join(sys.path)
    monkeypatch.setenv("PYTHONPATH", path)
    return folders.cache_folder.__wrapped__()


def idle_after(seconds):
    """The program of an assistant that goes after some seconds without work."""
    return (
        "import sys; sys.path[:] = {path!r}; "
        f"import spinney._compile.assistant as one; one._IDLE = {seconds}; one.serve()"
    )


def test_it_compiles_what_it_is_handed_and_goes_when_dismissed(alone, own_cache, monkeypatch):
    """Also after a part that it cannot find, and one that cannot be compiled."""
    monkeypatch.setattr(assistant, "_START", idle_after(300))
    assistant.start_assistant()
    process = assistant._process
    assistant.start_assistant()  # it is there
    assert assistant._process is process
    assistant.hand_over(Need("no.such.module", "fill", ()))
    assistant.hand_over(FILL._replace(signature=(types.float64, types.float64)))
    assistant.hand_over(lambda: "no pickle")
    assistant.hand_over(FILL)
    wait_until(lambda: list(own_cache.glob("tests._compile.kernels.fill-*.bin")))
    assert process.poll() is None
    assistant._dismiss()
    assert process.wait(timeout=300) == 0
    assistant.hand_over(FILL)  # to nobody
    assert not list(own_cache.glob("*.lock"))


def test_it_goes_when_there_is_nothing_to_do(alone, own_cache, monkeypatch):
    monkeypatch.setattr(assistant, "_START", idle_after(0.1))
    assistant.start_assistant()
    assert assistant._process.wait(timeout=300) == 0
    assistant.hand_over(FILL)


def test_one_that_crashes_does_not_matter(alone, monkeypatch, kernels):
    monkeypatch.setattr(assistant, "_START", "import os; os.abort()  # {path}")
    assistant.start_assistant()
    assert assistant._process.wait(timeout=300) != 0
    expected = kernels.use_all()
    assistant._process.stdin.write(b"more than nobody reads")
    assistant.hand_over(FILL)
    assert kernels.use_all() == expected


def test_the_largest_part_is_compiled_first(monkeypatch):
    order = []

    class Job:
        def __init__(self, n):
            self.n, self.signature = n, n

        def size(self):
            if self.n == 0:
                raise ImportError
            return self.n

        def find(self):
            return self

        def is_elsewhere(self, signature):
            return signature == 7

        def prepare(self, signature):
            order.append(signature)
            if signature == 9:
                raise ValueError

    def receive(jobs):
        for body in (b"3", b"9", b"7", b"0", b"5"):
            jobs.put(body)

    monkeypatch.setattr(assistant, "_receive", receive)
    monkeypatch.setattr(assistant.threading, "Thread", lambda target, args, daemon: Now(target, args))
    monkeypatch.setattr(assistant.pickle, "loads", lambda body: Job(int(body)))
    monkeypatch.setattr(assistant, "_IDLE", 0.01)
    assistant.serve()
    assert order == [9, 5, 3]  # 7 is compiled elsewhere, 0 cannot be found


class Now:
    def __init__(self, target, args):
        self.start = lambda: target(*args)


# --- nobody is left behind --------------------------------------------------------------------------------------------

WITH_ASSISTANT = """
import sys
from spinney._compile import assistant
assistant._n_cores = lambda: 2
assistant.start_assistant()
print(assistant._process.pid, flush=True)
"""


@pytest.mark.parametrize("end", ["killed", "interrupted", "over"])
def test_it_does_not_outlive_its_process(tmp_path, end):
    code = WITH_ASSISTANT + ("" if end == "over" else "sys.stdin.readline()")
    process = start(code, SPINNEY_CACHE_DIR=str(tmp_path), SPINNEY_ASSISTANT="1")
    pid = int(process.stdout.readline())
    if end != "over":
        assert is_running(pid)
        process.send_signal(signal.SIGKILL if end == "killed" else signal.SIGINT)
    process.communicate(timeout=300)
    wait_until(lambda: not is_running(pid))


# --- with and without -------------------------------------------------------------------------------------------------

FIT = """
import numpy as np
from spinney import DecisionTreeRegressor
from spinney._compile import assistant, cache
read, used = cache._read, []
cache._read = lambda path, is_packaged: used.append(path.name) or read(path, is_packaged)
assistant._n_cores = lambda: 2
X = np.random.RandomState(0).randn(60, 3)
print(DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X[:, 0]).fingerprint_, assistant._process is not None)
print(*sorted(used))
"""


@pytest.mark.slow
def test_a_fit_with_and_without_it_is_the_same(tmp_path):
    """The same model, and with the files that it made a process without an assistant compiles nothing."""
    warm_cache(tmp_path, "spinney.grow.exact.grower", "spinney.grow.exact.search")
    with_it, _ = run(FIT, SPINNEY_CACHE_DIR=str(tmp_path), SPINNEY_ASSISTANT="1")
    assert with_it.split()[1] == "True"
    (folder,) = tmp_path.iterdir()
    wait_until(lambda: not list(folder.glob("*.lock")))
    made = sorted(path.name for path in folder.glob("*.bin"))
    assert sum("grow.exact.grower" in name for name in made) > 3
    without, complaints = run(FIT, SPINNEY_CACHE_DIR=str(tmp_path), SPINNEY_ASSISTANT="0")
    first, used = without.splitlines()
    assert first.split() == [with_it.split()[0], "False"]
    assert set(used.split()) <= set(made)
    assert complaints == ""
    assert sorted(path.name for path in folder.glob("*.bin")) == made
    assert not list(folder.glob("*.lock"))


@pytest.mark.slow
def test_small_kernels_with_it_give_the_same_files(tmp_path):
    made = []
    for k, preamble in enumerate(["", "from spinney._compile import assistant; assistant._n_cores = lambda: 2"]):
        place = tmp_path / str(k)
        out, _ = run(preamble + COUNTED, SPINNEY_CACHE_DIR=str(place), SPINNEY_ASSISTANT=str(k))
        wait_until(lambda place=place: not list(place.glob("*/*.lock")))
        made.append((out.splitlines()[1], sorted(path.name for path in place.glob("*/*"))))
    assert made[0] == made[1]


def test_a_part_can_be_described_to_it():
    assert pickle.loads(pickle.dumps(FILL)) == FILL
    assert FILL.find().py_func.__name__ == "fill"
    assert FILL.size() > 0
