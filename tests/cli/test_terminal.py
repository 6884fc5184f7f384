"""Terminals: data cannot steer them, and no encoding stops a command."""

import json
import os
import sys

import pytest

from spinney.cli.terminal import printable, printable_json
from tests.cli.run import facts, process, refusal, run
from tests.compiled import slow
from tests.full_disk import full_disk

STEERING = "\x1b]52;c;aGk=\x07\x9b2J"


@pytest.fixture
def hostile(tmp_path):
    """A table whose names, cells and classes hold what terminals obey."""
    rows = "".join(f"{k % 7},{'ab'[k % 2]}{STEERING},{'no' if k % 3 else STEERING}\n" for k in range(60))
    path = tmp_path / "t.csv"
    path.write_text(f"x{STEERING},words,y\n{rows}", encoding="utf-8")
    return path


def test_escape_sequences_do_not_reach_the_terminal(hostile, tmp_path):
    model = tmp_path / "m.spinney"
    said = [*run("fit", hostile, "-t", "y", "-m", "tree", "--cv", 2, "--out", model)]
    said += run("show", model) + run("show", model, "--rules") + run("inspect", model)
    said += run("evaluate", model, hostile) + run("explain", model, hostile, "--counterfactual")
    said += run("cluster", hostile, "-k", 2)
    said.append(refusal("fit", hostile, "-t", "z", code=2))
    said.append(refusal("fit", f"{STEERING}.csv", "-t", "z", code=2))
    assert not any(one in text for text in said for one in "\x1b\x07\x9b")
    assert "\\x1b]52;c;aGk=\\x07\\x9b2J" in said[0]
    shown = run("show", model, "--json")[0]
    assert not any(one in shown for one in "\x1b\x07\x9b")
    assert facts("show", model)["columns"][0] == f"x{STEERING}"  # JSON's escapes, the same text


def test_what_is_printable():
    assert printable("é█\t\n\x1b\u202e\ud800") == "é█\\t\\n\\x1b\\u202e\\ud800"
    assert printable("a\n\tb\r", lines=True) == "a\n\tb\\x0d"
    text = json.dumps({"a\n": "\x9b\x7f\u2028"}, indent=1, ensure_ascii=False)
    assert json.loads(printable_json(text)) == json.loads(text)
    assert printable_json(text).isascii()


@pytest.mark.parametrize("encoding", slow(["cp1252", "latin-1", "ascii"]))
def test_any_encoding_will_do(tmp_path, encoding):
    """The model is saved, and signs that are lacking are replaced."""
    table, model = tmp_path / "t.csv", tmp_path / "m.spinney"
    rows = "".join(f"{k % 7},{'ж' * 30}{k % 2},{'é' if k % 3 else 'ж'}\n" for k in range(60))
    table.write_text(f"größe,слово,y\n{rows}", encoding="utf-8")
    fitted = process("fit", table, "-t", "y", "-m", "tree", "--cv", 2, "--out", model, PYTHONIOENCODING=encoding)
    assert (fitted.returncode, fitted.stderr) == (0, b"")
    assert model.exists()
    assert b"####" in fitted.stdout
    assert "\\u0436" in fitted.stdout.decode(encoding)
    shown = process("show", model, "--json", PYTHONIOENCODING=encoding)
    assert json.loads(shown.stdout.decode(encoding))["columns"] == ["größe", "слово"]
    predicted = process("predict", model, table, "--keep", "слово", PYTHONIOENCODING=encoding)
    assert predicted.returncode == 0
    assert predicted.stdout.decode("utf-8").splitlines()[1].startswith("ж" * 30)  # data for other programs


@pytest.mark.parametrize(
    ("command", "out"),
    [("predict", "p.csv"), ("predict", "p.parquet"), ("export", "m.json")],
)
def test_a_full_disk_leaves_no_half_of_a_file(model, penguins, tmp_path, command, out):
    more = [penguins, "--keep", "all"] if command == "predict" else ["--to", "json"]
    with full_disk():
        said = refusal(command, model, *more, "--out", tmp_path / out)
    assert said == f"{tmp_path / out}: File too large."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals")
def test_predictions_on_a_terminal_are_printable(hostile, tmp_path):
    import pty
    import subprocess

    from tests.cli.run import ROOT

    model = tmp_path / "m.spinney"
    run("fit", hostile, "-t", "y", "-m", "tree", "--cv", 0, "--out", model, "--quiet")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "spinney", "predict", str(model), str(hostile), "--keep", "all"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPINNEY_QUIET": "1"}
    with subprocess.Popen(command, stdout=theirs, env=environment) as started:
        os.close(theirs)
        said = b""
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            said += block
        assert started.wait(timeout=300) == 0
    os.close(ours)
    assert b"\x1b" not in said
    assert b"\\x1b]52" in said
