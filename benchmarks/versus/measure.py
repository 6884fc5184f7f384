"""Time the libraries in turn, several times, after a warm-up; the best run of each counts.

Runs alternate, so that a slow minute of the machine affects all libraries, and each round starts with another one. A
library that fails is reported with its error and left out from then on. `cases` defines what a figure means.
"""

import gc
import math
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.data import Table
from benchmarks.versus.crowd import crowd
from benchmarks.versus.memory import peak_memory
from benchmarks.versus.peers import Model, Peer, Settings
from benchmarks.versus.quality import Judge

WARM_UP_ROWS = 20_000
PATIENCE = 3.0  # a peer this many times slower than the fastest is measured once, not several times
PAUSE = 0.1  # seconds before each run in which the threads of the run before come to rest
CALLS = 300  # of what takes microseconds
GROWTH = 5  # times as many rows

Action = Callable[[], Any]


@dataclass
class Samples:
    """The times of one peer, in seconds, or why there are none."""

    seconds: list[float] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True)
class Result:
    """The figure of one peer in the unit of the case, and what else was found."""

    peer: str
    value: float | None
    quality: dict[str, float] = field(default_factory=dict)
    error: str | None = None


@dataclass
class Contest:
    """One table, the peers and what they are asked to do."""

    table: Table
    peers: list[Peer]
    settings: Settings
    repeats: int
    judge: Judge

    @property
    def bystanders(self) -> list[str]:
        """Spinney, and the peers that are there as information."""
        return ["spinney", *(peer.name for peer in self.peers if not peer.rival)]

    def peer(self, name: str) -> Peer:
        """The peer of this name."""
        return next(peer for peer in self.peers if peer.name == name)

    def assess(self, answers: Any) -> dict[str, float]:
        """How good a peer's answers for the test part are."""
        return self.judge(self.table.task, self.table.y_test, answers)

    def head(self, rows: int) -> Table:
        """The first rows of the table."""
        table = self.table
        return Table(table.task, table.X[:rows], table.y[:rows], table.X_test[:rows], table.y_test[:rows])

    def warm_up(self, verb: Callable[[Peer, Table], Any]) -> dict[str, str]:
        """Let every peer do it once on the first rows; the errors of those that cannot."""
        head = self.head(WARM_UP_ROWS)
        samples = alternate({peer.name: _bind(verb, peer, head) for peer in self.peers}, 1)
        return {name: sample.error for name, sample in samples.items() if sample.error}


def alternate(
    actions: Mapping[str, Action],
    repeats: int,
    after: Callable[[str, Any], None] | None = None,
    bystanders: Collection[str] = ("spinney",),
) -> dict[str, Samples]:
    """Run the actions in turn. `after` gets each action's first result, outside the measured time.

    A peer that is far slower than the fastest is run once only; `bystanders` are not compared with.
    """
    samples = {name: Samples() for name in actions}
    names = list(actions)
    for turn in range(repeats):
        start = turn % max(len(names), 1)
        for name in names[start:] + names[:start]:
            if not samples[name].error and not _hopeless(name, samples, bystanders):
                _run(actions[name], samples[name], None if turn or after is None else _bind(after, name))
    return samples


def fit_times(contest: Contest) -> list[Result]:
    """Seconds from the table to the model, and how good the model is on the test part."""
    table, settings = contest.table, contest.settings
    failed = contest.warm_up(lambda peer, head: _fit(peer, head, settings.short()))
    found: dict[str, dict[str, float]] = {}

    def judge(name: str, model: Model) -> None:
        peer = contest.peer(name)
        found[name] = contest.assess(peer.score(model, table.X_test)) | peer.describe(model)

    actions = {peer.name: _bind(_fit, peer, table, settings) for peer in contest.peers if peer.name not in failed}
    return _results(failed, alternate(actions, contest.repeats, judge, contest.bystanders), found)


def growth_times(contest: Contest) -> list[Result]:
    """As `fit_times`, and by how much the time grows beyond n log n from a fifth of the rows to all."""
    n = len(contest.table.y)
    part = n // GROWTH
    fewer = Contest(contest.head(part), contest.peers, contest.settings, contest.repeats, contest.judge)
    small = {result.peer: result for result in fit_times(fewer)}
    expected = n * math.log(n) / (part * math.log(part))
    results = fit_times(contest)
    for result in results:
        before = small[result.peer].value
        if result.value and before:
            result.quality["a fifth, s"] = before
            result.quality["of n log n"] = result.value / before / expected
    return results


def predict_times(contest: Contest) -> list[Result]:
    """Seconds to predict the whole test part."""
    models, failed = _models(contest)
    peers = [peer for peer in contest.peers if peer.name in models]
    actions = {peer.name: _bind(peer.score, models[peer.name], contest.table.X_test) for peer in peers}
    found: dict[str, dict[str, float]] = {}

    def judge(name: str, answers: Any) -> None:
        found[name] = contest.assess(answers)

    alternate(actions, 1)
    return _results(failed, alternate(actions, contest.repeats, judge), found)


def one_row_times(contest: Contest) -> list[Result]:
    """Microseconds to predict a table of one row, from many calls."""
    models, failed = _models(contest)
    row = contest.table.X_test[:1]
    calls = {name: _bind(contest.peer(name).score_row, model, row) for name, model in models.items()}
    return _call_times(contest, calls, failed)


def fit_call_times(contest: Contest) -> list[Result]:
    """Microseconds of a fit, from many calls."""
    _, failed = _models(contest)
    peers = [peer for peer in contest.peers if peer.name not in failed]
    return _call_times(
        contest, {peer.name: _bind(_fit, peer, contest.table, contest.settings) for peer in peers}, failed
    )


def predict_call_times(contest: Contest) -> list[Result]:
    """Microseconds to predict a small test part, from many calls."""
    models, failed = _models(contest)
    X_test = contest.table.X_test
    calls = {name: _bind(contest.peer(name).score, model, X_test) for name, model in models.items()}
    return _call_times(contest, calls, failed)


def encode_times(contest: Contest) -> list[Result]:
    """Seconds to turn the table into bins, for the peers that have that step to themselves."""
    contest.peers = [peer for peer in contest.peers if peer.can_encode]
    table, settings = contest.table, contest.settings
    failed = contest.warm_up(lambda peer, head: peer.encode(head.X, head.y, settings))
    peers = [peer for peer in contest.peers if peer.name not in failed]
    actions = {peer.name: _bind(peer.encode, table.X, table.y, settings) for peer in peers}
    return _results(failed, alternate(actions, contest.repeats))


def memory_peaks(contest: Contest) -> list[Result]:
    """MiB above the input at the worst moment of a fit, each peer in a process of its own."""
    results = []
    for peer in contest.peers:
        try:
            peak = min(peak_memory(peer, contest.table, contest.settings) for _ in range(contest.repeats))
            results.append(Result(peer.name, peak / 2**20))
        except RuntimeError as error:
            results.append(Result(peer.name, None, error=str(error)))
    return results


def shared_times(contest: Contest) -> list[Result]:
    """How many times longer a fit takes when every core also serves a busy process; medians, not the best."""
    table, settings = contest.table, contest.settings
    failed = contest.warm_up(lambda peer, head: _fit(peer, head, settings.short()))
    actions = {peer.name: _bind(_fit, peer, table, settings) for peer in contest.peers if peer.name not in failed}
    quiet = alternate(actions, contest.repeats)
    with crowd():
        busy = alternate(actions, contest.repeats)
    results = [Result(name, None, error=error) for name, error in failed.items()]
    for name in actions:
        if error := quiet[name].error or busy[name].error:
            results.append(Result(name, None, error=error))
            continue
        alone, together = statistics.median(quiet[name].seconds), statistics.median(busy[name].seconds)
        results.append(Result(name, together / alone, {"quiet s": alone, "busy s": together}))
    return results


MEASURES: dict[str, Callable[[Contest], list[Result]]] = {
    "fit": fit_times,
    "growth": growth_times,
    "predict": predict_times,
    "one_row": one_row_times,
    "calls_of_fit": fit_call_times,
    "calls_of_predict": predict_call_times,
    "encode": encode_times,
    "memory": memory_peaks,
    "shared": shared_times,
}


def _call_times(contest: Contest, calls: Mapping[str, Action], failed: dict[str, str]) -> list[Result]:
    """Microseconds of what takes microseconds: each run is many calls."""

    def many(call: Action) -> None:
        for _ in range(CALLS):
            call()

    actions = {name: _bind(many, call) for name, call in calls.items()}
    alternate(actions, 1)
    return _results(failed, alternate(actions, contest.repeats), scale=1e6 / CALLS)


def _run(action: Action, samples: Samples, after: Callable[[Any], None] | None) -> None:
    """One timed run; an exception becomes the peer's error."""
    gc.collect()
    time.sleep(PAUSE)
    try:
        start = time.perf_counter()
        outcome = action()
        samples.seconds.append(time.perf_counter() - start)
        if after is not None:
            after(outcome)
    except Exception as error:  # a peer's failure is a finding, not the end of the run
        samples.error = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"


def _hopeless(name: str, samples: Mapping[str, Samples], bystanders: Collection[str]) -> bool:
    """Whether a peer has been measured and is far behind another peer; never said of Spinney."""
    own = samples[name].seconds
    fastest = min((min(s.seconds) for peer, s in samples.items() if s.seconds and peer not in bystanders), default=0.0)
    return name != "spinney" and bool(own) and min(own) > PATIENCE * fastest


def _models(contest: Contest) -> tuple[dict[str, Model], dict[str, str]]:
    """A trained model of every peer, and the errors of those that could not train."""
    models: dict[str, Model] = {}
    actions = {peer.name: _bind(_fit, peer, contest.table, contest.settings) for peer in contest.peers}
    samples = alternate(actions, 1, models.__setitem__)
    return models, {name: sample.error for name, sample in samples.items() if sample.error}


def _results(
    failed: dict[str, str],
    samples: Mapping[str, Samples],
    found: Mapping[str, dict[str, float]] | None = None,
    scale: float = 1.0,
) -> list[Result]:
    """The best time of every peer, and the errors."""
    results = [Result(name, None, error=error) for name, error in failed.items()]
    for name, sample in samples.items():
        value = None if sample.error else scale * min(sample.seconds)
        results.append(Result(name, value, (found or {}).get(name, {}), sample.error))
    return results


def _fit(peer: Peer, table: Table, settings: Settings) -> Model:
    return peer.fit(table.X, table.y, settings)


def _bind(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The function with its first arguments given."""
    return partial(function, *arguments)
