"""ID3 and C4.5 grown by a team: the tree of one thread, bit for bit, whatever is shared and whatever is set aside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import C45Classifier, C50Classifier, ID3Classifier
from spinney._team import Team
from spinney.data.weights import read_weights
from spinney.datasets import load_flights
from spinney.grow.multiway import grower
from spinney.grow.multiway.c45 import grow_c45
from spinney.grow.multiway.columns import read_columns
from spinney.grow.multiway.limits import BranchSettings
from tests.compiled import PLAIN_PYTHON, few
from tests.grow.multiway.cases import LIMITS, as_table, tables

pytestmark = pytest.mark.kernels

SETTINGS = st.builds(
    BranchSettings,
    min_samples_leaf=st.sampled_from((2.0, 1.0)),
    max_depth=st.sampled_from((1 << 30, 3)),
    mdl=st.booleans(),
    prune=st.booleans(),
    cf=st.just(0.25),
    subtree_raising=st.booleans(),
    **LIMITS,
)


def grown(drawn, settings, team):
    X, kinds, classes, sample_weight = drawn
    table, schema = as_table(X, kinds)
    weights = read_weights(sample_weight, len(X))
    columns = read_columns(table, schema, None)
    return grow_c45(columns, classes.astype(np.int32), int(classes.max()) + 1, weights, settings, team)


@few(60, plain=10)
@given(tables(sizes=((100, 300),)), SETTINGS, st.sampled_from((0, 5, 40)), st.sampled_from((2, 3, 7)))
def test_the_tree_does_not_depend_on_the_team(drawn, settings, few_rows, n_threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grower, "_FEW_ROWS", few_rows)
        patch.setattr(grower, "_PARTS", 1000)
        with Team(n_threads) as team:
            many = grown(drawn, settings, team)
    with Team(1, inline=True) as team:
        assert many.fingerprint == grown(drawn, settings, team).fingerprint


@pytest.mark.skipif(PLAIN_PYTHON, reason="slow in plain Python")
def test_a_deep_tree_that_needs_more_room(monkeypatch):
    monkeypatch.setattr(grower, "_FEW_ROWS", 30)
    monkeypatch.setattr(grower, "_PARTS", 1000)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (2000, 9)).astype(np.float64)
    X[rng.random(X.shape) < 0.02] = np.nan
    drawn = X, [3] * 9, rng.integers(0, 2, 2000), None
    settings = BranchSettings(min_samples_leaf=1.0, subtree_raising=True, max_leaves=900)
    with Team(2) as team, Team(1, inline=True) as one:
        tree = grown(drawn, settings, team)
        assert tree.n_leaves > 800
        assert tree.fingerprint == grown(drawn, settings, one).fingerprint


@pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")
@pytest.mark.parametrize("kind", [ID3Classifier, C45Classifier, C50Classifier])
def test_a_large_table_has_one_fingerprint(kind):
    X, y = load_flights()
    columns = ["month", "day_of_week", "carrier", "origin", "dest"] if kind is ID3Classifier else list(X.columns)
    few_rows = X[columns][: 20_000 if kind is not C50Classifier else 8_000]
    settings = {"trials": 3} if kind is C50Classifier else {}
    models = [kind(n_jobs=n, **settings).fit(few_rows, y[: len(few_rows)]) for n in (1, 2, 5)]
    assert len({model.fingerprint_ for model in models}) == 1
    assert kind().get_params()["n_jobs"] is None
