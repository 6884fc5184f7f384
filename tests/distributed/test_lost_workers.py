"""Workers that are killed, and clients that are closed, at every moment of a fit.

A moment is a message of the client's: the k-th call of a method of `Client`, or the first question to the members. No
clock decides anything, and the model is that of one machine whichever moment it was.
"""

import os
import re
import signal
import threading
from collections import Counter
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from distributed import Client, KilledWorker
from distributed.comm import CommClosedError
from sklearn.base import clone

import spinney
from spinney.distributed import group as groups
from spinney.distributed import tasks
from spinney.distributed.driver import Attempt
from spinney.evaluate import cross_validate
from tests.compiled import THOROUGH
from tests.distributed import remains
from tests.distributed.partitions import slow
from tests.distributed.remains import assert_nothing_left, complete

dd = pytest.importorskip("dask.dataframe")
METHODS = "submit", "compute", "scatter", "gather", "who_has", "register_plugin", "unregister_worker_plugin"
FEW = 300
RNG = np.random.RandomState(0)
X = pd.DataFrame(RNG.normal(size=(FEW, 3)) + RNG.randint(0, 4, FEW)[:, None] * [4, -3, 1], columns=list("abc"))
Y = (X["a"] + X["b"] > 1).to_numpy()
FAMILIES = {
    "boosting": (spinney.GradientBoostingClassifier(n_estimators=3, early_stopping=True, random_state=0), X, Y),
    "forest": (spinney.RandomForestClassifier(30, oob_score=True, random_state=0), X, Y),
    "bagging": (spinney.BaggingClassifier(n_estimators=6, random_state=0), X, Y),
    "one worker": (spinney.BisectingKMeans(3, random_state=0), X, np.ones(FEW)),  # with weights
    "folds": (spinney.DecisionTreeClassifier(max_depth=3), X, Y),
}


def fit_remotely(family):
    """Fingerprints of models that a cluster has fitted."""
    if family == "folds":
        return fit_folds("dask")
    model, rows, y = FAMILIES[family]
    collection = dd.from_pandas(rows, npartitions=3)  # partitions that can be made again
    return [fit(model, collection, y, family).fingerprint_]


def fit_here(family):
    """Those of one machine."""
    if family == "folds":
        return fit_folds(None)
    model, rows, y = FAMILIES[family]
    return [fit(model, rows, y, family).fingerprint_]


def fit(model, rows, y, family):
    return clone(model).fit(rows, sample_weight=y) if family == "one worker" else clone(model).fit(rows, y)


def fit_folds(n_jobs):
    found = cross_validate(*FAMILIES["folds"], cv=4, n_jobs=n_jobs, return_estimator=True)
    return [one.fingerprint_ for one in found["estimator"]]


@pytest.fixture(scope="module")
def fingerprints():
    return {family: fit_here(family) for family in FAMILIES}


class Moments:
    """Counts the messages of a fit by their names; calls `act` right before one of them."""

    def __init__(self, monkeypatch):
        self.seen, self.awaited, self.act = [], None, None
        for name in METHODS:
            monkeypatch.setattr(Client, name, self.counted(name, getattr(Client, name)))
        monkeypatch.setattr(Attempt, "take", self.counted("take", Attempt.take))

    def counted(self, name, method):
        def count(caller, *args, **kwargs):
            task = str(kwargs.get("key", "")).rsplit("-", 2)[0]
            self.seen.append(f"{name} {task}".strip())
            number = self.seen.count(self.seen[-1])
            if self.awaited == (self.seen[-1], number):
                self.awaited = None
                self.act(kwargs.get("workers"))
            return method(caller, *args, **kwargs)

        return count

    def of(self, fit):
        """The last of every name, and if thorough the first; `take` is called more or less often."""
        self.seen.clear()
        fit()
        last = {name: 1 if name == "take" else self.seen.count(name) for name in self.seen}
        return [(name, number) for name, n in last.items() for number in sorted({1, n} if THOROUGH else {n})]

    def wait_for(self, moment, act):
        self.seen.clear()
        self.awaited, self.act = moment, act


@pytest.fixture
def moments(monkeypatch):
    return Moments(monkeypatch)


def lose_a_worker(client, moments, moment, number, family, fingerprint):
    """The one that the message is for, or any. A fit without any loss sends the same messages every time."""
    complete(client)
    pids, killed = client.run(os.getpid), []

    def kill(workers):
        wanted = (workers or [""])[0]
        killed.append(wanted if wanted in pids else sorted(pids)[number % len(pids)])
        os.kill(pids[killed[0]], signal.SIGKILL)

    moments.wait_for(moment, kill)
    found = fit_remotely(family)
    assert killed, f"{moment} did not come, but {Counter(moments.seen)}"
    assert found == fingerprint, moment


@pytest.mark.parametrize(
    ("family", "moment"),
    [
        ("boosting", ("scatter", 2)),
        slow("forest", ("gather", 2)),
    ],
)
def test_a_worker_is_lost(client, moments, fingerprints, family, moment):
    lose_a_worker(client, moments, moment, 1, family, fingerprints[family])


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_workers_are_lost_at_every_moment(client, moments, fingerprints, family):
    every = moments.of(lambda: fit_remotely(family))
    assert len(every) > 3
    for number, moment in enumerate(every):
        lose_a_worker(client, moments, moment, number, family, fingerprints[family])
    complete(client)
    assert_nothing_left(client)


@pytest.mark.slow
def test_the_next_test_has_its_workers(client, monkeypatch):
    """One that was killed does not count, even if nobody has noticed yet; one that is gone for good is replaced."""
    monkeypatch.setattr(remains, "_PATIENCE", 5.0)
    os.kill(max(client.run(os.getpid).values()), signal.SIGKILL)
    assert not remains.is_settled(client, 3)
    complete(client)
    client.cluster.sync(client.cluster.workers[1].close)
    complete(client)
    assert len(set(client.run(os.getpid).values())) == 3


# --- what cannot be repeated -----------------------------------------------------------------------------------------


def test_rows_that_cannot_be_computed_again(client, monkeypatch):
    """Data that were scattered are lost with their worker; here they are cancelled."""
    monkeypatch.setattr(tasks, "_PAUSE", 0.0)
    parts = client.scatter([X[:100], X[100:]])
    collection = dd.from_delayed(parts, meta=X[:0])
    client.cancel(parts)
    with pytest.raises(RuntimeError, match=r"(?s)Workers were lost 5 times without any progress .* If X was scattered"):
        spinney.RandomForestClassifier(2).fit(collection, Y)


def test_errors_of_tasks_are_the_users(client):
    """They are not taken for those of messages, and nothing is repeated."""
    collection = dd.from_delayed([client.submit(read_file)], meta=X[:0])
    with pytest.raises(FileNotFoundError, match="no such file"):
        spinney.RandomForestClassifier(2).fit(collection, Y)
    assert sum(client.run(count_reads).values()) == 1


def read_file():
    from distributed import get_worker

    worker = get_worker()
    worker.n_reads = getattr(worker, "n_reads", 0) + 1
    raise FileNotFoundError("no such file")


def count_reads(dask_worker):
    return vars(dask_worker).pop("n_reads", 0)


def test_tasks_that_kill_their_workers(client, monkeypatch):
    """Dask has tried several workers: the step is not repeated."""
    calls = []

    def killed(client, work, workers=()):
        calls.append(work)
        raise KilledWorker("spinney-encode-0", SimpleNamespace(address="tcp://a:1"), 3)

    monkeypatch.setattr(tasks, "talk", killed)
    with pytest.raises(RuntimeError, match=r"lost with every worker that ran it: .*spinney-encode-0.* larger workers"):
        tasks.results(client, [])
    assert len(calls) == 1


def test_a_scheduler_that_is_lost_before_the_client_knows(client, monkeypatch):
    async def closed(**more):
        raise CommClosedError("Connection reset by peer")

    monkeypatch.setattr(client.scheduler, "identity", closed, raising=False)
    with pytest.raises(RuntimeError, match="The Dask scheduler cannot be reached, so the fit has ended"):
        tasks.talk(client, closed)


# --- a client that is closed -----------------------------------------------------------------------------------------


@pytest.fixture
def watchful(client, settled):
    """Workers look every tenth of a second whether a client is still there."""

    def look(every):
        groups._WATCH = every

    client.run(look, 0.1)
    yield client
    client.run(look, groups._WATCH)


class ClosedInWords(Exception):
    """The error that a fit must end with when its client is closed."""


def fit_in_words(family):
    """As `fit_remotely`, or that error."""
    try:
        return fit_remotely(family)
    except RuntimeError as error:
        if re.match("The Dask client is (closing|closed), so the fit has ended", str(error)):
            raise ClosedInWords from error
        raise


def close_at(client, moments, moment, family, fingerprint):
    """By this thread; by another one if this one waits for Dask. What is too late to matter changes nothing."""
    other = Client(client.scheduler.address, set_as_default=False)
    closing = threading.Thread(target=other.close)

    def close(workers):
        closing.start()
        if threading.current_thread() is threading.main_thread():
            closing.join()

    moments.wait_for(moment, close)
    with other.as_current(), suppress(ClosedInWords):
        assert fit_in_words(family) == fingerprint
    assert moments.awaited is None, f"{moment} did not come, but {Counter(moments.seen)}"
    closing.join()
    assert_nothing_left(client, closed=True)


@pytest.mark.parametrize(
    ("family", "moment"),
    [("boosting", ("submit spinney-boost", 2)), ("forest", ("gather", 3)), ("boosting", ("take", 1))],
)
def test_a_client_is_closed(watchful, moments, fingerprints, family, moment):
    close_at(watchful, moments, moment, family, fingerprints[family])


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_clients_are_closed_at_every_moment(watchful, moments, fingerprints, family):
    """Not while a value is being sent: Dask keeps such a value when the client that sends it is gone."""
    every = moments.of(lambda: fit_remotely(family))
    for moment in [one for one in every if not one[0].startswith("scatter")]:
        close_at(watchful, moments, moment, family, fingerprints[family])
