"""Cache: compiled kernels on disk, one checksummed file for each kernel, signature and processor.

Kernels are looked for in two places: those that came with the package (`spinney/_kernels`, made by `make wheel` for
levels of processors), and the user's folder (`folder.py`). A kernel that is in neither is compiled by one process,
while others that want it wait. No failure here can fail a fit: what cannot be read is compiled anew, what cannot be
saved is not.

    name-key.bin     [ 32 bytes: blake2b of the rest | pickle ]
    key              signature, processor, and what the code was made from (`dependencies.py`)
    name-key.lock    while a process compiles it
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
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.caching import NullCache, _Cache
from numba.core.compiler import CompileResult

from spinney._compile import folder as folders
from spinney._compile.dependencies import digest_of
from spinney._compile.settings import PLAIN_PYTHON, host_level, versions
from spinney._compile.speech import announce, compiled, say
from spinney._interrupts import interrupts_held_back, let_interrupts_in

try:
    import fcntl
except ImportError:  # not a POSIX system: nobody waits
    fcntl = None  # type: ignore[assignment]

_DIGEST_SIZE = 32
_PATIENCE = 120.0  # seconds to wait for another process's compiler
_DAY = 86_400.0
PACKAGED = Path(__file__).parent.parent / "_kernels"


def attach_cache(py_func: Callable[..., Any], dispatcher: Any) -> Any:
    """Give a kernel its cache."""
    if PLAIN_PYTHON:
        return dispatcher
    from spinney._compile.decorators import pipeline_works

    if not pipeline_works():
        dispatcher._cache = NullCache()
        return dispatcher
    cache = KernelCache(py_func)
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


class KernelCache(_Cache):
    """One kernel's files, for all its signatures."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._function = py_func
        self._name = f"{py_func.__module__}.{py_func.__qualname__}"
        self._held = threading.local()  # .lock: while this thread compiles

    @property
    def cache_path(self) -> str:
        return str(folders.cache_folder())

    @functools.cached_property
    def _digest(self) -> str:
        return digest_of(self._function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        magic = target_context.codegen().magic_tuple()
        for path, is_packaged in self._places(sig, magic):
            if (result := self._load(path, is_packaged, target_context)) is not None:
                return result
        return self._wait(sig, magic, target_context)

    def _places(self, sig: Any, magic: tuple[Any, ...]) -> list[tuple[Path, bool]]:
        places = []
        if (packaged := packaged_folder()) is not None:
            places.append((packaged / self._file(sig, (magic[0], host_level(), "")), True))
        if (folder := folders.cache_folder()) is not None:
            places.append((folder / self._file(sig, magic), False))
        return places

    def _file(self, sig: Any, magic: tuple[Any, ...]) -> str:
        key = repr((sig, magic, self._digest, versions())).encode()
        return f"{self._name}-{hashlib.blake2b(key, digest_size=10).hexdigest()}.bin"

    def _load(self, path: Path, is_packaged: bool, target_context: Any) -> Any:
        """The kernel in a file; None if there is none, or none that can be used."""
        try:
            content = _read(path, is_packaged)
        except FileNotFoundError:
            return None
        except OSError as error:
            say(f"a compiled kernel was not used and is compiled anew ({error.strerror or error}).")
            return None
        try:
            digest, body = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
            if _checksum(body) != digest:
                raise ValueError("damaged")
            return CompileResult._rebuild(target_context, *pickle.loads(body))
        except Exception as error:  # whatever is wrong with the file, the cure is the same
            say(f"the compiled kernel {path} cannot be used and is compiled anew ({type(error).__name__}: {error}).")
            if not is_packaged:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            return None

    def _wait(self, sig: Any, magic: tuple[Any, ...], target_context: Any) -> Any:
        """Let one process compile: the kernel, if another one did so meanwhile; None if it is this one's turn."""
        folder = folders.cache_folder()
        announce(self._name, str(folder) if folder else None)
        if folder is None:
            return None
        path = folder / self._file(sig, magic)
        self._held.lock = _Lock.take(path.with_suffix(".lock"), lambda: path.exists())
        return self._load(path, False, target_context) if path.exists() else None

    def save_overload(self, sig: Any, data: Any) -> None:
        folder = folders.cache_folder()
        try:
            if folder is None or data.library.has_dynamic_globals or any(not one.can_cache for one in data.lifted):
                return
            body = pickle.dumps(data._reduce(), protocol=5)
            _write(folder / self._file(sig, data.codegen.magic_tuple()), _checksum(body) + body)
            _clean(folder)
        except Exception as error:  # a full or read-only disk costs the next process a compilation, no more
            say(f"a compiled kernel could not be kept in {folder} ({type(error).__name__}: {error}).")

    def let_go(self) -> None:
        """Compiling has ended, well or not: let others have their turn."""
        if (lock := getattr(self._held, "lock", None)) is not None:
            self._held.lock = None
            lock.release()
            compiled(self._name)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


class _Lock(NamedTuple):
    """A file that one process at a time holds; the system frees it when the process dies."""

    path: Path
    handle: int

    @classmethod
    def take(cls, path: Path, is_done: Callable[[], bool]) -> _Lock | None:
        """Wait for the lock; None where files cannot be locked, or when somebody takes for ever."""
        try:
            handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:
            return None
        deadline = time.monotonic() + _PATIENCE
        try:
            while not _try_lock(handle):
                if is_done() or time.monotonic() > deadline:
                    os.close(handle)
                    return None
                time.sleep(0.02)
                let_interrupts_in()
        except BaseException:
            os.close(handle)
            raise
        return cls(path, handle)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self.handle)


def _try_lock(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


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


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_SIZE).digest()


@functools.cache
def _clean(folder: Path) -> None:
    """Once a process that compiles, remove what is old."""
    folders.remove_old(folder)


@functools.cache
def packaged_folder() -> Path | None:
    """The kernels that came with the package for this Python, Numba and processor; None if there are none."""
    folder = PACKAGED / packaged_name(host_level())
    return folder if folder.is_dir() else None


def packaged_name(level: str | None) -> str:
    """The folder's name for a level of processors."""
    tag, _, numba, llvmlite, *flags = versions()
    return f"{tag}-numba{numba}-llvmlite{llvmlite}-{level}" + ("" if flags == [0, 3] else "-other")


# --- the compiler's own check ----------------------------------------------------------------------------------------


def was_checked() -> bool:
    """Whether the pipeline is known to work with these versions."""
    if packaged_folder() is not None:
        return True  # it was checked when they were made
    folder = folders.cache_folder()
    return folder is not None and (folder / _check_name()).exists()


def remember_check() -> None:
    folder = folders.cache_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            _write(folder / _check_name(), b"")


def _check_name() -> str:
    from spinney._compile.dependencies import own_sources

    return f"checked-{own_sources().hex()}"
