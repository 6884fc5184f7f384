"""Impurity measures and the gain of splits, computed from counts or labels.

    entropy, tsallis, gini, error_rate            impurity of a node
    tsallis_criterion                             a split criterion for trees
    impurity_decrease                             by how much a split reduces any of these
    information_gain, gain_ratio                  the same for entropy, in bits and divided by the split's own entropy
    count_trees                                   the number of different trees of Boolean columns
    candidate_splits                              all candidate splits of the columns of X, with their gains
    amount_of_say, reweight                       AdaBoost: the weight of a member, and new weights of the rows
    huffman_code                                  the shortest code of a random value, compared with its entropy

They are loaded at first use. The other modules are internal (room 2: splits and leaf values, one home per formula).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from spinney._interrupts import import_whole

if TYPE_CHECKING:
    from spinney.criteria.adaboost_weights import Reweighting, amount_of_say, reweight
    from spinney.criteria.candidates import candidate_splits
    from spinney.criteria.huffman import HuffmanCode, huffman_code
    from spinney.criteria.measures import (
        count_trees,
        entropy,
        error_rate,
        gain_ratio,
        gini,
        impurity_decrease,
        information_gain,
        tsallis,
        tsallis_criterion,
    )

# public name -> where it lives
_HOMES = {
    "HuffmanCode": "huffman",
    "Reweighting": "adaboost_weights",
    "amount_of_say": "adaboost_weights",
    "candidate_splits": "candidates",
    "count_trees": "measures",
    "entropy": "measures",
    "error_rate": "measures",
    "gain_ratio": "measures",
    "gini": "measures",
    "huffman_code": "huffman",
    "impurity_decrease": "measures",
    "information_gain": "measures",
    "reweight": "adaboost_weights",
    "tsallis": "measures",
    "tsallis_criterion": "measures",
}

__all__ = [
    "HuffmanCode",
    "Reweighting",
    "amount_of_say",
    "candidate_splits",
    "count_trees",
    "entropy",
    "error_rate",
    "gain_ratio",
    "gini",
    "huffman_code",
    "impurity_decrease",
    "information_gain",
    "reweight",
    "tsallis",
    "tsallis_criterion",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.criteria' has no attribute {name!r}")
    home = f"spinney.criteria.{_HOMES[name]}"
    import_whole(home)
    globals()[name] = value = getattr(sys.modules[home], name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
