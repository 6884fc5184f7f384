"""The inner loops of mixtures: the vector code against the same arithmetic in NumPy, bit for bit."""

import numpy as np
import pytest

from spinney.cluster import moments as room
from spinney.cluster.moments import GROUP, SQUARE, WIDE
from tests.compiled import outer

pytestmark = pytest.mark.kernels


def _call_lengths(tile, start, n_columns, points, out, place):
    room.squared_lengths(tile, start, n_columns, points, out, place)


def _call_tile(tile, start, n_columns, middle, out):
    room.center_tile(tile, start, n_columns, middle, out)


def _call_row(x, x_start, mean, factor, out, scaled, start):
    room.center_row(x, x_start, mean, factor, out, scaled, start)


def _call_products(left, left_start, right, right_start, step, n, out, out_start, out_step):
    room.add_products(left, left_start, right, right_start, step, n, out, out_start, out_step)


LENGTHS, TILE, ROW, PRODUCTS = outer(_call_lengths), outer(_call_tile), outer(_call_row), outer(_call_products)
RANDOM = np.random.default_rng(0)


def packed(triangle):
    """The rows of a lower triangle in groups, as far as each group reaches."""
    n = len(triangle)
    groups = []
    for first in range(0, n, GROUP):
        group = np.zeros((min(first + GROUP, n), GROUP))
        rows = triangle[first : first + GROUP, : len(group)]
        group[:, : len(rows)] = rows.T
        groups.append(group.ravel())
    return np.concatenate(groups)


@pytest.mark.parametrize("n_columns", [1, 3, 4, 5, 20])
def test_squared_lengths(n_columns):
    tile = RANDOM.normal(size=(2, n_columns, WIDE))
    triangle = np.tril(RANDOM.normal(size=(n_columns, n_columns)))
    found, plain = np.zeros(WIDE + 5), np.zeros(WIDE + 5)
    arguments = (tile.ravel(), n_columns * WIDE, n_columns, packed(triangle))
    LENGTHS(*arguments, found, 3)
    room._plain_squared_lengths(*arguments, plain, 3)
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_allclose(found[3 : 3 + WIDE], ((triangle @ tile[1]) ** 2).sum(axis=0))


def test_center_tile():
    tile, middle = RANDOM.normal(size=(2, 3, WIDE)), RANDOM.normal(size=7)
    out = np.zeros(3 * WIDE)
    TILE(tile.ravel(), 3 * WIDE, 3, middle, out)
    np.testing.assert_array_equal(out.reshape(3, WIDE), tile[1] - middle[:3, None])


def test_center_row():
    x, mean = RANDOM.normal(size=40), RANDOM.normal(size=2 * SQUARE)
    out, scaled = np.zeros(30), np.zeros(30)
    ROW(x, 5, mean, 0.3, out, scaled, 4)
    np.testing.assert_array_equal(out[4:20], x[5:21] - mean)
    np.testing.assert_array_equal(scaled[4:20], 0.3 * (x[5:21] - mean))
    assert not out[20:].any()
    assert not scaled[:4].any()


@pytest.mark.parametrize("n", [0, 1, 50])
def test_add_products(n):
    step = 3 * SQUARE
    left, right = RANDOM.normal(size=(50, step)), RANDOM.normal(size=(50, step))
    found, plain = (np.ones((SQUARE, 2 * SQUARE)) for _ in range(2))
    arguments = (left.ravel(), SQUARE, right.ravel(), 2 * SQUARE, step, n)
    PRODUCTS(*arguments, found.ravel(), SQUARE, 2 * SQUARE)
    room._plain_add_products(*arguments, plain.ravel(), SQUARE, 2 * SQUARE)
    np.testing.assert_array_equal(found, plain)
    wanted = 1 + left[:n, SQUARE : 2 * SQUARE].T @ right[:n, 2 * SQUARE :]
    np.testing.assert_allclose(found[:, SQUARE:], wanted)
    assert (found[:, :SQUARE] == 1).all()
