"""What trees may and may not do: sizes, constraints, penalties, pruning, sampling; read off the trees themselves."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from tests.boosted import plain_trees


def draw(n_rows=600, n_columns=5, seed=0, missing=0.0):
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, n_columns)
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 0] * X[:, 2] + 0.5 * rng.randn(n_rows)
    X[rng.rand(n_rows, n_columns) < missing] = np.nan
    return X, y


X, Y = draw()


def trees_of(model, X=X, y=Y):
    return plain_trees(clone(model).set_params(random_state=0).fit(X, y))


def paths(tree):
    """The set of columns on the way to each leaf."""
    found, open_nodes = [], [(0, frozenset())]
    while open_nodes:
        node, columns = open_nodes.pop()
        if tree.left[node] < 0:
            found.append(columns)
        else:
            below = columns | {int(tree.feature[node])}
            open_nodes += [(tree.left[node], below), (tree.right[node], below)]
    return found


# --- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("growth", ["best_first", "level_wise"])
def test_sizes_are_kept_and_reached(growth):
    model = Regressor(n_estimators=10, growth=growth, min_samples_leaf=1, l2_regularization=0.0)
    assert {tree.n_leaves for tree in trees_of(model.set_params(max_leaf_nodes=7))} == {7}
    assert {tree.n_leaves for tree in trees_of(model.set_params(max_leaf_nodes=2))} == {2}
    deep = trees_of(model.set_params(max_leaf_nodes=None, max_depth=3))
    assert {tree.depth.max() for tree in deep} == {3}
    assert max(tree.n_leaves for tree in deep) == 8
    assert {tree.depth.max() for tree in trees_of(model.set_params(max_depth=1))} == {1}
    whole = trees_of(model.set_params(max_depth=None, n_estimators=1))
    assert whole[0].n_leaves > 200


@pytest.mark.parametrize("growth", ["best_first", "level_wise"])
def test_counts_and_hessians_of_leaves_are_kept(growth):
    for tree in trees_of(Regressor(n_estimators=5, growth=growth, min_samples_leaf=25, max_leaf_nodes=None)):
        counts = tree.count[tree.is_leaf]
        assert 25 <= counts.min() < 50
        assert counts.sum() == tree.count[0] == 600
    model = Classifier(n_estimators=5, growth=growth, min_samples_leaf=1, min_child_weight=4.0, max_leaf_nodes=None)
    for tree in trees_of(model, y=Y > 0):
        assert 3.99 <= tree.cover[tree.is_leaf].min() < 8


def test_a_node_is_its_two_children():
    for tree in trees_of(Classifier(n_estimators=3), y=np.digitize(Y, [-1, 1])):
        for node in np.flatnonzero(~tree.is_leaf):
            left, right = tree.left[node], tree.right[node]
            assert tree.count[node] == tree.count[left] + tree.count[right]
            assert tree.cover[node] == pytest.approx(tree.cover[left] + tree.cover[right])
            assert tree.gain[node] > 0


def test_growth_decides_where_a_few_leaves_go():
    x = np.arange(64.0)[:, None]
    y = np.concatenate([np.repeat([0.0, 1.0], 16), np.repeat([20.0, 30.0, 40.0, 40.0], 8)])  # more to gain on the right
    model = Regressor(n_estimators=1, min_samples_leaf=1, l2_regularization=0.0, max_leaf_nodes=4)
    (deep,) = trees_of(model.set_params(growth="best_first"), x, y)
    assert sorted(deep.depth[deep.is_leaf]) == [1, 2, 3, 3]
    (wide,) = trees_of(model.set_params(growth="level_wise"), x, y)
    assert sorted(wide.depth[wide.is_leaf]) == [2, 2, 2, 2]
    assert wide.gain.sum() < deep.gain.sum()


def test_best_first_and_level_wise_agree_when_leaves_are_not_limited():
    model = Regressor(n_estimators=4, max_depth=4, max_leaf_nodes=None, random_state=0)
    answers = [clone(model).set_params(growth=growth).fit(X, Y).predict(X) for growth in ("best_first", "level_wise")]
    np.testing.assert_allclose(*answers, rtol=1e-12)


# --- penalties, pruning, shrinkage -----------------------------------------------------------------------------------


def stump(**parameters):
    """The two leaves of one tree on ten zeros and ten tens."""
    X, y = np.repeat([0.0, 1.0], 10)[:, None], np.repeat([0.0, 10.0], 10)
    parameters = {
        "l2_regularization": 0.0,
        "learning_rate": 1.0,
        "n_estimators": 1,
        "min_samples_leaf": 1,
        **parameters,
    }
    (tree,) = plain_trees(Regressor(**parameters).fit(X, y))
    return tree.value[1:] if tree.n_leaves == 2 else None


def test_leaf_values_follow_the_formula():
    # gradient sums are 50 and -50, hessian sums 10 and 10
    np.testing.assert_allclose(stump(), [-5, 5])
    np.testing.assert_allclose(stump(l2_regularization=15), [-2, 2])
    np.testing.assert_allclose(stump(l1_regularization=10), [-4, 4])
    np.testing.assert_allclose(stump(l1_regularization=10, l2_regularization=6), [-2.5, 2.5])
    np.testing.assert_allclose(stump(l1_regularization=10, l2_regularization=6, learning_rate=0.2), [-0.5, 0.5])
    assert stump(l1_regularization=50) is None


@pytest.mark.parametrize("name", ["l1_regularization", "l2_regularization"])
def test_penalties_shrink_leaves(name):
    model = Regressor(n_estimators=1, l2_regularization=0.0)
    sizes = [np.abs(trees_of(clone(model).set_params(**{name: value}))[0].value).sum() for value in (0.0, 5.0, 50.0)]
    assert sizes[0] > sizes[1] > sizes[2]


def bottom_gains(tree):
    inner = np.flatnonzero(~tree.is_leaf)
    return [tree.gain[node] for node in inner if tree.is_leaf[tree.left[node]] and tree.is_leaf[tree.right[node]]]


def test_pruning_takes_back_splits_that_gain_too_little():
    free = trees_of(Regressor(n_estimators=3, max_leaf_nodes=40, min_samples_leaf=5))
    limit = float(np.median(bottom_gains(free[0])))
    pruned = trees_of(Regressor(n_estimators=3, max_leaf_nodes=40, min_samples_leaf=5, min_split_gain=limit))
    assert 1 < pruned[0].n_leaves < free[0].n_leaves
    assert all(gain >= limit for tree in pruned for gain in bottom_gains(tree))
    assert min(bottom_gains(free[0])) < limit
    (nothing,) = trees_of(Regressor(n_estimators=1, min_split_gain=1e9))
    assert nothing.n_leaves == 1


def test_pruning_goes_backwards_so_a_poor_split_above_a_good_one_stays():
    # an exclusive or: the first split gains next to nothing, the two below it everything
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0) for _ in range(10)] + [[0.0, 0.0]])
    y = np.array([a != b for a, b in X], float)
    model = Regressor(n_estimators=1, min_samples_leaf=1, l2_regularization=0.0, learning_rate=1.0)
    (tree,) = trees_of(model.set_params(min_split_gain=1.0), X, y)
    assert tree.n_leaves == 4
    assert tree.gain[0] < 0.1
    assert min(bottom_gains(tree)) > 4


def test_shrinkage_scales_every_value_of_the_first_tree():
    full, tenth = (trees_of(Regressor(n_estimators=1, learning_rate=rate))[0] for rate in (1.0, 0.1))
    assert (full.feature == tenth.feature).all()
    np.testing.assert_allclose(tenth.value, 0.1 * full.value, rtol=1e-12)


# --- monotone and interaction constraints ----------------------------------------------------------------------------


def sweep(model, X, column, n_steps=60):
    """Predictions where one column runs through its range and the others stay: (rows, steps)."""
    many = np.repeat(X[:40], n_steps, axis=0)
    many[:, column] = np.tile(np.linspace(-4, 4, n_steps), 40)
    answer = model.predict(many) if isinstance(model, Regressor) else model.decision_function(many)
    return answer.reshape(40, n_steps)


@pytest.mark.parametrize("growth", ["best_first", "level_wise"])
@pytest.mark.parametrize(
    "model, target",
    [
        (Regressor(), lambda y: y),
        (Regressor("absolute_error"), lambda y: 1e-3 * y),
        (Regressor("quantile", quantile=0.3), lambda y: 100 * y),
        (Regressor("poisson"), lambda y: np.exp(y / 4)),
        (Regressor(l1_regularization=3.0, min_split_gain=2.0, subsample=0.7), lambda y: y),
        (Classifier(), lambda y: y > 0),
    ],
)
def test_monotone_constraints_hold_everywhere(model, target, growth):
    for seed in range(2):
        X, y = draw(400, seed=seed, missing=0.1)
        model = clone(model).set_params(growth=growth, n_estimators=25, min_samples_leaf=3, random_state=0)
        free = clone(model).fit(X, target(y))
        held = clone(model).set_params(monotonic_cst=[1, -1, 0, 0, 0]).fit(X, target(y))
        assert np.diff(sweep(held, X, 0)).min() >= 0
        assert np.diff(sweep(held, X, 1)).max() <= 0
        assert np.diff(sweep(free, X, 0)).min() < 0
        assert np.diff(sweep(free, X, 1)).max() > 0
        assert held.score(X, target(y)) > 0.3  # it still learns


def test_monotone_constraints_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    by_name = Regressor(n_estimators=5, monotonic_cst={"b": -1, "a": 1}, random_state=0).fit(frame, Y)
    by_place = Regressor(n_estimators=5, monotonic_cst=[1, -1, 0, 0, 0], random_state=0).fit(frame, Y)
    assert by_name.fingerprint_ == by_place.fingerprint_
    assert by_name.fingerprint_ != Regressor(n_estimators=5, random_state=0).fit(frame, Y).fingerprint_


@pytest.mark.parametrize(
    "interaction_cst, allowed",
    [
        ("no_interactions", [{0}, {1}, {2}, {3}, {4}]),
        ("pairwise", [{a, b} for a in range(5) for b in range(a)]),
        ([{0, 1}, [2, 3, 4]], [{0, 1}, {2, 3, 4}]),
        ([(0, 1), (1, 2)], [{0, 1}, {1, 2}, {3, 4}]),  # columns in no group form one of their own
    ],
)
@pytest.mark.parametrize("growth", ["best_first", "level_wise"])
def test_interaction_constraints_hold_on_every_path(interaction_cst, allowed, growth):
    model = Regressor(n_estimators=20, growth=growth, min_samples_leaf=2)
    met = [path for tree in trees_of(model.set_params(interaction_cst=interaction_cst)) for path in paths(tree)]
    assert all(any(path <= group for group in allowed) for path in met)
    assert max(len(path) for path in met) >= min(2, max(len(group) for group in allowed))
    free = [path for tree in trees_of(model.set_params(interaction_cst=None)) for path in paths(tree)]
    assert max(len(path) for path in free) > 3


def test_interaction_groups_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    by_name = Regressor(n_estimators=5, interaction_cst=[["a", "c"]], random_state=0).fit(frame, Y)
    by_place = Regressor(n_estimators=5, interaction_cst=[[0, 2]], random_state=0).fit(frame, Y)
    assert by_name.fingerprint_ == by_place.fingerprint_


# --- sampling --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sampling",
    [{"subsample": 0.5}, {"max_features": 0.4}, {"max_features": 2}, {"max_features_per_tree": "sqrt"}],
    ids=str,
)
def test_samples_are_drawn_by_the_seed(sampling):
    model = Regressor(n_estimators=5, random_state=1, **sampling)
    first = clone(model).fit(X, Y).fingerprint_
    assert clone(model).fit(X, Y).fingerprint_ == first
    assert clone(model).set_params(random_state=2).fit(X, Y).fingerprint_ != first
    assert clone(model).set_params(random_state=np.random.RandomState(1)).fit(X, Y).fingerprint_ == first
    assert Regressor(n_estimators=5, random_state=1).fit(X, Y).fingerprint_ != first


@pytest.mark.parametrize("share, most", [(0.4, 2), (2, 2), ("sqrt", 2), ("log2", 2), (1e-9, 1), (1.0, 5), (None, 5)])
def test_each_tree_uses_no_more_columns_than_it_may(share, most):
    trees = trees_of(Regressor(n_estimators=40, max_features_per_tree=share, min_samples_leaf=1))
    used = [set(tree.feature[~tree.is_leaf]) for tree in trees]
    assert max(map(len, used)) == most
    assert set.union(*used) == set(range(5))  # all columns have their turn


def test_each_node_draws_columns_anew():
    roots = {tree.feature[0] for tree in trees_of(Regressor(n_estimators=40, max_features=1))}
    assert roots == set(range(5))
    assert {tree.feature[0] for tree in trees_of(Regressor(n_estimators=3, max_features=None))} == {0}
    deep = trees_of(Regressor(n_estimators=1, max_features=1))[0]
    assert len(set(deep.feature[~deep.is_leaf])) > 2


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_each_round_draws_its_share_of_rows(share):
    counts = [
        tree.count[0] for tree in trees_of(Classifier(n_estimators=12, subsample=share), y=np.digitize(Y, [0, 2]))
    ]
    rounds = np.reshape(counts, (12, 3))
    assert (rounds == rounds[:, :1]).all()  # one draw for the three trees of a round
    assert len(set(rounds[:, 0])) > 3
    assert rounds.mean() == pytest.approx(600 * share, rel=0.05)


def test_a_subsample_still_predicts_well():
    half = Regressor(subsample=0.5, max_features=0.5, random_state=0).fit(X[:400], Y[:400])
    assert half.score(X[400:], Y[400:]) > 0.75


# --- importances -----------------------------------------------------------------------------------------------------


def test_importances_are_shares_of_what_the_splits_did():
    model = Regressor(n_estimators=10, random_state=0).fit(X, Y)
    assert (model.feature_importances_ == model.get_feature_importances()).all()
    assert model.feature_importances_.argmax() == 0
    for kind in ("gain", "split", "cover"):
        shares = model.get_feature_importances(kind)
        assert shares.shape == (5,)
        assert shares.sum() == pytest.approx(1.0)
        assert shares.min() >= 0
    splits = np.concatenate([tree.feature[~tree.is_leaf] for tree in plain_trees(model)])
    np.testing.assert_allclose(model.get_feature_importances("split"), np.bincount(splits, minlength=5) / len(splits))
    for other, kind in (("total_gain", "gain"), ("weight", "split"), ("total_cover", "cover")):  # XGBoost's names
        assert (model.get_feature_importances(other) == model.get_feature_importances(kind)).all()
    with pytest.raises(ValueError, match="kind must be 'gain', 'split' or 'cover', got 'total'"):
        model.get_feature_importances("total")


def test_importances_of_a_model_of_one_column():
    model = Regressor(n_estimators=3).fit(np.column_stack([np.zeros(600), X[:, 0], np.zeros(600)]), Y)
    for kind in ("gain", "split", "cover"):
        assert (model.get_feature_importances(kind) == [0, 1, 0]).all()
    constant = Regressor(n_estimators=3).fit(np.zeros((600, 2)), Y)
    assert (constant.feature_importances_ == 0).all()
    with pytest.raises(NotFittedError):
        Regressor().get_feature_importances()


def test_cover_is_the_rows_that_splits_decided_on():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 10, axis=0)
    y = np.repeat([0.0, 1.0, 10.0, 10.0], 10)  # the first column parts 40 rows, then the second parts 20
    model = Regressor(n_estimators=1, min_samples_leaf=1, l2_regularization=0.0).fit(X, y)
    np.testing.assert_allclose(model.get_feature_importances("cover"), [40 / 60, 20 / 60])
    np.testing.assert_allclose(model.get_feature_importances("split"), [1 / 2, 1 / 2])
