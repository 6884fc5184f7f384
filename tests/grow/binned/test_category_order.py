"""Categories in orders of their own: these are the slow twin's, and the splits are those of numbers in these orders."""

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
from spinney.grow.binned.category_order import FEWEST, PER_CODE, UNKNOWN
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.binned.memory import lay_out_cells
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.rules import TreeSettings
from spinney.tree.decision import SET
from spinney.tree.descend import leaf_of_rows
from tests.compiled import costly, few
from tests.oracles.category_order import keeps_its_order, keys_of_pair, keys_of_parts, parts_of_classes

pytestmark = pytest.mark.kernels
SEEDS = st.integers(0, 10**6)
SEVERAL = ("many", "outputs", "numbers")  # more than one sum beside the weight
KINDS = ("two", "number", *SEVERAL)
EACH = ["number", "many", *costly(kind for kind in KINDS if kind not in ("number", "many"))]


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


class Grown:
    """A tree, and how it was made."""

    def __init__(self, X, n_categories, target, settings, fewest=FEWEST):
        with Team(1, inline=True) as team:
            self.table = make_table(X)
            self.bins = learn_bins(self.table, n_categories > 0, None, 255, team)
            self.codes = np.ascontiguousarray(self.bins.encode(self.table, team).T)
            middles = find_middles(self.bins, self.table) if settings.random else NO_MIDDLES
            cells = lay_out_cells(self.codes.T, self.bins, middles)
            desk = make_desk(cells, self.bins)
            desk.memory = desk.memory._replace(orders=desk.memory.orders._replace(fewest=fewest))
            self.tree = grow_coded_tree(cells, self.bins, target, settings, desk).tree(0)
            leaves = leaf_of_rows(self.tree, self.table, team)
        assert np.array_equal(cells.codes[:, : X.shape[1]], self.codes)  # the table is as it was
        self.nodes, self.orders = desk.memory.nodes[: len(self.tree.kind)], desk.memory.orders
        last = np.arange(len(self.tree.kind)) + self.tree.forest.size
        self.rows = [np.flatnonzero((leaves >= node) & (leaves < last[node])) for node in range(len(last))]

        self.made = self.orders.made[: desk.memory.progress[2]]

    def order_of(self, node, j):
        """The number of the order of a column in a node: the last one made for rows that include the node's."""
        own, made = self.nodes[node], self.made
        fits = (made["column"] == j) & (made["begin"] <= own["begin"]) & (made["end"] >= own["end"])
        return int(np.flatnonzero(fits)[-1])

    def made_at(self):
        """{number of an order: the node it was made for}."""
        rows = list(zip(self.nodes["begin"].tolist(), self.nodes["end"].tolist(), strict=True))
        return {k: rows.index((int(one["begin"]), int(one["end"]))) for k, one in enumerate(self.made)}


def parts_and_weights(kind, target):
    """What each row adds, before weights; and these."""
    counts = target.weights.counts
    weights = np.ones(len((target.labels if target.y is None else target.y)[0]), int) if counts is None else counts
    if kind in ("many", "outputs", "two"):
        parts = parts_of_classes(target.labels, target.n_classes)
        return ([row[1:] for row in parts] if kind == "two" else parts), weights.tolist()
    return target.y.T.tolist(), weights.tolist()


@pytest.mark.parametrize("kind", EACH)
@few(30, plain=4)
@given(seed=SEEDS)
def test_the_orders_are_those_of_the_slow_twin(kind, seed):
    """Of the root and of every node that made some, from its own rows."""
    random = np.random.RandomState(seed)
    n = int(random.choice((1, 5, 40, 200)))
    X, noisy, n_categories = draw_table(seed, n)
    counts = random.randint(1, 4, n) if random.rand() < 0.5 else None
    target, criterion = draw_target(kind, noisy, Weights(counts, None))
    grown = Grown(X, n_categories, target, TreeSettings(criterion), fewest=4)
    orders, codes, made = grown.orders, grown.codes, grown.made_at()
    for number, node in made.items():
        j = int(grown.made["column"][number])
        k, missing, place = int(orders.row_of[j]), int(grown.bins.n_bins[j]), orders.place[number]
        rows = grown.rows[node]
        rows = rows[codes[rows, j] < missing]
        known = np.unique(codes[rows, j])
        assert np.flatnonzero(place[:missing] != UNKNOWN).tolist() == known.tolist()
        if len(rows) == 0:
            continue
        parts, weights = parts_and_weights(kind, target.take(rows))
        own = codes[rows, j].tolist(), parts, weights
        if number == k:
            keeps, ratio = keeps_its_order(*own)
            if ratio is not None and abs(ratio - 0.5) < 1e-6:
                continue
            assert orders.keeps[k] == keeps
        if orders.keeps[k]:
            assert number == k
            assert np.array_equal(place[known], known)
            continue
        assert sorted(place[known]) == list(range(len(known)))
        if number != k:  # the node is large, and half of the rows are gone since
            weight = grown.tree.weight
            assert weight[node] >= max(4, PER_CODE * missing)
            before = grown.made["before"][number]
            assert grown.made["column"][before] == j
            assert set(rows) < set(grown.rows[made[before]])
            assert weight[made[before]] >= 2 * weight[node]
        if kind in SEVERAL:
            keys, ratio = keys_of_parts(*own)
            if ratio < 1.0 + 1e-6:  # no one part is the widest
                continue
        else:
            keys = keys_of_pair(own[0], [part[0] * w for part, w in zip(parts, weights, strict=True)], weights)
        ordered = np.array([float(keys[code]) for code in known[np.argsort(place[known])]])
        assert (np.diff(ordered) > -1e-9 * max(1.0, np.abs(ordered).max())).all()


@pytest.mark.parametrize("kind", EACH)
@few(25, plain=3)
@given(seed=SEEDS)
def test_every_split_is_that_of_numbers_in_the_same_order(kind, seed):
    random = np.random.RandomState(seed)
    n = int(random.choice((3, 30, 200)))
    X, noisy, n_categories = draw_table(seed, n)
    target, criterion = draw_target(kind, noisy, Weights(None, None))
    settings = TreeSettings(criterion, seed=seed, min_leaf=int(random.randint(1, 4)))
    grown = Grown(X, n_categories, target, settings, fewest=int(random.choice((4, 1000))))
    tree, orders = grown.tree, grown.orders
    assert set(tree.feature[tree.kind == SET]) <= set(orders.columns)
    for node in np.flatnonzero(~tree.is_leaf)[:20]:
        rows, numbers = grown.rows[node], X[grown.rows[node]].copy()
        for j in orders.columns:
            place, codes = orders.place[grown.order_of(node, j)], grown.codes[rows, j]
            numbers[:, j] = np.where(codes == grown.bins.n_bins[j], np.nan, place[codes])
        table, free, some = make_table(numbers), np.zeros(X.shape[1], np.int64), target.take(rows)
        with Team(1, inline=True) as team:
            plain = learn_bins(table, free > 0, None, 255, team)
            theirs = grow_exact_tree(table, free, some, settings._replace(max_depth=1), team, None, plain).tree
        j, (left, right) = tree.feature[node], tree.children_of(node)
        assert theirs.feature[0] == j
        assert theirs.missing[0] == tree.missing[node]
        with Team(1, inline=True) as team:
            on_left = leaf_of_rows(theirs, table, team) == 1
        assert grown.rows[left].tolist() == rows[on_left].tolist()
        assert grown.rows[right].tolist() == rows[~on_left].tolist()
        if tree.kind[node] == SET:  # codes without a place follow the missing values
            words, place = (
                tree.sets[tree.set_start[node] : tree.set_start[node + 1]],
                orders.place[grown.order_of(node, j)],
            )
            for category, code in enumerate(grown.bins.category_codes[j]):
                goes_left = bool((words[category // 64] >> np.uint64(category % 64)) & np.uint64(1))
                if place[code] == UNKNOWN:
                    assert goes_left == (tree.missing[node] == 0)
                else:
                    assert goes_left == (place[code] <= grown.nodes["code"][node])


def test_ranks_keep_their_order_and_names_do_not():
    """The same categories, in the order of a target that rises and falls, and in no order."""
    n, random = 400, np.random.RandomState(0)
    ranks = random.randint(0, 8, n)
    shuffled = random.permutation(8)
    y = (abs(ranks - 3.5) + 0.1 * random.randn(n)).round(3)
    X = np.column_stack([ranks, shuffled[ranks]]).astype(float)
    target = Target(None, None, y[None], Weights(None, None))
    orders = Grown(X, np.array([8, 8]), target, TreeSettings(NAMES["squared_error"])).orders
    assert orders.keeps.tolist() == [True, False]


def test_a_node_orders_categories_by_its_own_rows():
    """What a category says depends on a number; one order for all rows cannot say it."""
    n, random = 2000, np.random.RandomState(0)
    number, category = random.randint(0, 2, n), random.randint(0, 5, n)
    worth = np.array([[3.0, 0.0, 4.0, 1.0, 2.0], [-2.0, -2.5, -1.0, -4.0, 0.0]])
    y = (10.0 * number + worth[number, category] + 0.01 * random.randn(n)).round(3)
    X, target = np.column_stack([number, category]).astype(float), Target(None, None, y[None], Weights(None, None))
    grown = Grown(X, np.array([0, 5]), target, TreeSettings(NAMES["squared_error"], max_depth=2))
    which = int(2 * number.sum() < n)  # the side of fewer rows; the other one has too many to make a new order
    place = grown.orders.place[grown.order_of(grown.tree.children_of(0)[which], 1)]
    assert np.argsort(place[:5]).tolist() == np.argsort(worth[which]).tolist()


@pytest.mark.parametrize("kind", EACH)
def test_random_cuts_send_rows_where_the_sets_say(kind):
    X, noisy, n_categories = draw_table(3, 400)
    target, criterion = draw_target(kind, noisy, Weights(None, None))
    seen = set()
    for seed in range(4):
        settings = TreeSettings(criterion, seed=seed, random=True, n_features=2)
        grown = Grown(X, n_categories, target, settings)
        tree = grown.tree
        assert [len(rows) for rows in grown.rows] == tree.n_samples.tolist()
        assert len(grown.made) == 3  # the root's, everywhere
        seen |= set(tree.feature[tree.kind == SET])
    assert seen == {1, 3, 4}


@pytest.mark.parametrize("kind", ["many", *costly(["two", "numbers"])])
def test_weights_in_other_units_give_the_same_order(kind):
    """Weights that are no whole numbers: the row that smooths weighs as much as the others do in the mean."""
    X, noisy, n_categories = draw_table(5, 200)
    weight = np.random.RandomState(5).uniform(0.5, 2.0, len(X))
    found = []
    for factor in (1.0, 2.0**-20, 2.0**15):
        target, criterion = draw_target(kind, noisy, Weights(None, weight * factor))
        orders = Grown(X, n_categories, target, TreeSettings(criterion)).orders
        found.append(np.concatenate([place[:n] for place, n in zip(orders.place, orders.n_codes, strict=False)]))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
