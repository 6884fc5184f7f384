"""Speed, accuracy and memory of forests and bagging: Spinney and other libraries in one run.

    python -m benchmarks.versus.forests --case forest,extra --repeats 3
    python -m benchmarks.versus.forests --case all --markdown --json forests.json

Trees are grown until their leaves are pure, unless the case states something else.
"""

from benchmarks.versus.command import parser, run
from benchmarks.versus.forest_cases import CASES
from benchmarks.versus.forest_peers import PEERS


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    run(parser("benchmarks.versus.forests", __doc__, CASES, PEERS).parse_args(arguments), CASES)


if __name__ == "__main__":
    main()
