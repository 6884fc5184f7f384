"""Rows to learn from and rows to judge by: one draw, by classes where each has rows enough."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split


def hold_out(rows: np.ndarray, share: Any, seed: int, labels: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(rows to learn from, rows held out), both ascending. `labels`: the rows' class numbers, or None.

    `share` is a share of the rows or a number of them. Classes keep their shares, unless one has a single row.
    """
    counts = np.bincount(labels) if labels is not None else np.zeros(0, np.int64)
    strata = labels if labels is not None and counts[counts > 0].min() > 1 else None
    kept, held = train_test_split(rows, test_size=share, random_state=seed, stratify=strata)
    return np.sort(kept), np.sort(held)
