"""Universal Binary JSON, the format of XGBoost's `.ubj` files: bytes -> Python's own types, and arrays of numbers.

In: bytes from anywhere. Out: dict, list, str, int, float, bool, None; an array whose elements share a number type is a
NumPy array. Whatever the bytes are, reading ends after at most as many steps as there are bytes, with little more
memory than they take: sizes are compared with what is left before anything is made, depth is limited, and elements
without bytes of their own (`[$T#...`) are refused.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

import numpy as np

from spinney.io.errors import ModelFormatError

MOST_DEEP = 64  # containers within containers
_CONSTANTS = {b"Z": None, b"T": True, b"F": False}
_WHOLE = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q"}
_NUMBERS = {**_WHOLE, b"d": ">f", b"D": ">d"}
_ARRAYS = {b"i": "i1", b"U": "u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8"}
_NOTHING = b"N"


def read_ubjson(data: bytes) -> Any:
    """The one value that the bytes are.

    >>> read_ubjson(b"{i\\x01a[$U#i\\x03\\x01\\x02\\x03}")
    {'a': array([1, 2, 3], dtype=uint8)}
    """
    reader = _Reader(data)
    value = reader.value(reader.marker(), 0)
    if reader.at != len(data):
        reader.refuse(f"{len(data) - reader.at} bytes follow its end")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def refuse(self, why: str) -> NoReturn:
        raise ModelFormatError(
            f"this is not a complete UBJSON file: {why} (at byte {self.at:,} of {len(self.data):,})."
        )

    def take(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            self.refuse(f"{n:,} bytes are announced and {len(self.data) - self.at:,} left")
        self.at += n
        return self.data[self.at - n : self.at]

    def marker(self) -> bytes:
        """The next letter that is not a no-op."""
        letter = self.take(1)
        while letter == _NOTHING:
            letter = self.take(1)
        return letter

    def peek(self) -> bytes:
        return self.data[self.at : self.at + 1]

    def length(self) -> int:
        """A size, and never more than the bytes that are left."""
        kind = self.take(1)
        if kind not in _WHOLE:
            self.refuse(f"a size cannot begin with {kind!r}")
        size = self.number(kind)
        if not 0 <= size <= len(self.data) - self.at:
            self.refuse(f"a size of {size:,} is announced and {len(self.data) - self.at:,} bytes are left")
        return int(size)

    def number(self, kind: bytes) -> Any:
        form = _NUMBERS[kind]
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        try:
            return self.take(self.length()).decode()
        except UnicodeDecodeError:
            self.refuse("a string is not UTF-8")

    def value(self, kind: bytes, depth: int) -> Any:
        if depth > MOST_DEEP:
            self.refuse(f"more than {MOST_DEEP} containers lie within each other")
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind in _NUMBERS:
            return self.number(kind)
        if kind in (b"S", b"H"):
            return self.text()
        if kind == b"C":
            return chr(self.take(1)[0])
        if kind == b"[":
            return self.array(depth + 1)
        if kind == b"{":
            return self.mapping(depth + 1)
        self.refuse(f"no value begins with {kind!r}")

    def head(self) -> tuple[bytes | None, int | None]:
        """(type of all elements, how many they are), where a container says so."""
        kind = None
        if self.peek() == b"$":
            self.take(1)
            kind = self.take(1)
            if kind not in _NUMBERS:
                self.refuse(f"elements of the common type {kind!r} are not read")
            if self.peek() != b"#":
                self.refuse("a common type without a number of elements")
        if self.peek() != b"#":
            return kind, None
        self.take(1)
        return kind, self.length()

    def array(self, depth: int) -> Any:
        kind, n = self.head()
        if kind is not None and n is not None:
            form = np.dtype(_ARRAYS[kind])
            return np.frombuffer(self.take(n * form.itemsize), form).astype(form.newbyteorder("="))
        found: list[Any] = []
        while n is None or len(found) < n:
            letter = self.marker()
            if n is None and letter == b"]":
                break
            found.append(self.value(letter, depth))
        return found

    def mapping(self, depth: int) -> dict[str, Any]:
        kind, n = self.head()
        found: dict[str, Any] = {}
        count = 0
        while n is None or count < n:
            while self.peek() == _NOTHING:
                self.take(1)
            if n is None and self.peek() == b"}":
                self.take(1)
                break
            key = self.text()
            found[key] = self.value(self.marker() if kind is None else kind, depth)
            count += 1
        return found
