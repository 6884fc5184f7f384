"""UBJSON: what XGBoost writes is read, and whatever is not whole is refused in words."""

import json
import re
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.io.checks import ModelFormatError
from spinney.io.from_xgboost import MOST_DEEP, read_ubjson


def write(value):
    """The obvious writer."""
    if value is None or isinstance(value, bool):
        return {None: b"Z", True: b"T", False: b"F"}[value]
    if isinstance(value, int):
        return b"L" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"D" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"S" + size(value.encode()) + value.encode()
    if isinstance(value, list):
        return b"[" + b"".join(map(write, value)) + b"]"
    return b"{" + b"".join(size(key.encode()) + key.encode() + write(one) for key, one in value.items()) + b"}"


def size(data):
    return b"l" + struct.pack(">i", len(data))


NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(max_size=3), some), max_leaves=12
)


@given(VALUES)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_is_written_is_read(value):
    assert read_ubjson(write(value)) == value


@given(VALUES, st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_whatever_is_cut_off_is_refused(value, data):
    whole = write(value)
    with pytest.raises(ModelFormatError, match="this is not a complete UBJSON file"):
        read_ubjson(whole[: data.draw(st.integers(0, len(whole) - 1))])


@pytest.mark.parametrize(
    ("letter", "form", "numbers"),
    [
        ("i", ">i1", [-3, 4]),
        ("U", ">u1", [3, 200]),
        ("I", ">i2", [-300, 4]),
        ("l", ">i4", [-70_000, 4]),
        ("L", ">i8", [-(2**40), 4]),
        ("d", ">f4", [0.5, -2.0]),
        ("D", ">f8", [0.1, -2.0]),
    ],
)
def test_arrays_of_one_type(letter, form, numbers):
    found = read_ubjson(b"[$" + letter.encode() + b"#i\x02" + np.array(numbers, form).tobytes())
    assert found.tolist() == numbers
    assert found.dtype == np.dtype(form).newbyteorder("=")


def test_counted_containers_characters_and_no_ops():
    assert read_ubjson(b"[#i\x02NTNF") == [True, False]
    assert read_ubjson(b"{#i\x01i\x01aCz") == {"a": "z"}
    assert read_ubjson(b"{$U#i\x01i\x01a\x07") == {"a": 7}
    assert read_ubjson(b"{Ni\x01aHi\x0212}") == {"a": "12"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "1 bytes are announced and 0 left"),
        (b"TT", "1 bytes follow its end"),
        (b"?", "no value begins with b'?'"),
        (b"[$D#L\x7f" + b"\xff" * 7, "a size of 9,223,372,036,854,775,807 is announced and 0 bytes are left"),
        (b"[$D#i\x02" + b"\0" * 8, "16 bytes are announced and 8 left"),
        (b"[$T#i\x02", "elements of the common type b'T' are not read"),
        (b"[$U]", "a common type without a number of elements"),
        (b"Sd\0\0\0\0", "a size cannot begin with b'd'"),
        (b"Si\xff", "a size of -1 is announced"),
        (b"Si\x01\xff", "a string is not UTF-8"),
        (b"[" * (MOST_DEEP + 3), f"more than {MOST_DEEP} containers lie within each other"),
    ],
)
def test_what_is_refused(data, why):
    with pytest.raises(ModelFormatError, match=re.escape(why)):
        read_ubjson(data)


def test_a_model_of_xgboost_is_the_same_as_in_json():
    xgboost = pytest.importorskip("xgboost")
    X = np.arange(40.0).reshape(-1, 2)
    model = xgboost.XGBRegressor(n_estimators=2).fit(X, X[:, 0]).get_booster()
    plain = json.loads(json.dumps(read_ubjson(bytes(model.save_raw("ubj"))), default=np.ndarray.tolist))
    other = json.loads(bytes(model.save_raw("json")))
    strip = re.compile(r"[-\d.e]+")
    assert strip.sub("", json.dumps(plain)) == strip.sub("", json.dumps(other))
