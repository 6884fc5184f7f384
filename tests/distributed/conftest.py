"""One cluster of processes for all tests here. What loads many kernels or kills workers is marked slow."""

import pytest

pytest.importorskip("distributed")


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
    """Three workers of one thread each; they find the kernels that this process has compiled in the cache."""
    from distributed import Client, LocalCluster

    folder = str(tmp_path_factory.mktemp("dask"))
    settings = {"dashboard_address": ":0", "memory_limit": None, "local_directory": folder}
    with LocalCluster(n_workers=3, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client
