"""The command: what it takes, what it says, what it leaves behind."""

import os
import subprocess
import sys

import pytest

from spinney import warmup
from spinney.warmup.__main__ import main
from tests._compile.processes import warm_cache


def test_unknown_families_and_bad_numbers_are_errors(capsys):
    for arguments, words in (
        (["forest"], "unknown family 'forest': choose from boosting"),
        (["--jobs", "0"], "--jobs must be"),
    ):
        with pytest.raises(SystemExit) as ending:
            main(arguments)
        assert ending.value.code == 2
        assert words in capsys.readouterr().err


@pytest.mark.slow
def test_kernels_are_compiled_ahead(tmp_path):
    warm_cache(tmp_path, "spinney.tree.descend._send")
    environment = {**os.environ, "SPINNEY_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "spinney.warmup", "imported", "--jobs", "2"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert f"Compiled kernels are in {tmp_path}" in done.stdout
    assert "14/14" in done.stderr
    (folder,) = tmp_path.iterdir()
    names = {path.name.split("-")[0] for path in folder.glob("*.bin")}
    assert "spinney.tree.descend._send_down" in names
    assert not list(folder.glob("*.lock"))


def test_what_fails_is_told(monkeypatch, capsys):
    monkeypatch.setattr(warmup, "compile_ahead", lambda *args: ["trees: two classes: ValueError: no"])
    monkeypatch.setattr("spinney.warmup.__main__.compile_ahead", warmup.compile_ahead)
    assert main(["trees"]) == 1
    assert "failed: trees: two classes: ValueError: no" in capsys.readouterr().err


def test_tasks_of_one_family_are_kept_apart():
    """Processes that compile the same kernels would wait for each other."""
    tasks = [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert warmup._by_turns(tasks) == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
