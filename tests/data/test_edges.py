"""Edges of bins, against rows that are counted."""

import numpy as np
import pytest

from spinney.data import edges

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [2, 7, 255])
def test_columns_at_once_and_rows_that_are_counted(max_bins, dtype):
    random = np.random.RandomState(max_bins)
    columns = np.stack([random.randn(400), random.randint(-3, 4, 400), random.choice([0.0, -0.0, 5.0, np.inf], 400)])
    columns[random.rand(3, 400) < 0.2] = np.nan
    columns = np.vstack([columns, np.full(400, np.nan)]).astype(dtype)
    once = np.ones(400, np.int64)
    found = edges.learn_edges(columns, None, max_bins)
    for one, counted in zip(found, edges.learn_edges(columns, once, max_bins)):
        np.testing.assert_array_equal(one, counted)
    assert [len(one) for one in found[1:]] == [min(6, max_bins - 1), min(2, max_bins - 1), 0]
