"""Sparse tables give the models of the same tables laid out, bit for bit, however large they seem."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier as SkTree
from sklearn.tree import DecisionTreeRegressor as SkRegressor

import spinney
from spinney.data import sparse
from spinney.evaluate import cross_validate
from tests.compiled import few, slow

FORMATS = ["csr_matrix", "csc_array", "coo_array", "lil_matrix"]


@pytest.fixture(params=[*slow(["small"]), "large"])
def path(request, monkeypatch):
    """Small tables are laid out; `large` sends them down the path of those that cannot be."""
    if request.param == "large":
        monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
        monkeypatch.setattr(sparse, "FULL", 0)
    return request.param


def drawn(seed, n=400, m=12, share=0.2, missing=True, decimals=1):
    """A table of which few cells are not zero, with negative and missing values and stored zeros; and a target."""
    random = np.random.RandomState(seed)
    dense = np.where(random.rand(n, m) < share, np.round(random.randn(n, m), decimals), 0.0)
    y = dense @ random.randn(m) + 0.1 * random.randn(n)
    if missing:
        dense[random.rand(n, m) < 0.02] = np.nan
    stored = sp.csr_matrix(dense)
    stored.data[:5] = 0.0  # stored zeros
    return stored.toarray(), stored, y


def filled(X):
    """The same without missing values."""
    if not sp.issparse(X):
        return np.nan_to_num(X)
    X = X.copy()
    X.data = np.nan_to_num(X.data)
    return X


def same(model, dense, stored, y, methods=("predict",), **fit):
    """Fit both; the fitted models."""
    one, other = clone(model), clone(model)
    one.fit(dense, y, **fit)
    other.fit(stored, y, **fit)
    assert one.fingerprint_ == other.fingerprint_
    for method in methods:
        said = getattr(one, method)(dense)
        np.testing.assert_array_equal(getattr(other, method)(stored), said)
        np.testing.assert_array_equal(getattr(one, method)(stored), said)
    return one, other


BOOSTING = {
    "plain": {},
    "drawn": {"subsample": 0.5, "max_features": 0.5},
    "deep": {"min_samples_leaf": 1, "max_leaf_nodes": 60},
    "monotone": {"monotonic_cst": [1, -1] + 10 * [0], "interaction_cst": [[0, 1, 2, 3], list(range(3, 12))]},
    "stops": {"early_stopping": True, "n_iter_no_change": 2},
    "level-wise": {"growth": "level_wise", "max_depth": 3},
    "median": {"loss": "absolute_error"},
    "few bins": {"max_bins": 3},
}


@pytest.mark.parametrize("settings", BOOSTING.values(), ids=BOOSTING)
def test_boosting(path, settings):
    dense, stored, y = drawn(1, n=3000)
    weight = np.random.RandomState(2).randint(0, 3, len(y))
    model = spinney.GradientBoostingRegressor(n_estimators=5, random_state=0, **settings)
    same(model, dense, stored, y, ("predict", "apply"))
    same(model, dense, stored, y, sample_weight=weight)


def test_boosted_classes(path):
    dense, stored, y = drawn(3)
    labels = np.digitize(y, [-0.5, 0.5])
    model = spinney.GradientBoostingClassifier(n_estimators=4, min_samples_leaf=3, random_state=0)
    one, other = same(model, dense, stored, labels, ("predict_proba", "decision_function"), eval_set=(stored, labels))
    assert one.evals_result_ == other.evals_result_
    for a, b in zip(one.staged_predict_proba(dense), other.staged_predict_proba(stored)):
        np.testing.assert_array_equal(a, b)


def test_boosting_goes_on(path):
    dense, stored, y = drawn(4)
    one, other = (spinney.GradientBoostingRegressor(n_estimators=3, warm_start=True, random_state=0) for _ in range(2))
    for n in (3, 6):
        one.set_params(n_estimators=n).fit(dense, y)
        other.set_params(n_estimators=n).fit(stored, y)
    assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_boosting_with_few_histograms_and_many_copies(monkeypatch, n_jobs):
    """Histograms that were given up are summed again; columns of many cells have several copies of their bins."""
    from spinney.ensemble.boosting import rounds as boosting_rounds
    from spinney.grow.boosting import sparse as sparse_memory

    monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
    dense, stored, y = drawn(5, n=2000)
    model = spinney.GradientBoostingRegressor(n_estimators=4, min_samples_leaf=2, random_state=0, n_jobs=n_jobs)
    expected = model.fit(dense, y).fingerprint_
    monkeypatch.setattr(sparse_memory, "_POOL", 0)
    assert model.fit(stored, y).fingerprint_ == expected
    plain = sparse_memory.make_sparse_table
    monkeypatch.setattr(
        boosting_rounds, "make_sparse_table", lambda data, monotone, block, team: plain(data, monotone, 7, team)
    )
    assert model.fit(stored, y).fingerprint_ == expected


# --- trees ------------------------------------------------------------------------------------------------------------

ROWS_WEIGHTS = {
    "alike": None,
    "whole": np.random.RandomState(0).randint(0, 3, 300),
    "any": np.random.RandomState(1).rand(300),
}
CLASS_TREES = {
    "gini": {},
    "entropy": {"criterion": "entropy", "min_samples_leaf": 3},
    "error": {"criterion": "error", "max_depth": 5},
    "ratio": {"criterion": "gain_ratio", "max_depth": 5},
    "best-first": {"max_leaf_nodes": 12},
    "random": {"splitter": "random"},
    "drawn": {"max_features": "sqrt"},
    "drawn best-first": {"max_features": 3, "max_leaf_nodes": 9},
    "bins": {"max_bins": 9},
    "random bins": {"max_bins": 9, "splitter": "random", "max_features": 4},
    "significant": {"significance": 0.05},
    "pruned": {"ccp_alpha": 0.01},
    "stops": {"n_iter_no_change": 3},
    "balanced": {"class_weight": "balanced"},
}
NUMBER_TREES = {
    "squared": {},
    "median": {"criterion": "absolute_error", "max_depth": 4},
    "poisson": {"criterion": "poisson", "max_depth": 5},
    "monotone": {"monotonic_cst": [1, -1] + 10 * [0], "max_depth": 5},
    "large leaves": {"min_samples_leaf": 7, "min_weight_fraction_leaf": 0.01},
}


@pytest.mark.slow
@pytest.mark.parametrize("weight", ROWS_WEIGHTS.values(), ids=ROWS_WEIGHTS)
@pytest.mark.parametrize("settings", CLASS_TREES.values(), ids=CLASS_TREES)
def test_trees_of_classes(path, settings, weight):
    dense, stored, y = drawn(6, n=300)
    model = spinney.DecisionTreeClassifier(random_state=0, **settings)
    same(model, dense, stored, np.digitize(y, [-0.5, 0.5]), ("predict_proba", "apply"), sample_weight=weight)
    same(model, dense, stored, y > 0, sample_weight=weight)


@pytest.mark.parametrize(
    "weight", [*slow([ROWS_WEIGHTS["alike"], ROWS_WEIGHTS["whole"]]), ROWS_WEIGHTS["any"]], ids=ROWS_WEIGHTS
)
@pytest.mark.parametrize("settings", NUMBER_TREES.values(), ids=NUMBER_TREES)
def test_trees_of_numbers(path, settings, weight):
    dense, stored, y = drawn(7, n=300)
    same(spinney.DecisionTreeRegressor(random_state=0, **settings), dense, stored, abs(y), sample_weight=weight)


def test_several_outputs_and_a_sparse_target(path):
    dense, stored, y = drawn(8, n=300)
    both = np.column_stack([y > 0, y > 1])
    same(spinney.DecisionTreeRegressor(max_depth=5), dense, stored, np.column_stack([y, y**2]))
    for model in (spinney.DecisionTreeClassifier(max_depth=5), spinney.RandomForestClassifier(3, random_state=0)):
        expected = same(model, dense, stored, both.astype(int))[0].fingerprint_
        assert clone(model).fit(stored, sp.csr_array(both.astype(int))).fingerprint_ == expected


def test_a_column_without_zeros_and_one_of_zeros(path):
    dense, _, y = drawn(9, n=200, missing=False)
    dense[:, 0], dense[:, 1], dense[:, 2] = np.arange(200) + 1.0, 0.0, np.nan
    same(spinney.DecisionTreeRegressor(), dense, sp.csr_matrix(dense), y)
    same(spinney.RandomForestRegressor(3, random_state=0), dense, sp.csr_matrix(dense), y)
    same(spinney.GradientBoostingRegressor(n_estimators=3, random_state=0), dense, sp.csr_matrix(dense), y)


# --- many trees -------------------------------------------------------------------------------------------------------

FEW = {"n_estimators": 4, "random_state": 0}
ENSEMBLES = {
    "forest": spinney.RandomForestClassifier(**FEW),
    "exact forest": spinney.RandomForestClassifier(max_bins=None, **FEW),
    "forest of all": spinney.RandomForestClassifier(bootstrap=False, max_features=None, **FEW),
    "balanced": spinney.RandomForestClassifier(class_weight="balanced_subsample", **FEW),
    "forest of numbers": spinney.RandomForestRegressor(**FEW),
    "extra-trees": spinney.ExtraTreesClassifier(**FEW),
    "extra-trees of numbers": spinney.ExtraTreesRegressor(bootstrap=True, **FEW),
    "random structures": spinney.RandomStructureForestClassifier(**FEW),
    "bagging": spinney.BaggingClassifier(**FEW),
    "bagged columns": spinney.BaggingClassifier(max_features=0.5, bootstrap_features=True, **FEW),
    "bagged bins": spinney.BaggingRegressor(spinney.DecisionTreeRegressor(max_bins=9), **FEW),
    "bagged boosting": spinney.BaggingRegressor(spinney.GradientBoostingRegressor(n_estimators=2), **FEW),
    "adaboost": spinney.AdaBoostClassifier(**FEW),
    "adaboost of trees": spinney.AdaBoostClassifier(spinney.DecisionTreeClassifier(max_depth=3), **FEW),
    "resampled": spinney.AdaBoostClassifier(reweight="resample", **FEW),
    "adaboost of numbers": spinney.AdaBoostRegressor(**FEW),
}


@pytest.mark.parametrize("model", ENSEMBLES.values(), ids=ENSEMBLES)
def test_ensembles(path, model):
    dense, stored, y = drawn(10)
    if hasattr(model, "predict_proba") or "Classifier" in type(model).__name__:
        same(model, dense, stored, np.digitize(y, [-0.5, 0.5]), ("predict_proba",))
        same(model, dense, stored, (y > 0).astype(int), ("predict_proba",))
    else:
        same(model, dense, stored, y)


def test_forests_judge_rows_out_of_their_bags(path):
    dense, stored, y = drawn(11)
    model = spinney.RandomForestRegressor(20, oob_score=True, random_state=0)
    one, other = same(model, dense, stored, y, ("apply",))
    assert one.oob_score_ == other.oob_score_
    np.testing.assert_array_equal(one.decision_path(dense)[0].toarray(), other.decision_path(stored)[0].toarray())


def test_threads_do_not_matter(monkeypatch):
    monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
    _, stored, y = drawn(12, n=3000)
    for kind in (spinney.GradientBoostingRegressor, spinney.RandomForestRegressor):
        one, other = (kind(n_estimators=3, random_state=0, n_jobs=n).fit(stored, y) for n in (1, 3))
        assert one.fingerprint_ == other.fingerprint_


# --- models of any kind -----------------------------------------------------------------------------------------------


def members():
    return [("tree", spinney.DecisionTreeClassifier(max_depth=3)), ("theirs", SkTree(max_depth=2, random_state=0))]


@pytest.mark.parametrize(
    "model",
    [
        spinney.VotingClassifier(members(), voting="soft"),
        spinney.StackingClassifier(members(), spinney.DecisionTreeClassifier(max_depth=2), passthrough=True),
        spinney.BaggingClassifier(SkTree(max_depth=3), n_estimators=3, random_state=0),
        spinney.AdaBoostClassifier(SkTree(max_depth=1, random_state=0), n_estimators=3, random_state=0),
    ],
    ids=["voting", "stacking", "bagging", "adaboost"],
)
@pytest.mark.parametrize("format", ["csr", "coo"])
def test_members_get_sparse_rows(path, model, format):
    dense, stored, y = drawn(13, missing=False)
    labels = np.digitize(y, [-0.5, 0.5])
    one, other = clone(model).fit(dense, labels), clone(model).fit(stored.asformat(format), labels)
    np.testing.assert_array_equal(other.predict(stored.asformat(format)), one.predict(dense))


@pytest.mark.parametrize("format", ["csr", "coo"])
def test_cross_validation_takes_rows(path, format):
    dense, stored, y = drawn(14)
    given = stored.asformat(format)
    for model in (
        spinney.GradientBoostingRegressor(n_estimators=3),
        spinney.DecisionTreeRegressor(),
        SkRegressor(max_depth=1),
    ):
        one, other = (
            cross_validate(model.set_params(random_state=0), X, y, cv=3) for X in (filled(dense), filled(given))
        )
        np.testing.assert_allclose(
            one["test_score"], other["test_score"], rtol=0 if "spinney" in type(model).__module__ else 1e-12
        )
    model = spinney.GradientBoostingRegressor(n_estimators=3, random_state=0)
    one, other = (spinney.boosting_cv(model, X, y, cv=3) for X in (dense, given))
    np.testing.assert_array_equal(one.test["squared_error"], other.test["squared_error"])


# --- what may come in -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?"])
def test_formats_and_types(path, kind, dtype):
    dense, _, y = drawn(15, missing=False)
    dense = dense.astype(dtype)
    stored = getattr(sp, kind)(dense)
    same(spinney.DecisionTreeRegressor(max_depth=4), dense, stored, y)
    same(spinney.GradientBoostingRegressor(n_estimators=3), dense, stored, y)


def test_duplicates_are_added_and_indices_may_stand_in_any_order(path):
    dense, stored, y = drawn(16, missing=False)
    coo = stored.tocoo()
    twice = sp.coo_array((np.r_[coo.data, coo.data], (np.r_[coo.row, coo.row], np.r_[coo.col, coo.col])), coo.shape)
    same(spinney.DecisionTreeRegressor(), 2.0 * dense, twice, y)
    mixed = stored.copy()
    for row in range(stored.shape[0]):
        part = slice(stored.indptr[row], stored.indptr[row + 1])
        mixed.indices[part], mixed.data[part] = stored.indices[part][::-1], stored.data[part][::-1]
    mixed.has_sorted_indices = False
    before = mixed.indices.copy()
    same(spinney.GradientBoostingRegressor(n_estimators=3), dense, mixed, y)
    np.testing.assert_array_equal(mixed.indices, before)  # X is as it was


def test_wide_indices(path):
    dense, stored, y = drawn(17)
    stored.indices, stored.indptr = stored.indices.astype(np.int64), stored.indptr.astype(np.int64)
    same(spinney.DecisionTreeRegressor(), dense, stored, y)


def test_pandas_sparse_columns(path):
    dense, stored, y = drawn(18, missing=False)
    names = [f"x{j}" for j in range(dense.shape[1])]
    frame = pd.DataFrame.sparse.from_spmatrix(stored, columns=names)
    model = spinney.DecisionTreeRegressor(max_depth=4)
    one, other = clone(model).fit(pd.DataFrame(dense, columns=names), y), clone(model).fit(frame, y)
    assert one.fingerprint_ == other.fingerprint_
    assert other.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(other.predict(frame), one.predict(pd.DataFrame(dense, columns=names)))
    holes = pd.DataFrame({name: pd.arrays.SparseArray(dense[:, j]) for j, name in enumerate(names)})  # NaN is left out
    assert clone(model).fit(holes, y).fingerprint_ == one.fingerprint_


@pytest.mark.parametrize("model", [spinney.GaussianMixture(), spinney.ID3Classifier(), spinney.C45Classifier()])
def test_who_cannot_take_sparse_tables_says_what_to_do(model):
    _, stored, y = drawn(19, missing=False)
    name = type(model).__name__
    with pytest.raises(
        TypeError, match=rf"{name} does not support sparse X. Pass X.toarray\(\), .* sparse_output=False"
    ):
        model.fit(stored, y > 0)
    dense = (stored.toarray() > 0).astype(int)
    model.fit(dense, y > 0)
    with pytest.raises(TypeError, match="does not support sparse X"):
        model.predict(stored)


WRONG = {
    "categories": (
        lambda model, stored, y: model.set_params(categorical_features=[0]).fit(stored, y),
        ValueError,
        "X is sparse and holds numbers only",
    ),
    "complex": (
        lambda model, stored, y: model.fit(sp.csr_matrix(1j * np.eye(3)), y[:3]),
        ValueError,
        r"[Cc]omplex",
    ),
    "no rows": (
        lambda model, stored, y: model.fit(sp.csr_matrix((0, 3)), []),
        ValueError,
        r"0 sample|0 feature",
    ),
    "no columns": (lambda model, stored, y: model.fit(sp.csr_matrix((3, 0)), y[:3]), ValueError, "0 feature"),
    "fewer columns": (
        lambda model, stored, y: model.fit(stored, y).predict(stored[:, :3]),
        ValueError,
        "X has 3 features, but DecisionTreeRegressor is expecting 12",
    ),
    "where categories were": (
        lambda model, stored, y: model.fit(pd.DataFrame({"a": ["x", "y"] * 10, "b": range(20)}), np.arange(20)).predict(
            sp.csr_matrix(np.eye(2))
        ),
        TypeError,
        "X is sparse, but column 0 held categories when the model was fitted",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables(name):
    call, error, words = WRONG[name]
    _, stored, y = drawn(20)
    with pytest.raises(error, match=words):
        call(spinney.DecisionTreeRegressor(), stored, y)


def test_what_would_have_to_be_laid_out_is_refused(monkeypatch):
    monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
    monkeypatch.setattr(sparse, "FULL", 0)
    monkeypatch.setattr(sparse, "_MOST_CELLS", 100)
    _, stored, _ = drawn(21)
    table = sparse.open_sparse(stored, "Model").table()
    with pytest.raises(ValueError, match="must be converted to a dense array here, and is too large for that"):
        table.panels  # noqa: B018


# --- drawn tables, and memory -----------------------------------------------------------------------------------------


@few(12)
@given(st.integers(0, 2**31 - 1), st.sampled_from([0.01, 0.1, 0.5, 1.0]), st.integers(1, 60), st.booleans())
def test_drawn_tables(seed, share, n, missing):
    dense, stored, y = drawn(seed, n=n + 5, share=share, missing=missing, decimals=seed % 3)
    models = [
        spinney.DecisionTreeRegressor(random_state=seed),
        spinney.DecisionTreeRegressor(random_state=seed, splitter="random", max_features=3),
        spinney.RandomForestRegressor(2, random_state=seed),
        spinney.GradientBoostingRegressor(n_estimators=2, min_samples_leaf=1, random_state=seed),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "DENSE_CELLS", 0)
        patch.setattr(sparse, "FULL", 0)
        for model in models:
            same(model, dense, stored, y)


def test_no_model_lays_a_large_table_out(monkeypatch):
    """400 million cells, 3.2 GB, of which 40,000 are stored."""
    monkeypatch.setattr(sparse, "_MOST_CELLS", 0)
    random = np.random.RandomState(0)
    places = random.randint(0, 20_000, (2, 40_000))
    X = sp.coo_matrix((random.rand(40_000), places), (20_000, 20_000)).tocsr()
    y = np.asarray(X[:, :10_000].sum(axis=1)).ravel()
    for model in (
        spinney.DecisionTreeRegressor(max_depth=4),
        spinney.RandomForestRegressor(2, max_depth=4),
        spinney.GradientBoostingRegressor(n_estimators=2, early_stopping=False),
    ):
        assert model.fit(X, y).predict(X).shape == y.shape


def test_automatic_models(path):
    dense, stored, y = drawn(5, n=200)
    weight = np.random.RandomState(2).randint(0, 3, len(y))
    options = {"families": ["extra_trees", "tree"], "cv": 2, "random_state": 0}
    one, other = same(spinney.AutoRegressor(**options), dense, stored, y, sample_weight=weight)
    assert one.score_ == other.score_
    same(spinney.AutoClassifier(**options), dense, stored, y > 0, methods=("predict", "predict_proba"))
