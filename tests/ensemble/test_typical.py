"""The loss of most rows, where a few would drown the others."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import mean_poisson_deviance

from spinney import GradientBoostingRegressor
from spinney._team import Team
from spinney.criteria.losses import Poisson
from spinney.data.weights import Weights
from spinney.ensemble.metrics import Metric
from spinney.ensemble.typical import Typical, _high, typical_losses


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
    typical = Typical(most, half, whole)
    assert typical.is_needed({"whole": [1.0, 11.0], "most": [1.0, 1.0]})
    assert not typical.is_needed({"whole": [11.0, 9.0], "most": [1.0, 1.0]})


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_losses_that_leave_out_a_constant_are_compared_with_the_best_that_there_is(loss):
    """Counts of some ten have a loss of about -13: no reason to go by half of the rows, or to call a curve flat."""
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 3))
    y = 1.0 + random.poisson(np.exp(2.3 + 0.4 * X[:, 0] + 0.3 * np.sin(3 * X[:, 1])))
    own = GradientBoostingRegressor(loss=loss, random_state=0).fit(X[:800], y[:800])
    plain = GradientBoostingRegressor(random_state=0).fit(X[:800], y[:800])
    assert own.score(X[800:], y[800:]) > plain.score(X[800:], y[800:]) - 0.03
    assert set(own.evals_result_["held_out"]) == {loss}


def test_a_metric_of_excess_is_half_the_deviance():
    random = np.random.default_rng(0)
    y, raw = random.poisson(3.0, 200).astype(float), random.normal(size=200)
    one = SimpleNamespace(scores=raw[None, :], y=y, weights=Weights(None, None))
    with Team(1, inline=True) as team:
        found = typical_losses(Poisson(), Metric("poisson", None, False), team).whole.of_set(one, None)
    assert found == pytest.approx(mean_poisson_deviance(y, np.exp(raw)) / 2, rel=1e-12)
