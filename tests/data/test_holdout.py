"""Rows held out: each row once, classes by their shares, the same for the same seed."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spinney.data.holdout import hold_out, parts_by_group, parts_by_time, read_order
from spinney.data.weights import Weights


@pytest.mark.parametrize("share", [0.25, 20])
def test_every_row_is_in_one_part(share):
    rows = np.arange(5, 85)
    kept, held = hold_out(rows, share, 0, None)
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, held])), rows)
    assert len(held) == 20
    assert (np.diff(kept) > 0).all()
    assert (np.diff(held) > 0).all()
    np.testing.assert_array_equal(hold_out(rows, share, 0, None)[1], held)


def test_classes_keep_their_shares_unless_one_has_a_single_row():
    labels = np.repeat([0, 2], [30, 10])
    _, held = hold_out(np.arange(40), 0.5, 3, labels)
    np.testing.assert_array_equal(np.bincount(labels[held], minlength=3), [15, 0, 5])
    labels[0] = 1
    assert len(hold_out(np.arange(40), 0.5, 3, labels)[1]) == 20


# --- groups and times ------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whole_groups_are_held_out(data):
    n_groups = data.draw(st.integers(2, 12))
    groups = np.array(data.draw(st.lists(st.integers(0, n_groups - 1), min_size=4, max_size=80)))
    counts = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups)))
    weights = Weights(None if counts is None else np.array(counts), None)
    there = groups if counts is None else groups[np.array(counts) > 0]
    n_folds = data.draw(st.integers(1, 4))
    if len(np.unique(there)) < 2:
        with pytest.raises(ValueError, match="groups must have at least two groups"):
            parts_by_group(groups, weights, 0, n_folds, 0.7, 0.3)
        return
    parts = parts_by_group(groups, weights, 0, n_folds, 0.7, 0.3)
    order = np.random.RandomState(1).permutation(len(groups))
    other = Weights(None if counts is None else np.array(counts)[order], None)
    for (kept, held), (kept_2, held_2) in zip(parts, parts_by_group(groups[order], other, 0, n_folds, 0.7, 0.3)):
        assert len(kept.rows)
        assert len(held.rows)
        assert not set(groups[kept.rows]) & set(groups[held.rows])
        assert sorted(order[held_2.rows]) == held.rows.tolist()  # whatever the order of the rows
        assert sorted(order[kept_2.rows]) == kept.rows.tolist()
    if n_folds > 1:
        assert sorted(np.concatenate([held.rows for _, held in parts])) == [
            i for i in range(len(groups)) if counts is None or counts[i]
        ]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_last_stretch_is_held_out(data):
    times = np.array(data.draw(st.lists(st.integers(-5, 20), min_size=4, max_size=60)))
    gap, n_folds = 0, data.draw(st.integers(1, 4))
    share = data.draw(st.sampled_from([0.7, 0.4]))
    weights = Weights(None, None)
    assume(len(np.unique(times)) > 1)
    parts = parts_by_time(times, gap, weights, n_folds, share, 0.3)
    order = np.random.RandomState(1).permutation(len(times))
    others = parts_by_time(times[order], gap, Weights(None, None), n_folds, share, 0.3)
    for (kept, held), (kept_2, held_2) in zip(parts, others, strict=True):
        assert len(held.rows)
        assert times[kept.rows].max() < times[held.rows].min()
        assert sorted(order[held_2.rows]) == held.rows.tolist()
        assert sorted(order[kept_2.rows]) == kept.rows.tolist()
    assert times[parts[-1][1].rows].max() == times.max()
    if n_folds > 1:
        for (kept, _), (later, _) in pairwise(parts):
            assert set(kept.rows) < set(later.rows)  # windows grow


def test_of_many_rows_the_last_ones_are_learned_from():
    ((kept, held),) = parts_by_time(np.arange(100), 0, Weights(None, None), 1, 0.2, 0.1)
    assert held.rows.tolist() == list(range(90, 100))
    assert kept.rows.tolist() == list(range(70, 90))


def test_rows_in_the_gap_are_left_out():
    ((kept, held),) = parts_by_time(np.arange(10), 2, Weights(None, None), 1, 0.7, 0.3)
    assert (kept.rows.tolist(), held.rows.tolist()) == ([0, 1, 2, 3, 4], [7, 8, 9])
    with pytest.raises(ValueError, match=r"gap=20 leaves no training rows before the held-out rows. Use a smaller gap"):
        parts_by_time(np.arange(10), 20, Weights(None, None), 1, 0.7, 0.3)
    with pytest.raises(ValueError, match="times must have at least two different times"):
        parts_by_time(np.zeros(10), 0, Weights(None, None), 1, 0.7, 0.3)


def test_repetitions_of_a_row_stay_together():
    weights = Weights(np.array([3, 0, 1, 2]), None)
    ((kept, held),) = parts_by_time(np.array([1, 9, 5, 7]), 0, weights, 1, 0.7, 0.3)
    assert kept.rows.tolist() == [0, 2]
    assert kept.counts.tolist() == [3, 1]
    assert held.rows.tolist() == [3]
    assert held.counts.tolist() == [2]


DATES = np.array(["2026-01-03", "2026-01-01", "2026-01-02"], "datetime64[D]")
DAY = 86_400 * 10**9


@pytest.mark.parametrize(
    ("times", "gap", "differences", "expected_gap"),
    [
        (DATES, "2D", [2 * DAY, 0, DAY], 2 * DAY),
        (pd.Series(pd.to_datetime(DATES)), pd.Timedelta("12h"), [2 * DAY, 0, DAY], DAY / 2),
        (["2026-01-03", "2026-01-01", "2026-01-02"], np.timedelta64(30, "m"), [2 * DAY, 0, DAY], 18e11),
        (pd.Series(pd.to_datetime(DATES, utc=True)), "1D", [2 * DAY, 0, DAY], DAY),
        (["2026-01-03T00:00:00Z", "2026-01-01T00:00+00:00", "2026-01-02T02:00+02:00"], None, [2 * DAY, 0, DAY], 0.0),
        (["2026-03", "2026-01", "2026-02"], None, [59 * DAY, 0, 31 * DAY], 0.0),
        ([2.5, 0.0, 1.0], 0.5, [2.5, 0.0, 1.0], 0.5),
        ("order", 1, [0, 1, 2], 1.0),
        ("when", None, [2, 0, 1], 0.0),
    ],
)
@pytest.mark.filterwarnings("error")
def test_times_as_they_are_given(times, gap, differences, expected_gap):
    found = read_order(None, times, gap, pd.DataFrame({"when": [2, 0, 1]}), 3)
    assert (found.times - found.times.min()).tolist() == differences
    assert found.gap == expected_gap


@pytest.mark.parametrize("groups", [["b", None, "a", "b"], [2, 1, 0, 2], pd.Series(["x", "y", "z", "x"]), "g"])
def test_groups_as_they_are_given(groups):
    found = read_order(groups, None, None, pd.DataFrame({"g": list("pqrp")}), 4).groups
    assert found[0] == found[3]
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gap": 1}, "gap needs times: pass times="),
        ({"groups": [1, 2], "times": [1, 2]}, "groups and times cannot be used together"),
        ({"groups": [1, 2], "gap": 1}, "gap is not supported with groups"),
        ({"groups": [1, 2, 3]}, r"groups must have one value per row, shape \(2,\), got \(3,\)"),
        ({"times": "hour"}, r"times='hour' is not a column of X; its columns are \['when'\]"),
        ({"times": [1.0, np.nan]}, "times must be finite, but row 1 is not"),
        ({"times": np.array(["2026-01-01", "NaT"], "datetime64[D]")}, "times must not be missing, but row 1"),
        ({"times": ["soon", "later"]}, "times must be numbers or dates, got 'soon'"),
        ({"times": [1, 2], "gap": "7D"}, "gap must be a number for times that are numbers, got '7D'"),
        ({"times": DATES[:2], "gap": 7}, "gap must be a time span for times that are dates"),
        ({"times": DATES[:2], "gap": "a week"}, "gap must be a number, a timedelta or a text such as '7D'"),
        ({"times": [1, 2], "gap": -1}, "gap must be at least 0, got -1"),
    ],
)
def test_orders_that_cannot_be_used(given, message):
    with pytest.raises(ValueError, match=message):
        read_order(given.get("groups"), given.get("times"), given.get("gap"), pd.DataFrame({"when": [1, 2]}), 2)


def test_a_column_needs_a_frame():
    with pytest.raises(ValueError, match="times='when' names a column, but X is not a DataFrame"):
        read_order(None, "when", None, np.zeros((2, 1)), 2)
