"""Speed, accuracy and memory of single trees, Spinney and its peers side by side in one run.

    python -m benchmarks.versus.trees --case deep,depth8 --repeats 5
    python -m benchmarks.versus.trees --case all --markdown --json trees.json

A case takes its rows and peers from `tree_cases` unless the command line says otherwise. scikit-learn's trees use one
thread whatever they are given; `--threads 1` compares like with like.
"""

from benchmarks.versus.command import parser, run
from benchmarks.versus.tree_cases import CASES
from benchmarks.versus.tree_peers import PEERS


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    run(parser("benchmarks.versus.trees", __doc__, CASES, PEERS).parse_args(arguments), CASES)


if __name__ == "__main__":
    main()
