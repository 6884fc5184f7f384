"""The loss of most rows, where a few would drown the others."""

import numpy as np
import pytest

from spinney.data.weights import Weights
from spinney.ensemble.metrics import Metric
from spinney.ensemble.typical import Typical, _high


@pytest.mark.parametrize("share", [0.5, 0.99])
@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_repetitions_are_weights(share, n):
    random = np.random.default_rng(n)
    losses, counts = random.normal(size=n) ** 2, random.integers(0, 4, n)
    counts[0] += 1
    repeated = np.repeat(losses, counts)
    high = _high(repeated, Weights(None, None), share)
    assert high == _high(losses, Weights(counts, None), share)
    assert (repeated <= high).mean() >= share > (repeated < high).mean()


def test_a_few_rows_drown_the_others():
    whole, most, half = (Metric(name, None, False) for name in ("whole", "most", "half"))
    typical = Typical(most, half)
    assert typical.is_needed({"whole": [1.0, 11.0], "most": [1.0, 1.0]}, whole)
    assert not typical.is_needed({"whole": [11.0, 9.0], "most": [1.0, 1.0]}, whole)
