"""Cost-complexity pruning: scikit-learn's trees and alphas to the last bit, and the least cost of all subtrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import DecisionTreeClassifier as OurTree
from spinney import GradientBoostingClassifier, ID3Classifier, prune
from spinney.datasets import load_penguins, load_restaurant
from spinney.prune.cost_complexity import collapse_by_alpha, full_path, pruning_path
from spinney.prune.pruned_copy import with_tree
from tests.compiled import PLAIN_PYTHON, few
from tests.prune.drawn import all_subtrees, collapse_at, draw, large_tree
from tests.prune.from_sklearn import convert_tree

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 10**6)


def their_case(seed, kind, n_rows=120):
    """(their model, X, y, weights, n_classes for the conversion)."""
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 12, (n_rows, 3)).astype(np.float32)
    weight = [None, rng.randint(1, 4, n_rows).astype(float), rng.rand(n_rows)][seed % 3]
    options = dict(random_state=0, min_samples_leaf=1 + seed % 4)
    if kind == "classes":
        y = (X[:, 0] > 5) + rng.randint(0, 2, n_rows)
        criterion = ["gini", "entropy"][seed % 2]
        return DecisionTreeClassifier(criterion=criterion, **options), X, y, weight, (len(np.unique(y)),)
    if kind == "two outputs":
        y = rng.randint(0, 3, (n_rows, 2))
        return DecisionTreeClassifier(**options), X, y, weight, (3, 3)
    return DecisionTreeRegressor(**options), X, X[:, 0] + rng.randint(-5, 6, n_rows), weight, None


@pytest.mark.parametrize("kind", ["classes", "two outputs", "numbers"])
@few(25, plain=3)
@given(SEEDS)
def test_path_and_trees_are_scikit_learns_to_the_last_bit(kind, seed):
    theirs, X, y, weight, n_classes = their_case(seed, kind)
    path = theirs.cost_complexity_pruning_path(X, y, sample_weight=weight)
    tree = convert_tree(theirs.fit(X, y, sample_weight=weight).tree_, n_classes)
    alphas, impurities = pruning_path(tree)
    np.testing.assert_array_equal(impurities, path.impurities)
    np.testing.assert_array_equal(alphas, np.maximum.accumulate(path.ccp_alphas))  # theirs can fall by rounding
    for alpha in np.random.RandomState(seed).choice(alphas, 5):
        for wanted in (alpha, np.nextafter(alpha, np.inf), np.nextafter(alpha, -np.inf)):
            if wanted >= 0.0:
                pruned = theirs.set_params(ccp_alpha=wanted).fit(X, y, sample_weight=weight)
                expected = convert_tree(pruned.tree_, n_classes)
                assert collapse_by_alpha(tree, wanted).fingerprint == expected.fingerprint


def test_trees_grown_best_first_differ_by_rounding_only():
    theirs, X, y, _, n_classes = their_case(0, "classes", 400)
    theirs.set_params(max_leaf_nodes=60)
    path = theirs.cost_complexity_pruning_path(X, y)
    alphas, impurities = pruning_path(convert_tree(theirs.fit(X, y).tree_, n_classes))
    np.testing.assert_allclose(alphas, path.ccp_alphas, atol=1e-14)
    np.testing.assert_allclose(impurities, path.impurities, atol=1e-14)


def cost(tree):
    leaves = tree.is_leaf
    return (tree.weight * tree.impurity)[leaves].sum() / tree.weight[0]


@few(40, plain=10)
@given(SEEDS, st.booleans(), st.integers(1, 2), st.floats(0, 1))
def test_no_subtree_costs_less(seed, is_class, n_outputs, price):
    tree = draw(seed, is_class, n_outputs, n_rows=18).model.tree_
    alpha = price * tree.impurity[0]
    pruned = collapse_by_alpha(tree, alpha)
    ours = cost(pruned) + alpha * pruned.n_leaves
    others = [collapse_at(tree, cuts) for cuts in all_subtrees(tree)[:3000]]
    assert ours <= min(cost(other) + alpha * other.n_leaves for other in others) + 1e-12


@few(40, plain=10)
@given(SEEDS, st.booleans(), st.integers(1, 2), st.floats(0, 0.5))
def test_no_subtree_costs_less_if_nodes_have_a_price(seed, is_class, n_outputs, price):
    """The lectures' form, alpha * nodes + impurity of the leaves: by brute force over all subtrees."""
    tree = draw(seed, is_class, n_outputs, n_rows=18).model.tree_
    alpha = price * tree.impurity[0]
    pruned = collapse_by_alpha(tree, alpha, "nodes")
    ours = cost(pruned) + alpha * pruned.n_nodes
    others = [collapse_at(tree, cuts) for cuts in all_subtrees(tree)[:3000]]
    assert ours <= min(cost(other) + alpha * other.n_nodes for other in others) + 1e-12
    path = full_path(tree, "nodes")
    assert (np.diff(path.alphas) >= 0.0).all()
    sizes = [collapse_by_alpha(tree, one, "nodes").n_nodes for one in path.alphas]
    assert sizes == sorted(sizes, reverse=True)


def wrong(tree):
    """The share of the weight that the leaves misclassify, the mean over outputs."""
    leaves = tree.answers[tree.is_leaf & (tree.weight > 0)]  # others have what their parents had
    right = leaves.max(axis=2).sum() / tree.n_outputs
    return 1.0 - right / tree.weight[0]


@few(40, plain=10)
@given(SEEDS, st.integers(1, 2), st.floats(0.001, 0.3))
def test_no_subtree_has_fewer_errors_for_its_leaves(seed, n_outputs, alpha):
    """CART's own cost, and rpart's: by brute force over all subtrees."""
    model = draw(seed, True, n_outputs, n_rows=18).model
    tree = model.tree_
    pruned = prune.cost_complexity(model, alpha, criterion="error").tree_
    others = [collapse_at(tree, cuts) for cuts in all_subtrees(tree)[:3000]]
    assert wrong(pruned) + alpha * pruned.n_leaves <= min(wrong(one) + alpha * one.n_leaves for one in others) + 1e-12
    path = prune.cost_complexity_path(model, criterion="error")
    assert path.impurities[0] == pytest.approx(wrong(tree))
    assert path.impurities[-1] == pytest.approx(wrong(tree.collapse(np.arange(tree.n_nodes) == 0)))


def test_the_impurity_that_is_pruned_by():
    X, y = load_penguins()
    gini, entropy = (OurTree(criterion=one).fit(X, y) for one in ("gini", "entropy"))
    for full, own in ((gini, "gini"), (entropy, "entropy")):
        alphas = prune.cost_complexity_path(full).ccp_alphas
        np.testing.assert_array_equal(prune.cost_complexity_path(full, criterion=own).ccp_alphas, alphas)
        assert prune.cost_complexity_path(full, criterion="error").ccp_alphas.tolist() != alphas.tolist()
    one = prune.cost_complexity_cv(gini, X, y, criterion="error")
    alpha = one.pruning_curve_.path_alphas[one.pruning_curve_.chosen]
    assert one.fingerprint_ == prune.cost_complexity(gini, alpha, criterion="error").fingerprint_
    with pytest.raises(ValueError, match="criterion must be 'gini', 'entropy', 'error' or None, got 'errors'"):
        prune.cost_complexity(gini, 0.1, criterion="errors")
    boosted = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="is supported only for classification trees"):
        prune.cost_complexity(boosted, 0.1, criterion="error")


def test_the_price_of_a_node_in_binary_trees_and_in_others():
    X, y = load_penguins()
    full = OurTree().fit(X, y)
    path = prune.cost_complexity_path(full)
    np.testing.assert_allclose(prune.cost_complexity_path(full, cost="nodes").ccp_alphas, path.ccp_alphas / 2)
    for alpha in (0.004, 0.02, 0.1):
        by_node = prune.cost_complexity(full, alpha, cost="nodes")
        assert by_node.fingerprint_ == prune.cost_complexity(full, 2 * alpha).fingerprint_
    restaurant = ID3Classifier().fit(*load_restaurant())
    assert prune.cost_complexity(restaurant, 0.05, cost="nodes").get_n_leaves() == 8
    assert prune.cost_complexity(restaurant, 0.10).get_n_leaves() == 4
    boosted = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    pruned = prune.cost_complexity(boosted, 2.0, cost="nodes")
    assert pruned.fingerprint_ == prune.cost_complexity(boosted, 4.0).fingerprint_ != boosted.fingerprint_
    for call in (
        lambda: prune.cost_complexity(full, 0.1, cost="rows"),
        lambda: prune.cost_complexity_path(full, cost=1),
    ):
        with pytest.raises(ValueError, match="cost must be 'leaves' or 'nodes', got "):
            call()


@few(40, plain=10)
@given(SEEDS, st.booleans())
def test_the_path_is_a_chain_of_subtrees(seed, is_class):
    tree = draw(seed, is_class).model.tree_
    path = full_path(tree)
    assert (np.diff(path.alphas) >= 0.0).all()
    assert path.alphas[0] == 0.0
    assert (np.diff(path.costs) >= -1e-12).all()
    assert path.costs[0] == pytest.approx(cost(tree))
    if not tree.is_leaf[0]:
        assert path.costs[-1] == pytest.approx(tree.impurity[0])
    leaves = [collapse_by_alpha(tree, alpha).n_leaves for alpha in path.alphas]
    assert leaves[0] == tree.n_leaves
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1
    for alpha, after in zip(path.alphas[1:], path.alphas[2:]):
        if 0.0 < alpha < after:
            pruned = collapse_by_alpha(tree, alpha)
            assert cost(pruned) == pytest.approx(path.costs[np.searchsorted(path.alphas, alpha, side="right") - 1])


@few(30, plain=10)
@given(SEEDS, st.floats(0, 0.5), st.floats(0, 0.5))
def test_a_larger_alpha_gives_a_subtree_of_the_smaller_ones(seed, one, other):
    tree = draw(seed).model.tree_
    low, high = collapse_by_alpha(tree, min(one, other)), collapse_by_alpha(tree, max(one, other))
    again = collapse_by_alpha(low, max(one, other))
    assert high.n_leaves <= low.n_leaves
    assert again.n_leaves == high.n_leaves
    np.testing.assert_array_equal(again.answers, high.answers)


def test_the_model_is_copied():
    case = draw(1)
    before, parameters = case.model.fingerprint_, case.model.get_params()
    pruned = prune.cost_complexity(case.model, 0.05)
    assert type(pruned) is type(case.model)
    assert pruned.get_params() == parameters
    assert pruned.get_n_leaves() < case.model.get_n_leaves()
    assert case.model.fingerprint_ == before != pruned.fingerprint_
    assert len(pruned.predict(case.X)) == len(case.X)
    assert prune.cost_complexity(case.model, 0).fingerprint_ == before
    assert prune.cost_complexity(case.model, np.inf).get_n_leaves() == 1


def test_the_path_of_a_model():
    model = draw(1).model
    path = prune.cost_complexity_path(model)
    assert set(path) == {"ccp_alphas", "impurities"}
    assert len(path.ccp_alphas) == len(path.impurities)
    assert prune.cost_complexity_path(prune.cost_complexity(model, np.inf)).ccp_alphas.tolist() == [0.0]


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python takes its time")
def test_a_hundred_thousand_nodes():
    tree = large_tree(50_000, np.random.RandomState(0))
    path = full_path(tree)  # 0.15 s; comparing all nodes for each cut would take minutes
    assert collapse_by_alpha(tree, np.median(path.alphas)).n_nodes < tree.n_nodes == 99_999
    assert len(path.alphas) > 1000


@pytest.mark.parametrize("cost", ["leaves", "nodes"])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("alpha", [0.02, 0.05, 0.09, 0.1, 0.2])
def test_the_sum_is_minimised(cost, weighted, alpha):
    """The lecture's sum: alpha times the nodes, and the leaves' entropies, weighted by rows or as printed (000)."""
    full = ID3Classifier().fit(*load_restaurant())
    pruned = prune.cost_complexity(full, alpha, cost=cost, weighted=weighted)
    options = {"cost": cost, "weighted": weighted}
    costs = [
        prune.tree_cost(with_tree(full, collapse_at(full.tree_, cuts)), alpha, **options)
        for cuts in all_subtrees(full.tree_)
    ]
    assert prune.tree_cost(pruned, alpha, **options) == pytest.approx(min(costs))


def test_the_lectures_sum():
    full = ID3Classifier().fit(*load_restaurant())
    assert full.tree_.n_nodes == 12
    assert prune.tree_cost(full, 0.1, cost="nodes", weighted=False) == pytest.approx(1.2)
    patrons = ID3Classifier(max_depth=1).fit(*load_restaurant())
    assert prune.tree_cost(patrons, 0.1, cost="nodes", weighted=False) == pytest.approx(0.4 + 0.918, abs=5e-4)
    assert prune.tree_cost(patrons, 0.1, cost="nodes") == pytest.approx(0.4 + 0.918 / 2, abs=5e-4)
    kept = [prune.cost_complexity(full, a, cost="nodes", weighted=False).get_n_leaves() for a in (0, 0.09, 0.10)]
    assert kept == [8, 8, 1]


def test_errors_of_the_sum():
    full = ID3Classifier().fit(*load_restaurant())
    with pytest.raises(ValueError, match="cost must be 'leaves' or 'nodes', got 'depth'"):
        prune.tree_cost(full, 0.1, cost="depth")
    with pytest.raises(ValueError, match="alpha"):
        prune.tree_cost(full, -1)
    boosted = GradientBoostingClassifier(n_estimators=2).fit([[0.0], [1.0]] * 30, [0, 1] * 30)
    with pytest.raises(TypeError, match="does not support boosted models"):
        prune.cost_complexity(boosted, 0.1, weighted=False)
