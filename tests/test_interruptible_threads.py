"""Jobs in threads: in order, and gone after an error or an interrupt."""

import threading
import time

import pytest
from sklearn import config_context, get_config

from spinney import _interruptible_threads as _side_by_side
from spinney._interruptible_threads import side_by_side


def ours():
    return [thread for thread in threading.enumerate() if thread.name.startswith("spinney_job")]


def test_results_come_in_order():
    def work(k):
        time.sleep(0.002 * (k % 3))
        return k * k

    assert list(side_by_side(work, range(20), 4)) == [k * k for k in range(20)]
    assert not ours()


@pytest.fixture
def endless(monkeypatch):
    """Work that ends by an interrupt only, or after the test; the threads are waited for, however slow the machine."""
    monkeypatch.setattr(_side_by_side, "_PATIENCE", 300.0)
    over = threading.Event()

    def work():
        while not over.is_set():
            time.sleep(0.001)  # an interrupt comes through between these

    yield work
    over.set()


def test_an_error_ends_all(endless):
    begun = []

    def work(k):
        begun.append(k)
        if k == 3:
            raise ValueError("not this one")
        if k > 3:
            endless()
        return k

    with pytest.raises(ValueError, match="not this one"):
        list(side_by_side(work, range(1000), 2))
    assert not ours()
    assert sorted(begun) in ([0, 1, 2, 3], [0, 1, 2, 3, 4])  # the other thread may have begun one more


def test_whoever_stops_listening_stops_the_work(endless):
    begun = []

    def work(k):
        begun.append(k)
        if k > 0:
            endless()
        return k

    results = side_by_side(work, range(100), 2)
    assert next(results) == 0
    results.close()
    assert not ours()
    assert set(begun) <= {0, 1, 2}  # one job per thread


def test_settings_of_scikit_learn_are_the_callers():
    with config_context(assume_finite=True):
        assert list(side_by_side(lambda k: get_config()["assume_finite"], range(2), 2)) == [True, True]
