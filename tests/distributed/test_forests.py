"""Forests, bags and clusters of dask collections: the models of the concatenated table, bit for bit."""

import os
import re
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import spinney
from spinney.distributed import gathered, tasks
from spinney.distributed import table as remote_table
from spinney.distributed.collections import find_client
from spinney.distributed.gathered import workers_with_room
from tests.distributed.partitions import slow
from tests.distributed.remains import complete

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
Client = pytest.importorskip("distributed").Client
N = 400
RNG = np.random.RandomState(0)
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.randint(0, 20, N),
        "c": RNG.choice(list("xyzuvw"), N),
        "d": pd.Categorical(RNG.choice(list("pq"), N)),
    }
)
X.loc[RNG.rand(N) < 0.1, ["a", "c"]] = None
Y = np.nan_to_num(X["a"].to_numpy()) + 0.1 * X["b"].to_numpy() + (X["c"] == "x").to_numpy()
CLASSES = np.array(["no", "yes"])[(np.median(Y) < Y).astype(int)]
REPEATS = RNG.randint(0, 4, N).astype(float)
NUMBERS = X[["a", "b"]].fillna(0.25)


def parts_of(frame, cuts=(30, 30, 290)):
    """Partitions, one without rows; their sizes are not known to dask."""
    ends = [0, *cuts, len(frame)]
    return dd.from_delayed([find_client().submit(lambda x: x, frame[a:b]) for a, b in pairwise(ends)], meta=frame[:0])


@pytest.mark.parametrize(
    ("model", "y", "weight"),
    [
        (spinney.RandomForestClassifier(7, random_state=0), CLASSES, None),
        slow(spinney.RandomForestClassifier(3, random_state=0, class_weight="balanced_subsample"), CLASSES, REPEATS),
        slow(spinney.RandomForestRegressor(4, random_state=0, ccp_alpha=0.01, max_samples=0.5), Y, REPEATS),
        slow(spinney.ExtraTreesClassifier(4, random_state=0), CLASSES, REPEATS),
        (spinney.ExtraTreesRegressor(4, random_state=0, bootstrap=True), np.c_[Y, -Y], None),
        (spinney.BaggingClassifier(n_estimators=4, random_state=0), CLASSES, REPEATS),
        slow(spinney.BaggingRegressor(n_estimators=3, max_features=0.5, random_state=0), Y, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_forests_and_bags(client, model, y, weight):
    local, remote = clone(model).fit(X, y, weight), clone(model).fit(parts_of(X), y, weight)
    assert remote.fingerprint_ == local.fingerprint_
    assert remote.get_params().keys() == local.get_params().keys()
    assert list(remote.feature_names_in_) == list(X)
    assert all(map(np.array_equal, remote.estimators_samples_, local.estimators_samples_))
    assert np.array_equal(remote.predict(X), local.predict(X))


def test_collections_and_arrays_and_more_trees(client, capsys):
    values = NUMBERS.to_numpy()
    model = spinney.RandomForestClassifier(2, random_state=0, warm_start=True, verbose=2)
    weight = da.from_array(REPEATS, chunks=70)
    remote = clone(model).fit(da.from_array(values, chunks=(150, 1)), da.from_array(CLASSES, chunks=90), weight)
    local = clone(model).set_params(verbose=0).fit(values, CLASSES, REPEATS)
    assert "tree 2/2" in capsys.readouterr().err
    for one, rows in ((remote, da.from_array(values, chunks=(90, 2))), (local, values)):
        one.set_params(n_estimators=5, verbose=0).fit(rows, CLASSES, REPEATS)
    assert len(remote.estimators_) == 5
    assert remote.fingerprint_ == local.fingerprint_


@pytest.mark.parametrize(
    ("model", "y", "weight"),
    [
        (spinney.RandomForestClassifier(9, random_state=0, oob_score=True), CLASSES, REPEATS),
        slow(spinney.ExtraTreesRegressor(8, random_state=0, bootstrap=True, oob_score=True), np.c_[Y, -Y], None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_out_of_bag_scores(client, model, y, weight):
    """By codes, and after more trees of the same bins; trees of other bins are refused."""
    models = clone(model).set_params(warm_start=True), clone(model).set_params(warm_start=True)
    with pytest.warns(UserWarning, match="rows are in the sample of every tree"):
        local, remote = models[0].fit(X, y, weight), models[1].fit(parts_of(X), y, weight)
    for _ in range(2):
        name = "oob_decision_function_" if hasattr(local, "classes_") else "oob_prediction_"
        assert np.array_equal(getattr(remote, name), getattr(local, name), equal_nan=True)
        assert remote.oob_score_ == local.oob_score_
        local.set_params(n_estimators=40).fit(X, y, weight)
        remote.set_params(n_estimators=40).fit(parts_of(X), y, weight)
    with pytest.raises(ValueError, match="needs trees with the same bins"):
        remote.set_params(n_estimators=41, max_bins=9).fit(parts_of(X), y, weight)


@pytest.mark.parametrize(
    "model",
    [
        spinney.KMeans(4, random_state=0),
        slow(spinney.KMeans(3, init="random", n_init=2, metric="cosine", random_state=1)),
        slow(spinney.MiniBatchKMeans(3, random_state=0)),
        spinney.BisectingKMeans(3, random_state=0),
        spinney.GaussianMixture(2, random_state=0),
        slow(spinney.BayesianGaussianMixture(n_components=2, random_state=0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_clusters_and_mixtures(client, model):
    rows = NUMBERS + 1
    local, remote = clone(model).fit(rows, sample_weight=REPEATS), clone(model)
    assert remote.fit(parts_of(rows), sample_weight=da.from_array(REPEATS, chunks=99)) is remote
    assert remote.fingerprint_ == local.fingerprint_
    assert vars(remote).keys() == vars(local).keys()
    assert remote.get_params() == local.get_params()
    assert np.array_equal(getattr(remote, "labels_", 0), getattr(local, "labels_", 0))
    assert np.array_equal(remote.predict(parts_of(rows)).compute(), local.predict(rows))


def test_errors_and_warnings_are_the_users(client):
    same = dd.from_pandas(pd.DataFrame({"a": np.ones(20)}), npartitions=2)
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters"):
        spinney.KMeans(3, random_state=0).fit(same)
    model = spinney.KMeans(50)
    with pytest.raises(ValueError, match="n_samples=20 should be >= n_clusters=50"):
        model.fit(same)
    assert not hasattr(model, "labels_")


def kill(pid):
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_lost_worker_loses_nothing(client, monkeypatch):
    """Killed when the first trees are there; Dask makes codes and trees anew elsewhere."""
    model = spinney.RandomForestRegressor(12, random_state=0)
    rows = dd.from_pandas(pd.concat([X] * 5, ignore_index=True), npartitions=4)  # partitions that can be made again
    local = clone(model).fit(rows.compute(), np.tile(Y, 5))
    pids = sorted(client.run(os.getpid).values())[:1]
    monkeypatch.setattr("spinney.ensemble.callbacks.tell_progress", lambda *about: lambda: pids and kill(pids.pop()))
    assert model.fit(rows, np.tile(Y, 5)).fingerprint_ == local.fingerprint_
    assert not pids
    complete(client)


# --- what does not go ------------------------------------------------------------------------------------------------


def say_of_workers(monkeypatch, **limits):
    """Let there be some workers with so much memory."""
    workers = {name: {"memory_limit": limit, "nthreads": 2} for name, limit in limits.items()}
    monkeypatch.setattr(gathered, "describe_workers", lambda client: workers)


def test_room_on_workers(monkeypatch):
    say_of_workers(monkeypatch, b=1 << 30, a=1 << 40, c=0)
    assert workers_with_room(None, 1 << 31, "It", "x") == {"a": 2, "c": 2}
    say_of_workers(monkeypatch, a=1 << 30, b=1 << 29)
    with pytest.raises(
        MemoryError, match=r"^It takes 2 GiB on a worker, but the largest worker can use only 0.7 GiB of its"
    ):
        workers_with_room(None, 1 << 31, "It", "use fewer rows.")


def test_workers_are_asked_for_anew(client, monkeypatch):
    """What the client has kept of its last question may be without workers. One that is lost is waited for."""
    monkeypatch.setattr(client, "_scheduler_identity", {"workers": {}})
    monkeypatch.setattr(client, "_update_scheduler_info", None)
    assert len(workers_with_room(client, 1, "It", "x")) == 3
    monkeypatch.setattr(tasks, "_REPLACEMENT", 0.0)
    monkeypatch.setattr(tasks, "_known_workers", lambda client: {})
    with pytest.raises(RuntimeError, match="No worker was left, and none came within 0 seconds"):
        workers_with_room(client, 1, "It", "x")


def test_tables_that_are_too_large(client, monkeypatch):
    """Said before anything is moved."""
    say_of_workers(monkeypatch, w=1000)
    with pytest.raises(
        MemoryError, match=r"needs all 400 rows of 4 columns as codes, which takes .* spinney.open_table"
    ):
        spinney.RandomForestClassifier(2).fit(parts_of(X), CLASSES)
    with pytest.raises(MemoryError, match=r"KMeans is fitted on all 400 rows in one place, which takes .* fewer rows"):
        spinney.KMeans(2).fit(parts_of(NUMBERS))
    with pytest.raises(MemoryError, match=r"BaggingClassifier is fitted on all 400 rows in one place"):
        spinney.BaggingClassifier().fit(parts_of(X), CLASSES)


def test_what_is_refused(client):
    rows = parts_of(X)
    codes = "grows trees on a dask collection from codes, but "
    for model, what in (
        (
            spinney.RandomForestRegressor(keep_targets=True),
            "keep_targets=True needs the rows, but a dask",
        ),
        (spinney.RandomForestRegressor(max_bins=None), codes + "max_bins=None needs the values"),
        (spinney.RandomForestRegressor(max_leaf_nodes=4), codes + "criterion='absolute_error'"),
        (spinney.RandomStructureForestRegressor(), codes + "trees of random structure"),
        (
            spinney.BaggingRegressor(oob_score=True),
            "bagging supports oob_score and warm_start only with data",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(what)):
            model.fit(rows, Y)
    with pytest.raises(TypeError, match="accepts only data in memory, got a dask DataFrame"):
        spinney.BaggingRegressor(spinney.GradientBoostingRegressor()).fit(rows, Y)
    for model in (spinney.RandomForestRegressor(), spinney.BaggingRegressor()):
        with pytest.raises(TypeError, match="is a dask collection, but X is not"):
            model.fit(X, da.from_array(Y))
    with pytest.raises(TypeError, match="sample_weight is a dask collection, but X is not"):
        spinney.KMeans(2).fit(NUMBERS, sample_weight=da.from_array(REPEATS))
    with pytest.raises(ValueError, match="needs at least one row, and X has no rows"):
        spinney.KMeans(2).fit(dd.from_pandas(NUMBERS[:0], npartitions=1))


@pytest.mark.parametrize(
    ("model", "table", "y"),
    [
        (spinney.GradientBoostingClassifier(n_estimators=2), X, CLASSES),
        slow(spinney.RandomForestClassifier(2, random_state=0), X, CLASSES),
        slow(spinney.BaggingClassifier(n_estimators=2, random_state=0), X, CLASSES),
        (spinney.KMeans(2, random_state=0), NUMBERS, None),
        slow(spinney.GaussianMixture(2, random_state=0), NUMBERS, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_another_client_than_the_current_one(client, monkeypatch, model, table, y):
    found = []
    monkeypatch.setattr(remote_table, "find_client", lambda: found.append(find_client()) or found[-1])
    rows = dd.from_pandas(table, npartitions=2)
    with Client(client.scheduler.address, set_as_default=False) as other:
        fitted = clone(model).fit(rows, y, client=other)
        assert found == [other]
    assert fitted.fingerprint_ == clone(model).fit(table, y).fingerprint_
    clone(model).fit(rows, y)
    assert found == [other, client]
    with pytest.raises(TypeError, match=re.escape("client must be a Dask client, distributed.Client(...), got s")):
        model.fit(rows, y, client="tcp://127.0.0.1:8786")
