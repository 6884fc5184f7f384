"""Score the defaults of every library on real tables.

    SPINNEY_DATA=folder python -m benchmarks.versus.accuracy --quick --cache results.json
    ... --set learning_rate=0.05 --variant "slow:n_estimators=300,learning_rate=0.03"
    ... --family forest --rows 26666
    ... --split time --seeds 1      # tables whose rows are in the order of time: the last quarter is predicted
    ... --split group --seeds 2     # tables whose rows come in groups: a quarter of the groups is predicted

Prints log loss (classification) or RMSE (regression) per table and library, the mean rank and the mean ratio to the
best, and for each library the median and the geometric mean of Spinney's ratios to it, wins and CPU time. For forests
(`--family`) it prints each table's ratio to scikit-learn, its standard deviation over splits, and the ratio of CPU
times, which other programs disturb less. Small tables are split more often. `--cache` keeps the other libraries'
results, so that a second run fits only Spinney.
"""

import argparse
import ast
import json
import re
import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.versus import tables
from benchmarks.versus.crowd import cores
from benchmarks.versus.defaults import CONTESTANTS, Contestant, spinney_variant
from benchmarks.versus.quality import loss
from benchmarks.versus.standings import Losses, print_duel, print_standings
from benchmarks.versus.tables import RealTable, Split

QUICK_ROWS = 20_000
WARM_UP = 400  # rows of a first fit that does not count
SMALL = 8_000  # rows of a table that is split four times as often


@dataclass
class Cache:
    """Results by table, rows, split, seed and library; written after every fit."""

    path: Path | None
    found: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what is there already."""
        if self.path and self.path.exists():
            self.found = json.loads(self.path.read_text())

    def store(self, key: str, result: dict[str, float]) -> None:
        """Keep a result, in the file too; a run that is cut short leaves the old file or the new one."""
        self.found[key] = result
        if self.path:
            draft = self.path.with_suffix(".draft")
            draft.write_text(json.dumps(self.found, indent=0, sort_keys=True))
            draft.replace(self.path)


@dataclass(frozen=True)
class Plan:
    """How every table is split and trained on."""

    split: Split
    seeds: int
    threads: int
    rows: int | None
    cache: Cache
    family: str = ""  # other than boosting


def main(arguments: list[str] | None = None) -> None:
    """Run the tables asked for and print the standings."""
    options = _parser().parse_args(arguments)
    warnings.filterwarnings("ignore")
    cache = Cache(Path(options.cache) if options.cache else None)
    rows = QUICK_ROWS if options.quick else options.rows
    plan = Plan(
        options.split,
        options.seeds,
        options.threads,
        rows,
        cache,
        "" if options.family == "boosting" else options.family + "-",
    )
    contestants, skipped = _contestants(options), _skipped(options.skip)
    losses = Losses()
    _print_head(contestants)
    for name in _names(options):
        table = tables.load(name, plan.split == "group")
        table = table.sample(plan.rows, in_order=plan.split == "time") if plan.rows else table
        running = [c for c in contestants if (c.name, name) not in skipped]
        results = {c.name: result for c in running if (result := run_contestant(c, table, plan))}
        losses.add(table, results)
        _print_row(table, contestants, losses.by_table[name])
    _print_summary(losses, contestants, skipped)
    if options.family != "boosting":
        for contestant in contestants:
            if not contestant.cached:
                print_duel(losses, contestant.name, "sklearn")


def _names(options: argparse.Namespace) -> list[str]:
    """Of the tables asked for; by default of all, or of those whose rows are in the order of time or in groups."""
    if options.tables:
        return list(options.tables.split(","))
    known = {"time": tables.IN_TIME, "group": tuple(tables.IN_GROUPS)}.get(options.split)
    return [name for name in tables.names() if known is None or name in known]


def _print_summary(losses: Losses, contestants: list[Contestant], skipped: set[tuple[str, str]]) -> None:
    """The standings of those that ran on every table, and of all on the tables that nobody skipped."""
    names, spinneys = [c.name for c in contestants], [c.name for c in contestants if not c.cached]
    partial = {peer for peer, table in skipped if table in losses.task and peer in names}
    print_standings(losses, [name for name in names if name not in partial], spinneys)
    if partial:
        whole = [table for table in losses.task if not any((name, table) in skipped for name in names)]
        print_standings(losses.only(whole), names, spinneys)


def run_contestant(contestant: Contestant, table: RealTable, plan: Plan) -> list[dict[str, float]] | None:
    """Loss and seconds of every split of a table; None when a fit failed, which is printed."""
    results = []
    if not contestant.cached:  # compile what there is to compile
        few = table.sample(WARM_UP)
        contestant.scores(table.task, (few.X, few.y, few.X), plan.threads, 0)
    for seed in range(plan.seeds * (4 if len(table.y) <= SMALL else 1)):
        for part, (train, test) in enumerate(table.splits(plan.split, seed)):
            key = f"{table.name}/{len(table.y)}/{plan.split}{part}/seed{seed}/{plan.family}{contestant.label}"
            if not (contestant.cached and "cpu" in plan.cache.found.get(key, {})):
                try:
                    result = _fit_once(contestant, table, (train, test), plan.threads, seed)
                except Exception as error:  # a library's failure is a finding, not the end of the run
                    print(f"  {table.name}: {contestant.name} failed: {type(error).__name__}: {error}", flush=True)
                    return None
                if contestant.cached:
                    plan.cache.store(key, result)
            else:
                result = plan.cache.found[key]
            results.append(result)
    return results


def _fit_once(
    contestant: Contestant, table: RealTable, rows: tuple[tables.Rows, tables.Rows], threads: int, seed: int
) -> dict[str, float]:
    """Loss on the test rows, and the seconds and the CPU time it took to fit and predict."""
    train, test = rows
    if "groups" in contestant.fit and table.groups is not None:
        contestant = replace(contestant, fit={"groups": table.groups[train]})
    X, X_test = (table.X.iloc[part].reset_index(drop=True) for part in (train, test))
    start, cpu = time.perf_counter(), time.process_time()
    scores = contestant.scores(table.task, (X, table.y[train], X_test), threads, seed)
    times = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    return {"loss": loss(table.task, table.y[test], scores), **times}


def parse_changes(text: str) -> dict[str, Any]:
    """`name=value,name=value` as a dict; a value that is no Python literal is text."""
    changes = {}
    for item in re.split(r",(?=\s*\w+=)", text):
        name, equals, value = item.partition("=")
        if not equals:
            raise SystemExit(f"expected name=value, got {item!r}.")
        try:
            changes[name.strip()] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            changes[name.strip()] = value
    return changes


def _skipped(options: list[str]) -> set[tuple[str, str]]:
    """Library and table pairs from `library:table,table`."""
    pairs = set()
    for option in options:
        peer, _, names = option.partition(":")
        pairs |= {(peer, name) for name in names.split(",")}
    return pairs


def _contestants(options: argparse.Namespace) -> list[Contestant]:
    """Spinney and its variants first, then the peers; only what can be imported here."""
    peers = CONTESTANTS[options.family]
    asked = options.peers.split(",") if options.peers else ["spinney", *peers]
    if unknown := [name for name in asked if name not in ("spinney", *peers)]:
        raise SystemExit(f"--peers must name some of spinney, {', '.join(peers)}; got {', '.join(unknown)}.")
    base: dict[str, Any] = {}
    for change in options.set:
        base |= parse_changes(change)
    contestants = []
    fit: dict[str, Any] = {}
    if options.family == "boosting":
        fit = {"time": {"times": "order"}, "group": {"groups": None}}.get(options.split, {})  # groups: see `_fit_once`
    if "spinney" in asked:
        contestants.append(spinney_variant("spinney", base, options.family, fit))
        for variant in options.variant:
            label, _, changes = variant.partition(":")
            contestants.append(spinney_variant(label, base | parse_changes(changes), options.family, fit))
    return contestants + [peers[name] for name in asked if name in peers and peers[name].is_installed()]


def _print_head(contestants: list[Contestant]) -> None:
    print(f"{'table':20s}{'task':12s}{'rows':>8s}" + "".join(f"{c.name:>13.12s}" for c in contestants), flush=True)


def _print_row(table: RealTable, contestants: list[Contestant], losses: dict[str, float]) -> None:
    """The losses on one table, the best one marked."""
    best = min(losses.values(), default=0.0)
    cells = []
    for c in contestants:
        figure = f"{losses[c.name]:.5g}" if c.name in losses else "-"
        cells.append(f"{figure + ('*' if c.name in losses and losses[c.name] == best else ' '):>13s}")
    print(f"{table.name:20.19s}{table.task:12s}{len(table.y):8d}" + "".join(cells), flush=True)


def _parser() -> argparse.ArgumentParser:
    doc = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versus.accuracy", description=doc)
    parser.add_argument("--tables", help="names, separated by commas (default: all in the folder)")
    parser.add_argument("--family", choices=tuple(CONTESTANTS), default="boosting", help="family of models")
    parser.add_argument("--peers", help=f"some of spinney, {', '.join(CONTESTANTS['boosting'])}")
    parser.add_argument(
        "--split",
        choices=("holdout", "folds", "time", "group"),
        default="holdout",
        help="hold out a quarter, three folds, the last quarter (Spinney's fit gets times='order') or a quarter of the "
        "groups (it gets groups=)",
    )
    parser.add_argument("--seeds", type=int, default=3, help="number of random splits per table")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_ROWS:,} rows of every table")
    parser.add_argument("--rows", type=int, help="maximum number of rows per table")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a Spinney parameter")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="LABEL:NAME=VALUE,...",
        help="an additional Spinney with these parameters, on top of --set",
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="LIBRARY:TABLE,...", help="tables on which a library is too slow"
    )
    parser.add_argument("--cache", metavar="FILE", help="JSON file that keeps the other libraries' results")
    parser.add_argument("--threads", type=int, default=len(cores()), help="threads per library")
    return parser


if __name__ == "__main__":
    main()
