"""Bounds: the same labels and sums as without them, on whatever rows and drifts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster import assign as bounds
from spinney.cluster.assign import Bounds, Policy, assign_rows, assign_with_bounds, no_assignment
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few

pytestmark = pytest.mark.kernels


def follow(points, path, team=ALONE):
    """Assign along a path of centres both ways; the shares of rows looked at."""
    n_centres = len(path[0])
    plain, bounded = no_assignment(points, n_centres), no_assignment(points, n_centres)
    known = Bounds(points, n_centres)
    shares = []
    for before, centres in zip([None, *path], path):
        if before is not None:
            known.add_drift(before, centres)
        moved = assign_rows(points, centres, plain, team)
        found, looked_at = assign_with_bounds(points, centres, bounded, known, team)
        assert found == moved
        np.testing.assert_array_equal(bounded.labels[: points.n_rows], plain.labels[: points.n_rows])
        np.testing.assert_array_equal(bounded.sums, plain.sums)
        shares.append(looked_at / points.n_rows)
    return shares


@few(60, 10)
@given(tables(), st.data())
def test_same_as_without(values, data):
    """On a grid there are ties, and centres that coincide."""
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    n_centres = data.draw(st.integers(1, 9))
    centres = values[rng.integers(0, len(values), n_centres)]
    step = data.draw(st.sampled_from((0, 1, 8)))
    path = [centres]
    for _ in range(4):
        drift = rng.integers(-step, step + 1, centres.shape) / 16
        path.append((path[-1] + drift).astype(values.dtype))
    follow(points_of(values), path)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_settled_rows_are_passed_over(dtype):
    values, label = blobs(3000, 4, 6, spread=10.0, dtype=dtype)
    middle = np.array([values[label == k].mean(axis=0) for k in range(6)], dtype)
    path = [middle, *((middle + 0.01 * step).astype(dtype) for step in range(3))]
    for size in THREADS:
        with Team(size) as team:
            shares = follow(points_of(values), path, team)
        assert shares[0] == 1
        assert max(shares[1:]) < 0.1


def test_a_far_outlier_does_no_harm():
    values, _ = blobs(500, 3, 5, dtype=np.float32)
    values[0] = 1e6
    centres = values[1:6]
    follow(points_of(values), [centres, (centres * 1.0001).astype(np.float32), centres])


def test_policy(monkeypatch):
    values, label = blobs(500, 3, 4, spread=20.0)
    points = points_of(values)
    middle = np.array([values[label == k].mean(axis=0) for k in range(4)])
    assert not Policy("auto", points, 4).use_bounds
    small = Policy("auto", points, 4)
    small.see_drift(middle, middle)
    assert not small.use_bounds  # the table is too small to think about
    monkeypatch.setattr(bounds, "_LARGE", 0)
    auto = Policy("auto", points, 4)
    auto.see_drift(middle, middle + 30.0)
    assert not auto.use_bounds
    auto.see_drift(middle, middle + 0.01)
    assert auto.use_bounds
    auto.see_pass(0.1)
    assert auto.use_bounds
    auto.see_pass(0.9)
    assert not auto.use_bounds
    for algorithm, wanted in (("bounds", True), ("lloyd", False)):
        policy = Policy(algorithm, points, 4)
        policy.see_drift(middle, middle)
        policy.see_pass(1.0)
        assert policy.use_bounds == wanted
    assert Policy("auto", points, 1).unsettled(middle[:1], middle[:1]) == 0


def test_the_guess_is_what_bounds_find():
    values, label = blobs(2000, 3, 4, spread=2.0)
    points = points_of(values)
    before = np.array([values[label == k].mean(axis=0) for k in range(4)])
    after = before + 0.1
    guess = Policy("auto", points, 4).unsettled(before, after)
    assert abs(follow(points, [before, after])[1] - guess) < 0.1
