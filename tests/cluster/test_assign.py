"""Assignment: labels, integer sums and sums of squares, against the slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.assign import (
    assign_rows,
    inertia,
    nearest_centres,
    no_assignment,
    squared_distances_to_all,
    squared_distances_to_own,
)
from tests.cluster.cases import ALONE, blobs, points_of, tables
from tests.compiled import THREADS, few
from tests.oracles.clustering import nearest_centre

pytestmark = pytest.mark.kernels


def in_order(points, values):
    return values[points.order]


@few(40, 8)
@given(tables(), st.data())
def test_labels_and_sums(values, data):
    n_centres = data.draw(st.integers(1, 15))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    weight = rng.integers(0, 4, len(values)) if data.draw(st.booleans()) else np.ones(len(values), np.int64)
    weight[0] = max(weight[0], 1)
    points = points_of(values, weight)
    rows, weight = in_order(points, values), weight[points.order]
    state = no_assignment(points, n_centres)
    for _ in range(2):  # the second pass moves rows from one sum to another
        centres = values[rng.integers(0, len(values), n_centres)]
        before = state.labels.copy()
        moved = assign_rows(points, centres, state, ALONE)
        labels = state.labels[: len(rows)]
        assert labels.tolist() == [nearest_centre(row, centres) for row in rows]
        assert moved == (before[: len(rows)] != labels).sum()
        totals = state.sums / state.scale
        for k in range(n_centres):
            own = labels == k
            np.testing.assert_array_equal(totals[k, :-1], (rows[own].astype(float) * weight[own, None]).sum(axis=0))
            assert totals[k, -1] == weight[own].sum()
    assert (nearest_centres(points, centres, ALONE)[: len(rows)] == labels).all()


@few(20, 6)
@given(tables())
def test_distances(values):
    points, centres = points_of(values), values[:3]
    rows = in_order(points, values).astype(np.float64)
    wanted = ((rows[:, None] - centres[None].astype(np.float64)) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_distances_to_all(points, centres, ALONE), wanted, rtol=1e-5)
    labels = nearest_centres(points, centres, ALONE)
    own = wanted[np.arange(len(rows)), labels[: len(rows)]]
    np.testing.assert_allclose(squared_distances_to_own(points, centres, labels), own, rtol=1e-12)
    assert inertia(points, centres, labels, ALONE) == pytest.approx(own.sum(), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads(dtype):
    values, _ = blobs(6000, 5, 9, dtype=dtype)
    weight = np.random.default_rng(0).random(6000)
    points, centres = points_of(values, weight), values[:9]
    found = []
    for size in THREADS:
        with Team(size) as team:
            state = no_assignment(points, 9)
            assign_rows(points, centres, state, team)
            total = inertia(points, centres, state.labels, team)
            found.append((state.labels.tobytes(), state.sums.tobytes(), total))
    assert len(set(found)) == 1
    means, weights = state.means()
    for k in range(9):
        own = state.labels[:6000] == k
        rows, w = values[points.order][own], weight[points.order][own]
        np.testing.assert_allclose(means[k], np.average(rows.astype(float), axis=0, weights=w), rtol=1e-9)
        np.testing.assert_allclose(weights[k], w.sum(), rtol=1e-9)
