"""Files that are whole or not at all: full disks, killed processes, links, devices."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spinney
from spinney._whole_file import whole_file, write_whole
from spinney.reporting.making import Report
from tests.full_disk import full_disk

pytest.importorskip("resource", reason="limits the size of files as POSIX does")
WAYS = {
    "save": spinney.save,
    "to_json": spinney.to_json,
    "to_onnx": spinney.to_onnx,
    "to_graphviz": lambda forest, path: spinney.export_graphviz(forest, path, tree=0),
    "report": lambda forest, path: Report("x" * 5000, "a page").save(path),
}


@pytest.fixture(scope="module")
def forest():
    return spinney.RandomForestRegressor(8, random_state=0).fit(np.arange(200.0)[:, None], np.arange(200.0))


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_leaves_the_old_file(tmp_path, way, forest):
    path = tmp_path / "old"
    path.write_bytes(b"as it was")
    with pytest.raises(OSError, match=r"File too large: '.*old'$") as caught, full_disk():
        WAYS[way](forest, path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"as it was"
    assert os.listdir(tmp_path) == ["old"]


@pytest.mark.parametrize("way", WAYS)
def test_all_is_written(tmp_path, way, forest):
    path = tmp_path / "new"
    WAYS[way](forest, str(path))
    assert path.stat().st_size > 1000
    assert path.stat().st_mode & 0o777 == 0o666 & ~_mask()
    assert os.listdir(tmp_path) == ["new"]


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "m.spinney"
    spinney.save(spinney.DecisionTreeClassifier().fit(np.arange(200.0)[:, None], np.arange(200) % 2), path)
    return path


@pytest.mark.parametrize("form", ["c", "json", "python", "text"])
def test_the_command_line_too(model_file, form):
    pytest.importorskip("typer")
    from tests.cli.run import refusal

    path = model_file.with_name("old")
    path.write_bytes(b"as it was")
    with full_disk():
        said = refusal("export", model_file, "--to", form, "--out", path)
    assert said == f"{path}: File too large."
    assert path.read_bytes() == b"as it was"
    assert sorted(os.listdir(path.parent)) == ["m.spinney", "old"]


WRITE = """
import sys
from spinney._whole_file import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half is written", flush=True)
    sys.stdin.read()
"""


def _start_writing(path):
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", WRITE, path], stdin=pipe, stdout=pipe, env=_environment())
    assert process.stdout.readline() == b"half is written\n"
    return process


def _environment():
    return {**os.environ, "PYTHONPATH": str(Path(spinney.__file__).parent.parent)}


def test_what_a_killed_process_left_is_removed(tmp_path):
    path = tmp_path / "model.spinney"
    killed, living = _start_writing(path), _start_writing(path)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(os.listdir(tmp_path)) == 2
    other = tmp_path / ".model.spinney.abcdefgh.part.txt"
    other.write_bytes(b"somebody else's")
    write_whole(path, [b"whole"])
    left = set(os.listdir(tmp_path))
    assert {"model.spinney", other.name} < left
    assert len(left) == 3  # one is still being written
    living.communicate()  # its input ends: it finishes
    assert path.read_bytes() == b"half"
    assert sorted(os.listdir(tmp_path)) == [other.name, "model.spinney"]


def test_an_error_in_the_block_leaves_nothing(tmp_path):
    def write():
        with whole_file(tmp_path / "a") as file:
            file.write(b"half")
            (tmp_path / "other").read_bytes()

    with pytest.raises(FileNotFoundError) as caught:
        write()
    assert caught.value.filename == str(tmp_path / "other")
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_not_good_is_not_put_there(tmp_path):
    def check(written):
        assert written.read_bytes() == b"bad"
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"), whole_file(tmp_path / "a", check) as file:
        file.write(b"bad")
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link, real = tmp_path / "link", tmp_path / "there" / "real"
    link.symlink_to(real)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_devices_are_written_to(tmp_path):
    write_whole("/dev/null", [b"gone"])
    with pytest.raises(OSError, match=r"'/dev/full'$"):
        write_whole("/dev/full", [b"no room"])


def test_long_names_and_missing_folders(tmp_path):
    write_whole(tmp_path / (62 * "数"), [b"whole"])
    assert os.listdir(tmp_path) == [62 * "数"]
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "no" / "a", [b""])
    assert caught.value.filename == str(tmp_path / "no" / "a")
    with pytest.raises(IsADirectoryError) as caught:
        write_whole(tmp_path, [b""])
    assert caught.value.filename == str(tmp_path)
