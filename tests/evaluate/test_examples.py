"""The examples in the docstrings say what happens, and every public name has one."""

import doctest
import importlib
import subprocess
import sys

import matplotlib
import pytest

import spinney.evaluate
import spinney.view.judging

matplotlib.use("Agg")
FUNCTIONS = [
    *(getattr(spinney.evaluate, name) for name in spinney.evaluate.__all__),
    *(value for name, value in vars(spinney.view.judging).items() if name.startswith("plot_")),
]


@pytest.mark.parametrize("one", FUNCTIONS, ids=lambda one: one.__name__)
def test_examples(one):
    examples = [found for found in doctest.DocTestFinder().find(one, one.__name__) if found.examples]
    assert one.__name__ in {found.name for found in examples}
    for found in examples:
        assert doctest.DocTestRunner(verbose=False).run(found).failed == 0


def test_public_names():
    for name in spinney.evaluate.__all__:
        value = getattr(spinney.evaluate, name)
        assert value.__doc__
        assert name in dir(spinney.evaluate)
        home = importlib.import_module(value.__module__)
        assert getattr(home, name) is value
    with pytest.raises(AttributeError, match=r"module 'spinney.evaluate' has no attribute 'guess'"):
        spinney.evaluate.guess  # noqa: B018


@pytest.mark.slow
def test_importing_does_not_load_numba():
    code = "from spinney.evaluate import *; import sys; assert not {'numba', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
