"""A frozen tree: flat arrays, one entry a node, children side by side (right = left + 1), the root first.

| field        | dtype   | what                                                             |
|--------------|---------|------------------------------------------------------------------|
| left         | int32   | left child; -1 for a leaf                                        |
| feature      | int32   | column tested; -1 for a leaf                                     |
| code         | int32   | numbers: codes up to it go left                                  |
| threshold    | float64 | the same as a value: x <= threshold goes left; NaN for categories|
| missing_left | uint8   | where a missing or unknown value goes                            |
| bits         | uint64  | categories: (node, 4), the set of codes that go left             |
| is_category  | uint8   | whether the test is a set of categories                          |
| value        | float64 | what a row that ends here adds to the raw score                  |
| gain         | float64 | what the split gained                                            |
| count        | int64   | samples in training                                              |
| cover        | float64 | hessian sum in training                                          |

The tree knows nothing of how it was grown.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from spinney.tree.collapse import drop_below


@dataclass(frozen=True)
class Tree:
    """See the table above."""

    left: np.ndarray
    feature: np.ndarray
    code: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    bits: np.ndarray
    is_category: np.ndarray
    value: np.ndarray
    gain: np.ndarray
    count: np.ndarray
    cover: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.left)

    @property
    def is_leaf(self) -> np.ndarray:
        return self.left < 0

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @property
    def depth(self) -> np.ndarray:
        """Distance of every node from the root."""
        depth = np.zeros(self.n_nodes, np.int32)
        for node in np.flatnonzero(~self.is_leaf):  # parents come before their children
            depth[self.left[node]] = depth[self.left[node] + 1] = depth[node] + 1
        return depth

    @property
    def parent(self) -> np.ndarray:
        """The parent of every node; -1 for the root."""
        parent, inner = np.full(self.n_nodes, -1, np.int32), np.flatnonzero(~self.is_leaf)
        parent[self.left[inner]] = parent[self.left[inner] + 1] = inner
        return parent

    def collapse(self, at: np.ndarray) -> Tree:
        """The tree with the nodes marked in `at` (Booleans) turned into leaves and all below them gone."""
        kept, number = drop_below(self.parent, at)
        leaf = (at | self.is_leaf)[kept]
        return Tree(
            left=np.where(leaf, -1, number[self.left[kept]]).astype(np.int32),
            feature=np.where(leaf, np.int32(-1), self.feature[kept]),
            code=np.where(leaf, np.int32(0), self.code[kept]),
            threshold=np.where(leaf, np.nan, self.threshold[kept]),
            missing_left=np.where(leaf, np.uint8(0), self.missing_left[kept]),
            bits=np.where(leaf[:, None], np.uint64(0), self.bits[kept]),
            is_category=np.where(leaf, np.uint8(0), self.is_category[kept]),
            value=self.value[kept],
            gain=np.where(leaf, 0.0, self.gain[kept]),
            count=self.count[kept],
            cover=self.cover[kept],
        )

    def with_values(self, value: np.ndarray) -> Tree:
        """The same tree with other node values."""
        return replace(self, value=value)

    def update_hash(self, digest: Any) -> None:
        """Feed every bit that matters for prediction or reading into a hash."""
        for field in fields(self):
            digest.update(field.name.encode())
            digest.update(np.ascontiguousarray(getattr(self, field.name)).tobytes())
