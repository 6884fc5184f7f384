"""A disk that is full."""

import contextlib

import pytest


@contextlib.contextmanager
def full_disk():
    """No file can be longer than 1,000 bytes: writing fails half-way, as on a full disk. For a moment only: the tests'
    own output may go to a file."""
    resource = pytest.importorskip("resource", reason="limits the size of files as POSIX does")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
