"""The bytes of a model file: a prefix, a header in JSON, small arrays in one compressed stream, large ones as they are.

    0        8         12      16              24            32               64             96
    [ magic | version | zero  | header length | file length | header digest | body digest | header ... ]
    [ stream of small arrays, zlib ][ large array ][ large array ] ...      each at a multiple of 64

All numbers are little-endian. The header digest is BLAKE2b (32 bytes) of the first 32 bytes, the body digest and the
header; the body digest is that of everything after the header. See docs/model-format.md.

In: a header and arrays. Out: the parts of a file; and the other way round, with every size checked before memory is
taken. This stage knows nothing of models.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from spinney._packed_arrays import MOST_PACKED, SMALL, compress, shuffle, unshuffle
from spinney.io.checks import ModelFormatError

MAGIC = b"\x89SPINNEY"
FORMAT_VERSION = 1
ALIGNMENT = 64
PREFIX = 96  # bytes before the header
_MOST_DIMENSIONS = 4
_DEEPEST = 100  # objects and lists within each other in the header; a model has some ten
_DIGEST = 32
DTYPES = {
    name: np.dtype(name)
    for name in ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "<M8[s]", "<M8[ms]")
    + ("<M8[us]", "<M8[ns]", "<M8[D]", "<M8[h]", "<M8[m]")
}


@dataclass(frozen=True)
class ArrayEntry:
    """What the header says of an array."""

    dtype: np.dtype
    shape: tuple[int, ...]
    is_large: bool  # stands in the file as it is in memory

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Prefix:
    """The first bytes of a file, checked."""

    header_length: int
    file_length: int
    header_digest: bytes
    body_digest: bytes
    first: bytes  # what the header's digest covers besides the header

    @property
    def body(self) -> int:
        """Where the arrays begin."""
        return _aligned(PREFIX + self.header_length)


def _aligned(place: int) -> int:
    return -(-place // ALIGNMENT) * ALIGNMENT


def encode_header(header: dict[str, Any]) -> bytes:
    """The one way in which a header is written."""
    return json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def pack_arrays(arrays: Sequence[np.ndarray]) -> tuple[list[Any], list[bytes | memoryview]]:
    """(entries of the header, parts of the body)."""
    entries: list[Any] = []
    small: list[bytes] = []
    large: list[np.ndarray] = []
    n_packed = 0
    for array in arrays:
        array = np.ascontiguousarray(array).reshape(array.shape).astype(array.dtype.newbyteorder("<"), copy=False)
        entry = [array.dtype.str, list(array.shape)]
        if array.nbytes < SMALL and n_packed + array.nbytes <= MOST_PACKED:
            n_packed += array.nbytes
            small.append(shuffle(array))
        else:
            entry.append("large")
            large.append(array)
        entries.append(entry)
    stream = compress(small)
    parts: list[bytes | memoryview] = [stream, bytes(_aligned(len(stream)) - len(stream))]
    for array in large:
        parts += [array.reshape(-1).view(np.uint8).data, bytes(_aligned(array.nbytes) - array.nbytes)]
    return [len(stream), entries], parts


def file_parts(header: dict[str, Any], body: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """All bytes of a file, in order."""
    check_depth(header, "the model")
    text = encode_header(header)
    padding = bytes(_aligned(PREFIX + len(text)) - PREFIX - len(text))
    length = PREFIX + len(text) + len(padding) + sum(len(part) for part in body)
    first = (
        MAGIC + FORMAT_VERSION.to_bytes(8, "little") + len(text).to_bytes(8, "little") + length.to_bytes(8, "little")
    )
    digest = _digest([padding, *body])
    return [first, _digest([first, digest, text]), digest, text, padding, *body]


def _digest(parts: Sequence[bytes | memoryview]) -> bytes:
    digest = blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part)
    return digest.digest()


def read_prefix(first: bytes, file_length: int) -> Prefix:
    """Check the first bytes of a file of this length."""
    place = "the first bytes"
    if first[: len(MAGIC)] != MAGIC:
        is_pickle = first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
        why = ", but a pickle: unpickle it if you trust it, and save it by spinney.save" if is_pickle else ""
        raise ModelFormatError(f"This is not a Spinney model file{why}", place)
    if len(first) < PREFIX:
        raise ModelFormatError(f"The file ends after {len(first)} bytes, before its header", place)
    version = int.from_bytes(first[8:12], "little")
    if version != FORMAT_VERSION or first[12:16] != bytes(4):
        raise ModelFormatError(
            f"The file has version {version} of the format, but this release reads version {FORMAT_VERSION}: install a "
            "newer release of Spinney",
            place,
        )
    header_length, stated = (int.from_bytes(first[k : k + 8], "little") for k in (16, 24))
    if stated != file_length:
        raise ModelFormatError(f"The file has {file_length:,} bytes but should have {stated:,}", place)
    if _aligned(PREFIX + header_length) > file_length:
        raise ModelFormatError(f"A header of {header_length:,} bytes does not fit into the file", place)
    return Prefix(header_length, file_length, first[32:64], first[64:96], first[:32])


def read_header(prefix: Prefix, text: bytes) -> dict[str, Any]:
    """The header, if its digest is right and it is written in the one way that there is."""
    if len(text) != prefix.header_length or _digest([prefix.first, prefix.body_digest, text]) != prefix.header_digest:
        raise ModelFormatError("The checksum is wrong: the file is damaged", "the header")
    try:
        header = json.loads(text)
        is_canonical = encode_header(header) == text
    except (ValueError, RecursionError):
        is_canonical = False
    if not is_canonical or not isinstance(header, dict):
        raise ModelFormatError("This is not the JSON that Spinney writes", "the header")
    check_depth(header, "the header")
    return header


def check_depth(value: Any, place: str) -> None:
    """Raise if JSON is nested so deeply that functions that walk through it would overflow the stack."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for values in inner for one in values if isinstance(one, dict | list)]
        if not level:
            return
    raise ModelFormatError(f"Values are nested more than {_DEEPEST} deep", place)


def check_body(prefix: Prefix, buffer: np.ndarray) -> None:
    """Compare the body of a whole file with its digest."""
    if _digest([buffer[PREFIX + prefix.header_length :].data]) != prefix.body_digest:
        raise ModelFormatError("The checksum is wrong: the file is damaged", "the arrays")


def read_entries(stored: Any, prefix: Prefix) -> tuple[int, list[ArrayEntry]]:
    """(bytes of the stream, what arrays there are), if these fill the file exactly."""
    place = "the list of arrays"
    if not (isinstance(stored, list) and len(stored) == 2 and _is_count(stored[0]) and isinstance(stored[1], list)):
        raise ModelFormatError("The list of arrays must be the length of the stream and a list", place)
    n_stream, entries = stored[0], [_read_entry(one, f"array {k}") for k, one in enumerate(stored[1])]
    n_packed = sum(entry.n_bytes for entry in entries if not entry.is_large)
    end = prefix.body + _aligned(n_stream) + sum(_aligned(entry.n_bytes) for entry in entries if entry.is_large)
    if end != prefix.file_length:
        raise ModelFormatError(f"The arrays end at byte {end:,} of a file of {prefix.file_length:,}", place)
    if n_packed > MOST_PACKED:
        raise ModelFormatError(f"The small arrays have {n_packed:,} bytes, more than {MOST_PACKED:,}", place)
    return n_stream, entries


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _read_entry(stored: Any, place: str) -> ArrayEntry:
    if not isinstance(stored, list) or len(stored) not in (2, 3) or stored[2:] not in ([], ["large"]):
        raise ModelFormatError(f"An array is [dtype, shape] or [dtype, shape, 'large'], not {stored!r:.80}", place)
    dtype, shape = stored[:2]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFormatError(f"Arrays of dtype {dtype!r:.80} are not known", place)
    if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS or not all(map(_is_count, shape)):
        raise ModelFormatError(f"{shape!r:.80} is not a shape", place)
    if math.prod(max(1, length) for length in shape) >= 1 << 60:
        raise ModelFormatError(f"{shape!r:.80} is not a shape", place)
    return ArrayEntry(DTYPES[dtype], tuple(shape), len(stored) == 3)


def check_padding(buffer: np.ndarray, prefix: Prefix, n_stream: int, entries: list[ArrayEntry]) -> None:
    """What is between the parts must be zeros."""
    end = PREFIX + prefix.header_length
    for length in (0, n_stream, *(entry.n_bytes for entry in entries if entry.is_large)):
        end += length
        if buffer[end : _aligned(end)].any():
            raise ModelFormatError(f"The padding after byte {end:,} is not zero", "the arrays")
        end = _aligned(end)


def unpack_arrays(buffer: np.ndarray, prefix: Prefix, n_stream: int, entries: list[ArrayEntry]) -> list[np.ndarray]:
    """The arrays; large ones are views of the file's bytes."""
    n_packed = sum(entry.n_bytes for entry in entries if not entry.is_large)
    small = _decompress(buffer[prefix.body : prefix.body + n_stream], n_packed)
    place, at = prefix.body + _aligned(n_stream), 0
    arrays: list[np.ndarray] = []
    for entry in entries:
        if entry.is_large:
            flat = buffer[place : place + entry.n_bytes].view(entry.dtype)
            place += _aligned(entry.n_bytes)
        else:
            flat = unshuffle(small, at, entry.dtype, (entry.n_bytes // entry.dtype.itemsize,))
            at += entry.n_bytes
        if entry.dtype == np.bool_ and flat.view(np.uint8).max(initial=0) > 1:
            raise ModelFormatError("A Boolean is 0 or 1", f"array {len(arrays)}")
        arrays.append(flat.reshape(entry.shape))
    return arrays


def _decompress(stream: np.ndarray, n_bytes: int) -> bytes:
    """Never more than n_bytes are made."""
    place, reader = "the stream of small arrays", zlib.decompressobj()
    try:
        found = reader.decompress(stream.data, n_bytes + 1)
    except zlib.error as error:
        raise ModelFormatError(f"The stream cannot be unpacked: {error}", place) from None
    if len(found) != n_bytes or not reader.eof or reader.unused_data or reader.unconsumed_tail:
        raise ModelFormatError(f"The stream does not hold the {n_bytes:,} bytes that it should", place)
    return found
