"""Predictions of dask collections: those of the table in memory, when they are computed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import spinney
from tests.distributed.partitions import slow

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
N = 120
RNG = np.random.RandomState(0)
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.randint(0, 9, N),
        "c": RNG.choice(list("xyz"), N),
        "k": pd.Categorical(RNG.choice(list("pq"), N)),
    },
    index=np.arange(N) + 1000,
)
X.loc[X.index[::7], "a"] = np.nan
Y = np.where((X["c"] == "x") | (X["b"] > 6), "yes", "no")
Z = np.nan_to_num(X["a"].to_numpy()) + X["b"].to_numpy()
NUMBERS = X[["a", "b"]].fillna(0.5)
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "apply", "transform", "score_samples")
TREE = spinney.DecisionTreeClassifier(max_depth=3, handle_unknown="error")
MODELS = [
    (TREE, X, Y),
    (spinney.C45Classifier(), X, Y),
    (spinney.RandomForestClassifier(3, random_state=0), X, Y),
    (spinney.RandomForestRegressor(3, random_state=0), X, np.c_[Z, -Z]),
    (spinney.GradientBoostingRegressor(n_estimators=2, random_state=0), X, Z),
    (spinney.AdaBoostClassifier(n_estimators=2, random_state=0), X, Y),
    (spinney.BaggingClassifier(n_estimators=2, random_state=0), X, Y),
    (spinney.IsolationForest(n_estimators=3, random_state=0), NUMBERS, None),
    (spinney.VotingClassifier([("a", TREE), ("b", clone(TREE).set_params(max_depth=1))], voting="soft"), X, Y),
    (spinney.StackingRegressor([("a", spinney.DecisionTreeRegressor(max_depth=2))], cv=2), X, Z),
    (spinney.KMeans(3, random_state=0), NUMBERS, None),
    (spinney.GaussianMixture(2, random_state=0), NUMBERS, None),
]


def asked(model, rows, dask_rows):
    """(method, lazy answer, local answer) of all methods that a model has."""
    for name in METHODS:
        if hasattr(model, name):
            yield name, getattr(model, name)(dask_rows), np.asarray(getattr(model, name)(rows))


@pytest.mark.parametrize(("model", "rows", "y"), MODELS, ids=lambda value: type(value).__name__)
def test_frames(model, rows, y):
    fitted = clone(model).fit(rows, y)
    collection = dd.concat([dd.from_pandas(rows[:50], npartitions=2), dd.from_pandas(rows[50:], npartitions=1)])
    for name, lazy, local in asked(fitted, rows, collection):
        found = lazy.compute(scheduler="sync")
        assert np.array_equal(found.to_numpy(), local), name
        assert found.index.equals(rows.index)
        pd.testing.assert_index_equal(found.columns, lazy.columns) if found.ndim == 2 else None
        assert np.all(np.asarray(found.dtypes) == np.asarray(lazy.dtypes if found.ndim == 2 else lazy.dtype))
        if name in ("predict_proba", "predict_log_proba") and hasattr(fitted, "classes_"):
            assert list(lazy.columns) == fitted.classes_.tolist()
        if name == "transform":
            assert list(lazy.columns) == list(fitted.get_feature_names_out())


def test_answers_join_their_rows():
    tree = clone(TREE).fit(X, Y)
    collection = dd.from_pandas(X, npartitions=3)
    joined = collection.assign(said=tree.predict(collection)).compute(scheduler="sync")
    assert (joined["said"] == tree.predict(X)).all()
    assert tree.score(collection, Y) == tree.score(X, Y)
    some = collection[collection["b"] > 100]  # partitions without rows
    assert tree.predict_proba(some).compute(scheduler="sync").shape == (0, 2)


@pytest.mark.parametrize("k", [slow(3), slow(6), 10, slow(11)])
def test_arrays_of_known_and_unknown_chunks(k):
    model, rows, y = MODELS[k]
    values = rows[["a", "b"]].to_numpy()
    fitted = clone(model).fit(values, y)
    known = da.from_array(values, chunks=(50, 1))
    unknown = dd.from_pandas(rows[["a", "b"]], npartitions=3).to_dask_array()
    for name, lazy, local in asked(fitted, values, known):
        assert lazy.shape == local.shape, name
        assert lazy.dtype == local.dtype
        assert np.array_equal(lazy.compute(scheduler="sync"), local)
    for name, lazy, local in asked(fitted, values, unknown):
        assert np.isnan(lazy.shape[0]), name
        assert np.array_equal(lazy.compute(scheduler="sync"), local)


@pytest.mark.parametrize("kind", ["numbers", "booleans", "words"])
def test_columns_of_python_objects(kind):
    """Values and None: Dask says of such a column only that it holds objects."""
    values = {"numbers": [1.5, None, 3], "booleans": [True, None, False], "words": ["x", None, "y"]}[kind]
    rows = pd.DataFrame({"a": pd.Series(values * 40, dtype=object)})
    tree = clone(TREE).fit(rows, Y)
    with dask.config.set({"dataframe.convert-string": False}):
        collection = dd.from_pandas(rows, npartitions=3)
        assert (tree.predict(collection).compute(scheduler="sync") == tree.predict(rows)).all()


def test_three_dimensions():
    values = NUMBERS.to_numpy()
    model = spinney.GradientBoostingClassifier(n_estimators=2, random_state=0).fit(values, X["c"])
    lazy, local = model.apply(da.from_array(values, chunks=(70, 1))), model.apply(values)
    assert lazy.shape == local.shape == (N, 2, 3)
    assert np.array_equal(lazy.compute(scheduler="sync"), local)
    model.fit(NUMBERS, X["c"])
    with pytest.raises(TypeError, match="apply returns three dimensions, which a DataFrame cannot hold"):
        model.apply(dd.from_pandas(NUMBERS, npartitions=2))


def test_several_outputs():
    model = spinney.RandomForestClassifier(2, random_state=0).fit(NUMBERS, np.c_[Y, X["c"]])
    local = model.predict_proba(NUMBERS)
    for collection in (dd.from_pandas(NUMBERS, npartitions=2), da.from_array(NUMBERS.to_numpy(), chunks=(70, 2))):
        lazy = model.predict_proba(collection)
        assert [one.shape[1] for one in lazy] == [2, 3]
        assert all(np.array_equal(a.compute(scheduler="sync"), b) for a, b in zip(lazy, local))


@pytest.mark.slow
def test_the_model_travels_once(client):
    """One task of the graph holds it, however many partitions there are; and a cluster gives the same answers."""
    tree = clone(TREE).fit(X, Y)
    lazy = tree.predict(dd.from_pandas(X, npartitions=5))
    tasks = dict(lazy.optimize().__dask_graph__())
    assert sum("spinney-model" in str(key) for key in tasks) <= 1
    assert (lazy.compute().to_numpy() == tree.predict(X)).all()


def test_what_is_refused():
    tree = clone(TREE).fit(X, Y)
    rows = dd.from_pandas(X, npartitions=2)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(rows[["a", "b"]])
    with pytest.raises(
        TypeError, match="predict accepts dask DataFrames and two-dimensional dask Arrays, got a dask Se"
    ):
        tree.predict(rows["a"])
    with pytest.raises(TypeError, match="decision_path does not return one row per row of X"):
        tree.decision_path(rows)
    boosted = spinney.GradientBoostingRegressor(n_estimators=1).fit(X, Z)
    with pytest.raises(TypeError, match="does not support arguments with one value per row, such as init_score"):
        boosted.predict(rows, init_score=Z)
    with pytest.raises(TypeError, match="accepts only data in memory, got a dask"):
        list(boosted.staged_predict(rows))
