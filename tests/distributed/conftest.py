"""One cluster of processes for all tests here."""

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """Three workers of one thread each; they find the kernels that this process has compiled in the cache."""
    from distributed import Client, LocalCluster

    folder = str(tmp_path_factory.mktemp("dask"))
    settings = {"dashboard_address": ":0", "memory_limit": None, "local_directory": folder}
    with LocalCluster(n_workers=3, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client
