"""The search for counterfactuals, part by part, beside all points of a small space."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import spinney
import spinney.explain.counterfactuals.nearest_point as nearest
from spinney.explain import counterfactual
from spinney.explain.counterfactuals.lagrangian import make_desk, make_sharing, share_costs
from spinney.explain.counterfactuals.leaf_boxes import find_lows, make_lists, merge

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def space():
    """Cells and questions of a few small trees, as the search gets them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(1)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    model = spinney.GradientBoostingClassifier(n_estimators=4, max_depth=2, learning_rate=0.5, min_samples_leaf=5)
    kept = []
    with pytest.MonkeyPatch.context() as patch:
        nothing = nearest.Found(None, np.inf, np.inf)
        patch.setattr(nearest, "find_nearest", lambda space, *_: kept.append(space) or nothing)
        counterfactual(model.fit(X, y), X[1], scale=dict.fromkeys(range(3), 1.0))
    return kept[0]


def points(space):
    """(places of the cells, cost, scores by walking) of every point."""
    walk, cells = space.walk, space.cells
    found = []
    for ranks in product(*(range(one.n_allowed) for one in space.columns)):
        lows, score = np.array(ranks) + 64 * cells.word[:-1], 0.0
        for q in walk.roots.tolist():
            while q >= 0:
                c = int(walk.column[q])
                word = int(walk.words[walk.at[q] + ranks[c] // 64])
                q = int(walk.yes[q] if word >> (ranks[c] % 64) & 1 else walk.no[q])
            score += walk.value[-1 - q, 0]
        found.append((lows, float(cells.cost[lows].sum()), score))
    return found


def holds(lists, cells, leaf, lows):
    for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
        c = int(lists.column[e])
        rank = int(lows[c]) - 64 * int(cells.word[c])
        if not int(lists.words[lists.at[e] + rank // 64]) >> (rank % 64) & 1:
            return False
    return True


@pytest.mark.parametrize("most", [1, 12, 1000])
@pytest.mark.parametrize("limit", [0.9, np.inf])
def test_a_point_lies_in_one_leaf_of_each_group_and_bounds_hold(space, most, limit):
    root = space.root((), limit)
    lists = merge(make_lists(space.walk, space.cells, root, limit, space.depth), space.cells, root, limit, most)
    assert len(lists.group) - 1 == (4 if most == 1 else 1) or most == 12
    near = [one for one in points(space) if one[1] < limit]
    for lows, _, score in near:
        inside = [leaf for leaf in range(len(lists.value)) if holds(lists, space.cells, leaf, lows)]
        assert np.searchsorted(lists.group, inside, side="right").tolist() == list(range(1, len(lists.group)))
        assert lists.value[inside, 0].sum() == pytest.approx(score)
    best = min((cost for _, cost, score in near if score >= space.need[0]), default=np.inf)
    bound = root_bound(space, lists, root)
    assert 0.0 < bound <= best * (1 + 1e-9)


def root_bound(space, lists, root):
    n, places = len(lists.group) - 1, len(space.cells.cost)
    steps = np.zeros((places, n))
    for first, last in zip(64 * space.cells.word[:-1], 64 * space.cells.word[1:]):
        cost = space.cells.cost[first:last]
        n_cells = np.isfinite(cost).sum()
        steps[first : first + n_cells] = np.diff(cost[:n_cells], prepend=0.0)[:, None] / n
    desk = make_desk(lists, space.cells)
    find_lows(space.cells, root, desk.lows)
    shares, room = np.zeros_like(steps), make_sharing(lists, space.cells)
    found = share_costs(lists, space.cells, root, space.need, shares, steps, desk, room, 10, 1.0, np.inf)
    known = np.isfinite(space.cells.cost)
    np.testing.assert_allclose(shares.sum(axis=1)[known], space.cells.cost[known], rtol=1e-9)  # shares are all of it
    return found


@pytest.mark.parametrize("frozen", [(), (0,), (1, 2)])
def test_the_nearest_point_is_found(space, frozen):
    found = nearest.find_nearest(space, frozen, np.inf, nearest.Effort(np.inf, np.inf))
    good = [
        cost
        for lows, cost, score in points(space)
        if score >= space.need[0] and all(lows[j] == 64 * space.cells.word[j] for j in frozen)
    ]
    assert found.cost == (pytest.approx(min(good)) if good else np.inf)
    assert found.bound == pytest.approx(found.cost)


def test_time_of_compiling_is_no_time_of_the_search(monkeypatch):
    now, compiling = [100.0], [7.0]
    monkeypatch.setattr(nearest, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(nearest, "seconds_spent", lambda: compiling[0])
    effort = nearest.Effort(110.0, np.inf, compiled=7.0)
    now[0], compiling[0] = 150.0, 50.0  # 43 of 50 seconds
    assert not effort.is_spent
    now[0] = 153.5
    assert effort.is_spent
