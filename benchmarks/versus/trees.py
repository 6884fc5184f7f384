"""Speed, accuracy and memory of single trees: Spinney and other libraries in one run.

    python -m benchmarks.versus.trees --case deep,depth8 --repeats 5
    python -m benchmarks.versus.trees --case all --markdown --json trees.json

`tree_cases` defines the rows and libraries of each case; the command line can change them. scikit-learn's trees always
use one thread; use `--threads 1` for an equal comparison.
"""

from benchmarks.versus.command import parser, run
from benchmarks.versus.tree_cases import CASES
from benchmarks.versus.tree_peers import PEERS


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    run(parser("benchmarks.versus.trees", __doc__, CASES, PEERS).parse_args(arguments), CASES)


if __name__ == "__main__":
    main()
