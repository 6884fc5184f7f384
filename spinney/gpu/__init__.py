"""Boosting and prediction on a GPU: the CPU's models, bit for bit. See docs/gpu.md.

In: the `device` parameter, and a table. Out: the class that runs the rounds on that device, and the table in the form
that it needs. Importing this module loads nothing; the GPU compiler is imported on first use.
"""

from __future__ import annotations

import os
from typing import Any

from spinney._distribution import install_command
from spinney._warnings import warn_caller

_NEEDS = "device='cuda' needs"
_INSTEAD = "Use device='cpu', or device='auto' to use a GPU if there is one."
_process = 0  # that has used the GPU
LARGE = 1 << 28  # rows times trees from which on a table here is sent to the GPU to be predicted


def rounds_on(device: str) -> Any:
    """Who boosts on a device, for `BoostingSettings.rounds`; None for the CPU.

    "auto" is the GPU if there is one; if not, that is said once.
    """
    if not uses_gpu(device):
        return None
    return gpu_rounds if device == "cuda" else any_rounds


def uses_gpu(device: str) -> bool:
    """Whether a device is the GPU. "auto" is if there is one; if not, that is said once; "cuda" is or raises."""
    if device == "cpu":
        return False
    problem = problem_with_gpu()
    if problem is None:
        return True
    if device == "cuda":
        raise RuntimeError(f"{problem} {_INSTEAD}")
    from spinney._compile import say_once

    say_once(f"device='auto' uses the CPU: {problem}")
    return False


def problem_with_gpu() -> str | None:
    """Why there is no GPU to use, in a sentence; None if there is one."""
    global _process
    try:
        from spinney._compile.cuda import problem
    except ImportError as error:
        return f"{_NEEDS} numba-cuda ({error}): {install_command('gpu')}."
    if _process not in (0, os.getpid()):
        return "A forked process cannot use the GPU that its parent has used: start processes by 'spawn'."
    found = problem()
    if found is None:
        _process = os.getpid()
    return None if found is None else f"{_NEEDS} a GPU: {found}"


def raw_scores_by(device: str, forest: Any, table: Any, start: Any, team: Any) -> Any:
    """`raw_scores` of tree/predict_boosted.py, by the GPU; None where the CPU is faster: tables that are small or
    are not one block of numbers, and where there is no GPU."""
    if (
        device == "cpu"
        or forest.is_linear
        or table.n_rows * forest.n_trees < LARGE
        or not _is_block(table)
        or problem_with_gpu()
    ):
        return None
    import numpy as np

    from spinney.gpu.predict import add_here, scores_of

    scores = np.empty((len(start), table.n_rows))
    scores[:] = start[:, None] if start.ndim == 1 else start
    add_here(scores_of(forest, len(start)), table.panels[0].values, scores, team)
    return scores


def _is_block(table: Any) -> bool:
    from spinney.data.tables import Table

    return type(table) is Table and len(table.panels) == 1


def table_for(device: str, table: Any) -> Any:
    """A table that a schema has read, for a fit in bins on a device: for one on the GPU, it will be coded there."""
    from spinney.data.tables import Table

    if type(table) is not Table or rounds_on(device) is None:
        return table
    from spinney.gpu.tables import GpuRows

    return GpuRows(table)


def table_on_gpu(device: str, X: Any, in_bins: bool) -> Any:
    """X, which is on a GPU, for a fit on a device: as it is there, or a copy here."""
    from spinney.data.on_gpu import READABLE, copy_here, view_on_gpu

    if device == "cpu":
        warn_caller(
            "X is on the GPU, but the fit runs on the CPU, so X was copied. With device='cuda' the fit runs on the GPU "
            "and gives the same model.",
        )
        return copy_here(X)
    if rounds_on(device) is None or not in_bins or view_on_gpu(X).dtype not in READABLE:
        return copy_here(X)
    from spinney.gpu.tables import GpuTable

    return GpuTable(X)


def gpu_rounds(dataset: Any, *others: Any, **more: Any) -> Any:
    """A fit on the GPU."""
    from spinney.data.dataset import Dataset

    if not isinstance(dataset, Dataset):
        raise ValueError("device='cuda' supports only dense data in bins (max_bins up to 255). Use device='cpu'.")
    from spinney.gpu.rounds import open_on_gpu

    return open_on_gpu(dataset, *others, **more)


def any_rounds(dataset: Any, task: Any, settings: Any, *others: Any, **more: Any) -> Any:
    """A fit on the GPU if it can be there, else on the CPU."""
    from dataclasses import replace

    from spinney.data.dataset import Dataset
    from spinney.ensemble.boosting.rounds import open_rounds

    if isinstance(dataset, Dataset):
        return gpu_rounds(dataset, task, settings, *others, **more)
    return open_rounds(dataset, task, replace(settings, rounds=None), *others, **more)
