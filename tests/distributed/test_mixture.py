"""Gaussian mixtures of dask collections: workers have ranges of the rows, and the model is that of one machine."""

import os
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney import BayesianGaussianMixture, GaussianMixture
from spinney.cluster.points import FEW_ROWS
from tests.compiled import few
from tests.distributed.partitions import parts_of, slow
from tests.distributed.remains import addresses, assert_nothing_left, complete

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
N = FEW_ROWS + 3000  # smaller tables go to one worker
RNG = np.random.RandomState(0)
X = pd.DataFrame(RNG.normal(size=(N, 3)) + RNG.randint(0, 3, N)[:, None] * [4, -3, 1], columns=list("abc"))
HOLES = X.mask(RNG.rand(N, 3) < 0.1)
WEIGHT = RNG.rand(N)
REPEATS = RNG.randint(0, 4, N).astype(float)
SHORT = {"max_iter": 3, "tol": 0.0, "random_state": 0}
GIVEN = {"weights_init": [0.3, 0.7], "means_init": X[:2], "precisions_init": np.ones((2, 3))}
pytestmark = pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")


def same(remote, local):
    assert remote.fingerprint_ == local.fingerprint_
    assert vars(remote).keys() == vars(local).keys()
    assert remote.lower_bounds_ == local.lower_bounds_
    assert (remote.converged_, remote.n_iter_) == (local.converged_, local.n_iter_)
    assert np.array_equal(remote.precisions_cholesky_, local.precisions_cholesky_)
    assert len(remote.history_ or ()) == len(local.history_ or ())
    for one, other in zip(remote.history_ or (), local.history_ or ()):
        assert all(map(np.array_equal, one, other))
    return remote


@pytest.mark.parametrize(
    ("model", "rows", "weight"),
    [
        slow(GaussianMixture(3, random_state=0), X, None),
        (GaussianMixture(2, **SHORT, keep_history=True), HOLES, WEIGHT),
        slow(GaussianMixture(2, **SHORT, covariance_type="diag", init_params="random", n_init=2), HOLES, None),
        slow(GaussianMixture(3, **SHORT, covariance_type="tied", init_params="k-means++"), X, REPEATS),
        slow(GaussianMixture(2, **SHORT, covariance_type="spherical", init_params="random_from_data"), HOLES, REPEATS),
        slow(GaussianMixture(2, **SHORT, covariance_type="diag", **GIVEN), X, WEIGHT),
        slow(BayesianGaussianMixture(n_components=3, **SHORT), HOLES, WEIGHT),
        slow(BayesianGaussianMixture(n_components=3, **SHORT, covariance_type="diag", init_params="random"), X, None),
    ],
    ids=["full", "holes", "random", "tied", "spherical", "given", "bayesian", "bayesian diag"],
)
def test_the_mixture_of_one_machine(client, model, rows, weight):
    local = clone(model).fit(rows, sample_weight=weight)
    weight = None if weight is None else da.from_array(weight, chunks=9999)
    remote = same(clone(model).fit(parts_of(rows), sample_weight=weight), local)
    assert list(remote.feature_names_in_) == list(X)


@pytest.mark.slow
@few(3, plain=1)
@given(
    cuts=st.lists(st.integers(0, N), max_size=5),
    n_workers=st.integers(1, 3),
    dtype=st.sampled_from(["f4", "f8"]),
    n_columns=st.sampled_from([1, 2, 3]),
    has_holes=st.booleans(),
)
def test_drawn_ranges(client, cuts, n_workers, dtype, n_columns, has_holes):
    """Of arrays, on one, two or three workers."""
    values = (HOLES if has_holes else X).to_numpy(dtype)[:, :n_columns]
    model = GaussianMixture(2, **{**SHORT, "max_iter": 2})
    some = addresses(client)[:n_workers]
    chunks = tuple(b - a for a, b in pairwise([0, *sorted(cuts), N]) if b > a)
    with pytest.MonkeyPatch.context() as patch:
        for room in ("members", "mixture"):
            patch.setattr(f"spinney.distributed.{room}.living_workers", lambda client: some)
        remote = clone(model).fit(da.from_array(values, chunks=(chunks, 1)))
    same(remote, clone(model).fit(values))


@pytest.mark.slow
def test_warm_start_progress_and_warnings(client, capsys):
    model = GaussianMixture(2, **SHORT, warm_start=True, verbose=1, verbose_interval=2)
    remote, local, said = clone(model), clone(model), []
    for one, rows in ((remote, parts_of(X)), (local, X)):
        for _ in range(2):
            with pytest.warns(ConvergenceWarning, match="did not converge") as caught:
                one.fit(rows)
            assert caught[0].filename == __file__
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != ""
    same(remote, local)


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_what_goes_wrong(client):
    model = GaussianMixture(2, **SHORT)
    for table in (X.assign(b=np.where(np.arange(N) > 50_000, np.inf, 0)), X.assign(b=np.nan), X.assign(c=1.0)):
        with pytest.raises(ValueError, match=r"infinity|Column 1 of X has no values at all|has collapsed") as local:
            model.set_params(reg_covar=0.0).fit(table)
        with pytest.raises(ValueError, match=r"infinity|Column 1 of X has no values at all|has collapsed") as remote:
            model.fit(parts_of(table))
        assert str(remote.value) == str(local.value)
    assert not hasattr(model, "means_")
    with pytest.raises(ValueError, match=r"Expected n_samples >= n_components but got n_components = 70000"):
        GaussianMixture(70_000).fit(parts_of(X))
    assert_nothing_left(client)


@pytest.mark.slow
def test_lost_workers_lose_no_mixture(client):
    """Killed when the second iteration is there, and the first of the second run."""
    model = GaussianMixture(2, **{**SHORT, "max_iter": 4}, n_init=2, init_params="random", keep_history=True)
    local = clone(model).fit(HOLES)
    pids, seen = sorted(client.run(os.getpid).values())[:2], []

    def watch(number, bound, gain):
        seen.append(number)
        if seen in ([1, 2], [1, 2, 3, 4, 1]):
            os.kill(pids.pop(), signal.SIGKILL)

    remote = clone(model)
    remote._watcher = lambda start: watch
    remote.fit(dd.from_pandas(HOLES, npartitions=5))  # partitions that can be made again
    del remote._watcher
    assert not pids
    assert seen == [1, 2, 3, 4] * 2
    same(remote, local)
    complete(client)
    assert_nothing_left(client)
