"""Find the Dask client that computes collections, and bring vectors here.

In:  an argument of `fit`. Out: the client; vectors of one value per row, as NumPy or pandas has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._distribution import install_command
from spinney.data.remote_table import is_dask


def find_client() -> Any:
    """The current client of Dask's, or an error that says how to have one."""
    try:
        from distributed import Client, get_client
    except ImportError as error:
        raise ImportError(
            f"Fitting on a dask collection needs dask.distributed: {install_command('dask')}, or pass X.compute()."
        ) from error
    try:
        client: Client = get_client()
    except ValueError as error:
        raise ValueError(
            "Fitting on a dask collection needs a Dask client, and there is none. Write "
            "`from distributed import Client; client = Client()` first, for a cluster on this machine, or "
            "`Client('tcp://scheduler:8786')`; or `with client.as_current():` where there are several. "
            "To fit on this machine without one, pass X.compute() and y.compute()."
        ) from error
    if client.status != "running":
        raise ValueError(f"The Dask client is {client.status}. Open one with distributed.Client(...).")
    return client


def fit_by(client: Any, fit: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """Call a method `fit` while this client is the current one."""
    if not hasattr(client, "as_current"):
        raise TypeError(f"client must be a Dask client, distributed.Client(...), got {type(client).__name__}.")
    with client.as_current():
        return fit(*args, **more)


def vector_here(values: Any, name: str) -> Any:
    """One value per row, or several, brought here; what is here already is returned as it is."""
    if not is_dask(values):
        return values
    if not hasattr(type(values), "ndim"):  # of the class: a Delayed claims to have every attribute
        raise TypeError(f"{name} must be a dask Series or Array, or local data, got {type(values).__name__}.")
    from spinney.distributed.tasks import insist, request, results

    client = find_client()
    found = insist(lambda: results(client, [request(client, lambda: client.compute(values))]))[0]
    return np.asarray(found) if isinstance(found, np.ndarray) else found


def column_here(given: Any, X: Any, name: str) -> Any:
    """One value per row, brought here; the name of a column of a dask DataFrame is that column."""
    if isinstance(given, str) and is_dask(X) and given in getattr(X, "columns", ()):
        given = X[given]
    return vector_here(given, name)


def open_collections(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X as a table whose rows stay where they are; what is one number per row comes here."""
    from spinney.distributed.table import DaskTable

    if not is_dask(X):
        raise TypeError("y or sample_weight is a dask collection, but X is not. Pass its .compute().")
    return DaskTable(X), vector_here(y, "y"), vector_here(sample_weight, "sample_weight")
