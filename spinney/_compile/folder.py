"""Folder: where compiled kernels are kept. What is there is executed, so nobody else may write there.

Every folder on the way must belong to this user or to root and not be writable by others (a sticky one, such as the
system's temporary folder, may be: there nobody can rename what is not his). The last two, which are made here, and
every file must be the user's own. `SPINNEY_CACHE_DIR` names the place; otherwise it is the user's cache folder, or a
private temporary one.

    <place>/cpython-311-numba0.68.1-llvmlite0.50.0/    one for each set of versions; unused for 90 days, it is removed
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path

from spinney._compile.settings import versions
from spinney._compile.speech import say

_DAY = 86_400.0
_UNUSED = 90 * _DAY  # until a file is removed
_LEFT_OVER = _DAY / 24  # until a temporary file is
_OUR_FOLDERS = re.compile(r"kernels-[0-9a-f]+|\w+-\w+-numba[\w.+]+-llvmlite[\w.+]+")
_OUR_FILES = re.compile(r"[\w.<>]+-[0-9a-f]+\.(bin|lock)|checked-[0-9a-f]+|tmp\w+")


@functools.cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels, made if need be; None, and a word about it, where no safe place is writable."""
    reasons = []
    for root in _roots():
        try:
            folder = _open(root)
            return folder
        except OSError as error:
            reasons.append(f"{root}: {error.strerror or error}")
    say(
        "there is no usable folder for compiled kernels, so every process compiles its own. Make one of these usable, "
        f"or set SPINNEY_CACHE_DIR to your own folder ({'; '.join(reasons)})."
    )
    return None


def _open(root: Path) -> Path:
    """The folder of these versions under a root, made, checked and tried; OSError says what is wrong with it."""
    for one in reversed((root, *root.parents)):
        one.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would make those for all that the umask allows
    folder = root.resolve() / version_name()
    _check_way(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    check_own(folder.lstat(), folder)
    handle, trial = tempfile.mkstemp(dir=folder)
    os.close(handle)
    os.unlink(trial)
    return folder


def version_name() -> str:
    """Python, Numba and llvmlite, as folders are named by them."""
    tag, _, numba, llvmlite, *_ = versions()
    return f"{tag}-numba{numba}-llvmlite{llvmlite}"


def _roots() -> list[Path]:
    """Where to look for a cache place, best first: the user's choice, the user's cache, a private temporary one."""
    if chosen := os.environ.get("SPINNEY_CACHE_DIR"):
        return [Path(chosen)]
    roots = []
    if base := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        roots.append(Path(base) / "spinney")
    with contextlib.suppress(RuntimeError):  # no home directory
        roots.append(Path.home() / ".cache" / "spinney")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    with contextlib.suppress(OSError):  # no temporary folder
        roots.append(Path(tempfile.gettempdir()) / f"spinney-{user}")
    return roots


def _check_way(folder: Path) -> None:
    """Refuse a folder that somebody else could put another one in the place of."""
    if not hasattr(os, "getuid"):
        return
    check_own(folder.lstat(), folder)
    for parent in folder.parents:
        facts = parent.lstat()
        if facts.st_uid not in (0, os.getuid()):
            raise PermissionError(0, f"{parent} belongs to another user")
        if _open_to_others(facts) and not facts.st_mode & stat.S_ISVTX:
            raise PermissionError(0, f"others can write to {parent}")


def check_own(facts: os.stat_result, path: Path) -> None:
    """Refuse a file or folder that is not the user's own, or that others can write to."""
    if not hasattr(os, "getuid"):
        return
    if facts.st_uid != os.getuid():
        raise PermissionError(0, f"{path} belongs to another user")
    if _open_to_others(facts):
        raise PermissionError(0, f"others can write to {path}")


def _open_to_others(facts: os.stat_result) -> bool:
    """Whether anybody but the owner may write; the owner's private group is nobody else."""
    if facts.st_mode & stat.S_IWOTH:
        return True
    return bool(facts.st_mode & stat.S_IWGRP) and not _is_private_group(facts.st_gid)


def _is_private_group(group: int) -> bool:
    try:
        import grp
        import pwd

        user, facts = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    return user.pw_gid == group and facts.gr_name == user.pw_name and set(facts.gr_mem) <= {user.pw_name}


def remove_old(folder: Path, now: float | None = None) -> None:
    """Remove kernels and folders of other versions that nobody used for 90 days, and what broken saves left."""
    now = time.time() if now is None else now
    for path in _files(folder):
        _remove_file(path, now)
    for other in _files(folder.parent):
        if other != folder and _OUR_FOLDERS.fullmatch(other.name) and not other.is_symlink():
            if all(_age(one, now) > _UNUSED for one in (other, *_files(other))):
                if all(_OUR_FILES.fullmatch(one.name) for one in _files(other)):
                    shutil.rmtree(other, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _age(path: Path, now: float) -> float:
    """Seconds since the user used a file; 0 for other people's."""
    try:
        facts = path.lstat()
    except OSError:
        return 0.0
    return now - facts.st_mtime if not hasattr(os, "getuid") or facts.st_uid == os.getuid() else 0.0


def _remove_file(path: Path, now: float) -> None:
    is_kept = path.suffix == ".bin" or path.name.startswith("checked-")
    if _OUR_FILES.fullmatch(path.name) and _age(path, now) > (_UNUSED if is_kept else _LEFT_OVER):
        with contextlib.suppress(OSError):
            path.unlink()
