"""Fits that need all rows in one place: they run on one worker, as one task, if the rows fit into its memory.

In:  a collection, a model. Out: the partitions and the workers that have memory for all of them; or the model's fitted
attributes, computed on one worker, equal to those of a fit of the concatenated data. Sizes are checked before anything
is moved.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from spinney._warnings import warn_caller
from spinney.distributed import parts
from spinney.distributed.table import DaskTable
from spinney.distributed.tasks import describe_workers, insist, let_go, place, results, submit

# ----------------------------------------------------------------------------------------------------------------------
# Checks that data fits into the memory of one worker.
#
# In:  a client, bytes. Out: the workers with enough memory, or an error with the sizes and the remedy.


_FREE = 0.7  # of a worker's memory, which Dask begins to write to the disk from here on


def workers_with_room(client: Any, n_bytes: int, what: str, remedy: str) -> dict[str, int]:
    """Address -> threads of the workers whose memory can take so many bytes; an error if there is none."""
    workers = describe_workers(client)
    limits = {address: int(about.get("memory_limit") or 0) for address, about in workers.items()}  # 0: no limit
    found = {
        address: int(workers[address]["nthreads"])
        for address, limit in limits.items()
        if not limit or n_bytes <= _FREE * limit
    }
    if not found:
        raise MemoryError(
            f"{what} takes {_gigabytes(n_bytes)} on a worker, but the largest worker can use only "
            f"{_gigabytes(int(_FREE * max(limits.values())))} of its memory for it. {remedy}"
        )
    return dict(sorted(found.items()))


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.3g} GiB"


# ----------------------------------------------------------------------------------------------------------------------


class Gathering(NamedTuple):
    """Partitions of which each of some workers could have all."""

    client: Any
    partitions: list[Any]  # futures
    n_rows: int
    workers: dict[str, int]  # address -> threads


def plan_gathering(X: Any, owner: str, copies: float) -> Gathering:
    """Compute the partitions, and find the workers that have room for so many copies of all."""
    table = DaskTable(X)
    return _plan(table, *size_of(table, owner), owner, copies, 0)


def size_of(table: DaskTable, owner: str) -> tuple[int, int]:
    """Rows and bytes of all partitions."""
    n_rows, n_bytes = np.array(table.map_parts(parts.size_of, owner, name="sizes"), np.int64).sum(axis=0).tolist()
    if not n_rows:
        raise ValueError(f"{owner} needs at least one row, and X has no rows.")
    return n_rows, n_bytes


def _plan(table: DaskTable, n_rows: int, n_bytes: int, owner: str, copies: float, per_row: int) -> Gathering:
    workers = workers_with_room(
        table.client,
        int(copies * n_bytes) + per_row * n_rows,
        f"{owner} is fitted on all {n_rows:,} rows in one place, which",
        "Use a larger worker, fewer rows (X.sample(frac=...)) or smaller types (float32).",
    )
    return Gathering(table.client, table.partitions, n_rows, workers)


def fit_on_a_worker(
    model: Any, table: DaskTable, size: tuple[int, int], weight: np.ndarray | None, copies: float, per_row: int
) -> None:
    """Fit a model without a target to a collection, on the worker with the most threads among those with room."""
    from sklearn.base import clone

    owner = type(model).__name__
    found = _plan(table, *size, owner, copies, per_row)
    worker = max(found.workers, key=lambda address: found.workers[address])

    def attempt() -> Any:
        client, futures = found.client, []
        if weight is not None:
            futures.append(place(client, weight))
        key = f"spinney-fit-{owner.lower()}-{uuid4().hex[:12]}"
        how = {"workers": [worker], "allow_other_workers": True, "key": key}
        futures.append(submit(client, _fit_here, clone(model), found.partitions, *(futures or [None]), **how))
        try:
            return results(client, futures[-1:])[0]
        finally:
            let_go(client, futures)

    try:
        fitted, said = insist(attempt)
    finally:
        found.partitions.clear()
    parameters = model.get_params(deep=False)
    vars(model).update({name: value for name, value in vars(fitted).items() if name not in parameters})
    for category, message in said:
        warn_caller(message, category)


# --- on the workers --------------------------------------------------------------------------------------------------


def _fit_here(model: Any, partitions: list[Any], sample_weight: Any) -> tuple[Any, list[tuple[Any, str]]]:
    from distributed import get_worker

    if model.n_jobs is None:
        model.n_jobs = max(1, int(get_worker().state.nthreads))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(joined(partitions), sample_weight=sample_weight)
    return model, [(one.category, str(one.message)) for one in said]


def joined(partitions: list[Any]) -> Any:
    """One table of all partitions, as `compute` would make it; categories are those of all."""
    some = [one for one in partitions if len(one)]
    if len(some) == 1:
        return some[0]
    if isinstance(some[0], np.ndarray):
        return np.concatenate(some)
    from dask.dataframe.dispatch import concat

    return concat(some)
