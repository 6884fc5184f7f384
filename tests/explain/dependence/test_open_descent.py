"""Walks with columns left open: the weight of the rows at each leaf, and their curves."""

import numpy as np
import pytest

import spinney
from spinney._team import Team
from spinney.explain.dependence.open_descent import count_open, disjoint, find_runs, find_ways, pack, row_curves
from spinney.explain.dependence.responses import tree_sum

pytestmark = pytest.mark.kernels


def grown(n=150):
    """Numbers with some missing, and categories of more than a word."""
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(n), rng.randint(0, 3, n), rng.randint(0, 90, n)]).astype(float)
    X[rng.rand(n, 3) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) ** 2 + (np.nan_to_num(X[:, 2]) % 2) * np.nan_to_num(X[:, 1])
    return X, spinney.DecisionTreeRegressor(max_depth=6, categorical_features=[2]).fit(X, y)


def slow(model, X, weight, columns):
    """Weight of the rows that come to each leaf if these columns are left open."""
    tree, values = model.tree_, tree_sum(model).numbers(X)
    found = np.zeros(tree.n_nodes)

    def go(node, row, w):
        if tree.is_leaf[node]:
            found[node] += w
            return
        column, x = tree.feature[node], row[tree.feature[node]]
        if tree.kind[node] == 2:
            branch = 0 if x in tree.categories_in(node, 90) else 1
        else:
            branch = 0 if x <= tree.threshold[node] else 1
        branch = tree.missing[node] if np.isnan(x) else branch
        for k, child in enumerate(tree.children_of(node)):
            if column in columns or k == branch:
                go(child, row, w)

    for row, w in zip(values, weight):
        go(0, row, w)
    return found[tree.is_leaf]


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("block", [7, 4096])
def test_the_rows_at_each_leaf_are_counted(plain, block):
    X, model = grown()
    weight = np.ones(len(X)) if plain else np.random.RandomState(1).rand(len(X))
    found = tree_sum(model)
    ways, asked = find_ways(found.questions), pack(found.questions)
    groups = [[0], [1], [2], [0, 2], [0, 1, 2], []]
    with Team(1, inline=True) as team:
        counts = count_open(asked, ways, found.numbers(X), weight, groups, team, block)
    for group, count in zip(groups, counts):
        np.testing.assert_allclose(count, slow(model, X, weight, group), rtol=1e-12)


def test_curves_of_groups_that_go_together():
    X, model = grown()
    found = tree_sum(model)
    ways, asked = find_ways(found.questions), pack(found.questions)
    first, second = np.array([-1.0, 0.0, 0.5, np.nan]), np.array([0.0, 1.0, 2.0])
    kinds = found.schema.columns[2].categories
    pair = [0, 1], find_runs(asked, ways, [(0, first), (1, second)])
    single = [2], find_runs(asked, ways, [(2, np.arange(float(len(kinds))))])
    both, alone = row_curves(asked, ways, found.numbers(X), [pair, single], (found.values, found.start))
    assert both.shape == (1, 12, len(X))
    for k, (a, b) in enumerate((a, b) for a in first for b in second):
        changed = X.copy()
        changed[:, 0], changed[:, 1] = a, b
        np.testing.assert_allclose(both[0, k], model.predict(changed), rtol=0, atol=1e-12)
    for k, kind in enumerate(kinds):
        changed = X.copy()
        changed[:, 2] = kind
        np.testing.assert_allclose(alone[0, k], model.predict(changed), rtol=0, atol=1e-12)


def test_lists_go_together_without_a_column_in_common():
    groups = [[0], [1], [0, 2], [2], [3], [1, 3]]
    assert disjoint(groups, 3) == [[0, 1, 3], [2, 4], [5]]
    assert disjoint(groups[:2], 1) == [[0], [1]]


def test_questions_that_lead_nowhere_are_passed():
    from spinney.explain.dependence.responses import _without_idle

    X, model = grown(40)
    q = tree_sum(model).questions
    idle = q.yes.copy()
    idle[0] = q.no[0]
    other = _without_idle(q._replace(yes=idle))
    assert other.roots[0] == q.no[0]
    assert _without_idle(q) is q
