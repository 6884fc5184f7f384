"""Writing: tables of predictions to a file or to standard output, batch by batch where the format allows it."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl

from spinney.cli.errors import usage
from spinney.cli.files import SUFFIXES


class Writer:
    """A table in the making. A file is there when it is whole: until then it has another name."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._format = "CSV" if path is None else _format_of(path)
        self._parts: list[pl.DataFrame] = []
        self._stream: Any = None
        self._begun = False
        self._partial = None if path is None else path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> Writer:
        if self._path is None or self._partial is None:
            self._stream = sys.stdout
        else:
            if not self._path.absolute().parent.is_dir():
                raise usage(f"--out: the folder {self._path.parent} does not exist.")
            if self._path.is_dir():
                raise usage(f"--out: {self._path} is a folder, not a file.")
            try:
                opened = gzip.open if self._path.suffix == ".gz" else open
                self._stream = opened(self._partial, "wb")
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self._path)) from None
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
        self._stream.write(text if self._stream is sys.stdout else text.encode())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None or self._partial is None:
            if error is None:
                sys.stdout.flush()
            return
        try:
            if error is None and self._parts:
                whole = pl.concat(self._parts)
                (whole.write_parquet if self._format == "Parquet" else whole.write_ipc)(self._stream)
            self._stream.close()
            if error is None:
                self._partial.replace(self._path)
        finally:
            self._stream.close()
            self._partial.unlink(missing_ok=True)


def _format_of(path: Path) -> str:
    suffixes = [one.lower() for one in path.suffixes]
    last = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    if last not in SUFFIXES:
        raise usage(f"--out: {path.name} must end in .csv, .tsv, .jsonl (also .gz), .parquet or .arrow.")
    return SUFFIXES[last]
