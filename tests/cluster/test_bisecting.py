"""Bisecting k-means: as the slow twin; rows go down the tree to the leaves that they were split into."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.bisecting import BisectSettings, bisect, leaf_of
from spinney.cluster.kmeans import KMeansSettings, relative_centres
from spinney.cluster.points import read_tiles, take_points
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import PLAIN_PYTHON, THREADS, few
from tests.oracles import clustering as reference_cluster

pytestmark = pytest.mark.kernels


def extremes(part):
    return [reference_cluster.extreme_pair(part.rows_at(np.arange(part.n_rows)))]


def split(values, weights, n_clusters, by_size=False, team=ALONE, algorithm="lloyd"):
    points = points_of(values, weights, team)
    settings = BisectSettings(n_clusters, 1, by_size, KMeansSettings(100, algorithm=algorithm))
    return bisect(points, extremes, settings, team, None)


@few(40, 5)
@given(tables(most_rows=40, least_rows=6), st.integers(1, 6), st.booleans(), st.integers(0, 1000))
def test_as_the_twin(values, n_clusters, by_size, seed):
    rng = np.random.default_rng(seed)
    weights = [int(one) for one in rng.integers(1, 4, len(values))]
    order = np.lexsort(values.T[::-1])  # ties between leaves are broken by their place, not by the rows'
    values = np.ascontiguousarray(values[order])
    try:
        leaves = reference_cluster.bisected(values, weights, n_clusters, by_size)
    except ValueError:  # a centre without rows
        assume(False)
    found = split(values, weights, n_clusters, by_size)
    wanted = np.empty(len(values), int)
    for number, leaf in enumerate(leaves):
        wanted[leaf] = number
    np.testing.assert_array_equal(found.labels, wanted)
    assert sorted(found.tree.leaf[found.tree.leaf >= 0].tolist()) == list(range(n_clusters))
    centres = found.centres[np.argsort(found.tree.leaf, kind="stable")[-n_clusters:]]
    gap = (values.astype(float) - centres[wanted]) ** 2
    assert found.inertia == pytest.approx(float((gap.sum(axis=1) * weights).sum()), rel=1e-5, abs=1e-9)


@few(30, 5)
@given(tables(least_rows=8), st.integers(1, 8), st.booleans())
def test_rows_go_down_to_their_leaves(values, n_clusters, weighted):
    weights = np.arange(len(values)) % 3 + 0.5 if weighted else None
    found = split(values, weights, n_clusters)
    at = np.zeros(values.shape[1])
    again = leaf_of(read_tiles(values, at, ALONE), relative_centres(found.centres, at), found.tree, ALONE)
    np.testing.assert_array_equal(again[: len(values)], found.labels)


@pytest.mark.parametrize("by_size", [False, True])
def test_any_number_of_threads(by_size):
    n = 500 if PLAIN_PYTHON else 5000
    values, _ = blobs(n, 4, 9, spread=2.0, dtype=np.float32)
    weights, found = np.random.default_rng(1).random(n), set()
    for size in THREADS:
        for algorithm in ("lloyd", "bounds", "auto"):
            with Team(size) as team:
                one = split(values, weights, 9, by_size, team, algorithm)
            found.add((one.centres.tobytes(), one.labels.tobytes(), one.inertia, one.tree.leaf.tobytes()))
    assert len(found) == 1


def test_rows_that_are_all_alike():
    found = split(np.ones((5, 2)), None, 3)
    assert found.inertia == 0
    assert len(found.centres) == 5


@few(30, 5)
@given(tables(), st.integers(0, 1000))
def test_some_of_the_points(values, seed):
    rng = np.random.default_rng(seed)
    points = points_of(values, rng.integers(1, 4, len(values)))
    places = np.flatnonzero(rng.random(points.n_rows) < 0.5)
    assume(len(places))
    part = take_points(points, places, ALONE)
    np.testing.assert_array_equal(part.rows_at(np.arange(len(places))), points.rows_at(places))
    np.testing.assert_array_equal(part.weights(), points.weights()[places])
    np.testing.assert_array_equal(part.full_reach, np.abs(points.rows_at(places)).max(axis=0))
    assert part.n_rows == len(places)
    assert not part.tiles.reshape(-1, points.n_columns, 16)[-1][:, len(places) % 16 or 16 :].any()
