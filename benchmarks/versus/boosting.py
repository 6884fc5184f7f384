"""Speed and memory of boosting, Spinney and its peers side by side in one run.

    python -m benchmarks.versus.boosting --case leaves31 --peers spinney,lightgbm
    python -m benchmarks.versus.boosting --case all --markdown

A case takes its rows, rounds and peers from `cases` unless the command line says otherwise.
"""

import argparse
import warnings
from dataclasses import replace

from benchmarks.data import GENERATORS, Table
from benchmarks.versus.cases import CASES, Case
from benchmarks.versus.crowd import cores
from benchmarks.versus.measure import MEASURES, Contest, Result
from benchmarks.versus.peers import PEERS, installed
from benchmarks.versus.report import machine, markdown, print_case


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    options = _parser().parse_args(arguments)
    warnings.filterwarnings("ignore", module="(lightgbm|xgboost|sklearn|catboost)")
    print(machine())
    rows = []
    for case in _chosen(options.case):
        found = run_case(_adjusted(case, options), options.threads, options.repeats)
        rows.append(found)
        print_case(*found)
    if options.markdown:
        print("\n" + markdown(rows))


def run_case(case: Case, threads: int, repeats: int) -> tuple[Case, str, list[Result]]:
    """Make the table, measure every peer on it, and describe what was measured."""
    table = GENERATORS[case.table](case.rows)
    contest = Contest(table, installed(case.peers), case.settings(table, threads), repeats)
    return case, _shape(case, table, contest.settings.threads), MEASURES[case.kind](contest)


def _adjusted(case: Case, options: argparse.Namespace) -> Case:
    """The case with what the command line changes."""
    peers = tuple(options.peers.split(",")) if options.peers else case.peers
    if unknown := [name for name in peers if name not in PEERS]:
        raise SystemExit(f"--peers must name some of {', '.join(PEERS)}; got {', '.join(unknown)}.")
    return replace(case, rows=options.rows or case.rows, rounds=options.rounds or case.rounds, peers=peers)


def _chosen(names: str) -> list[Case]:
    """The cases named; for `all`, those that this machine has the cores for."""
    if names != "all":
        if unknown := [name for name in names.split(",") if name not in CASES]:
            raise SystemExit(f"--case must name some of {', '.join(CASES)}, or all; got {', '.join(unknown)}.")
        return [CASES[name] for name in names.split(",")]
    skipped = [case.name for case in CASES.values() if (case.threads or 1) > len(cores())]
    if skipped:
        print(f"note: {', '.join(skipped)} left out: too few cores here")
    return [case for case in CASES.values() if case.name not in skipped]


def _shape(case: Case, table: Table, threads: int) -> str:
    """What a reader has to know about the run: rows x columns, rounds, threads."""
    rows, columns = (table.X_test if case.kind == "predict" else table.X).shape
    return f"{rows:,} x {columns:,}, {case.rounds} rounds, {threads} threads"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.versus.boosting", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--case", default="leaves31", help=f"{', '.join(CASES)}; several with commas, or all")
    parser.add_argument("--rows", type=int, help="training rows (default: as the case says)")
    parser.add_argument("--rounds", type=int, help="boosting rounds (default: as the case says)")
    parser.add_argument("--repeats", type=int, default=3, help="runs per peer, of which the best counts")
    parser.add_argument("--peers", help=f"some of {', '.join(PEERS)}")
    parser.add_argument("--threads", type=int, default=2, help="threads per peer, unless the case demands a number")
    parser.add_argument("--markdown", action="store_true", help="print the table for the README as well")
    return parser


if __name__ == "__main__":
    main()
