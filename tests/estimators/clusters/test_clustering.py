"""What all models of clustering promise alike: Ctrl-C, fits side by side, forks of a fitted model, verbose fits."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import spinney

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
SMALL = np.random.RandomState(0).randn(300, 3) + 5 * (np.arange(300) % 3)[:, None]
MODELS = [
    spinney.KMeans(3, random_state=0, n_jobs=2),
    spinney.MiniBatchKMeans(3, random_state=0, n_jobs=2),
    spinney.BisectingKMeans(3, random_state=0, n_jobs=2),
    spinney.GaussianMixture(3, random_state=0, n_jobs=2),
    spinney.BayesianGaussianMixture(n_components=3, random_state=0, n_jobs=2),
]
LONG = [
    {"n_clusters": 300, "tol": 0.0, "max_iter": 10**6, "init": "random", "n_init": 100},
    {"n_clusters": 100, "max_no_improvement": None, "max_iter": 10**6},
    {"n_clusters": 20_000, "n_init": 10},
    {"n_components": 10, "tol": 0.0, "max_iter": 10**6},
    {"n_components": 10, "tol": 0.0, "max_iter": 10**6},
]


def interrupt_all():
    """Fit every model to a large table, and be interrupted; said on stdout, for a process that listens."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    large = np.random.RandomState(0).randn(60_000, 20)
    for model, long in zip(MODELS, LONG):
        model.fit(SMALL)
        before, names, usual = model.fingerprint_, set(vars(model)), model.get_params()
        try:
            print("started", flush=True)
            model.set_params(**long).fit(large)
            print("not interrupted", flush=True)
        except KeyboardInterrupt:
            pass
        assert model.fingerprint_ == before
        assert set(vars(model)) == names
        assert threading.active_count() == 1
        assert model.set_params(**usual).fit(SMALL).fingerprint_ == before
        print("whole", flush=True)


@pytest.mark.slow
@posix
def test_ctrl_c_ends_a_long_fit_and_leaves_the_old_model_whole():
    code = "from tests.estimators.clusters.test_clustering import interrupt_all; interrupt_all()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(600, process.kill)
    watchdog.start()
    for _ in MODELS:
        assert process.stdout.readline() == "started\n"
        threading.Event().wait(0.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "whole\n"
    watchdog.cancel()
    assert process.wait(timeout=300) == 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_fits_in_several_python_threads_at_once(model):
    wanted = clone(model).fit(SMALL).fingerprint_
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda _: clone(model).fit(SMALL).fingerprint_, range(3))
    assert set(found) == {wanted}


@pytest.mark.parametrize(
    "model, table, message",
    [
        (spinney.KMeans(3, random_state=0), np.ones((9, 2)), "Number of distinct clusters"),
        (spinney.BisectingKMeans(3, random_state=0), np.ones((9, 2)), "Number of distinct clusters"),
        (spinney.GaussianMixture(3, random_state=0, max_iter=1), SMALL, "did not converge"),
        (spinney.BayesianGaussianMixture(n_components=3, random_state=0, max_iter=1), SMALL, "did not converge"),
    ],
)
def test_warnings_point_to_the_caller(model, table, message):
    with pytest.warns(ConvergenceWarning, match=message) as seen:
        model.fit(table)
    assert [one.filename for one in seen] == [__file__]
