"""The cache folder: what is there is executed, so nobody else may be able to write there."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from spinney._compile import PLAIN_PYTHON
from spinney._compile import folder as folders
from tests._compile.processes import KMEANS, run

find_folder = folders.cache_folder.__wrapped__  # without the memory of the first answer
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")
NOBODY = 65_534
DAY = 86_400.0


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Where the user wants the cache: two folders below the test's own."""
    place = tmp_path / "deep" / "down"
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(place))
    return place


@pytest.fixture
def give_away(monkeypatch):
    """A function that makes a file somebody else's: really, if this user may, or else as far as can be seen."""

    def give(path):
        number = path.lstat().st_ino
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            return
        for name in ("stat", "lstat", "fstat"):
            monkeypatch.setattr(os, name, changed(getattr(os, name), number))

    def changed(look, number):
        def see(*args, **kwargs):
            facts = look(*args, **kwargs)
            fields = list(facts)
            fields[4] = NOBODY
            return os.stat_result(fields) if facts.st_ino == number else facts

        return see

    return give


def refusal(capsys):
    """What is said where no folder will do."""
    assert find_folder() is None
    said = capsys.readouterr().err
    assert said.startswith(
        "spinney: there is no usable folder for compiled kernels, so every process compiles its own."
    )
    assert "SPINNEY_CACHE_DIR" in said
    return said


def test_it_is_where_the_user_wants_it(root, capsys):
    folder = find_folder()
    assert folder.parent == root
    assert list(folder.iterdir()) == []
    assert find_folder() == folder
    assert capsys.readouterr().err == ""


@posix
def test_it_is_private_and_so_are_folders_made_on_the_way(root):
    before = os.umask(0)
    try:
        folder = find_folder()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (folder, root, root.parent)] == [0o700] * 3


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
@pytest.mark.parametrize("level", [0, 1, 2], ids=["folder", "its-parent", "parent's-parent"])
def test_others_can_write_to_a_folder_on_the_way(root, capsys, monkeypatch, level, mode):
    monkeypatch.setattr(folders, "_is_private_group", lambda group: False)
    folder = find_folder()
    place = [folder, *folder.parents][level]
    place.chmod(mode)
    assert f"others can write to {place}" in refusal(capsys)
    place.chmod(mode & ~0o022)
    assert find_folder() == folder


@posix
@pytest.mark.parametrize("level", [0, 1, 2], ids=["folder", "its-parent", "parent's-parent"])
def test_a_folder_on_the_way_belongs_to_somebody_else(root, capsys, give_away, level):
    place = [folder := find_folder(), *folder.parents][level]
    give_away(place)
    assert f"{place} belongs to another user" in refusal(capsys)


@posix
def test_somebody_elses_sticky_folder_is_refused_too(root, capsys, give_away):
    find_folder()
    root.parent.chmod(0o1777)
    give_away(root.parent)  # its owner may rename what is in it
    assert "belongs to another user" in refusal(capsys)


@posix
def test_a_sticky_folder_on_the_way_will_do(root):
    folder = find_folder()
    root.parent.chmod(0o1777)
    assert find_folder() == folder


@posix
def test_the_cache_itself_must_not_be_open_even_if_sticky(root, capsys):
    find_folder().chmod(0o1777)
    assert "others can write to" in refusal(capsys)


@posix
def test_a_group_of_one_user_is_nobody_else(root, capsys, monkeypatch):
    import grp
    import pwd

    class User:
        pw_gid, pw_name = 4711, "ada"

    class Group:
        gr_name, gr_mem = "ada", []

    folder = find_folder()
    for place in (folder, root, root.parent):
        place.chmod(0o770)
        os.chown(place, -1, 4711) if os.geteuid() == 0 else setattr(User, "pw_gid", place.stat().st_gid)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: User)
    monkeypatch.setattr(grp, "getgrgid", lambda number: Group)
    assert find_folder() == folder
    Group.gr_mem = ["ada"]
    assert find_folder() == folder
    Group.gr_mem = ["ada", "eve"]
    assert "others can write to" in refusal(capsys)
    Group.gr_mem, Group.gr_name = [], "staff"
    assert "others can write to" in refusal(capsys)
    Group.gr_name, User.pw_gid = "ada", 1
    assert "others can write to" in refusal(capsys)


@posix
def test_a_link_leads_to_what_is_checked(tmp_path, root, capsys):
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    root.parent.mkdir()
    root.symlink_to(target)
    assert find_folder().parent == target
    target.chmod(0o777)
    assert f"others can write to {target}" in refusal(capsys)


@posix
def test_a_link_to_a_folder_below_an_open_one_is_refused(tmp_path, root, capsys):
    target = tmp_path / "open" / "target"
    target.mkdir(mode=0o700, parents=True)
    target.parent.chmod(0o777)
    root.parent.mkdir()
    root.symlink_to(target)
    assert f"others can write to {target.parent}" in refusal(capsys)


@posix
def test_the_folder_itself_must_be_no_link(tmp_path, root, capsys):
    folder = find_folder()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert str(root) in refusal(capsys)


@posix
def test_files_must_be_the_users_own(tmp_path, give_away):
    path = tmp_path / "file"
    path.write_bytes(b"code")
    path.chmod(0o644)
    folders.check_own(path.lstat(), path)
    path.chmod(0o646)
    with pytest.raises(PermissionError, match="others can write to"):
        folders.check_own(path.lstat(), path)
    path.chmod(0o600)
    give_away(path)
    with pytest.raises(PermissionError, match="belongs to another user"):
        folders.check_own(path.lstat(), path)


# --- where there is no place ------------------------------------------------------------------------------------------


@pytest.fixture
def homeless(tmp_path, monkeypatch):
    """No cache folder is named, and home is a file."""
    (tmp_path / "file").write_text("no folder")
    for name in ("SPINNEY_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "file")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_home_comes_first(homeless, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: homeless / "home")
    assert find_folder().is_relative_to(homeless / "home" / ".cache" / "spinney")
    monkeypatch.setenv("XDG_CACHE_HOME", str(homeless / "xdg"))
    assert find_folder().is_relative_to(homeless / "xdg" / "spinney")


def test_without_a_home_it_is_in_the_temporary_folder(homeless, capsys):
    folder = find_folder()
    assert folder.parent.parent == homeless
    assert folder.parent.name.startswith("spinney-")
    assert capsys.readouterr().err == ""


@posix
def test_a_temporary_folder_that_somebody_made_ready_is_refused(homeless, capsys, give_away):
    """Otherwise its owner could put another folder in the place of the one that was checked."""
    homeless.chmod(0o1777)
    place = homeless / f"spinney-{os.getuid()}"
    place.mkdir(mode=0o755)
    give_away(place)
    assert f"{place} belongs to another user" in refusal(capsys)


def test_every_place_that_failed_is_named(homeless, capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(homeless / "file"))
    said = refusal(capsys)
    assert str(homeless / "file" / ".cache" / "spinney") in said
    assert str(homeless / "file" / "spinney-") in said


def test_a_system_without_a_temporary_folder(homeless, capsys, monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    assert str(homeless / "file" / ".cache") in refusal(capsys)
    monkeypatch.setattr(Path, "home", lambda: homeless / "home")
    assert find_folder().is_relative_to(homeless / "home")


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has nothing to keep")
def test_a_fit_without_any_place_says_so_once(tmp_path):
    (tmp_path / "file").write_text("no folder")
    nowhere = str(tmp_path / "file" / "cache")
    out, complaints = run(KMEANS + KMEANS, SPINNEY_CACHE_DIR=nowhere, SPINNEY_QUIET="0")
    first, second = out.split()
    assert first == second
    assert complaints.count("no usable folder for compiled kernels") == 1
    assert nowhere in complaints
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# --- what is old ------------------------------------------------------------------------------------------------------

KERNEL, LOCK, LEFT_OVER, CHECKED = "spinney.a.b-00ff.bin", "spinney.a.b-00ff.lock", "tmpab12_c", "checked-00ff"


def fill(folder, *some):
    folder.mkdir(exist_ok=True)
    for name in some:
        (folder / name).write_text("")


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_in_use_stays_and_broken_saves_go(root):
    folder = find_folder()
    fill(folder, KERNEL, LOCK, LEFT_OVER, CHECKED, "notes.txt")
    folders.remove_old(folder)
    assert left(folder) == sorted([KERNEL, LOCK, LEFT_OVER, CHECKED, "notes.txt"])
    folders.remove_old(folder, time.time() + DAY)
    assert left(folder) == sorted([KERNEL, CHECKED, "notes.txt"])
    folders.remove_old(folder, time.time() + 91 * DAY)
    assert left(folder) == ["notes.txt"]


OTHERS = [
    "kernels-0123456789abcdef",
    "cpython-310-numba0.61.0-llvmlite0.44.0",
    "cpython-313t-numba0.62.0rc1-llvmlite0.45.0",
]


@pytest.mark.parametrize("name", OTHERS)
def test_folders_of_other_versions_go_when_nobody_used_them(root, name):
    folder = find_folder()
    fill(root / name, KERNEL, LOCK, LEFT_OVER, CHECKED)
    folders.remove_old(folder, time.time() + 89 * DAY)
    assert left(root) == sorted([folder.name, name])
    os.utime(root / name / KERNEL, (time.time() + 50 * DAY,) * 2)  # used since
    folders.remove_old(folder, time.time() + 100 * DAY)
    assert left(root) == sorted([folder.name, name])
    folders.remove_old(folder, time.time() + 141 * DAY)
    assert left(root) == [folder.name]


@pytest.mark.parametrize(
    "name", ["my-numba-notes", "kernels-of-truth", "cpython-310-numba", "numba0.61.0-llvmlite0.44.0"]
)
def test_the_users_own_folders_stay(root, name):
    folder = find_folder()
    fill(root / name, KERNEL)
    folders.remove_old(folder, time.time() + 1000 * DAY)
    assert left(root / name) == [KERNEL]


def test_a_folder_with_anything_else_in_it_stays(root):
    folder = find_folder()
    fill(root / OTHERS[0], KERNEL, "thesis.tex")
    folders.remove_old(folder, time.time() + 1000 * DAY)
    assert left(root / OTHERS[0]) == [KERNEL, "thesis.tex"]


@posix
def test_links_are_not_followed(tmp_path, root):
    folder = find_folder()
    fill(tmp_path / OTHERS[0], KERNEL)
    (root / OTHERS[0]).symlink_to(tmp_path / OTHERS[0])
    (folder / "broken").symlink_to(tmp_path / "nowhere")
    fill(root / OTHERS[1], KERNEL)
    folders.remove_old(folder, time.time() + 1000 * DAY)
    assert left(tmp_path / OTHERS[0]) == [KERNEL]
    assert not (root / OTHERS[1]).exists()


@posix
def test_other_peoples_files_stay(root, give_away):
    folder = find_folder()
    fill(folder, KERNEL)
    fill(root / OTHERS[0], KERNEL)
    give_away(folder / KERNEL)
    if os.geteuid() == 0:
        give_away(root / OTHERS[0])
        give_away(root / OTHERS[0] / KERNEL)
    folders.remove_old(folder, time.time() + 1000 * DAY)
    assert left(folder) == [KERNEL]
    assert (root / OTHERS[0]).exists() == (os.geteuid() == 0)
