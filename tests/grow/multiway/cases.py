"""Drawn tables for ID3 and C4.5."""

import numpy as np
from hypothesis import strategies as st

from spinney.data.schema import Schema, SchemaColumn
from spinney.data.tables import Panel, Table
from spinney.data.weights import read_weights


@st.composite
def tables(draw, numbers=True, sizes=((30, 70), (1, 12))):
    """(X with NaN, categories of each column or None for numbers, classes, sample_weight or None)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.one_of(*(st.integers(*size) for size in sizes)))
    kinds = draw(
        st.lists(st.sampled_from((None, None, 2, 3, 5, 1) if numbers else (2, 3, 5, 1)), min_size=1, max_size=5)
    )
    n_numbers, n_classes = draw(st.sampled_from((30, 3))), draw(st.integers(2, 4))
    X = rng.integers(0, [k or n_numbers for k in kinds], (n, len(kinds))).astype(np.float64)
    classes = (X * rng.integers(0, 2, len(kinds)) >= np.median(X, axis=0)).sum(axis=1) % n_classes
    noisy = rng.random(n) < draw(st.sampled_from((0.1, 0.3, 0.0, 1.0)))
    classes[noisy] = rng.integers(0, n_classes, noisy.sum())
    X[rng.random(X.shape) < draw(st.sampled_from((0.0, 0.05, 0.3)))] = np.nan
    return X, kinds, classes, _draw_weights(draw, rng, n)


def _draw_weights(draw, rng, n):
    kind = draw(st.sampled_from(("none", "whole", "real")))
    if kind == "none":
        return None
    weights = rng.integers(0, 4, n).astype(np.float64) if kind == "whole" else rng.integers(1, 9, n) / 4.0
    weights[0] = 1.0
    return weights


def as_table(X, kinds):
    """The same as the package's table and schema."""
    columns = tuple(SchemaColumn(None, None if k is None else tuple(range(k))) for k in kinds)
    return Table(len(X), X.shape[1], (Panel(X, tuple(range(X.shape[1]))),)), Schema(columns)


LIMITS = {
    "min_split": st.sampled_from((0.0, 2.0, 10.0)),
    "max_leaves": st.sampled_from((None, 2, 4, 9)),
    "min_decrease": st.sampled_from((0.0, 0.01, 0.2)),
    "significance": st.sampled_from((None, 0.3, 0.01)),
}


def weights_of(sample_weight, n_rows):
    return read_weights(sample_weight, n_rows)
