"""How far calls walk through the package: files that they enter, and changes from one subpackage to another.

A reader who follows a call walks the same way. `python -m tools.walks boosting.fit` prints a walk function by function.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.budgets import CORE

ROOT = Path(__file__).parent.parent
BUDGETS = {  # walk: files, changes of room. A change that lengthens a walk raises its numbers and says why beside them.
    # by default, with the search for rounds, the errors of its held-out rows, and a line that leaves out compiling
    # one function makes the folds of the search, and those that look for neighbouring rows that resemble each other
    # rounds and folds are handed to the threads whole
    # held-out rows are scored by a tree as it lies in memory, before trees are stored
    # the rows of a round are found by the name of their file
    "boosting.fit": (50, 97),
    "boosting.predict_proba": (17, 22),
    "forest.fit": (32, 49),
    "forest.predict_proba": (13, 20),
    "tree.fit": (30, 58),  # sets of categories are packed where all trees' are
    "kmeans.fit": (21, 30),
    "command.fit": (105, 240),  # `spinney fit --report`, through all that fits, scores, explains and saves
}

MOST_OUTER = 40  # files of the outer subpackages that `spinney fit --report` enters


pytestmark = pytest.mark.slow  # kernels run as plain Python


@pytest.fixture(scope="module")
def walks():
    """[files, changes of room, names of the files] of every walk."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPINNEY_", "NUMBA_"))}
    command = [sys.executable, "-W", "ignore", "-m", "tools.walks", "--json"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", BUDGETS)
def test_a_walk_is_no_longer_than_its_budget(walks, name):
    n_files, n_changes, files = walks[name]
    most_files, most_changes = BUDGETS[name]
    seen = f"`python -m tools.walks {name}` prints the walk. Shorten it, or raise its budget and say why beside it."
    assert n_files <= most_files, f"{name} enters {n_files} files, {most_files} are allowed: {files}\n{seen}"
    assert n_changes <= most_changes, f"{name} changes rooms {n_changes} times, {most_changes} are allowed.\n{seen}"


def test_the_report_of_a_fit_goes_through_few_outer_files(walks):
    _, _, files = walks["command.fit"]
    outer = [file for file in files if "/" in file and file.split("/")[0] not in (*CORE, "_compile")]
    assert {"cli/fit.py", "reporting/making.py", "explain/shapley/quadrature.py"} <= set(outer)
    assert len(outer) <= MOST_OUTER, outer


def test_a_walk_goes_through_kernels(walks):
    _, _, files = walks["boosting.fit"]
    assert {"ensemble/boosting/fit.py", "grow/boosting/scan_bins.py", "criteria/gains.py"} <= set(files)
    assert walks["tree.fit"][0] > walks["tree.predict_proba"][0] > 0
