"""Votes, medians and ranks, against plain loops over the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.ensemble.voting import aggregate_ranks, aggregate_votes, majority, mean, median

SMALL = st.integers(0, 5)


@given(st.lists(st.tuples(st.integers(0, 3), SMALL), min_size=1, max_size=8))
def test_majority_is_the_count(pairs):
    votes, weights = (np.array(part) for part in zip(*pairs))
    counts = [weights[votes == k].sum() for k in range(4)]
    assert majority(votes[None], 4, weights)[0] == counts.index(max(counts))


@given(st.lists(st.tuples(SMALL, st.integers(0, 4)), min_size=1, max_size=8).filter(lambda p: any(w for _, w in p)))
def test_weights_of_the_median_are_repetitions(pairs):
    values, weights = (np.array(part, float) for part in zip(*pairs))
    repeated = np.repeat(values, weights.astype(int))
    assert median(values[None], weights)[0] == np.median(repeated)
    assert mean(values[:, None], weights)[0] == pytest.approx(repeated.mean())


def test_thirds_that_do_not_add_up_exactly():
    assert median(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0.1, 0.4, 0.2, 0.3]))[0] == 2.5


@given(st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=1, max_size=6))
def test_borda_counts_items_below(items):
    scores = np.array(items, float)
    n = len(scores)
    points = [
        sum((scores[i, j] > scores[k, j]) + 0.5 * (scores[i, j] == scores[k, j]) for k in range(n) if k != i)
        for i in range(n)
        for j in range(3)
    ]
    np.testing.assert_array_equal(aggregate_ranks(scores), np.reshape(points, (n, 3)).sum(axis=1))
    np.testing.assert_allclose(aggregate_ranks(scores, "mean_rank"), aggregate_ranks(scores) / 3 - n)


@pytest.mark.parametrize(
    "scores, options, message",
    [
        ([1, 2], {}, "one column per judge"),
        ([[np.nan]], {}, "must not be NaN"),
        ([[1.0]], {"how": "mode"}, "how must be 'borda', 'mean_rank' or 'mean_relevance', got 'mode'"),
        ([[1.0]], {"weights": [1, 2]}, "one entry per member"),
        ([[1.0]], {"weights": [0]}, "not all 0"),
    ],
)
def test_wrong_scores(scores, options, message):
    with pytest.raises(ValueError, match=message):
        aggregate_ranks(scores, **options)


def test_votes_of_the_lecture():
    assert aggregate_votes([1, 1, 0, 1, 0, 1]) == 1
    assert aggregate_votes(list("ABACCA")) == "A"
    numbers = [5.43, 5.44, 5.38]
    assert round(aggregate_votes(numbers, "mean"), 2) == 5.42
    assert aggregate_votes(numbers, "median") == 5.43


def test_votes_of_several_rows():
    rows = np.array([["b", "a", "a"], ["b", "c", "b"]])
    assert aggregate_votes(rows).tolist() == ["a", "b"]
    assert aggregate_votes(rows, weights=[3, 1, 1]).tolist() == ["b", "b"]
    assert aggregate_votes([["b", "a"]]).tolist() == ["a"]  # ties go to the smaller
    assert aggregate_votes([[1, 3], [2, 6]], "mean", [3, 1]).tolist() == [1.5, 3.0]
    assert aggregate_votes([True, False, True]) is True


def test_polls_are_lists_of_names():
    polls = [["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]]
    assert aggregate_ranks(polls) == {"A": 5.0, "B": 3.0, "C": 1.0}
    assert list(aggregate_ranks(polls, "mean_rank")) == ["A", "B", "C"]
    assert aggregate_ranks(polls, weights=[0, 1, 0]) == {"B": 2.0, "A": 1.0, "C": 0.0}
    assert aggregate_ranks([["A", "B"], ["C"]]) == {"A": 2.5, "C": 2.0, "B": 1.5}  # what is left out comes last
    scores = [[3, 2], [2, 3], [1, 1]]
    assert list(aggregate_ranks(polls[:2]).values()) == aggregate_ranks(scores).tolist()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: aggregate_votes([1, 2], "mode"), "how must be 'majority', 'mean' or 'median', got 'mode'"),
        (lambda: aggregate_votes([]), "votes must have one column per model"),
        (lambda: aggregate_votes([1.0, np.nan], "mean"), "votes must not be missing"),
        (lambda: aggregate_votes(np.array(["a", None], object)), "votes must not be missing"),
        (lambda: aggregate_votes([1, 2], weights=[1]), "weights must have one entry per member"),
        (lambda: aggregate_ranks([["A", "A"]]), "a ranking must name each item once"),
        (lambda: aggregate_ranks([["A", "B"]], "mean_relevance"), "rankings have only an order"),
    ],
)
def test_errors_of_votes(call, message):
    with pytest.raises(ValueError, match=message):
        call()
