"""The lectures' examples of clustering."""

import numpy as np
import pytest

from spinney import GaussianMixture, KMeans


def test_soft_assignment_by_bayes_rule():
    """Means -2 and 3, both sigmas 2, equal priors: at 0 the densities are 0.12 and 0.06, the shares 0.65 and 0.35."""
    rng = np.random.default_rng(0)
    table = np.concatenate([rng.normal(-2, 2, 300), rng.normal(3, 2, 300)])[:, None]
    given = {"means_init": [[-2.0], [3.0]], "weights_init": [0.5, 0.5], "precisions_init": [0.25, 0.25]}
    model = GaussianMixture(2, covariance_type="spherical", max_iter=0, **given).fit(table)
    shares = model.predict_proba([[0.0]])[0]
    np.testing.assert_allclose(shares, [0.65, 0.35], atol=0.005)
    density = np.exp(model.score_samples([[0.0]])[0])
    np.testing.assert_allclose(2 * density * shares, [0.12, 0.06], atol=0.005)
    fitted = GaussianMixture(2, covariance_type="spherical", **given).fit(table)
    np.testing.assert_allclose(np.sort(fitted.means_.ravel()), [-2, 3], atol=1.0)
    assert fitted.lower_bound_ > model.score(table)


def test_a_step_of_kmeans_by_hand():
    """Assign to the closest centre, recompute the centroids."""
    table = np.array([[1.0], [2.0], [3.0], [8.0], [9.0], [13.0]])
    model = KMeans(2, init=[[1.0], [2.0]], n_init=1, keep_history=True).fit(table)
    assert [step.centers.ravel().tolist() for step in model.history_[:3]] == [[1, 2], [1, 7], [2, 10]]
    assert model.cluster_centers_.ravel().tolist() == [2, 10]
    assert model.inertia_ == pytest.approx(1 + 1 + 4 + 1 + 9)
