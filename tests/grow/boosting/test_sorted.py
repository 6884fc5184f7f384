"""Boosted trees with exact thresholds, beside their slow twin (tests/oracles/exact_boosting.py)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.gains import Link, Penalty
from spinney.data.dataset import open_exact
from spinney.data.tables import Panel, Table
from spinney.grow.boosting.grower import grow_tree
from spinney.grow.boosting.sorted import BATCH, freeze_sorted, make_sorted_rows, make_sorted_table, make_sorted_work
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.descend import add_values
from tests.oracles.exact_boosting import Row, Rules, answer, grow, questions

NO_ROWS = np.empty(0, np.int32)


def grow_ours(X, is_categorical, derivatives, rules, counts=None, chosen=NO_ROWS, size=1, units=False):
    """(the tree, which leaf it says each row is in)."""
    table = Table(*X.shape, (Panel(X, tuple(range(X.shape[1]))),))
    monotone, n = np.array(rules.monotone, np.int8), len(X)
    groups = np.array([[j in group for j in range(X.shape[1])] for group in rules.groups], np.uint8)
    with Team(size) as team:
        dataset = open_exact(table, np.array(is_categorical), counts, team)
        total = len(chosen) or n
        total = total if counts is None else int((counts[chosen] if len(chosen) else counts).sum())
        largest = tuple(np.abs(derivatives).max(axis=0).tolist())
        rows = make_sorted_rows(chosen, derivatives, counts, total, largest, 0.0, units, team)
        most = min(rules.max_leaves, 2 ** min(rules.max_depth, 20), n)
        work = make_sorted_work(dataset, most, bool(len(chosen)), size, len(rules.groups))
        own = BoostingRules(
            best_first=rules.best_first,
            max_leaves=most,
            max_depth=rules.max_depth,
            min_count=rules.min_count,
            min_hessian=float(rules.min_hessian),
            min_gain=max(float(rules.min_gain), 5e-324),
            penalty=Penalty(float(rules.l1), float(rules.l2)),
            category_penalty=Penalty(float(rules.l1), float(rules.l2 + rules.category_l2)),
            category_smoothing=float(rules.smoothing),
            category_count=rules.category_count,
            learning_rate=1.0,
            link=Link(),
            has_monotone=bool(monotone.any()),
            groups=groups if len(groups) else np.zeros((0, 0), np.uint8),
            features=np.arange(X.shape[1], dtype=np.int32),
            node_features=X.shape[1],
            node_key=np.uint64(0),
        )
        kinds = Kinds(any(is_categorical) or None, own.has_monotone or None)
        n_nodes = team.run(grow_tree, make_sorted_table(dataset, monotone, team), rows, own, work, kinds)
        return freeze_sorted(work, n_nodes, dataset, rows.fields), work.leaf_of_row


def values_of(forest, X):
    scores = np.zeros((1, len(X)))
    with Team(1, inline=True) as team:
        add_values(forest, Table(*X.shape, (Panel(X, tuple(range(X.shape[1]))),)), range(1), scores, team)
    return scores[0]


def twin_rows(X, derivatives, counts=None, chosen=NO_ROWS):
    return [
        Row(
            tuple(None if np.isnan(x) else x for x in X[i].tolist()),
            *(Fraction(float(one)) for one in derivatives[i]),
            1 if counts is None else int(counts[i]),
        )
        for i in (chosen if len(chosen) else range(len(X)))
    ]


def draw_table(random, n, is_categorical, n_values, missing):
    columns = [
        random.integers(0, 6, n).astype(float) if one else np.round(random.normal(size=n), n_values)
        for one in is_categorical
    ]
    X = np.column_stack(columns)
    X[random.random(X.shape) < missing] = np.nan
    return X


def compare(X, fresh, is_categorical, derivatives, rules, **more):
    root = grow(twin_rows(X, derivatives, more.get("counts"), more.get("chosen", NO_ROWS)), rules)
    ours, leaf = grow_ours(X, is_categorical, derivatives, rules, **more)
    tree = ours.tree(0)
    asked = [(int(f), float(t)) for f, t in zip(tree.feature, tree.threshold) if f >= 0]
    expected = questions(root)
    assert [one[0] for one in asked] == [one[0] for one in expected]
    for one, other in zip(asked, expected):
        assert np.isnan(one[1]) if other[1] is None else one[1] == other[1]
    for table in (X, fresh):
        said = [answer(root, tuple(None if np.isnan(x) else x for x in row.tolist()), rules) for row in table]
        np.testing.assert_allclose(values_of(ours, table), said, rtol=1e-11, atol=1e-12)
    return ours, leaf


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
@pytest.mark.kernels
def test_whole_numbers_give_the_trees_of_the_twin(data):
    """Many ties and splits that gain nothing; nothing is penalised."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, n_columns = data.draw(st.integers(2, 24)), data.draw(st.integers(1, 3))
    is_categorical = (False,) * n_columns
    X = draw_table(random, n, is_categorical, 0, data.draw(st.sampled_from([0.0, 0.3])))
    derivatives = np.column_stack([random.integers(-2, 3, n), np.ones(n)]).astype(float)
    rules = Rules(
        is_categorical, max_depth=data.draw(st.integers(1, 3)), min_count=data.draw(st.integers(1, 3)), best_first=False
    )
    compare(X, X, is_categorical, derivatives, rules, units=True)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_all_rules_give_the_trees_of_the_twin(data):
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n = data.draw(st.integers(2, 40))
    is_categorical = tuple(data.draw(st.lists(st.booleans(), min_size=1, max_size=3)))
    missing, digits = data.draw(st.sampled_from([0.0, 0.25])), data.draw(st.sampled_from([1, 8]))
    X, fresh = (draw_table(random, n, is_categorical, digits, missing) for _ in range(2))
    unseen = np.isin(fresh, np.unique(X)) | ~np.array(is_categorical)
    fresh = np.where(unseen, fresh, np.nan)
    derivatives = np.column_stack([random.normal(size=n), random.random(n) + 0.1])
    counts = random.integers(1, 4, n) if data.draw(st.booleans()) else None
    chosen = np.sort(random.permutation(n)[: n // 2 + 1]).astype(np.int32) if data.draw(st.booleans()) else NO_ROWS
    monotone = [0 if one else data.draw(st.sampled_from([0, 0, 1, -1])) for one in is_categorical]
    rules = Rules(
        is_categorical,
        best_first=data.draw(st.booleans()),
        max_leaves=data.draw(st.integers(2, 9)),
        max_depth=data.draw(st.integers(1, 4)),
        min_count=data.draw(st.integers(1, 4)),
        min_hessian=Fraction(data.draw(st.sampled_from([0.0, 1.5]))),
        min_gain=Fraction(data.draw(st.sampled_from([0.0, 0.5]))),
        l1=Fraction(data.draw(st.sampled_from([0.0, 0.25]))),
        l2=Fraction(data.draw(st.sampled_from([0.0, 1.5]))),
        category_l2=Fraction(data.draw(st.sampled_from([0.0, 2.0]))),
        smoothing=Fraction(data.draw(st.sampled_from([0.0, 3.0]))),
        category_count=data.draw(st.integers(1, 3)),
        monotone=tuple(monotone) if any(monotone) else (),
        groups=data.draw(st.sampled_from([(), (frozenset({0}), frozenset({0, 1, 2})), (frozenset({0, 1}),)])),
    )
    compare(X, fresh, is_categorical, derivatives, rules, counts=counts, chosen=chosen)


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("depth", [1, 6])
def test_many_rows_and_threads(depth, draws):
    """Nodes of several chunks: every team grows the same tree, and rows are in the leaves that they descend to."""
    random = np.random.default_rng(5)
    n = 3 * BATCH + 17
    X = draw_table(random, n, (False, True, False), 6, 0.1)
    derivatives = np.column_stack([X[:, 0] ** 2 + random.normal(size=n), np.ones(n)])
    derivatives[np.isnan(derivatives)] = 2.0
    chosen = np.flatnonzero(random.random(n) < 0.7).astype(np.int32) if draws else NO_ROWS
    rules = Rules((False, True, False), max_depth=depth, min_count=20, l2=Fraction(1))
    trees = [grow_ours(X, rules.is_categorical, derivatives, rules, chosen=chosen, size=size) for size in (1, 2, 5)]
    assert len({tree.fingerprint for tree, _ in trees}) == 1
    tree, pieces = trees[0]
    assert tree.n_leaves[0] == 2 if depth == 1 else tree.n_leaves[0] > 20
    rows = chosen if draws else np.arange(n)
    leaves = tree.answers[tree.is_leaf, 0, 0]
    np.testing.assert_array_equal(leaves[pieces[rows]], values_of(tree, X)[rows])


def test_rows_that_are_alike_but_for_rounding_are_not_parted():
    X = np.arange(20.0)[:, None]
    derivatives = np.column_stack([np.where(np.arange(20) < 10, 1.0, 1e9) + 1e-9 * np.arange(20), np.ones(20)])
    tree, _ = grow_ours(X, (False,), derivatives, Rules((False,)), units=True)
    assert tree.n_leaves[0] == 2


def test_of_rows_that_are_all_alike_nothing_is_parted():
    X, derivatives = np.arange(20.0)[:, None], np.ones((20, 2))
    tree, _ = grow_ours(X, (False,), derivatives, Rules((False,)), units=True)
    assert tree.n_leaves[0] == 1
    empty = np.zeros((20, 2))
    assert grow_ours(X, (False,), empty, Rules((False,)))[0].n_leaves[0] == 1


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("units", [False, True])
def test_rows_as_whole_numbers(units, counted):
    """Sums of any order are those of fractions, but for the last digits."""
    random = np.random.default_rng(0)
    derivatives = np.column_stack([random.normal(size=1000), np.ones(1000) if units else random.random(1000)])
    counts = random.integers(0, 5, 1000) if counted else None
    chosen = np.flatnonzero(random.random(1000) < 0.5).astype(np.int32)
    times = np.ones(1000, np.int64) if counts is None else counts
    largest = tuple(np.abs(derivatives).max(axis=0).tolist())
    with Team(2) as team:
        rows = make_sorted_rows(chosen, derivatives, counts, int(times[chosen].sum()), largest, 0.0, units, team)
    expected = [sum(Fraction(derivatives[i, k]) * int(times[i]) for i in chosen.tolist()) for k in range(2)]
    assert rows.gradient * rows.fields.gradient_unit == pytest.approx(float(expected[0]), rel=1e-12)
    assert rows.hessian * rows.fields.hessian_unit == pytest.approx(float(expected[1]), rel=1e-12)
    assert (rows.count, rows.n) == (int(times[chosen].sum()), len(chosen))
    assert (rows.paired is None) == (units and not counted)


def test_differences_below_the_finest_are_none():
    derivatives = np.column_stack([np.array([1.0, 1.0 + 1e-13, 2.0]), np.ones(3)])
    with Team(1) as team:
        rows = make_sorted_rows(NO_ROWS, derivatives, None, 3, (2.0, 1.0), 1e-10, True, team)
    assert rows.amounts[0] == rows.amounts[1] < rows.amounts[2]
