"""GPU cache: kernels that were compiled for a GPU, on disk beside those for the processor.

In: a kernel's Python function, and a signature. Out: the compiled kernel, or None. The files, their names and their
safety are those of `cache.py`; a file holds what the GPU's driver loads (a *cubin*), and how it is launched. Nobody
waits for another process: two that miss the same kernel both compile it.

`Toolkit` is all that is asked of numba-cuda, so that files can be tested where there is none.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Protocol

from spinney._compile import folder as folders
from spinney._compile.cache import KernelCache
from spinney._compile.speech import say_once

_PLAIN = (bool, int, str, type(None), dict)
# Not needed to launch it.
_EMPTY: dict[str, Any] = {"codegen": None, "llvm_strs": [], "ptx_cache": {}, "linkerinfo_cache": {}}


class Toolkit(Protocol):
    """The GPU's compiler."""

    def magic(self) -> tuple[Any, ...]:
        """What machine code depends on besides its source: versions, and the kind of GPU."""

    def rebuild(self, kernel: dict[str, Any], library: dict[str, Any], cubins: dict[Any, bytes], sig: Any) -> Any:
        """A kernel from its parts."""


class GpuKernelCache(KernelCache):
    """One GPU kernel's files, for all its signatures; what numba-cuda's dispatchers ask of a cache."""

    def __init__(self, py_func: Callable[..., Any], options: dict[str, Any], toolkit: Toolkit) -> None:
        super().__init__(py_func)
        self._options, self._toolkit = repr(sorted(options.items())), toolkit

    def _find(self, sig: Any, target_context: Any) -> Any:
        folder = folders.cache_folder()
        if folder is None or not self.keeps(sig):
            return None
        found = self._load(folder / self._file(sig, self._magic_of(None)), False, target_context, sig)
        if found is None:
            say_once(
                f"compiling for the GPU: about half a minute for the first fit. The kernels are stored in {folder}."
            )
        return found

    def _magic_of(self, data: Any) -> tuple[Any, ...]:
        return ("cuda", self._options, *self._toolkit.magic())

    def _pack(self, data: Any) -> bytes:
        kernel, library = data._reduce_states(), data._codelibrary._reduce_states()
        if library.get("nrt") or kernel.get("launch_config_sensitive") or not library["cubin_cache"]:
            raise ValueError("it needs more than its own machine code")
        cubins = {kind: bytes(one.code) for kind, one in library["cubin_cache"].items()}
        return pickle.dumps((_plain(kernel), _plain(library), cubins), protocol=5)

    def _unpack(self, body: bytes, target_context: Any, sig: Any) -> Any:
        kernel, library, cubins = pickle.loads(body)
        return self._toolkit.rebuild(kernel, {**library, **_EMPTY}, cubins, sig)


def _plain(states: dict[str, Any]) -> dict[str, Any]:
    """What of numba-cuda's own states says how to launch; not text, types or objects."""
    return {name: value for name, value in states.items() if isinstance(value, _PLAIN) and not name.endswith("_cache")}
