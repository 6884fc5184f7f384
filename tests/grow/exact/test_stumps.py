"""Stumps in turn: weights that the team changes are those that NumPy settles, and stumps are those of these weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.impurity import ENTROPY, ERROR, GINI
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.ensemble.adaboost import first_weights, settle
from spinney.grow.exact import fit as module
from spinney.grow.exact.fit import Series, grow_exact_tree, sort_for_trees
from spinney.grow.rules import TreeSettings
from tests.compiled import THREADS, few
from tests.grow.exact.test_series import draw_table

pytestmark = pytest.mark.kernels


@few(60, plain=6)
@given(seed=st.integers(0, 10**6), threads=st.sampled_from(THREADS))
def test_rounds(seed, threads):
    random = np.random.RandomState(seed)
    table, label = draw_table(int(random.choice([130, 700, 2500])), random)
    first = [np.ones(len(label)), random.randint(1, 4, len(label)), random.rand(len(label)) + 0.1][random.randint(3)]
    weights, repeats = first_weights(np.asarray(first, np.float64))
    share = float(random.choice([0.0, 0.1]))
    settings = TreeSettings(int(random.choice([GINI, ENTROPY, ERROR])), max_depth=1, min_leaf=random.randint(1, 30))
    settings = settings._replace(min_decrease=float(random.choice([0.0, 0.0, 0.001])))
    kinds = np.zeros(table.n_columns, np.int64)
    with pytest.MonkeyPatch.context() as patch, Team(threads) as team:
        patch.setattr(module, "_MANY_ROWS", 1)
        target = Target(label[None], (2,), None, Weights(None, weights))
        series = Series(sort_for_trees(table, kinds, settings, target, team), team)
        rounds = series.rounds(target, settings, share, weights, repeats)
        for _ in range(4):
            tree = rounds.grow()
            target = target._replace(weights=Weights(None, weights))
            alone = grow_exact_tree(table, kinds, target, settings._replace(min_weight=share * weights.sum()), team)
            assert tree.fingerprint == alone.tree.fingerprint
            change = np.exp(random.choice([1.0, 40.0]) * random.randn(tree.n_leaves, 2))
            rounds.reweigh(change)
            place = np.searchsorted(np.flatnonzero(tree.is_leaf), alone.leaf_of_rows())
            weights = settle(weights / repeats * change[place, label], repeats)


def test_what_rounds_are_not_for(monkeypatch):
    table, label = draw_table(90, np.random.RandomState(0))
    target = Target(label[None], (2,), None, Weights(None, np.full(90, 1 / 90)))
    with Team(1) as team:
        for settings in (TreeSettings(GINI, max_depth=1), TreeSettings(GINI, max_depth=2)):
            series = Series(sort_for_trees(table, np.zeros(table.n_columns, np.int64), settings, target, team), team)
            assert series.rounds(target, settings, 0.0, np.full(90, 1 / 90), np.ones(90)) is None  # few rows, or deep
            monkeypatch.setattr(module, "_MANY_ROWS", 1)
