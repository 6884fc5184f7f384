"""The one door to Numba and LLVM.

Only modules that hold compiled code import this package, and estimators import those modules inside `fit` and
`predict`, so that `import spinney` never loads Numba. Nothing outside imports Numba or llvmlite.

    settings.py      Numba itself, and the processor that is compiled for
    decorators.py    kernel, inner_kernel, ...: machine code from Python functions
    pipeline.py      how: all that touches the insides of Numba's compiler
    check.py         whether that works with this version of Numba
    parts.py         functions that are compiled by themselves and shared by kernels
    cache.py         compiled kernels on disk: found, checked, waited for, saved
    folder.py        where: a folder that nobody else can write to
    dependencies.py  what a kernel's machine code depends on
    captured.py      the same for a user's function, whose values may change; the last few are kept
    speech.py        what the user is told of all this
    intrinsics.py    instructions that Numba lacks
    bytes.py         the same, for many codes at once
    sets.py          the same, for sets of up to 64 rows
    vectors.py       loops written in LLVM's vectors
    cuda.py          a door of its own: the GPU's compiler and driver, for spinney/gpu alone

`NUMBA_DISABLE_JIT=1` runs every kernel as plain Python; `SPINNEY_COMPILER=numba` compiles them by plain `numba.njit`.
"""

import spinney._compile.settings  # noqa: F401  first: it imports Numba, where Ctrl-C cannot cut it
from spinney._compile.bytes import SWEPT, ask, extremes, rows_up_to
from spinney._compile.captured import Kept, kernel_each, key_of
from spinney._compile.decorators import (
    CompileError,
    allocating_kernel,
    by_type,
    class_of,
    compile_for,
    inner_kernel,
    is_integer,
    is_number,
    kernel,
    merged_kernel,
    overloads,
    part_kernel,
    python_of,
    separate_kernel,
    uncached_kernel,
)
from spinney._compile.folder import cache_folder
from spinney._compile.intrinsics import (
    atomic_add,
    atomic_load,
    atomic_swap,
    count_up_to,
    either,
    lowest_bit,
    pair_array,
    prefetch,
    rest_core,
    view_as_float,
    view_as_int,
    yield_core,
)
from spinney._compile.references import refer
from spinney._compile.sets import (
    MEMBERS,
    lay_columns,
    set_above,
    set_at_most,
    set_ends,
    set_extremes,
    set_size,
    set_sum,
    set_up_to,
    set_with,
)
from spinney._compile.settings import PLAIN_PYTHON, target_has
from spinney._compile.speech import say, say_once, seconds_spent
from spinney._compile.vectors import Writer, vector_code

__all__ = [
    "MEMBERS",
    "PLAIN_PYTHON",
    "SWEPT",
    "CompileError",
    "Kept",
    "Writer",
    "allocating_kernel",
    "ask",
    "atomic_add",
    "atomic_load",
    "atomic_swap",
    "by_type",
    "cache_folder",
    "class_of",
    "compile_for",
    "count_up_to",
    "either",
    "extremes",
    "inner_kernel",
    "is_integer",
    "is_number",
    "kernel",
    "kernel_each",
    "key_of",
    "lay_columns",
    "lowest_bit",
    "merged_kernel",
    "overloads",
    "pair_array",
    "part_kernel",
    "prefetch",
    "python_of",
    "refer",
    "rows_up_to",
    "rest_core",
    "say",
    "say_once",
    "seconds_spent",
    "separate_kernel",
    "set_above",
    "set_at_most",
    "set_ends",
    "set_extremes",
    "set_size",
    "set_sum",
    "set_up_to",
    "set_with",
    "target_has",
    "uncached_kernel",
    "vector_code",
    "view_as_float",
    "view_as_int",
    "yield_core",
]
