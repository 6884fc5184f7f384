"""Boxes do not overlap, and a tree looks tidy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.view.plot import arrange
from tests.compiled import few

GAP, RISE = 1.0, 5.0


@st.composite
def trees(draw):
    """Children of every box, parents first; and widths and heights."""
    n = draw(st.integers(1, 25))
    children = [[] for _ in range(n)]
    for box in range(1, n):
        children[draw(st.integers(0, box - 1))].append(box)
    sizes = st.lists(st.floats(0.5, 20), min_size=n, max_size=n)
    return children, draw(sizes), draw(sizes)


def depths(children):
    depth = [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            depth[child] = depth[box] + 1
    return np.array(depth)


@few(200)
@given(trees())
def test_invariants(tree):
    children, widths, heights = tree
    layout = arrange(children, widths, heights, GAP, RISE)
    left, right = layout.x - np.array(widths) / 2, layout.x + np.array(widths) / 2
    depth = depths(children)
    for level in range(depth.max() + 1):
        here = np.flatnonzero(depth == level)
        here = here[np.argsort(layout.x[here])]
        assert (left[here[1:]] - right[here[:-1]] >= GAP - 1e-9).all()  # side by side
        assert len(set(layout.top[here])) == 1
        assert (layout.top[depth > level] - (layout.top[here] + layout.heights[here]).max() >= RISE - 1e-9).all()
    for box, below in enumerate(children):
        if below:
            assert layout.x[box] == pytest.approx((layout.x[below[0]] + layout.x[below[-1]]) / 2)  # over their middle
            assert (np.diff(layout.x[below]) > 0).all()  # in order
    assert left.min() == pytest.approx(0)
    assert right.max() == pytest.approx(layout.width)
    assert (layout.top + layout.heights).max() == pytest.approx(layout.height)


def full(depth, n_branches=2):
    """The children of every box of a full tree, level by level."""
    n_inner = (n_branches**depth - 1) // (n_branches - 1)
    n = n_inner * n_branches + 1
    return [[n_branches * box + k + 1 for k in range(n_branches)] if box < n_inner else [] for box in range(n)]


@pytest.mark.parametrize("n_branches", [2, 3])
def test_leaves_of_a_full_tree_are_evenly_spaced(n_branches):
    children = full(3, n_branches)
    layout = arrange(children, [4.0] * len(children), [2.0] * len(children), GAP, RISE)
    leaves = [box for box, below in enumerate(children) if not below]
    assert np.diff(layout.x[leaves]) == pytest.approx(4.0 + GAP)


def test_a_small_subtree_stands_midway_between_large_ones():
    #       0                    wide   leaf   wide
    #   1   2   3
    #  4 5     6 7
    children = [[1, 2, 3], [4, 5], [], [6, 7], [], [], [], []]
    layout = arrange(children, [4.0] * 8, [2.0] * 8, GAP, RISE)
    assert layout.x[2] == pytest.approx(layout.x[0])


def test_subtrees_nest_into_each_other():
    chain = [[1, 2], [3, 4], [], [], []]  # the leaf 2 stands close to 1, above 4
    layout = arrange(chain, [4.0] * 5, [2.0] * 5, GAP, RISE)
    assert layout.x[2] - layout.x[1] == pytest.approx(4.0 + GAP)
    assert layout.x[4] - layout.x[3] == pytest.approx(4.0 + GAP)


def test_long_chains_need_no_recursion():
    n = 3000
    children = [[box + 1] if box < n - 1 else [] for box in range(n)]
    assert arrange(children, [1.0] * n, [1.0] * n, GAP, RISE).width == 1.0
