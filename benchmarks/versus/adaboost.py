"""Speed and accuracy of AdaBoost: Spinney and scikit-learn in one run.

    python -m benchmarks.versus.adaboost --repeats 2
    python -m benchmarks.versus.adaboost --case all --markdown --json adaboost.json
    python -m benchmarks.versus.adaboost --case stumps --compare

`--compare` fits both again and prints the difference of their errors, round by round, and how often their members have
the same first split.
"""

import argparse

from benchmarks.data import GENERATORS
from benchmarks.versus.adaboost_cases import CASES
from benchmarks.versus.adaboost_peers import PEERS, errors_apart, same_questions
from benchmarks.versus.command import parser, run


def main(arguments: list[str] | None = None) -> None:
    """Run the cases asked for and print what was found."""
    wanted = parser("benchmarks.versus.adaboost", __doc__, CASES, PEERS)
    wanted.add_argument("--compare", action="store_true", help="compare the models instead of the times")
    options = wanted.parse_args(arguments)
    if options.compare:
        compare(options)
    else:
        run(options, CASES)


def compare(options: argparse.Namespace) -> None:
    """Whether both peers have the same model."""
    for name in options.case.split(","):
        case = CASES[name]
        table = GENERATORS[case.table](options.rows or case.rows)
        settings = case.settings(table, options.threads)
        ours, theirs = (PEERS[peer].fit(table.X, table.y, settings) for peer in ("spinney", "sklearn"))
        print(
            f"{name}: errors of {len(ours.fitted.estimators_)} rounds at most {errors_apart(ours, theirs):.1e} apart "
            f"(relative); {same_questions(ours, theirs)} members have the same first split"
        )


if __name__ == "__main__":
    main()
