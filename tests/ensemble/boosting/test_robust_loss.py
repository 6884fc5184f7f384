"""The loss of most rows, where a few would drown the others."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import mean_poisson_deviance

from spinney._team import Team
from spinney.criteria.losses import Gamma, Poisson, Tweedie
from spinney.data.weights import Weights
from spinney.ensemble.boosting.round_search import Typical, _high, typical_losses
from spinney.ensemble.boosting.scoring import raw_losses
from spinney.ensemble.metrics import Metric


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


def judged(loss, y, raw):
    """The metrics of some predictions, by name."""
    one = SimpleNamespace(scores=raw[None, :], y=y, weights=Weights(None, None))
    with Team(1, inline=True) as team:
        typical = typical_losses(loss, Metric("whole", None, False), team)
        return (
            typical,
            {metric.name: [metric.of_set(one, None)] for metric in typical},
            raw_losses(loss, one.scores, y, team),
        )


@pytest.mark.parametrize("loss", [Poisson(), Gamma(), Tweedie()], ids=lambda loss: type(loss).__name__)
def test_losses_that_leave_out_a_constant_are_compared_with_the_best_that_there_is(loss):
    """Counts of some fifty: no row is far from the others, however negative, or large, their losses are."""
    random = np.random.default_rng(0)
    y = 1.0 + random.poisson(50.0, 400)
    typical, curves, losses = judged(loss, y, np.full(400, np.log(51.0)))
    assert abs(losses.mean()) > 10 * curves["excess"][0] > 0
    assert not typical.is_needed(curves)
    y[0] = 1e7  # one that drowns all others
    typical, curves, _ = judged(loss, y, np.full(400, np.log(51.0)))
    assert typical.is_needed(curves)


def test_a_metric_of_excess_is_half_the_deviance():
    random = np.random.default_rng(0)
    y, raw = random.poisson(3.0, 200).astype(float), random.normal(size=200)
    _, curves, _ = judged(Poisson(), y, raw)
    assert curves["excess"][0] == pytest.approx(mean_poisson_deviance(y, np.exp(raw)) / 2, rel=1e-12)
