"""Calling kernels from tests, whichever way they are run."""

import os

from hypothesis import settings

from spinney._compile import PLAIN_PYTHON, uncached_kernel


def outer(inner):
    """An inner kernel, or a function that calls some, with a door from Python. (The cache does not know the tests.)"""
    if PLAIN_PYTHON:
        return inner
    if not hasattr(inner, "py_func"):
        return uncached_kernel(inner)

    def call(*args):
        return inner(*args)

    return uncached_kernel(call)


def few(n, plain=None):
    """Hypothesis settings: n examples, always the same; as plain Python or with bounds checking, fewer: it is slow."""
    if PLAIN_PYTHON:
        n = n // 2 if plain is None else plain
    elif CHECKS_BOUNDS:
        n = max(n // 3, 5)
    return settings(max_examples=n, deadline=None, derandomize=True, database=None)


CHECKS_BOUNDS = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")


# as plain Python a team's atomic operations are not atomic: it has one thread there
THREADS = (1,) if PLAIN_PYTHON else (1, 2)
