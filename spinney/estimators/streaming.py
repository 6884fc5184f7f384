"""How methods of estimators are called: with tables in memory, in files, in dask collections or on a GPU.

In:  a method of a model. Out: the method, whose error about an unknown argument gives our name for it. One that answers
row by row does so batch by batch for a table opened from files (`spinney.open_table`), lazily, partition by partition,
for a dask collection, and on the GPU for a table there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from spinney.data.on_gpu import here, is_on_gpu
from spinney.data.one_row import is_records
from spinney.data.remote_table import is_dask
from spinney.data.tables import is_streamed
from spinney.estimators.names import refuse_unknown

Method = TypeVar("Method", bound=Callable[..., Any])
_IN_MEMORY = frozenset(("builtins", "numpy", "pandas", "polars", "scipy"))  # libraries whose tables are nowhere else


def is_in_memory(*values: Any) -> bool:
    """Whether some values are lists, arrays or frames in this process for certain; else see where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.estimators.streaming import is_in_memory
    >>> is_in_memory(np.ones(3), None, [1, 2])
    True
    """
    return all(map(_is_of_memory, map(type, values)))


@lru_cache(maxsize=256)  # bounded: classes may be made by the thousand
def _is_of_memory(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _IN_MEMORY


def known_arguments(method: Method) -> Method:
    """A method whose TypeError about unknown keywords gives our names; `row_by_row` does the same."""

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except TypeError:
            refuse_unknown(self, method, kwargs)
            raise

    return call  # type: ignore[return-value]


def row_by_row(on_gpu: Callable[..., Any] | None = None) -> Callable[[Method], Method]:
    """A method whose answer for a table is that for its rows, one after the other, takes whatever can stand for X.

    `on_gpu` answers for a table on the GPU (gpu/model_methods.py); else the method gets a copy of the table here.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
            if type(X) is list and is_records(X):
                X = self._of_records(X)
            if not is_in_memory(X):
                found = answer_elsewhere(self, X, args, kwargs)
                if found is not NotImplemented:
                    return found
            try:
                return method(self, X, *args, **kwargs)
            except TypeError:
                refuse_unknown(self, method, kwargs)
                raise

        def answer_elsewhere(self: Any, X: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            if is_dask(X):
                from spinney.distributed.lazy_predictions import answer_lazily

                return answer_lazily(answer, self, X, args, kwargs)
            if on_gpu is not None and is_on_gpu(X):
                from spinney.gpu.model_methods import answer_there

                return answer_there(self, method, on_gpu, X, args, kwargs)
            if is_streamed(X) and (X.rows is None or not self._predicts_by_codes):
                return _by_batches(method, self, X, args, kwargs)
            return NotImplemented

        answer.on_gpu = on_gpu  # type: ignore[attr-defined]
        return answer  # type: ignore[return-value]

    return decorate


def score_on_cpu(score: Method) -> Method:
    """`score` takes what is on a GPU, too: predictions are made there, the measure is computed here."""

    @wraps(score)
    def score_here(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_on_gpu(X, *args, *kwargs.values()):
            return score(self, X, *args, **kwargs)
        from spinney.gpu.model_methods import answers_here

        with answers_here():
            return score(self, X, *map(here, args), **{name: here(value) for name, value in kwargs.items()})

    return score_here  # type: ignore[return-value]


def _by_batches(method: Callable[..., Any], model: Any, table: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The answers for one batch after the other; of what is given row by row, each gets its own."""
    own = {name: np.asarray(kwargs.pop(name)) for name in ("init_score", "by") if kwargs.get(name) is not None}
    parts, start = [], 0
    order = None if table.rows is None else np.argsort(table.rows, kind="stable")
    for batch in table.batches():
        stop = start + len(batch)
        places: Any = slice(start, stop)
        if order is not None:
            rows = table.rows[order]
            first, after = np.searchsorted(rows, (start, stop))
            places, batch = order[first:after], _safe_indexing(batch, rows[first:after] - start)
        if len(batch):
            parts.append(method(model, batch, *args, **kwargs, **{name: one[places] for name, one in own.items()}))
        start = stop
    return _joined(parts) if order is None else _in_order(_joined(parts), np.argsort(order))


def _in_order(answers: Any, places: np.ndarray) -> Any:
    return [_in_order(one, places) for one in answers] if isinstance(answers, list) else answers[places]


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [_joined([part[k] for part in parts]) for k in range(len(parts[0]))]
    if isinstance(parts[0], tuple):  # decision_path: a matrix, and what its columns are
        return (_joined([part[0] for part in parts]), *parts[0][1:])
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
