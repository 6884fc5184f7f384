"""Speed and quality of k-means and Gaussian mixtures: Spinney and other libraries in one run.

    python -m benchmarks.versus.clustering --case all --repeats 3
    python -m benchmarks.versus.clustering --case kmeans --markdown --json clustering.json

`clustering_cases` defines the rows and libraries of each case; the command line can change them. The column "loss" is
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
