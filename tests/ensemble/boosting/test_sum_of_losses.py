"""The sum of losses is that of the losses but for rounding, and the same on any number of threads."""

import math

import numpy as np
import pytest

from spinney._team import Team
from spinney.criteria.losses import LogLoss, SquaredError
from spinney.ensemble.boosting.gradients import loss_values, sum_of_losses
from tests.compiled import PLAIN_PYTHON, THREADS

pytestmark = pytest.mark.kernels
SIZES = [1, 7, 8, 129, 1000] + ([] if PLAIN_PYTHON else [4096, 4097, 70_003, 300_001])


@pytest.mark.parametrize("n", SIZES)
def test_sums(n):
    random = np.random.RandomState(n)
    raw, y = 3.0 * random.randn(n), (random.rand(n) < 0.4).astype(np.float64)
    for loss in (LogLoss(), SquaredError()):
        for scale in (1.0, 4.0):
            found = set()
            for threads in {1, THREADS[-1]}:
                with Team(threads) as team:
                    expected = math.fsum(loss_values(team, loss, scale * raw, y))
                    found.add(sum_of_losses(team, loss, raw, y, scale))
            assert len(found) == 1
            assert found.pop() == pytest.approx(expected, rel=1e-13)
