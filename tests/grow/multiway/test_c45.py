"""C4.5: equal to plain recursion, node for node; its rules one by one; and trees that other programs have published."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from spinney import C45Classifier
from spinney._team import Team
from spinney.criteria.information import ROW
from spinney.data.weights import read_weights
from spinney.grow.multiway.c45 import grow_c45
from spinney.grow.multiway.columns import read_columns, read_units
from spinney.grow.multiway.limits import BranchSettings
from spinney.tree.decision import SPREADS
from tests.compiled import few
from tests.grow.multiway import naive
from tests.grow.multiway.cases import LIMITS, as_table, tables

pytestmark = pytest.mark.kernels

NO_LIMIT = 1 << 30
GROWN = BranchSettings(min_samples_leaf=2.0, mdl=True, subtree_raising=True)
EAGER = GROWN._replace(min_samples_leaf=1.0, mdl=False, prune=True)
SETTINGS = st.builds(
    BranchSettings,
    min_samples_leaf=st.sampled_from((2.0, 1.0, 0.5, 5.0)),
    max_depth=st.sampled_from((NO_LIMIT, 2)),
    mdl=st.booleans(),
    prune=st.sampled_from((True, True, False)),
    cf=st.sampled_from((0.25, 0.01, 0.5)),
    subtree_raising=st.booleans(),
    **LIMITS,
    subset=st.just(False),  # test_subset.py
)


def slow_c45(X, kinds, classes, weights, settings):
    units, kept = read_units(weights, len(X))
    kept = np.arange(len(X)) if kept is None else kept
    table = naive.make_table(X[kept], kinds, classes[kept].tolist())
    least = round(settings.min_samples_leaf * ROW)
    n_classes = len(set(table.classes))
    min_split = max(2 * least, settings.min_split * ROW)
    rules = naive.Rules(True, least, min_split, n_classes, mdl=settings.mdl, max_depth=settings.max_depth)
    rules.total, rules.min_decrease, rules.significance = units.sum(), settings.min_decrease, settings.significance
    rules.cf, rules.raises = settings.cf, settings.subtree_raising
    rows = list(enumerate(units.tolist()))
    root = naive.grow(table, rules, rows, units.sum() / ROW)
    if settings.max_leaves is not None:
        naive.best_first(table, root, settings.max_leaves)
    naive.collapse(root)
    if settings.prune:
        naive.prune(table, rules, root, rows)
    return naive.as_tuples(table, root, int(classes.max()) + 1)


def fast_c45(X, kinds, classes, sample_weight, settings):
    table, schema = as_table(X, kinds)
    weights = read_weights(sample_weight, len(X))
    with Team(1, inline=True) as team:
        return grow_c45(
            read_columns(table, schema, None), classes.astype(np.int32), int(classes.max()) + 1, weights, settings, team
        )


def check_against_recursion(drawn, settings):
    X, kinds, classes, sample_weight = drawn
    tree = fast_c45(X, kinds, classes, sample_weight, settings)
    slow = slow_c45(X, kinds, classes, read_weights(sample_weight, len(X)), settings)
    assert naive.tree_as_tuples(tree) == slow
    return tree


@few(400, plain=30)
@given(tables(), SETTINGS)
def test_the_tree_of_plain_recursion(drawn, settings):
    check_against_recursion(drawn, settings)


@few(80, plain=2)
@given(tables(sizes=((100, 300),)), st.sampled_from((0.5, 0.25)))
def test_the_tree_of_plain_recursion_where_branches_are_raised(drawn, cf):
    check_against_recursion(drawn, EAGER._replace(cf=cf))


def test_raising_is_used_at_all():
    rng = np.random.default_rng(24)
    X = rng.integers(0, 4, (300, 5)).astype(np.float64)
    classes = ((X[:, 0] > 1) ^ (X[:, 1] > 2) ^ (rng.random(300) < 0.2)).astype(np.int64)
    drawn = X, [4, None, 4, None, 4], classes, None
    raised, not_raised = (check_against_recursion(drawn, EAGER._replace(subtree_raising=r)) for r in (True, False))
    assert raised.fingerprint != not_raised.fingerprint


def test_a_tree_that_needs_more_room():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (700, 7)).astype(np.float64)
    X[rng.random(X.shape) < 0.01] = np.nan
    classes = rng.integers(0, 2, 700)
    tree = check_against_recursion((X, [3] * 7, classes, None), GROWN._replace(min_samples_leaf=1.0, mdl=False))
    assert tree.n_nodes > 256


@few(100, plain=10)
@given(tables(), SETTINGS)
def test_a_whole_weight_is_a_repetition(drawn, settings):
    X, kinds, classes, _ = drawn
    X = np.nan_to_num(X)  # parts of rows are rounded
    weight = np.random.default_rng(len(X)).integers(0, 4, len(X))
    weight[[0, int(np.argmax(classes))]] = 1  # all classes stay
    weighted = fast_c45(X, kinds, classes, weight.astype(np.float64), settings)
    repeated = fast_c45(np.repeat(X, weight, axis=0), kinds, np.repeat(classes, weight), None, settings)
    assert naive.tree_as_tuples(weighted) == naive.tree_as_tuples(repeated)


@few(100, plain=10)
@given(tables(), SETTINGS)
def test_the_order_of_the_rows_does_not_matter(drawn, settings):
    X, kinds, classes, _ = drawn
    order = np.random.default_rng(len(X)).permutation(len(X))
    tree = fast_c45(X, kinds, classes, None, settings)
    assert fast_c45(X[order], kinds, classes[order], None, settings).fingerprint == tree.fingerprint


@few(100, plain=10)
@given(tables(), SETTINGS)
def test_what_must_hold_of_any_tree(drawn, settings):
    X, kinds, classes, weight = drawn
    tree = fast_c45(X, kinds, classes, weight, settings)
    total = np.array([tree.weight[tree.children_of(node)].sum() for node in range(tree.n_nodes)])
    inner = ~tree.is_leaf
    np.testing.assert_allclose(total[inner], tree.weight[inner], rtol=1e-4)  # parts are rounded
    np.testing.assert_allclose(tree.answers.sum(axis=(1, 2))[tree.weight > 0], tree.weight[tree.weight > 0])
    assert (tree.answers.sum(axis=(1, 2)) > 0).all()
    assert (tree.missing[inner] == SPREADS).all()
    assert tree.max_depth <= settings.max_depth
    if not settings.prune:
        least = settings.min_samples_leaf - 1e-6
        assert all((tree.weight[tree.children_of(node)] >= least).sum() >= 2 for node in np.flatnonzero(inner))


# --- published trees ---


def test_iris_has_the_tree_that_j48_prints():
    X, y = load_iris(return_X_y=True)
    tree = C45Classifier().fit(X, y).tree_
    assert tree.feature.tolist() == [3, -2, 3, 2, -2, 3, -2, -2, -2]
    np.testing.assert_allclose(tree.threshold[[0, 2, 3, 5]], [0.8, 1.75, 4.95, 1.55])
    leaves = [[50, 0, 0], [0, 47, 1], [0, 0, 3], [0, 2, 1], [0, 1, 45]]
    assert tree.answers[tree.is_leaf, 0].tolist() == leaves


def weather():
    """Quinlan's table with numbers: temperature and humidity in figures."""
    rows = """
    sunny 85 85 f n, sunny 80 90 t n, overcast 83 86 f y, rain 70 96 f y, rain 68 80 f y, rain 65 70 t n,
    overcast 64 65 t y, sunny 72 95 f n, sunny 69 70 f y, rain 75 80 f y, sunny 75 70 t y, overcast 72 90 t y,
    overcast 81 75 f y, rain 71 91 t n"""
    outlook, temperature, humidity, windy, plays = zip(*(row.split() for row in rows.split(",")), strict=True)
    numbers = {"temperature": map(float, temperature), "humidity": map(float, humidity)}
    return pd.DataFrame({"outlook": outlook, **numbers, "windy": windy}), np.array(plays)


def test_weather_has_the_tree_of_the_book():
    X, y = weather()
    model = C45Classifier().fit(X, y)
    tree = model.tree_
    assert [X.columns[f] for f in tree.feature[~tree.is_leaf]] == ["outlook", "windy", "humidity"]
    assert tree.threshold[tree.feature == 2].tolist() == [77.5]
    assert model.score(X, y) == 1.0


# --- rules ---


def test_exclusive_or_of_categories_is_learnt():
    X = pd.DataFrame({"a": list("ttff") * 3, "b": list("tftf") * 3})
    y = X["a"] != X["b"]
    assert C45Classifier().fit(X, y).score(X, y) == 1.0


def test_a_cut_lies_midway_and_both_sides_are_large_enough():
    X, y = np.array([[1.0], [2.0], [4.0], [8.0], [9.0], [10.0]]), np.array([0, 0, 0, 1, 1, 1])
    assert C45Classifier().fit(X, y).tree_.threshold[0] == 6.0
    assert C45Classifier(min_samples_leaf=4).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, np.nextafter(1.0, 2.0)), (-np.inf, 0.0), (0.0, np.inf), (-np.inf, np.inf), (1e308, 1.7e308)],
)
def test_a_cut_separates_any_two_numbers(low, high):
    X, y = np.array([[low]] * 4 + [[high]] * 4), np.array([0] * 4 + [1] * 4)
    assert C45Classifier().fit(X, y).score(X, y) == 1.0


def test_naming_a_cut_costs_bits():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 1)), rng.integers(0, 2, 60)
    free, paid = (C45Classifier(prune=False, mdl=mdl).fit(X, y).get_n_leaves() for mdl in (False, True))
    assert free > paid == 1


def test_smaller_cf_prunes_more():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (400, 6)).astype(str)
    y = (X[:, 0] == "1") ^ (rng.random(400) < 0.3)
    sizes = [C45Classifier(cf=cf).fit(X, y).get_n_leaves() for cf in (0.5, 0.25, 0.001)]
    assert sizes[0] >= sizes[1] >= sizes[2]
    assert sizes[0] > sizes[2]


def test_a_subtree_that_is_no_better_becomes_a_leaf():
    X = np.array([["a"]] * 6 + [["b"]] * 6)
    y = np.array([1, 1, 1, 1, 1, 0] * 2)
    assert C45Classifier(prune=False).fit(X, y).get_n_leaves() == 1


def test_a_branch_without_rows_answers_like_its_parent():
    X = pd.DataFrame({"a": ["x"] * 4 + ["y"] * 5 + ["z"] * 3, "b": ["p", "p", "q", "q"] + ["q"] * 5 + ["r"] * 3})
    y = np.array([0, 0, 1, 1] + [2] * 5 + [3] * 3)
    model = C45Classifier(min_samples_leaf=1, prune=False).fit(X, y)
    tree = model.tree_
    empty = np.flatnonzero(tree.weight == 0)
    assert len(empty) > 0
    np.testing.assert_array_equal(tree.answers[empty], tree.answers[tree.parent[empty]])
    assert (tree.n_samples[empty] == 0).all()
    assert np.isfinite(model.feature_importances_).all()


def test_missing_and_unknown_values_go_down_every_branch():
    X = pd.DataFrame({"a": ["x"] * 6 + ["y"] * 2})
    y = np.array([0] * 6 + [1] * 2)
    model = C45Classifier(prune=False).fit(X, y)
    unsure = model.predict_proba(pd.DataFrame({"a": [None, "never seen", "x", "y"]}))
    np.testing.assert_allclose(unsure, [[0.75, 0.25], [0.75, 0.25], [1, 0], [0, 1]])


def test_rows_with_missing_values_count_in_parts():
    X = pd.DataFrame({"a": ["x"] * 6 + ["y"] * 2 + [None] * 4})
    y = np.array([0] * 6 + [1] * 2 + [0, 0, 0, 1])
    tree = C45Classifier(prune=False).fit(X, y).tree_
    np.testing.assert_allclose(tree.weight, [12.0, 9.0, 3.0])
    np.testing.assert_allclose(tree.answers[1, 0], [6 + 3 * 0.75, 0.75])
    assert tree.n_samples.tolist() == [12, 10, 6]


def test_columns_of_many_categories_do_not_raise_the_average():
    """A name for each pair of rows has the most gain, but a low ratio; it must not keep the others from being asked."""
    n = 60
    X = pd.DataFrame({"name": [f"n{k // 2}" for k in range(n)], "side": ["l", "r"] * (n // 2)})
    y = np.array(["l", "r"] * (n // 2))
    y[:4] = ["r", "l", "l", "r"]
    tree = C45Classifier(prune=False).fit(X, y).tree_
    assert tree.feature[0] == 1


def test_a_column_of_many_categories_is_not_asked_about_alone():
    """As in C4.5: there is no average that its gain could reach."""
    X = pd.DataFrame({"name": list("aabbccddee"), "number": [1.0] * 10})
    y = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
    assert C45Classifier(prune=False).fit(X, y).get_n_leaves() == 1
    assert C45Classifier(prune=False).fit(X[["name"]], y).get_n_leaves() == 5


def test_real_weights_count_in_proportion():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (100, 3)).astype(str), rng.integers(0, 2, 100)
    weight = rng.random(100)
    first, second = (C45Classifier(prune=False).fit(X, y, weight * by) for by in (1.0, 1024.0))
    assert first.fingerprint_ == second.fingerprint_
    assert first.tree_.weight[0] == pytest.approx(100.0)
