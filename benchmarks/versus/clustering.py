"""Speed and quality of k-means and Gaussian mixtures, Spinney and its peers side by side in one run.

    python -m benchmarks.versus.clustering --case all --repeats 3
    python -m benchmarks.versus.clustering --case kmeans --markdown --json clustering.json

A case takes its rows and peers from `clustering_cases` unless the command line says otherwise. The column "loss" is
the mean squared distance, or minus the mean log-likelihood, of rows that were not fitted.
"""

from benchmarks.versus.clustering_cases import CASES
from benchmarks.versus.clustering_peers import PEERS
from benchmarks.versus.command import parser, run


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    run(parser("benchmarks.versus.clustering", __doc__, CASES, PEERS).parse_args(arguments), CASES)


if __name__ == "__main__":
    main()
