"""Scripts written for scikit-learn run on Spinney after a change of their imports, and come to much the same.

A script leaves its findings in `outcome`, by name, and in `within` how far numbers may lie apart where 0.03 is not
right. Whole numbers, strings and Booleans must be equal.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context

import spinney

SCRIPTS = {script.stem: script for script in sorted((Path(__file__).parent / "scripts").glob("*.py"))}
# The modules of scikit-learn whose classes Spinney has
OURS = re.compile(r"^from sklearn\.(?:ensemble|tree|cluster|mixture) import", re.MULTILINE)
FAR_APART = 0.03


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_after_a_change_of_its_imports(name):
    text = SCRIPTS[name].read_text(encoding="utf-8")
    changed, n_changes = OURS.subn("from spinney import", text)
    assert n_changes
    theirs, ours = run(text, name), run(changed, name)
    assert list(ours["outcome"]) == list(theirs["outcome"])
    far = {key: (said, ours["outcome"][key]) for key, said in theirs["outcome"].items() if differ(ours, theirs, key)}
    assert not far, "scikit-learn's and ours"


def run(text, name):
    """What a script leaves behind."""
    names = {"__name__": name}
    with config_context():  # which is put back afterwards
        exec(compile(text, name, "exec"), names)
    return names


def differ(ours, theirs, key):
    mine, said = ours["outcome"][key], theirs["outcome"][key]
    if not is_float(said):
        return mine != said
    allowed = theirs["within"].get(key, FAR_APART)
    return np.shape(mine) != np.shape(said) or not np.allclose(mine, said, rtol=0, atol=allowed)


def is_float(value):
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(map(is_float, value))
    return isinstance(value, float | np.floating)


def test_the_models_of_the_scripts_are_ours():
    """The change of imports is what makes them ours: a name that we lack would be an ImportError."""
    for name, script in SCRIPTS.items():
        names = run_imports(OURS.sub("from spinney import", script.read_text(encoding="utf-8")))
        ours = [one for one in names.values() if getattr(one, "__module__", "").startswith("spinney.")]
        assert ours, name
        assert all(getattr(spinney, one.__name__) is one for one in ours)


def run_imports(text):
    names = {}
    for statement in re.findall(r"^from spinney import (?:\([^)]*\)|.*)$", text, re.MULTILINE):
        exec(statement, names)
    return names
