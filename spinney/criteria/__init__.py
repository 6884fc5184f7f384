"""Room 2: what a good split and a good leaf are. Scalars in, scalars out, one home per formula.

For sums by hand there are functions of counts or labels; they are loaded at first use:

    entropy, tsallis, gini, error_rate            how mixed a node is
    impurity_decrease                             what a split takes off any of these
    information_gain, gain_ratio                  the same for entropy, and as a share of the split's own bits
    candidate_splits                              every threshold and grouping of a table's columns with its gain
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from spinney._interrupts import import_whole

if TYPE_CHECKING:
    from spinney.criteria.candidates import candidate_splits
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
    "entropy",
    "error_rate",
    "gain_ratio",
    "gini",
    "impurity_decrease",
    "information_gain",
    "tsallis",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.criteria' has no attribute {name!r}")
    home = f"spinney.criteria.{'candidates' if name == 'candidate_splits' else 'measures'}"
    import_whole(home)
    globals()[name] = value = getattr(sys.modules[home], name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
