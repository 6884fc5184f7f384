"""What the user is told of compiling."""

import sys
import time

import pytest

from spinney._compile import speech


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so; nothing was compiled yet."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(speech, "_last", -speech._PAUSE)
    monkeypatch.setattr(speech, "_said", set())
    monkeypatch.setattr(speech, "_open", 0)
    return now


TREE, FOREST, ENCODE = "spinney.grow.exact.grower._grow", "spinney.grow.codes.grower.grow", "spinney.data.binning._encode"


def said(capsys):
    """What is announced, in the words that differ."""
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("spinney: compiling ") for line in lines)
    return [line.removeprefix("spinney: compiling ").split(" for this")[0] for line in lines]


def test_what_is_compiled_is_said_with_the_place(clock, capsys):
    speech.announce(TREE, "/home/ada/.cache")
    text = capsys.readouterr().err
    assert text.startswith("spinney: compiling exact trees for this kind of table: some seconds, once, then kept in /home")
    assert text.count("\n") == 1
    assert "`python -m spinney.warmup`" in text


def test_without_a_place_it_is_said_that_every_process_compiles(clock, capsys):
    speech.announce(TREE, None)
    assert "in every process: no folder to keep it in" in capsys.readouterr().err


def test_one_line_for_one_fit(clock, capsys):
    for name in (TREE, ENCODE, TREE, "spinney._random.stream_key", "spinney.tree.descend._descend", TREE):
        speech.announce(name, "/place")
        clock[0] += 10.0  # that long it takes
        speech.compiled()
    assert said(capsys) == ["exact trees"]


def test_parts_of_a_kernel_are_no_news(clock, capsys):
    """They are compiled while it is; some come long after it was begun."""
    speech.announce(TREE, "/place")
    for _ in range(3):
        clock[0] += 10.0
        speech.announce(TREE, "/place")
        clock[0] += 10.0
        speech.compiled()
    speech.compiled()
    assert said(capsys) == ["exact trees"]
    assert speech._open == 0


def test_another_family_is_news_at_once(clock, capsys):
    for name in (ENCODE, FOREST, TREE, ENCODE):
        speech.announce(name, "/place")
        speech.compiled()
    assert said(capsys) == ["tables", "forests", "exact trees"]


def test_after_a_pause_the_same_is_news_again(clock, capsys):
    """Every new kind of table takes its seconds: nobody waits in silence."""
    speech.announce(TREE, "/place")
    clock[0] += 10.0
    speech.compiled()
    clock[0] += 1.9
    speech.announce(TREE, "/place")
    speech.compiled()
    clock[0] += 2.1
    speech.announce(TREE, "/place")
    speech.compiled()
    assert said(capsys) == ["exact trees", "exact trees"]


@pytest.mark.parametrize("name, family", [
    (TREE, "exact trees"),
    (FOREST, "forests"),
    ("spinney.grow.grower.grow_tree", "gradient boosting"),
    ("spinney.ensemble.gradients._fill", "gradient boosting"),
    ("spinney.ensemble.adaboost._weigh", "AdaBoost"),
    ("spinney.cluster.assign._assign", "clustering"),
    ("spinney._random.stream_key", "kernels"),
    ("elsewhere.f", "kernels"),
])  # fmt: skip
def test_families_have_names(name, family):
    assert speech.family_of(name) == family


@pytest.mark.parametrize("value, is_quiet", [("1", True), ("yes", True), ("0", False), ("", False)])
def test_silence(capsys, monkeypatch, value, is_quiet):
    monkeypatch.setenv("SPINNEY_QUIET", value)
    speech.say("a word")
    assert capsys.readouterr() == ("", "" if is_quiet else "spinney: a word\n")


class Gone:
    def write(self, text):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


@pytest.mark.parametrize("stream", ["none", "closed", "gone"])
def test_nobody_listens(capsys, monkeypatch, tmp_path, stream):
    """A program without a console, or whose reader has gone, must not fail, nor find words in its output."""
    closed = open(tmp_path / "closed", "w")  # noqa: SIM115
    closed.close()
    monkeypatch.setattr(sys, "stderr", {"none": None, "closed": closed, "gone": Gone()}[stream])
    speech.say("a word")
    assert capsys.readouterr().out == ""
