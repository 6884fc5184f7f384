"""tools/record_command_line.py: runs the commands of a page, compares and records."""

import pytest

import spinney
from tools import record_command_line
from tools.record_command_line import differences, main, recorded

PAGE = """Before.

```console
$ spinney --version
{said}
$ spinney --version > version.txt
```

```text
$ spinney --version
```
"""
CURRENT = PAGE.format(said=f"spinney {spinney.__version__}\n")


def test_commands_are_run_and_the_rest_stays():
    assert recorded(PAGE.format(said="spinney 0.0\nand more")) == CURRENT
    assert recorded(CURRENT) == CURRENT


def test_other_commands_are_not_run():
    with pytest.raises(AssertionError, match="rm x"):
        recorded("```console\n$ rm x\n```")


def test_seconds_are_not_compared():
    assert list(differences("fitted in 1.25 s\n", "fitted in 20.5 s\n")) == []
    found = list(differences("2 trees in 1.0 s", "3 trees in 2.0 s"))
    assert found[-2:] == ["-2 trees in x s", "+3 trees in x s"]


def test_a_page_is_checked_and_recorded(tmp_path, monkeypatch, capsys):
    page, old = tmp_path / "page.md", PAGE.format(said="spinney 0.0")
    page.write_text(old)
    monkeypatch.setattr(record_command_line, "PAGE", page)
    assert main(["--check"]) == 1
    assert "-spinney 0.0" in capsys.readouterr().out
    assert page.read_text() == old
    assert main([]) == 0
    assert page.read_text() == CURRENT
    assert main(["--check"]) == 0
