"""Which nodes stay where some become leaves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spinney.tree.collapse import drop_below
from tests.compiled import few


@few(80)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), share=st.floats(0.0, 1.0))
def test_all_below_a_marked_node_goes(seed, n, share):
    random = np.random.RandomState(seed)
    parent = np.array([-1, *(random.randint(max(0, k - 9), k) for k in range(1, n))])
    at = random.rand(n) < share
    kept, number = drop_below(parent, at)
    expected = []
    for node in range(n):
        above, below_marked = parent[node], False
        while above >= 0:
            below_marked |= bool(at[above])
            above = parent[above]
        if not below_marked:
            expected.append(node)
    assert np.flatnonzero(kept).tolist() == expected
    assert number[kept].tolist() == list(range(len(expected)))
