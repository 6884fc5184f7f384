"""The door to Numba: a cache that is private, heals itself and is never needed; plain Python gives the same bits."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from spinney import _jit

TINY_FIT = """
import numpy as np
from spinney import GradientBoostingRegressor
X = np.random.RandomState(0).randn(60, 3)
print(GradientBoostingRegressor(n_estimators=2, min_samples_leaf=5, random_state=0).fit(X, X[:, 0]).fingerprint_)
"""
MANY_FITS = """
import numpy as np
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
rng = np.random.RandomState(0)
X = rng.randn(60, 4)
X[rng.rand(60, 4) < 0.1] = np.nan
X[:, 3] = rng.randint(0, 5, 60)
y, weight = np.nan_to_num(X[:, 0]) + X[:, 3], rng.randint(0, 3, 60)
few = {"n_estimators": 2, "min_samples_leaf": 3, "random_state": 0, "categorical_features": [3]}
for loss in ("squared_error", "absolute_error", "huber", "tweedie"):
    print(GradientBoostingRegressor(loss, **few).fit(X, y + 9, weight).fingerprint_)
print(GradientBoostingRegressor(monotonic_cst=[1, 0, 0, 0], subsample=0.7, **few).fit(X, y).fingerprint_)
print(GradientBoostingClassifier(max_features=2, growth="level_wise", **few).fit(X, y > 2).fingerprint_)
three = GradientBoostingClassifier(interaction_cst="pairwise", **few).fit(X, np.digitize(y, [1, 3]))
print(three.fingerprint_, three.predict_proba(X).tobytes().hex())
"""


def run(code, **environment):
    """What a new process prints, and what it complains of."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def here(code, capsys):
    """What the same code prints in this process."""
    exec(code, {})
    return capsys.readouterr().out


def is_whole(path):
    content = path.read_bytes()
    return content[:32] == hashlib.blake2b(content[32:], digest_size=32).digest()


# --- the folder ------------------------------------------------------------------------------------------------------

find_folder = _jit.cache_folder.__wrapped__  # without the memory of the first answer
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")


def test_the_folder_is_where_the_user_wants_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(tmp_path / "deep" / "down"))
    folder = find_folder()
    assert folder.parent == tmp_path / "deep" / "down"
    assert folder.name.startswith("kernels-")
    assert list(folder.iterdir()) == []
    assert find_folder() == folder
    if hasattr(os, "getuid"):
        assert folder.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path, monkeypatch, mode):
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(tmp_path))
    find_folder().chmod(mode)
    assert find_folder() is None


@posix
def test_somebody_elses_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(tmp_path))
    assert find_folder() is not None
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert find_folder() is None


def test_without_a_writable_home_the_cache_is_in_the_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    for name in ("SPINNEY_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert find_folder().is_relative_to(tmp_path / "home" / ".cache" / "spinney")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "file")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = find_folder()
    assert folder.is_relative_to(tmp_path)
    assert folder.parent.name.startswith("spinney-")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    assert find_folder() is None


def test_without_any_place_for_a_cache_a_fit_works(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    nowhere = str(tmp_path / "file" / "cache")
    out, _ = run(TINY_FIT, HOME=str(tmp_path / "file"), XDG_CACHE_HOME=nowhere, SPINNEY_CACHE_DIR=nowhere)
    assert out == here(TINY_FIT, capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_folder_is_named_by_every_source_file(tmp_path, monkeypatch):
    for name in ("_jit.py", "grow/grower.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a = 1")
    monkeypatch.setattr(_jit, "__file__", str(tmp_path / "_jit.py"))
    first = _jit._source_digest()
    assert _jit._source_digest() == first
    (tmp_path / "grow/grower.py").write_text("a = 2")
    changed = _jit._source_digest()
    (tmp_path / "grow/grower.py").rename(tmp_path / "grow/other.py")
    assert len({first, changed, _jit._source_digest()}) == 3


# --- the files -------------------------------------------------------------------------------------------------------


def seven_times(x):
    return 7 * x


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache for kernels made in this test."""
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    return tmp_path


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
def test_a_damaged_file_is_replaced(folder, damage):
    assert _jit.kernel(seven_times)(6) == 42
    (path,) = folder.iterdir()
    assert is_whole(path)
    path.write_bytes(damage(path.read_bytes()))
    assert _jit.kernel(seven_times)(6) == 42
    assert [one.name for one in folder.iterdir()] == [path.name]
    assert is_whole(path)
    assert path.stat().st_size > 1000


def test_a_whole_file_is_used_again(folder):
    _jit.kernel(seven_times)(6)
    (path,) = folder.iterdir()
    before = path.stat().st_mtime_ns, path.read_bytes()
    again = _jit.kernel(seven_times)
    assert again(6) == 42
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    assert _jit.kernel(seven_times)(1.5) == 10.5  # another signature, another file
    assert len(list(folder.iterdir())) == 2


def test_a_full_disk_costs_only_the_cache(folder, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    assert _jit.kernel(seven_times)(6) == 42
    assert list(folder.iterdir()) == []


def test_a_fit_heals_a_damaged_cache(tmp_path, capsys):
    expected = here(TINY_FIT, capsys)  # and now the real cache is warm
    warm = _jit.cache_folder()
    if warm is None:
        pytest.skip("no cache on this machine")
    copy = tmp_path / warm.name
    shutil.copytree(warm, copy)
    copy.chmod(0o700)
    kernels = ("grow.grower.add_to_scores", "data.binning._encode", "_random.stream_key")
    hurt = [path for kernel in kernels for path in copy.glob(f"spinney.{kernel}-*.bin")]
    assert len(hurt) >= 3
    for k, path in enumerate(hurt):
        content = path.read_bytes()
        path.write_bytes([b"", content[: len(content) // 2], flip_a_bit(content)][k % 3])
    out, _ = run(TINY_FIT, SPINNEY_CACHE_DIR=str(tmp_path))
    assert out == expected
    healed = [path for path in hurt if path.exists() and is_whole(path)]
    assert {path.name.split("-")[0] for path in healed} == {f"spinney.{kernel}" for kernel in kernels}


def test_a_warm_cache_compiles_nothing(capsys):
    expected = here(TINY_FIT, capsys)
    out, err = run(TINY_FIT)
    assert out == expected
    assert err == "" or _jit.cache_folder() is None  # the first compilation is announced


def test_compiling_is_announced_once(monkeypatch, capsys):
    monkeypatch.delenv("SPINNEY_QUIET", raising=False)
    monkeypatch.setattr(_jit, "_announced", False)
    _jit._announce_compilation()
    _jit._announce_compilation()
    assert capsys.readouterr().err.count("spinney: compiling for this machine") == 1
    monkeypatch.setenv("SPINNEY_QUIET", "1")
    monkeypatch.setattr(_jit, "_announced", False)
    _jit._announce_compilation()
    assert capsys.readouterr().err == ""


# --- kernels ---------------------------------------------------------------------------------------------------------


def test_plain_python_gives_the_same_bits(capsys):
    out, _ = run(MANY_FITS, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert out == here(MANY_FITS, capsys)
    assert len(set(out.splitlines())) == 7


def test_arithmetic_is_as_written():
    """No fused multiply-add and no reordering: the rounding of each step is kept."""

    def chain(a, b, c):
        return a * b + c, (a + b) - a

    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    compiled = _jit.uncached_kernel(chain)
    assert compiled(a, b, -1.0) == chain(a, b, -1.0) == (0.0, (a + b) - a)
    assert compiled(1.0, 1e-20, 0.0)[1] == 0.0


def test_a_kernel_knows_its_python():
    assert _jit.python_of(_jit.uncached_kernel(seven_times)) is seven_times
    assert _jit.python_of(seven_times) is seven_times
    assert np.float64(1.5).view(np.int64) == _jit._plain_view_as_int(1.5)
    assert _jit._plain_view_as_float(_jit._plain_view_as_int(-0.1)) == -0.1
