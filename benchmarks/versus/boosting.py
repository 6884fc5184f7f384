"""Speed and memory of boosting: Spinney and other libraries in one run.

    python -m benchmarks.versus.boosting --case leaves31 --peers spinney,lightgbm
    python -m benchmarks.versus.boosting --case all --markdown

`boosting_cases` defines the rows, rounds and libraries of each case; the command line can change them. `--record`
writes the figures into benchmarks/results.toml.
"""

from benchmarks.versus.boosting_cases import CASES
from benchmarks.versus.boosting_peers import PEERS
from benchmarks.versus.command import parser, run


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    asked = parser("benchmarks.versus.boosting", __doc__, CASES, PEERS)
    asked.add_argument("--rounds", type=int, help="boosting rounds (default: those of the case)")
    options = asked.parse_args(arguments)
    run(options, CASES, rounds=options.rounds)


if __name__ == "__main__":
    main()
