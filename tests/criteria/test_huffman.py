"""Huffman's code: the lecture's four messages, and the best of all prefix codes on small alphabets."""

import doctest
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria import huffman, huffman_code
from tests.compiled import few


def test_the_lectures_messages():
    code = huffman_code([0.01, 0.02, 0.30, 0.67])
    assert code.codes == ["111", "110", "10", "0"]
    assert code.mean_length == 1.36
    assert code.entropy == pytest.approx(1.0875, abs=5e-5)


@few(60)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any))
def test_no_prefix_code_is_shorter(weights):
    code = huffman_code(weights)
    words = code.codes
    assert all(a == b or not b.startswith(a) for a in words for b in words)
    assert len(set(words)) == len(words)
    lengths = [
        one
        for one in combinations_with_replacement(range(1, len(weights)), len(weights))
        if sum(0.5**k for k in one) <= 1.0
    ]
    heavy = sorted(weights, reverse=True)
    best = min(np.dot(heavy, one) for one in lengths) / sum(weights)
    assert code.mean_length == pytest.approx(best)
    assert code.entropy - 1e-12 <= code.mean_length <= code.entropy + 1


def test_names_and_one_value():
    assert huffman_code({"a": 3, "b": 1}).codes == {"a": "0", "b": "1"}
    assert huffman_code([7]) == (["0"], 1.0, 0.0)


@pytest.mark.parametrize("p", [[], [-1, 2], [[1, 2]], [np.nan], 3])
def test_errors(p):
    with pytest.raises(ValueError, match="p must hold one probability per value, finite and at least 0"):
        huffman_code(p)
    with pytest.raises(ValueError, match="p must not be 0 for all values"):
        huffman_code([0, 0])


def test_examples():
    result = doctest.testmod(huffman)
    assert result.attempted > 3
    assert not result.failed
