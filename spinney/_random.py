"""Counter-based random numbers: a hash of (seed, what it is for, which one), never a stream.

The same row, node or tree gets the same number whatever the order of work, the number of threads or the machine.

SplitMix64 is a counter, key + (index + 1) * golden, put through a mixing function, so its index-th number needs none of
those before it. The multiplier is odd and the mixing function a bijection of 64 bits: with one key, different indexes
have different numbers. Keys are themselves such numbers: of seed, then purpose, then tree, then node.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel

# What a number is for: keeps the draws of one purpose apart from those of another.
ROUNDING, ROWS, NODE_FEATURES, TREE_FEATURES, SHUFFLES, STRUCTURE, HELD_OUT = (np.uint64(k) for k in range(1, 8))

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53


@inner_kernel
def mix(key, index):
    """64 well-mixed bits from a key and a counter."""
    z = key + (np.uint64(index) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inner_kernel
def uniform(key, index):
    """A float64 in [0, 1): the leading 53 bits, as many as a float64 holds, so that 1 is never reached by rounding."""
    return float(mix(key, index) >> _S11) * _UNIT


@kernel
def draw_uniforms(key, out):
    """Fill an array with numbers in [0, 1)."""
    for i in range(out.size):
        out[i] = uniform(key, i)


@kernel
def stream_key(seed, purpose, tree):
    """The key of one purpose in one tree."""
    return mix(mix(np.uint64(seed), purpose), tree)


@kernel
def choose(key, k, order):
    """Draw k of `order.size` numbers without replacement into order[:k] (Fisher-Yates from the front)."""
    # the remainder of 64 bits by n favours small numbers by less than n / 2**64
    for i in range(order.size):
        order[i] = i
    for i in range(k):
        j = i + np.int64(mix(key, i) % np.uint64(order.size - i))
        order[i], order[j] = order[j], order[i]
