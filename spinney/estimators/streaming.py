"""Tables opened from files (`spinney.open_table`), dask collections and tables on a GPU, as estimators meet them.

In:  a class of models; or what `fit` was given. Out: methods that answer batch by batch when they are given a table
opened from files, lazily, partition by partition, for a dask collection, and on the GPU for a table there; the table's
own target and weights where `fit` was given none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from spinney.data.on_gpu import here, is_on_gpu
from spinney.data.one_row import is_records
from spinney.data.tables import is_streamed
from spinney.distributed.collections import is_dask
from spinney.estimators.names import refuse_unknown

# methods whose answers for a table are those for its rows, one after the other
OF_ROWS = (
    "predict", "predict_proba", "predict_log_proba", "predict_quantiles", "decision_function", "apply", "transform",
    "score_samples", "decision_path",
)  # fmt: skip


def stream_answers(cls: type) -> None:
    """Let a class's own methods that answer row by row go through tables opened from files and dask collections."""
    for name in OF_ROWS:
        method: Any = vars(cls).get(name)
        if hasattr(method, "fn"):  # there or not, as scikit-learn's `available_if` says
            method.fn = _streaming(method.fn)
        elif callable(method) and not isinstance(method, type) and hasattr(method, "__code__"):
            setattr(cls, name, _streaming(method))


def score_here(cls: type) -> None:
    """Let `score`, a class's own or that of scikit-learn's mixin, take what is on a GPU: measures are computed here."""
    found = next((vars(base)["score"] for base in cls.__mro__ if "score" in vars(base)), None)
    if not isinstance(found, FunctionType) or hasattr(found, "streams"):
        return

    @wraps(found)
    def score(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_on_gpu(X, *args, *kwargs.values()):
            return found(self, X, *args, **kwargs)
        from spinney.estimators.on_gpu import answers_here

        with answers_here():
            return found(self, X, *map(here, args), **{name: here(value) for name, value in kwargs.items()})

    score.streams = True  # type: ignore[attr-defined]
    cls.score = score  # type: ignore[attr-defined]


def _streaming(method: Callable[..., Any]) -> Callable[..., Any]:
    if hasattr(method, "streams"):
        return method

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if type(X) is list and is_records(X):
            X = self._of_records(X)
        if is_dask(X):
            from spinney.distributed.answers import answer_lazily

            return answer_lazily(answer, self, X, args, kwargs)
        if type(X) is not np.ndarray and is_on_gpu(X):  # one row is predicted in microseconds
            from spinney.estimators.on_gpu import answer_there

            found = answer_there(self, method, X, args, kwargs)
            if found is not NotImplemented:
                return found
        if not is_streamed(X) or (X.rows is not None and self._predicts_by_codes):
            try:
                return method(self, X, *args, **kwargs)
            except TypeError:
                refuse_unknown(self, method, kwargs)
                raise
        return _by_batches(method, self, X, args, kwargs)

    answer.streams = True  # type: ignore[attr-defined]
    return answer


def _by_batches(method: Callable[..., Any], model: Any, table: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The answers for one batch after the other; of what is given row by row, each gets its own."""
    own = {name: np.asarray(kwargs.pop(name)) for name in ("init_score",) if kwargs.get(name) is not None}
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
