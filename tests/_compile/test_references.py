"""References: kernels read through them what the tuple holds, and see what is written there by way of its arrays."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import PLAIN_PYTHON, CompileError, by_type, inner_kernel, part_kernel, refer
from spinney._compile.dependencies import is_local, text_of_signature
from spinney._compile.references import Reference
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels


class Inner(NamedTuple):
    shift: int
    scale: float
    is_on: bool
    nothing: None
    pair: tuple[int, float]


class Other(NamedTuple):
    shift: int


class Whole(NamedTuple):
    numbers: np.ndarray
    matrix: np.ndarray
    records: Any
    inner: Inner
    n: int
    strided: np.ndarray


RECORD = np.dtype([("left", np.int64), ("value", np.float64)], align=True)


def make(n, shift=3, scale=0.5, is_on=True):
    records = np.zeros(n, RECORD)
    inner = Inner(shift, scale, is_on, None, (7, 2.5))
    return Whole(np.arange(n, dtype=float), np.ones((n, 2)), records, inner, n, np.arange(2 * n)[::2])


@part_kernel
def _work_on(whole):
    for i in range(whole.n):
        whole.numbers[i] += whole.matrix[i, 1] * whole.inner.scale + whole.strided[i]
        whole.records[i].value = whole.numbers[i]
        whole.records[i].left += whole.inner.shift


@inner_kernel
def _sum_up(whole):
    total = 0.0
    for i in range(whole.numbers.size):
        total += whole.numbers[i] * whole.inner.pair[1] if whole.inner.is_on else 1.0
    return total + whole.inner.pair[0] + whole.matrix.shape[1]


@outer
def _through_references(whole):
    there = refer(whole)
    for _ in range(3):
        _work_on(there)
    return _sum_up(there)


@outer
def _by_value(whole):
    for _ in range(3):
        _work_on(whole)
    return _sum_up(whole)


@few(40, plain=10)
@given(st.integers(0, 40), st.integers(-5, 5), st.floats(-2, 2), st.booleans())
def test_the_same_as_by_value(n, shift, scale, is_on):
    one, other = make(n, shift, scale, is_on), make(n, shift, scale, is_on)
    assert _through_references(one) == _by_value(other)
    assert (one.numbers == other.numbers).all()
    assert (one.records == other.records).all()


@outer
def _write_and_read(whole):
    """What is written through an array is seen, though the array itself never changes."""
    there, seen = refer(whole), 0.0
    for _ in range(there.n):
        there.numbers[0] += 1.0
        seen += there.numbers[0]
        there.records[0].left += 1
    return seen, there.records[0].left


def test_what_is_written_is_read():
    assert _write_and_read(make(4)) == (1.0 + 2.0 + 3.0 + 4.0, 4)


@outer
def _two_at_a_time(one, other):
    """Two references of one type are two."""
    first, second = refer(one), refer(other)
    _work_on(first)
    return first.inner.shift, second.inner.shift, first.n, second.n


def test_references_of_one_type_are_told_apart():
    assert _two_at_a_time(make(3, shift=1), make(5, shift=2)) == (1, 2, 3, 5)


@inner_kernel
def _shift_of_inner(which, more):
    return which.shift + more


@inner_kernel
def _shift_of_other(which, more):
    return -which.shift - more


shift_of = by_type({Inner: _shift_of_inner, Other: _shift_of_other})


@outer
def _choose(whole, other):
    return shift_of(refer(whole).inner, 1), shift_of(refer(other), 1), shift_of(other, 1)


def test_kernels_are_chosen_by_what_is_referred_to():
    assert _choose(make(2, shift=4), Other(5)) == (5, -6, -6)


@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has tuples only")
def test_signatures_know_what_is_referred_to():
    from numba import typeof

    whole = Reference(typeof(make(2)))
    assert "Inner" in text_of_signature((whole,))
    assert text_of_signature((whole,)) != text_of_signature((whole.whole,))
    assert not is_local((whole,))

    class Held(NamedTuple):
        function: Any

    assert is_local((Reference(typeof(Held(outer(_shift_of_inner)))),))


@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python raises AttributeError")
def test_a_member_that_is_not_there_is_an_error():
    @outer
    def wrong(whole):
        return refer(whole).nowhere

    with pytest.raises(CompileError, match="nowhere"):
        wrong(make(2))
