"""The examples in the docstrings say what happens, and every public name has one."""

import doctest

import matplotlib as mpl
import pytest

from spinney import explain

mpl.use("Agg")


@pytest.mark.parametrize("name", explain.__all__)
def test_examples(name):
    one = getattr(explain, name)
    assert one.__module__.startswith("spinney.explain.")
    (example,) = [found for found in doctest.DocTestFinder(recurse=False).find(one, name) if found.examples]
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_names_that_are_none():
    assert dir(explain) == sorted(explain.__all__)
    with pytest.raises(AttributeError, match=r"module 'spinney\.explain' has no attribute 'guess'"):
        explain.guess  # noqa: B018
