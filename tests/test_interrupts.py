"""Interrupts held back: raised at the end or where they may be, in the main thread and in others."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

from spinney._compile import PLAIN_PYTHON, inner_kernel, uncached_kernel
from spinney._interrupts import Bell, import_whole, interrupts_held_back, let_interrupts_in

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")


@pytest.fixture(autouse=True)
def handler():
    """Python's own, whatever the tests are run by."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_waits_for_the_end():
    steps = []

    @interrupts_held_back()
    def nested():
        with interrupts_held_back():
            interrupt()
            steps.append("inner")
        steps.append("outer")

    with pytest.raises(KeyboardInterrupt):
        nested()
    assert steps == ["inner", "outer"]
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_an_interrupt_is_let_in_where_it_may_come():
    steps = []

    @interrupts_held_back()
    def work():
        let_interrupts_in()
        steps.append("nothing came")
        interrupt()
        let_interrupts_in()
        steps.append("not here")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["nothing came"]


def test_an_error_comes_out_with_the_interrupt():
    @interrupts_held_back()
    def fail():
        interrupt()
        raise ValueError("first")

    with pytest.raises(KeyboardInterrupt) as caught:
        fail()
    assert isinstance(caught.value.__context__, ValueError)


def test_a_handler_of_ones_own_is_asked_and_kept():
    asked = []
    mine = lambda number, frame: asked.append(number)
    signal.signal(signal.SIGINT, mine)
    with interrupts_held_back():
        interrupt()
        assert asked == []
    assert asked == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is mine


def test_a_handler_set_inside_stays():
    with interrupts_held_back():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_import_is_not_cut(tmp_path, monkeypatch):
    (tmp_path / "cut_me.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        import_whole("cut_me")
    assert sys.modules.pop("cut_me").whole


# --- threads ---------------------------------------------------------------------------------------------------------


def start(work):
    bell = Bell()
    thread = threading.Thread(target=bell.answer, args=(work,))
    thread.start()
    return bell, thread


def test_a_bell_ends_a_threads_work():
    begun = threading.Event()

    def work():
        begun.set()
        while True:
            time.sleep(0.001)

    bell, thread = start(work)
    assert begun.wait(300)
    assert not bell.wait(0.0)
    assert bell.ring()
    assert bell.wait(300)
    thread.join(300)
    assert not thread.is_alive()
    assert bell.ring()  # nobody there: nothing happens


def test_a_bell_is_not_heard_where_interrupts_are_held_back():
    inside, rung, steps = threading.Event(), threading.Event(), []

    def work():
        with interrupts_held_back():
            inside.set()
            rung.wait(300)
            for _ in range(1000):
                steps.append("on")
        steps.append("not here")

    bell, _ = start(work)
    assert inside.wait(300)
    assert bell.ring()
    rung.set()
    assert bell.wait(300)
    assert steps == ["on"] * 1000


def test_a_thread_is_not_interrupted_in_an_import(tmp_path, monkeypatch):
    (tmp_path / "slow_one.py").write_text(
        "import sys\nsys.slow_one_inside.set()\nsys.slow_one_go.wait(300)\nwhole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "slow_one_inside", threading.Event(), raising=False)
    monkeypatch.setattr(sys, "slow_one_go", threading.Event(), raising=False)

    def work():
        import slow_one  # noqa: F401

    bell, _ = start(work)
    assert sys.slow_one_inside.wait(300)
    assert not bell.ring()
    sys.slow_one_go.set()
    assert bell.wait(300)
    assert sys.modules.pop("slow_one").whole


# --- the compiler ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is compiled")
@pytest.mark.parametrize("stage", ["front", "LLVM"])
def test_a_kernel_that_was_interrupted_compiles_the_next_time(monkeypatch, stage):
    """An interrupt is neither swallowed by what LLVM calls back nor leaves a kernel half-compiled."""
    from numba.core import codegen

    from spinney._compile import pipeline

    @inner_kernel
    def half(x):
        return x / 2

    @uncached_kernel
    def call(x):
        return np.full(3, half(x)).sum()  # overloads that Numba compiles by itself

    home, name = {
        "front": (pipeline.InnerCompiler, "define_pipelines"),
        "LLVM": (codegen.JITCodeLibrary, "_object_compiled_hook"),
    }[stage]
    real, came = getattr(home, name), []

    def cut(*arguments):
        if not came:
            came.append(True)
            interrupt()
        return real(*arguments)

    monkeypatch.setattr(home, name, cut)
    if stage == "LLVM":
        _listen(cut)
    with pytest.raises(KeyboardInterrupt):
        call(3.0)
    assert came
    if stage == "LLVM":
        _listen(real)
    assert call(3.0) == 4.5


def _listen(hook):
    """Let LLVM tell a function of every object that it has compiled."""
    from numba.core import codegen
    from numba.core.registry import cpu_target

    engine = cpu_target.target_context.codegen()._engine
    engine.set_object_cache(hook, codegen.JITCodeLibrary._object_getbuffer_hook)
