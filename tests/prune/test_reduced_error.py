"""Reduced-error pruning against the deck's own loop, which asks the model for every tree it might become."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, prune
from spinney.datasets import load_penguins
from spinney.prune.pruned_copy import with_tree
from spinney.prune.validation import find_errors, judge, sum_below
from spinney.tree.decision import SPREADS, STOPS
from spinney.tree.descend import ends_of_rows
from tests.compiled import few
from tests.prune.drawn import all_subtrees, collapse_at, draw

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 10**6)
CASES = st.builds(
    draw,
    SEEDS,
    is_class=st.booleans(),
    n_outputs=st.integers(1, 2),
    missing=st.sampled_from([0, 1, STOPS]),
)


def error(model, case):
    """Weight of wrong answers, or squared error, of all outputs: from the model's own predictions."""
    predicted = model.predict(case.X).reshape(case.y.shape)
    loss = predicted != case.y if hasattr(model, "classes_") else (predicted - case.y) ** 2
    return float((case.weight[:, None] * loss).sum())


def slow_greedy(case, equal):
    model = case.model
    while True:
        tree, here = model.tree_, error(model, case)
        choices = []
        for node in np.flatnonzero(~tree.is_leaf):
            smaller = with_tree(model, collapse_at(tree, [node]))
            removed = tree.n_nodes - smaller.tree_.n_nodes
            choices.append((round(error(smaller, case) - here, 9), removed, node, smaller))
        if not choices:
            return model
        rise, _, _, smaller = min(choices, key=lambda choice: choice[:3])
        if rise > 0 or (rise == 0 and equal == "keep"):
            return model
        model = smaller


@few(30, plain=5)
@given(CASES, st.sampled_from(["prune", "keep"]))
def test_equals_the_slow_greedy_loop(case, equal):
    ours = prune.reduced_error(case.model, case.X, case.y, sample_weight=case.weight, equal=equal)
    assert ours.fingerprint_ == slow_greedy(case, equal).fingerprint_


@few(40, plain=10)
@given(CASES, st.sampled_from(["prune", "keep"]), st.sampled_from(["greedy", "bottom_up"]))
def test_never_worsens_the_validation_error(case, equal, order):
    pruned = prune.reduced_error(case.model, case.X, case.y, sample_weight=case.weight, equal=equal, order=order)
    assert error(pruned, case) <= error(case.model, case) + 1e-9


@few(30, plain=5)
@given(SEEDS, st.booleans(), st.sampled_from([0, STOPS]), st.sampled_from(["prune", "keep"]))
def test_bottom_up_leaves_the_least_error_of_all_subtrees(seed, is_class, missing, equal):
    case = draw(seed, is_class, missing=missing, n_rows=16)
    options = dict(sample_weight=case.weight, equal=equal)
    pruned = prune.reduced_error(case.model, case.X, case.y, order="bottom_up", **options)
    greedy = prune.reduced_error(case.model, case.X, case.y, **options)
    tree = case.model.tree_
    subtrees = [with_tree(case.model, collapse_at(tree, cuts)) for cuts in all_subtrees(tree)[:400]]
    least = min(error(model, case) for model in subtrees)
    assert error(pruned, case) <= least + 1e-9
    assert error(pruned, case) <= error(greedy, case) + 1e-9


@few(20, plain=5)
@given(CASES, st.sampled_from(["prune", "keep"]), st.sampled_from(["greedy", "bottom_up"]))
def test_the_steps_lead_to_the_pruned_tree(case, equal, order):
    options = dict(sample_weight=case.weight, equal=equal, order=order)
    pruned = prune.reduced_error(case.model, case.X, case.y, **options)
    tree, total = case.model.tree_, case.weight.sum() * case.y.shape[1]
    before, cuts = error(case.model, case) / total, []
    for one in pruned.pruning_steps_:
        cuts.append(one.node)
        here = with_tree(case.model, tree.collapse(np.isin(np.arange(tree.n_nodes), cuts)))
        assert one.n_leaves == here.get_n_leaves()
        assert one.error == pytest.approx(error(here, case) / total, abs=1e-9)
        assert one.subtree_error - one.leaf_error == pytest.approx(before - one.error, abs=1e-9)
        before = one.error
    assert pruned.get_n_leaves() == (pruned.pruning_steps_[-1].n_leaves if cuts else tree.n_leaves)


def test_nodes_without_validation_rows():
    case = draw(1)
    one, its_y = case.X[:1], case.model.predict(case.X[:1])
    assert prune.reduced_error(case.model, one, its_y, equal="keep").fingerprint_ == case.model.fingerprint_
    pruned = prune.reduced_error(case.model, one, its_y)
    assert pruned.get_n_leaves() < case.model.get_n_leaves()
    assert pruned.predict(one) == its_y


def test_rows_of_no_weight_say_nothing():
    case = draw(4)
    weight = np.where(np.arange(len(case.X)) < 20, case.weight, 0.0)
    some = prune.reduced_error(case.model, case.X[:20], case.y[:20], sample_weight=case.weight[:20])
    assert prune.reduced_error(case.model, case.X, case.y, sample_weight=weight).fingerprint_ == some.fingerprint_


@few(20, plain=5)
@given(CASES)
def test_weights_are_repetitions(case):
    repeats = np.repeat(np.arange(len(case.X)), case.weight.astype(int))
    once = prune.reduced_error(case.model, case.X, case.y, sample_weight=case.weight)
    assert prune.reduced_error(case.model, case.X[repeats], case.y[repeats]).fingerprint_ == once.fingerprint_


@few(20, plain=5)
@given(SEEDS, st.booleans(), st.sampled_from([0, STOPS]))
def test_relabelling_asks_training_and_validation_rows(seed, is_class, missing):
    case = draw(seed, is_class, missing=missing)
    options = dict(sample_weight=case.weight, equal="keep")
    plain = prune.reduced_error(case.model, case.X, case.y, **options)
    told = prune.reduced_error(case.model, case.X, case.y, relabel=True, **options)
    tree = plain.tree_
    ends = plain.apply(case.X)
    for leaf in np.flatnonzero(tree.is_leaf):
        here = ends == leaf
        old, new = tree.weight[leaf], case.weight[here]
        if is_class:
            counts = np.bincount(case.y[here, 0], new, 3)
            expected = tree.answers[leaf, 0] + counts if old > 0 or not here.any() else counts
        else:
            total = old + new.sum()
            mean = (old * tree.answers[leaf, 0] + (new * case.y[here, 0]).sum()) / total if here.any() else None
            expected = tree.answers[leaf, 0] if mean is None else mean
        np.testing.assert_allclose(told.tree_.answers[leaf, 0], expected)
    np.testing.assert_array_equal(told.tree_.feature, tree.feature)
    leaves = np.flatnonzero(tree.is_leaf)
    new = np.bincount(ends, case.weight, tree.n_nodes)
    np.testing.assert_allclose(told.tree_.weight[leaves], (tree.weight + new)[leaves])
    assert told.tree_.weight[0] == pytest.approx(tree.weight[0] + case.weight.sum())


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_relabelled_nodes_show_what_they_were_relabelled_with(criterion):
    """Counts, weights, impurities and answers are those of all rows that pass, training and validation together."""
    rng = np.random.RandomState(0)
    X, X_val = rng.rand(200, 3), rng.rand(150, 3)
    y, y_val = (((one[:, 0] > 0.4) ^ (one[:, 1] > 0.6)) + 0.3 * rng.randn(len(one)) for one in (X, X_val))
    if criterion != "squared_error":
        y, y_val = y > 0.5, y_val > 0.5
    kind = DecisionTreeRegressor if criterion == "squared_error" else DecisionTreeClassifier
    full = kind(criterion=criterion).fit(X, y)
    weight = rng.randint(0, 3, 150)
    told = prune.reduced_error(full, X_val, y_val, sample_weight=weight, relabel=True, equal="keep", order="bottom_up")
    tree, every, said = told.tree_, np.vstack([X, X_val]), np.concatenate([y, y_val]).astype(float)
    weights = np.concatenate([np.ones(200), weight])
    passes = told.decision_path(every).toarray().astype(bool)
    assert 3 < tree.n_leaves < full.get_n_leaves()
    for node in range(tree.n_nodes):
        here = passes[:, node]
        mean = np.average(said[here], weights=weights[here])
        assert tree.n_samples[node] == (here & (weights > 0)).sum()
        assert tree.weight[node] == weights[here].sum()
        expected = {
            "gini": 2 * mean * (1 - mean),
            "squared_error": np.average((said[here] - mean) ** 2, weights=weights[here]),
            "entropy": -sum(p * np.log2(p) for p in (mean, 1 - mean) if p > 0),
        }
        assert tree.impurity[node] == pytest.approx(expected[criterion], abs=1e-9)
        assert tree.value[node, 0, -1] == pytest.approx(mean)


def test_rows_that_go_several_ways_count_once_in_a_node():
    X, y = load_penguins()
    model = C45Classifier(prune=False).fit(X[::2], y[::2])
    told = prune.reduced_error(model, X[1::2], y[1::2], relabel=True)
    assert told.tree_.n_samples[0] == len(y)
    assert told.tree_.weight[0] == len(y)


@few(20, plain=5)
@given(SEEDS)
def test_rows_that_spread_count_by_their_shares(seed):
    case = draw(seed, missing=SPREADS)
    model, tree = case.model, case.model.tree_
    row, node, share = ends_of_rows(tree, model._read(case.X))
    np.testing.assert_allclose(np.bincount(row, share), 1.0)
    proba = np.zeros((len(case.X), 3))
    np.add.at(proba, row, share[:, None] * tree.probabilities[node, 0])
    np.testing.assert_allclose(proba, model.predict_proba(case.X))

    def fractional_error(tree):
        row, node, share = ends_of_rows(tree, model._read(case.X))
        wrong = tree.answers[node, 0].argmax(axis=1) != case.y[row, 0]
        return (case.weight[row] * share * wrong).sum()

    errors = find_errors(tree, judge(model, case.X, case.y, case.weight))
    unit = 2.0**-errors.exponent
    assert sum_below(tree, errors.ending)[0, 0] * unit == pytest.approx(fractional_error(tree))
    for cut in np.flatnonzero(~tree.is_leaf):
        change = (errors.as_leaf - sum_below(tree, errors.ending))[cut, 0] * unit
        expected = fractional_error(collapse_at(tree, [cut])) - fractional_error(tree)
        assert change == pytest.approx(expected, abs=1e-9)
    pruned = prune.reduced_error(model, case.X, case.y, sample_weight=case.weight)
    assert fractional_error(pruned.tree_) <= fractional_error(tree) + 1e-9


def test_labels_may_be_strings_and_other_tables():
    pandas = pytest.importorskip("pandas")
    case = draw(2)
    case.model.classes_ = np.array(["a", "b", "c"])
    names = case.model.classes_[case.y[:, 0]]
    by_name = prune.reduced_error(case.model, case.X, pandas.Series(names))
    case.model.classes_ = np.arange(3)
    assert by_name.fingerprint_ == prune.reduced_error(case.model, case.X.tolist(), case.y[:, 0]).fingerprint_
