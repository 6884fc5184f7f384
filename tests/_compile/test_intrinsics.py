"""Instructions that Numba lacks, beside what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import (
    PLAIN_PYTHON,
    atomic_add,
    atomic_load,
    atomic_swap,
    count_up_to,
    either,
    intrinsics,
    lowest_bit,
    pair_array,
    prefetch,
    rest_core,
    view_as_float,
    view_as_int,
    yield_core,
)
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels


@outer
def add(array, i, value):
    return atomic_add(array, i, value)


@outer
def swap(array, i, value):
    return atomic_swap(array, i, value)


@outer
def load(array, i):
    return atomic_load(array, i)


@outer
def bits_of(number):
    return view_as_int(number)


@outer
def number_of(bits):
    return view_as_float(bits)


@outer
def choose(condition, first, second):
    return either(condition, first, second)


@outer
def place_of_lowest(bits):
    return lowest_bit(bits)


@outer
def count_numbers(numbers, first, last, limit):
    return count_up_to(numbers, first, last, limit)


@outer
def sum_of_pair(first, second):
    pair = pair_array(first, second)
    pair[1] += 1.0
    return pair[0] + pair[1], pair.size


@outer
def rest_a_while(array, n):
    for i in range(n):
        prefetch(array, i)
        rest_core()
        yield_core()
    return array.sum()


def test_atomic_operations_give_the_value_before():
    array = np.array([5, 7, -3])
    assert add(array, 1, -10) == 7
    assert swap(array, 2, 2**62) == -3
    assert array.tolist() == [5, -3, 2**62]
    assert [load(array, i) for i in range(3)] == array.tolist()


@few(60)
@given(st.floats(allow_nan=False))
def test_the_same_bits_read_the_other_way(number):
    bits = int(np.float64(number).view(np.int64))
    assert bits_of(number) == bits
    assert bits_of(np.float32(1.5)) == 0x3FC00000
    back = number_of(bits)
    assert (back, np.signbit(back)) == (number, np.signbit(number))
    assert intrinsics._plain_view_as_int(number) == bits
    assert intrinsics._plain_view_as_float(bits) == number


def test_a_choice_without_a_branch():
    assert [choose(condition, 3, 4) for condition in (True, False)] == [3, 4]
    assert [choose(condition, 0.5, -0.5) for condition in (True, False)] == [0.5, -0.5]


@given(seed=st.integers(0, 10**6), n=st.sampled_from([8, 9, 16, 30]))
@few(60, plain=20)
def test_numbers_up_to_a_limit(seed, n):
    random = np.random.RandomState(seed)
    numbers = random.randint(0, 5, n).astype(np.float64)
    first, last = sorted(random.randint(0, n + 1, 2).tolist())
    for limit in (-1.0, 2.0, 2.5, 9.0):
        assert count_numbers(numbers, first, last, limit) == (numbers[first:last] <= limit).sum()
    assert count_numbers(numbers, n - 1, n - 2, 9.0) == 0


@given(bits=st.integers(1, 2**64 - 1), place=st.integers(0, 63))
@few(60)
def test_the_lowest_bit(bits, place):
    assert place_of_lowest(np.uint64(1 << place)) == place
    assert place_of_lowest(np.uint64(bits)) == (bits & -bits).bit_length() - 1


def test_an_array_of_two():
    assert sum_of_pair(1.5, 2.5) == (5.0, 2)


def test_what_only_the_processor_sees_changes_nothing():
    assert rest_a_while(np.arange(100), 100) == 4950


@pytest.mark.skipif(PLAIN_PYTHON, reason="these are the twins")
def test_twins_in_plain_python():
    array = np.array([5, 7])
    assert intrinsics._plain_atomic_add(array, 0, 2) == 5
    assert intrinsics._plain_atomic_swap(array, 1, 1) == 7
    assert (intrinsics._plain_atomic_load(array, 0), array.tolist()) == (7, [7, 1])
    assert [intrinsics._plain_lowest_bit(1 << k) for k in range(64)] == list(range(64))
    assert intrinsics._plain_either(False, 1, 2) == 2
    assert intrinsics._plain_pair_array(1.0, 2.0).tolist() == [1.0, 2.0]
