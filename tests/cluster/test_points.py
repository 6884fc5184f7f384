"""Points: tiles hold the rows, whatever the table's order, layout and weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster import points as room
from spinney.cluster.points import make_points, read_tiles
from spinney.data.weights import read_weights
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few

pytestmark = pytest.mark.kernels


@few(30, 10)
@given(tables())
def test_tiles_hold_the_rows(values):
    points = points_of(values)
    places = np.arange(len(values))
    np.testing.assert_array_equal(points.rows_at(places), values[points.order])
    np.testing.assert_array_equal(points.as_in_table(np.append(points.order, [0, 0])), places)
    np.testing.assert_array_equal(points.reach, np.abs(values).max(axis=0))
    assert points.variance == pytest.approx(values.var(axis=0, dtype=np.float64).mean(), rel=1e-9, abs=1e-12)


@few(30, 10)
@given(tables(), st.integers(0, 1000))
def test_order_follows_from_content(values, seed):
    shuffled = values[np.random.default_rng(seed).permutation(len(values))]
    np.testing.assert_array_equal(points_of(values).tiles, points_of(shuffled).tiles)


def test_weights_go_with_their_rows():
    values, _ = blobs(100)
    weight = np.arange(100) / 7
    points = points_of(values, weight)
    np.testing.assert_array_equal(points.as_in_table(points.importance) * points.unit, weight)
    assert 0.5 <= points.importance.max() <= 1
    repeated = points_of(values, np.arange(100) % 5)
    np.testing.assert_array_equal(repeated.as_in_table(repeated.counts), np.arange(100) % 5)
    alike = points_of(np.repeat(values, np.arange(100) % 5, axis=0))
    assert repeated.total_count == alike.total_count == alike.n_rows
    np.testing.assert_allclose(repeated.variance, alike.variance)
    np.testing.assert_array_equal(repeated.reach, alike.reach)  # rows of weight 0 are not there
    np.testing.assert_array_equal(repeated.full_reach, np.abs(values).max(axis=0))


@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 5000])
def test_large_tables_stay_in_order(monkeypatch, n_rows):
    monkeypatch.setattr(room, "FEW_ROWS", 0)
    values = np.asfortranarray(blobs(n_rows, dtype=np.float32)[0])
    for size in THREADS:
        with Team(size) as team:
            points = make_points(values, read_weights(None, n_rows), team)
        assert points.order is None
        rows = points.rows_at(np.arange(n_rows)) + points.origin
        np.testing.assert_allclose(rows, values, rtol=1e-5, atol=1e-5)
    again = read_tiles(values, points.origin, ALONE)
    np.testing.assert_array_equal(again.tiles, points.tiles)


def test_the_origin_does_not_depend_on_order_or_repetition():
    values, _ = blobs(100, dtype=np.float32)
    weight = np.arange(100) % 4
    plain = make_points(np.repeat(values, weight, axis=0)[::-1], read_weights(None, int(weight.sum())), ALONE)
    counted = make_points(values, read_weights(weight, 100), ALONE)
    np.testing.assert_array_equal(plain.origin, counted.origin)


def test_sums_of_integers_cannot_overflow():
    values, _ = blobs(1000)
    points = points_of(values, np.full(1000, 127))
    scale = points.scale(points.reach)
    assert (scale == 2.0 ** np.round(np.log2(scale))).all()
    assert (points.reach * scale * points.total_count < 2.0**62).all()
    assert (points.reach * scale > 2.0**40).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_only_finite_numbers(bad):
    values, _ = blobs(50)
    values[7, 1] = bad
    for weight in (None, np.arange(50) != 7):  # also in rows that do not count
        with pytest.raises(ValueError, match="Input X contains"):
            make_points(values, read_weights(weight, 50), ALONE)
    with pytest.raises(ValueError, match="Input X contains"):
        read_tiles(values, np.zeros(3), ALONE)


def test_numbers_without_squares():
    with pytest.raises(ValueError, match="X must not hold values larger than 1e150"):
        points_of(np.array([[1e200], [-1e200]]))
