"""What every store offers: the shape of its trees and the ways of rows, against the trees one by one."""

import numpy as np
import pytest

from tests.tree.groves import KINDS, draw_grove
from tests.tree.test_boosted import boosted_forest


@pytest.fixture(scope="module", params=[*KINDS, "boosted"])
def forest(request):
    return boosted_forest() if request.param == "boosted" else draw_grove(request.param)


def test_shape(forest):
    shape = forest.shape
    for k in range(forest.n_trees):
        some, tree, begin = slice(forest.first[k], forest.first[k + 1]), forest.tree(k), forest.first[k]
        np.testing.assert_array_equal(forest.is_leaf[some], tree.is_leaf)
        np.testing.assert_array_equal(shape.depth[some], tree.depth)
        np.testing.assert_array_equal(shape.parent[some], np.where(tree.parent < 0, -1, tree.parent + begin))
        np.testing.assert_array_equal(shape.end[some], tree.subtree_end + begin)
        assert forest.n_leaves[k] == tree.n_leaves
    assert forest.n_nodes == forest.first[-1]
    assert 0 < forest.n_bytes < 200 * forest.n_nodes + 100_000


def test_paths(forest):
    rng = np.random.RandomState(0)
    trees = [forest.tree(k) for k in range(forest.n_trees)]
    leaves = np.column_stack([rng.choice(np.flatnonzero(tree.is_leaf), 7) for tree in trees])
    found = forest.paths(leaves).toarray()
    expected = np.zeros((7, forest.n_nodes), int)
    for i, ends in enumerate(leaves):
        for k, node in enumerate(ends):
            while node >= 0:
                expected[i, forest.first[k] + node] = 1
                node = trees[k].parent[node]
    np.testing.assert_array_equal(found, expected)
    assert forest.paths(leaves[:0]).shape == (0, forest.n_nodes)
