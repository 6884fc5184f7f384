"""The libraries that are compared (peers), with the same few methods.

A peer can `fit` a table at given settings, `score` rows with the model, `score_row` for a single row in the way that is
fastest with that library and, if the library has that step, `encode` a table into bins. `fit` covers everything that a
user waits for, from the table in memory to the fitted model. The peers themselves are in
`boosting_peers`, `tree_peers`, `forest_peers`, `adaboost_peers` and `clustering_peers`.
"""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Features, Task

Scores = NDArray[Any]


class Settings(Protocol):
    """What every peer of a contest is asked to train."""

    task: Task
    threads: int

    def short(self) -> Any:
        """The same with less to do, to warm up."""


@dataclass(frozen=True)
class Model:
    """What the library returned, and the settings it was trained with."""

    fitted: Any
    settings: Any


class Peer:
    """One way of using one library."""

    name: str
    module: str
    needs: ClassVar[tuple[str, ...]] = ()  # names that the module must have
    symmetric = False  # trees that ask one question per level: another kind of model, quick to predict with
    rival = True  # whether Spinney's figure is held against it; if not, it is there as information
    can_encode = False

    def fit(self, X: Features, y: NDArray[Any], settings: Any) -> Model:
        """Train on a table."""
        raise NotImplementedError

    def score(self, model: Model, X: Features) -> Scores:
        """Predict every row; what comes out is for the contest's judge to read."""
        raise NotImplementedError

    def score_row(self, model: Model, row: NDArray[np.float32]) -> Scores:
        """Predict a table of one row."""
        return self.score(model, row)

    def encode(self, X: Features, y: NDArray[Any], settings: Any) -> Any:
        """Turn a table into bins, without training."""
        raise NotImplementedError

    def describe(self, model: Model) -> dict[str, float]:
        """What else there is to say of the model."""
        return {}


Registry = Mapping[str, Peer]


def by_name(*peers: Peer) -> dict[str, Peer]:
    """A registry of these."""
    return {peer.name: peer for peer in peers}


def installed(names: Iterable[str], registry: Registry) -> list[Peer]:
    """The named peers that can be imported here; says which cannot."""
    return [registry[name] for name in names if _importable(registry[name])]


@cache
def _importable(peer: Peer) -> bool:
    try:
        module = importlib.import_module(peer.module)
        for name in peer.needs:
            getattr(module, name)
    except (ImportError, AttributeError) as error:
        print(f"note: {peer.name} is left out: {error}")
        return False
    return True
