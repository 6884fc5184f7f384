"""Speed of explanations of tree models: Spinney and other libraries in one run.

    python -m benchmarks.versus.explain --case values,pairs --repeats 5
    python -m benchmarks.versus.explain --case all --markdown --json explain.json

Every library explains its own model of the same data, grown to the same size. `shap` always uses one thread; use
`--threads 1` for an equal comparison.
"""

from benchmarks.versus.command import parser, run
from benchmarks.versus.explain_cases import CASES
from benchmarks.versus.explain_peers import PEERS


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    run(parser("benchmarks.versus.explain", __doc__, CASES, PEERS).parse_args(arguments), CASES)


if __name__ == "__main__":
    main()
