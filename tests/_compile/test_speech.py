"""What the user is told of compiling."""

import contextlib
import importlib
import sys

import pytest

from spinney._compile import PLAIN_PYTHON, CompileError, kernel, speech
from spinney._compile.speech import Cost
from tests._compile.processes import run

GROW, SEARCH, ENCODE, WALK, OTHER = (
    "spinney.grow.boosting.grower.grow_tree",
    "spinney.grow.boosting.dense.search_chunk",
    "spinney.data.encode._encode",
    "spinney.tree.predict_boosted.walk",
    "spinney.grow.binned.grower.grow",
)
FIT = {GROW: Cost(1.0, 1, False), SEARCH: Cost(2.0, 2, True), ENCODE: Cost(3.0, 1, False), WALK: Cost(0.4, 1, False)}
SIZE = 40_000  # bytes of Python's code of a kernel that nobody has measured: five seconds


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so; one fit is known, and nothing was compiled yet."""
    now = [1000.0]
    monkeypatch.setattr(speech, "clock", lambda: now[0])
    monkeypatch.setattr(speech, "_fits", lambda: [speech._Fit("gradient boosting", FIT)])
    monkeypatch.setattr(speech, "is_useful", lambda: False)
    for name in ("_said", "_covered"):
        monkeypatch.setattr(speech, name, set())
    for name in ("_spent", "_compiling"):
        monkeypatch.setattr(speech, name, {})
    monkeypatch.setattr(speech, "_work", speech._Work())
    return now


def said(capsys):
    """(family, seconds) of every line."""
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("spinney: compiling ") for line in lines)
    words = [line.removeprefix("spinney: compiling ").split(" s, ")[0].split(": about ") for line in lines]
    return [(family, int(seconds)) for family, seconds in words]


def compile_kernel(clock, name, seconds=1.0, there=(), size=SIZE):
    speech.announce(name, size, True, lambda: set(there))
    speech.begins()
    clock[0] += seconds
    speech.compiled()


def test_one_line_says_what_how_long_and_how_to_be_spared(clock, capsys):
    compile_kernel(clock, GROW)
    assert capsys.readouterr().err == (
        "spinney: compiling gradient boosting: about 8 s, once. `python -m spinney.warmup` does it ahead of time.\n"
    )


def test_the_time_is_that_of_all_kernels_of_the_fit(clock, capsys):
    for name in (GROW, ENCODE, SEARCH, WALK, GROW):
        compile_kernel(clock, name)
    assert said(capsys) == [("gradient boosting", 8)]


def test_what_is_in_the_cache_does_not_count(clock, capsys):
    compile_kernel(clock, GROW, there=[GROW, SEARCH, WALK])  # the kernel at hand is for another kind of table
    assert said(capsys) == [("gradient boosting", 4)]


def test_what_was_compiled_before_does_not_count(clock, capsys):
    compile_kernel(clock, WALK, 0.4)
    compile_kernel(clock, GROW)
    assert said(capsys) == [("gradient boosting", 8)]  # 1 + 2 * 2 + 3, without 0.4


def test_an_assistant_does_half_of_the_parts(clock, capsys, monkeypatch):
    monkeypatch.setattr(speech, "is_useful", lambda: True)
    compile_kernel(clock, GROW)
    assert said(capsys) == [("gradient boosting", 6)]


def test_a_machine_of_half_the_speed_takes_twice_as_long(clock, capsys):
    compile_kernel(clock, WALK, seconds=0.8)
    for _ in range(200):  # the more there is to go by, the nearer
        compile_kernel(clock, WALK, seconds=0.8)
    compile_kernel(clock, GROW)
    assert said(capsys) == [("gradient boosting", 16)]


def test_seconds_for_kernels_inside_are_theirs(clock):
    speech.announce(GROW, SIZE, True, set)
    speech.begins()
    clock[0] += 1.0
    compile_kernel(clock, SEARCH, 2.0)
    clock[0] += 0.5
    speech.compiled()
    assert speech._spent == {SEARCH: [2.0], GROW: [1.5]}


def test_seconds_count_while_a_kernel_is_compiled(clock):
    before = speech.seconds_spent()
    speech.announce(GROW, SIZE, True, set)
    clock[0] += 60.0  # waiting for another process
    speech.begins()
    clock[0] += 1.0
    assert speech.seconds_spent() - before == 1.0
    compile_kernel(clock, SEARCH, 2.0)
    clock[0] += 0.5
    assert speech.seconds_spent() - before == 3.5
    speech.compiled()
    assert speech.seconds_spent() - before == 3.5
    assert speech._compiling == {}


def test_waiting_for_another_process_says_nothing_of_this_machine(clock):
    speech.announce(GROW, SIZE, True, set)
    clock[0] += 60.0
    speech.compiled()  # the other one has compiled it
    assert speech._spent == {}


def test_a_kernel_that_nobody_has_measured_goes_by_its_size(clock, capsys):
    compile_kernel(clock, OTHER)
    assert said(capsys) == [("forests", 5)]


def test_without_a_place_it_is_said_that_every_process_compiles(clock, capsys):
    speech.announce(GROW, SIZE, False, set)
    assert "about 8 s, in every process, since there is no folder to store it in." in capsys.readouterr().err


def test_what_takes_no_time_is_not_worth_a_word(clock, capsys):
    compile_kernel(clock, WALK, seconds=9.0)
    compile_kernel(clock, "spinney._random.stream_key", size=100)
    assert said(capsys) == []


def test_every_family_has_a_line_of_its_own_once(clock, capsys):
    for name in (OTHER, GROW, OTHER, "spinney.cluster.assign._assign_by_bounds", GROW):
        compile_kernel(clock, name, seconds=0.0)
    assert [family for family, _ in said(capsys)] == ["forests", "gradient boosting", "clustering"]


def test_the_costs_are_of_kernels_that_there_are():
    """`python -m tools.compile_costs` measures them anew."""
    assert {fit.family for fit in speech._fits()} >= {"gradient boosting", "exact trees", "forests", "clustering"}
    for fit in speech._fits():
        assert any(speech.family_of(name) == fit.family for name in fit.kernels)
        for name, cost in fit.kernels.items():
            module, _, function = name.rpartition(".")
            found = getattr(importlib.import_module(module), function)
            assert PLAIN_PYTHON or cost.is_part == hasattr(found, "part"), name
            assert cost.seconds > 0
            assert cost.times > 0


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is compiled")
def test_what_a_cold_fit_compiles_was_said(tmp_path):
    """What was said is what the kernels that were compiled are known to cost, however fast this machine is."""
    code = """
import numpy as np
import spinney
from spinney._compile import speech
speech._slowness = lambda: 1.0
X = np.random.RandomState(0).randn(300, 5)
spinney.KMeans(3, random_state=0).fit(X).predict(X)
known = {name: cost.seconds for fit in speech._fits() for name, cost in fit.kernels.items()}
print(sum(known.get(name, 0.0) * len(times) for name, times in speech._spent.items()))
"""
    tmp_path.chmod(0o700)
    out, complaints = run(code, SPINNEY_CACHE_DIR=str(tmp_path), SPINNEY_ASSISTANT="0", SPINNEY_QUIET="")
    (line,) = [one for one in complaints.splitlines() if "compiling" in one]
    seconds = int(line.removeprefix("spinney: compiling clustering: about ").split(" s, once")[0])
    assert float(out) / 2 <= seconds <= 2 * float(out)


def test_what_fails_to_compile_is_over_too(folder, capsys):
    before = list(speech._work.open)
    for function, kind in [(lambda x: x.nothing, CompileError), (lambda x: x + 1, None)]:
        with pytest.raises(kind) if kind and not PLAIN_PYTHON else contextlib.suppress(AttributeError):
            kernel(function)(1)
        assert speech._work.open == before


def test_once_is_once(capsys):
    for _ in range(2):
        speech.say_once("a word that no other test says")
    assert capsys.readouterr().err.count("a word that no other test says") == 1


@pytest.mark.parametrize("name, family", [
    ("spinney.grow.exact.grower._grow", "exact trees"),
    (OTHER, "forests"),
    ("spinney.grow.boosting.grower.grow_tree", "gradient boosting"),
    ("spinney.grow.node_values._describe_means", "trees"),
    ("spinney.ensemble.boosting.gradients._fill", "gradient boosting"),
    ("spinney.ensemble.adaboost._weigh", "AdaBoost"),
    ("spinney.cluster.assign._assign", "clustering"),
    ("spinney.cluster.e_step.visit", "Gaussian mixtures"),
    ("spinney.explain.search.search", "explanations"),
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
