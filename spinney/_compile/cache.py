"""Cache: compiled kernels on disk, one checksummed file for each kernel, signature and processor.

Kernels are looked for in two places: those that came with the package (`spinney/_kernels`, made by `make wheel` for
levels of processors), and the user's folder (`folder.py`). A kernel that is in neither is compiled by one process,
while others that want it wait. No failure here can fail a fit: what cannot be read is compiled anew, what cannot be
saved is not, and neither is what nobody could tell from other code (`dependencies.py`).

    name-key.bin     [ 32 bytes: blake2b of the rest | pickle ]
    key              signature, processor, and what the code was made from (`dependencies.py`)
    name-key.lock    while a process compiles it: the parts that it calls, so that those who wait can compile some
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spinney._compile import folder as folders
from spinney._compile.assistant import start_assistant
from spinney._compile.dependencies import digest_of, is_local, own_sources, size_of, text_of_signature
from spinney._compile.locks import Helper, Lock, end_compiling, start_compiling
from spinney._compile.parts import load_parts, needs_of
from spinney._compile.settings import LEVEL_FEATURES, PLAIN_PYTHON, host_level, versions
from spinney._compile.speech import announce, begins, compiled, say, say_once
from spinney._interrupts import interrupts_held_back

_DIGEST_SIZE = 32
_DAY = 86_400.0
PACKAGED = Path(__file__).parent.parent / "_kernels"


def attach_cache(py_func: Callable[..., Any], dispatcher: Any) -> Any:
    """Give a kernel its cache."""
    if PLAIN_PYTHON:
        return dispatcher
    from spinney._compile.decorators import pipeline_works

    return attach(KernelCache(py_func), dispatcher) if pipeline_works() else dispatcher


def attach(cache: Any, dispatcher: Any) -> Any:
    """Have Numba ask a cache before it compiles, and tell the cache when it has done so."""
    dispatcher._cache = cache
    compile_kernel = dispatcher.compile

    def compile_and_let_go(signature: Any) -> Any:
        with interrupts_held_back():
            try:
                return compile_kernel(signature)
            finally:
                cache.let_go()

    dispatcher.compile = compile_and_let_go
    return dispatcher


class KernelCache:
    """One kernel's files, for all its signatures; what Numba's dispatchers ask of a cache."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._function = py_func
        self._name = f"{py_func.__module__}.{py_func.__qualname__}"
        self._held = threading.local()  # .n_open, .lock: while this thread compiles

    @property
    def cache_path(self) -> str:
        return str(folders.cache_folder())

    @functools.cached_property
    def _digest(self) -> str | None:
        try:
            return digest_of(self._function)
        except Exception as error:  # it holds something that has no digest
            say(f"{self._name} is compiled in every process: {error}.")
            return None

    def keeps(self, sig: Any) -> bool:
        """Whether a signature's machine code may be kept: not if others could take it for their own."""
        return self._digest is not None and not is_local(sig)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return self._find(sig, target_context)
        except Exception as error:  # whatever it is, the kernel can be compiled
            say_once(f"compiled kernels could not be looked up and are compiled again ({_in_words(error)}).")
            return None

    def _find(self, sig: Any, target_context: Any) -> Any:
        if not self.keeps(sig):
            return None
        target_context.refresh()
        if not _keeps:
            self._announce(None)
            begins()
            return None
        magic = target_context.codegen().magic_tuple()
        for path, is_packaged in self._places(sig, magic):
            if (result := self._load(path, is_packaged, target_context, sig)) is not None:
                return result
        return self._wait(sig, magic, target_context)

    def _places(self, sig: Any, magic: tuple[Any, ...]) -> Iterator[tuple[Path, bool]]:
        """Files that may hold a signature's kernel, and whether they came with the package."""
        if (packaged := packaged_folder()) is not None:
            yield packaged / self._file(sig, (magic[0], *packaged_processor())), True
        if (folder := _folder()) is not None:  # only made when it is needed
            yield folder / self._file(sig, magic), False

    def has(self, sig: Any) -> bool:
        """Whether a signature's machine code is there."""
        try:
            return self.keeps(sig) and any(path.exists() for path, _ in self._places(sig, _magic()))
        except Exception:  # said when it is looked for
            return False

    def is_taken(self, sig: Any) -> bool:
        """Whether another process is compiling a signature just now."""
        try:
            if self.has(sig) or not self.keeps(sig) or (folder := _folder()) is None:
                return False
            return Lock.is_held((folder / self._file(sig, _magic())).with_suffix(".lock"))
        except Exception:
            return False

    def _file(self, sig: Any, magic: tuple[Any, ...]) -> str:
        return f"{self._name}-{short_hash(repr((text_of_signature(sig), magic, self._digest, versions())))}.bin"

    def _load(self, path: Path, is_packaged: bool, target_context: Any, sig: Any) -> Any:
        """The kernel in a file; None if there is none, or none that can be used."""
        try:
            content = _read(path, is_packaged)
        except FileNotFoundError:
            return None
        except OSError as error:
            say_once(f"a compiled kernel was not used and is compiled again ({error.strerror or error}).")
            return self._discard(path, is_packaged)
        try:
            digest, body = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
            if _checksum(body) != digest:
                raise ValueError("damaged")
            return self._unpack(body, target_context, sig)
        except Exception as error:  # whatever is wrong with the file, the cure is the same
            say(f"the compiled kernel {path} cannot be used and is compiled again ({_in_words(error)}).")
            return self._discard(path, is_packaged)

    def _discard(self, path: Path, is_packaged: bool) -> None:
        """What cannot be used must not be found again."""
        if not is_packaged:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _wait(self, sig: Any, magic: tuple[Any, ...], target_context: Any) -> Any:
        """Let one process compile: the kernel, if another one did so meanwhile; None if it is this one's turn."""
        folder = _folder()
        self._announce(folder)
        if folder is None:
            begins()
            return None
        start_assistant()
        path = folder / self._file(sig, magic)
        if (lock := Lock.take(path.with_suffix(".lock"), path.exists, Helper().help_with)) is not None:
            start_compiling(lock)
            self._held.lock = lock
        if path.exists() and (found := self._load(path, False, target_context, sig)) is not None:
            return found
        begins()
        return None

    def _announce(self, folder: Path | None) -> None:
        self._held.n_open = getattr(self._held, "n_open", 0) + 1
        announce(self._name, size_of(self._function), folder is not None, _names_in_cache)

    def save_overload(self, sig: Any, data: Any) -> None:
        folder = _folder()
        try:
            if folder is None or not self.keeps(sig):  # said already
                return
            body = self._pack(data)
            _write(folder / self._file(sig, self._magic_of(data)), _checksum(body) + body)
            _clean(folder)
        except Exception as error:  # a full or read-only disk costs the next process a compilation, no more
            say_once(
                f"a compiled kernel could not be stored in {folder} ({_in_words(error)}), so every process compiles it."
            )

    # What is kept of a kernel; those of a GPU are others (gpu_cache.py).

    def _magic_of(self, data: Any) -> tuple[Any, ...]:
        magic: tuple[Any, ...] = data.codegen.magic_tuple()
        return magic

    def _pack(self, data: Any) -> bytes:
        return pack(data)

    def _unpack(self, body: bytes, target_context: Any, sig: Any) -> Any:
        return unpack(body, target_context)

    def let_go(self) -> None:
        """Compiling has ended, well or not: let others have their turn."""
        if (lock := getattr(self._held, "lock", None)) is not None:
            self._held.lock = None
            end_compiling(lock)
        if getattr(self._held, "n_open", 0):
            self._held.n_open -= 1
            compiled()

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def pack(data: Any) -> bytes:
    """A compiled kernel as bytes."""
    if data.library.has_dynamic_globals or any(not one.can_cache for one in data.lifted):
        raise ValueError("a kernel holds an address of this process")
    return pickle.dumps((list(needs_of(data.library).values()), data._reduce()), protocol=5)


def unpack(body: bytes, target_context: Any) -> Any:
    """The compiled kernel in bytes, with the parts that it calls."""
    from numba.core.compiler import CompileResult

    needs, parts = pickle.loads(body)
    load_parts(needs)
    with interrupts_held_back():
        return CompileResult._rebuild(target_context, *parts)


def _magic() -> tuple[Any, ...]:
    """Numba's description of the processor that is compiled for."""
    from numba.core.registry import cpu_target

    magic: tuple[Any, ...] = cpu_target.target_context.codegen().magic_tuple()
    return magic


def _read(path: Path, is_packaged: bool) -> bytes:
    """A file's content, if it is the user's own; what came with the package is as safe as the package."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        if not is_packaged:
            facts = os.fstat(file.fileno())
            folders.check_own(facts, path)
            if time.time() - facts.st_mtime > _DAY:
                with contextlib.suppress(OSError):
                    os.utime(path)  # in use: not to be removed yet
        return file.read()


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def short_hash(text: str) -> str:
    """Twenty letters that tell texts apart."""
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_SIZE).digest()


@functools.cache
def _clean(folder: Path) -> None:
    """Once a process that compiles, remove what is old."""
    folders.remove_old(folder)


@functools.cache
def packaged_folder() -> Path | None:
    """The kernels that came with the package for this Python, Numba and processor; None if there are none."""
    level = host_level()
    folder = PACKAGED / packaged_name(level) if level else PACKAGED
    return folder if level and folder.is_dir() else None


@functools.cache
def packaged_processor() -> tuple[str, str]:
    """What kernels of this processor's level were compiled for: a processor's name and features, as Numba has them."""
    level = host_level() or ""
    return level, LEVEL_FEATURES.get(level, "")


def packaged_name(level: str) -> str:
    """The folder's name for a level of processors."""
    return f"{folders.version_name()}-{level}"


_keeps = True


def keep_nothing() -> None:
    """From now on, let files alone: with this version of Numba they would be of no use."""
    global _keeps
    _keeps = False


def _folder() -> Path | None:
    return folders.cache_folder() if _keeps else None


def _names_in_cache() -> set[str]:
    """The kernels that are there, for some kind of table."""
    places = [place for place in (packaged_folder(), _folder()) if place is not None]
    with contextlib.suppress(OSError):
        return {path.name.rpartition("-")[0] for place in places for path in place.glob("*.bin")}
    return set()


# --- the compiler's own check ----------------------------------------------------------------------------------------


def was_checked() -> bool:
    """Whether the pipeline is known to work with these versions."""
    if packaged_folder() is not None:
        return True  # it was checked when they were made
    folder = folders.cache_folder()
    try:
        return folder is not None and (folder / _check_name()).exists()
    except OSError:
        return False


def remember_check() -> None:
    folder = folders.cache_folder()
    if folder is not None:
        try:
            _write(folder / _check_name(), b"")
        except OSError as error:
            say_once(f"the compiler is checked in every process: {folder} cannot be written to ({_in_words(error)}).")


def _check_name() -> str:
    return f"checked-{own_sources().hex()}"
