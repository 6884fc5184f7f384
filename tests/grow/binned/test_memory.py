"""Statistics are moved with their rows as they are: whole numbers of 64 bits, however large."""

import pytest

from spinney._compile import kernel
from spinney.grow.binned.memory import NOWHERE, make_packed, make_wide, put, read, weight_and_amount, write

pytestmark = pytest.mark.kernels


@kernel
def _there_and_back(stats, weight, amount):
    put(stats, 0, weight, amount)
    write(stats, 1, read(stats, 0))
    return weight_and_amount(stats, read(stats, 1))


@kernel
def _nothing_is_kept(stats):
    put(stats, 0, 3, 1)
    write(stats, 1, read(stats, 0))
    return read(stats, 1)


@pytest.mark.parametrize("make", [make_packed, make_wide])
@pytest.mark.parametrize("weight, amount", [(1, 0), (2**31 - 1, 2**31 - 1), (2**30 + 1, 12_345_679)])
def test_large_sums_keep_their_last_bit(make, weight, amount):
    assert _there_and_back(make(2).rows, weight, amount) == (weight, amount)


def test_what_is_looked_up_is_not_moved():
    assert _nothing_is_kept(NOWHERE) == (0, 0)
