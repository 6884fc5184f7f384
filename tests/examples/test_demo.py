"""`make demo`, the first command of the README: its commands run, and its suggestions leave its model alone."""

import re
import shlex
import shutil
import subprocess

import pytest
import typer

import spinney
from examples import demo
from spinney.cli.app import app
from tests.docs.pages import ROOT, text_of


def hints():
    lines = demo.NEXT.format(folder=demo.FOLDER, spinney=demo.installed()).splitlines()
    return [shlex.split(line) for line in lines if line.startswith("  ")]


def test_the_suggestions_can_be_copied(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    demo.FOLDER.mkdir(parents=True)
    entered, *commands = hints()
    assert entered == ["cd", str(demo.FOLDER)]
    for command in commands:
        words = command[command.index("spinney") + 1 :] if "-m" in command[:3] else command[1:]
        if words[0] == "fit":  # the model of the demo stays
            assert words[words.index("--out") + 1] != "flights.spinney"
    first = commands[0][: commands[0].index("predict")]
    said = subprocess.run([*first, "--version"], cwd=demo.FOLDER, capture_output=True, text=True, check=True).stdout
    assert said == f"spinney {spinney.__version__}\n"


def test_it_is_the_first_command_of_the_readme():
    install = text_of(ROOT / "README.md").partition("## Install")[2]
    assert re.search(r"^    (\S+ \S+)", install, re.MULTILINE)[1] == "make demo"
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    told = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert told.splitlines()[-1].endswith(" examples/demo.py")


@pytest.mark.parametrize("command", demo.COMMANDS)
def test_its_commands_are_understood(command):
    """Arguments are parsed; nothing is run."""
    verb, *arguments = shlex.split(command)
    typer.main.get_command(app).commands[verb].make_context(verb, arguments)


@pytest.mark.slow
def test_it_runs(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert demo.main() == 0
    told = capfd.readouterr().out
    assert all(f"$ spinney {command}\n" in told for command in demo.COMMANDS)
    left = {path.name for path in demo.FOLDER.iterdir()}
    assert {"flights.csv", "other-days.csv", "flights.spinney", "flights.html"} <= left
