"""RandomTreesEmbedding: leaves as columns, scikit-learn's attributes, any table."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles
from sklearn.ensemble import RandomTreesEmbedding as Theirs
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from spinney import ExtraTreeRegressor, RandomTreesEmbedding, export_text, trees_to_frame

X = np.random.RandomState(0).randn(200, 4)
FEW = {"n_estimators": 6, "random_state": 0}


def test_a_one_for_every_leaf():
    model = RandomTreesEmbedding(**FEW).fit(X)
    found, leaves = model.transform(X), model.apply(X)
    assert found.format == "csr"
    assert found.shape == (200, sum(tree.get_n_leaves() for tree in model.estimators_))
    names = model.get_feature_names_out().tolist()
    for row in (0, 7, 199):
        told = {names[j] for j in found[row].indices}
        assert told == {f"randomtreesembedding_{k}_{leaf}" for k, leaf in enumerate(leaves[row])}
    np.testing.assert_array_equal(model.one_hot_encoder_.transform(leaves).toarray(), found.toarray())
    assert found.sum(axis=0).min() > 0  # no leaf without rows
    plain = RandomTreesEmbedding(sparse_output=False, **FEW).fit_transform(X)
    np.testing.assert_array_equal(plain, found.toarray())
    assert found.has_sorted_indices


def test_forms_are_scikit_learns():
    mine, theirs = RandomTreesEmbedding(**FEW), Theirs(**FEW)
    a, b = mine.fit_transform(X), theirs.fit_transform(X)
    assert (type(a), a.dtype, a.format) == (type(b), b.dtype, b.format)
    assert a.indices.dtype == b.indices.dtype
    assert mine.get_feature_names_out().dtype == theirs.get_feature_names_out().dtype
    assert [len(rows) for rows in mine.estimators_samples_] == [200] * 6
    assert all(type(tree) is ExtraTreeRegressor for tree in mine.estimators_)
    with pytest.raises(ValueError, match="input_features"):
        mine.get_feature_names_out(["a"])


def test_trees_are_as_random_as_scikit_learns():
    """As many leaves, of the same depths: the same distribution of trees."""
    mine = RandomTreesEmbedding(300, random_state=0).fit(X)
    theirs = Theirs(300, random_state=0).fit(X)
    counts = [np.array([tree.get_n_leaves() for tree in model.estimators_]) for model in (mine, theirs)]
    assert counts[0].mean() == pytest.approx(counts[1].mean(), rel=0.03)
    tops = [np.array([tree.tree_.feature[0] for tree in model.estimators_]) for model in (mine, theirs)]
    assert abs(np.bincount(tops[0], minlength=4) - 75).max() < 40
    cuts = [np.array([tree.tree_.threshold[0] for tree in model.estimators_]) for model in (mine, theirs)]
    np.testing.assert_allclose(np.quantile(cuts[0], [0.25, 0.75]), np.quantile(cuts[1], [0.25, 0.75]), atol=0.5)


def test_circles_become_linear():
    table, y = make_circles(400, factor=0.5, noise=0.05, random_state=0)
    model = make_pipeline(RandomTreesEmbedding(30, max_depth=4, random_state=0), LogisticRegression())
    assert model.fit(table[:200], y[:200]).score(table[200:], y[200:]) > 0.95


@pytest.mark.parametrize("max_bins", [255, None])
def test_threads_the_order_of_rows_and_pickles(max_bins):
    order = np.random.RandomState(1).permutation(200)
    one = RandomTreesEmbedding(n_jobs=1, max_bins=max_bins, **FEW).fit(X)
    other = RandomTreesEmbedding(n_jobs=3, max_bins=max_bins, **FEW).fit(X[order])
    for name in ("size", "feature", "code", "threshold", "turn", "n_samples"):
        np.testing.assert_array_equal(getattr(one.forest_, name), getattr(other.forest_, name))
    again = RandomTreesEmbedding(n_jobs=3, max_bins=max_bins, **FEW).fit(X)
    assert one.fingerprint_ == again.fingerprint_ == pickle.loads(pickle.dumps(one)).fingerprint_
    assert (one.transform(X) != other.transform(X)).nnz == 0


def test_words_holes_and_weights():
    frame = pd.DataFrame({"a": np.where(X[:, 0] > 1, np.nan, X[:, 0]), "b": np.array(list("xyz"))[(X[:, 1] > 0) + 0]})
    model = RandomTreesEmbedding(**FEW).fit(frame)
    assert model.transform(frame).sum() == 6 * 200
    assert "b" in "".join(export_text(model, tree=k) for k in range(6))
    assert trees_to_frame(model)["tree"].nunique() == 6
    weight = (np.arange(200) < 100).astype(float)
    np.testing.assert_array_equal(
        RandomTreesEmbedding(max_bins=None, **FEW).fit(X, sample_weight=weight).apply(X),
        RandomTreesEmbedding(max_bins=None, **FEW).fit(X[:100]).apply(X),
    )


def test_limits_and_warm_start():
    small = RandomTreesEmbedding(max_depth=None, max_leaf_nodes=4, **FEW).fit(X)
    assert set(small.forest_.n_leaves.tolist()) == {4}
    assert RandomTreesEmbedding(max_depth=2, **FEW).fit(X).forest_.n_leaves.max() <= 4
    warm = RandomTreesEmbedding(n_estimators=2, random_state=0, warm_start=True).fit(X)
    warm.set_params(n_estimators=6).fit(X)
    assert warm.fingerprint_ == RandomTreesEmbedding(**FEW).fit(X).fingerprint_
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X)
