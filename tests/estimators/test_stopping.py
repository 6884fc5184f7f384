"""Stopping rules that all trees share: limits of ID3 and C4.5 under CART's names, and one's own validation rows."""

import numpy as np
import pandas as pd
import pytest

from spinney import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier
from spinney.datasets import load_flights, load_penguins, load_restaurant, load_tennis
from spinney.prune.validation import find_errors, judge

CLASSIC = [ID3Classifier, C45Classifier]
classic = pytest.mark.parametrize("kind", CLASSIC)


def noisy(n, seed):
    """Strings that say something, strings that do not, and missing values."""
    rng = np.random.RandomState(seed)
    X = pd.DataFrame({f"c{k}": rng.choice(list("abcd"), n) for k in range(5)})
    y = np.where(X["c0"].isin(["a", "b"]) ^ (X["c1"] == "c") ^ (rng.rand(n) < 0.3), "yes", "no")
    return X.mask(rng.rand(*X.shape) < 0.05), y


def whole(kind, **limits):
    """A tree that is not pruned after it is grown."""
    return kind(**limits, **({"prune": False} if kind is C45Classifier else {}))


X, Y = noisy(600, 0)
X_NEW, Y_NEW = noisy(400, 1)


@classic
@pytest.mark.parametrize(
    "limits",
    [
        {"max_leaf_nodes": 8},
        {"min_samples_split": 100},
        {"min_samples_split": 0.2},
        {"min_samples_leaf": 40},
        {"min_impurity_decrease": 0.01},
        {"significance": 0.001},
        {"n_iter_no_change": 3, "random_state": 0},
    ],
)
def test_every_limit_makes_the_tree_smaller(kind, limits):
    full, limited = whole(kind).fit(X, Y), whole(kind, **limits).fit(X, Y)
    assert 1 < limited.get_n_leaves() < full.get_n_leaves()
    tree = limited.tree_
    assert tree.n_leaves <= limits.get("max_leaf_nodes", np.inf)
    asks = ~tree.is_leaf
    least = limits.get("min_samples_split", 0)
    assert (tree.weight[asks] >= (least if least > 1 else 600 * least)).all()
    for node in np.flatnonzero(asks):
        assert (tree.weight[tree.children_of(node)] >= limits.get("min_samples_leaf", 0)).sum() >= 2
    assert limited.score(X_NEW, Y_NEW) > 0.55


@classic
def test_defaults_change_nothing(kind):
    for load in (load_restaurant, load_tennis):
        table, y = load()
        told = {"min_samples_split": 2, "max_leaf_nodes": None, "min_impurity_decrease": 0.0, "significance": None}
        assert kind().fit(table, y).fingerprint_ == kind(**told, n_jobs=2).fit(table, y).fingerprint_
        assert kind(max_leaf_nodes=1000).fit(table, y).fingerprint_ == kind().fit(table, y).fingerprint_


def test_trees_of_growing_size_are_nested_and_a_split_that_does_not_fit_is_passed_over():
    table, y = load_restaurant()
    sizes = [ID3Classifier(max_leaf_nodes=k).fit(table, y).get_n_leaves() for k in range(2, 10)]
    assert sizes == [1, 3, 4, 4, 4, 7, 8, 8]
    assert max(sizes) == ID3Classifier().fit(table, y).get_n_leaves()


@classic
def test_significance_is_that_of_the_pruning(kind):
    """What survives growing under a level is what nobody would prune at that level."""
    from spinney import prune

    limited = whole(kind, significance=0.01).fit(X.fillna("a"), Y)
    assert prune.significance(limited, alpha=0.01).fingerprint_ == limited.fingerprint_
    if kind is ID3Classifier:
        root = ID3Classifier(significance=1e-12).fit(X.fillna("a"), Y)
        assert root.get_n_leaves() == 1


# --- eval_set ---------------------------------------------------------------------------------------------------------

KINDS = [ID3Classifier, C45Classifier, DecisionTreeClassifier]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("patience", [1, 5, 1000])
def test_own_rows_say_when_to_stop(kind, patience):
    weight = np.random.RandomState(0).randint(0, 4, len(Y_NEW))
    n = 200 if patience == 1000 else 600
    rows, y = X[:n], Y[:n]
    model = whole(kind, n_iter_no_change=patience).fit(rows, y, eval_set=(X_NEW, Y_NEW, weight))
    assert model.tree_.weight[0] == n  # nothing is held out
    full = whole(kind).fit(rows, y)
    assert model.get_n_leaves() < full.get_n_leaves()

    def error(one):
        return find_errors(one.tree_, judge(one, X_NEW, Y_NEW, weight)).ending.sum()

    if patience == 1000:  # the best of all best-first trees
        sizes = [whole(kind, max_leaf_nodes=k).fit(rows, y) for k in range(2, full.get_n_leaves() + 1)]
        assert error(model) == min(map(error, sizes))
    elif patience == 5:
        assert error(model) <= error(whole(kind, n_iter_no_change=1).fit(rows, y, eval_set=(X_NEW, Y_NEW, weight)))


def test_own_rows_of_regressors_and_several_outputs():
    rng = np.random.RandomState(0)
    table, new = rng.rand(300, 2), rng.rand(200, 2)
    y, y_new = (np.column_stack([np.sin(6 * one[:, 0]), one[:, 1]]) for one in (table, new))
    y = y + 0.5 * rng.randn(*y.shape)
    model = DecisionTreeRegressor(n_iter_no_change=5).fit(table, y, eval_set=(new, y_new))
    assert 2 < model.get_n_leaves() < 100
    one = DecisionTreeRegressor(n_iter_no_change=5).fit(table, y[:, 0], eval_set=(new, y_new[:, 0]))
    assert 2 < one.get_n_leaves() < 100
    classes = DecisionTreeClassifier(n_iter_no_change=5).fit(table, y > 0.4, eval_set=(new, y_new > 0.4))
    assert classes.n_outputs_ == 2


def test_weights_of_classes_count_in_own_rows_too():
    flights, late = load_flights()
    train, test = slice(0, 3000), slice(3000, 5000)
    model = DecisionTreeClassifier(n_iter_no_change=10, class_weight="balanced")
    model.fit(flights[train], late[train], eval_set=(flights[test], late[test]))
    assert 1 < model.get_n_leaves() < 200


def test_c45_is_pruned_after_it_has_stopped():
    birds, y = load_penguins()
    rows = {"eval_set": (birds[::2], y[::2])}
    stopped = C45Classifier(n_iter_no_change=2, prune=False).fit(birds[1::2], y[1::2], **rows)
    pruned = C45Classifier(n_iter_no_change=2).fit(birds[1::2], y[1::2], **rows)
    assert pruned.get_n_leaves() <= stopped.get_n_leaves()


@pytest.mark.parametrize("kind", KINDS)
def test_bad_eval_sets(kind):
    model = kind(n_iter_no_change=2)
    with pytest.raises(ValueError, match=r"eval_set is used only with n_iter_no_change\. Set n_iter_no_change"):
        kind().fit(X, Y, eval_set=(X_NEW, Y_NEW))
    with pytest.raises(ValueError, match=r"eval_set must be \(X, y\) or \(X, y, sample_weight\), got"):
        model.fit(X, Y, eval_set=X_NEW)
    with pytest.raises(ValueError, match=r"y holds the class 'perhaps', which is not among the classes of fit"):
        model.fit(X, Y, eval_set=(X_NEW, ["perhaps"] * len(X_NEW)))
    with pytest.raises(ValueError, match=r"X has 3 features, but|feature names should match"):
        model.fit(X, Y, eval_set=(X_NEW.iloc[:, :3], Y_NEW))
    with pytest.raises(ValueError, match="same number of rows: X has 400, y has 3"):
        model.fit(X, Y, eval_set=(X_NEW, Y_NEW[:3]))
    with pytest.raises(ValueError, match="at least two rows of positive weight"):
        model.fit(X[:1], Y[:1])
    assert not hasattr(model, "tree_")


def test_columns_of_own_rows():
    table = np.random.RandomState(0).rand(50, 2)
    with pytest.raises(ValueError, match=r"y of eval_set must have as many columns as y, 1, got shape \(50, 2\)"):
        DecisionTreeRegressor(n_iter_no_change=2).fit(table, table[:, 0], eval_set=(table, table))


@classic
@pytest.mark.parametrize(
    "name, value",
    [
        ("max_leaf_nodes", 1),
        ("min_impurity_decrease", -1.0),
        ("significance", 1.0),
        ("n_iter_no_change", 0),
        ("validation_fraction", 0.0),
        ("n_jobs", 0),
    ],
)
def test_bad_limits(kind, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {kind.__name__} must be"):
        kind(**{name: value}).fit(X, Y)
