"""Stacking: predictions for held-out rows -> the input of the final model.

In:  predictions for held-out rows, one array per model.
Out: columns for the final model; and which rows are held out.

No model is fitted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse


def meta_columns(predictions: Sequence[np.ndarray], are_pairs: Sequence[bool]) -> list[np.ndarray]:
    """Return each model's predictions as a block of columns.

    Of two probabilities that add up to 1 (`are_pairs`), only the second is kept.

    >>> meta_columns([np.array([[0.25, 0.75]]), np.array([3.0])], [True, False])
    [array([[0.75]]), array([[3.]])]
    """
    blocks = [one.reshape(-1, 1) if one.ndim == 1 else one for one in predictions]
    return [block[:, 1:] if is_pair else block for block, is_pair in zip(blocks, are_pairs)]


def beside(columns: np.ndarray, names: Sequence[str], X: Any) -> Any:
    """Return the columns followed by those of X.

    A DataFrame with strings or categories stays a DataFrame, so that the final model sees them; others become an array.

    >>> beside(np.array([[0.5]]), ["tree"], [[1, 2]])
    array([[0.5, 1. , 2. ]])
    """
    if sparse.issparse(X):
        return sparse.hstack([columns, X], format=X.format)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or all(kind.is_numeric() for kind in frame.schema.values()):
        return np.hstack([columns, X])
    backend = frame.implementation
    new = [nw.new_series(name, columns[:, k].copy(), backend=backend) for k, name in enumerate(names)]
    return frame.with_columns(*new).select(*names, *frame.columns).to_native()


def split_off(strata: np.ndarray, fraction: float, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to fit on and those held out: about `fraction` of each stratum, and never all of it.

    >>> learn, held_out = split_off(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 0.25, np.random.RandomState(0))
    >>> len(learn), np.array([0, 0, 0, 0, 1, 1, 1, 1])[held_out].tolist()
    (6, [0, 1])
    """
    held_out = np.zeros(len(strata), bool)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        count = min(round(fraction * len(rows)), len(rows) - 1)
        held_out[random.permutation(rows)[:count]] = True
    if not held_out.any():
        raise ValueError(
            f"holdout_fraction={fraction} holds out no rows of n_samples = {len(strata)}. "
            "Increase it, or use cross-validation (cv=5)."
        )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
