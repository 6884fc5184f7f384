"""Weighted sampling without replacement, by exponential times.

In: a random key and the weights. Out: a time for each; the first k to arrive are a weighted sample of k.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel
from spinney._random import uniform
from spinney.criteria.exp_log import log


@kernel
def draw_times(key, rates, times):
    """When each arrives. The first to arrive is each with a chance proportional to its rate; a rate of 0: never."""
    for i in range(times.size):
        times[i] = -log(1.0 - uniform(key, i)) / rates[i] if rates[i] > 0.0 else np.inf
