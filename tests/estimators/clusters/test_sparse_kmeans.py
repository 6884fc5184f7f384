"""k-means on sparse tables, from their stored cells, is k-means on the same tables laid out, bit for bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import spinney
from spinney.cluster import sparse_points
from spinney.data import sparse
from tests.compiled import few, slow

pytestmark = pytest.mark.filterwarnings("ignore:Number of distinct clusters")


@pytest.fixture(autouse=True)
def stored_cells(monkeypatch):
    """Small tables go down the path of large ones, and nothing lays out a whole table."""

    def never(*arguments, **names):
        raise AssertionError("laid out")

    monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
    monkeypatch.setattr(sparse, "FULL", 0)
    monkeypatch.setattr(sp.csr_array, "toarray", never)
    monkeypatch.setattr(sp.csc_array, "toarray", never)


def drawn(seed, n=300, m=40, share=0.15, dtype=np.float64, step=0.0):
    """A table with groups of rows, rows without cells, rows that are alike, and stored zeros; laid out and sparse."""
    random = np.random.RandomState(seed)
    group = random.randint(0, 5, n)
    values = random.randn(n, m) + 2.0 * random.randn(5, m)[group]
    dense = np.where(random.rand(n, m) < share, np.round(values / step) * step if step else values, 0.0).astype(dtype)
    dense[random.rand(n) < 0.05] = 0.0
    dense[: n // 20] = dense[n - n // 20 :]
    stored = sp.csr_matrix(dense)
    stored.data[:3] = 0.0
    laid_out = np.zeros((n, m), dtype)
    laid_out[np.repeat(np.arange(n), np.diff(stored.indptr)), stored.indices] = stored.data
    return laid_out, stored


def same(model, dense, stored, **fit):
    """Fit both and compare all there is."""
    one, other = clone(model).fit(dense, **fit), clone(model).fit(stored, **fit)
    assert one.fingerprint_ == other.fingerprint_
    assert one.cluster_centers_.dtype == other.cluster_centers_.dtype
    np.testing.assert_array_equal(other.labels_, one.labels_)
    assert (other.inertia_, other.n_iter_) == (one.inertia_, one.n_iter_)
    np.testing.assert_array_equal(other.predict(stored), one.predict(dense))
    np.testing.assert_array_equal(one.predict(stored), one.labels_)
    np.testing.assert_array_equal(other.transform(stored), one.transform(dense))
    assert other.score(stored, **fit) == one.score(dense, **fit)
    return one, other


def weights_of(kind, n):
    random = np.random.RandomState(0)
    return {"alike": None, "whole": random.randint(0, 3, n), "any": random.rand(n) * (random.rand(n) < 0.9)}[kind]


@pytest.mark.slow
@few(25)
@given(
    st.integers(0, 10**6),
    st.integers(1, 11),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["alike", "whole", "any"]),
    st.sampled_from([(300, 40), (40, 3), (70, 130)]),
)
def test_any_table(seed, k, dtype, step, weights, shape):
    n, m = shape
    dense, stored = drawn(seed, n, m, dtype=dtype, step=step)
    weight = weights_of(weights, n)
    same(spinney.KMeans(k, n_init=1, max_iter=30, random_state=seed), dense, stored, sample_weight=weight)


SETTINGS = {
    "random": {"init": "random", "n_init": 3},
    "history": {"keep_history": True},
    "elkan": {"algorithm": "elkan"},
    "cosine": {"metric": "cosine"},
    "one": {"n_clusters": 1},
    "many": {"n_clusters": 45},
    "short": {"max_iter": 2, "tol": 0.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_settings(settings, dtype):
    dense, stored = drawn(1, dtype=dtype)
    if "metric" in settings:
        rows = np.flatnonzero(dense.any(axis=1))
        dense, stored = dense[rows], stored[rows]
    one, other = same(spinney.KMeans(**{"n_clusters": 5, "random_state": 0, **settings}), dense, stored)
    if one.history_ is not None:
        for a, b in zip(one.history_, other.history_, strict=True):
            np.testing.assert_array_equal(a.centers, b.centers)
            assert a.inertia == b.inertia


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array", "lil_matrix"])
def test_formats(kind):
    dense, stored = drawn(2)
    same(spinney.KMeans(4, random_state=0), dense, getattr(sp, kind)(stored))


@pytest.mark.parametrize("dtype", [*slow([np.float32]), np.float64])
def test_many_rows(dtype):
    """Beyond 2**16 rows the origin is the mean of some, and rows stay in their order."""
    dense, stored = drawn(3, 70_000, 5, 0.3, dtype)
    same(spinney.KMeans(6, n_init=1, max_iter=5, tol=0.0, random_state=0), dense, stored)


@pytest.mark.parametrize("init", ["k-means++", "rows"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads(monkeypatch, init, dtype):
    monkeypatch.setattr("spinney.estimators.base.make_team", _team_of)
    _, stored = drawn(4, 5000, 30, dtype=dtype)
    start = np.asarray(stored[:7].todense()) if init == "rows" else init
    for most_cells in (0, 1 << 26):  # both ways of measuring in k-means++
        monkeypatch.setattr("spinney.cluster.plusplus.MOST_CELLS", most_cells)
        model = spinney.KMeans(7, init=start, n_init=1, random_state=0)
        assert len({clone(model).set_params(n_jobs=n).fit(stored).fingerprint_ for n in (1, 2, 5)}) == 1


def _team_of(kind, work, n_jobs):
    from spinney._team import Team

    return Team(n_jobs)


@pytest.mark.parametrize("size", [1e-42, 1e-30, 1e15, 1e19, 3e37])
def test_numbers_near_the_ends_of_float32(size):
    dense, stored = drawn(13, step=1.0)
    dense, stored = ((X * (size / 10)).astype(np.float32) for X in (dense, stored))
    one, other = (spinney.KMeans(4, init=dense[[50, 60, 70, 80]], n_init=1, max_iter=4).fit(X) for X in (dense, stored))
    assert one.fingerprint_ == other.fingerprint_
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_near_ties_are_found_and_leads_are_used(monkeypatch):
    """Rows halfway between two centres, by tenths, which no score says exactly."""
    from spinney.cluster import sparse_assign

    random = np.random.RandomState(0)
    half = np.where(random.rand(400, 60) < 0.2, random.randint(1, 9, (400, 60)) / 10, 0.0).astype(np.float32)
    dense = np.concatenate([half, half[:, ::-1], half + half[:, ::-1]])
    start = np.zeros((2, 60), np.float32)
    start[0, 3], start[1, 56] = 0.7, 0.7
    model = spinney.KMeans(2, init=start, n_init=1, max_iter=8)
    same(model, dense, sp.csr_array(dense))
    monkeypatch.setattr(sparse_assign.SparseBounds, "known", lambda self: sparse_assign.no_bounds())
    same(model, dense, sp.csr_array(dense))


def test_rows_in_another_order():
    _, stored = drawn(5)
    order = np.random.RandomState(0).permutation(stored.shape[0])
    one, other = (spinney.KMeans(5, random_state=0).fit(X) for X in (stored, stored[order]))
    assert one.fingerprint_ == other.fingerprint_
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", ["alike", "whole", "any"])
def test_large_tables_draw_well(monkeypatch, dtype, weights):
    """Beyond a size, distances of k-means++ are rounded in another way: mostly the same rows are drawn."""
    monkeypatch.setattr("spinney.cluster.plusplus.MOST_CELLS", 0)
    dense, stored = drawn(6, 400, 60, dtype=dtype)
    model = spinney.KMeans(8, n_init=1, random_state=1)
    weight = weights_of(weights, 400)
    one, other = (clone(model).fit(X, sample_weight=weight) for X in (dense, stored))
    assert other.inertia_ == one.inertia_
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_rows_that_are_alike_are_drawn_once(monkeypatch):
    monkeypatch.setattr("spinney.cluster.plusplus.MOST_CELLS", 0)
    random = np.random.RandomState(0)
    kinds = np.where(random.rand(6, 50) < 0.3, random.randn(6, 50), 0.0)
    model = spinney.KMeans(6, n_init=1, random_state=0).fit(sp.csr_array(np.repeat(kinds, 30, axis=0)))
    assert model.inertia_ < 1e-20
    assert len(np.unique(model.labels_)) == 6


def test_a_start_of_ones_own_gets_the_sparse_table():
    dense, stored = drawn(7)
    seen = []

    def start(X, k, random_state):
        seen.append(X)
        return dense[:k]

    other = spinney.KMeans(3, init=start, n_init=1).fit(stored)
    assert sp.issparse(seen[0])
    assert other.fingerprint_ == spinney.KMeans(3, init=dense[:3], n_init=1).fit(dense).fingerprint_


def test_what_is_not_a_number_is_refused():
    _, stored = drawn(8)
    names = [f"x{j}" for j in range(stored.shape[1])]
    model = spinney.KMeans(3, n_init=1).fit(stored)
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
        bad = stored.copy()
        bad.data[10] = value
        row = int(np.searchsorted(bad.indptr, 10, side="right")) - 1
        for call in (spinney.KMeans(3).fit, model.predict, model.transform, model.score):
            with pytest.raises(ValueError, match=f"contains {word}, first in column {bad.indices[10]}, row {row}"):
                call(bad)
        import pandas as pd

        with pytest.raises(ValueError, match=f"column '{names[bad.indices[10]]}'"):
            spinney.KMeans(3).fit(pd.DataFrame.sparse.from_spmatrix(bad, columns=names))
    huge = stored.copy()
    huge.data[0] = 1e200
    with pytest.raises(ValueError, match="larger than 1e150"):
        spinney.KMeans(3).fit(huge)


def test_cosine_needs_directions():
    _, stored = drawn(9)
    row = int(np.flatnonzero(np.diff(stored.indptr) == 0)[0])
    with pytest.raises(ValueError, match="is not defined for rows of zeros"):
        spinney.KMeans(3, metric="cosine").fit(stored[row:])


def test_large_tables_are_not_laid_out():
    """2 * 10**9 cells, of which one in ten thousand is stored."""
    random = np.random.RandomState(0)
    n, m, n_cells = 20_000, 100_000, 200_000
    X = sp.csr_array((random.rand(n_cells), (random.randint(0, n, n_cells), random.randint(0, m, n_cells))), (n, m))
    model = spinney.KMeans(2, init=np.asarray(sp.csr_matrix(X[[5, 9]]).todense()), n_init=1, max_iter=2).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for other in (spinney.MiniBatchKMeans(2), spinney.BisectingKMeans(2)):
        with pytest.raises(ValueError, match="must be converted to a dense array"):
            other.fit(X)


def test_batches_are_laid_out_and_predictions_are_not(monkeypatch):
    _, stored = drawn(10)
    dense = np.asarray(stored.todense())
    model = spinney.MiniBatchKMeans(3, random_state=0).fit(dense)
    np.testing.assert_array_equal(model.predict(stored), model.predict(dense))


def test_elbow():
    dense, stored = drawn(11)
    one, other = (spinney.elbow(X, 3, random_state=0, silhouette=True) for X in (dense, stored))
    np.testing.assert_array_equal(one.inertia, other.inertia)
    np.testing.assert_allclose(one.silhouette, other.silhouette, rtol=1e-6)


def test_survey():
    """What is known of columns: their reach with and without rows of weight 0, and their variance."""
    from spinney._team import Team
    from spinney.cluster.points import make_points
    from spinney.data.weights import read_weights

    dense, stored = drawn(12, m=12, share=0.6)
    for kind in ("alike", "whole", "any"):
        weights = read_weights(weights_of(kind, len(dense)), len(dense))
        tiled = make_points(dense, weights, Team(1, inline=True))
        listed = sparse_points.make_sparse_points(sp.csr_array(stored), weights)
        for name in ("origin", "reach", "full_reach", "order", "counts", "importance"):
            np.testing.assert_array_equal(getattr(listed, name), getattr(tiled, name))
        assert listed.variance == pytest.approx(tiled.variance, rel=1e-12)
        places = np.array([3, 17, 5])
        np.testing.assert_array_equal(listed.rows_at(places), tiled.rows_at(places))
