"""Bins in few bytes, for pickles and model files.

In: `Bins`. Out: some flat arrays, and the other way round. Edges are written as steps from one to the next, counted in
float64 numbers that lie between: exact, and mostly small.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from spinney._packed_arrays import Packed, unpack
from spinney.data.binning import Bins

_SIGN, _ONES = np.uint64(1 << 63), np.uint64((1 << 64) - 1)


def split_bins(bins: Bins) -> dict[str, np.ndarray]:
    """Flat arrays: all columns' edges end to end, all columns' codes end to end."""
    return {
        "n_edges": np.array([len(one) for one in bins.edges], np.uint8),
        "edges": np.concatenate([_steps(one) for one in bins.edges]),
        "n_codes": np.array([len(one) for one in bins.category_codes], np.int32),
        "codes": np.concatenate(bins.category_codes),
        "n_bins": bins.n_bins,
        "is_categorical": bins.is_categorical,
    }


def make_bins(n_edges: Any, edges: Any, n_codes: Any, codes: Any, n_bins: Any, is_categorical: Any) -> Bins:
    """Bins from flat arrays; lengths that do not add up are a ValueError."""
    same = len(n_edges) == len(n_codes) == len(is_categorical) == len(n_bins) and (n_codes >= 0).all()
    first, first_code = _ends(n_edges), _ends(n_codes)
    if not same or first[-1] != len(edges) or first_code[-1] != len(codes):
        raise ValueError("Every column needs its edges and codes")
    own = tuple(_from_ordered(np.cumsum(edges[a:b], dtype=np.uint64)) for a, b in pairwise(first))
    return Bins(own, tuple(codes[a:b] for a, b in pairwise(first_code)), n_bins, is_categorical)


def unpack_bins(packed: Packed) -> Bins:
    """From a pickle."""
    return make_bins(**unpack(packed))


def _ends(lengths: np.ndarray) -> list[int]:
    ends: list[int] = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
    return ends


def _steps(edges: np.ndarray) -> np.ndarray:
    return np.diff(_ordered(edges), prepend=np.uint64(0))


def _ordered(numbers: np.ndarray) -> np.ndarray:
    """uint64 in the order of the float64: their bits, all turned for negative numbers, else the sign's."""
    bits = np.ascontiguousarray(numbers).view(np.uint64)
    return bits ^ np.where(bits & _SIGN, _ONES, _SIGN)


def _from_ordered(order: np.ndarray) -> np.ndarray:
    return (order ^ np.where(order & _SIGN, _SIGN, _ONES)).view(np.float64)
