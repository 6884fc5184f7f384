"""Sixteen rows at once: the vector code against the same arithmetic in NumPy, bit for bit."""

import numpy as np
import pytest

from spinney.cluster import nearest as room
from spinney.cluster.nearest import LANES, SMALL, pack_points
from tests.cluster.cases import DTYPES
from tests.compiled import outer

pytestmark = pytest.mark.kernels


def _call_nearest(tile, start, n_columns, points, n_large, n_small, best, second, label, place):
    room.nearest(tile, start, n_columns, points, n_large, n_small, best, second, label, place)


def _call_two(tile, start, n_columns, points, n_large, n_small, best, second, label, place):
    room.nearest_two(tile, start, n_columns, points, n_large, n_small, best, second, label, place)


def _call_distances(tile, start, n_columns, points, first, out, place):
    room.squared_distances(tile, start, n_columns, points, first, out, place)


NEAREST, TWO, DISTANCES = outer(_call_nearest), outer(_call_two), outer(_call_distances)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_points", [1, 2, 4, 5, 12, 13, 50])
@pytest.mark.parametrize("n_columns", [1, 3, 20])
def test_nearest_and_second(dtype, n_points, n_columns):
    rng = np.random.default_rng(n_points)
    tiles = rng.normal(size=3 * n_columns * LANES).astype(dtype)
    rows = rng.normal(size=(n_points, n_columns)).astype(dtype)
    own = rng.normal(size=n_points).astype(dtype)
    start = n_columns * LANES
    arguments = (tiles, start, n_columns, *pack_points(rows, own))
    for call, plain in ((NEAREST, room._plain_nearest), (TWO, room._plain_nearest_two)):
        found, wanted = [(np.zeros(40, dtype), np.zeros(40, dtype), np.zeros(40, np.int32)) for _ in range(2)]
        call(*arguments, *found, 8)
        plain(*arguments, *wanted, 8)
        for mine, theirs in zip(found, wanted):
            np.testing.assert_array_equal(mine, theirs)
    assert found[2].max() < n_points


@pytest.mark.parametrize("together", [4, 12])
def test_the_size_of_groups_changes_nothing(monkeypatch, together):
    """Processors with few registers work at fewer points together."""
    monkeypatch.setattr(room, "TOGETHER", together)

    def call(tile, start, n_columns, points, n_large, n_small, best, second, label, place):
        room.nearest_two(tile, start, n_columns, points, n_large, n_small, best, second, label, place)

    rng = np.random.default_rng(0)
    tiles, rows = rng.normal(size=6 * LANES).astype(np.float32), rng.normal(size=(30, 6)).astype(np.float32)
    found = np.zeros(LANES, np.float32), np.zeros(LANES, np.float32), np.zeros(LANES, np.int32)
    outer(call)(tiles, 0, 6, *pack_points(rows, np.zeros(30, np.float32)), *found, 0)
    sums = np.zeros((30, LANES), np.float32)
    for j in range(6):
        sums = sums - rows[:, j : j + 1] * tiles[j * LANES : (j + 1) * LANES]
    np.testing.assert_array_equal(found[0], sums.min(axis=0))
    np.testing.assert_array_equal(found[1], np.sort(sums, axis=0)[1])
    np.testing.assert_array_equal(found[2], sums.argmin(axis=0))


def test_of_equals_the_first():
    tiles, rows = np.ones(2 * LANES, np.float32), np.ones((9, 2), np.float32)
    best, second, label = np.zeros(LANES, np.float32), np.zeros(LANES, np.float32), np.ones(LANES, np.int32)
    TWO(tiles, 0, 2, *pack_points(rows, np.ones(9, np.float32)), best, second, label, 0)
    assert (label == 0).all()
    assert (best == second).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_squared_distances(dtype):
    rng = np.random.default_rng(0)
    n_columns = 7
    tiles, points = rng.normal(size=2 * n_columns * LANES).astype(dtype), rng.normal(size=60).astype(dtype)
    found, wanted = np.zeros(100, dtype), np.zeros(100, dtype)
    DISTANCES(tiles, n_columns * LANES, n_columns, points, 5, found, 3)
    room._plain_squared_distances(tiles, n_columns * LANES, n_columns, points, 5, wanted, 3)
    np.testing.assert_array_equal(found, wanted)
    assert found[3 : 3 + SMALL * LANES].all()


def _call_norms(tile, start, n_columns, out):
    room.squared_norms(tile, start, n_columns, out)


@pytest.mark.parametrize("dtype", DTYPES)
def test_squared_norms(dtype):
    tiles = np.random.default_rng(0).normal(size=(2, 5, LANES)).astype(dtype)
    found, plain = np.zeros(LANES, dtype), np.zeros(LANES, dtype)
    outer(_call_norms)(tiles.ravel(), 5 * LANES, 5, found)
    room._plain_squared_norms(tiles.ravel(), 5 * LANES, 5, plain)
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_allclose(found, (tiles[1].astype(float) ** 2).sum(axis=0), rtol=1e-5)
