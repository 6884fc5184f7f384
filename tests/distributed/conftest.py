"""One cluster of processes for all tests here. What loads many kernels or kills workers is marked slow."""

import logging

import pytest

pytest.importorskip("distributed")

import dask

from tests.distributed.remains import complete

for name in ("distributed", "distributed.client"):  # or hundreds of lines about keys and workers hide a failure
    logging.getLogger(name).setLevel(logging.ERROR)


@pytest.fixture(autouse=True)
def several_members(monkeypatch):
    """Tables of tests are small, and would be boosted by one worker alone."""
    monkeypatch.setattr("spinney.distributed.driver._FEW_ROWS", 0)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A worker takes its time to start on a machine with other things to do."""
    monkeypatch.setattr("spinney.distributed.tasks._REPLACEMENT", 300.0)


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """Three workers of one thread each; they find the kernels that this process has compiled in the cache.

    A worker that was killed starts again. Dask would give it up if it was not there 15 seconds after it was lost: as
    a busy machine has it, or a second loss just then.
    """
    from distributed import Client, LocalCluster

    settings = {
        "dashboard_address": ":0",
        "memory_limit": None,
        "local_directory": str(tmp_path_factory.mktemp("dask")),
        "silence_logs": logging.ERROR,
    }
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    with patient, LocalCluster(n_workers=3, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def settled(request):
    """The test before may have lost a worker at its very end."""
    if "client" in request.fixturenames:
        complete(request.getfixturevalue("client"))
