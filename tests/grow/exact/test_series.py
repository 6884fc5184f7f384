"""Trees in turn from lists that are sorted once: each is the tree of a table sorted for it alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.impurity import ENTROPY, ERROR, GINI
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.grow.exact import fit as module
from spinney.grow.exact.fit import Series, grow_exact_tree, sort_for_trees
from spinney.grow.rules import TreeSettings
from spinney.tree.descend import leaf_of_rows
from tests.compiled import PLAIN_PYTHON, THREADS, costly, few
from tests.grow.exact.cases import VARIANTS, Case, draw_case, draw_column

pytestmark = pytest.mark.kernels
ROWS = 16 if PLAIN_PYTHON else 60
SOME = [*(VARIANTS[k] for k in (1, 4, 5)), *costly([VARIANTS[6]])]  # weighted, with and without categories
KINDS = ("few", "many", "gaps", "constant", "missing", "infinite")


def part_of(case, rows):
    weight = None if case.sample_weight is None else case.sample_weight[rows]
    return Case(**{**vars(case), "X": case.X[rows], "y": case.y[rows], "sample_weight": weight})


@pytest.mark.parametrize("variant", SOME, ids=str)
@few(12, plain=4)
@given(seed=st.integers(0, 10**6), depth=st.sampled_from([1, 3]), random=st.booleans())
def test_trees_in_turn(variant, seed, depth, random):
    case = draw_case(variant, ROWS, seed)
    case.options.update(max_depth=depth, random=random, seed=seed)
    draw = np.random.RandomState(seed)
    with Team(THREADS[-1]) as team:
        series = Series(sort_for_trees(case.table, case.n_categories, case.settings, case.target, team), team)
        for _ in range(3):
            rows = np.flatnonzero(draw.rand(len(case.X)) < 0.6)
            rows = None if len(rows) in (0, len(case.X)) or draw.rand() < 0.5 else rows
            some = case if rows is None else part_of(case, rows)
            grown = series.grow(some.target, case.settings, rows)
            alone = grow_exact_tree(case.table, case.n_categories, some.target, case.settings, team, rows)
            assert grown.tree.fingerprint == alone.tree.fingerprint
            np.testing.assert_array_equal(grown.leaf_of_rows(), leaf_of_rows(alone.tree, some.table, team))


def draw_table(n_rows, random):
    """Columns of every kind, and labels that follow from some of them, but for noise."""
    X = np.column_stack([draw_column(kind, n_rows, random) for kind in random.choice(KINDS, random.randint(1, 11))])
    signal = np.clip(np.nan_to_num(X[:, random.randint(X.shape[1])], nan=random.choice([-2.0, 2.0])), -3, 3)
    label = signal + random.choice([0.1, 1.0, 10.0]) * random.randn(n_rows) > random.choice([0.0, 1.0])
    return Table(*X.shape, (Panel(X, tuple(range(X.shape[1]))),)), label.astype(np.int32)


def draw_weights(n_rows, random):
    if random.rand() < 0.3:
        return Weights(random.randint(1, 5, n_rows), None)
    return Weights(None, np.exp(random.choice([0.5, 3.0, 10.0]) * random.randn(n_rows)))


@few(120, plain=8)
@given(seed=st.integers(0, 10**6), threads=st.sampled_from(THREADS))
def test_stumps_from_blocks(seed, threads):
    """Passing over blocks changes nothing, whatever the weights, and ties are broken as ever."""
    random = np.random.RandomState(seed)
    table, label = draw_table(int(random.choice([130, 300, 700])), random)
    settings = TreeSettings(
        criterion=int(random.choice([GINI, ENTROPY, ERROR])),
        max_depth=1,
        min_leaf=int(random.choice([1, 1, 20])),
        min_weight=float(random.choice([0.0, 5.0])),
        min_decrease=float(random.choice([0.0, 0.01])),
    )
    kinds = np.zeros(table.n_columns, np.int64)
    with pytest.MonkeyPatch.context() as patch, Team(threads) as team:
        patch.setattr(module, "_MANY_ROWS", 1)
        target = Target(label[None], (2,), None, draw_weights(len(label), random))
        series = Series(sort_for_trees(table, kinds, settings, target, team), team)
        for _ in range(3):
            grown = series.grow(target, settings)
            alone = grow_exact_tree(table, kinds, target, settings, team)
            assert grown.tree.fingerprint == alone.tree.fingerprint
            np.testing.assert_array_equal(grown.leaf_of_rows(), alone.leaf_of_rows())
            target = target._replace(weights=draw_weights(len(label), random))
    assert series._stumps is not None


def test_what_blocks_are_not_for(monkeypatch):
    monkeypatch.setattr(module, "_MANY_ROWS", 1)
    table = Table(90, 1, (Panel(np.arange(90.0)[:, None], (0,)),))
    label = (np.arange(90) > 40).astype(np.int32)[None]
    weighted = Weights(None, np.random.RandomState(0).rand(90) + 0.1)
    fit = TreeSettings(GINI, max_depth=1)
    with Team(1) as team:
        for target, settings in [
            (Target(label, (2,), None, Weights(None, None)), fit),
            (Target(label, (3,), None, weighted), fit),
            (Target(None, None, label.astype(float), weighted), fit),
            (Target(label, (2,), None, weighted), fit._replace(max_depth=2)),
            (Target(label, (2,), None, weighted), fit._replace(random=True)),
            (Target(label, (2,), None, weighted), fit._replace(monotone=np.array([1], np.int8))),
        ]:
            series = Series(sort_for_trees(table, np.zeros(1, np.int64), settings, target, team), team)
            alone = grow_exact_tree(table, np.zeros(1, np.int64), target, settings, team)
            assert series.grow(target, settings).tree.fingerprint == alone.tree.fingerprint
            assert series._stumps is None
