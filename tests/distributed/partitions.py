"""Tables as collections whose partitions are awkward; cases that only the full suite runs."""

from itertools import pairwise

import dask.dataframe as dd
import pytest

from spinney.distributed.collections import find_client


def parts_of(frame, cuts=(10, 10, 40_000, 40_500)):
    """Partitions, one without rows; their sizes are not known to dask."""
    ends = [0, *sorted(cuts), len(frame)]
    return dd.from_delayed([find_client().submit(lambda x: x, frame[a:b]) for a, b in pairwise(ends)], meta=frame[:0])


def slow(*case):
    """A case of a parametrised test that takes long."""
    return pytest.param(*case, marks=pytest.mark.slow)
