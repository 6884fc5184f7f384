"""One cluster of processes for all tests here. Each starts processes that compile or load kernels: by default some of
these tests are run, all of them with SPINNEY_THOROUGH=1."""

from collections import Counter
from pathlib import Path

import pytest

from tests.compiled import THOROUGH

pytest.importorskip("distributed")
HERE = Path(__file__).parent
# test -> how many of its cases are always run; of the others, all messages and refusals are
SHORT = {
    "test_losses_and_settings": 5,
    "test_collections_everywhere": 1,
    "test_lost_workers_lose_nothing": 1,
    "test_frames": 3,
    "test_the_model_travels_once": 1,
    "test_cross_validation": 1,
    "test_forests_and_bags": 2,
    "test_clusters_and_mixtures": 1,
    "test_the_model_of_one_machine": 1,
    "test_drawn_partitions": 1,
    "test_the_mixture_of_one_machine": 2,
    "test_every_way_adds_up": 12,
    "test_errors_of_a_member_are_the_users": 1,
    "test_unknown_sizes": 1,
    "test_room_on_workers": 1,
    "test_out_of_bag_scores": 1,
    "test_another_client_than_the_current_one": 2,
    "test_small_tables_are_boosted_by_one_worker": 1,
}
ALWAYS = (
    "test_what_is_refused",
    "test_errors",
    "test_without_a_client",
    "test_what_goes_wrong",
    "test_tables_that_are",
    "test_a_file_of_a_session",
)


def pytest_collection_modifyitems(config, items):
    if THOROUGH:
        return
    seen, kept, left = Counter(), [], []
    for item in items:
        name = getattr(item, "originalname", item.name)
        key = item.path.name, name
        seen[key] += 1
        is_kept = item.path.parent != HERE or name.startswith(ALWAYS) or seen[key] <= SHORT.get(name, 0)
        (kept if is_kept else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


@pytest.fixture(autouse=True)
def several_members(monkeypatch):
    """Tables of tests are small, and would be boosted by one worker alone."""
    monkeypatch.setattr("spinney.distributed.driver._FEW_ROWS", 0)


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """Three workers of one thread each; they find the kernels that this process has compiled in the cache."""
    from distributed import Client, LocalCluster

    folder = str(tmp_path_factory.mktemp("dask"))
    settings = {"dashboard_address": ":0", "memory_limit": None, "local_directory": folder}
    with LocalCluster(n_workers=3, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client
