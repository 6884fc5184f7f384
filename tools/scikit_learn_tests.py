"""Run scikit-learn's own tests on Spinney's classes, and count those that pass.

    python -m tools.scikit_learn_tests                      # eleven modules: passes, and failures by kind
    python -m tools.scikit_learn_tests --all                # nine more
    python -m tools.scikit_learn_tests voting --failures    # one module, with the name of each failing test

scikit-learn's wheel contains its tests. Each module is copied to a temporary folder. After every import from
`sklearn.tree`, `sklearn.ensemble`, `sklearn.cluster` and `sklearn.mixture` the copy imports Spinney's class of the same
name as well. The tests stay as they are, and so do scikit-learn's functions (`export_text`, `partial_dependence`),
which thus receive Spinney's models. Both kinds of its gradient boosting become Spinney's. Skipped tests do not count.

The result is the same each time: every test begins with the same seed, and scikit-learn's `global_random_seed` is 42.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import spinney

# The eleven modules of the figure in the documentation: one for each family of models
ELEVEN = {
    "tree": "tree/tests/test_tree.py",
    "monotonic_tree": "tree/tests/test_monotonic_tree.py",
    "forest": "ensemble/tests/test_forest.py",
    "gradient_boosting": "ensemble/tests/test_gradient_boosting.py",
    "bagging": "ensemble/tests/test_bagging.py",
    "weight_boosting": "ensemble/tests/test_weight_boosting.py",
    "voting": "ensemble/tests/test_voting.py",
    "stacking": "ensemble/tests/test_stacking.py",
    "iforest": "ensemble/tests/test_iforest.py",
    "k_means": "cluster/tests/test_k_means.py",
    "gaussian_mixture": "mixture/tests/test_gaussian_mixture.py",
}
OTHERS = {
    "export": "tree/tests/test_export.py",
    "common": "ensemble/tests/test_common.py",
    "hist_gradient_boosting": "ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py",
    "hist_monotonic": "ensemble/_hist_gradient_boosting/tests/test_monotonic_constraints.py",
    "hist_warm_start": "ensemble/_hist_gradient_boosting/tests/test_warm_start.py",
    "bisect_k_means": "cluster/tests/test_bisect_k_means.py",
    "bayesian_mixture": "mixture/tests/test_bayesian_mixture.py",
    "mixture": "mixture/tests/test_mixture.py",
    "partial_dependence": "inspection/tests/test_partial_dependence.py",
}
MODULES = ELEVEN | OTHERS
HOMES = ("sklearn.tree", "sklearn.ensemble", "sklearn.cluster", "sklearn.mixture")
OURS = {name: name for name in spinney.__all__ if isinstance(getattr(spinney, name), type)} | {
    f"HistGradientBoosting{kind}": f"GradientBoosting{kind}" for kind in ("Classifier", "Regressor")
}


WORDING = "Regex pattern did not match."  # pytest's words where an error of the right type has another message


@dataclass
class Tally:
    """What came of the tests of a module."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # name of the test -> the last line of its error

    @property
    def counted(self) -> int:
        return len(self.passed) + len(self.failed)

    @property
    def share(self) -> float:
        return len(self.passed) / max(self.counted, 1)


def with_our_classes(source: str) -> str:
    """The source of a test module, with our classes imported after scikit-learn's of the same name."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in HOMES:
            names = {one.asname or one.name: OURS[one.name] for one in node.names if one.name in OURS}
            if names:  # on the same line, so that all lines keep their numbers
                ours = ", ".join(f"{ours} as {name}" for name, ours in names.items())
                lines[node.end_lineno - 1] += f"; from spinney import {ours}"
    return "\n".join(lines) + "\n"


def run(modules: list[str]) -> dict[str, Tally]:
    """Run test modules, named as in `MODULES`, and return what came of each."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in modules:
            source = files("sklearn").joinpath(MODULES[name]).read_text(encoding="utf-8")
            (root / f"test_{name}.py").write_text(with_our_classes(source), encoding="utf-8")
        (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        recorder = Recorder(modules)
        fixed = ["-p", "sklearn.conftest", "-p", "no:cacheprovider", "-p", "no:terminal", "--import-mode=importlib"]
        paths = [str(root / f"test_{name}.py") for name in modules]
        os.environ.pop("PYTEST_ADDOPTS", None)  # options for another run
        with threadpool_limits(1):  # on small tables, other libraries' threads take longer than they give
            code = pytest.main([*fixed, *paths], plugins=[recorder])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise RuntimeError(f"scikit-learn's tests ended early: {code!r}")
    return recorder.tallies


class Recorder:
    """Listens to pytest, and gives every test the same start."""

    def __init__(self, modules: list[str]) -> None:
        self.tallies = {name: Tally() for name in modules}

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        random.seed(0)
        np.random.seed(0)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            raise RuntimeError(f"scikit-learn's tests could not be read:\n{report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file, _, test = report.nodeid.partition("::")
        tally = self.tallies[Path(file).stem.removeprefix("test_")]
        if report.failed:
            tally.failed[test] = last_line(report)
        elif report.when == "call" and report.passed:
            tally.passed.append(test)


def last_line(report: pytest.TestReport) -> str:
    """The error of a test that failed, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else report.longreprtext
    if WORDING in text:  # "Expected regex: ..." and what was raised instead
        return WORDING + " " + " | ".join(line.strip() for line in text.splitlines()[1:])
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message")


def kind_of(error: str) -> str:
    """What a failure is about, as far as its error tells."""
    if error.startswith(WORDING):
        return "fail by the wording of an error"
    if re.search(r"object has no attribute '_", error):
        return "fail by a private attribute"
    return "fail otherwise"


def group(failures: list[str]) -> dict[str, int]:
    """Errors by how often they came, numbers and addresses aside."""
    groups = Counter(re.sub(r"0x[0-9a-f]+|-?\d+(\.\d+)?(e[-+]?\d+)?", "#", error)[:200] for error in failures)
    return dict(sorted(groups.items(), key=lambda one: (-one[1], one[0])))


def total(tallies: dict[str, Tally]) -> Tally:
    """All modules together."""
    whole = Tally()
    for name, tally in tallies.items():
        whole.passed += [f"{name}::{test}" for test in tally.passed]
        whole.failed |= {f"{name}::{test}": error for test, error in tally.failed.items()}
    return whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument("--all", action="store_true", help="also run the modules outside the eleven")
    parser.add_argument("--failures", action="store_true", help="list each test that fails")
    given = parser.parse_args()
    modules = given.modules or list(MODULES if given.all else ELEVEN)
    os.environ["OMP_NUM_THREADS"] = "1"  # tests of routing find callers on the stack, and a thread has its own
    began = time.process_time()
    tallies = run(modules)
    for name, tally in tallies.items():
        print(f"{name:24} {len(tally.passed):5} of {tally.counted:5}  {tally.share:6.1%}")
    whole = total(tallies)
    print(f"{'total':24} {len(whole.passed):5} of {whole.counted:5}  {whole.share:6.1%}")
    print(*(f"  {n:3} {what}" for what, n in Counter(map(kind_of, whole.failed.values())).items()), sep="\n")
    print(f"({time.process_time() - began:.0f} s of CPU time)\n")
    for name, tally in tallies.items():
        if given.failures:
            print(*(f"{name}::{test}: {error}" for test, error in sorted(tally.failed.items())), sep="\n")
        else:
            print(*(f"{n:5}  {name}: {error}" for error, n in group(list(tally.failed.values())).items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
