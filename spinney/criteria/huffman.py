"""Huffman's code: the shortest code of a random value in whole bits, of which entropy is the bound.

In: probabilities. Out: a code word for each value, and how many bits a value takes on average.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from math import fsum
from typing import Any, NamedTuple

import numpy as np


class HuffmanCode(NamedTuple):
    """Code words and their mean length, as returned by `huffman_code`.

    Attributes
    ----------
    codes : list of str, or dict
        Code word of each value; a dict if the probabilities were one.
    mean_length : float
        Mean number of bits per value.
    entropy : float
        Entropy in bits, which no code can beat on average.

    Examples
    --------
    >>> from spinney.criteria import huffman_code
    >>> huffman_code({"rain": 1, "sun": 2, "clouds": 1}).codes
    {'rain': '11', 'sun': '0', 'clouds': '10'}
    """

    codes: Any
    mean_length: float
    entropy: float


def huffman_code(p: Any) -> HuffmanCode:
    """Compute a Huffman code: the prefix code with the smallest mean length.

    The two smallest probabilities are merged until one is left. The smaller part of each pair gets the bit 1, the
    larger the bit 0; with equal parts, the later one gets 0.

    Parameters
    ----------
    p : array-like of shape (n_values,), or dict of value: probability
        Probabilities, or any weights of at least 0. They are divided by their sum.

    Returns
    -------
    HuffmanCode
        `codes`, `mean_length` and `entropy`.

    Examples
    --------
    Four messages, of which the last is sent most often:

    >>> from spinney.criteria import huffman_code
    >>> code = huffman_code([0.01, 0.02, 0.30, 0.67])
    >>> code.codes, code.mean_length, round(code.entropy, 4)
    (['111', '110', '10', '0'], 1.36, 1.0875)
    """
    names = list(p) if isinstance(p, Mapping) else None
    weights = np.asarray(list(p.values()) if isinstance(p, Mapping) else p, np.float64)
    if weights.ndim != 1 or not len(weights) or not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError(f"p must hold one probability per value, finite and at least 0, got {p!r:.80}.")
    total = fsum(weights)
    if not total > 0.0:
        raise ValueError("p must not be 0 for all values.")
    codes = _merge(weights.tolist())
    from spinney.criteria.measures import entropy

    mean = fsum(float(one) * len(word) for one, word in zip(weights, codes)) / total
    return HuffmanCode(codes if names is None else dict(zip(names, codes)), mean, entropy(weights))


def _merge(weights: list[float]) -> list[str]:
    """The code word of each weight."""
    if len(weights) == 1:
        return ["0"]
    codes = [""] * len(weights)
    waiting = [(weight, place, [place]) for place, weight in enumerate(weights)]
    heapq.heapify(waiting)
    while len(waiting) > 1:
        smaller, larger = heapq.heappop(waiting), heapq.heappop(waiting)
        for bit, (_, _, places) in (("1", smaller), ("0", larger)):
            for place in places:
                codes[place] = bit + codes[place]
        both = [*smaller[2], *larger[2]]
        heapq.heappush(waiting, (smaller[0] + larger[0], min(both), both))
    return codes
