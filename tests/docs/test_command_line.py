"""The terminal runs in docs/command-line.md are current: every command is run and its output compared."""

from tools.record_command_line import PAGE, differences, recorded


def test_the_recorded_runs_are_current(monkeypatch):
    monkeypatch.setenv("SPINNEY_QUIET", "1")
    page = PAGE.read_text(encoding="utf-8")
    current = recorded(page)
    assert current.count("\n$ spinney") > 8
    assert list(differences(page, current)) == [], "run tools/record_command_line.py"
