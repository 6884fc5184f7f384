"""Partition: every row goes to its side, and nothing outside the segment moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team, next_chunk
from spinney.grow.boosting.memory import DESK
from spinney.grow.boosting.partition import CHUNK, LEFT, RIGHT, partition_chunk
from tests.compiled import PLAIN_PYTHON, few, outer, records


@outer
def _partition(rank, size, sync, column, goes_left, desks, rows, target, start, stop, cursor):
    while True:
        begin = start + next_chunk(sync) * CHUNK
        if begin >= stop:
            return
        end = min(stop, begin + CHUNK)
        partition_chunk(column, goes_left, desks[rank], rows[begin:end], target, cursor)


def partition(column, goes_left, rows, start, stop, n_threads):
    """Run the kernel; returns where the right side begins and the target."""
    desks = records(n_threads, DESK)
    target = np.full(len(rows), -1, np.int32)
    cursor = np.zeros(16, np.int64)
    cursor[LEFT], cursor[RIGHT] = start, stop
    with Team(n_threads) as team:
        team.run(_partition, column, goes_left, desks, rows, target, start, stop, cursor)
    assert cursor[LEFT] == cursor[RIGHT]
    return cursor[LEFT], target


def check(seed, n, start, stop, n_threads):
    random = np.random.RandomState(seed)
    column = random.randint(0, 256, n).astype(np.uint8)
    goes_left = (random.rand(256) < random.rand()).astype(np.uint8)
    rows = random.permutation(n).astype(np.int32)
    middle, target = partition(column, goes_left, rows, start, stop, n_threads)
    segment = rows[start:stop]
    left = goes_left[column[segment]] > 0
    np.testing.assert_array_equal(np.sort(target[start:middle]), np.sort(segment[left]))
    np.testing.assert_array_equal(np.sort(target[middle:stop]), np.sort(segment[~left]))
    assert (target[:start] == -1).all()
    assert (target[stop:] == -1).all()


@pytest.mark.kernels
@few(60)
@given(st.integers(0, 10**6), st.data())
def test_partition(seed, data):
    n = data.draw(st.sampled_from((1, 2, 30, 400)))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2)))
    check(seed, n, start, stop, 1)


@pytest.mark.skipif(PLAIN_PYTHON, reason="threads need compiled kernels")
@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n", [CHUNK, CHUNK + 1, 20 * CHUNK + 3])
def test_many_chunks(n, n_threads):
    for seed in range(10):
        check(seed, n, seed, n - 2 * seed, n_threads)
