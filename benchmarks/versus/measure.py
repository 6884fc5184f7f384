"""Taking times: every peer in turn, several times over, after a warm-up; the best of each counts.

The peers alternate, so that a slow minute of the machine hits them all, and each round starts with another peer.
A peer that fails is reported with its error and left out from then on. What a figure means is in `cases`.
"""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from benchmarks.data import Table
from benchmarks.versus.crowd import crowd
from benchmarks.versus.memory import peak_memory
from benchmarks.versus.peers import Model, Peer, Settings
from benchmarks.versus.quality import quality

WARM_UP_ROWS = 20_000
WARM_UP_ROUNDS = 2
PATIENCE = 3.0  # a peer this many times slower than the fastest is measured once, not several times
PAUSE = 0.1  # seconds before each run in which the threads of the run before come to rest
ONE_ROW_CALLS = 300

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

    def warm_up(self, verb: Callable[[Peer, Table], Any]) -> dict[str, str]:
        """Let every peer do it once on the first rows; the errors of those that cannot."""
        rows = min(WARM_UP_ROWS, len(self.table.y))
        head = Table(
            self.table.task,
            self.table.X[:rows],
            self.table.y[:rows],
            self.table.X_test[:rows],
            self.table.y_test[:rows],
        )
        samples = alternate({peer.name: _bind(verb, peer, head) for peer in self.peers}, 1)
        return {name: sample.error for name, sample in samples.items() if sample.error}


def alternate(
    actions: Mapping[str, Action], repeats: int, after: Callable[[str, Any], None] | None = None
) -> dict[str, Samples]:
    """Run the actions in turn. `after` gets each action's first result, outside the measured time."""
    samples = {name: Samples() for name in actions}
    names = list(actions)
    for turn in range(repeats):
        start = turn % max(len(names), 1)
        for name in names[start:] + names[:start]:
            if not samples[name].error and not _hopeless(name, samples):
                _run(actions[name], samples[name], None if turn or after is None else _bind(after, name))
    return samples


def fit_times(contest: Contest) -> list[Result]:
    """Seconds from the table to the model, and how good the model is on the test part."""
    table, settings = contest.table, contest.settings
    failed = contest.warm_up(lambda peer, head: _fit(peer, head, _short(settings)))
    found: dict[str, dict[str, float]] = {}

    def judge(name: str, model: Model) -> None:
        peer = next(peer for peer in contest.peers if peer.name == name)
        found[name] = quality(table.task, table.y_test, peer.score(model, table.X_test))

    actions = {peer.name: _bind(_fit, peer, table, settings) for peer in contest.peers if peer.name not in failed}
    return _results(failed, alternate(actions, contest.repeats, judge), found)


def predict_times(contest: Contest) -> list[Result]:
    """Seconds to predict the whole test part."""
    models, failed = _models(contest)
    peers = [peer for peer in contest.peers if peer.name in models]
    X_test, y_test = contest.table.X_test, contest.table.y_test
    actions = {peer.name: _bind(peer.score, models[peer.name], X_test) for peer in peers}
    found: dict[str, dict[str, float]] = {}

    def judge(name: str, scores: Any) -> None:
        found[name] = quality(contest.table.task, y_test, scores)

    alternate(actions, 1)
    return _results(failed, alternate(actions, contest.repeats, judge), found)


def one_row_times(contest: Contest) -> list[Result]:
    """Microseconds to predict a table of one row, from many calls."""
    models, failed = _models(contest)
    row = contest.table.X_test[:1]

    def calls(peer: Peer) -> None:
        for _ in range(ONE_ROW_CALLS):
            peer.score_row(models[peer.name], row)

    actions = {peer.name: _bind(calls, peer) for peer in contest.peers if peer.name in models}
    alternate(actions, 1)
    return _results(failed, alternate(actions, contest.repeats), scale=1e6 / ONE_ROW_CALLS)


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
            peak = min(peak_memory(peer.name, contest.table, contest.settings) for _ in range(contest.repeats))
            results.append(Result(peer.name, peak / 2**20))
        except RuntimeError as error:
            results.append(Result(peer.name, None, error=str(error)))
    return results


def shared_times(contest: Contest) -> list[Result]:
    """How many times longer a fit takes when every core also serves a busy process; medians, not the best."""
    table, settings = contest.table, contest.settings
    failed = contest.warm_up(lambda peer, head: _fit(peer, head, _short(settings)))
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
    "predict": predict_times,
    "one_row": one_row_times,
    "encode": encode_times,
    "memory": memory_peaks,
    "shared": shared_times,
}


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


def _hopeless(name: str, samples: Mapping[str, Samples]) -> bool:
    """Whether a peer has been measured and is far behind another peer; never said of Spinney."""
    own = samples[name].seconds
    fastest = min((min(s.seconds) for peer, s in samples.items() if s.seconds and peer != "spinney"), default=0.0)
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


def _short(settings: Settings) -> Settings:
    """The same with a few rounds, to warm up."""
    return replace(settings, rounds=WARM_UP_ROUNDS)


def _bind(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The function with its first arguments given."""
    return partial(function, *arguments)
