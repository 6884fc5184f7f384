"""Numbers as text are still true."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.view.numbers import spell, write, write_amount, write_share, write_value
from tests.compiled import few

FINITE = st.floats(allow_nan=False, allow_infinity=False)
CLOSE = st.integers(0, 200).map(lambda steps: 1.045 + steps * 1e-4)


@pytest.mark.parametrize(
    "value, decimals, trim, text",
    [
        (0.8, 2, False, "0.80"),
        (0.8, 2, True, "0.8"),
        (2, 3, True, "2.0"),
        (10, 0, True, "10"),
        (-0.001, 2, False, "0.00"),
        (1e300, 2, False, "1e+300"),
        (np.inf, 2, False, "inf"),
    ],
)
def test_write(value, decimals, trim, text):
    assert write(value, decimals, trim) == text


def test_a_small_value_does_not_read_as_zero():
    assert write_value(1.234e-6, 2) == "1.2e-06"
    assert write_value(0.0, 2) == "0.00"


def test_whole_weights_have_no_point():
    assert [write_amount(value, 3) for value in (50.0, 49.99999999999, 2.5, 0.0)] == ["50", "50", "2.5", "0"]
    assert write_amount(1.0, 3, whole=False) == "1.0"


@pytest.mark.parametrize(
    "share, text", [(1, "100 %"), (0, "0 %"), (0.978, "98 %"), (0.9999, "99.9 %"), (0.995, "99.5 %"), (1e-6, "0.1 %")]
)
def test_only_the_whole_is_100_percent(share, text):
    assert write_share(share) == text


@few(200)
@given(st.lists(FINITE | CLOSE, max_size=30), st.integers(0, 4), st.booleans())
def test_thresholds_that_bound_each_other_read_differently_and_in_order(values, decimals, trim):
    ordered = sorted(set(values))
    texts = spell(values, decimals, trim, pairwise(ordered))
    read = [float(texts[value]) for value in ordered]
    assert read == sorted(set(read))
    assert [value == 0 for value in ordered] == [value == 0 for value in read]


def test_only_those_that_need_them_get_more_decimals():
    texts = spell([2.001, 2.004, 2.002, 0.0004], 2, ordered=[(2.001, 2.004), (0.0004, 2.002)])
    assert texts == {0.0004: "0.0004", 2.001: "2.001", 2.002: "2.00", 2.004: "2.004"}
