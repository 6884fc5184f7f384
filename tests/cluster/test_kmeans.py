"""The loop of k-means: as the slow twin, the sum of squares never rises, empty centres find rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.kmeans import KMeansRun, KMeansSettings
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few
from tests.oracles import clustering as reference_cluster

pytestmark = pytest.mark.kernels


def run(values, centres, weights=None, team=ALONE, **settings):
    points = points_of(values, weights)
    return KMeansRun(points, centres, KMeansSettings(**settings), team).run()


@few(30, 5)
@given(tables(most_rows=40), st.data())
def test_as_the_twin(values, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    weights = [int(one) for one in rng.integers(1, 4, len(values))]
    distinct = np.unique(values, axis=0)
    n_centres = data.draw(st.integers(1, min(5, len(distinct))))
    centres = distinct[rng.permutation(len(distinct))[:n_centres]]
    try:
        labels, wanted, n_iter = reference_cluster.lloyd(values, weights, centres, 20)
    except ValueError:  # an empty centre
        assume(False)
    for algorithm in ("lloyd", "bounds", "auto"):
        found = run(values, centres, weights, max_iter=20, algorithm=algorithm)
        np.testing.assert_array_equal(found.centres, wanted)
        np.testing.assert_array_equal(found.labels, labels)
        assert found.n_iter == n_iter


@few(30, 5)
@given(tables(), st.integers(1, 12), st.integers(0, 1000))
def test_the_sum_of_squares_never_rises(values, n_centres, seed):
    centres = values[np.random.default_rng(seed).integers(0, len(values), n_centres)]
    found = run(values, centres, keep_history=True, max_iter=50)
    sums = np.array([step.inertia for step in found.history])
    assert (np.diff(sums) <= 1e-5 * sums[:-1] + 1e-9).all()
    assert sums[-1] == found.inertia
    np.testing.assert_array_equal(found.history[-1].centers, found.centres)
    assert len(sums) == found.n_iter + 1


def test_empty_centres_take_the_farthest_rows():
    values = np.array([[0.0], [0.0], [1.0], [10.0], [30.0]])
    found = run(values, np.array([[0.0], [50.0], [60.0], [70.0]]), max_iter=50)
    assert found.inertia <= 0.5
    assert len(set(found.labels.tolist())) == 4


def test_more_centres_than_different_rows():
    found = run(np.array([[1.0], [1.0], [3.0]]), np.array([[1.0], [1.0], [3.0]]))
    assert found.inertia == 0
    assert len(set(found.labels.tolist())) == 2


@pytest.mark.parametrize("algorithm", ["lloyd", "bounds", "auto"])
def test_any_number_of_threads(algorithm):
    values, _ = blobs(5000, 4, 7, spread=1.0, dtype=np.float32)
    weights = np.random.default_rng(1).random(5000)
    found = []
    for size in THREADS:
        with Team(size) as team:
            one = run(values, values[:7], weights, team, max_iter=30, algorithm=algorithm)
        found.append((one.centres.tobytes(), one.labels.tobytes(), one.inertia, one.n_iter))
    assert len(set(found)) == 1


def test_tolerance_ends_a_run():
    values, _ = blobs(2000, 4, 7, spread=1.0)
    whole, short = (run(values, values[:7], tolerance=tolerance) for tolerance in (0.0, 1e-2))
    assert short.n_iter < whole.n_iter
    assert short.has_converged
    assert whole.has_converged
    assert not run(values, values[:7], max_iter=2).has_converged


@pytest.mark.parametrize("weighted", [False, True])
def test_labels_are_those_of_the_last_centres(weighted):
    """Also where centres stay empty, or are put elsewhere after the last row has moved."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        values = np.round(rng.normal(size=(30, 2)), 1 + seed % 2)
        weights = rng.random(30) * rng.integers(0, 2, 30) if weighted else None
        found = run(values, values[rng.integers(0, 30, 20)], weights, max_iter=1 + seed)
        again = [reference_cluster.nearest_centre(row, found.centres) for row in values]
        gap = values - found.centres[again]
        own = values - found.centres[found.labels]
        np.testing.assert_allclose((gap**2).sum(axis=1), (own**2).sum(axis=1), atol=1e-12)
