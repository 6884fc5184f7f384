"""Rows in the order of a column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.information import ROW
from spinney.grow.multiway.columns import MultiwayColumns
from spinney.grow.multiway.memory import make_rows
from spinney.grow.multiway.search import fill_runs, make_desk
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_fill_runs = outer(fill_runs)
N_CLASSES = 3


def sums(codes, classes, units):
    """Weight of each pair of code and class, without missing values."""
    found = {}
    for code, c, u in zip(codes, classes, units, strict=True):
        if code >= 0:
            found[int(code), int(c)] = found.get((int(code), int(c)), 0) + int(u)
    return found


@few(200, plain=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6000), st.sampled_from((2, 40, 300, 10**6)), st.booleans())
def test_runs_hold_every_row_in_order(seed, n, n_values, alike):
    n = n if n % 3 else n % 97 + 1
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, n_values, (1, n)).astype(np.int32)
    classes = rng.integers(0, N_CLASSES, n).astype(np.int32)
    units = np.full(n, ROW) if alike else rng.integers(1, 5, n) * ROW
    values = np.array([n_values], np.int64)
    columns = MultiwayColumns(codes, values, np.ones(1, np.uint8), np.zeros(1), np.zeros(1, np.int64))
    rows, desk = make_rows(classes, units.astype(np.int64), 2), make_desk(n, 1, N_CLASSES)
    begin, end = n // 4, n
    count = _fill_runs(columns, 0, rows, begin, end, alike, desk)
    code, c, u = desk.run_code[:count], desk.run_class[:count], desk.run_units[:count]
    assert (np.diff(code) >= 0).all()
    assert sums(code, c, u) == sums(codes[0, begin:end], classes[begin:end], units[begin:end])
