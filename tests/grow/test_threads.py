"""The promise: the same model, bit for bit, on any number of threads."""

import numpy as np
import pytest

from spinney._team import Team
from spinney.criteria.losses import LogLoss, Poisson, Quantile, SquaredError
from spinney.data.encode import learn_bins
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.weights import read_weights
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.rounds import train
from tests.boosted import plain_trees
from tests.compiled import PLAIN_PYTHON

N = 40_000  # several blocks and many chunks
pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="threads need compiled kernels")


def table():
    random = np.random.RandomState(0)
    values = random.randn(N, 5)
    values[:, 1] = np.round(values[:, 1])
    values[random.rand(N) < 0.2, 2] = np.nan
    values[:, 4] = np.floor(300 * random.rand(N) ** 2)
    return Table(N, 5, (Panel(values, tuple(range(5))),)), np.array([False] * 4 + [True])


FITS = {
    "squared": (SquaredError(), 1, None, BoostingSettings(n_rounds=4)),
    "level-wise": (LogLoss(), 1, None, BoostingSettings(n_rounds=4, best_first=False, max_depth=5)),
    "repetitions": (Poisson(), 1, lambda random: random.randint(0, 6, N), BoostingSettings(n_rounds=4)),
    "importances": (SquaredError(), 1, lambda random: random.rand(N), BoostingSettings(n_rounds=4, min_gain=20.0)),
    "sampled": (
        LogLoss(),
        1,
        None,
        BoostingSettings(n_rounds=4, subsample=0.5, node_features=0.6, tree_features=0.8, seed=3),
    ),
    "renewed": (Quantile(0.3), 1, None, BoostingSettings(n_rounds=3, monotone=np.array([1, -1, 0, 0, 0], np.int8))),
    "classes": (
        LogLoss(),
        3,
        None,
        BoostingSettings(n_rounds=2, groups=np.array([[1, 1, 0, 0, 1], [0, 0, 1, 1, 0]], np.uint8)),
    ),
}


def fit(name, n_threads):
    """From the raw table to the fingerprint."""
    loss, n_outputs, weigh, settings = FITS[name]
    random = np.random.RandomState(1)
    values, is_categorical = table()
    x = values.panels[0].values
    signal = x[:, 0] + np.nan_to_num(x[:, 2]) * x[:, 1] + np.sin(x[:, 4]) + random.randn(N)
    y = np.digitize(signal, (-0.5, 0.5))[:N] if n_outputs > 1 else (signal > 0)
    weights = read_weights(None if weigh is None else weigh(random), N)
    numbers, classes = (None, None, y.astype(np.float64)[None]), (y.astype(np.int32)[None], (n_outputs,), None)
    task = Task(Target(*(classes if n_outputs > 1 else numbers), weights), loss)
    with Team(n_threads) as team:
        bins = learn_bins(values, is_categorical, weights.counts, 255, team)
        booster = train(values.encode_dataset(bins, team), task, settings, team, lambda booster, trees: False)
    assert max(tree.n_leaves for tree in plain_trees(booster)) > 4
    return booster.fingerprint


@pytest.mark.parametrize("name", FITS)
def test_the_same_model_on_any_number_of_threads(name):
    assert len({fit(name, n_threads) for n_threads in (1, 2, 3, 7)}) == 1


def test_the_same_model_again_and_again():
    assert len({fit("squared", 3) for _ in range(3)}) == 1
    assert fit("squared", 1) != fit("level-wise", 1)  # a fingerprint tells models apart
