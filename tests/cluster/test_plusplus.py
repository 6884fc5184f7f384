"""k-means++: the rows that the slow twin draws from the same random numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.plusplus import PlusPlusSearch, _draw_numbers, plus_plus, random_rows
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few
from tests.oracles import clustering as reference_cluster

pytestmark = pytest.mark.kernels


def numbers(key, centre, n):
    drawn = np.empty(n, np.uint64)
    _draw_numbers(np.uint64(key), centre, drawn)
    return [int(one) for one in drawn]


@few(30, 6)
@given(tables(most_rows=40), st.data())
def test_the_twin_draws_the_same(values, data):
    n_centres = data.draw(st.integers(1, min(6, len(values))))
    weight = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, len(values))
    weight[0] = 1
    points = points_of(values, weight)
    key = data.draw(st.integers(0, 10**6))
    n_candidates = data.draw(st.integers(1, 6))
    draws = [numbers(key, k, n_candidates) for k in range(n_centres)]
    scale = PlusPlusSearch(points, np.uint64(key), n_candidates, ALONE).scale
    counts = [int(one) for one in weight[points.order]]
    wanted = reference_cluster.plus_plus(values[points.order], counts, scale, draws, n_centres)
    assert plus_plus(points, n_centres, key, ALONE, n_candidates).tolist() == wanted


@pytest.mark.parametrize("draw", [plus_plus, lambda points, k, key, team: random_rows(points, k, key)])
def test_any_number_of_threads_and_no_row_twice(draw):
    values, _ = blobs(4000, 3, 8, dtype=np.float32)
    for weight in (None, np.random.default_rng(0).random(4000)):
        points = points_of(values, weight)
        found = []
        for size in THREADS:
            with Team(size) as team:
                found.append(draw(points, 8, 11, team).tolist())
        assert found.count(found[0]) == len(found)
        assert len(set(found[0])) == 8


def test_far_rows_are_drawn():
    values, label = blobs(400, 2, 5, spread=100.0)
    points = points_of(values)
    for key in range(10):
        assert len(set(label[points.order][plus_plus(points, 5, key, ALONE)])) == 5


def test_rows_without_weight_are_not_drawn():
    values, _ = blobs(300)
    weight = (np.arange(300) % 3 == 0) * 0.7
    points = points_of(values, weight)
    for key in range(5):
        for chosen in (plus_plus(points, 20, key, ALONE), random_rows(points, 20, key)):
            assert (points.order[chosen] % 3 == 0).all()


def test_fewer_different_rows_than_centres():
    points = points_of(np.array([[1.0], [1.0], [2.0]]))
    found = points.rows_at(plus_plus(points, 3, 0, ALONE))
    assert sorted(set(found.ravel().tolist())) == [1.0, 2.0]


def test_random_rows_follow_weights():
    values, weight = np.arange(4.0)[:, None], np.array([1.0, 2.0, 4.0, 0.5])
    points = points_of(values, weight)
    first = [int(points.order[random_rows(points, 1, key)[0]]) for key in range(300 if THREADS == (1,) else 3000)]
    shares = np.bincount(first, minlength=4) / len(first)
    np.testing.assert_allclose(shares, weight / weight.sum(), atol=0.1 if THREADS == (1,) else 0.03)
