"""What tests of the cache share."""

import importlib

import pytest

from spinney._compile import folder as folders
from tests._compile import kernels as module


@pytest.fixture(autouse=True)
def _spoken_to(monkeypatch):
    """What the user is told can be heard, and nobody helps unless a test wants it."""
    monkeypatch.delenv("SPINNEY_QUIET", raising=False)
    monkeypatch.setenv("SPINNEY_ASSISTANT", "0")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    monkeypatch.setattr(folders, "cache_folder", lambda: place)
    return place


@pytest.fixture
def kernels(folder):
    """The small kernels, nothing of them compiled yet."""
    return importlib.reload(module)


@pytest.fixture
def names(folder):
    """A function: the kernels in the cache, without modules and keys; locks and temporary files by their endings."""

    def list_names():
        return sorted(path.name.split("-")[0].rsplit(".", 1)[-1] + path.suffix for path in folder.iterdir())

    return list_names
