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

from typing import TYPE_CHECKING

from spinney._lazy_names import lazy_names

if TYPE_CHECKING:
    from spinney.criteria.adaboost_weights import Reweighting as Reweighting
    from spinney.criteria.adaboost_weights import amount_of_say as amount_of_say
    from spinney.criteria.adaboost_weights import reweight as reweight
    from spinney.criteria.candidates import candidate_splits as candidate_splits
    from spinney.criteria.huffman import HuffmanCode as HuffmanCode
    from spinney.criteria.huffman import huffman_code as huffman_code
    from spinney.criteria.measures import count_trees as count_trees
    from spinney.criteria.measures import entropy as entropy
    from spinney.criteria.measures import error_rate as error_rate
    from spinney.criteria.measures import gain_ratio as gain_ratio
    from spinney.criteria.measures import gini as gini
    from spinney.criteria.measures import impurity_decrease as impurity_decrease
    from spinney.criteria.measures import information_gain as information_gain
    from spinney.criteria.measures import tsallis as tsallis
    from spinney.criteria.measures import tsallis_criterion as tsallis_criterion

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
