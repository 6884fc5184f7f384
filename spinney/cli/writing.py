"""Files that are written whole or not at all, and tables of predictions, batch by batch where the format allows it."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

import polars as pl

from spinney import _whole_file
from spinney.cli.errors import written
from spinney.cli.terminal import write_data
from spinney.tables.errors import usage
from spinney.tables.files import SUFFIXES


@contextmanager
def whole_file(path: Path, option: str = "--out") -> Iterator[BinaryIO]:
    """Open a file that appears at its path once it is complete. Raise an error if the option names no such path."""
    if not path.absolute().parent.is_dir():
        raise usage(f"{option}: the folder {path.parent} does not exist.")
    if path.is_dir():
        raise usage(f"{option}: {path} is a folder, not a file.")
    with _whole_file.whole_file(path) as stream:
        yield stream
    written.append(str(path))


class TableWriter:
    """Writes a table in parts. The file appears once it is complete."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._format = "CSV" if path is None else _format_of(path)
        self._parts: list[pl.DataFrame] = []
        self._open = ExitStack()
        self._stream: BinaryIO | None = None
        self._begun = False

    def __enter__(self) -> TableWriter:
        if self._path is not None:
            self._stream = self._open.enter_context(whole_file(self._path))
            if self._path.suffix == ".gz":
                packed = gzip.GzipFile(fileobj=self._stream, mode="wb", filename="")
                self._stream = cast(BinaryIO, self._open.enter_context(packed))
        return self

    def write(self, table: pl.DataFrame) -> None:
        """Add rows."""
        if self._format in ("Parquet", "Arrow"):
            self._parts.append(table)
        elif self._format == "JSON lines":
            self._put(table.write_ndjson())
        else:
            text = table.write_csv(include_header=not self._begun, separator="\t" if self._format == "TSV" else ",")
            self._put(text)
        self._begun = True

    def _put(self, text: str) -> None:
        if self._stream is None:
            write_data(text)
        else:
            self._stream.write(text.encode())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._open.__exit__(kind, error, trace)
            return
        with self._open:
            if self._stream is None:
                sys.stdout.flush()
            elif self._parts:
                whole, written = pl.concat(self._parts), BytesIO()  # so that errors of the disk are raised by Python
                (whole.write_parquet if self._format == "Parquet" else whole.write_ipc)(written)
                self._stream.write(written.getbuffer())


def _format_of(path: Path) -> str:
    suffixes = [one.lower() for one in path.suffixes]
    last = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    if last not in SUFFIXES:
        raise usage(f"--out: {path.name} must end in .csv, .tsv, .jsonl (also .gz), .parquet or .arrow.")
    return SUFFIXES[last]
