"""From a grown boosted tree with exact thresholds to a `Forest` of one tree; see grow/histogram/freeze.py."""

from __future__ import annotations

import numpy as np

from spinney.data.exact import ExactDataset
from spinney.grow.boosted_memory import Work
from spinney.grow.histogram.freeze import lay_out
from spinney.grow.histogram.statistics import Fields
from spinney.grow.lists.freeze import Cuts, midway
from spinney.tree.arrays import ends_of, small
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest

_WORD = 64


def freeze(work: Work, n_nodes: int, dataset: ExactDataset, fields: Fields) -> Forest:
    """The finished tree: thresholds midway between the values on both sides, sets of categories."""
    order, size = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    grown = work.nodes
    n = lay_out(grown[:n_nodes], np.empty(n_nodes + 1, np.int64), order, size)
    order, size = order[:n], size[:n]
    is_leaf = size == 1
    leaves, asks = order[is_leaf], order[~is_leaf]
    feature = grown["feature"][asks]
    is_set = dataset.is_categorical[feature]
    cuts = Cuts(feature, np.empty(0), work.below[asks], work.above[asks])
    threshold = np.where(is_set, np.nan, midway(cuts, dataset.values, None))
    sets = [_set_of(bits, dataset.category_codes[j]) for bits, j in zip(grown["bits"][asks[is_set]], feature[is_set])]
    return Forest(
        n_columns=dataset.n_columns,
        n_classes=None,
        criterion=None,
        bins=None,
        first=np.array([0, n]),
        size=small(size),
        feature=small(feature),
        turn=grown["missing_left"][asks] * np.uint8(MISSING_LEFT) | is_set * np.uint8(ASKS_SET),
        answers=grown["value"][order].reshape(n, 1, 1),
        n_samples=small(grown["count"][leaves], np.uint32),
        threshold=threshold,
        set_start=ends_of(np.array([len(one) for one in sets], np.int64)),
        sets=np.concatenate([np.empty(0, np.uint64), *sets]),
        weight=grown["fine_hessian"][leaves],
        weight_unit=np.array([fields.fine_hessian_unit]),
        gain=grown["gain"][asks],
    )


def _set_of(bits: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """A set of codes, four words, as a set of the categories that have them."""
    at = codes.astype(np.int64)
    is_in = np.zeros(-(-len(codes) // _WORD) * _WORD, np.uint8)
    is_in[: len(codes)] = (bits[at // _WORD] >> (at % _WORD).astype(np.uint64)) & np.uint64(1)
    return np.packbits(is_in, bitorder="little").view("<u8").astype(np.uint64)
