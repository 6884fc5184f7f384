"""Run every command of docs/command-line.md and write its output into the page.

    python tools/record_command_line.py [--check]

A command is a line of a ```console block that begins with `$ `; the lines up to the next command are its output. All
commands run in one empty folder, in their order. With --check nothing is written, and the exit code is 1 if the page is
not current. Times in seconds are not compared.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "command-line.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_SECONDS = re.compile(r"\d+\.\d+ s\b")


def main(arguments: list[str]) -> int:
    """Record, or check."""
    page = PAGE.read_text(encoding="utf-8")
    current = recorded(page)
    if "--check" not in arguments:
        PAGE.write_text(current, encoding="utf-8")
        return 0
    changed = list(differences(page, current))
    print("\n".join(changed))
    return 1 if changed else 0


def differences(page: str, current: str) -> Iterator[str]:
    """Lines that differ, times aside."""
    pages = [_SECONDS.sub("x s", text).splitlines() for text in (page, current)]
    yield from difflib.unified_diff(*pages, "the page", "now", lineterm="", n=1)


def recorded(page: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _BLOCK.sub(lambda block: f"```console\n{_run_all(block[1])}```", page)


def _run_all(block: str) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"$ {command}\n{_run(command)}" for command in commands)


def _run(command: str) -> str:
    """What a command prints, as one would see it; `> file` at its end is heeded."""
    from spinney.cli import main as spinney

    words = shlex.split(command)
    assert words[0] == "spinney", command
    target = words[words.index(">") + 1] if ">" in words else None
    out, error = io.StringIO(), io.StringIO()
    printed = contextlib.redirect_stdout(out), contextlib.redirect_stderr(error if target else out)
    with printed[0], printed[1], contextlib.suppress(SystemExit):
        spinney(words[1 : words.index(">")] if target else words[1:])
    if target:
        Path(target).write_text(out.getvalue(), encoding="utf-8")
    said = error.getvalue() if target else out.getvalue()
    return said.strip("\n") + "\n" if said.strip() else ""


if __name__ == "__main__":
    os.environ.setdefault("SPINNEY_QUIET", "1")
    sys.exit(main(sys.argv[1:]))
