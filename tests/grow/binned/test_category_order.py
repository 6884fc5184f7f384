"""Categories in a tree's own order: the order is the slow twin's, and the tree is that of numbers in this order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.impurity import NAMES
from spinney.data.encode import learn_bins
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.thresholds import NO_MIDDLES, find_middles
from spinney.data.weights import Weights
from spinney.grow.binned.category_order import order_categories
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.binned.memory import lay_out_cells
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.rules import TreeSettings
from spinney.grow.targets import make_statistics
from spinney.tree.decision import SET
from spinney.tree.descend import leaf_of_rows
from tests.compiled import few
from tests.oracles.category_order import keys_of_pair, keys_of_parts, parts_of_classes

pytestmark = pytest.mark.kernels
SEEDS = st.integers(0, 10**6)
SEVERAL = ("many", "outputs", "numbers")  # more than one sum beside the weight
KINDS = ("two", "number", *SEVERAL)


def make_table(X):
    return Table(len(X), X.shape[1], (Panel(np.ascontiguousarray(X), tuple(range(X.shape[1]))),))


def draw_table(seed, n, n_categories=(0, 5, 0, 70, 3)):
    """Numbers and categories, of which some are missing, and one column lacks a category that its schema has."""
    random = np.random.RandomState(seed)
    X = np.empty((n, len(n_categories)))
    for j, size in enumerate(n_categories):
        X[:, j] = random.randint(0, size, n) if size else random.randint(-4, 5, n)
        X[random.rand(n) < random.choice((0.0, 0.2)), j] = np.nan
    signal = np.nan_to_num(X[:, 0], nan=1.0) + 2.0 * (np.nan_to_num(X[:, 1]) % 3) - (np.nan_to_num(X[:, 3]) % 5)
    return X, signal + random.randn(n), np.array(n_categories)


def draw_target(kind, noisy, weights):
    other = np.roll(np.round(noisy, 1), 1) + (noisy > 0)  # of several outputs the second
    if kind in ("number", "numbers"):
        y = np.round(noisy, 2)[None]
        return Target(None, None, y if kind == "number" else np.stack([y[0], other]), weights), NAMES["squared_error"]
    n_classes = 2 if kind == "two" else 5
    labels = np.searchsorted(np.linspace(-2, 2, n_classes - 1), noisy).astype(np.int32)
    if kind == "outputs":
        return Target(np.stack([labels, (other > 1).astype(np.int32)]), (n_classes, 2), None, weights), NAMES["gini"]
    return Target(labels[None], (n_classes,), None, weights), NAMES["gini"]


def put_in_order(X, n_categories, target, settings):
    """(bins, codes, codes renumbered, places)."""
    with Team(1, inline=True) as team:
        table = make_table(X)
        bins = learn_bins(table, n_categories > 0, None, 255, team)
        codes = np.ascontiguousarray(bins.encode(table, team).T)
    kinds, _, _ = make_statistics(target, settings.criterion, None)
    renumbered = codes.copy()
    places = order_categories(renumbered, bins, kinds)
    return bins, codes, renumbered, places


@pytest.mark.parametrize("kind", KINDS)
@few(30, plain=4)
@given(seed=SEEDS)
def test_the_order_is_that_of_the_slow_twin(kind, seed):
    random = np.random.RandomState(seed)
    n = int(random.choice((1, 5, 40, 200)))
    X, noisy, n_categories = draw_table(seed, n)
    counts = random.randint(1, 4, n) if random.rand() < 0.5 else None
    target, criterion = draw_target(kind, noisy, Weights(counts, None))
    bins, codes, _, places = put_in_order(X, n_categories, target, TreeSettings(criterion))
    weights = np.ones(n, int) if counts is None else counts
    for k, j in enumerate(places.columns):
        missing = bins.n_bins[j]
        rows = np.flatnonzero(codes[:, j] < missing)
        known = np.unique(codes[rows, j])
        assert np.flatnonzero(places.is_known[k]).tolist() == known.tolist()
        assert sorted(places.place[k, : missing + 1]) == list(range(missing + 1))
        assert places.place[k, missing] == missing
        assert set(places.place[k, known]) == set(range(len(known)))  # those without rows come after
        if len(rows) == 0:
            continue
        own = codes[rows, j].tolist(), weights[rows].tolist()
        if kind in SEVERAL:
            some = target.take(rows)
            parts = some.y.T if kind == "numbers" else parts_of_classes(some.labels, some.n_classes)
            keys, ratio = keys_of_parts(own[0], parts, own[1])
            if ratio < 2.0:  # no one direction is the widest
                continue
        elif kind == "two":
            keys = keys_of_pair(own[0], target.labels[0, rows] * weights[rows], own[1])
        else:  # amounts are taken from the mean, and that changes no order
            keys = keys_of_pair(own[0], target.y[0, rows] * weights[rows], own[1])
        ordered = np.array([float(keys[code]) for code in known[np.argsort(places.place[k, known])]])
        steps = np.diff(ordered)
        assert (steps > -1e-9).all() or (kind in SEVERAL and (steps < 1e-9).all())


@pytest.mark.parametrize("kind", KINDS)
@few(25, plain=3)
@given(seed=SEEDS)
def test_the_tree_is_that_of_numbers_in_the_same_order(kind, seed):
    random = np.random.RandomState(seed)
    n = int(random.choice((3, 30, 200)))
    X, noisy, n_categories = draw_table(seed, n)
    target, criterion = draw_target(kind, noisy, Weights(None, None))
    settings = TreeSettings(
        criterion, seed=seed, n_features=int(random.randint(1, 6)), min_leaf=int(random.randint(1, 4))
    )
    bins, codes, renumbered, places = put_in_order(X, n_categories, target, settings)
    numbers = X.copy()
    for j in places.columns:
        numbers[:, j] = np.where(renumbered[:, j] == bins.n_bins[j], np.nan, renumbered[:, j])
    with Team(1, inline=True) as team:
        cells = lay_out_cells(codes.T, bins, NO_MIDDLES)
        mine = grow_coded_tree(cells, bins, target, settings, make_desk(cells, X.shape[1])).tree(0)
        table, free = make_table(numbers), np.zeros(X.shape[1], np.int64)
        plain = learn_bins(table, free > 0, None, 255, team)
        theirs = grow_exact_tree(table, free, target, settings, team, None, plain).tree
    assert np.array_equal(cells.codes[:, : X.shape[1]], codes)  # the table is as it was
    for name in ("feature", "missing", "children", "n_samples", "weight", "answers", "impurity"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    is_set = mine.kind == SET
    assert set(mine.feature[is_set]) <= set(places.columns)
    np.testing.assert_array_equal(mine.threshold[~is_set], theirs.threshold[~is_set])
    for node in np.flatnonzero(is_set):
        j, k = mine.feature[node], places.row_of[mine.feature[node]]
        words = mine.sets[mine.set_start[node] : mine.set_start[node + 1]]
        for category, code in enumerate(bins.category_codes[j]):
            goes_left = bool((words[category // 64] >> np.uint64(category % 64)) & np.uint64(1))
            if places.is_known[k, code]:
                assert goes_left == (places.place[k, code] <= theirs.threshold[node])
            else:
                assert goes_left == (mine.missing[node] == 0)


@pytest.mark.parametrize("kind", KINDS)
def test_random_cuts_send_rows_where_the_sets_say(kind):
    X, noisy, n_categories = draw_table(3, 400)
    target, criterion = draw_target(kind, noisy, Weights(None, None))
    with Team(1, inline=True) as team:
        table = make_table(X)
        bins = learn_bins(table, n_categories > 0, None, 255, team)
        cells = lay_out_cells(bins.encode(table, team), bins, find_middles(bins, table))
        desk, seen = make_desk(cells, X.shape[1]), set()
        for seed in range(4):
            settings = TreeSettings(criterion, seed=seed, random=True, n_features=2)
            tree = grow_coded_tree(cells, bins, target, settings, desk).tree(0)
            leaves = leaf_of_rows(tree, table, team)
            assert np.array_equal(
                np.bincount(leaves, minlength=len(tree.kind))[tree.is_leaf], tree.n_samples[tree.is_leaf]
            )
            seen |= set(tree.feature[tree.kind == SET])
    assert seen == {1, 3, 4}


@pytest.mark.parametrize("kind", ["two", "many", "numbers"])
def test_weights_in_other_units_give_the_same_order(kind):
    """Weights that are no whole numbers: the row that smooths weighs as much as the others do in the mean."""
    X, noisy, n_categories = draw_table(5, 200)
    weight = np.random.RandomState(5).uniform(0.5, 2.0, len(X))
    found = []
    for factor in (1.0, 2.0**-20, 2.0**15):
        target, criterion = draw_target(kind, noisy, Weights(None, weight * factor))
        found.append(put_in_order(X, n_categories, target, TreeSettings(criterion))[3].place)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
