"""Values as JSON and back: exactly, or with the place of what is wrong."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.io.checks import ModelFormatError
from spinney.io.layout import encode_header
from spinney.io.parts import Reader, StateWriter


def no_record(value, writer, place):
    raise TypeError(f"{place} is foreign")


def through(value):
    writer = StateWriter(no_record, lambda value: False, None)
    text = encode_header({"value": writer.value(value, "here")})
    return Reader(writer.arrays).value(json.loads(text)["value"], "here")


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return (
        a == b and math.copysign(1, a) == math.copysign(1, b) if isinstance(a, float) and a == a else a == b or a != a
    )


SCALARS = st.none() | st.booleans() | st.integers(-(2**64) + 1, 2**64 - 1) | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(-(2**63), 2**63), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(VALUES)
def test_plain_values(value):
    assert same(through(value), value)


@pytest.mark.parametrize(
    "value",
    [
        np.float64(0.1),
        np.float32(0.1),
        np.int32(-5),
        np.uint64(2**64 - 1),
        np.bool_(True),
        np.str_("é"),
        np.float64("nan"),
    ]
    + [
        np.array(["a", "löng"]),
        np.array([], "<U3"),
        np.array(["a", None, 1, 2.5, True], object),
        np.array([1.5, math.nan]),
    ]
    + [np.array(["2020-01-01"], "M8[ns]"), np.arange(6).reshape(1, 2, 3)],
)
def test_values_of_numpy(value):
    assert same(through(value), value)


def test_a_dtype():
    assert through(np.dtype("f4")) == np.dtype("<f4")


def test_what_is_shared_stays_shared():
    array = np.arange(3)
    one, other = through([array, array])
    assert one is other


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (2**64, "An integer has more than 64 bits"),
        ({}, "must say what it is by one key"),
        ({"a": 1, "b": 2}, "must say what it is by one key"),
        ({"pickle": ""}, "Values of the kind 'pickle' are unknown"),
        ({"float": "1.5"}, "'1.5' is not a float"),
        ({"float": []}, "is not a float"),
        ({"tuple": 3}, "Expected a list, got 3"),
        ({"dict": [[1]]}, "A dictionary is a list of pairs"),
        ({"dict": [[[], 1]]}, "cannot be a key"),
        ({"dict": [[{"tuple": [[]]}, 1]]}, "cannot be a key"),
        ({"dict": [["a", 1], ["a", 2]]}, "A key of a dictionary occurs twice"),
        ({"array": 0}, "There is no array 0 before this"),
        ({"array": -1}, "There is no array -1 before this"),
        ({"array": True}, "There is no array True before this"),
        ({"record": 0}, "There is no record 0 before this"),
        ({"source": "0"}, "There is no source '0' before this"),
        ({"strings": [1], "width": 1}, "An array of strings holds strings"),
        ({"strings": ["abc"], "width": 2}, "The width of strings of up to 3 characters is 2"),
        ({"strings": ["abc"], "width": 2**40}, r"1 strings of width 1,099,511,627,776 take far more memory than"),
        ({"strings": [], "width": 2**40}, r"0 strings of width 1,099,511,627,776 take far more memory than"),
        ([{"strings": ["a"], "width": 2**16}] * 9, r"1 strings of width 65,536 take far more memory than"),
        ({"objects": [[1]]}, "cannot be an element of an array of objects"),
        ({"scalar": ["<f8"]}, "A scalar is a dtype and a value"),
        ({"scalar": ["<i4", 2**40]}, "is not a scalar of dtype '<i4'"),
        ({"scalar": ["<i4", 1.0]}, "is not a scalar of dtype '<i4'"),
        ({"scalar": ["<f4", 0.1]}, "is not a scalar of dtype '<f4'"),
        ({"scalar": ["|O", 1]}, r"'\|O' is not a known dtype"),
        ({"dtype": "O"}, "'O' is not a known dtype"),
    ],
)
def test_forged_values(stored, problem):
    with pytest.raises(ModelFormatError, match=problem) as caught:
        Reader([]).value([stored], "here")
    assert caught.value.place.startswith("here[0]")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (np.array([1j]), r"here\[0\] is an array of dtype complex128, which a model file cannot hold"),
        (np.complex128(1j), "which a model file cannot hold"),
        (np.array(["a", [1]], object), r"is foreign|cannot"),
        (1j, r"here\[0\] is foreign"),
        (2**64, r"here\[0\] is foreign"),
    ],
)
def test_what_cannot_be_written(value, problem):
    if isinstance(value, np.ndarray) and value.dtype == object:
        value[1] = object()
    with pytest.raises(TypeError, match=problem):
        through([value])
