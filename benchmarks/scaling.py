"""Time fits on 1 to 16 threads, phase by phase: the first place to look when cores are idle.

    python -m benchmarks.scaling                                   all cases, 1 to 16 threads
    python -m benchmarks.scaling --case adaboost,tree --threads 1,2 --rows 0.5
    python -m benchmarks.scaling --phases 20                       more number of phases to print

Needs only the package itself, since the data is generated. Prints the seconds of a fit for every case, the best of
`--repeats`, and those of its phases: every call that a team of threads entered together, by the kernel's name (with the
number of such calls in brackets), and `between them`, everything that the calling thread did alone. A phase whose time
does not fall from one column to the next limits the scaling. `--rows` multiplies the number of rows.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from spinney import AdaBoostClassifier, DecisionTreeClassifier, ExtraTreesClassifier, GradientBoostingClassifier
from spinney._team import Team, available_threads

COLUMNS = 28
OUTSIDE = "between them"


class Case(NamedTuple):
    """A model, the rows it is fitted to, and by how much sixteen threads should be faster than one."""

    make: Callable[[int], Any]  # from the number of threads
    rows: int
    goal: float


CASES = {
    "adaboost": Case(lambda threads: AdaBoostClassifier(n_estimators=50, n_jobs=threads), 400_000, 5.0),
    "boosting": Case(
        lambda threads: GradientBoostingClassifier(n_estimators=100, random_state=0, n_jobs=threads), 2_000_000, 9.0
    ),
    "tree": Case(lambda threads: DecisionTreeClassifier(n_jobs=threads), 2_000_000, 10.0),
    "extra": Case(lambda threads: ExtraTreesClassifier(64, random_state=0, n_jobs=threads), 200_000, 12.0),
}


class Measured(NamedTuple):
    seconds: float
    phases: dict[str, float]  # by name
    calls: dict[str, int]
    fingerprint: str


def make_table(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of mixed distributions and two classes that depend on some of them."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, COLUMNS), dtype=np.float32)
    X[:, 1::4] = np.exp(X[:, 1::4])
    X[:, 2::4] = np.floor(4.0 * X[:, 2::4])
    signal = X[:, 0] * X[:, 4] + np.sin(2.0 * X[:, 3]) + 0.3 * X[:, 2] - (X[:, 1] > 1.5) + 0.5 * X[:, 7]
    return X, (signal + random.standard_normal(rows) > 0.0).astype(np.int64)


@contextmanager
def watched() -> Iterator[tuple[dict[str, float], dict[str, int]]]:
    """While this is open, (seconds, number) of all calls of teams, by the name of what was called."""
    seconds: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = Counter()
    plain = {"run": Team.run, "map": Team.map}

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(team: Team, function: Any, *rest: Any) -> Any:
            name = getattr(function, "__qualname__", type(function).__name__).replace(".<locals>", "")
            begun = time.perf_counter()
            try:
                return method(team, function, *rest)
            finally:
                seconds[name] += time.perf_counter() - begun
                calls[name] += 1

        return call

    try:
        for name, method in plain.items():
            setattr(Team, name, timed(method))
        yield seconds, calls
    finally:
        for name, method in plain.items():
            setattr(Team, name, method)


def measure(case: Case, X: np.ndarray, y: np.ndarray, threads: int, repeats: int) -> Measured:
    """The quickest of some fits."""
    best = None
    for _ in range(repeats):
        with watched() as (phases, calls):
            begun = time.perf_counter()
            model = case.make(threads).fit(X, y)
            seconds = time.perf_counter() - begun
        phases[OUTSIDE], calls[OUTSIDE] = seconds - sum(phases.values()), 1
        if best is None or seconds < best.seconds:
            best = Measured(seconds, dict(phases), dict(calls), model.fingerprint_)
    assert best is not None
    return best


def report(name: str, case: Case, rows: int, found: dict[int, Measured], n_phases: int) -> None:
    """Print a table: threads across, phases down."""
    first = found[min(found)]
    lines = [("", [f"{threads:d}" for threads in found])]
    lines.append(("seconds", [f"{one.seconds:.3f}" for one in found.values()]))
    lines.append(
        (f"times faster (goal {case.goal:g})", [f"{first.seconds / one.seconds:.1f}" for one in found.values()])
    )
    slowest = max(found)
    for phase in sorted(first.phases, key=lambda phase: -found[slowest].phases.get(phase, 0.0))[:n_phases]:
        label = f"  {phase}" + ("" if phase == OUTSIDE else f" ({first.calls[phase]})")
        lines.append((label, [f"{one.phases.get(phase, 0.0):.3f}" for one in found.values()]))
    same = len({one.fingerprint for one in found.values()}) == 1
    print(f"\n{name}: {rows:,} x {COLUMNS}, {'one model' if same else 'MODELS DIFFER'}, {first.fingerprint[:12]}")
    for label, cells in lines:
        print(f"{label:44s}" + "".join(f"{cell:>9s}" for cell in cells), flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Time the cases asked for and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default=",".join(CASES), help="names, separated by commas: " + ", ".join(CASES))
    parser.add_argument("--threads", default="1,2,4,8,16", help="numbers, separated by commas")
    parser.add_argument("--rows", type=float, default=1.0, help="factor for the number of rows")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--phases", type=int, default=10, help="number of phases to print")
    options = parser.parse_args(arguments)
    print(f"{available_threads(None)} cores")
    for name in options.case.split(","):
        case = CASES[name]
        rows = int(case.rows * options.rows)
        X, y = make_table(rows)
        wanted = [int(number) for number in options.threads.split(",")]
        small = min(rows, 60_000)  # large enough that kernels are those of the large table, for compiling them
        case.make(max(wanted)).fit(X[:small], y[:small])
        found = {threads: measure(case, X, y, threads, options.repeats) for threads in wanted}
        report(name, case, rows, found, options.phases)


if __name__ == "__main__":
    main()
