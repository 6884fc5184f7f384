"""What the user is told of compiling."""

import contextlib
import sys
import time

import pytest

from spinney._compile import PLAIN_PYTHON, CompileError, kernel, speech


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so; nothing was compiled yet."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(speech, "_said", {})
    monkeypatch.setattr(speech, "_open", 0)
    return now


TREE, FOREST, ENCODE = (
    "spinney.grow.lists.grower._grow",
    "spinney.grow.codes.grower.grow",
    "spinney.data.binning._encode",
)


def said(capsys):
    """What is announced, in the words that differ."""
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("spinney: compiling ") for line in lines)
    return [line.removeprefix("spinney: compiling ").split(" for this")[0] for line in lines]


LARGE, SMALL = 80_000, 100  # bytes of Python's code


def compile_kernel(clock, name, size=LARGE, seconds=1.0):
    speech.announce(name, size, "/place")
    clock[0] += seconds
    speech.compiled(name)


def test_what_is_compiled_is_said_with_the_time_and_the_place(clock, capsys):
    speech.announce(TREE, LARGE, "/home/ada/.cache")
    text = capsys.readouterr().err
    assert text.startswith(
        "spinney: compiling exact trees for this kind of table: about 10 s, once, then kept in /home/ada"
    )
    assert text.count("\n") == 1
    assert "`python -m spinney.warmup`" in text


def test_without_a_place_it_is_said_that_every_process_compiles(clock, capsys):
    speech.announce(TREE, LARGE, None)
    assert "in every process: there is no folder to keep it in" in capsys.readouterr().err


def test_what_takes_no_time_is_not_worth_a_word(clock, capsys):
    compile_kernel(clock, "spinney._random.stream_key", SMALL)
    assert said(capsys) == []
    compile_kernel(clock, "spinney.cluster.assign._assign", speech._WORTH_A_WORD)
    assert said(capsys) == ["clustering"]


def test_a_family_is_announced_once_in_a_fit(clock, capsys):
    for name in (ENCODE, TREE, ENCODE, TREE, FOREST, TREE):
        compile_kernel(clock, name, seconds=3.0)
        compile_kernel(clock, "spinney._random.stream_key", SMALL)
    assert said(capsys) == ["tables", "exact trees", "forests"]


def test_parts_of_a_kernel_are_no_news(clock, capsys):
    """They are compiled while it is; some come long after it was begun."""
    speech.announce(TREE, LARGE, "/place")
    for _ in range(3):
        clock[0] += 20.0
        compile_kernel(clock, TREE, seconds=20.0)
    speech.compiled(TREE)
    assert said(capsys) == ["exact trees"]
    assert speech._open == 0


def test_after_a_pause_the_same_is_news_again(clock, capsys):
    """Every new kind of table takes its seconds: nobody waits in silence."""
    compile_kernel(clock, TREE, seconds=30.0)
    clock[0] += 9.9
    compile_kernel(clock, TREE)
    clock[0] += 10.0
    compile_kernel(clock, TREE)
    assert said(capsys) == ["exact trees", "exact trees"]


def test_what_fails_to_compile_is_over_too(folder, capsys):
    before = speech._open
    for function, kind in [(lambda x: x.nothing, CompileError), (lambda x: x + 1, None)]:
        with pytest.raises(kind) if kind and not PLAIN_PYTHON else contextlib.suppress(AttributeError):
            kernel(function)(1)
        assert speech._open == before


def test_once_is_once(capsys):
    for _ in range(2):
        speech.say_once("a word that no other test says")
    assert capsys.readouterr().err.count("a word that no other test says") == 1


@pytest.mark.parametrize("name, family", [
    (TREE, "exact trees"),
    (FOREST, "forests"),
    ("spinney.grow.histogram.grower.grow_tree", "gradient boosting"),
    ("spinney.grow.describe._describe_means", "trees"),
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
