"""The command line in this process, and as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

import spinney
from spinney.cli.app import app

ROOT = Path(spinney.__file__).parents[1]


def run(*arguments, input=None, code=0):
    """What a command prints to standard output and to standard error; its exit code must be `code`."""
    quiet = {"SPINNEY_QUIET": "1"}  # whether a kernel has to be compiled first depends on what ran before
    result = CliRunner(env=quiet).invoke(app, [str(one) for one in arguments], input=input)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    return result.stdout, result.stderr


def facts(*arguments, input=None):
    """What a command says with --json."""
    return json.loads(run(*arguments, "--json", input=input)[0])


def refusal(*arguments, code=1, input=None):
    """The one sentence of a command that fails."""
    _, error = run(*arguments, code=code, input=input)
    lines = error.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    return lines[0].removeprefix("error: ")


def process(*arguments, input=None, stdin=None, timeout=300, **changes):
    """The same as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPINNEY_QUIET": "1", **changes}
    command = [sys.executable, "-m", "spinney", *map(str, arguments)]
    given = {"input": input} if stdin is None else {"stdin": stdin}
    return subprocess.run(command, capture_output=True, env=environment, timeout=timeout, check=False, **given)
