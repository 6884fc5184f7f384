"""Trees from codes are, bit for bit, the trees that grow/exact grows from the same bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.impurity import NAMES
from spinney.data.encode import learn_bins
from spinney.data.target import Target
from spinney.grow.binned import memory, search
from spinney.grow.binned.fit import grow_coded_tree, grows_from_codes, make_desk
from spinney.grow.binned.memory import AT_ONCE, LANES, MOST_CLASSES, NODES_AHEAD
from spinney.grow.rules import TreeSettings
from spinney.tree.packed import MOST_COLUMNS
from tests.compiled import PLAIN_PYTHON, few
from tests.grow.binned.cases import WEIGHTS, assert_same, draw_case, draw_rules, encode, grow_both
from tests.grow.exact.cases import Case

pytestmark = pytest.mark.kernels
CRITERIA = ("gini", "entropy", "error", "squared_error", "poisson")
MANY = 40 if PLAIN_PYTHON else 400  # more than a small node's rows
SEEDS = st.integers(0, 10**6)


@pytest.mark.parametrize("criterion", CRITERIA)
@few(150, plain=8)
@given(seed=SEEDS)
def test_the_same_tree_as_from_sorted_lists(criterion, seed):
    random = np.random.RandomState(seed)
    n = int(random.choice((1, 3, 12, 30, MANY // 2, MANY)))
    n_columns = int(random.choice((1, 3, AT_ONCE, AT_ONCE + 1, LANES, LANES + 1, 2 * LANES, 2 * LANES + 1)))
    case = draw_case(seed, n, n_columns, criterion, str(random.choice(WEIGHTS)), **draw_rules(random, n_columns))
    rows = np.flatnonzero(random.rand(n) < 0.7) if random.rand() < 0.5 else None
    if rows is None or len(rows):
        assert_same(*grow_both(case, rows, int(random.choice((2, 5, 40, 255)))))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@few(100, plain=8)
@given(seed=SEEDS)
def test_the_same_tree_of_many_classes(criterion, seed):
    random = np.random.RandomState(seed)
    n, n_columns = int(random.choice((1, 3, 12, 30, MANY))), int(random.choice((1, 3, AT_ONCE + 1, 2 * LANES + 1)))
    weights, rules = str(random.choice(WEIGHTS[:3])), draw_rules(random, n_columns)
    case = draw_case(seed, n, n_columns, criterion, weights, int(random.choice((3, 4, 9))), **rules)
    rows = np.flatnonzero(random.rand(n) < 0.7) if random.rand() < 0.5 else None
    if rows is None or len(rows):
        assert_same(*grow_both(case, rows, int(random.choice((2, 5, 40, 255)))))


@pytest.mark.parametrize("n_columns", [LANES, LANES + 1, 3 * LANES, 4 * LANES - 1])
@pytest.mark.parametrize("most", [1, 127])
def test_random_cuts_of_all_columns_together(n_columns, most):
    """Columns in sixteens or in pairs of these; rows of weight 1, or more."""
    weight = np.random.RandomState(most).randint(1, most + 1, MANY)
    weight[0] = most
    drawn = draw_case(1, MANY, n_columns, "gini", random=True)
    for columns in (n_columns, n_columns - 3):
        options = {"random": True, "n_features": columns, "seed": 3}
        assert_same(*grow_both(Case(**{**vars(drawn), "sample_weight": weight, "options": options})))


@pytest.mark.parametrize("random", [False, True])
def test_a_bin_for_every_code(random):
    """255 bins and missing values: all 256 codes occur."""
    n = 512
    X = np.random.RandomState(0).permutation(np.repeat([*range(255), np.nan], 2))[:, None]
    y = (np.nan_to_num(X, nan=37.0) % 7 > 2).astype(int)
    case = Case(X, np.zeros(1, np.int64), y, (2,), None, "gini", {"random": random, "seed": 1})
    mine, theirs = grow_both(case)
    assert mine.n_samples[0] == n
    assert mine.n_leaves > 30
    assert_same(mine, theirs)


def test_small_nodes_note_their_codes_and_large_ones_do_not():
    """Rows around the number at which a node is small: both ways give the same splits."""
    for n in (search._SMALL - 1, search._SMALL, search._SMALL + 1):
        case = draw_case(n, n, 3, "entropy", max_depth=1)
        assert_same(*grow_both(case))


@pytest.mark.parametrize("random", [False, True])
def test_all_known_values_against_the_missing_ones(random):
    """Greater values than any in the node go with the known ones."""
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 0, 0, 1, 1])[:, None]
    case = Case(X, np.zeros(1, np.int64), y, (2,), None, "gini", {"random": random})
    mine, theirs = grow_both(case)
    assert mine.threshold[0] == np.inf
    assert mine.missing[0] == 1
    assert_same(mine, theirs)
    rows = np.array([0, 1, 4, 5])  # the node knows codes 0 and 1 only, the table has more
    mine, theirs = grow_both(case, rows)
    assert mine.threshold[0] == np.inf
    assert_same(mine, theirs)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("min_leaf", [1, 2])  # packed, and not
def test_a_cut_lies_midway_between_the_bins_of_both_sides(n_classes, min_leaf):
    """Values that the node has none of go with those they are nearer to."""
    X = np.repeat(np.arange(11.0), 2)[:, None]
    y = (X[:, :1] > 5).astype(int) * (n_classes - 1)
    case = Case(X, np.zeros(1, np.int64), y, (n_classes,), None, "gini", {"min_leaf": min_leaf})
    mine, theirs = grow_both(case, np.flatnonzero(np.isin(X[:, 0], (1, 3, 8, 9))))
    assert mine.threshold[0] == 5.5  # between 3 and 8: after (3 + 8) // 2
    assert_same(mine, theirs)


@pytest.mark.parametrize("n_features", [1, 4, 1 << 40])
def test_where_no_drawn_column_can_be_split_more_are_drawn(n_features):
    X = np.column_stack([np.zeros((8, 4)), np.arange(8.0), np.full((8, 3), np.nan)])
    y = (np.arange(8) % 3 > 0).astype(int)[:, None]
    for seed in range(6):
        options = {"n_features": n_features, "seed": seed}
        mine, theirs = grow_both(Case(X, np.zeros(8, np.int64), y, (2,), None, "gini", options))
        assert set(mine.feature[~mine.is_leaf].tolist()) == {4}
        assert_same(mine, theirs)


def test_a_tree_that_draws_its_columns_once_asks_no_others():
    drawn = draw_case(5, MANY, 12, "gini")
    for seed in range(8):
        options = {"n_features": 2, "per_tree": True, "seed": seed}
        mine, theirs = grow_both(Case(**{**vars(drawn), "options": options}))
        assert len(mine.columns_asked) <= 2
        assert_same(mine, theirs)


def test_one_desk_for_tree_after_tree():
    """Nothing of a tree is left when the next one is grown: of other rows, layouts and rules."""
    cases = [
        draw_case(7, MANY, 9, "gini", "none"),
        draw_case(7, MANY, 9, "squared_error", "importances", min_leaf=3),
        draw_case(7, MANY, 9, "entropy", "heavy", n_features=3),
        draw_case(7, MANY, 9, "error", "counts", min_leaf=2, random=True),
        draw_case(7, MANY, 9, "gini", "counts", random=True),
    ]
    with Team(1, inline=True) as team:
        bins = learn_bins(cases[0].table, cases[0].n_categories > 0, None, 255, team)
        cells = encode(Case(**{**vars(cases[0]), "options": {"random": True}}), bins, team)
        shared = make_desk(cells, bins)

        def grow(case, desk):
            return grow_coded_tree(cells, bins, case.target, case.settings, desk).fingerprint

        apart = [grow(case, make_desk(cells, bins)) for case in cases]
        for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1, 1, 0]):
            assert [grow(cases[k], shared) for k in order] == [apart[k] for k in order]
    assert len(set(apart)) == 5


@pytest.mark.parametrize("random", [False, True])
def test_room_for_nodes_is_made_as_it_is_needed(monkeypatch, random):
    """The same tree as with room for all nodes, whenever it runs short; and no more than about twice what it needs."""
    case = draw_case(3, 20 * NODES_AHEAD, 5, "squared_error", random=random, min_leaf=1, min_split=2, max_depth=99)

    def grow(room, **options):
        monkeypatch.setattr(memory, "_ROOM", room)
        some = Case(**{**vars(case), "options": {**case.options, **options}})
        with Team(1, inline=True) as team:
            bins = learn_bins(some.table, some.n_categories > 0, None, 255, team)
            cells = encode(some, bins, team)
            desk = make_desk(cells, bins)
            return grow_coded_tree(cells, bins, some.target, some.settings, desk), len(desk.memory.nodes)

    (whole, all_nodes), (made, n_nodes) = grow(10**6), grow(0)
    assert made.fingerprint == whole.fingerprint
    assert all_nodes > 40 * NODES_AHEAD
    assert whole.n_nodes <= n_nodes <= 2 * (whole.n_nodes + NODES_AHEAD)
    assert whole.n_nodes > 4 * NODES_AHEAD
    assert grow(0, max_depth=3)[1] <= 2 * NODES_AHEAD


def test_what_it_can_grow():
    n = 3
    labels, y = np.zeros((1, 5), np.int32), np.zeros((1, 5))
    weights = draw_case(0, 5, 1, "gini").weights
    two, number = Target(labels, (2,), None, weights), Target(None, None, y, weights)
    gini, squared = TreeSettings(NAMES["gini"]), TreeSettings(NAMES["squared_error"])
    assert grows_from_codes(gini, two, n)
    assert grows_from_codes(squared._replace(random=True, n_features=1, max_depth=3), number, n)
    three = Target(labels, (3,), None, weights)
    assert grows_from_codes(gini, three, n)
    assert grows_from_codes(TreeSettings(NAMES["error"]), three, n)
    assert not grows_from_codes(gini, Target(labels, (MOST_CLASSES + 1,), None, weights), n)
    assert grows_from_codes(gini, Target(np.zeros((2, 5), np.int32), (2, MOST_CLASSES - 2), None, weights), n)
    assert not grows_from_codes(gini, Target(np.zeros((2, 5), np.int32), (2, MOST_CLASSES - 1), None, weights), n)
    assert grows_from_codes(squared, Target(None, None, np.zeros((2, 5)), weights), n)
    assert not grows_from_codes(gini, two, MOST_COLUMNS)
    for other in (
        {"max_leaves": 4},
        {"by_ratio": True},
        {"significance": 0.1},
        {"monotone": np.array([0, 1, 0], np.int8)},
        {"criterion": NAMES["absolute_error"]},
    ):
        assert not grows_from_codes(gini._replace(**other), two, n)
