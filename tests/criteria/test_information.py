"""Information: in bits and in whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.information import ROW, bits_per_row, entropy, gain_ratio, information_gain, make_terms, term
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_term, _bits = outer(term), outer(bits_per_row)
COUNTS = st.lists(st.integers(0, 10**6), min_size=1, max_size=6).filter(any)


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
    terms = make_terms(total * ROW)
    mixed = _term(total * ROW, terms) - sum(_term(c * ROW, terms) for c in counts)
    assert _bits(mixed, total * ROW, terms) == pytest.approx(entropy(counts), abs=1e-7)


@few(100)
@given(st.integers(1, 10**6), st.integers(0, ROW - 1))
def test_a_term_is_x_log_x_for_parts_of_rows_too(whole, part):
    units = whole * ROW + part
    terms = make_terms(10**6 * ROW + ROW)
    rows = units / ROW
    assert _term(units, terms) / terms.scale == pytest.approx(rows * math.log2(rows), rel=1e-12, abs=1e-9)


def test_nothing_has_no_term():
    terms = make_terms(ROW)
    assert _term(0, terms) == 0
    assert _term(ROW, terms) == 0


@pytest.mark.parametrize("rows", [1, 150, 10**6, 10**9])
def test_terms_do_not_overflow(rows):
    terms = make_terms(rows * ROW)
    assert 0 <= _term(rows * ROW, terms) < 2**62
    assert terms.tie >= 1 or rows > 10**6
