"""The cache heals itself, is shared by processes and threads, and can never fail a call."""

import errno
import hashlib
import os
import threading
import time

import numpy as np
import pytest
from numba.core import event, types

from spinney._compile import PLAIN_PYTHON, CompileError, cache, kernel
from spinney._compile import folder as folders
from spinney._compile.settings import target_has
from tests._compile.processes import KMEANS, run, warm_cache

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no cache")
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")


def seven_times(x):
    return 7 * x


def is_whole(path):
    content = path.read_bytes()
    return content[:32] == hashlib.blake2b(content[32:], digest_size=32).digest()


def compiled_by(call):
    """The names of functions that a call compiles."""
    with event.install_recorder("numba:compile") as seen:
        call()
    return [one.data["dispatcher"].py_func.__name__ for _, one in seen.buffer if one.is_start]


# --- files ------------------------------------------------------------------------------------------------------------


def flip_a_bit(content):
    return content[:1000] + bytes([content[1000] ^ 4]) + content[1001:]


def with_checksum(body):
    return hashlib.blake2b(body, digest_size=32).digest() + body


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content + b"more",
        flip_a_bit,
        lambda content: bytes(len(content)),
        lambda content: with_checksum(b"no pickle"),
        lambda content: with_checksum(b"N."),  # the pickle of None
    ],
    ids=["empty", "short", "truncated", "longer", "bit", "zeros", "no-pickle", "other-pickle"],
)
def test_a_damaged_file_is_replaced(folder, capsys, damage):
    assert kernel(seven_times)(6) == 42
    (path,) = folder.iterdir()
    assert is_whole(path)
    path.write_bytes(damage(path.read_bytes()))
    capsys.readouterr()
    assert compiled_by(lambda: kernel(seven_times)(6)) == ["seven_times"]
    assert capsys.readouterr().err.count(f"the compiled kernel {path} cannot be used and is compiled again") == 1
    assert [one.name for one in folder.iterdir()] == [path.name]
    assert is_whole(path)
    assert path.stat().st_size > 1000


def test_a_whole_file_is_used_again(folder, capsys):
    kernel(seven_times)(6)
    (path,) = folder.iterdir()
    before = path.stat().st_mtime_ns, path.read_bytes()
    capsys.readouterr()
    again = kernel(seven_times)
    assert compiled_by(lambda: again(6)) == []
    assert again(6) == 42
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    assert capsys.readouterr().err == ""
    assert kernel(seven_times)(1.5) == 10.5  # another signature, another file
    assert len(list(folder.iterdir())) == 2


def test_what_is_used_stays_young(folder):
    kernel(seven_times)(6)
    (path,) = folder.iterdir()
    os.utime(path, (0, 0))
    kernel(seven_times)(6)
    assert time.time() - path.stat().st_mtime < 3600


def refuse(folder, change, capsys):
    """A kernel's file is changed: it must not be read, but replaced, and that once said."""
    kernel(seven_times)(6)
    (path,) = folder.iterdir()
    change(path)
    capsys.readouterr()
    assert compiled_by(lambda: kernel(seven_times)(6)) == ["seven_times"]
    assert compiled_by(lambda: kernel(seven_times)(6)) == []
    assert [one.name for one in folder.iterdir()] == [path.name]
    assert not path.is_symlink()
    said = capsys.readouterr().err
    assert said.count("a compiled kernel was not used and is compiled again") == 1
    return said, path


@posix
def test_a_file_that_others_can_write_to_is_not_used(folder, capsys):
    said, path = refuse(folder, lambda path: path.chmod(0o606), capsys)
    assert f"others can write to {path}" in said
    assert path.stat().st_mode & 0o777 == 0o600


@posix
def test_a_link_is_not_followed(folder, tmp_path, capsys):
    def move(path):
        path.rename(tmp_path / "elsewhere.bin")
        path.symlink_to(tmp_path / "elsewhere.bin")

    refuse(folder, move, capsys)
    assert (tmp_path / "elsewhere.bin").exists()


@posix
def test_somebody_elses_file_is_not_used(folder, capsys, monkeypatch):
    look = os.fstat

    def give_away(path):
        os.utime(path, (0, 0))  # to know it by: numbers of files are used again

        def see(handle):
            facts = look(handle)
            fields = list(facts)
            fields[4] += 1
            return facts if facts.st_mtime else os.stat_result(fields)

        monkeypatch.setattr(os, "fstat", see)

    said, path = refuse(folder, give_away, capsys)
    assert f"{path} belongs to another user" in said


def test_a_kernel_that_came_with_the_package_is_used_and_never_changed(folder, tmp_path, monkeypatch):
    """Whoever owns it: it is as safe as the package. (Compiled for a level of processors, not for this one.)"""
    dispatcher = kernel(seven_times)
    dispatcher(6)
    (path,) = folder.iterdir()
    packaged = tmp_path / "packaged"
    packaged.mkdir()
    monkeypatch.setattr(cache, "packaged_folder", lambda: packaged)
    (place, is_packaged), (mine, _) = dispatcher._cache._places((types.int64,), cache._magic())
    assert is_packaged
    assert mine == path
    path.rename(place)
    place.chmod(0o666)
    assert compiled_by(lambda: kernel(seven_times)(6)) == []
    place.write_bytes(b"damaged")
    assert compiled_by(lambda: kernel(seven_times)(6)) == ["seven_times"]
    assert place.read_bytes() == b"damaged"
    assert mine.exists()
    assert target_has("no such feature") is False


# --- what cannot be saved ---------------------------------------------------------------------------------------------


class FullDisk:
    """A file whose disk is full half-way through."""

    def __init__(self, handle, mode):
        self.file = os.fdopen(handle, mode)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def write(self, content):
        self.file.write(content[: len(content) // 2])
        self.file.flush()
        raise OSError(errno.ENOSPC, "no space left on device")


def full_at_once(*args, **kwargs):
    raise OSError(errno.ENOSPC, "no space left on device")


def test_a_full_disk_costs_only_the_cache_and_leaves_nothing(folder, monkeypatch, capsys):
    monkeypatch.setattr(cache, "open", FullDisk, raising=False)
    assert kernel(seven_times)(6) == 42
    assert list(folder.iterdir()) == []
    said = capsys.readouterr().err
    assert f"a compiled kernel could not be stored in {folder}" in said
    assert "no space left on device" in said
    monkeypatch.undo()
    monkeypatch.setattr(folders, "cache_folder", lambda: folder)
    monkeypatch.setattr(cache.tempfile, "mkstemp", full_at_once)
    assert kernel(seven_times)(6) == 42
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "error", [OSError("read-only"), RecursionError("too deep"), TypeError("no pickle"), MemoryError()]
)
def test_no_failure_to_save_fails_a_call(folder, monkeypatch, capsys, error):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(cache.pickle, "dumps", fail)
    assert kernel(seven_times)(6) == 42
    assert f"could not be stored in {folder} ({type(error).__name__}: {error})" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_ctrl_c_while_saving_leaves_nothing(folder, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(cache.os, "replace", interrupt)
    dispatcher = kernel(seven_times)
    with pytest.raises(KeyboardInterrupt):
        dispatcher(6)
    assert list(folder.iterdir()) == []
    assert dispatcher(6) == 42


SOMETHING = object()


def holding_something(x):
    return x if SOMETHING is None else x + 1


def test_a_kernel_of_which_something_cannot_be_told_is_not_kept(folder, capsys, monkeypatch):
    """Its code may change while its digest does not: another process must not use it."""
    monkeypatch.setitem(globals(), "SOMETHING", threading)  # a module, which Numba takes
    monkeypatch.setattr("spinney._compile.dependencies._is_foreign", lambda value: False)
    dispatcher = kernel(holding_something)
    assert dispatcher(1) == 2
    assert dispatcher(1.5) == 2.5
    assert list(folder.iterdir()) == []
    said = capsys.readouterr().err
    assert said.count("holding_something is compiled in every process: ") == 1
    assert "<module 'threading'" in said


# --- who compiles -----------------------------------------------------------------------------------------------------


def locks(folder):
    return list(folder.glob("*.lock"))


def fails_to_type(x):
    return x.no_such_attribute


def test_a_failed_compilation_lets_go(folder):
    dispatcher = kernel(fails_to_type)
    for _ in range(2):
        with pytest.raises(CompileError):
            dispatcher(6)
        assert locks(folder) == []
    assert list(folder.iterdir()) == []


def test_ctrl_c_while_compiling_lets_go(folder, monkeypatch):
    dispatcher = kernel(seven_times)
    held = []

    def interrupt(*args):
        held.extend(locks(folder))
        raise KeyboardInterrupt

    monkeypatch.setattr(dispatcher._compiler, "compile", interrupt)
    with pytest.raises(KeyboardInterrupt):
        dispatcher(6)
    assert len(held) == 1
    assert locks(folder) == []
    monkeypatch.undo()
    monkeypatch.setattr(folders, "cache_folder", lambda: folder)
    assert dispatcher(6) == 42


def test_threads_compile_a_kernel_once(folder):
    dispatcher = kernel(seven_times)
    barrier, results = threading.Barrier(4), []

    def call():
        barrier.wait()
        results.append(dispatcher(6))

    def all_at_once():
        threads = [threading.Thread(target=call) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()

    assert compiled_by(all_at_once) == ["seven_times"]
    assert results == [42] * 4
    assert [path.suffix for path in folder.iterdir()] == [".bin"]


# --- whole fits -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_fit_heals_a_damaged_cache(tmp_path):
    expected, _ = run(KMEANS)  # and now the real cache is warm
    warm = folders.cache_folder()
    if warm is None:
        pytest.skip("no cache on this machine")
    warm_cache(tmp_path, "spinney.grow", "spinney.ensemble", "spinney.tree")
    copy = tmp_path / warm.name
    hurt = sorted(path for name in ("points", "plusplus") for path in copy.glob(f"spinney.cluster.{name}.*.bin"))
    assert len(hurt) >= 4
    for k, path in enumerate(hurt):
        content = path.read_bytes()
        path.write_bytes([b"", content[: len(content) // 2], flip_a_bit(content)][k % 3])
    out, complaints = run(KMEANS, SPINNEY_CACHE_DIR=str(tmp_path))
    assert out == expected
    healed = {path.name for path in hurt if path.exists() and is_whole(path)}
    assert len(healed) >= 4
    assert complaints.count("cannot be used and is compiled again") == len(healed)
    out, complaints = run(KMEANS, SPINNEY_CACHE_DIR=str(tmp_path))
    assert out == expected
    assert complaints == ""  # all is there again


def test_arrays_of_any_kind_have_their_own_files(folder):
    """Layout, number type and what may be written are part of a signature."""
    dispatcher = kernel(first_of)
    numbers = np.arange(6.0).reshape(2, 3)
    for k, array in enumerate([numbers, numbers.T, numbers.astype(np.float32), np.broadcast_to(numbers, (2, 3))]):
        assert dispatcher(array) == 0.0
        assert len(list(folder.iterdir())) == k + 1


def first_of(numbers):
    return numbers[0, 0]
