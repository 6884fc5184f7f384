"""Lazy predictions of fitted models for dask collections, partition by partition.

In:  a fitted model, one of its methods, a dask DataFrame or Array. Out: a collection that is not computed yet: for a
DataFrame a Series, or a DataFrame whose columns are classes or features, with the index of X; for an Array an Array.
One row that looks like X is predicted in the client at once. It gives the type and the number of columns, and raises an
error if X does not suit the model, before anything is computed. The model is one task of the graph, so each worker gets
it once.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from scipy import sparse

from spinney.data.remote_table import is_dask


def answer_lazily(method: Callable[..., Any], model: Any, X: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What `method` says of the rows of a collection."""
    from dask.delayed import delayed

    name = method.__name__
    if getattr(X, "ndim", 0) != 2 or not hasattr(X, "to_delayed"):
        raise TypeError(
            f"{name} accepts dask DataFrames and two-dimensional dask Arrays, got a dask {type(X).__name__}."
        )
    if any(is_dask(one) or isinstance(one, np.ndarray) for one in (*args, *kwargs.values())):
        raise TypeError(
            f"{name} of a dask collection does not support arguments with one value per row, such as init_score. Map "
            "the method over the partitions yourself."
        )
    is_frame = not hasattr(X, "chunks")
    X = X if is_frame else X.rechunk({1: -1})
    row = _row_like(model, X, is_frame)
    said = method(model, row, *args, **kwargs)
    for one in said if isinstance(said, list) else [said]:
        _check(one, len(row), name, is_frame)
    token = uuid4().hex[:12]
    carried = delayed(_of_one_thread(model), name=f"spinney-model-{token}", traverse=False)
    ask = partial(_ask, method.__name__, args, kwargs)
    labels = _labels(model, name, said)
    if isinstance(said, list):
        return _several(ask, carried, X, said, labels, f"spinney-{name}", is_frame)
    if is_frame:
        meta = _framed(said, row, labels)[:0]
        return X.map_partitions(_ask_frame, ask, labels, carried, meta, meta=meta, token=f"spinney-{name}-{token}")
    shape: dict[str, Any] = {"chunks": (X.chunks[0], *((n,) for n in said.shape[1:]))}
    if said.ndim != 2:
        shape = {"drop_axis": 1} if said.ndim == 1 else {**shape, "new_axis": list(range(2, said.ndim))}
    return X.map_blocks(
        _ask_block, ask=ask, model=carried, empty=said[:0], dtype=said.dtype, meta=said[:0],
        name=f"spinney-{name}-{token}", **shape,
    )  # fmt: skip


def _of_one_thread(model: Any) -> Any:
    """A copy for workers, whose threads have partitions of their own."""
    if getattr(model, "n_jobs", 1) is not None:
        return model
    model = copy(model)
    model.n_jobs = 1
    return model


# --- what the answers look like --------------------------------------------------------------------------------------


def _row_like(model: Any, X: Any, is_frame: bool) -> Any:
    """A row that the model can read if it can read X."""
    schema = _schema_of(model)
    if not is_frame:
        if X.dtype.kind in "biuf":
            return np.ones((1, X.shape[1]), X.dtype)
        row = np.ones((1, X.shape[1]), object)
        for j, column in enumerate(() if schema is None else schema.columns):
            if column.categories and j < X.shape[1]:
                row[0, j] = column.categories[0]
        return row
    import pandas as pd

    row = X._meta_nonempty.iloc[:1].copy()
    for column in () if schema is None else schema.columns:
        if column.name not in row.columns:
            continue
        if row[column.name].dtype == object and column.categories is None:  # numbers and None
            row[column.name] = pd.Series([True if column.boolean else 1.0], index=row.index, dtype=object)
        elif column.categories:
            value = column.categories[0]
            is_category = isinstance(row[column.name].dtype, pd.CategoricalDtype)
            row[column.name] = pd.Series(pd.Categorical([value]) if is_category else [value], index=row.index)
    return row


def _schema_of(model: Any) -> Any:
    """What a model, or the first of its members that knows, has learnt of the columns."""
    found = getattr(model, "schema_", None)
    members = [] if found is not None else getattr(model, "estimators_", None) or []
    for member in members:
        found = found or _schema_of(member)
    return found


def _check(said: Any, n_rows: int, name: str, is_frame: bool) -> None:
    if is_frame and np.ndim(said) == 3 and len(said) == n_rows:
        raise TypeError(
            f"{name} returns three dimensions, which a DataFrame cannot hold. Pass X.to_dask_array() or X.compute()."
        )
    if sparse.issparse(said) or isinstance(said, tuple) or np.ndim(said) not in (1, 2, 3) or len(said) != n_rows:
        raise TypeError(
            f"{name} does not return one row per row of X, so it supports only data in memory. Pass X.compute()."
        )


def _labels(model: Any, name: str, said: Any) -> Any:
    """What the columns of the answers are called, for every output of a list."""
    if isinstance(said, list):
        return [_labels_of_one(one, classes) for one, classes in zip(said, model.classes_)]
    if np.ndim(said) == 2 and name == "transform" and hasattr(model, "get_feature_names_out"):
        return _labels_of_one(said, model.get_feature_names_out())
    names_classes = name in ("predict_proba", "predict_log_proba", "decision_function")
    return _labels_of_one(said, getattr(model, "classes_", ()) if names_classes else ())


def _labels_of_one(said: Any, names: Any) -> list[Any] | None:
    if said.ndim == 1:
        return None
    fits = len(names) == said.shape[1]
    return np.asarray(names).tolist() if fits else list(range(said.shape[1]))


def _framed(said: Any, part: Any, labels: Any) -> Any:
    import pandas as pd

    if said.ndim == 1:
        return pd.Series(said, index=part.index)
    return pd.DataFrame(said, index=part.index, columns=labels)


# --- on the workers --------------------------------------------------------------------------------------------------


def _ask(method: str, args: Any, kwargs: dict[str, Any], model: Any, part: Any) -> Any:
    return getattr(model, method)(part, *args, **kwargs)


def _ask_frame(part: Any, ask: Any, labels: Any, model: Any, empty: Any) -> Any:
    if not len(part):
        return empty
    return _framed(ask(model, part), part, labels).astype(empty.dtype if empty.ndim == 1 else empty.dtypes)


def _ask_block(part: np.ndarray, ask: Any, model: Any, empty: np.ndarray) -> np.ndarray:
    return ask(model, part).astype(empty.dtype, copy=False) if len(part) else empty


def _ask_list(ask: Any, model: Any, part: Any, empty: list[np.ndarray], labels: Any, is_frame: bool) -> list[Any]:
    said = ask(model, part) if len(part) else empty
    return [_framed(one, part, own) for one, own in zip(said, labels)] if is_frame else said


def _several(ask: Any, model: Any, X: Any, said: list[Any], labels: Any, name: str, is_frame: bool) -> list[Any]:
    """One collection per output; a partition is asked once for all of them."""
    from dask.delayed import delayed

    empty = [one[:0] for one in said]
    parts = X.to_delayed() if is_frame else np.ravel(X.to_delayed()).tolist()
    call = delayed(_ask_list, nout=len(said))
    answers = [
        call(ask, model, part, empty, labels, is_frame, dask_key_name=f"{name}-{uuid4().hex[:12]}") for part in parts
    ]
    if is_frame:
        import dask.dataframe as dd

        metas = [_framed(one, X._meta, own) for one, own in zip(empty, labels)]
        return [dd.from_delayed([one[k] for one in answers], meta=meta) for k, meta in enumerate(metas)]
    import dask.array as da

    sizes = X.chunks[0]
    return [
        da.concatenate(
            [da.from_delayed(one[k], (n, *like.shape[1:]), dtype=like.dtype) for one, n in zip(answers, sizes)],
            allow_unknown_chunksizes=True,
        )
        for k, like in enumerate(empty)
    ]
