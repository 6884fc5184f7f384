"""Orders of rows by what they hold."""

import numpy as np
import pytest

from spinney.data.row_hash import order_by_content, order_of_codes, order_of_columns
from spinney.data.tables import Panel, Table
from tests.compiled import PLAIN_PYTHON

pytestmark = pytest.mark.kernels


def test_a_table_is_its_columns():
    values = np.random.RandomState(0).randn(40, 3)
    values[::5, 1] = np.nan
    table = Table(40, 3, (Panel(values, (0, 1, 2)),))
    order = order_of_columns(*values.T)
    np.testing.assert_array_equal(order_by_content(table), order)
    assert sorted(order.tolist()) == list(range(40)) != order.tolist()
    np.testing.assert_array_equal(values[order], values[::-1][order_of_columns(*values[::-1].T)])


def test_all_missing_values_and_both_zeros_are_alike():
    odd = np.array([0x7FF8000000000001, 0, 3], np.uint64).view(np.float64)
    plain = np.array([np.nan, -0.0, odd[2]])
    np.testing.assert_array_equal(order_of_columns(odd), order_of_columns(plain))


def test_the_order_depends_on_every_column_and_the_target():
    random = np.random.RandomState(0)
    codes, y = random.randint(0, 200, (19, 300)).astype(np.uint8), random.randn(300)
    order = order_of_codes(codes, y)
    assert not np.array_equal(order, np.arange(300))
    for j in range(19):
        other = codes.copy()
        other[j] ^= 1
        assert not np.array_equal(order_of_codes(other, y), order)
    assert not np.array_equal(order_of_codes(codes, y + 1), order)


def test_both_zeros_are_one_target():
    codes = np.random.RandomState(0).randint(0, 9, (3, 50)).astype(np.uint8)
    zeros = np.zeros(50)
    np.testing.assert_array_equal(order_of_codes(codes, zeros), order_of_codes(codes, -zeros))


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
def test_many_rows_in_blocks():
    """The order of a part, within the whole, is the part's own."""
    random = np.random.RandomState(0)
    codes, y = random.randint(0, 255, (9, 9000)).astype(np.uint8), random.randn(9000)
    whole = order_of_codes(codes, y)
    part = order_of_codes(codes[:, 5000:], y[5000:]) + 5000
    np.testing.assert_array_equal(whole[whole >= 5000], part)
