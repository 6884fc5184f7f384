"""Jobs in threads: in order, and gone after an error or an interrupt."""

import threading
import time

import pytest
from sklearn import config_context, get_config

from spinney._side_by_side import side_by_side


def ours():
    return [thread for thread in threading.enumerate() if thread.name.startswith("spinney_job")]


def test_results_come_in_order():
    def work(k):
        time.sleep(0.002 * (k % 3))
        return k * k

    assert list(side_by_side(work, range(20), 4)) == [k * k for k in range(20)]
    assert not ours()


def test_an_error_ends_all():
    begun = []

    def work(k):
        begun.append(k)
        time.sleep(0.005)
        if k == 3:
            raise ValueError("not this one")
        return k

    with pytest.raises(ValueError, match="not this one"):
        list(side_by_side(work, range(1000), 2))
    assert len(begun) < 10
    assert not ours()


def test_whoever_stops_listening_stops_the_work():
    begun = []

    def work(k):
        begun.append(k)
        for _ in range(1000):
            time.sleep(0.001)  # an interrupt comes through between these
        return k

    results = side_by_side(lambda k: k if k == 0 else work(k), range(100), 2)
    assert next(results) == 0
    start = time.perf_counter()
    results.close()
    assert time.perf_counter() - start < 0.5
    assert not ours()
    assert len(begun) <= 4


def test_settings_of_scikit_learn_are_the_callers():
    with config_context(assume_finite=True):
        assert list(side_by_side(lambda k: get_config()["assume_finite"], range(2), 2)) == [True, True]
