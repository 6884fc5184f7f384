"""The elbow curve: sums of squares for several K, and which K it suggests."""

import re

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_score

from spinney import KMeans, elbow, select_components
from spinney.estimators.clusters.number_of_clusters import bend

X, LABEL = make_blobs(400, centers=4, n_features=3, random_state=1)


def test_the_curve_is_that_of_single_fits():
    curve = elbow(X, [5, 1, 3, 4, 2], random_state=0)
    assert curve.ks.tolist() == [1, 2, 3, 4, 5]
    for k, total in zip(curve.ks, curve.inertia):
        assert total == KMeans(int(k), random_state=0).fit(X).inertia_
    assert curve.silhouette is None


def test_blobs_are_counted():
    curve = elbow(X, range(1, 10), random_state=0, silhouette=True)
    assert curve.suggested_k == 4
    assert np.isnan(curve.silhouette[0])
    assert curve.ks[np.nanargmax(curve.silhouette)] == 4
    model = KMeans(4, random_state=0).fit(X)
    assert curve.silhouette[3] == pytest.approx(silhouette_score(X, model.labels_))


def test_the_rule():
    assert bend(np.array([1, 2, 3]), np.array([10.0, 2.0, 1.0])) == 2
    assert bend(np.array([2, 4]), np.array([10.0, 2.0])) == 4
    assert bend(np.array([2, 3, 4]), np.array([0.0, 0.0, 0.0])) == 2
    assert bend(np.array([7]), np.array([3.0])) == 7


def test_weights_and_progress(capsys):
    weight = np.where(LABEL < 2, 1.0, 0.0)
    curve = elbow(X, range(1, 6), sample_weight=weight, random_state=0, verbose=True)
    assert curve.suggested_k == 2
    assert "k=5 SSE" in capsys.readouterr().err


def test_one_number_stands_for_all_up_to_it():
    assert elbow(X, 5, random_state=0).ks.tolist() == [1, 2, 3, 4, 5]
    assert select_components(X, np.int64(2), random_state=0).ks.tolist() == [1, 2]


@pytest.mark.parametrize("ks", [[], [0, 1], [1.5], [True], 0, -3, 2.5, True, "5", None])
def test_what_ks_must_be(ks):
    with pytest.raises(ValueError, match=f"ks must be integers of at least 1, got {re.escape(repr(ks))}"):
        elbow(X, ks)
