"""Calling kernels from tests, whichever way they are run."""

import os

import pytest
from hypothesis import settings

from spinney._compile import PLAIN_PYTHON, uncached_kernel
from spinney._compile.decorators import fields_of, with_fields
from spinney.data import dataset


def outer(inner):
    """An inner kernel, or a function that calls some, with a door from Python. (The cache does not know the tests.)"""
    if PLAIN_PYTHON:
        return with_fields(inner)
    if not hasattr(inner, "py_func"):
        return uncached_kernel(inner)

    def call(*args):
        return inner(*args)

    return uncached_kernel(call)


def records(shape, dtype):
    """Zeroed records whose fields are attributes, for tests that read and write them."""
    return fields_of(dataset.records(shape, dtype))


def is_set(name):
    return os.environ.get(name, "0") not in ("", "0")


CHECKS_BOUNDS = is_set("NUMBA_BOUNDSCHECK")
THOROUGH = is_set("SPINNEY_THOROUGH")  # more examples of each test; set by .ci/versions
QUICK = is_set("SPINNEY_QUICK")  # fewer; set by `make test`


def few(n, plain=None):
    """Hypothesis settings: always the same examples, n of them if thorough, else half of what is beyond 40.

    As plain Python or with bounds checking there are fewer, since these are slow, and a third in `make test`.
    """
    if PLAIN_PYTHON:
        n = n // 2 if plain is None else plain
    elif CHECKS_BOUNDS:
        n = max(n // 4, 5)
    if not THOROUGH:
        n = min(n, 20 + n // 2)
    if QUICK:
        n = max(n // 3, min(n, 5))
    return settings(max_examples=n, deadline=None, derandomize=True, database=None)


def slow(cases):
    """Cases of a parametrised test that only `make test-all` runs."""
    return [pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.slow) for one in cases]


def costly(cases):
    """Cases of kernels' tests that are long to compile: all runs but `make test` have them."""
    return list(cases) if PLAIN_PYTHON or CHECKS_BOUNDS else slow(cases)


# as plain Python a team's atomic operations are not atomic: it has one thread there
THREADS = (1,) if PLAIN_PYTHON else (1, 2)
