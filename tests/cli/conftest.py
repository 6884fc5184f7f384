"""A table and models that several tests use."""

import polars
import pytest

if tuple(map(int, polars.__version__.split(".")[:2])) < (2, 1):
    collect_ignore_glob = ["test_*.py"]  # .ci/versions has older ones, for the tables of the library

from spinney.cli.datasets import load
from tests.cli.run import run


@pytest.fixture(scope="session")
def penguins(tmp_path_factory):
    """penguins.csv, as the command line writes it."""
    path = tmp_path_factory.mktemp("tables") / "penguins.csv"
    run("datasets", "penguins", "--out", path)
    return path


@pytest.fixture(scope="session")
def model(penguins, tmp_path_factory):
    """A tree fitted to it."""
    path = tmp_path_factory.mktemp("models") / "penguins.spinney"
    run("fit", penguins, "--target", "species", "--model", "tree", "--cv", "2", "--out", path)
    return path


@pytest.fixture(scope="session")
def forest(penguins, tmp_path_factory):
    """A small forest of regression trees."""
    path = tmp_path_factory.mktemp("models") / "forest.spinney"
    run("fit", penguins, "-t", "body_mass_g", "-m", "forest", "-p", "n_estimators=5", "--cv", "2", "--out", path)
    return path


@pytest.fixture(scope="session")
def frame():
    return load("penguins")
