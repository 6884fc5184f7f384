"""Codes by cells are those of counting edges, whatever the numbers are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data import encode as binning
from spinney.data.encode import find_cells
from spinney.data.tables import Panel, Table

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-45, 3e38, -3e38, 1.7e308, -1.7e308, 1.0]
numbers = st.one_of(st.sampled_from(SPECIAL), st.floats(width=32), st.floats(), st.integers(-3, 3).map(float))


@given(
    edges=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=0, max_size=254),
    far=st.sampled_from([0.0, 1e3, -1e9]),
    values=st.lists(numbers, min_size=1, max_size=40),
    dtype=st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_codes_count_the_edges_below(edges, far, values, dtype):
    edges = np.unique(np.array(edges, np.float64) + far)
    with np.errstate(over="ignore"):
        near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
        values = np.concatenate([values, near, near + far]).astype(dtype)[:, None]
    own = binning.round_down(edges, dtype)
    wanted = np.array([len(edges) + 1 if np.isnan(value) else int((own < value).sum()) for value in values[:, 0]])
    bins = binning.Bins((edges,), (np.empty(0, np.uint8),), np.array([len(edges) + 1], np.int32), np.zeros(1, bool))
    with pytest.MonkeyPatch.context() as patch, Team(1) as team:
        patch.setattr(binning, "_MANY", 1)
        found = bins.encode(Table(len(values), 1, (Panel(values, (0,)),)), team)[0]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.kernels
def test_columns_are_cut_in_the_way_that_parts_their_edges():
    edges = np.full((4, 256), np.inf)
    steps = np.linspace(-1.0, 1.0, 200)
    edges[0, :200] = np.sinh(20 * steps)  # long tails: by bits
    edges[1, :200] = 1e6 + steps  # far from zero: evenly
    edges[2, :200] = np.concatenate([np.arange(100), 1e30 + np.arange(100) * 1e22])  # crowded either way
    starts, cells = find_cells(edges)
    assert cells["scale"][0] == 0.0
    assert cells["scale"][1] > 0.0
    assert cells["steps"].tolist() == [1, 1, -1, 0]
    assert starts[0, -1] == 200
