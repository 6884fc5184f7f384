"""Check: does our way to compile, and to keep what was compiled, work with this version of Numba?

A kernel that calls inner functions and a part is compiled by our pipeline, packed as it would be for a file, unpacked,
and run again; each time its results are compared with those of plain Python. Asked once for each set of versions, the
answer is remembered in the cache folder. Whatever Numba has moved shows here, where it can be handled:

    compiles   keeps
    yes        yes      all is well
    yes        no       kernels are compiled by our pipeline in every process
    no                  kernels are compiled by plain `numba.njit` in every process
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cache import attach, pack, unpack
from spinney._compile.dependencies import digest_of
from spinney._compile.parts import Part
from spinney._compile.pipeline import InnerCompiler, KernelCompiler, MergedCompiler, SeparateCompiler, options


class Verdict(NamedTuple):
    """What works, and if something does not, why."""

    compiles: bool
    keeps: bool
    reason: str = ""


def judge(njit: Callable[..., Any]) -> Verdict:
    """Whether our pipeline compiles right, and whether what it makes can be kept."""
    memory, part_memory = _Memory(), _Memory()
    try:
        if not _agrees(_nest(njit, memory, part_memory)):
            return Verdict(False, False, "wrong results")
    except Exception as error:
        return Verdict(False, False, f"{type(error).__name__}: {error}".splitlines()[0])
    memories = (memory, part_memory)
    try:
        if not all(one.packed and one.n_let_go for one in memories):
            raise RuntimeError("nothing was saved")
        if not _agrees(_nest(njit, memory, part_memory)) or not all(one.n_loaded == 1 for one in memories):
            raise RuntimeError("what was saved cannot be loaded")
    except Exception as error:
        reasons = [*memory.failures, *part_memory.failures, error]
        return Verdict(True, False, f"{type(reasons[0]).__name__}: {reasons[0]}".splitlines()[0])
    return Verdict(True, True)


class _Memory:
    """Stands in for a kernel's files: keeps in memory what would be on disk, and notes what fails."""

    cache_path = None

    def __init__(self) -> None:
        self.packed: dict[Any, bytes] = {}
        self.failures: list[Exception] = []
        self.n_loaded = self.n_let_go = 0

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            target_context.refresh()
            target_context.codegen().magic_tuple()
            if sig not in self.packed:
                return None
            result = unpack(self.packed[sig], target_context)
            self.n_loaded += 1
            return result
        except Exception as error:
            self.failures.append(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self.packed[sig] = pack(data)
        except Exception as error:
            self.failures.append(error)

    def let_go(self) -> None:
        self.n_let_go += 1

    def keeps(self, sig: Any) -> bool:
        return True

    def has(self, sig: Any) -> bool:
        return True  # no work for an assistant

    def is_taken(self, sig: Any) -> bool:
        return False


# --- the nest --------------------------------------------------------------------------------------------------------


def _add(a: Any, b: Any) -> Any:
    return a + b


def _times(a: Any, b: Any) -> Any:
    return a * b


def _less(a: Any, b: Any) -> Any:
    return a - b


def halve(numbers: Any) -> None:
    """A part."""
    for i in range(numbers.size):
        numbers[i] *= 0.5


def _nest(njit: Callable[..., Any], memory: _Memory, part_memory: _Memory) -> Any:
    inner = njit(**options(InnerCompiler, False))(_add)
    separate = njit(**options(SeparateCompiler, False))(_times)
    merged = njit(**options(MergedCompiler, False))(_less)
    compiled, local = (njit(**options(KernelCompiler, False))(halve) for _ in range(2))
    part = Part(halve, attach(part_memory, compiled), local, "nothing")
    halve.part = part  # type: ignore[attr-defined] # where it is looked for
    call_part = part.function_for_kernels()

    def nest(numbers: Any, out: Any) -> Any:
        for i in range(numbers.size):
            out[i] = separate(inner(numbers[i], 1.5), merged(2.0, numbers[i]))
        call_part(out)
        return out[0]

    digest_of(nest)
    return attach(memory, njit(**options(KernelCompiler, True))(nest))


def _agrees(compiled: Any) -> bool:
    numbers, out = np.linspace(-2.0, 3.0, 7), np.zeros(7)
    expected = (numbers + 1.5) * (2.0 - numbers) * 0.5
    return compiled(numbers, out) == expected[0] and bool((out == expected).all())
