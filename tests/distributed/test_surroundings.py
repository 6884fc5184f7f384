"""Clusters of other kinds, and clusters that go away during a fit. Each starts processes of its own."""

import logging
import os
import signal
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from distributed import Client, LocalCluster, SpecCluster
from distributed.deploy.subprocess import SubprocessScheduler, SubprocessWorker
from distributed.security import Security
from sklearn.base import clone

from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.cluster.points import FEW_ROWS
from tests.distributed.remains import assert_nothing_left

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
RNG = np.random.RandomState(0)
X = RNG.normal(size=(FEW_ROWS + 500, 3))
Y = X[:, 0] + (X[:, 1] > 0.5) + 0.2 * RNG.normal(size=len(X))
ROUNDS = {"n_estimators": 3, "max_leaf_nodes": 6, "random_state": 0}
DASKS = 300  # seconds in which Dask itself would try to reach a scheduler that is gone


@contextmanager
def cluster_of(n_workers, folder, **more):
    settings = {"dashboard_address": ":0", "memory_limit": None, "local_directory": str(folder), **more}
    settings["silence_logs"] = logging.ERROR
    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, **settings)
    with cluster, Client(cluster, set_as_default=False) as client, client.as_current():
        yield client


@contextmanager
def subprocesses(folder):
    """Two workers and a scheduler that is a process of its own; it may be gone at the end.

    As Dask's `SubprocessCluster`, which gives the scheduler only half a minute to start.
    """
    of_scheduler = {"host": "127.0.0.1", "port": 0, "dashboard": False}
    of_worker = {"nthreads": 1, "memory_limit": None, "local_directory": str(folder)}
    cluster = SpecCluster(
        scheduler={"cls": SubprocessScheduler, "options": {"scheduler_kwargs": of_scheduler, "timeout": DASKS}},
        workers={k: {"cls": SubprocessWorker, "options": {"worker_kwargs": of_worker}} for k in range(2)},
        silence_logs=logging.ERROR,
    )
    with dask.config.set({"distributed.comm.timeouts.connect": f"{DASKS}s"}):
        client = Client(cluster, set_as_default=False)
    try:
        with dask.config.set({"distributed.comm.timeouts.connect": f"{DASKS}s"}):
            yield client
    finally:
        with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
            for one in (client, cluster):
                with suppress(Exception):
                    one.close(timeout=2)


@pytest.mark.slow
def test_four_workers(tmp_path):
    models = (
        (GradientBoostingRegressor(**ROUNDS, subsample=0.5), Y),
        (GradientBoostingClassifier(**ROUNDS, growth="level_wise"), (Y > 0).astype(int)),
    )
    with cluster_of(4, tmp_path) as client:
        for model, y in models:
            remote = clone(model).fit(da.from_array(X, chunks=(9000, 3)), y)
            assert remote.fingerprint_ == clone(model).fit(X, y).fingerprint_
        assert_nothing_left(client)


@pytest.mark.slow
def test_encrypted_connections(tmp_path):
    """Members talk through the connections of the cluster, whatever these are."""
    pytest.importorskip("cryptography")
    security = Security.temporary()
    with cluster_of(2, tmp_path, security=security, protocol="tls://") as client:
        assert client.scheduler.address.startswith("tls://")
        model = GradientBoostingRegressor(**ROUNDS)
        remote = clone(model).fit(da.from_array(X, chunks=(20_000, 3)), Y)
        assert remote.fingerprint_ == model.fit(X, Y).fingerprint_
        assert_nothing_left(client)


def fit_until(happened, model, rows, y=None):
    """The error that a fit ends with, soon after something happened."""
    with pytest.raises(RuntimeError, match="so the fit has ended") as caught:
        model.fit(rows, y)
    assert time.monotonic() - happened[0] < DASKS / 2
    return str(caught.value)


@pytest.mark.slow
def test_a_scheduler_that_goes_away(tmp_path):
    """Killed in the middle: an error in words, and soon; the model is as it was."""
    with subprocesses(tmp_path) as client:
        pid, done = client.run_on_scheduler(os.getpid), []

        def kill(*about):
            if not done:
                done.append(time.monotonic())
                os.kill(pid, signal.SIGKILL)

        with client.as_current():
            model = GradientBoostingRegressor(**{**ROUNDS, "n_estimators": 500}, callbacks=[kill])
            before = dict(vars(model))
            told = fit_until(done, model, da.from_array(X, chunks=(20_000, 3)), Y)
        assert "The Dask scheduler cannot be reached" in told or "The Dask client is" in told
        assert vars(model) == before


def test_a_client_that_is_closed_during_rounds(client):
    """The fit ends in words, and the workers clear up by themselves."""
    other = Client(client.scheduler.address, set_as_default=False)
    done = []

    def close(*about):
        done.append(time.monotonic())
        other.close()

    model = GradientBoostingRegressor(**{**ROUNDS, "n_estimators": 500}, callbacks=[close])
    with other.as_current():
        told = fit_until(done, model, da.from_array(X, chunks=(20_000, 3)), Y)
    assert "The Dask client is closed" in told
    assert not hasattr(model, "n_iter_")
    assert_nothing_left(client)
