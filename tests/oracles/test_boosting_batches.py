"""The slow twin is right by hand, and a whole fit with it equals the CPU's."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._random import uniform
from spinney._team import Team
from spinney.criteria.losses import AbsoluteError, LogLoss, SquaredError
from spinney.data.target import Target
from spinney.data.weights import read_weights
from spinney.ensemble.boosting import rounds as boosting_rounds
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.rounds import train
from spinney.grow.boosting import statistics
from tests.boosted import plain_trees
from tests.compiled import PLAIN_PYTHON, few, outer, slow
from tests.grow.cases import draw_column, grow_reference, make_case, make_dataset, make_limits
from tests.oracles import boosting_batches as reference

_uniform = outer(uniform)


@pytest.mark.kernels
def test_a_tree_by_hand():
    """Six rows, two steps; a category tells them apart, then a number."""
    category = np.array([0, 0, 1, 1, 2, 2])
    number = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])
    gradient = np.array([4.0, 4.0, -2.0, -2.0, 4.0, 8.0])
    limits = make_limits(2, category_smoothing=0.0, learning_rate=1.0)._replace(category_penalty=make_limits(1).penalty)
    dataset = make_dataset([category, number], [True, False])
    tree = grow_reference(make_case(dataset, np.stack((gradient, np.ones(6)), axis=1), limits)).tree
    # the root: category 1 (value 2) from the rest (mean gradient 5), 2 * 2^2 + 4 * 5^2 - 6 * (16 / 6)^2
    assert tree.feature[0] == 0
    assert tree.gain[0] == pytest.approx(8 + 100 - 16**2 / 6)
    assert tree.value[tree.left[0]] == 2.0
    assert tree.bits[0, 0] & 0b111 == 0b010
    # the rest: the missing number (gradient 8) from the others (4)
    rest = tree.right[0]
    assert tree.feature[rest] == 1
    assert tree.threshold[rest] == np.inf
    assert tree.missing_left[rest] == 0
    assert tree.gain[rest] == pytest.approx(3 * 16 + 64 - 400 / 4)
    np.testing.assert_array_equal(tree.value[tree.left[rest] :], [-4.0, -8.0])
    assert tree.n_leaves == 3


@pytest.mark.kernels
@few(50)
@given(key=st.integers(0, 2**64 - 1), row=st.integers(0, 2**32 - 1))
def test_random_numbers_are_those_of_the_kernels(key, row):
    twin = reference.uniform(np.uint64(key), np.array([row], np.uint32))[0]
    assert twin == _uniform(np.uint64(key), np.uint32(row))


@pytest.mark.kernels
def test_cuts_of_numbers():
    sums = np.zeros((256, 3), np.int64)
    sums[:3, 2] = 1
    assert [np.flatnonzero(cut).tolist() for cut in reference.number_cuts(sums, 3)] == [[0], [0, 1]]
    sums[3, 2] = 1  # now some are missing
    cuts = [[0], [0, 1], [0, 1, 2], [0, 3], [0, 1, 3]]
    assert [np.flatnonzero(cut).tolist() for cut in reference.number_cuts(sums, 3)] == cuts


# --- whole fits --------------------------------------------------------------------------------------------------

FITS = {
    "squared": (SquaredError(), BoostingSettings(n_rounds=4, min_count=3)),
    "level-wise": (
        LogLoss(),
        BoostingSettings(n_rounds=4, best_first=False, max_leaves=9, min_count=2, l1=0.1, l2=1.0),
    ),
    "sampled": (
        LogLoss(),
        BoostingSettings(n_rounds=4, subsample=0.6, tree_features=0.7, node_features=0.5, min_count=2),
    ),
    "renewed": (AbsoluteError(), BoostingSettings(n_rounds=4, min_count=3, min_gain=0.5)),
    "monotone": (SquaredError(), BoostingSettings(n_rounds=4, min_count=3, monotone=np.array([1, -1, 0], np.int8))),
    "groups": (
        SquaredError(),
        BoostingSettings(n_rounds=4, groups=np.array([[1, 1, 0], [0, 0, 1]], np.uint8), min_count=3),
    ),
}
WEIGHTS = {
    "none": lambda random, n: None,
    "repetitions": lambda random, n: random.randint(0, 4, n),
    "importances": lambda random, n: random.rand(n) * (random.rand(n) < 0.9),
}


ALL_CASES = list(itertools.product(FITS, WEIGHTS, [16383, 20]))
QUICK_CASES = [
    one for one in ALL_CASES if one[0] == "squared" or one[1:] in (("repetitions", 20), ("importances", 16383))
]


@pytest.mark.kernels
@pytest.mark.parametrize(
    "name, weights, block", [*QUICK_CASES, *slow(one for one in ALL_CASES if one not in QUICK_CASES)]
)
def test_a_fit_with_the_slow_twin_has_the_same_fingerprint(name, weights, block, monkeypatch):
    monkeypatch.setattr(statistics, "BLOCK", block)
    monkeypatch.setattr(boosting_rounds, "BLOCK", block)
    random = np.random.RandomState(3)
    n = 40 if PLAIN_PYTHON else 120
    columns = [draw_column(kind, n, random) for kind in ("many", "gaps", "categories")]
    y = (np.nan_to_num(columns[0]) + np.nan_to_num(columns[2]) + random.randn(n) > 0.5).astype(np.float64)
    loss, settings = FITS[name]
    task = Task(Target(None, None, y[None], read_weights(WEIGHTS[weights](random, n), n)), loss)
    dataset = make_dataset(columns, [False, False, True], task.weights.counts)
    with Team(1) as team:
        fits = [train(dataset, task, settings, team, never_stop, grow=grow) for grow in (None, reference.grow)]
    assert max(tree.n_leaves for tree in plain_trees(fits[0])) > 2
    assert fits[0].fingerprint == fits[1].fingerprint


def never_stop(booster, trees):
    return False
