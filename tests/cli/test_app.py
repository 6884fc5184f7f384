"""The command as a whole: help, version, exit codes, Ctrl-C, pipes, what is not installed; and doctor and warmup."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import spinney
from spinney.cli import main
from spinney.cli.app import app
from spinney.cli.doctor import within
from spinney.cli.errors import CommandError, exit_code, suggestion
from tests.cli.run import ROOT, facts, refusal, run

VERBS = [
    "fit",
    "predict",
    "evaluate",
    "show",
    "explain",
    "report",
    "cluster",
    "export",
    "inspect",
    "datasets",
    "lab",
    "warmup",
    "doctor",
]


def test_help():
    said, _ = run("--help")
    assert all(verb in said for verb in VERBS)
    for verb in VERBS:
        said, _ = run(verb, "--help")
        assert "Examples:" in said
        assert f"spinney {verb}" in said
    assert CliRunner().invoke(app, []).exit_code == 2  # and the same help
    assert run("--version")[0] == f"spinney {spinney.__version__}\n"


def test_what_is_not_understood():
    assert refusal("fitt", code=2).startswith("No such command 'fitt'")
    assert refusal("show", code=2).startswith("Missing argument 'MODEL'")
    assert refusal("fit", "x.csv", "-t", "y", "--cv", "many", code=2).startswith("Invalid value for '--cv'")


def test_exit_codes(capsys, monkeypatch):
    monkeypatch.delenv("SPINNEY_DEBUG", raising=False)

    def raised(error):
        try:
            raise error
        except BaseException as caught:
            return exit_code(caught), capsys.readouterr().err

    assert raised(CommandError("no.")) == (1, "error: no.\n")
    assert raised(ValueError("said\n  so.")) == (1, "error: said so.\n")
    assert raised(FileNotFoundError(2, "No such file", "x.csv")) == (1, "error: x.csv: No such file.\n")
    assert raised(MemoryError())[1].startswith("error: there is not enough memory for this table; leave columns out")
    assert raised(KeyboardInterrupt()) == (130, "interrupted: nothing was written.\n")
    code, said = raised(KeyError("x"))
    assert code == 70
    assert said.startswith("error: this is a mistake of spinney's own, KeyError: 'x'")
    with pytest.raises(TypeError) as caught:
        len(3)  # an error of the interpreter's was not written for users
    assert exit_code(caught.value) == 70
    monkeypatch.setenv("SPINNEY_DEBUG", "1")
    with pytest.raises(CommandError):
        raised(CommandError("no."))


def test_suggestions():
    assert suggestion("Ages", ["age", "sex"]) == "did you mean 'age'?"
    assert suggestion("zzz", []) == "there is none."
    assert suggestion("zzz", map(str, range(14))).endswith("'11' and 2 more.")


def started(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPINNEY_QUIET": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "spinney", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        **more,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c(tmp_path):
    """While the command waits for a table: one line, exit code 130, and nothing left behind."""
    fifo = tmp_path / "table.csv"
    os.mkfifo(fifo)
    process = started("fit", fifo, "-t", "y", "--out", tmp_path / "m.spinney")
    with process, open(fifo, "wb"):  # opens when the command does, which then waits for bytes that do not come
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error) == (130, b"", b"interrupted: nothing was written.\n")
    assert list(tmp_path.iterdir()) == [fifo]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_reader_that_goes_away(model, penguins):
    with started("predict", model, penguins, "--keep", "all") as process:
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""


def test_without_the_extra():
    code = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "polars" else find(name, *more)
from spinney.cli import main
main(["fit"])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == 'error: the command line needs polars: pip install "spinney[cli]"\n'


def test_with_an_old_polars(monkeypatch):
    monkeypatch.setattr("spinney.cli.metadata.version", lambda name: "1.33.1")
    with pytest.raises(
        SystemExit, match=r"the command line needs polars 2\.1 or newer, and this is 1\.33\.1: pip install"
    ):
        main(["--version"])


def test_doctor(monkeypatch, capsys):
    found = facts("doctor")
    assert found["problems"] == []
    assert found["versions"]["spinney"] == spinney.__version__
    assert found["machine"]["cores"]
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    said, _ = run("doctor", code=1)
    assert "1 problem: NUMBA_BOUNDSCHECK: kernels check every index" in said
    assert json.loads(run("doctor", "--json", code=1)[0])["problems"]


def test_versions_within_bounds():
    assert within("2.4.6", "<2.6,>=2.0")
    assert not within("2.6.0", "<2.6,>=2.0")
    assert not within("1.26.4", ">=2.0")
    assert within("1.0", "")


def test_warmup(monkeypatch):
    asked = []
    monkeypatch.setattr("spinney.warmup.__main__.main", lambda arguments: asked.append(arguments) or 0)
    run("warmup", "boosting", "--all", "--jobs", 2)
    assert asked == [["boosting", "--all", "--jobs", "2"]]
    monkeypatch.setattr("spinney.warmup.__main__.main", lambda arguments: 1)
    run("warmup", code=1)
