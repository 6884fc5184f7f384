"""Information: in bits and in whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.information import (
    ROW,
    bits_per_row,
    entropy,
    gain_ratio,
    information_gain,
    make_terms,
    term,
    term_scale,
)
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_term, _bits = outer(term), outer(bits_per_row)
COUNTS = st.lists(st.integers(0, 300), min_size=1, max_size=6).filter(any)
TERMS = make_terms(1000 * ROW)


def test_entropy_along_the_last_axis():
    np.testing.assert_allclose(entropy([[1, 1], [1, 0], [0, 0], [3, 1]]), [1.0, 0.0, 0.0, 0.811278], atol=1e-6)


def test_gain_and_ratio():
    """Quinlan (1993), section 2.2: Outlook in fourteen rows."""
    outlook = [[2, 3], [4, 0], [3, 2]]
    assert information_gain(outlook) == pytest.approx(0.247, abs=5e-4)
    assert gain_ratio(outlook) == pytest.approx(0.156, abs=1e-3)
    assert gain_ratio([[2, 3]]) == 0.0


@few(100)
@given(COUNTS)
def test_terms_make_entropy(counts):
    total = sum(counts)
    mixed = _term(total * ROW, TERMS) - sum(_term(c * ROW, TERMS) for c in counts)
    assert _bits(mixed, total * ROW, TERMS) == pytest.approx(entropy(counts), abs=1e-7)


@few(100)
@given(st.integers(1, 10**7), st.integers(0, ROW - 1))
def test_a_term_is_x_log_x_for_parts_of_rows_too(whole, part):
    units = whole * ROW + part
    terms = TERMS._replace(scale=term_scale(rows := units / ROW), table=TERMS.table[:1])
    assert _term(units, terms) / terms.scale == pytest.approx(rows * math.log2(rows), rel=1e-12, abs=1e-7)


@few(100)
@given(st.integers(0, 2000))
def test_terms_in_the_table_are_the_computed_ones(whole):
    assert _term(whole * ROW, TERMS) == _term(whole * ROW, TERMS._replace(table=TERMS.table[:1]))


def test_nothing_has_no_term():
    assert _term(0, TERMS) == 0
    assert _term(ROW, TERMS) == 0


@pytest.mark.parametrize("rows", [1, 150, 10**6, 10**9])
def test_terms_do_not_overflow(rows):
    terms = TERMS._replace(scale=term_scale(rows))
    assert 0 <= _term(rows * ROW, terms) < 2**62


def test_a_tie_is_more_than_rounding():
    assert make_terms(1000 * ROW).tie >= 1000
