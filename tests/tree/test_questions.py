"""Questions in eight bytes, beside what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import either
from spinney.data.binning import MAX_BINS
from spinney.tree.descend import COLUMN, MISSING_LEFT
from spinney.tree.questions import MISSING, MOST_COLUMNS, as_steps, next_node, question
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
ask, go = outer(question), outer(next_node)


@outer
def choose(condition, first, second):
    return either(condition, first, second)


@few(80, plain=40)
@given(
    right=st.integers(1, 2**31 - 1),
    column=st.integers(0, MOST_COLUMNS - 2),
    below=st.integers(1, MAX_BINS),
    missing_left=st.integers(0, 1),
    code=st.integers(0, MAX_BINS),
)
def test_where_a_code_goes(right, column, below, missing_left, code):
    word = np.uint64(ask(right, column, below, missing_left))
    codes = np.zeros(column + 3, np.uint8)
    codes[2 + column] = code
    goes_left = bool(missing_left) if code == MISSING else code < below
    node = np.uint64(right - 1)
    assert go(word, node, codes, np.uint64(2)) == (right if not goes_left else int(node) + 1)
    # the same with thresholds
    edges = np.arange(2.0 * MAX_BINS).reshape(2, MAX_BINS)
    (step,) = as_steps(np.array([ask(right, column % 2, below, missing_left)], np.uint64), edges)
    assert step["threshold"] == edges[column % 2, below - 1]
    assert step["feature"] & COLUMN == column % 2
    assert (step["feature"] & MISSING_LEFT != 0) == bool(missing_left)
    assert step["right"] == right


@pytest.mark.parametrize("code", [0, 1, 254, 255])
def test_a_leaf_leads_to_itself(code):
    word = np.uint64(ask(77, 0, 0, 0))
    assert go(word, np.uint64(77), np.array([code], np.uint8), np.uint64(0)) == 77
    assert np.isnan(as_steps(np.array([word]), np.zeros((1, 255)))["threshold"][0])


def test_one_or_the_other():
    assert choose(True, np.uint64(3), np.uint64(5)) == 3
    assert choose(False, np.uint64(3), np.uint64(5)) == 5
