"""Kernels that were compiled for a GPU are kept as those for the processor are. Here by a compiler that is none."""

import os
from types import SimpleNamespace

import pytest
from numba.core import types

from spinney._compile import PLAIN_PYTHON
from spinney._compile.gpu_cache import GpuKernelCache

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no cache")
SIG = (types.float64[::1], types.int64)
FACTOR = 3


def triple(values, n):
    values[n] *= FACTOR


def add_three(values, n):
    values[n] += FACTOR


class Toolkit:
    """Its kernels are tuples of what they were made from."""

    def __init__(self, *magic):
        self.versions = magic

    def magic(self):
        return self.versions

    def rebuild(self, kernel, library, cubins, sig):
        return kernel, library, cubins, sig


def kernel_of(cubin=b"\x7fELF of triple", nrt=False, sensitive=False):
    """What a compiled kernel says of itself."""
    kernel = {"name": "triple", "cooperative": False, "signature": object(), "launch_config_sensitive": sensitive}
    cubins = {(9, 0, "a"): SimpleNamespace(code=cubin)}
    library = {"name": "triple", "codegen": object(), "llvm_strs": ["long"], "ptx_cache": {}, "cubin_cache": cubins}
    library |= {"nvvm_options": {"fma": 0}, "nrt": nrt}
    return SimpleNamespace(_reduce_states=lambda: kernel, _codelibrary=SimpleNamespace(_reduce_states=lambda: library))


def cache(function=triple, options=None, magic=("0.30", (9, 0))):
    return GpuKernelCache(function, {"launch_bounds": 256} if options is None else options, Toolkit(*magic))


def test_a_kernel_is_found_again(folder, capsys):
    assert cache().load_overload(SIG, None) is None
    cache().save_overload(SIG, kernel_of())
    kernel, library, cubins, sig = cache().load_overload(SIG, None)
    assert kernel == {"name": "triple", "cooperative": False, "launch_config_sensitive": False}
    assert library["nvvm_options"] == {"fma": 0}
    assert library["llvm_strs"] == []
    assert cubins == {(9, 0, "a"): b"\x7fELF of triple"}
    assert sig is SIG
    assert [path.suffix for path in folder.iterdir()] == [".bin"]
    assert f"compiling for the GPU: about half a minute for the first fit. The kernels are stored in {folder}" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "other",
    [
        {"function": add_three},
        {"options": {"launch_bounds": 1024}},
        {"magic": ("0.31", (9, 0))},
        {"magic": ("0.30", (8, 0))},
    ],
    ids=["function", "options", "version", "GPU"],
)
def test_others_are_not_taken_for_it(folder, other):
    cache().save_overload(SIG, kernel_of())
    assert cache(**other).load_overload(SIG, None) is None
    assert cache().load_overload(SIG[:1], None) is None
    assert cache().load_overload(SIG, None) is not None


def test_an_edit_makes_another_kernel(folder, monkeypatch):
    cache().save_overload(SIG, kernel_of())
    monkeypatch.setattr("spinney._compile.dependencies._known", {})
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert cache().load_overload(SIG, None) is None


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"", lambda content: content + b"x"])
def test_a_damaged_file_is_compiled_anew(folder, capsys, damage):
    cache().save_overload(SIG, kernel_of())
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert cache().load_overload(SIG, None) is None
    assert f"the compiled kernel {path} cannot be used and is compiled again" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")
def test_a_file_that_others_can_write_is_not_read(folder):
    cache().save_overload(SIG, kernel_of())
    (path,) = folder.iterdir()
    path.chmod(0o666)
    assert cache().load_overload(SIG, None) is None


@pytest.mark.parametrize("more", [{"nrt": True}, {"sensitive": True}])
def test_what_needs_more_than_its_code_is_not_kept(folder, more):
    cache().save_overload(SIG, kernel_of(**more))
    assert not list(folder.iterdir())


def test_what_cannot_be_told_is_not_kept(folder):
    riddle = object()
    own = cache(lambda values, n: values.append(riddle))
    own.save_overload(SIG, kernel_of())
    assert own.load_overload(SIG, None) is None
    assert not list(folder.iterdir())
