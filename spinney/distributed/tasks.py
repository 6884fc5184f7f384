"""Tasks of Dask's by name: one per partition, called alike on the dashboard."""

from __future__ import annotations

import contextlib
from typing import Any
from uuid import uuid4


def submit_all(client: Any, function: Any, calls: list[tuple], name: str) -> list[Any]:
    """Futures of one task per call, called `spinney-name` on Dask's dashboard."""
    token = uuid4().hex[:12]
    return [
        client.submit(function, *call, key=f"spinney-{name}-{token}-{k}", pure=False) for k, call in enumerate(calls)
    ]


def run_all(client: Any, function: Any, calls: list[tuple], name: str) -> list[Any]:
    """The results of one task per call, here."""
    futures = submit_all(client, function, calls, name)
    try:
        return client.gather(futures)
    except BaseException:
        let_go(client, futures)
        raise


def let_go(client: Any, futures: list[Any]) -> None:
    """Leave nothing of our own tasks on the workers, whoever still knows of them: an error keeps all that led to it."""
    if client.status == "running":  # Dask waits long for a scheduler that is gone
        with contextlib.suppress(Exception):
            client.cancel(futures)
    futures.clear()
