"""Whatever a version of Numba has moved, kernels are compiled, right, and what is slower for it is said.

Each case breaks one thing that is used of Numba, in a process and a cache of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spinney._compile import PLAIN_PYTHON
from tests.compiled import slow
from tests.families import answer

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is compiled")

KERNELS = """
from spinney._compile import inner_kernel, kernel, part_kernel, separate_kernel

@inner_kernel
def twice(x):
    return 2.0 * x

@separate_kernel
def and_one(x):
    return twice(x) + 1.0

@part_kernel(returns="float64")
def change(numbers):
    for i in range(numbers.size):
        numbers[i] = and_one(numbers[i])
    return 1.0 * numbers[0]

@kernel
def total(numbers):
    result = change(numbers)
    for i in range(numbers.size):
        result += numbers[i]
    return result
"""
USE = """
import numpy as np
from kernels_of_test import total
assert total(np.arange(4.0)) == 1.0 + (1.0 + 3.0 + 5.0 + 7.0)
assert total(np.arange(4.0, dtype=np.float32)) == 1.0 + (1.0 + 3.0 + 5.0 + 7.0)
"""
NO_PIPELINE = "the fast compiler does not work"
NOT_KEPT = "compiled kernels cannot be stored with Numba"


def run(code, tmp_path):
    """What a process with a cache of its own says."""
    (tmp_path / "kernels_of_test.py").write_text(KERNELS)
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    environment = {**os.environ, "SPINNEY_CACHE_DIR": str(cache), "PYTHONPATH": path, "SPINNEY_ASSISTANT": "0"}
    for name in ("SPINNEY_QUIET", "SPINNEY_COMPILER"):
        environment.pop(name, None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def kept(tmp_path):
    """Names of kernels on disk, and whether the check is remembered."""
    names = [path.name for path in (tmp_path / "cache").glob("*/*")]
    kernels = {name.split("-")[0].split(".")[-1] for name in names if name.endswith(".bin")}
    return kernels, any(name.startswith("checked") for name in names)


RAISING = """
def gone(*args, **kwargs):
    raise AttributeError("moved")
"""
BROKEN = {
    "the compiler": (
        """
import numba.core.compiler as theirs
real = theirs.Compiler
del theirs.Compiler
import spinney._compile
theirs.Compiler = real
""",
        NO_PIPELINE,
    ),
    "the pipeline": (
        "from spinney._compile.pipeline import KernelCompiler\nKernelCompiler.define_pipelines = gone",
        NO_PIPELINE,
    ),
    "wrong code": (
        "from spinney._compile import check\ncheck._add.__code__ = (lambda a, b: a + b + 1.0).__code__",
        NO_PIPELINE,
    ),
    "calls of parts": ("from spinney._compile.parts import Part\nPart._generate_call = gone", NO_PIPELINE),
    "packing": ("from numba.core.compiler import CompileResult\nCompileResult._reduce = gone", NOT_KEPT),
    "unpacking": ("from numba.core.compiler import CompileResult\nCompileResult._rebuild = gone", NOT_KEPT),
    "the processor's description": (
        "from numba.core.codegen import CPUCodegen\nCPUCodegen.magic_tuple = gone",
        NOT_KEPT,
    ),
    "caches are not asked": (
        """
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
real = Dispatcher.compile
def compile_without_asking(self, signature):
    cache, self._cache = self._cache, NullCache()
    try:
        return real(self, signature)
    finally:
        self._cache = cache
Dispatcher.compile = compile_without_asking
""",
        NOT_KEPT,
    ),
}
SOME = ("the pipeline", "wrong code", "packing", "caches are not asked")  # the others are ends of the same roads


@pytest.mark.slow
@pytest.mark.parametrize("what", [*SOME, *slow(one for one in BROKEN if one not in SOME)])
def test_what_numba_has_moved_costs_time_and_is_said(what, tmp_path):
    code, words = BROKEN[what]
    _, said = run(RAISING + code + USE, tmp_path)
    assert said.count(words) == 1
    assert "docs/dependencies.md" in said
    assert kept(tmp_path) == (set(), False)  # so the next process says it too


@pytest.mark.slow
def test_numbas_own_kind_of_cache_is_not_needed(tmp_path):
    _, said = run("import numba.core.caching\ndel numba.core.caching._Cache" + USE, tmp_path)
    assert said == ""
    assert kept(tmp_path) == ({"total", "change"}, True)
    assert run(USE, tmp_path) == ("", "")


@pytest.mark.slow
def test_without_a_quicker_compiler_kernels_are_the_same_and_it_is_said(tmp_path):
    broken = "import sys, numba.core.targetconfig\nsys.modules['numba.core.targetconfig'] = None"
    _, said = run(broken + USE, tmp_path)
    assert said.count("compiling takes longer") == 1
    assert kept(tmp_path) == ({"total", "change"}, True)


FAILING = {
    "telling what a kernel is made from": (
        "digest_of",
        [f"{one} is compiled in every process" for one in ("total", "change")],
    ),
    "writing": ("_write", ["could not be stored", "checked in every process"]),
    "reading": ("_read", ["was not used"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FAILING)
def test_a_cache_that_fails_is_said_and_fails_no_kernel(what, tmp_path):
    name, words = FAILING[what]
    if what == "reading":
        run(USE, tmp_path)  # so that there is something to read
    failing = "def gone(*args):\n    raise OSError(5, 'input/output error')\n"
    _, said = run(f"{failing}from spinney._compile import cache\ncache.{name} = gone" + USE, tmp_path)
    assert [said.count(one) for one in words] == [1] * len(words)
    assert "input/output error" in said


@pytest.mark.slow
def test_a_model_of_plain_njit_is_the_same(tmp_path):
    broken = "from spinney._compile.pipeline import KernelCompiler\nKernelCompiler.define_pipelines = gone"
    model = "\nfrom tests.families import answer\nprint(answer('kmeans'))"
    out, said = run(RAISING + broken + model, tmp_path)
    assert out.strip() == answer("kmeans")
    assert said.count("spinney:") == 1


def test_the_user_can_choose_plain_njit(tmp_path):
    choose = "import os\nos.environ['SPINNEY_COMPILER'] = "
    _, said = run(f"{choose}'numba'" + USE, tmp_path)
    assert said.count("spinney:") == said.count("SPINNEY_COMPILER=numba") == 1
    assert kept(tmp_path) == (set(), False)
    wrong = f"{choose}'gcc'\ntry:\n    import kernels_of_test\nexcept ValueError as error:\n    print(error)"
    assert "SPINNEY_COMPILER must be 'spinney' or 'numba', got 'gcc'" in run(wrong, tmp_path)[0]
