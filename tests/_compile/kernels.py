"""Small kernels and parts, in a module that other processes can import."""

import numpy as np

from spinney._compile import inner_kernel, kernel, part_kernel, uncached_kernel

SHIFT = 3
TABLE = np.array([1.0, 10.0, 100.0])


@inner_kernel
def _twice(x):
    return 2 * x


@part_kernel
def fill(out, factor):
    for i in range(out.size):
        out[i] = _twice(factor) * i + SHIFT


@part_kernel(returns="int64")
def count_above(numbers, limit):
    n = 0
    for i in range(numbers.size):
        if numbers[i] > limit:
            n += 1
    return n


@part_kernel(returns="float64")
def weighted_sum(numbers, weights):
    total = 0.0
    for i in range(numbers.size):
        total += numbers[i] if weights is None else numbers[i] * weights[i]
    return total + TABLE[1]


@part_kernel(returns="int64")
def checked(numbers, i):
    if i >= numbers.size:
        raise ValueError("there is no such place")
    if i < 0:
        raise IndexError("places begin at 0")
    return count_above(numbers, i)  # a part of a part


@part_kernel(returns="bool")
def judge(function, x):
    return function(x) > 10.0


@kernel
def fill_and_count(out, factor):
    fill(out, factor)
    return count_above(out, 20)  # a literal


@kernel
def fill_twice(out, factor):
    fill(out, factor)
    fill(out, factor + 1)


@kernel
def sum_both(numbers, weights):
    return weighted_sum(numbers, weights), weighted_sum(numbers, None)


@kernel
def look(numbers, i):
    return checked(numbers, i)


@kernel
def seven_times(x):
    return 7 * x


@kernel
def nine_times(x):
    return 9 * x


def _ask_judge(function, x):
    return judge(function, x)


ask_judge = uncached_kernel(_ask_judge)


def use_all():
    """Call every kernel once and give what they say."""
    out = np.zeros(20)
    said = [fill_and_count(out, 2.0), out.sum()]
    fill_twice(out, 3.0)
    return [*said, out.sum(), *sum_both(out, out), look(out, 4), seven_times(6), nine_times(6)]
