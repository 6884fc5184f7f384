"""scikit-learn's own tests on our classes: how many pass, counted by `tools/scikit_learn_tests.py`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.scikit_learn_tests import ELEVEN, MODULES, Tally, group, kind_of, total, with_our_classes

ROOT = Path(__file__).parents[2]
LEAST = 0.86  # of the tests of the eleven modules


def test_imports_are_followed_by_ours():
    source = "from sklearn.tree import (\n    DecisionTreeClassifier,\n    export_text,\n)\nx = 1\n"
    changed = with_our_classes(source)
    assert changed.splitlines()[3] == "); from spinney import DecisionTreeClassifier as DecisionTreeClassifier"
    assert changed.splitlines()[4] == "x = 1"  # lines keep their numbers
    names = {}
    exec(changed, names)
    assert names["DecisionTreeClassifier"].__module__.startswith("spinney.")
    assert names["export_text"].__module__.startswith("sklearn.")
    hist = with_our_classes("from sklearn.ensemble import HistGradientBoostingRegressor as Boost\n")
    assert hist.endswith("; from spinney import GradientBoostingRegressor as Boost\n")
    inside = "def f():\n    from sklearn.cluster import KMeans\n    return KMeans\n"
    exec(with_our_classes(inside), names)
    assert names["f"]().__module__.startswith("spinney.")
    others = "from sklearn.tree._tree import Tree\nfrom sklearn.ensemble import StackingClassifierX\n"
    assert with_our_classes(others) == others


def test_failures_are_counted_by_what_they_are_about():
    a = Tally(["one"], {"two": "AssertionError: 3.5 != 4", "three": "AssertionError: 1e-3 != -2"})
    b = Tally(["one", "four"], {"five": "'KMeans' object has no attribute '_n_init'"})
    whole = total({"a": a, "b": b})
    assert (len(whole.passed), whole.counted, whole.share) == (3, 6, 0.5)
    assert group(list(a.failed.values())) == {"AssertionError: # != #": 2}
    assert kind_of(b.failed["five"]) == "fail by a private attribute"
    assert kind_of("Regex pattern did not match. Expected ...") == "fail by the wording of an error"


@pytest.mark.slow
def test_most_of_the_eleven_modules_pass():
    """In a process of its own: pytest in pytest would share its state. Some two minutes of CPU time."""
    assert len(ELEVEN) == 11
    tool = [sys.executable, "-m", "tools.scikit_learn_tests"]
    done = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {
        name: (int(passed), int(n)) for name, passed, n in re.findall(r"^(\w+) +(\d+) of +(\d+) ", done.stdout, re.M)
    }
    assert list(found) == [*ELEVEN, "total"], done.stdout
    assert all(n > 30 for _, n in found.values()), done.stdout  # the tests were found
    passed, counted = found["total"]
    assert counted == sum(n for name, (_, n) in found.items() if name != "total")
    assert passed >= LEAST * counted, done.stdout


def test_the_modules_are_there():
    import sklearn

    for path in MODULES.values():
        assert (Path(sklearn.__file__).parent / path).is_file(), path
