"""Pipeline: how kernels are compiled. All that touches Numba's internals is here and in `cache.py`.

Numba compiles each function by itself and optimises it once for every function that calls it. A kernel of ours is
some dozens of small functions, so that would take most of a minute. Here

- *inner* functions are typed and lowered, no more: linking, optimising and emitting is left to
- the *entry*, which links all that it calls, directly or not, into one module and runs LLVM's passes once;
- reference counting is off (but for functions that make arrays), and so are passes for Python that kernels are not
  written in.

Where this fails, because a version of Numba has moved what is used here (`check.py`), kernels are compiled by plain
`numba.njit`: slower to compile, the same results.
"""

from __future__ import annotations

import threading
from typing import Any

try:
    from numba.core.compiler import Compiler
except ImportError:  # moved: nothing can be compiled here, and `check.py` finds that out
    Compiler = object  # type: ignore[assignment, misc]

from spinney._compile.parts import load_parts, needs_of
from spinney._compile.quicker import quicker_compiler
from spinney._interrupts import interrupts_held_back, let_interrupts_in

_NOT_NEEDED = {  # names of Numba's passes
    "WithLifting",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "NopythonRewrites",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "MakeFunctionToJitFunction",
    "RewriteDynamicRaises",
    "IRLegalization",
}


class FewPasses(Compiler):
    """Leaves out passes for Python that kernels are not written in: closures, comprehensions, with, literal_unroll."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [one for one in pipeline.passes if one[0].__name__ not in _NOT_NEEDED]
        return pipelines


class EntryCompiler(Compiler):
    """Links all that a kernel calls, directly or not, into one module. (Inner libraries hold only themselves.)"""

    def define_pipelines(self) -> Any:
        library = self.state.targetctx.codegen().create_library(self.state.func_id.func_qualname)
        library.enable_object_caching()
        finalize = library.finalize

        def link_and_finalize() -> None:
            library._linking_libraries = _all_libraries(library)
            for other in library._linking_libraries:
                needs_of(library).update(needs_of(other))
            load_parts(list(needs_of(library).values()))
            finalize()

        library.finalize = link_and_finalize
        self.state.library = library
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        with quicker_compiler():
            return super()._compile_core()


def _all_libraries(library: Any) -> list[Any]:
    """The libraries that one needs, and those that they need, each once and after all that need it.

    (LLVM's linker passes over a function that nothing linked before it asks for.)
    """
    finished: dict[Any, None] = {}
    started = set()
    waiting = [(one, False) for one in reversed(library._linking_libraries)]
    while waiting:
        one, children_done = waiting.pop()
        if children_done:
            finished[one] = None
        elif one not in started:
            started.add(one)
            waiting.append((one, True))
            waiting.extend((other, False) for other in reversed(one._linking_libraries))
    return list(reversed(finished))


class KernelCompiler(FewPasses, EntryCompiler):
    """Runs LLVM's full passes once: Numba's first, cheaper run is for pruning reference counts, and there are none."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        codegen, library = self.state.targetctx.codegen(), self.state.library

        def optimise() -> None:
            manager, builder = codegen._module_pass_manager()
            manager.run(library._final_module, builder)

        library._optimize_functions = lambda module: setattr(module, "data_layout", codegen._data_layout)
        library._optimize_final_module = optimise
        return pipelines


class _WithoutEnvironment:
    """Numba's code generator, but for code that is never called from Python and so has no environment to be given."""

    def __init__(self, codegen: Any) -> None:
        self._real = codegen

    def set_env(self, name: str, environment: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class InnerCompiler(FewPasses):
    """Leaves linking, optimisation and machine code to the calling kernel: done once, not once a level."""

    attribute: str | None = None  # of the functions, for LLVM

    def define_pipelines(self) -> Any:
        codegen = self.state.targetctx.codegen()
        library = codegen.create_library(self.state.func_id.func_qualname)
        library._codegen = _WithoutEnvironment(codegen)
        library._optimize_functions = self._prepare
        add_module = library.add_ir_module
        library.add_ir_module = lambda module: add_module(self._mark(module))
        library.finalize = lambda: setattr(library, "_finalized", True)
        self.state.library = library
        return super().define_pipelines()

    def _mark(self, module: Any) -> Any:
        """Before the module is parsed: llvmlite 0.47 and older set attributes of parsed functions in a wrong place."""
        for function in module.functions if self.attribute else ():
            if not function.is_declaration:  # callees are linked in later
                function.attributes.add(self.attribute)
        return module

    def _prepare(self, module: Any) -> None:
        module.data_layout = self.state.targetctx.codegen()._data_layout


class SeparateCompiler(InnerCompiler):
    """Forbids LLVM to merge the function into its callers."""

    attribute = "noinline"


class MergedCompiler(InnerCompiler):
    """Makes LLVM merge the function into its callers."""

    attribute = "alwaysinline"


_turn = threading.RLock()  # for one thread at a time, as Numba has it; others can be interrupted while they wait


def compile_undisturbed(dispatcher: Any) -> Any:
    """Make a kernel compile from end to end, or be interrupted between two functions that it is made of.

    Elsewhere an interrupt does harm: Numba would lose registrations or keep its lock, and what LLVM calls back would
    print the exception and forget it.
    """
    compile_kernel = dispatcher.compile

    def compile_whole(signature: Any) -> Any:
        with interrupts_held_back():
            let_interrupts_in()
            while not _turn.acquire(timeout=0.05):
                let_interrupts_in()
            try:
                return compile_kernel(signature)
            finally:
                _turn.release()

    dispatcher.compile = compile_whole
    return dispatcher


def options(compiler: type[Compiler], from_python: bool) -> dict[str, Any]:
    """What Numba is told of a kernel that is compiled here."""
    common: dict[str, Any] = {"nogil": True, "error_model": "numpy", "pipeline_class": compiler}
    if compiler is EntryCompiler:  # makes arrays of its own
        return common
    return {**common, "_nrt": False, "no_cfunc_wrapper": True} | ({} if from_python else {"no_cpython_wrapper": True})


PLAIN_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}  # of plain `numba.njit`
