"""The examples in the docstrings say what happens, and every public name has one."""

import doctest
import importlib
import subprocess
import sys

import matplotlib
import pytest

import spinney.explain
from spinney._compile import PLAIN_PYTHON
from spinney.estimators.base import Explained

matplotlib.use("Agg")
EXAMPLES = [getattr(spinney.explain, name) for name in spinney.explain.__all__]
EXAMPLES.append(Explained.shap_values)


@pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")
@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.__name__)
def test_examples(one):
    import matplotlib.pyplot as plt

    examples = [found for found in doctest.DocTestFinder().find(one, one.__name__) if found.examples]
    assert one.__name__ in {found.name for found in examples}
    for found in examples:
        assert doctest.DocTestRunner(verbose=False).run(found).failed == 0
    plt.close("all")


def test_public_names():
    for name in spinney.explain.__all__:
        value = getattr(spinney.explain, name)
        assert value.__module__.startswith("spinney.explain.")
        assert name in dir(spinney.explain)
        assert getattr(importlib.import_module(value.__module__), name) is value
    with pytest.raises(AttributeError, match=r"module 'spinney.explain' has no attribute 'guess'"):
        spinney.explain.guess  # noqa: B018


def test_importing_loads_neither_numba_nor_matplotlib():
    code = "import sys, spinney.explain; assert not {'numba', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
