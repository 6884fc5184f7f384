"""What is known of a row at a node is true of the rows that come there, and of no others."""

import numpy as np
import pytest

from spinney.tree.decision import BRANCHES, NUMBER, SPREADS
from spinney.view.phrases import Limits, limits_of_nodes
from tests.view.trees import branches, in_set, leaf, make_tree, number

N_CATEGORIES = [None, None, 3, 70]


def draw(rng, depth, free):
    """A tree of all kinds of questions; `free`: the columns of categories not yet asked for one by one."""
    if depth == 0 or rng.rand() < 0.15:
        return leaf([int(rng.randint(1, 9)), 1])
    column = rng.randint(4)
    if column < 2:
        yes, no = (draw(rng, depth - 1, free) for _ in range(2))
        return number(column, rng.randint(-3, 4) + 0.5, yes, no, missing=rng.randint(2))
    if column == 2 and column in free:
        children = [draw(rng, depth - 1, free - {2}) for _ in range(3)]
        return branches(column, *children, missing=rng.randint(3))
    chosen = rng.choice(N_CATEGORIES[column], rng.randint(1, N_CATEGORIES[column]), replace=False).tolist()
    return in_set(column, chosen, *(draw(rng, depth - 1, free) for _ in range(2)), missing=rng.randint(2))


def walk(tree, row):
    """The leaf of a row, one question after the other."""
    node = 0
    while not tree.is_leaf[node]:
        value = row[tree.feature[node]]
        if np.isnan(value):
            branch = tree.missing[node]
        elif tree.kind[node] == NUMBER:
            branch = 0 if value <= tree.threshold[node] else 1
        elif tree.kind[node] == BRANCHES:
            branch = int(value)
        else:
            branch = 0 if value in tree.categories_in(node, 70) else 1
        node = tree.children_of(node)[branch]
    return node


def allows(limits, value):
    if np.isnan(value):
        return limits.missing
    if limits.categories is not None:
        return int(value) in limits.categories
    return limits.low < value <= limits.high


@pytest.mark.parametrize("seed", range(20))
def test_exactly_one_leaf_allows_a_row_and_it_is_the_one_it_comes_to(seed):
    rng = np.random.RandomState(seed)
    tree = make_tree(draw(rng, 5, {2, 3}))
    limits = limits_of_nodes(tree, N_CATEGORIES)
    rows = np.column_stack([rng.randint(-4, 5, (200, 2)), rng.randint(0, 3, 200), rng.randint(0, 70, 200)]).astype(
        float
    )
    rows[rng.rand(*rows.shape) < 0.1] = np.nan
    leaves = np.flatnonzero(tree.is_leaf)
    for row in rows:
        open_to = [node for node in leaves if all(allows(one, row[c]) for c, one in limits[node].items())]
        assert open_to == [walk(tree, row)]


def test_missing_values_that_spread_come_to_every_branch():
    tree = make_tree(branches(0, leaf([1, 0]), leaf([0, 1]), missing=SPREADS))
    assert [one[0].missing for one in limits_of_nodes(tree, [2])[1:]] == [True, True]


def test_columns_stand_in_the_order_of_the_first_question():
    inner = number(0, 1.0, leaf([1, 0]), number(1, 2.0, leaf([1, 0]), leaf([0, 1])))
    tree = make_tree(number(1, 5.0, inner, leaf([0, 1])))
    limits = limits_of_nodes(tree, [None, None])
    assert list(limits[4].items()) == [(1, Limits(high=2.0, missing=False)), (0, Limits(low=1.0, missing=True))]


def test_only_missing_values_are_left():
    tree = make_tree(number(0, np.inf, leaf([1, 0]), leaf([0, 1])))
    assert [one[0].is_empty for one in limits_of_nodes(tree, [None])[1:]] == [False, True]
