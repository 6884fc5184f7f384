"""Checks that data fits into the memory of one worker.

In:  a client, bytes. Out: the workers with enough memory, or an error with the sizes and the remedy.
"""

from __future__ import annotations

from typing import Any

from spinney.distributed.tasks import describe_workers

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
