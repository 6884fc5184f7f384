"""IsolationForest: scikit-learn's scores, any table, any order of the rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as Theirs
from sklearn.metrics import roc_auc_score

from spinney import ExtraTreeRegressor, IsolationForest, export_text, trees_to_frame


def drawn(seed, n=600, d=4):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, d) @ rng.randn(d, d)
    X[: n // 30] += 4 * rng.standard_t(2, (n // 30, d))
    return X, np.arange(n) < n // 30


X, IS_ODD = drawn(0)
FEW = {"n_estimators": 10, "random_state": 0}


def test_as_good_as_scikit_learns():
    mine, theirs = [], []
    for seed in range(5):
        table, is_odd = drawn(seed)
        for kind, found in ((IsolationForest, mine), (Theirs, theirs)):
            scores = kind(random_state=seed).fit(table).score_samples(table)
            found.append(roc_auc_score(is_odd, -scores))
    assert np.mean(mine) == pytest.approx(np.mean(theirs), abs=0.01)


def test_scores_are_scikit_learns_on_average():
    table = drawn(3)[0]
    mine = IsolationForest(n_estimators=400, random_state=0).fit(table).score_samples(table)
    theirs = Theirs(n_estimators=400, random_state=0).fit(table).score_samples(table)
    assert np.corrcoef(mine, theirs)[0, 1] > 0.98
    assert mine.mean() == pytest.approx(theirs.mean(), abs=0.003)


def test_scikit_learns_formula_from_our_trees():
    from sklearn.ensemble._iforest import _average_path_length

    model = IsolationForest(max_features=0.5, **FEW).fit(X)
    depths = np.zeros(len(X))
    for tree, columns in zip(model.estimators_, model.estimators_features_):
        leaves = tree.apply(X[:, columns])
        depths += tree.tree_.depth[leaves] + _average_path_length(tree.tree_.n_samples[leaves])
    scores = -(2.0 ** (-depths / (10 * _average_path_length([model.max_samples_])[0])))
    np.testing.assert_allclose(model.score_samples(X), scores, rtol=1e-12)
    assert all(isinstance(tree, ExtraTreeRegressor) for tree in model.estimators_)


def test_attributes_are_scikit_learns():
    mine, theirs = IsolationForest(max_features=2, **FEW).fit(X), Theirs(max_features=2, **FEW).fit(X)
    for name in ("max_samples_", "n_features_in_", "offset_"):
        assert getattr(mine, name) == getattr(theirs, name)
        assert type(getattr(mine, name)) is type(getattr(theirs, name))
    for name in ("estimators_samples_", "estimators_features_"):
        for a, b in zip(getattr(mine, name), getattr(theirs, name), strict=True):
            assert a.shape == b.shape
            assert a.dtype.kind == b.dtype.kind == "i"
    assert mine.predict(X).dtype == theirs.predict(X).dtype
    assert len(mine) == len(theirs.estimators_)
    with pytest.raises(AttributeError, match="no feature_importances_"):
        mine.feature_importances_  # noqa: B018


def test_each_tree_has_its_rows():
    model = IsolationForest(max_samples=50, **FEW).fit(X)
    assert model.max_samples_ == 50
    assert all(len(set(rows.tolist())) == 50 for rows in model.estimators_samples_)
    assert model.forest_.counts()[model.forest_.first[:-1]].tolist() == [50] * 10
    assert max(tree.get_depth() for tree in model.estimators_) <= 6
    drawn_twice = IsolationForest(max_samples=50, bootstrap=True, **FEW).fit(X)
    assert any(len(set(rows.tolist())) < 50 for rows in drawn_twice.estimators_samples_)
    assert IsolationForest(max_samples=0.25, **FEW).fit(X).max_samples_ == 150
    assert IsolationForest(**FEW).fit(X[:100]).max_samples_ == 100
    with pytest.warns(UserWarning, match=r"max_samples \(1000\) is greater than the number of rows \(600\)"):
        assert IsolationForest(max_samples=1000, **FEW).fit(X).max_samples_ == 600


def test_contamination_is_a_share_of_the_training_rows():
    model = IsolationForest(contamination=0.05, **FEW).fit(X)
    assert (model.predict(X) == -1).sum() == 30
    np.testing.assert_array_equal(model.decision_function(X), model.score_samples(X) - model.offset_)
    with pytest.raises(ValueError, match="contamination"):
        IsolationForest(contamination=0.6).fit(X)


@pytest.mark.parametrize("weights", [False, True])
def test_threads_and_the_order_of_rows_do_not_matter(weights):
    order = np.random.RandomState(1).permutation(len(X))
    weight = np.random.RandomState(2).rand(len(X)) if weights else None
    moved = None if weight is None else weight[order]
    one = IsolationForest(n_jobs=1, **FEW).fit(X, sample_weight=weight)
    other = IsolationForest(n_jobs=3, **FEW).fit(X[order], sample_weight=moved)
    assert one.fingerprint_ == other.fingerprint_
    np.testing.assert_array_equal(one.score_samples(X), other.set_params(n_jobs=1).score_samples(X))


def test_weights_are_chances_and_whole_ones_are_rows():
    weight = np.where(IS_ODD, 0, 2)
    odd = IsolationForest(**FEW).fit(X, sample_weight=weight)
    rows = np.concatenate(odd.estimators_samples_)
    assert not IS_ODD[rows].any()
    again = IsolationForest(**FEW).fit(np.repeat(X, weight, axis=0))
    assert odd.fingerprint_ == again.fingerprint_
    assert odd.max_samples_ == again.max_samples_


def test_tables_with_words_and_holes():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.randn(400), "b": rng.choice(["x", "y", "z"], 400), "c": rng.rand(400) < 0.5})
    frame.loc[::7, "a"] = np.nan
    frame.loc[::11, "b"] = None
    frame.loc[0, "b"] = "rare"
    model = IsolationForest(n_estimators=200, max_samples=400, random_state=0).fit(frame)
    scores = model.score_samples(frame)
    others = scores[1:][frame["a"][1:].notna() & (frame["a"][1:].abs() < 1)]
    frame.loc[0, "a"] = 0.0
    assert model.score_samples(frame[:1])[0] < np.quantile(others, 0.02)
    assert "b in " in export_text(model, tree=0) or "b" in export_text(model, tree=1)
    assert trees_to_frame(model)["tree"].nunique() == 200
    shuffled = model.score_samples(frame.iloc[::-1])[::-1]
    np.testing.assert_array_equal(shuffled, model.score_samples(frame))
    assert np.isfinite(model.score_samples(frame.assign(b="never seen"))).all()


def test_far_values_are_found_among_many_rows():
    rng = np.random.RandomState(0)
    table = rng.randn(20_000, 3)
    table[7] = [1e6, -1e6, 1e6]
    table[8, 1] = np.inf
    scores = IsolationForest(max_samples=2000, random_state=0).fit(table).score_samples(table)
    assert scores.argmin() == 7
    assert scores[8] < np.quantile(scores, 0.02)


def test_a_warm_start_adds_trees():
    whole = IsolationForest(n_estimators=10, random_state=0).fit(X)
    model = IsolationForest(n_estimators=4, random_state=0, warm_start=True).fit(X)
    model.set_params(n_estimators=10).fit(X)
    assert model.fingerprint_ == whole.fingerprint_
    assert len(model.estimators_samples_) == 10
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(X)
    with pytest.raises(ValueError, match="n_estimators must not fall: it was 10 and is 9"):
        model.set_params(n_estimators=9).fit(X)
    with pytest.raises(ValueError, match="same columns and categories"):
        model.set_params(n_estimators=11).fit(X[:, :2])
    assert pickle.loads(pickle.dumps(model)).fingerprint_ == whole.fingerprint_


def test_rows_that_are_all_alike():
    model = IsolationForest(**FEW).fit(np.ones((30, 2)))
    assert model.forest_.n_nodes == 10
    assert len(set(model.score_samples(np.ones((3, 2))).tolist())) == 1
    assert IsolationForest(**FEW).fit([[1.0]]).score_samples([[1.0]]) == Theirs(**FEW).fit([[1.0]]).score_samples(
        [[1.0]]
    )


def test_max_features_above_the_number_of_columns():
    whole = IsolationForest(**FEW).fit(X)
    assert IsolationForest(max_features=9, **FEW).fit(X).fingerprint_ == whole.fingerprint_
