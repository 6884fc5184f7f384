"""k-means by batches: as the slow twin; small centres move; the smoothed loss ends a run; draws follow weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.minibatch import BatchDraws, MiniBatchSettings, RunningMeans, Smoothed, run_batches
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few
from tests.oracles import clustering as reference_cluster

pytestmark = pytest.mark.kernels


def running_from(centres, origin=None):
    origin = np.zeros(centres.shape[1]) if origin is None else origin
    return RunningMeans(origin, centres.astype(np.float64), np.zeros(len(centres)), centres.dtype, seed=1)


@few(30, 5)
@given(tables(least_rows=12), st.integers(1, 6), st.integers(0, 1000))
def test_as_the_twin(values, n_centres, seed):
    rng = np.random.default_rng(seed)
    batches = np.array_split(values, 3)
    weights = [[int(one) for one in rng.integers(0, 4, len(batch))] for batch in batches]
    weights = [[1, *own[1:]] for own in weights]
    centres = values[rng.integers(0, len(values), n_centres)]
    wanted, counts, losses = reference_cluster.running_means(batches, weights, centres)
    running = running_from(centres)
    found = [running.learn(points_of(batch, own), 0.0, ALONE) for batch, own in zip(batches, weights)]
    np.testing.assert_allclose(running.published(), wanted, rtol=1e-5 if values.dtype == np.float32 else 1e-12)
    np.testing.assert_allclose(running.counts, counts, rtol=1e-12)
    np.testing.assert_allclose(found, losses, rtol=1e-5, atol=1e-9)
    assert running.n_steps == 3


def test_any_number_of_threads():
    values, _ = blobs(5000, 4, 7, spread=1.0, dtype=np.float32)
    weights, found = np.random.default_rng(1).random(5000), set()
    for size in THREADS:
        with Team(size) as team:
            running = running_from(values[:7])
            losses = [running.learn(points_of(values, weights, team), 0.01, team) for _ in range(3)]
        found.add((running.means.tobytes(), running.counts.tobytes(), tuple(losses)))
    assert len(found) == 1


def test_small_centres_move_to_rows_of_the_batch():
    values, _ = blobs(200, 2, 3)
    centres = np.array([[0.0, 0.0], [1e6, 1e6]])
    kept, moved = running_from(centres), running_from(centres)
    for running, ratio in ((kept, 0.0), (moved, 0.01)):
        running.learn(points_of(values), ratio, ALONE)
    np.testing.assert_array_equal(kept.means[1], [1e6, 1e6])
    assert kept.counts.tolist() == [200, 0]
    assert (values == moved.means[1]).all(axis=1).any()
    assert moved.counts.tolist() == [200, 200]


def test_at_most_half_of_a_batch_becomes_centres():
    values = np.arange(6.0)[:, None]
    far = running_from(np.append(0.0, 1e6 + np.arange(9.0))[:, None])
    far.learn(points_of(values), 0.5, ALONE)
    assert (far.means < 1e5).sum() == 1 + 3


def test_small_centres_are_looked_for_now_and_then():
    values, _ = blobs(10, 2, 3)
    running = running_from(values[:3])
    looked = []
    for _ in range(7):
        looked.append(running._looks_for_small_ones(points_of(values)))
        running.counts[:] = 1.0
    assert looked == [True, False, False, True, False, False, True]


def test_the_smoothed_loss():
    smoothed = Smoothed(0.5, 2)
    assert [smoothed.has_settled(loss) for loss in (8.0, 4.0, 6.0, 5.0, 7.0, 7.0)] == [False] * 4 + [False, True]
    assert smoothed.mean == pytest.approx(6.625)
    assert smoothed.least == 5.5
    assert not any(Smoothed(0.5, None).has_settled(1.0) for _ in range(50))


def test_what_ends_a_run():
    values, _ = blobs(500, 2, 4)
    batches = [points_of(values)] * 30

    def n_steps(patience, tolerance):
        running = running_from(values[:4])
        settled = run_batches(running, batches, Smoothed(1.0, patience), MiniBatchSettings(0.0, tolerance), ALONE)
        assert settled == (running.n_steps < 30)
        return running.n_steps

    assert n_steps(None, 0.0) == 30
    assert n_steps(None, 1e6) == 2  # the first batch judges the start
    assert n_steps(None, 1e-3) < 30
    assert n_steps(0, 0.0) == 2


@pytest.mark.parametrize("weights", [None, [1, 0, 3, 0, 4], [0.5, 0.0, 1.5, 0.0, 2.0]])
def test_draws_follow_weights(weights):
    points = points_of(np.arange(5.0)[:, None], weights)
    draws = BatchDraws(points, 7)
    places = np.concatenate([draws.draw(number, 4000) for number in range(5)])
    share = np.bincount(places, minlength=5)
    wanted = points.weights() / points.weights().sum()
    np.testing.assert_allclose(share / len(places), wanted, atol=0.02)
    np.testing.assert_array_equal(draws.draw(3, 10), BatchDraws(points, 7).draw(3, 10))
    assert (draws.draw(3, 10) != draws.draw(4, 10)).any()
