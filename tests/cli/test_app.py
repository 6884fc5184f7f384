"""The command as a whole: help, version, exit codes, Ctrl-C, pipes, what is not installed; and doctor and warmup."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest
from typer.testing import CliRunner

import spinney
from spinney._compile import PLAIN_PYTHON
from spinney.cli import main
from spinney.cli.app import app
from spinney.cli.doctor import _name_of_gpu, within
from spinney.cli.terminal import exit_code, tell_warning
from spinney.tables.errors import TableError, suggestion
from spinney.warmup import families
from tests._compile.processes import warm_cache
from tests.cli.run import ROOT, facts, process, refusal, run

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
    assert "[default: 3]" in " ".join(run("fit", "--help")[0].split())  # the level of quality
    assert "     spinney export titanic.spinney --to onnx" in run("export", "--help")[0]  # examples are indented
    assert ", ".join(families()) in re.sub(r"[│\s]+", " ", run("warmup", "--help")[0])
    assert CliRunner().invoke(app, []).exit_code == 2  # and the same help
    assert run("--version")[0] == f"spinney {spinney.__version__}\n"


def test_what_is_not_understood():
    assert refusal("fitt", code=2) == "No such command 'fitt'. Did you mean 'fit'? See --help."
    assert refusal("show", code=2).startswith("Missing argument 'MODEL'")
    assert refusal("fit", "x.csv", "-t", "y", "--cv", "many", code=2).startswith("Invalid value for '--cv'")


def test_exit_codes(capsys, monkeypatch):
    monkeypatch.delenv("SPINNEY_DEBUG", raising=False)

    def raised(error):
        try:
            raise error
        except BaseException as caught:
            return exit_code(caught), capsys.readouterr().err

    assert raised(TableError("no.")) == (1, "error: no.\n")
    assert raised(ValueError("said\n  so.")) == (1, "error: said so.\n")
    assert raised(FileNotFoundError(2, "No such file", "x.csv")) == (1, "error: x.csv: No such file.\n")
    assert raised(OSError(28, "No space left on device")) == (1, "error: No space left on device.\n")
    assert raised(MemoryError())[1].startswith("error: there is not enough memory for this table. Leave out columns")
    assert raised(KeyboardInterrupt()) == (130, "interrupted: nothing was written.\n")
    code, said = raised(KeyError("x"))
    assert code == 70
    assert said.startswith("error: internal error of Spinney, KeyError: 'x'")
    with pytest.raises(TypeError) as caught:
        len(3)  # an error of the interpreter's was not written for users
    assert exit_code(caught.value) == 70
    monkeypatch.setenv("SPINNEY_DEBUG", "1")
    with pytest.raises(TableError):
        raised(TableError("no."))


def test_warnings_are_sentences(capsys, penguins, frame, tmp_path):
    """The library's without a path; those of others, which speak to programmers, are not shown."""
    tell_warning(UserWarning("so\n  it is."), UserWarning, spinney.__file__, 1)
    tell_warning(UserWarning("not this"), UserWarning, pytest.__file__, 1)
    assert capsys.readouterr().err == "  note: so it is.\n"
    few = frame.with_columns(species=pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("Emperor")).otherwise("species"))
    few.write_csv(tmp_path / "few.csv")
    model = tmp_path / "m.spinney"
    common = ("-t", "species", "-m", "tree", "--out", model)
    assert run("fit", tmp_path / "few.csv", *common)[1] == ""
    assert run("report", model, tmp_path / "few.csv")[1] == ""


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
        out, error = process.communicate(timeout=300)
    assert (process.returncode, out, error) == (130, b"", b"interrupted: nothing was written.\n")
    assert list(tmp_path.iterdir()) == [fifo]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_reader_that_goes_away(model, penguins):
    with started("predict", model, penguins, "--keep", "all") as process:
        process.stdout.close()
        assert process.wait(timeout=300) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
@pytest.mark.parametrize("command", [["show", "--help"], ["datasets"]])
def test_a_reader_of_text_that_goes_away(command):
    with started(*command) as process:
        process.stdout.close()
        assert process.wait(timeout=300) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors")
def test_without_standard_output(model, penguins):
    with started("predict", model, penguins, preexec_fn=lambda: os.close(1)) as process:
        _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, b"")


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
    assert result.stderr == "error: the command line needs polars. Install with: pip install 'spinney-trees[cli]'\n"


def test_with_an_old_polars(monkeypatch):
    monkeypatch.setattr("spinney.cli.metadata.version", lambda name: "1.33.1")
    with pytest.raises(
        SystemExit, match=r"the command line needs polars 2\.1 or newer, but 1\.33\.1 is installed\. Run: pip install"
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


@pytest.mark.parametrize(
    ("name", "problem", "said"),
    [
        (None, "device='cuda' needs a GPU: none.", "none found (optional: device='cpu' is the default)"),
        ("H200, 141 GB", None, "H200, 141 GB (used with device='cuda' or device='auto')"),
        (None, None, "found, name unknown (used with device='cuda' or device='auto')"),
        ("T4, 16 GB", "device='cuda' needs numba-cuda.", "T4, 16 GB (not used: device='cuda' needs numba-cuda)"),
    ],
)
def test_doctor_knows_whether_the_gpu_is_used(monkeypatch, name, problem, said):
    monkeypatch.setattr("spinney.cli.doctor._name_of_gpu", lambda: name)
    monkeypatch.setattr("spinney.gpu.problem_with_gpu", lambda: problem)
    assert facts("doctor")["machine"]["GPU"] == said


@pytest.mark.parametrize(
    ("driver", "tool", "said"),
    [
        (None, "echo NVIDIA", None),
        ("libcuda.so.1", None, "a CUDA driver without nvidia-smi"),
        ("libcuda.so.1", "exit 9", "a CUDA driver that does not respond"),
        ("libcuda.so.1", "echo one; echo two", "one; two"),
    ],
)
def test_what_the_driver_calls_the_gpu(monkeypatch, tmp_path, driver, tool, said):
    if tool is not None:
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{tool}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ctypes.util.find_library", lambda name: driver)
    assert _name_of_gpu() == said


def test_versions_within_bounds():
    assert within("2.4.6", "<2.6,>=2.0")
    assert not within("2.6.0", "<2.6,>=2.0")
    assert not within("1.26.4", ">=2.0")
    assert within("1.0", "")


def test_warmup(monkeypatch):
    """What the verb passes on is understood by `python -m spinney.warmup`; only the compiling is left out."""
    asked, failures = [], []
    monkeypatch.setattr("spinney.warmup.__main__.compile_ahead", lambda *what: asked.append(what) or failures)
    said, _ = run("warmup", "boosting", "trees", "--all", "--jobs", 2)
    assert said.startswith("Compiled kernels are in ")
    run("warmup")
    assert asked == [(["boosting", "trees"], True, 2), ([], False, None)]
    failures.append("trees: two classes: ValueError: no")
    assert "failed: trees: two classes: ValueError: no" in run("warmup", "trees", code=1)[1]


def test_warmup_of_an_unknown_family():
    assert refusal("warmup", "forest", code=2) == "there is no family 'forest'; did you mean 'forests'?"


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")
def test_warmup_compiles(tmp_path):
    """From a folder that lacks one kernel."""
    kernel = "spinney.tree.descend._send_down"
    warm_cache(tmp_path, kernel)
    assert not list(tmp_path.rglob(f"{kernel}*.bin"))
    done = process("warmup", "imported", "--jobs", 1, SPINNEY_CACHE_DIR=str(tmp_path), timeout=900)
    assert done.returncode == 0, done.stderr
    assert f"Compiled kernels are in {tmp_path}" in done.stdout.decode()
    assert list(tmp_path.rglob(f"{kernel}*.bin"))
