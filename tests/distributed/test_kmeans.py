"""k-means of dask collections: rows stay where they are, and the model is that of one machine, bit for bit."""

import os
import signal
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import spinney
from spinney.cluster.points import FEW_ROWS
from tests.compiled import few
from tests.distributed.partitions import parts_of, slow
from tests.distributed.remains import addresses, assert_nothing_left, complete

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
N = FEW_ROWS + 2000  # smaller tables go to one worker
RNG = np.random.RandomState(0)
X = pd.DataFrame(RNG.normal(size=(N, 3)) + RNG.randint(0, 4, N)[:, None] * [4, -3, 1], columns=list("abc"))
WEIGHT = RNG.rand(N)
REPEATS = RNG.randint(0, 4, N).astype(float)
GIVEN = X[:5].to_numpy()


def same(remote, local):
    assert remote.fingerprint_ == local.fingerprint_
    assert vars(remote).keys() == vars(local).keys()
    assert np.array_equal(remote.labels_, local.labels_)
    assert (remote.inertia_, remote.n_iter_) == (local.inertia_, local.n_iter_)
    assert np.array_equal(remote._origin, local._origin)
    assert len(remote.history_ or ()) == len(local.history_ or ())
    for one, other in zip(remote.history_ or (), local.history_ or ()):
        assert np.array_equal(one.centers, other.centers)
        assert one.inertia == other.inertia
    return remote


@pytest.mark.parametrize(
    ("model", "weight"),
    [
        (spinney.KMeans(6, random_state=0, keep_history=True), WEIGHT),
        slow(spinney.KMeans(3, init="random", n_init=2, metric="cosine", random_state=1), REPEATS),
        slow(spinney.KMeans(4, init="random", n_init=3, random_state=2, algorithm="bounds"), None),
        (spinney.KMeans(5, init=GIVEN, max_iter=3), REPEATS),
        (spinney.KMeans(1, random_state=0), np.where(WEIGHT < 0.5, 0.0, WEIGHT)),
    ],
    ids=["plusplus", "cosine", "bounds", "given", "one"],
)
def test_the_model_of_one_machine(client, model, weight):
    local = clone(model).fit(X, sample_weight=weight)
    weight = None if weight is None else da.from_array(weight, chunks=9999)
    remote = same(clone(model).fit(parts_of(X), sample_weight=weight), local)
    assert list(remote.feature_names_in_) == list(X)
    assert remote.get_params().keys() == model.get_params().keys()


@cache
def fitted(dtype, n_columns):
    values = X.to_numpy(dtype)[:, :n_columns]
    return values, spinney.KMeans(4, random_state=3).fit(values)


@pytest.mark.slow
@few(4, plain=1)
@given(
    cuts=st.lists(st.integers(0, N), max_size=5),
    n_workers=st.integers(1, 3),
    dtype=st.sampled_from(["f4", "f8"]),
    n_columns=st.sampled_from([1, 3]),
)
def test_drawn_partitions(client, cuts, n_workers, dtype, n_columns):
    """Of arrays, on one, two or three workers."""
    values, local = fitted(dtype, n_columns)
    some = addresses(client)[:n_workers]
    chunks = tuple(b - a for a, b in pairwise([0, *sorted(cuts), N]) if b > a)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spinney.distributed.members.living_workers", lambda client: some)
        remote = clone(local).fit(da.from_array(values, chunks=(chunks, 1)))
    same(remote, local)


def test_centres_without_rows(client):
    """They go to the rows farthest away, wherever these are; of equals to the first."""
    values = np.repeat(RNG.normal(size=(7, 2)), N // 7 + 1, axis=0)[:N]
    given = np.array([[0.0, 0.0], [50.0, 50.0], [60.0, 60.0], [-70.0, 50.0]])
    model = spinney.KMeans(4, init=given)
    same(clone(model).fit(da.from_array(values, chunks=(20_000, 2))), clone(model).fit(values))


def test_rows_that_are_alike(client, capsys):
    values = np.ones((N, 2), np.float32)
    model = spinney.KMeans(3, random_state=0, verbose=1)
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters"):
        local = clone(model).fit(values)
    said = capsys.readouterr().out
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters") as caught:
        remote = clone(model).fit(da.from_array(values, chunks=(30_000, 2)))
    assert caught[0].filename == __file__
    assert capsys.readouterr().out == said != ""
    same(remote, local)


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_what_goes_wrong(client):
    rows = parts_of(X)
    with pytest.raises(ValueError, match="init=<function> needs all rows"):
        spinney.KMeans(2, init=lambda X, k, random_state: X[:k]).fit(rows)
    with pytest.raises(ValueError, match=r"n_samples=67536 should be >= n_clusters=70000"):
        spinney.KMeans(70_000).fit(rows)
    bad = X.copy()
    bad.loc[[50_000, 60_000], "b"] = np.nan
    bad.loc[66_000, "c"] = np.inf
    for table in (bad, parts_of(bad)):
        with pytest.raises(ValueError, match=r"contains NaN, first in column 'b', row 50000. Impute it"):
            spinney.KMeans(2).fit(table)
    empty = X.copy()
    empty.loc[[45_000, 67_000]] = 0.0
    for table in (empty, parts_of(empty)):
        with pytest.raises(ValueError, match="such as row 45000 of X"):
            spinney.KMeans(2, metric="cosine").fit(table)
    model = spinney.KMeans(2)
    for table in (X * 1e160, parts_of(X * 1e160)):
        with pytest.raises(ValueError, match="must not hold values larger than 1e150"):
            model.fit(table)
    assert not hasattr(model, "labels_")
    with pytest.raises(TypeError, match="KMeans needs numbers: encode the column first"):
        model.fit(parts_of(X.assign(c="x")))
    assert_nothing_left(client)


@pytest.mark.slow
def test_lost_workers_lose_no_centres(client):
    """Killed when the third iteration is there, and the first of the second run."""
    model = spinney.KMeans(5, init="random", n_init=2, max_iter=6, tol=0.0, random_state=0, keep_history=True)
    local = clone(model).fit(X)
    pids, seen = sorted(client.run(os.getpid).values())[:2], []

    def watch(number, total):
        seen.append(number)
        if seen in ([1, 2, 3], [1, 2, 3, 4, 5, 6, 1]):
            os.kill(pids.pop(), signal.SIGKILL)

    remote = clone(model)
    remote._watcher = lambda: watch
    remote.fit(dd.from_pandas(X, npartitions=5))  # partitions that can be made again
    del remote._watcher
    assert not pids
    assert seen == [*range(1, 7)] * 2
    same(remote, local)
    complete(client)
    assert_nothing_left(client)
