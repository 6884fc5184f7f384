"""The command line of the comparisons: choose cases, run them, print tables, record the figures."""

import argparse
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.data import GENERATORS
from benchmarks.versus.cases import Case
from benchmarks.versus.crowd import cores
from benchmarks.versus.measure import MEASURES, Contest
from benchmarks.versus.peers import Registry, installed
from benchmarks.versus.report import Row, as_json, figures, machine, markdown, print_case, versions


def run(options: argparse.Namespace, cases: Mapping[str, Case], **changes: Any) -> None:
    """Run the cases asked for and print what was found; `changes` are fields that the command line sets."""
    warnings.filterwarnings("ignore", module="(lightgbm|xgboost|sklearn|catboost)")
    if options.record and (options.rows or options.peers or any(change is not None for change in changes.values())):
        raise SystemExit("--record keeps figures of whole cases. Leave out --rows, --rounds and --peers.")
    print(machine())
    rows = []
    for case in _chosen(options.case, cases):
        row = run_case(_adjusted(case, options, changes), options.threads, options.repeats)
        rows.append(row)
        print_case(*row)
        if options.record:
            record(options.group, row)
        if options.json:
            Path(options.json).write_text(as_json(rows))
    if options.markdown:
        print("\n" + markdown(rows))


def record(group: str, row: Row) -> None:
    """Update the case's entry in benchmarks/results.toml; a case without a figure for Spinney changes nothing."""
    case, shape, found = row
    best = figures(case, found)
    if "spinney" not in best:
        print(f"note: {group}.{case.name} is not recorded: no figure for Spinney")
        return
    peers = [case.registry[name] for name in best if name != "spinney"]
    run = {"command": f"python -m benchmarks.versus.{group} --case {case.name}", "machine": machine()}
    lost = results.record(
        group, case.name, f"{case.title}, {shape}", case.unit, best, run | {"versions": versions(peers)}
    )
    if lost:
        print(
            f"note: {group}.{case.name} has lost {', '.join(lost)}; measure these again, or take them out of the pages"
        )


def run_case(case: Case, threads: int, repeats: int) -> Row:
    """Make the table, measure every peer on it, and describe what was measured."""
    table = GENERATORS[case.table](case.rows)
    peers, settings = installed(case.peers, case.registry), case.settings(table, threads)
    contest = Contest(table, peers, settings, repeats, case.judge)
    return case, case.shape(table, settings.threads), MEASURES[case.kind](contest)


def parser(program: str, text: str | None, cases: Mapping[str, Case], peers: Registry) -> argparse.ArgumentParser:
    """The options that all comparisons share."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=(text or "").splitlines()[0])
    first = next(iter(cases))
    parser.add_argument("--case", default=first, help=f"{', '.join(cases)}; several with commas, or all ({first})")
    parser.add_argument("--rows", type=int, help="training rows (default: those of the case)")
    parser.add_argument("--repeats", type=int, default=3, help="runs per library, of which the best counts (3)")
    parser.add_argument("--peers", help=f"libraries to run, separated by commas: {', '.join(peers)}")
    parser.add_argument("--threads", type=int, default=2, help="threads per library, unless the case sets a number (2)")
    parser.add_argument("--markdown", action="store_true", help="also print a Markdown table")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file after every case")
    parser.add_argument("--record", action="store_true", help="update benchmarks/results.toml, which the pages print")
    parser.set_defaults(group=program.rpartition(".")[2])
    return parser


def _adjusted(case: Case, options: argparse.Namespace, changes: Mapping[str, Any]) -> Case:
    """The case with what the command line changes."""
    peers = tuple(options.peers.split(",")) if options.peers else case.peers
    if unknown := [name for name in peers if name not in case.registry]:
        raise SystemExit(f"--peers must name some of {', '.join(case.registry)}; got {', '.join(unknown)}.")
    given = {name: value for name, value in changes.items() if value is not None}
    return replace(case, rows=options.rows or case.rows, peers=peers, **given)


def _chosen(names: str, cases: Mapping[str, Case]) -> list[Case]:
    """The cases named; for `all`, those that this machine has the cores for."""
    if names != "all":
        if unknown := [name for name in names.split(",") if name not in cases]:
            raise SystemExit(f"--case must name some of {', '.join(cases)}, or all; got {', '.join(unknown)}.")
        return [cases[name] for name in names.split(",")]
    skipped = [case.name for case in cases.values() if (case.threads or 1) > len(cores())]
    if skipped:
        print(f"note: {', '.join(skipped)} left out: too few cores here")
    return [case for case in cases.values() if case.name not in skipped]
