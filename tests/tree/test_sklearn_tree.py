"""What code written for scikit-learn's `tree_` finds on ours: the same names, dtypes, shapes and numbers."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_matrix
from sklearn.datasets import load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor
from sklearn.tree import export_graphviz

from spinney import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, RandomForestRegressor

ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "n_node_samples",
    "weighted_n_node_samples",
    "value",
    "impurity",
    "missing_go_to_left",
)


def pair(kind):
    """Our tree and scikit-learn's of the same table, which have the same splits."""
    rng = np.random.RandomState(0)
    if kind == "classes":
        X, y = load_wine(return_X_y=True)
        models = DecisionTreeClassifier(max_depth=3), TheirClassifier(max_depth=3, random_state=0)
    else:
        X, y = load_diabetes(return_X_y=True)
        X = X + rng.randn(*X.shape) * 1e-3  # no ties
        y = np.column_stack([y, y**2]) if kind == "outputs" else y
        models = DecisionTreeRegressor(max_depth=3), TheirRegressor(max_depth=3, random_state=0)
    X = X.astype(np.float32)
    return X, *(model.fit(X, y) for model in models)


@pytest.mark.parametrize("kind", ["classes", "numbers", "outputs"])
def test_the_same_names_dtypes_and_numbers(kind):
    X, ours, theirs = pair(kind)
    a, b = ours.tree_, theirs.tree_
    for name in ("node_count", "max_depth", "n_features", "n_outputs", "n_leaves", "max_n_classes"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.n_classes.tolist() == b.n_classes.tolist()
    for name in ARRAYS:
        mine, other = getattr(a, name), getattr(b, name)
        assert mine.shape == other.shape, name
        assert mine.dtype == other.dtype, name
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_array_equal(a.apply(X), b.apply(X))
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-6)
    assert (a.decision_path(X) != b.decision_path(X)).nnz == 0
    np.testing.assert_allclose(a.compute_feature_importances(), b.compute_feature_importances(), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("container", [csr_matrix, csc_array])
@pytest.mark.parametrize("n_copies", [1, 2000])  # laid out, and read cell by cell
def test_sparse_tables(container, n_copies):
    X = np.array([[0, 3, 0], [2, 0, 0], [0, -1, 0], [0, 0, 4], [5, 0, 0]], np.float32)
    X = np.hstack([X, np.zeros((5, 200), np.float32)])
    tree = DecisionTreeRegressor().fit(X, [1, 2, 3, 4, 5]).tree_
    X = np.tile(X, (n_copies, 1))
    sparse = container(X)
    np.testing.assert_array_equal(tree.apply(sparse), tree.apply(X))
    np.testing.assert_array_equal(tree.predict(sparse), tree.predict(X))
    assert (tree.decision_path(sparse) != tree.decision_path(X)).nnz == 0
    with pytest.raises(ValueError, match="sparse matrix of floats with 203 columns, got float32"):
        tree.apply(sparse[:, :5])


@pytest.mark.parametrize("columns", [[2], [8, 2], [0, 3]])
def test_partial_dependence(columns):
    X, ours, theirs = pair("numbers")
    grid = np.ascontiguousarray(X[:20, columns])
    found, expected = np.zeros(20), np.zeros(20)
    ours.tree_.compute_partial_dependence(grid, np.array(columns, np.intp), found)
    theirs.tree_.compute_partial_dependence(grid, np.array(columns, np.intp), expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_arrays_cannot_be_written_to():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    for name in ("children_left", "children_right", "n_node_samples", "weighted_n_node_samples", "value"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0
    tree.forest.answers[0, 0, 0] += 0  # the store's own arrays are as they were


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_scikit_learns_graphviz_reads_our_trees(kind):
    _, ours, theirs = pair(kind)
    assert export_graphviz(ours, precision=1) == export_graphviz(theirs, precision=1)


def test_errors():
    tree = DecisionTreeRegressor().fit(np.arange(6.0).reshape(3, 2), [1, 2, 3]).tree_
    with pytest.raises(ValueError, match="X must be an array or a sparse matrix of floats with 2 columns, got float64"):
        tree.apply(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="X must be an array or a sparse matrix of floats with 2 columns, got int64"):
        tree.predict(np.zeros((2, 2), int))
    many = C45Classifier().fit([["a"], ["b"], ["c"]] * 4, [0, 1, 2] * 4).tree_
    with pytest.raises(AttributeError, match="more than two branches"):
        many.children_right  # noqa: B018


def test_members_of_forests():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(3, random_state=0, max_depth=4).fit(X, y)
    total = sum(one.tree_.predict(X)[:, 0] for one in forest.estimators_)
    np.testing.assert_allclose(total / 3, forest.predict(X))
