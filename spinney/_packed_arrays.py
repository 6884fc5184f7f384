"""Small arrays in few bytes, for pickles and model files: alike bytes side by side, then zlib.

In: arrays. Out: one stream of bytes of all small ones, and the large ones as they are, so that these can be mapped.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

SMALL = 1 << 18  # bytes: smaller arrays are packed
MOST_PACKED = 1 << 24  # bytes of a stream once it is unpacked
_LEVEL = 6


def shuffle(array: np.ndarray) -> bytes:
    """The first bytes of all elements, then the second ones, and so on."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def unshuffle(stream: bytes, place: int, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """The array whose bytes begin at a place."""
    n_bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    shuffled = np.frombuffer(stream, np.uint8, n_bytes, place).reshape(dtype.itemsize, -1)
    return np.ascontiguousarray(shuffled.T).reshape(-1).view(dtype).reshape(shape)


def compress(parts: list[bytes]) -> bytes:
    return zlib.compress(b"".join(parts), _LEVEL)


Packed = tuple[bytes, list[tuple[str, str, tuple[int, ...]]], dict[str, np.ndarray]]


def pack(arrays: dict[str, np.ndarray]) -> Packed:
    """(stream, what stands in it, large arrays); for pickles."""
    small = {name: one for name, one in arrays.items() if one.nbytes < SMALL and not one.dtype.hasobject}
    stream = compress([shuffle(one) for one in small.values()])
    others = {name: one for name, one in arrays.items() if name not in small}
    return stream, [(name, one.dtype.str, one.shape) for name, one in small.items()], others


def unpack(packed: Packed) -> dict[str, Any]:
    """What `pack` was given, by name."""
    stream, entries, others = packed
    found, content, place = dict(others), zlib.decompress(stream), 0
    for name, dtype, shape in entries:
        found[name] = unshuffle(content, place, np.dtype(dtype), shape)
        place += found[name].nbytes
    return found


def pack_state(state: dict[str, Any]) -> tuple[dict[str, Any], Packed]:
    """(all other attributes of an object, its arrays)."""
    arrays = {name: one for name, one in state.items() if type(one) is np.ndarray}
    return {name: one for name, one in state.items() if name not in arrays}, pack(arrays)


def rebuild(kind: Any, others: dict[str, Any], packed: Packed) -> Any:
    """An object of a class from what `pack_state` made of its attributes."""
    made = kind.__new__(kind)
    made.__setstate__(others | unpack(packed))
    return made
