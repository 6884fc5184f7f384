"""Worked numbers of the lectures on CART (LECTURES.md, section 1; decks 000, 001 and 003)."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.datasets import load_restaurant

MINUTES = np.array([8, 40, 8, 12, 70, 3, 7, 6, 80, 20, 8, 40], float)[:, None]
WAITS = np.array(list("TFTTFTFTFFFT")) == "T"
THRESHOLDS = [4.5, 6.5, 7.5, 10, 16, 30, 55, 75]
ENTROPY_OF_HALVES = 1.0


def table(*groups):
    """One column that tells the groups apart, and the classes: a group is its rows of each class."""
    sizes = [sum(group) for group in groups]
    y = np.concatenate([np.repeat(np.arange(len(group)), group) for group in groups])
    return np.repeat(np.arange(float(len(groups))), sizes)[:, None], y


def gain(criterion, *groups):
    return DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(*table(*groups)).tree_.impurity_decreases()[0]


# --- thresholds -----------------------------------------------------------------------------------------------------


def test_waiting_minutes_are_split_midway_between_neighbours():
    """Whatever the labels ask for, the threshold is one of the deck's eight, and each of them is found."""
    for threshold in THRESHOLDS:
        model = DecisionTreeClassifier().fit(MINUTES, MINUTES[:, 0] > threshold)
        assert model.tree_.threshold[0] == threshold
    values = np.unique(MINUTES)
    assert len(THRESHOLDS) == len(values) - 1
    for seed in range(20):
        y = np.random.RandomState(seed).randint(0, 2, 12)
        tree = DecisionTreeClassifier().fit(MINUTES, y).tree_
        assert set(tree.threshold[~tree.is_leaf]) <= set(THRESHOLDS)


def test_waiting_minutes_root():
    """The deck: the largest gain over the thresholds is the gain of the attribute."""

    def information(part):
        p = part.mean()
        return 0.0 if p in (0, 1) else -p * np.log2(p) - (1 - p) * np.log2(1 - p)

    gains = []
    for threshold in THRESHOLDS:
        left = MINUTES[:, 0] <= threshold
        parts = (WAITS[left], WAITS[~left])
        gains.append(ENTROPY_OF_HALVES - sum(len(part) / 12 * information(part) for part in parts))
    model = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(MINUTES, WAITS)
    assert model.tree_.impurity[0] == ENTROPY_OF_HALVES
    assert model.tree_.threshold[0] == THRESHOLDS[int(np.argmax(gains))]
    assert model.tree_.impurity_decreases()[0] == pytest.approx(max(gains), abs=1e-6)


def test_a_number_may_be_asked_about_again():
    X, y = load_restaurant(minutes=True)
    model = DecisionTreeClassifier().fit(X[["WaitMinutes"]], y)
    assert (model.tree_.feature[~model.tree_.is_leaf] == 0).all()
    assert model.get_depth() > 1


# --- impurity -------------------------------------------------------------------------------------------------------


def test_gini_of_three_classes_and_of_a_split():
    """67, 65 and 168 rows, cut into 153 and 147: only these counts have the deck's Ginis."""
    tree = DecisionTreeClassifier(max_depth=1).fit(*table((61, 38, 54), (6, 27, 114))).tree_
    assert tree.answers[0, 0].tolist() == [67, 65, 168]
    assert tree.n_samples.tolist() == [300, 153, 147]
    np.testing.assert_allclose(tree.impurity, [0.5896, 0.6548, 0.3632], atol=5e-5)
    assert tree.impurity_decreases()[0] == pytest.approx(0.0777, abs=5e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
def test_gini_is_largest_where_all_classes_are_equal(n_classes):
    y = np.repeat(np.arange(n_classes), 4)
    tree = DecisionTreeClassifier().fit(np.arange(len(y))[:, None], y).tree_
    assert tree.impurity[0] == pytest.approx(1 - 1 / n_classes)
    assert (tree.impurity[tree.is_leaf] == 0).all()
    assert tree.impurity.max() == tree.impurity[0]


def test_misclassification_cannot_tell_splits_apart_that_others_can():
    """{(100, 300), (300, 100)} and {(200, 400), (200, 0)}: both leave a quarter wrong."""
    one, other = ((100, 300), (300, 100)), ((200, 400), (200, 0))
    assert gain("error", *one) == pytest.approx(0.25)
    assert gain("error", *other) == pytest.approx(0.25)
    for criterion in ("gini", "entropy"):
        assert gain(criterion, *other) > gain(criterion, *one) + 0.01


def test_misclassification_takes_the_first_of_two_columns_that_others_tell_apart():
    columns = [np.repeat([0, 1, 0, 1], sizes) for sizes in ((100, 300, 300, 100), (200, 200, 400, 0))]
    X, y = np.column_stack(columns), np.repeat([0, 1], 400)
    roots = {
        name: DecisionTreeClassifier(criterion=name).fit(X, y).tree_.feature[0] for name in ("error", "gini", "entropy")
    }
    assert roots == {"error": 0, "gini": 1, "entropy": 1}


# --- leaves and trees -----------------------------------------------------------------------------------------------


def test_a_leaf_of_42_7_and_89_rows():
    model = DecisionTreeClassifier().fit(np.zeros((138, 1)), np.repeat([0, 1, 2], [42, 7, 89]))
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.304, 0.051, 0.645]], atol=5e-4)
    assert model.predict([[0.0]]) == [2]
    assert model.tree_.answers[0, 0].tolist() == [42, 7, 89]


def test_exclusive_or_is_learnt_exactly():
    """No first split gains anything, and yet it is made."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = X[:, 0] ^ X[:, 1]
    for criterion in ("gini", "entropy", "error", "gain_ratio"):
        model = DecisionTreeClassifier(criterion=criterion).fit(X, y)
        assert model.predict(X).tolist() == y.tolist()
        assert model.tree_.impurity_decreases()[0] == pytest.approx(0.0, abs=1e-12)
    assert DecisionTreeRegressor().fit(X, y).predict(X).tolist() == y.tolist()


def test_identical_rows_with_different_labels_vote():
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0], [2.0]], ["a", "b", "b", "a"])
    assert model.predict([[1.0], [2.0]]).tolist() == ["b", "a"]
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])


def test_regression_leaves_are_means():
    random = np.random.RandomState(42)
    X = random.rand(100, 1) - 0.5
    y = 3 * X[:, 0] ** 2 + 0.05 * random.randn(100)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    leaves = model.apply(X)
    assert len(set(leaves)) == 4
    for leaf in set(leaves):
        part = y[leaves == leaf]
        np.testing.assert_allclose(model.predict(X[leaves == leaf]), part.mean())
        assert model.tree_.impurity[leaf] == pytest.approx(part.var())


def test_a_path_is_a_conjunction():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    tree, path = model.tree_, model.decision_path(X).toarray().astype(bool)
    for leaf in np.flatnonzero(tree.is_leaf):
        inside, node = np.ones(len(X), bool), leaf
        while node:
            above = tree.parent[node]
            answer = X[:, tree.feature[above]] <= tree.threshold[above]
            inside &= answer if tree.branch[node] == 0 else ~answer
            node = above
        np.testing.assert_array_equal(inside, path[:, leaf])


# --- stopping early -------------------------------------------------------------------------------------------------


def noisy(n=400, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(n, 4)
    return X, (X[:, 0] + random.randn(n) > 0).astype(int)


@pytest.mark.parametrize(
    "option",
    [
        {"max_depth": 3},
        {"max_leaf_nodes": 6},
        {"min_samples_leaf": 30},
        {"min_samples_split": 100},
        {"min_weight_fraction_leaf": 0.1},
        {"min_impurity_decrease": 0.01},
        {"significance": 0.001},
        {"n_iter_no_change": 5, "random_state": 0},
        {"ccp_alpha": 0.01},
    ],
    ids=str,
)
def test_every_way_to_stop_makes_a_smaller_tree_that_generalises_better(option):
    X, y = noisy()
    X_new, y_new = noisy(2000, seed=1)
    full = DecisionTreeClassifier().fit(X, y)
    small = DecisionTreeClassifier(**option).fit(X, y)
    assert small.get_n_leaves() < full.get_n_leaves() / 3
    assert full.score(X, y) == 1.0
    assert small.score(X_new, y_new) > full.score(X_new, y_new)


def test_validation_error_turns_while_training_error_falls():
    X, X_new, y, y_new = train_test_split(*noisy(800), random_state=0)
    errors = []
    for leaves in (2, 4, 8, 16, 32, 64, 128):
        model = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, y)
        errors.append((1 - model.score(X, y), 1 - model.score(X_new, y_new)))
    training, validation = np.array(errors).T
    assert (np.diff(training) <= 0).all()
    assert np.argmin(validation) < 3
    assert validation[-1] > validation.min() + 0.03
