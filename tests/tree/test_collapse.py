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


def test_several_trees_do_not_lose_each_others_nodes():
    """Roots are nobody's children: what is made a leaf in one tree drops nothing of the next."""
    parent = np.array([-1, 0, 0, -1, 3, 3, 5, 5])
    at = np.array([True, False, False, False, False, True, False, False])
    kept, number = drop_below(parent, at)
    assert kept.tolist() == [True, False, False, True, True, True, False, False]
    assert number[kept].tolist() == [0, 1, 2, 3]
