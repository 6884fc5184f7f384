"""A boosted model: what boosting leaves behind, and what predicts. It knows nothing of how it was fitted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from spinney.data.binning import Bins
from spinney.tree.forest import Forest


@dataclass
class Booster:
    """A boosted model: raw score = start + sum of its trees' values, tree t adding to output t % n_outputs."""

    start: np.ndarray
    forest: Forest

    @property
    def bins(self) -> Bins | None:
        """The bins that trees ask about; None: they ask about values."""
        return self.forest.bins

    @property
    def n_outputs(self) -> int:
        return len(self.start)

    @property
    def n_rounds(self) -> int:
        return self.forest.n_trees // self.n_outputs

    def cut(self, n_rounds: int) -> Booster:
        """The model after its first rounds."""
        if n_rounds == self.n_rounds:
            return self
        return Booster(self.start, self.forest.part(range(n_rounds * self.n_outputs)))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that predicts."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self.start.tobytes())
        self.forest.update_hash(digest)
        return digest.hexdigest()
