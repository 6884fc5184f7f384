"""Boosting on a cluster: the model of one machine, bit for bit."""

import os
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from distributed import Client
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import spinney
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.distributed import driver
from spinney.distributed.collections import find_client
from tests.compiled import THOROUGH, few
from tests.distributed.partitions import slow
from tests.distributed.remains import assert_nothing_left, complete

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
N = 900
SMALL = {"n_estimators": 4, "max_leaf_nodes": 6, "min_samples_leaf": 5, "random_state": 0}


def table(seed=0, n=N):
    rng = np.random.RandomState(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.randint(0, 20, n),
            "c": rng.choice(list("xyzuvw"), n),
            "d": rng.normal(size=n).astype(np.float32),
        }
    )
    X.loc[rng.rand(n) < 0.1, ["a", "c"]] = None
    y = np.nan_to_num(X["a"].to_numpy()) + 0.1 * X["b"].to_numpy() + (X["c"] == "x") + 0.3 * rng.normal(size=n)
    return X, np.asarray(y, float)


X, Y = table()
CLASSES = np.array(["no", "yes"])[(np.median(Y) < Y).astype(int)]
THREE = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
WEIGHT = np.random.RandomState(1).rand(N) + 0.1
REPEATS = np.random.RandomState(2).randint(0, 4, N).astype(float)


def parts_of(frame, cuts):
    """A dask frame whose partitions end at these rows; their sizes are not known to dask."""
    ends = [0, *sorted(cuts), len(frame)]
    return dd.from_delayed([find_client().submit(lambda x: x, frame[a:b]) for a, b in pairwise(ends)], meta=frame[:0])


def same(model, y, weight=None, cuts=(100, 450), **more):
    local = clone(model).fit(X, y, weight, **more)
    remote = clone(model).fit(parts_of(X, cuts), y, weight, **more)
    assert remote.fingerprint_ == local.fingerprint_
    assert np.allclose(getattr(remote, "train_score_", 0), getattr(local, "train_score_", 0))
    assert remote.get_params() == local.get_params()
    assert list(remote.feature_names_in_) == list(X)
    return remote, local


@pytest.mark.parametrize(
    ("model", "y", "weight"),
    [
        (GradientBoostingRegressor(**SMALL), Y, WEIGHT),
        (GradientBoostingRegressor(**SMALL, growth="level_wise"), Y, REPEATS),
        slow(GradientBoostingRegressor(**SMALL), np.exp(4 * Y), None),  # a few rows far beyond the others
        slow(GradientBoostingRegressor("absolute_error", **SMALL, monotonic_cst=[1, 0, 0, -1]), Y, REPEATS),
        slow(GradientBoostingRegressor("quantile", quantile=0.3, **SMALL), Y, WEIGHT),
        slow(GradientBoostingRegressor("huber", **SMALL), Y, WEIGHT),
        slow(GradientBoostingRegressor("poisson", **SMALL), np.abs(np.rint(Y)), None),
        slow(GradientBoostingRegressor("absolute_error", **SMALL), np.rint(Y), None),
        slow(GradientBoostingRegressor("gamma", **SMALL), np.exp(Y), WEIGHT),
        slow(GradientBoostingRegressor("tweedie", power=1.4, **SMALL), np.maximum(Y, 0.0), REPEATS),
        slow(GradientBoostingClassifier("exponential", **SMALL), CLASSES, WEIGHT),
        (GradientBoostingClassifier(**SMALL, subsample=0.5, max_features=0.5), CLASSES, REPEATS),
        slow(
            GradientBoostingClassifier(**SMALL, class_weight="balanced", interaction_cst=[[0, 1], [2, 3]]),
            THREE,
            WEIGHT,
        ),
        # some members have no rows in a round
        slow(GradientBoostingClassifier(**SMALL, subsample=0.002), CLASSES, None),
    ],
    ids=lambda value: getattr(value, "loss", ""),
)
def test_losses_and_settings(client, model, y, weight):
    same(model, y, weight)


@pytest.mark.slow
@few(6, plain=1)
@given(
    cuts=st.lists(st.integers(0, N), max_size=4),
    leaves=st.integers(2, 9),
    level_wise=st.booleans(),
    max_bins=st.sampled_from([4, 255]),
    subsample=st.sampled_from([1.0, 0.7]),
    ccp=st.sampled_from([0.0, 0.05]),
)
def test_drawn_settings_and_partitions(client, cuts, leaves, level_wise, max_bins, subsample, ccp):
    growth = "level_wise" if level_wise else "best_first"
    model = GradientBoostingClassifier(
        n_estimators=3, max_leaf_nodes=leaves, growth=growth, max_bins=max_bins, subsample=subsample, ccp_alpha=ccp
    )
    same(model.set_params(random_state=leaves), CLASSES, cuts=cuts)


@pytest.mark.slow
def test_small_tables_are_boosted_by_one_worker(client, monkeypatch):
    """It has nobody to wait for; the model is the same."""
    shares = []
    share_out = driver.share_out
    monkeypatch.setattr(driver, "share_out", lambda *given: shares.append(share_out(*given)) or shares[-1])
    for most, n_members in ((N, 1), (N - 1, 3)):
        monkeypatch.setattr(driver, "_FEW_ROWS", most)
        same(GradientBoostingClassifier(**SMALL), CLASSES)
        assert len(shares[-1]) == n_members
        assert sum(piece.n_rows for pieces in shares[-1].values() for piece in pieces) == N


@pytest.mark.slow
def test_rounds_are_chosen_alike(client):
    model = GradientBoostingClassifier(random_state=0, learning_rate=1.0, max_leaf_nodes=3)
    remote, local = same(model, CLASSES)
    assert remote.n_iter_ == local.n_iter_
    assert remote.evals_result_ == local.evals_result_


@pytest.mark.slow
def test_early_stopping_on_rows_held_out_and_on_the_training_rows(client):
    model = GradientBoostingClassifier(
        **{**SMALL, "n_estimators": 30}, early_stopping=True, n_iter_no_change=2, tol=0.01
    )
    remote, local = same(model, CLASSES)
    assert remote.evals_result_ == local.evals_result_
    assert remote.n_iter_ < 30
    same(model.set_params(validation_fraction=None, scoring="accuracy"), CLASSES)


def test_collections_everywhere(client):
    """Targets, weights, evaluation sets and initial scores may be collections; partitions need not agree."""
    frame = X.assign(y=Y, w=WEIGHT)
    remote = parts_of(frame, [200, 201, 640])
    valid, answers = table(1, 300)
    model = GradientBoostingRegressor(**SMALL)
    local = clone(model).fit(X, Y, WEIGHT, eval_set=(valid, answers), eval_metric=["squared_error", "r2"])
    sets = dd.from_pandas(valid, npartitions=3), da.from_array(answers, chunks=77)
    fitted = model.fit(remote[list(X)], remote["y"], remote["w"], eval_set=sets, eval_metric=["squared_error", "r2"])
    assert fitted.fingerprint_ == local.fingerprint_
    assert fitted.evals_result_ == local.evals_result_
    start = np.linspace(-1, 1, N)
    other = clone(model).fit(X, Y, init_score=start)
    again = model.fit(remote[list(X)], remote["y"], init_score=da.from_array(start, chunks=100))
    assert again.fingerprint_ == other.fingerprint_


@pytest.mark.slow
def test_arrays_a_loss_of_ones_own_and_warm_start(client):
    values = X[["a", "b", "d"]].to_numpy()
    array = da.from_array(values, chunks=(250, 2))
    loss = spinney.Loss(
        gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0, value=lambda y, raw: (raw - y) ** 2
    )
    model = GradientBoostingRegressor(loss, **SMALL)
    remote, local = clone(model).fit(array, Y), clone(model).fit(values, Y)
    assert remote.fingerprint_ == local.fingerprint_
    for one, rows in ((remote, array), (local, values)):
        one.set_params(warm_start=True, n_estimators=7).fit(rows, Y)
    assert remote.n_iter_ == 7
    assert remote.fingerprint_ == local.fingerprint_


def test_callbacks_and_progress_are_the_clients(client, capsys):
    seen = []

    def stop(info):
        seen.append((info.number, os.getpid()))
        return info.number == 2

    model = GradientBoostingRegressor(**SMALL, callbacks=[stop], verbose=2).fit(parts_of(X, [300]), Y)
    assert seen == [(1, os.getpid()), (2, os.getpid())]
    assert model.n_iter_ == 2
    assert "round 2/4" in capsys.readouterr().err
    assert_nothing_left(client)


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_errors_of_a_member_are_the_users(client):
    """The other members do not wait, and nothing stays behind. Here scores run away on one member's rows only."""
    far = np.where(np.arange(N) > 700, Y, 0.0)
    model = GradientBoostingRegressor(**SMALL, learning_rate=1e38)
    with pytest.raises(ValueError, match=r"The raw scores diverge in round 2") as caught:
        model.fit(parts_of(X.assign(b=np.arange(N)), [300, 600]), far)
    assert "This was raised on worker" in caught.value.__notes__[0]
    assert_nothing_left(client)


def test_interrupted(client):
    def interrupt(info):
        raise KeyboardInterrupt

    model = GradientBoostingRegressor(**SMALL, callbacks=[interrupt])
    with pytest.raises(KeyboardInterrupt):
        model.fit(parts_of(X, [300, 600]), Y)
    assert not hasattr(model, "n_iter_")
    assert_nothing_left(client)


def test_a_client_that_is_closed(client):
    """The fit ends in words, and the workers clear up by themselves."""
    other = Client(client.scheduler.address, set_as_default=False)
    model = GradientBoostingRegressor(**{**SMALL, "n_estimators": 50}, callbacks=[lambda info: other.close()])
    with other.as_current(), pytest.raises(RuntimeError, match="The Dask client is closed, so the fit has ended"):
        model.fit(da.from_array(np.stack((Y, Y)).T, chunks=300), Y)
    assert_nothing_left(client)


NOT_ON_WORKERS = {
    "a tree": (
        lambda rows: spinney.DecisionTreeRegressor().fit(rows, Y),
        TypeError,
        r"DecisionTreeRegressor accepts only data in memory, got a dask DataFrame. Call",
    ),
    "a tree of an array": (
        lambda rows: spinney.DecisionTreeRegressor().fit(da.from_array(X[["b"]].to_numpy()), Y),
        TypeError,
        r"DecisionTreeRegressor accepts only data in memory, got a dask Array",
    ),
    "a target too short": (
        lambda rows: GradientBoostingRegressor(**SMALL).fit(rows, Y[:-1]),
        ValueError,
        "X and y must have the same number of rows: X has 900, y has 899",
    ),
    "all values": (
        lambda rows: GradientBoostingRegressor(**SMALL, max_bins=None).fit(rows, Y),
        ValueError,
        "max_bins=None sorts all values",
    ),
    "an initial estimator": (
        lambda rows: GradientBoostingRegressor(**SMALL, init=GradientBoostingRegressor()).fit(rows, Y),
        ValueError,
        "init is an estimator, which needs local data",
    ),
    "several models at a time": (
        lambda rows: GradientBoostingRegressor(quality=4).fit(rows, Y),
        ValueError,
        "quality=4 fits several models at a time, which a dask cluster does not support",
    ),
    "a target alone": (
        lambda rows: GradientBoostingRegressor(**SMALL).fit(X, da.from_array(Y)),
        TypeError,
        "is a dask collection, but X is not",
    ),
    "a score": (
        lambda rows: GradientBoostingRegressor(**SMALL, early_stopping=True, scoring=lambda model, X, y: 0.0).fit(
            rows, Y
        ),
        ValueError,
        "scoring=... needs the rows, but a dask collection",
    ),
}


@pytest.mark.parametrize("name", NOT_ON_WORKERS)
def test_what_is_refused(client, name):
    fit, error, words = NOT_ON_WORKERS[name]
    rows = parts_of(X, [300])
    with pytest.raises(error, match=words):
        fit(rows)
    assert_nothing_left(client)


def test_without_a_client(client, monkeypatch):
    import distributed

    def none():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr(distributed, "get_client", none)
    with pytest.raises(
        ValueError, match=r"needs a Dask client, and there is none. Write `from distributed import Client"
    ):
        GradientBoostingRegressor(**SMALL).fit(dd.from_pandas(X, npartitions=2), Y)


def kill_someone(client, which):
    pids = sorted(client.run(os.getpid, on_error="ignore").values())
    os.kill(pids[which % len(pids)], signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20 if THOROUGH else 3))
def test_lost_workers_lose_nothing(client, seed):
    """Killed at one or two drawn rounds, perhaps one right after the other. Last here: new workers are slow."""
    rng = np.random.RandomState(seed)
    rounds = {int(k): int(rng.randint(99)) for k in rng.randint(1, 8, 1 + seed % 2)}

    def chaos(info):
        if info.number in rounds:
            kill_someone(client, rounds.pop(info.number))

    loss = ["squared_error", "absolute_error"][seed % 2]
    model = GradientBoostingRegressor(loss, **{**SMALL, "n_estimators": 8}, subsample=0.8)
    local = clone(model).fit(X, Y)
    cuts = rng.randint(1, N, 4).tolist()
    remote = model.set_params(callbacks=[chaos]).fit(dd.from_pandas(X, npartitions=2 + len(cuts)), Y)
    assert not rounds
    assert remote.fingerprint_ == local.fingerprint_
    complete(client)
    assert_nothing_left(client)
