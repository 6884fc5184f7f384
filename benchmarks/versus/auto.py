"""Compare automatic models with the defaults of the families that they choose from.

    SPINNEY_DATA=folder python -m benchmarks.versus.auto --rows 8000 --cache results.json

Prints log loss (classification) or RMSE (regression) per table and model, the seconds of a fit, the mean ranks, and by
how much the automatic model's loss is below that of the family that is best on average. `--cache` keeps the families'
results, so that a second run fits only automatic models.
"""

import argparse
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import spinney
from benchmarks.data import Task
from benchmarks.versus import tables
from benchmarks.versus.accuracy import Cache, Plan, parse_changes, run_contestant
from benchmarks.versus.crowd import cores
from benchmarks.versus.defaults import Contestant
from benchmarks.versus.standings import Losses, print_standings

LARGE = ("mnist_10k", "letter", "protein_homology", "fars")  # minutes each


@dataclass(frozen=True)
class Make:
    """Makes one kind of our models."""

    kind: str
    changes: dict[str, Any] = field(default_factory=dict)

    def __call__(self, task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
        """An estimator for the task."""
        estimator = getattr(spinney, self.kind + ("Regressor" if task == "regression" else "Classifier"))
        return estimator(**{"n_jobs": threads, "random_state": seed, **self.changes})


FAMILIES = tuple(
    Contestant(name, "spinney", Make(kind))
    for name, kind in (("boosting", "GradientBoosting"), ("forest", "RandomForest"), ("extra-trees", "ExtraTrees"))
)


def main(arguments: list[str] | None = None) -> None:
    """Run the tables asked for and print the standings."""
    options = _parser().parse_args(arguments)
    warnings.filterwarnings("ignore")
    plan = Plan(
        "holdout", options.seeds, options.threads, options.rows, Cache(Path(options.cache) if options.cache else None)
    )
    autos = [Contestant("auto", "spinney", Make("Auto"), cached=False)]
    for variant in options.variant:
        label, _, changes = variant.partition(":")
        autos.append(Contestant(label, "spinney", Make("Auto", parse_changes(changes)), cached=False))
    contestants, losses = [*autos, *FAMILIES], Losses()
    print(f"{'table':20s}{'rows':>7s}" + "".join(f"{c.name:>21.20s}" for c in contestants), flush=True)
    for name in _chosen(options.tables):
        table = tables.load(name)
        table = table.sample(plan.rows) if plan.rows else table
        results = {c.name: found for c in contestants if (found := run_contestant(c, table, plan))}
        losses.add(table, results)
        _print_row(table, contestants, losses)
    names, own = [c.name for c in contestants], [c.name for c in autos]
    print_standings(losses, names, own)
    _print_gain(losses, own, [c.name for c in FAMILIES])


def _chosen(names: str | None) -> Iterable[str]:
    return names.split(",") if names else [name for name in tables.names() if name not in LARGE]


def _print_row(table: tables.RealTable, contestants: list[Contestant], losses: Losses) -> None:
    """Loss and seconds, the best loss marked."""
    found, seconds = losses.by_table[table.name], losses.seconds[table.name]
    best, cells = min(found.values(), default=0.0), []
    for name in (c.name for c in contestants):
        if name in found:
            cells.append(f"{found[name]:>11.5g}{'*' if found[name] == best else ' '}{seconds[name]:>7.1f} s")
        else:
            cells.append(f"{'-':>21s}")
    print(f"{table.name:20.19s}{len(table.y):7d}" + "".join(cells), flush=True)


def _print_gain(losses: Losses, autos: list[str], families: list[str]) -> None:
    """The mean of log ratios of losses, to the family that is best by the same mean."""

    def log_ratio(name: str, other: str) -> float:
        return float(np.mean(np.log(losses.ratios(name, [other]))))

    best = min(families, key=lambda name: log_ratio(name, families[0]))
    for name in autos:
        share = np.expm1(log_ratio(name, best))
        print(f"{name}: loss {100 * share:+.2f} % beside {best}, the best family (mean of log ratios)")


def _parser() -> argparse.ArgumentParser:
    doc = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versus.auto", description=doc)
    parser.add_argument("--tables", help=f"names, separated by commas (default: all but {', '.join(LARGE)})")
    parser.add_argument("--seeds", type=int, default=1, help="number of random splits per table")
    parser.add_argument("--rows", type=int, help="maximum number of rows per table")
    parser.add_argument(
        "--variant", action="append", default=[], metavar="LABEL:NAME=VALUE,...", help="an additional automatic model"
    )
    parser.add_argument("--cache", metavar="FILE", help="JSON file that keeps the families' results")
    parser.add_argument("--threads", type=int, default=len(cores()), help="threads per model")
    return parser


if __name__ == "__main__":
    main()
