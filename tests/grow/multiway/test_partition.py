"""Segments: a walk down all branches gives each its rows and leaves everything as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.information import ROW
from spinney.grow.multiway.columns import MultiwayColumns
from spinney.grow.multiway.memory import make_grown, make_rows
from spinney.grow.multiway.partition import close_branch, close_frame, open_branch, open_frame
from spinney.grow.rules import NO_NODE
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_open_frame, _open_branch = outer(open_frame), outer(open_branch)
_close_branch, _close_frame = outer(close_branch), outer(close_frame)
N_BRANCHES = 4


@pytest.mark.slow
@few(100, plain=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from((0.0, 0.3, 0.9)), st.booleans())
def test_branches_in_turn(seed, n, missing, spreads):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n) < missing, -1, rng.integers(0, N_BRANCHES, n)).astype(np.int32)[None]
    codes[0, 0] = 1
    units = rng.integers(1, 4, n) * ROW
    n_values = np.array([N_BRANCHES], np.int64)
    columns = MultiwayColumns(codes, n_values, np.zeros(1, np.uint8), np.zeros(1), np.zeros(1, np.int64))
    rows, grown = make_rows(np.zeros(n, np.int32), units, N_BRANCHES), make_grown(columns, 1, n)
    node = grown.nodes[0]
    node["feature"], node["cut"], node["n_branches"] = 0, -1, N_BRANCHES
    grown.children[:N_BRANCHES] = NO_NODE
    _open_frame(grown, rows, columns, 0, 0, n, spreads)
    frame = grown.frames[0]
    seen = []
    while (branch := _open_branch(grown, rows, columns, frame)) >= 0:
        seen.append(branch)
        part = slice(frame["child_begin"], frame["child_end"])
        here, weight = rows.rows[part], rows.units[part]
        own = codes[0, here] == branch
        assert sorted(here[own]) == np.flatnonzero(codes[0] == branch).tolist()
        assert (weight[own] == units[here[own]]).all()
        assert (codes[0, here[~own]] == -1).all()
        share = units[codes[0] == branch].sum() / units[codes[0] >= 0].sum()
        np.testing.assert_allclose(weight[~own], units[here[~own]] * share, atol=1)
        assert (~own).sum() == (spreads * (codes[0] == -1)).sum()
        shuffled = rng.permutation(len(here))  # what a child may do
        rows.rows[part], rows.units[part] = here[shuffled], weight[shuffled]
        _close_branch(grown, rows, columns, frame)
    _close_frame(grown, rows, frame)
    assert seen == sorted(set(codes[0][codes[0] >= 0].tolist()))
    order = np.argsort(rows.rows)
    assert rows.rows[order].tolist() == list(range(n))
    assert rows.units[order].tolist() == units.tolist()
    assert grown.state[0]["n_saved"] == 0
