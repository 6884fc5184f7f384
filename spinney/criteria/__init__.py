"""Impurity measures and the gain of splits, computed from counts or labels.

    entropy, tsallis, gini, error_rate            impurity of a node
    impurity_decrease                             by how much a split reduces any of these
    information_gain, gain_ratio                  the same for entropy, in bits and divided by the split's own entropy
    count_trees                                   the number of different trees of Boolean columns
    candidate_splits                              all candidate splits of the columns of X, with their gains

They are loaded at first use. The other modules are internal (room 2: splits and leaf values, one home per formula).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from spinney._interrupts import import_whole

if TYPE_CHECKING:
    from spinney.criteria.candidates import candidate_splits
    from spinney.criteria.counting import count_trees
    from spinney.criteria.measures import (
        entropy,
        error_rate,
        gain_ratio,
        gini,
        impurity_decrease,
        information_gain,
        tsallis,
    )

__all__ = [
    "candidate_splits",
    "count_trees",
    "entropy",
    "error_rate",
    "gain_ratio",
    "gini",
    "impurity_decrease",
    "information_gain",
    "tsallis",
]

_HOMES = {"candidate_splits": "candidates", "count_trees": "counting"}  # the others are measures


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.criteria' has no attribute {name!r}")
    home = f"spinney.criteria.{_HOMES.get(name, 'measures')}"
    import_whole(home)
    globals()[name] = value = getattr(sys.modules[home], name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
