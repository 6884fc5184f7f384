"""k-means on the GPU gives the CPU's clusters: simulated, in a process where kernels are plain Python."""

import os

import numpy as np
import pytest
from scipy.sparse import eye_array

import spinney
import spinney.gpu as gpu
from tests.gpu.test_fits import simulate

CASES = """
import numpy as np, spinney

def models(n, device):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((n, 3)) + c for c in (0, 3, 6)])
    far = np.full((3, 3), 99.0) + np.arange(3)[:, None]
    cases = [
        (dict(n_clusters=3), None, np.float64),
        (dict(n_clusters=6), rng.random(3 * n), np.float32),
        (dict(n_clusters=4, metric="cosine"), rng.integers(0, 3, 3 * n), np.float64),
        (dict(n_clusters=5, init="random", n_init=2), None, np.float32),
        (dict(n_clusters=3, init=far, keep_history=True), None, np.float64),
    ]
    for more, weights, kind in cases:
        model = spinney.KMeans(device=device, random_state=0, **more).fit(X.astype(kind), sample_weight=weights)
        yield model.fingerprint_, model.labels_.tolist(), model.inertia_, model.n_iter_

def differences(n):
    return [k for k, (here, there) in enumerate(zip(models(n, "cpu"), models(n, "cuda"))) if here != there]
"""


@pytest.mark.slow
def test_clusters_are_those_of_the_cpu():
    assert simulate(1, "-W", "ignore", "-c", CASES + "print(differences(20))") == "[]"


@pytest.mark.slow
def test_threads_of_a_block_agree():
    assert simulate(3, "-W", "ignore", "-c", CASES + "print(differences(12))") == "[]"


def test_sparse_tables_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: None)
    with pytest.raises(ValueError, match=r"device='cuda' does not support sparse matrices\. Use device='cpu'"):
        spinney.KMeans(2, device="cuda").fit(eye_array(1100))


def test_without_a_gpu_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "device='cuda' needs a GPU: none is here.")
    with pytest.raises(RuntimeError, match=r"none is here\. Use device='cpu'"):
        spinney.KMeans(2, device="cuda").fit(np.eye(4))


@pytest.mark.skipif(os.environ.get("SPINNEY_TEST_GPU") != "1", reason="make test-gpu runs it where there is a GPU")
def test_a_true_gpu_agrees():
    space: dict = {}
    exec(CASES, space)
    assert space["differences"](30_000) == []
