"""The inner loops of sparse k-means and their twins in NumPy."""

import numpy as np
import pytest

from spinney._compile import kernel
from spinney.cluster import sparse_points as sparse_products
from spinney.cluster.sparse_points import add_columns, lay_abreast, subtract_products


@kernel
def _products(table, values, columns, begin, end, n_places, sums):
    subtract_products(table, values, columns, begin, end, n_places, sums)


@kernel
def _columns(tile, n_columns, sums, place):
    add_columns(tile, n_columns, sums, place)


@pytest.mark.parametrize("kinds", [(a, b) for a in (np.float32, np.float64) for b in (np.float32, np.float64)])
@pytest.mark.parametrize("n_points", [1, 7, 8, 20, 31, 32, 75])
def test_products(kinds, n_points):
    random = np.random.RandomState(n_points)
    table = lay_abreast(random.randn(n_points, 40), random.rand(40), kinds[0])
    columns = np.flatnonzero(random.rand(40) < 0.4).astype(np.int32)
    values = random.randn(len(columns)).astype(kinds[1])
    found = random.randn(table.shape[1]).astype(kinds[0])
    expected = found.copy()
    arguments = table.ravel(), values, columns, 2, len(columns), table.shape[1]
    _products(*arguments, found)
    sparse_products._plain_subtract_products(*arguments, expected)
    np.testing.assert_array_equal(found, expected)
    sizes = np.abs(values[2:]).astype(np.float64) @ table[columns[2:], -1].astype(np.float64)
    assert found[-1] == pytest.approx(sizes, rel=1e-5)


def test_columns():
    random = np.random.RandomState(0)
    tile, found = random.randn(50 * 16), random.randn(40)
    expected = found.copy()
    _columns(tile, 50, found, 7)
    sparse_products._plain_add_columns(tile, 50, expected, 7)
    np.testing.assert_array_equal(found, expected)
