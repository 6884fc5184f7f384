"""Packed questions, beside what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import either
from spinney.data.encode import MAX_BINS, Bins
from spinney.tree.forest import MISSING_LEFT, Forest
from spinney.tree.packed import COLUMN, LEFT, MISSING, column_of, is_leaf, most_left, next_by_code, right_of
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
go, column_in, right_in = outer(next_by_code), outer(column_of), outer(right_of)
leaf_in, most_in = outer(is_leaf), outer(most_left)
N_COLUMNS = 3


@outer
def choose(condition, first, second):
    return either(condition, first, second)


def stump(column, code, missing_left):
    """One question, about the edges 0, 1, 2, ... of a column."""
    edges = tuple(np.arange(MAX_BINS - 1.0) for _ in range(N_COLUMNS))
    n_bins, numbers = np.full(N_COLUMNS, MAX_BINS, np.int32), np.zeros(N_COLUMNS, bool)
    return Forest(
        n_columns=N_COLUMNS,
        n_classes=None,
        criterion=None,
        bins=Bins(edges, (np.empty(0, np.uint8),) * N_COLUMNS, n_bins, numbers),
        first=np.array([0, 3]),
        size=np.array([3, 1, 1], np.uint16),
        feature=np.array([column], np.uint16),
        turn=np.array([MISSING_LEFT if missing_left else 0], np.uint8),
        answers=np.zeros((3, 1, 1)),
        n_samples=np.ones(2, np.uint32),
        code=np.array([code], np.uint8),
        gain=np.ones(1),
    )


@few(80, plain=40)
@given(
    column=st.integers(0, N_COLUMNS - 1),
    most=st.integers(0, MAX_BINS - 1),
    missing_left=st.booleans(),
    code=st.integers(0, MAX_BINS),
)
def test_where_a_code_goes(column, most, missing_left, code):
    forest = stump(column, most, missing_left)
    word = forest.words.words[0]
    assert (column_in(word), right_in(word), leaf_in(word), most_in(word)) == (column, 2, False, most)
    codes = np.zeros(column + 3, np.uint8)
    codes[2 + column] = code
    goes_left = missing_left if code == MISSING else code <= most
    assert go(word, np.uint64(0), codes, np.uint64(2)) == (1 if goes_left else 2)
    # the same with thresholds
    step = forest.steps.steps[0]
    assert step["threshold"] == (most if most < MAX_BINS - 1 else np.inf)
    assert step["feature"] & COLUMN == column
    assert (step["feature"] & LEFT != 0) == missing_left
    assert step["right"] == 2


@pytest.mark.parametrize("code", [0, 1, 254, 255])
def test_a_leaf_leads_to_itself(code):
    forest = stump(0, 3, True)
    for leaf in (1, 2):
        word = forest.words.words[leaf]
        assert leaf_in(word)
        assert go(word, np.uint64(leaf), np.array([code], np.uint8), np.uint64(0)) == leaf
        assert np.isnan(forest.steps.steps[leaf]["threshold"])
        assert forest.steps.steps[leaf]["right"] == leaf


def test_one_or_the_other():
    assert choose(True, np.uint64(3), np.uint64(5)) == 3
    assert choose(False, np.uint64(3), np.uint64(5)) == 5
