"""Encoded tables stored in a folder: arrays with checksums, complete or not at all.

In: arrays, and a description of what they belong to. Out: files that can be used again, each

    magic   8 bytes
    header  one or several pages of 4,096 bytes: JSON with the arrays' shapes, types, places and checksums
    arrays  each beginning with a page, so that it can be mapped

A file is written under a temporary name, flushed to the disk and then renamed, so a file with its final name is
complete. A reader compares all checksums. A damaged file raises an error that names it; one of another version is not
used.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import secrets
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_MAGIC = b"SPNYTBL1"
_PAGE = 4096
_PIECE = 1 << 24  # bytes that a checksum is made of at a time


class MappedArrays:
    """Arrays of a file, mapped: pages are read when they are looked at, and may be given back."""

    def __init__(self, path: Path) -> None:
        """Map the file and read its header. A ValueError names the file if it is damaged."""
        self.path = path
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < 16:
                raise ValueError(f"{path} is damaged (it is empty): delete it.")
            # private: nobody can write to the file through it, and kernels see arrays like any other
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        n = int.from_bytes(self.memory[8:16], "little")
        try:
            if self.memory[:8] != _MAGIC or n > len(self.memory):
                raise ValueError("its beginning is another's")
            self.header = json.loads(self.memory[16 : 16 + n])
            self.arrays = {name: self._array(**one) for name, one in self.header["arrays"].items()}
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged ({error}): delete it.") from error

    def _array(self, dtype: str, shape: list[int], place: int, sums: list[int]) -> np.ndarray:
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.memory, dtype, count, place).reshape(shape)

    def check(self, spread: Callable[[Callable[[Any], Any], list[Any]], list[Any]]) -> None:
        """Compare all checksums; `spread` maps a function over parts, perhaps in threads."""
        parts = [
            (f"{name}, part {k}", part, wanted)
            for name, array in self.arrays.items()
            for k, (part, wanted) in enumerate(zip(_parts(array), self.header["arrays"][name]["sums"]))
        ]
        found = spread(lambda one: checksum(one[1]), parts)
        for (name, _, wanted), own in zip(parts, found):
            if own != wanted:
                raise ValueError(f"{self.path} is damaged (checksum of {name}): delete it.")
        self.give_back()

    def give_back(self) -> None:
        """Let the system have the memory of pages that nobody needs just now."""
        with contextlib.suppress(AttributeError, ValueError, OSError):
            self.memory.madvise(mmap.MADV_DONTNEED)


def _parts(array: np.ndarray) -> list[np.ndarray]:
    """What has a checksum each: rows of two dimensions, or all."""
    return list(array) if array.ndim > 1 else [array]


def bytes_of(array: np.ndarray) -> memoryview:
    """An array's bytes, not copied if they lie side by side."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def checksum(array: np.ndarray, begun: int = 0) -> int:
    """CRC-32 of an array's bytes, after what came before."""
    if not array.size:
        return begun
    data = bytes_of(array)
    for start in range(0, len(data), _PIECE):
        begun = zlib.crc32(data[start : start + _PIECE], begun)
    return begun


class Writing:
    """A file on its way: lay arrays down, then `finish`. Used with `with`: what is not finished leaves nothing."""

    def __init__(self, path: Path, shapes: Mapping[str, tuple[Any, tuple[int, ...]]], about: Mapping[str, Any]) -> None:
        """Take the room on the disk that all arrays need; a full disk is said now."""
        self.path = path
        self._places: dict[str, int] = {}
        self._header: dict[str, Any] = {"about": dict(about), "arrays": {}}
        sizes = [400 + 12 * (shape[0] if len(shape) > 1 else 1) for _, shape in shapes.values()]
        most = len(json.dumps(self._header)) + sum(sizes)
        at = _up_to_page(16 + most)
        for name, (dtype, shape) in shapes.items():
            kind = np.dtype(dtype)
            self._header["arrays"][name] = {"dtype": kind.str, "shape": list(shape), "place": at, "sums": []}
            at = _up_to_page(at + int(np.prod(shape, dtype=np.int64)) * kind.itemsize)
        self._sums = {name: [0] * (shape[0] if len(shape) > 1 else 1) for name, (_, shape) in shapes.items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        self._file = os.open(self._temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self.size = at
        with self._explaining():
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file, 0, at)
            else:
                os.truncate(self._file, at)

    def __enter__(self) -> Writing:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        with contextlib.suppress(OSError):  # it has another name if all went well
            self._temporary.unlink()

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.__exit__()
            raise OSError(
                error.errno,
                f"cannot keep {self.size / 2**30:.2f} GiB of codes in the folder {self.path.parent}: {error.strerror}",
            ) from error

    def write(self, name: str, array: np.ndarray) -> None:
        """A whole array."""
        self.write_columns(name, 0, array if array.ndim > 1 else array[None, :])

    def write_columns(self, name: str, start: int, block: np.ndarray) -> None:
        """Some columns of every row of an array, those from `start` on; blocks come in their order."""
        own, sums = self._header["arrays"][name], self._sums[name]
        item, length = np.dtype(own["dtype"]).itemsize, own["shape"][-1]
        for k, row in enumerate(block):
            data = bytes_of(row)
            sums[k] = zlib.crc32(data, sums[k])
            at = own["place"] + (k * length + start) * item
            with self._explaining():
                while data:
                    done = os.pwrite(self._file, data, at)
                    data, at = data[done:], at + done

    def finish(self) -> None:
        """Write the header, wait for the disk, and give the file its name."""
        for name, sums in self._sums.items():
            self._header["arrays"][name]["sums"] = sums
        text = json.dumps(self._header).encode()
        with self._explaining():
            os.pwrite(self._file, _MAGIC + len(text).to_bytes(8, "little") + text, 0)
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1
            os.replace(self._temporary, self.path)
            _sync_folder(self.path.parent)


def _up_to_page(n: int) -> int:
    return -(-n // _PAGE) * _PAGE


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def keep(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Write small arrays at once."""
    shapes = {name: (array.dtype, array.shape) for name, array in arrays.items()}
    with Writing(path, shapes, about) as file:
        for name, array in arrays.items():
            if array.size:
                file.write(name, array)
        file.finish()
