"""Points for the tests of clustering: few digits, so that sums are exact and ties are ties."""

import numpy as np
from hypothesis import strategies as st

from spinney._team import Team
from spinney.cluster.points import make_points
from spinney.data.weights import read_weights

ALONE = Team(1, inline=True)
DTYPES = (np.float32, np.float64)


@st.composite
def tables(draw, most_rows=70, most_columns=5, least_rows=1):
    """Numbers on a grid of eighths, many of them alike."""
    n = draw(st.integers(least_rows, most_rows))
    d = draw(st.integers(1, most_columns))
    span = draw(st.sampled_from((3, 40, 1000)))
    seed = draw(st.integers(0, 10**6))
    dtype = draw(st.sampled_from(DTYPES))
    return (np.random.default_rng(seed).integers(-span, span + 1, (n, d)) / 8).astype(dtype)


def points_of(values, weights=None, team=ALONE, origin=None):
    """Points around the origin, unless another one is given."""
    origin = np.zeros(values.shape[1]) if origin is None else origin
    return make_points(values, read_weights(weights, len(values)), team, origin)


def blobs(n=300, d=3, k=4, seed=0, spread=4.0, dtype=np.float64):
    """Rows around k middles, and which middle each has."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(k, d)) * spread
    label = rng.integers(0, k, n)
    return (middle[label] + rng.normal(size=(n, d))).astype(dtype), label
