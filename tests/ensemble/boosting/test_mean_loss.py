"""The sum of losses is NumPy's, bit for bit."""

import numpy as np
import pytest

from spinney._team import Team
from spinney.criteria.losses import LogLoss, SquaredError
from spinney.ensemble.boosting.gradients import loss_values
from spinney.ensemble.boosting.mean_loss import sum_of_losses
from tests.compiled import PLAIN_PYTHON, THREADS

pytestmark = pytest.mark.kernels
SIZES = [1, 7, 8, 129, 1000, 16_385] + ([] if PLAIN_PYTHON else [16_384, 32_790, 70_003, 300_001])


@pytest.mark.parametrize("n", SIZES)
def test_sums(n):
    random = np.random.RandomState(n)
    raw, y = 3.0 * random.randn(n), (random.rand(n) < 0.4).astype(np.float64)
    for loss in (LogLoss(), SquaredError()):
        for scale in (1.0, 4.0):
            with Team(THREADS[-1]) as team:
                expected = float(np.add.reduce(loss_values(team, loss, scale * raw, y)))
                assert sum_of_losses(team, loss, raw, y, scale) == expected
