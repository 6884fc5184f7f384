"""How kernels are compiled, and what happens where our way does not work."""

import gc
import os
import re
import signal
import threading

import numba
import numpy as np
import pytest

from spinney._compile import (
    PLAIN_PYTHON,
    CompileError,
    decorators,
    inner_kernel,
    kernel,
    merged_kernel,
    part_kernel,
    pipeline,
    separate_kernel,
    uncached_kernel,
)
from spinney._compile.check import Verdict, judge
from spinney._interrupts import interrupts_held_back

needs_compiler = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")


@needs_compiler
def test_it_works_with_this_numba():
    assert judge(numba.njit) == Verdict(compiles=True, keeps=True)


@needs_compiler
@pytest.mark.parametrize("how", ["raises", "lies"])
def test_a_numba_that_it_does_not_work_with_is_found_out(how):
    def broken(**options):
        def decorate(function):
            if how == "raises":
                raise AttributeError("moved")
            return (
                numba.njit(lambda numbers, out: 0.0) if function.__name__ == "nest" else numba.njit(**options)(function)
            )

        return decorate

    assert not judge(broken).compiles


@pytest.fixture
def broken(monkeypatch):
    """A version of Numba that the pipeline does not work with."""
    monkeypatch.setattr(decorators, "judge", lambda njit: Verdict(False, False, "moved"))
    monkeypatch.setattr(decorators, "was_checked", lambda: False)
    decorators.pipeline_works.cache_clear()
    yield
    decorators.pipeline_works.cache_clear()


@needs_compiler
def test_there_kernels_are_numbas_own_and_not_kept(broken, folder, capsys):
    @inner_kernel
    def twice(x):
        return 2 * x

    @separate_kernel
    def plus(x, y):
        return x + y

    @part_kernel(returns="float64")
    def total(numbers):
        s = 0.0
        for i in range(numbers.size):
            s = plus(s, twice(numbers[i]))
        return s

    @kernel
    def outside(numbers):
        return total(numbers)

    assert outside(np.arange(5.0)) == 20.0
    assert list(folder.iterdir()) == []
    said = capsys.readouterr().err
    assert said.count("the fast compiler does not work with Numba") == 1
    assert "docs/dependencies.md" in said


@needs_compiler
def test_a_check_is_remembered(folder, monkeypatch):
    checks = []
    monkeypatch.setattr(decorators, "judge", lambda njit: checks.append(njit) or Verdict(True, True))
    for _ in range(2):
        decorators.pipeline_works.cache_clear()
        assert decorators.pipeline_works()
    assert len(checks) == 1
    assert [path.name.split("-")[0] for path in folder.iterdir()] == ["checked"]
    decorators.pipeline_works.cache_clear()


# --- machine code -----------------------------------------------------------------------------------------------------


def machine_code(function, *arguments):
    function(*arguments)
    (text,) = function.inspect_asm().values()
    return text


@needs_compiler
def test_merged_kernels_vanish_and_separate_ones_do_not():
    def large(x):
        for _ in range(7):
            x = x * x + 3.0
        return x

    merged, separate = merged_kernel(large), separate_kernel(large)

    def call_merged(x):
        return merged(x) + merged(x + 1.0)

    def call_separate(x):
        return separate(x) + separate(x + 1.0)

    calls = re.compile(r"\b(call|bl)\w*\s.*large|large.*@PLT")
    assert not calls.search(machine_code(uncached_kernel(call_merged), 0.5))
    assert "large" in machine_code(uncached_kernel(call_separate), 0.5)
    assert uncached_kernel(call_merged)(0.5) == uncached_kernel(call_separate)(0.5) == large(0.5) + large(1.5)


@needs_compiler
def test_libraries_are_linked_once_and_callers_first():
    class Library:
        def __init__(self, *needs):
            self._linking_libraries = list(needs)

    bottom = Library()
    left, right = Library(bottom), Library(bottom)
    right._linking_libraries.append(left)
    order = pipeline._all_libraries(Library(left, right, bottom))
    assert sorted(map(id, order)) == sorted(map(id, [left, right, bottom]))
    assert order.index(right) < order.index(left) < order.index(bottom)


@needs_compiler
@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_rests_while_compiling_only(monkeypatch, is_on):
    seen = []
    monkeypatch.setattr(pipeline, "load_parts", lambda needs: seen.append(gc.isenabled()))
    (gc.enable if is_on else gc.disable)()
    try:
        assert uncached_kernel(lambda x: x + 1)(1) == 2
        assert gc.isenabled() is is_on
        with pytest.raises(CompileError):
            uncached_kernel(lambda x: x.nothing)(1)
        assert gc.isenabled() is is_on
    finally:
        gc.enable()
    assert seen == [False]


# --- signals ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX systems")
def test_ctrl_c_waits_until_llvm_is_done():
    done = []
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts_held_back():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        done.append(True)
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is handler


def test_other_threads_and_other_handlers_are_left_alone():
    failures = []

    def hold():
        try:
            with interrupts_held_back():
                pass
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert failures == []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_held_back():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
