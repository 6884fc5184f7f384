"""Depths and scores of isolation forests."""

import numpy as np
import pytest

from spinney.ensemble.forests.isolation import anomaly_scores, average_path_length


@pytest.mark.kernels
def test_scikit_learns_formula():
    from sklearn.ensemble._iforest import _average_path_length

    n = np.array([0, 1, 2, 3, 4, 5, 100, 255, 256, 10_000_000])
    np.testing.assert_allclose(average_path_length(n), _average_path_length(n), rtol=1e-14)


@pytest.mark.kernels
def test_scores():
    c = average_path_length(np.array([256]))[0]
    np.testing.assert_allclose(anomaly_scores(np.array([0.0, c / 2, c, 2 * c]), 256), [1.0, 0.5**0.5, 0.5, 0.25])
    assert anomaly_scores(np.zeros(2), 1).tolist() == [0.5, 0.5]  # a tree of one row knows nothing
