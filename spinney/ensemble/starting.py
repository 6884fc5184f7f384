"""Where boosting begins: targets and weights in the units of a fit, the best constant, how large trees may get.

In: a task and settings. Out: numbers that all rows have a say in.
"""

from __future__ import annotations

import numpy as np

from spinney.criteria.elementary import logs_of
from spinney.criteria.fixed_point import exact_mean, relative
from spinney.data.weights import Weights
from spinney.ensemble.boosting_settings import BoostingSettings
from spinney.ensemble.gradients import is_builtin
from spinney.ensemble.task import Task
from spinney.ensemble.units import Units, find_units


def in_units(task: Task) -> tuple[np.ndarray, Weights, Units]:
    """Targets and weights in numbers near 1, and what they are counted in."""
    y, weights, rows = task.y, relative(task.weights), task.weights.rows()
    units = find_units(task.loss, *((y, weights) if rows is None else (y[rows], weights.take(rows))))
    return units.targets(y), weights, units


def start_values(task: Task) -> np.ndarray:
    """Raw scores before the first tree: the best constant."""
    y, weights, units = in_units(task)
    weights = weights if is_builtin(task.loss) else task.weights
    rows = weights.rows()
    if rows is not None:
        y, weights = y[rows], weights.take(rows)
    if task.n_outputs == 1:
        return units.user_raw(np.array([task.loss.start(y, weights)]))
    shares = np.array([exact_mean((y == k).astype(np.float64), weights) for k in range(task.n_outputs)])
    logs = logs_of(np.maximum(shares, 1e-15))
    return logs - logs.mean()


def share_of(share: float, n: int) -> int:
    """How many of n a share is: at least one."""
    return max(1, min(n, round(share * n)))


def most_leaves(settings: BoostingSettings, total_count: int) -> int:
    by_depth = 1 << min(settings.max_depth, 40)
    by_count = max(1, total_count // max(1, settings.min_count))
    return max(1, min(settings.max_leaves, by_depth, by_count))
