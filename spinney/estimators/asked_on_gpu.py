"""A question to a model about a table on a GPU: how the table is read, what is added up there, and where answers go.

In:  a fitted model and the table. Out: sums over trees and leaves, on the GPU; answers in the table's library, or here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

import numpy as np

_WANTED_HERE = ContextVar("wanted_here", default=False)


@contextmanager
def answers_here() -> Iterator[None]:
    """Answers for tables on the GPU are made there, as ever, and copied."""
    before = _WANTED_HERE.set(True)
    try:
        yield
    finally:
        _WANTED_HERE.reset(before)


class Asked:
    """A model and a table on the GPU, which is read as a model, or a member of it, does."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model, self.reader, self.X = model, model, X

    @cached_property
    def given(self) -> Any:
        from spinney.gpu.predict import read_there

        reader = self.reader
        return read_there(self.X, reader._schema, type(reader).__name__, reader._refuses_unknown())

    @cached_property
    def stream(self) -> Any:
        from spinney.gpu.respond import open_stream

        return open_stream()

    def sums(self, forest: Any, name: Any, answers: Callable[[], np.ndarray], start: float = 0.0) -> Any:
        """(rows, numbers): sums over all trees of what nodes say, answers() (nodes, numbers)."""
        from spinney.gpu.predict import program_of
        from spinney.gpu.respond import begin_scores

        n, program = self.given.n_rows, program_of(forest, name, lambda: answers().astype(np.float64))
        sums = begin_scores(self.stream, np.full(program.width, start), n)
        program.add(self.given, sums, self.stream)
        return sums.reshape((n, program.width))

    def leaves(self, forest: Any, dtype: Any) -> Any:
        """(rows, trees)."""
        from spinney.gpu.predict import program_of

        program = program_of(forest, "leaves", lambda: np.zeros((forest.n_nodes, 1)))
        return program.leaves(self.given, dtype, self.stream)

    def hand_over(self, array: Any) -> Any:
        """An answer: on the GPU as the table's library has it, here as it is."""
        from spinney.gpu.respond import hand_over, is_there

        self.stream.wait()
        if not is_there(array):
            return array
        return self.stream.read(array) if _WANTED_HERE.get() else hand_over(self.X, array)

    def put(self, array: np.ndarray) -> Any:
        """The last steps were done here: the answer goes back."""
        return self.hand_over(self.stream.put(np.ascontiguousarray(array)) if array.dtype.kind in "biuf" else array)

    def name(self, numbers: Any, classes: list[np.ndarray]) -> Any:
        """Labels of class numbers (rows, outputs)."""
        from spinney.gpu.respond import labels_of

        labels = labels_of(self.stream, numbers, classes)
        return self.hand_over(labels.reshape(labels.shape[0]) if len(classes) == 1 else labels)
