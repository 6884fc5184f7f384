"""The same trees as scikit-learn's, node by node, from drawn data.

scikit-learn looks at columns in random order and keeps the first of equal splits; so where the two trees part, both
splits must be worth the same. Tables without ties give the same tree throughout, and then everything that is read from
it must be the same too. X is drawn from what float32 holds exactly, as scikit-learn casts it; weights are multiples of
1/64, so that its sums of them are exact as ours are, and a pure node is pure for both.
"""

import numpy as np
import pytest
import sklearn.datasets
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from tests.compiled import few
from tests.prune.from_sklearn import convert_tree, preorder

CLASS_CRITERIA = ("gini", "entropy", "log_loss")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
WITH_GAPS = (*CLASS_CRITERIA, "squared_error", "poisson")
KINDS = {
    True: (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier),
    False: (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor),
}


def draw_table(random, n, n_columns=3, gaps=0.0):
    X = random.randint(-300, 300, (n, n_columns)) / 64
    X[:, -1] = random.randint(0, 4, n)
    X[random.rand(n, n_columns) < gaps] = np.nan
    return X


def draw_weight(random, n):
    return random.randint(1, 500, n) / 64


def signal_of(X, random):
    values = np.nan_to_num(X, nan=1.5)
    return np.sin(values[:, 0]) + 0.3 * values[:, -1] + 0.5 * random.randn(len(X))


def draw_target(random, X, criterion, n_outputs=1):
    y = np.column_stack([signal_of(X, random) for _ in range(n_outputs)])
    if criterion in CLASS_CRITERIA:
        y = np.digitize(y, np.quantile(y, (0.4, 0.7)[: random.randint(1, 3)]))
    elif criterion == "poisson":
        y = random.poisson(np.exp(y)) * random.randint(64, 96, y.shape) / 64  # sums of 0 are 0 for scikit-learn too
        y[0] += 1
    return y[:, 0] if n_outputs == 1 else y


def fit_both(X, y, weight=None, *, criterion, **options):
    ours, theirs = KINDS[criterion in CLASS_CRITERIA]
    mine = ours(criterion=criterion, **options).fit(X, y, weight)
    return mine, theirs(criterion=criterion, random_state=0, **options).fit(X, y, weight)


def same_node(tree, a, other, b, scale):
    assert tree.n_samples[a] == other.n_samples[b]
    np.testing.assert_allclose(tree.weight[a], other.weight[b], rtol=1e-12)
    np.testing.assert_allclose(tree.impurity[a], other.impurity[b], rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(tree.value[a], other.value[b], rtol=1e-9, atol=1e-9 * scale)


def walk(mine, theirs, criterion, X):
    """Assert that the trees are the same as far as they must be; returns (nodes compared, places where they part)."""
    n_classes = tuple(int(n) for n in np.atleast_1d(theirs.n_classes_)) if hasattr(theirs, "n_classes_") else None
    tree, other = mine.tree_, convert_tree(theirs.tree_, n_classes)
    falls, their_falls = tree.impurity_decreases(), other.impurity_decreases()
    scale = max(1.0, tree.impurity[0])
    slack = (3e-7 if criterion in ("entropy", "log_loss") else 1e-9) * scale
    compared, parted, waiting = 0, 0, [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        same_node(tree, a, other, b, scale)
        compared += 1
        same_test = tree.feature[a] == other.feature[b] and (tree.threshold[a] == other.threshold[b] or tree.is_leaf[a])
        if tree.is_leaf[a] and other.is_leaf[b]:
            continue
        if same_test and tree.missing[a] == other.missing[b]:
            waiting += zip(tree.children_of(a).tolist(), other.children_of(b).tolist(), strict=True)
            continue
        assert not tree.is_leaf[a]
        assert not other.is_leaf[b]
        assert falls[a] == pytest.approx(their_falls[b], rel=1e-9, abs=slack * tree.weight[a] / tree.weight[0])
        parted += 1
    return compared, parted


OPTIONS = {
    "max_depth": (1, 3, 6),
    "min_samples_split": (10, 0.2),
    "min_samples_leaf": (4, 0.05),
    "min_weight_fraction_leaf": (0.06, 0.2),
    "min_impurity_decrease": (0.0123, 0.1),
}


def draw_options(random):
    return {name: some[random.randint(len(some))] for name, some in OPTIONS.items() if random.rand() < 0.25}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", *NUMBER_CRITERIA])
@few(40)
@given(seed=st.integers(0, 10**6))
def test_the_same_tree_up_to_ties(criterion, weighted, seed):
    random = np.random.RandomState(seed)
    gaps = random.choice((0.0, 0.2)) if criterion in WITH_GAPS else 0.0
    X = draw_table(random, int(random.choice((80, 30, 8))), gaps=gaps)
    y = draw_target(random, X, criterion)
    weight = draw_weight(random, len(X)) if weighted or criterion == "absolute_error" else None
    mine, theirs = fit_both(X, y, weight, criterion=criterion, **draw_options(random))
    walk(mine, theirs, criterion, X)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson"])
@few(20)
@given(seed=st.integers(0, 10**6))
def test_several_outputs_up_to_ties(criterion, seed):
    random = np.random.RandomState(seed)
    X = draw_table(random, 50)
    y = draw_target(random, X, criterion, n_outputs=int(random.choice((2, 3))))
    weight = draw_weight(random, 50) if criterion in CLASS_CRITERIA else None
    mine, theirs = fit_both(X, y, weight, criterion=criterion, **draw_options(random))
    walk(mine, theirs, criterion, X)


# --- without ties ---------------------------------------------------------------------------------------------------


def draw_clear(seed, criterion, n_outputs=1, gaps=0.0, n=150, steps=300):
    """A table in which no two splits are worth the same: columns of many values, rows of many weights."""
    random = np.random.RandomState(seed)
    X = random.randint(-steps, steps, (n, 3)) / 64
    X[random.rand(n, 3) < gaps] = np.nan
    y, weight = draw_target(random, X, criterion, n_outputs), draw_weight(random, n)
    return X, y, weight if criterion in CLASS_CRITERIA or n_outputs == 1 else None


SIZES = "weighted_n_node_samples", "n_node_samples"


def larger_is_left(tree, inner, size):
    """Whether more than half of a node is on its left side."""
    return 2 * size[tree.children_left[inner]] > size[inner]


def same_everything(mine, theirs, X):
    """All that can be read from two trees."""
    order = preorder(theirs.tree_)
    number = np.argsort(order)
    tree, other = mine.tree_, theirs.tree_
    for name in ("feature", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name)[order])
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(tree.threshold[inner], other.threshold[order][inner])
    to_left, theirs_to_left = tree.missing_go_to_left[inner], other.missing_go_to_left[order][inner]
    by_weight, by_rows = (larger_is_left(tree, inner, getattr(tree, name)) for name in SIZES)
    unseen = (to_left == by_weight) & (theirs_to_left == by_rows)  # scikit-learn counts rows, whatever they weigh
    assert ((to_left == theirs_to_left) | unseen).all()
    np.testing.assert_array_equal(tree.children_left[inner], number[other.children_left[order][inner]])
    np.testing.assert_array_equal(tree.children_right[inner], number[other.children_right[order][inner]])
    for name in ("impurity", "value", "weighted_n_node_samples"):
        np.testing.assert_allclose(getattr(tree, name), getattr(other, name)[order], rtol=1e-9, atol=1e-9)
    assert (tree.node_count, tree.max_depth, tree.n_leaves) == (other.node_count, other.max_depth, other.n_leaves)
    assert (mine.get_depth(), mine.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    np.testing.assert_allclose(mine.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(mine.apply(X), number[theirs.apply(X)])
    path, their_path = mine.decision_path(X), theirs.decision_path(X)
    assert path.dtype == their_path.dtype
    np.testing.assert_array_equal(path.toarray(), their_path.toarray()[:, order])
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), rtol=1e-9, atol=1e-12)
    if hasattr(mine, "predict_proba"):
        for one, another in zip(*(np.atleast_3d(model.predict_proba(X)) for model in (mine, theirs)), strict=True):
            np.testing.assert_allclose(one, another, rtol=1e-9, atol=1e-12)


CLEAR = [
    ("gini", 1, 0.0, {"min_samples_leaf": 5}),
    ("gini", 1, 0.2, {"min_samples_leaf": 5, "max_depth": 4}),
    ("gini", 2, 0.0, {"min_samples_leaf": 8, "max_leaf_nodes": 8}),
    ("entropy", 1, 0.1, {"max_leaf_nodes": 9, "min_samples_leaf": 3}),
    ("squared_error", 1, 0.2, {"min_samples_leaf": 8}),
    ("squared_error", 1, 0.0, {"max_leaf_nodes": 12}),
    ("squared_error", 3, 0.0, {"min_samples_split": 12, "min_samples_leaf": 4}),
    ("poisson", 1, 0.1, {"min_samples_leaf": 6}),
    ("absolute_error", 1, 0.0, {"min_samples_leaf": 7}),
    ("absolute_error", 1, 0.0, {"max_leaf_nodes": 6, "min_samples_leaf": 5}),
]


@pytest.mark.parametrize("criterion, n_outputs, gaps, options", CLEAR, ids=lambda one: str(one))
def test_the_same_tree_and_all_that_is_read_from_it(criterion, n_outputs, gaps, options):
    for seed in range(4):
        X, y, weight = draw_clear(seed, criterion, n_outputs, gaps)
        mine, theirs = fit_both(X, y, weight, criterion=criterion, **options)
        assert mine.get_n_leaves() > 3
        same_everything(mine, theirs, X)
        if gaps:
            new = draw_clear(seed + 100, criterion, n_outputs, 0.5)[0]
            np.testing.assert_allclose(mine.predict(new), theirs.predict(new), rtol=1e-9)


@pytest.mark.parametrize("criterion, n_outputs, gaps, options", CLEAR[::2], ids=lambda one: str(one))
def test_the_same_pruning(criterion, n_outputs, gaps, options):
    X, y, weight = draw_clear(9, criterion, n_outputs, gaps)
    ours, theirs = KINDS[criterion in CLASS_CRITERIA]
    mine = ours(criterion=criterion, **options)
    other = theirs(criterion=criterion, random_state=0, **options)
    path, their_path = (model.cost_complexity_pruning_path(X, y, weight) for model in (mine, other))
    np.testing.assert_allclose(path.ccp_alphas, their_path.ccp_alphas, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(path.impurities, their_path.impurities, rtol=1e-7, atol=1e-9)
    for alpha in (path.ccp_alphas[1:] + path.ccp_alphas[:-1]) / 2:
        pruned = [model.set_params(ccp_alpha=alpha).fit(X, y, weight) for model in (mine, other)]
        same_everything(*pruned, X)
        mine, other = pruned


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize("best_first", [False, True], ids=["depth-first", "best-first"])
def test_the_same_monotone_trees(criterion, best_first):
    options = {"monotonic_cst": [1, 0, -1], "min_samples_leaf": 5}
    options |= {"max_leaf_nodes": 10} if best_first else {}
    for seed in range(4):
        X, y, weight = draw_clear(seed, criterion)
        y = (y > 0).astype(int) if criterion in CLASS_CRITERIA else y
        mine, theirs = fit_both(X, y, weight, criterion=criterion, **options)
        free = fit_both(X, y, weight, criterion=criterion, **{**options, "monotonic_cst": None})[0]
        assert mine.fingerprint_ != free.fingerprint_
        same_everything(mine, theirs, X)


def test_class_weights():
    """100 rows of one class and 50 of the other: balanced weights are 3/4 and 3/2, exact for both."""
    X, y, weight = draw_clear(3, "squared_error")
    y = (np.argsort(np.argsort(y)) >= 100).astype(int)
    for class_weight in ("balanced", {0: 2.0, 1: 0.5}):
        for sample_weight in (None, weight):
            options = {"min_samples_leaf": 5, "class_weight": class_weight}
            mine, theirs = fit_both(X, y, sample_weight, criterion="gini", **options)
            assert walk(mine, theirs, "gini", X)[0] > 5
    shares = DecisionTreeClassifier(class_weight="balanced", max_depth=1).fit(X, y).tree_.probabilities[0]
    np.testing.assert_allclose(shares, [[0.5, 0.5]])


def test_friedmans_score_makes_the_splits_of_squared_error():
    X, y, weight = draw_clear(0, "squared_error")
    one, other = (DecisionTreeRegressor(criterion=name).fit(X, y, weight) for name in ("friedman_mse", "squared_error"))
    assert one.fingerprint_ == other.fingerprint_


def test_iris():
    """The lectures' data: at the root two columns are equally good, and so are the trees."""
    X, y = sklearn.datasets.load_iris(return_X_y=True)
    X = X.astype(np.float32)
    for depth in (1, 2, 3):
        mine, theirs = fit_both(X, y, criterion="gini", max_depth=depth)
        walk(mine, theirs, "gini", X)
        assert mine.score(X, y) == theirs.score(X, y)
