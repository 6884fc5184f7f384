"""Every test here begins and ends without figures."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_figures():
    close_all()
    yield
    close_all()


def close_all():
    """Where matplotlib was loaded, which not every test needs."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
